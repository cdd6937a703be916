/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses: of an id (bind), of its peer (resolve), and queries of both.
 *
 *	0.0.0.0, ::		any of the port's
 *	127.0.0.0/8		the port's IPv4 address	} other names of the port: programs
 *	::1			its link-local address	} and tests use them, and the port's
 *							  network interface is "lo"
 *	a.b.c.d			GID ::ffff:a.b.c.d, RoCE v2
 *	fe80::…			that GID
 *
 * On a network of other hosts (--wire) the port has more addresses of these forms, and the
 * kernel's routes choose among them. Otherwise every address of the last two forms has a MAC on
 * this fabric (uverbs, address.h), so resolving needs no request: a peer that does not exist is
 * detected when it does not answer a message.
 */
#include <netinet/in.h>
#include <stdlib.h>

#include "ucma/id.h"

#define ROCE_V2	       2 /* roce_addr_layout.roce_version */
#define HOP_LIMIT      64
#define PKEY	       0xffff
#define MAX_BACKLOG    1024 /* kernel, ucma.c: max_backlog */
#define RATE_100_GBPS  16   /* enum ib_rate: IB_RATE_100_GBPS */
#define SELECTOR_EQUAL 2    /* IB_SA_EQ */
#define FAMILY_IB      27   /* AF_IB */
#define ADDR_IB_LEN    48   /* struct sockaddr_ib */

/* @ipv4 in host byte order */
static void gid_of_ipv4(uint32_t ipv4, uint8_t gid[16])
{
	ipv4 = htonl(ipv4);
	hca_gid_set_ipv4(gid, &ipv4);
}

bool ucma_addr_is_any(const struct ucma_addr *a)
{
	static const uint8_t none[16];

	return a->family == AF_INET ? !memcmp(a->ip + 12, none, 4) : !memcmp(a->ip, none, 16);
}

int ucma_gid_index(const struct ucma *u, const uint8_t gid[16])
{
	for (int i = 0; i < HCA_GIDS; i++) {
		const struct hca_gid *g = &u->hca->port.gid[i];

		if (g->valid && g->version == ROCE_V2 && !memcmp(g->raw, gid, 16))
			return i;
	}
	return -1;
}

static void link_local(const struct ucma *u, uint8_t ip[16])
{
	for (int i = 0; i < HCA_GIDS; i++)
		if (u->hca->port.gid[i].valid && hca_gid_is_link_local(u->hca->port.gid[i].raw))
			memcpy(ip, u->hca->port.gid[i].raw, 16);
}

bool ucma_mac(const uint8_t gid[16], uint8_t mac[6])
{
	if (hca_is_multicast(gid)) {
		hca_multicast_mac(gid, mac);
		return true;
	}
	if (hca_gid_is_ipv4(gid)) {
		mac[0] = 0x02;
		mac[1] = 0xc5;
		memcpy(mac + 2, gid + 12, 4);
		return true;
	}
	memcpy(mac, gid + 8, 3);
	memcpy(mac + 3, gid + 13, 3);
	mac[0] ^= 2;
	return hca_gid_is_link_local(gid);
}

bool ucma_is_remote(const struct ucma_id *id)
{
	const struct ucma *u = id->file->u;

	return wire_route(u->w, id->path.dgid, u->hca->slot) == WIRE_NETWORK;
}

/* ---- struct sockaddr_in, sockaddr_in6 ---- */

/* kernel, addr.c: rdma_addr_size */
size_t ucma_addr_size(uint16_t family)
{
	switch (family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case FAMILY_IB:
		return ADDR_IB_LEN;
	default:
		return 0;
	}
}

/* False: not a supported family. */
static bool addr_of(const struct ucma *u, const struct sockaddr_in6 *s, struct ucma_addr *a)
{
	static const uint8_t loopback[16] = { [15] = 1 };
	struct sockaddr_in in;

	memset(a, 0, sizeof(*a));
	a->family = s->sin6_family;
	a->port = ntohs(s->sin6_port); /* at the same offset in both */
	if (a->family == AF_INET) {
		memcpy(&in, s, sizeof(in));
		gid_of_ipv4(ntohl(in.sin_addr.s_addr), a->ip);
		if (a->ip[12] == 127)
			gid_of_ipv4(u->ipv4, a->ip);
		return true;
	}
	memcpy(a->ip, &s->sin6_addr, 16);
	if (!memcmp(a->ip, loopback, 16))
		link_local(u, a->ip);
	return a->family == AF_INET6;
}

