/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mann-Whitney's U against values that scipy 1.10.1 gives (scipy.stats.mannwhitneyu, method "exact" or
 * "asymptotic"), and against arrangements counted by hand; properties of the interval.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "result/statistics.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

Test(statistics, p_is_exact_for_few_values)
{
	static const double a[] = { 1, 2, 3 }, b[] = { 4, 5, 6 }, c[] = { 2.5, 4, 5, 6 };
	struct test t = statistics_test(a, N(a), b, N(b));

	/* of 20 arrangements one is so extreme on each side */
	cr_assert_float_eq(t.p, 0.1, 1e-12);
	cr_assert_float_eq(t.delta, 1, 1e-12);
	t = statistics_test(b, N(b), a, N(a));
	cr_assert_float_eq(t.p, 0.1, 1e-12);
	cr_assert_float_eq(t.delta, -1, 1e-12);
	/* U is 11 of 12: 1 + 1 of 35 arrangements */
	t = statistics_test(a, N(a), c, N(c));
	cr_assert_float_eq(t.p, 4.0 / 35, 1e-12);
	cr_assert_float_eq(t.delta, 10.0 / 12, 1e-12);
	t = statistics_test(a, 1, b, 1);
	cr_assert_float_eq(t.p, 1, 1e-12);
}

Test(statistics, ties_and_many_values_are_asymptotic)
{
	static const double a[] = { 1, 2, 2, 3, 4 }, b[] = { 2, 3, 5, 6, 7 };
	double many[30], more[30];
	struct test t = statistics_test(a, N(a), b, N(b));

	cr_assert_float_eq(t.p, 0.111611768298, 1e-9);
	cr_assert_float_eq(t.delta, 0.64, 1e-12);
	for (int i = 0; i < 30; i++) {
		many[i] = i;
		more[i] = i * 1.1 + 0.05;
	}
	t = statistics_test(many, 30, more, 30);
	cr_assert_float_eq(t.p, 0.539510316799, 1e-9);
	/* all equal: nothing is known */
	t = statistics_test(a, 0, b, N(b));
	cr_assert(isnan(t.p));
	many[0] = many[1] = more[0] = more[1] = 7;
	t = statistics_test(many, 2, more, 2);
	cr_assert_float_eq(t.p, 1, 1e-12);
	cr_assert_float_eq(t.delta, 0, 1e-12);
}

Test(statistics, the_interval_is_of_the_median_and_repeats)
{
	static const double values[] = { 10, 12, 11, 19, 13, 12.5, 11.5 };
	struct interval i = statistics_interval(values, N(values)), again;

	again = statistics_interval(values, N(values));
	cr_assert_eq(i.low, again.low);
	cr_assert_eq(i.high, again.high);
	cr_assert(i.low >= 10 && i.low < 12 && i.high > 12 && i.high <= 19);
	i = statistics_interval(values, 1);
	cr_assert(isnan(i.low) && isnan(i.high));
	i = statistics_interval((const double[]){ 3, 3, 3 }, 3);
	cr_assert(i.low == 3 && i.high == 3);
}
