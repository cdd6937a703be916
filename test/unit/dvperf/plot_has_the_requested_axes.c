/* SPDX-License-Identifier: BSD-2-Clause */
/* The figure of a sweep in its file; skipped where gnuplot is not. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/plot.h"

static const char text[] =
	"{\"rows\":["
	"{\"options\":{\"mode\":\"bw\",\"api\":\"direct\",\"batch\":1,\"qp\":1},"
	"\"metrics\":{\"mops\":2,\"cqes\":7},\"not_trusted\":[\"the device is the emulator: so\"]},"
	"{\"options\":{\"mode\":\"bw\",\"api\":\"direct\",\"batch\":1,\"qp\":2},"
	"\"metrics\":{\"mops\":3,\"cqes\":8},\"not_trusted\":[]}],"
	"\"published\":[{\"series\":\"'theirs\",\"source\":\"a paper\",\"x\":[1,2],\"y\":[5,6]}]}";

/* The file that a plot of @y becomes; "": it stayed empty. @failed: what plot_write() gave. */
static char *plot(enum metric y, int *failed)
{
	static const char *const series[] = { "api", "batch", NULL };
	static char svg[1 << 16];
	char path[] = "/tmp/dvperf-plot-XXXXXX";
	struct json_object *all = json_tokener_parse(text);
	struct record r = { .all = all, .rows = json_object_object_get(all, "rows") };
	int fd = mkstemp(path);
	ssize_t n;

	if (plot_check())
		cr_skip_test("no gnuplot");
	r.published = json_object_object_get(all, "published");
	*failed = plot_write(&(struct plot){ "a sweep", "bw", "qp", y, series }, &r, path);
	close(fd);
	fd = open(path, O_RDONLY); /* the file may be another one */
	n = read(fd, svg, sizeof(svg) - 1);
	svg[n > 0 ? n : 0] = 0;
	close(fd);
	unlink(path);
	json_object_put(all);
	return svg;
}

Test(plot, rates_are_drawn_beside_the_published_ones)
{
	int failed;
	const char *svg = plot(METRIC_MOPS, &failed);

	cr_assert_eq(failed, 0);
	cr_assert_eq(strncmp(svg, "<?xml", 5), 0);
	cr_assert_not_null(strstr(svg, ">QPs of each thread (qp)<"));
	cr_assert_not_null(strstr(svg, "M operations/s (mops)"));
	cr_assert_not_null(strstr(svg, "direct, batch 1"));
	cr_assert_not_null(strstr(svg, "the device is the emulator"));
	cr_assert_not_null(strstr(svg, "’theirs"));
	cr_assert_not_null(strstr(svg, "a paper"));
}

Test(plot, other_metrics_are_drawn_without_published_rates)
{
	int failed;
	const char *svg = plot(METRIC_ALL_CQES, &failed);

	cr_assert_eq(failed, 0);
	cr_assert_not_null(strstr(svg, "(cqes)"));
	cr_assert_null(strstr(svg, "theirs"));
}

Test(plot, what_was_not_measured_leaves_the_file_as_it_is)
{
	int failed;
	const char *svg = plot(METRIC_LAT_50, &failed);

	cr_assert_eq(failed, -1);
	cr_assert_str_empty(svg);
}
