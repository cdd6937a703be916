/* SPDX-License-Identifier: BSD-2-Clause */
/* A sweep before anything is measured: its axes from words, their points in order, what is
 * refused, and the figure. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "sweep/files.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

static struct options o;
static struct axes a;

/* Axes of words as of a command line, after those of the preset that "preset NAME" names. */
static void begin(const char *words)
{
	char *rest = strdup(words), *word;

	o = options_new(MODE_BW);
	o.loopback = true;
	a = (struct axes){ .o = &o };
	while ((word = strsep(&rest, " ")) && *word)
		if (strncmp(word, "preset:", 7)) {
			axes_take_word(&a, word, true);
		} else {
			a.preset = preset_find(word + 7);
			for (int i = 0; a.preset->words[i]; i++)
				axes_take_word(&a, a.preset->words[i], false);
		}
	axes_put_mode_first(&a);
	axes_choose_figure(&a);
}

/* The last axis is the fastest; rows of a mode follow each other. */
Test(axes, make_points_in_this_order)
{
	static const struct {
		enum mode mode;
		uint32_t batch;
		enum api api;
	} want[] = { { MODE_BW, 1, API_DIRECT },   { MODE_BW, 1, API_VERBS },
		     { MODE_BW, 8, API_DIRECT },   { MODE_BW, 8, API_VERBS },
		     { MODE_POST, 1, API_DIRECT }, { MODE_POST, 1, API_VERBS },
		     { MODE_POST, 8, API_DIRECT }, { MODE_POST, 8, API_VERBS } };
	struct options point;

	begin("batch=1,8 api=direct,verbs mode=bw,post");
	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++) {
		axes_point(&a, i, &point);
		cr_expect_eq(point.mode, want[i].mode, "%u", i);
		cr_expect_eq(point.batch, want[i].batch, "%u", i);
		cr_expect_eq(point.api, want[i].api, "%u", i);
	}
	cr_expect_str_eq(axes_modes(&a)->name, "mode");
	cr_expect(axes_has(&a, "post_list") && !axes_has(&a, "size"));
}

Test(axes, leave_points_out)
{
	struct options point;
	char text[60];

	snprintf(text, sizeof(text), "threads=all,%ld,%ld", 4 * sysconf(_SC_NPROCESSORS_ONLN),
		 4 * sysconf(_SC_NPROCESSORS_ONLN) + 1);
	begin(text);
	cr_expect_null(axes_point(&a, 0, &point));
	cr_expect_eq(point.threads, sysconf(_SC_NPROCESSORS_ONLN));
	cr_expect_null(axes_point(&a, 1, &point));
	cr_expect_str_eq(axes_point(&a, 2, &point), "more than 4 threads per CPU");
	begin("mode=bw,post");
	o.host = "host";
	o.loopback = false;
	cr_expect_null(axes_point(&a, 0, &point));
	cr_expect_str_eq(point.host, "host");
	cr_expect_null(axes_point(&a, 1, &point));
	cr_expect_null(point.host, "post has no peer");
	begin("op=mmo,write remote_vhca=none,read");
	o.host = "host";
	for (unsigned int i = 0; i < 4; i++) {
		axes_point(&a, i, &point);
		cr_expect_eq(!point.host, i == 0, "%u", i);
	}
	begin("preset:lock-contention uar=thread locks=off,on threads=1");
	cr_expect(strstr(axes_point(&a, 0, &point), "no locks to remove"));
	begin("size=8,9 op=atomic");
	cr_expect_null(axes_point(&a, 0, &point));
	cr_expect(strstr(axes_point(&a, 1, &point), "atomics have 8 bytes"));
}

