/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a run as every result reports them, and as two sides compare them. */
#include "table.h"

static struct json_object *whole(int64_t value)
{
	return json_object_new_int64(value);
}

static struct json_object *word(const char *value)
{
	return json_object_new_string(value);
}

/* ---- columns whose value is not the member ---- */

struct json_object *option_json_batch(const struct options *o)
{
	return o->adaptive ? word("adaptive") : whole(o->batch);
}

struct json_object *option_json_signal(const struct options *o)
{
	return whole(options_signal_interval(o));
}

struct json_object *option_json_outstanding(const struct options *o)
{
	return whole(options_depth(o));
}

struct json_object *option_json_locks(const struct options *o)
{
	return word(o->no_locks ? "off" : "on");
}

struct json_object *option_json_api(const struct options *o)
{
	return word(api_word(o->api));
}

struct json_object *option_json_atomic(const struct options *o)
{
	return word(atomic_word(o->atomic));
}

/* ---- all ---- */

static struct json_object *value_of(const struct option_row *row, const struct options *o)
{
	const void *at = (const char *)o + row->at;

	if (row->to_json)
		return row->to_json(o);
	switch (row->kind) {
	case KIND_FLAG:
		return whole(*(const bool *)at);
	case KIND_WORD:
		return word(row->words[*(const int *)at]);
	case KIND_U64:
		return whole(*(const int64_t *)at);
	case KIND_REAL:
		return json_object_new_double(*(const double *)at);
	default: /* of 4 bytes, and never above INT_MAX after options_defaults() */
		return whole(*(const int *)at);
	}
}

/* The row of column @number; NULL: there are no more. */
static const struct option_row *column(int number)
{
	const struct option_row *row = options_table;

	while (row->name && row->column != number)
		row++;
	return row->name ? row : NULL;
}

struct json_object *options_json(const struct options *o)
{
	struct json_object *j = json_object_new_object();
	const struct option_row *row;

	json_object_object_add(j, "mode", word(mode_word(o->mode)));
	for (int i = 1; (row = column(i)); i++)
		json_object_object_add(j, row->json_key, value_of(row, o));
	return j;
}
