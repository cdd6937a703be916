/* SPDX-License-Identifier: BSD-2-Clause */
/* Unsignalled WQEs, and WQEs of 3 blocks that reach the ring's end in every position, until
 * the 16-bit counters have wrapped: no WQE is lost, and the ring never stays full. */
#include "fixture.h"

TestSuite(retire, .init = fixture_start, .fini = fixture_stop);

Test(retire, sq_retire_frees_all_earlier_wqes)
{
	struct ibv_sge sge = src_sge(0, 64);
	struct mlx5_cqe64 cqe;
	int i;

	for (i = 0; i < 40; i++)
		cr_assert_eq(dv_sq_write(&f.a.sq, i == 39 ? SIGNALLED : 0,
					 dst_at((uint32_t)i * 64), &sge, 1),
			     0);
	cqe = ring(&f.a);
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 39);
	cr_assert_eq(dv_cqe_send_opcode(&cqe), MLX5_OPCODE_RDMA_WRITE);
	cr_assert_eq(f.a.sq.ci, f.a.sq.pi);
	for (i = 0; i < 40; i++)
		cr_assert_eq(memcmp(f.dst + i * 64, f.src, 64), 0, "WQE %d", i);
	cr_assert(stays_quiet(&f.a), "39 were unsignalled");
}

/* 4 WQEs a round: 3 blocks unsignalled, twice; then 1 block; the last signalled. */
Test(retire, wraps_and_padding_lose_nothing, .timeout = 120)
{
	uint64_t *count = (uint64_t *)f.dst;
	struct ibv_sge old = dst_sge(64, 8);
	uint32_t blocks = 0, round;
	char filler[150] = { 0 };

	*count = 0;
	for (round = 0; blocks < 70000; round++) {
		uint16_t before = f.a.sq.pi;

		cr_assert_eq(dv_sq_write_inline(&f.a.sq, 0, dst_at(4096), filler, 150), 0);
		cr_assert_eq(dv_sq_fetch_add(&f.a.sq, 0, dst_at(0), &old, 1), 0);
		cr_assert_eq(dv_sq_write_inline(&f.a.sq, 0, dst_at(4096), filler, 150), 0);
		cr_assert_eq(dv_sq_nop(&f.a.sq, SIGNALLED | MLX5_WQE_CTRL_FENCE), 0);
		blocks += (uint16_t)(f.a.sq.pi - before);
		ring(&f.a);
		cr_assert_eq(f.a.sq.ci, f.a.sq.pi);
		cr_assert_eq(*count, round + 1);
	}
}
