/* SPDX-License-Identifier: BSD-2-Clause */
/* A report as people and programs get it: tables of each mode, samples, JSON, CSV, and the
 * exit status. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "result/result.h"
#include "result/row.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

static struct result result_of(const struct options *o)
{
	struct result r = result_new(o);

	r.m[METRIC_MOPS] = 1.5;
	r.m[METRIC_INTERVAL] = 2.5;
	r.m[METRIC_GBPS] = 96;
	r.m[METRIC_CYCLES] = 1234;
	r.m[METRIC_DOORBELLS] = 0.125;
	r.m[METRIC_LAT_MIN] = 0.5;
	r.m[METRIC_LAT_50] = 1.25;
	r.m[METRIC_LAT_90] = 2;
	r.m[METRIC_LAT_99] = 9.75;
	r.m[METRIC_POST_INSTR] = 33;
	r.m[METRIC_SETUP] = 1234567;
	return r;
}

/* Two rows, of options "A | B". */
static void print(const void *of)
{
	char *first = strdup(of), *second = strstr(first, " | ");
	static const char *const axes[] = { "batch", "locks", "op", NULL };
	struct options a, b;
	struct report rep;
	struct result r;

	*second = 0;
	a = given(first);
	b = given(second + 3);
	report_begin(&rep, &a, 0, NULL);
	rep.axes = axes;
	r = result_of(&a);
	result_distrust(&r, "one");
	report_row(&rep, &r);
	r = result_of(&b);
	result_distrust(&r, "two");
	result_distrust(&r, "one");
	report_row(&rep, &r);
	exit(report_end(&rep));
}

#define BW    "op api bytes batch QPs thr Mops +-% Gb/s cyc/op db/op p50 us p99 us\n"
#define ROW   " 1.500 2.5 96.000 1234 0.125 1.2 9.8 locks="
#define DOUBT "NOT TO BE TRUSTED: one\nNOT TO BE TRUSTED: two\n"

static const char *const tables[][2] = {
	{ "size=8 batch=4 qp=2 threads=3 | op=read size=64 batch=adaptive locks=off",
	  BW "write direct 8 4 2 3" ROW "on\nread direct 64 adapt 1 1" ROW "off\n" DOUBT },
	{ "mode=lat size=8 | size=8 api=wr",
	  "op api bytes t_min us t_typical +-% t_avg p90 p99 p99.9 t_max\n"
	  "write direct 8 0.50 1.25 2.5 - 2.00 9.75 - - locks=on\n"
	  "\n" BW "write wr 8 1 1 1" ROW "on\n" DOUBT },
	{ "mode=post size=8 | mode=post size=8",
	  "op api bytes batch QPs thr instr/WQE cyc/WQE +-% instr/CQE cyc/CQE cyc/op\n"
	  "write direct 8 1 1 1 33.0 - 2.5 - - - locks=on\n"
	  "write direct 8 1 1 1 33.0 - 2.5 - - - locks=on\n" DOUBT },
	{ "size=8 columns=gbps,setup_ms | size=8",
	  "op api bytes batch QPs thr Gb/s setup_ms\nwrite direct 8 1 1 1 96.000 1.2346e+06 "
	  "locks=on\nwrite direct 8 1 1 1 96.000 1.2346e+06 locks=on\n" DOUBT },
	{ "size=8 columns=all | size=8",
	  "op api bytes batch QPs thr Mops +-% min max Gb/s cyc/op ins/op db/op BB/op CQE/op "
	  "poll/op stalls PCIe B p50 us p99 us\n"
	  "write direct 8 1 1 1 1.500 2.5 - - 96.000 1234 - 0.125 - - - - - 1.2 9.8 locks=on\n"
	  "write direct 8 1 1 1 1.500 2.5 - - 96.000 1234 - 0.125 - - - - - 1.2 9.8 locks=on\n" DOUBT },
};

