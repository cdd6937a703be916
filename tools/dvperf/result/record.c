/* SPDX-License-Identifier: BSD-2-Clause */
/* Result files read and checked; rows and environments read from them. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "record.h"

static struct json_object *member(struct json_object *of, const char *name, enum json_type type)
{
	struct json_object *value = NULL;

	if (json_object_is_type(of, json_type_object))
		json_object_object_get_ex(of, name, &value);
	return json_object_is_type(value, type) ? value : NULL;
}

static bool is_number(struct json_object *value)
{
	return json_object_is_type(value, json_type_double) ||
	       json_object_is_type(value, json_type_int);
}

/* ---- checks ---- */

static const char *check_row(struct json_object *row)
{
	struct json_object *metrics = member(row, "metrics", json_type_object);
	struct json_object *reasons = member(row, "not_trusted", json_type_array);

	if (!member(row, "options", json_type_object))
		return "a row without options";
	if (!metrics)
		return "a row without metrics";
	json_object_object_foreach(metrics, name, value)
	{
		(void)name;
		if (!is_number(value))
			return "a metric that is not a number";
	}
	if (!reasons)
		return "a row that does not say whether to trust it";
	for (size_t i = 0; i < json_object_array_length(reasons); i++)
		if (!json_object_is_type(json_object_array_get_idx(reasons, i),
					 json_type_string))
			return "a reason that is not a text";
	return NULL;
}

static const char *check_curve(struct json_object *curve)
{
	struct json_object *x = member(curve, "x", json_type_array);
	struct json_object *y = member(curve, "y", json_type_array);

	if (!x || !y || json_object_array_length(x) != json_object_array_length(y))
		return "a published curve without points";
	for (size_t i = 0; i < json_object_array_length(x); i++)
		if (!is_number(json_object_array_get_idx(x, i)) ||
		    !is_number(json_object_array_get_idx(y, i)))
			return "a published point that is not a number";
	if (!member(curve, "series", json_type_string) ||
	    !member(curve, "source", json_type_string))
		return "a published curve without a source";
	if (json_object_object_get(curve, "over") && !member(curve, "over", json_type_string))
		return "a published curve over what is not an option";
	return NULL;
}

static const char *check_all(struct json_object *array,
			     const char *(*check)(struct json_object *))
{
	const char *bad = NULL;

	for (size_t i = 0; array && !bad && i < json_object_array_length(array); i++)
		bad = check(json_object_array_get_idx(array, i));
	return bad;
}

static const char *text_or_null(struct json_object *of, const char *name)
{
	struct json_object *text = member(of, name, json_type_string);

	return text ? json_object_get_string(text) : NULL;
}

const char *record_take(struct record *r, struct json_object *all)
{
	const char *bad;

	if (!member(all, "dvperf", json_type_string))
		return "not from dvperf";
	r->all = all;
	r->rows = member(all, "rows", json_type_array);
	r->environment = member(all, "environment", json_type_object);
	r->published = member(all, "published", json_type_array);
	r->said = text_or_null(all, "published_text");
	r->about = text_or_null(all, "about_text");
	r->preset = text_or_null(all, "preset");
	r->x = text_or_null(all, "x");
	if (!r->rows || !json_object_array_length(r->rows))
		return "no rows";
	bad = check_all(r->rows, check_row);
	return bad ? bad : check_all(r->published, check_curve);
}

/* ---- files ---- */

/* NULL, or why not. */
static const char *load_file(struct records *to, const char *path)
{
	struct json_object *all = json_object_from_file(path);
	struct record r = { 0 };
	const char *bad, *slash = strrchr(path, '/');

	bad = all ? record_take(&r, all) : access(path, R_OK) ? strerror(errno) : "not JSON";
	if (bad) {
		json_object_put(all);
		return bad;
	}
	r.name = base_made(strdup(slash ? slash + 1 : path));
	to->list = base_made(realloc(to->list, (to->n + 1) * sizeof(r)));
	to->list[to->n++] = r;
	return NULL;
}

static int is_json(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".json");
}

static void load_directory(struct records *to, const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_json, alphasort);

	if (n < 0)
		base_refuse("%s: %m", path);
	for (int i = 0; i < n; i++) {
		char *file;
		const char *bad;

		if (asprintf(&file, "%s/%s", path, entries[i]->d_name) < 0)
			base_fail("%s: %m", path);
		bad = load_file(to, file);
		if (bad)
			base_note("%s is skipped: it is not a result: %s", file, bad);
		free(file);
		free(entries[i]);
	}
	free(entries);
	if (!to->n)
		base_refuse(
			"%s: it contains no results; 'dvperf … --json >%s/NAME.json' makes one",
			path, path);
}

void records_load(struct records *r, const char *path)
{
	struct stat st;
	const char *bad;

	*r = (struct records){ 0 };
	if (stat(path, &st))
		base_refuse("%s: %m", path);
	if (S_ISDIR(st.st_mode)) {
		load_directory(r, path);
		return;
	}
	bad = load_file(r, path);
	if (bad)
		base_refuse("%s is not a result: %s", path, bad);
}