static void sockaddr_of(const struct ucma_addr *a, struct sockaddr_in6 *s)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(a->port) };

	memset(s, 0, sizeof(*s));
	if (a->family == AF_INET) {
		memcpy(&in.sin_addr, a->ip + 12, 4);
		memcpy(s, &in, sizeof(in));
	} else if (a->family == AF_INET6) {
		s->sin6_family = AF_INET6;
		s->sin6_port = htons(a->port);
		memcpy(&s->sin6_addr, a->ip, 16);
	}
}

/* ---- the header of a request: source and destination address ---- */

void cma_header_put(uint8_t *data, const struct ucma_id *id)
{
	bool v4 = id->src.family == AF_INET;
	size_t skip = v4 ? 12 : 0;

	memset(data, 0, CMA_HEADER);
	data[CMA_IP_VERSION] = (v4 ? 4 : 6) << 4;
	data[CMA_PORT] = id->src.port >> 8;
	data[CMA_PORT + 1] = id->src.port;
	memcpy(data + CMA_SRC + skip, id->src.ip + skip, 16 - skip);
	memcpy(data + CMA_DST + skip, id->dst.ip + skip, 16 - skip);
}

bool cma_header_get(const uint8_t *data, struct ucma_addr *src, struct ucma_addr *dst)
{
	bool v4 = data[CMA_IP_VERSION] >> 4 == 4;

	if (data[0] || (!v4 && data[CMA_IP_VERSION] >> 4 != 6))
		return false;
	memset(src, 0, sizeof(*src));
	memset(dst, 0, sizeof(*dst));
	src->family = dst->family = v4 ? AF_INET : AF_INET6;
	src->port = data[CMA_PORT] << 8 | data[CMA_PORT + 1];
	memcpy(src->ip, data + CMA_SRC, 16);
	memcpy(dst->ip, data + CMA_DST, 16);
	if (v4) {
		hca_gid_set_ipv4(src->ip, data + CMA_SRC + HCA_GID_IPV4);
		hca_gid_set_ipv4(dst->ip, data + CMA_DST + HCA_GID_IPV4);
	}
	return true;
}

/* ---- bind, listen ---- */

/* kernel, cma.c, rdma_bind_addr: an address of the port also selects the adapter. */
static int bind_to(struct ucma_id *id, const struct ucma_addr *a)
{
	struct ucma *u = id->file->u;
	int gid = ucma_gid_index(u, a->ip), ret;

	if (id->state != UCMA_IDLE)
		return -EINVAL;
	if (!ucma_addr_is_any(a) && gid < 0)
		return -EADDRNOTAVAIL;
	id->src = *a;
	ret = ucma_port_take(id);
	if (ret) {
		memset(&id->src, 0, sizeof(id->src));
		return ret;
	}
	id->state = UCMA_ADDR_BOUND;
	if (!ucma_addr_is_any(a)) {
		id->has_device = true;
		id->path.sgid_index = gid;
		memcpy(id->path.sgid, a->ip, 16);
	}
	return 0;
}

int ucma_bind_ip(struct ucma_call *c)
{
	struct rdma_ucm_bind_ip cmd;
	struct ucma_addr a;
	struct ucma_id *id;
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	if (ret)
		return ret;
	if (!addr_of(c->file->u, &cmd.addr, &a))
		return -EINVAL;
	ret = ucma_find(c, cmd.id, &id);
	return ret ? ret : bind_to(id, &a);
}

/* Addresses of family AF_IB are not supported. librdmacm tries one when it starts and uses IP
 * addresses if it is refused (librdmacm, cma.c, ucma_set_af_ib_support). */
int ucma_bind(struct ucma_call *c)
{
	struct sockaddr_in6 addr;
	struct rdma_ucm_bind cmd;
	struct ucma_addr a;
	struct ucma_id *id;
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	if (ret)
		return ret;
	memcpy(&addr, &cmd.addr, sizeof(addr));
	if (cmd.reserved || cmd.addr_size != ucma_addr_size(addr.sin6_family) ||
	    !addr_of(c->file->u, &addr, &a))
		return -EINVAL;
	ret = ucma_find(c, cmd.id, &id);
	return ret ? ret : bind_to(id, &a);
}

