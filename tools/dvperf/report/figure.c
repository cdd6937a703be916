/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A script for gnuplot, its SVG, and the SVG made fit for a page:
 *
 *	script (a file) -> gnuplot -d -> SVG (a file) -> fit_line() -> out
 *
 * Files instead of pipes: neither process waits for the other.
 */
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "figure.h"
#include "text.h"

extern char **environ;

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

	for (size_t i = 0; i < f->n; i++)
		n += f->series[i].published == published && drawable_points(f, &f->series[i]);
	return n;
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

static void put_plot(FILE *to, const struct figure *f, bool published)
{
	static const int points[] = { 5, 7, 9, 11, 13, 4, 6, 8 };
	static const int dashes[] = { 1, 3, 4, 5 }; /* 2 is of published lines */
	unsigned int drawn = 0;

	fprintf(to, "plot ");
	for (size_t k = 0; k < f->n; k++) {
		const struct figure_series *s = &f->series[k];

		if (s->published != published || !drawable_points(f, s))
			continue;
		fprintf(to,
			"%s$series%zu using %s with %s lc rgb '%s' dt %d lw 2 pt %d ps 0.7 title '",
			drawn ? ", " : "", k, has_spread(f, s) ? "1:2:3:4" : "1:2",
			has_spread(f, s) ? "yerrorlines" : "linespoints",
			colors[s->color % COLORS],
			published ? 2 : dashes[s->color / COLORS % 4],
			points[(s->color + s->color / COLORS) % 8]);
		text_put(to, TEXT_GNUPLOT, s->name ? s->name : "");
		drawn++;
		fputs(drawn < count(f, published) ? "'" : "'\n", to);
	}
}

/* In pixels: what is above the axes, a title of a panel, ticks and title of the x-axis, a line of the key
 * and what is below it, the source. */
enum {
	WIDTH = 820,
	ABOVE = 60,
	PANEL_TITLE = 30,
	AXES = 300,
	X_LABEL = 58,
	KEY_LINE = 20,
	KEY_END = 12,
	SOURCE = 20
};
enum { LONG_NAME = 16, WIDE_NAME = 34 }; /* beyond, two columns; one */

/* Names beside each other in the key of one panel, as far as there is space. */
static unsigned int key_columns(const struct figure *f, bool two_panels)
{
	size_t longest = 0;

	for (size_t k = 0; k < f->n; k++)
		if (f->series[k].name && strlen(f->series[k].name) > longest)
			longest = strlen(f->series[k].name);
	return two_panels || longest > WIDE_NAME ? 1 : longest > LONG_NAME ? 2 : 3;
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

	l.above = ABOVE + (others ? PANEL_TITLE : 0);
	l.key = (most + l.columns - 1) / l.columns * KEY_LINE + KEY_END;
	l.below = l.key + X_LABEL + (source ? SOURCE : 0);
	l.height = l.above + AXES + l.below;
	return l;
}

/* The key has its place below the axes and their titles, whatever gnuplot thinks of its size. */
static void put_key(FILE *to, const struct figure *f, bool published, bool two_panels)
{
	struct layout l = layout_of(f);

	fprintf(to, "set key horizontal at screen %.4f, screen %.4f center top maxcols %u\n",
		!two_panels ? 0.545
		: published ? 0.79
			    : 0.3,
		l.key / l.height, l.columns);
}

static void put_head(FILE *to, const struct figure *f, unsigned int ours, unsigned int others)
{
	struct layout l = layout_of(f);
	double height = l.height, above = l.above, below = l.below;

	fprintf(to,
		"set terminal svg size %d,%.0f dynamic noenhanced %s font 'sans-serif,13' rounded\n",
		WIDTH, height, f->id ? "" : "background rgb 'white'");
	fprintf(to, "set label 2 '");
	text_put(to, TEXT_GNUPLOT, f->title);
	fprintf(to, "' at screen 0.5, screen %.4f center font ',15'\nset label 1 '",
		1 - 18 / height);
	text_put(to, TEXT_GNUPLOT, f->warning ? f->warning : "");
	fprintf(to, "' at screen 0.5, screen %.4f center font ',11' tc rgb '#d0435b'\n",
		1 - 38 / height);
	fprintf(to, "set label 3 '");
	text_put(to, TEXT_GNUPLOT, others && f->source ? f->source : "");
	fprintf(to, "' at screen 0.98, screen %.4f right font ',10'\n",
		(l.key + SOURCE / 2.0) / height);
	fprintf(to, "set multiplot layout 1,%d margins 0.11,0.98,%.4f,%.4f spacing 0.13\n",
		!!ours + !!others, below / height, 1 - above / height);
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
		if (gap * 100 < all * (two_panels ? 2 * LEAST_GAP : LEAST_GAP))
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

/* ---- gnuplot ---- */

/* The emulator's library is for us, not for gnuplot. */
static char **environment_without_preload(void)
{
	size_t n = 0, kept = 0;
	char **copy;

	while (environ[n])
		n++;
	copy = base_made(calloc(n + 1, sizeof(*copy)));
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "LD_PRELOAD=", 11))
			copy[kept++] = environ[i];
	return copy;
}

