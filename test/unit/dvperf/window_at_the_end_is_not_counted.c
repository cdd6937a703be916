/* SPDX-License-Identifier: BSD-2-Clause */
/* The slowest and the fastest window of a run are of its middle: how long it was over is not
 * seen. */
#include <criterion/criterion.h>
#include <math.h>

#include "run/windows.h"

Test(windows, the_last_and_mostly_idle_one_does_not_count)
{
	struct windows w;

	windows_begin(&w, 2500, 0, 0);
	windows_look(&w, 100, 1000);
	windows_look(&w, 200, 1800);
	windows_look(&w, 300, 2500);
	cr_assert_eq(w.slowest, 8);
	cr_assert_eq(w.fastest, 10);
	cr_assert_eq(w.ops, 2500);
}

Test(windows, a_run_without_an_end_counts_all)
{
	struct windows w;

	windows_begin(&w, UINT64_MAX, 50, 400);
	windows_look(&w, 150, 1400);
	windows_look(&w, 250, 1400);
	cr_assert_eq(w.slowest, 0, "the device was idle, and that is reported");
	cr_assert_eq(w.fastest, 10);
}

Test(windows, a_run_shorter_than_a_window_has_none)
{
	struct windows w;

	windows_begin(&w, 100, 0, 0);
	windows_look(&w, 100, 100);
	cr_assert(isnan(w.slowest) && isnan(w.fastest));
}

Test(windows, two_looks_at_one_moment_are_no_window)
{
	struct windows w;

	windows_begin(&w, 100, 7, 0);
	windows_look(&w, 7, 10);
	cr_assert(isnan(w.slowest) && isnan(w.fastest));
	windows_look(&w, 17, 20);
	cr_assert_eq(w.slowest, 1);
}
