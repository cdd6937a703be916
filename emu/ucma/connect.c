/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Connection establishment.
 *
 *	client                                   server
 *	CONNECT  --REQ-->                        event CONNECT_REQUEST
 *	                        <--REP--         ACCEPT (or REJECT: <--REJ--)
 *	event CONNECT_RESPONSE
 *	ACCEPT   --RTU-->                        event ESTABLISHED
 *
 * In between the applications modify their QPs with the attributes of the id (qp_attr.c). REQ
 * and REP are sent again until they are answered (InfiniBand specification, chapter 12; kernel,
 * cma.c and cm.c).
 */
#include <infiniband/verbs.h>

#include "ucma/id.h"

#define PKEY		0xffff
#define RATE_100_GBPS	16
#define COUNT_MAX	7  /* retry counters have 3 bits */
#define SERVICE_MRA	24 /* kernel, cma.c: CMA_CM_MRA_SETTING */
#define LOCAL_ACK_DELAY 16 /* the adapters' local_ca_ack_delay */

static uint8_t at_most(uint8_t v, uint8_t max)
{
	return v < max ? v : max;
}

/* kernel, cm.c, cm_ack_timeout: twice the packet lifetime plus the other side's delay, rounded
 * to powers of two */
static uint8_t ack_timeout(uint8_t delay, uint8_t life)
{
	uint8_t t = life + 1;

	if (t >= delay)
		t += delay >= t - 1;
	else
		t = delay + (t >= delay - 1);
	return at_most(t, 31);
}

/* ---- REQ ---- */

static void fill_req(struct ucma_id *id, const struct rdma_ucm_conn_param *p, uint8_t *m)
{
	ucma_message(id, CM_REQ, m);
	mad_set(m, REQ_SERVICE_ID, ucma_service(id, id->dst.port));
	mad_set(m, REQ_CA_GUID, ucma_guid(id->file->u));
	mad_set(m, REQ_QPN, id->qpn);
	mad_set(m, REQ_RESPONDER_RESOURCES, id->responder_resources);
	mad_set(m, REQ_INITIATOR_DEPTH, id->initiator_depth);
	mad_set(m, REQ_REMOTE_RESPONSE_TIMEOUT, UCMA_RESPONSE_TIMEOUT);
	mad_set(m, REQ_FLOW_CONTROL, p->flow_control);
	mad_set(m, REQ_STARTING_PSN, id->seq_num);
	mad_set(m, REQ_LOCAL_RESPONSE_TIMEOUT, UCMA_RESPONSE_TIMEOUT);
	mad_set(m, REQ_RETRY_COUNT, id->retry_count);
	mad_set(m, REQ_PKEY, PKEY);
	mad_set(m, REQ_MTU, id->mtu);
	mad_set(m, REQ_RNR_RETRY_COUNT, id->rnr_retry_count);
	mad_set(m, REQ_MAX_CM_RETRIES, UCMA_MAX_RETRIES);
	mad_set(m, REQ_SRQ, id->srq);
	/* kernel, cm.c, cm_format_req: permissive LIDs across a router, which RoCE v2 always
	 * is */
	mad_set(m, REQ_LOCAL_LID, 0xffff);
	mad_set(m, REQ_REMOTE_LID, 0xffff);
	memcpy(m + REQ_LOCAL_GID, id->path.sgid, 16);
	memcpy(m + REQ_REMOTE_GID, id->path.dgid, 16);
	mad_set(m, REQ_FLOW_LABEL, id->path.flow_label);
	mad_set(m, REQ_RATE, RATE_100_GBPS);
	mad_set(m, REQ_TCLASS, id->path.tclass);
	mad_set(m, REQ_HOP_LIMIT, id->path.hop_limit);
	mad_set(m, REQ_ACK_TIMEOUT, ack_timeout(LOCAL_ACK_DELAY, id->path.life));
	cma_header_put(m + REQ_PRIVATE, id);
	memcpy(m + REQ_PRIVATE + CMA_HEADER, p->private_data, p->private_data_len);
}

