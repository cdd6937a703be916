/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of options, from text. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

static const char *wrong(const char *value, const char *wanted)
{
	static char complaint[256];

	snprintf(complaint, sizeof(complaint), "'%.60s' is not %s", value, wanted);
	return complaint;
}

/* ---- numbers ---- */

static const char *take_number(double *at, const char *value, double low, double high)
{
	char *end, wanted[80];
	double v;

	errno = 0;
	v = strtod(value, &end);
	if (end != value && !errno && (*end == 'k' || *end == 'K' || *end == 'M'))
		v *= *end++ == 'M' ? 1e6 : 1e3;
	if (end == value || *end || errno || !(v >= low && v <= high)) {
		snprintf(wanted, sizeof(wanted), "a number from %.10g to %.10g", low, high);
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
	const char *bad = NULL;
	double v = 1;

	if (!strcmp(value, "batch"))
		o->signal = SIGNAL_BATCH;
	else if (!strcmp(value, "half"))
		o->signal = SIGNAL_HALF;
	else {
		if (strcmp(value, "all"))
			bad = take_whole(&v, value, 1, MAX_DEPTH);
		o->signal = (int)v;
	}
	return bad;
}

const char *option_take_batch(struct options *o, const char *value)
{
	const char *bad;
	double v = 0;

	o->adaptive = !strcmp(value, "adaptive");
	o->batch = 0;
	if (o->adaptive)
		return NULL;
	bad = take_whole(&v, value, 1, MAX_DEPTH);
	o->batch = (uint32_t)v;
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
	default:
		return take_numbers(row, at, value);
	}
}

/* A flag as an axis of a sweep. */
static const char *take_switch(const struct option_row *row, struct options *o,
			       const char *value)
{
	bool *is = (bool *)((char *)o + row->at);

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
