/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw packet QPs: for the application a QP, for the device two queues (mlx5_ib, qp.c,
 * create_raw_packet_qp, modify_raw_packet_qp, query_raw_packet_qp_state).
 *
 *	sq_buf_addr: |SQ: sq_wqe_count * 64|               CREATE_TIS, CREATE_SQ
 *	buf_addr:    |RQ: rq_wqe_count << rq_wqe_shift|    CREATE_RQ, CREATE_TIR
 *
 *	       RESET -> INIT -> RTR -> RTS      ERR      RESET
 *	SQ            (RST)           RDY       ERR      RST
 *	RQ             RDY                      ERR      RST
 *
 * A QP on a table of work queues has none of these: rss.c.
 */
#include <assert.h>
#include <linux/capability.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/memlock.h"
#include "uverbs/ethernet.h"
#include "uverbs/umem.h"

#define LOG_BB 6

bool uverbs_raw_permitted(void)
{
	return uverbs_capable(CAP_NET_RAW);
}

static uint64_t sq_bytes(const struct uverbs_qp_attr *a)
{
	return (uint64_t)a->mlx5.sq_wqe_count << LOG_BB;
}

static uint64_t rq_bytes(const struct uverbs_qp_attr *a)
{
	return (uint64_t)a->mlx5.rq_wqe_count << a->mlx5.rq_wqe_shift;
}

/* mlx5_ib, qp.c, create_raw_packet_qp: a QP without any queue is -EINVAL. */
int uverbs_raw_pin(struct uverbs_call *c, struct uverbs_qp_attr *a)
{
	int ret = 0;

	if (!sq_bytes(a) && !rq_bytes(a))
		return -EINVAL;
	if (sq_bytes(a))
		ret = uverbs_umem_get(c, &a->mlx5.sq_buf_addr, sq_bytes(a));
	if (!ret && rq_bytes(a))
		ret = uverbs_umem_get(c, &a->mlx5.buf_addr, rq_bytes(a));
	return ret;
}

/* ---- create ---- */

static int create_tis(struct uverbs_file *f, uint16_t uid, uint32_t *tisn)
{
	uint8_t in[PRM_SZ(create_tis_in)] = { 0 }, out[PRM_SZ(create_tis_out)] = { 0 };
	int ret;

	PRM_SET(create_tis_in, in, opcode, PRM_OP_CREATE_TIS);
	PRM_SET(create_tis_in, in, uid, uid);
	PRM_SET(tisc, PRM_ADDR(create_tis_in, in, ctx), transport_domain, f->tdn);
	ret = uverbs_fw(f->u, in, sizeof(in), out, sizeof(out));
	*tisn = PRM_GET(create_tis_out, out, tisn);
	return ret;
}

void uverbs_raw_tir(struct uverbs_raw_half *h, const uint8_t *out)
{
	h->interface = PRM_GET(create_tir_out, out, tirn);
	h->icm = (uint64_t)PRM_GET(create_tir_out, out, icm_address_63_40) << 40 |
		 (uint64_t)PRM_GET(create_tir_out, out, icm_address_39_32) << 32 |
		 PRM_GET(create_tir_out, out, icm_address_31_0);
}

static int create_tir(struct uverbs_file *f, const struct uverbs_qp_attr *a, uint32_t rqn,
		      struct uverbs_raw_half *h)
{
	uint8_t in[PRM_SZ(create_tir_in)] = { 0 }, out[PRM_SZ(create_tir_out)] = { 0 };
	uint8_t *tirc = PRM_ADDR(create_tir_in, in, ctx);
	int ret = uverbs_flow_caps_read(f->u); /* for answer_tir() */

	if (ret)
		return ret;
	PRM_SET(create_tir_in, in, opcode, PRM_OP_CREATE_TIR);
	PRM_SET(create_tir_in, in, uid, a->uid);
	PRM_SET(tirc, tirc, inline_rqn, rqn);
	PRM_SET(tirc, tirc, self_lb_block, uverbs_self_loopback(a->mlx5.flags));
	PRM_SET(tirc, tirc, tunneled_offload_en,
		!!(a->mlx5.flags & MLX5_QP_FLAG_TUNNEL_OFFLOADS));
	PRM_SET(tirc, tirc, transport_domain, f->tdn);
	ret = uverbs_fw(f->u, in, sizeof(in), out, sizeof(out));
	uverbs_raw_tir(h, out);
	return ret;
}