static int connect_rc(struct ucma_id *id, const struct rdma_ucm_conn_param *p)
{
	if (p->private_data_len > MAD_PRIVATE_BYTES(REQ_PRIVATE) - CMA_HEADER)
		return -EINVAL;
	if (!ucma_conn_new(id))
		return -ENOMEM;
	id->responder_resources = p->responder_resources;
	id->initiator_depth = p->initiator_depth;
	id->retry_count = at_most(p->retry_count, COUNT_MAX);
	id->rnr_retry_count = at_most(p->rnr_retry_count, COUNT_MAX);
	id->mtu = ucma_port_mtu(id->file->u);
	id->ack_timeout = id->path.life + 1;
	id->tid = ++id->file->u->tid;
	fill_req(id, p, id->sent.mad);
	id->state = UCMA_CONNECT;
	ucma_enter(id, CM_REQ_SENT);
	ucma_send_until(id, 2 * ucma_ns(id->path.life) + ucma_ns(UCMA_RESPONSE_TIMEOUT),
			UCMA_MAX_RETRIES);
	return 0;
}

/* ece, a later addition at the end of CONNECT and ACCEPT, may be missing. */
#define GET_TO_RESERVED(c, cmd)                                                      \
	({                                                                           \
		size_t need_ = offsetof(__typeof__(cmd), ece);                       \
		size_t len_ = (c)->in_len < sizeof(cmd) ? (c)->in_len : sizeof(cmd); \
		memset(&(cmd), 0, sizeof(cmd));                                      \
		(c)->in_len < need_ ? -EINVAL : ucma_get(c, &(cmd), len_);           \
	})

static void take_qp(struct ucma_id *id, const struct rdma_ucm_conn_param *p)
{
	id->qpn = p->qp_num & 0xffffff;
	id->srq = p->srq;
}

int ucma_connect(struct ucma_call *c)
{
	struct rdma_ucm_connect cmd;
	struct ucma_id *id;
	int ret = GET_TO_RESERVED(c, cmd);

	if (!ret && !cmd.conn_param.valid)
		ret = -EINVAL;
	if (!ret)
		ret = ucma_find(c, cmd.id, &id);
	if (ret)
		return ret;
	if (id->state != UCMA_ROUTE_KNOWN)
		return -EINVAL;
	take_qp(id, &cmd.conn_param);
	return id->ud ? ucma_sidr_connect(id, &cmd.conn_param)
		      : connect_rc(id, &cmd.conn_param);
}

struct ucma_id *ucma_incoming(struct ucma_id *l, const struct hca_mad *m,
			      const struct ucma_addr *src, const struct ucma_addr *dst)
{
	struct ucma *u = l->file->u;
	int gid = ucma_gid_index(u, m->dgid);
	struct ucma_id *id;

	if (!l->backlog || gid < 0)
		return NULL;
	id = ucma_id_new(l->file, l->ps, l->ud);
	if (!id)
		return NULL;
	id->src = *dst;
	id->src.port = l->src.port;
	id->dst = *src;
	id->has_device = true;
	id->tos = l->tos;
	id->tos_set = l->tos_set;
	id->timeout = l->timeout;
	id->timeout_set = l->timeout_set;
	id->path.sgid_index = gid;
	memcpy(id->path.sgid, m->dgid, 16);
	memcpy(id->path.dgid, m->sgid, 16);
	memcpy(id->dmac, m->smac, 6);
	id->slot = m->from;
	ucma_route_fill(id);
	ucma_port_asked(id, l->port);
	id->state = UCMA_CONNECT;
	id->tid = mad_get(m->bytes, MAD_TID);
	if (ucma_conn_new(id))
		return id;
	ucma_id_free(id);
	return NULL;
}

static void read_req(struct ucma_id *id, const uint8_t *m)
{
	id->remote_id = mad_get(m, CM_LOCAL_ID);
	id->remote_guid = mad_get(m, REQ_CA_GUID);
	id->remote_qpn = mad_get(m, REQ_QPN);
	id->sq_psn = mad_get(m, REQ_STARTING_PSN);
	/* The peer's initiator depth is this side's responder resources, and vice versa. */
	id->responder_resources = mad_get(m, REQ_INITIATOR_DEPTH);
	id->initiator_depth = mad_get(m, REQ_RESPONDER_RESOURCES);
	id->retry_count = mad_get(m, REQ_RETRY_COUNT);
	id->rnr_retry_count = mad_get(m, REQ_RNR_RETRY_COUNT);
	id->mtu = at_most(mad_get(m, REQ_MTU), ucma_port_mtu(id->file->u));
	id->ack_timeout = mad_get(m, REQ_ACK_TIMEOUT);
	id->path.flow_label = mad_get(m, REQ_FLOW_LABEL);
	id->path.tclass = mad_get(m, REQ_TCLASS);
	id->path.hop_limit = mad_get(m, REQ_HOP_LIMIT);
	id->path.life = id->ack_timeout ? id->ack_timeout - 1 : 0;
	id->sent.wait = ucma_ns(mad_get(m, REQ_LOCAL_RESPONSE_TIMEOUT));
	id->sent.retries = mad_get(m, REQ_MAX_CM_RETRIES);
}

