/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU's cost of posting and polling, with a device that does nothing meanwhile: the
 * emulator, paused, or, for direct, rings in memory.
 *
 *	a pass  post post post … (-t WQEs)   |   all is completed at once by one CQE, not timed
 *	        '------- timed --------'
 *
 * Instructions are counted by single steps (step.h) and are exact; cycles are the median of
 * repeats, each of which is the median of many passes. Between the two there is no NIC: what a
 * write to its register costs is not in the cycles.
 */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dvkit/emu.h>

#include "base/base.h"
#include "model/model.h"
#include "machine/machine.h"
#include "post_repeats.h"
#include "rig.h"
#include "run.h"

enum {
	PASSES = 41,
	WARM = 3,
	SINGLES = 32, /* CQEs that wait to be polled one by one */
	SPINS = 2000, /* a few microseconds: a thread that is late may be waiting for this CPU */
	SLEEP_US = 50,
};

/* All threads wait for each other here, a few hundred times. */
struct barrier {
	unsigned int waiting, phase; /* atomic */
	unsigned int n;
};

struct bench {
	struct rig rig;
	bool in_memory;
	struct barrier barrier;
	double *ticks; /* of each thread and pass, per operation */
};

struct poster_thread {
	struct bench *b;
	unsigned int index;
	pthread_t thread;
};

static void barrier_wait(struct barrier *at, bool sleeps)
{
	unsigned int phase = __atomic_load_n(&at->phase, __ATOMIC_RELAXED);

	if (__atomic_add_fetch(&at->waiting, 1, __ATOMIC_ACQ_REL) == at->n) {
		__atomic_store_n(&at->waiting, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&at->phase, phase + 1, __ATOMIC_RELEASE);
		return;
	}
	for (unsigned int i = 0; __atomic_load_n(&at->phase, __ATOMIC_ACQUIRE) == phase; i++)
		if (i >= SPINS && sleeps)
			usleep(SLEEP_US);
		else if (i >= SPINS)
			sched_yield();
}

/* ---- completing what was posted ---- */

/* As the adapter would: a success CQE for the last WQE, in the place that polling looks at
 * after @ahead others. */
static void complete_in_memory(struct lane *l, uint32_t ahead)
{
	uint32_t ci = l->cqs.send_ring.ci + ahead;
	struct mlx5_cqe64 *cqe = (struct mlx5_cqe64 *)dv_cq_at(&l->cqs.send_ring, ci);
	const struct mlx5_wqe_ctrl_seg *ctrl = (const struct mlx5_wqe_ctrl_seg *)l->sq.last;

	cqe->wqe_counter = htobe16((uint16_t)(be32toh(ctrl->opmod_idx_opcode) >> 8));
	cqe->op_own = (uint8_t)(MLX5_CQE_REQ << 4 | !!(ci & l->cqs.send_ring.cqe_cnt));
}

static void complete(struct bench *b, struct lane *l, uint32_t ahead)
{
	if (b->in_memory)
		complete_in_memory(l, ahead);
	else
		base_ok(dvkit_emu_retire(lane_qpn(l)));
}

static void must(unsigned int have, unsigned int want, const char *what)
{
	if (have != want)
		base_fail("%u %s in place of %u", have, what, want);
}

/* ---- instructions ---- */

static void count_instructions(struct bench *b, struct result *r)
{
	struct lane *l = &b->rig.near[0];
	unsigned int n = r->o.batch;
	double post = 0, poll = 0;

	for (int i = 0; i < WARM; i++) {
		step_off = i < WARM - 1;
		must(l->poster->post_marked(l, n, n - 1, n), n, "WQEs");
		post = (double)step_count().instructions;
		complete(b, l, 0);
		must(l->poster->poll_marked(l, 1), 1, "CQEs");
		poll = (double)step_count().instructions;
	}
	r->m[METRIC_POST_INSTR] = post / (n * l->op.wqes);
	r->m[METRIC_OP_INSTR] = (post + poll) / n;
	if (r->o.api == API_MANY) /* no CQE but the newest */
		return;
	for (int i = 0; i < WARM; i++) {
		step_off = i < WARM - 1;
		for (unsigned int k = 0; k < n; k++) {
			must(l->poster->post(l, 1, 0, 1), 1, "WQEs");
			complete(b, l, k);
		}
		must(l->poster->poll_marked(l, n), n, "CQEs");
	}
	r->m[METRIC_POLL_INSTR] = (double)step_count().instructions / n;
}