int ucma_bind_any(struct ucma_id *id)
{
	struct ucma_addr any = { .family = id->dst.family ? id->dst.family : AF_INET };

	if (any.family == AF_INET)
		gid_of_ipv4(0, any.ip);
	return bind_to(id, &any);
}

int ucma_listen(struct ucma_call *c)
{
	const struct rdma_ucm_listen *cmd = c->cmd;
	struct ucma_id *id = c->id;
	int ret = 0;

	if (id->state == UCMA_IDLE)
		ret = ucma_bind_any(id);
	if (ret)
		return ret;
	if (id->state != UCMA_ADDR_BOUND)
		return -EINVAL;
	ret = ucma_port_listen(id);
	if (ret)
		return ret;
	id->backlog = (int)cmd->backlog > 0 && cmd->backlog < MAX_BACKLOG ? cmd->backlog
									  : MAX_BACKLOG;
	id->state = UCMA_LISTEN;
	return 0;
}

/* ---- resolve ---- */

/* kernel, cma.c, cma_get_roce_udp_flow_label: from the ports, to distribute flows. */
static uint32_t flow_label(const struct ucma_id *id)
{
	return ((uint32_t)id->src.port * 31 + id->dst.port) & 0xfffff;
}

/* kernel, cma.c: CMA_IBOE_PACKET_LIFETIME */
static uint8_t packet_life(const struct ucma *u)
{
	return kernel_has(u->kernel, KERNEL_CM_PACKET_LIFE) ? 16 : 18;
}

void ucma_route_fill(struct ucma_id *id)
{
	id->path.hop_limit = HOP_LIMIT;
	id->path.tclass = id->tos_set ? id->tos : 0;
	id->path.flow_label = flow_label(id);
	/* kernel, cma.c, cma_resolve_iboe_route */
	id->path.life =
		id->timeout_set && id->timeout ? id->timeout - 1 : packet_life(id->file->u);
}

/* The source address of the route to the destination: the port's address of that family. */
static int source(struct ucma_id *id)
{
	struct ucma *u = id->file->u;
	int gid, ret = 0;

	/* kernel, route.c, ip_route_output_key_hash_rcu: to a group the source address selects
	 * the interface */
	if (hca_is_multicast(id->dst.ip) && !ucma_addr_is_any(&id->src))
		memcpy(id->path.sgid, id->src.ip, 16);
	else if (wire_route(u->w, id->dst.ip, u->hca->slot) == WIRE_NETWORK)
		ret = wire_source(u->w, id->dst.ip, id->path.sgid);
	else if (wire_has_network(u->w))
		memcpy(id->path.sgid, id->dst.ip, 16);
	else if (hca_gid_is_ipv4(id->dst.ip))
		gid_of_ipv4(u->ipv4, id->path.sgid);
	else
		link_local(u, id->path.sgid);
	if (ret)
		return ret;
	if (!ucma_addr_is_any(&id->src))
		memcpy(id->path.sgid, id->src.ip, 16);
	gid = ucma_gid_index(u, id->path.sgid);
	if (gid < 0)
		return -ENODEV;
	id->path.sgid_index = gid;
	memcpy(id->src.ip, id->path.sgid, 16);
	id->has_device = true;
	return 0;
}

static int resolve(struct ucma_id *id, const struct ucma_addr *src, const struct ucma_addr *dst)
{
	struct ucma *u = id->file->u;
	int ret = 0;

	if (id->state == UCMA_IDLE) {
		id->dst.family = dst->family;
		ret = src->family ? bind_to(id, src) : ucma_bind_any(id);
	}
	if (ret)
		return ret;
	if (id->state != UCMA_ADDR_BOUND || id->src.family != dst->family)
		return -EINVAL;
	id->dst = *dst;
	/* kernel, cma.c, cma_resolve_loopback: the unspecified address is the port's own */
	if (ucma_addr_is_any(dst) && dst->family == AF_INET)
		gid_of_ipv4(u->ipv4, id->dst.ip);
	else if (ucma_addr_is_any(dst))
		link_local(u, id->dst.ip);
	if (!ucma_mac(id->dst.ip, id->dmac) && !wire_has_network(u->w))
		return -ENETUNREACH;
	ret = source(id);
	if (ret)
		return ret;
	memcpy(id->path.dgid, id->dst.ip, 16);
	id->state = UCMA_ADDR_KNOWN;
	ucma_event_post(ucma_event_new(id, UCMA_ADDR_RESOLVED, 0));
	return 0;
}

