/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory.h"

static struct memory m[3];
static const struct dv_sq *const sqs[3] = { &m[0].sq, &m[1].sq, &m[2].sq };

static void start(void)
{
	for (unsigned int i = 0; i < 3; i++)
		memory_start(&m[i], MEMORY_BLOCKS, 64);
}

TestSuite(registers, .init = start);

Test(registers, that_are_separate)
{
	unsigned int pair[2] = { 7, 7 };

	cr_assert_eq(dv_sq_shared(sqs, 3, pair), ENOENT);
	cr_assert_eq(dv_sq_shared(sqs, 0, pair), ENOENT);
	cr_assert_eq(pair[0], 7);
}

Test(registers, shared_by_two)
{
	unsigned int pair[2];

	m[2].sq.bf_reg = m[0].sq.bf_reg;
	cr_assert_eq(dv_sq_shared(sqs, 3, pair), 0);
	cr_assert_eq(pair[0], 0);
	cr_assert_eq(pair[1], 2);
	cr_assert_eq(dv_sq_shared(sqs, 2, pair), ENOENT, "the third is not asked about");
}

/* Which half is the next one to write, is each queue's own business. */
Test(registers, shared_whichever_half_is_next)
{
	unsigned int pair[2];

	m[1].sq.bf_reg = m[0].sq.bf_reg;
	m[1].sq.bf_offset = MEMORY_BF;
	cr_assert_eq(dv_sq_shared(sqs, 3, pair), 0);
	cr_assert_eq(pair[1], 1);
}

/* Two queues, one register: its halves alternate, whichever queue rings. */
Test(registers, shared_take_turns_for_all_their_queues)
{
	struct ibv_sge sge = { 0x1000, 16, 7 };
	struct dv_reg reg = { 0 };
	unsigned int i;

	m[1].sq.bf_reg = m[0].sq.bf_reg;
	for (i = 0; i < 6; i++) {
		struct memory *one = &m[i & 1];
		uint8_t *half = m[0].reg + (i & 1) * MEMORY_BF;

		memset(m[0].reg, OLD, sizeof(m[0].reg));
		cr_assert_eq(dv_sq_send(&one->sq, 0, &sge, 1), 0);
		dv_sq_ring_shared(&one->sq, &reg, i < 4 ? DV_BLUEFLAME : DV_DOORBELL);
		cr_assert_arr_eq(half, one->ring + (i / 2) * 64, i < 4 ? 64 : 8);
		cr_assert(is_old(m[0].reg + (~i & 1) * MEMORY_BF, MEMORY_BF), "ring %u", i);
	}
	cr_assert_eq(reg.bf_offset, 0);
}

/* One queue rings twice, then the other: with a separate toggle it would begin with the first
 * half. */
Test(registers, shared_go_on_where_another_queue_stopped)
{
	struct dv_reg reg = { 0 };

	m[1].sq.bf_reg = m[0].sq.bf_reg;
	dv_sq_nop(&m[0].sq, 0);
	dv_sq_ring_shared(&m[0].sq, &reg, DV_DOORBELL);
	dv_sq_nop(&m[1].sq, 0);
	dv_sq_ring_shared(&m[1].sq, &reg, DV_DOORBELL);
	cr_assert_arr_eq(m[0].reg + MEMORY_BF, m[1].ring, 8);
	dv_sq_ring_shared(&m[1].sq, &reg, DV_DOORBELL);
	cr_assert_eq(reg.bf_offset, 0, "nothing new: no turn");
}

/* libmlx5 would make QPs that want a signature in each WQE. */
Test(registers, of_queues_with_signed_wqes_are_not_mapped)
{
	struct ibv_qp qp = { .qp_type = IBV_QPT_RC };
	struct dv_sq sq;

	setenv("MLX5_QP_SIGNATURE", "1", 1);
	cr_assert_eq(dv_sq_map(&sq, &qp), EOPNOTSUPP);
}

Test(registers, of_queues_that_only_receive_are_not_mapped)
{
	struct ibv_qp qp = { .qp_type = IBV_QPT_XRC_RECV };
	struct dv_sq sq;

	cr_assert_eq(dv_sq_map(&sq, &qp), EOPNOTSUPP);
}
