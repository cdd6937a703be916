/* SPDX-License-Identifier: BSD-2-Clause */
/* A figure as a script for gnuplot. svg.c has it drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "figure.h"
#include "svg.h"
#include "text.h"

static const char *const colors[] = { "#3b8bd4", "#e07b00", "#1aa37a", "#d0435b",
				      "#9b72cf", "#a88b00", "#00a3b8", "#8a8a8a" };
enum { COLORS = sizeof(colors) / sizeof(*colors) };

/* ---- the script ---- */

static bool is_drawable(const struct figure *f, const struct figure_series *s, size_t i)
{
	return isfinite(s->x[i]) && isfinite(s->y[i]) && !(f->log_x && s->x[i] <= 0) &&
	       !(f->log_y && s->y[i] <= 0);
}

static size_t drawable_points(const struct figure *f, const struct figure_series *s)
{
	size_t points = 0;

	for (size_t i = 0; i < s->n; i++)
		points += is_drawable(f, s, i);
	return points;
}

/* Series with something to draw, of ours or of others. */
static unsigned int count(const struct figure *f, bool published)
{
	unsigned int n = 0;

	if (f->part == (published ? FIGURE_MEASURED : FIGURE_PUBLISHED))
		return 0;
	for (size_t i = 0; i < f->n; i++)
		n += f->series[i].published == published && drawable_points(f, &f->series[i]);
	return n;
}

bool figure_has(const struct figure *f, enum figure_part part)
{
	struct figure one = *f;

	one.part = part;
	return count(&one, false) || count(&one, true);
}

/* Whether every point has one, around it. */
static bool has_spread(const struct figure *f, const struct figure_series *s)
{
	if (!s->low || !s->high)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (is_drawable(f, s, i) && !(s->low[i] <= s->y[i] && s->y[i] <= s->high[i]))
			return false;
	return true;
}

static void put_set(FILE *to, const char *what, const char *text, const char *how)
{
	fprintf(to, "set %s '", what);
	text_put(to, TEXT_GNUPLOT, text);
	fprintf(to, "' %s\n", how);
}

/* What the numbers of a panel are divided by, so that the ticks are short, and how that is called: before
 * the label, or in place of what it begins with. */
struct unit {
	double divisor;
	const char *word;
	size_t replaced; /* bytes of the label */
};

/* A thousand, a million of a unit that has a prefix already. */
static const struct {
	const char *unit, *thousand, *million;
} larger[] = { { "µs", "ms", "s" },
	       { "ns", "µs", "ms" },
	       { "M ", "G ", "T " },
	       { "Gb/s", "Tb/s", "Pb/s" } };

static struct unit unit_above(const char *label, double most)
{
	bool million = most >= 1e7;
	double divisor = million ? 1e6 : 1e3;

	if (most < 1e4)
		return (struct unit){ 1, "", 0 };
	for (size_t i = 0; label && i < sizeof(larger) / sizeof(*larger); i++)
		if (!strncmp(label, larger[i].unit, strlen(larger[i].unit)))
			return (struct unit){ divisor,
					      million ? larger[i].million : larger[i].thousand,
					      strlen(larger[i].unit) };
	return (struct unit){ divisor, million ? "million " : "thousand ", 0 };
}

static struct unit unit_of(const struct figure *f, bool published)
{
	double most = 0;

	for (size_t k = 0; k < f->n; k++) {
		const struct figure_series *s = &f->series[k];
		bool spread = has_spread(f, s);

		for (size_t i = 0; s->published == published && i < s->n; i++)
			if (is_drawable(f, s, i))
				most = fmax(most, spread ? s->high[i] : s->y[i]);
	}
	return unit_above(f->y_label, most);
}

static void put_data(FILE *to, const struct figure *f)
{
	for (size_t k = 0; k < f->n; k++) {
		const struct figure_series *s = &f->series[k];
		double by = unit_of(f, s->published).divisor;
		bool spread = has_spread(f, s);

		fprintf(to, "$series%zu << end\n", k);
		for (size_t i = 0; i < s->n; i++)
			if (is_drawable(f, s, i))
				fprintf(to, "%.10g %.10g %.10g %.10g\n", s->x[i], s->y[i] / by,
					(spread ? s->low[i] : s->y[i]) / by,
					(spread ? s->high[i] : s->y[i]) / by);
		fprintf(to, "end\n");
	}
}

