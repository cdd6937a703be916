/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time of one operation, as perftest measures it: READ, atomics and copies (mmo) from the
 * post to the CQE; WRITE and SEND there and back, halved.
 *
 *	WRITE   A writes a number after the message ----> B sees it in its memory
 *	        A sees it in its memory              <---- B writes the same number
 *	SEND    as WRITE, with a receive CQE instead of the number; WRITE_IMM too
 *
 * With --loopback one thread is both sides. Unlike perftest, no sample is dropped.
 */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/base.h"
#include "machine/machine.h"
#include "rig.h"
#include "run.h"
#include "worker.h"

enum {
	PATIENCE_SECONDS = 20,
	WARM_UP = 50,
};

static const double LOOK_SECONDS = 0.1; /* of waiting, before a look at the other side */

struct side {
	struct lane *l;
	uint8_t mark; /* in the last byte of the next message, or of the one awaited */
	struct counts counts;
	bool yield;
	struct peer *peer; /* NULL: --loopback */
	uint64_t looked;   /* ticks: for it, the last time */
};

/* Waits on, since then, for @cq or, without it, memory; false: for nothing, the other side has
 * ended this repeat. */
static bool patience(struct side *s, struct lane_cq *cq, uint64_t since)
{
	uint64_t now = clock_ticks(), last = s->looked > since ? s->looked : since;

	if (cq && cq->channel) {
		if (!lane_cq_arm(cq))
			lane_cq_sleep(&cq->channel, 1, (uint64_t)(LOOK_SECONDS * 1e9));
	} else if (s->yield) {
		sched_yield();
	}
	if ((double)(now - since) > PATIENCE_SECONDS * clock_rate())
		base_fail("no message for %d s: is the peer alive?", PATIENCE_SECONDS);
	if (!s->peer || (double)(now - last) < LOOK_SECONDS * clock_rate())
		return true;
	s->looked = now;
	peer_look(s->peer);
	return !s->peer->server || !peer_is_waiting(s->peer);
}

static void post_one(struct side *s)
{
	uint16_t before = lane_blocks(s->l), blocks;

	if (s->l->op.kind == OP_WRITE)
		lane_mark(s->l, s->mark);
	if (s->l->poster->post(s->l, 1, 0, 1) != 1)
		base_fail("no space for one WQE");
	blocks = lane_blocks_since(s->l, before, 1);
	s->counts.wqes += lane_wqes(s->l, 1, blocks);
	s->counts.doorbells++;
	s->counts.batches++;
	s->counts.blocks += blocks;
}

static void wait_cqe(struct side *s)
{
	uint64_t since = clock_ticks();

	while (!s->l->poster->poll(s->l, 1)) {
		s->counts.empty_polls++;
		s->counts.polls++;
		patience(s, s->l->cqs.send, since);
	}
	s->counts.polls++;
	s->counts.cqes++;
	s->counts.ops++;
}

/* A message of the peer; false: none comes. */
static bool wait_message(struct side *s)
{
	uint64_t since = clock_ticks();

	if (s->l->op.kind != OP_WRITE) {
		while (!lane_take_recvs(s->l))
			if (!patience(s, s->l->cqs.recv, since))
				return false;
		s->counts.recv_cqes++;
		return true;
	}
	while (!lane_has_mark(s->l, s->mark))
		if (!patience(s, NULL, since))
			return false;
	return true;
}

static void ping(struct side *s, struct side *far)
{
	post_one(s);
	if (far) {
		wait_message(far);
		post_one(far);
		wait_message(s);
		wait_cqe(far);
		far->mark++;
	} else {
		wait_message(s);
	}
}

static bool pong(struct side *s)
{
	if (!wait_message(s))
		return false;
	post_one(s);
	wait_cqe(s);
	s->mark++;
	if (base_interrupted) /* the client ends the repeat */
		peer_look(s->peer);
	return true;
}

static void pongs(struct side *s)
{
	const struct options *o = s->l->o;

	for (uint64_t i = 0; o->duration > 0 || i < o->iters + WARM_UP; i++)
		if (!pong(s))
			break;
}

static bool is_one_sided(const struct options *o)
{
	return o->op == OP_READ || o->op == OP_ATOMIC || o->op == OP_MMO;
}

static uint64_t once(struct side *s, struct side *far)
{
	uint64_t begin = clock_ticks(), end;

	if (is_one_sided(s->l->o)) {
		post_one(s);
		wait_cqe(s);
		return clock_ticks() - begin;
	}
	ping(s, far);
	end = clock_ticks();
	wait_cqe(s); /* before the source is written again */
	s->mark++;
	return (end - begin) / 2;
}

/* All samples: counted, and with -H or -U kept one by one. */
struct samples {
	struct histogram histogram, repeat;		/* of all repeats, of this one */
	double medians[MAX_REPEATS], high[MAX_REPEATS]; /* of each repeat, ticks: p50, p99 */
	unsigned int repeats;
	uint64_t *list; /* NULL: not kept */
	size_t n;
};

static void clear(struct samples *all, const struct options *o)
{
	histogram_clear(&all->histogram);
	all->n = all->repeats = 0;
	all->list =
		o->histogram || o->unsorted
			? base_made(calloc(o->iters * (uint64_t)o->repeats, sizeof(uint64_t)))
			: NULL;
}

