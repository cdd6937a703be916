/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of a worker: post, poll, receive, sleep; its threads started and joined. */
#include <sched.h>
#include <stdlib.h>

#include "base/base.h"
#include "worker.h"

enum {
	PATIENCE_SECONDS = 20, /* without any completion: the device or the peer is dead */
	SLEEP_NS = 100000000,  /* -e: longest sleep between two checks for ^C */
};

/* ---- one lane ---- */

/* Which of the next @n WQEs is signaled first; those after it by the interval. */
static unsigned int first_signal(const struct lane *l, unsigned int n, unsigned int *every)
{
	*every = options_signal_interval(l->o);
	if (l->o->adaptive && l->o->signal == SIGNAL_BATCH)
		*every = n; /* of whatever size it is */
	if (n < l->queue.left)
		return l->queue.unsignaled + n < *every ? n : *every - l->queue.unsignaled - 1;
	/* nothing comes after these: their last one has to tell of all */
	*every = n;
	return n - 1;
}

/* Writes down what the CQEs of a batch will cover. */
static void remember(struct lane *l, unsigned int n, unsigned int sig, unsigned int every,
		     uint64_t since, uint16_t first)
{
	unsigned int done = 0;

	for (; sig < n; sig += every) {
		struct pending *p = &l->queue.pending[l->queue.tail++ & l->queue.mask];

		p->ops = l->queue.unsignaled + sig + 1 - done;
		p->since = since;
		p->at = (uint16_t)(first + sig * l->op.blocks);
		l->queue.unsignaled = 0;
		done = sig + 1;
	}
	l->queue.unsignaled += n - done;
}

static bool post(struct worker *w, struct lane *l, unsigned int n, uint64_t since)
{
	uint16_t before = lane_blocks(l), blocks;
	unsigned int every, sig = first_signal(l, n, &every);
	unsigned int posted = l->poster->post(l, n, sig, every);

	if (!posted)
		return false;
	remember(l, posted, sig, every, since, before);
	blocks = lane_blocks_since(l, before, posted);
	l->queue.outstanding += posted;
	l->queue.begun += posted;
	l->queue.left -= posted;
	w->counts.blocks += blocks;
	w->counts.wqes += lane_wqes(l, posted, blocks);
	w->counts.doorbells++;
	w->counts.batches++;
	return true;
}

static unsigned int poll(struct worker *w, struct lane *l, bool stamps)
{
	unsigned int cqes = l->poster->poll(l, l->o->cqe_poll), ops = 0;
	uint64_t now = stamps && cqes ? clock_ticks() : 0;

	w->counts.polls++;
	w->counts.empty_polls += !cqes;
	w->counts.cqes += cqes;
	for (unsigned int i = 0; i < cqes; i++) {
		const struct pending *p = &l->queue.pending[l->queue.head++ & l->queue.mask];

		ops += p->ops;
		if (stamps)
			histogram_take(&w->latency, now - p->since);
	}
	l->queue.outstanding -= ops;
	w->counts.ops += ops;
	__atomic_store_n(&w->ops, w->counts.ops, __ATOMIC_RELAXED);
	return cqes;
}

/* Ticks between two operations of a lane with a pace. */
static double ticks_apart(const struct worker *w, const struct options *o)
{
	unsigned int lanes = w->run->rig->lanes * (o->bidirectional && o->loopback ? 2 : 1);

	return lanes / o->rate * w->run->ticks_per_second;
}

/* When the lane's next batch is due; @now without a pace. */
static uint64_t due(const struct worker *w, const struct lane *l, uint64_t now)
{
	if (l->o->rate <= 0)
		return now;
	return w->begin + (uint64_t)((double)l->queue.begun * ticks_apart(w, l->o));
}

