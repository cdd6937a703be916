/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
#include "memory.h"

static struct memory m;
static const struct ibv_sge sge[4] = {
	{ .addr = 0x1122334455667788, .length = 0x40, .lkey = 0xabcdef01 },
	{ .addr = 0x2000, .length = 0x80, .lkey = 0x17 },
	{ .addr = 0x3000, .length = 0x90, .lkey = 0x18 },
	{ .addr = 0x4000, .length = 0xa0, .lkey = 0x19 },
};

Test(rq, list_ends_with_invalid_lkey)
{
	memory_start(&m, MEMORY_BLOCKS, 64);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 1), 0);
	ring_is(&m,
		"00000040 abcdef01 11223344 55667788  00000000 00000100 00000000 00000000");
}

Test(rq, list_may_be_empty)
{
	memory_start(&m, MEMORY_BLOCKS, 64);
	cr_assert_eq(dv_rq_post(&m.rq, NULL, 0), 0);
	ring_is(&m, "00000000 00000100 00000000 00000000");
}

Test(rq, full_list_has_no_end_mark)
{
	memory_start(&m, MEMORY_BLOCKS, 64);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 4), 0);
	cr_assert(is_old(m.ring + 64, sizeof(m.ring) - 64));
	cr_assert_eq(m.ring[48 + 3], 0xa0);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 5), EMSGSIZE, "a slot holds four");
}

Test(rq, slot_of_one_sge_has_no_end_mark)
{
	memory_start(&m, MEMORY_BLOCKS, 16);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 1), 0);
	cr_assert(is_old(m.ring + 16, sizeof(m.ring) - 16));
}

Test(rq, doorbell_is_the_record_only)
{
	memory_start(&m, MEMORY_BLOCKS, 64);
	dv_rq_post(&m.rq, sge, 1);
	dv_rq_post(&m.rq, sge, 1);
	cr_assert_eq(m.dbrec[0], 0);
	dv_rq_doorbell(&m.rq);
	cr_assert_eq(be32toh(m.dbrec[0]), 2);
	cr_assert_eq(m.dbrec[1], 0);
	cr_assert(is_old(m.reg, sizeof(m.reg)));
}

Test(rq, is_full_and_empty_at_every_count)
{
	struct mlx5_cqe64 cqe;
	uint32_t start, i;

	memory_start(&m, MEMORY_BLOCKS, 64);
	for (start = 0; start < 65536; start++) {
		m.rq.pi = m.rq.ci = (uint16_t)start;
		for (i = 0; i < 4; i++)
			cr_assert_eq(dv_rq_post(&m.rq, sge, 1), 0);
		cr_assert_eq(dv_rq_post(&m.rq, sge, 1), ENOMEM);
		cqe = memory_cqe((uint16_t)start);
		dv_rq_retire(&m.rq, &cqe);
		cr_assert_eq(dv_rq_post(&m.rq, sge, 1), 0, "one retired, one free");
		cr_assert_eq(dv_rq_post(&m.rq, sge, 1), ENOMEM);
	}
}
