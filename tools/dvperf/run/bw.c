/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operations per second. One repeat is a run of all threads; with -n from the first post to the
 * last completion, as in perftest; with -D between two moments while the pipe is full.
 */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "machine/machine.h"
#include "pattern.h"
#include "rig.h"
#include "run.h"
#include "windows.h"
#include "worker.h"

enum {
	WINDOWS = 10,	      /* of a run with -D */
	WINDOW_NS = 20000000, /* of one with -n */
	SETTLE_NS = 20000000, /* the device counts a WQE after its CQE is written */
	IDLE_NS = 100000,     /* between two looks at a peer that works */
	WARM_UP = 10000,      /* operations per QP */
};

static const double SHORT_SECONDS = 0.1;
static const double NOTHING_SECONDS = 1e-3; /* a repeat that ^C cut to less has no rate */

/* One repeat. */
struct sample {
	double mops, seconds, slowest, fastest, ticks;
	struct effort effort;
	struct counts counts;
};

struct totals {
	struct sample *samples;
	unsigned int n;
	struct counts counts;
	struct histogram latency;
};

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000),
			      .tv_nsec = (long)(ns % 1000000000) };

	nanosleep(&t, NULL);
}

/* Sleeps; ^C on either side ends it early, and the death of the other one the program. */
static void wait_ns(const struct rig *rig, uint64_t ns)
{
	enum { SLICE_NS = 100000000 };
	uint64_t slice;

	for (; ns && !base_interrupted; ns -= slice) {
		slice = ns < SLICE_NS ? ns : SLICE_NS;
		sleep_ns(slice);
		if (rig->peer)
			peer_look(rig->peer);
	}
}

static uint64_t ops_so_far(const struct worker *w, unsigned int n)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += __atomic_load_n(&w[i].ops, __ATOMIC_RELAXED);
	return sum;
}

/* ---- windows: what the main thread does while the workers work ---- */

struct watch {
	const struct worker *w;
	unsigned int n;
	struct windows windows;
	struct sample *s;
};

static void begin(struct watch *v, uint64_t all)
{
	windows_begin(&v->windows, all, clock_ticks(), ops_so_far(v->w, v->n));
}

static void look(struct watch *v)
{
	uint64_t ticks = clock_ticks();

	windows_look(&v->windows, ticks, ops_so_far(v->w, v->n));
}

static void watch_iters(struct watch *v, struct run *run, uint64_t all)
{
	const struct windows *at = &v->windows;
	uint64_t ticks;

	begin(v, all);
	ticks = at->ticks;
	while (at->ops < all && !base_interrupted) {
		wait_ns(run->rig, WINDOW_NS);
		look(v);
		if (at->ops)
			base_progress("bw", (double)at->ops / (double)all,
				      (double)(all - at->ops) / (double)at->ops *
					      (double)(at->ticks - ticks) / clock_rate());
	}
	__atomic_store_n(&run->stop, base_interrupted != 0, __ATOMIC_RELAXED);
}

static void watch_duration(struct watch *v, struct run *run, const struct options *o)
{
	double inside = o->duration - 2 * o->margin;
	uint64_t ops, ticks;

	wait_ns(run->rig, (uint64_t)(o->margin * 1e9));
	begin(v, UINT64_MAX);
	ops = v->windows.ops;
	ticks = v->windows.ticks;
	for (int i = 0; i < WINDOWS && !base_interrupted; i++) {
		wait_ns(run->rig, (uint64_t)(inside / WINDOWS * 1e9));
		look(v);
		base_progress("bw", (o->margin + inside * (i + 1) / WINDOWS) / o->duration,
			      o->margin + inside * (WINDOWS - i - 1) / WINDOWS);
	}
	v->s->seconds = (double)(v->windows.ticks - ticks) / clock_rate();
	v->s->mops = (double)(v->windows.ops - ops) / v->s->seconds / 1e6;
	wait_ns(run->rig, (uint64_t)(o->margin * 1e9));
	__atomic_store_n(&run->stop, true, __ATOMIC_RELAXED);
}

/* ---- one repeat ---- */

static void sum_up(struct sample *s, struct worker *w, unsigned int n, struct totals *t)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (unsigned int i = 0; i < n; i++) {
		counts_add(&s->counts, &w[i].counts);
		histogram_add(&t->latency, &w[i].latency);
		effort_add(&s->effort, &w[i].effort);
		s->ticks += (double)(w[i].end - w[i].begin);
		begin = w[i].begin < begin ? w[i].begin : begin;
		end = w[i].end > end ? w[i].end : end;
	}
	if (isnan(s->seconds)) {
		s->seconds = (double)(end - begin) / clock_rate();
		s->mops = (double)s->counts.ops / s->seconds / 1e6;
	}
	/* the run as a whole is a window too: it may be shorter than one (NaN), and its end
	 * slow */
	s->slowest = fmin(s->slowest, s->mops);
	s->fastest = fmax(s->fastest, s->mops);
	counts_add(&t->counts, &s->counts);
}

