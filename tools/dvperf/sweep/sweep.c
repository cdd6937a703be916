/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points, one after the other: every combination of the axes' values, the last axis fastest.
 *
 *	batch=1,8  api=direct,verbs     (1 direct) (1 verbs) (8 direct) (8 verbs)
 *
 * Words "x=" and "y=" say what the figure shows. With two hosts both sides walk the same list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dvkit/emu.h>

#include "base/base.h"
#include "result/result.h"
#include "model/model.h"
#include "machine/machine.h"
#include "peer/peer.h"
#include "run/run.h"
#include "report/report.h"
#include "preset.h"
#include "sweep.h"

enum {
	MAX_AXES = 16,
	MAX_VALUES = 64,
	OVERSUBSCRIBED = 4, /* threads per CPU: beyond, a point is left out */
	EMULATED_ITERS = 1000,
	REAL_SECONDS = 4,
};

struct axis {
	char *name, *values[MAX_VALUES];
	int n;
};

struct sweep {
	struct options *o;
	struct axis axes[MAX_AXES];
	int n;
	const char *x, *y;
	const struct preset *preset;
	struct report rep;
	unsigned int all, done, left_out;
	uint64_t begin;
	char texts[MAX_AXES][16]; /* of numbers that are found out here */
};

/* ---- axes ---- */

/* Rows that differ in an option without a column could not be distinguished. */
static void check_told(const struct axis *a)
{
	struct options o = options_new(MODE_BW);
	struct json_object *names;

	options_defaults(&o);
	names = options_json(&o);
	if (a->n > 1 && !json_object_object_get_ex(names, options_json_key(a->name), NULL))
		base_refuse(
			"%s is not an axis: results have no column for it; give it as an option",
			a->name);
	json_object_put(names);
}

/* The axis of that name, or a new one without values. */
static struct axis *axis_of(struct sweep *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(options_json_key(s->axes[i].name), options_json_key(name)))
			return &s->axes[i];
	if (s->n == MAX_AXES)
		base_refuse("more than %d axes", MAX_AXES);
	s->axes[s->n].name = base_made(strdup(name));
	return &s->axes[s->n++];
}

static void take_word(struct sweep *s, const char *word)
{
	char *copy = base_made(strdup(word)), *values = strchr(copy, '='), *at, *save = NULL;
	struct options scratch = options_new(MODE_BW);
	const char *bad;
	struct axis *a;

	*values++ = 0;
	if (!strcmp(copy, "x") || !strcmp(copy, "y")) {
		*(copy[0] == 'x' ? &s->x : &s->y) = values;
		return;
	}
	a = axis_of(s, copy);
	a->n = 0;
	for (at = strtok_r(values, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
		if (a->n == MAX_VALUES)
			base_refuse("%s has more than %d values", a->name, MAX_VALUES);
		if (!strcmp(at, "all") && !strcmp(a->name, "threads")) {
			snprintf(s->texts[0], sizeof(s->texts[0]), "%ld",
				 sysconf(_SC_NPROCESSORS_ONLN));
			at = s->texts[0];
		}
		bad = options_take_name(&scratch, a->name, at);
		if (bad)
			base_refuse("%s=%s: %s", a->name, at, *bad ? bad : "is not an option");
		a->values[a->n++] = at;
	}
	if (!a->n)
		base_refuse("%s= needs values", a->name);
	check_told(a);
}

static bool has_axis(const struct sweep *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(options_json_key(s->axes[i].name), options_json_key(name)))
			return true;
	return false;
}

/* A preset says nothing of how long: so much as a device of this kind needs. */
static void preset_lengths(struct sweep *s)
{
	struct options *o = s->o;

	if (o->iters || o->duration > 0 || has_axis(s, "mode"))
		return;
	if (dvkit_emu_present())
		o->iters = EMULATED_ITERS;
	else
		o->duration = REAL_SECONDS;
}

/* ---- points ---- */

/* Sets the options of point @index; NULL, or why it cannot be. */
static const char *point(struct sweep *s, unsigned int index, struct options *o)
{
	static char text[96];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*o = *s->o;
	o->preset = NULL;
	for (int i = s->n - 1; i >= 0; i--) {
		options_take_name(o, s->axes[i].name,
				  s->axes[i].values[index % (unsigned int)s->axes[i].n]);
		index /= (unsigned int)s->axes[i].n;
	}
	/* each host for itself */
	if (o->mode == MODE_POST || (o->op == OP_MMO && !o->remote_vhca))
		o->host = NULL;
	options_defaults(o);
	if (o->threads > OVERSUBSCRIBED * cpus) {
		snprintf(text, sizeof(text), "%d threads on %ld CPUs", o->threads, cpus);
		return text;
	}
	if (s->preset && s->preset->leaves_out && s->preset->leaves_out(o))
		return s->preset->leaves_out(o);
	return run_check(o);
}

