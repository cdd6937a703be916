/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time of one operation, as perftest measures it: READ and atomics from the post to the CQE;
 * WRITE and SEND there and back, halved.
 *
 *	WRITE   A writes a number behind the message ----> B sees it in its memory
 *	        A sees it in its memory              <---- B writes the same number
 *	SEND    likewise, a receive CQE in place of the number
 *
 * With --loopback one thread plays both sides. Unlike perftest, no sample is dropped.
 */
#include <sched.h>
#include <stdlib.h>

#include "clock.h"
#include "dvperf.h"
#include "environment.h"
#include "modes.h"
#include "rig.h"
#include "worker.h"

enum {
	PATIENCE_SECONDS = 20,
	WARM_UP = 50,
};

struct side {
	struct lane *l;
	uint8_t mark; /* in the last byte of the next message, or of the one awaited */
	struct counts counts;
	bool yield;
};

static void patience(uint64_t since, bool yield)
{
	if (yield)
		sched_yield();
	if ((double)(clock_ticks() - since) > PATIENCE_SECONDS * clock_rate())
		fail("nothing came back for %d s: is the peer alive?", PATIENCE_SECONDS);
}

static void post_one(struct side *s)
{
	if (s->l->op == OP_WRITE)
		((volatile uint8_t *)s->l->src)[s->l->o->size - 1] = s->mark;
	if (s->l->poster->post(s->l, 1, 0, 1) != 1)
		fail("no room for one WQE");
	s->counts.wqes++;
	s->counts.doorbells++;
	s->counts.batches++;
	s->counts.blocks += s->l->nbb;
}

static void wait_cqe(struct side *s)
{
	uint64_t since = clock_ticks();

	while (!s->l->poster->poll(s->l, 1)) {
		s->counts.empty_polls++;
		s->counts.polls++;
		patience(since, s->yield);
	}
	s->counts.polls++;
	s->counts.cqes++;
	s->counts.ops++;
}

/* A message of the peer. */
static void wait_message(struct side *s)
{
	const volatile uint8_t *last = (uint8_t *)s->l->land + s->l->o->size - 1;
	uint64_t since = clock_ticks();

	if (s->l->op == OP_SEND) {
		while (!lane_take_recvs(s->l))
			patience(since, s->yield);
		s->counts.recv_cqes++;
		return;
	}
	while (*last != s->mark)
		patience(since, s->yield);
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

static void pong(struct side *s)
{
	wait_message(s);
	post_one(s);
	wait_cqe(s);
	s->mark++;
}

static bool is_one_sided(const struct options *o)
{
	return o->op == OP_READ || o->op == OP_ATOMIC;
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

/* The samples of one repeat. */
static void measure(struct side *s, struct side *far, struct histogram *h, bool serves)
{
	const struct options *o = s->l->o;
	uint64_t begin = clock_ticks(), took;
	double seconds = 0;

	for (uint64_t i = 0; i < o->iters + WARM_UP; i++) {
		if (serves) {
			if (!is_one_sided(o))
				pong(s);
			continue;
		}
		/* with a peer the number of messages is agreed upon: ^C waits for it */
		if (interrupted && far)
			break;
		took = once(s, far);
		if (i >= WARM_UP)
			histogram_take(h, took);
		if (i % 1024 == 1023) {
			seconds = (double)(clock_ticks() - begin) / clock_rate();
			progress("lat", (double)i / (double)o->iters,
				 seconds / (double)i * (double)(o->iters - i));
		}
	}
}

static void repeats(struct rig *rig, struct side *s, struct side *far, struct histogram *h)
{
	bool serves = rig->peer && rig->peer->server, ours, theirs;

	for (int i = 0;; i++) {
		ours = i < rig->o.repeats && !interrupted;
		theirs = true;
		if (rig->peer)
			peer_exchange(rig->peer, &ours, &theirs, sizeof(ours));
		if (!ours || !theirs)
			break;
		measure(s, far, h, serves);
	}
}

static void fill_in(struct result *r, struct rig *rig, struct side *s,
		    const struct histogram *h)
{
	result_counts(r, &s->counts, s->counts.ops);
	result_latency(r, h, clock_rate());
	model_run(r, &rig->dev, s->l->nbb);
	r->m[METRIC_REGISTERS] = rig->registers;
	if (interrupted)
		result_distrust(r, "interrupted: what was measured until then");
}

/* Both ends start with landing memory that no mark has. */
static void clear(struct lane *l)
{
	l->land[l->o->size - 1] = 0;
}

void lat_run(struct result *r, struct json_object **env)
{
	struct side near = { .mark = 1 }, far = { .mark = 1 };
	static struct histogram h;
	struct json_object *before;
	struct peer peer;
	struct rig rig;

	histogram_clear(&h);
	if (!r->o.loopback)
		peer_open(&peer, &r->o);
	rig_open(&rig, &r->o);
	environment_distrust(r, &rig.dev);
	if (env && !*env)
		*env = environment_json(&rig.dev, &r->o);
	near.l = &rig.near[0];
	near.yield = far.yield = rig.dev.emulated;
	clear(near.l);
	if (rig.far) {
		far.l = &rig.far[0];
		clear(far.l);
	}
	rig_connect(&rig, r->o.loopback ? NULL : &peer);
	pin_thread(&r->o, 0);
	before = counters_read(&rig.dev);
	repeats(&rig, &near, rig.far ? &far : NULL, &h);
	counts_add(&near.counts, &far.counts);
	fill_in(r, &rig, &near, &h);
	r->counters = counters_moved(before, counters_read(&rig.dev));
	rig_close(&rig);
	if (!r->o.loopback)
		peer_close(&peer);
}
