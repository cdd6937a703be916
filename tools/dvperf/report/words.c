/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A figure in sentences, for readers who cannot see it or want the numbers:
 *
 *	direct: 53.0 at batch 1, 15.2 at batch 64: 3.5 times less.
 *	verbs, published: 39.1 at threads 32 is its most; 19.2 at threads 96.
 *	At batch 64: least is direct (15.2), most is verbs (123): 8.1 times as much. Their bars overlap.
 */
#include <math.h>
#include <string.h>

#include "chart.h"
#include "text.h"

/* A smaller change is not mentioned, nor a maximum or minimum inside that exceeds the ends by less. */
static const double NOTHING = 0.05;

/* Lines that differ by no more are the same. */
static const double SAME = 0.005;

static void put(FILE *out, const char *text)
{
	text_put(out, TEXT_HTML, text);
}

static void put_at(FILE *out, const struct chart *c, double y, double x)
{
	char buf[32];

	fprintf(out, "%s at ", text_number(y, buf, sizeof(buf)));
	put(out, c->x);
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

/* What the bars of two points have in common takes from what their ratio says. */
static void put_overlap(FILE *out, const struct figure_series *a, size_t i,
			const struct figure_series *b, size_t k)
{
	if (a->low && b->low && a->low[i] <= b->high[k] && b->low[k] <= a->high[i])
		fputs(" Their bars overlap.", out);
}

static bool is_same_line(const struct figure_series *a, const struct figure_series *b,
			 double most)
{
	bool same = a->n == b->n && a->published == b->published;

	for (size_t i = 0; same && i < a->n; i++)
		same = a->x[i] == b->x[i] && fabs(a->y[i] - b->y[i]) <= most * fabs(b->y[i]);
	return same;
}

/* In the figure they lie on each other. */
static void put_same(FILE *out, const struct chart *c, const struct figure_series *s)
{
	const struct figure_series *other = c->series;

	while (other != s && !is_same_line(other, s, SAME))
		other++;
	if (other == s)
		return;
	fputs(is_same_line(other, s, 0) ? " It is the same as <b>"
					: " It is nearly the same as <b>",
	      out);
	put(out, other->name);
	fputs("</b>.", out);
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
		put_overlap(out, s, 0, s, s->n - 1);
		put_extreme(out, c, s, 1);
		put_extreme(out, c, s, -1);
	} else {
		fputs(".", out);
	}
	put_same(out, c, s);
	fputs("</li>\n", out);
}

/* The index of @x in @s, n if it is not there. */
static size_t at_x(const struct figure_series *s, double x)
{
	size_t i = 0;

	while (i < s->n && s->x[i] != x)
		i++;
	return i;
}

static void put_one(FILE *out, const char *what, const struct figure_series *s, size_t i)
{
	char buf[32];

	fprintf(out, "%s is <b>", what);
	put(out, s->name);
	fprintf(out, "</b> (%s)", text_number(s->y[i], buf, sizeof(buf)));
}

/* Our lines against each other, at @x. */
static void put_across(FILE *out, const struct chart *c, double x)
{
	const struct figure_series *least = NULL, *most = NULL;
	size_t low = 0, high = 0;
	char buf[32];

	for (size_t k = 0; k < c->figure.n; k++) {
		const struct figure_series *s = &c->series[k];
		size_t i = at_x(s, x);

		if (s->published || i == s->n)
			continue;
		if (!least || s->y[i] < least->y[low]) {
			least = s;
			low = i;
		}
		if (!most || s->y[i] > most->y[high]) {
			most = s;
			high = i;
		}
	}
	if (!least || least == most)
		return;
	fputs("<li>At ", out);
	put(out, c->x);
	fprintf(out, " %s: ", text_number(x, buf, sizeof(buf)));
	put_one(out, "least", least, low);
	put_one(out, ", most", most, high);
	put_ratio(out, least->y[low], most->y[high]);
	put_overlap(out, least, low, most, high);
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
