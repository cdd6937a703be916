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
 * Packets themselves are not carried yet (engine, raw_packet.c), and steering to a TIR is not here.
 */
#include <assert.h>
#include <linux/capability.h>
#include <stdlib.h>

#include <infiniband/verbs.h>

#include "uverbs/memlock.h"
#include "uverbs/qp.h"
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

static int create_tir(struct uverbs_file *f, uint16_t uid, uint32_t rqn, uint32_t *tirn)
{
	uint8_t in[PRM_SZ(create_tir_in)] = { 0 }, out[PRM_SZ(create_tir_out)] = { 0 };
	uint8_t *tirc = PRM_ADDR(create_tir_in, in, ctx);
	int ret;

	PRM_SET(create_tir_in, in, opcode, PRM_OP_CREATE_TIR);
	PRM_SET(create_tir_in, in, uid, uid);
	PRM_SET(tirc, tirc, inline_rqn, rqn);
	PRM_SET(tirc, tirc, transport_domain, f->tdn);
	ret = uverbs_fw(f->u, in, sizeof(in), out, sizeof(out));
	*tirn = PRM_GET(create_tir_out, out, tirn);
	return ret;
}

static_assert(PRM_SZ(create_sq_in) == PRM_SZ(create_rq_in) &&
		      PRM_SZ(create_sq_out) == PRM_SZ(create_rq_out) &&
		      PRM_OFF(sqc, wq) == PRM_OFF(rqc, wq),
	      "one layout for both queues");

/* A buffer, and what a wq says of it. */
struct ring {
	uint64_t va, bytes;
	uint8_t log_size, log_stride;
	struct uverbs_umem umem;
	uint32_t page_offset;
};

/* An empty CREATE_SQ or CREATE_RQ with the page list of @r; NULL with *ret. */
static uint8_t *queue_box(const struct uverbs_qp_attr *a, struct ring *r, size_t *in_len,
			  int *ret)
{
	uint8_t *in, *sqc, *wq;

	*ret = uverbs_umem_for_wq(&r->umem, r->va, r->bytes, &r->page_offset);
	if (*ret)
		return NULL;
	*in_len = PRM_SZ(create_sq_in) + r->umem.npas * sizeof(uint64_t);
	in = calloc(1, *in_len);
	if (!in) {
		*ret = -ENOMEM;
		return NULL;
	}
	sqc = PRM_ADDR(create_sq_in, in, ctx);
	wq = PRM_ADDR(sqc, sqc, wq);
	PRM_SET(create_sq_in, in, uid, a->uid);
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	PRM_SET(wq, wq, page_offset, r->page_offset);
	PRM_SET(wq, wq, pd, a->pdn);
	PRM_SET(wq, wq, dbr_addr, a->mlx5.db_addr);
	PRM_SET(wq, wq, log_wq_stride, r->log_stride);
	PRM_SET(wq, wq, log_wq_pg_sz, r->umem.page_shift - HCA_PAGE_SHIFT);
	PRM_SET(wq, wq, log_wq_sz, r->log_size);
	uverbs_umem_fill(&r->umem, in + PRM_SZ(create_sq_in), 0);
	return in;
}

static int create_sq(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		     struct uverbs_raw_half *half)
{
	uint8_t out[PRM_SZ(create_sq_out)] = { 0 }, *in, *sqc, *wq;
	struct ring r = { .va = a->mlx5.sq_buf_addr,
			  .bytes = sq_bytes(a),
			  .log_size = a->log_sq,
			  .log_stride = LOG_BB };
	size_t in_len;
	int ret;

	in = queue_box(a, &r, &in_len, &ret);
	if (!in)
		return ret;
	sqc = PRM_ADDR(create_sq_in, in, ctx);
	wq = PRM_ADDR(sqc, sqc, wq);
	PRM_SET(create_sq_in, in, opcode, PRM_OP_CREATE_SQ);
	PRM_SET(sqc, sqc, flush_in_error_en, 1);
	if (f->cqe_version)
		PRM_SET(sqc, sqc, user_index, a->mlx5.uidx);
	PRM_SET(sqc, sqc, cqn, a->scq->cqn);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, half->interface);
	PRM_SET(wq, wq, uar_page, a->mlx5.bfreg_index);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	half->number = PRM_GET(create_sq_out, out, sqn);
	return ret;
}

static int create_rq(struct uverbs_file *f, const struct uverbs_qp_attr *a,
		     struct uverbs_raw_half *half)
{
	uint8_t out[PRM_SZ(create_rq_out)] = { 0 }, *in, *rqc;
	struct ring r = { .va = a->mlx5.buf_addr,
			  .bytes = rq_bytes(a),
			  .log_size = a->log_rq,
			  .log_stride = a->mlx5.rq_wqe_shift };
	size_t in_len;
	int ret;