/* Words of the caller take the place of a preset's. */
Test(axes, of_a_preset)
{
	begin("preset:smart-fig3 threads=1,2 op=send");
	cr_expect_eq(a.axes[0].n, 1);
	cr_expect_str_eq(a.axes[0].name, "op");
	cr_expect_str_eq(a.axes[0].values[0], "send");
	cr_expect_str_eq(a.x, "threads");
	cr_expect_str_eq(a.y, "mops");
	axes_preset_defaults(&a);
	cr_expect_eq(o.iters, 0);
	cr_expect_eq(o.duration, 4);
	o.duration = 0;
	o.iters = 7;
	axes_preset_defaults(&a);
	cr_expect_eq(o.duration, 0);
	begin("preset:smart-fig3 x=layout y=gbps");
	cr_expect_str_eq(a.x, "layout");
	begin("preset:shared-qp");
	axes_preset_defaults(&a);
	cr_expect_eq(o.duration, 0, "post has no duration");
}

Test(axes, one_of_numbers_is_the_figures)
{
	const char **names;

	begin("batch=1,8 api=direct,verbs size=8");
	cr_expect_str_eq(a.x, "batch");
	cr_expect_null(a.y);
	cr_expect_null(axes_modes(&a));
	names = axes_varying(&a, NULL);
	cr_expect(!strcmp(names[0], "batch") && !strcmp(names[1], "api") && !names[2]);
	axes_drop_names(names);
	names = axes_varying(&a, "batch");
	cr_expect(!strcmp(names[0], "api") && !names[1]);
	axes_drop_names(names);
	begin("post_list=1,8 tx-depth=64,128 api=direct");
	cr_expect_str_eq(a.x, "tx-depth");
	names = axes_varying(&a, NULL);
	cr_expect(!strcmp(names[0], "batch") && !strcmp(names[1], "tx_depth"));
	axes_drop_names(names);
	begin("api=direct,verbs mode=bw");
	cr_expect_null(a.x);
	cr_expect_null(axes_modes(&a));
}

static void begin_badly(const void *words)
{
	begin(words);
}

/* 64 values, 16 axes and no more. */
Test(axes, are_refused)
{
	static const char *const of[][2] = {
		{ "batch=", "batch=: a value is empty" },
		{ "batch=1,,2", "batch=: a value is empty" },
		{ "batch=0", "batch=0: '0' is not one of adaptive, or a number" },
		{ "bacth=1", "bacth=1: bacth is not an option; did you mean" },
		{ "batch=1,2 batch=4", "batch is given twice: batch=1,2 and batch=4" },
		{ "batch=1,2 post_list=4", "is given twice" },
		{ "x=batch x=size", "x= is given twice" },
		{ "y=mops y=gbps", "y= is given twice" },
		{ "y=mopss", "y=mopss: 'mopss' is not a metric" },
		{ "port=1,2", "port is not an axis" },
		{ "pcie=9x9", "--pcie: '9x9'" },
		{ "fresh=on", "fresh= is for post" },
		{ "pin=x", "--pin wants CPUs" },
	};
	char text[400] = "size=", *at = text + 5;

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		said_only(2, of[i][1], begin_badly, of[i][0]);
	for (int i = 1; i <= 64; i++)
		at += sprintf(at, "%s%d", i > 1 ? "," : "", i);
	begin(text);
	cr_expect_eq(a.axes[0].n, 64);
	cr_expect_str_eq(a.axes[0].values[63], "64");
	strcpy(at, ",65");
	said_only(2, "size has more than 64 values", begin_badly, text);
	begin("port=1 size=8"); /* one value: all rows have it */
	begin("api=wr op=send size=8 batch=1 signal=1 tx-depth=9 rx-depth=9 qp=1 threads=1 uar=nc "
	      "cq=all mr=qp sl=1 tos=1 layout=per-qp locks=on");
	cr_expect_eq(a.n, 16);
	said_only(2, "more than 16 axes", begin_badly,
		  "api=wr op=send size=8 batch=1 signal=1 tx-depth=9 rx-depth=9 qp=1 threads=1 "
		  "uar=nc cq=all mr=qp sl=1 tos=1 layout=per-qp locks=on pages=4k");
}

/* ---- files ---- */

static void check_files(const void *words)
{
	const struct sweep_files files = { &a, NULL };
	const char *text = words, *options = strstr(text, " | ");
	char *axes = strndup(text, (size_t)(options - text));
	struct options more = given(options + 3);

	begin(axes);
	o.plot = more.plot;
	o.output = more.output;
	o.run_infinitely = more.run_infinitely;
	files_check(&files);
}