static void fill_sq(const struct uverbs_file *f, const struct uverbs_qp_attr *a, uint32_t tisn,
		    uint8_t *sqc)
{
	uint8_t *wq = PRM_ADDR(sqc, sqc, wq);

	PRM_SET(sqc, sqc, flush_in_error_en, 1);
	PRM_SET(sqc, sqc, allow_multi_pkt_send_wqe, UVERBS_ETH(f->u, multi_pkt_send_wqe));
	PRM_SET(sqc, sqc, allow_swp, UVERBS_ETH(f->u, swp));
	if (f->cqe_version)
		PRM_SET(sqc, sqc, user_index, a->mlx5.uidx);
	PRM_SET(sqc, sqc, cqn, a->scq->cqn);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, tisn);
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	PRM_SET(wq, wq, pd, a->pdn);
	PRM_SET(wq, wq, uar_page, a->mlx5.bfreg_index);
	PRM_SET(wq, wq, dbr_addr, a->mlx5.db_addr);
	PRM_SET(wq, wq, log_wq_stride, LOG_BB);
	PRM_SET(wq, wq, log_wq_sz, a->log_sq);
}

static int create_sq(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		     struct uverbs_raw_half *half)
{
	uint8_t out[PRM_SZ(create_sq_out)] = { 0 }, *in, *sqc, *wq;
	uint32_t page_offset;
	struct uverbs_umem m;
	size_t in_len;
	int ret = uverbs_umem_for_wq(&m, a->mlx5.sq_buf_addr, sq_bytes(a), &page_offset);

	if (ret)
		return ret;
	in_len = PRM_SZ(create_sq_in) + m.npas * sizeof(uint64_t);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	PRM_SET(create_sq_in, in, opcode, PRM_OP_CREATE_SQ);
	PRM_SET(create_sq_in, in, uid, a->uid);
	sqc = PRM_ADDR(create_sq_in, in, ctx);
	wq = PRM_ADDR(sqc, sqc, wq);
	fill_sq(f, a, half->interface, sqc);
	PRM_SET(wq, wq, page_offset, page_offset);
	PRM_SET(wq, wq, log_wq_pg_sz, m.page_shift - HCA_PAGE_SHIFT);
	uverbs_umem_fill(&m, in + PRM_SZ(create_sq_in), 0);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	half->number = PRM_GET(create_sq_out, out, sqn);
	return ret;
}

static int create_rq(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		     struct uverbs_raw_half *half)
{
	const struct uverbs_rq_attr rq = {
		.buf = a->mlx5.buf_addr,
		.bytes = rq_bytes(a),
		.dbrec = a->mlx5.db_addr,
		.log_size = a->log_rq,
		.log_stride = a->mlx5.rq_wqe_shift,
		.pdn = a->pdn,
		.uid = a->uid,
		.user_index = a->mlx5.uidx,
		.cq = a->rcq,
		.strip_vlan = a->flags & IB_UVERBS_QP_CREATE_CVLAN_STRIPPING,
		.scatter_fcs = a->flags & IB_UVERBS_QP_CREATE_SCATTER_FCS,
		.end_padding = a->flags & IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING,
	};

	return uverbs_rq_create(f, &rq, &half->number);
}

static int create_send(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		       struct uverbs_raw_half *half)
{
	int ret = create_tis(f, a->uid, &half->interface);

	if (ret)
		return ret;
	ret = create_sq(f, a, half);
	half->there = !ret;
	if (ret)
		uverbs_fw_number(f->u, PRM_OP_DESTROY_TIS, a->uid, half->interface);
	return ret;
}

/* mlx5_ib, main.c: mlx5_ib_enable_lb, mlx5_ib_disable_lb of a QP */
void uverbs_raw_loops(struct uverbs *u, struct uverbs_raw_half *half, bool loops)
{
	hca_loopback_need(u->hca, 0, loops - half->loops);
	half->loops = loops;
}

static int create_receive(struct uverbs_file *f, const struct uverbs_qp_attr *a,
			  struct uverbs_raw_half *half)
{
	int ret = create_rq(f, a, half);

	if (ret)
		return ret;
	ret = create_tir(f, a, half->number, half);
	half->there = !ret;
	if (ret)
		uverbs_fw_number(f->u, PRM_OP_DESTROY_RQ, a->uid, half->number);
	else
		uverbs_raw_loops(f->u, half, uverbs_self_loopback(a->mlx5.flags));
	return ret;
}

