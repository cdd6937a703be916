/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvperf compare A B: the subcommand.
 *
 *	batch 8, direct
 *	  mops            1.234      1.456 M/s           B/A 1.180  (1.100 to 1.270)  more  p 0.008, effect +1.00
 *	  lat_50           2.10       2.00 µs            B/A 0.952  (no spread)
 *	  post_instr         20         19 instructions  B/A 0.950  less
 *	NOT A FAIR COMPARISON: cpu: this | that
 */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "prm/visible.h"
#include "chart.h"
#include "compare.h"
#include "report.h"
#include "text.h"

struct request {
	const char *paths[2];
	struct ignored skip;
	bool metrics[METRICS], some_metrics, json;
};

/* Worth a line, when no --metric asks for others. */
static const enum metric main_ones[] = {
	METRIC_MOPS,	    METRIC_CYCLES,     METRIC_DOORBELLS,   METRIC_LAT_MIN,
	METRIC_LAT_50,	    METRIC_LAT_99,     METRIC_LAT_999,	   METRIC_POST_INSTR,
	METRIC_POST_CYCLES, METRIC_POLL_INSTR, METRIC_POLL_CYCLES, METRIC_OP_INSTR
};

static bool is_shown(const struct request *q, const struct match *m, enum metric k)
{
	return q->metrics[k] && !isnan(m->values[0][k].median) &&
	       !isnan(m->values[1][k].median);
}

/* ---- text ---- */

/* One line whatever is in it; what the terminal would take as a command is left out. */
static void put_plain(const char *text)
{
	char safe[2048];

	fputs(prm_visible(safe, sizeof(safe), text), stdout);
}

static void put_ratio(struct ratio r)
{
	if (isnan(r.b_to_a))
		printf("-");
	else if (isnan(r.low))
		printf("%.3f  (no spread)", r.b_to_a);
	else if (isinf(r.high))
		printf("%.3f  (the repeats of A differ too much)  %s", r.b_to_a,
		       compare_verdict(r));
	else if (r.low == r.high)
		printf("%.3f  %s", r.b_to_a, compare_verdict(r));
	else
		printf("%.3f  (%.3f to %.3f)  %s", r.b_to_a, r.low, r.high, compare_verdict(r));
}

/* Mann-Whitney and Cliff's delta, where both sides have several values. */
static void put_test(const struct match *m, enum metric k)
{
	if (!isnan(m->tests[k].p))
		printf("  p %.2g, effect %+.2f (%u, %u values)", m->tests[k].p,
		       m->tests[k].delta, m->n[0][k], m->n[1][k]);
	printf("\n");
}

/* Whether there was a ratio without a spread. */
static bool put_line(const struct match *m, enum metric k)
{
	struct ratio r = compare_ratio(m->values[0][k], m->values[1][k]);
	char a[32], b[32];

	printf("  %-17s %10s %10s %-12s  B/A ", metric_name(k),
	       text_number(m->values[0][k].median, a, sizeof(a)),
	       text_number(m->values[1][k].median, b, sizeof(b)), metric_unit(k));
	put_ratio(r);
	put_test(m, k);
	return !isnan(r.b_to_a) && isnan(r.low);
}

/* The rows as one record, to know which options tell them apart. */
static struct json_object *matched_rows(const struct comparison *c)
{
	struct json_object *rows = json_object_new_array();

	for (size_t i = 0; i < c->n; i++)
		json_object_array_add(rows, json_object_get(c->list[i].a));
	return rows;
}

static void put_title(const struct match *m, const struct axes *a)
{
	static const char *const plain[] = { "mode", "op", "api", "size", "batch" };
	const char *names[MAX_NAMES];
	char words[512];
	size_t n = 0;

	if (a->x)
		names[n++] = a->x;
	for (size_t k = 0; k < a->n_told; k++)
		names[n++] = a->told[k];
	put_plain(n ? row_words(m->a, names, n, words, sizeof(words))
		    : row_words(m->a, plain, 5, words, sizeof(words)));
	putchar('\n');
}

