/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table. Its columns are those of the mode that are narrow enough together, all of the mode
 * (--columns=all), or the metrics that were chosen.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "table.h"

struct column {
	const char *title;
	enum metric m;
	int width, digits; /* digits -1: five significant ones */
	bool narrow;	   /* it is in the table by default */
};

enum { MORE_WIDTH = 9 };

static const struct column bw_columns[] = {
	{ "Mops", METRIC_MOPS, 8, 3, true },	     { "+-%", METRIC_INTERVAL, 5, 1, true },
	{ "min", METRIC_MOPS_MIN, 8, 3, false },     { "max", METRIC_MOPS_MAX, 8, 3, false },
	{ "Gb/s", METRIC_GBPS, 8, 3, true },	     { "cyc/op", METRIC_CYCLES, 8, 0, true },
	{ "ins/op", METRIC_INSTR, 8, 1, false },     { "db/op", METRIC_DOORBELLS, 6, 3, true },
	{ "BB/op", METRIC_WQEBBS, 6, 2, false },     { "CQE/op", METRIC_CQES, 6, 3, false },
	{ "poll/op", METRIC_POLLS, 7, 3, false },    { "stalls", METRIC_STALLS, 6, 2, false },
	{ "PCIe B", METRIC_PCIE_DOWN, 8, 1, false }, { "p50 us", METRIC_LAT_50, 8, 1, true },
	{ "p99 us", METRIC_LAT_99, 8, 1, true },     { 0 },
};
static const struct column lat_columns[] = {
	{ "t_min us", METRIC_LAT_MIN, 9, 2, true },
	{ "t_typical", METRIC_LAT_50, 9, 2, true },
	{ "+-%", METRIC_INTERVAL, 5, 1, true },
	{ "t_avg", METRIC_LAT_MEAN, 9, 2, true },
	{ "p90", METRIC_LAT_90, 8, 2, true },
	{ "p99", METRIC_LAT_99, 8, 2, true },
	{ "p99.9", METRIC_LAT_999, 8, 2, true },
	{ "t_max", METRIC_LAT_MAX, 8, 2, true },
	{ "samples", METRIC_SAMPLES, 9, 0, false },
	{ "stdev", METRIC_LAT_STDEV, 9, 2, false },
	{ 0 },
};
static const struct column post_columns[] = {
	{ "instr/WQE", METRIC_POST_INSTR, 9, 1, true },
	{ "cyc/WQE", METRIC_POST_CYCLES, 8, 1, true },
	{ "+-%", METRIC_INTERVAL, 5, 1, true },
	{ "instr/CQE", METRIC_POLL_INSTR, 9, 1, true },
	{ "cyc/CQE", METRIC_POLL_CYCLES, 8, 1, true },
	{ "instr/op", METRIC_OP_INSTR, 9, 1, false },
	{ "BB/op", METRIC_WQEBBS, 6, 2, false },
	{ "cyc/op", METRIC_OP_CYCLES, 8, 1, true },
	{ "db/op", METRIC_DOORBELLS, 6, 3, false },
	{ "PCIe B", METRIC_PCIE_DOWN, 8, 1, false },
	{ "H(model)", METRIC_HEADROOM, 8, 2, false },
	{ 0 },
};

static const struct column *columns_of(enum mode mode)
{
	return mode == MODE_BW ? bw_columns : mode == MODE_LAT ? lat_columns : post_columns;
}

/* ---- which ---- */

const char *result_check_columns(const char *list)
{
	char *copy, *rest, *name;
	const char *bad = NULL;

	if (!list || !strcmp(list, "all") || !strcmp(list, "help"))
		return NULL;
	copy = rest = base_made(strdup(list));
	while (!bad && (name = strsep(&rest, ",")))
		if (metric_find(name) == METRICS)
			bad = metric_unknown(name);
	free(copy);
	return bad;
}

/* A metric as a column of this mode's table, or one made from its name. */
static struct column column_of(enum mode mode, enum metric m)
{
	struct column made = { metric_name(m), m, (int)strlen(metric_name(m)), -1, false };

