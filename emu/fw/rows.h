/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a set of fields is written: each by its first bit and its width.
 *
 *	static const struct fw_bits accepts[] = { F(alias_context, vhca_id_to_be_accessed), END };
 *	FW_CMD(DESTROY_CQ, destroy_cq, PLAIN, FIELDS(destroy_cq_in, cqn))        command.def
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

/* ---- several at a time, each with a comma after it ---- */

#define FIELDS_AT(at, s, ...)	   FW_EACH(FW_FIELD_AT, at, s, __VA_ARGS__)
#define FIELDS(s, ...)		   FIELDS_AT(0, s, __VA_ARGS__)
#define NESTED(s, nest, type, ...) FIELDS_AT(PRM_OFF(s, nest), type, __VA_ARGS__)
#define WQ_FIELDS(s, type, ...)	   FIELDS_AT(PRM_OFF(s, ctx) + PRM_OFF(type, wq), wq, __VA_ARGS__)
#define BITS(at, n)		   { at, n },

#define FW_FIELD_AT(at, s, f)                     \
	{                                         \
		(at) + PRM_OFF(s, f), PRM_W(s, f) \
	}

/* macro(a, b, x), for each x of up to 64: the preprocessor does not expand a macro inside of
 * itself, so each step names the next one without its arguments, and the text is scanned once
 * more. */
#define FW_EACH(macro, a, b, ...) __VA_OPT__(FW_SCAN(FW_STEP(macro, a, b, __VA_ARGS__)))
#define FW_STEP(macro, a, b, x, ...) \
	macro(a, b, x), __VA_OPT__(FW_NEXT FW_PARENS(macro, a, b, __VA_ARGS__))
#define FW_NEXT()	FW_STEP
#define FW_PARENS	()
#define FW_SCAN(...)	FW_SCAN_16(FW_SCAN_16(FW_SCAN_16(FW_SCAN_16(__VA_ARGS__))))
#define FW_SCAN_16(...) FW_SCAN_4(FW_SCAN_4(FW_SCAN_4(FW_SCAN_4(__VA_ARGS__))))
#define FW_SCAN_4(...)	FW_SCAN_1(FW_SCAN_1(FW_SCAN_1(FW_SCAN_1(__VA_ARGS__))))
#define FW_SCAN_1(...)	__VA_ARGS__

#endif
