/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small crossings as lines: doorbells, event queue entries, findings of --check.
 *
 *	doorbell uar 3 +0x800  send qpn 0x10041 idx 7 opcode 0x08 ds 3
 *	doorbell uar 3 +0x020  arm cqn 0x10003 ci 5 sn 1 any
 *	eqe      eq 0x10001 slot 0  COMP cqn 0x10003
 *
 * dv prints EQEs (dv/print.h). A send doorbell is the first 8 bytes of the last WQE's control
 * segment; an arm doorbell is the CQ's doorbell record {arm, cqn} (mlx5dv.h: mlx5_wqe_ctrl_seg,
 * MLX5_CQ_DOORBELL).
 */
#include <dv/print.h>

#include "explain/lines.h"

#define ARM_OFFSET	0x20	    /* mlx5dv.h: MLX5_CQ_DOORBELL */
#define ARM_SOLICITED	0x01000000u /* mlx5dv.h: MLX5_CQ_DB_REQ_NOT_SOL */
#define NO_RECORD	0x600	    /* no header has a name: rdma-core, tests/mlx5_base.py */
#define FIRST_BLUEFLAME 0x800	    /* mlx5dv.h has no name: Linux device.h, MLX5_BF_OFFSET */

void line_doorbell(struct line *l, const struct core_trace *t)
{
	const uint8_t *reg = t->in;

	line_put(l, "uar %u +0x%03x  ", t->obj, t->index);
	if (t->in_len < 8) {
		line_hex(l, reg, t->in_len);
	} else if (t->index == ARM_OFFSET) {
		line_put(l, "arm cqn 0x%x ci %u sn %u %s", core_be32(reg + 4) & 0xffffff,
			 core_be32(reg) & 0xffffff, reg[0] >> 4 & 3,
			 core_be32(reg) & ARM_SOLICITED ? "solicited" : "any");
	} else if (t->index >= FIRST_BLUEFLAME || t->index == NO_RECORD) {
		line_put(l, "send qpn 0x%x idx %u opcode 0x%02x ds %u", core_be32(reg + 4) >> 8,
			 core_be32(reg) >> 8 & 0xffff, reg[3], reg[7] & 0x3f);
	} else {
		line_hex(l, reg, 8);
	}
}

void line_eqe(struct line *l, const struct core_trace *t)
{
	size_t space;
	char *end;

	line_put(l, "eq 0x%x slot %u  ", t->obj, t->index);
	end = line_end(l, &space);
	l->len += dv_eqe_format(end, space, t->in, t->in_len, DV_LINE);
}

/* The finding is a sentence already; a newline in it would make two lines. */
void line_check(struct line *l, const struct core_trace *t)
{
	const char *text = t->in;

	for (size_t i = 0; i < t->in_len && text[i]; i++)
		line_put(l, "%c", text[i] == '\n' ? ' ' : text[i]);
}