Test(report, is_a_table_of_each_mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		struct said s = said_by(print, tables[i][0]);

		cr_expect_eq(s.status, 0);
		cr_expect_str_eq(said_words(s.out), tables[i][1], "%s:\n%s", tables[i][0],
				 said_words(s.out));
	}
}

/* The value of a column ends where its title does. */
Test(report, columns_are_aligned)
{
	struct said s = said_by(print, "size=8 columns=gbps,setup_ms | size=8");
	const char *end = strstr(s.out, "\n");

	cr_expect_str_eq(
		end - strlen("     Gb/s  setup_ms"),
		"     Gb/s  setup_ms\n"
		"write     direct        8     1    1   1   96.000 1.2346e+06  locks=on\n"
		"write     direct        8     1    1   1   96.000 1.2346e+06  locks=on\n" DOUBT);
}

Test(report, is_csv)
{
	struct said s = said_by(print, "csv=on size=8 | csv=on size=64");
	const char *second = strchr(s.out, '\n') + 1, *third = strchr(second, '\n') + 1;

	cr_expect(!strncmp(s.out, "mode,op,connection,api,size,batch,", 34));
	cr_expect(!strncmp(strstr(s.out, ",mops,"), ",mops,mops_min,mops_max,", 24));
	cr_expect(!strncmp(second, "bw,write,RC,direct,8,1,", 23));
	cr_expect(!strncmp(third, "bw,write,RC,direct,64,1,", 24));
	cr_expect(strstr(second, ",1.5,,,,2.5,96,") && strstr(second, ",\"one\"\n"));
	cr_expect(strstr(third, ",\"two; one\"\n"));
	cr_expect_not(strstr(s.out, "NOT TO BE"));
	cr_expect_eq(strchr(third, '\n')[1], 0);
}

static struct json_object *in(struct json_object *of, const char *name)
{
	struct json_object *value = NULL;

	cr_assert(json_object_object_get_ex(of, name, &value), "%s", name);
	return value;
}

static void print_json(const void *of)
{
	struct options o = given(of);
	struct report rep;
	struct result r = result_of(&o);
	char one[] = "dvperf", two[] = "bw", *argv[] = { one, two };

	report_begin(&rep, &o, 2, argv);
	result_keep(&r, METRIC_MOPS, (double[]){ 1, 2, 3 }, 3);
	r.counters = json_object_new_object();
	json_object_object_add(r.counters, "wqes", json_object_new_int(7));
	report_row(&rep, &r);
	exit(report_end(&rep));
}

Test(report, is_json)
{
	struct said s = said_by(print_json, "json=on preset=smart-fig3");
	struct json_object *all = json_tokener_parse(s.out), *row;

	cr_assert(all, "%s", s.out);
	cr_expect_str_eq(json_object_get_string(in(all, "dvperf")), RESULT_FORMAT);
	cr_expect_str_eq(json_object_get_string(in(all, "version")), DVKIT_VERSION);
	cr_expect_str_eq(json_object_get_string(in(all, "preset")), "smart-fig3");
	cr_expect_str_eq(json_object_to_json_string(in(all, "command")),
			 "[ \"dvperf\", \"bw\" ]");
	cr_assert_eq(json_object_array_length(in(all, "rows")), 1);
	row = json_object_array_get_idx(in(all, "rows"), 0);
	cr_expect_eq(json_object_object_length(in(row, "metrics")), 11, "no NaN");
	cr_expect_str_eq(json_object_to_json_string(in(in(row, "repeats"), "mops")),
			 "[ 1.0, 2.0, 3.0 ]");
	cr_expect_str_eq(json_object_to_json_string(in(in(row, "interval"), "mops")),
			 "[ 1.0, 3.0 ]");
	cr_expect_eq(json_object_get_int(in(in(row, "device_counters"), "wqes")), 7);
	cr_expect_eq(row_metric(row, "mops"), 1.5);
	cr_expect(isnan(row_metric(row, "spread")));
	cr_expect_str_eq(row_option(row, "api"), "direct");
	cr_expect_str_eq(row_option(row, "nosuch"), "");
	json_object_put(all);
}

