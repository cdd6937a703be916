/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties of the interval of a median for any random numbers. */
#include <criterion/criterion.h>
#include <math.h>

#include "result/statistics.h"

#define N(array) (sizeof(array) / sizeof(*(array)))

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
