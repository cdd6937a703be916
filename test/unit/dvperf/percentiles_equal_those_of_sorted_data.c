/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "result/histogram.h"

enum { N = 50000 };

static uint64_t raw[N];
static struct histogram h;

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void same_percentiles(void)
{
	static const double percents[] = { 0.01, 1, 10, 50, 90, 99, 99.9, 99.99, 100 };

	qsort(raw, N, sizeof(*raw), compare);
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		uint64_t rank = (uint64_t)ceil(percents[i] / 100 * N);
		double want = (double)raw[rank - 1];
		double have = (double)histogram_percentile(&h, percents[i]);

		cr_assert(have >= want && have <= want * (1 + 1.0 / 128),
			  "%g %%: %g in place of %g", percents[i], have, want);
	}
}

/* A xorshift: the same numbers each time. */
static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	return *x ^= *x << 17;
}

Test(histogram, values_of_every_size)
{
	uint64_t x = 88172645463325252u;

	histogram_clear(&h);
	for (int i = 0; i < N; i++) {
		raw[i] = next(&x) >> (next(&x) % 60);
		histogram_take(&h, raw[i]);
	}
	same_percentiles();
}

Test(histogram, latencies_with_a_long_tail)
{
	uint64_t x = 1234567;

	histogram_clear(&h);
	for (int i = 0; i < N; i++) {
		raw[i] = 2000 + next(&x) % 300 + (next(&x) % 100 ? 0 : next(&x) % 1000000);
		histogram_take(&h, raw[i]);
	}
	same_percentiles();
	cr_assert_eq(h.least, raw[0]);
	cr_assert_eq(h.most, raw[N - 1]);
}

Test(histogram, small_values_are_exact)
{
	histogram_clear(&h);
	for (uint64_t v = 1; v <= 200; v++)
		histogram_take(&h, v);
	cr_assert_eq(histogram_percentile(&h, 50), 100);
	cr_assert_eq(histogram_percentile(&h, 99.5), 199);
	cr_assert_eq(histogram_percentile(&h, 0), 1);
	cr_assert_eq(histogram_percentile(&h, 100), 200);
}

Test(histogram, the_greatest_and_the_least_there_are)
{
	histogram_clear(&h);
	cr_assert_eq(histogram_percentile(&h, 50), 0);
	histogram_take(&h, UINT64_MAX);
	histogram_take(&h, 0);
	cr_assert_eq(histogram_percentile(&h, 50), 0);
	cr_assert_eq(histogram_percentile(&h, 100), UINT64_MAX);
	cr_assert_lt(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS);
}

Test(histogram, two_are_put_together)
{
	static struct histogram other;

	histogram_clear(&h);
	histogram_clear(&other);
	for (uint64_t v = 0; v < 100; v++)
		histogram_take(v % 2 ? &h : &other, v);
	histogram_add(&h, &other);
	cr_assert_eq(h.count, 100);
	cr_assert_eq(h.least, 0);
	cr_assert_eq(h.most, 99);
	cr_assert_eq(histogram_percentile(&h, 50), 49);
}

/* 2 4 4 4 5 5 7 9: mean 5, the sum of squared distances 32, of 8 values. */
Test(histogram, standard_deviation)
{
	static const uint64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	static struct histogram other;

	histogram_clear(&h);
	histogram_clear(&other);
	cr_assert_float_eq(histogram_deviation(&h), 0, 1e-12);
	for (int i = 0; i < 8; i++)
		histogram_take(i % 2 ? &h : &other, values[i]);
	histogram_add(&h, &other);
	cr_assert_float_eq(histogram_deviation(&h), 2, 1e-12);
}
