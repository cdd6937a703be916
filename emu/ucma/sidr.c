/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Services of unreliable datagrams: which QP, which Q_Key.
 *
 *	client                                     server
 *	CONNECT --SIDR_REQ-->                      event CONNECT_REQUEST
 *	event ESTABLISHED       <--SIDR_REP--      ACCEPT: QPN, Q_Key; or REJECT
 *	(or UNREACHABLE)
 *
 * (InfiniBand specification, chapter 12, "Service ID resolution"; kernel, cma.c,
 * cma_resolve_ib_udp, cma_send_sidr_rep.)
 */
#include "ucma/id.h"

#define PKEY	 0xffff
#define UDP_QKEY 0x01234567 /* kernel, <rdma/rdma_cm.h>: RDMA_UDP_QKEY */

/* kernel, cma.c: cma_set_default_qkey */
int ucma_check_qkey(struct ucma_id *id)
{
	if (id->qkey)
		return 0;
	/* IPoIB takes it from its multicast group, which does not exist here. */
	if (id->ps == RDMA_PS_IPOIB)
		return -EADDRNOTAVAIL;
	id->qkey = UDP_QKEY;
	return 0;
}

int ucma_sidr_connect(struct ucma_id *id, const struct rdma_ucm_conn_param *p)
{
	uint8_t *m = id->sent.mad;

	if (p->private_data_len > MAD_PRIVATE_BYTES(SIDR_REQ_PRIVATE) - CMA_HEADER)
		return -EINVAL;
	if (!ucma_conn_new(id))
		return -ENOMEM;
	id->tid = ++id->file->u->tid;
	mad_new(m, CM_SIDR_REQ, id->tid);
	mad_set(m, SIDR_REQUEST_ID, id->local_id);
	mad_set(m, SIDR_REQ_PKEY, PKEY);
	mad_set(m, SIDR_REQ_SERVICE_ID, ucma_service(id, id->dst.port));
	cma_header_put(m + SIDR_REQ_PRIVATE, id);
	memcpy(m + SIDR_REQ_PRIVATE + CMA_HEADER, p->private_data, p->private_data_len);
	id->state = UCMA_CONNECT;
	ucma_enter(id, CM_SIDR_REQ_SENT);
	ucma_send_until(id, ucma_ns(UCMA_RESPONSE_TIMEOUT), UCMA_MAX_RETRIES);
	return 0;
}

static bool known(struct ucma *u, uint32_t request)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &u->all) {
		struct ucma_id *id = core_container(pos, struct ucma_id, on_ucma);

		if (id->cm == CM_SIDR_REQ_RCVD && id->remote_id == request)
			return true;
	}
	return false;
}

static void refuse(struct ucma *u, const struct hca_mad *m, enum cm_sidr_status status)
{
	uint8_t mad[MAD_BYTES];

	mad_new(mad, CM_SIDR_REP, mad_get(m->bytes, MAD_TID));
	mad_set(mad, SIDR_REQUEST_ID, mad_get(m->bytes, SIDR_REQUEST_ID));
	mad_set(mad, SIDR_REP_STATUS, status);
	mad_set(mad, SIDR_REP_SERVICE_ID, mad_get(m->bytes, SIDR_REQ_SERVICE_ID));
	ucma_answer(u, m, mad);
}

static void report(struct ucma_id *l, struct ucma_id *id, const uint8_t *m)
{
	size_t len = MAD_PRIVATE_BYTES(SIDR_REQ_PRIVATE) - CMA_HEADER;
	struct ucma_event *e = ucma_event_new(l, UCMA_CONNECT_REQUEST, 0);

	if (!e) {
		ucma_id_free(id);
		return;
	}
	e->conn = id;
	e->resp.id = id->id;
	memcpy(e->resp.param.ud.private_data, m + SIDR_REQ_PRIVATE + CMA_HEADER, len);
	e->resp.param.ud.private_data_len = len;
	l->backlog--;
	ucma_event_post(e);
}

void ucma_take_sidr_req(struct ucma *u, const struct hca_mad *m)
{
	uint64_t service = mad_get(m->bytes, SIDR_REQ_SERVICE_ID);
	struct ucma_addr src, dst;
	struct ucma_id *id, *l;
	bool mine;

	if (known(u, mad_get(m->bytes, SIDR_REQUEST_ID)))
		return;
	if (!cma_header_get(m->bytes + SIDR_REQ_PRIVATE, &src, &dst))
		dst.family = 0; /* not for this process */
	l = ucma_port_listener(u, service, &dst, &mine);
	if (!l || !l->ud) {
		if (mine)
			refuse(u, m, CM_SIDR_UNSUPPORTED);
		return;
	}
	id = ucma_incoming(l, m, &src, &dst);
	if (!id) {
		refuse(u, m, CM_SIDR_REJECT);
		return;
	}
	id->remote_id = mad_get(m->bytes, SIDR_REQUEST_ID);
	ucma_enter(id, CM_SIDR_REQ_RCVD);
	report(l, id, m->bytes);
}

int ucma_sidr_answer(struct ucma_id *id, enum cm_sidr_status status,
		     const struct rdma_ucm_conn_param *p)
{
	size_t len = p ? p->private_data_len : 0;
	uint8_t mad[MAD_BYTES];
	int ret = 0;

	/* kernel, ucma.c, ucma_copy_conn_param: the Q_Key of the application is only for
	 * addresses of family AF_IB */
	if (status == CM_SIDR_SUCCESS)
		ret = ucma_check_qkey(id);
	if (ret)
		return ret;
	if (len > MAD_PRIVATE_BYTES(SIDR_REP_PRIVATE) || id->cm != CM_SIDR_REQ_RCVD)
		return -EINVAL;
	mad_new(mad, CM_SIDR_REP, id->tid);
	mad_set(mad, SIDR_REQUEST_ID, id->remote_id);
	mad_set(mad, SIDR_REP_STATUS, status);
	mad_set(mad, SIDR_REP_SERVICE_ID, ucma_service(id, id->src.port));
	if (status == CM_SIDR_SUCCESS) {
		mad_set(mad, SIDR_REP_QPN, id->qpn);
		mad_set(mad, SIDR_REP_QKEY, id->qkey);
	}
	if (p)
		memcpy(mad + SIDR_REP_PRIVATE, p->private_data, len);
	ucma_send(id, mad);
	ucma_enter(id, CM_IDLE);
	return 0;
}

void ucma_take_sidr_rep(struct ucma_id *id, const struct hca_mad *m)
{
	uint32_t status = mad_get(m->bytes, SIDR_REP_STATUS);
	size_t len = MAD_PRIVATE_BYTES(SIDR_REP_PRIVATE);
	struct rdma_ucm_ud_param *p;
	struct ucma_event *e;

	if (id->cm != CM_SIDR_REQ_SENT)
		return;
	ucma_quiet(id);
	ucma_enter(id, CM_IDLE);
	e = ucma_event_new(id, status ? UCMA_UNREACHABLE : UCMA_ESTABLISHED, status);
	if (!e)
		return;
	p = &e->resp.param.ud;
	memcpy(p->private_data, m->bytes + SIDR_REP_PRIVATE, len);
	p->private_data_len = len;
	if (!status) {
		id->qkey = mad_get(m->bytes, SIDR_REP_QKEY);
		p->qkey = id->qkey;
		p->qp_num = mad_get(m->bytes, SIDR_REP_QPN);
		ucma_fill_ah(id, &p->ah_attr);
	}
	ucma_event_post(e);
}