int uverbs_raw_create(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		      struct uverbs_qp *qp)
{
	int ret = a->mlx5.sq_wqe_count ? create_send(f, a, &qp->raw_sq) : 0;

	if (!ret && a->mlx5.rq_wqe_count)
		ret = create_receive(f, a, &qp->raw_rq);
	if (ret) {
		uverbs_raw_destroy(f->u, qp);
		return ret;
	}
	qp->qpn = qp->raw_sq.there ? qp->raw_sq.number : qp->raw_rq.number;
	return 0;
}

/* mlx5_ib, qp.c: create_raw_packet_qp, create_rss_raw_qp_tir */
static void answer_tir(const struct uverbs *u, const struct uverbs_raw_half *h,
		       struct mlx5_ib_create_qp_resp *r)
{
	const uint8_t *rx = PRM_ADDR(flow_table_nic_cap, u->caps[PRM_CAP_FLOW_TABLE],
				     flow_table_properties_nic_receive);

	r->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_TIRN;
	r->tirn = h->interface;
	if (!PRM_GET(flow_table_prop_layout, rx, sw_owner) &&
	    !PRM_GET(flow_table_prop_layout, rx, sw_owner_v2))
		return;
	r->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_TIR_ICM_ADDR;
	r->tir_icm_addr = h->icm;
}

/* A program that cannot name the objects by DevX (no user context) does not learn their
 * numbers. A QP on a table has a TIR only. */
void uverbs_raw_answer(const struct uverbs *u, const struct uverbs_qp *qp,
		       struct mlx5_ib_create_qp_resp *r)
{
	if (!qp->uid)
		return;
	if (qp->raw_sq.there) {
		r->comp_mask |=
			MLX5_IB_CREATE_QP_RESP_MASK_TISN | MLX5_IB_CREATE_QP_RESP_MASK_SQN;
		r->tisn = qp->raw_sq.interface;
		r->sqn = qp->raw_sq.number;
	}
	if (qp->table || qp->raw_rq.there)
		answer_tir(u, &qp->raw_rq, r);
	if (qp->raw_rq.there) {
		r->comp_mask |= MLX5_IB_CREATE_QP_RESP_MASK_RQN;
		r->rqn = qp->raw_rq.number;
	}
}

/* The order, and that refusals are ignored: mlx5_ib, qp.c, destroy_raw_packet_qp. */
void uverbs_raw_destroy(struct uverbs *u, struct uverbs_qp *qp)
{
	if (qp->raw_rq.there) {
		uverbs_raw_loops(u, &qp->raw_rq, false);
		uverbs_fw_number(u, PRM_OP_DESTROY_TIR, qp->uid, qp->raw_rq.interface);
		uverbs_fw_number(u, PRM_OP_DESTROY_RQ, qp->uid, qp->raw_rq.number);
	}
	if (qp->raw_sq.there) {
		uverbs_fw_number(u, PRM_OP_DESTROY_SQ, qp->uid, qp->raw_sq.number);
		uverbs_fw_number(u, PRM_OP_DESTROY_TIS, qp->uid, qp->raw_sq.interface);
	}
	if (qp->rate)
		uverbs_rate_put(u, qp->rate);
}

/* ---- modify, query ---- */

static_assert(PRM_SZ(modify_sq_in) == PRM_SZ(modify_rq_in) &&
		      PRM_SZ(query_sq_out) == PRM_SZ(query_rq_out) &&
		      PRM_OFF(sqc, state) == PRM_OFF(rqc, state),
	      "one layout for both queues");

/* Bit 0 of modify_bitmask: mlx5_ifc.h,
 * MLX5_MODIFY_SQ_IN_MODIFY_BITMASK_PACKET_PACING_RATE_LIMIT_INDEX */
#define SET_RATE 1

/* @rate: the entry of the table of rates from now on; NULL: as it is. */
static int move(struct uverbs *u, uint16_t opcode, uint16_t uid, struct uverbs_raw_half *half,
		uint8_t state, const uint16_t *rate)
{
	uint8_t in[PRM_SZ(modify_sq_in)] = { 0 }, out[PRM_SZ(modify_sq_out)] = { 0 };
	int ret;

	if (!half->there)
		return 0;
	PRM_SET(modify_sq_in, in, opcode, opcode);
	PRM_SET(modify_sq_in, in, uid, uid);
	PRM_SET(modify_sq_in, in, sq_state, half->state);
	PRM_SET(modify_sq_in, in, sqn, half->number);
	PRM_SET(sqc, PRM_ADDR(modify_sq_in, in, ctx), state, state);
	if (rate) {
		PRM_SET(modify_sq_in, in, modify_bitmask, SET_RATE);
		PRM_SET(sqc, PRM_ADDR(modify_sq_in, in, ctx), packet_pacing_rate_limit_index,
			*rate);
	}
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		half->state = state;
	return ret;
}