/* -n operations per QP, at most @most; with -D as many as there is time for. */
static void repeat(struct run *run, struct totals *t, uint64_t most)
{
	const struct options *o = &run->rig->o;
	struct sample *s = &t->samples[t->n++];
	unsigned int n = (unsigned int)o->threads, ends;
	uint64_t iters = o->iters < most ? o->iters : most;
	struct worker *w = workers_start(run, o->duration > 0 ? UINT64_MAX / 2 : iters);
	struct watch v = { .w = w, .n = n, .s = s };

	*s = (struct sample){ .mops = NAN, .seconds = NAN };
	ends = run->rig->lanes * (o->bidirectional && o->loopback ? 2 : 1);
	if (o->duration > 0)
		watch_duration(&v, run, o);
	else
		watch_iters(&v, run, iters * ends);
	workers_join(w, n);
	s->slowest = v.windows.slowest * clock_rate() / 1e6;
	s->fastest = v.windows.fastest * clock_rate() / 1e6;
	sum_up(s, w, n, t);
	if (base_interrupted && s->seconds < NOTHING_SECONDS)
		t->n--;
	free(w);
}

/* ---- a point ---- */

static double column(const struct totals *t, double (*of)(const struct sample *))
{
	double values[MAX_REPEATS];

	for (unsigned int i = 0; i < t->n; i++)
		values[i] = of(&t->samples[i]);
	return median(values, t->n);
}

static double mops_of(const struct sample *s)
{
	return s->mops;
}

static double seconds_of(const struct sample *s)
{
	return s->seconds;
}

static double ticks_of(const struct sample *s)
{
	return s->counts.ops ? s->ticks / (double)s->counts.ops : NAN;
}

static double instructions_of(const struct sample *s)
{
	return s->counts.ops ? s->effort.instructions / (double)s->counts.ops : NAN;
}

static double user_cycles_of(const struct sample *s)
{
	return s->counts.ops ? s->effort.cycles / (double)s->counts.ops : NAN;
}

static double ipc_of(const struct sample *s)
{
	return s->effort.instructions / s->effort.cycles;
}

static double cpu_of(const struct sample *s)
{
	return s->effort.cpu_seconds / (s->ticks / clock_rate());
}

static void keep(struct result *r, const struct totals *t, enum metric m,
		 double (*of)(const struct sample *), double factor)
{
	double values[MAX_REPEATS];

	for (unsigned int i = 0; i < t->n; i++)
		values[i] = of(&t->samples[i]) * factor;
	result_keep(r, m, values, t->n);
}

/* CPU cost of the posting threads. */
static void efforts(struct result *r, const struct totals *t)
{
	double ratio = clock_core_ratio();

	r->m[METRIC_TICKS] = column(t, ticks_of);
	r->m[METRIC_CYCLES] = r->m[METRIC_TICKS] * ratio;
	r->m[METRIC_CYCLES_MIN] = INFINITY;
	r->m[METRIC_CYCLES_MAX] = 0;
	for (unsigned int i = 0; i < t->n; i++) {
		double cycles = ticks_of(&t->samples[i]) * ratio;

		r->m[METRIC_CYCLES_MIN] = fmin(r->m[METRIC_CYCLES_MIN], cycles);
		r->m[METRIC_CYCLES_MAX] = fmax(r->m[METRIC_CYCLES_MAX], cycles);
	}
	keep(r, t, METRIC_CYCLES, ticks_of, ratio);
	r->m[METRIC_INSTR] = column(t, instructions_of);
	r->m[METRIC_USER_CYCLES] = column(t, user_cycles_of);
	r->m[METRIC_IPC] = column(t, ipc_of);
	r->m[METRIC_CPU] = fmin(column(t, cpu_of), 1); /* its clock is coarser */
}

static void rates(struct result *r, const struct totals *t)
{
	double least = INFINITY, most = 0, mops = column(t, mops_of);

	r->m[METRIC_MOPS_MIN] = INFINITY;
	r->m[METRIC_MOPS_MAX] = 0;
	for (unsigned int i = 0; i < t->n; i++) {
		const struct sample *s = &t->samples[i];

		least = fmin(least, s->mops);
		most = fmax(most, s->mops);
		r->m[METRIC_MOPS_MIN] = fmin(r->m[METRIC_MOPS_MIN], s->slowest);
		r->m[METRIC_MOPS_MAX] = fmax(r->m[METRIC_MOPS_MAX], s->fastest);
	}
	r->m[METRIC_MOPS] = mops;
	r->m[METRIC_SPREAD] = mops > 0 ? (most - least) / mops : NAN;
	if (r->o.op != OP_NOP)
		r->m[METRIC_GBPS] = mops * r->o.size * 8 / 1e3;
	r->m[METRIC_NS] = mops > 0 ? 1e3 / mops : NAN;
	keep(r, t, METRIC_MOPS, mops_of, 1);
	efforts(r, t);
	r->m[METRIC_SECONDS] = column(t, seconds_of);
	if (r->m[METRIC_SECONDS] < SHORT_SECONDS)
		result_distrust(
			r, "short: a repeat took less than 0.1 s; more operations (-n), or -D");
}

static uint64_t receive_all(struct rig *rig)
{
	uint64_t n, sum = 0;

	while ((n = rig_receive(rig)))
		sum += n;
	return sum;
}