static int run_gnuplot(FILE *script, FILE *svg, FILE *errors)
{
	char **env = environment_without_preload();
	char *argv[] = { (char[]){ "gnuplot" }, (char[]){ "-d" }, NULL };
	posix_spawn_file_actions_t files;
	int status = 0, failed;
	pid_t pid;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fileno(svg), STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, fileno(errors), STDERR_FILENO);
	failed = posix_spawnp(&pid, argv[0], &files, NULL, argv, env);
	free(env);
	posix_spawn_file_actions_destroy(&files);
	if (failed == ENOENT) {
		base_note(
			"no figure: gnuplot is not installed; Debian has it in the package gnuplot-nox");
		return -1;
	}
	if (failed) {
		base_note("no figure: gnuplot: %s", strerror(failed));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? 1 : 0;
}

/* gnuplot repeats the command, then says "line 3: what is wrong". */
static void say_why(FILE *errors)
{
	char line[512], why[512] = "it failed";

	rewind(errors);
	while (fgets(line, sizeof(line), errors)) {
		const char *text = line + strspn(line, " \t");

		if (!strncmp(text, "line ", 5))
			snprintf(why, sizeof(why), "%.*s", (int)strcspn(text, "\n"), text);
	}
	base_note("no figure: gnuplot: %s", why);
}

/* ---- its SVG ---- */

struct swap {
	const char *from, *to;
};

/* An explicit black would stay black on a dark page. */
static const struct swap swaps[] = {
	{ "color=\"black\"", "color=\"currentColor\"" },
	{ "fill=\"black\"", "fill=\"currentColor\"" },
	{ "fill = \"black\"", "fill=\"currentColor\"" },
	{ "stroke=\"black\"", "stroke=\"currentColor\"" },
	{ "stroke='black'", "stroke='currentColor'" },
	{ NULL, NULL },
};

/* Ids are of the whole page. */
static const struct swap ids[] = { { "id='", NULL },
				   { "id=\"", NULL },
				   { "href='#", NULL },
				   { "url(#", NULL },
				   { NULL, NULL } };

static const struct swap *match(const struct swap *table, const char *at)
{
	for (; table->from; table++)
		if (!strncmp(at, table->from, strlen(table->from)))
			return table;
	return NULL;
}

/* Everything but texts, which begin "<text>" and end within the line. */
static void fit_line(const struct figure *f, const char *line, FILE *out)
{
	const char *text = strstr(line, "<text>");

	while (*line && line != text) {
		const struct swap *s = match(swaps, line);
		bool is_swap = s;

		if (!s && f->id)
			s = match(ids, line);
		if (!s) {
			fputc(*line++, out);
			continue;
		}
		fputs(is_swap ? s->to : s->from, out);
		if (!is_swap)
			fprintf(out, "%s-", f->id);
		line += strlen(s->from);
	}
	fputs(line, out);
}

/* From the element "<svg" on, which gets a name for screen readers. */
static int fit(const struct figure *f, FILE *svg, FILE *out)
{
	char *line = NULL;
	bool inside = !f->id, complete = false;
	size_t size = 0;

	rewind(svg);
	while (getline(&line, &size, svg) > 0) {
		complete |= !strncmp(line, "</svg>", 6);
		if (!strncmp(line, "<svg", 4)) {
			inside = true;
			fputs("<svg role=\"img\" aria-label=\"", out);
			text_put(out, TEXT_HTML, f->title);
			fprintf(out, "\"%s", line + 4);
		} else if (inside && strncmp(line, "<title>", 7) &&
			   strncmp(line, "<desc>", 6)) {
			fit_line(f, line, out);
		}
	}
	free(line);
	return complete ? 0 : -1;
}

int figure_write(const struct figure *f, FILE *out)
{
	FILE *script = tmpfile(), *svg = tmpfile(), *errors = tmpfile();
	int failed = -1;

	if (!count(f, false) && !count(f, true))
		base_note("no figure: there is nothing to draw");
	else if (!script || !svg || !errors)
		base_note("no figure: a temporary file: %m");
	else {
		put_script(script, f);
		rewind(script);
		failed = run_gnuplot(script, svg, errors);
		if (failed > 0 || (!failed && fit(f, svg, out))) {
			say_why(errors);
			failed = -1;
		}
	}
	if (script)
		fclose(script);
	if (svg)
		fclose(svg);
	if (errors)
		fclose(errors);
	return failed;
}
