/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables: all rows of layout.def and opcode.def as constants, and the look-up by name.
 *
 *	fields[]   end | opcode uid op_mod | end | status syndrome | end | ...
 *	                 ^ prm_structs[i].fields     ^ structs[i + 1].fields
 *
 * A structure's first row writes the end mark of the structure before it. rules[] has the same
 * form. The look-up of names is linear: callers keep the result.
 */
#include <string.h>

#include <prm/prm.h>
#include <prm/table.h>
#include "position.h"
#include "rows.h"

enum field_index {
#define PRM_STRUCT(s, bytes)		 FIELDS_##s,
#define PRM_FIELD(s, f, byte, hi, lo)	 FIELD_##s##_AT_##f,
#define PRM_QWORD(s, f, byte)		 FIELD_##s##_AT_##f,
#define PRM_BYTES(s, f, byte, n)	 FIELD_##s##_AT_##f,
#define PRM_ARRAY(s, f, byte, hi, lo, n) FIELD_##s##_AT_##f,
#define PRM_QWORDS(s, f, byte, n)	 FIELD_##s##_AT_##f,
#define PRM_NEST(s, f, byte, type)	 FIELD_##s##_AT_##f,
#define PRM_NESTS(s, f, byte, type, n)	 FIELD_##s##_AT_##f,
#include <prm/layout.def>
	FIELDS
};

/* Rules have no names: __COUNTER__ numbers them. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
enum rule_index {
#define PRM_STRUCT(s, bytes)					RULES_##s,
#define PRM_ALT(s, f)						JOIN(RULE_, __COUNTER__),
#define PRM_WHEN(s, f, selector, shift, value)			JOIN(RULE_, __COUNTER__),
#define PRM_MEMBER(s, f, selector, shift, value, member)	JOIN(RULE_, __COUNTER__),
#define PRM_MEMBER_IN(s, f, in, selector, shift, value, member) JOIN(RULE_, __COUNTER__),
#include <prm/layout.def>
	RULES
};

#define POSITION(s, f) .name = #f, .bit = prm_off_##s##_AT_##f, .width = prm_width_##s##_AT_##f

static const struct prm_field fields[FIELDS + 1] = {
#define PRM_STRUCT(s, bytes)	      [FIELDS_##s] = { 0 },
#define PRM_FIELD(s, f, byte, hi, lo) [FIELD_##s##_AT_##f] = { POSITION(s, f), .count = 1 },
#define PRM_QWORD(s, f, byte)	      [FIELD_##s##_AT_##f] = { POSITION(s, f), .count = 1 },
#define PRM_BYTES(s, f, byte, n) \
	[FIELD_##s##_AT_##f] = { POSITION(s, f), .count = n, .array = true, .bytes = true },
#define PRM_ARRAY(s, f, byte, hi, lo, n) \
	[FIELD_##s##_AT_##f] = { POSITION(s, f), .count = n, .array = true },
#define PRM_QWORDS(s, f, byte, n) \
	[FIELD_##s##_AT_##f] = { POSITION(s, f), .count = n, .array = true },
#define PRM_NEST(s, f, byte, nested) \
	[FIELD_##s##_AT_##           \
		f] = { POSITION(s, f), .count = 1, .type = &prm_structs[STRUCT_##nested] },
#define PRM_NESTS(s, f, byte, nested, n)                                    \
	[FIELD_##s##_AT_##f] = { POSITION(s, f), .count = n, .array = true, \
				 .type = &prm_structs[STRUCT_##nested] },
#include <prm/layout.def>
};

static const struct prm_rule rules[RULES + 1] = {
#define PRM_STRUCT(s, bytes)	 { .field = NULL },
#define PRM_ALT(s, f)		 { .field = #f },
#define PRM_WHEN(s, f, d, sh, v) { .field = #f, .selector = #d, .shift = sh, .value = v },
#define PRM_MEMBER(s, f, d, sh, v, a) \
	{ .field = #f, .member = #a, .selector = #d, .shift = sh, .value = v },
#define PRM_MEMBER_IN(s, f, i, d, sh, v, a) \
	{ .field = #f,                      \
	  .member = #a,                     \
	  .selector = #d,                   \
	  .in = &prm_structs[STRUCT_##i],   \
	  .shift = sh,                      \
	  .value = v },
#include <prm/layout.def>
};

const struct prm_struct prm_structs[STRUCTS] = {
#define ENTRY(s, size, uni)                                 \
	[STRUCT_##s] = { .name = #s,                        \
			 .bytes = size,                     \
			 .is_union = uni,                   \
			 .fields = &fields[FIELDS_##s + 1], \
			 .rules = &rules[RULES_##s + 1] },
#define PRM_STRUCT(s, size) ENTRY(s, size, false)
#define PRM_UNION(s, size)  ENTRY(s, size, true)
#include <prm/layout.def>
};

enum cmd_index {
#define PRM_CMD(cmd, code, inbox, outbox, devx) CMD_##cmd,
#include <prm/opcode.def>
	CMDS
};

/* No initializer for needs here: those of the commands that have some follow. */
static const struct prm_cmd cmds[CMDS] = {
#define PRM_CMD(cmd, code, inbox, outbox, devx)                                            \
	[CMD_##cmd].name = #cmd, [CMD_##cmd].opcode = code,                                \
	[CMD_##cmd].call = PRM_CALL_##devx, [CMD_##cmd].in = &prm_structs[STRUCT_##inbox], \
	[CMD_##cmd].out = &prm_structs[STRUCT_##outbox],
#include <prm/opcode.def>
#define PRM_NEEDS(cmd, s, f) [CMD_##cmd].needs = #s "." #f,
#include <prm/needs.def>
};

const struct prm_struct *prm_struct(const char *name)
{
	for (size_t i = 0; i < STRUCTS; i++)
		if (!strcmp(prm_structs[i].name, name))
			return &prm_structs[i];
	return NULL;
}

const struct prm_struct *prm_struct_next(const struct prm_struct *s)
{
	if (!s)
		return prm_structs;
	return s < &prm_structs[STRUCTS - 1] ? s + 1 : NULL;
}

const struct prm_cmd *prm_cmd(unsigned int opcode)
{
	size_t low = 0, high = CMDS;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (cmds[mid].opcode == opcode)
			return &cmds[mid];
		if (cmds[mid].opcode < opcode)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const struct prm_cmd *prm_cmd_next(const struct prm_cmd *cmd)
{
	if (!cmd)
		return cmds;
	return cmd < &cmds[CMDS - 1] ? cmd + 1 : NULL;
}

const struct prm_field *prm_field(const struct prm_struct *s, const char *name)
{
	for (const struct prm_field *f = s->fields; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
