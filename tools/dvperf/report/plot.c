/* SPDX-License-Identifier: BSD-2-Clause */
/* The figure of a sweep as a file. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "chart.h"
#include "plot.h"

const char *plot_check(void)
{
	return system("command -v gnuplot >/dev/null 2>&1")
		       ? "a figure needs gnuplot: apt-get install gnuplot-nox"
		       : NULL;
}

int plot_write(const struct plot *p, const struct record *r, const char *path)
{
	struct chart *c = base_made(malloc(sizeof(*c)));
	struct plan plan = plan_of(p->y, p->mode);
	struct axes a = { .x = p->x };
	size_t size = 0;
	char *svg = NULL;
	FILE *out;
	int failed;

	for (size_t i = 0; p->series[i] && i < MAX_NAMES; i++)
		a.told[a.n_told++] = p->series[i];
	if (p->title)
		plan.title = p->title;
	chart_make(c, &plan, r, &a);
	if (c->more)
		base_note("%s: %d lines are drawn, and there are more", path, MAX_SERIES);
	out = base_made(open_memstream(&svg, &size));
	failed = figure_write(&c->figure, out);
	/* a file that is there stays as it is when nothing could be drawn */
	if (fclose(out) || failed || base_save(path, svg, size))
		failed = -1;
	chart_free(c);
	free(c);
	free(svg);
	return failed;
}