/* Messages from the other side may still come: they are taken until it has finished too. */
static uint64_t finish(struct rig *rig)
{
	uint64_t received = 0;

	if (!rig->peer) {
		sleep_ns(SETTLE_NS);
		return receive_all(rig);
	}
	peer_announce(rig->peer);
	while (!peer_is_waiting(rig->peer)) {
		peer_look(rig->peer);
		received += rig_receive(rig);
		/* both sides may share their CPUs; without receives no thread of this side is
		 * needed */
		if (rig->o.events)
			rig_sleep(rig, IDLE_NS);
		else if (rig->near[0].mem.recv_len)
			sched_yield();
		else
			sleep_ns(IDLE_NS);
	}
	received += receive_all(rig);
	peer_await(rig->peer);
	return received;
}

/* A run that does not count, of at most WARM_UP operations per QP: caches, registrations, the
 * device's own memory of QPs and pages. */
static void warm_up(struct rig *rig, struct run *run)
{
	struct totals t = { .samples = base_made(calloc(1, sizeof(struct sample))) };

	histogram_clear(&t.latency);
	if (!rig->peer || !rig->peer->server || rig->o.bidirectional)
		repeat(run, &t, WARM_UP);
	finish(rig);
	free(t.samples);
}

/* Whether both sides go on; ^C on one of them ends both. */
static bool go_on(struct rig *rig, bool ours)
{
	return rig->peer ? peer_both(rig->peer, ours) : ours;
}

static void repeats(struct rig *rig, struct run *run, struct totals *t)
{
	for (int i = 0; go_on(rig, i < rig->o.repeats && !base_interrupted); i++) {
		if (!rig->peer || !rig->peer->server || rig->o.bidirectional)
			repeat(run, t, UINT64_MAX);
		t->counts.recv_cqes += finish(rig);
	}
}

/* Both sides of -b measured: each adds the other's rate. Ranks tell their own. */
static void add_peer(struct rig *rig, struct result *r)
{
	double ours = r->m[METRIC_MOPS], theirs;

	if (rig->peer && rig->peer->ranks)
		r->m[METRIC_RECV_MOPS] = pattern_received(rig, ours);
	if (!rig->peer || rig->peer->ranks)
		return;
	peer_exchange(rig->peer, &ours, &theirs, sizeof(ours));
	if (!rig->o.bidirectional && !rig->peer->server)
		return;
	r->n_kept = 0; /* the other side's repeats are not known here */
	r->m[METRIC_INTERVAL] = NAN;
	r->m[METRIC_MOPS] = rig->o.bidirectional ? ours + theirs : theirs;
	r->m[METRIC_GBPS] = r->m[METRIC_MOPS] * r->o.size * 8 / 1e3;
	r->m[METRIC_WIRE_GBPS] *= r->m[METRIC_MOPS] / ours;
}

/* The rig, connected, and how long that took. */
static void open_measured(struct result *r, struct json_object **env, struct rig *rig,
			  struct peer *peer)
{
	uint64_t begin = clock_ticks(), apart;

	rig_open(rig, &r->o);
	apart = clock_ticks();
	environment_distrust(r, &rig->dev);
	rig_distrust(rig, r);
	if (env && !*env)
		*env = environment_json(&rig->dev, &r->o);
	begin += clock_ticks() - apart;
	rig_connect(rig, peer);
	begin = clock_ticks() - begin;
	r->m[METRIC_SETUP] = (double)begin / clock_rate() * 1e3;
}

void bw_run(struct result *r, struct json_object **env)
{
	struct totals t = { .samples = base_made(calloc(MAX_REPEATS, sizeof(struct sample))) };
	struct run run = { .rig = NULL };
	uint64_t throttled = environment_throttled();
	struct json_object *before;
	struct peer peer;
	struct rig rig;

	histogram_clear(&t.latency);
	if (!r->o.loopback)
		peer_open(&peer, &r->o);
	open_measured(r, env, &rig, r->o.loopback ? NULL : &peer);
	run.rig = &rig;
	run.yield = r->o.threads > sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; go_on(&rig, i < r->o.warmup && !base_interrupted); i++)
		warm_up(&rig, &run);
	before = counters_read(&rig.dev);
	repeats(&rig, &run, &t);
	r->counters = counters_moved(before, counters_read(&rig.dev));
	if (t.n) {
		rates(r, &t);
		result_counts(r, &t.counts, t.counts.ops);
		result_latency(r, &t.latency, clock_rate());
		rig_model(r, &rig);
	}
	r->m[METRIC_REGISTERS] = rig.registers;
	r->m[METRIC_ALL_CQES] = (double)(t.counts.cqes + t.counts.recv_cqes);
	if (base_interrupted)
		result_distrust(r, "interrupted: what was measured until then");
	if (environment_throttled() != throttled)
		result_distrust(r, "throttled: a core became too hot meanwhile");
	add_peer(&rig, r);
	r->nothing = base_interrupted && isnan(r->m[METRIC_MOPS]);
	rig_close(&rig);
	free(t.samples);
}
