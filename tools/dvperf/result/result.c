/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of runs: filled in from counts and samples; printed as a table, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "perftest.h"

#define RESULT_WORD(name, word, what) word,
static const char *const words[METRICS] = { RESULT_METRICS(RESULT_WORD) };

const char *metric_name(enum metric m)
{
	return words[m];
}

enum metric metric_find(const char *name)
{
	int m = 0;

	while (m < METRICS && strcmp(words[m], name))
		m++;
	return (enum metric)m;
}

struct result result_new(const struct options *o)
{
	struct result r = { .o = *o };

	for (int i = 0; i < METRICS; i++)
		r.m[i] = NAN;
	return r;
}

void result_distrust(struct result *r, const char *reason)
{
	for (unsigned int i = 0; i < r->n_reasons; i++)
		if (!strcmp(r->reasons[i], reason))
			return;
	if (r->n_reasons < MAX_REASONS)
		r->reasons[r->n_reasons++] = reason;
}

void counts_add(struct counts *to, const struct counts *from)
{
	to->ops += from->ops;
	to->wqes += from->wqes;
	to->blocks += from->blocks;
	to->doorbells += from->doorbells;
	to->cqes += from->cqes;
	to->recv_cqes += from->recv_cqes;
	to->polls += from->polls;
	to->empty_polls += from->empty_polls;
	to->batches += from->batches;
	to->full += from->full;
}

void result_counts(struct result *r, const struct counts *c, uint64_t ops)
{
	double n = (double)ops;

	r->m[METRIC_OPS] = n;
	r->m[METRIC_WQES] = (double)c->wqes;
	r->m[METRIC_ALL_CQES] = (double)(c->cqes + c->recv_cqes);
	r->m[METRIC_ALL_DOORBELLS] = (double)c->doorbells;
	if (!ops)
		return;
	r->m[METRIC_DOORBELLS] = (double)c->doorbells / n;
	r->m[METRIC_WQEBBS] = (double)c->blocks / n;
	r->m[METRIC_CQES] = (double)c->cqes / n;
	r->m[METRIC_POLLS] = (double)c->polls / n;
	r->m[METRIC_EMPTY] = c->polls ? (double)c->empty_polls / (double)c->polls : 0;
	r->m[METRIC_BATCH] = c->doorbells ? n / (double)c->doorbells : NAN;
	r->m[METRIC_STALLS] = (double)c->full / (double)(c->full + c->batches);
}

void result_latency(struct result *r, const struct histogram *h, double ticks_per_second)
{
	static const struct {
		enum metric m;
		double percent;
	} rows[] = { { METRIC_LAT_50, 50 },
		     { METRIC_LAT_90, 90 },
		     { METRIC_LAT_99, 99 },
		     { METRIC_LAT_999, 99.9 } };
	double us = 1e6 / ticks_per_second;

	if (!h->count)
		return;
	r->m[METRIC_SAMPLES] = (double)h->count;
	r->m[METRIC_LAT_MIN] = (double)h->least * us;
	r->m[METRIC_LAT_MAX] = (double)h->most * us;
	r->m[METRIC_LAT_MEAN] = h->sum / (double)h->count * us;
	r->m[METRIC_LAT_STDEV] = histogram_deviation(h) * us;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		r->m[rows[i].m] = (double)histogram_percentile(h, rows[i].percent) * us;
}

/* ---- JSON ---- */

static struct json_object *row_json(struct result *r)
{
	struct json_object *row = json_object_new_object();
	struct json_object *metrics = json_object_new_object();
	struct json_object *reasons = json_object_new_array();

	for (int i = 0; i < METRICS; i++)
		if (!isnan(r->m[i]))
			json_object_object_add(metrics, words[i],
					       json_object_new_double(r->m[i]));
	for (unsigned int i = 0; i < r->n_reasons; i++)
		json_object_array_add(reasons, json_object_new_string(r->reasons[i]));
	json_object_object_add(row, "options", options_json(&r->o));
	json_object_object_add(row, "metrics", metrics);
	json_object_object_add(row, "not_trusted", reasons);
	if (r->counters)
		json_object_object_add(row, "device_counters", r->counters);
	return row;
}

/* ---- CSV ---- */

static void csv_header(FILE *f)
{
	struct options o = options_new(MODE_BW);
	struct json_object *names;

	options_defaults(&o);
	names = options_json(&o);
	json_object_object_foreach(names, name, value)
	{
		(void)value;
		fprintf(f, "%s,", name);
	}
	for (int i = 0; i < METRICS; i++)
		fprintf(f, "%s,", words[i]);
	fprintf(f, "not_trusted\n");
	json_object_put(names);
}

