/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples in buckets of bounded relative error; percentiles and the deviation. */
#include <math.h>
#include <string.h>

#include "histogram.h"

void histogram_clear(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->least = UINT64_MAX;
}

void histogram_add(struct histogram *to, const struct histogram *from)
{
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
	to->count += from->count;
	to->sum += from->sum;
	to->squares += from->squares;
	to->least = from->least < to->least ? from->least : to->least;
	to->most = from->most > to->most ? from->most : to->most;
}

/* The highest value that falls into @bucket: the inverse of histogram_bucket(). */
static uint64_t highest(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2u << HISTOGRAM_BITS)
		return bucket;
	shift = (bucket >> HISTOGRAM_BITS) - 1;
	return ((uint64_t)(bucket - (shift << HISTOGRAM_BITS)) << shift) +
	       ((UINT64_C(1) << shift) - 1);
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	uint64_t want = (uint64_t)ceil(percent / 100 * (double)h->count), seen = 0;
	uint64_t value;

	if (!h->count)
		return 0;
	if (!want)
		return h->least;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen < want)
			continue;
		value = highest(i);
		return value < h->most ? value : h->most;
	}
	return h->most;
}

double histogram_deviation(const struct histogram *h)
{
	double mean;

	if (!h->count)
		return 0;
	mean = h->sum / (double)h->count;
	return sqrt(fmax(h->squares / (double)h->count - mean * mean, 0));
}
