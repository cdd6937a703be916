/* SPDX-License-Identifier: BSD-2-Clause */
#include "queue.h"

static void start(void)
{
	memory_start(&m, 16, 64);
}

TestSuite(ring_edge, .init = start);

/* @n blocks are used. */
static void use(int n)
{
	while (n--)
		cr_assert_eq(dv_sq_nop(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE), 0);
}

/* 16 blocks, 14 used and free again; 3 more do not fit before the edge: 2 NOPs, then block
 * 0. */
Test(ring_edge, is_padded_with_nops)
{
	static const uint8_t nops[2][16] = {
		{ 0x00, 0x00, 0x0e, 0x00, 0x12, 0x34, 0x56, 0x01, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ 0x00, 0x00, 0x0f, 0x00, 0x12, 0x34, 0x56, 0x01, 0, 0, 0, 0, 0, 0, 0, 0 },
	};
	struct mlx5_cqe64 cqe;

	use(14);
	cqe = memory_cqe(13);
	dv_sq_retire(&m.sq, &cqe);
	memset(m.ring, OLD, sizeof(m.ring));

	cr_assert_eq(dv_sq_reserve(&m.sq, 3), (void *)(m.ring + 16));
	cr_assert_eq(m.sq.pi, 16);
	cr_assert_arr_eq(m.ring + 14 * 64, nops[0], 16);
	cr_assert_arr_eq(m.ring + 15 * 64, nops[1], 16);
	cr_assert(is_old(m.ring, 14 * 64));
	cr_assert(is_old(m.ring + 14 * 64 + 16, 48));
}

Test(ring_edge, is_not_padded_when_the_wqe_ends_on_it)
{
	use(13);
	cr_assert_eq(dv_sq_reserve(&m.sq, 3), (void *)(m.ring + 13 * 64 + 16));
	cr_assert_eq(m.sq.pi, 13);
}

/* No space after the padding: nothing is padded either. */
Test(ring_edge, is_not_padded_when_the_ring_is_full)
{
	use(14);
	cr_assert_null(dv_sq_reserve(&m.sq, 3));
	cr_assert_eq(m.sq.pi, 14);
	cr_assert(is_old(m.ring + 14 * 64, 128));
}

Test(ring_edge, padding_is_part_of_the_batch)
{
	struct mlx5_cqe64 cqe;
	struct ibv_sge sge[4] = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } };

	use(15);
	dv_sq_doorbell(&m.sq);
	cqe = memory_cqe(14);
	dv_sq_retire(&m.sq, &cqe);

	cr_assert_eq(dv_sq_send(&m.sq, 0, sge, 4), 0);
	dv_sq_doorbell(&m.sq);
	cr_assert_eq(be32toh(m.dbrec[1]), 18, "15 NOPs, 1 of padding, 2 blocks of SEND");
	/* A CQE of the SEND frees the padding before it too. */
	cqe = memory_cqe(16);
	dv_sq_retire(&m.sq, &cqe);
	cr_assert_eq(m.sq.ci, 18);
}
