/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of options, from text. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "table.h"

static const char *wrong(const char *value, const char *wanted)
{
	static char complaint[256];

	snprintf(complaint, sizeof(complaint), "'%.60s' is not %s", value, wanted);
	return complaint;
}

/* ---- numbers ---- */

static const struct {
	const char *text;
	double factor;
} suffixes[] = { { "", 1 },    { "k", 1e3 },	  { "K", 1e3 },	     { "M", 1e6 },
		 { "G", 1e9 }, { "Ki", 1 << 10 }, { "Mi", 1 << 20 }, { "Gi", 1 << 30 } };

/* The factor of a suffix; NaN: there is no such suffix. */
static double factor_of(const char *suffix)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(suffixes[i].text, suffix))
			return suffixes[i].factor;
	return NAN;
}

static const char *take_number(double *at, const char *value, double low, double high)
{
	char *end, wanted[80];
	double v;

	errno = 0;
	v = strtod(value, &end);
	v *= factor_of(end);
	if (end == value || errno || !(v >= low && v <= high)) {
		snprintf(wanted, sizeof(wanted), "a number from %.10g to %.10g%s", low, high,
			 end != value && isnan(v) ? " (k, M, G, Ki, Mi, Gi)" : "");
		return wrong(value, wanted);
	}
	*at = v;
	return NULL;
}

static const char *take_whole(double *at, const char *value, double low, double high)
{
	const char *bad = take_number(at, value, low, high);

	return !bad && *at != floor(*at) ? wrong(value, "a whole number") : bad;
}

/* Takes one of these words or a number: the complaint names both. */
static const char *take_word_or_number(int *word, double *at, const char *const *words,
				       const char *value, double low, double high)
{
	static char complaint[320];
	const char *bad, *near;

	*word = -1;
	if (!take_whole(at, value, low, high))
		return NULL;
	bad = option_take_word(word, words, value);
	if (!bad)
		return NULL;
	near = strchrnul(bad, ';');
	snprintf(complaint, sizeof(complaint), "%.*s, or a number from %.10g to %.10g%s",
		 (int)(near - bad), bad, low, high, near);
	return complaint;
}

static void store(void *at, enum option_kind kind, double v)
{
	if (kind == KIND_INT)
		*(int *)at = (int)v;
	else if (kind == KIND_U32)
		*(uint32_t *)at = (uint32_t)v;
	else if (kind == KIND_U64)
		*(uint64_t *)at = (uint64_t)v;
	else
		*(double *)at = v;
}

/* ---- values with a special form ---- */

const char *option_take_signal(struct options *o, const char *value)
{
	static const char *const words[] = { "batch", "all", "half", NULL };
	static const int meaning[] = { SIGNAL_BATCH, 1, SIGNAL_HALF };
	double v = 1;
	int word;
	const char *bad = take_word_or_number(&word, &v, words, value, 1, MAX_DEPTH);

	o->signal = word >= 0 ? meaning[word] : (int)v;
	return bad;
}

const char *option_take_batch(struct options *o, const char *value)
{
	static const char *const words[] = { "adaptive", NULL };
	double v = 0;
	int word;
	const char *bad = take_word_or_number(&word, &v, words, value, 1, MAX_DEPTH);

	o->adaptive = word == 0;
	o->batch = o->adaptive ? 0 : (uint32_t)v;
	return bad;
}

const char *option_take_mtu(struct options *o, const char *value)
{
	double v = 0;
	const char *bad = take_whole(&v, value, 256, 4096);

	o->mtu = (int)v;
	if (bad || o->mtu & (o->mtu - 1))
		return wrong(value, "256, 512, 1024, 2048 or 4096");
	return NULL;
}

const char *option_take_cqe_size(struct options *o, const char *value)
{
	double v = 0;
	const char *bad = take_whole(&v, value, 64, 128);

	o->cqe_size = (uint32_t)v;
	return bad || (v != 64 && v != 128) ? wrong(value, "64 or 128") : NULL;
}

const char *option_take_no_locks(struct options *o, const char *value)
{
	static const char *const words[] = { "on", "off", NULL };
	int off = 0;
	const char *bad = option_take_word(&off, words, value);

	o->no_locks = off;
	return bad;
}

const char *option_take_api(struct options *o, const char *value)
{
	int api = 0;
	const char *bad = option_take_word(&api, option_words_api, value);

	o->api = (enum api)api;
	o->api_given = true;
	return bad;
}

const char *option_take_atomic(struct options *o, const char *value)
{
	int type = 0;
	const char *bad = option_take_word(&type, option_words_atomic, value);

	o->atomic = (enum atomic)type;
	o->op = OP_ATOMIC;
	return bad;
}

/* ---- one option ---- */

static const char *take_words(const struct option_row *row, void *at, const char *value)
{
	int v = 0;
	const char *bad = option_take_word(&v, row->words, value);

	memcpy(at, &v, sizeof(v));
	return bad;
}

static const char *take_numbers(const struct option_row *row, void *at, const char *value)
{
	double v = 0;
	const char *bad = (row->kind == KIND_REAL ? take_number : take_whole)(
		&v, value, row->least, row->most);

	if (!bad)
		store(at, row->kind, v);
	return bad;
}

/* @means: "pages=2m"; NULL: nothing has to be done. */
static const char *take_alias(struct options *o, const char *means)
{
	char name[32];

	if (!means)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(means, "="), means);
	return options_take_name(o, name, strchr(means, '=') + 1);
}

const char *option_take(const struct option_row *row, struct options *o, const char *value)
{
	void *at = (char *)o + row->at;

	switch (row->kind) {
	case KIND_FLAG:
		*(bool *)at = true;
		return NULL;
	case KIND_TEXT:
		*(const char **)at = value;
		return NULL;
	case KIND_WORD:
		return take_words(row, at, value);
	case KIND_FORM:
		return row->take(o, value);
	case KIND_ALIAS:
		return take_alias(o, row->means);
	case KIND_REFUSED:
		return row->means;
	default:
		return take_numbers(row, at, value);
	}
}

/* A flag as an axis of a sweep. */
static const char *take_switch(const struct option_row *row, struct options *o,
			       const char *value)
{
	bool *is = (bool *)((char *)o + row->at);

	if (row->kind == KIND_REFUSED)
		return row->means;
	if (row->kind != KIND_FLAG)
		return "is another option's name, not an axis";
	*is = !strcmp(value, "on");
	return *is || !strcmp(value, "off") ? NULL : "is a switch: on or off";
}

const char *options_take_name(struct options *o, const char *name, const char *value)
{
	const struct option_row *row = option_find(name);
	const char *bad;
	int mode = 0;

	if (!strcmp(name, "mode")) {
		bad = option_take_word(&mode, option_words_mode, value);
		o->mode = (enum mode)mode;
		return bad;
	}
	if (!row)
		return "is not an option";
	return row->has_argument ? option_take(row, o, value) : take_switch(row, o, value);
}
