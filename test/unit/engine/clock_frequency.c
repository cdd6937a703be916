/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of the free-running counter; it does not overflow and never decreases. */
#include <criterion/criterion.h>

#include "engine/loop.h"

#define HOUR 3600000000000ull

static struct hca hca;

Test(clock, ticks_are_time_times_frequency)
{
	hca.clock_khz = 156250;
	cr_assert_eq(hca_ticks(&hca, 0), 0);
	cr_assert_eq(hca_ticks(&hca, 32), 5);
	cr_assert_eq(hca_ticks(&hca, 1000000000), 156250000);
	cr_assert_eq(hca_ticks(&hca, 24 * 365 * HOUR), 24 * 365 * HOUR / 32 * 5);
	hca.clock_khz = 1000000;
	cr_assert_eq(hca_ticks(&hca, 123456789012345678), 123456789012345678);
}

Test(clock, never_steps_back)
{
	uint64_t last = 0;

	hca.clock_khz = 156250;
	for (uint64_t ns = 1999000; ns < 2001000; ns++) {
		uint64_t ticks = hca_ticks(&hca, ns);

		cr_assert(ticks == last || ticks == last + 1 || ns == 1999000);
		last = ticks;
	}
}
