/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of an arm: sn 29:28, solicited only 24, consumer index 23:0; in the register the
 * number of the CQ after them. */
#include "memory.h"

enum {
	ARM = 0x20,
};

static struct {
	uint8_t ring[4 * 64] __attribute__((aligned(64)));
	uint8_t page[4096] __attribute__((aligned(64)));
	uint8_t dbrec[8] __attribute__((aligned(8)));
	struct dv_cq cq;
} m;

static void start(void)
{
	struct mlx5dv_cq dvcq = { .buf = m.ring,
				  .dbrec = (__be32 *)m.dbrec,
				  .cqe_cnt = 4,
				  .cqe_size = 64,
				  .cq_uar = m.page,
				  .cqn = 0x010203 };

	memset(m.dbrec, 0, sizeof(m.dbrec));
	memset(m.page, OLD, sizeof(m.page));
	cr_assert_eq(dv_cq_init(&m.cq, &dvcq), 0);
}

TestSuite(arm, .init = start);

static void armed(const uint8_t word[4])
{
	static const uint8_t cqn[4] = { 0, 1, 2, 3 };

	cr_assert_arr_eq(m.dbrec + 4, word, 4);
	cr_assert_arr_eq(m.page + ARM, word, 4);
	cr_assert_arr_eq(m.page + ARM + 4, cqn, 4);
	cr_assert(is_old(m.page, ARM));
	cr_assert(is_old(m.page + ARM + 8, sizeof(m.page) - ARM - 8));
}

#define ARMED(...) armed((const uint8_t[4]){ __VA_ARGS__ })

Test(arm, of_a_fresh_cq_is_all_zero)
{
	memset(m.dbrec + 4, OLD, 4);
	dv_cq_arm(&m.cq, false);
	ARMED(0, 0, 0, 0);
	cr_assert_arr_eq(m.dbrec, ((uint8_t[4]){ 0 }), 4,
			 "the consumer record is not its business");
}

Test(arm, carries_24_bits_of_the_consumer_index)
{
	m.cq.ci = 0x12abcdef;
	dv_cq_arm(&m.cq, false);
	ARMED(0x00, 0xab, 0xcd, 0xef);
}

Test(arm, says_solicited_only)
{
	m.cq.ci = 5;
	dv_cq_arm(&m.cq, true);
	ARMED(0x01, 0, 0, 5);
}

Test(arm, counts_events_in_two_bits)
{
	static const uint8_t sn[6] = { 0x00, 0x10, 0x20, 0x30, 0x00, 0x10 };

	for (int i = 0; i < 6; i++) {
		dv_cq_arm(&m.cq, false);
		dv_cq_arm(&m.cq, false);
		ARMED(sn[i], 0, 0, 0);
		dv_cq_event(&m.cq);
	}
	m.cq.arm_sn = 255;
	dv_cq_arm(&m.cq, true);
	ARMED(0x31, 0, 0, 0);
}