static void say_where(const struct sweep *s)
{
	double took = (double)(clock_ticks() - s->begin) / clock_rate();

	if (s->done)
		base_progress("sweep", (double)s->done / s->all,
			      took / s->done * (s->all - s->done));
}

static void run_points(struct sweep *s)
{
	const char *bad, *last = NULL;

	for (unsigned int i = 0; i < s->all && !base_interrupted; i++, s->done++) {
		struct options o;
		struct result r;

		bad = point(s, i, &o);
		if (!o.loopback && o.mode != MODE_POST)
			bad = peer_point(&o, "sweep", s->all, bad);
		if (base_interrupted)
			break;
		if (bad) {
			if (!last || strcmp(last, bad))
				base_note("left out: %s", bad);
			last = bad;
			s->left_out++;
			continue;
		}
		last = NULL;
		r = result_new(&o);
		say_where(s);
		point_run(&s->rep, &r);
	}
	peer_part();
}

/* ---- the figure ---- */

/* x: what was said, or the last axis with several numbers. */
static void choose_axes(struct sweep *s)
{
	enum mode mode = s->o->mode;

	for (int i = s->n - 1; i >= 0 && !s->x; i--)
		if (s->axes[i].n > 1 && s->axes[i].values[0][0] >= '0' &&
		    s->axes[i].values[0][0] <= '9')
			s->x = s->axes[i].name;
	for (int i = 0; i < s->n; i++)
		if (!strcmp(s->axes[i].name, "mode"))
			mode = !strcmp(s->axes[i].values[0], "post")  ? MODE_POST
			       : !strcmp(s->axes[i].values[0], "lat") ? MODE_LAT
								      : MODE_BW;
	if (!s->y)
		s->y = mode == MODE_BW ? "mops" : mode == MODE_LAT ? "lat_50" : "post_cycles";
	if (metric_find(s->y) == METRICS)
		base_refuse("y=%s is not a metric; dvperf(1) lists them", s->y);
}

/* The options that differ from point to point, as the JSON calls them; NULL ends. */
static const char **varying(const struct sweep *s, const char *but)
{
	const char **names = base_made(calloc(MAX_AXES + 1, sizeof(*names)));
	int n = 0;

	for (int i = 0; i < s->n; i++)
		if (s->axes[i].n > 1 &&
		    !(but && !strcmp(options_json_key(s->axes[i].name), but)))
			names[n++] = base_made(strdup(options_json_key(s->axes[i].name)));
	return names;
}

static void drop(const char **names)
{
	for (int i = 0; names[i]; i++)
		free((char *)names[i]);
	free(names);
}

static int draw(struct sweep *s, const char *path)
{
	char *x = base_made(strdup(options_json_key(s->x)));
	const char **series = varying(s, x);
	struct plot p = { .title = s->preset ? s->preset->what : "dvperf sweep",
			  .x = x,
			  .y = metric_find(s->y),
			  .series = series };
	struct record r = { .all = s->rep.all, .rows = s->rep.rows };
	int failed;

	json_object_object_get_ex(r.all, "published", &r.published);
	failed = plot_write(&p, &r, path);
	drop(series);
	free(x);
	return failed;
}

/* ---- files ---- */

/* Whether the figure has the axes that the preset's curves have. */
static bool has_axes_of_preset(const struct sweep *s)
{
	bool x = false, y = false;

	for (int i = 0; i < PRESET_WORDS && s->preset->words[i]; i++) {
		const char *word = s->preset->words[i];

		if (!strncmp(word, "x=", 2))
			x = s->x && !strcmp(options_json_key(s->x), word + 2);
		else if (!strncmp(word, "y=", 2))
			y = s->y && !strcmp(s->y, word + 2);
	}
	return x && y;
}

static void add_published(struct sweep *s)
{
	struct json_object *all;

	json_object_object_add(s->rep.all, "published_text",
			       json_object_new_string(s->preset->said));
	if (!has_axes_of_preset(s))
		return;
	all = json_object_new_array();
	for (int c = 0; c < PRESET_CURVES && s->preset->curves[c].n; c++) {
		const struct curve *curve = &s->preset->curves[c];
		struct json_object *j = json_object_new_object();
		struct json_object *x = json_object_new_array(), *y = json_object_new_array();

		for (unsigned int i = 0; i < curve->n; i++) {
			json_object_array_add(x, json_object_new_double(curve->x[i]));
			json_object_array_add(y, json_object_new_double(curve->y[i]));
		}
		json_object_object_add(j, "series", json_object_new_string(curve->name));
		json_object_object_add(j, "source", json_object_new_string(s->preset->source));
		json_object_object_add(j, "over",
				       json_object_new_string(options_json_key(s->x)));
		json_object_object_add(j, "x", x);
		json_object_object_add(j, "y", y);
		json_object_array_add(all, j);
	}
	json_object_object_add(s->rep.all, "published", all);
}

