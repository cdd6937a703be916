/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of the few repeats of a run: an interval for their median. Whether two runs differ
 * is for dvperf compare, a script.
 */
#ifndef DVPERF_STATISTICS_H
#define DVPERF_STATISTICS_H

struct interval {
	double low, high; /* NaN: one value, or none */
};

/* The percentile bootstrap of the median, 95 %: 2000 samples with replacement, whose random
 * numbers always begin with the same seed: the same values have the same interval. */
struct interval statistics_interval(const double *values, unsigned int n);

#endif
