/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How rows of the command table are written. A row says how long the boxes of a command are,
 * which fields of its inbox it reads, and who executes it:
 *
 *	NUMBER(destroy_cq, destroy_cq_in, cqn);
 *	CMD(DESTROY_CQ, destroy_cq, PLAIN, destroy_cq, fw_destroy_cq)
 *
 * A field that no entry names must be zero. To add a command: a row in the table of its family
 * (commands_*.c), a handler in the file of its object.
 */
#ifndef EMU_FW_ROWS_H
#define EMU_FW_ROWS_H

#include "fw/command.h"

#define F(s, f)                            \
	{                                  \
		PRM_OFF(s, f), PRM_W(s, f) \
	}
/* field @f of the structure @type that is nested in @s as @nest */
#define IN(s, nest, type, f)                                        \
	{                                                           \
		PRM_OFF(s, nest) + PRM_OFF(type, f), PRM_W(type, f) \
	}
/* @n bytes from field @f on */
#define BYTES(s, f, n)               \
	{                            \
		PRM_OFF(s, f), (n)*8 \
	}
#define END          \
	{            \
		0, 0 \
	}

/* commands whose inbox is one number */
#define NUMBER(name, s, f) static const struct fw_bits name[] = { F(s, f), END }

enum flag { PLAIN = 0, LIST = 1, DRIVER = 2 };

#define CMD(op, name, flags, fields, handler)                                            \
	{                                                                                \
		.opcode = PRM_OP_##op, .in_len = PRM_SZ(name##_in),                      \
		.out_len = PRM_SZ(name##_out), .list = ((flags)&LIST) != 0,              \
		.driver_only = ((flags)&DRIVER) != 0, .accepts = fields, .run = handler, \
	}
#define END_OF_COMMANDS  \
	{                \
		.run = 0 \
	}

#endif
