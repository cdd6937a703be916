/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Golden bytes, written by hand: memcpy by the device, WAIT, SEND_EN, ACCESS_ASO, WQEs as they
 * are, and the rest of what a QP can send. */
#include <dv/aso.h>
#include <dv/cross.h>
#include <dv/mmo.h>
#include "queue.h"

static const struct ibv_sge sge = { .addr = 0x1122334455667788, .length = 0x40,
				    .lkey = 0xabcdef01 };

QUEUE_SUITE(rarer_wqes);

POSTS(rarer_wqes, memcpy_of_4_kib,
      dv_sq_memcpy(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, (struct dv_laddr){ 0x7f0000001000, 0xdead01 }, (struct dv_laddr){ 0x7f0011223000, 0x184200 }, (struct dv_laddr){ 0x7f0000100000, 0x11100 }, 4096),
      "0100002f 12345604 00000008 00000000  00000000 00dead01 00007f00 00001000"
      "00001000 00011100 00007f00 00100000  00001000 00184200 00007f00 11223000")

/* 2 GB are 0 in a byte count, and more there cannot be. */
Test(rarer_wqes, memcpy_of_2_gb_and_of_what_cannot_be)
{
	const uint32_t most = (uint32_t)1 << 31;
	struct dv_laddr to = { 0, 2 }, from = { 0, 1 };

	cr_assert_eq(dv_sq_memcpy(&m.sq, 0, to, to, from, most), 0);
	cr_assert_arr_eq(m.ring + 32, ((uint8_t[8]){ 0, 0, 0, 0, 0, 0, 0, 1 }), 8);
	cr_assert_arr_eq(m.ring + 48, ((uint8_t[8]){ 0, 0, 0, 0, 0, 0, 0, 2 }), 8);
	cr_assert_eq(dv_sq_memcpy(&m.sq, 0, to, to, from, most + 1), EINVAL);
	cr_assert_eq(dv_sq_memcpy(&m.sq, 0, to, to, from, 0), EINVAL);
	cr_assert_eq(m.sq.pi, 1);
}

POSTS(rarer_wqes, wait_for_a_cq, dv_sq_wait_cq(&m.sq, 0, 0x00000345, 0x00010203),
      "0000000f 12345602 00000000 00000000  00000000 00000000 00010203 00000345")

Test(rarer_wqes, wait_for_a_word_of_memory)
{
	const struct dv_wait wait = { .operation = DV_WAIT_INVERT | DV_WAIT_EQUAL, .lkey = 0x77,
				      .addr = 0x1000, .value = 0x0102030405060708,
				      .mask = 0xff };

	cr_assert_eq(dv_sq_wait(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, DV_OPMOD_WAIT_DATA, &wait), 0);
	ring_is(&m,
		"0100000f 12345603 00000008 00000000  00000011 00000077 00000000 00001000"
		"01020304 05060708 00000000 000000ff");
}

POSTS(rarer_wqes, send_en, dv_sq_send_en(&m.sq, 0, 0x000abc, 0x1234),
      "00000017 12345602 00000000 00000000  00000000 00000000 00001234 00000abc")

Test(rarer_wqes, access_aso_that_reads_and_changes)
{
	const struct dv_aso aso = { .read_to = 0x00007f0011223000, .lkey = 0x1842,
				    .data_mask_mode = 0x40, .operands = 0x21, .offsets = 0x43,
				    .data_offset = 0x65,
				    .condition_data = { 0x01020304, 0x05060708 },
				    .condition_mask = { 0x0000ffff, 0xffff0000 },
				    .data = 0x1112131415161718, .mask = 0x00ff };

	cr_assert_eq(dv_sq_aso(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, DV_OPMOD_ASO_POLICER, 0x99, &aso,
			       NULL), 0);
	ring_is(&m,
		"0200002d 12345604 00000008 00000099  00007f00 11223001 00001842 40214365"
		"01020304 0000ffff 05060708 ffff0000  11121314 15161718 00000000 000000ff");
}