	in = queue_box(a, &r, &in_len, &ret);
	if (!in)
		return ret;
	rqc = PRM_ADDR(create_rq_in, in, ctx);
	PRM_SET(create_rq_in, in, opcode, PRM_OP_CREATE_RQ);
	/* Stripping of VLAN tags is disabled unless the QP asks for it, which is refused. */
	PRM_SET(rqc, rqc, vsd, 1);
	PRM_SET(rqc, rqc, flush_in_error_en, 1);
	if (f->cqe_version)
		PRM_SET(rqc, rqc, user_index, a->mlx5.uidx);
	PRM_SET(rqc, rqc, cqn, a->rcq->cqn);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	half->number = PRM_GET(create_rq_out, out, rqn);
	return ret;
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

static int create_receive(struct uverbs_file *f, const struct uverbs_qp_attr *a,
			  struct uverbs_raw_half *half)
{
	int ret = create_rq(f, a, half);

	if (ret)
		return ret;
	ret = create_tir(f, a->uid, half->number, &half->interface);
	half->there = !ret;
	if (ret)
		uverbs_fw_number(f->u, PRM_OP_DESTROY_RQ, a->uid, half->number);
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

/* Who cannot name the objects by DevX (no user context) does not learn their numbers. */
void uverbs_raw_answer(const struct uverbs_qp *qp, struct mlx5_ib_create_qp_resp *r)
{
	if (!qp->uid)
		return;
	if (qp->raw_sq.there) {
		r->comp_mask |=
			MLX5_IB_CREATE_QP_RESP_MASK_TISN | MLX5_IB_CREATE_QP_RESP_MASK_SQN;
		r->tisn = qp->raw_sq.interface;
		r->sqn = qp->raw_sq.number;
	}
	if (qp->raw_rq.there) {
		r->comp_mask |=
			MLX5_IB_CREATE_QP_RESP_MASK_TIRN | MLX5_IB_CREATE_QP_RESP_MASK_RQN;
		r->tirn = qp->raw_rq.interface;
		r->rqn = qp->raw_rq.number;
	}
}

/* A queue is destroyed at once; no need to take it to RESET before. */
static int destroy_half(struct uverbs *u, const uint16_t opcode[2], uint16_t uid,
			const uint32_t number[2])
{
	int ret = uverbs_fw_number(u, opcode[0], uid, number[0]);

	return ret ? ret : uverbs_fw_number(u, opcode[1], uid, number[1]);
}

int uverbs_raw_destroy(struct uverbs *u, struct uverbs_qp *qp)
{
	const uint32_t rq[] = { qp->raw_rq.interface, qp->raw_rq.number };
	const uint32_t sq[] = { qp->raw_sq.number, qp->raw_sq.interface };
	int ret = 0;

	if (qp->raw_rq.there)
		ret = destroy_half(u, (uint16_t[]){ PRM_OP_DESTROY_TIR, PRM_OP_DESTROY_RQ },
				   qp->uid, rq);
	if (ret)
		return ret;
	qp->raw_rq.there = false;
	if (qp->raw_sq.there)
		ret = destroy_half(u, (uint16_t[]){ PRM_OP_DESTROY_SQ, PRM_OP_DESTROY_TIS },
				   qp->uid, sq);
	return ret;
}

/* ---- modify, query ---- */

static_assert(PRM_SZ(modify_sq_in) == PRM_SZ(modify_rq_in) &&
		      PRM_SZ(query_sq_out) == PRM_SZ(query_rq_out) &&
		      PRM_OFF(sqc, state) == PRM_OFF(rqc, state),
	      "one layout for both queues");

static int move(struct uverbs *u, uint16_t opcode, uint16_t uid, struct uverbs_raw_half *half,
		uint8_t state)
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
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	if (!ret)
		half->state = state;
	return ret;
}

static int move_both(struct uverbs *u, struct uverbs_qp *qp, uint8_t rq, uint8_t sq)
{
	int ret = move(u, PRM_OP_MODIFY_RQ, qp->uid, &qp->raw_rq, rq);

	return ret ? ret : move(u, PRM_OP_MODIFY_SQ, qp->uid, &qp->raw_sq, sq);
}

int uverbs_raw_modify(struct uverbs *u, struct uverbs_qp *qp, uint16_t opcode)
{
	switch (opcode) {
	case PRM_OP_RST2INIT_QP:
		return move_both(u, qp, PRM_RQC_STATE_RDY, PRM_SQC_STATE_RST);
	case PRM_OP_INIT2INIT_QP:
	case PRM_OP_INIT2RTR_QP:
		return 0;
	case PRM_OP_RTR2RTS_QP:
	case PRM_OP_RTS2RTS_QP:
		return move(u, PRM_OP_MODIFY_SQ, qp->uid, &qp->raw_sq, PRM_SQC_STATE_RDY);
	case PRM_OP_2ERR_QP:
		return move_both(u, qp, PRM_RQC_STATE_ERR, PRM_SQC_STATE_ERR);
	case PRM_OP_2RST_QP:
		return move_both(u, qp, PRM_RQC_STATE_RST, PRM_SQC_STATE_RST);
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
