/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared receive queues: an RMP for RC, UC and UD QPs, an XRC SRQ for an XRC domain.
 *
 *	wqe 0           wqe 1           wqe 2
 *	|next_seg|data..|next_seg|data..|next_seg|data..|	1 << log_wq_stride bytes each
 *	     '-> index of the next
 *	dbr_addr -> be32 count of WQEs posted
 *
 * Both are a list that software links and the engine walks; they differ in how a command
 * describes them, and in that an XRC SRQ has its own completion queue. Their numbers come
 * from one table. The limit (lwm) is armed by a command and fires once.
 *
 * An RMP may lie in a umem (DevX), and may be cyclic: a ring, whose WQEs look the same and are
 * not linked. WQEs without next_seg (basic_cyclic_rcv_wqe), signatures and an XRC SRQ in a umem
 * are refused.
 */
#include <stdlib.h>

#include "fw/command.h"

#define ARM_XRC_SRQ	1 /* op_mod: MLX5_ARM_XRC_SRQ_IN_OP_MOD_XRC_SRQ */
#define LOG_STRIDE_BASE 4 /* xrc_srqc.log_rq_stride counts from 16 bytes */
#define DBR_BYTES	4
#define LOG_STRIDE_MIN	5 /* next_seg and one data segment (mlx5_ib, srq.c) */

static_assert(PRM_SZ(rmpc) <= HCA_SRQC_SIZE && PRM_SZ(xrc_srqc) <= HCA_SRQC_SIZE,
	      "srq context");

/* The fields of both contexts in a common form. */
struct shape {
	bool xrc;
	uint32_t log_size, log_stride, pd, lwm;
	struct fw_record record;
	struct fw_layout layout;
};

static struct hca_srq *srq_of(const struct fw_cmd *c, uint32_t srqn, bool xrc)
{
	struct hca_srq *srq = fw_srq(c, srqn);

	return srq && srq->xrc == xrc ? srq : NULL;
}

static enum fw_status check_shape(struct fw_cmd *c, const struct shape *s)
{
	uint32_t log_max = FW_GEN(c->hca, log_max_srq_sz);

