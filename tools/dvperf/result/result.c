/* SPDX-License-Identifier: BSD-2-Clause */
/* Results of runs: filled in from counts and samples; printed as a table, CSV and JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "table.h"

static const char *const words[METRICS] = {
#define METRIC(id, name, unit, meaning) name,
#include "metric.def"
};

static const char *const whats[METRICS] = {
#define METRIC(id, name, unit, meaning) meaning,
#include "metric.def"
};

const char *metric_name(enum metric m)
{
	return words[m];
}

const char *metric_what(enum metric m)
{
	return whats[m];
}

enum metric metric_find(const char *name)
{
	int m = 0;

	while (m < METRICS && strcmp(words[m], name))
		m++;
	return (enum metric)m;
}

const char *metric_unknown(const char *name)
{
	static char text[192];
	struct near near;

	near_begin(&near, name);
	for (int i = 0; i < METRICS; i++)
		near_offer(&near, words[i]);
	snprintf(text, sizeof(text), "'%.40s' is not a metric%s; --columns=help lists them",
		 name, near_text(&near));
	return text;
}

void metric_list(FILE *f)
{
	for (int i = 0; i < METRICS; i++)
		fprintf(f, "%-20s %s\n", words[i], whats[i]);
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

/* Repeats that differ by more, of their median, are noisy. */
static const double NOISE = 0.1;
static const char *const noisy[] = {
#define METRIC(id, name, ...) "noisy: the repeats of " name " differ by more than 10 %",
#include "metric.def"
};

void result_keep(struct result *r, enum metric m, const double *values, unsigned int n)
{
	struct kept *k = &r->kept[r->n_kept];
	double sorted[MAX_REPEATS], middle;
	struct interval i;

	if (!n || r->n_kept == MAX_KEPT)
		return;
	k->m = m;
	k->n = n;
	memcpy(k->values, values, n * sizeof(*values));
	memcpy(sorted, values, n * sizeof(*values));
	middle = median(sorted, n);
	if (n == 1)
		result_distrust(r, "one repeat: its spread is unknown; see --repeat");
	else if (middle > 0 && (sorted[n - 1] - sorted[0]) / middle > NOISE)
		result_distrust(r, noisy[m]);
	i = statistics_interval(values, n);
	if (!r->n_kept++ && middle > 0)
		r->m[METRIC_INTERVAL] = (i.high - i.low) / 2 / middle * 100;
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

/* Ten samples are above the percentile, at least. */
enum { ENOUGH_99 = 1000, ENOUGH_999 = 10000 };

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
	if (h->count < ENOUGH_99)
		result_distrust(r, "short: p99 of fewer than 1000 samples");
	else if (h->count < ENOUGH_999 && r->o.mode == MODE_LAT)
		result_distrust(r, "short: p99.9 of fewer than 10000 samples");
	r->m[METRIC_SAMPLES] = (double)h->count;
	r->m[METRIC_LAT_MIN] = (double)h->least * us;
	r->m[METRIC_LAT_MAX] = (double)h->most * us;
	r->m[METRIC_LAT_MEAN] = h->sum / (double)h->count * us;
	r->m[METRIC_LAT_STDEV] = histogram_deviation(h) * us;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		r->m[rows[i].m] = (double)histogram_percentile(h, rows[i].percent) * us;
}

/* ---- JSON ---- */

static struct json_object *pair(double low, double high)
{
	struct json_object *j = json_object_new_array();

	json_object_array_add(j, json_object_new_double(low));
	json_object_array_add(j, json_object_new_double(high));
	return j;
}

static void add_repeats(struct json_object *row, const struct result *r)
{
	struct json_object *repeats = json_object_new_object();
	struct json_object *intervals = json_object_new_object();

	for (const struct kept *k = r->kept; k < r->kept + r->n_kept; k++) {
		struct json_object *values = json_object_new_array();
		struct interval i = statistics_interval(k->values, k->n);

		for (unsigned int n = 0; n < k->n; n++)
			json_object_array_add(values, json_object_new_double(k->values[n]));
		json_object_object_add(repeats, words[k->m], values);
		if (!isnan(i.low))
			json_object_object_add(intervals, words[k->m], pair(i.low, i.high));
	}
	json_object_object_add(row, "repeats", repeats);
	json_object_object_add(row, "interval", intervals);
}

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
	if (r->n_kept)
		add_repeats(row, r);
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

