/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was measured, and how it is printed. The JSON format:
 *
 *	{ "dvperf": "0.1.0",
 *	  "command": [ … ],                      as it was called
 *	  "preset": "smart-fig3",                only of a preset
 *	  "x": "threads",                        only of a sweep: what its figure is over
 *	  "environment": { … },                  environment.h
 *	  "rows": [ {
 *	      "options": { "mode": "bw", "op": "write", "api": "direct", "size": 8, "batch": 16, … },
 *	      "metrics": { "mops": 1.9, … },     those of the table below that were measured
 *	      "repeats": { "mops": [ 1.8, 1.9, 1.9 ], … },   the value of each, of the main metrics
 *	      "interval": { "mops": [ 1.8, 1.9 ], … },       95 %, of the median; absent: one repeat
 *	      "not_trusted": [ "on the emulator", … ],       empty: no reason not to
 *	      "device_counters": { "wqes": 5000, … },        after minus before; absent: none
 *	  }, … ],
 *	  "quoted": [ { "what": …, "source": …, "instructions": …, "cycles": … } ],   of post: others' costs
 *	  "fits": [ … ],                         of a sweep over batches, and post: predict.h
 *	  "published_text": "…",                 of presets: what was published, in words
 *	  "about_text": "…",                     of presets that repeat nothing published: what they show
 *	  "published": [ { "series": …, "source": …, "over": "threads", "x": [ … ], "y": [ … ] } ] }
 *	                                         of presets that have some; x is the option "over"
 *
 * CSV has one line per row: the options in the order of options_json(), the metrics in the order of
 * the table, not_trusted joined by "; ". What was not measured is absent from JSON and empty in CSV.
 */
#ifndef DVPERF_RESULT_H
#define DVPERF_RESULT_H

#include <stdio.h>

#include <json-c/json.h>

#include "options/options.h"
#include "histogram.h"
#include "record.h"
#include "statistics.h"

/* What a run counts. */
struct counts {
	uint64_t ops;	 /* completed */
	uint64_t wqes;	 /* posted: operations, and NOPs at the edge of a ring */
	uint64_t blocks; /* WQEBBs of them */
	uint64_t doorbells;
	uint64_t cqes, recv_cqes;
	uint64_t polls, empty_polls;
	uint64_t batches,
		full; /* batches begun; batches for which the ring was full at first */
};

void counts_add(struct counts *to, const struct counts *from);

