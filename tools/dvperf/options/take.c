/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of the options: words, numbers, and the few with a form of their own. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "keys.h"

/* ---- words ---- */

static const char *const op_words[] = { "write", "read",      "send", "atomic",
					"nop",	 "write_imm", NULL };
static const char *const service_words[] = { "RC", "UC", "UD", "XRC", "DC", NULL };
static const char *const atomic_words[] = { "FETCH_AND_ADD", "CMP_AND_SWAP", NULL };
static const char *const api_words[] = { "direct", "wr", "verbs", NULL };
static const char *const doorbell_words[] = { "auto", "db",	   "bf", "bf-last",
					      "zmm",  "movdir64b", NULL };
static const char *const uar_words[] = { "default", "thread", "shared", "nc", NULL };
static const char *const layout_words[] = { "per-qp", "shared-qp",    "mul-2",
					    "mul-4",  "per-doorbell", NULL };
static const char *const cqs_words[] = { "qp", "thread", "all", NULL };
static const char *const cqe_comp_words[] = { "off", "hash", "csum", "csum-stridx", NULL };
static const char *const mrs_words[] = { "one", "qp", NULL };
static const char *const remote_words[] = { "fixed", "sequential", "random", NULL };
static const char *const locks_words[] = { "on", "off", NULL };
static const char *const pages_words[] = { "4k", "2m", "1g", NULL };
static const char *const barriers_words[] = { "default", "pre", "none", NULL };
static const char *const pattern_words[] = { "none", "pairs", "incast", "all-to-all", NULL };
static const char *const mode_words[] = { "post", "bw", "lat", NULL };

#define WORD(type)                               \
	const char *type##_word(enum type value) \
	{                                        \
		return type##_words[value];      \
	}
WORD(op)
WORD(service)
WORD(api)
WORD(doorbell)
WORD(uar)
WORD(layout)
WORD(cqs)
WORD(cqe_comp)
WORD(mrs)
WORD(remote)
WORD(pages)
WORD(barriers)
WORD(pattern)
WORD(mode)

static char complaint[256];

static const char *wrong(const char *value, const char *wanted)
{
	snprintf(complaint, sizeof(complaint), "'%.60s' is not %s", value, wanted);
	return complaint;
}

static const char *take_word(int *at, const char *const *words, const char *value)
{
	char wanted[120] = "one of";

	for (int i = 0; words[i]; i++)
		if (!strcasecmp(words[i], value)) {
			*at = i;
			return NULL;
		}
	for (int i = 0; words[i]; i++)
		snprintf(wanted + strlen(wanted), sizeof(wanted) - strlen(wanted), "%s %s",
			 i ? "," : "", words[i]);
	return wrong(value, wanted);
}

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

static const char *take_signal(struct options *o, const char *value)
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

static const char *take_batch(struct options *o, const char *value)
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

static const char *take_mtu(struct options *o, const char *value)
{
	double v = 0;
	const char *bad = take_whole(&v, value, 256, 4096);

	o->mtu = (int)v;
	if (bad || o->mtu & (o->mtu - 1))
		return wrong(value, "256, 512, 1024, 2048 or 4096");
	return NULL;
}

static const char *take_cqe_size(struct options *o, const char *value)
{
	double v = 0;
	const char *bad = take_whole(&v, value, 64, 128);

	o->cqe_size = (uint32_t)v;
	return bad || (v != 64 && v != 128) ? wrong(value, "64 or 128") : NULL;
}

/* ---- options with a word for a value ---- */

#define WORDS(key, field)                                           \
	{                                                           \
		key, offsetof(struct options, field), field##_words \
	}

static const struct {
	int key;
	size_t at;
	const char *const *words;
} word_options[] = {
	WORDS(KEY_MODE, mode),	     WORDS('c', service),
	WORDS('A', atomic),	     WORDS(KEY_OP, op),
	WORDS(KEY_API, api),	     WORDS(KEY_DOORBELL, doorbell),
	WORDS(KEY_UAR, uar),	     WORDS(KEY_LAYOUT, layout),
	WORDS(KEY_CQ, cqs),	     WORDS(KEY_CQE_COMP, cqe_comp),
	WORDS(KEY_MR, mrs),	     WORDS(KEY_REMOTE, remote),
	WORDS(KEY_PAGES, pages),     WORDS(KEY_BARRIERS, barriers),
	WORDS(KEY_PATTERN, pattern),
};