/* ---- lines ---- */

/* The greatest value of a panel. */
static double most_of(const struct figure *f, bool published)
{
	double most = 0;

	for (size_t k = 0; k < f->n; k++)
		for (size_t i = 0; f->series[k].published == published && i < f->series[k].n;
		     i++)
			if (is_drawable(f, &f->series[k], i))
				most = fmax(most, f->series[k].y[i]);
	return most;
}

/* Values that differ by less, of the height of the axes, are drawn on each other. */
static const double NEAR = 0.012;

/* Whether one of two lines would hide a piece of the other. */
static bool lies_on(const struct figure *f, const struct figure_series *a,
		    const struct figure_series *b)
{
	double height = most_of(f, a->published);
	unsigned int in_a_row = 0;

	if (a->published || b->published)
		return false;
	for (size_t i = 0; i < a->n && i < b->n && in_a_row < 2; i++) {
		double apart = f->log_y ? fabs(log10(a->y[i] / b->y[i])) / 5
					: fabs(a->y[i] - b->y[i]) / height;

		in_a_row = a->x[i] == b->x[i] && apart < NEAR ? in_a_row + 1 : 0;
	}
	return in_a_row == 2;
}

enum { PIECE = 5 }; /* of a line that is drawn in turns, in widths of it */

/* The dashes of line @k: its piece among those of all lines at its place, up to four. Whether it has any. */
static bool put_turns(FILE *to, const struct figure *f, size_t k)
{
	unsigned int all = 1, before = 0;

	for (size_t i = 0; i < f->n; i++)
		if (i != k && drawable_points(f, &f->series[i]) &&
		    lies_on(f, &f->series[k], &f->series[i])) {
			all++;
			before += i < k;
		}
	if (all == 1)
		return false;
	if (before)
		fprintf(to, "dt (0.01,%u,%d,%u)", before * PIECE, PIECE,
			(all - 1 - before) * PIECE);
	else
		fprintf(to, "dt (%d,%u)", PIECE, (all - 1) * PIECE);
	return true;
}

static void put_line(FILE *to, const struct figure *f, size_t k)
{
	static const int points[] = { 5, 7, 9, 11, 13, 4, 6, 8 };
	static const int dashes[] = { 1, 3, 4, 5 }; /* 2 is of published lines */
	const struct figure_series *s = &f->series[k];
	const char *color = colors[s->color % COLORS];
	int point = points[(s->color + s->color / COLORS) % 8];

	if (has_spread(f, s))
		fprintf(to,
			"$series%zu using 1:2:3:4 with yerrorbars lc rgb '%s' lw 2 pt %d ps 0.7 notitle, ",
			k, color, point);
	fprintf(to, "$series%zu using 1:2 with linespoints lc rgb '%s' ", k, color);
	if (!put_turns(to, f, k))
		fprintf(to, "dt %d", s->published ? 2 : dashes[s->color / COLORS % 4]);
	fprintf(to, " lw 2 pt %d ps 0.7 title '", point);
	text_put(to, TEXT_GNUPLOT, s->name ? s->name : "");
}

static void put_plot(FILE *to, const struct figure *f, bool published)
{
	unsigned int drawn = 0;

	fprintf(to, "plot ");
	for (size_t k = 0; k < f->n; k++) {
		if (f->series[k].published != published || !drawable_points(f, &f->series[k]))
			continue;
		fputs(drawn ? ", " : "", to);
		put_line(to, f, k);
		drawn++;
		fputs(drawn < count(f, published) ? "'" : "'\n", to);
	}
}

/* ---- the layout ---- */

/* In pixels: what is above the axes, a title of a panel, ticks and title of the x-axis, a line of the key
 * and what is below it, the source. */
