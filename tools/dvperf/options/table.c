/* SPDX-License-Identifier: BSD-2-Clause */
/* option.def as the table of this module, as argp's, and as the initial values. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "table.h"

/* ---- the table ---- */

#define NO_COLUMN
#define SAME_COLUMN(key)	   .json_key = key
#define COLUMN(number, key, which) .column = number, .json_key = key, .side = which
#define COLUMN_OF(number, key, which, function) \
	.column = number, .json_key = key, .side = which, .to_json = option_json_##function
#define MEMBER(member) .at = offsetof(struct options, member)

const struct option_row options_table[] = {
#define OPTION_FLAG(member, with, long_name, json, help) \
	{ long_name, with, .kind = KIND_FLAG, MEMBER(member), json },
#define OPTION_TEXT(member, with, long_name, argument, json, help) \
	{ long_name, with, true, KIND_TEXT, MEMBER(member), json },
#define OPTION_WORD(member, with, long_name, argument, json, help)         \
	{                                                                  \
		long_name, with,	   true,                           \
		KIND_WORD, MEMBER(member), .words = option_words_##member, \
		json                                                       \
	},
#define OPTION_NUMBER(member, type, low, high, initial, with, long_name, argument, json, help) \
	{ long_name, with, true, KIND_##type, MEMBER(member), low, high, json },
#define OPTION_FORM(member, type, initial, with, long_name, argument, json, help)               \
	{                                                                                       \
		long_name, with, true, KIND_FORM, MEMBER(member), .take = option_take_##member, \
		json                                                                            \
	},
#define OPTION_SYNONYM(id, with, long_name, meaning, help) \
	{ long_name, with, .kind = KIND_ALIAS, .means = meaning },
#define OPTION_REFUSED(id, with, long_name, why) \
	{ long_name, with, .kind = KIND_REFUSED, .means = why },
#include "option.def"
	{ 0 },
};

struct options options_new(enum mode mode)
{
	return (struct options){
		.mode = mode,
#define OPTION_NUMBER(member, type, least, most, initial, ...) .member = initial,
#define OPTION_FORM(member, type, initial, ...)		       .member = initial,
#include "option.def"
	};
}

/* ---- argp ---- */

/* The number of each row, from which argp's key follows where there is no letter. */
enum row {
#define OPTION_FLAG(member, ...)   ROW_##member,
#define OPTION_TEXT(member, ...)   ROW_##member,
#define OPTION_WORD(member, ...)   ROW_##member,
#define OPTION_NUMBER(member, ...) ROW_##member,
#define OPTION_FORM(member, ...)   ROW_##member,
#define OPTION_SYNONYM(id, ...)	   ROW_##id,
#define OPTION_REFUSED(id, ...)	   ROW_##id,
#include "option.def"
	ROWS
};

enum { FIRST_KEY = 0x1000 };

#define KEY(letter, row) ((letter) ? (letter) : FIRST_KEY + ROW_##row)

static const struct argp_option argp_rows[] = {
#define OPTION_GROUP(number, title) { NULL, 0, NULL, 0, title, number },
#define OPTION_FLAG(member, letter, name, json, help) \
	{ name, KEY(letter, member), NULL, 0, help, 0 },
#define OPTION_TEXT(member, letter, name, argument, json, help) \
	{ name, KEY(letter, member), argument, 0, help, 0 },
#define OPTION_WORD(member, letter, name, argument, json, help) \
	{ name, KEY(letter, member), argument, 0, help, 0 },
#define OPTION_NUMBER(member, type, least, most, initial, letter, name, argument, json, help) \
	{ name, KEY(letter, member), argument, 0, help, 0 },
#define OPTION_FORM(member, type, initial, letter, name, argument, json, help) \
	{ name, KEY(letter, member), argument, 0, help, 0 },
#define OPTION_SYNONYM(id, letter, name, means, help) \
	{ name, KEY(letter, id), NULL, 0, help, 0 },
#define OPTION_REFUSED(id, letter, name, why) \
	{ name, KEY(letter, id), "VALUE", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0 },
#include "option.def"
	{ 0 },
};

const struct option_row *option_of_key(int key)
{
	if (key >= FIRST_KEY)
		return key < FIRST_KEY + ROWS ? &options_table[key - FIRST_KEY] : NULL;
	for (const struct option_row *row = options_table; row->name; row++)
		if (row->letter && row->letter == key)
			return row;
	return NULL;
}

_Static_assert((int)ROWS <= (int)MAX_OPTIONS, "options.given has an element for each row");

/* A synonym gives the option that it means. */
static void note_given(struct options *o, const struct option_row *row)
{
	char name[32];

	if (row->kind == KIND_ALIAS && row->means) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(row->means, "="), row->means);
		row = option_find(name);
	}
	o->given[row - options_table] = true;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	const struct option_row *row = option_of_key(key);
	const char *bad;

	if (!row)
		return ARGP_ERR_UNKNOWN;
	bad = option_take(row, state->input, value);
	if (bad && row->letter)
		base_refuse("-%c: %s", row->letter, bad);
	if (bad)
		base_refuse("--%s: %s", row->name, bad);
	note_given(state->input, row);
	return 0;
}

