/* SPDX-License-Identifier: BSD-2-Clause */
/* MODIFY_CQ: which fields each kind takes, and what it does to the queue. */
#include "device.h"

#define MODERATE 0
#define RESIZE	 1

NEEDS_SUITE(modify_cq);

static uint8_t *modify_cq(uint32_t cqn, uint16_t op_mod, uint32_t select)
{
	CMD(MODIFY_CQ, F(op_mod, op_mod), F(cqn, cqn));
	PRM_SET(modify_field_select,
		PRM_ADDR(modify_cq_in, b.in, modify_field_select_resize_field_select),
		modify_field_select, select);
	return PRM_ADDR(modify_cq_in, b.in, cq_context);
}

/* The same number of entries in one page of 4 KiB, as it would have to be for 64. */
static uint8_t *resize_box(uint32_t cqn)
{
	uint8_t *cqc = modify_cq(cqn, RESIZE, 7);

	PRM_SET(cqc, cqc, log_cq_size, 6);
	pas(page(5));
	return cqc;
}

static const uint8_t *query(uint32_t cqn)
{
	BOX_OK(WITH(CMD(QUERY_CQ, F(cqn, cqn)), b.out_len += 16));
	return PRM_ADDR(query_cq_out, b.out, cq_context);
}

Test(modify_cq, by_hand)
{
	uint8_t in[0x110] = { 0x04, 0x03 }, out[16];
	struct hca_cq *cq = hca_cq_find(&hca, n.cq);

	in[0x09] = (uint8_t)(n.cq >> 16);
	in[0x0a] = (uint8_t)(n.cq >> 8);
	in[0x0b] = (uint8_t)n.cq;
	in[0x0f] = 3;		/* period and count */
	in[0x10 + 0x10] = 0x0a; /* period 0xabc in 27:16 */
	in[0x10 + 0x11] = 0xbc;
	in[0x10 + 0x12] = 0x12; /* count in 15:0 */
	in[0x10 + 0x13] = 0x34;
	fw_exec(&hca, in, sizeof(in), out, sizeof(out));
	cr_assert_eq(out[0], FW_OK);
	EQUALS(E(cq->period, 0xabc), E(cq->max_count, 0x1234));
}

Test(modify_cq, changes_what_the_mask_names)
{
	struct hca_cq *cq = hca_cq_find(&hca, n.cq);
	uint8_t *cqc = modify_cq(n.cq, MODERATE, 2);

	BOX_OK(SET(cqc, cqc, F(cq_max_count, 9), F(cq_period, 7)));
	EQUALS(E(cq->max_count, 9), E(cq->period, 0));
	cqc = modify_cq(n.cq, MODERATE, 1);
	BOX_OK(PRM_SET(cqc, cqc, cq_period, 7));
	EQUALS(E(cq->max_count, 9), E(cq->period, 7));
	cr_assert_eq(PRM_GET(cqc, query(n.cq), cq_period), 7);
	cr_assert_eq(PRM_GET(cqc, query(n.cq), cq_max_count), 9);
}

/* cq_period_mode: bits 16:15 of word 0, in the mask 0x10. */
Test(modify_cq, period_counts_from_events_or_cqes)
{
	struct hca_cq *cq = hca_cq_find(&hca, n.cq);

	cr_assert_not(cq->from_cqe);
	core_put_be32(modify_cq(n.cq, MODERATE, 0x10), 1u << 15);
	cr_assert_eq(execute(), FW_OK);
	cr_assert(cq->from_cqe);
	cr_assert_eq(core_be32(query(n.cq)) & 3u << 15, 1u << 15);
	core_put_be32(modify_cq(n.cq, MODERATE, 3), 0);
	cr_assert_eq(execute(), FW_OK);
	cr_assert(cq->from_cqe, "not selected");
	core_put_be32(modify_cq(n.cq, MODERATE, 0x10), 2u << 15);
	cr_assert_eq(execute(), FW_BAD_PARAM);
	core_put_be32(modify_cq(n.cq, MODERATE, 0x10), 0);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_not(cq->from_cqe);
}