Test(report, names_rows_by_words)
{
	struct options o = given("batch=16 locks=off");
	struct json_object *row = json_object_new_object();
	static const char *const names[] = { "api", "batch", "locks", "nosuch" };
	char text[60];

	json_object_object_add(row, "options", options_json(&o));
	cr_expect_str_eq(row_words(row, names, 4, text, sizeof(text)),
			 "direct, batch 16, locks off, nosuch -");
	cr_expect_str_eq(row_words(row, names, 1, text, sizeof(text)), "direct");
	cr_expect_str_eq(row_words(row, names, 0, text, sizeof(text)), "");
	cr_expect_str_eq(row_words(row, names, 4, text, 10), "direct, b");
	json_object_put(row);
}

/* ---- samples ---- */

static void print_samples(const void *of)
{
	struct options o = given(of);
	struct report rep;
	struct result r = result_new(&o);

	report_begin(&rep, &o, 0, NULL);
	r.samples = calloc(3, sizeof(*r.samples));
	r.n_samples = 3;
	r.samples[0] = 30;
	r.samples[1] = (1ull << 33) + 1;
	r.samples[2] = 20;
	report_row(&rep, &r);
}

Test(report, has_samples)
{
	static const char *const of[][2] = {
		{ "mode=lat report-unsorted=on report-cycles=on",
		  "#, cycles\n1, 30\n2, 8589934593\n3, 20\nop " },
		{ "mode=lat report-histogram=on report-cycles=on",
		  "#, cycles\n1, 20\n2, 30\n3, 8589934593\nop " },
		{ "mode=lat report-histogram=on", "#, usec\n1, 0.0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct said s = said_by(print_samples, of[i][0]);

		cr_expect(!strncmp(s.out, of[i][1], strlen(of[i][1])), "%s", s.out);
		cr_expect_eq(!strstr(s.out, "t_min tsc"), i == 2);
	}
}

/* ---- nothing ---- */

static void print_nothing(const void *of)
{
	const char *text = of;
	bool after_one = *text == '+';
	struct options o = given(text + after_one);
	struct report rep;
	struct result r = result_of(&o);

	report_begin(&rep, &o, 0, NULL);
	if (after_one)
		report_row(&rep, &r);
	r.nothing = true;
	report_row(&rep, &r);
	exit(report_end(&rep));
}

Test(report, of_nothing)
{
	struct said s;

	said_only(1, "interrupted before anything was measured\n", print_nothing, "");
	said_only(1, "measured: the first 0.25 s of -D are a margin (-f)", print_nothing,
		  "duration=1");
	said_only(1, "interrupted before anything was measured\n", print_nothing,
		  "duration=1 margin=0");
	s = said_by(print_nothing, "+");
	cr_expect_eq(s.status, 0);
	cr_expect_str_eq(s.err, "");
	cr_expect(strstr(s.out, "write"));
}

Test(report, columns_are_metrics)
{
	cr_expect_null(result_check_columns(NULL));
	cr_expect_null(result_check_columns("all"));
	cr_expect_null(result_check_columns("help"));
	cr_expect_null(result_check_columns("mops,lat_99.9"));
	cr_expect(strstr(result_check_columns("mops,mopss"), "'mopss' is not a metric"));
	cr_expect(strstr(result_check_columns(""), "'' is not a metric"));
	cr_expect_eq(metric_find("mops"), METRIC_MOPS);
	cr_expect_eq(metric_find("setup_ms"), METRIC_SETUP);
	cr_expect_eq(metric_find("setup"), METRICS);
	cr_expect_str_eq(metric_what(METRIC_IPC), "instructions per core cycle: PMU");
}