static void csv_row(FILE *f, struct json_object *row)
{
	struct json_object *metrics = json_object_object_get(row, "metrics");
	struct json_object *reasons = json_object_object_get(row, "not_trusted"), *value;

	json_object_object_foreach(json_object_object_get(row, "options"), name, option)
	{
		(void)name;
		fprintf(f, "%s,", json_object_get_string(option));
	}
	for (int i = 0; i < METRICS; i++) {
		value = json_object_object_get(metrics, words[i]);
		if (value)
			fprintf(f, "%.6g", json_object_get_double(value));
		fputc(',', f);
	}
	fputc('"', f);
	for (size_t i = 0; i < json_object_array_length(reasons); i++)
		fprintf(f, "%s%s", i ? "; " : "",
			json_object_get_string(json_object_array_get_idx(reasons, i)));
	fprintf(f, "\"\n");
}

/* ---- a table ---- */

struct column {
	const char *title;
	enum metric m;
	int width, digits;
};

static const struct column bw_columns[] = {
	{ "Mops", METRIC_MOPS, 8, 3 },
	{ "min", METRIC_MOPS_MIN, 8, 3 },
	{ "max", METRIC_MOPS_MAX, 8, 3 },
	{ "Gb/s", METRIC_GBPS, 8, 3 },
	{ "cyc/op", METRIC_CYCLES, 8, 0 },
	{ "ins/op", METRIC_INSTR, 8, 1 },
	{ "db/op", METRIC_DOORBELLS, 6, 3 },
	{ "BB/op", METRIC_WQEBBS, 6, 2 },
	{ "CQE/op", METRIC_CQES, 6, 3 },
	{ "poll/op", METRIC_POLLS, 7, 3 },
	{ "stalls", METRIC_STALLS, 6, 2 },
	{ "PCIe B", METRIC_PCIE_DOWN, 8, 1 },
	{ "p50 us", METRIC_LAT_50, 8, 1 },
	{ "p99 us", METRIC_LAT_99, 8, 1 },
	{ 0 },
};
static const struct column lat_columns[] = {
	{ "t_min us", METRIC_LAT_MIN, 9, 2 }, { "t_typical", METRIC_LAT_50, 9, 2 },
	{ "t_avg", METRIC_LAT_MEAN, 9, 2 },   { "p90", METRIC_LAT_90, 9, 2 },
	{ "p99", METRIC_LAT_99, 9, 2 },	      { "p99.9", METRIC_LAT_999, 9, 2 },
	{ "t_max", METRIC_LAT_MAX, 9, 2 },    { 0 },
};
static const struct column post_columns[] = {
	{ "instr/WQE", METRIC_POST_INSTR, 10, 1 },
	{ "cyc/WQE", METRIC_POST_CYCLES, 9, 1 },
	{ "instr/CQE", METRIC_POLL_INSTR, 10, 1 },
	{ "cyc/CQE", METRIC_POLL_CYCLES, 9, 1 },
	{ "instr/op", METRIC_OP_INSTR, 9, 1 },
	{ "BB/op", METRIC_WQEBBS, 6, 2 },
	{ "cyc/op", METRIC_OP_CYCLES, 8, 1 },
	{ "db/op", METRIC_DOORBELLS, 6, 3 },
	{ "PCIe B", METRIC_PCIE_DOWN, 8, 1 },
	{ "H(model)", METRIC_HEADROOM, 8, 2 },
	{ 0 },
};

static const struct column *columns(enum mode mode)
{
	return mode == MODE_BW ? bw_columns : mode == MODE_LAT ? lat_columns : post_columns;
}

/* With -C latencies are in ticks. */
static bool in_ticks(const struct result *r)
{
	return r->o.mode == MODE_LAT && r->o.in_cycles;
}

static void table_header(const struct result *r)
{
	printf("%-9s %-6s %8s %5s %4s %3s", "op", "api", "bytes", "batch", "QPs", "thr");
	for (const struct column *c = columns(r->o.mode); c->title; c++)
		printf(" %*s", c->width,
		       in_ticks(r) && c->m == METRIC_LAT_MIN ? "t_min tsc" : c->title);
	printf("\n");
}

static void table_row(const struct result *r)
{
	char batch[16];

	snprintf(batch, sizeof(batch), "%u", r->o.batch);
	printf("%-9s %-6s %8u %5s %4u %3d", op_word(r->o.op), api_word(r->o.api), r->o.size,
	       r->o.adaptive ? "adapt" : batch, r->o.qps, r->o.threads);
	for (const struct column *c = columns(r->o.mode); c->title; c++) {
		if (isnan(r->m[c->m]))
			printf(" %*s", c->width, "-");
		else if (in_ticks(r))
			printf(" %*.0f", c->width, r->m[c->m] * clock_rate() / 1e6);
		else
			printf(" %*.*f", c->width, c->digits, r->m[c->m]);
	}
}