	for (const struct column *c = columns_of(mode); c->title; c++)
		if (c->m == m)
			return *c;
	made.width = made.width < MORE_WIDTH ? MORE_WIDTH : made.width;
	return made;
}

/* Fills in @to; how many. */
static unsigned int choose(const struct options *o, const char *list, struct column *to)
{
	char *copy, *rest, *name;
	unsigned int n = 0;

	if (!list || !strcmp(list, "all")) {
		for (const struct column *c = columns_of(o->mode); c->title; c++)
			if (list || c->narrow)
				to[n++] = *c;
		return n;
	}
	copy = rest = base_made(strdup(list));
	while (n < METRICS && (name = strsep(&rest, ",")))
		to[n++] = column_of(o->mode, metric_find(name));
	free(copy);
	return n;
}

/* ---- text ---- */

const char *table_value(struct table_value *to, int width, int digits, double v)
{
	char *text = to->text;

	if (isnan(v)) {
		snprintf(text, sizeof(to->text), "-");
		return text;
	}
	if (digits < 0) {
		snprintf(text, sizeof(to->text), "%.5g", v);
		return text;
	}
	if (digits >= 3 && v > 0 && v < 0.1)
		digits = 2 - (int)floor(log10(v));
	while (snprintf(text, sizeof(to->text), "%.*f", digits, v) > width && digits > 0)
		digits--;
	return text;
}

static void put_value(const struct column *c, double v)
{
	struct table_value value;

	printf(" %*s", c->width, table_value(&value, c->width, c->digits, v));
}

/* With -C latencies are in ticks. */
static bool in_ticks(const struct result *r, enum metric m)
{
	return r->o.mode == MODE_LAT && r->o.in_cycles && m >= METRIC_LAT_MIN &&
	       m <= METRIC_LAT_STDEV;
}

void table_header(const struct report *rep, const struct result *r)
{
	struct column columns[METRICS];
	unsigned int n = choose(&r->o, rep->o->columns, columns);

	if (rep->header)
		printf("\n");
	printf("%-9s %-6s %8s", "op", "api", "bytes");
	if (r->o.mode != MODE_LAT)
		printf(" %5s %4s %3s", "batch", "QPs", "thr");
	for (unsigned int i = 0; i < n; i++)
		printf(" %*s", columns[i].width,
		       in_ticks(r, columns[i].m) && columns[i].m == METRIC_LAT_MIN
			       ? "t_min tsc"
			       : columns[i].title);
	printf("\n");
}

/* Options that differ between the rows of a sweep and have no column in the table. */
static void print_axes(const struct report *rep, struct json_object *row)
{
	static const char *const columns[] = { "op", "api",	"size", "batch",
					       "qp", "threads", "mode" };
	const size_t n = ARRAY_SIZE(columns);
	size_t k;

	for (int i = 0; rep->axes && rep->axes[i]; i++) {
		for (k = 0; k < n && strcmp(columns[k], rep->axes[i]); k++)
			;
		if (k == n)
			printf("  %s=%s", rep->axes[i],
			       json_object_get_string(json_object_object_get(
				       json_object_object_get(row, "options"), rep->axes[i])));
	}
	printf("\n");
}

void table_row(const struct report *rep, const struct result *r, struct json_object *row)
{
	struct column columns[METRICS];
	unsigned int n = choose(&r->o, rep->o->columns, columns);
	char batch[16];

	snprintf(batch, sizeof(batch), "%u", r->o.batch);
	printf("%-9s %-6s %8u", op_word(r->o.op), api_word(r->o.api), r->o.size);
	if (r->o.mode != MODE_LAT)
		printf(" %5s %4u %3d", r->o.adaptive ? "adapt" : batch, r->o.qps, r->o.threads);
	for (unsigned int i = 0; i < n; i++) {
		double v = r->m[columns[i].m];

		if (in_ticks(r, columns[i].m)) {
			columns[i].digits = 0;
			v *= clock_rate() / 1e6;
		}
		put_value(&columns[i], v);
	}
	print_axes(rep, row);
}
