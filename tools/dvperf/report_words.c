/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A figure in words, for who cannot see it and for who wants the number:
 *
 *	direct: 53.0 at batch 1, 15.2 at batch 64: 3.5 times less.
 *	verbs, published: 39.1 at threads 32 is its most; 19.2 at threads 96.
 *	At batch 64 direct has least (15.2) and verbs most (123): 8.1 times as much.
 */
#include <math.h>
#include <string.h>

#include "report_chart.h"
#include "report_text.h"

/* A change of less is none; a most or least inside counts only beyond it. */
static const double NOTHING = 0.05;

static void put(FILE *out, const char *text)
{
	text_put(out, TEXT_HTML, text);
}

static void put_at(FILE *out, const struct chart *c, double y, double x)
{
	char buf[32];

	fprintf(out, "%s at ", text_number(y, buf, sizeof(buf)));
	put(out, c->figure.x_label);
	fprintf(out, " %s", text_number(x, buf, sizeof(buf)));
}

static void put_ratio(FILE *out, double from, double to)
{
	char buf[32];

	if (from <= 0 || to <= 0)
		fputs(".", out);
	else if (fabs(to / from - 1) < NOTHING)
		fputs(": about the same.", out);
	else if (to > from)
		fprintf(out, ": %s times as much.", text_number(to / from, buf, sizeof(buf)));
	else
		fprintf(out, ": %s times less.", text_number(from / to, buf, sizeof(buf)));
}

/* The index of the greatest (@sign 1) or the least (-1). */
static size_t extreme(const struct figure_series *s, int sign)
{
	size_t at = 0;

	for (size_t i = 1; i < s->n; i++)
		if (s->y[i] * sign > s->y[at] * sign)
			at = i;
	return at;
}

static void put_extreme(FILE *out, const struct chart *c, const struct figure_series *s,
			int sign)
{
	size_t at = extreme(s, sign);
	double edge = sign > 0 ? fmax(s->y[0], s->y[s->n - 1]) : fmin(s->y[0], s->y[s->n - 1]);

	if (edge <= 0 || fabs(s->y[at] / edge - 1) < NOTHING)
		return;
	fprintf(out, " Its %s in between: ", sign > 0 ? "most" : "least");
	put_at(out, c, s->y[at], s->x[at]);
	fputs(".", out);
}

static void put_line(FILE *out, const struct chart *c, const struct figure_series *s)
{
	fputs("<li><b>", out);
	put(out, s->name);
	fputs(s->published ? "</b> (published, by others, elsewhere): " : "</b>: ", out);
	put_at(out, c, s->y[0], s->x[0]);
	if (s->n > 1) {
		fputs(", ", out);
		put_at(out, c, s->y[s->n - 1], s->x[s->n - 1]);
		put_ratio(out, s->y[0], s->y[s->n - 1]);
		put_extreme(out, c, s, 1);
		put_extreme(out, c, s, -1);
	}
	fputs("</li>\n", out);
}

/* The value of @s at @x, NaN if there is none. */
static double at_x(const struct figure_series *s, double x)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->x[i] == x)
			return s->y[i];
	return NAN;
}

/* Our lines against each other, at @x. */
static void put_across(FILE *out, const struct chart *c, double x)
{
	const struct figure_series *least = NULL, *most = NULL;
	char buf[32];

	for (size_t k = 0; k < c->figure.n; k++) {
		const struct figure_series *s = &c->series[k];
		double y = at_x(s, x);

		if (s->published || isnan(y))
			continue;
		if (!least || y < at_x(least, x))
			least = s;
		if (!most || y > at_x(most, x))
			most = s;
	}
	if (!least || least == most)
		return;
	fputs("<li>At ", out);
	put(out, c->figure.x_label);
	fprintf(out, " %s: least is <b>", text_number(x, buf, sizeof(buf)));
	put(out, least->name);
	fprintf(out, "</b> (%s), most is <b>", text_number(at_x(least, x), buf, sizeof(buf)));
	put(out, most->name);
	fprintf(out, "</b> (%s)", text_number(at_x(most, x), buf, sizeof(buf)));
	put_ratio(out, at_x(least, x), at_x(most, x));
	fputs("</li>\n", out);
}

void chart_words(const struct chart *c, FILE *out)
{
	const struct figure_series *first = NULL;

	for (size_t k = 0; k < c->figure.n; k++) {
		if (!c->series[k].n)
			continue;
		put_line(out, c, &c->series[k]);
		if (!first && !c->series[k].published)
			first = &c->series[k];
	}
	if (!first)
		return;
	put_across(out, c, first->x[0]);
	if (first->x[first->n - 1] != first->x[0])
		put_across(out, c, first->x[first->n - 1]);
}