const struct argp options_parser = { .options = argp_rows, .parser = parse };

/* ---- names ---- */

/* tx_depth is tx-depth. */
static bool is_same_name(const char *a, const char *b)
{
	while (*a && (*a == *b || (*a == '_' && *b == '-') || (*a == '-' && *b == '_')))
		a++, b++;
	return !*a && !*b;
}

static const struct option_row *column_of(const char *json_key)
{
	for (const struct option_row *row = options_table; row->name; row++)
		if (row->column && !strcmp(row->json_key, json_key))
			return row;
	return NULL;
}

const struct option_row *option_find(const char *name)
{
	for (const struct option_row *row = options_table; row->name; row++)
		if (is_same_name(row->name, name))
			return row;
	return column_of(name);
}

void options_near(struct near *near, bool axes)
{
	for (const struct option_row *row = options_table; row->name; row++) {
		if (row->kind != KIND_REFUSED && (!axes || row->column))
			near_offer(near, row->name);
		if (axes && row->column)
			near_offer(near, row->json_key);
	}
	if (axes)
		near_offer(near, "mode");
}

/* getopt accepts the beginning of a name. */
static bool begins_a_name(const char *word, size_t length)
{
	static const char *const others[] = { "help", "usage", "version", NULL };

	for (const struct option_row *row = options_table; row->name; row++)
		if (!strncmp(row->name, word, length))
			return true;
	for (int i = 0; others[i]; i++)
		if (!strncmp(others[i], word, length))
			return true;
	return false;
}

void options_refuse_unknown(int argc, char **argv)
{
	char word[64];
	struct near near;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(argv[i], "="), argv[i]);
		if (strncmp(word, "--", 2) || begins_a_name(word + 2, strlen(word + 2)))
			continue;
		near_begin(&near, word + 2);
		options_near(&near, false);
		base_refuse("there is no option %s%s; '%s --help' lists them", word,
			    near_text(&near), argv[0]);
	}
}

void options_refuse_given(const struct options *o, const char *axis)
{
	const struct option_row *row = options_table;

	while (row->name && !(o->given[row - options_table] &&
			      !strcmp(options_json_key(row->name), options_json_key(axis))))
		row++;
	if (!row->name)
		return;
	if (row->letter)
		base_refuse("%s is an axis of this sweep: give %s=VALUE instead of -%c", axis,
			    axis, row->letter);
	base_refuse("%s is an axis of this sweep: give %s=VALUE instead of --%s", axis, axis,
		    row->name);
}

const char *options_json_key(const char *name)
{
	const struct option_row *row = option_find(name);

	if (row && row->json_key)
		return row->json_key;
	return row ? row->name : name;
}

const char *options_flag(const char *json_key)
{
	const struct option_row *row = column_of(json_key);
	static char text[40];

	if (row && row->letter)
		snprintf(text, sizeof(text), "-%c", row->letter);
	else
		snprintf(text, sizeof(text), "--%s", row ? row->name : json_key);
	return text;
}

bool options_must_be_equal(const char *json_key)
{
	const struct option_row *row = column_of(json_key);

	return !row || row->side == EQUAL;
}
