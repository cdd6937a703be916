/* SPDX-License-Identifier: BSD-2-Clause */
/* Inline data of every length that fits, from every alignment of the source: one piece after
 * the 4-byte header, zeros up to the segment's end, nothing written after it. */
#include "queue.h"

static uint8_t src[1024 + 16];

static void check(uint32_t len, unsigned int shift)
{
	size_t seg = (4 + len + 15) / 16 * 16, i;

	queue_start();
	cr_assert_eq(dv_sq_send_inline(&m.sq, 0, src + shift, len), 0);
	cr_assert_eq(m.ring[7], (16 + seg) / 16, "ds of %u", len);
	cr_assert_eq(m.ring[16], 0x80);
	cr_assert_eq((uint32_t)(m.ring[18] << 8 | m.ring[19]), len);
	cr_assert_eq(memcmp(m.ring + 20, src + shift, len), 0, "length %u", len);
	for (i = 20 + len; i < 16 + seg; i++)
		cr_assert_eq(m.ring[i], 0, "padding of %u", len);
	cr_assert(is_old(m.ring + 16 + seg, sizeof(m.ring) - 16 - seg));
}

Test(inline_data, is_contiguous_and_padded_with_zeros)
{
	uint32_t len;
	size_t i;

	for (i = 0; i < sizeof(src); i++)
		src[i] = (uint8_t)(i * 7 + 1);
	for (len = 1; len <= 940; len++)
		check(len, len % 9);
}

/* 15 blocks, 960 bytes: 16 of control, 4 of header. */
Test(inline_data, longer_than_a_wqe_is_refused)
{
	struct dv_raddr to = { 0, 0 };

	queue_start();
	cr_assert_eq(dv_sq_send_inline(&m.sq, 0, src, 941), EMSGSIZE);
	cr_assert_eq(dv_sq_send_inline(&m.sq, 0, src, 0xffffffff), EMSGSIZE);
	cr_assert_eq(dv_sq_write_inline(&m.sq, 0, to, src, 925), EMSGSIZE);
	cr_assert_eq(dv_sq_write_inline(&m.sq, 0, to, src, 924), 0);
	cr_assert_eq(m.ring[7], 60);
}
