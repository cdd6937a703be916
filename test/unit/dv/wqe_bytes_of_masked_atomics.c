/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Golden bytes, written by hand from the layouts at the head of dv/masked.h. */
#include <dv/masked.h>
#include "queue.h"

static const struct dv_raddr at = { .raddr = 0x7f0102030405060, .rkey = 0xcafe0017 };
static const struct ibv_sge old8 = { .addr = 0x1000, .length = 8, .lkey = 0x77 };
static const struct ibv_sge old4 = { .addr = 0x1000, .length = 4, .lkey = 0x77 };
static const struct dv_masked_cs cs = {
	.compare = 0x0102030405060708, .compare_mask = 0x00000000ffffffff,
	.swap = 0xf1f2f3f4f5f6f7f8, .swap_mask = 0xff00ff00ff00ff00,
};

QUEUE_SUITE(masked);

Test(masked, cmp_swap_of_8_bytes)
{
	cr_assert_eq(dv_sq_masked_cmp_swap(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, at, &old8, &cs), 0);
	ring_is(&m,
		"09000014 12345605 00000008 00000000  07f01020 30405060 cafe0017 00000000"
		"f1f2f3f4 f5f6f7f8 01020304 05060708  ff00ff00 ff00ff00 00000000 ffffffff"
		"00000008 00000077 00000000 00001000");
	cr_assert_eq(m.sq.pi, 2);
}

POSTS(masked, cmp_swap_of_4_bytes, dv_sq_masked_cmp_swap32(&m.sq, 0, at, &old4, &cs),
      "08000014 12345604 00000000 00000000  07f01020 30405060 cafe0017 00000000"
      "f5f6f7f8 05060708 ff00ff00 ffffffff  00000004 00000077 00000000 00001000")

POSTS(masked, fetch_add_of_8_bytes,
      dv_sq_masked_fetch_add(&m.sq, 0, at, &old8, 0x2a00000001, 0x8000000080000000),
      "09000015 12345604 00000000 00000000  07f01020 30405060 cafe0017 00000000"
      "0000002a 00000001 80000000 80000000  00000008 00000077 00000000 00001000")

POSTS(masked, fetch_add_of_4_bytes,
      dv_sq_masked_fetch_add32(&m.sq, 0, at, &old4, 0x00010002, 0x80008000),
      "08000015 12345604 00000000 00000000  07f01020 30405060 cafe0017 00000000"
      "00010002 80008000 00000000 00000000  00000004 00000077 00000000 00001000")