#define RESULT_METRICS(X)                                                                      \
	X(MOPS, "mops", "million operations per second; the median of the repeats")            \
	X(MOPS_MIN, "mops_min",                                                                \
	  "in the slowest window of all repeats; post: the slowest repeat")                    \
	X(MOPS_MAX, "mops_max", "in the fastest window; post: the fastest repeat")             \
	X(SPREAD, "spread", "of the repeats: (greatest - least) / median")                     \
	X(INTERVAL, "interval_percent",                                                        \
	  "half of the 95 % confidence interval of mops, lat_50 or post_cycles, in %")         \
	X(GBPS, "gbps", "payload, 1e9 bits per second")                                        \
	X(WIRE_GBPS, "wire_gbps", "modelled: the same with headers, in the busier direction")  \
	X(WIRE_LIMIT, "wire_mops", "modelled: what the wire would let through")                \
	X(NS, "ns_per_op", "time per operation")                                               \
	X(NS_MIN, "ns_min", "ns_per_op of the repeat with the least")                          \
	X(NS_MAX, "ns_max", "ns_per_op of the repeat with the most")                           \
	X(NS_SLOWEST, "ns_slowest", "mmio: ns_per_op of the slowest thread")                   \
	X(OVERLAP, "overlap", "mmio: when all threads were timed, of when any was: 0 to 1")    \
	X(CYCLES, "cycles_per_op", "core cycles of the posting threads, waiting included")     \
	X(CYCLES_MIN, "cycles_min", "cycles_per_op of the repeat with the least")              \
	X(CYCLES_MAX, "cycles_max", "cycles_per_op of the repeat with the most")               \
	X(TICKS, "tsc_per_op", "the same in ticks of the time stamp counter")                  \
	X(INSTR, "instr_per_op", "instructions of the posting threads in user mode: PMU")      \
	X(USER_CYCLES, "user_cycles_per_op",                                                   \
	  "core cycles of the posting threads in user mode: PMU")                              \
	X(IPC, "ipc", "instructions per core cycle: PMU")                                      \
	X(CPU, "cpu_util", "CPU time of the posting threads, of all their time: 0 to 1")       \
	X(DOORBELLS, "doorbells_per_op", "registers written, per operation")                   \
	X(WQEBBS, "wqebbs_per_op", "64-byte blocks of the send queue")                         \
	X(CQES, "cqes_per_op", "of the send queue's CQ")                                       \
	X(POLLS, "polls_per_op", "calls that looked for CQEs")                                 \
	X(EMPTY, "empty_polls", "of them, found none: 0 to 1")                                 \
	X(BATCH, "achieved_batch", "operations per doorbell")                                  \
	X(STALLS, "stalls", "iterations that found the ring full, of all: 0 to 1")             \
	X(PCIE_DOWN, "pcie_to_device", "modelled bytes per operation")                         \
	X(PCIE_UP, "pcie_to_host", "the same the other way")                                   \
	X(PCIE_PART, "pcie_percent", "modelled, of the link in the busier direction")          \
	X(PCIE_LIMIT, "pcie_mops", "modelled: what the link would let through")                \
	X(NIC_LIMIT, "nic_mops", "messages per second its maker gives, in millions")           \
	X(LAT_MIN, "lat_min", "latency in µs: the least")                                      \
	X(LAT_50, "lat_50", "latency in µs: the median")                                       \
	X(LAT_90, "lat_90", "latency in µs: the 90th percentile")                              \
	X(LAT_99, "lat_99", "latency in µs: the 99th percentile")                              \
	X(LAT_999, "lat_99.9", "latency in µs: the 99.9th percentile")                         \
	X(LAT_MAX, "lat_max", "latency in µs: the greatest")                                   \
	X(LAT_MEAN, "lat_mean", "latency in µs: the mean")                                     \
	X(LAT_STDEV, "lat_stdev", "latency in µs: the standard deviation")                     \
	X(SAMPLES, "lat_samples", "latencies measured")                                        \
	X(POST_INSTR, "post_instr", "instructions per WQE, doorbell included: exact")          \
	X(POST_CYCLES, "post_cycles", "core cycles per WQE, doorbell included: median")        \
	X(POST_CYCLES_MIN, "post_cycles_min", "post_cycles of the repeat with the least")      \
	X(POST_CYCLES_MAX, "post_cycles_max", "post_cycles of the repeat with the most")       \
	X(POLL_INSTR, "poll_instr", "instructions per CQE, a batch of them polled at once")    \
	X(POLL_CYCLES, "poll_cycles", "core cycles per CQE, a batch of them polled at once")   \
	X(POLL_CYCLES_MIN, "poll_cycles_min", "poll_cycles of the repeat with the least")      \
	X(POLL_CYCLES_MAX, "poll_cycles_max", "poll_cycles of the repeat with the most")       \
	X(OP_INSTR, "op_instr", "instructions per operation, one CQE per batch polled")        \
	X(OP_CYCLES, "op_cycles", "core cycles per operation, one CQE per batch")              \
	X(OP_CYCLES_MIN, "op_cycles_min", "op_cycles of the repeat with the least")            \
	X(OP_CYCLES_MAX, "op_cycles_max", "op_cycles of the repeat with the most")             \
	X(FLOOR_INSTR, "floor_instr", "post_instr over the least known, 24.5")                 \
	X(FLOOR_CYCLES, "floor_cycles", "post_cycles over the least known, 4.4")               \
	X(CPU_LIMIT, "cpu_mops", "modelled: of one core, writes to registers left out")        \
	X(HEADROOM, "headroom", "modelled: cpu_mops over the lowest other ceiling")            \
	X(AT_0, "modelled_mops_0ns", "modelled: with 0 ns for each write to a register")       \
	X(AT_50, "modelled_mops_50ns", "modelled: with 50 ns for each write to a register")    \
	X(AT_100, "modelled_mops_100ns", "modelled: with 100 ns for each write to a register") \
	X(AT_150, "modelled_mops_150ns", "modelled: with 150 ns for each write to a register") \
	X(AT_300, "modelled_mops_300ns", "modelled: with 300 ns for each write to a register") \
	X(OPS, "ops", "operations completed in all repeats")                                   \
	X(WQES, "wqes", "WQEs posted, NOPs at the edge of the ring too")                       \
	X(ALL_CQES, "cqes", "CQEs taken, of receives too")                                     \
	X(ALL_DOORBELLS, "doorbells", "registers written")                                     \
	X(REGISTERS, "registers", "different doorbell registers")                              \
	X(RECV_MOPS, "recv_mops", "of a rank: what the others post to it, million per second") \
	X(SECONDS, "seconds", "of the median repeat")                                          \
	X(SETUP, "setup_ms", "opening the device, creating and connecting the QPs")

