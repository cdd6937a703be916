/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points, one after the other: every combination of the axes' values, the last axis fastest.
 *
 *	batch=1,8  api=direct,verbs     (1 direct) (1 verbs) (8 direct) (8 verbs)
 *
 * Words "x=" and "y=" say what the figure shows. With two hosts both sides walk the same list.
 *
 * Some requests are found to be impossible only when the point is run: without a peer the next
 * point follows. Resources that the refused one has open by then stay open, unused. After a
 * failure, or a refusal with a peer, the sweep ends with the points that it has.
 */
#include <pthread.h>
#include <setjmp.h>
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
	struct sweep_files files;
	const char **axes_of_rows;
	unsigned int all, done, left_out; /* done: or left out */
	bool unsaved;			  /* the JSON could not be written */
	struct left_out reasons[MAX_REASONS_LEFT];
	unsigned int n_reasons;
	uint64_t begin;
	pthread_t thread;
	bool going_on; /* a refusal of the point that runs leads to the next one */
	jmp_buf next;
};

static struct sweep *running;

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

static void run_point(struct sweep *s, unsigned int index)
{
	bool alone;
	struct options o;
	struct result r;
	const char *bad = axes_point(&s->a, index, &o);

	alone = o.loopback || o.mode == MODE_POST;
	if (!alone)
		bad = peer_point(&o, "sweep", s->all, bad);
	if (base_interrupted)
		return;
	if (bad) {
		leave_out(s, index, bad);
		return;
	}
	r = result_new(&o);
	say_where(s);
	s->going_on = alone;
	if (!setjmp(s->next)) {
		point_run(&s->rep, &r);
		s->unsaved = s->unsaved || files_write_point(&s->files);
	}
	s->going_on = false;
}

static void run_points(struct sweep *s)
{
	for (; s->done < s->all && !base_interrupted; s->done++)
		run_point(s, s->done);
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

/* Lines, table and files of what was measured. Exit status. */
static int finish(struct sweep *s)
{
	int failed;

	running = NULL;
	add_fits(s, s->axes_of_rows);
	axes_drop_names(s->axes_of_rows);
	s->rep.axes = NULL;
	failed = json_object_array_length(s->rep.rows) ? files_write(&s->files) : 0;
	if (s->a.preset && !s->a.o->json && !s->a.o->csv)
		printf("about %s: %s\n", s->a.preset->name, preset_text(s->a.preset));
	return report_end(&s->rep) || failed ? DVPERF_FAILED : 0;
}

/* A point cannot be measured. */
static void end_of_point(int status, const char *text)
{
	struct sweep *s = running;

	if (!s)
		return;
	leave_out(s, s->done, text);
	if (s->going_on && status == DVPERF_USAGE && pthread_equal(pthread_self(), s->thread))
		longjmp(s->next, 1);
	for (s->done++; s->done < s->all; s->done++)
		leave_out(s, s->done, "the sweep ended before");
	if (!json_object_array_length(s->rep.rows))
		return; /* nothing to keep: the text of this one says it all */
	say_left_out(s);
	finish(s);
}

int sweep_run(struct options *o, char **axes, int n, int argc, char **argv)
{
	struct sweep *s = base_made(calloc(1, sizeof(*s)));
	int status;

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
	s->files = (struct sweep_files){ &s->a, &s->rep };
	files_check(&s->files);
	s->all = 1;
	for (int i = 0; i < s->a.n; i++)
		s->all *= (unsigned int)s->a.axes[i].n;
	s->begin = clock_ticks();
	report_begin(&s->rep, o, argc, argv);
	if (s->a.x)
		json_object_object_add(s->rep.all, "x",
				       json_object_new_string(options_json_key(s->a.x)));
	if (s->a.y)
		json_object_object_add(s->rep.all, "y", json_object_new_string(s->a.y));
	if (s->a.preset)
		files_add_published(&s->files);
	s->rep.axes = s->axes_of_rows = axes_varying(&s->a, NULL);
	s->thread = pthread_self();
	running = s;
	base_before_end(end_of_point);
	run_points(s);
	running = NULL;
	if (s->left_out == s->all)
		base_refuse("no point of this sweep can be measured here");
	status = finish(s);
	free(s);
	return status;
}
