/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvfw top: the rate of a counter is what it grew by per second, also over the end of its 32 or
 * 64 bits; without a second reading there is none.
 */
#include <criterion/criterion.h>

#include "ask/counters.h"

static double rate(unsigned int bits, uint64_t before, uint64_t value, double seconds)
{
	struct counters c = { .seconds = seconds };
	struct counter k = { .source = "q", .bits = bits, .value = value, .before = before };

	return counter_rate(&c, &k);
}

Test(counter_rates_survive_wraparound, growth_per_second)
{
	cr_expect_float_eq(rate(64, 1000, 1500, 2), 250, 1e-9);
	cr_expect_float_eq(rate(32, 7, 7, 1), 0, 1e-9);
	cr_expect_float_eq(rate(64, 0, 1ull << 40, 0.5), 0x1p41, 1);
}

Test(counter_rates_survive_wraparound, over_the_end)
{
	cr_expect_float_eq(rate(32, 0xfffffff0, 0x10, 1), 0x20, 1e-9);
	cr_expect_float_eq(rate(64, UINT64_MAX, 4, 1), 5, 1e-9);
}

Test(counter_rates_survive_wraparound, first_reading)
{
	cr_expect_float_eq(rate(64, 0, 1500, 0), 0, 1e-9);
}
