/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run in windows: the slowest and the fastest rate between two looks at the count of
 * operations.
 *
 *	ops  0     900    1800   2500 = all
 *	     |------|------|------|
 *	     begin  counts counts the run ended somewhere in it: does not count
 */
#ifndef DVPERF_WINDOWS_H
#define DVPERF_WINDOWS_H

#include <stdint.h>

struct windows {
	uint64_t all;	     /* operations of the run; UINT64_MAX: it is stopped from outside */
	uint64_t ticks, ops; /* at the last look */
	double slowest, fastest; /* operations per tick; NaN: no window counted yet */
};

void windows_begin(struct windows *w, uint64_t all, uint64_t ticks, uint64_t ops);

/* The window since the last look ends here. */
void windows_look(struct windows *w, uint64_t ticks, uint64_t ops);

#endif
