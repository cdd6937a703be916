/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of all ranks, their spread and their sum, as a table and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "result/result.h"
#include "pattern.h"
#include "pattern_table.h"

static const struct column {
	const char *title;
	enum metric m;
	int width, digits;
	bool adds; /* has a sum */
} columns[] = {
	{ "Mops", METRIC_MOPS, 9, 4, true },
	{ "Gb/s", METRIC_GBPS, 9, 4, true },
	{ "received", METRIC_RECV_MOPS, 9, 4, true },
	{ "ops", METRIC_OPS, 10, 0, true },
	{ "WQEs", METRIC_WQES, 10, 0, true },
	{ "CQEs", METRIC_ALL_CQES, 10, 0, true },
	{ "doorbells", METRIC_ALL_DOORBELLS, 10, 0, true },
	{ "p50 us", METRIC_LAT_50, 9, 1, false },
	{ "p99 us", METRIC_LAT_99, 9, 1, false },
};

enum { COLUMNS = ARRAY_SIZE(columns) };

/* ---- numbers ---- */

struct spread {
	double least, middle, most;
};

/* The spread over the ranks that post, or that are posted to. */
static struct spread spread_of(struct json_object *rows, enum metric m)
{
	size_t n = json_object_array_length(rows);
	double *values = base_made(calloc(n, sizeof(*values))), middle;
	struct spread s = { NAN, NAN, NAN };
	enum metric of = m == METRIC_RECV_MOPS ? m : METRIC_MOPS;
	unsigned int have = 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (!isnan(row_metric(row, metric_name(of))))
			values[have++] = row_metric(row, metric_name(m));
	}
	if (have) {
		middle = median(values, have); /* and they are sorted now */
		s = (struct spread){ values[0], middle, values[have - 1] };
	}
	free(values);
	return s;
}

static double sum_of(struct json_object *rows, enum metric m)
{
	double sum = 0, value;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		value = row_metric(json_object_array_get_idx(rows, i), metric_name(m));
		sum += isnan(value) ? 0 : value;
	}
	return sum;
}

/* ---- JSON ---- */

static void add(struct json_object *to, const char *name, double value)
{
	if (!isnan(value))
		json_object_object_add(to, name, json_object_new_double(value));
}

static void add_sums(struct json_object *all, struct json_object *rows)
{
	struct json_object *sum = json_object_new_object();
	struct json_object *spread = json_object_new_object(), *one;

	for (int c = 0; c < COLUMNS; c++) {
		const char *name = metric_name(columns[c].m);
		struct spread s = spread_of(rows, columns[c].m);

		if (columns[c].adds)
			add(sum, name, sum_of(rows, columns[c].m));
		one = json_object_new_object();
		add(one, "min", s.least);
		add(one, "median", s.middle);
		add(one, "max", s.most);
		json_object_object_add(spread, name, one);
	}
	json_object_object_add(all, "spread", spread);
	json_object_object_add(all, "sum", sum);
}

/* ---- the table ---- */

static void cell(const struct column *c, double value)
{
	struct table_value text;

	printf(" %*s", c->width, table_value(&text, c->width, c->digits, value));
}

/* The rank it posts to, "all" of several, "-" where it only receives. */
static void destination(char *text, size_t size, enum pattern pattern, unsigned int rank)
{
	if (!pattern_posts(pattern, rank))
		snprintf(text, size, "-");
	else if (pattern == PATTERN_ALL_TO_ALL)
		snprintf(text, size, "all");
	else
		snprintf(text, size, "%u", pattern == PATTERN_PAIRS ? rank + 1 : 0);
}

static void print_header(const struct options *o, unsigned int n)
{
	printf("%s of %u ranks: %s, %s, %u bytes, batch %u, %u QP%s per flow, %d thread%s\n",
	       pattern_word(o->pattern), n, op_word(o->op), api_word(o->api), o->size, o->batch,
	       o->qps, o->qps > 1 ? "s" : "", o->threads, o->threads > 1 ? "s" : "");
	printf("%6s %4s", "rank", "to");
	for (int c = 0; c < COLUMNS; c++)
		printf(" %*s", columns[c].width, columns[c].title);
	printf("\n");
}

static void print_ranks(const struct options *o, struct json_object *rows)
{
	char to[16];

	for (unsigned int i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		destination(to, sizeof(to), o->pattern, i);
		printf("%6u %4s", i, to);
		for (int c = 0; c < COLUMNS; c++)
			cell(&columns[c], row_metric(row, metric_name(columns[c].m)));
		printf("\n");
	}
}

static void print_spread(struct json_object *rows)
{
	struct spread of[COLUMNS];
	static const char *const names[] = { "min", "median", "max" };

	for (int c = 0; c < COLUMNS; c++)
		of[c] = spread_of(rows, columns[c].m);
	for (int k = 0; k < 3; k++) {
		printf("%6s %4s", names[k], "");
		for (int c = 0; c < COLUMNS; c++)
			cell(&columns[c], k == 0   ? of[c].least
					  : k == 1 ? of[c].middle
						   : of[c].most);
		printf("\n");
	}
}

static void print_sum(struct json_object *rows)
{
	printf("%6s %4s", "sum", "");
	for (int c = 0; c < COLUMNS; c++)
		cell(&columns[c], columns[c].adds ? sum_of(rows, columns[c].m) : NAN);
	printf("\n");
}

void pattern_table(const struct report *own, const struct options *o, char **rows,
		   unsigned int n)
{
	struct json_object *list = json_object_new_array();
	struct report rep = { .o = o, .all = json_object_new_object(), .rows = list };

	for (unsigned int i = 0; i < n; i++) {
		json_object_array_add(list, json_tokener_parse(rows[i]));
		free(rows[i]);
	}
	free(rows);
	json_object_object_foreach(own->all, name, value)
	{
		if (value != own->rows)
			json_object_object_add(rep.all, name, json_object_get(value));
	}
	add_sums(rep.all, list);
	if (!o->json) {
		print_header(o, n);
		print_ranks(o, list);
		print_spread(list);
		print_sum(list);
	}
	report_end(&rep);
}
