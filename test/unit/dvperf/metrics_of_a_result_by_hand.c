/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics of counts, latencies and repeats, computed by hand; doubts and limits at their edge;
 * the row as CSV. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "base/base.h"
#include "result/result.h"

static struct result r;

static void begin(void)
{
	struct options o = options_new(MODE_BW);

	options_defaults(&o);
	r = result_new(&o);
}

TestSuite(result, .init = begin);

static void metric(enum metric m, double want)
{
	cr_expect(isnan(want) ? isnan(r.m[m]) : fabs(r.m[m] - want) < 1e-9,
		  "%s: %.12g, not %.12g", metric_name(m), r.m[m], want);
}

/* Does a reason begin so? */
static bool doubts(const char *why)
{
	for (unsigned int i = 0; i < r.n_reasons; i++)
		if (!strncmp(r.reasons[i], why, strlen(why)))
			return true;
	return false;
}

Test(result, of_counts)
{
	const struct counts c = { 1, 20, 30, 40, 50, 60, 70, 7, 81, 9 };
	struct counts sum = c;

	counts_add(&sum, &c);
	for (size_t i = 0; i < sizeof(c) / sizeof(uint64_t); i++)
		cr_expect_eq(((uint64_t *)&sum)[i], 2 * ((const uint64_t *)&c)[i], "%zu", i);
	result_counts(&r, &c, 0);
	metric(METRIC_DOORBELLS, NAN);
	result_counts(&r, &c, 10);
	metric(METRIC_OPS, 10);
	metric(METRIC_WQES, 20);
	metric(METRIC_ALL_CQES, 110);
	metric(METRIC_ALL_DOORBELLS, 40);
	metric(METRIC_WQEBBS, 3);
	metric(METRIC_DOORBELLS, 4);
	metric(METRIC_CQES, 5);
	metric(METRIC_POLLS, 7);
	metric(METRIC_EMPTY, 0.1);
	metric(METRIC_BATCH, 0.25);
	metric(METRIC_STALLS, 0.1);
	result_counts(&r, &(struct counts){ .batches = 1 }, 10);
	metric(METRIC_EMPTY, 0);
	metric(METRIC_BATCH, NAN);
}

Test(result, of_latencies)
{
	static const struct {
		uint64_t samples;
		enum mode mode;
		const char *short_of;
	} rows[] = { { 1, MODE_BW, "short: p99 of" },
		     { 999, MODE_LAT, "short: p99 of" },
		     { 1000, MODE_LAT, "short: p99.9 of" },
		     { 9999, MODE_LAT, "short: p99.9 of" },
		     { 1000, MODE_BW, NULL },
		     { 10000, MODE_LAT, NULL } };
	static struct histogram h;

	histogram_clear(&h);
	result_latency(&r, &h, 1e6);
	metric(METRIC_SAMPLES, NAN);
	for (uint64_t v = 1; v <= 100; v++)
		histogram_take(&h, v);
	result_latency(&r, &h, 2e6); /* two ticks are a microsecond */
	metric(METRIC_SAMPLES, 100);
	metric(METRIC_LAT_MIN, 0.5);
	metric(METRIC_LAT_50, 25);
	metric(METRIC_LAT_90, 45);
	metric(METRIC_LAT_99, 49.5);
	metric(METRIC_LAT_999, 50);
	metric(METRIC_LAT_MAX, 50);
	metric(METRIC_LAT_MEAN, 25.25);
	metric(METRIC_LAT_STDEV, sqrt((100 * 100 - 1) / 12.0) / 2);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin();
		r.o.mode = rows[i].mode;
		h.count = rows[i].samples;
		result_latency(&r, &h, 1e6);
		cr_expect_eq(r.n_reasons, rows[i].short_of != NULL, "row %zu", i);
		cr_expect(!rows[i].short_of || doubts(rows[i].short_of), "row %zu", i);
	}
}

