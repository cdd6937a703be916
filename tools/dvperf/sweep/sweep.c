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
	MAX_REASONS_LEFT = 32,
	OVERSUBSCRIBED = 4, /* threads per CPU: beyond, a point is left out */
	EMULATED_ITERS = 1000,
	REAL_SECONDS = 4,
};

struct axis {
	char *name, *values[MAX_VALUES];
	int n;
	const char *given; /* by the caller, in these words; NULL: by a preset */
};

/* Points that were left out for one reason. */
struct left_out {
	char *reason;
	unsigned int points;
	uint64_t values[MAX_AXES]; /* a bit for each value that was left out */
};

struct sweep {
	struct options *o;
	struct axis axes[MAX_AXES];
	int n;
	const char *x, *y;
	bool figure_given[2]; /* x=, y= by the caller */
	const struct preset *preset;
	struct report rep;
	unsigned int all, done, left_out;
	struct left_out reasons[MAX_REASONS_LEFT];
	unsigned int n_reasons;
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

/* "all" threads are as many as there are CPUs. */
static char *value_text(struct sweep *s, const struct axis *a, char *value)
{
	if (strcmp(value, "all") || strcmp(a->name, "threads"))
		return value;
	snprintf(s->texts[0], sizeof(s->texts[0]), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	return s->texts[0];
}

static void take_value(struct sweep *s, struct axis *a, char *value)
{
	struct options scratch = options_new(MODE_BW);
	struct near near;
	const char *bad;

	if (!*value)
		base_refuse("%s=: a value is empty", a->name);
	if (a->n == MAX_VALUES)
		base_refuse("%s has more than %d values", a->name, MAX_VALUES);
	value = value_text(s, a, value);
	bad = options_take_name(&scratch, a->name, value);
	if (bad && !strcmp(bad, "is not an option")) {
		near_begin(&near, a->name);
		options_near(&near, true);
		base_refuse("%s=%s: %s is not an option%s", a->name, value, a->name,
			    near_text(&near));
	}
	if (bad)
		base_refuse("%s=%s: %s", a->name, value, bad);
	a->values[a->n++] = value;
}

/* x=NAME or y=NAME; whether @name is one of them. */
static bool take_figure_axis(struct sweep *s, const char *name, const char *value, bool given)
{
	int y = !strcmp(name, "y");

	if (!y && strcmp(name, "x"))
		return false;
	if (given && s->figure_given[y])
		base_refuse("%s= is given twice", name);
	s->figure_given[y] = given;
	*(y ? &s->y : &s->x) = value;
	return true;
}

/* What the caller says takes the place of a preset's words, but not of other words of the caller. */
static void take_word(struct sweep *s, const char *word, bool given)
{
	char *copy = base_made(strdup(word)), *values = strchr(copy, '='), *value;
	struct axis *a;

	*values++ = 0;
	if (take_figure_axis(s, copy, values, given))
		return;
	a = axis_of(s, copy);
	options_refuse_given(s->o, a->name);
	if (given && a->given)
		base_refuse("%s is given twice: %s and %s; put its values into one list",
			    a->name, a->given, word);
	a->given = given ? word : NULL;
	a->n = 0;
	while ((value = strsep(&values, ",")))
		take_value(s, a, value);
	check_told(a);
}

/* Rows of a mode follow each other, so that each mode has one table. */
static void put_mode_first(struct sweep *s)
{
	struct axis mode;

	for (int i = 1; i < s->n; i++)
		if (!strcmp(s->axes[i].name, "mode")) {
			mode = s->axes[i];
			memmove(&s->axes[1], &s->axes[0], (size_t)i * sizeof(*s->axes));
			s->axes[0] = mode;
		}
}

static bool has_axis(const struct sweep *s, const char *name)
{
	for (int i = 0; i < s->n; i++)
		if (!strcmp(options_json_key(s->axes[i].name), options_json_key(name)))
			return true;
	return false;
}

/* What a preset leaves open: how long; on the emulator, the link of the model. */
static void preset_defaults(struct sweep *s)
{
	struct options *o = s->o;
	bool open = !o->iters && !(o->duration > 0) && !has_axis(s, "mode");
	bool emulated = dvkit_emu_present();

	if (emulated && !o->pcie)
		o->pcie = s->preset->pcie;
	if (open && emulated)
		o->iters = EMULATED_ITERS;
	else if (open)
		o->duration = REAL_SECONDS;
}

/* ---- points ---- */

/* Sets the options of point @index; NULL, or why it cannot be. */
static const char *point(struct sweep *s, unsigned int index, struct options *o)
{
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
	if (o->threads > OVERSUBSCRIBED * cpus)
		return "more than 4 threads per CPU";
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

/* ---- what is left out ---- */

static void leave_out(struct sweep *s, unsigned int index, const char *reason)
{
	struct left_out *l = s->reasons;

	s->left_out++;
	while (l < s->reasons + s->n_reasons && strcmp(l->reason, reason))
		l++;
	if (l == s->reasons + MAX_REASONS_LEFT)
		return;
	if (l == s->reasons + s->n_reasons) {
		s->n_reasons++;
		l->reason = base_made(strdup(reason));
	}
	l->points++;
	for (int i = s->n - 1; i >= 0; i--) {
		l->values[i] |= 1ull << index % (unsigned int)s->axes[i].n;
		index /= (unsigned int)s->axes[i].n;
	}
}

/* " threads=4,8": the values of @a that are in @bits; "" where all are. */
static void put_values(FILE *f, const struct axis *a, uint64_t bits)
{
	const char *before = "";

	if (__builtin_popcountll(bits) == a->n)
		return;
	fprintf(f, " %s=", a->name);
	for (int i = 0; i < a->n; i++)
		if (bits >> i & 1) {
			fprintf(f, "%s%s", before, a->values[i]);
			before = ",";
		}
}

/* A line for each reason, with the values to which what it is about is limited. */
static void say_left_out(struct sweep *s)
{
	char *text;
	size_t size;

	for (struct left_out *l = s->reasons; l < s->reasons + s->n_reasons; l++) {
		FILE *f = base_made(open_memstream(&text, &size));

		for (int i = 0; i < s->n; i++)
			put_values(f, &s->axes[i], l->values[i]);
		fclose(f);
		base_note("left out: %s (%u of %u points%s%s)", l->reason, l->points, s->all,
			  *text ? ":" : "", text);
		free(text);
		free(l->reason);
	}
}

static void run_points(struct sweep *s)
{
	const char *bad;

	for (unsigned int i = 0; i < s->all && !base_interrupted; i++, s->done++) {
		struct options o;
		struct result r;

		bad = point(s, i, &o);
		if (!o.loopback && o.mode != MODE_POST)
			bad = peer_point(&o, "sweep", s->all, bad);
		if (base_interrupted)
			break;
		if (bad) {
			leave_out(s, i, bad);
			continue;
		}
		r = result_new(&o);
		say_where(s);
		point_run(&s->rep, &r);
	}
	peer_part();
	say_left_out(s);
}

/* ---- the figure ---- */

/* x: what was said, or the last axis with several numbers. */
static void choose_axes(struct sweep *s)
{
	for (int i = s->n - 1; i >= 0 && !s->x; i--)
		if (s->axes[i].n > 1 && s->axes[i].values[0][0] >= '0' &&
		    s->axes[i].values[0][0] <= '9')
			s->x = s->axes[i].name;
	if (s->y && metric_find(s->y) == METRICS)
		base_refuse("y=%s: %s", s->y, metric_unknown(s->y));
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

static const char *y_of_mode(const struct sweep *s, const char *mode)
{
	if (s->y)
		return s->y;
	return !strcmp(mode, "bw") ? "mops" : !strcmp(mode, "lat") ? "lat_50" : "post_cycles";
}

static bool has_rows(const struct sweep *s, const char *mode, const char *y)
{
	struct record r = { .rows = s->rep.rows };

	for (size_t i = 0; i < record_rows(&r); i++)
		if (!strcmp(row_option(record_row(&r, i), "mode"), mode) && row_has(&r, i, y))
			return true;
	return false;
}

static int draw_mode(struct sweep *s, const char *mode, const char *path)
{
	char *x = base_made(strdup(options_json_key(s->x))), *title = NULL;
	const char **series = varying(s, x), *y = y_of_mode(s, mode);
	struct plot p = { .mode = mode, .x = x, .y = metric_find(y), .series = series };
	struct record r = { .all = s->rep.all, .rows = s->rep.rows };
	int failed = 0;

	if (s->preset && asprintf(&title, "%s: %s", s->preset->name, s->preset->what) < 0)
		base_fail("%m");
	p.title = title;
	json_object_object_get_ex(r.all, "published", &r.published);
	if (has_rows(s, mode, y))
		failed = plot_write(&p, &r, path);
	else
		base_note("no figure of %s: it has no %s", mode, y);
	drop(series);
	free(title);
	free(x);
	return failed;
}

/* The axis of modes, if it has several; else NULL. */
static const struct axis *modes_of(const struct sweep *s)
{
	return s->n && !strcmp(s->axes[0].name, "mode") && s->axes[0].n > 1 ? &s->axes[0]
									    : NULL;
}

/* NAME.svg; of several modes NAME-bw.svg, NAME-lat.svg, NAME-post.svg. */
static int draw(struct sweep *s, const char *path)
{
	const struct axis *modes = modes_of(s);
	int failed = 0;

	if (!modes)
		return draw_mode(
			s, row_option(json_object_array_get_idx(s->rep.rows, 0), "mode"), path);
	for (int i = 0; i < modes->n; i++) {
		char *one;

		if (asprintf(&one, "%.*s-%s.svg", (int)(strlen(path) - strlen(".svg")), path,
			     modes->values[i]) < 0)
			base_fail("%m");
		failed |= draw_mode(s, modes->values[i], one);
		free(one);
	}
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

	json_object_object_add(s->rep.all, s->preset->said ? "published_text" : "about_text",
			       json_object_new_string(preset_text(s->preset)));
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
static int write_smart(const struct sweep *s, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = base_made(open_memstream(&text, &size));
	int failed;

	for (size_t i = 0; i < json_object_array_length(s->rep.rows); i++) {
		struct json_object *row = json_object_array_get_idx(s->rep.rows, i);
		double mops = row_metric(row, metric_name(METRIC_MOPS));
		double bytes = atof(row_option(row, "size"));

		fprintf(f, "rdma-%s-%s, %s, %s, %.0f, %.3f, %.3f, %.3f\n",
			row_option(row, "op"), row_option(row, "layout"),
			row_option(row, "threads"), row_option(row, "outstanding"), bytes,
			mops * 1e6 * bytes / (1 << 20), mops,
			row_metric(row, metric_name(METRIC_SETUP)));
	}
	fclose(f);
	failed = base_save(path, text, size);
	free(text);
	return failed;
}

static char *path_of(const struct sweep *s, const char *ending)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s", s->o->output,
		 s->preset ? s->preset->name : "sweep", ending);
	return path;
}

/* 0, or -1: a file could not be written, or a figure drawn. Each that can be is. */
static int write_files(struct sweep *s)
{
	bool smart = s->preset && !strncmp(s->preset->name, "smart-", 6);
	int failed = s->o->plot ? draw(s, s->o->plot) : 0;

	if (!s->o->output)
		return failed;
	failed |= report_write_json(&s->rep, path_of(s, ".json"));
	failed |= report_write_csv(&s->rep, path_of(s, ".csv"));
	if (smart)
		failed |= write_smart(s, path_of(s, ".smart.csv"));
	if (s->x)
		failed |= draw(s, path_of(s, ".svg"));
	if (!failed)
		base_note("%s.{json,csv%s%s}", path_of(s, ""), smart ? ",smart.csv" : "",
			  s->x && !modes_of(s) ? ",svg" : "");
	return failed;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

static void check_output(const struct sweep *s)
{
	const char *bad;

	if (s->o->plot && !ends_with(s->o->plot, ".svg"))
		base_refuse("--plot: a figure is SVG: '%s' has to end with .svg", s->o->plot);
	if (s->o->run_infinitely || s->o->out_json || s->o->out_json_file)
		base_refuse(
			"--run_infinitely and --out_json are not for sweep; it has --output");
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

	if (preset_list(o->preset))
		return 0;
	s->o = o;
	s->preset = o->preset ? preset_find(o->preset) : NULL;
	for (int i = 0; s->preset && i < PRESET_WORDS && s->preset->words[i]; i++)
		take_word(s, s->preset->words[i], false);
	for (int i = 0; i < n; i++)
		take_word(s, axes[i], true);
	put_mode_first(s);
	if (!s->n)
		base_refuse("nothing to sweep: an axis like batch=1,8,32, or --preset NAME");
	if (s->preset)
		preset_defaults(s);
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
	failed = json_object_array_length(s->rep.rows) ? write_files(s) : 0;
	if (s->preset && !o->json && !o->csv)
		printf("about %s: %s\n", s->preset->name, preset_text(s->preset));
	status = report_end(&s->rep);
	free(s);
	return failed ? DVPERF_FAILED : status;
}