	if (s->log_size > log_max || s->log_stride < LOG_STRIDE_MIN ||
	    1u << s->log_stride > FW_GEN(c->hca, max_wqe_sz_rq))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (!fw_pd(c, s->pd))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	/* mlx5_ib lets no such limit through (srq.c, mlx5_ib_modify_srq). */
	if (s->lwm > 1u << s->log_size)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* Our choice: RMPs and XRC SRQs share one table. */
	if (fw_at_limit(&c->hca->srqs, FW_GEN(c->hca, log_max_srq)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	return FW_OK;
}

static enum fw_status srq_new(struct fw_cmd *c, struct shape *s, struct hca_srq **out)
{
	enum fw_status status = check_shape(c, s);
	struct hca_ring ring;
	struct hca_srq *srq;
	uint64_t dbrec;

	s->record.bytes = DBR_BYTES;
	if (status == FW_OK)
		status = fw_record(c, &s->record, &dbrec);
	if (status != FW_OK)
		return status;
	s->layout.bytes = 1ull << (s->log_size + s->log_stride);
	s->layout.entry = 1u << s->log_stride;
	status = fw_ring(c, &s->layout, &ring);
	if (status != FW_OK)
		return status;
	srq = hca_srq_new(c->hca);
	if (!srq) {
		free(ring.pas);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	srq->xrc = s->xrc;
	srq->pd = fw_pd(c, s->pd);
	srq->umems = fw_settle(c, &s->layout, &s->record);
	srq->dbrec = dbrec;
	srq->lwm = (uint16_t)s->lwm;
	srq->wq = (struct hca_wq){ .ring = ring,
				   .cnt = 1u << s->log_size,
				   .log_stride = (uint8_t)s->log_stride };
	*out = srq;
	return FW_OK;
}

static uint16_t posted(const struct hca_srq *srq)
{
	uint8_t rec[4] = { 0 };

	/* A record that went away reads as nothing posted. */
	(void)core_bus_read(rec, srq->dbrec, sizeof(rec));
	return (uint16_t)(rec[2] << 8 | rec[3]);
}

/* The engine looks at the limit when it takes a WQE. */
static enum fw_status arm(struct fw_cmd *c, struct hca_srq *srq, uint32_t lwm)
{
	if (lwm > srq->wq.cnt)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	srq->lwm = (uint16_t)lwm;
	return FW_OK;
}

/* ---- RMP ---- */

enum fw_status fw_create_rmp(struct fw_cmd *c)
{
	const uint8_t *rmpc = PRM_ADDR(create_rmp_in, c->in, ctx);
	const uint8_t *wq = PRM_ADDR(rmpc, rmpc, wq);
	struct shape s = { .log_size = PRM_GET(wq, wq, log_wq_sz),
			   .log_stride = PRM_GET(wq, wq, log_wq_stride),
			   .pd = PRM_GET(wq, wq, pd),
			   .lwm = PRM_GET(wq, wq, lwm),
			   .record = fw_wq_record(wq),
			   .layout = fw_wq_layout(wq, PRM_SZ(create_rmp_in)) };
	uint32_t type = PRM_GET(wq, wq, wq_type);
	enum fw_status status;
	struct hca_srq *srq;

	/* assumed(cyclic_rmp_has_linked_wqes): a WQE of a cyclic RMP begins with the 16 bytes
	 * of next_seg too, of which nothing is read: UCX (rc_mlx5_devx.c) leaves space for
	 * them. */
	if (type != PRM_WQ_TYPE_LINKED_LIST && type != PRM_WQ_TYPE_CYCLIC)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* mlx5_core, srq_cmd.c, create_rmp_cmd: an RMP is created ready. */
	if (PRM_GET(rmpc, rmpc, state) != PRM_RMPC_STATE_RDY)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	status = srq_new(c, &s, &srq);
	if (status != FW_OK)
		return status;
	srq->cyclic = type == PRM_WQ_TYPE_CYCLIC;
	memcpy(srq->ctx, rmpc, PRM_SZ(rmpc));
	fw_begin(c, srq);
	PRM_SET(create_rmp_out, c->out, rmpn, srq->srqn);
	return FW_OK;
}

enum fw_status fw_query_rmp(struct fw_cmd *c)
{
	const struct hca_srq *srq = srq_of(c, PRM_GET(query_rmp_in, c->in, rmpn), false);
	uint8_t *rmpc = PRM_ADDR(query_rmp_out, c->out, rmp_context), *wq;

	if (!srq)
		return fw_absent(c);
	memcpy(rmpc, srq->ctx, PRM_SZ(rmpc));
	if (srq->error)
		PRM_SET(rmpc, rmpc, state, PRM_RMPC_STATE_ERR);
	wq = PRM_ADDR(rmpc, rmpc, wq);
	PRM_SET(wq, wq, lwm, srq->lwm);
	PRM_SET(wq, wq, hw_counter, srq->taken);
	PRM_SET(wq, wq, sw_counter, posted(srq));
	fw_put_pas(c, PRM_SZ(query_rmp_out), &srq->wq.ring);
	return FW_OK;
}

enum fw_status fw_modify_rmp(struct fw_cmd *c)
{
	const uint8_t *rmpc = PRM_ADDR(modify_rmp_in, c->in, ctx);
	struct hca_srq *srq = srq_of(c, PRM_GET(modify_rmp_in, c->in, rmpn), false);
	uint32_t lwm = PRM_GET(wq, PRM_ADDR(rmpc, rmpc, wq), lwm);

	if (!srq)
		return fw_absent(c);
	/* An RMP that erred stays so: there is no way back but a new one. */
	if (srq->error || PRM_GET(modify_rmp_in, c->in, rmp_state) != PRM_RMPC_STATE_RDY ||
	    PRM_GET(rmpc, rmpc, state) != PRM_RMPC_STATE_RDY)
		return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_STATE);
	if (!PRM_GET(rmp_bitmask, PRM_ADDR(modify_rmp_in, c->in, bitmask), lwm))
		return FW_OK;
	return arm(c, srq, lwm);
}

enum fw_status fw_destroy_rmp(struct fw_cmd *c)
{
	return fw_destroy(c, srq_of(c, PRM_GET(destroy_rmp_in, c->in, rmpn), false));
}

/* ---- XRC SRQ ---- */

static uint64_t record_of(const uint8_t *xrc)
{
	return PRM_GET(xrc_srqc, xrc, db_record_addr_h) << 32 |
	       PRM_GET(xrc_srqc, xrc, db_record_addr_l) << 2;
}

enum fw_status fw_create_xrc_srq(struct fw_cmd *c)
{
	const uint8_t *xrc = PRM_ADDR(create_xrc_srq_in, c->in, xrc_srq_context_entry);
	struct shape s = { .xrc = true,
			   .log_size = PRM_GET(xrc_srqc, xrc, log_xrc_srq_size),
			   .log_stride =
				   PRM_GET(xrc_srqc, xrc, log_rq_stride) + LOG_STRIDE_BASE,
			   .pd = PRM_GET(xrc_srqc, xrc, pd),
			   .lwm = PRM_GET(xrc_srqc, xrc, lwm),
			   .record = { .addr = record_of(xrc) },
			   .layout = { .list = PRM_SZ(create_xrc_srq_in),
				       .log_page_size = PRM_GET(xrc_srqc, xrc, log_page_size),
				       .page_offset = PRM_GET(xrc_srqc, xrc, page_offset) } };
	struct hca_xrcd *xrcd = fw_xrcd(c, PRM_GET(xrc_srqc, xrc, xrcd));
	struct hca_cq *cq = fw_cq(c, PRM_GET(xrc_srqc, xrc, cqn));
	enum fw_status status;
	struct hca_srq *srq;

	if (!xrcd)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_XRCD);
	if (!cq)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_CQ);
	if (PRM_GET(xrc_srqc, xrc, state) != PRM_SRQC_STATE_GOOD)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	status = srq_new(c, &s, &srq);
	if (status != FW_OK)
		return status;
	srq->xrcd = xrcd;
	srq->cq = cq;
	fw_begin(c, srq);
	srq->user_index = PRM_GET(xrc_srqc, xrc, user_index);
	memcpy(srq->ctx, xrc, PRM_SZ(xrc_srqc));
	PRM_SET(create_xrc_srq_out, c->out, xrc_srqn, srq->srqn);
	return FW_OK;
}

