/* SPDX-License-Identifier: BSD-2-Clause */
/* -R with librdmacm: the device that leads to the peer, and a connection for each QP. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include "base/base.h"
#include "cm.h"

enum {
	EVENT_SECONDS = 20,
	RESOLVE_MS = 2000,
	LOOK_MS = 200,
};

struct cm {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *found; /* the server listens on it */
	struct rdma_cm_id **ids;  /* of the lanes */
	unsigned int n;
	struct sockaddr_storage server;
	const struct options *o;
	const char *device;
};

/* Private data of the client's connection request. */
struct which {
	uint32_t lane; /* big endian */
};

const char *cm_check(void)
{
	if (access("/dev/infiniband/rdma_cm", F_OK))
		return "-R: there is no /dev/infiniband/rdma_cm here: modprobe rdma_ucm";
	return NULL;
}

/* ---- events ---- */

/* The next one; who takes it acknowledges it. */
static struct rdma_cm_event *next(struct cm *cm, struct peer *peer)
{
	struct pollfd f = { .fd = cm->channel->fd, .events = POLLIN };
	struct rdma_cm_event *e;

	for (int ms = 0; poll(&f, 1, LOOK_MS) != 1; ms += LOOK_MS) {
		peer_look(peer);
		if (ms >= EVENT_SECONDS * 1000)
			base_fail("rdma_cm: no event for %d s (-R)", EVENT_SECONDS);
	}
	base_ok(rdma_get_cm_event(cm->channel, &e));
	return e;
}

static _Noreturn void wrong(const struct rdma_cm_event *e)
{
	base_fail("rdma_cm: %s, status %d (-R)", rdma_event_str(e->event), e->status);
}

static void expect(struct cm *cm, enum rdma_cm_event_type want, struct peer *peer)
{
	struct rdma_cm_event *e = next(cm, peer);

	if (e->event != want)
		wrong(e);
	base_ok(rdma_ack_cm_event(e));
}

/* ---- addresses ---- */

/* The server's address of the TCP connection; a mapped IPv4 address is an IPv4 address. */
static struct sockaddr_storage server_address(const struct peer *peer, int port)
{
	struct sockaddr_storage a = { 0 };
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&a;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&a, mapped = { .sin_family = AF_INET };
	socklen_t size = sizeof(a);

	base_ok(peer->server ? getsockname(peer->fd, (struct sockaddr *)&a, &size)
			     : getpeername(peer->fd, (struct sockaddr *)&a, &size));
	if (a.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		memcpy(&mapped.sin_addr, v6->sin6_addr.s6_addr + 12, 4);
		memset(&a, 0, sizeof(a));
		*v4 = mapped;
	}
	if (a.ss_family == AF_INET6)
		v6->sin6_port = htons((uint16_t)port);
	else
		v4->sin_port = htons((uint16_t)port);
	return a;
}

static const char *address_text(const struct sockaddr_storage *a)
{
	static char text[INET6_ADDRSTRLEN];
	const void *at = &((const struct sockaddr_in *)a)->sin_addr;

	if (a->ss_family == AF_INET6)
		at = &((const struct sockaddr_in6 *)a)->sin6_addr;
	return inet_ntop(a->ss_family, at, text, sizeof(text));
}

static struct rdma_cm_id *new_id(struct cm *cm)
{
	uint8_t tos = (uint8_t)cm->o->tos;
	struct rdma_cm_id *id;

	base_ok(rdma_create_id(cm->channel, &id, NULL, RDMA_PS_TCP));
	if (tos)
		base_ok(rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos,
					sizeof(tos)));
	return id;
}

static struct rdma_cm_id *resolved(struct cm *cm)
{
	struct sockaddr *to = (struct sockaddr *)&cm->server;
	struct rdma_cm_id *id = new_id(cm);
	struct rdma_cm_event *e;
	bool found;

	if (rdma_resolve_addr(id, NULL, to, RESOLVE_MS))
		base_refuse("-R: no RDMA device leads to %s: %m", address_text(&cm->server));
	base_ok(rdma_get_cm_event(cm->channel, &e));
	found = e->event == RDMA_CM_EVENT_ADDR_RESOLVED;
	base_ok(rdma_ack_cm_event(e));
	if (!found)
		base_refuse("-R: no RDMA device leads to %s", address_text(&cm->server));
	return id;
}

static struct rdma_cm_id *listening(struct cm *cm)
{
	struct rdma_cm_id *id = new_id(cm);

	if (rdma_bind_addr(id, (struct sockaddr *)&cm->server) || !id->verbs)
		base_refuse("-R: %s is the address of no RDMA device: %m",
			    address_text(&cm->server));
	if (rdma_listen(id, MAX_QPS))
		base_refuse("-R: rdma_cm cannot listen on port %d (-p): %m", cm->o->tcp_port);
	return id;
}

struct cm *cm_open(struct options *o, const struct peer *peer)
{
	struct cm *cm = base_made(calloc(1, sizeof(*cm)));

