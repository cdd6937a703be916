/* SPDX-License-Identifier: BSD-2-Clause */
/* Which option is drawn over, which tell lines apart, and what the figure then says. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report_chart.h"

static struct json_object *all;
static struct record rec;
static char *text;

/* Rows from lines of "options | metrics". */
static void rows(const char *const *options, const char *const *metrics, size_t n)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("{\"dvperf\":\"1\",\"rows\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s{\"options\":{%s},\"metrics\":{%s},\"not_trusted\":[]}",
			i ? "," : "", options[i], metrics[i]);
	fputs("]}", out);
	fclose(out);
	all = json_tokener_parse(text);
	cr_assert_null(record_take(&rec, all));
}

static void drop(void)
{
	json_object_put(all);
	free(text);
}

static const char *const post_options[] = {
	"\"mode\":\"post\",\"api\":\"direct\",\"batch\":1,\"signal\":1",
	"\"mode\":\"post\",\"api\":\"direct\",\"batch\":8,\"signal\":8",
	"\"mode\":\"post\",\"api\":\"verbs\",\"batch\":8,\"signal\":8",
	"\"mode\":\"post\",\"api\":\"verbs\",\"batch\":1,\"signal\":1"
};
static const char *const post_metrics[] = { "\"op_instr\":60", "\"op_instr\":20",
					    "\"op_instr\":100", "\"op_instr\":240" };

Test(report_axes, what_follows_from_x_is_no_axis, .fini = drop)
{
	struct axes a;

	rows(post_options, post_metrics, 4);
	axes_find(&a, &rec);
	cr_assert_str_eq(a.x, "batch");
	cr_assert_eq(a.n_told, 1);
	cr_assert_str_eq(a.told[0], "api");
}

Test(report_axes, lines_are_sorted_and_put_in_words, .fini = drop)
{
	static struct chart c;
	const struct plan *p;
	struct axes a;
	char *words;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	rows(post_options, post_metrics, 4);
	axes_find(&a, &rec);
	p = chart_next(NULL, &rec, &a);
	cr_assert_not_null(p);
	cr_assert_null(chart_next(p, &rec, &a));
	chart_make(&c, p, &rec, &a);
	cr_assert_eq(c.figure.n, 2);
	cr_assert_str_eq(c.series[1].name, "verbs");
	cr_assert_eq(c.series[1].x[0], 1);
	cr_assert_eq(c.series[1].y[0], 240);
	cr_assert_eq(c.series[1].y[1], 100);
	cr_assert_null(c.figure.warning);
	chart_words(&c, out);
	fclose(out);
	cr_assert_not_null(strstr(words, "<b>direct</b>: 60 at batch 1, 20 at batch 8: "
					 "3 times less."));
	cr_assert_not_null(strstr(words, "At batch 8: least is <b>direct</b> (20), most is "
					 "<b>verbs</b> (100): 5 times as much."));
	chart_free(&c);
	free(words);
}

Test(report_axes, one_x_is_no_figure, .fini = drop)
{
	struct axes a;

	rows(post_options, post_metrics, 1);
	axes_find(&a, &rec);
	cr_assert_null(a.x);
	cr_assert_null(chart_next(NULL, &rec, &a));
}

Test(report_axes, how_long_it_ran_is_no_axis, .fini = drop)
{
	static const char *const options[] = { "\"mode\":\"bw\",\"iters\":10",
					       "\"mode\":\"bw\",\"iters\":20" };
	static const char *const metrics[] = { "\"mops\":1", "\"mops\":2" };
	struct axes a;

	rows(options, metrics, 2);
	axes_find(&a, &rec);
	cr_assert_null(a.x);
}

Test(report_axes, files_that_are_no_results_are_refused)
{
	static const struct {
		const char *json, *why;
	} table[] = {
		{ "[]", "not from dvperf" },
		{ "{\"dvperf\":1}", "not from dvperf" },
		{ "{\"dvperf\":\"1\"}", "no rows" },
		{ "{\"dvperf\":\"1\",\"rows\":[]}", "no rows" },
		{ "{\"dvperf\":\"1\",\"rows\":[null]}", "a row without options" },
		{ "{\"dvperf\":\"1\",\"rows\":[{\"options\":{}}]}", "a row without metrics" },
		{ "{\"dvperf\":\"1\",\"rows\":[{\"options\":{},\"metrics\":{\"mops\":\"1\"}}]}",
		  "a metric that is no number" },
		{ "{\"dvperf\":\"1\",\"rows\":[{\"options\":{},\"metrics\":{}}]}",
		  "a row that does not say whether to trust it" },
		{ "{\"dvperf\":\"1\",\"rows\":[{\"options\":{},\"metrics\":{},"
		  "\"not_trusted\":[1]}]}",
		  "a reason that is no text" },
		{ "{\"dvperf\":\"1\",\"rows\":[{\"options\":{},\"metrics\":{},"
		  "\"not_trusted\":[]}],\"published\":[{\"x\":[1],\"y\":[]}]}",
		  "a published curve without points" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct json_object *parsed = json_tokener_parse(table[i].json);
		struct record r = { 0 };

		cr_expect_str_eq(record_take(&r, parsed), table[i].why, "%s", table[i].json);
		json_object_put(parsed);
	}
}
