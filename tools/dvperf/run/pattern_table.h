/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output of rank 0 for a --pattern: a row of each rank, the spread over those that post, the
 * sum.
 *
 *	rank   to       Mops     Gb/s      ops …        "ranks": as result.h's rows, each with "rank",
 *	   0    1      0.210    0.013     2400 …        "host", "pattern"
 *	   1    -          -        -        - …
 *	 min           0.210                            "spread": { "mops": { "min", "median", "max" }, … }
 *	 …
 *	 sum           0.415    0.027     4800 …        "sum": { "mops": …, "ops": … }
 *
 * With --json the rows are "rows", as of every other run, and "sum" and "spread" are members
 * besides them.
 * The sum is that of the JSON's own numbers, nothing else.
 */
#ifndef DVPERF_PATTERN_TABLE_H
#define DVPERF_PATTERN_TABLE_H

#include "result/result.h"

/* @rows: a JSON text of each of the @n ranks; freed. @own: the report of rank 0, for the
 * other members. */
void pattern_table(const struct report *own, const struct options *o, char **rows,
		   unsigned int n);

/* Ends all ranks: rank 0 says why. Called by all of them. */
_Noreturn void pattern_refuse(const char *why);

#endif
