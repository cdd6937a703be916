/* SPDX-License-Identifier: BSD-2-Clause */
/* WQEs of one to five blocks, rung in turn by either: each is executed exactly once. */
#include "fixture.h"

TestSuite(blueflame, .init = fixture_start, .fini = fixture_stop);

static void run(void (*ring)(struct dv_sq *))
{
	uint32_t len, at = 0;

	for (len = 1; len <= 250; len += 13, at += 512) {
		cr_assert_eq(
			dv_sq_write_inline(&f.a.sq, SIGNALLED, dst_at(at), f.src + at, len), 0);
		ring(&f.a.sq);
		success(&f.a, MLX5_CQE_REQ);
		cr_assert_eq(memcmp(f.dst + at, f.src + at, len), 0, "%u bytes", len);
		cr_assert_eq(f.dst[at + len], 0xdd);
	}
	memset(f.dst, 0xdd, at);
}

static void doorbell(struct dv_sq *sq)
{
	dv_sq_doorbell(sq);
}

static void blueflame(struct dv_sq *sq)
{
	dv_sq_blueflame(sq);
}

Test(blueflame, and_doorbell_do_the_same)
{
	run(doorbell);
	run(blueflame);
	run(doorbell);
}

Test(blueflame, executes_a_wqe_once)
{
	uint64_t *count = (uint64_t *)f.dst;
	struct ibv_sge old = dst_sge(64, 8);
	int i;

	*count = 0;
	for (i = 0; i < 100; i++) {
		cr_assert_eq(dv_sq_fetch_add(&f.a.sq, SIGNALLED, dst_at(0), &old, 1), 0);
		blueflame(&f.a.sq);
		success(&f.a, MLX5_CQE_REQ);
	}
	cr_assert_eq(*count, 100);
}

/* Posted one after the other without waiting: both halves of the register in use. */
Test(blueflame, keeps_order_with_doorbells)
{
	uint64_t *count = (uint64_t *)f.dst;
	uint64_t *seen = (uint64_t *)(f.dst + 64);
	int i;

	*count = 0;
	for (i = 0; i < 30; i++) {
		struct ibv_sge old = dst_sge(64 + 8 * (uint32_t)i, 8);

		cr_assert_eq(
			dv_sq_fetch_add(&f.a.sq, i == 29 ? SIGNALLED : 0, dst_at(0), &old, 1),
			0);
		if (i % 3)
			blueflame(&f.a.sq);
		else
			doorbell(&f.a.sq);
	}
	success(&f.a, MLX5_CQE_REQ);
	for (i = 0; i < 30; i++)
		cr_assert_eq(seen[i], (uint64_t)i);
}
