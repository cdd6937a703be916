/* SPDX-License-Identifier: BSD-2-Clause */
/* The predictions of predict.h: ceilings, the band over T, and lines through batches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "predict.h"

enum {
	MAX_LINES = 64, /* series; more have no line */
	MAX_POINTS = 64,
	WORDS = 160,
};

/* The least that is known of RC WRITE, 8 bytes inline: a ring stamped once, batches of 64 and
 * 32. The machine and the method are in docs/benchmarking.md, "Reference costs". */
static const double floor_instr = 24.5, floor_cycles = 4.4;

/* r2 of points that a line describes, at least. */
static const double straight = 0.9;

/* ---- one result ---- */

static const struct {
	double write_ns;
	enum metric m;
} band[] = { { 0, METRIC_AT_0 },
	     { 50, METRIC_AT_50 },
	     { 100, METRIC_AT_100 },
	     { 150, METRIC_AT_150 },
	     { 300, METRIC_AT_300 } };

enum { BAND = ARRAY_SIZE(band) };

double predict_mops(double op_ns, double write_ns, double batch)
{
	return 1e3 / (op_ns + write_ns / batch);
}

void predict_post(struct result *r, double core_ghz)
{
	double limit = fmin(fmin(r->m[METRIC_PCIE_LIMIT], r->m[METRIC_WIRE_LIMIT]),
			    r->m[METRIC_NIC_LIMIT]);
	double op_ns = r->m[METRIC_OP_CYCLES] / core_ghz;

	r->m[METRIC_FLOOR_INSTR] = r->m[METRIC_POST_INSTR] / floor_instr;
	r->m[METRIC_FLOOR_CYCLES] = r->m[METRIC_POST_CYCLES] / floor_cycles;
	if (isnan(op_ns))
		return;
	r->m[METRIC_CPU_LIMIT] = 1e3 / op_ns;
	r->m[METRIC_HEADROOM] = r->m[METRIC_CPU_LIMIT] / limit;
	for (size_t i = 0; i < BAND; i++)
		r->m[band[i].m] =
			fmin(predict_mops(op_ns, band[i].write_ns, r->o.batch), limit);
}

/* ---- lines ---- */

struct fit fit_line(const double *x, const double *y, unsigned int n)
{
	double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
	struct fit f = { NAN, NAN, NAN, n };

	for (unsigned int i = 0; i < n; i++) {
		mx += x[i] / n;
		my += y[i] / n;
	}
	for (unsigned int i = 0; i < n; i++) {
		xx += (x[i] - mx) * (x[i] - mx);
		xy += (x[i] - mx) * (y[i] - my);
		yy += (y[i] - my) * (y[i] - my);
	}
	if (n < 2 || xx <= 0)
		return f;
	f.slope = xy / xx;
	f.base = my - f.slope * mx;
	f.r2 = yy > 0 ? xy * xy / (xx * yy) : 1;
	return f;
}

bool fit_is_straight(const struct fit *f)
{
	return f->n > 2 && f->r2 >= straight && f->base >= 0 && f->slope >= 0;
}

/* ---- series ---- */

struct line {
	char words[WORDS];
	const char *mode;
	size_t rows[MAX_POINTS];
	unsigned int n;
	struct fit fit;
};

struct lines {
	struct line line[MAX_LINES];
	size_t n;
};

/* Options that distinguish series: without the batch, and options that are fitted separately or
 * follow from it. */
static size_t without_batch(const char *const *names, const char **kept)
{
	static const char *const dropped[] = { "batch", "signal", "mode" };
	size_t n = 0, k;

	for (size_t i = 0; names[i] && n < MAX_NAMES; i++) {
		for (k = 0; k < 3 && strcmp(names[i], dropped[k]); k++)
			;
		if (k == 3)
			kept[n++] = names[i];
	}
	return n;
}

/* The time of an operation of one thread, in ns; NaN: not known. */
static double time_of(struct json_object *row)
{
	if (!strcmp(row_option(row, "mode"), "post"))
		return 1e3 / row_metric(row, metric_name(METRIC_CPU_LIMIT));
	return row_metric(row, metric_name(METRIC_NS)) * atof(row_option(row, "threads"));
}

static struct line *line_of(struct lines *all, const char *words, const char *mode)
{
	struct line *l = all->line;

	while (l < all->line + all->n && (strcmp(l->words, words) || strcmp(l->mode, mode)))
		l++;
	if (l == all->line + MAX_LINES)
		return NULL;
	if (l == all->line + all->n) {
		all->n++;
		l->mode = mode;
		memcpy(l->words, words, WORDS);
	}
	return l;
}

static void collect(struct lines *all, struct json_object *rows, const char *const *names)
{
	const char *kept[MAX_NAMES];
	size_t n = without_batch(names, kept);

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		const char *mode = row_option(row, "mode");
		char words[WORDS] = { 0 };
		struct line *l;

		if (!strcmp(mode, "lat") || isnan(time_of(row)))
			continue;
		row_words(row, kept, n, words, sizeof(words));
		l = line_of(all, words, mode);
		if (l && l->n < MAX_POINTS)
			l->rows[l->n++] = i;
	}
}

static void fit_all(struct lines *all, struct json_object *rows)
{
	for (struct line *l = all->line; l < all->line + all->n; l++) {
		double x[MAX_POINTS], y[MAX_POINTS];

		for (unsigned int i = 0; i < l->n; i++) {
			struct json_object *row = json_object_array_get_idx(rows, l->rows[i]);

			x[i] = row_metric(row, metric_name(METRIC_DOORBELLS));
			y[i] = time_of(row);
		}
		l->fit = fit_line(x, y, l->n);
	}
}

