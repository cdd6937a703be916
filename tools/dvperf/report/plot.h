/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figure of a sweep, in a file: its axes and its lines are those that were asked for.
 *
 *	rows, published curves --> chart.h: series --> figure.h: SVG --> FILE.svg
 */
#ifndef DVPERF_PLOT_H
#define DVPERF_PLOT_H

#include "result/result.h"

struct plot {
	const char *title; /* NULL: the metric's */
	const char *mode;  /* of the rows that are drawn: one figure is of one mode */
	const char *x;	   /* an option */
	enum metric y;
	const char *const *series; /* options that tell the lines apart; NULL ends */
};

/* NULL, or why nothing can be drawn here. */
const char *plot_check(void);

/* Writes @path. 0, or -1 and one line was said. */
int plot_write(const struct plot *p, const struct record *r, const char *path);

#endif
