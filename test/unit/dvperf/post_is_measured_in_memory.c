/* SPDX-License-Identifier: BSD-2-Clause */
/* post without a device: its rings are in memory. Counts are exact; times are of the repeats,
 * of which the result has least, median and greatest. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "run/post_repeats.h"
#include "run/run.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

static const struct {
	const char *options;
	double blocks, doorbells, wqes; /* of an operation */
} rows[] = {
	{ "mode=post batch=4 tx-depth=64 repeat=2", 1, 0.25, 1 },
	{ "mode=post batch=1 tx-depth=8 repeat=3 size=92 inline_size=92", 2, 1, 1 },
	{ "mode=post batch=40 tx-depth=40 repeat=2 op=mmo size=30 chunk=10", 3, 0.025, 3 },
};

static void is_of(const struct result *r, enum metric m, const double *values, unsigned int n)
{
	double sorted[MAX_REPEATS];

	memcpy(sorted, values, n * sizeof(*values));
	cr_expect_eq(r->m[m], median(sorted, n), "%s", metric_name(m));
	cr_expect_eq(r->m[m + 1], sorted[0], "%s: least", metric_name(m));
	cr_expect_eq(r->m[m + 2], sorted[n - 1], "%s: most", metric_name(m));
}

Test(post, in_memory)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct options o = given_well(rows[i].options);
		struct result r = result_new(&o);
		unsigned int n = (unsigned int)o.repeats;

		post_run(&r, NULL);
		cr_expect_eq(r.m[METRIC_WQEBBS], rows[i].blocks);
		cr_expect_eq(r.m[METRIC_DOORBELLS], rows[i].doorbells);
		cr_expect_eq(r.m[METRIC_REGISTERS], 1);
		cr_expect_not(r.nothing);
		cr_assert_eq(r.n_kept, 4);
		for (unsigned int k = 0; k < 4; k++) {
			cr_expect_eq(
				r.kept[k].m,
				((enum metric[]){ METRIC_POST_CYCLES, METRIC_MOPS,
						  METRIC_POLL_CYCLES, METRIC_OP_CYCLES })[k]);
			cr_expect_eq(r.kept[k].n, n);
			for (unsigned int v = 0; v < n; v++)
				cr_expect_gt(r.kept[k].values[v], 0);
			is_of(&r, r.kept[k].m, r.kept[k].values, n);
		}
		for (unsigned int v = 0; v < n; v++)
			cr_expect_gt(r.kept[3].values[v], rows[i].wqes * r.kept[0].values[v],
				     "polling takes time");
		cr_expect(isnan(r.m[METRIC_PCIE_PART]) && isnan(r.m[METRIC_WIRE_GBPS]));
		cr_expect(isnan(r.m[METRIC_POST_INSTR]), "there is no parent that steps");
		cr_expect_gt(r.m[METRIC_PCIE_LIMIT], 0);
		cr_expect_gt(r.m[METRIC_CPU_LIMIT], 0);
		cr_expect_float_eq(r.m[METRIC_FLOOR_CYCLES], r.m[METRIC_POST_CYCLES] / 4.4,
				   1e-9);
	}
}

static void run(const void *options)
{
	struct options o = given(options);
	struct result r = result_new(&o);

	post_run(&r, NULL);
}

Test(post, needs_a_device_for_more)
{
	static const char *const of[] = { "mode=post api=wr", "mode=post connection=UC",
					  "mode=post threads=2", "mode=post qp=2",
					  "mode=post dm=on" };

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		said_only(2, "post needs a paused device", run, of[i]);
}

Test(post, keeps_its_repeats)
{
	struct options o = given("mode=post");
	struct result r = result_new(&o);
	struct post_repeats all = { .post = { 3, 1, 2 },
				    .mops = { 20, 10, 40 },
				    .poll = { 7, 9, 8 },
				    .op = { 6, 5, 4 } };

	post_keep(&r, &all);
	cr_expect_eq(r.n_kept, 0, "none");
	all.n = 3;
	post_keep(&r, &all);
	cr_expect_eq(r.n_kept, 2, "without polls");
	is_of(&r, METRIC_POST_CYCLES, (double[]){ 3, 1, 2 }, 3);
	is_of(&r, METRIC_MOPS, (double[]){ 20, 10, 40 }, 3);
	cr_expect_eq(r.m[METRIC_SPREAD], 1.5);
	cr_expect(isnan(r.m[METRIC_POLL_CYCLES]));
}

static void print_quotes(const void *of)
{
	(void)of;
	post_quotes();
}

/* docs/benchmarking.md, "Reference costs". */
Test(post, is_beside_the_costs_of_others)
{
	static const double want[][2] = { { 162, 36 }, { 154, 30 }, { 143, 35 } };
	struct json_object *all = post_quotes_json();
	const char *line = said_by(print_quotes, NULL).out;

	cr_assert_eq(json_object_array_length(all), 3);
	for (size_t i = 0; i < 3; i++) {
		struct json_object *j = json_object_array_get_idx(all, i);
		char numbers[40];

		cr_expect_eq(json_object_get_double(json_object_object_get(j, "instructions")),
			     want[i][0]);
		cr_expect_eq(json_object_get_double(json_object_object_get(j, "cycles")),
			     want[i][1]);
		cr_expect_eq(json_object_object_length(j), 4);
		snprintf(numbers, sizeof(numbers), "%.1f | %.1f", want[i][0], want[i][1]);
		line = strstr(line, numbers);
		cr_assert(line, "%s", numbers);
	}
	json_object_put(all);
}
