/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DCT as verbs see it: a QP that the device does not know before it is in RTR.
 *
 *	create_qp      inbox of CREATE_DCT: PD, CQ, SRQ, key          qp_num 0
 *	RESET -> INIT  … access, port
 *	INIT -> RTR    … address, MTU; CREATE_DCT                      dctn, in the answer
 *	destroy_qp     DRAIN_DCT, DESTROY_DCT
 *
 * There are no other transitions (mlx5_ib, qp.c: create_dct, mlx5_ib_modify_dct,
 * mlx5_ib_dct_query_qp, mlx5_ib_destroy_dct).
 */
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/qp.h"

#define TO_INIT (IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define TO_RTR	(IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU)
#define ANSWERS                                                                                \
	(IBV_QP_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PORT | IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | \
	 IBV_QP_PATH_MTU | IBV_QP_PKEY_INDEX)

int uverbs_dct_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		      struct uverbs_qp *qp)
{
	uint8_t *dctc;

	qp->dct = calloc(1, PRM_SZ(create_dct_in));
	if (!qp->dct)
		return -ENOMEM;
	PRM_SET(create_dct_in, qp->dct, opcode, PRM_OP_CREATE_DCT);
	PRM_SET(create_dct_in, qp->dct, uid, a->uid);
	dctc = PRM_ADDR(create_dct_in, qp->dct, dct_context_entry);
	PRM_SET(dctc, dctc, pd, a->pdn);
	PRM_SET(dctc, dctc, srqn_xrqn, a->srq->srqn);
	PRM_SET(dctc, dctc, cqn, a->rcq->cqn);
	PRM_SET(dctc, dctc, dc_access_key, a->mlx5.access_key);
	if (f->cqe_version)
		PRM_SET(dctc, dctc, user_index, a->mlx5.uidx);
	if (UVERBS_CAP(f->u, ece_support))
		PRM_SET(dctc, dctc, ece, a->mlx5.ece_options);
	if (a->mlx5.flags & MLX5_QP_FLAG_SCATTER_CQE && a->rcq->cqe_size == 128)
		PRM_SET(dctc, dctc, cs_res, PRM_DCTC_CS_RES_UP_TO_64B);
	return 0;
}

int uverbs_dct_destroy(struct uverbs *u, struct uverbs_qp *qp)
{
	int ret = 0;

	if (qp->state == IBV_QPS_RTR)
		ret = uverbs_fw_number(u, PRM_OP_DRAIN_DCT, qp->uid, qp->qpn);
	if (!ret && qp->state == IBV_QPS_RTR)
		ret = uverbs_fw_number(u, PRM_OP_DESTROY_DCT, qp->uid, qp->qpn);
	return ret;
}

static int to_init(struct uverbs *u, struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *a)
{
	uint8_t *dctc = PRM_ADDR(create_dct_in, qp->dct, dct_context_entry);

	if (a->attr_mask != TO_INIT)
		return -EINVAL;
	PRM_SET(dctc, dctc, rre, !!(a->qp_access_flags & IBV_ACCESS_REMOTE_READ));
	PRM_SET(dctc, dctc, rwe, !!(a->qp_access_flags & IBV_ACCESS_REMOTE_WRITE));
	if (a->qp_access_flags & IBV_ACCESS_REMOTE_ATOMIC) {
		int mode = uverbs_atomic_mode(u, UVERBS_QPT_DCT);

		if (mode < 0)
			return mode;
		PRM_SET(dctc, dctc, rae, 1);
		PRM_SET(dctc, dctc, atomic_mode, mode);
	}
	PRM_SET(dctc, dctc, pkey_index, a->pkey_index);
	PRM_SET(dctc, dctc, port, a->port_num);
	qp->port = a->port_num;
	return 0;
}

static int to_rtr(struct uverbs *u, struct uverbs_qp *qp, const struct ib_uverbs_modify_qp *a)
{
	uint8_t *dctc = PRM_ADDR(create_dct_in, qp->dct, dct_context_entry);
	uint8_t out[PRM_SZ(create_dct_out)] = { 0 };
	int ret;

	if (a->attr_mask != TO_RTR)
		return -EINVAL;
	PRM_SET(dctc, dctc, min_rnr_nak, a->min_rnr_timer);
	PRM_SET(dctc, dctc, tclass, a->dest.traffic_class);
	PRM_SET(dctc, dctc, flow_label, a->dest.flow_label);
	PRM_SET(dctc, dctc, mtu, a->path_mtu);
	PRM_SET(dctc, dctc, my_addr_index, a->dest.sgid_index);
	PRM_SET(dctc, dctc, hop_limit, a->dest.hop_limit);
	PRM_SET(dctc, dctc, eth_prio, a->dest.sl & 7);
	ret = uverbs_fw(u, qp->dct, PRM_SZ(create_dct_in), out, sizeof(out));
	if (ret)
		return ret;
	qp->qpn = PRM_GET(create_dct_out, out, dctn);
	qp->ece = PRM_GET(create_dct_out, out, ece);
	return 0;
}

