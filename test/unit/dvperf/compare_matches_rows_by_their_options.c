/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "report/compare.h"

static struct json_object *parsed[2];
static struct record recs[2];
static struct records sides[2] = { { &recs[0], 1 }, { &recs[1], 1 } };

static void take(int side, const char *cpu, const char *rows)
{
	char json[2048];

	snprintf(
		json, sizeof(json),
		"{\"dvperf\":\"1\",\"environment\":{\"cpu\":\"%s\",\"load\":%d},\"rows\":[%s]}",
		cpu, side, rows);
	parsed[side] = json_tokener_parse(json);
	cr_assert_null(record_take(&recs[side], parsed[side]));
}

static void drop(void)
{
	json_object_put(parsed[0]);
	json_object_put(parsed[1]);
}

#define ROW(options, metrics) \
	"{\"options\":{" options "},\"metrics\":{" metrics "},\"not_trusted\":[\"unpinned\"]}"

Test(compare, order_of_options_and_length_do_not_matter, .fini = drop)
{
	struct ignored none = { .n = 0 };
	struct comparison c;

	take(0, "x",
	     ROW("\"batch\":1,\"api\":\"wr\",\"iters\":5",
		 "\"mops\":2") "," ROW("\"batch\":2,\"api\":\"wr\",\"iters\":5", "\"mops\":3"));
	take(1, "x",
	     ROW("\"api\":\"wr\",\"batch\":4,\"iters\":9",
		 "\"mops\":9") "," ROW("\"api\":\"wr\",\"batch\":2,\"iters\":9", "\"mops\":6"));
	compare_make(&c, &sides[0], &sides[1], &none);
	cr_assert_eq(c.n, 1);
	cr_assert_eq(c.only_a, 1);
	cr_assert_eq(c.only_b, 1);
	cr_assert_eq(c.list[0].values[0][METRIC_MOPS].median, 3);
	cr_assert_eq(c.list[0].values[1][METRIC_MOPS].median, 6);
	cr_assert_eq(json_object_object_length(c.unfair), 0, "load drifts");
	cr_assert(json_object_object_get_ex(c.doubts[0], "unpinned", NULL));
	compare_free(&c);
}

Test(compare, options_can_be_ignored, .fini = drop)
{
	struct ignored none = { .n = 0 }, api = { { "api" }, 1 };
	struct comparison c;

	take(0, "x", ROW("\"api\":\"wr\"", "\"mops\":2"));
	take(1, "x", ROW("\"api\":\"direct\"", "\"mops\":2"));
	compare_make(&c, &sides[0], &sides[1], &none);
	cr_assert_eq(c.n, 0);
	compare_free(&c);
	compare_make(&c, &sides[0], &sides[1], &api);
	cr_assert_eq(c.n, 1);
	compare_free(&c);
}

Test(compare, another_environment_is_said, .fini = drop)
{
	struct ignored none = { .n = 0 };
	struct comparison c;

	take(0, "x", ROW("\"batch\":1", "\"mops\":2"));
	take(1, "y", ROW("\"batch\":1", "\"mops\":2"));
	compare_make(&c, &sides[0], &sides[1], &none);
	cr_assert_eq(json_object_object_length(c.unfair), 1);
	cr_assert(json_object_object_get_ex(c.unfair, "cpu: x | y", NULL));
	compare_free(&c);
}

Test(compare, repeats_span_a_spread, .fini = drop)
{
	struct ignored none = { .n = 0 };
	struct comparison c;
	struct value v;

	take(0, "x",
	     ROW("\"batch\":1", "\"mops\":2") "," ROW("\"batch\":1", "\"mops\":5") "," ROW(
		     "\"batch\":1", "\"mops\":3"));
	take(1, "x",
	     ROW("\"batch\":1", "\"mops\":10,\"spread\":0.4,\"post_instr\":7,\"lat_50\":3"));
	compare_make(&c, &sides[0], &sides[1], &none);
	cr_assert_eq(c.n, 1);
	v = c.list[0].values[0][METRIC_MOPS];
	cr_assert_eq(v.median, 3);
	cr_assert_eq(v.low, 2);
	cr_assert_eq(v.high, 5);
	v = c.list[0].values[1][METRIC_MOPS];
	cr_assert_float_eq(v.low, 8, 1e-9);
	cr_assert_float_eq(v.high, 12, 1e-9);
	cr_assert(isnan(c.list[0].values[1][METRIC_LAT_50].low), "spread is of the rate");
	cr_assert_eq(c.list[0].values[1][METRIC_POST_INSTR].low, 7, "exact");
	cr_assert_eq(c.list[0].values[1][METRIC_POST_INSTR].high, 7);
	compare_free(&c);
}

Test(compare, ranks_are_no_repeats, .fini = drop)
{
	struct ignored none = { .n = 0 };
	struct comparison c;

	for (int side = 0; side < 2; side++)
		take(side, "x",
		     "{\"options\":{\"batch\":1},\"metrics\":{\"mops\":2},\"not_trusted\":[],"
		     "\"rank\":0},"
		     "{\"options\":{\"batch\":1},\"metrics\":{\"mops\":5},\"not_trusted\":[],"
		     "\"rank\":1}");
	compare_make(&c, &sides[0], &sides[1], &none);
	cr_assert_eq(c.n, 2);
	cr_assert_eq(c.list[0].values[0][METRIC_MOPS].median, 2);
	cr_assert_eq(c.list[1].values[1][METRIC_MOPS].median, 5);
	compare_free(&c);
}

Test(compare, verdicts)
{
	static const struct {
		struct value a, b;
		double ratio;
		const char *verdict;
	} rows[] = {
		{ { 2, 1.9, 2.1 }, { 4, 3.9, 4.1 }, 2, "more" },
		{ { 4, 3.9, 4.1 }, { 2, 1.9, 2.1 }, 0.5, "less" },
		{ { 2, 1.5, 2.5 }, { 2.2, 2, 2.4 }, 1.1, "within the spread" },
		{ { 2, 0, 4 }, { 6, 5, 7 }, 3, "more" },
		{ { 2, 0, 8 }, { 6, 5, 7 }, 3, "within the spread" },
		{ { 2, NAN, NAN }, { 6, 5, 7 }, 3, "" },
		{ { 20, 20, 20 }, { 20, 20, 20 }, 1, "the same" },
		{ { 20, 20, 20 }, { 19, 19, 19 }, 0.95, "less" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ratio r = compare_ratio(rows[i].a, rows[i].b);

		cr_expect_float_eq(r.b_to_a, rows[i].ratio, 1e-9);
		cr_expect_str_eq(compare_verdict(r), rows[i].verdict, "row %zu", i);
	}
	cr_assert(isnan(compare_ratio((struct value){ 0, 0, 0 }, rows[0].b).b_to_a));
}