static void take(struct samples *all, uint64_t ticks)
{
	histogram_take(&all->repeat, ticks);
	if (all->list)
		all->list[all->n++] = ticks;
}

/* The finished part of a repeat after @i operations and @seconds. */
static double done(const struct options *o, uint64_t i, double seconds)
{
	return o->duration > 0 ? seconds / o->duration
			       : (double)i / (double)(o->iters + WARM_UP);
}

/* Whether operation @i, which ended after @seconds, is neither warm-up nor in a margin. */
static bool counts_as_sample(const struct options *o, uint64_t i, double seconds)
{
	if (o->duration > 0)
		return seconds >= o->margin && seconds <= o->duration - o->margin;
	return i >= WARM_UP;
}

/* The samples of one repeat. */
static void measure(struct side *s, struct side *far, struct samples *all)
{
	const struct options *o = s->l->o;
	uint64_t begin = clock_ticks(), took;
	double seconds = 0;

	histogram_clear(&all->repeat);
	for (uint64_t i = 0; done(o, i, seconds) < 1 && !base_interrupted; i++) {
		took = once(s, far);
		seconds = (double)(clock_ticks() - begin) / clock_rate();
		if (counts_as_sample(o, i, seconds))
			take(all, took);
		if (i % 1024 == 1023) {
			base_progress("lat", done(o, i, seconds),
				      seconds / done(o, i, seconds) - seconds);
			if (s->peer)
				peer_look(s->peer);
		}
	}
	if (!all->repeat.count && !base_interrupted)
		base_refuse("no operation ended between the margins (-f): a longer -D");
	if (!all->repeat.count)
		return;
	all->medians[all->repeats] = (double)histogram_percentile(&all->repeat, 50);
	all->high[all->repeats++] = (double)histogram_percentile(&all->repeat, 99);
	histogram_add(&all->histogram, &all->repeat);
}

static void keep(struct result *r, enum metric m, const double *ticks, unsigned int n)
{
	double us[MAX_REPEATS];

	for (unsigned int i = 0; i < n; i++)
		us[i] = ticks[i] * 1e6 / clock_rate();
	result_keep(r, m, us, n);
}

/* The end of a repeat, which the client decides. */
static void finish(struct peer *peer)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	peer_look(peer);
	peer_announce(peer);
	while (!peer_is_waiting(peer)) {
		peer_look(peer);
		nanosleep(&pause, NULL);
	}
	peer_await(peer);
}

static void repeats(struct rig *rig, struct side *s, struct side *far, struct samples *all)
{
	bool serves = rig->peer && rig->peer->server, on;

	for (int i = 0;; i++) {
		on = i < rig->o.repeats && !base_interrupted;
		if (rig->peer)
			on = peer_both(rig->peer, on);
		if (!on)
			break;
		if (!serves)
			measure(s, far, all);
		else if (!is_one_sided(&rig->o))
			pongs(s);
		if (rig->peer)
			finish(rig->peer);
	}
}

static void fill_in(struct result *r, struct rig *rig, struct side *s,
		    const struct samples *all)
{
	result_counts(r, &s->counts, s->counts.ops);
	result_latency(r, &all->histogram, clock_rate());
	keep(r, METRIC_LAT_50, all->medians, all->repeats);
	keep(r, METRIC_LAT_99, all->high, all->repeats);
	r->samples = all->list;
	r->n_samples = all->n;
	rig_model(r, rig);
	r->m[METRIC_REGISTERS] = rig->registers;
	if (base_interrupted)
		result_distrust(r, "interrupted: what was measured until then");
}

void lat_run(struct result *r, struct json_object **env)
{
	struct side near = { .mark = 1 }, far = { .mark = 1 };
	static struct samples all;
	struct json_object *before;
	uint64_t begin, apart;
	struct peer peer;
	struct rig rig;

	clear(&all, &r->o);
	if (!r->o.loopback)
		peer_open(&peer, &r->o);
	begin = clock_ticks();
	rig_open(&rig, &r->o);
	apart = clock_ticks();
	environment_distrust(r, &rig.dev);
	if (env && !*env)
		*env = environment_json(&rig.dev, &r->o);
	near.l = &rig.near[0];
	near.yield = far.yield = rig.dev.emulated;
	near.peer = r->o.loopback ? NULL : &peer;
	lane_clear_mark(near.l);
	if (rig.far) {
		far.l = &rig.far[0];
		lane_clear_mark(far.l);
	}
	begin += clock_ticks() - apart;
	rig_connect(&rig, r->o.loopback ? NULL : &peer);
	begin = clock_ticks() - begin;
	r->m[METRIC_SETUP] = (double)begin / clock_rate() * 1e3;
	pin_thread(&r->o, 0);
	before = counters_read(&rig.dev);
	repeats(&rig, &near, rig.far ? &far : NULL, &all);
	counts_add(&near.counts, &far.counts);
	fill_in(r, &rig, &near, &all);
	r->nothing = base_interrupted && !all.histogram.count && (r->o.loopback || r->o.host);
	r->counters = counters_moved(before, counters_read(&rig.dev));
	rig_close(&rig);
}