enum {
	WIDTH = 820,
	NARROW = 372,
	ABOVE = 46,
	WARNING_LINE = 14,
	PANEL_TITLE = 30,
	AXES = 300,
	X_LABEL = 66,
	KEY_LINE = 20,
	KEY_END = 12,
	SOURCE = 20
};
enum { SHORT_NAME = 9, LONG_NAME = 16, WIDE_NAME = 34 }; /* beyond, two columns; one */

/* Names beside each other in the key of one panel, as far as there is space. */
static unsigned int key_columns(const struct figure *f, bool two_panels)
{
	size_t longest = 0;

	for (size_t k = 0; k < f->n; k++)
		if (f->series[k].name && strlen(f->series[k].name) > longest)
			longest = strlen(f->series[k].name);
	if (f->narrow)
		return longest > SHORT_NAME ? 1 : 2;
	return two_panels || longest > WIDE_NAME ? 1 : longest > LONG_NAME ? 2 : 3;
}

enum { WARNING_CHARACTERS = 110, NARROW_CHARACTERS = 56 };

/* How much of a warning is one line: reasons are separated by "; ". */
static size_t warning_line(const struct figure *f, const char *text)
{
	size_t most = f->narrow ? NARROW_CHARACTERS : WARNING_CHARACTERS, end = 0;

	for (size_t n = 0; text[n] && (n < most || !end); n++)
		if (text[n] == ';' || !text[n + 1])
			end = n + 1;
	return end;
}

static unsigned int warning_lines(const struct figure *f)
{
	unsigned int lines = 0;

	for (const char *at = f->warning; at && *at; lines++)
		at += warning_line(f, at);
	return lines;
}

/* Where the parts of a figure are, in pixels. */
struct layout {
	double height, above, below, key; /* key: from the bottom to its upper edge */
	unsigned int columns;
};

static struct layout layout_of(const struct figure *f)
{
	unsigned int ours = count(f, false), others = count(f, true);
	unsigned int most = ours > others ? ours : others;
	bool source = others && f->source;
	struct layout l = { .columns = key_columns(f, ours && others) };

	l.above = ABOVE + warning_lines(f) * WARNING_LINE + (others ? PANEL_TITLE : 0);
	l.key = (most + l.columns - 1) / l.columns * KEY_LINE + KEY_END;
	l.below = l.key + X_LABEL + (source ? SOURCE : 0);
	l.height = l.above + AXES + l.below;
	return l;
}

/* The key has its place below the axes and their titles, whatever gnuplot thinks of its size. */
static void put_key(FILE *to, const struct figure *f, bool published, bool two_panels)
{
	struct layout l = layout_of(f);

	fprintf(to,
		"set key horizontal Left reverse at screen %.4f, screen %.4f center top maxcols %u\n",
		f->narrow     ? 0.5
		: !two_panels ? 0.545
		: published   ? 0.79
			      : 0.3,
		l.key / l.height, l.columns);
}

static void put_warning(FILE *to, const struct figure *f, double height)
{
	unsigned int n = 0;
	char line[256];

	for (const char *at = f->warning; at && *at; n++) {
		size_t size = warning_line(f, at);

		snprintf(line, sizeof(line), "%.*s", (int)size, at + strspn(at, " "));
		fprintf(to, "set label %u '", 10 + n);
		text_put(to, TEXT_GNUPLOT, line);
		fprintf(to, "' at screen 0.5, screen %.4f center font ',11' tc rgb '#d0435b'\n",
			1 - (38 + n * WARNING_LINE) / height);
		at += size;
	}
}

