/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options, and the way from a name or a letter to its value (take.c). */
#include <string.h>

#include "base/base.h"
#include "keys.h"

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "As in perftest:", 1 },
	{ "ib-dev", 'd', "DEV", 0, "the device (default: the first mlx5 device)", 0 },
	{ "ib-port", 'i', "PORT", 0, "its port (1)", 0 },
	{ "gid-index", 'x', "INDEX", 0, "GID index (default: RoCE v2, IPv4 if any)", 0 },
	{ "mtu", 'm', "BYTES", 0, "path MTU, 256…4096 (the port's)", 0 },
	{ "connection", 'c', "SERVICE", 0, "transport service: RC (default), UC, UD, XRC, DC",
	  0 },
	{ "size", 's', "BYTES", 0, "of a message (bw 65536, lat 2, post 8)", 0 },
	{ "all", 'a', NULL, 0, "all sizes, 2 to 2^23", 0 },
	{ "iters", 'n', "N", 0, "operations of a QP (1000; bw of write: 5000)", 0 },
	{ "duration", 'D', "SECONDS", 0, "for so long, in place of -n", 0 },
	{ "margin", 'f', "SECONDS", 0, "of it, not measured at either end (a quarter)", 0 },
	{ "tx-depth", 't', "N", 0, "size of the send queue (bw 128, lat 1)", 0 },
	{ "rx-depth", 'r', "N", 0, "size of the receive queue (512)", 0 },
	{ "qp", 'q', "N", 0, "queue pairs, of each thread (1)", 0 },
	{ "post_list", 'l', "N", 0,
	  "WQEs of a batch: one doorbell (1); adaptive: as many as have room, or are due", 0 },
	{ "cq-mod", 'Q', "N", 0,
	  "a CQE every N WQEs (100, above 8192 bytes 1; with -l: the batch)", 0 },
	{ "inline_size", 'I', "BYTES", 0, "inline up to here (bw 0, lat as perftest, post 28)",
	  0 },
	{ "outs", 'o', "N", 0, "READs and atomics under way on a QP (the device's)", 0 },
	{ "atomic_type", 'A', "TYPE", 0, "FETCH_AND_ADD (default) or CMP_AND_SWAP", 0 },
	{ "bidirectional", 'b', NULL, 0, "both ends post", 0 },
	{ "noPeak", 'N', NULL, 0, "no time stamps in the loop: no percentiles, less disturbed",
	  0 },
	{ "events", 'e', NULL, 0, "sleep until a CQE comes, in place of polling", 0 },
	{ "rdma_cm", 'R', NULL, 0, "connect by rdma_cm", 0 },
	{ "sl", 'S', "SL", 0, "service level (0)", 0 },
	{ "tos", 'T', "TOS", 0, "type of service, the traffic class (0)", 0 },
	{ "qp-timeout", 'u', "N", 0, "QP timeout: 4 us * 2^N (14)", 0 },
	{ "hop_limit", 'L', "N", 0, "hop limit (64)", 0 },
	{ "report-cycles", 'C', NULL, 0, "of lat: time stamp counter ticks in place of us", 0 },
	{ "report-histogram", 'H', NULL, 0, "of lat: print every sample, sorted", 0 },
	{ "report-unsorted", 'U', NULL, 0, "of lat: print every sample, as they came", 0 },
	{ "limit_bw", 'w', "MIBPS", 0,
	  "exit status 1 below so many MiB/s, with --report_gbits Gb/s", 0 },
	{ "limit_msgrate", 'y', "MPPS", 0, "exit status 1 below so many Mops", 0 },
	{ "report_gbits", KEY_GBITS, NULL, 0, "perftest's table in Gb/s", 0 },
	{ "out_json", KEY_OUT_JSON, NULL, 0, "perftest's keys to perftest_out.json", 0 },
	{ "out_json_file", KEY_OUT_JSON_FILE, "FILE", 0, "the same to FILE", 0 },
	{ "cqe_poll", KEY_CQE_POLL, "N", 0, "CQEs of one call, at most (16)", 0 },
	{ "mr_per_qp", KEY_MR_PER_QP, NULL, 0, "the same as --mr=qp", 0 },
	{ "disable_pcie_relaxed", KEY_STRICT, NULL, 0, "no relaxed ordering on PCI Express",
	  0 },
	{ "perform_warm_up", KEY_WARM_UP, NULL, 0, "of bw: a run before those that count", 0 },
	{ "write_with_imm", KEY_WRITE_IMM, NULL, 0, "the same as --op=write_imm", 0 },
	{ "use_old_post_send", KEY_OLD_POST_SEND, NULL, 0, "the same as --api=verbs", 0 },
	{ "no_lock", KEY_NO_LOCK, NULL, 0, "the same as --uar=thread", 0 },
	{ "cpu_util", KEY_CPU_UTIL, NULL, 0, "accepted: always measured", 0 },
	{ "port", 'p', "PORT", 0, "TCP port (18515)", 0 },
	{ "CPU-freq", 'F', NULL, 0, "accepted: dvperf measures both clocks by itself", 0 },
	{ "use_hugepages", KEY_HUGE, NULL, 0, "the same as --pages=2m", 0 },
	{ NULL, 0, NULL, 0, "What is measured:", 2 },
	{ "op", KEY_OP, "OP", 0, "write (default), write_imm, read, send, atomic, nop", 0 },
	{ "loopback", KEY_LOOPBACK, NULL, 0, "both ends in this process", 0 },
	{ "api", KEY_API, "API", 0, "direct (default), wr (ibv_wr_*), verbs (ibv_post_send)",
	  0 },
	{ "doorbell", KEY_DOORBELL, "HOW", 0,
	  "of direct: db, bf (BlueFlame), auto: bf for one inline WQE (default); bf-last: of the "
	  "last WQE of a batch; zmm, movdir64b: bf by one store of 64 bytes",
	  0 },
	{ "uar", KEY_UAR, "WHICH", 0,
	  "default, thread (a register of each thread's own), shared (one), nc (not write-combining)",
	  0 },
	{ "locks", KEY_LOCKS, "on|off", 0,
	  "of shared registers and libmlx5's (off may be WRONG)", 0 },
	{ "threads", KEY_THREADS, "N", 0, "threads that post (1)", 0 },
	{ "layout", KEY_LAYOUT, "HOW", 0,
	  "per-qp (default), mul-2, mul-4, shared-qp: threads of a QP; per-doorbell: per-qp with "
	  "--uar=thread",
	  0 },
	{ "signal", KEY_SIGNAL, "WHEN", 0, "batch, all, half (of the depth) or an interval",
	  0 },
	{ "outstanding", KEY_OUTSTANDING, "N", 0, "WQEs under way on a QP (-t)", 0 },
	{ "cq", KEY_CQ, "OF", 0, "a CQ of each qp (default), of each thread, one for all", 0 },
	{ "cq-size", KEY_CQ_SIZE, "N", 0, "CQEs of a CQ (as many as may come)", 0 },
	{ "cqe-size", KEY_CQE_SIZE, "64|128", 0, "bytes of a CQE (libmlx5's choice)", 0 },
	{ "cqe-compression", KEY_CQE_COMP, "FORMAT", 0,
	  "off (default), hash, csum, csum-stridx", 0 },
	{ "collapsed", KEY_COLLAPSED, NULL, 0, "of direct: every CQE in the same place", 0 },
	{ "pages", KEY_PAGES, "SIZE", 0, "of data and queues: 4k (default), 2m, 1g", 0 },
	{ "mr", KEY_MR, "OF", 0, "one memory region for all (default), or of each qp", 0 },
	{ "dm", KEY_DM, NULL, 0, "data in the device's own memory (MEMIC)", 0 },
	{ "remote", KEY_REMOTE, "WHERE", 0,
	  "peer's memory: fixed (a place per WQE of a batch; default), sequential, random", 0 },
	{ "remote-size", KEY_REMOTE_SIZE, "BYTES", 0, "of it, for each QP (16M)", 0 },
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
	{ 0 },
};

