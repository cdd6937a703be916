/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of gnuplot, as they are in a page; skipped without gnuplot. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture.h"
#include "report/figure.h"

static const double x[] = { 1, 2, 4 }, y[] = { 3, NAN, 5 }, low[] = { 2, 2, 4 },
		    high[] = { 4, 4, 6 };

static char *draw(const struct figure *f)
{
	char *svg;
	size_t size;
	FILE *out = open_memstream(&svg, &size);

	if (system("command -v gnuplot >/dev/null"))
		cr_skip_test("no gnuplot");
	cr_assert_eq(figure_write(f, out), 0);
	fclose(out);
	return svg;
}

Test(report_figures, texts_are_texts_and_black_is_the_page_s)
{
	const struct figure_series s[] = { { "'; print system('id') #<b>&", false, x, y, low,
					     high, 3, 0 },
					   { "theirs", true, x, high, NULL, NULL, 3, 1 } };
	char *svg =
		draw(&(struct figure){ "a title < b", "batch", "mops", "emulated", "a source",
				       true, false, false, FIGURE_BOTH, "part", s, 2 });

	cr_assert_eq(strncmp(svg, "<svg ", 5), 0, "no prolog inside a page");
	cr_assert_not_null(strstr(svg, "aria-label=\"a title &lt; b\""));
	cr_assert_not_null(strstr(svg, "’; print system(’id’) #&lt;b>&amp;"));
	cr_assert_null(strstr(svg, "<b>"));
	cr_assert_not_null(strstr(svg, "emulated"));
	cr_assert_not_null(strstr(svg, "published, by others"));
	cr_assert_not_null(strstr(svg, "a source"));
	cr_assert_null(strstr(svg, "black"));
	cr_assert_null(strstr(svg, "id='gp"), "ids of two figures differ");
	cr_assert_not_null(strstr(svg, "href='#part-gpPt"));
	free(svg);
}

static int occurrences(const char *text, const char *what)
{
	int n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text++;
	}
	return n;
}

/* The grid is dashed, too. */
static int dashed(const double *one, const double *other)
{
	const struct figure_series s[] = { { "one", false, x, one, NULL, NULL, 3, 0 },
					   { "other", false, x, other, NULL, NULL, 3, 1 } };
	char *svg = draw(&(struct figure){
		.title = "t", .x_label = "x", .y_label = "y", .series = s, .n = 2 });
	int n = occurrences(svg, "stroke-dasharray");

	free(svg);
	return n;
}

Test(report_figures, lines_on_each_other_are_drawn_in_turns)
{
	/* each, and its sample in the key */
	cr_assert_geq(dashed(high, high), dashed(high, low) + 2);
}

Test(report_figures, a_narrow_one_has_one_panel)
{
	const struct figure_series s[] = { { "ours", false, x, y, NULL, NULL, 3, 0 },
					   { "theirs", true, x, high, NULL, NULL, 3, 1 } };
	struct figure f = { .title = "t", .x_label = "x", .y_label = "y", .series = s, .n = 2 };
	char *svg;

	f.narrow = true;
	f.part = FIGURE_MEASURED;
	svg = draw(&f);
	cr_assert_not_null(strstr(svg, "ours"));
	cr_assert_null(strstr(svg, "theirs"));
	free(svg);
	f.part = FIGURE_PUBLISHED;
	svg = draw(&f);
	cr_assert_null(strstr(svg, "ours"));
	cr_assert_not_null(strstr(svg, "theirs"));
	free(svg);
	cr_assert(figure_has(&f, FIGURE_MEASURED));
	f.n = 1;
	cr_assert_not(figure_has(&f, FIGURE_PUBLISHED));
}

Test(report_figures, a_file_has_a_prolog_and_a_background)
{
	const struct figure_series s[] = { { "ours", false, x, y, NULL, NULL, 3, 0 } };
	char *svg = draw(&(struct figure){
		.title = "t", .x_label = "x", .y_label = "y", .series = s, .n = 1 });

	cr_assert_eq(strncmp(svg, "<?xml", 5), 0);
	cr_assert_not_null(strstr(svg, "fill=\"#ffffff\""));
	free(svg);
}

