/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ports. A host has one set of them for all of its processes. Here each process emulates its
 * own kernel, so the set is a set of names on the fabric that a process can own until it ends:
 *
 *	cm/192.168.0.1			the host: owned by one of its processes
 *	cm/192.168.0.1/262/7174		port 7174 of port space 262 (RDMA_PS_TCP)
 *	cm/192.168.0.1/262/7174/any	an id has it for all addresses
 *
 * A request for a service is sent to all processes of the host, since the sender does not know
 * which of them listens. Exactly one answers: the owner of the port, for its listener or with a
 * refusal; if the port has no owner, the owner of the host's name, which passes to the next
 * process that claims it. A process may receive a request late, when the listener that took it
 * is closed already. Therefore the name of a port is kept until its requests are answered; a
 * refusal of another process waits until the answers sent before it have arrived, and is
 * ignored if there was one (arrive.c).
 *
 * Ids of one process share a port as far as the kernel permits (cma.c, cma_check_port);
 * processes do not share ports, not even with RDMA_OPTION_ID_REUSEADDR.
 */
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

#include "ucma/id.h"

#define EPHEMERAL_MIN 32768 /* ip_local_port_range, its default */
#define EPHEMERAL_MAX 60999
#define NAME_BYTES    40

static void host_name(const struct ucma *u, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "cm/%u.%u.%u.%u", u->ipv4 >> 24, u->ipv4 >> 16 & 0xff,
		 u->ipv4 >> 8 & 0xff, u->ipv4 & 0xff);
}

static void port_name(const struct ucma *u, uint16_t ps, uint16_t number, char name[NAME_BYTES])
{
	size_t len;

	host_name(u, name);
	len = strlen(name);
	snprintf(name + len, NAME_BYTES - len, "/%u/%u", ps, number);
}

static struct ucma_port *find(struct ucma *u, uint16_t ps, uint16_t number)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->ports) {
		struct ucma_port *p = core_container(pos, struct ucma_port, on_ucma);

		if (p->ps == ps && p->number == number)
			return p;
	}
	return NULL;
}

/* kernel, cma.c, cma_check_port: 0, -EADDRINUSE, or -EADDRNOTAVAIL for all addresses */
static int clash(const struct ucma_id *a, const struct ucma_id *b, bool reuse)
{
	if (reuse && a->reuseaddr && b->reuseaddr)
		return 0;
	if (a->afonly && b->afonly && a->src.family != b->src.family)
		return 0;
	if (ucma_addr_is_any(&a->src) || ucma_addr_is_any(&b->src))
		return -EADDRNOTAVAIL;
	return a->src.family == b->src.family && !memcmp(a->src.ip, b->src.ip, 16) ? -EADDRINUSE
										   : 0;
}

/* The kernel has the latest id first. */
static int check_port(const struct ucma_port *p, const struct ucma_id *id, bool reuse)
{
	struct core_list *pos, *tmp;
	int ret = 0;

	core_list_for_each(pos, tmp, &p->ids) {
		struct ucma_id *other = core_container(pos, struct ucma_id, on_port);
		int one = other == id ? 0 : clash(other, id, reuse);

		ret = one ? one : ret;
	}
	return ret;
}

static void any_name(const struct ucma *u, uint16_t ps, uint16_t number, char name[NAME_BYTES])
{
	port_name(u, ps, number, name);
	strcat(name, "/any");
}

/* The result of cma_check_port() for a port of another process. */
static int check_other(const struct ucma_id *id, uint16_t number)
{
	char name[NAME_BYTES];

	any_name(id->file->u, id->ps, number, name);
	return ucma_addr_is_any(&id->src) || wire_claimed(id->file->u->w, name) ? -EADDRNOTAVAIL
										: -EADDRINUSE;
}

/* Other processes find out that an id of the port has all addresses. */
static void publish_any(struct ucma_id *id)
{
	char name[NAME_BYTES];

	if (!ucma_addr_is_any(&id->src) || id->port->any)
		return;
	any_name(id->file->u, id->ps, id->port->number, name);
	id->port->any = !wire_claim(id->file->u->w, name);
}