/* Repeats may differ by a tenth of their median. */
Test(result, of_repeats)
{
	static const struct {
		double values[3];
		unsigned int n;
		const char *why;
	} rows[] = { { { 10 }, 1, "one repeat: " },
		     { { 9.5, 10.5 }, 2, NULL },
		     { { 9.49, 10.5 }, 2, "noisy: the repeats of mops differ" },
		     { { 10.51, 10, 9.51 }, 3, NULL },
		     { { 10.52, 10, 9.51 }, 3, "noisy: the repeats of mops differ" },
		     { { -1, 1 }, 2, NULL } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin();
		result_keep(&r, METRIC_MOPS, rows[i].values, rows[i].n);
		cr_expect_eq(r.n_reasons, rows[i].why != NULL, "row %zu", i);
		cr_expect(!rows[i].why || doubts(rows[i].why), "row %zu", i);
		cr_expect_arr_eq(r.kept[0].values, rows[i].values, rows[i].n * sizeof(double));
	}
	begin();
	result_keep(&r, METRIC_NS, rows[0].values, 0);
	cr_expect_eq(r.n_kept, 0);
	for (unsigned int i = 0; i < MAX_KEPT + 1; i++)
		result_keep(&r, METRIC_MOPS + i, (double[]){ 10 + i, 10 + i, 12 + i }, 3);
	cr_expect_eq(r.n_kept, MAX_KEPT);
	/* of 2000 medians of three of 10, 10, 12 a quarter is 12: the interval is 10 to 12 */
	metric(METRIC_INTERVAL, 10);
}

Test(result, has_each_doubt_once)
{
	static char text[MAX_REASONS + 1][8];

	for (int i = 0; i <= MAX_REASONS; i++) {
		snprintf(text[i], sizeof(text[i]), "%d", i);
		result_distrust(&r, text[i]);
		result_distrust(&r, text[i]);
	}
	cr_expect_eq(r.n_reasons, MAX_REASONS);
	cr_expect_str_eq(r.reasons[MAX_REASONS - 1], text[MAX_REASONS - 1]);
}

/* 2 Mops of 65536 bytes: 125000 MiB/s, 1048.576 Gb/s. A rate that is the limit is not below. */
Test(result, is_below_a_limit)
{
	static const struct {
		double bw, rate;
		bool gbits, below;
	} rows[] = { { 0, 0, false, false },	   { 125000, 0, false, false },
		     { 125000.1, 0, false, true }, { 1048.576, 0, true, false },
		     { 1048.577, 0, true, true },  { 0, 2, false, false },
		     { 0, 2.001, false, true },	   { 1, 2.001, false, true } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct report rep;

		begin();
		r.m[METRIC_MOPS] = 2;
		r.o.limit_bw = rows[i].bw;
		r.o.limit_msgrate = rows[i].rate;
		r.o.gbits = rows[i].gbits;
		report_begin(&rep, &r.o, 0, NULL);
		rep.quiet = true;
		report_row(&rep, &r);
		cr_expect_eq(rep.below, rows[i].below, "row %zu", i);
		report_drop(&rep);
	}
}

/* The options in their order, the metrics in theirs, what was not measured empty. */
Test(result, is_a_line_of_csv)
{
	char path[] = "/tmp/result.XXXXXX", want[4000] = "", *at = want, text[8000] = { 0 };
	struct json_object *options = options_json(&r.o);
	struct report rep;
	int fd = mkstemp(path);

	json_object_object_foreach(options, name, value)
	{
		at += sprintf(at, "%s,", json_object_get_string(value));
		cr_expect(*name);
	}
	for (int i = 0; i < METRICS; i++)
		at += sprintf(at, "%s,",
			      i == METRIC_MOPS	  ? "1.5"
			      : i == METRIC_SETUP ? "1e+06"
						  : "");
	sprintf(at, "\"a; b\"\n");
	r.m[METRIC_MOPS] = 1.5;
	r.m[METRIC_SETUP] = 1000000;
	result_distrust(&r, "a");
	result_distrust(&r, "b");
	report_begin(&rep, &r.o, 0, NULL);
	rep.quiet = true;
	report_row(&rep, &r);
	cr_assert_eq(report_write_csv(&rep, path), 0);
	close(fd);
	fd = open(path, O_RDONLY);
	cr_assert_gt(read(fd, text, sizeof(text) - 1), 0);
	cr_expect(!strncmp(text, "mode,op,connection,api,size,", 28));
	cr_expect_str_eq(strchr(text, '\n') + 1, want);
	close(fd);
	unlink(path);
	report_drop(&rep);
	json_object_put(options);
}
