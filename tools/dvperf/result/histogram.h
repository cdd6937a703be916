/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Percentiles of many values in little memory: a histogram whose buckets grow with the value,
 * so that the error is relative and bounded (the idea is that of HdrHistogram).
 *
 *	value  0 … 127   exact          one bucket each
 *	     128 … 255   exact          128 buckets of 1
 *	     256 … 511   to 2           128 buckets of 2
 *	     512 … 1023  to 4           128 buckets of 4, and so on: below 0.8 %
 *
 * A percentile is the highest value of its bucket, never above the greatest value taken. One
 * thread writes; histogram_add() puts several together.
 */
#ifndef DVPERF_HISTOGRAM_H
#define DVPERF_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_BITS = 7, /* of a value that are kept */
	HISTOGRAM_BUCKETS = (64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS,
};

struct histogram {
	uint64_t count, least, most;
	double sum, squares;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_clear(struct histogram *h);
void histogram_add(struct histogram *to, const struct histogram *from);

/* The value that @percent of all are at or below; 0 of an empty one. */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* The standard deviation of the values, exact; 0 of an empty one. */
double histogram_deviation(const struct histogram *h);

static inline unsigned int histogram_bucket(uint64_t value)
{
	unsigned int bits, shift;

	if (value < 1u << HISTOGRAM_BITS)
		return (unsigned int)value;
	bits = 63 - (unsigned int)__builtin_clzll(value);
	shift = bits - HISTOGRAM_BITS;
	return (shift << HISTOGRAM_BITS) + (unsigned int)(value >> shift);
}

static inline void histogram_take(struct histogram *h, uint64_t value)
{
	h->buckets[histogram_bucket(value)]++;
	h->count++;
	h->sum += (double)value;
	h->squares += (double)value * (double)value;
	h->least = value < h->least ? value : h->least;
	h->most = value > h->most ? value : h->most;
}

#endif