Test(report_figures, great_numbers_are_divided_and_ticks_are_at_the_points)
{
	const double at[] = { 1, 4, 16 }, many[] = { 20000, 61000, 34000 };
	const struct figure_series s[] = { { "ours", false, at, many, NULL, NULL, 3, 2 } };
	char *svg = draw(&(struct figure){ .title = "t",
					   .x_label = "x",
					   .y_label = "core cycles",
					   .log_x = true,
					   .series = s,
					   .n = 1 });

	cr_assert_not_null(strstr(svg, "thousand core cycles"));
	cr_assert_null(strstr(svg, "60000<"));
	cr_assert_not_null(strstr(svg, " 60<"));
	cr_assert_not_null(strstr(svg, " 16<"));
	cr_assert_null(strstr(svg, " 8<"), "nothing was measured at 8");
	cr_assert_not_null(strstr(svg, "rgb( 26, 163, 122)"), "its own colour");
	free(svg);
}

Test(report_figures, a_unit_with_a_prefix_gets_a_larger_one)
{
	const double at[] = { 1, 2, 4 }, many[] = { 20000, 61000, 34000 };
	const struct figure_series s[] = { { "ours", false, at, many, NULL, NULL, 3, 2 } };
	struct figure f = { .title = "t", .x_label = "x", .series = s, .n = 1 };
	char *svg;

	f.y_label = "µs (lat_50)";
	svg = draw(&f);
	cr_assert_not_null(strstr(svg, ">ms (lat_50)<"));
	cr_assert_null(strstr(svg, "thousand"));
	free(svg);
	f.y_label = "M operations/s (mops)";
	svg = draw(&f);
	cr_assert_not_null(strstr(svg, ">G operations/s (mops)<"));
	free(svg);
}

/* The y of the text @what in a figure's SVG, from its top. */
static double height_of(const char *svg, const char *what)
{
	const char *text = strstr(svg, what), *at = NULL;
	double x, y;

	cr_assert_not_null(text, "%s", what);
	for (const char *p = svg; (p = strstr(p, "translate(")) && p < text; p++)
		at = p;
	cr_assert(at && sscanf(at, "translate(%lf,%lf)", &x, &y) == 2);
	return y;
}

Test(report_figures, the_key_is_below_the_axes_and_twelve_lines_differ)
{
	static const double line[] = { 3, 4, 5 };
	struct figure_series s[12];
	char names[12][64];
	double bottom, title, last = 0;
	int width, height;
	char *svg;

	for (unsigned int i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]),
			 "line %c of those with long names, batch 1", 'a' + (int)i);
		s[i] = (struct figure_series){ names[i], false, x, line, NULL, NULL, 3, i };
	}
	svg = draw(&(struct figure){ .title = "t",
				     .x_label = "the axis of x",
				     .y_label = "y",
				     .id = "part",
				     .series = s,
				     .n = 12 });
	title = height_of(svg, ">the axis of x<");
	cr_assert_eq(sscanf(strstr(svg, "viewBox=\""), "viewBox=\"0 0 %d %d", &width, &height),
		     2);
	for (unsigned int i = 0; i < 12; i++) {
		bottom = height_of(svg, names[i]);
		cr_assert(bottom > title + 10 && bottom > last && bottom < height - 5,
			  "line %u at %g, the title at %g, of %d", i, bottom, title, height);
		last = bottom;
	}
	/* the ninth has the first one's colour, and dashes */
	cr_assert_not_null(strstr(svg, "stroke-dasharray"));
	free(svg);
}

Test(report_figures, nothing_to_draw_is_an_error)
{
	const double none[] = { NAN };
	const struct figure_series s[] = { { "ours", false, none, none, NULL, NULL, 1, 0 } };
	const struct figure f = {
		.title = "t", .x_label = "x", .y_label = "y", .series = s, .n = 1
	};
	char *svg;
	size_t size;
	FILE *out = open_memstream(&svg, &size);

	cr_assert_eq(figure_write(&f, out), -1);
	fclose(out);
	cr_assert_eq(size, 0);
	free(svg);
}

Test(report_figures, without_gnuplot_it_says_so)
{
	const struct figure_series s[] = { { "ours", false, x, y, NULL, NULL, 3, 0 } };
	const struct figure f = {
		.title = "t", .x_label = "x", .y_label = "y", .series = s, .n = 1
	};
	struct capture c;
	char text[200];
	int status;

	setenv("PATH", "/nonexistent", 1);
	capture_begin(&c, stderr);
	status = figure_write(&f, stdout);
	capture_end(&c, text, sizeof(text));
	cr_assert_eq(status, -1);
	cr_assert_str_eq(
		text,
		"dvperf: no figure: gnuplot is not installed; Debian has it in the package "
		"gnuplot-nox\n");
}
