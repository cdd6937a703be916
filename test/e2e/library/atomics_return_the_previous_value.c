/* SPDX-License-Identifier: BSD-2-Clause */
#include <dv/masked.h>
#include "fixture.h"

TestSuite(atomics, .init = fixture_start, .fini = fixture_stop);

static uint64_t *target(void)
{
	return (uint64_t *)(f.dst + 4096);
}

static uint64_t *result(void)
{
	return (uint64_t *)f.dst;
}

Test(atomics, fetch_add_returns_what_was_there)
{
	struct ibv_sge old = dst_sge(0, 8);

	*target() = 0xfffffffffffffff0;
	cr_assert_eq(dv_sq_fetch_add(&f.a.sq, SIGNALLED, dst_at(4096), &old, 0x21), 0);
	ring(&f.a);
	cr_assert_eq(*result(), 0xfffffffffffffff0);
	cr_assert_eq(*target(), 0x11, "modulo 2^64");
}

Test(atomics, cmp_swap_swaps_what_it_expected)
{
	struct ibv_sge old = dst_sge(0, 8);

	*target() = 0x1122334455667788;
	cr_assert_eq(dv_sq_cmp_swap(&f.a.sq, SIGNALLED, dst_at(4096), &old, 0x1122334455667788,
				    0xabcdef0102030405),
		     0);
	ring(&f.a);
	cr_assert_eq(*result(), 0x1122334455667788);
	cr_assert_eq(*target(), 0xabcdef0102030405);
}

Test(atomics, cmp_swap_leaves_what_it_did_not_expect)
{
	struct ibv_sge old = dst_sge(0, 8);

	*target() = 7;
	cr_assert_eq(dv_sq_cmp_swap(&f.a.sq, SIGNALLED, dst_at(4096), &old, 8, 9), 0);
	ring(&f.a);
	cr_assert_eq(*result(), 7);
	cr_assert_eq(*target(), 7);
}

/* Many at once: each sees the sum so far; all are counted. */
Test(atomics, fetch_adds_count_one_by_one)
{
	uint64_t i;

	*target() = 100;
	for (i = 0; i < 20; i++) {
		struct ibv_sge old = dst_sge((uint32_t)(8 * i), 8);

		cr_assert_eq(dv_sq_fetch_add(&f.a.sq, i == 19 ? SIGNALLED : 0, dst_at(4096),
					     &old, 3),
			     0);
	}
	ring(&f.a);
	for (i = 0; i < 20; i++)
		cr_assert_eq(result()[i], 100 + 3 * i);
	cr_assert_eq(*target(), 160);
}

/* 4 bytes come big-endian, whatever the order of 8-byte answers. */
Test(atomics, masked_of_4_bytes_answer_big_endian)
{
	static const uint8_t answer[5] = { 0x01, 0x02, 0x03, 0x04, 0xdd };
	struct ibv_sge old = dst_sge(0, 4);
	uint32_t word = 0x01020304;

	memcpy(target(), &word, sizeof(word));
	cr_assert_eq(dv_sq_masked_fetch_add32(&f.a.sq, SIGNALLED, dst_at(4096), &old, 1, 0), 0);
	ring(&f.a);
	cr_assert_arr_eq(f.dst, answer, sizeof(answer));
	memcpy(&word, target(), sizeof(word));
	cr_assert_eq(word, 0x01020305);
}

/* Without the fence the WRITE could take the old bytes of what the READ brings. */
Test(atomics, fence_waits_for_the_read)
{
	struct ibv_sge into = dst_sge(0, 4096), from = dst_sge(0, 4096);

	cr_assert_eq(dv_sq_read(&f.a.sq, 0, src_at(0), &into, 1), 0);
	cr_assert_eq(
		dv_sq_write(&f.a.sq, SIGNALLED | MLX5_WQE_CTRL_FENCE, dst_at(8192), &from, 1),
		0);
	ring(&f.a);
	cr_assert_eq(memcmp(f.dst + 8192, f.src, 4096), 0);
}
