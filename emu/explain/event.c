/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small crossings as lines: doorbells, event queue entries, findings of --check.
 *
 *	doorbell uar 3 +0x800  send qpn 0x10041 idx 7 opcode 0x08 ds 3
 *	doorbell uar 3 +0x020  arm cqn 0x10003 ci 5 sn 1 any
 *	eqe      eq 0x10001 slot 0  COMP cqn 0x10003
 *
 * A send doorbell is the first 8 bytes of the last WQE's control segment; an arm doorbell is
 * the CQ's doorbell record {arm, cqn} (mlx5dv.h: mlx5_wqe_ctrl_seg, MLX5_CQ_DOORBELL).
 */
#include <string.h>

#include "explain/lines.h"

#define ARM_OFFSET	0x20	    /* mlx5dv.h: MLX5_CQ_DOORBELL */
#define ARM_SOLICITED	0x01000000u /* mlx5dv.h: MLX5_CQ_DB_REQ_NOT_SOL */
#define FIRST_BLUEFLAME 0x800	    /* mlx5dv.h has no name: Linux device.h, MLX5_BF_OFFSET */
#define EQE_DATA	32

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

void line_doorbell(struct line *l, const struct core_trace *t)
{
	const uint8_t *reg = t->in;

	line_put(l, "uar %u +0x%03x  ", t->obj, t->index);
	if (t->in_len < 8) {
		line_hex(l, reg, t->in_len);
	} else if (t->index == ARM_OFFSET) {
		line_put(l, "arm cqn 0x%x ci %u sn %u %s", be32(reg + 4) & 0xffffff,
			 be32(reg) & 0xffffff, reg[0] >> 4 & 3,
			 be32(reg) & ARM_SOLICITED ? "solicited" : "any");
	} else if (t->index >= FIRST_BLUEFLAME) {
		line_put(l, "send qpn 0x%x idx %u opcode 0x%02x ds %u", be32(reg + 4) >> 8,
			 be32(reg) >> 8 & 0xffff, reg[3], reg[7] & 0x3f);
	} else {
		line_hex(l, reg, 8);
	}
}

/* Linux device.h, enum mlx5_event; where the number of the object stands in the data. */
static const struct {
	const char *name, *object;
	uint8_t at;
} events[256] = {
	[0x00] = { "COMP", "cqn", 24 },
	[0x01] = { "PATH_MIG", "qpn", 24 },
	[0x02] = { "COMM_EST", "qpn", 24 },
	[0x03] = { "SQ_DRAINED", "qpn", 24 },
	[0x04] = { "CQ_ERROR", "cqn", 0 },
	[0x05] = { "WQ_CATAS_ERROR", "qpn", 24 },
	[0x07] = { "PATH_MIG_FAILED", "qpn", 24 },
	[0x10] = { "WQ_INVAL_REQ_ERROR", "qpn", 24 },
	[0x11] = { "WQ_ACCESS_ERROR", "qpn", 24 },
	[0x12] = { "SRQ_CATAS_ERROR", "srqn", 24 },
	[0x13] = { "SRQ_LAST_WQE", "qpn", 24 },
	[0x14] = { "SRQ_RQ_LIMIT", "srqn", 24 },
};

void line_eqe(struct line *l, const struct core_trace *t)
{
	const uint8_t *eqe = t->in;
	uint8_t type;

	line_put(l, "eq 0x%x slot %u  ", t->obj, t->index);
	if (t->in_len < 64) {
		line_put(l, "EQE of %zu bytes: not 64", t->in_len);
		return;
	}
	type = eqe[1];
	if (!events[type].name) {
		line_put(l, "type 0x%02x sub_type 0x%02x data ", type, eqe[3]);
		line_hex(l, eqe + EQE_DATA, 28);
		return;
	}
	line_put(l, "%s %s 0x%x", events[type].name, events[type].object,
		 be32(eqe + EQE_DATA + events[type].at) & 0xffffff);
	if (type == 0x04)
		line_put(l, " syndrome %u", eqe[EQE_DATA + 11]);
}

/* The finding is a sentence already; a newline in it would make two lines. */
void line_check(struct line *l, const struct core_trace *t)
{
	const char *text = t->in;

	for (size_t i = 0; i < t->in_len && text[i]; i++)
		line_put(l, "%c", text[i] == '\n' ? ' ' : text[i]);
}
