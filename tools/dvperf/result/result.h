/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The result of a measurement, and its printers. The JSON format:
 *
 *	{ "dvperf": "0.2",                        the format; in files of before it was the version, 0.1.0
 *	  "version": "0.1.0",                    of dvperf
 *	  "command": [ … ],                      as it was called
 *	  "preset": "smart-fig3",                only of a preset
 *	  "x": "threads", "y": "mops",           only of a sweep: what its figure is over and of; y where it was chosen
 *	  "title": "smart-fig3: READ …",         only of a preset
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
 * CSV has one line per row: the options in the order of options_json(), the metrics in the
 * order of the table, not_trusted joined by "; ". Values that were not measured are absent from
 * JSON and empty in CSV.
 */
#ifndef DVPERF_RESULT_H
#define DVPERF_RESULT_H

#include <stdio.h>

#include <json-c/json.h>

#include "options/options.h"
#include "histogram.h"
#include "row.h"
#include "statistics.h"

/* Counters of a run. */
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

enum metric {
#define METRIC(id, ...) METRIC_##id,
#include "metric.def"
	METRICS
};

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

/* A short description of the metric. */
const char *metric_what(enum metric m);

/* Prints all, with what they are. */
void metric_list(FILE *f);

/* Why @name is refused, with the name that is nearest. The text is static. */
const char *metric_unknown(const char *name);

/* The metric that is called so, or METRICS. */
enum metric metric_find(const char *name);

struct result result_new(const struct options *o);
void result_distrust(struct result *r, const char *reason);

/* Keeps the repeats of a metric; the first one kept has the interval. Distrusts those that
 * differ, and one alone. */
void result_keep(struct result *r, enum metric m, const double *values, unsigned int n);

/* Fills in what follows from counts, of @ops completed. */
void result_counts(struct result *r, const struct counts *c, uint64_t ops);
void result_latency(struct result *r, const struct histogram *h, double ticks_per_second);

/* Version of the JSON. It changes when members change their meaning or are removed; the scripts
 * also read earlier ones. */
#define RESULT_FORMAT "0.2"

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

struct table_value {
	char text[400];
};

/*
 * @v with up to @digits digits after the point, as many as @width characters have space for;
 * with @digits of 3 and more, three that are not 0 of numbers below 0.1. @digits of -1 are
 * five significant ones, and "-" is no value. A larger number is wider than @width.
 */
const char *table_value(struct table_value *to, int width, int digits, double v);

#endif