/* ---- cycles ---- */

/* Core cycles of one CQE, when @n of them wait and a call takes @at_once. */
static double time_polls(struct bench *b, unsigned int n, unsigned int at_once)
{
	struct lane *l = &b->rig.near[0];
	double ticks[PASSES];
	uint64_t begin;

	for (int i = 0; i < PASSES; i++) {
		if (base_interrupted)
			return NAN;
		for (unsigned int k = 0; k < n; k++) {
			must(l->poster->post(l, 1, 0, 1), 1, "WQEs");
			complete(b, l, k);
		}
		begin = clock_ticks();
		for (unsigned int k = 0; k < n; k += at_once)
			must(l->poster->poll(l, at_once), at_once, "CQEs");
		ticks[i] = (double)(clock_ticks() - begin) / n;
	}
	return median(ticks, PASSES) * clock_core_ratio();
}

/* Core cycles of a CQE of a batch that is polled at once; and of the only one of a batch, many
 * such calls timed together. */
static double time_batch(struct bench *b)
{
	return time_polls(b, b->rig.o.batch, b->rig.o.batch);
}

static double time_single(struct bench *b)
{
	return time_polls(b, b->rig.o.tx_depth < SINGLES ? b->rig.o.tx_depth : SINGLES, 1);
}

/* Batches of each lane in a pass, by one thread. */
static unsigned int pass_batches(const struct options *o)
{
	unsigned int all = o->tx_depth / o->batch / layout_sharers(o);

	return all / o->qps ? all / o->qps : 1;
}

static void pass(struct lane *lanes, const struct options *o)
{
	for (unsigned int k = 0; k < pass_batches(o); k++)
		for (unsigned int q = 0; q < o->qps; q++) {
			struct lane *l = &lanes[q];

			if (l->lock)
				pthread_spin_lock(l->lock);
			must(l->poster->post(l, o->batch, o->batch - 1, o->batch), o->batch,
			     "WQEs");
			if (l->lock)
				pthread_spin_unlock(l->lock);
		}
}

static void *post_passes(void *arg)
{
	struct poster_thread *t = (struct poster_thread *)arg;
	struct bench *b = t->b;
	const struct options *o = &b->rig.o;
	unsigned int sharers = layout_sharers(o);
	struct lane *lanes = &b->rig.near[t->index / sharers * o->qps];
	double ops = (double)pass_batches(o) * o->batch * o->qps;

	pin_thread(o, (int)t->index);
	for (int i = 0; i < PASSES; i++) {
		uint64_t begin;

		/* one that slept is late: those that are awake begin together */
		barrier_wait(&b->barrier, true);
		barrier_wait(&b->barrier, false);
		begin = clock_ticks();
		pass(lanes, o);
		b->ticks[(unsigned int)i * b->barrier.n + t->index] =
			(double)(clock_ticks() - begin) / ops;
		barrier_wait(&b->barrier, true);
		for (unsigned int q = 0; t->index % sharers == 0 && q < o->qps; q++) {
			complete(b, &lanes[q], 0);
			must(lanes[q].poster->poll(&lanes[q], 1), 1, "CQEs");
		}
	}
	return NULL;
}

/* One repeat, from the passes of all threads: the medians. */
struct repeat {
	double cycles, mops;
};

/* Each pass has as many values as threads; its rate is the sum of theirs. */
static struct repeat summarize(const struct bench *b)
{
	double cycles[PASSES], mops[PASSES];
	unsigned int n = b->barrier.n;

	for (int i = 0; i < PASSES; i++) {
		cycles[i] = mops[i] = 0;
		for (unsigned int t = 0; t < n; t++) {
			double ticks = b->ticks[(unsigned int)i * n + t];

			cycles[i] += ticks / n;
			mops[i] += clock_rate() / ticks / 1e6;
		}
	}
	return (struct repeat){ median(cycles, PASSES) * clock_core_ratio() /
					b->rig.near[0].op.wqes,
				median(mops, PASSES) };
}

static struct repeat time_posts(struct bench *b, unsigned int n)
{
	struct poster_thread *threads = base_made(calloc(n, sizeof(*threads)));
	struct repeat one;

