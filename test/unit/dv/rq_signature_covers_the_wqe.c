/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* RQ with signatures: golden slots. The signature makes the exclusive or of the WQE up to its
 * last SGE, of the index and of the QP number 0xff. */
#include "memory.h"

static struct memory m;

Test(rq_signature, is_in_front_of_the_list)
{
	struct ibv_sge sge[2] = { { 0x1122334455667788, 0x40, 0x12 }, { 0x10, 0x1, 0x0 } };

	memory_start(&m, MEMORY_BLOCKS, 64);
	dv_rq_sign(&m.rq, 0x000102);
	cr_assert_eq(m.rq.max_sge, 3);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 2), 0);
	/* 0x40 ^ 0x12 ^ (0x11 ^ … ^ 0x88) ^ 0x10 ^ 0x01 = 0xcb; QP 0x03; index 0: ~0xc8 */
	ring_is(&m,
		"00000000 37000000 00000000 00000000  00000040 00000012 11223344 55667788"
		"00000001 00000000 00000000 00000010  00000000 00000100 00000000 00000000");
}

Test(rq_signature, counts_the_index)
{
	struct ibv_sge sge = { 0, 0x40, 0 };
	struct mlx5_cqe64 cqe;

	memory_start(&m, MEMORY_BLOCKS, 32);
	dv_rq_sign(&m.rq, 0);
	cr_assert_eq(m.rq.max_sge, 1);
	for (uint32_t i = 0; i < 65536 + 8; i++) {
		const uint8_t *slot = m.ring + i % 4 * 32;
		uint8_t sum = (uint8_t)i ^ (uint8_t)(i >> 8);

		cr_assert_eq(dv_rq_post(&m.rq, &sge, 1), 0);
		for (int b = 0; b < 32; b++)
			sum ^= slot[b];
		cr_assert_eq(sum, 0xff, "index %u", i);
		cqe = memory_cqe((uint16_t)i);
		dv_rq_retire(&m.rq, &cqe);
	}
}

Test(rq_signature, leaves_one_sge_less)
{
	struct ibv_sge sge[4] = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } };

	memory_start(&m, MEMORY_BLOCKS, 64);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 4), 0);
	dv_rq_sign(&m.rq, 1);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 4), EMSGSIZE);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 3), 0);
}

Test(rq_signature, does_not_hide_the_list_from_data_in_the_cqe)
{
	static char buffer[16];
	struct ibv_sge sge = { (uintptr_t)buffer, 16, 1 };
	struct mlx5_cqe64 cqe = memory_cqe(0);

	memory_start(&m, MEMORY_BLOCKS, 64);
	dv_rq_sign(&m.rq, 1);
	cr_assert_eq(dv_rq_post(&m.rq, &sge, 1), 0);
	memcpy(&cqe, "abcd", 4);
	cqe.byte_cnt = htobe32(4);
	cqe.op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_32;
	cr_assert_eq(dv_rq_retire(&m.rq, &cqe), 0);
	cr_assert_arr_eq(buffer, "abcd\0", 5);
}
