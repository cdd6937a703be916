/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of option.def as data. Private to this module. */
#ifndef DVPERF_OPTIONS_TABLE_H
#define DVPERF_OPTIONS_TABLE_H

#include <stddef.h>

#include "options.h"

enum option_kind {
	KIND_FLAG,
	KIND_TEXT,
	KIND_WORD,
	KIND_INT,
	KIND_U32,
	KIND_U64,
	KIND_REAL,
	KIND_FORM,
	KIND_ALIAS,
	KIND_REFUSED
};

enum option_side { EQUAL, LOCAL };

struct option_row {
	const char *name; /* NULL: the end of the table */
	int letter;	  /* 0: none */
	bool has_argument;
	enum option_kind kind;
	size_t at;		  /* of the member in struct options */
	double least, most;	  /* of a number */
	const char *const *words; /* of a word; the last is NULL */
	const char *(*take)(struct options *o, const char *value); /* of a form */
	const char *means; /* of an alias; of what is refused: why */
	int column;	   /* 0: not in results */
	const char *json_key;
	enum option_side side;
	struct json_object *(*to_json)(const struct options *o); /* NULL: the member */
};

extern const struct option_row options_table[];

/* The row with this long name, where - and _ are the same, or with this JSON key; NULL. */
const struct option_row *option_find(const char *name);

/* The row with this key of argp; NULL. */
const struct option_row *option_of_key(int key);

/* Takes a value as the command line has it; @value is NULL for options without an argument. */
const char *option_take(const struct option_row *row, struct options *o, const char *value);

/* Reads @value as one of @words; NULL, or what is wrong. */
const char *option_take_word(int *at, const char *const *words, const char *value);

/* Values with a special form: take.c. */
#define OPTION_FORM(member, ...) \
	const char *option_take_##member(struct options *o, const char *value);
#include "option.def"

/* Columns whose value is not the member: json.c. */
struct json_object *option_json_batch(const struct options *o);
struct json_object *option_json_signal(const struct options *o);
struct json_object *option_json_outstanding(const struct options *o);
struct json_object *option_json_locks(const struct options *o);
struct json_object *option_json_api(const struct options *o);
struct json_object *option_json_atomic(const struct options *o);

/* The words of each enum: words.c. */
#define OPTION_WORD(member, ...) extern const char *const option_words_##member[];
#include "option.def"
extern const char *const option_words_mode[], *const option_words_api[],
						      *const option_words_atomic[];

#endif