/* As test_rdma of SMART writes them: name, threads, depth, block size, MB/s, Mops, ms to connect. */
static void write_smart(const struct sweep *s, const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		base_fail("%s: %m", path);
	for (size_t i = 0; i < json_object_array_length(s->rep.rows); i++) {
		struct json_object *row = json_object_array_get_idx(s->rep.rows, i);
		double mops = row_metric(row, metric_name(METRIC_MOPS));
		double size = atof(row_option(row, "size"));

		fprintf(f, "rdma-%s-%s, %s, %s, %.0f, %.3f, %.3f, %.3f\n",
			row_option(row, "op"), row_option(row, "layout"),
			row_option(row, "threads"), row_option(row, "outstanding"), size,
			mops * 1e6 * size / (1 << 20), mops,
			row_metric(row, metric_name(METRIC_SETUP)));
	}
	if (fclose(f))
		base_fail("%s: %m", path);
}

/* 0, or -1: a figure could not be drawn; the data is there. */
static int write_files(struct sweep *s)
{
	const char *name = s->preset ? s->preset->name : "sweep";
	char path[4096];
	bool smart = !strncmp(name, "smart-", 6);
	int failed = s->o->plot ? draw(s, s->o->plot) : 0;

	if (!s->o->output)
		return failed;
	snprintf(path, sizeof(path), "%s/%s.json", s->o->output, name);
	report_write_json(&s->rep, path);
	snprintf(path, sizeof(path), "%s/%s.csv", s->o->output, name);
	report_write_csv(&s->rep, path);
	if (smart) {
		snprintf(path, sizeof(path), "%s/%s.smart.csv", s->o->output, name);
		write_smart(s, path);
	}
	snprintf(path, sizeof(path), "%s/%s.svg", s->o->output, name);
	if (s->x && draw(s, path))
		failed = -1;
	base_note("%s/%s.{json,csv%s%s}", s->o->output, name, smart ? ",smart.csv" : "",
		  s->x && !failed ? ",svg" : "");
	return failed;
}

static void check_output(const struct sweep *s)
{
	const char *bad;

	if (s->o->out_json || s->o->out_json_file)
		base_refuse("--out_json is for bw and lat; a sweep has --output");
	if (s->o->plot && !s->x)
		base_refuse("--plot needs an axis with several numbers, or x=NAME");
	bad = s->o->plot || (s->o->output && s->x) ? plot_check() : NULL;
	if (bad)
		base_refuse("%s", bad);
	if (s->x && !has_axis(s, s->x))
		base_refuse("x=%s is not one of the axes", s->x);
	if (s->o->output && mkdir(s->o->output, 0777) && access(s->o->output, W_OK))
		base_refuse("--output %s: %m", s->o->output);
}

/* After all rows: a straight line through batches, where there are several. */
static void add_fits(struct sweep *s, const char *const *names)
{
	bool batches = false, text = !s->o->json && !s->o->csv;
	struct json_object *fits;

	for (int i = 0; names[i]; i++)
		batches |= !strcmp(names[i], "batch");
	if (!batches)
		return;
	fits = predict_fits(s->rep.rows, names);
	if (fits)
		json_object_object_add(s->rep.all, "fits", fits);
	if (text)
		predict_print(s->rep.rows, names, fits);
}

int sweep_run(struct options *o, char **axes, int n, int argc, char **argv)
{
	struct sweep *s = base_made(calloc(1, sizeof(*s)));
	const char **axes_of_rows;
	int failed, status;

	s->o = o;
	if (o->preset && !strcmp(o->preset, "list")) {
		preset_list();
		return 0;
	}
	s->preset = o->preset ? preset_find(o->preset) : NULL;
	for (int i = 0; s->preset && i < PRESET_WORDS && s->preset->words[i]; i++)
		take_word(s, s->preset->words[i]);
	for (int i = 0; i < n; i++)
		take_word(s, axes[i]);
	if (!s->n)
		base_refuse("nothing to sweep: an axis like batch=1,8,32, or --preset NAME");
	if (s->preset)
		preset_lengths(s);
	choose_axes(s);
	check_output(s);
	s->all = 1;
	for (int i = 0; i < s->n; i++)
		s->all *= (unsigned int)s->axes[i].n;
	s->begin = clock_ticks();
	report_begin(&s->rep, o, argc, argv);
	if (s->x)
		json_object_object_add(s->rep.all, "x",
				       json_object_new_string(options_json_key(s->x)));
	if (s->preset)
		add_published(s);
	s->rep.axes = axes_of_rows = varying(s, NULL);
	run_points(s);
	add_fits(s, axes_of_rows);
	drop(axes_of_rows);
	s->rep.axes = NULL;
	if (s->left_out == s->all)
		base_refuse("no point of this sweep can be measured here");
	failed = write_files(s);
	if (s->preset && !o->json && !o->csv)
		printf("about %s: %s\n", s->preset->name, s->preset->said);
	status = report_end(&s->rep);
	free(s);
	return failed ? DVPERF_FAILED : status;
}
