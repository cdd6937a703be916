/* SPDX-License-Identifier: BSD-2-Clause */
/* Axes, series and figures, from the rows of a record. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "chart.h"

/* ---- axes ---- */

static void collect_names(struct axes *a, const struct record *r)
{
	for (size_t i = 0; i < record_rows(r); i++) {
		json_object_object_foreach(json_object_object_get(record_row(r, i), "options"),
					   name, value)
		{
			size_t k = 0;

			(void)value;
			while (k < a->n && strcmp(a->names[k], name))
				k++;
			if (k == a->n && a->n < MAX_NAMES)
				a->names[a->n++] = name;
		}
	}
}

static size_t values_of(const struct record *r, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < record_rows(r); i++) {
		size_t k = 0;

		while (k < i && strcmp(row_option(record_row(r, i), name),
				       row_option(record_row(r, k), name)))
			k++;
		n += k == i;
	}
	return n;
}

static bool is_numeric(const struct record *r, const char *name)
{
	for (size_t i = 0; i < record_rows(r); i++) {
		struct json_object *value = json_object_object_get(
			json_object_object_get(record_row(r, i), "options"), name);

		if (!json_object_is_type(value, json_type_int) &&
		    !json_object_is_type(value, json_type_double))
			return false;
	}
	return true;
}

/* Of options with as many values, the one that others usually follow from. */
static size_t liking(const char *name)
{
	static const char *const liked[] = { "rate", "tx_depth", "inline_size", "outstanding",
					     "qp",   "size",	 "threads",	"batch" };
	static const char *const lengths[] = { "iters", "duration", "repeats" };
	size_t i = sizeof(liked) / sizeof(*liked);

	for (size_t k = 0; k < sizeof(lengths) / sizeof(*lengths); k++)
		if (!strcmp(name, lengths[k]))
			return 0;
	while (i && strcmp(liked[i - 1], name))
		i--;
	return i + 1;
}

static void choose_x(struct axes *a, const struct record *r)
{
	size_t best = 0, best_values = 1;

	if (r->x && is_numeric(r, r->x) && values_of(r, r->x) > 1) {
		a->x = r->x;
		return;
	}
	for (size_t k = 0; k < a->n; k++) {
		size_t values = values_of(r, a->names[k]), like = liking(a->names[k]);

		if (!like || !is_numeric(r, a->names[k]))
			continue;
		if (values > best_values ||
		    (values == best_values && values > 1 && like > best)) {
			best_values = values;
			best = like;
			a->x = a->names[k];
		}
	}
}

/* Whether two rows are of different lines. */
static bool is_told(const struct axes *a, struct json_object *one, struct json_object *other)
{
	for (size_t k = 0; k < a->n_told; k++)
		if (strcmp(row_option(one, a->told[k]), row_option(other, a->told[k])))
			return true;
	return false;
}

/* Whether two rows differ in x or in what distinguishes lines already. */
static bool are_apart(const struct axes *a, struct json_object *one, struct json_object *other)
{
	return (a->x && strcmp(row_option(one, a->x), row_option(other, a->x))) ||
	       is_told(a, one, other);
}

/* Whether @name follows from the rest. */
static bool follows(const struct axes *a, const struct record *r, const char *name)
{
	for (size_t i = 0; i < record_rows(r); i++)
		for (size_t k = 0; k < i; k++)
			if (!are_apart(a, record_row(r, i), record_row(r, k)) &&
			    strcmp(row_option(record_row(r, i), name),
				   row_option(record_row(r, k), name)))
				return false;
	return true;
}

void axes_find(struct axes *a, const struct record *r)
{
	*a = (struct axes){ 0 };
	collect_names(a, r);
	for (size_t k = 0; k < a->n; k++)
		a->varies[k] = values_of(r, a->names[k]) > 1;
	choose_x(a, r);
	for (size_t k = 0; k < a->n; k++)
		if (a->varies[k] && !(a->x && !strcmp(a->x, a->names[k])) &&
		    !follows(a, r, a->names[k]))
			a->told[a->n_told++] = a->names[k];
}

/* ---- charts ---- */

static bool takes(const struct plan *p, const struct axes *a, const struct record *r, size_t i)
{
	const char *mode = row_option(record_row(r, i), "mode");

	return *mode && strstr(p->modes, mode) && row_has(r, i, metric_name(p->y)) &&
	       (!p->over || !strcmp(p->over, a->x));
}

