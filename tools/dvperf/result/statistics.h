/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What can be said of few values: an interval for their median, and whether two sets differ.
 *
 *	repeats of a run ----------> statistics_interval()   bootstrap: 95 % of the medians of samples
 *	repeats of A, of B --------> statistics_test()       Mann-Whitney U: p; Cliff's delta
 */
#ifndef DVPERF_STATISTICS_H
#define DVPERF_STATISTICS_H

struct interval {
	double low, high; /* NaN: one value, or none */
};

/* The percentile bootstrap of the median, 95 %: 2000 samples with replacement, whose random numbers
 * always begin with the same seed: the same values have the same interval. */
struct interval statistics_interval(const double *values, unsigned int n);

struct test {
	double p;     /* two-sided; NaN: one of the sets is empty */
	double delta; /* Cliff's: P(b > a) - P(b < a), from -1 to 1 */
};

/* Mann-Whitney U. p is exact where no two values are equal and both sets have at most 20 values;
 * otherwise by the normal distribution, with corrections for ties and continuity. */
struct test statistics_test(const double *a, unsigned int n, const double *b, unsigned int m);

#endif