/* How many of @n an adaptive batch has: as many as fit the ring, and with a pace are due. */
static unsigned int opportunity(const struct worker *w, const struct lane *l, unsigned int n,
				uint64_t now)
{
	unsigned int available = options_depth(l->o) - l->queue.outstanding;
	double late;

	n = n < available ? n : available;
	if (l->o->rate <= 0)
		return n;
	late = (double)(now - w->begin) / ticks_apart(w, l->o) + 1 - (double)l->queue.begun;
	return late < n ? late < 1 ? 0 : (unsigned int)late : n;
}

/* One iteration of a lane: whether anything was done. */
static bool iterate(struct worker *w, struct lane *l)
{
	const struct options *o = l->o;
	bool stamps = !o->no_peak, did = false, fits;
	uint64_t now = stamps ? clock_ticks() : 0, since;
	unsigned int n = o->batch < l->queue.left ? o->batch : (unsigned int)l->queue.left;

	if (__atomic_load_n(&w->run->stop, __ATOMIC_RELAXED) && l->queue.left > 1)
		n = (unsigned int)(l->queue.left = l->queue.unsignaled > 0);
	fits = l->queue.outstanding + n <= options_depth(o);
	if (o->adaptive && n) {
		fits = l->queue.outstanding < options_depth(o);
		n = fits ? opportunity(w, l, n, now) : n;
	}
	if (n && fits) {
		since = due(w, l, now);
		did = since <= now && post(w, l, n, since);
	} else if (n) {
		w->counts.full++;
	}
	if (l->queue.head != l->queue.tail && (stamps || !did))
		did |= poll(w, l, stamps);
	return did;
}

static bool is_done(const struct lane *l)
{
	return !l->queue.left && !l->queue.outstanding;
}

/* ---- a thread ---- */

static bool receive(struct worker *w)
{
	uint64_t before = w->counts.recv_cqes;

	for (unsigned int i = 0; i < w->receiving; i++)
		w->counts.recv_cqes += lane_take_recvs(w->receivers[i]);
	return w->counts.recv_cqes != before;
}

/* One iteration of every lane. */
static bool round_of(struct worker *w, bool *did)
{
	bool all_done = true;

	for (unsigned int i = 0; i < w->n; i++) {
		struct lane *l = w->lanes[i];

		if (l->lock)
			pthread_spin_lock(l->lock);
		*did |= iterate(w, l);
		all_done &= is_done(l);
		if (l->lock)
			pthread_spin_unlock(l->lock);
	}
	if (w->receiving)
		*did |= receive(w);
	return all_done;
}

/* Nanoseconds until a batch of any lane is due. */
static uint64_t idle_ns(const struct worker *w)
{
	uint64_t now = clock_ticks(), next = UINT64_MAX, at;
	double ns;

	for (unsigned int i = 0; i < w->n && w->run->rig->o.rate > 0; i++) {
		at = due(w, w->lanes[i], now);
		next = w->lanes[i]->queue.left && at > now && at < next ? at : next;
	}
	if (next == UINT64_MAX)
		return SLEEP_NS;
	ns = (double)(next - now) / w->run->ticks_per_second * 1e9;
	return ns < SLEEP_NS ? (uint64_t)ns : SLEEP_NS;
}

/* -e: waits for an event, when there is nothing to do. */
static void sleep_for_event(struct worker *w)
{
	struct lane *any = w->lanes[0];
	bool again = false;

	for (unsigned int i = 0; i < w->n; i++)
		if (w->lanes[i]->queue.head != w->lanes[i]->queue.tail)
			again |= lane_cq_arm(w->lanes[i]->cqs.send);
	for (unsigned int i = 0; i < w->receiving; i++)
		again |= lane_cq_arm(w->receivers[i]->cqs.recv);
	if (!again)
		lane_cq_sleep(&any->cqs.send->channel, 1, idle_ns(w));
}