/* One point is no line: rows at two x at least. */
static bool has_line(const struct plan *p, const struct record *r, const struct axes *a)
{
	struct json_object *first = NULL;

	for (size_t i = 0; a->x && i < record_rows(r); i++) {
		if (!takes(p, a, r, i))
			continue;
		if (!first)
			first = record_row(r, i);
		else if (strcmp(row_option(first, a->x), row_option(record_row(r, i), a->x)))
			return true;
	}
	return false;
}

const struct plan *chart_next(const struct plan *last, const struct record *r,
			      const struct axes *a)
{
	const struct plan *p = last ? last + 1 : report_plans;

	while (p->title && !has_line(p, r, a))
		p++;
	return p->title ? p : NULL;
}

struct point {
	double x, y, low, high;
};

static int by_x(const void *a, const void *b)
{
	const struct point *p = (const struct point *)a, *q = (const struct point *)b;

	return (p->x > q->x) - (p->x < q->x);
}

static void fill_series(struct figure_series *s, struct point *points, size_t n, bool spread)
{
	double *all = base_made(calloc(4 * n + 1, sizeof(double)));

	qsort(points, n, sizeof(*points), by_x);
	for (size_t i = 0; i < n; i++) {
		all[i] = points[i].x;
		all[n + i] = points[i].y;
		all[2 * n + i] = points[i].low;
		all[3 * n + i] = points[i].high;
	}
	s->n = n;
	s->x = all;
	s->y = all + n;
	s->low = spread ? all + 2 * n : NULL;
	s->high = spread ? all + 3 * n : NULL;
}

/* A number of the line that @row is of: the API's where nothing else distinguishes lines, else its place
 * among all lines of the record, in this figure or not. */
static unsigned int color_of(const struct record *r, const struct axes *a,
			     struct json_object *row)
{
	static const char *const apis[] = { "direct", "wr", "verbs" };
	unsigned int n = 0;

	for (unsigned int i = 0; a->n_told == 1 && !strcmp(a->told[0], "api") && i < 3; i++)
		if (!strcmp(row_option(row, "api"), apis[i]))
			return i;
	for (size_t i = 0; record_row(r, i) != row && is_told(a, record_row(r, i), row); i++) {
		size_t k = 0;

		while (k < i && is_told(a, record_row(r, k), record_row(r, i)))
			k++;
		n += k == i;
	}
	return n;
}

/* The line that row @first begins: its rows and those that are called the same. */
static void add_line(struct chart *c, const struct record *r, const struct axes *a,
		     struct json_object *first)
{
	const struct plan *p = c->plan;
	struct figure_series *s = &c->series[c->figure.n++];
	struct point *points = base_made(calloc(record_rows(r), sizeof(*points)));
	char name[256], other[256];
	size_t n = 0;

	row_words(first, a->told, a->n_told, name, sizeof(name));
	for (size_t i = 0; i < record_rows(r); i++) {
		struct json_object *row = record_row(r, i);

		if (!takes(p, a, r, i) ||
		    strcmp(row_words(row, a->told, a->n_told, other, sizeof(other)), name))
			continue;
		points[n++] = (struct point){
			strtod(row_option(row, a->x), NULL), row_metric(row, metric_name(p->y)),
			p->low < METRICS ? row_metric(row, metric_name(p->low)) : NAN,
			p->high < METRICS ? row_metric(row, metric_name(p->high)) : NAN
		};
	}
	s->name = base_made(strdup(*name ? name : metric_name(p->y)));
	s->color = color_of(r, a, first);
	fill_series(s, points, n, p->low < METRICS);
	free(points);
}

static bool has_name(const struct chart *c, const char *name)
{
	for (size_t k = 0; k < c->figure.n; k++)
		if (!strcmp(c->series[k].name, name))
			return true;
	return false;
}

static void add_lines(struct chart *c, const struct record *r, const struct axes *a)
{
	char name[256];

	for (size_t i = 0; i < record_rows(r); i++) {
		if (!takes(c->plan, a, r, i))
			continue;
		row_words(record_row(r, i), a->told, a->n_told, name, sizeof(name));
		if (has_name(c, *name ? name : metric_name(c->plan->y)))
			continue;
		c->more |= c->figure.n == MAX_SERIES;
		if (c->figure.n < MAX_SERIES)
			add_line(c, r, a, record_row(r, i));
	}
}

static void add_curve(struct chart *c, struct json_object *curve, unsigned int color)
{
	struct json_object *x = json_object_object_get(curve, "x");
	struct json_object *y = json_object_object_get(curve, "y");
	struct figure_series *s = &c->series[c->figure.n++];
	size_t n = json_object_array_length(x);
	struct point *points = base_made(calloc(n + 1, sizeof(*points)));

	for (size_t k = 0; k < n; k++)
		points[k] =
			(struct point){ json_object_get_double(json_object_array_get_idx(x, k)),
					json_object_get_double(json_object_array_get_idx(y, k)),
					NAN, NAN };
	s->published = true;
	s->color = color;
	s->name = base_made(
		strdup(json_object_get_string(json_object_object_get(curve, "series"))));
	fill_series(s, points, n, false);
	c->figure.source = json_object_get_string(json_object_object_get(curve, "source"));
	free(points);
}

