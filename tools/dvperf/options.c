/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options, the words of their values, and how they are taken. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dvperf.h"
#include "options.h"

enum {
	KEY_API = 0x1000,
	KEY_DOORBELL,
	KEY_UAR,
	KEY_THREADS,
	KEY_LAYOUT,
	KEY_SIGNAL,
	KEY_OUTSTANDING,
	KEY_PAGES,
	KEY_HUGE,
	KEY_PIN,
	KEY_NUMA,
	KEY_RATE,
	KEY_BARRIERS,
	KEY_PATTERN,
	KEY_PCIE,
	KEY_JSON,
	KEY_CSV,
	KEY_PLOT,
	KEY_OUTPUT,
	KEY_PRESET,
	KEY_LOOPBACK,
	KEY_OP,
	KEY_REPEAT,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "As in perftest:", 1 },
	{ "ib-dev", 'd', "DEV", 0, "the device (default: the first mlx5 device)", 0 },
	{ "ib-port", 'i', "PORT", 0, "its port (1)", 0 },
	{ "gid-index", 'x', "INDEX", 0, "GID index (default: RoCE v2, IPv4 if any)", 0 },
	{ "mtu", 'm', "BYTES", 0, "path MTU, 256…4096 (the port's)", 0 },
	{ "connection", 'c', "RC|UC|UD", 0, "transport service (RC)", 0 },
	{ "size", 's', "BYTES", 0, "of a message (bw 65536, lat 2, post 8)", 0 },
	{ "all", 'a', NULL, 0, "all sizes, 2 to 2^23", 0 },
	{ "iters", 'n', "N", 0, "operations of a QP (1000; bw of write: 5000)", 0 },
	{ "duration", 'D', "SECONDS", 0, "for so long, in place of -n", 0 },
	{ "margin", 'f', "SECONDS", 0, "of it, not measured at either end (a quarter)", 0 },
	{ "tx-depth", 't', "N", 0, "size of the send queue (bw 128, lat 1)", 0 },
	{ "rx-depth", 'r', "N", 0, "size of the receive queue (512)", 0 },
	{ "qp", 'q', "N", 0, "queue pairs, of each thread (1)", 0 },
	{ "post_list", 'l', "N", 0, "WQEs of a batch: one doorbell (1)", 0 },
	{ "cq-mod", 'Q', "N", 0,
	  "a CQE every N WQEs (100, above 8192 bytes 1; with -l: the batch)", 0 },
	{ "inline_size", 'I', "BYTES", 0, "inline up to here (bw 0, lat as perftest, post 28)",
	  0 },
	{ "outs", 'o', "N", 0, "READs and atomics under way on a QP (the device's)", 0 },
	{ "atomic_type", 'A', "TYPE", 0, "FETCH_AND_ADD (default) or CMP_AND_SWAP", 0 },
	{ "bidirectional", 'b', NULL, 0, "both ends post", 0 },
	{ "noPeak", 'N', NULL, 0, "no time stamps in the loop: no percentiles, less disturbed",
	  0 },
	{ "port", 'p', "PORT", 0, "TCP port (18515)", 0 },
	{ "CPU-freq", 'F', NULL, 0, "accepted: dvperf measures both clocks by itself", 0 },
	{ "use_hugepages", KEY_HUGE, NULL, 0, "the same as --pages=2m", 0 },
	{ NULL, 0, NULL, 0, "What is measured:", 2 },
	{ "op", KEY_OP, "OP", 0, "write (default), read, send, atomic, nop", 0 },
	{ "loopback", KEY_LOOPBACK, NULL, 0, "both ends in this process", 0 },
	{ "api", KEY_API, "API", 0, "direct (default), wr (ibv_wr_*), verbs (ibv_post_send)",
	  0 },
	{ "doorbell", KEY_DOORBELL, "HOW", 0,
	  "of direct: db, bf (BlueFlame), auto: bf for one inline WQE (default)", 0 },
	{ "uar", KEY_UAR, "WHICH", 0,
	  "default, thread (a register of each thread's own), shared (one), nc (not write-combining)",
	  0 },
	{ "threads", KEY_THREADS, "N", 0, "threads that post (1)", 0 },
	{ "layout", KEY_LAYOUT, "HOW", 0,
	  "per-qp (default), mul-2, mul-4, shared-qp: threads of a QP; per-doorbell: per-qp with "
	  "--uar=thread",
	  0 },
	{ "signal", KEY_SIGNAL, "WHEN", 0, "batch, all, half (of the depth) or an interval",
	  0 },
	{ "outstanding", KEY_OUTSTANDING, "N", 0, "WQEs under way on a QP (-t)", 0 },
	{ "pages", KEY_PAGES, "SIZE", 0, "of data and queues: 4k (default), 2m, 1g", 0 },
	{ "pin", KEY_PIN, "CPUS", 0, "threads to CPUs: a list 0,2,4-7 or auto", 0 },
	{ "numa", KEY_NUMA, "NODE", 0, "memory and CPUs of this node", 0 },
	{ "rate", KEY_RATE, "OPS", 0,
	  "operations per second, paced: latency from the intended start", 0 },
	{ "barriers", KEY_BARRIERS, "WHICH", 0,
	  "of direct's doorbell: default, pre, none (WRONG: to learn what each costs)", 0 },
	{ "pattern", KEY_PATTERN, "WHO", 0,
	  "of bw under mpirun: pairs, incast, all-to-all of the ranks", 0 },
	{ "repeat", KEY_REPEAT, "N", 0, "runs, of which the median is told (3)", 0 },
	{ "pcie", KEY_PCIE, "GENxWIDTH", 0, "the link of the model (the device's, or 3x16)",
	  0 },
	{ NULL, 0, NULL, 0, "What comes out:", 3 },
	{ "json", KEY_JSON, NULL, 0, "print JSON", 0 },
	{ "csv", KEY_CSV, NULL, 0, "print CSV", 0 },
	{ "plot", KEY_PLOT, "FILE.svg", 0, "of sweep: draw it (gnuplot)", 0 },
	{ "output", KEY_OUTPUT, "DIR", 0,
	  "of sweep: data and figures in this directory; of --pattern: each rank's result", 0 },
	{ "preset", KEY_PRESET, "NAME", 0, "a published measurement; 'list' tells which", 0 },
	{ "rdma_cm", 'R', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "events", 'e', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/* ---- words ---- */

static const char *const op_words[] = { "write", "read", "send", "atomic", "nop", NULL };
static const char *const service_words[] = { "RC", "UC", "UD", NULL };
static const char *const atomic_words[] = { "FETCH_AND_ADD", "CMP_AND_SWAP", NULL };
static const char *const api_words[] = { "direct", "wr", "verbs", NULL };
static const char *const doorbell_words[] = { "auto", "db", "bf", NULL };
static const char *const uar_words[] = { "default", "thread", "shared", "nc", NULL };
static const char *const layout_words[] = { "per-qp", "shared-qp",    "mul-2",
					    "mul-4",  "per-doorbell", NULL };
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

static const char *take_int(int *at, const char *value, int low, int high)
{
	double v = 0;
	const char *bad = take_number(&v, value, low, high);

	if (!bad && v != floor(v))
		return wrong(value, "a whole number");
	if (!bad)
		*at = (int)v;
	return bad;
}

static const char *take_u32(uint32_t *at, const char *value, int low, int high)
{
	int v = 0;
	const char *bad = take_int(&v, value, low, high);

	if (!bad)
		*at = (uint32_t)v;
	return bad;
}

static const char *take_signal(struct options *o, const char *value)
{
	if (!strcmp(value, "batch"))
		o->signal = SIGNAL_BATCH;
	else if (!strcmp(value, "half"))
		o->signal = SIGNAL_HALF;
	else if (!strcmp(value, "all"))
		o->signal = 1;
	else
		return take_int(&o->signal, value, 1, MAX_DEPTH);
	return NULL;
}

static const char *take_iters(struct options *o, const char *value)
{
	double v = 0;
	const char *bad = take_number(&v, value, 1, 1e12);

	if (!bad && v != floor(v))
		return wrong(value, "a whole number");
	if (!bad)
		o->iters = (uint64_t)v;
	return bad;
}

static const char *take_mtu(struct options *o, const char *value)
{
	const char *bad = take_int(&o->mtu, value, 256, 4096);

	if (bad || o->mtu & (o->mtu - 1))
		return wrong(value, "256, 512, 1024, 2048 or 4096");
	return NULL;
}

/* ---- one option ---- */

#define ENUM(field) take_word((int *)&o->field, field##_words, value)

static const char *take_words(struct options *o, int key, const char *value)
{
	switch (key) {
	case 'c':
		return ENUM(service);
	case 'A':
		o->op = OP_ATOMIC;
		return ENUM(atomic);
	case KEY_OP:
		return ENUM(op);
	case KEY_API:
		o->api_given = true;
		return ENUM(api);
	case KEY_DOORBELL:
		return ENUM(doorbell);
	case KEY_UAR:
		return ENUM(uar);
	case KEY_LAYOUT:
		return ENUM(layout);
	case KEY_PAGES:
		return ENUM(pages);
	case KEY_BARRIERS:
		return ENUM(barriers);
	case KEY_PATTERN:
		return ENUM(pattern);
	case KEY_SIGNAL:
		return take_signal(o, value);
	case 'm':
		return take_mtu(o, value);
	default:
		return "";
	}
}

static const char *take_numbers(struct options *o, int key, const char *value)
{
	switch (key) {
	case 'i':
		return take_int(&o->port, value, 1, 255);
	case 'x':
		return take_int(&o->gid_index, value, 0, 255);
	case 's':
		return take_u32(&o->size, value, 1, MAX_SIZE);
	case 'n':
		return take_iters(o, value);
	case 'D':
		return take_number(&o->duration, value, 0.01, 1e6);
	case 'f':
		return take_number(&o->margin, value, 0, 1e6);
	case 't':
		return take_u32(&o->tx_depth, value, 1, MAX_DEPTH);
	case 'r':
		return take_u32(&o->rx_depth, value, 1, MAX_DEPTH);
	case 'q':
		return take_u32(&o->qps, value, 1, MAX_QPS);
	case 'l':
		return take_u32(&o->batch, value, 1, MAX_DEPTH);
	case 'Q':
		return take_u32(&o->cq_mod, value, 1, MAX_DEPTH);
	case 'I':
		return take_u32(&o->inline_size, value, 0, 1024);
	case 'o':
		return take_u32(&o->outs, value, 1, 255);
	case 'p':
		return take_int(&o->tcp_port, value, 1, 65535);
	case KEY_THREADS:
		return take_int(&o->threads, value, 1, MAX_THREADS);
	case KEY_OUTSTANDING:
		return take_u32(&o->outstanding, value, 1, MAX_DEPTH);
	case KEY_NUMA:
		return take_int(&o->numa, value, 0, 1023);
	case KEY_RATE:
		return take_number(&o->rate, value, 1, 1e10);
	case KEY_REPEAT:
		return take_int(&o->repeats, value, 1, MAX_REPEATS);
	default:
		return take_words(o, key, value);
	}
}

const char *options_take(struct options *o, int key, const char *value)
{
	switch (key) {
	case 'd':
		o->device = value;
		return NULL;
	case 'a':
		o->all = true;
		return NULL;
	case 'b':
		o->bidirectional = true;
		return NULL;
	case 'N':
		o->no_peak = true;
		return NULL;
	case 'F':
		o->force = true;
		return NULL;
	case 'R':
		return "connections by rdma_cm are not there: dvperf is built without librdmacm; "
		       "leave -R away, addresses go over TCP";
	case 'e':
		return "completion events are not there: dvperf polls";
	case KEY_HUGE:
		o->pages = PAGES_2M;
		return NULL;
	case KEY_LOOPBACK:
		o->loopback = true;
		return NULL;
	case KEY_PIN:
		o->pin = value;
		return NULL;
	case KEY_PCIE:
		o->pcie = value;
		return NULL;
	case KEY_JSON:
		o->json = true;
		return NULL;
	case KEY_CSV:
		o->csv = true;
		return NULL;
	case KEY_PLOT:
		o->plot = value;
		return NULL;
	case KEY_OUTPUT:
		o->output = value;
		return NULL;
	case KEY_PRESET:
		o->preset = value;
		return NULL;
	default:
		return take_numbers(o, key, value);
	}
}

/* "tx_depth" is "tx-depth". */
static bool same_name(const char *a, const char *b)
{
	while (*a && (*a == *b || (*a == '_' && *b == '-') || (*a == '-' && *b == '_')))
		a++, b++;
	return !*a && !*b;
}

const char *options_take_name(struct options *o, const char *name, const char *value)
{
	if (!strcmp(name, "batch"))
		name = "post_list";
	if (!strcmp(name, "mode"))
		return take_word((int *)&o->mode, mode_words, value);
	for (const struct argp_option *t = table; t->name || t->key || t->doc; t++)
		if (t->name && same_name(t->name, name))
			return t->arg ? options_take(o, t->key, value) : "is a switch";
	return "is no option";
}

static _Noreturn void refuse_option(int key, const char *bad)
{
	const struct argp_option *t = table;

	if (key < 0x80)
		refuse("-%c: %s", key, bad);
	while (t->key != key)
		t++;
	refuse("--%s: %s", t->name, bad);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	const char *bad;

	switch (key) {
	case ARGP_KEY_INIT:
	case ARGP_KEY_END:
	case ARGP_KEY_NO_ARGS:
	case ARGP_KEY_SUCCESS:
	case ARGP_KEY_ERROR:
	case ARGP_KEY_FINI:
	case ARGP_KEY_ARG:
	case ARGP_KEY_ARGS:
		return ARGP_ERR_UNKNOWN;
	default:
		bad = options_take(o, key, arg);
		if (bad && !*bad)
			return ARGP_ERR_UNKNOWN;
		if (bad)
			refuse_option(key, bad);
		return 0;
	}
}

const struct argp options_parser = { .options = table, .parser = parse };
