/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From rows to figures: the axes follow from the rows.
 *
 *	options that vary    batch 1…64 (7 values)   api (3)    signal (7, follows from batch)
 *	                     '- x: what the sweep    '- names   '- neither
 *	                        says, or a number       the lines
 *	                        with most values
 *	metrics of the mode  one figure each (plans.c)
 */
#ifndef DVPERF_REPORT_CHART_H
#define DVPERF_REPORT_CHART_H

#include "result/result.h"
#include "figure.h"

enum {
	MAX_SERIES = 256, /* of a figure; more are not drawn, the table has them */
};

struct axes {
	const char *names[MAX_NAMES]; /* of all options, as they come in the rows */
	bool varies[MAX_NAMES];
	size_t n;
	const char *x;		     /* NULL: nothing to draw over */
	const char *told[MAX_NAMES]; /* options that distinguish lines */
	size_t n_told;
};

void axes_find(struct axes *a, const struct record *r);

/* What is drawn: y with its bar from low to high (METRICS: no bar), for rows of these modes. */
struct plan {
	const char *title, *unit;
	enum metric y, low, high;
	const char *bars;	  /* what they are; NULL: there are none */
	const char *modes, *over; /* over: only when this is x; NULL: always */
	bool less_is_better;
};

/* Those of a page, in their order; a title of NULL ends. */
extern const struct plan report_plans[];

struct chart {
	const struct plan *plan;
	struct figure figure;
	struct figure_series series[MAX_SERIES];
	bool more;     /* lines than that */
	const char *x; /* the option */
	char *warning, *x_label, *y_label;
};

/* The figures of a record, one after the other: the plan after @last (NULL: the first) that has
 * something to draw; NULL: that was all. */
const struct plan *chart_next(const struct plan *last, const struct record *r,
			      const struct axes *a);
void chart_make(struct chart *c, const struct plan *plan, const struct record *r,
		const struct axes *a);
void chart_free(struct chart *c);

/* The plan of a metric of one mode, over anything. */
struct plan plan_of(enum metric y, const char *mode);

/* What a metric means, as result.h has it, and its unit; "" when its name says it, when it has none. */
const char *metric_meaning(enum metric m);
const char *metric_unit(enum metric m);
bool metric_is_modelled(enum metric m);

/* An option in words: "WQEs of a doorbell"; NULL: there is only its name. */
const char *option_meaning(const char *name);

/* What the lines of a chart say, sentence by sentence, as HTML list items. */
void chart_words(const struct chart *c, FILE *out);

#endif
