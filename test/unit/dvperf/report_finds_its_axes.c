/* SPDX-License-Identifier: BSD-2-Clause */
/* Which option is drawn over, which tell lines apart, and what the figure then says. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/chart.h"

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

Test(report_axes, a_sweep_says_its_x, .fini = drop)
{
	static const char *const options[] = { "\"threads\":1,\"batch\":1,\"locks\":\"on\"",
					       "\"threads\":1,\"batch\":8,\"locks\":\"off\"",
					       "\"threads\":1,\"batch\":8,\"locks\":\"on\"",
					       "\"threads\":2,\"batch\":8,\"locks\":\"on\"" };
	static const char *const metrics[] = { "\"mops\":1", "\"mops\":2", "\"mops\":3",
					       "\"mops\":4" };
	struct axes a;
	char buf[64];

	rows(options, metrics, 4);
	axes_find(&a, &rec);
	cr_assert_str_eq(a.x, "batch", "as many values, and liked more");
	rec.x = "threads";
	axes_find(&a, &rec);
	cr_assert_str_eq(a.x, "threads");
	cr_assert_str_eq(row_words(record_row(&rec, 1), a.told, a.n_told, buf, sizeof(buf)),
			 "batch 8, locks off");
	rec.x = "locks";
	axes_find(&a, &rec);
	cr_assert_str_eq(a.x, "batch", "no number");
	rec.x = NULL;
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

Test(report_axes, bars_that_overlap_are_said_and_an_api_keeps_its_colour, .fini = drop)
{
	static const char *const options[] = {
		"\"mode\":\"bw\",\"api\":\"verbs\",\"batch\":1",
		"\"mode\":\"bw\",\"api\":\"verbs\",\"batch\":2",
		"\"mode\":\"bw\",\"api\":\"direct\",\"batch\":1",
		"\"mode\":\"bw\",\"api\":\"direct\",\"batch\":2"
	};
	static const char *const metrics[] = { "\"mops\":1,\"mops_min\":0.9,\"mops_max\":1.1",
					       "\"mops\":2,\"mops_min\":1.9,\"mops_max\":2.1",
					       "\"mops\":3,\"mops_min\":2.9,\"mops_max\":3.1",
					       "\"mops\":4,\"mops_min\":1.5,\"mops_max\":9" };
	static struct chart c;
	struct axes a;
	char *words;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	rows(options, metrics, 4);
	axes_find(&a, &rec);
	chart_make(&c, chart_next(NULL, &rec, &a), &rec, &a);
	cr_assert_str_eq(c.series[0].name, "verbs");
	cr_assert_eq(c.series[0].color, 2);
	cr_assert_eq(c.series[1].color, 0);
	cr_assert_str_eq(c.figure.x_label, "WQEs of a doorbell (batch)");
	chart_words(&c, out);
	fclose(out);
	cr_assert_not_null(strstr(words, "2 at batch 2: 2 times as much.</li>"));
	cr_assert_not_null(
		strstr(words, "4 at batch 2: 1.33 times as much. Their bars overlap."));
	cr_assert_not_null(strstr(words, "<b>direct</b> (3): 3 times as much.</li>"));
	cr_assert_not_null(
		strstr(words, "<b>direct</b> (4): 2 times as much. Their bars overlap."));
	chart_free(&c);
	free(words);
}

Test(report_axes, a_line_that_hides_another_is_said, .fini = drop)
{
	static const char *const metrics[] = { "\"op_instr\":60", "\"op_instr\":20",
					       "\"op_instr\":20", "\"op_instr\":60" };
	static struct chart c;
	struct axes a;
	char *words;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	rows(post_options, metrics, 4);
	axes_find(&a, &rec);
	chart_make(&c, chart_next(NULL, &rec, &a), &rec, &a);
	chart_words(&c, out);
	fclose(out);
	cr_assert_not_null(strstr(words, "<b>verbs</b>: 60 at batch 1, 20 at batch 8: 3 times "
					 "less. It is the same as <b>direct</b>.</li>"));
	cr_assert_null(strstr(words, "It is the same as <b>verbs</b>"));
	chart_free(&c);
	free(words);
}

Test(report_axes, lines_that_differ_a_little_are_not_called_the_same, .fini = drop)
{
	static const char *const metrics[] = { "\"op_instr\":600", "\"op_instr\":200",
					       "\"op_instr\":200", "\"op_instr\":599" };
	static struct chart c;
	struct axes a;
	char *words;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	rows(post_options, metrics, 4);
	axes_find(&a, &rec);
	chart_make(&c, chart_next(NULL, &rec, &a), &rec, &a);
	chart_words(&c, out);
	fclose(out);
	cr_assert_not_null(strstr(words, "It is nearly the same as <b>direct</b>."));
	chart_free(&c);
	free(words);
}

Test(report_axes, published_curves_are_over_their_own_x, .fini = drop)
{
	static struct chart c;
	struct json_object *published;
	struct plan plan = plan_of(METRIC_MOPS, "bw");
	struct axes a;

	rows(post_options, post_metrics, 4);
	published =
		json_tokener_parse("[{\"series\":\"s\",\"source\":\"p\",\"over\":\"threads\","
				   "\"x\":[1,2],\"y\":[3,4]}]");
	rec.published = published;
	axes_find(&a, &rec);
	chart_make(&c, &plan, &rec, &a);
	cr_assert_eq(c.figure.n, 0, "over batch there is none");
	chart_free(&c);
	a.x = "threads";
	chart_make(&c, &plan, &rec, &a);
	cr_assert_eq(c.figure.n, 1);
	cr_assert(c.series[0].published);
	chart_free(&c);
	json_object_put(published);
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
		  "a metric that is not a number" },
		{ "{\"dvperf\":\"1\",\"rows\":[{\"options\":{},\"metrics\":{}}]}",
		  "a row that does not say whether to trust it" },
		{ "{\"dvperf\":\"1\",\"rows\":[{\"options\":{},\"metrics\":{},"
		  "\"not_trusted\":[1]}]}",
		  "a reason that is not a text" },
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