static void put_set(const char *what, struct json_object *set)
{
	json_object_object_foreach(set, text, value)
	{
		(void)value;
		fputs(what, stdout);
		put_plain(text);
		putchar('\n');
	}
}

static void show_text(const struct request *q, const struct comparison *c)
{
	struct record matched = { .rows = matched_rows(c) };
	bool without_spread = false;
	struct axes axes;

	axes_find(&axes, &matched);
	printf("%-19s %10s %10s\n", "", "A", "B");
	for (size_t i = 0; i < c->n; i++) {
		put_title(&c->list[i], &axes);
		for (int k = 0; k < METRICS; k++)
			if (is_shown(q, &c->list[i], (enum metric)k))
				without_spread |= put_line(&c->list[i], (enum metric)k);
	}
	json_object_put(matched.rows);
	if (without_spread)
		printf("no spread: a result keeps its repeats of the rate, of cycles and of lat's "
		       "latencies only; several results of a kind in a directory have one of "
		       "every metric\n");
	if (c->only_a || c->only_b)
		printf("without a match: %zu of A, %zu of B\n", c->only_a, c->only_b);
	put_set("NOT A FAIR COMPARISON: ", c->unfair);
	put_set("NOT TO BE TRUSTED (A): ", c->doubts[0]);
	put_set("NOT TO BE TRUSTED (B): ", c->doubts[1]);
}

/* ---- JSON ---- */

static struct json_object *names_of(struct json_object *set)
{
	struct json_object *names = json_object_new_array();

	json_object_object_foreach(set, text, value)
	{
		(void)value;
		json_object_array_add(names, json_object_new_string(text));
	}
	return names;
}

static void add_number(struct json_object *to, const char *name, double value)
{
	if (isfinite(value))
		json_object_object_add(to, name, json_object_new_double(value));
}

static struct json_object *metric_json(const struct match *m, enum metric k)
{
	struct ratio r = compare_ratio(m->values[0][k], m->values[1][k]);
	struct json_object *j = json_object_new_object();

	json_object_object_add(j, "unit", json_object_new_string(metric_unit(k)));
	add_number(j, "a", m->values[0][k].median);
	add_number(j, "b", m->values[1][k].median);
	add_number(j, "ratio", r.b_to_a);
	add_number(j, "ratio_min", r.low);
	add_number(j, "ratio_max", r.high);
	json_object_object_add(j, "values_a", json_object_new_int64(m->n[0][k]));
	json_object_object_add(j, "values_b", json_object_new_int64(m->n[1][k]));
	add_number(j, "p", m->tests[k].p);
	add_number(j, "effect", m->tests[k].delta);
	json_object_object_add(
		j, "verdict",
		json_object_new_string(isnan(r.low) ? "no spread" : compare_verdict(r)));
	return j;
}

