/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvperf report DIR: one page of all results in a directory.
 *
 *	DIR/a.json (many rows) -----------> a section
 *	DIR/b.json (one row)   --.
 *	DIR/c.json (one row)   --+--------> a section, if they come from the same environment:
 *	                                    together they may be a line
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "page.h"
#include "report.h"

struct request {
	const char *dir, *output;
};

/* ---- single rows, together ---- */

static bool is_single(const struct record *r)
{
	return record_rows(r) == 1 && !r->preset;
}

static bool is_like(const struct record *a, const struct record *b)
{
	struct json_object *differences = json_object_new_object();
	bool like;

	environment_differences(a, b, differences);
	like = !json_object_object_length(differences);
	json_object_put(differences);
	return like;
}

/* A record of the rows of all single ones from @first on that are like it; @done marks them. */
static struct record gather(const struct records *all, size_t first, bool *done)
{
	const struct record *f = &all->list[first];
	struct record r = { .environment = f->environment, .all = json_object_new_object() };
	char *longer;

	r.rows = json_object_new_array();
	json_object_object_add(r.all, "rows", r.rows);
	r.name = base_made(strdup(""));
	for (size_t i = first; i < all->n; i++) {
		const struct record *other = &all->list[i];

		if (done[i] || !is_single(other) || !is_like(f, other))
			continue;
		done[i] = true;
		json_object_array_add(r.rows, json_object_get(record_row(other, 0)));
		if (asprintf(&longer, "%s%s%s", r.name, *r.name ? ", " : "", other->name) < 0)
			base_fail("%m");
		free(r.name);
		r.name = longer;
	}
	return r;
}

/* ---- the page ---- */

struct sections {
	struct record *list;
	bool *gathered; /* its text and its rows were made for the section */
	size_t n;
};

static struct sections sections_of(const struct records *all)
{
	struct sections s = { base_made(calloc(all->n, sizeof(*s.list))),
			      base_made(calloc(all->n, sizeof(bool))), 0 };
	bool *done = base_made(calloc(all->n, sizeof(bool)));

	for (size_t i = 0; i < all->n; i++) {
		if (done[i])
			continue;
		s.gathered[s.n] = is_single(&all->list[i]);
		s.list[s.n] = s.gathered[s.n] ? gather(all, i, done) : all->list[i];
		s.n++;
	}
	free(done);
	return s;
}

static void sections_free(struct sections *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->gathered[i])
			continue;
		json_object_put(s->list[i].all);
		free(s->list[i].name);
	}
	free(s->list);
	free(s->gathered);
}

static bool write_page(FILE *out, const struct records *all, const char *title)
{
	struct sections s = sections_of(all);
	bool drawn = true;

	page_begin(out, title);
	page_contents(out, s.list, s.n);
	for (size_t i = 0; i < s.n; i++)
		drawn &= page_section(out, &s.list[i], i + 1);
	page_end(out);
	sections_free(&s);
	return drawn;
}

/* The page is complete before its file is touched. */
static void save(const char *path, const char *page, size_t size)
{
	bool to_stdout = !strcmp(path, "-");
	FILE *f = to_stdout ? stdout : fopen(path, "we");

	if (!f)
		base_fail("%s: %m", path);
	if (fwrite(page, 1, size, f) != size || (to_stdout ? fflush(f) : fclose(f)))
		base_fail("%s: %m", path);
	if (!to_stdout)
		printf("%s\n", path);
}

/* "." and ".." are no names of a page. */
static const char *folder_of(const char *dir)
{
	static char path[PATH_MAX];
	const char *last;

	if (!realpath(dir, path))
		return dir;
	last = strrchr(path, '/');
	return last[1] ? last + 1 : path;
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct request *q = state->input;

	if (key == 'o') {
		q->output = arg;
	} else if (key == ARGP_KEY_ARG) {
		if (q->dir)
			base_refuse("report: one directory only: '%s' is a second one", arg);
		q->dir = arg;
	} else if (key == ARGP_KEY_END && !q->dir) {
		base_refuse(
			"report: which directory? 'dvperf report DIR' reads the .json files in it");
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option table[] = {
	{ "output", 'o', "FILE", 0, "the page (DIR/report.html); - is standard output", 0 },
	{ 0 },
};

int report_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = table,
		.parser = take,
		.args_doc = "DIR",
		.doc = "Writes one self-contained HTML page of all results (--json) in DIR: "
		       "figures, what they say, tables, environment. Exit status 1: a figure "
		       "could not be drawn, the page says where."
	};
	struct request q = { 0 };
	struct records all;
	char *path = NULL, *page = NULL, *title;
	size_t size = 0;
	FILE *out;
	bool drawn;

	argp_parse(&argp, argc, argv, 0, NULL, &q);
	records_load(&all, q.dir);
	if (asprintf(&path, "%s/report.html", q.dir) < 0 ||
	    asprintf(&title, "dvperf: %s", folder_of(q.dir)) < 0)
		base_fail("%m");
	out = base_made(open_memstream(&page, &size));
	drawn = write_page(out, &all, title);
	if (fclose(out))
		base_fail("the page: %m");
	save(q.output ? q.output : path, page, size);
	records_free(&all);
	free(page);
	free(path);
	free(title);
	return drawn ? 0 : DVPERF_FAILED;
}
