/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13 (percentile
 * intervals).
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/base.h"
#include "statistics.h"

enum {
	SAMPLES = 2000,
	OUTSIDE = SAMPLES / 40, /* 2.5 % on each side */
};

/* Vigna's splitmix64. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct interval statistics_interval(const double *values, unsigned int n)
{
	double medians[SAMPLES], *sample;
	uint64_t state = 1;

	if (n < 2)
		return (struct interval){ NAN, NAN };
	sample = base_made(calloc(n, sizeof(*sample)));
	for (int i = 0; i < SAMPLES; i++) {
		for (unsigned int k = 0; k < n; k++)
			sample[k] = values[next(&state) % n];
		medians[i] = median(sample, n);
	}
	free(sample);
	qsort(medians, SAMPLES, sizeof(*medians), by_value);
	return (struct interval){ medians[OUTSIDE], medians[SAMPLES - 1 - OUTSIDE] };
}
