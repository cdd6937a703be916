/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes of stores by threads that begin together, each thread timed by itself. */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "machine/machine.h"
#include "team.h"

enum {
	PASSES = 11,
	ALONE = 101,	/* stores of a pass, each alone, of the leader */
	WAIT_NS = 1000, /* before each of them: longer than a write on PCI Express takes */
	CHUNK = 64,	/* stores between two looks at the leader's word */
	SPINS = 2000, /* a few microseconds: a thread that is late may be waiting for this CPU */
};

/* Measurement of one thread in one pass. */
struct window {
	uint64_t begin, end; /* equal: it did not get to store */
	uint64_t stores;
	double ticks; /* of a store */
};

/* The leader's word. */
enum word { LEAD_IN, BEGIN, END };

struct team {
	const struct team_work *work;
	struct place {
		unsigned int ready, storing; /* atomic: threads that are */
		enum word word __attribute__((aligned(64)));
	} places[PASSES + 1]; /* a pass each */
	bool yield;
	struct window *windows; /* of each pass and thread */
};

struct member {
	struct team *team;
	unsigned int index;
	pthread_t thread;
};

/* ---- time ---- */

/* Not before what precedes is done, and nothing after begins before. */
static uint64_t ticks_now(void)
{
#if defined(__x86_64__)
	uint64_t ticks;

	__builtin_ia32_lfence();
	ticks = clock_ticks();
	__builtin_ia32_lfence();
	return ticks;
#else
	uint64_t ticks = clock_ticks();

	__asm__ volatile("isb" ::: "memory");
	return ticks;
#endif
}

static double ticks_of(struct team_slot *s, store_loop *loop, unsigned int n)
{
	uint64_t begin = ticks_now();

	loop(&s->sq, s->lock, n);
	return (double)(ticks_now() - begin);
}

static double ticks_after_wait(struct team_slot *s, store_loop *loop)
{
	uint64_t wait = (uint64_t)(clock_rate() / 1e9 * WAIT_NS), begin = clock_ticks();

	while (clock_ticks() - begin < wait)
		;
	return ticks_of(s, loop, 1);
}

/* The mean, since the time stamp counter may advance in steps that are longer than a store;
 * without the tenth of the least and of the greatest. */
static double trimmed_mean(double *ticks, unsigned int n)
{
	unsigned int tenth = n / 10;
	double sum = 0;

	median(ticks, n); /* sorts */
	for (unsigned int i = tenth; i < n - tenth; i++)
		sum += ticks[i];
	return sum / (n - 2 * tenth);
}

static double ticks_of_nothing(struct team_slot *s)
{
	double ticks[ALONE];

	for (int i = 0; i < ALONE; i++)
		ticks[i] = ticks_after_wait(s, store_nothing);
	return trimmed_mean(ticks, ALONE);
}

/* ---- a pass ---- */

static void arrive(unsigned int *threads)
{
	__atomic_add_fetch(threads, 1, __ATOMIC_ACQ_REL);
}

static bool all_arrived(const struct team *t, const unsigned int *threads)
{
	return __atomic_load_n(threads, __ATOMIC_ACQUIRE) == t->work->threads;
}

static enum word word_of(const struct place *p)
{
	return __atomic_load_n(&p->word, __ATOMIC_ACQUIRE);
}

static void say(struct place *p, enum word word)
{
	__atomic_store_n(&p->word, word, __ATOMIC_RELEASE);
}

/* A thread alone is not interrupted by looks. */
static unsigned int chunk_of(const struct team *t)
{
	return t->work->threads == 1 || t->work->iters < CHUNK ? t->work->iters : CHUNK;
}

static void store_some(const struct team *t, struct team_slot *s)
{
	if (t->work->alone)
		ticks_after_wait(s, t->work->loop);
	else
		t->work->loop(&s->sq, s->lock, chunk_of(t));
	if (t->yield)
		sched_yield();
}

/* All store until the leader, too, sees that all do. */
static void lead_in(struct team *t, struct place *p, struct team_slot *s, bool leads)
{
	arrive(&p->ready);
	for (unsigned int i = 0; !all_arrived(t, &p->ready); i++)
		if (t->yield || i >= SPINS)
			sched_yield();
	if (t->work->threads > 1)
		store_some(t, s);
	arrive(&p->storing);
	while (leads ? !all_arrived(t, &p->storing) : word_of(p) == LEAD_IN)
		store_some(t, s);
	if (leads)
		say(p, BEGIN);
}

/* Stores one after the other: the leader as many as asked for, the others until then. */
static void back_to_back(const struct team *t, struct place *p, struct team_slot *s, bool leads,
			 struct window *w)
{
	unsigned int chunk = chunk_of(t);