/* The number, for which there has to be space. */
static void answer(struct uverbs_call *c, const struct uverbs_qp *qp)
{
	struct mlx5_ib_modify_qp_resp r = { .dctn = qp->qpn, .ece_options = qp->ece };
	size_t len = uverbs_len(c, UVERBS_ATTR_UHW_OUT);
	size_t least = offsetof(struct mlx5_ib_modify_qp_resp, ece_options);

	r.response_length = len < sizeof(r) ? least : sizeof(r);
	uverbs_put(c, UVERBS_ATTR_UHW_OUT, &r, r.response_length);
}

int uverbs_dct_modify(struct uverbs_call *c, struct uverbs_qp *qp,
		      const struct ib_uverbs_modify_qp *a, uint32_t ece)
{
	uint8_t *dctc = PRM_ADDR(create_dct_in, qp->dct, dct_context_entry);
	size_t least = offsetof(struct mlx5_ib_modify_qp_resp, ece_options);
	int ret = -EINVAL;

	if (!(a->attr_mask & IBV_QP_STATE))
		return -EINVAL;
	if (ece && UVERBS_CAP(c->u, ece_support))
		PRM_SET(dctc, dctc, ece, ece);
	if (qp->state == IBV_QPS_RESET && a->qp_state == IBV_QPS_INIT)
		ret = to_init(c->u, qp, a);
	else if (qp->state == IBV_QPS_INIT && a->qp_state == IBV_QPS_RTR &&
		 uverbs_len(c, UVERBS_ATTR_UHW_OUT) >= least)
		ret = to_rtr(c->u, qp, a);
	if (ret)
		return ret;
	qp->state = a->qp_state;
	if (qp->state == IBV_QPS_RTR)
		answer(c, qp);
	return 0;
}

static void fill(const uint8_t *dctc, uint32_t mask, struct ib_uverbs_query_qp_resp *r)
{
	if (mask & IBV_QP_STATE)
		r->qp_state = IBV_QPS_RTR;
	if (mask & IBV_QP_ACCESS_FLAGS)
		r->qp_access_flags = (PRM_GET(dctc, dctc, rre) ? IBV_ACCESS_REMOTE_READ : 0) |
				     (PRM_GET(dctc, dctc, rwe) ? IBV_ACCESS_REMOTE_WRITE : 0) |
				     (PRM_GET(dctc, dctc, rae) ? IBV_ACCESS_REMOTE_ATOMIC : 0);
	if (mask & IBV_QP_MIN_RNR_TIMER)
		r->min_rnr_timer = PRM_GET(dctc, dctc, min_rnr_nak);
	if (mask & IBV_QP_AV) {
		r->dest.traffic_class = PRM_GET(dctc, dctc, tclass);
		r->dest.flow_label = PRM_GET(dctc, dctc, flow_label);
		r->dest.sgid_index = PRM_GET(dctc, dctc, my_addr_index);
		r->dest.hop_limit = PRM_GET(dctc, dctc, hop_limit);
	}
	if (mask & IBV_QP_PATH_MTU)
		r->path_mtu = PRM_GET(dctc, dctc, mtu);
	if (mask & IBV_QP_PKEY_INDEX)
		r->pkey_index = PRM_GET(dctc, dctc, pkey_index);
}

int uverbs_dct_query(struct uverbs *u, const struct uverbs_qp *qp, uint32_t mask,
		     struct ib_uverbs_query_qp_resp *r)
{
	uint8_t in[PRM_SZ(query_dct_in)] = { 0 }, out[PRM_SZ(query_dct_out)] = { 0 };
	int ret;

	if (mask & ~(uint32_t)ANSWERS || qp->state != IBV_QPS_RTR)
		return -EINVAL;
	PRM_SET(query_dct_in, in, opcode, PRM_OP_QUERY_DCT);
	PRM_SET(query_dct_in, in, dctn, qp->qpn);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (ret)
		return ret;
	fill(PRM_ADDR(query_dct_out, out, dct_context_entry), mask, r);
	if (mask & IBV_QP_PORT)
		r->port_num = qp->port;
	return 0;
}
