/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots of a receive queue: lists, slots posted again, data inside the CQE, signatures. */
#include "queue.h"

QUEUE_SUITE(rq);
QUEUE_SUITE(rq_signature);

static const struct ibv_sge sge[4] = {
	{ .addr = 0x1122334455667788, .length = 0x40, .lkey = 0xabcdef01 },
	{ .addr = 0x2000, .length = 0x80, .lkey = 0x17 },
	{ .addr = 0x3000, .length = 0x90, .lkey = 0x18 },
	{ .addr = 0x4000, .length = 0xa0, .lkey = 0x19 },
};

Test(rq, list_ends_with_invalid_lkey)
{
	cr_assert_eq(dv_rq_post(&m.rq, sge, 1), 0);
	ring_is(&m, "00000040 abcdef01 11223344 55667788  00000000 00000100 00000000 00000000");
}

Test(rq, list_may_be_empty)
{
	cr_assert_eq(dv_rq_post(&m.rq, NULL, 0), 0);
	ring_is(&m, "00000000 00000100 00000000 00000000");
}

Test(rq, full_list_has_no_end_mark)
{
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

/* ---- posted once more: the record moves, the slots stay as they were written ---- */

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

/* ---- inline scatter: the device left the payload in the CQE; retire moves it ---- */

static char buffer[3][64];

static void post_two(uint32_t first, uint32_t second)
{
	struct ibv_sge sge[2] = { { (uintptr_t)buffer[0], first, 1 },
				  { (uintptr_t)buffer[1], second, 1 } };

	memset(buffer, '.', sizeof(buffer));
	cr_assert_eq(dv_rq_post(&m.rq, sge, 2), 0);
}

Test(rq, data_of_32_bytes_inside_the_cqe_reaches_the_buffer)
{
	static union {
		struct mlx5_cqe64 cqe;
		char bytes[64];
	} u;

	post_two(20, 64);
	memcpy(u.bytes, "0123456789abcdefghijABCDEFGHIJKL", 32);
	u.cqe.byte_cnt = htobe32(32);
	u.cqe.op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_32;
	dv_rq_retire(&m.rq, &u.cqe);
	cr_assert_arr_eq(buffer[0], "0123456789abcdefghij.", 21);
	cr_assert_arr_eq(buffer[1], "ABCDEFGHIJKL.", 13);
	cr_assert_eq(m.rq.ci, 1);
}

Test(rq, data_of_64_bytes_before_the_cqe_reaches_the_buffer)
{
	static struct mlx5_cqe64 slot[2];
	char *payload = (char *)&slot[0];
	int i;

	post_two(64, 64);
	for (i = 0; i < 64; i++)
		payload[i] = (char)('0' + i);
	slot[1].byte_cnt = htobe32(63);
	slot[1].op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_64;
	dv_rq_retire(&m.rq, &slot[1]);
	cr_assert_arr_eq(buffer[0], payload, 63);
	cr_assert_eq(buffer[0][63], '.');
}

Test(rq, data_in_the_buffer_already_is_left_alone)
{
	static struct mlx5_cqe64 cqe;

	post_two(64, 64);
	cqe.byte_cnt = htobe32(32);
	cqe.op_own = MLX5_CQE_RESP_SEND << 4;
	dv_rq_retire(&m.rq, &cqe);
	cr_assert_eq(buffer[0][0], '.');
}

/* A byte_cnt beyond the buffers must not walk out of the slot. */
Test(rq, data_that_does_not_fit_stops_at_the_end_of_the_list)
{
	static struct mlx5_cqe64 cqe;

	post_two(4, 4);
	cqe.byte_cnt = htobe32(32);
	cqe.op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_32;
	dv_rq_retire(&m.rq, &cqe);
	cr_assert_eq(buffer[0][4], '.');
	cr_assert_eq(buffer[1][4], '.');
}

/* ---- signatures: the exclusive or of the WQE up to its last SGE, of the index and of the QP
 * number is 0xff ---- */

Test(rq_signature, is_in_front_of_the_list)
{
	struct ibv_sge sge[2] = { { 0x1122334455667788, 0x40, 0x12 }, { 0x10, 0x1, 0x0 } };

	dv_rq_sign(&m.rq, 0x000102);
	cr_assert_eq(m.rq.max_sge, 3);
	cr_assert_eq(dv_rq_post(&m.rq, sge, 2), 0);
	/* 0x40 ^ 0x12 ^ (0x11 ^ … ^ 0x88) ^ 0x10 ^ 0x01 = 0xcb; QP 0x03; index 0: ~0xc8 */
	ring_is(&m, "00000000 37000000 00000000 00000000  00000040 00000012 11223344 55667788"
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

	dv_rq_sign(&m.rq, 1);
	cr_assert_eq(dv_rq_post(&m.rq, &sge, 1), 0);
	memcpy(&cqe, "abcd", 4);
	cqe.byte_cnt = htobe32(4);
	cqe.op_own = MLX5_CQE_RESP_SEND << 4 | MLX5_INLINE_SCATTER_32;
	cr_assert_eq(dv_rq_retire(&m.rq, &cqe), 0);
	cr_assert_arr_eq(buffer, "abcd\0", 5);
}