static void tell_request(struct ucma_id *l, struct ucma_id *id, const uint8_t *m)
{
	struct ucma_event *e = ucma_event_new(l, UCMA_CONNECT_REQUEST, 0);
	struct rdma_ucm_conn_param *p;

	if (!e) {
		ucma_id_free(id);
		return;
	}
	e->conn = id;
	e->resp.id = id->id;
	p = &e->resp.param.conn;
	p->qp_num = id->remote_qpn;
	p->responder_resources = id->responder_resources;
	p->initiator_depth = id->initiator_depth;
	p->flow_control = mad_get(m, REQ_FLOW_CONTROL);
	p->retry_count = id->retry_count;
	p->rnr_retry_count = id->rnr_retry_count;
	p->srq = mad_get(m, REQ_SRQ);
	ucma_event_conn(e, m + REQ_PRIVATE + CMA_HEADER,
			MAD_PRIVATE_BYTES(REQ_PRIVATE) - CMA_HEADER);
	l->backlog--;
	ucma_event_post(e);
}

/* The connection that an earlier copy of this REQ started. */
static struct ucma_id *known(struct ucma *u, const uint8_t *m)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->all) {
		struct ucma_id *id = core_container(pos, struct ucma_id, on_ucma);

		if (id->remote_guid && id->remote_id == mad_get(m, CM_LOCAL_ID) &&
		    id->remote_guid == mad_get(m, REQ_CA_GUID))
			return id;
	}
	return NULL;
}

/* kernel, cm.c, cm_dup_req_handler: the application has not decided yet, or the answer was lost
 * and will be sent again. */
static void duplicate_req(struct ucma_id *id, const struct hca_mad *m)
{
	uint8_t mad[MAD_BYTES];

	if (id->cm == CM_TIMEWAIT) {
		ucma_refuse(id->file->u, m, CM_ABOUT_REQ, CM_REJ_STALE_CONNECTION);
	} else if (id->cm == CM_REQ_RCVD) {
		ucma_message(id, CM_MRA, mad);
		mad_set(mad, MRA_MESSAGE, CM_ABOUT_REQ);
		mad_set(mad, MRA_SERVICE_TIMEOUT, SERVICE_MRA);
		ucma_send(id, mad);
	}
}

void ucma_take_req(struct ucma *u, const struct hca_mad *m)
{
	uint64_t service = mad_get(m->bytes, REQ_SERVICE_ID);
	struct ucma_addr src, dst;
	struct ucma_id *id = known(u, m->bytes), *l;
	bool mine;

	if (id) {
		duplicate_req(id, m);
		return;
	}
	if (!cma_header_get(m->bytes + REQ_PRIVATE, &src, &dst))
		dst.family = 0; /* not for this process */
	l = ucma_port_listener(u, service, &dst, &mine);
	if (!l || l->ud) {
		if (mine)
			ucma_refuse(u, m, CM_ABOUT_REQ, CM_REJ_INVALID_SERVICE_ID);
		return;
	}
	id = ucma_incoming(l, m, &src, &dst);
	if (!id) {
		/* kernel, cma.c, cma_ib_req_handler: a full backlog refuses for the
		 * listener. */
		ucma_refuse(u, m, CM_ABOUT_REQ, CM_REJ_CONSUMER);
		return;
	}
	read_req(id, m->bytes);
	ucma_enter(id, CM_REQ_RCVD);
	tell_request(l, id, m->bytes);
}

/* ---- REP, RTU ---- */

