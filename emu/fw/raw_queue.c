/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send queues and receive queues of Ethernet: a context around a cyclic wq.
 *
 *	sqc: cqn | tis_num_0 | wq: pd, uar_page, dbr_addr, ring of basic blocks
 *	rqc: cqn             | wq: pd,           dbr_addr, ring of lists of data segments
 *
 *	       MODIFY              MODIFY
 *	RST ------------> RDY ------------> ERR		RST, ERR: from anywhere
 *
 * Ring and record are addresses, or offsets in umems (DevX). The WQEs of an RQ may be buffers
 * of strides (wq_type CYCLIC_STRIDING_RQ). Hairpin queues, RQs on an RMP, signatures and linked
 * lists are refused.
 */
#include <stdlib.h>

#include "fw/element.h"

#define LOG_BB		  6
#define LOG_RQ_STRIDE_MIN 4 /* one data segment */
#define RECORD_BYTES	  8

static_assert(PRM_SZ(sqc) == HCA_SQC_SIZE && PRM_SZ(rqc) == HCA_RQC_SIZE, "contexts");

/* ---- what both have ---- */

static enum fw_status check_size(struct fw_cmd *c, const uint8_t *wq, bool send)
{
	uint32_t stride = PRM_GET(wq, wq, log_wq_stride);

	if (PRM_GET(wq, wq, log_wq_sz) > FW_GEN(c->hca, log_max_qp_sz))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	/* mlx5_ib, qp.c, create_raw_packet_qp_sq: the stride is a basic block. */
	if (send && stride != LOG_BB)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (!send &&
	    (stride < LOG_RQ_STRIDE_MIN || 1u << stride > FW_GEN(c->hca, max_wqe_sz_rq)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

/* An RQ of the driver's may have PD 0, to which no memory belongs (mlx5_core, en_main.c,
 * mlx5e_open_drop_rq): it has no WQEs, and counts what it drops. */
static bool is_drop_rq(const uint8_t *wq, uint16_t uid)
{
	return !uid && !PRM_GET(wq, wq, pd);
}

/* A queue is created in RST: mlx5_core, en_main.c, mlx5e_create_sq, mlx5e_create_rq. */
static enum fw_status check_queue(struct fw_cmd *c, const uint8_t *wq, uint32_t state,
				  uint32_t cqn, bool send)
{
	if (state != PRM_SQC_STATE_RST)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!fw_pd(c, PRM_GET(wq, wq, pd)) && !(is_drop_rq(wq, c->uid) && !send))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	if (!fw_cq(c, cqn))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_CQ);
	return FW_OK;
}

/* The memory that a wq describes. */
struct place {
	struct hca_wq wq;
	uint64_t dbrec;
	struct fw_layout layout;
	struct fw_record record;
};

/* Ring and record of @wq, whose page list is at inbox offset @list. */
static enum fw_status read_wq(struct fw_cmd *c, const uint8_t *wq, size_t list, struct place *p)
{
	uint32_t log_size = PRM_GET(wq, wq, log_wq_sz), stride = PRM_GET(wq, wq, log_wq_stride);
	enum fw_status status;

	p->layout = fw_wq_layout(wq, list);
	p->layout.bytes = 1ull << (log_size + stride);
	p->layout.entry = 1u << stride;
	p->record = fw_wq_record(wq);
	p->record.bytes = RECORD_BYTES;
	p->wq = (struct hca_wq){ .cnt = 1u << log_size, .log_stride = (uint8_t)stride };
	status = fw_record(c, &p->record, &p->dbrec);
	return status == FW_OK ? fw_ring(c, &p->layout, &p->wq.ring) : status;
}

/* Word @which of the record, or 0 where it went away. */
static uint16_t posted(uint64_t dbrec, unsigned int which)
{
	uint8_t rec[RECORD_BYTES] = { 0 };

	(void)core_bus_read(rec, dbrec, sizeof(rec));
	return (uint16_t)(rec[which * 4 + 2] << 8 | rec[which * 4 + 3]);
}

/* The driver says where it thinks the queue is; mlx5_ib also "moves" a queue to the state in
 * which it is (qp.c, modify_raw_packet_qp). RDY is not reached from ERR: mlx5_core,
 * en/health.c, mlx5e_health_sq_to_ready goes by RST. */
static enum fw_status check_move(struct fw_cmd *c, uint32_t now, uint32_t said, uint32_t to)
{
	if (said != now)
		return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_STATE);
	if (to != PRM_SQC_STATE_RST && to != PRM_SQC_STATE_RDY && to != PRM_SQC_STATE_ERR)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (to == PRM_SQC_STATE_RDY && now == PRM_SQC_STATE_ERR)
		return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_STATE);
	return FW_OK;
}

