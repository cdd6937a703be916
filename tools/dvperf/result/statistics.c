/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13 (percentile intervals).
 * Mann and Whitney, 1947, for the distribution of U; Lehmann, Nonparametrics, for ties.
 * Cliff, Dominance statistics, 1993.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "statistics.h"

enum {
	SAMPLES = 2000,
	OUTSIDE = SAMPLES / 40, /* 2.5 % on each side */
	EXACT = 20,		/* the counts of arrangements fit a double */
};

/* ---- bootstrap ---- */

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

/* ---- Mann-Whitney ---- */

/* P(U >= @u) of all arrangements of @n and @m values: the coefficients of the Gaussian binomial
 * (n + m over n), whose factors are (1 - q^(m + i)) / (1 - q^i). */
static double exact_tail(unsigned int n, unsigned int m, double u)
{
	double ways[EXACT * EXACT + 1] = { 1 }, all = 0, tail = 0;
	unsigned int most = n * m;

	for (unsigned int i = 1; i <= n; i++) {
		for (unsigned int k = most; k >= m + i; k--)
			ways[k] -= ways[k - m - i];
		for (unsigned int k = i; k <= most; k++)
			ways[k] += ways[k - i];
	}
	for (unsigned int k = 0; k <= most; k++) {
		all += ways[k];
		tail += k >= u ? ways[k] : 0;
	}
	return tail / all;
}

/* The sum of t^3 - t over all groups of t equal values. */
static double ties(const double *a, unsigned int n, const double *b, unsigned int m)
{
	double *all = base_made(calloc(n + m, sizeof(*all))), sum = 0, t;

	memcpy(all, a, n * sizeof(*a));
	memcpy(all + n, b, m * sizeof(*b));
	qsort(all, n + m, sizeof(*all), by_value);
	for (unsigned int i = 0, k; i < n + m; i = k) {
		for (k = i; k < n + m && all[k] == all[i]; k++)
			;
		t = k - i;
		sum += t * t * t - t;
	}
	free(all);
	return sum;
}

static double normal_tail(double n, double m, double u, double tied)
{
	double all = n + m;
	double deviation = sqrt(n * m / 12 * (all + 1 - tied / (all * (all - 1))));

	if (!(deviation > 0))
		return 1;
	return erfc((u - n * m / 2 - 0.5) / deviation / sqrt(2)) / 2;
}

struct test statistics_test(const double *a, unsigned int n, const double *b, unsigned int m)
{
	double more = 0, less = 0, pairs = (double)n * m, u, tied;

	if (!n || !m)
		return (struct test){ NAN, NAN };
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < m; k++) {
			more += b[k] > a[i];
			less += b[k] < a[i];
		}
	u = fmax(more, less) + (pairs - more - less) / 2;
	tied = ties(a, n, b, m);
	return (struct test){
		.p = fmin(1, 2 * (tied == 0 && n <= EXACT && m <= EXACT
					  ? exact_tail(n, m, u)
					  : normal_tail(n, m, u, tied))),
		.delta = (more - less) / pairs,
	};
}
