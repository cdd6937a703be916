/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep leaves: JSON, CSV, a figure for each mode, and what others published, in the JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "report/report.h"
#include "files.h"

/* ---- the figure ---- */

static const char *y_of_mode(const struct sweep_files *s, const char *mode)
{
	if (s->axes->y)
		return s->axes->y;
	return !strcmp(mode, "bw") ? "mops" : !strcmp(mode, "lat") ? "lat_50" : "post_cycles";
}

static bool has_rows(const struct sweep_files *s, const char *mode, const char *y)
{
	struct record r = { .rows = s->rep->rows };

	for (size_t i = 0; i < record_rows(&r); i++)
		if (!strcmp(row_option(record_row(&r, i), "mode"), mode) && row_has(&r, i, y))
			return true;
	return false;
}

static int draw_mode(struct sweep_files *s, const char *mode, const char *path)
{
	char *x = base_made(strdup(options_json_key(s->axes->x))), *title = NULL;
	const char **series = axes_varying(s->axes, x), *y = y_of_mode(s, mode);
	struct plot p = { .mode = mode, .x = x, .y = metric_find(y), .series = series };
	struct record r = { .all = s->rep->all, .rows = s->rep->rows };
	int failed = 0;

	if (s->axes->preset &&
	    asprintf(&title, "%s: %s", s->axes->preset->name, s->axes->preset->what) < 0)
		base_fail("%m");
	p.title = title;
	json_object_object_get_ex(r.all, "published", &r.published);
	if (has_rows(s, mode, y))
		failed = plot_write(&p, &r, path);
	else
		base_note("no figure of %s: it has no %s", mode, y);
	axes_drop_names(series);
	free(title);
	free(x);
	return failed;
}

/* NAME.svg; of several modes NAME-bw.svg, NAME-lat.svg, NAME-post.svg. */
static int draw(struct sweep_files *s, const char *path)
{
	const struct axis *modes = axes_modes(s->axes);
	int failed = 0;

	if (!modes)
		return draw_mode(s,
				 row_option(json_object_array_get_idx(s->rep->rows, 0), "mode"),
				 path);
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
static bool has_axes_of_preset(const struct sweep_files *s)
{
	bool x = false, y = false;

	for (int i = 0; i < PRESET_WORDS && s->axes->preset->words[i]; i++) {
		const char *word = s->axes->preset->words[i];

		if (!strncmp(word, "x=", 2))
			x = s->axes->x && !strcmp(options_json_key(s->axes->x), word + 2);
		else if (!strncmp(word, "y=", 2))
			y = s->axes->y && !strcmp(s->axes->y, word + 2);
	}
	return x && y;
}

void files_add_published(struct sweep_files *s)
{
	struct json_object *all;

	json_object_object_add(s->rep->all,
			       s->axes->preset->said ? "published_text" : "about_text",
			       json_object_new_string(preset_text(s->axes->preset)));
	if (!has_axes_of_preset(s))
		return;
	all = json_object_new_array();
	for (int c = 0; c < PRESET_CURVES && s->axes->preset->curves[c].n; c++) {
		const struct curve *curve = &s->axes->preset->curves[c];
		struct json_object *j = json_object_new_object();
		struct json_object *x = json_object_new_array(), *y = json_object_new_array();

		for (unsigned int i = 0; i < curve->n; i++) {
			json_object_array_add(x, json_object_new_double(curve->x[i]));
			json_object_array_add(y, json_object_new_double(curve->y[i]));
		}
		json_object_object_add(j, "series", json_object_new_string(curve->name));
		json_object_object_add(j, "source",
				       json_object_new_string(s->axes->preset->source));
		json_object_object_add(j, "over",
				       json_object_new_string(options_json_key(s->axes->x)));
		json_object_object_add(j, "x", x);
		json_object_object_add(j, "y", y);
		json_object_array_add(all, j);
	}
	json_object_object_add(s->rep->all, "published", all);
}

/* As test_rdma of SMART writes them: name, threads, depth, block size, MB/s, Mops, ms to connect. */
static int write_smart(const struct sweep_files *s, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = base_made(open_memstream(&text, &size));
	int failed;

	for (size_t i = 0; i < json_object_array_length(s->rep->rows); i++) {
		struct json_object *row = json_object_array_get_idx(s->rep->rows, i);
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

static char *path_of(const struct sweep_files *s, const char *ending)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s%s", s->axes->o->output,
		 s->axes->preset ? s->axes->preset->name : "sweep", ending);
	return path;
}

int files_write_point(const struct sweep_files *s)
{
	return s->axes->o->output ? report_write_json(s->rep, path_of(s, ".json")) : 0;
}

/* 0, or -1: a file could not be written, or a figure drawn. Each that can be is. */
int files_write(struct sweep_files *s)
{
	bool smart = s->axes->preset && !strncmp(s->axes->preset->name, "smart-", 6);
	int failed = s->axes->o->plot ? draw(s, s->axes->o->plot) : 0;

	if (!s->axes->o->output)
		return failed;
	failed |= report_write_json(s->rep, path_of(s, ".json"));
	failed |= report_write_csv(s->rep, path_of(s, ".csv"));
	if (smart)
		failed |= write_smart(s, path_of(s, ".smart.csv"));
	if (s->axes->x)
		failed |= draw(s, path_of(s, ".svg"));
	if (!failed)
		base_note("%s.{json,csv%s%s}", path_of(s, ""), smart ? ",smart.csv" : "",
			  s->axes->x && !axes_modes(s->axes) ? ",svg" : "");
	return failed;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

void files_check(const struct sweep_files *s)
{
	const char *bad;

	if (s->axes->o->plot && !ends_with(s->axes->o->plot, ".svg"))
		base_refuse("--plot: a figure is SVG: '%s' has to end with .svg",
			    s->axes->o->plot);
	if (s->axes->o->run_infinitely || s->axes->o->out_json || s->axes->o->out_json_file)
		base_refuse(
			"--run_infinitely and --out_json are not for sweep; it has --output");
	if (s->axes->o->plot && !s->axes->x)
		base_refuse("--plot needs an axis with several numbers, or x=NAME");
	bad = s->axes->o->plot || (s->axes->o->output && s->axes->x) ? plot_check() : NULL;
	if (bad)
		base_refuse("%s", bad);
	if (s->axes->x && !axes_has(s->axes, s->axes->x))
		base_refuse("x=%s is not one of the axes", s->axes->x);
	if (s->axes->o->output && mkdir(s->axes->o->output, 0777) &&
	    access(s->axes->o->output, W_OK))
		base_refuse("--output %s: %m", s->axes->o->output);
}