static void fill_rep(struct ucma_id *id, const struct rdma_ucm_conn_param *p, uint8_t *m)
{
	ucma_message(id, CM_REP, m);
	mad_set(m, REP_QPN, id->qpn);
	mad_set(m, REP_STARTING_PSN, id->seq_num);
	mad_set(m, REP_RESPONDER_RESOURCES, p->responder_resources);
	mad_set(m, REP_INITIATOR_DEPTH, p->initiator_depth);
	mad_set(m, REP_TARGET_ACK_DELAY, LOCAL_ACK_DELAY);
	mad_set(m, REP_FLOW_CONTROL, p->flow_control);
	mad_set(m, REP_RNR_RETRY_COUNT, at_most(p->rnr_retry_count, COUNT_MAX));
	mad_set(m, REP_SRQ, id->srq);
	mad_set(m, REP_CA_GUID, ucma_guid(id->file->u));
	memcpy(m + REP_PRIVATE, p->private_data, p->private_data_len);
}

static int accept_request(struct ucma_id *id, const struct rdma_ucm_conn_param *p)
{
	if (id->cm != CM_REQ_RCVD || p->private_data_len > MAD_PRIVATE_BYTES(REP_PRIVATE))
		return -EINVAL;
	id->responder_resources = p->responder_resources;
	id->initiator_depth = p->initiator_depth;
	fill_rep(id, p, id->sent.mad);
	ucma_enter(id, CM_REP_SENT);
	ucma_send_until(id, id->sent.wait, id->sent.retries);
	return 0;
}

static void watch(struct ucma_id *id)
{
	ucma_enter(id, CM_ESTABLISHED);
	id->watched = !ucma_is_remote(id);
	if (!id->file->u->next_look)
		id->file->u->next_look = core_now_ns();
}

static void send_rtu(struct ucma_id *id)
{
	uint8_t mad[MAD_BYTES];

	ucma_message(id, CM_RTU, mad);
	ucma_send(id, mad);
}

static int accept_response(struct ucma_id *id)
{
	if (id->cm != CM_REP_RCVD)
		return -EINVAL;
	send_rtu(id);
	watch(id);
	return 0;
}

/* @p NULL: none are given. */
static int accept_any(struct ucma_id *id, const struct rdma_ucm_conn_param *p)
{
	if (id->ud)
		return ucma_sidr_answer(id, CM_SIDR_SUCCESS, p);
	return p ? accept_request(id, p) : accept_response(id);
}

static int reject(struct ucma_id *id, uint16_t reason, const struct rdma_ucm_conn_param *p)
{
	if (id->ud)
		return ucma_sidr_answer(id, CM_SIDR_REJECT, p);
	if ((id->cm != CM_REQ_RCVD && id->cm != CM_REP_RCVD && id->cm != CM_REQ_SENT &&
	     id->cm != CM_REP_SENT) ||
	    p->private_data_len > MAD_PRIVATE_BYTES(REJ_PRIVATE))
		return -EINVAL;
	ucma_quiet(id);
	ucma_send_rej(id, reason, p->private_data, p->private_data_len);
	ucma_enter(id, CM_IDLE);
	return 0;
}

int ucma_accept(struct ucma_call *c)
{
	static const struct rdma_ucm_conn_param nothing;
	struct rdma_ucm_accept cmd;
	struct ucma_id *id;
	int ret = GET_TO_RESERVED(c, cmd);

	if (!ret)
		ret = ucma_find(c, cmd.id, &id);
	if (ret)
		return ret;
	if (id->state != UCMA_CONNECT)
		return -EINVAL;
	if (cmd.conn_param.valid)
		take_qp(id, &cmd.conn_param);
	ret = accept_any(id, cmd.conn_param.valid ? &cmd.conn_param : NULL);
	if (ret)
		reject(id, CM_REJ_CONSUMER, &nothing); /* kernel, cma.c: rdma_accept */
	else if (cmd.conn_param.valid)
		id->uid = cmd.uid;
	return ret;
}