void records_free(struct records *r)
{
	for (size_t i = 0; i < r->n; i++) {
		json_object_put(r->list[i].all);
		free(r->list[i].name);
	}
	free(r->list);
	*r = (struct records){ 0 };
}

/* ---- rows ---- */

size_t record_rows(const struct record *r)
{
	return json_object_array_length(r->rows);
}

struct json_object *record_row(const struct record *r, size_t i)
{
	return json_object_array_get_idx(r->rows, i);
}

double row_metric(struct json_object *row, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(json_object_object_get(row, "metrics"), name, &value);
	return value ? json_object_get_double(value) : NAN;
}

const char *row_option(struct json_object *row, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(json_object_object_get(row, "options"), name, &value);
	return value ? json_object_get_string(value) : "";
}

bool row_has(const struct record *r, size_t i, const char *metric)
{
	return isfinite(row_metric(record_row(r, i), metric));
}

/* Whether the values of an option are words that say by themselves what they are of. */
static bool speaks(const char *name)
{
	static const char *const names[] = { "mode", "op", "api", "layout", "connection" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char *row_words(struct json_object *row, const char *const *names, size_t n, char *buf,
		      size_t size)
{
	size_t at = 0;

	buf[0] = 0;
	for (size_t k = 0; k < n && at < size; k++) {
		struct json_object *value = json_object_object_get(
			json_object_object_get(row, "options"), names[k]);

		at += (size_t)snprintf(buf + at, size - at, "%s%s%s%s", k ? ", " : "",
				       speaks(names[k]) ? "" : names[k],
				       speaks(names[k]) ? "" : " ",
				       value ? json_object_get_string(value) : "-");
	}
	return buf;
}

void record_reasons(const struct record *r, struct json_object *to)
{
	for (size_t i = 0; i < record_rows(r); i++) {
		struct json_object *reasons =
			json_object_object_get(record_row(r, i), "not_trusted");

		for (size_t k = 0; k < json_object_array_length(reasons); k++)
			json_object_object_add(
				to,
				json_object_get_string(json_object_array_get_idx(reasons, k)),
				json_object_new_boolean(1));
	}
}

/* ---- environments ---- */

static void each_of(struct json_object *object, const char *prefix,
		    void (*each)(const char *name, const char *value, void *arg), void *arg)
{
	char *path;

	json_object_object_foreach(object, name, value)
	{
		if (asprintf(&path, "%s%s%s", prefix, *prefix ? "." : "", name) < 0)
			base_fail("%m");
		if (json_object_is_type(value, json_type_object))
			each_of(value, path, each, arg);
		else
			each(path, value ? json_object_get_string(value) : "", arg);
		free(path);
	}
}

void environment_each(struct json_object *environment,
		      void (*each)(const char *name, const char *value, void *arg), void *arg)
{
	if (environment)
		each_of(environment, "", each, arg);
}

struct pair {
	struct json_object *values, *to; /* "name": "value" of the first one */
};

static void remember(const char *name, const char *value, void *arg)
{
	struct pair *p = (struct pair *)arg;

	json_object_object_add(p->values, name, json_object_new_string(value));
}

/* Clocks are measured again by every run, and others take huge pages, too. */
static bool is_same(const char *name, const char *a, const char *b)
{
	static const char *const drifting[] = { "load", "core_cycles_per_tick", "date",
						"memory.huge_" };

	for (size_t i = 0; i < sizeof(drifting) / sizeof(*drifting); i++)
		if (!strncmp(name, drifting[i], strlen(drifting[i])))
			return true;
	if (!strcmp(name, "tsc_ghz"))
		return fabs(strtod(a, NULL) / strtod(b, NULL) - 1) < 0.01;
	return !strcmp(a, b);
}

static void add_difference(struct json_object *to, const char *name, const char *a,
			   const char *b)
{
	char *line;

	if (asprintf(&line, "%s: %s | %s", name, a, b) < 0)
		base_fail("%m");
	json_object_object_add(to, line, json_object_new_boolean(1));
	free(line);
}

static void look_up(const char *name, const char *value, void *arg)
{
	struct pair *p = (struct pair *)arg;
	struct json_object *old = NULL;

	json_object_object_get_ex(p->values, name, &old);
	if (!is_same(name, old ? json_object_get_string(old) : "-", value))
		add_difference(p->to, name, old ? json_object_get_string(old) : "-", value);
	json_object_object_del(p->values, name);
}

void environment_differences(const struct record *a, const struct record *b,
			     struct json_object *to)
{
	struct pair p = { json_object_new_object(), to };

	environment_each(a->environment, remember, &p);
	environment_each(b->environment, look_up, &p);
	json_object_object_foreach(p.values, name, value)
	{
		if (!is_same(name, json_object_get_string(value), "-"))
			add_difference(to, name, json_object_get_string(value), "-");
	}
	json_object_put(p.values);
	if (strcmp(text_or_null(a->all, "dvperf"), text_or_null(b->all, "dvperf")))
		add_difference(to, "dvperf", text_or_null(a->all, "dvperf"),
			       text_or_null(b->all, "dvperf"));
}