/* Those without a value, and those whose value is taken as it is. */
static bool *switch_of(struct options *o, int key)
{
	switch (key) {
	case 'a':
		return &o->all;
	case 'b':
		return &o->bidirectional;
	case 'e':
		return &o->events;
	case 'R':
		return &o->rdma_cm;
	case 'N':
		return &o->no_peak;
	case 'C':
		return &o->in_cycles;
	case 'H':
		return &o->histogram;
	case 'U':
		return &o->unsorted;
	case KEY_GBITS:
		return &o->gbits;
	case KEY_WARM_UP:
		return &o->warm_up;
	case KEY_STRICT:
		return &o->strict_order;
	case KEY_DM:
		return &o->dm;
	case KEY_COLLAPSED:
		return &o->collapsed;
	case KEY_LOOPBACK:
		return &o->loopback;
	case KEY_JSON:
		return &o->json;
	case KEY_CSV:
		return &o->csv;
	default:
		return NULL;
	}
}

static const char **text_of(struct options *o, int key)
{
	switch (key) {
	case 'd':
		return &o->device;
	case KEY_PIN:
		return &o->pin;
	case KEY_PCIE:
		return &o->pcie;
	case KEY_PLOT:
		return &o->plot;
	case KEY_OUTPUT:
		return &o->output;
	case KEY_OUT_JSON_FILE:
		return &o->out_json;
	case KEY_PRESET:
		return &o->preset;
	default:
		return NULL;
	}
}

