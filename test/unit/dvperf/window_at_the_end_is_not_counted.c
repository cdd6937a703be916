/* SPDX-License-Identifier: BSD-2-Clause */
/* The slowest and the fastest window of a run are of its middle: how long it was over is not
 * seen. */
#include <criterion/criterion.h>
#include <math.h>

#include "run/windows.h"

static const struct {
	uint64_t all, ticks, ops; /* where it begins */
	uint64_t looks[3][2];	  /* ticks, operations */
	double slowest, fastest;
} rows[] = {
	/* the last and mostly idle one does not count */
	{ 2500, 0, 0, { { 100, 1000 }, { 200, 1800 }, { 300, 2500 } }, 8, 10 },
	/* without an end all count: the device was idle, and that is reported */
	{ UINT64_MAX, 50, 400, { { 150, 1400 }, { 250, 1400 } }, 0, 10 },
	/* shorter than a window */
	{ 100, 0, 0, { { 100, 100 } }, NAN, NAN },
	/* two looks at one moment are no window */
	{ 100, 7, 0, { { 7, 10 } }, NAN, NAN },
	{ 100, 7, 0, { { 7, 10 }, { 17, 20 } }, 1, 1 },
};

Test(windows, are_those_of_the_middle)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct windows w;

		windows_begin(&w, rows[i].all, rows[i].ticks, rows[i].ops);
		for (int k = 0; k < 3 && rows[i].looks[k][0]; k++)
			windows_look(&w, rows[i].looks[k][0], rows[i].looks[k][1]);
		cr_expect(isnan(rows[i].slowest) ? isnan(w.slowest) && isnan(w.fastest)
						 : w.slowest == rows[i].slowest &&
							   w.fastest == rows[i].fastest,
			  "row %zu: %g to %g", i, w.slowest, w.fastest);
		cr_expect(i || w.ops == 2500);
	}
}