static struct lines *lines_of(struct json_object *rows, const char *const *names)
{
	struct lines *all = base_made(calloc(1, sizeof(*all)));

	collect(all, rows, names);
	fit_all(all, rows);
	return all;
}

/* The CPU's own part of a doorbell, from rows of post beside those of bw. */
static double cpu_part(const struct lines *all, const struct line *bw)
{
	for (const struct line *l = all->line; l < all->line + all->n; l++)
		if (!strcmp(l->mode, "post") && !strcmp(l->words, bw->words) && l->n > 2)
			return l->fit.slope;
	return NAN;
}

static void add(struct json_object *to, const char *name, double value)
{
	if (!isnan(value))
		json_object_object_add(to, name, json_object_new_double(value));
}

struct json_object *predict_fits(struct json_object *rows, const char *const *names)
{
	struct lines *all = lines_of(rows, names);
	struct json_object *fits = json_object_new_array();

	for (const struct line *l = all->line; l < all->line + all->n; l++) {
		struct json_object *j;

		if (isnan(l->fit.slope) || l->n < 3)
			continue;
		j = json_object_new_object();
		json_object_object_add(j, "series", json_object_new_string(l->words));
		json_object_object_add(j, "mode", json_object_new_string(l->mode));
		json_object_object_add(j, "points", json_object_new_int64(l->n));
		add(j, "per_op_ns", l->fit.base);
		add(j, "per_doorbell_ns", l->fit.slope);
		add(j, "r2", l->fit.r2);
		if (!strcmp(l->mode, "bw") && fit_is_straight(&l->fit))
			add(j, "mmio_ns", l->fit.slope - cpu_part(all, l));
		json_object_array_add(fits, j);
	}
	free(all);
	if (json_object_array_length(fits))
		return fits;
	json_object_put(fits);
	return NULL;
}

/* ---- for people ---- */

static double number(struct json_object *of, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(of, name, &value) ? json_object_get_double(value)
							   : NAN;
}

static void print_fit(struct json_object *fit)
{
	const char *series = json_object_get_string(json_object_object_get(fit, "series"));
	const char *mode = json_object_get_string(json_object_object_get(fit, "mode"));
	struct fit f = { number(fit, "per_op_ns"), number(fit, "per_doorbell_ns"),
			 number(fit, "r2"), (unsigned int)number(fit, "points") };
	double mmio = number(fit, "mmio_ns");

	printf("  %s%s%s: ", mode, *series ? " " : "", series);
	if (!fit_is_straight(&f)) {
		printf("no straight line (%u batches, r2 %.3f)\n", f.n, f.r2);
		return;
	}
	printf("%.2f ns an operation, and %.2f ns a doorbell (%u batches, r2 %.3f", f.base,
	       f.slope, f.n, f.r2);
	if (!isnan(mmio))
		printf("; %.2f of them for the register: T_mmio", mmio);
	printf(")\n");
}

/* Whether PCI Express or the wire is the limit, whatever a write takes. */
static bool is_flat(const struct line *l, struct json_object *rows)
{
	double first =
		row_metric(json_object_array_get_idx(rows, l->rows[0]), metric_name(band[0].m));

	for (size_t k = 0; k < BAND; k++)
		for (unsigned int i = 0; i < l->n; i++)
			if (row_metric(json_object_array_get_idx(rows, l->rows[i]),
				       metric_name(band[k].m)) != first)
				return false;
	return true;
}

static void print_band(const struct line *l, struct json_object *rows)
{
	printf("%s%s%s    batch         ", *l->words ? "  " : "", l->words,
	       *l->words ? "\n" : "");
	for (unsigned int i = 0; i < l->n; i++)
		printf(" %8s",
		       row_option(json_object_array_get_idx(rows, l->rows[i]), "batch"));
	if (is_flat(l, rows)) {
		printf("\n    T_mmio 0 to 300 ns: %.1f, the limit of PCI Express or of the wire\n",
		       row_metric(json_object_array_get_idx(rows, l->rows[0]),
				  metric_name(band[0].m)));
		return;
	}
	for (size_t k = 0; k < BAND; k++) {
		printf("\n    T_mmio %3.0f ns ", band[k].write_ns);
		for (unsigned int i = 0; i < l->n; i++)
			printf(" %8.1f", row_metric(json_object_array_get_idx(rows, l->rows[i]),
						    metric_name(band[k].m)));
	}
	printf("\n");
}

void predict_print(struct json_object *rows, const char *const *names, struct json_object *fits)
{
	struct lines *all = lines_of(rows, names);
	bool title = false, few = false;

	for (const struct line *l = all->line; l < all->line + all->n; l++)
		few |= l->n == 2;
	if (few)
		printf("\ntwo batches: not a fit; a line through 1 / batch needs three\n");
	if (fits)
		printf("\nns of an operation = ns of the WQE + ns of a doorbell / batch, fitted (post: without a device)\n");
	for (size_t i = 0; fits && i < json_object_array_length(fits); i++)
		print_fit(json_object_array_get_idx(fits, i));
	for (const struct line *l = all->line; l < all->line + all->n; l++) {
		if (strcmp(l->mode, "post"))
			continue;
		if (!title)
			printf("\nMODELLED Mops of one core by batch, if a write to the register took T_mmio; "
			       "at most what PCI Express and the wire carry\n");
		title = true;
		print_band(l, rows);
	}
	free(all);
}
