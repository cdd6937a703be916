/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INIT_QP_ATTR: the attributes with which a QP is modified to INIT, RTR and RTS to become this
 * id's end of the connection (kernel, cm.c, cm_init_qp_*_attr; cma.c, rdma_init_qp_attr).
 *
 *	INIT   access, P_Key, port		before the peer is known
 *	RTR    path, MTU, peer's QP, PSN	from REQ or REP
 *	RTS    PSN, timeout, retries
 *
 * librdmacm passes them on to ibv_modify_qp.
 */
#include <infiniband/verbs.h>

#include "ucma/id.h"

void ucma_fill_ah(const struct ucma_id *id, struct ib_uverbs_ah_attr *ah)
{
	*ah = (struct ib_uverbs_ah_attr){
		.grh = { .flow_label = id->path.flow_label,
			 .sgid_index = id->path.sgid_index,
			 .hop_limit = id->path.hop_limit,
			 .traffic_class = id->path.tclass },
		.is_global = 1,
		.port_num = 1,
	};
	memcpy(ah->grh.dgid, id->path.dgid, 16);
}

/* Before it is connected, and for UD in any state. */
static int init_alone(struct ucma_id *id, struct ib_uverbs_qp_attr *a)
{
	int ret = id->ud ? ucma_check_qkey(id) : 0;

	a->port_num = 1;
	a->qp_attr_mask |= IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	if (id->ud) {
		a->qkey = id->qkey;
		a->qp_attr_mask |= IBV_QP_QKEY;
	} else {
		a->qp_attr_mask |= IBV_QP_ACCESS_FLAGS;
	}
	return ret;
}

static int init_connected(const struct ucma_id *id, struct ib_uverbs_qp_attr *a)
{
	if (id->cm < CM_REQ_SENT || id->cm > CM_ESTABLISHED)
		return -EINVAL;
	a->qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (id->responder_resources)
		a->qp_access_flags |= IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	a->port_num = 1;
	a->qp_attr_mask |= IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	return 0;
}

static int to_rtr(const struct ucma_id *id, struct ib_uverbs_qp_attr *a)
{
	if (id->cm < CM_REQ_RCVD || id->cm > CM_ESTABLISHED)
		return -EINVAL;
	ucma_fill_ah(id, &a->ah_attr);
	a->path_mtu = id->mtu;
	a->dest_qp_num = id->remote_qpn;
	a->rq_psn = id->seq_num;
	a->max_dest_rd_atomic = id->responder_resources;
	a->qp_attr_mask |= IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			   IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return 0;
}

static int to_rts(const struct ucma_id *id, struct ib_uverbs_qp_attr *a)
{
	if (id->cm < CM_REQ_RCVD || id->cm > CM_ESTABLISHED)
		return -EINVAL;
	a->sq_psn = id->sq_psn;
	a->retry_cnt = id->retry_count;
	a->rnr_retry = id->rnr_retry_count;
	a->max_rd_atomic = id->initiator_depth;
	a->timeout = id->timeout_set ? id->timeout : id->ack_timeout;
	a->qp_attr_mask |= IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			   IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT;
	return 0;
}

static int fill(struct ucma_id *id, struct ib_uverbs_qp_attr *a)
{
	if (id->ud || !id->local_id)
		return init_alone(id, a);
	switch (a->qp_state) {
	case IBV_QPS_INIT:
		return init_connected(id, a);
	case IBV_QPS_RTR:
		return to_rtr(id, a);
	case IBV_QPS_RTS:
		return to_rts(id, a);
	default:
		return -EINVAL;
	}
}

int ucma_init_qp_attr(struct ucma_call *c)
{
	struct ib_uverbs_qp_attr a = { 0 };
	struct rdma_ucm_init_qp_attr cmd;
	struct ucma_id *id;
	int ret = ucma_get(c, &cmd, sizeof(cmd));

	if (c->out_len < sizeof(a))
		return -ENOSPC;
	if (!ret && cmd.qp_state > IBV_QPS_ERR)
		ret = -EINVAL;
	if (!ret)
		ret = ucma_find(c, cmd.id, &id);
	if (ret)
		return ret;
	if (!id->has_device)
		return -EINVAL;
	a.qp_state = cmd.qp_state;
	ret = fill(id, &a);
	return ret ? ret : ucma_put(cmd.response, &a, sizeof(a));
}
