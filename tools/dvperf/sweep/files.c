/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of a sweep: JSON with published values, CSV, a figure by a script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "files.h"
#include "libexec/libexec.h"

/* ---- the figure ---- */

/* By the script of dvperf report, which reads the result as it would from a file. @json is such
 * a file, for later where there is no such script, or not what it needs. */
static int draw(const struct sweep_files *s, const char *path, const char *json)
{
	char report[] = "report", input[] = "-", *svg, *argv[] = { report, input, NULL, NULL };
	FILE *f = tmpfile();
	int status = DVPERF_FAILED;

	if (asprintf(&svg, "--svg=%s", path) < 0)
		base_fail("%m");
	argv[2] = svg;
	json_object_object_add(s->rep->all, "rows", json_object_get(s->rep->rows));
	if (f && !json_object_to_fd(fileno(f), s->rep->all, JSON_C_TO_STRING_PLAIN) &&
	    !lseek(fileno(f), 0, SEEK_SET))
		status = libexec_run("dvperf-report", argv, fileno(f));
	if (status)
		base_note("%s is not drawn; 'dvperf report %s %s' draws it", path, json, svg);
	if (f)
		fclose(f);
	free(svg);
	return status;
}

/* --plot: of a figure that is not drawn the result is kept beside it. */
static int plot(const struct sweep_files *s, const char *path)
{
	int failed;
	char *json;

	if (asprintf(&json, "%.*s.json", (int)(strlen(path) - strlen(".svg")), path) < 0)
		base_fail("%m");
	failed = draw(s, path, json);
	if (failed)
		report_write_json(s->rep, json);
	free(json);
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
	char *title;

	if (asprintf(&title, "%s: %s", s->axes->preset->name, s->axes->preset->what) < 0)
		base_fail("%m");
	json_object_object_add(s->rep->all, "title", json_object_new_string(title));
	free(title);
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

/* As test_rdma of SMART writes them: name, threads, depth, block size, MB/s, Mops, ms to
 * connect. */
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

/* Owned by the caller. */
static char *path_of(const struct sweep_files *s, const char *ending)
{
	char *path;

	if (asprintf(&path, "%s/%s%s", s->axes->o->output,
		     s->axes->preset ? s->axes->preset->name : "sweep", ending) < 0)
		base_fail("%m");
	return path;
}

int files_write_point(const struct sweep_files *s)
{
	char *json = s->axes->o->output ? path_of(s, ".json") : NULL;
	int failed = json ? report_write_json(s->rep, json) : 0;

	free(json);
	return failed;
}

/* --output: data without a figure is complete where the script has not what it needs. */
static int write_all(const struct sweep_files *s)
{
	char *name = path_of(s, ""), *json = path_of(s, ".json"), *csv = path_of(s, ".csv");
	char *smart = path_of(s, ".smart.csv"), *svg = path_of(s, ".svg");
	bool is_smart = s->axes->preset && !strncmp(s->axes->preset->name, "smart-", 6);
	int failed = report_write_json(s->rep, json) | report_write_csv(s->rep, csv),
	    drawn = -1;

	if (is_smart)
		failed |= write_smart(s, smart);
	if (s->axes->x)
		drawn = draw(s, svg, json);
	failed |= drawn > 0 && drawn != DVPERF_USAGE;
	if (!failed)
		base_note("%s.{json,csv%s%s}", name, is_smart ? ",smart.csv" : "",
			  !drawn && !axes_modes(s->axes) ? ",svg" : "");
	free(name);
	free(json);
	free(csv);
	free(smart);
	free(svg);
	return failed;
}

int files_write(struct sweep_files *s)
{
	int failed = s->axes->o->plot ? plot(s, s->axes->o->plot) : 0;

	return s->axes->o->output ? write_all(s) | failed : failed;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

void files_check(const struct sweep_files *s)
{
	if (s->axes->o->plot && !ends_with(s->axes->o->plot, ".svg"))
		base_refuse("--plot: a figure is SVG: '%s' has to end with .svg",
			    s->axes->o->plot);
	if (s->axes->o->run_infinitely)
		base_refuse("--run_infinitely is not for sweep; it has --output");
	if (s->axes->o->plot && !s->axes->x)
		base_refuse("--plot needs an axis with several numbers, or x=NAME");
	if (s->axes->x && !axes_has(s->axes, s->axes->x))
		base_refuse("x=%s is not one of the axes", s->axes->x);
	if (s->axes->o->output && mkdir(s->axes->o->output, 0777) &&
	    access(s->axes->o->output, W_OK))
		base_refuse("--output %s: %m", s->axes->o->output);
}