/* ---- the report ---- */

static void print_row(struct report *rep, const struct result *r, struct json_object *row)
{
	if (!rep->header || rep->mode != r->o.mode)
		table_header(rep, r);
	table_row(rep, r, row);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* -H, -U: every sample, in µs, or with -C in ticks. */
static void print_samples(struct result *r)
{
	double us = 1e6 / clock_rate();

	if (!r->n_samples)
		return;
	if (!r->o.unsorted)
		qsort(r->samples, r->n_samples, sizeof(*r->samples), by_value);
	printf("#, %s\n", r->o.in_cycles ? "cycles" : "usec");
	for (size_t i = 0; i < r->n_samples; i++) {
		if (r->o.in_cycles)
			printf("%zu, %llu\n", i + 1, (unsigned long long)r->samples[i]);
		else
			printf("%zu, %g\n", i + 1, (double)r->samples[i] * us);
	}
}

/* Whether it is below -w, in MiB/s or Gb/s, or -y; says so. */
static bool is_below(const struct result *r)
{
	double rate = r->m[METRIC_MOPS], bytes = rate * 1e6 * r->o.size;
	double wide = r->o.gbits ? bytes * 8 / 1e9 : bytes / (1 << 20);
	bool below = false;

	if (r->o.limit_bw > 0 && wide < r->o.limit_bw) {
		base_note("%.6g %s are below the limit of %.6g (-w)", wide,
			  r->o.gbits ? "Gb/s" : "MiB/s", r->o.limit_bw);
		below = true;
	}
	if (r->o.limit_msgrate > 0 && rate < r->o.limit_msgrate) {
		base_note("%.6g Mops are below the limit of %.6g (-y)", rate,
			  r->o.limit_msgrate);
		below = true;
	}
	return below;
}

void report_begin(struct report *rep, const struct options *o, int argc, char **argv)
{
	struct json_object *command = json_object_new_array();

	for (int i = 0; i < argc; i++)
		json_object_array_add(command, json_object_new_string(argv[i]));
	*rep = (struct report){ .o = o };
	rep->all = json_object_new_object();
	rep->rows = json_object_new_array();
	json_object_object_add(rep->all, "dvperf", json_object_new_string(RESULT_FORMAT));
	json_object_object_add(rep->all, "version", json_object_new_string(DVKIT_VERSION));
	json_object_object_add(rep->all, "command", command);
	if (o->preset)
		json_object_object_add(rep->all, "preset", json_object_new_string(o->preset));
}

/* ^C came before there was anything to report. */
static void say_nothing(struct report *rep, struct result *r)
{
	json_object_put(r->counters);
	free(r->samples);
	if (json_object_array_length(rep->rows))
		return;
	rep->below = true;
	if (r->o.duration > 0 && r->o.margin > 0)
		base_note(
			"interrupted before anything was measured: the first %g s of -D are a margin (-f)",
			r->o.margin);
	else
		base_note("interrupted before anything was measured");
}

void report_row(struct report *rep, struct result *r)
{
	struct json_object *row;

	base_progress_end();
	if (r->nothing && !rep->quiet) {
		say_nothing(rep, r);
		return;
	}
	row = row_json(r);
	json_object_array_add(rep->rows, row);
	rep->below |= is_below(r);
	if (rep->quiet)
		return;
	print_samples(r);
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
	rep->mode = r->o.mode;
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

static int save_json(const char *path, struct json_object *j)
{
	const char *text = json_object_to_json_string_ext(j, JSON_C_TO_STRING_PRETTY);

	return base_save(path, text, strlen(text));
}

int report_end(struct report *rep)
{
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

int report_write_csv(const struct report *rep, const char *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = base_made(open_memstream(&text, &size));
	int failed;

	csv_header(f);
	for (size_t i = 0; i < json_object_array_length(rep->rows); i++)
		csv_row(f, json_object_array_get_idx(rep->rows, i));
	if (fclose(f))
		base_fail("%s: %m", path);
	failed = base_save(path, text, size);
	free(text);
	return failed;
}

int report_write_json(const struct report *rep, const char *path)
{
	json_object_object_add(rep->all, "rows", json_object_get(rep->rows));
	return save_json(path, rep->all);
}