/* Makes port @number this process's; -EADDRINUSE: another's. */
static int claim(struct ucma_id *id, uint16_t number)
{
	struct ucma *u = id->file->u;
	struct ucma_port *p = calloc(1, sizeof(*p));
	char name[NAME_BYTES];
	int ret;

	if (!p)
		return -ENOMEM;
	port_name(u, id->ps, number, name);
	ret = wire_claim(u->w, name);
	if (ret) {
		free(p);
		return ret;
	}
	p->ps = id->ps;
	p->number = number;
	core_list_init(&p->ids);
	core_list_add(&u->ports, &p->on_ucma);
	id->port = p;
	return 0;
}

static int claim_any(struct ucma_id *id)
{
	uint32_t n = EPHEMERAL_MAX - EPHEMERAL_MIN + 1;
	uint32_t start = core_random(&id->file->u->chance) % n;

	for (uint32_t i = 0; i < n; i++) {
		uint16_t number = EPHEMERAL_MIN + (start + i) % n;
		int ret;

		if (find(id->file->u, id->ps, number))
			continue;
		ret = claim(id, number);
		if (ret != -EADDRINUSE)
			return ret;
	}
	return -EADDRNOTAVAIL; /* kernel, cma.c, cma_alloc_any_port */
}

int ucma_port_take(struct ucma_id *id)
{
	struct ucma_port *p = find(id->file->u, id->ps, id->src.port);
	int ret = 0;

	if (!id->src.port)
		ret = claim_any(id);
	else if (!p)
		ret = claim(id, id->src.port);
	else
		ret = check_port(p, id, true);
	if (!p && ret == -EADDRINUSE)
		ret = check_other(id, id->src.port);
	if (ret)
		return ret;
	if (p)
		id->port = p;
	publish_any(id);
	id->src.port = id->port->number;
	core_list_add(&id->port->ids, &id->on_port);
	return 0;
}

/* kernel, cma.c, rdma_listen: a listener does not share its port. */
int ucma_port_listen(struct ucma_id *id)
{
	int ret = check_port(id->port, id, false);

	if (!ret)
		id->reuseaddr = false;
	return ret;
}

static void drop_unused(struct ucma *u, struct ucma_port *p)
{
	char name[NAME_BYTES];

	if (p->asked || !core_list_empty(&p->ids))
		return;
	core_list_del(&p->on_ucma);
	if (p->any) {
		any_name(u, p->ps, p->number, name);
		wire_disclaim(u->w, name);
	}
	port_name(u, p->ps, p->number, name);
	wire_disclaim(u->w, name);
	free(p);
}

void ucma_port_drop(struct ucma_id *id)
{
	struct ucma_port *p = id->port;

	if (!p)
		return;
	id->port = NULL;
	core_list_del(&id->on_port);
	drop_unused(id->file->u, p);
}

void ucma_port_asked(struct ucma_id *id, struct ucma_port *p)
{
	struct ucma_port *before = id->asked;

	id->asked = p;
	if (p)
		p->asked++;
	if (!before)
		return;
	before->asked--;
	drop_unused(id->file->u, before);
}

static bool listens(const struct ucma_id *id, const struct ucma_addr *dst)
{
	if (id->state != UCMA_LISTEN)
		return false;
	if (ucma_addr_is_any(&id->src))
		return id->src.family == dst->family ||
		       (id->src.family == AF_INET6 && !id->afonly);
	return id->src.family == dst->family && !memcmp(id->src.ip, dst->ip, 16);
}

static bool is_host(struct ucma *u)
{
	char name[NAME_BYTES];

	if (u->host)
		return true;
	host_name(u, name);
	u->host = !wire_claim(u->w, name);
	return u->host;
}

void ucma_host_leave(struct ucma *u)
{
	char name[NAME_BYTES];

	host_name(u, name);
	if (u->host)
		wire_disclaim(u->w, name);
	u->host = false;
}

struct ucma_id *ucma_port_listener(struct ucma *u, uint64_t service,
				   const struct ucma_addr *dst, bool *mine)
{
	uint16_t ps = service >> 16, number = service;
	struct ucma_port *p = service >> 32 ? NULL : find(u, ps, number);
	struct core_list *pos, *tmp;
	char name[NAME_BYTES];

	*mine = p;
	if (!p) {
		port_name(u, ps, number, name);
		*mine = (service >> 32 || !wire_claimed(u->w, name)) && is_host(u);
		return NULL;
	}
	core_list_for_each(pos, tmp, &p->ids) {
		struct ucma_id *id = core_container(pos, struct ucma_id, on_port);

		if (listens(id, dst))
			return id;
	}
	return NULL;
}
