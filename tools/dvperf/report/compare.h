/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two sets of results, row by row.
 *
 *	A: batch 1, batch 8, batch 8      B: batch 8, batch 16
 *	      |        '---- match -----------'          |
 *	   only A     median of both : one            only B
 *
 * Rows match when all their options (and their ranks) are equal, but for how long they ran and what is
 * ignored. Several rows of one side that are equal so are repeats: the median counts, and what they
 * span. The repeats of a single row count as values of the metrics for which they are kept; of several
 * rows each is one value, since the repeats of a run have more in common than two runs.
 */
#ifndef DVPERF_COMPARE_H
#define DVPERF_COMPARE_H

#include <json-c/json.h>

#include "result/result.h"

enum { MAX_IGNORED = 16 };

struct ignored {
	const char *names[MAX_IGNORED];
	size_t n;
};

/* One metric of one side. low and high: what repeats span, both the median where a count is exact;
 * NaN: not known. */
struct value {
	double median, low, high;
};

struct ratio {
	double b_to_a, low, high; /* low and high NaN: no spread is known */
};

struct match {
	struct json_object *a, *b; /* the first row of either side */
	struct value values[2][METRICS];
	struct test tests[METRICS]; /* of the repeats, or of several rows of a side */
	unsigned int n[2][METRICS]; /* how many values the test has */
};

struct comparison {
	struct match *list;
	size_t n, only_a, only_b;
	struct json_object *unfair; /* a set: differences of the environments of matched rows */
	struct json_object *doubts[2]; /* sets: reasons of the rows of either side */
};

/* Whether rows match although they differ in this option. */
bool compare_skips(const struct ignored *skip, const char *name);

/* The options of @row that have to be equal, as text. Owned by who asks. */
char *compare_key(struct json_object *row, const struct ignored *skip);

void compare_make(struct comparison *c, const struct records *a, const struct records *b,
		  const struct ignored *skip);
void compare_free(struct comparison *c);

struct ratio compare_ratio(struct value a, struct value b);

/* Whether the ratio says something, and what: "more", "less", "the same", "within the spread"; "": no
 * spread is known. */
const char *compare_verdict(struct ratio r);

#endif