/* ---- SQ ---- */

/* The driver's SQ for its own work requests has none (mlx5_core, en_main.c, mlx5e_open_icosq),
 * nor have those of hardware steering (DPDK, mlx5dr_cmd.c, mlx5dr_cmd_sq_create). */
static enum fw_status check_tis(struct fw_cmd *c, const uint8_t *sqc)
{
	uint32_t n = PRM_GET(sqc, sqc, tis_lst_sz), tisn = PRM_GET(sqc, sqc, tis_num_0);

	bool non_wire = PRM_GET(sqc, sqc, non_wire);

	if (non_wire && !FW_GEN(c->hca, wqe_based_flow_table_update_cap))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!n && !tisn && (!c->uid || non_wire))
		return FW_OK;
	if (n != 1)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return fw_tis(c, tisn) ? FW_OK : fw_refuse(c, FW_BAD_RES, FW_WHY_TIS);
}

static enum fw_status check_sq(struct fw_cmd *c, const uint8_t *sqc)
{
	const uint8_t *wq = PRM_ADDR(sqc, sqc, wq);
	enum fw_status status =
		check_queue(c, wq, PRM_GET(sqc, sqc, state), PRM_GET(sqc, sqc, cqn), true);

	if (status != FW_OK)
		return status;
	if (PRM_GET(wq, wq, wq_type) != PRM_WQ_TYPE_CYCLIC)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!fw_uar(c, PRM_GET(wq, wq, uar_page)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_UAR);
	status = check_tis(c, sqc);
	if (status != FW_OK)
		return status;
	if (fw_at_limit(&c->hca->sqs, FW_GEN(c->hca, log_max_sq)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	status = fw_check_sender(c, sqc);
	return status == FW_OK ? check_size(c, wq, true) : status;
}

static void fill_sq(struct fw_cmd *c, struct hca_sq *sq, const uint8_t *sqc)
{
	const uint8_t *wq = PRM_ADDR(sqc, sqc, wq);

	memcpy(sq->sqc, sqc, HCA_SQC_SIZE);
	sq->state = PRM_SQC_STATE_RST;
	sq->flush = PRM_GET(sqc, sqc, flush_in_error_en);
	sq->tis = fw_tis(c, PRM_GET(sqc, sqc, tis_num_0));
	sq->pd = fw_pd(c, PRM_GET(wq, wq, pd));
	sq->cq = fw_cq(c, PRM_GET(sqc, sqc, cqn));
	sq->uar = fw_uar(c, PRM_GET(wq, wq, uar_page));
	sq->user_index = PRM_GET(sqc, sqc, user_index);
	core_list_add(&sq->uar->sqs, &sq->on_uar);
	fw_begin(c, sq);
	fw_join_sender(c, sq, sqc);
}

enum fw_status fw_create_sq(struct fw_cmd *c)
{
	const uint8_t *sqc = PRM_ADDR(create_sq_in, c->in, ctx);
	enum fw_status status = check_sq(c, sqc);
	struct place place;
	struct hca_sq *sq;

	if (status == FW_OK)
		status = read_wq(c, PRM_ADDR(sqc, sqc, wq), PRM_SZ(create_sq_in), &place);
	if (status != FW_OK)
		return status;
	sq = hca_sq_new(c->hca);
	if (!sq) {
		free(place.wq.ring.pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	sq->wq = place.wq;
	sq->dbrec = place.dbrec;
	sq->umems = fw_settle(c, &place.layout, &place.record);
	fill_sq(c, sq, sqc);
	PRM_SET(create_sq_out, c->out, sqn, sq->sqn);
	return FW_OK;
}

enum fw_status fw_query_sq(struct fw_cmd *c)
{
	const struct hca_sq *sq = fw_sq(c, PRM_GET(query_sq_in, c->in, sqn));
	uint8_t *sqc = PRM_ADDR(query_sq_out, c->out, sq_context), *wq;

	if (!sq)
		return fw_absent(c);
	memcpy(sqc, sq->sqc, HCA_SQC_SIZE);
	PRM_SET(sqc, sqc, state, sq->state);
	wq = PRM_ADDR(sqc, sqc, wq);
	PRM_SET(wq, wq, hw_counter, sq->pi);
	PRM_SET(wq, wq, sw_counter, posted(sq->dbrec, 1));
	fw_put_pas(c, PRM_SZ(query_sq_out), &sq->wq.ring);
	return FW_OK;
}

/* Bits of modify_bitmask: rdma-core, mlx5_ifc.h, MLX5_MODIFY_SQ_BITMASK_*; mlx5_core,
 * en_main.c, mlx5e_modify_sq. */
#define SET_RATE  1
#define SET_GROUP 4

/* @next: the context of @sq as the mask changes it. */
static enum fw_status check_change(struct fw_cmd *c, const struct hca_sq *sq, uint8_t *next)
{
	const uint8_t *sqc = PRM_ADDR(modify_sq_in, c->in, ctx);
	uint64_t mask = PRM_GET(modify_sq_in, c->in, modify_bitmask);

	if (mask & ~(uint64_t)(SET_RATE | SET_GROUP))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	memcpy(next, sq->sqc, HCA_SQC_SIZE);
	if (mask & SET_RATE)
		PRM_SET(sqc, next, packet_pacing_rate_limit_index,
			PRM_GET(sqc, sqc, packet_pacing_rate_limit_index));
	if (mask & SET_GROUP)
		PRM_SET(sqc, next, qos_queue_group_id, PRM_GET(sqc, sqc, qos_queue_group_id));
	return mask ? fw_check_sender(c, next) : FW_OK;
}

enum fw_status fw_modify_sq(struct fw_cmd *c)
{
	const uint8_t *sqc = PRM_ADDR(modify_sq_in, c->in, ctx);
	struct hca_sq *sq = fw_sq(c, PRM_GET(modify_sq_in, c->in, sqn));
	uint32_t to = PRM_GET(sqc, sqc, state);
	uint8_t next[HCA_SQC_SIZE];
	enum fw_status status;

	if (!sq)
		return fw_absent(c);
	status = check_move(c, sq->state, PRM_GET(modify_sq_in, c->in, sq_state), to);
	if (status == FW_OK)
		status = check_change(c, sq, next);
	if (status != FW_OK)
		return status;
	/* mlx5_ib (qp.c, modify_raw_packet_qp_sq) clears the entry after the move. */
	if (to == PRM_SQC_STATE_RST) {
		PRM_SET(sqc, next, packet_pacing_rate_limit_index, 0);
		hca_sq_reset(sq);
	}
	memcpy(sq->sqc, next, sizeof(next));
	fw_join_sender(c, sq, next);
	if (to == PRM_SQC_STATE_ERR)
		core_list_add(&c->hca->sending, &sq->on_sending);
	sq->state = (uint8_t)to;
	return FW_OK;
}

enum fw_status fw_destroy_sq(struct fw_cmd *c)
{
	return fw_destroy(c, fw_sq(c, PRM_GET(destroy_sq_in, c->in, sqn)));
}

/* ---- RQ ---- */

/* wq.log_wqe_num_of_strides is log2 - 9 in 4 bits, so that 3 to 8 are 10 to 15 (kernel,
 * mlx5_ib, qp.c, create_rq: fw_map); 8 is not a number of strides. A WQE has a segment that is
 * not used, then its buffer. */
static enum fw_status check_strides(struct fw_cmd *c, const uint8_t *wq)
{
	uint32_t log_strides = PRM_GET(wq, wq, log_wqe_num_of_strides);
	uint32_t type = PRM_GET(wq, wq, wq_type);
	bool any = log_strides || PRM_GET(wq, wq, two_byte_shift_en) ||
		   PRM_GET(wq, wq, log_wqe_stride_size);

	if (type == PRM_WQ_TYPE_CYCLIC)
		return any ? fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE) : FW_OK;
	if (type != PRM_WQ_TYPE_CYCLIC_STRIDING_RQ)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (log_strides == 8 || (log_strides > 8 && !FW_GEN(c->hca, ext_stride_num_range)) ||
	    PRM_GET(wq, wq, log_wq_stride) == LOG_RQ_STRIDE_MIN)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

static enum fw_status check_rq(struct fw_cmd *c, const uint8_t *rqc)
{
	const uint8_t *wq = PRM_ADDR(rqc, rqc, wq);
	enum fw_status status =
		check_queue(c, wq, PRM_GET(rqc, rqc, state), PRM_GET(rqc, rqc, cqn), false);

	if (status != FW_OK)
		return status;
	/* ALIGN allows the device to write up to the end of a cache line, which this one does
	 * not. Only the driver asks for it: mlx5_core, en/params.c. */
	if (PRM_GET(wq, wq, end_padding_mode) && c->uid)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!fw_counter_set(c, PRM_GET(rqc, rqc, counter_set_id)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_COUNTER);
	if (fw_at_limit(&c->hca->rqs, FW_GEN(c->hca, log_max_rq)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	status = check_strides(c, wq);
	return status == FW_OK ? check_size(c, wq, false) : status;
}

enum fw_status fw_create_rq(struct fw_cmd *c)
{
	const uint8_t *rqc = PRM_ADDR(create_rq_in, c->in, ctx), *wq = PRM_ADDR(rqc, rqc, wq);
	enum fw_status status = check_rq(c, rqc);
	struct place place;
	struct hca_rq *rq;

	if (status == FW_OK)
		status = read_wq(c, wq, PRM_SZ(create_rq_in), &place);
	if (status != FW_OK)
		return status;
	rq = hca_rq_new(c->hca);
	if (!rq) {
		free(place.wq.ring.pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	memcpy(rq->rqc, rqc, HCA_RQC_SIZE);
	rq->wq = place.wq;
	rq->umems = fw_settle(c, &place.layout, &place.record);
	rq->state = PRM_RQC_STATE_RST;
	rq->pd = fw_pd(c, PRM_GET(wq, wq, pd));
	rq->cq = fw_cq(c, PRM_GET(rqc, rqc, cqn));
	rq->counter = fw_counter_set(c, PRM_GET(rqc, rqc, counter_set_id));
	rq->user_index = PRM_GET(rqc, rqc, user_index);
	rq->dbrec = place.dbrec;
	fw_begin(c, rq);
	PRM_SET(create_rq_out, c->out, rqn, rq->rqn);
	return FW_OK;
}

enum fw_status fw_query_rq(struct fw_cmd *c)
{
	const struct hca_rq *rq = fw_rq(c, PRM_GET(query_rq_in, c->in, rqn));
	uint8_t *rqc = PRM_ADDR(query_rq_out, c->out, rq_context), *wq;

	if (!rq)
		return fw_absent(c);
	memcpy(rqc, rq->rqc, HCA_RQC_SIZE);
	PRM_SET(rqc, rqc, state, rq->state);
	wq = PRM_ADDR(rqc, rqc, wq);
	PRM_SET(wq, wq, hw_counter, rq->ci);
	PRM_SET(wq, wq, sw_counter, posted(rq->dbrec, 0));
	fw_put_pas(c, PRM_SZ(query_rq_out), &rq->wq.ring);
	return FW_OK;
}

/* Bits of modify_bitmask: <linux/mlx5/mlx5_ifc.h>, MLX5_MODIFY_RQ_IN_MODIFY_BITMASK_*. */
#define SET_VSD		(1u << 1)
#define SET_SCATTER_FCS (1u << 2)

enum fw_status fw_modify_rq(struct fw_cmd *c)
{
	const uint8_t *rqc = PRM_ADDR(modify_rq_in, c->in, ctx);
	struct hca_rq *rq = fw_rq(c, PRM_GET(modify_rq_in, c->in, rqn));
	uint64_t mask = PRM_GET(modify_rq_in, c->in, modify_bitmask);
	uint32_t to = PRM_GET(rqc, rqc, state);
	enum fw_status status;

	if (!rq)
		return fw_absent(c);
	if (mask & ~(uint64_t)(SET_VSD | SET_SCATTER_FCS))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	status = check_move(c, rq->state, PRM_GET(modify_rq_in, c->in, rq_state), to);
	if (status != FW_OK)
		return status;
	if (mask & SET_VSD)
		PRM_SET(rqc, rq->rqc, vsd, PRM_GET(rqc, rqc, vsd));
	if (mask & SET_SCATTER_FCS)
		PRM_SET(rqc, rq->rqc, scatter_fcs, PRM_GET(rqc, rqc, scatter_fcs));
	if (to == PRM_RQC_STATE_RST)
		hca_rq_reset(rq);
	if (to == PRM_RQC_STATE_ERR)
		core_list_add(&c->hca->flushing, &rq->on_flushing);
	rq->state = (uint8_t)to;
	return FW_OK;
}

enum fw_status fw_destroy_rq(struct fw_cmd *c)
{
	return fw_destroy(c, fw_rq(c, PRM_GET(destroy_rq_in, c->in, rqn)));
}