/* An address of 0 is no address: the bit that says "read" is clear, too. */
Test(rarer_wqes, access_aso_with_data)
{
	const struct dv_aso aso = { .data_mask_mode = 0x80 };
	uint8_t data[DV_ASO_BYTES];

	memset(data, 0x5a, sizeof(data));
	cr_assert_eq(dv_sq_aso(&m.sq, 0, DV_OPMOD_ASO_MACSEC, 1, &aso, data), 0);
	cr_assert_arr_eq(m.ring, ((uint8_t[16]){ 5, 0, 0, 0x2d, 0x12, 0x34, 0x56, 8,
						 0, 0, 0, 0, 0, 0, 0, 1 }), 16);
	cr_assert_arr_eq(m.ring + 16, ((uint8_t[16]){ [12] = 0x80 }), 16);
	cr_assert_arr_eq(m.ring + 64, data, sizeof(data));
	cr_assert_eq(m.sq.pi, 2);
}

POSTS(rarer_wqes, send_inv_takes_the_rkey_in_host_order,
      dv_sq_send_inv(&m.sq, MLX5_WQE_CTRL_SOLICITED, &sge, 1, 0x00184242),
      "00000001 12345602 00000002 00184242  00000040 abcdef01 11223344 55667788")

Test(rarer_wqes, inline_data_of_several_buffers_is_one_segment)
{
	const struct ibv_data_buf buf[4] = { { "SEND", 4 }, { "", 0 }, { " oper", 5 },
					     { "ation", 5 } };
	void *seg = dv_set_inline_list(dv_sq_reserve(&m.sq, 1), buf, 4);

	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_SEND, 0, 0, 0);
	ring_is(&m,
		"0000000a 12345603 00000000 00000000  8000000e 'SEND operation'"
		"00000000 00000000 00000000 0000");
}

/* Three lengths of 40 bytes: 16 + 16 + 4 + 120 bytes are 3 blocks, and the data crosses two
 * edges. */
Test(rarer_wqes, inline_data_of_several_buffers_crosses_blocks)
{
	char bytes[120];
	const struct ibv_data_buf buf[3] = { { bytes, 40 }, { bytes + 40, 40 },
					     { bytes + 80, 40 } };
	void *seg;
	int i;

	for (i = 0; i < 120; i++)
		bytes[i] = (char)i;
	seg = dv_set_raddr_seg(dv_sq_reserve(&m.sq, 3), (struct dv_raddr){ 0 });
	seg = dv_set_inline_list(seg, buf, 3);
	dv_sq_commit(&m.sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, 0, 0);
	cr_assert_arr_eq(m.ring + 32, ((uint8_t[4]){ 0x80, 0, 0, 120 }), 4);
	cr_assert_arr_eq(m.ring + 36, bytes, 120);
	cr_assert_arr_eq(m.ring + 156, ((uint8_t[4]){ 0 }), 4);
	cr_assert(is_old(m.ring + 160, sizeof(m.ring) - 160));
	cr_assert_eq(m.ring[7], 10);
	cr_assert_eq(m.sq.pi, 3);
}

Test(rarer_wqes, raw_changes_nothing_but_the_index)
{
	uint8_t wqe[80];
	int i;

	for (i = 0; i < 80; i++)
		wqe[i] = (uint8_t)(0x80 + i);
	wqe[7] = 5;
	cr_assert_eq(dv_sq_nop(&m.sq, 0), 0);
	cr_assert_eq(dv_sq_raw(&m.sq, wqe), 0);
	wqe[1] = 0x00;
	wqe[2] = 0x01;
	cr_assert_arr_eq(m.ring + 64, wqe, 80);
	cr_assert(is_old(m.ring + 144, sizeof(m.ring) - 144));
	cr_assert_eq(m.sq.pi, 3);
	cr_assert_eq(m.sq.last, m.ring + 64);
}
