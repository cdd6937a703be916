/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables: all rows of layout.def, opcode.def and value.def as constants, and the look-up
 * by name.
 *
 *	fields[]   end | opcode uid op_mod | end | status syndrome | end | ...
 *	                 ^ structs[i].fields     ^ structs[i + 1].fields
 *
 * A structure's first row writes the end mark of the structure before it. rules[] is laid out
 * alike. Names are looked up by walking: callers keep what they found.
 */
#include <string.h>

#include "prm/prm.h"
#include "prm/table.h"

enum struct_index {
#define PRM_STRUCT(s, bytes) STRUCT_##s,
#include "prm/layout.def"
	STRUCTS
};

enum field_index {
#define PRM_STRUCT(s, bytes)		 FIELDS_##s,
#define PRM_FIELD(s, f, byte, hi, lo)	 FIELD_##s##_AT_##f,
#define PRM_QWORD(s, f, byte)		 FIELD_##s##_AT_##f,
#define PRM_BYTES(s, f, byte, n)	 FIELD_##s##_AT_##f,
#define PRM_ARRAY(s, f, byte, hi, lo, n) FIELD_##s##_AT_##f,
#define PRM_QWORDS(s, f, byte, n)	 FIELD_##s##_AT_##f,
#define PRM_NEST(s, f, byte, type)	 FIELD_##s##_AT_##f,
#define PRM_NESTS(s, f, byte, type, n)	 FIELD_##s##_AT_##f,
#include "prm/layout.def"
	FIELDS
};

/* Rules have no names of their own: __COUNTER__ makes them some. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
enum rule_index {
#define PRM_STRUCT(s, bytes)			       RULES_##s,
#define PRM_ALT(s, f)				       JOIN(RULE_, __COUNTER__),
#define PRM_WHEN(s, f, discr, shift, value)	       JOIN(RULE_, __COUNTER__),
#define PRM_ARM(s, f, discr, shift, value, arm)	       JOIN(RULE_, __COUNTER__),
#define PRM_ARM_IN(s, f, in, discr, shift, value, arm) JOIN(RULE_, __COUNTER__),
#include "prm/layout.def"
	RULES
};

static const struct prm_struct structs[STRUCTS];

#define PLACE(s, f) .name = #f, .bit = prm_off_##s##_AT_##f, .width = prm_width_##s##_AT_##f

static const struct prm_field fields[FIELDS + 1] = {
#define PRM_STRUCT(s, bytes)	      [FIELDS_##s] = { 0 },
#define PRM_FIELD(s, f, byte, hi, lo) [FIELD_##s##_AT_##f] = { PLACE(s, f), .count = 1 },
#define PRM_QWORD(s, f, byte)	      [FIELD_##s##_AT_##f] = { PLACE(s, f), .count = 1 },
#define PRM_BYTES(s, f, byte, n) \
	[FIELD_##s##_AT_##f] = { PLACE(s, f), .count = n, .array = true, .bytes = true },
#define PRM_ARRAY(s, f, byte, hi, lo, n) \
	[FIELD_##s##_AT_##f] = { PLACE(s, f), .count = n, .array = true },
#define PRM_QWORDS(s, f, byte, n) \
	[FIELD_##s##_AT_##f] = { PLACE(s, f), .count = n, .array = true },
#define PRM_NEST(s, f, byte, nested) \
	[FIELD_##s##_AT_##f] = { PLACE(s, f), .count = 1, .type = &structs[STRUCT_##nested] },
#define PRM_NESTS(s, f, byte, nested, n)                                 \
	[FIELD_##s##_AT_##f] = { PLACE(s, f), .count = n, .array = true, \
				 .type = &structs[STRUCT_##nested] },
#include "prm/layout.def"
};

static const struct prm_rule rules[RULES + 1] = {
#define PRM_STRUCT(s, bytes)	 { .field = NULL },
#define PRM_ALT(s, f)		 { .field = #f },
#define PRM_WHEN(s, f, d, sh, v) { .field = #f, .discr = #d, .shift = sh, .value = v },
#define PRM_ARM(s, f, d, sh, v, a) \
	{ .field = #f, .arm = #a, .discr = #d, .shift = sh, .value = v },
#define PRM_ARM_IN(s, f, i, d, sh, v, a) \
	{ .field = #f,                   \
	  .arm = #a,                     \
	  .discr = #d,                   \
	  .in = &structs[STRUCT_##i],    \
	  .shift = sh,                   \
	  .value = v },
#include "prm/layout.def"
};

static const struct prm_struct structs[STRUCTS] = {
#define ENTRY(s, size, uni)                                 \
	[STRUCT_##s] = { .name = #s,                        \
			 .bytes = size,                     \
			 .is_union = uni,                   \
			 .fields = &fields[FIELDS_##s + 1], \
			 .rules = &rules[RULES_##s + 1] },
#define PRM_STRUCT(s, size) ENTRY(s, size, false)
#define PRM_UNION(s, size)  ENTRY(s, size, true)
#include "prm/layout.def"
};

static const struct prm_cmd cmds[] = {
#define PRM_CMD(cmd, code, inbox, outbox, devx) \
	{ .name = #cmd,                         \
	  .opcode = code,                       \
	  .door = PRM_DOOR_##devx,              \
	  .in = &structs[STRUCT_##inbox],       \
	  .out = &structs[STRUCT_##outbox] },
#include "prm/opcode.def"
};
#define CMDS (sizeof(cmds) / sizeof(cmds[0]))

static const struct {
	const char *kind, *name, *text;
	uint32_t value;
} values[] = {
#define PRM_VALUE(k, n, v, t) { .kind = #k, .name = #n, .text = t, .value = v },
#include "prm/value.def"
};

static const struct {
	const char *kind, *field;
	const struct prm_struct *owner;
} named[] = {
#define PRM_NAMED(k, s, f) { .kind = #k, .field = #f, .owner = &structs[STRUCT_##s] },
#include "prm/value.def"
};

const struct prm_struct *prm_struct(const char *name)
{
	for (size_t i = 0; i < STRUCTS; i++)
		if (!strcmp(structs[i].name, name))
			return &structs[i];
	return NULL;
}

const struct prm_struct *prm_struct_next(const struct prm_struct *s)
{
	if (!s)
		return structs;
	return s < &structs[STRUCTS - 1] ? s + 1 : NULL;
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

const char *prm_value_name(const char *kind, uint64_t value, const char **text)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i].value == value && !strcmp(values[i].kind, kind)) {
			if (text)
				*text = values[i].text;
			return values[i].name;
		}
	return NULL;
}

const char *prm_value_kind(const struct prm_struct *s, const char *field)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (named[i].owner == s && !strcmp(named[i].field, field))
			return named[i].kind;
	return NULL;
}