/* Other names of what has an option of its own here. */
static bool take_alias(struct options *o, int key)
{
	switch (key) {
	case KEY_HUGE:
		o->pages = PAGES_2M;
		return true;
	case KEY_MR_PER_QP:
		o->mrs = MR_PER_QP;
		return true;
	case KEY_WRITE_IMM:
		o->op = OP_WRITE_IMM;
		return true;
	case KEY_OLD_POST_SEND:
		o->api = API_VERBS;
		o->api_given = true;
		return true;
	case KEY_NO_LOCK:
		o->uar = UAR_THREAD;
		return true;
	case 'F': /* both clocks and the CPU time are always measured */
	case KEY_CPU_UTIL:
		return true;
	case KEY_OUT_JSON:
		if (!o->out_json)
			o->out_json = "perftest_out.json";
		return true;
	default:
		return false;
	}
}

const char *options_take(struct options *o, int key, const char *value)
{
	const char **text = text_of(o, key);
	bool *is = switch_of(o, key);

	if (text)
		*text = value;
	else if (is)
		*is = true;
	else if (!take_alias(o, key))
		return take_value(o, key, value);
	return NULL;
}

bool options_same_name(const char *a, const char *b)
{
	while (*a && (*a == *b || (*a == '_' && *b == '-') || (*a == '-' && *b == '_')))
		a++, b++;
	return !*a && !*b;
}

/* A switch as an axis of a sweep. */
static const char *turn(struct options *o, int key, const char *value)
{
	bool *is = switch_of(o, key);

	if (!is)
		return "is another option's name, and no axis";
	*is = !strcmp(value, "on");
	return *is || !strcmp(value, "off") ? NULL : "is a switch: on or off";
}

const char *options_take_name(struct options *o, const char *name, const char *value)
{
	if (!strcmp(name, "batch"))
		name = "post_list";
	if (!strcmp(name, "mode"))
		return take_value(o, KEY_MODE, value);
	for (const struct argp_option *t = table; t->name || t->key || t->doc; t++)
		if (t->name && options_same_name(t->name, name))
			return t->arg ? options_take(o, t->key, value) : turn(o, t->key, value);
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
