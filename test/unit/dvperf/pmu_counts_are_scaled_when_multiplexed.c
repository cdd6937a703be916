/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_event_open(2), "Reading results": a group with both times. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "machine/effort.h"

static struct effort scaled(uint64_t counters, uint64_t enabled, uint64_t running)
{
	/* the words as the kernel gives them: nr, enabled, running, values */
	uint64_t words[] = { counters, enabled, running, 3000, 1000 };
	struct effort_group g;

	cr_assert_eq(sizeof(g), sizeof(words));
	memcpy(&g, words, sizeof(g));
	return effort_scaled(&g);
}

/* All the time, and a quarter of it. */
Test(effort, counted)
{
	for (int part = 1; part <= 4; part += 3) {
		struct effort e = scaled(2, 500 * part, 500);

		cr_assert_float_eq(e.instructions, 3000 * part, 1e-9);
		cr_assert_float_eq(e.cycles, 1000 * part, 1e-9);
	}
}

Test(effort, never_counted)
{
	cr_assert(isnan(scaled(2, 2000, 0).instructions));
	cr_assert(isnan(scaled(2, 2000, 0).cycles));
	cr_assert(isnan(scaled(0, 500, 500).instructions));
	cr_assert(isnan(scaled(1, 500, 500).cycles));
}

Test(effort, of_two_threads)
{
	struct effort a = { 10, 5, 0.5 }, none = { NAN, NAN, 0.25 };

	effort_add(&a, &(struct effort){ 20, 7, 1 });
	cr_assert_float_eq(a.instructions, 30, 1e-9);
	cr_assert_float_eq(a.cycles, 12, 1e-9);
	cr_assert_float_eq(a.cpu_seconds, 1.5, 1e-9);
	/* one that was not counted: the sum is not known */
	effort_add(&a, &none);
	cr_assert(isnan(a.instructions));
	cr_assert_float_eq(a.cpu_seconds, 1.75, 1e-9);
}

/* Whatever machine this is: time on a CPU, and either both counters or why there is none. */
Test(effort, of_this_thread)
{
	struct effort_meter m;
	int error = effort_open(&m);
	struct effort e;
	uint64_t begin;

	effort_begin(&m);
	begin = clock_ticks();
	while ((double)(clock_ticks() - begin) < clock_rate() / 20)
		;
	e = effort_end(&m);
	cr_assert(e.cpu_seconds > 0);
	cr_assert_eq(isnan(e.instructions), error != 0);
	if (!error)
		cr_assert(e.instructions > 1000 && e.cycles > 1000);
	else
		cr_assert_neq(strerror(error)[0], 0);
}
