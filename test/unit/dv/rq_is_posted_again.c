/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Receives that are posted once more: the record moves, the slots stay as they were written. */
#include "memory.h"

static struct memory m;

static void post_all(void)
{
	for (uint32_t i = 0; i < 4; i++) {
		struct ibv_sge sge = { .addr = 0x1000 * (i + 1), .length = 0x40, .lkey = 1 };

		cr_assert_eq(dv_rq_post(&m.rq, &sge, 1), 0);
	}
	dv_rq_doorbell(&m.rq);
}

Test(rq, is_posted_again_up_to_an_index)
{
	struct mlx5_cqe64 third = memory_cqe(2);
	uint8_t before[64];

	memory_start(&m, MEMORY_BLOCKS, 16);
	post_all();
	memcpy(before, m.ring, sizeof(before));
	cr_assert_eq(be32toh(m.dbrec[0]), 4);
	dv_rq_retire(&m.rq, &third);
	dv_rq_repost(&m.rq, 2);
	dv_rq_doorbell(&m.rq);
	cr_assert_eq(be32toh(m.dbrec[0]), 6, "two of the three");
	dv_rq_repost(&m.rq, m.rq.ci);
	dv_rq_doorbell(&m.rq);
	cr_assert_eq(be32toh(m.dbrec[0]), 7);
	cr_assert_arr_eq(m.ring, before, sizeof(before));
	cr_assert_eq(dv_rq_post(&m.rq, NULL, 0), ENOMEM, "it is full");
}

Test(rq, is_posted_again_at_the_wrap_of_16_bits)
{
	struct mlx5_cqe64 cqe = memory_cqe(0xffff);

	memory_start(&m, MEMORY_BLOCKS, 16);
	m.rq.ci = 0xfffc;
	m.rq.pi = 0;
	dv_rq_retire(&m.rq, &cqe);
	dv_rq_repost(&m.rq, 0xffff);
	cr_assert_eq(m.rq.pi, 3);
	dv_rq_repost(&m.rq, m.rq.ci);
	cr_assert_eq(m.rq.pi, 4);
}
