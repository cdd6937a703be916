/* SPDX-License-Identifier: BSD-2-Clause */
/* Outstanding READs: at most max_rd_atomic, and a fence waits for them. */
#include <string.h>

#include "rig.h"

#define FENCED (0x80 | SIGNALED) /* fm 4, "small and fence": what IBV_SEND_FENCE becomes */

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	memset(h.buf, 0x5a, 8192);
	record_frames();
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(read_limit, .init = setup, .fini = teardown);

static void read_wr(uint32_t len)
{
	post_wr(&a,
		&(struct wr){
			.opcode = 0x10, .fm_ce_se = SIGNALED, .len = len, .local = 0x100000 });
}

Test(read_limit, write_without_fence_overtakes_the_response)
{
	read_wr(100);
	post_wr(&a, &(struct wr){ .opcode = 0x08, .fm_ce_se = SIGNALED, .len = 8 });
	ring(&a);
	settle(&h, 1);
	expect_opcodes(0, (uint8_t[]){ 0x0c, 0x0a, 0x10, 0x11 }, 4);
}

Test(read_limit, fenced_write_waits_for_the_response)
{
	read_wr(100);
	post_wr(&a, &(struct wr){ .opcode = 0x08, .fm_ce_se = FENCED, .len = 8 });
	ring(&a);
	settle(&h, 1);
	expect_opcodes(0, (uint8_t[]){ 0x0c, 0x10, 0x0a, 0x11 }, 4);
	cr_assert_not_null(next_cqe(&a));
	cr_assert_not_null(next_cqe(&a));
}

Test(read_limit, no_more_than_max_rd_atomic_are_under_way)
{
	a.qp->max_rd_atomic = 2;
	for (int i = 0; i < 4; i++)
		read_wr(10);
	ring(&a);
	settle(&h, 1);
	expect_opcodes(0, (uint8_t[]){ 0x0c, 0x0c, 0x10, 0x10, 0x0c, 0x0c, 0x10, 0x10 }, 8);
	for (int i = 0; i < 4; i++)
		cr_assert_not_null(next_cqe(&a));
}

Test(read_limit, sixteen_reads_and_atomics_are_answered_in_order)
{
	for (int i = 0; i < 16; i++)
		post_wr(&a, &(struct wr){ .opcode = i % 2 ? 0x12 : 0x10,
					  .fm_ce_se = SIGNALED,
					  .len = 8,
					  .local = 0x100000 + 8 * i,
					  .remote = 0x200000,
					  .swap_add = 1 });
	ring(&a);
	settle(&h, 1);
	for (int i = 0; i < 16; i++) {
		const uint8_t *cqe = next_cqe(&a);

		cr_assert_not_null(cqe);
		cr_expect_eq(cqe[61], i);
		if (i % 2)
			cr_expect_eq(*(uint64_t *)(h.buf + 0x100000 + 8 * i), (uint64_t)i / 2);
	}
	cr_expect_eq(*(uint64_t *)(h.buf + 0x200000), 8);
}

Test(read_limit, both_directions_at_once)
{
	for (int i = 0; i < 4; i++) {
		read_wr(50000);
		post_wr(&b, &(struct wr){ .opcode = 0x10,
					  .fm_ce_se = SIGNALED,
					  .len = 50000,
					  .local = 0x180000 });
	}
	ring(&a);
	settle(&h, 1);
	for (int i = 0; i < 4; i++) {
		cr_assert_not_null(next_cqe(&a));
		cr_assert_not_null(next_cqe(&b));
	}
	cr_expect_arr_eq(h.buf + 0x100000, h.buf, 50000);
	cr_expect_arr_eq(h.buf + 0x180000, h.buf, 50000);
}
