/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Every combination of signalled (0x08), solicited (0x02) and fence (0x80), on every call. */
#include "queue.h"

static const uint8_t flags[8] = { 0x00, 0x02, 0x08, 0x0a, 0x80, 0x82, 0x88, 0x8a };

static int post(struct dv_sq *sq, int operation, uint8_t f)
{
	struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 1 };
	struct dv_raddr at = { .raddr = 0x2000, .rkey = 2 };

	switch (operation) {
	case 0: return dv_sq_send(sq, f, &sge, 1);
	case 1: return dv_sq_send_imm(sq, f, &sge, 1, 3);
	case 2: return dv_sq_send_inline(sq, f, "x", 1);
	case 3: return dv_sq_write(sq, f, at, &sge, 1);
	case 4: return dv_sq_write_imm(sq, f, at, &sge, 1, 3);
	case 5: return dv_sq_write_inline(sq, f, at, "x", 1);
	case 6: return dv_sq_read(sq, f, at, &sge, 1);
	case 7: return dv_sq_cmp_swap(sq, f, at, &sge, 4, 5);
	case 8: return dv_sq_fetch_add(sq, f, at, &sge, 4);
	default: return dv_sq_nop(sq, f);
	}
}

Test(flags, land_in_byte_11)
{
		int operation, i;

	cr_assert_eq(MLX5_WQE_CTRL_CQ_UPDATE | MLX5_WQE_CTRL_SOLICITED | MLX5_WQE_CTRL_FENCE, 0x8a);
	for (operation = 0; operation < 10; operation++) {
		queue_start();
		for (i = 0; i < 8; i++) {
			cr_assert_eq(post(&m.sq, operation, flags[i]), 0);
			cr_assert_eq(m.ring[64 * i + 11], flags[i], "operation %d", operation);
			cr_assert_eq(m.ring[64 * i + 8], 0, "signature");
			cr_assert_eq(m.ring[64 * i + 9] | m.ring[64 * i + 10], 0, "stream");
		}
	}
}
