/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A figure: lines over one axis, drawn by gnuplot as SVG.
 *
 *	  title                                       what was measured and what others
 *	  NOT TO BE TRUSTED: …                        published are side by side, each on
 *	  y |   ..*          y |      .--             its own axes: another machine has
 *	    | *--'  direct     |  .--'  per-qp        other numbers, the shape is what
 *	    +--------- x       +--------- x           compares
 *	      measured           published: SOURCE
 *
 * Texts may be anything: they are neither commands of gnuplot nor markup. Black is the colour of the
 * surrounding text (currentColor), so that a page may be dark. Great numbers are divided, and the axis
 * says by what: "thousand core cycles", "ms". Lines differ in colour and mark, above eight in dashes, too. Those
 * that lie on each other are drawn in turns, piece by piece, so that none hides another.
 */
#ifndef DVPERF_FIGURE_H
#define DVPERF_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct figure_series {
	const char *name;
	bool published;		  /* by others, elsewhere */
	const double *x, *y;	  /* NaN: no point */
	const double *low, *high; /* the spread around y; NULL: none to show */
	size_t n;
	unsigned int color; /* lines of one number look alike in all figures */
};

/* Which panels are drawn: both beside each other, or one of them alone. */
enum figure_part { FIGURE_BOTH, FIGURE_MEASURED, FIGURE_PUBLISHED };

struct figure {
	const char *title, *x_label, *y_label;
	const char *warning; /* why not to trust it; NULL: there is no reason */
	const char *source;  /* of the published series; NULL: there are none */
	bool log_x, log_y;   /* to base 2 and 10 */
	bool narrow;	     /* for a small screen */
	enum figure_part part;
	const char *id; /* inside a page: begins the ids of its parts; NULL: a file */
	const struct figure_series *series;
	size_t n;
};

/* Whether @part of it has something to draw. */
bool figure_has(const struct figure *f, enum figure_part part);

/* Draws @f. 0, or -1 and one line was said: no gnuplot, nothing to draw, no space. */
int figure_write(const struct figure *f, FILE *out);

#endif
