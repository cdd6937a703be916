/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of mmio, and the stores of a team: by a loop of the test, how many there
 * are. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "mmio/asked.h"
#include "mmio/team.h"
#include "unit/dvperf/said.h"

/* ---- the command line ---- */

static struct asked a;

static void ask(const void *of)
{
	char *rest = strdup(of), *word, *argv[16] = { strdup("dvperf mmio") };
	int argc = 1;

	while ((word = strsep(&rest, " ")) && *word)
		argv[argc++] = word;
	asked_read(&a, argc, argv);
}

Test(asked, by_default_for_all)
{
	ask("");
	cr_expect(a.iters == 1000 && a.o.repeats == 5 && a.teams == 1 && a.threads[0] == 1);
	cr_expect(!~a.stores && !~a.fences && !~a.mappings && !~a.spacings && !~a.sharings);
	cr_expect_eq(asked_most_threads(&a), 1);
	cr_expect_not(a.o.json);
}

Test(asked, for_lists)
{
	ask("--store=8,64-movdir --fence=dv --mapping=nc --spacing=back-to-back --uar=shared");
	cr_expect_eq(a.stores, 1 << STORE_WORD | 1 << STORE_MOVDIR64B);
	cr_expect_eq(a.fences, 1 << FENCE_DV);
	cr_expect_eq(a.mappings, 1 << MAPPING_NC);
	cr_expect_eq(a.spacings, 1 << SPACING_BACK_TO_BACK);
	cr_expect_eq(a.sharings, 1 << SHARING_ONE);
	ask("--threads=2,7,4 -n 1000000 --repeat=2 --json --uar=thread,shared --spacing=alone");
	cr_expect(a.teams == 3 && a.threads[0] == 2 && a.threads[1] == 7 && a.threads[2] == 4);
	cr_expect_eq(asked_most_threads(&a), 7);
	cr_expect(a.iters == 1000000 && a.o.repeats == 2 && a.o.json);
	cr_expect_eq(a.sharings, 3);
	cr_expect_eq(a.spacings, 1 << SPACING_ALONE);
	ask("--threads=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
	cr_expect_eq(a.teams, MAX_TEAMS);
	cr_expect_eq(asked_most_threads(&a), 16);
}

Test(asked, for_what_is_refused)
{
	static const char *const of[][2] = {
		{ "--store=9", "--store: '9' is not one of 8, 64, 64-avx512, 64-movdir" },
		{ "--mapping=WC,XX", "--mapping: 'XX' is not one of WC, NC" },
		{ "--spacing=alon", "one of alone, back-to-back; did you mean 'alone'" },
		{ "--threads=0", "--threads: '0' is not a number" },
		{ "--threads=1,,2", "--threads: '' is not a number" },
		{ "--threads=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "at most 16 numbers" },
		{ "-n 1000001", "--iters: at most 1000000" },
		{ "-n 0", "--iters: '0' is not a number" },
		{ "--repeat=0", "--repeat: '0' is not a number" },
		{ "--pin=x", "--pin wants CPUs" },
		{ "word", "mmio takes no argument: 'word'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		said_only(2, of[i][1], ask, of[i][0]);
}

/* ---- a team ---- */

enum { PASSES = 12, ALONE = 101, MOST_THREADS = 3 };

static struct team_slot slots[MOST_THREADS];
static unsigned int calls[MOST_THREADS], stores[MOST_THREADS], chunk;

static void count(struct dv_sq *sq, struct store_lock *lock, unsigned int n)
{
	unsigned int i = (unsigned int)((struct team_slot *)sq - slots);

	cr_assert_eq(lock, slots[i].lock);
	calls[i]++;
	stores[i] += n;
	cr_assert_eq(n, chunk);
}

static struct team_times measure(unsigned int threads, unsigned int iters, bool alone)
{
	static struct store_lock locks[MOST_THREADS];
	static struct options o;
	const struct team_work work = { .o = &o,
					.slots = slots,
					.threads = threads,
					.loop = count,
					.alone = alone,
					.iters = iters };

	o = options_new(MODE_POST);
	memset(calls, 0, sizeof(calls));
	memset(stores, 0, sizeof(stores));
	for (unsigned int i = 0; i < MOST_THREADS; i++)
		slots[i].lock = &locks[i];
	return team_measure(&work);
}

/* A thread alone is not interrupted; the first pass warms up. */
Test(team, of_one)
{
	struct team_times t;

	chunk = 1000;
	t = measure(1, 1000, false);
	cr_expect_eq(calls[0], PASSES);
	cr_expect_eq(stores[0], PASSES * 1000);
	cr_expect_float_eq(t.overlap, 1, 1e-9);
	cr_expect(t.ticks > 0 && fabs(t.slowest - t.ticks) < 1e-9 * t.ticks);
	cr_expect_float_eq(t.rate * t.ticks, 1, 1e-9);
	chunk = 1;
	t = measure(1, 1000, true);
	cr_expect_eq(stores[0], PASSES * ALONE);
	cr_expect(isnan(t.rate) && !isnan(t.ticks) && t.overlap == 1);
	cr_expect_float_eq(t.slowest, fmax(t.ticks, 0), 1e-9);
}

/* Each leads in its turn, with as many stores as asked for, in chunks of 64; and all have
 * stored when the time of a pass begins. */
Test(team, of_several)
{
	static const struct {
		unsigned int iters, chunk, least;
	} of[] = { { 40, 40, 40 }, { 64, 64, 64 }, { 65, 64, 128 } };

	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		struct team_times t;

		chunk = of[i].chunk;
		t = measure(3, of[i].iters, false);
		for (int k = 0; k < 3; k++)
			cr_expect_geq(stores[k], PASSES * chunk + PASSES / 3 * of[i].least);
		cr_expect(t.overlap >= 0 && t.overlap <= 1);
		cr_expect(t.rate > 0 && t.ticks > 0);
	}
	chunk = 1;
	cr_expect(isnan(measure(2, 5, true).rate));
	for (int k = 0; k < 2; k++)
		cr_expect_geq(stores[k], PASSES + PASSES / 2 * ALONE);
}
