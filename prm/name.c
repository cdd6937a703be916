/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names and units of the values of fields: the rows of value.def and unit.def.
 *
 *	3 in qpc.state               QPC_STATE   RTS   "ready to send"
 *	12 in wq.log_wq_sz           log2 of WQEs
 *
 * The look-up is linear, as everywhere in prm; opcodes and registers are in table.c and id.c.
 */
#include <string.h>
#include <strings.h>

#include <prm/prm.h>
#include <prm/table.h>
#include <prm/walk.h>
#include "array.h"
#include "rows.h"

static const struct prm_named_value values[] = {
#define PRM_VALUE(k, n, v, t) { .kind = #k, .name = #n, .text = t, .value = v },
#include <prm/value.def>
};
#define VALUES (ARRAY_SIZE(values))

static const struct named {
	const char *kind, *field;
	const struct prm_struct *owner;
	const char *high; /* field with the bits above the low ones; or NULL */
	unsigned int low;
} named[] = {
#define PRM_NAMED(k, s, f) { .kind = #k, .field = #f, .owner = &prm_structs[STRUCT_##s] },
#define PRM_NAMED_PAIR(k, s, f, h, bits) \
	{ .kind = #k, .field = #f, .owner = &prm_structs[STRUCT_##s], .high = #h, .low = bits },
#include <prm/value.def>
};

static const struct {
	const struct prm_struct *owner;
	const char *field, *unit;
} units[] = {
#define PRM_UNIT(s, f, u) { .owner = &prm_structs[STRUCT_##s], .field = #f, .unit = u },
#include <prm/unit.def>
};

const char *prm_value_name(const char *kind, uint64_t value, const char **text)
{
	for (size_t i = 0; i < VALUES; i++)
		if (values[i].value == value && !strcmp(values[i].kind, kind)) {
			if (text)
				*text = values[i].text;
			return values[i].name;
		}
	return NULL;
}

bool prm_value(const char *kind, const char *name, uint64_t *value)
{
	for (size_t i = 0; i < VALUES; i++)
		if (!strcasecmp(values[i].name, name) && !strcmp(values[i].kind, kind)) {
			*value = values[i].value;
			return true;
		}
	return false;
}

const struct prm_named_value *prm_value_next(const struct prm_named_value *value)
{
	if (!value)
		return values;
	return value < &values[VALUES - 1] ? value + 1 : NULL;
}

static const struct named *named_field(const struct prm_struct *s, const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (named[i].owner == s && !strcmp(named[i].field, field))
			return &named[i];
	return NULL;
}

const char *prm_value_kind(const struct prm_struct *s, const char *field)
{
	const struct named *n = named_field(s, field);

	return n ? n->kind : NULL;
}

const char *prm_name_in(const struct prm_struct *s, const struct prm_field *f, const void *p,
			size_t len, uint64_t value)
{
	const struct named *n = named_field(s, f->name);
	uint64_t high;

	if (n && n->high && prm_get(s, p, len, n->high, &high))
		value |= high << n->low;
	return prm_word(s, f, value);
}

const char *prm_word(const struct prm_struct *s, const struct prm_field *f, uint64_t value)
{
	const struct named *n = named_field(s, f->name);

	if (n)
		return prm_value_name(n->kind, value, NULL);
	if (!strcmp(f->name, "opcode") && f->bit == 0 && f->width == 16) {
		const struct prm_cmd *cmd = prm_cmd((unsigned int)value);

		return cmd ? cmd->name : NULL;
	}
	if (!strcmp(f->name, "register_id")) {
		const struct prm_reg *reg = prm_reg((unsigned int)value);

		return reg ? reg->name : NULL;
	}
	if (!strcmp(f->name, "status") && f->bit == 0 && f->width == 8)
		return prm_value_name("STATUS", value, NULL);
	return NULL;
}

const char *prm_unit(const struct prm_struct *s, const char *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (units[i].owner == s && !strcmp(units[i].field, field))
			return units[i].unit;
	if (strncmp(field, "log_", 4) && !strstr(field, "_log_"))
		return NULL;

	const struct prm_field *f = prm_field(s, field);

	return f && f->width == 1 ? NULL : "log2"; /* a flag about a logarithm is not one */
}