static int move_both(struct uverbs *u, struct uverbs_qp *qp, uint8_t rq, uint8_t sq)
{
	int ret = move(u, PRM_OP_MODIFY_RQ, qp->uid, &qp->raw_rq, rq, NULL);

	return ret ? ret : move(u, PRM_OP_MODIFY_SQ, qp->uid, &qp->raw_sq, sq, NULL);
}

/* mlx5_ib, qp.c, modify_raw_packet_qp_sq: a limit is one of a queue that is ready. */
static void keep_rate(struct uverbs *u, struct uverbs_qp *qp, uint16_t rate)
{
	if (qp->rate)
		uverbs_rate_put(u, qp->rate);
	qp->rate = rate;
}

static int move_to_ready(struct uverbs *u, struct uverbs_qp *qp, const uint16_t *rate)
{
	int ret = move(u, PRM_OP_MODIFY_SQ, qp->uid, &qp->raw_sq, PRM_SQC_STATE_RDY, rate);

	if (!ret && rate)
		keep_rate(u, qp, *rate);
	return ret;
}

static int move_from_ready(struct uverbs *u, struct uverbs_qp *qp, uint8_t rq, uint8_t sq)
{
	int ret = move_both(u, qp, rq, sq);

	if (!ret)
		keep_rate(u, qp, 0);
	return ret;
}

int uverbs_raw_modify(struct uverbs *u, struct uverbs_qp *qp, uint16_t opcode,
		      const uint16_t *rate)
{
	switch (opcode) {
	case PRM_OP_RST2INIT_QP:
		return move_both(u, qp, PRM_RQC_STATE_RDY, PRM_SQC_STATE_RST);
	case PRM_OP_INIT2INIT_QP:
	case PRM_OP_INIT2RTR_QP:
		return 0;
	case PRM_OP_RTR2RTS_QP:
	case PRM_OP_RTS2RTS_QP:
		return move_to_ready(u, qp, rate);
	case PRM_OP_2ERR_QP:
		return move_from_ready(u, qp, PRM_RQC_STATE_ERR, PRM_SQC_STATE_ERR);
	case PRM_OP_2RST_QP:
		return move_from_ready(u, qp, PRM_RQC_STATE_RST, PRM_SQC_STATE_RST);
	default:
		return -EINVAL;
	}
}

static int query_half(struct uverbs *u, uint16_t opcode, struct uverbs_raw_half *half)
{
	uint8_t in[PRM_SZ(query_sq_in)] = { 0 }, out[PRM_SZ(query_sq_out)] = { 0 };
	int ret;

	if (!half->there)
		return 0;
	PRM_SET(query_sq_in, in, opcode, opcode);
	PRM_SET(query_sq_in, in, sqn, half->number);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		half->state = PRM_GET(sqc, PRM_ADDR(query_sq_out, out, sq_context), state);
	return ret;
}

/* mlx5_ib, qp.c, sqrq_state_to_qp_state. The receive queue decides; without one nothing but the
 * driver's own word is left. */
static int state_of(const struct uverbs_qp *qp, uint8_t *state)
{
	bool sends = qp->raw_sq.there;
	uint8_t sq = qp->raw_sq.state;

	*state = qp->state;
	if (!qp->raw_rq.there)
		return 0;
	switch (qp->raw_rq.state) {
	case PRM_RQC_STATE_RST:
		*state = IBV_QPS_RESET;
		return sends && sq != PRM_SQC_STATE_RST ? -EINVAL : 0;
	case PRM_RQC_STATE_RDY:
		if (sends && sq == PRM_SQC_STATE_ERR)
			*state = IBV_QPS_SQE;
		return 0;
	default:
		*state = IBV_QPS_ERR;
		return sends && sq != PRM_SQC_STATE_ERR ? -EINVAL : 0;
	}
}

int uverbs_raw_query(struct uverbs *u, struct uverbs_qp *qp, uint8_t *state)
{
	int ret = query_half(u, PRM_OP_QUERY_SQ, &qp->raw_sq);

	if (!ret)
		ret = query_half(u, PRM_OP_QUERY_RQ, &qp->raw_rq);
	return ret ? ret : state_of(qp, state);
}