static int resolve_any(struct ucma_call *c, uint32_t number, const struct sockaddr_in6 *from,
		       const struct sockaddr_in6 *to)
{
	struct ucma_addr src = { 0 }, dst;
	struct ucma_id *id;
	int ret;

	if (from->sin6_family && !addr_of(c->file->u, from, &src))
		return -EINVAL;
	if (!addr_of(c->file->u, to, &dst))
		return -EINVAL;
	ret = ucma_find(c, number, &id);
	return ret ? ret : resolve(id, &src, &dst);
}

int ucma_resolve_ip(struct ucma_call *c)
{
	struct rdma_ucm_resolve_ip cmd;
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	return ret ? ret : resolve_any(c, cmd.id, &cmd.src_addr, &cmd.dst_addr);
}

int ucma_resolve_addr(struct ucma_call *c)
{
	struct rdma_ucm_resolve_addr cmd;
	struct sockaddr_in6 src, dst;
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	if (ret)
		return ret;
	memcpy(&src, &cmd.src_addr, sizeof(src));
	memcpy(&dst, &cmd.dst_addr, sizeof(dst));
	if (cmd.reserved || cmd.dst_size != ucma_addr_size(dst.sin6_family) ||
	    (cmd.src_size && cmd.src_size != ucma_addr_size(src.sin6_family)))
		return -EINVAL;
	return resolve_any(c, cmd.id, &src, &dst);
}

int ucma_resolve_route(struct ucma_call *c)
{
	const struct rdma_ucm_resolve_route *cmd = c->cmd;
	struct ucma_id *id = c->id;

	if (!cmd->timeout_ms || id->state != UCMA_ADDR_KNOWN)
		return -EINVAL;
	ucma_route_fill(id);
	id->state = UCMA_ROUTE_KNOWN;
	ucma_event_post(ucma_event_new(id, UCMA_ROUTE_RESOLVED, 0));
	return 0;
}

/* ---- query ---- */

uint8_t ucma_port_mtu(const struct ucma *u)
{
	uint8_t mtu = 1; /* 256 */

	while (mtu < 5 && 128u << (mtu + 1) <= u->hca->port.mtu)
		mtu++;
	return mtu;
}

static bool has_route(const struct ucma_id *id)
{
	return id->state == UCMA_ROUTE_KNOWN || id->state == UCMA_CONNECT ||
	       id->state == UCMA_DISCONNECT;
}

/* kernel, ib_core, uverbs_marshall.c: ib_copy_path_rec_to_user; before the route is known only
 * GIDs and P_Key are (ucma.c, ucma_copy_iboe_route). */
static void fill_route(const struct ucma_id *id, struct rdma_ucm_query_route_resp *r)
{
	struct ib_user_path_rec *p = &r->ib_route[0];

	memcpy(p->dgid, id->path.dgid, 16);
	memcpy(p->sgid, id->path.sgid, 16);
	p->pkey = htons(PKEY);
	if (!has_route(id))
		return;
	r->num_paths = 1;
	p->flow_label = htonl(id->path.flow_label);
	p->reversible = 1;
	p->mtu = ucma_port_mtu(id->file->u);
	p->hop_limit = id->path.hop_limit;
	p->traffic_class = id->path.tclass;
	p->mtu_selector = p->rate_selector = p->packet_life_time_selector = SELECTOR_EQUAL;
	p->rate = RATE_100_GBPS;
	p->packet_life_time = id->path.life;
}

int ucma_query_route(struct ucma_call *c)
{
	struct rdma_ucm_query_route_resp r = { 0 };
	const struct rdma_ucm_query *cmd = c->cmd;
	struct ucma_id *id = c->id;

	sockaddr_of(&id->src, &r.src_addr);
	sockaddr_of(&id->dst, &r.dst_addr);
	if (id->has_device) {
		r.node_guid = htobe64(ucma_guid(c->file->u));
		r.port_num = 1;
		fill_route(id, &r);
	}
	return ucma_put(cmd->response, &r, c->out_len < sizeof(r) ? c->out_len : sizeof(r));
}