/* What differs between the rows of a sweep and has no column in the table. */
static void print_axes(const struct report *rep, struct json_object *row)
{
	static const char *const columns[] = { "op", "api", "size", "batch", "qp", "threads" };
	size_t k;

	for (int i = 0; rep->axes && rep->axes[i]; i++) {
		for (k = 0; k < 6 && strcmp(columns[k], rep->axes[i]); k++)
			;
		if (k == 6)
			printf("  %s=%s", rep->axes[i],
			       json_object_get_string(json_object_object_get(
				       json_object_object_get(row, "options"), rep->axes[i])));
	}
	printf("\n");
}

/* ---- the report ---- */

static void print_row(const struct report *rep, const struct result *r, struct json_object *row)
{
	if (r->o.mode != MODE_POST && r->o.preset) {
		if (!rep->header)
			perftest_header(&r->o);
		perftest_row(r);
		return;
	}
	if (!rep->header)
		table_header(r);
	table_row(r);
	print_axes(rep, row);
}

void report_begin(struct report *rep, const struct options *o, int argc, char **argv)
{
	struct json_object *command = json_object_new_array();

	for (int i = 0; i < argc; i++)
		json_object_array_add(command, json_object_new_string(argv[i]));
	*rep = (struct report){ .o = o };
	rep->all = json_object_new_object();
	rep->rows = json_object_new_array();
	json_object_object_add(rep->all, "dvperf", json_object_new_string(DVKIT_VERSION));
	json_object_object_add(rep->all, "command", command);
	if (o->preset)
		json_object_object_add(rep->all, "preset", json_object_new_string(o->preset));
}

void report_row(struct report *rep, struct result *r)
{
	struct json_object *row = row_json(r);

	json_object_array_add(rep->rows, row);
	base_progress_end();
	rep->below |= perftest_is_below(r);
	if (rep->quiet)
		return;
	perftest_samples(r);
	free(r->samples);
	r->samples = NULL;
	if (rep->o->csv) {
		if (!rep->header)
			csv_header(stdout);
		csv_row(stdout, row);
	} else if (!rep->o->json) {
		print_row(rep, r, row);
	}
	rep->header = true;
	fflush(stdout);
}

/* Every reason of any row, once. */
static void print_reasons(const struct report *rep)
{
	struct json_object *seen = json_object_new_object();

	for (size_t i = 0; i < json_object_array_length(rep->rows); i++) {
		struct json_object *row = json_object_array_get_idx(rep->rows, i);
		struct json_object *reasons = json_object_object_get(row, "not_trusted");

		for (size_t k = 0; k < json_object_array_length(reasons); k++) {
			struct json_object *one = json_object_array_get_idx(reasons, k);
			const char *text = json_object_get_string(one);

			if (!json_object_object_get_ex(seen, text, NULL))
				printf("NOT TO BE TRUSTED: %s\n", text);
			json_object_object_add(seen, text, json_object_new_boolean(1));
		}
	}
	json_object_put(seen);
}

static void write_perftest(const struct report *rep, const char *path)
{
	struct json_object *j = perftest_json(rep->all, rep->rows, rep->o);

	if (json_object_to_file_ext(path, j, JSON_C_TO_STRING_PRETTY))
		base_fail("%s: %s", path, json_util_get_last_err());
	json_object_put(j);
}

int report_end(struct report *rep)
{
	if (rep->o->out_json_file)
		write_perftest(rep, rep->o->out_json_file);
	json_object_object_add(rep->all, "rows", json_object_get(rep->rows));
	if (rep->o->json)
		printf("%s\n",
		       json_object_to_json_string_ext(
			       rep->all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	else if (!rep->o->csv)
		print_reasons(rep);
	json_object_put(rep->rows);
	json_object_put(rep->all);
	if (fflush(stdout) || ferror(stdout))
		base_fail("standard output: %m");
	return rep->below ? DVPERF_FAILED : 0;
}

void report_drop(struct report *rep)
{
	json_object_put(rep->rows);
	json_object_put(rep->all);
}

void report_write_csv(const struct report *rep, const char *path)
{
	FILE *f = fopen(path, "we");

	if (!f)
		base_fail("%s: %m", path);
	csv_header(f);
	for (size_t i = 0; i < json_object_array_length(rep->rows); i++)
		csv_row(f, json_object_array_get_idx(rep->rows, i));
	if (fclose(f))
		base_fail("%s: %m", path);
}

void report_write_json(const struct report *rep, const char *path)
{
	json_object_object_add(rep->all, "rows", json_object_get(rep->rows));
	if (json_object_to_file_ext(path, rep->all, JSON_C_TO_STRING_PRETTY))
		base_fail("%s: %s", path, json_util_get_last_err());
}