static void put_head(FILE *to, const struct figure *f, unsigned int ours, unsigned int others)
{
	struct layout l = layout_of(f);
	double height = l.height, above = l.above, below = l.below;

	fprintf(to,
		"set terminal svg size %d,%.0f dynamic noenhanced %s font 'sans-serif,%d' butt\n",
		f->narrow ? NARROW : WIDTH, height, f->id ? "" : "background rgb 'white'",
		f->narrow ? 12 : 13);
	fprintf(to, "set label 2 '");
	text_put(to, TEXT_GNUPLOT, f->title);
	fprintf(to, "' at screen 0.5, screen %.4f center font ',%d'\n", 1 - 18 / height,
		f->narrow ? 13 : 15);
	put_warning(to, f, height);
	fprintf(to, "set label 3 '");
	text_put(to, TEXT_GNUPLOT, others && f->source ? f->source : "");
	fprintf(to, "' at screen 0.98, screen %.4f right font ',10'\n",
		(l.key + SOURCE / 2.0) / height);
	fprintf(to, "set multiplot layout 1,%d margins %s,%.4f,%.4f spacing 0.13\n",
		!!ours + !!others, f->narrow ? "0.23,0.94" : "0.11,0.98", below / height,
		1 - above / height);
}

enum {
	MOST_TICKS = 10,
	LEAST_GAP = 9
}; /* LEAST_GAP: of the width between two ticks, in 1/100 */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The different x of a panel, in order; 0: they are more than that. */
static size_t different_x(const struct figure *f, bool published, double x[MOST_TICKS])
{
	size_t n = 0, k, i, seen;

	for (k = 0; k < f->n; k++) {
		const struct figure_series *s = &f->series[k];

		for (i = 0; s->published == published && i < s->n; i++) {
			for (seen = 0; seen < n && x[seen] != s->x[i];)
				seen++;
			if (!is_drawable(f, s, i) || seen < n)
				continue;
			if (n == MOST_TICKS)
				return 0;
			x[n++] = s->x[i];
		}
	}
	qsort(x, n, sizeof(*x), by_value);
	return n;
}

/* Ticks where there is something to read, if these are few and far from each other. */
static void put_ticks(FILE *to, const struct figure *f, bool published, bool two_panels)
{
	double x[MOST_TICKS], gap, all;
	size_t n = different_x(f, published, x);

	fprintf(to, "set xtics autofreq\n");
	for (size_t i = 1; i < n; i++) {
		gap = f->log_x ? log(x[i] / x[i - 1]) : x[i] - x[i - 1];
		all = f->log_x ? log(x[n - 1] / x[0]) : x[n - 1] - x[0];
		if (gap * 100 < all * (two_panels || f->narrow ? 2 * LEAST_GAP : LEAST_GAP))
			return;
	}
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%s%.10g%s", i ? ", " : "set xtics (", x[i],
			i + 1 == n ? ")\n" : "");
}

static void put_panel(FILE *to, const struct figure *f, bool published, bool two_panels)
{
	const struct unit unit = unit_of(f, published);

	fprintf(to, "set ylabel '%s", unit.word);
	text_put(to, TEXT_GNUPLOT, f->y_label + unit.replaced);
	fprintf(to, "'\n");
	put_key(to, f, published, two_panels);
	if (published || two_panels)
		put_set(to, "title", published ? "published, by others" : "measured", "");
	put_ticks(to, f, published, two_panels);
	put_plot(to, f, published);
}

static void put_script(FILE *to, const struct figure *f)
{
	unsigned int ours = count(f, false), others = count(f, true);

	put_data(to, f);
	fprintf(to, "set grid ytics lc rgb '#8a8a8a' lw 0.5\nset border 3\nset tics nomirror\n"
		    "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\n");
	put_head(to, f, ours, others);
	if (f->log_x)
		fprintf(to, "set logscale x 2\n");
	fprintf(to, f->log_y ? "set logscale y\n" : "set yrange [0:*]\n");
	put_set(to, "xlabel", f->x_label, "");
	if (ours) {
		put_panel(to, f, false, others);
		fprintf(to, "unset label\n");
	}
	if (others)
		put_panel(to, f, true, ours);
	fprintf(to, "unset multiplot\n");
}

int figure_write(const struct figure *f, FILE *out)
{
	FILE *script = tmpfile();
	int failed = -1;

	if (!count(f, false) && !count(f, true))
		base_note("no figure: there is nothing to draw");
	else if (!script)
		base_note("no figure: a temporary file: %m");
	else {
		put_script(script, f);
		failed = svg_write(script, f->id, f->title, out);
	}
	if (script)
		fclose(script);
	return failed;
}
