/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MODIFY_CQ: moderation (op_mod 0) and another ring (op_mod 1).
 *
 *	op_mod 0   modify_field_select: CQ_PERIOD, CQ_MAX_COUNT, CQ_PERIOD_MODE
 *	op_mod 1   resize_field_select: log_cq_size, page_offset, log_page_size; page list
 *
 * (Kernel, <linux/mlx5/cq.h>: MLX5_CQ_MODIFY_*, MLX5_MODIFY_CQ_MASK_*; mlx5_ib, cq.c.)
 */
#include <stdlib.h>

#include "event/event.h"
#include "fw/command.h"

#define OP_MOD_MODERATE 0
#define OP_MOD_RESIZE	1

#define SELECT_PERIOD 0x1
#define SELECT_COUNT  0x2
#define SELECT_MODE   0x10
#define SELECT_RESIZE 0x7 /* log_cq_size, page_offset, log_page_size */

static const uint8_t *cqc_of(const struct fw_cmd *c)
{
	return PRM_ADDR(modify_cq_in, c->in, cq_context);
}

/* Both readings of the word have all of its bits. */
static uint32_t field_select(const struct fw_cmd *c)
{
	return PRM_GET(modify_field_select,
		       PRM_ADDR(modify_cq_in, c->in, modify_field_select_resize_field_select),
		       modify_field_select);
}

static enum fw_status moderate(struct fw_cmd *c, struct hca_cq *cq)
{
	const uint8_t *cqc = cqc_of(c);
	uint32_t select = field_select(c);

	if (!select || select & ~(uint32_t)(SELECT_PERIOD | SELECT_COUNT | SELECT_MODE))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (select & SELECT_MODE && !FW_GEN(c->hca, cq_period_mode_modify))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (select & SELECT_MODE && !fw_period_mode_fits(c->hca, cqc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (c->in_len > PRM_SZ(modify_cq_in))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_PAS);
	if (select & SELECT_PERIOD) {
		cq->period = PRM_GET(cqc, cqc, cq_period);
		PRM_SET(cqc, cq->cqc, cq_period, cq->period);
	}
	if (select & SELECT_COUNT) {
		cq->max_count = PRM_GET(cqc, cqc, cq_max_count);
		PRM_SET(cqc, cq->cqc, cq_max_count, cq->max_count);
	}
	if (select & SELECT_MODE) {
		cq->from_cqe = PRM_GET(cqc, cqc, cq_period_mode);
		PRM_SET(cqc, cq->cqc, cq_period_mode, cq->from_cqe);
	}
	return FW_OK;
}

/* The context as QUERY_CQ shows it. */
static void remember(struct hca_cq *cq, const uint8_t *cqc)
{
	PRM_SET(cqc, cq->cqc, cqe_sz, PRM_GET(cqc, cqc, cqe_sz));
	PRM_SET(cqc, cq->cqc, log_cq_size, PRM_GET(cqc, cqc, log_cq_size));
	PRM_SET(cqc, cq->cqc, page_offset, PRM_GET(cqc, cqc, page_offset));
	PRM_SET(cqc, cq->cqc, log_page_size, PRM_GET(cqc, cqc, log_page_size));
}

/* mlx5_ib (cq.c, mlx5_ib_resize_cq) names size, page offset and page size in the mask, always
 * all three, and sets cqe_sz, which no mask bit names. Less than the three is BAD_PARAM by
 * choice: no program sends it. */
static enum fw_status check_resize(struct fw_cmd *c, const struct hca_cq *cq)
{
	const uint8_t *cqc = cqc_of(c);

	if (field_select(c) != SELECT_RESIZE || PRM_GET(cqc, cqc, cq_period) ||
	    PRM_GET(cqc, cqc, cq_period_mode) || PRM_GET(cqc, cqc, cq_max_count))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(cqc, cqc, cqe_sz) > (FW_GEN(c->hca, cqe_128_always) ? 2 : 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* assumed(special_cqs_keep_their_ring): MODIFY_CQ with op_mod 1 of a CQ that compresses
	 * in the enhanced layout, or is collapsed, is BAD_PARAM. */
	if (cq->collapsed || (cq->session && cq->session->enhanced))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(cqc, cqc, log_cq_size) > FW_GEN(c->hca, log_max_cq_sz))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

/* Another queue, the record that it had. */
static void move_to_umem(struct fw_cmd *c, struct hca_cq *cq, const struct fw_layout *to)
{
	const struct fw_record none = { 0 };

	if (cq->umems.queue)
		cq->umems.queue->refs--;
	cq->umems.queue = fw_settle(c, to, &none).queue;
	if (cq->umems.queue)
		cq->umems.queue->refs++;
}

static enum fw_status resize(struct fw_cmd *c, struct hca_cq *cq)
{
	const uint8_t *cqc = cqc_of(c);
	struct event_cq_ring to = { .log_size = PRM_GET(cqc, cqc, log_cq_size),
				    .cqe_size_log = PRM_GET(cqc, cqc, cqe_sz) ? 7 : 6 };
	struct fw_layout layout = { .list = PRM_SZ(modify_cq_in),
				    .log_page_size = PRM_GET(cqc, cqc, log_page_size),
				    .page_offset = PRM_GET(cqc, cqc, page_offset),
				    .bytes = 1ull << (to.cqe_size_log + to.log_size),
				    .entry = 1u << to.cqe_size_log,
				    .written = true,
				    .in_umem = PRM_GET(modify_cq_in, c->in, cq_umem_valid),
				    .umem_id = PRM_GET(modify_cq_in, c->in, cq_umem_id),
				    .umem_offset =
					    PRM_GET(modify_cq_in, c->in, cq_umem_offset) };
	enum fw_status status = check_resize(c, cq);

	if (status == FW_OK)
		status = fw_ring(c, &layout, &to.ring);
	if (status != FW_OK)
		return status;
	/* assumed(resize_leaves_space): RESIZE is BAD_SIZE_OUTS_CQES when the CQEs that wait
	 * fill the old ring, or the new one to its last place. */
	if (!event_cq_resize(c->hca, cq, &to)) {
		free(to.ring.pas);
		return fw_refuse(c, FW_BAD_SIZE_OUTS_CQES, FW_WHY_SIZE);
	}
	move_to_umem(c, cq, &layout);
	remember(cq, cqc);
	return FW_OK;
}

enum fw_status fw_modify_cq(struct fw_cmd *c)
{
	struct hca_cq *cq = fw_cq(c, PRM_GET(modify_cq_in, c->in, cqn));

	if (!cq)
		return fw_absent(c);
	switch (PRM_GET(modify_cq_in, c->in, op_mod)) {
	case OP_MOD_MODERATE:
		return moderate(c, cq);
	case OP_MOD_RESIZE:
		return resize(c, cq);
	default:
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	}
}