static void *work(void *arg)
{
	struct worker *w = (struct worker *)arg;
	uint64_t idle = 0, idle_since = 0;
	struct effort_meter meter;
	bool did;

	pin_thread(&w->run->rig->o, w->index);
	effort_open(&meter);
	pthread_barrier_wait(&w->run->start);
	effort_begin(&meter);
	w->begin = clock_ticks();
	for (;;) {
		did = false;
		if (round_of(w, &did))
			break;
		if (did) {
			idle = 0;
			continue;
		}
		if (w->run->rig->o.events)
			sleep_for_event(w);
		else if (w->run->yield)
			sched_yield();
		if (!idle++)
			idle_since = clock_ticks();
		else if ((w->run->rig->o.events || !(idle & 0xfff)) &&
			 (double)(clock_ticks() - idle_since) >
				 PATIENCE_SECONDS * w->run->ticks_per_second &&
			 w->run->rig->o.rate <= 0)
			base_fail("no completion for %d s: is the peer alive?",
				  PATIENCE_SECONDS);
	}
	w->end = clock_ticks();
	w->effort = effort_end(&meter);
	return NULL;
}

/* The lanes of @w's group, and those whose receives it takes. */
static void give_lanes(struct worker *w, struct rig *rig)
{
	unsigned int sharers = layout_sharers(&rig->o),
		     group = (unsigned int)w->index / sharers;
	unsigned int qps = rig->o.qps;

	w->lanes = base_made(calloc(2 * qps, sizeof(struct lane *)));
	w->receivers = base_made(calloc(2 * qps, sizeof(struct lane *)));
	w->n = rig_group(rig, group, w->lanes);
	for (unsigned int i = 0; i < qps && (unsigned int)w->index % sharers == 0; i++) {
		struct lane *near = &rig->near[group * qps + i];

		if (near->mem.recv_len)
			w->receivers[w->receiving++] = near;
		if (rig->far && rig->far[group * qps + i].mem.recv_len)
			w->receivers[w->receiving++] = &rig->far[group * qps + i];
	}
}

struct worker *workers_start(struct run *run, uint64_t iters)
{
	unsigned int n = (unsigned int)run->rig->o.threads;
	struct worker *w = base_made(aligned_alloc(64, n * sizeof(*w)));

	run->ticks_per_second = clock_rate();
	run->stop = false;
	base_ok(pthread_barrier_init(&run->start, NULL, n + 1));
	for (unsigned int i = 0; i < n; i++) {
		w[i] = (struct worker){ .run = run, .index = (int)i };
		histogram_clear(&w[i].latency);
		give_lanes(&w[i], run->rig);
		for (unsigned int k = 0; k < w[i].n; k++) {
			w[i].lanes[k]->queue.left = iters;
			w[i].lanes[k]->queue.begun = 0;
		}
	}
	for (unsigned int i = 0; i < n; i++)
		base_ok(pthread_create(&w[i].thread, NULL, work, &w[i]));
	pthread_barrier_wait(&run->start);
	return w;
}

void workers_join(struct worker *w, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		base_ok(pthread_join(w[i].thread, NULL));
		free(w[i].lanes);
		free(w[i].receivers);
	}
	pthread_barrier_destroy(&w->run->start);
}

void rig_sleep(struct rig *rig, uint64_t ns)
{
	bool again = false;

	for (unsigned int i = 0; i < rig->lanes; i++) {
		if (rig->near[i].mem.recv_len)
			again |= lane_cq_arm(rig->near[i].cqs.recv);
		if (rig->far && rig->far[i].mem.recv_len)
			again |= lane_cq_arm(rig->far[i].cqs.recv);
	}
	if (!again)
		lane_cq_sleep(rig->channels, rig->groups, ns);
}

uint64_t rig_receive(struct rig *rig)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < rig->lanes; i++) {
		if (rig->near[i].mem.recv_len)
			n += lane_take_recvs(&rig->near[i]);
		if (rig->far && rig->far[i].mem.recv_len)
			n += lane_take_recvs(&rig->far[i]);
	}
	return n;
}
