/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points, one after the other: every combination of the axes' values, the last axis fastest.
 *
 *	batch=1,8  api=direct,verbs     (1 direct) (1 verbs) (8 direct) (8 verbs)
 *
 * Words "x=" and "y=" say what the figure shows. With two hosts both sides walk the same list.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "result/result.h"
#include "model/model.h"
#include "machine/machine.h"
#include "peer/peer.h"
#include "run/run.h"
#include "axes.h"
#include "files.h"
#include "sweep.h"

enum { MAX_REASONS_LEFT = 32 };

/* Points that were left out for one reason. */
struct left_out {
	char *reason;
	unsigned int points;
	uint64_t values[MAX_AXES]; /* a bit for each value that was left out */
};

struct sweep {
	struct axes a;
	struct report rep;
	unsigned int all, done, left_out;
	struct left_out reasons[MAX_REASONS_LEFT];
	unsigned int n_reasons;
	uint64_t begin;
};

/* ---- points ---- */

static void say_where(const struct sweep *s)
{
	double took = (double)(clock_ticks() - s->begin) / clock_rate();

	if (s->done)
		base_progress("sweep", (double)s->done / s->all,
			      took / s->done * (s->all - s->done));
}

/* ---- what is left out ---- */

static void leave_out(struct sweep *s, unsigned int index, const char *reason)
{
	struct left_out *l = s->reasons;

	s->left_out++;
	while (l < s->reasons + s->n_reasons && strcmp(l->reason, reason))
		l++;
	if (l == s->reasons + MAX_REASONS_LEFT)
		return;
	if (l == s->reasons + s->n_reasons) {
		s->n_reasons++;
		l->reason = base_made(strdup(reason));
	}
	l->points++;
	for (int i = s->a.n - 1; i >= 0; i--) {
		l->values[i] |= 1ull << index % (unsigned int)s->a.axes[i].n;
		index /= (unsigned int)s->a.axes[i].n;
	}
}

/* " threads=4,8": the values of @a that are in @bits; "" where all are. */
static void put_values(FILE *f, const struct axis *a, uint64_t bits)
{
	const char *before = "";

	if (__builtin_popcountll(bits) == a->n)
		return;
	fprintf(f, " %s=", a->name);
	for (int i = 0; i < a->n; i++)
		if (bits >> i & 1) {
			fprintf(f, "%s%s", before, a->values[i]);
			before = ",";
		}
}

/* A line for each reason, with the values to which what it is about is limited. */
static void say_left_out(struct sweep *s)
{
	char *text;
	size_t size;

	for (struct left_out *l = s->reasons; l < s->reasons + s->n_reasons; l++) {
		FILE *f = base_made(open_memstream(&text, &size));

		for (int i = 0; i < s->a.n; i++)
			put_values(f, &s->a.axes[i], l->values[i]);
		fclose(f);
		base_note("left out: %s (%u of %u points%s%s)", l->reason, l->points, s->all,
			  *text ? ":" : "", text);
		free(text);
		free(l->reason);
	}
}

static void run_points(struct sweep *s)
{
	const char *bad;

	for (unsigned int i = 0; i < s->all && !base_interrupted; i++, s->done++) {
		struct options o;
		struct result r;

		bad = axes_point(&s->a, i, &o);
		if (!o.loopback && o.mode != MODE_POST)
			bad = peer_point(&o, "sweep", s->all, bad);
		if (base_interrupted)
			break;
		if (bad) {
			leave_out(s, i, bad);
			continue;
		}
		r = result_new(&o);
		say_where(s);
		point_run(&s->rep, &r);
	}
	peer_part();
	say_left_out(s);
}

/* After all rows: a straight line through batches, where there are several. */
static void add_fits(struct sweep *s, const char *const *names)
{
	bool batches = false, text = !s->a.o->json && !s->a.o->csv;
	struct json_object *fits;

	for (int i = 0; names[i]; i++)
		batches |= !strcmp(names[i], "batch");
	if (!batches)
		return;
	fits = predict_fits(s->rep.rows, names);
	if (fits)
		json_object_object_add(s->rep.all, "fits", fits);
	if (text)
		predict_print(s->rep.rows, names, fits);
}

int sweep_run(struct options *o, char **axes, int n, int argc, char **argv)
{
	struct sweep *s = base_made(calloc(1, sizeof(*s)));
	const char **axes_of_rows;
	struct sweep_files files = { &s->a, &s->rep };
	int failed, status;

	if (preset_list(o->preset))
		return 0;
	if (pcie_check(o->pcie))
		base_refuse("%s", pcie_check(o->pcie));
	if (o->fresh)
		base_refuse("--fresh is for post; sweep measures all points in one process");
	if (pin_check(o))
		base_refuse("%s", pin_check(o));
	s->a.o = o;
	s->a.preset = o->preset ? preset_find(o->preset) : NULL;
	for (int i = 0; s->a.preset && i < PRESET_WORDS && s->a.preset->words[i]; i++)
		axes_take_word(&s->a, s->a.preset->words[i], false);
	for (int i = 0; i < n; i++)
		axes_take_word(&s->a, axes[i], true);
	axes_put_mode_first(&s->a);
	if (!s->a.n)
		base_refuse("nothing to sweep: an axis like batch=1,8,32, or --preset NAME");
	if (s->a.preset)
		axes_preset_defaults(&s->a);
	axes_choose_figure(&s->a);
	files_check(&files);
	s->all = 1;
	for (int i = 0; i < s->a.n; i++)
		s->all *= (unsigned int)s->a.axes[i].n;
	s->begin = clock_ticks();
	report_begin(&s->rep, o, argc, argv);
	if (s->a.x)
		json_object_object_add(s->rep.all, "x",
				       json_object_new_string(options_json_key(s->a.x)));
	if (s->a.preset)
		files_add_published(&files);
	s->rep.axes = axes_of_rows = axes_varying(&s->a, NULL);
	run_points(s);
	add_fits(s, axes_of_rows);
	axes_drop_names(axes_of_rows);
	s->rep.axes = NULL;
	if (s->left_out == s->all)
		base_refuse("no point of this sweep can be measured here");
	failed = json_object_array_length(s->rep.rows) ? files_write(&files) : 0;
	if (s->a.preset && !o->json && !o->csv)
		printf("about %s: %s\n", s->a.preset->name, preset_text(s->a.preset));
	status = report_end(&s->rep);
	free(s);
	return failed ? DVPERF_FAILED : status;
}
