/* SPDX-License-Identifier: BSD-2-Clause */
/* The repetitions of post, of one process or of several (fresh.c), and what they are in the
 * result. */
#ifndef DVPERF_POST_REPEATS_H
#define DVPERF_POST_REPEATS_H

#include "result/result.h"

struct post_repeats {
	double post[MAX_REPEATS], mops[MAX_REPEATS]; /* core cycles of a WQE, M WQEs/s */
	double poll[MAX_REPEATS], op[MAX_REPEATS];   /* of a CQE, of an operation */
	bool polls;				     /* these two were measured */
	unsigned int n;
};

/* Medians, least and greatest, spread and doubts. Sorts the values. */
void post_keep(struct result *r, struct post_repeats *all);

#endif