	b->barrier = (struct barrier){ .n = n };
	b->ticks = base_made(calloc((size_t)PASSES * n, sizeof(double)));
	for (unsigned int i = 0; i < n; i++)
		threads[i] = (struct poster_thread){ .b = b, .index = i };
	for (unsigned int i = 1; i < n; i++)
		base_ok(pthread_create(&threads[i].thread, NULL, post_passes, &threads[i]));
	post_passes(&threads[0]);
	for (unsigned int i = 1; i < n; i++)
		base_ok(pthread_join(threads[i].thread, NULL));
	one = summarize(b);
	free(b->ticks);
	free(threads);
	return one;
}

/* --repeat times the passes: what they differ by is in the result. Polling by several threads
 * is not measured. */
static void time_repeats(struct bench *b, struct result *r)
{
	struct post_repeats all = { .polls = r->o.threads == 1 && r->o.api != API_MANY };
	unsigned int n = 0;

	for (; n < (unsigned int)r->o.repeats && !base_interrupted; n++) {
		struct repeat one = time_posts(b, (unsigned int)r->o.threads);

		all.post[n] = one.cycles;
		all.mops[n] = one.mops;
		if (!all.polls)
			continue;
		all.poll[n] = time_batch(b);
		all.op[n] = one.cycles * b->rig.near[0].op.wqes + time_single(b) / r->o.batch;
		if (base_interrupted)
			break;
	}
	all.n = n;
	post_keep(r, &all);
}

/* ---- open, run ---- */

static void open_in_memory(struct bench *b, const struct options *o)
{
	struct lane *l;

	if (o->api != API_DIRECT || o->service != SERVICE_RC || o->threads > 1 || o->qps > 1 ||
	    o->dm)
		base_refuse("post needs a paused device: dvkit-emu -- dvperf post …; "
			    "without it there is one RC ring, posted directly");
	b->in_memory = true;
	b->rig.o = *o;
	l = b->rig.near = base_made(aligned_alloc(64, sizeof(*l)));
	lane_open_memory(l, &b->rig.o);
}

static void open_on_device(struct bench *b, const struct options *o)
{
	rig_open(&b->rig, o);
	for (unsigned int i = 0; i < b->rig.lanes; i++) {
		struct address self = lane_address(&b->rig.near[i], &b->rig.dev);

		lane_connect(&b->rig.near[i], &b->rig.dev, &self);
	}
	base_ok(dvkit_emu_pause());
}

static void close_bench(struct bench *b)
{
	if (b->in_memory) {
		lane_close(b->rig.near);
		free(b->rig.near);
		return;
	}
	rig_close(&b->rig);
	base_ok(dvkit_emu_resume());
}

void post_run(struct result *r, struct json_object **env)
{
	static struct bench b;
	const struct options *o = &r->o;
	uint16_t before;

	memset(&b, 0, sizeof(b));
	if (dvkit_emu_present())
		open_on_device(&b, o);
	else
		open_in_memory(&b, o);
	environment_distrust(r, &b.rig.dev);
	rig_distrust(&b.rig, r);
	if (env && !*env)
		*env = environment_json(&b.rig.dev, o);
	before = lane_blocks(&b.rig.near[0]);
	must(b.rig.near[0].poster->post(&b.rig.near[0], o->batch, o->batch - 1, o->batch),
	     o->batch, "WQEs");
	r->m[METRIC_WQEBBS] =
		(double)(uint16_t)(lane_blocks(&b.rig.near[0]) - before) / o->batch;
	if (o->api != API_DIRECT)
		r->m[METRIC_WQEBBS] = b.rig.near[0].op.blocks;
	complete(&b, &b.rig.near[0], 0);
	must(b.rig.near[0].poster->poll(&b.rig.near[0], 1), 1, "CQEs");
	if (step_possible && o->threads == 1)
		count_instructions(&b, r);
	step_off = true;
	time_repeats(&b, r);
	step_off = !step_possible;
	r->m[METRIC_DOORBELLS] = 1.0 / o->batch;
	r->m[METRIC_REGISTERS] = b.rig.registers ? b.rig.registers : 1;
	rig_model(r, &b.rig);
	r->m[METRIC_PCIE_PART] = NAN; /* nothing crosses it here */
	r->m[METRIC_WIRE_GBPS] = NAN;
	predict_post(r, clock_rate() / 1e9 * clock_core_ratio());
	r->nothing = base_interrupted && isnan(r->m[METRIC_POST_CYCLES]);
	close_bench(&b);
}
