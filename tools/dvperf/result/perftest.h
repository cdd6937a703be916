/* SPDX-License-Identifier: BSD-2-Clause */
/* What perftest prints and writes, for programs that read that already: tables, samples, JSON; and
 * its limits. */
#ifndef DVPERF_PERFTEST_H
#define DVPERF_PERFTEST_H

#include "result.h"

/* --preset perftest: of bw, with --report_gbits in Gb/s; of lat, with -C in ticks. */
void perftest_header(const struct options *o);
void perftest_row(const struct result *r);

/* -H, -U: every sample, in µs, or with -C in ticks. Sorts them for -H. */
void perftest_samples(struct result *r);

/* Whether @r is below -w or -y; says so. */
bool perftest_is_below(const struct result *r);

/* --out_json: perftest's keys, as JSON. One row: results is an object, otherwise an array. */
struct json_object *perftest_json(struct json_object *all, struct json_object *rows,
				  const struct options *o);

#endif