void ucma_take_rep(struct ucma_id *id, const struct hca_mad *m)
{
	const uint8_t *b = m->bytes;
	struct rdma_ucm_conn_param *p;
	struct ucma_event *e;

	/* kernel, cm.c, cm_dup_rep_handler: the RTU was lost */
	if (id->cm == CM_ESTABLISHED)
		send_rtu(id);
	if (id->cm != CM_REQ_SENT)
		return;
	ucma_quiet(id);
	ucma_enter(id, CM_REP_RCVD);
	id->slot = m->from;
	id->remote_id = mad_get(b, CM_LOCAL_ID);
	id->remote_guid = mad_get(b, REP_CA_GUID);
	id->remote_qpn = mad_get(b, REP_QPN);
	id->sq_psn = mad_get(b, REP_STARTING_PSN);
	id->responder_resources = mad_get(b, REP_INITIATOR_DEPTH);
	id->initiator_depth = mad_get(b, REP_RESPONDER_RESOURCES);
	id->rnr_retry_count = mad_get(b, REP_RNR_RETRY_COUNT);
	id->ack_timeout = ack_timeout(mad_get(b, REP_TARGET_ACK_DELAY), id->ack_timeout - 1);
	e = ucma_event_new(id, UCMA_CONNECT_RESPONSE, 0);
	if (!e)
		return;
	p = &e->resp.param.conn;
	p->qp_num = id->remote_qpn;
	p->responder_resources = id->responder_resources;
	p->initiator_depth = id->initiator_depth;
	p->flow_control = mad_get(b, REP_FLOW_CONTROL);
	p->rnr_retry_count = id->rnr_retry_count;
	p->srq = mad_get(b, REP_SRQ);
	ucma_event_conn(e, b + REP_PRIVATE, MAD_PRIVATE_BYTES(REP_PRIVATE));
	ucma_event_post(e);
}

static void established(struct ucma_id *id, const uint8_t *private_data, size_t len)
{
	struct ucma_event *e = ucma_event_new(id, UCMA_ESTABLISHED, 0);

	ucma_quiet(id);
	watch(id);
	if (!e)
		return;
	if (len)
		ucma_event_conn(e, private_data, len);
	ucma_event_post(e);
}

void ucma_take_rtu(struct ucma_id *id, const struct hca_mad *m)
{
	if (id->cm == CM_REP_SENT)
		established(id, m->bytes + RTU_PRIVATE, MAD_PRIVATE_BYTES(RTU_PRIVATE));
}

/* The peer's first data arrived before its RTU: libibverbs reports it (ib_cm_notify). */
int ucma_notify(struct ucma_call *c)
{
	const struct rdma_ucm_notify *cmd = c->cmd;
	struct ucma_id *id = c->id;

	if (!id->has_device || cmd->event != IBV_EVENT_COMM_EST)
		return -EINVAL;
	if (id->cm == CM_ESTABLISHED)
		return -EISCONN;
	if (id->cm != CM_REP_SENT)
		return -EINVAL;
	established(id, NULL, 0);
	return 0;
}

/* ---- REJ, MRA ---- */

int ucma_reject(struct ucma_call *c)
{
	struct rdma_ucm_conn_param p;
	struct rdma_ucm_reject cmd;
	struct ucma_id *id;
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	if (ret)
		return ret;
	if (!cmd.reason)
		cmd.reason = CM_REJ_CONSUMER;
	if (cmd.reason != CM_REJ_CONSUMER && cmd.reason != CM_REJ_VENDOR_OPTION)
		return -EINVAL;
	ret = ucma_find(c, cmd.id, &id);
	if (ret)
		return ret;
	p = (struct rdma_ucm_conn_param){ .private_data_len = cmd.private_data_len };
	memcpy(p.private_data, cmd.private_data, sizeof(p.private_data));
	return reject(id, cmd.reason, &p);
}

void ucma_take_rej(struct ucma_id *id, const struct hca_mad *m)
{
	struct ucma_event *e;

	if (id->cm != CM_REQ_SENT && id->cm != CM_REQ_RCVD && id->cm != CM_REP_SENT &&
	    id->cm != CM_REP_RCVD)
		return;
	ucma_quiet(id);
	ucma_enter(id, CM_IDLE);
	e = ucma_event_new(id, UCMA_REJECTED, mad_get(m->bytes, REJ_REASON));
	if (!e)
		return;
	ucma_event_conn(e, m->bytes + REJ_PRIVATE, MAD_PRIVATE_BYTES(REJ_PRIVATE));
	ucma_event_post(e);
}

/* kernel, cm.c, cm_mra_handler: the peer asks for that much more time */
void ucma_take_mra(struct ucma_id *id, const struct hca_mad *m)
{
	if (id->cm == CM_REQ_SENT || id->cm == CM_REP_SENT)
		ucma_wait(id, ucma_ns(mad_get(m->bytes, MRA_SERVICE_TIMEOUT)) +
				      ucma_ns(id->ack_timeout));
}