/* The presets' curves are rates, over what the preset varies: they are not drawn over another x. */
static bool is_published_here(const struct chart *c, struct json_object *curve)
{
	struct json_object *over = json_object_object_get(curve, "over");

	return c->plan->y == METRIC_MOPS &&
	       (!over || !strcmp(json_object_get_string(over), c->x));
}

static void add_published(struct chart *c, const struct record *r)
{
	for (size_t i = 0; r->published && i < json_object_array_length(r->published) &&
			   c->figure.n < MAX_SERIES;
	     i++) {
		struct json_object *curve = json_object_array_get_idx(r->published, i);

		if (is_published_here(c, curve))
			add_curve(c, curve, (unsigned int)i);
	}
}
/* "the device is the emulator; unpinned": the words of each reason before its colon, once. */
static char *short_reasons(const struct record *r)
{
	struct json_object *reasons = json_object_new_object(),
			   *brief = json_object_new_object();
	char *text = base_made(calloc(1, 1)), *longer, *words;

	record_reasons(r, reasons);
	json_object_object_foreach(reasons, reason, value)
	{
		(void)value;
		words = base_made(strndup(reason, strcspn(reason, ":")));
		json_object_object_add(brief, words, json_object_new_boolean(1));
		free(words);
	}
	json_object_object_foreach(brief, one, unused)
	{
		(void)unused;
		if (asprintf(&longer, "%s%s%s", text, *text ? "; " : "", one) < 0)
			base_fail("%m");
		free(text);
		text = longer;
	}
	json_object_put(reasons);
	json_object_put(brief);
	return text;
}

/* Whether most steps of x double it: 1, 2, 4, 8 … but not 1, 8, 16, 24 … */
static bool is_doubling(const struct figure_series *s)
{
	size_t steps = 0, doublings = 0;

	for (size_t i = 1; i < s->n; i++) {
		steps += s->x[i] > s->x[i - 1];
		doublings += s->x[i - 1] > 0 && s->x[i] >= 1.9 * s->x[i - 1];
	}
	return s->n && s->x[0] > 0 && 2 * doublings > steps;
}

/* From here on, an axis of times counts magnitudes. */
static const double WIDE = 100;

static void choose_scales(struct figure *f)
{
	const struct figure_series *longest = f->series;

	for (size_t k = 0; k < f->n; k++)
		if (f->series[k].n > longest->n)
			longest = &f->series[k];
	f->log_x = is_doubling(longest);
}

/* Times span orders of magnitude, and their bars more. */
static bool is_wide(const struct chart *c)
{
	double least = INFINITY, most = 0;

	for (size_t k = 0; k < c->figure.n; k++) {
		const struct figure_series *s = &c->series[k];

		for (size_t i = 0; i < s->n; i++) {
			least = fmin(least, s->low ? fmin(s->low[i], s->y[i]) : s->y[i]);
			most = fmax(most, s->high ? fmax(s->high[i], s->y[i]) : s->y[i]);
		}
	}
	return c->plan->y == METRIC_LAT_50 && least > 0 && most / least > WIDE;
}

void chart_make(struct chart *c, const struct plan *plan, const struct record *r,
		const struct axes *a)
{
	const char *what = option_meaning(a->x);

	*c = (struct chart){ .plan = plan, .x = a->x, .warning = short_reasons(r) };
	if (asprintf(&c->y_label, "%s (%s)", plan->unit, metric_name(plan->y)) < 0 ||
	    asprintf(&c->x_label, "%s%s%s%s", what ? what : "", what ? " (" : "", a->x,
		     what ? ")" : "") < 0)
		base_fail("%m");
	c->figure.series = c->series;
	add_lines(c, r, a);
	add_published(c, r);
	c->figure.title = plan->title;
	c->figure.x_label = c->x_label;
	c->figure.y_label = c->y_label;
	c->figure.warning = *c->warning ? c->warning : NULL;
	choose_scales(&c->figure);
	c->figure.log_y = is_wide(c);
}

void chart_free(struct chart *c)
{
	for (size_t k = 0; k < c->figure.n; k++) {
		free((char *)c->series[k].name);
		free((double *)c->series[k].x);
	}
	free(c->warning);
	free(c->x_label);
	free(c->y_label);
}
