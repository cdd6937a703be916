/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Golden bytes, written by hand from the layouts of the PRM (control, remote address, atomic,
 * data and inline segments), for a first WQE on QP 0x123456. */
#include "queue.h"

static const struct ibv_sge sge[2] = {
	{ .addr = 0x1122334455667788, .length = 0x40, .lkey = 0xabcdef01 },
	{ .addr = 0x99aabbccddeeff00, .length = 0x01020304, .lkey = 0x0000beef },
};
static const struct dv_raddr at = { .raddr = 0x7f0102030405060, .rkey = 0xcafe0017 };

static const struct ibv_sge old = { .addr = 0x1000, .length = 8, .lkey = 0x77 };

QUEUE_SUITE(wqe_bytes);

POSTS(wqe_bytes, nop, dv_sq_nop(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE),
      "00000000 12345601 00000008 00000000")

POSTS(wqe_bytes, send, dv_sq_send(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, sge, 2),
      "0000000a 12345603 00000008 00000000  00000040 abcdef01 11223344 55667788"
      "01020304 0000beef 99aabbcc ddeeff00")

POSTS(wqe_bytes, send_of_nothing, dv_sq_send(&m.sq, 0, NULL, 0),
      "0000000a 12345601 00000000 00000000")

Test(wqe_bytes, empty_sge_gets_no_segment)
{
	struct ibv_sge list[3] = { sge[0], { .addr = 1, .length = 0, .lkey = 2 }, sge[1] };

	cr_assert_eq(dv_sq_send(&m.sq, 0, list, 3), 0);
	ring_is(&m,
		"0000000a 12345603 00000000 00000000  00000040 abcdef01 11223344 55667788"
		"01020304 0000beef 99aabbcc ddeeff00");
}

POSTS(wqe_bytes, send_imm,
      dv_sq_send_imm(&m.sq, MLX5_WQE_CTRL_SOLICITED, sge, 1, htobe32(0xdeadbeef)),
      "0000000b 12345602 00000002 deadbeef  00000040 abcdef01 11223344 55667788")

POSTS(wqe_bytes, rdma_write, dv_sq_write(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, at, sge, 1),
      "00000008 12345603 00000008 00000000  07f01020 30405060 cafe0017 00000000"
      "00000040 abcdef01 11223344 55667788")

POSTS(wqe_bytes, rdma_write_imm, dv_sq_write_imm(&m.sq, 0, at, sge, 1, htobe32(0x01020304)),
      "00000009 12345603 00000000 01020304  07f01020 30405060 cafe0017 00000000"
      "00000040 abcdef01 11223344 55667788")

POSTS(wqe_bytes, rdma_read, dv_sq_read(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, at, sge, 2),
      "00000010 12345604 00000008 00000000  07f01020 30405060 cafe0017 00000000"
      "00000040 abcdef01 11223344 55667788  01020304 0000beef 99aabbcc ddeeff00")

POSTS(wqe_bytes, cmp_swap,
      dv_sq_cmp_swap(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, at, &old, 0x0102030405060708, 0xf1f2f3f4f5f6f7f8),
      "00000011 12345604 00000008 00000000  07f01020 30405060 cafe0017 00000000"
      "f1f2f3f4 f5f6f7f8 01020304 05060708  00000008 00000077 00000000 00001000")

POSTS(wqe_bytes, fetch_add,
      dv_sq_fetch_add(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, at, &old, 0x2a),
      "00000012 12345604 00000008 00000000  07f01020 30405060 cafe0017 00000000"
      "00000000 0000002a 00000000 00000000  00000008 00000077 00000000 00001000")

POSTS(wqe_bytes, send_inline,
      dv_sq_send_inline(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, "SEND operation", 14),
      "0000000a 12345603 00000008 00000000  8000000e 'SEND operation'"
      "00000000 00000000 00000000 0000")

POSTS(wqe_bytes, write_inline, dv_sq_write_inline(&m.sq, 0, at, "abcdefghijkl", 12),
      "00000008 12345603 00000000 00000000  07f01020 30405060 cafe0017 00000000"
      "8000000c 'abcdefghijkl'"
      /* after its 3 segments, not read */
      "00000000 00000000 00000000 00000000")

POSTS(wqe_bytes, inline_of_nothing_is_no_segment, dv_sq_send_inline(&m.sq, 0, "", 0),
      "0000000a 12345601 00000000 00000000")

/* ds 32 = 0x20: 16 + 16 + 30 * 16 bytes, 8 blocks; the next WQE has index 8. */
Test(wqe_bytes, write_of_30_sges)
{
	static const uint8_t head[32] = {
		0x00, 0x00, 0x00, 0x08, 0x12, 0x34, 0x56, 0x20,
		0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
		0x07, 0xf0, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60,
		0xca, 0xfe, 0x00, 0x17, 0x00, 0x00, 0x00, 0x00,
	};
	uint8_t data[16] = { 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x99,
			     0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00 };
	struct ibv_sge list[30];
	int i;

	for (i = 0; i < 30; i++)
		list[i] = (struct ibv_sge){ 0x100000 + i, 1 + i, 0x99 };
	cr_assert_eq(dv_sq_write(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, at, list, 30), 0);
	cr_assert_arr_eq(m.ring, head, 32);
	for (i = 0; i < 30; i++) {
		data[3] = (uint8_t)(1 + i);
		data[15] = (uint8_t)i;
		cr_assert_arr_eq(m.ring + 32 + 16 * i, data, 16, "SGE %d", i);
	}
	cr_assert(is_old(m.ring + 512, sizeof(m.ring) - 512));
	cr_assert_eq(m.sq.pi, 8);
}

Test(wqe_bytes, second_wqe_has_its_index_on_the_next_block)
{
	static const uint8_t second[16] = { 0x00, 0x00, 0x02, 0x00, 0x12, 0x34, 0x56, 0x01,
					    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00 };
	struct ibv_sge four[4] = { sge[0], sge[0], sge[0], sge[0] };

	cr_assert_eq(dv_sq_send(&m.sq, 0, four, 4), 0);
	cr_assert_eq(dv_sq_nop(&m.sq, 0), 0);
	cr_assert_arr_eq(m.ring + 128, second, 16);
}