static void show_json(const struct request *q, const struct comparison *c)
{
	struct json_object *all = json_object_new_object(), *rows = json_object_new_array();

	for (size_t i = 0; i < c->n; i++) {
		struct json_object *row = json_object_new_object();
		struct json_object *metrics = json_object_new_object();

		for (int k = 0; k < METRICS; k++)
			if (is_shown(q, &c->list[i], (enum metric)k))
				json_object_object_add(
					metrics, metric_name((enum metric)k),
					metric_json(&c->list[i], (enum metric)k));
		json_object_object_add(
			row, "options",
			json_object_get(json_object_object_get(c->list[i].a, "options")));
		json_object_object_add(row, "metrics", metrics);
		json_object_array_add(rows, row);
	}
	json_object_object_add(all, "a", json_object_new_string(q->paths[0]));
	json_object_object_add(all, "b", json_object_new_string(q->paths[1]));
	json_object_object_add(all, "fair",
			       json_object_new_boolean(!json_object_object_length(c->unfair)));
	json_object_object_add(all, "differences", names_of(c->unfair));
	json_object_object_add(all, "not_trusted_a", names_of(c->doubts[0]));
	json_object_object_add(all, "not_trusted_b", names_of(c->doubts[1]));
	json_object_object_add(all, "only_a", json_object_new_int64((int64_t)c->only_a));
	json_object_object_add(all, "only_b", json_object_new_int64((int64_t)c->only_b));
	json_object_object_add(all, "rows", rows);
	puts(json_object_to_json_string_ext(all,
					    JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(all);
}

/* ---- the subcommand ---- */

static void take_metrics(struct request *q, char *list)
{
	char *name;

	if (!strcmp(list, "list") || !strcmp(list, "help")) {
		metric_list(stdout);
		exit(0);
	}
	while ((name = strsep(&list, ","))) {
		if (metric_find(name) == METRICS)
			base_refuse("compare: %s", metric_unknown(name));
		q->metrics[metric_find(name)] = true;
		q->some_metrics = true;
	}
}

static void take_ignored(struct request *q, char *list)
{
	char *name;

	while ((name = strsep(&list, ","))) {
		if (!*name)
			base_refuse("compare: --ignore: an empty name");
		if (q->skip.n == MAX_IGNORED)
			base_refuse("compare: --ignore takes up to %d names", MAX_IGNORED);
		q->skip.names[q->skip.n++] = name;
	}
}

static error_t take(int key, char *arg, struct argp_state *state)
{
	struct request *q = state->input;

	switch (key) {
	case 'j':
		q->json = true;
		return 0;
	case 'm':
		take_metrics(q, arg);
		return 0;
	case 'i':
		take_ignored(q, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 2)
			base_refuse("compare: two results only: '%s' is a third one", arg);
		q->paths[state->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!q->paths[1])
			base_refuse(
				"compare: which two? 'dvperf compare A B', files or directories of "
				"results");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option table[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ "metric", 'm', "NAME,…", 0, "these metrics only; list lists them", 0 },
	{ "ignore", 'i', "NAME,…", 0,
	  "rows match although these options differ (api: direct against verbs)", 0 },
	{ 0 },
};

/* Why nothing matches: the first option in which the first rows differ. */
static _Noreturn void refuse_without_match(const struct request *q, const struct records *a,
					   const struct records *b)
{
	struct json_object *one = record_row(&a->list[0], 0);
	struct json_object *other = record_row(&b->list[0], 0);

	json_object_object_foreach(json_object_object_get(one, "options"), name, value)
	{
		(void)value;
		if (!compare_skips(&q->skip, name) &&
		    strcmp(row_option(one, name), row_option(other, name)))
			base_refuse(
				"compare: no row of A matches one of B: the first ones differ in "
				"%s (%s, %s); see --ignore",
				name, row_option(one, name), row_option(other, name));
	}
	base_refuse("compare: no row of A matches one of B: their options have other names");
}

int compare_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = table,
		.parser = take,
		.args_doc = "A B",
		.doc = "Compares results (--json), files or directories, row by row: B's value over "
		       "A's, with what both spread over. What makes the comparison unfair is said."
	};
	struct request q = { 0 };
	struct records a, b;
	struct comparison c;

	argp_parse(&argp, argc, argv, 0, NULL, &q);
	for (size_t i = 0; !q.some_metrics && i < sizeof(main_ones) / sizeof(*main_ones); i++)
		q.metrics[main_ones[i]] = true;
	records_load(&a, q.paths[0]);
	records_load(&b, q.paths[1]);
	compare_make(&c, &a, &b, &q.skip);
	if (!c.n)
		refuse_without_match(&q, &a, &b);
	if (q.json)
		show_json(&q, &c);
	else
		show_text(&q, &c);
	compare_free(&c);
	records_free(&a);
	records_free(&b);
	if (fflush(stdout) || ferror(stdout))
		base_fail("standard output: %m");
	return 0;
}