#define RESULT_ENUM(name, word, what) METRIC_##name,
enum metric { RESULT_METRICS(RESULT_ENUM) METRICS };

enum {
	MAX_REASONS = 16,
	MAX_KEPT = 4, /* metrics whose repeats are kept */
};

/* The value of each repeat. */
struct kept {
	enum metric m;
	unsigned int n;
	double values[MAX_REPEATS];
};

struct result {
	struct options o;
	double m[METRICS];		  /* NaN: not measured */
	const char *reasons[MAX_REASONS]; /* not to trust it; static texts */
	unsigned int n_reasons;
	struct json_object *counters; /* of the device; may be NULL */
	uint64_t *samples; /* -H, -U: ticks, as they came; or NULL; report_row() frees */
	size_t n_samples;
	struct kept kept[MAX_KEPT];
	unsigned int n_kept;
	bool nothing; /* ^C came before anything was measured */
};

const char *metric_name(enum metric m);

/* What it is, in a few words. */
const char *metric_what(enum metric m);

/* Prints all, with what they are. */
void metric_list(FILE *f);

/* Why @name is refused, with the name that is nearest. The text is static. */
const char *metric_unknown(const char *name);

/* The metric that is called so, or METRICS. */
enum metric metric_find(const char *name);

struct result result_new(const struct options *o);
void result_distrust(struct result *r, const char *reason);

/* Keeps the repeats of a metric; the first one kept has the interval. Distrusts those that differ, and
 * one alone. */
void result_keep(struct result *r, enum metric m, const double *values, unsigned int n);

/* Fills in what follows from counts, of @ops completed. */
void result_counts(struct result *r, const struct counts *c, uint64_t ops);
void result_latency(struct result *r, const struct histogram *h, double ticks_per_second);

/* Several results of one command: print each when it is there, then the rest. */
struct report {
	struct json_object *all, *rows;
	const struct options *o; /* how to print */
	const char *const
		*axes; /* options that differ from row to row, NULL at the end; or NULL */
	bool header;
	bool quiet; /* rows are kept and not printed */
	bool below; /* the exit status is 1: a row was below the limit of -w or -y, a file was not
		     * written, or nothing was measured */
	enum mode mode; /* of the last row */
};

void report_begin(struct report *rep, const struct options *o, int argc, char **argv);
void report_row(struct report *rep, struct result *r);
/* The exit status. */
int report_end(struct report *rep);

/* In place of report_end(), of a quiet one. */
void report_drop(struct report *rep);

/* All rows as CSV, and the JSON, to files. 0, or -1: one line was said. */
int report_write_csv(const struct report *rep, const char *path);
int report_write_json(const struct report *rep, const char *path);

/* NULL, or what is wrong with --columns; the text is static. */
const char *result_check_columns(const char *list);

#endif