enum fw_status fw_query_xrc_srq(struct fw_cmd *c)
{
	const struct hca_srq *srq = srq_of(c, PRM_GET(query_xrc_srq_in, c->in, xrc_srqn), true);
	uint8_t *xrc = PRM_ADDR(query_xrc_srq_out, c->out, xrc_srq_context_entry);

	if (!srq)
		return fw_absent(c);
	memcpy(xrc, srq->ctx, PRM_SZ(xrc_srqc));
	PRM_SET(xrc_srqc, xrc, state, srq->error ? PRM_SRQC_STATE_ERROR : PRM_SRQC_STATE_GOOD);
	PRM_SET(xrc_srqc, xrc, lwm, srq->lwm);
	PRM_SET(xrc_srqc, xrc, wqe_cnt, (uint16_t)(posted(srq) - srq->taken));
	fw_put_pas(c, PRM_SZ(query_xrc_srq_out), &srq->wq.ring);
	return FW_OK;
}

enum fw_status fw_arm_xrc_srq(struct fw_cmd *c)
{
	struct hca_srq *srq = srq_of(c, PRM_GET(arm_xrc_srq_in, c->in, xrc_srqn), true);

	if (PRM_GET(arm_xrc_srq_in, c->in, op_mod) != ARM_XRC_SRQ)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	if (!srq)
		return fw_absent(c);
	if (srq->error)
		return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_STATE);
	return arm(c, srq, PRM_GET(arm_xrc_srq_in, c->in, lwm));
}

enum fw_status fw_destroy_xrc_srq(struct fw_cmd *c)
{
	return fw_destroy(c, srq_of(c, PRM_GET(destroy_xrc_srq_in, c->in, xrc_srqn), true));
}