	cm->o = o;
	cm->channel = rdma_create_event_channel();
	if (!cm->channel)
		base_refuse("-R: cannot open rdma_cm: %m");
	cm->server = server_address(peer, o->tcp_port);
	cm->found = peer->server ? listening(cm) : resolved(cm);
	cm->device = ibv_get_device_name(cm->found->verbs->device);
	if (o->device && strcmp(o->device, cm->device))
		base_refuse("-R: the way to %s is by %s, not by %s (-d)",
			    address_text(&cm->server), cm->device, o->device);
	o->device = cm->device;
	o->port = cm->found->port_num;
	return cm;
}

/* ---- connections ---- */

static void take_to(const struct cm *cm, struct rdma_cm_id *id, struct ibv_qp *qp,
		    enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask;

	base_ok(rdma_init_qp_attr(id, &attr, &mask));
	if (state == IBV_QPS_INIT)
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
					IBV_ACCESS_REMOTE_ATOMIC;
	if (mask & IBV_QP_TIMEOUT)
		attr.timeout = (uint8_t)cm->o->qp_timeout;
	if (mask & IBV_QP_PATH_MTU && cm->o->mtu) /* IBV_MTU_256 is 1 and each step doubles */
		attr.path_mtu = (enum ibv_mtu)(__builtin_ctz((unsigned int)cm->o->mtu) - 7);
	base_ok(ibv_modify_qp(qp, &attr, mask));
}

static struct rdma_conn_param parameters(const struct cm *cm, const struct ibv_qp *qp,
					 const struct which *which)
{
	struct ibv_device_attr attr;
	uint8_t outs;

	base_ok(ibv_query_device(qp->context, &attr));
	outs = (uint8_t)(cm->o->outs ? (int)cm->o->outs : attr.max_qp_rd_atom);
	return (struct rdma_conn_param){ .private_data = which,
					 .private_data_len = which ? sizeof(*which) : 0,
					 .responder_resources = outs,
					 .initiator_depth = outs,
					 .retry_count = 7,
					 .rnr_retry_count = 7,
					 .qp_num = qp->qp_num };
}

static void call(struct cm *cm, struct ibv_qp *qp, unsigned int index, struct peer *peer)
{
	struct which which = { htonl(index) };
	struct rdma_conn_param param = parameters(cm, qp, &which);
	struct rdma_cm_id *id = resolved(cm);

	cm->ids[cm->n++] = id;
	base_ok(rdma_resolve_route(id, RESOLVE_MS));
	expect(cm, RDMA_CM_EVENT_ROUTE_RESOLVED, peer);
	take_to(cm, id, qp, IBV_QPS_INIT);
	base_ok(rdma_connect(id, &param));
	expect(cm, RDMA_CM_EVENT_CONNECT_RESPONSE, peer);
	take_to(cm, id, qp, IBV_QPS_RTR);
	take_to(cm, id, qp, IBV_QPS_RTS);
	base_ok(rdma_establish(id));
}

static void answer(struct cm *cm, const struct rdma_cm_event *e, struct ibv_qp *const *qps,
		   unsigned int n)
{
	struct which which = { UINT32_MAX };
	struct rdma_conn_param param;
	struct ibv_qp *qp;

	if (e->param.conn.private_data_len >= sizeof(which))
		memcpy(&which, e->param.conn.private_data, sizeof(which));
	if (ntohl(which.lane) >= n || cm->n == n)
		base_fail("rdma_cm: another program connects to port %d (-p)", cm->o->tcp_port);
	qp = qps[ntohl(which.lane)];
	cm->ids[cm->n++] = e->id;
	param = parameters(cm, qp, NULL);
	take_to(cm, e->id, qp, IBV_QPS_INIT);
	take_to(cm, e->id, qp, IBV_QPS_RTR);
	take_to(cm, e->id, qp, IBV_QPS_RTS);
	base_ok(rdma_accept(e->id, &param));
}

static void answer_all(struct cm *cm, struct ibv_qp *const *qps, unsigned int n,
		       struct peer *peer)
{
	struct rdma_cm_event *e;

	/* the next request may come before the last one's confirmation */
	for (unsigned int established = 0; established < n;) {
		e = next(cm, peer);
		if (e->event == RDMA_CM_EVENT_ESTABLISHED)
			established++;
		else if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST)
			answer(cm, e, qps, n);
		else
			wrong(e);
		base_ok(rdma_ack_cm_event(e));
	}
}

void cm_connect(struct cm *cm, struct ibv_qp *const *qps, unsigned int n, struct peer *peer)
{
	cm->ids = base_made(calloc(n, sizeof(struct rdma_cm_id *)));
	if (peer->server)
		answer_all(cm, qps, n, peer);
	for (unsigned int i = 0; i < n && !peer->server; i++)
		call(cm, qps[i], i, peer);
}

void cm_close(struct cm *cm)
{
	while (cm->n)
		base_ok(rdma_destroy_id(cm->ids[--cm->n]));
	base_ok(rdma_destroy_id(cm->found));
	rdma_destroy_event_channel(cm->channel);
	free(cm->ids);
	free(cm);
}