static const char *take_words(struct options *o, int key, const char *value)
{
	const char *bad;
	int v = 0;

	for (size_t i = 0; i < sizeof(word_options) / sizeof(*word_options); i++)
		if (word_options[i].key == key) {
			bad = take_word(&v, word_options[i].words, value);
			memcpy((char *)o + word_options[i].at, &v, sizeof(v));
			return bad;
		}
	return "";
}

/* ---- options with a number for a value ---- */

enum type { INT, U32, U64, REAL };

#define NUMBER(key, field, type, low, high)                           \
	{                                                             \
		key, offsetof(struct options, field), type, low, high \
	}

static const struct number_option {
	int key;
	size_t at;
	enum type type;
	double low, high;
} number_options[] = {
	NUMBER('i', port, INT, 1, 255),
	NUMBER('x', gid_index, INT, 0, 255),
	NUMBER('s', size, U32, 0, MAX_SIZE),
	NUMBER('n', iters, U64, 1, 1e12),
	NUMBER('D', duration, REAL, 0.01, 1e6),
	NUMBER('f', margin, REAL, 0, 1e6),
	NUMBER('t', tx_depth, U32, 1, MAX_DEPTH),
	NUMBER('r', rx_depth, U32, 1, MAX_DEPTH),
	NUMBER('q', qps, U32, 1, MAX_QPS),
	NUMBER('Q', cq_mod, U32, 1, MAX_DEPTH),
	NUMBER('I', inline_size, U32, 0, 1024),
	NUMBER('o', outs, U32, 1, 255),
	NUMBER('p', tcp_port, INT, 1, 65535),
	NUMBER('S', sl, INT, 0, 15),
	NUMBER('T', tos, INT, 0, 255),
	NUMBER('u', qp_timeout, INT, 0, 31),
	NUMBER('L', hop_limit, INT, 1, 255),
	NUMBER('w', limit_bw, REAL, 0, 1e6),
	NUMBER('y', limit_msgrate, REAL, 0, 1e6),
	NUMBER(KEY_THREADS, threads, INT, 1, MAX_THREADS),
	NUMBER(KEY_OUTSTANDING, outstanding, U32, 1, MAX_DEPTH),
	NUMBER(KEY_CQ_SIZE, cq_size, U32, 1, 1 << 22),
	NUMBER(KEY_CQE_POLL, cqe_poll, U32, 1, MAX_CQE_POLL),
	NUMBER(KEY_REMOTE_SIZE, remote_size, U64, 64, 1e12),
	NUMBER(KEY_NUMA, numa, INT, 0, 1023),
	NUMBER(KEY_RATE, rate, REAL, 1, 1e10),
	NUMBER(KEY_REPEAT, repeats, INT, 1, MAX_REPEATS),
};

static void store(void *at, enum type type, double v)
{
	if (type == INT)
		*(int *)at = (int)v;
	else if (type == U32)
		*(uint32_t *)at = (uint32_t)v;
	else if (type == U64)
		*(uint64_t *)at = (uint64_t)v;
	else
		*(double *)at = v;
}

static const char *take_numbers(struct options *o, int key, const char *value)
{
	const struct number_option *n = number_options;
	const struct number_option *end = n + sizeof(number_options) / sizeof(*n);
	const char *bad;
	double v = 0;

	while (n < end && n->key != key)
		n++;
	if (n == end)
		return "";
	bad = (n->type == REAL ? take_number : take_whole)(&v, value, n->low, n->high);
	if (!bad)
		store((char *)o + n->at, n->type, v);
	return bad;
}

/* ---- one option ---- */

const char *take_value(struct options *o, int key, const char *value)
{
	const char *bad;
	int off = 0;

	switch (key) {
	case 'm':
		return take_mtu(o, value);
	case 'l':
		return take_batch(o, value);
	case KEY_SIGNAL:
		return take_signal(o, value);
	case KEY_CQE_SIZE:
		return take_cqe_size(o, value);
	case KEY_LOCKS:
		bad = take_word(&off, locks_words, value);
		o->no_locks = off;
		return bad;
	case 'A':
		o->op = OP_ATOMIC;
		break;
	case KEY_API:
		o->api_given = true;
		break;
	default:
		break;
	}
	bad = take_words(o, key, value);
	return bad && !*bad ? take_numbers(o, key, value) : bad;
}