/* Each of the two capabilities is missing once. */
Test(modify_cq, period_mode_needs_its_capabilities)
{
	PRM_SET(cmd_hca_cap, hca.caps[0], cq_period_mode_modify, 0);
	core_put_be32(modify_cq(n.cq, MODERATE, 0x10), 0);
	REFUSED(FW_BAD_PARAM, WHY_UNSUPPORTED);
	BOX_OK(PRM_SET(cqc, cq_box(n.uar, n.eq), cq_period_mode, 1));
	PRM_SET(cmd_hca_cap, hca.caps[0], cq_period_mode_modify, 1);
	PRM_SET(cmd_hca_cap, hca.caps[0], cq_period_start_from_cqe, 0);
	core_put_be32(modify_cq(n.cq, MODERATE, 0x10), 1u << 15);
	REFUSED(FW_BAD_PARAM, WHY_VALUE);
	core_put_be32(modify_cq(n.cq, MODERATE, 0x10), 0);
	cr_assert_eq(execute(), FW_OK);
	BAD_PARAM(PRM_SET(cqc, cq_box(n.uar, n.eq), cq_period_mode, 1), WHY_UNSUPPORTED);
}

Test(modify_cq, moderation_may_come_with_creation)
{
	uint8_t *cqc = cq_box(n.uar, n.eq);
	struct hca_cq *cq;

	SET(cqc, cqc, F(cq_period, 16), F(cq_max_count, 32));
	cq = hca_cq_find(&hca, made());
	EQUALS(E(cq->period, 16), E(cq->max_count, 32));
}

Test(modify_cq, moves_the_queue)
{
	struct hca_cq *cq = hca_cq_find(&hca, n.cq);
	const uint8_t *cqc;

	memset(dbrec, 0, sizeof(dbrec));
	memset(pages[1], 0, 64);
	BOX_OK(PRM_SET(cqc, resize_box(n.cq), page_offset, 0));
	cr_assert_eq(pages[1][63], 0x50, "opcode RESIZE_CQ in the old ring");
	cr_assert_eq(hca_ring_at(&cq->ring, 0), pages[5]);
	EQUALS(E(cq->log_size, 6), E(cq->pi, 1));
	cqc = query(n.cq);
	cr_assert_eq(PRM_GET(cqc, cqc, log_cq_size), 6);
	cr_assert_eq(PRM_GET(cqc, cqc, producer_counter), 1);
	cr_assert_eq(PRM_GET(cqc, cqc, dbr_addr), (uintptr_t)dbrec, "the record stays");
	cr_assert_eq(PRM_GET_AT(query_cq_out, b.out, pas, 0), page(5));
}

Test(modify_cq, keeps_the_queue_when_cqes_would_be_lost)
{
	struct hca_cq *cq = hca_cq_find(&hca, n.cq);

	memset(dbrec, 0, sizeof(dbrec));
	cq->pi = 64;
	resize_box(n.cq);
	cr_assert_eq(execute(), 0x40, "BAD_SIZE_OUTS_CQES");
	cr_assert_eq(cq->log_size, 7);
	cr_assert_eq(hca_ring_at(&cq->ring, 0), pages[1]);
	dbrec[0] = 0x01000000; /* be32 1 */
	BOX_OK(resize_box(n.cq));
}

Test(modify_cq, refuses_what_is_not_its_own)
{
	BAD_PARAM(modify_cq(n.cq, MODERATE, 0), WHY_UNSUPPORTED);
	BAD_PARAM(modify_cq(n.cq, MODERATE, 1 << 2), WHY_UNSUPPORTED); /* overrun ignore */
	BAD_PARAM(modify_cq(n.cq, 2, 1), WHY_OP_MOD);
	BAD_PARAM(WITH(modify_cq(n.cq, MODERATE, 1), pas(page(5))), WHY_PAS);
	for (uint32_t select = 0; select < 7; select++)
		BAD_PARAM(WITH(modify_cq(n.cq, RESIZE, select), pas(page(5))), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(cqc, resize_box(n.cq), cq_period, 1), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(cqc, resize_box(n.cq), cqe_sz, 3), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(cqc, resize_box(n.cq), log_cq_size, 23), WHY_SIZE);
	BAD_PARAM(PRM_SET(cqc, resize_box(n.cq), uar_page, n.uar), WHY_UNSUPPORTED);
	/* two pages, one address */
	BOX_REFUSED(PRM_SET(cqc, resize_box(n.cq), log_cq_size, 7), FW_BAD_INP_LEN, WHY_PAS);
	BOX_REFUSED(resize_box(n.cq + 1), FW_BAD_RES_STATE, WHY_OBJECT);
}

Test(modify_cq, is_for_the_owner)
{
	uint16_t u = new_uctx();

	modify_cq(n.cq, MODERATE, 1);
	uid(u);
	cr_assert_eq(execute(), FW_BAD_RES_STATE);
}