	w->begin = ticks_now();
	while (leads ? w->stores < t->work->iters : word_of(p) != END) {
		t->work->loop(&s->sq, s->lock, chunk);
		w->stores += chunk;
	}
	w->end = ticks_now();
	w->ticks = (double)(w->end - w->begin) / (double)(w->stores ? w->stores : 1);
}

/* Each store timed by itself; what comes after enough of them is not. */
static void alone(const struct team *t, struct place *p, struct team_slot *s, bool leads,
		  double nothing, struct window *w)
{
	double ticks[ALONE];

	w->begin = clock_ticks();
	while (leads ? w->stores < ALONE : word_of(p) != END)
		if (w->stores < ALONE)
			ticks[w->stores++] = ticks_after_wait(s, t->work->loop);
		else
			store_some(t, s);
	w->end = clock_ticks();
	if (w->stores)
		w->ticks = trimmed_mean(ticks, (unsigned int)w->stores) - nothing;
}

static struct window pass(struct team *t, struct team_slot *s, unsigned int number,
			  unsigned int index)
{
	struct place *p = &t->places[number];
	bool leads = number % t->work->threads == index;
	double nothing = t->work->alone ? ticks_of_nothing(s) : 0;
	struct window w = { 0 };

	lead_in(t, p, s, leads);
	if (t->work->alone)
		alone(t, p, s, leads, nothing, &w);
	else
		back_to_back(t, p, s, leads, &w);
	if (leads)
		say(p, END);
	return w;
}

/* The first pass warms up. */
static void *passes(void *arg)
{
	struct member *m = (struct member *)arg;
	struct team *t = m->team;

	pin_thread(t->work->o, (int)m->index);
	for (unsigned int i = 0; i <= PASSES; i++)
		t->windows[i * t->work->threads + m->index] =
			pass(t, &t->work->slots[m->index], i, m->index);
	return NULL;
}

/* ---- all of them ---- */

/* 0: there is no time at which all of them were timed. */
static double overlap_of(const struct window *w, unsigned int n)
{
	uint64_t first = w[0].begin, last_begin = first, first_end = w[0].end, last = first_end;

	for (unsigned int i = 1; i < n; i++) {
		first = w[i].begin < first ? w[i].begin : first;
		last_begin = w[i].begin > last_begin ? w[i].begin : last_begin;
		first_end = w[i].end < first_end ? w[i].end : first_end;
		last = w[i].end > last ? w[i].end : last;
	}
	if (first_end <= last_begin || last == first)
		return 0;
	return (double)(first_end - last_begin) / (double)(last - first);
}

/* One pass of all threads. */
static struct team_times times_of(const struct window *w, unsigned int n, bool alone)
{
	struct team_times t = { .overlap = overlap_of(w, n) };
	unsigned int stored = 0;
	double sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (!w[i].stores)
			continue;
		stored++;
		sum += w[i].ticks;
		t.rate += alone ? NAN : (double)w[i].stores / (double)(w[i].end - w[i].begin);
		t.slowest = fmax(t.slowest, w[i].ticks);
	}
	/* a thread that waits all the time for a lock or a CPU has a part in the time of a
	 * store */
	t.ticks = alone ? sum / stored : n / t.rate;
	return t;
}

static struct team_times summarize(const struct team *t)
{
	double ticks[PASSES], slowest[PASSES], rate[PASSES], overlap[PASSES];
	unsigned int n = t->work->threads;

	for (unsigned int i = 0; i < PASSES; i++) {
		struct team_times one = times_of(&t->windows[(i + 1) * n], n, t->work->alone);

		ticks[i] = one.ticks;
		slowest[i] = one.slowest;
		rate[i] = one.rate;
		overlap[i] = one.overlap;
	}
	return (struct team_times){ median(ticks, PASSES), median(slowest, PASSES),
				    t->work->alone ? NAN : median(rate, PASSES),
				    median(overlap, PASSES) };
}

struct team_times team_measure(const struct team_work *work)
{
	struct team team = { .work = work,
			     .yield = work->threads > sysconf(_SC_NPROCESSORS_ONLN) };
	struct member *members = base_made(calloc(work->threads, sizeof(*members)));
	struct team_times times;

	clock_rate(); /* measured before there are threads */
	team.windows =
		base_made(calloc((size_t)(PASSES + 1) * work->threads, sizeof(*team.windows)));
	for (unsigned int i = 0; i < work->threads; i++)
		members[i] = (struct member){ .team = &team, .index = i };
	for (unsigned int i = 1; i < work->threads; i++)
		base_ok(pthread_create(&members[i].thread, NULL, passes, &members[i]));
	passes(&members[0]);
	for (unsigned int i = 1; i < work->threads; i++)
		base_ok(pthread_join(members[i].thread, NULL));
	times = summarize(&team);
	free(team.windows);
	free(members);
	return times;
}