Test(axes, files_that_cannot_be)
{
	static const char *const of[][2] = {
		{ "batch=1,2 | plot=a.png", "'a.png' has to end with .svg" },
		{ "batch=1,2 | plot=.svg", "'.svg' has to end with .svg" },
		{ "batch=1,2 | run_infinitely=on", "is not for sweep" },
		{ "batch=1 | plot=a.svg", "needs an axis" },
		{ "batch=1,2 x=size | plot=a.svg", "x=size is not one of the axes" },
		{ "batch=1,2 | output=/nosuch/folder",
		  "--output /nosuch/folder: No such file" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		said_only(2, of[i][1], check_files, of[i][0]);
	cr_expect_eq(said_by(check_files, "batch=1,2 | plot=a.svg output=/tmp").status, 0);
}

static struct json_object *published(const char *words)
{
	struct report rep = { .o = &o, .all = json_object_new_object() };
	struct sweep_files files = { &a, &rep };

	begin(words);
	files_add_published(&files);
	return rep.all;
}

/* Curves belong to the axes of the preset: "one shared QP" begins with 1.90 at 1 thread. */
Test(axes, published_curves)
{
	static const char *const of[][2] = {
		{ "preset:smart-fig3", "1" },
		{ "preset:smart-fig3 x=layout", NULL },
		{ "preset:smart-fig3 y=gbps", NULL },
		{ "preset:perftest", "0" },
	};
	struct json_object *all, *curves, *one;

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		all = published(of[i][0]);
		cr_expect_eq(json_object_object_get_ex(all, "published", &curves),
			     of[i][1] != NULL, "%s", of[i][0]);
		cr_expect_eq(json_object_object_get_ex(all, "published_text", NULL), i < 3);
		cr_expect_eq(json_object_object_get_ex(all, "about_text", NULL), i == 3);
		if (of[i][1])
			cr_expect_eq(json_object_array_length(curves), i ? 0 : 5);
		json_object_put(all);
	}
	all = published("preset:smart-fig3");
	cr_expect_str_eq(
		json_object_get_string(json_object_object_get(all, "title")),
		"smart-fig3: READ of 8 bytes, 8 under way: threads and what they share");
	one = json_object_array_get_idx(json_object_object_get(all, "published"), 0);
	cr_expect_str_eq(
		json_object_to_json_string(one),
		"{ \"series\": \"one shared QP\", \"source\": \"SMART, ASPLOS'24, figure "
		"3a, ConnectX-6\", \"over\": \"threads\", \"x\": [ 1.0, 8.0, 16.0, 24.0, "
		"32.0, 48.0, 64.0, 80.0, 96.0 ], \"y\": [ 1.8999999999999999, "
		"0.57999999999999996, 0.44, 0.40000000000000002, 0.34000000000000002, "
		"0.27000000000000002, 0.26000000000000001, 0.25, 0.26000000000000001 ] }");
	json_object_put(all);
}

static void find_preset(const void *name)
{
	printf("%s", preset_find(name)->name);
}

static void list_presets(const void *name)
{
	exit(preset_list(name));
}

Test(axes, presets_have_names)
{
	struct said s = said_by(list_presets, "list");
	int lines = 0;

	cr_expect_eq(s.status, 1);
	cr_expect(!strncmp(s.out, "atc16-fig11      UD SEND of 60 bytes", 36));
	for (const char *at = s.out; *at; at++)
		lines += *at == '\n';
	for (const struct preset *p = presets; p->name; p++, lines -= 2)
		cr_expect_str_eq(said_by(find_preset, p->name).out, p->name);
	cr_expect_eq(lines, 0);
	cr_expect_eq(said_by(list_presets, "help").status, 1);
	cr_expect_eq(said_by(list_presets, NULL).status, 0);
	cr_expect_eq(said_by(list_presets, "smart-fig3").status, 0);
	said_only(2, "no preset 'smart-fig33'; did you mean 'smart-fig3'", find_preset,
		  "smart-fig33");
}
