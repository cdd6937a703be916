/* SPDX-License-Identifier: BSD-2-Clause */
/* The loop of bw on lanes whose poster is the test's: what it posts, in which order, which WQE
 * of a batch is signaled, and what it counts. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/worker.h"
#include "unit/dvperf/given.h"

enum { LANES = 8, CALLS = 64, RING = 4096, FAR = LANES / 2 };

static struct rig rig;
static struct run run;
static struct lane *lanes; /* near, then far */
static struct device_of_lane {
	char posts[400];	  /* "n:sig:every " of each call */
	unsigned int cqes, polls; /* CQEs that wait, calls of poll */
	uint64_t since[CALLS];
	unsigned int completed, receives;
} devices[LANES];

/* CQEs come at every so many polls; a post is of so many at most; the run stops after one. */
static unsigned int every_polls, space;
static bool stops;

static struct device_of_lane *device_of(const struct lane *l)
{
	return &devices[l - lanes];
}

static unsigned int fake_post(struct lane *l, unsigned int n, unsigned int sig,
			      unsigned int every)
{
	struct device_of_lane *d = device_of(l);
	size_t at = strlen(d->posts);

	if (l->lock)
		cr_assert_neq(pthread_spin_trylock(l->lock), 0, "posted without the lock");
	snprintf(d->posts + at, sizeof(d->posts) - at, "%s%u:%u:%u", at ? " " : "", n, sig,
		 every);
	n = n < space ? n : space;
	for (; sig < n; sig += every)
		d->cqes++;
	l->sq.pi += (uint16_t)(n * l->op.blocks);
	if (stops)
		__atomic_store_n(&run.stop, true, __ATOMIC_RELAXED);
	return n;
}

static unsigned int fake_poll(struct lane *l, unsigned int most)
{
	struct device_of_lane *d = device_of(l);
	unsigned int n = d->cqes < most ? d->cqes : most;

	if (++d->polls % every_polls)
		return 0;
	for (unsigned int i = 0; i < n && d->completed < CALLS; i++)
		d->since[d->completed++] =
			l->queue.pending[(l->queue.head + i) & l->queue.mask].since;
	d->cqes -= n;
	return n;
}

static const struct poster poster = { .post = fake_post, .poll = fake_poll };

/* Two receives for each lane, one at a time. */
static int fake_poll_cq(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	struct device_of_lane *d = cq->cq_context;

	cr_assert_geq(most, 1);
	wc->status = IBV_WC_SUCCESS;
	return d->receives < 2;
}

static int fake_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	struct device_of_lane *d = qp->qp_context;

	(void)bad;
	cr_assert_eq(wr->num_sge, 1);
	cr_assert_eq(wr->sg_list->length, 100);
	cr_assert_eq(wr->sg_list->addr, 0x500000001000);
	d->receives++;
	return 0;
}

/* A lane that receives where @receives. */
static void open_lane(unsigned int i, bool receives)
{
	static struct ibv_context ctx = { .ops = { .poll_cq = fake_poll_cq,
						   .post_recv = fake_post_recv } };
	static struct ibv_cq cqs[LANES];
	static struct ibv_qp qps[LANES];
	static struct lane_cq plain;
	static struct ibv_mr mr;
	struct lane *l = &lanes[i];

	l->o = &rig.o;
	l->poster = &poster;
	l->op.blocks = 2;
	l->op.wqes = 1;
	l->queue.pending = calloc(RING, sizeof(*l->queue.pending));
	l->queue.mask = RING - 1;
	cqs[i] = (struct ibv_cq){ .context = &ctx, .cq_context = &devices[i] };
	qps[i] = (struct ibv_qp){ .context = &ctx, .qp_context = &devices[i] };
	l->cqs.recv = &plain;
	l->cqs.recv_ibcq = &cqs[i];
	l->verbs.qp = &qps[i];
	l->mem.mr = &mr;
	l->mem.recv_addr = 0x500000001000;
	l->mem.recv_len = receives ? 100 : 0;
}

/* The options of "batch=4 tx-depth=8". */
static void open_rig(const char *text, bool receives)
{
	struct options o = given(text);

	rig = (struct rig){ .o = o };
	rig.groups = ((unsigned int)o.threads + layout_sharers(&o) - 1) / layout_sharers(&o);
	rig.lanes = rig.groups * o.qps;
	run = (struct run){ .rig = &rig, .yield = true };
	every_polls = 1;
	space = UINT32_MAX;
	stops = false;
	memset(devices, 0, sizeof(devices));
	lanes = aligned_alloc(64, LANES * sizeof(*lanes));
	memset(lanes, 0, LANES * sizeof(*lanes));
	for (unsigned int i = 0; i < LANES; i++)
		open_lane(i, receives);
	rig.near = lanes;
	rig.far = o.bidirectional ? lanes + FAR : NULL;
}

static void close_rig(struct worker *w)
{
	free(w);
	for (unsigned int i = 0; i < LANES; i++)
		free(lanes[i].queue.pending);
	free(lanes);
}

static struct worker *run_all(uint64_t iters)
{
	struct worker *w = workers_start(&run, iters);

	workers_join(w, (unsigned int)rig.o.threads);
	return w;
}

/* Counts: ops, wqes, blocks, doorbells, cqes, -, polls, empty ones, batches, full. */
static const struct {
	const char *options;
	uint64_t iters;
	unsigned int every_polls;
	bool stops;
	const char *posts, *counts;
} rows[] = {
	/* the last one of all is for all */
	{ "batch=4 tx-depth=8", 10, 1, false, "4:3:4 4:3:4 2:1:2", "10 10 20 3 3 0 3 0 3 0" },
	{ "tx-depth=8 cq-mod=3", 8, 1, false, "1:1:3 1:1:3 1:0:3 1:1:3 1:1:3 1:0:3 1:1:3 1:0:1",
	  "8 8 16 8 3 0 3 0 8 0" },
	/* the third, the sixth, and the last */
	{ "batch=4 tx-depth=16 cq-mod=3", 12, 1, false, "4:2:3 4:1:3 4:3:4",
	  "12 12 24 3 3 0 3 0 3 0" },
	/* a full ring: the third round cannot post */
	{ "tx-depth=2 cq-mod=1", 4, 3, false, "1:0:1 1:0:1 1:0:1 1:0:1",
	  "4 4 8 4 4 0 6 4 4 1" },
	/* no time stamps: it polls where it can do nothing else */
	{ "batch=4 tx-depth=8 noPeak=on", 16, 1, false, "4:3:4 4:3:4 4:3:4 4:3:4",
	  "16 16 32 4 4 0 2 0 4 1" },
	{ "tx-depth=8 cq-mod=1 noPeak=on cqe_poll=3", 8, 1, false,
	  "1:0:1 1:0:1 1:0:1 1:0:1 1:0:1 1:0:1 1:0:1 1:0:1", "8 8 16 8 8 0 3 0 8 0" },
	/* stopped: one more where some have no CQE yet */
	{ "batch=4 tx-depth=16 cq-mod=8", 1000, 1, true, "4:4:8 1:0:1",
	  "5 5 10 2 1 0 1 0 2 0" },
	{ "batch=4 tx-depth=16", 1000, 1, true, "4:3:4", "4 4 8 1 1 0 1 0 1 0" },
	/* adaptive: half of the depth, or what is free; with its interval, or of any size */
	{ "batch=adaptive tx-depth=8", 14, 4, false, "4:3:4 4:3:4 4:3:4 2:1:2",
	  "14 14 28 4 4 0 8 6 4 2" },
	{ "batch=adaptive tx-depth=6 signal=batch", 7, 3, false, "3:2:3 3:2:3 1:0:1",
	  "7 7 14 3 3 0 6 4 3 1" },
	/* one is due at once, the others much later */
	{ "batch=adaptive tx-depth=8 rate=1", 1000, 1, true, "1:1:4 1:0:1",
	  "2 2 4 2 1 0 1 0 2 0" },
};

Test(workers, post_and_count)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct worker *w;
		char counts[100];

		open_rig(rows[i].options, false);
		every_polls = rows[i].every_polls;
		stops = rows[i].stops;
		w = run_all(rows[i].iters);
		cr_expect_str_eq(devices[0].posts, rows[i].posts, "%s: %s", rows[i].options,
				 devices[0].posts);
		for (size_t k = *counts = 0; k < sizeof(w->counts) / sizeof(uint64_t); k++)
			sprintf(counts + strlen(counts), "%s%lu", k ? " " : "",
				((uint64_t *)&w->counts)[k]);
		cr_expect_str_eq(counts, rows[i].counts, "%s: %s", rows[i].options, counts);
		cr_expect_eq(w->ops, w->counts.ops);
		cr_expect_eq(w->latency.count, rig.o.no_peak ? 0 : w->counts.cqes, "%s",
			     rows[i].options);
		close_rig(w);
	}
}

/* A ring with space for two of four, as for NOPs at its end. */
Test(workers, go_on_after_a_part_of_a_batch)
{
	struct worker *w;

	open_rig("batch=4 tx-depth=16", false);
	space = 2;
	w = run_all(6);
	cr_expect_str_eq(devices[0].posts, "4:3:4 4:3:4 2:1:2", "%s", devices[0].posts);
	cr_expect_eq(w->counts.ops, 6);
	cr_expect_eq(w->counts.doorbells, 3);
	cr_expect_eq(lanes[0].queue.begun, 6);
	close_rig(w);
}

/* Lane by lane, each operation has its time, whenever it is posted. */
Test(workers, keep_the_pace)
{
	struct worker *w;
	double apart;

	open_rig("cq-mod=1 rate=400 qp=2", false);
	w = run_all(5);
	apart = 2 / 400.0 * run.ticks_per_second;
	for (unsigned int lane = 0; lane < 2; lane++) {
		cr_assert_eq(devices[lane].completed, 5);
		for (unsigned int i = 0; i < 5; i++)
			cr_expect_eq(devices[lane].since[i], w->begin + (uint64_t)(i * apart));
	}
	cr_expect_geq(w->end, w->begin + (uint64_t)(4 * apart));
	cr_expect_eq(w->counts.full, 0);
	close_rig(w);
}

/* Threads of a group share its lanes, in which the first of them receives; with -b those of
 * the far end are between them. */
Test(workers, have_the_lanes_of_their_group)
{
	static const struct {
		const char *options;
		const char *lanes[4]; /* of each thread */
		const char *receivers[4];
	} of[] = {
		{ "threads=2 qp=2", { "0 1", "2 3" }, { "0 1", "2 3" } },
		{ "threads=4 qp=2 layout=mul-2",
		  { "0 1", "0 1", "2 3", "2 3" },
		  { "0 1", "", "2 3", "" } },
		{ "threads=3 qp=1 layout=shared-qp", { "0", "0", "0" }, { "0", "", "" } },
		{ "threads=2 qp=2 bidirectional=on",
		  { "0 4 1 5", "2 6 3 7" },
		  { "0 4 1 5", "2 6 3 7" } },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		static pthread_spinlock_t locks[LANES];
		char text[40];
		struct worker *w;

		open_rig(of[i].options, true);
		for (unsigned int k = 0; k < LANES && layout_sharers(&rig.o) > 1; k++) {
			cr_assert_eq(pthread_spin_init(&locks[k], 0), 0);
			lanes[k].lock = &locks[k];
		}
		w = workers_start(&run, 3);
		for (int t = 0; t < rig.o.threads; t++) {
			for (unsigned int k = *text = 0; k < w[t].n; k++)
				sprintf(text + strlen(text), "%s%td", k ? " " : "",
					w[t].lanes[k] - lanes);
			cr_expect_str_eq(text, of[i].lanes[t], "%s: %s", of[i].options, text);
			for (unsigned int k = *text = 0; k < w[t].receiving; k++)
				sprintf(text + strlen(text), "%s%td", k ? " " : "",
					w[t].receivers[k] - lanes);
			cr_expect_str_eq(text, of[i].receivers[t], "%s: %s", of[i].options,
					 text);
		}
		workers_join(w, (unsigned int)rig.o.threads);
		close_rig(w);
	}
}

/* Those that no worker took are taken afterwards, on both ends; each is posted again. */
Test(workers, receives_are_taken_and_posted_again)
{
	uint64_t sum = 0, n;

	open_rig("qp=2 threads=2 bidirectional=on", true);
	lanes[1].mem.recv_len = 0;
	while ((n = rig_receive(&rig)))
		sum += n;
	cr_expect_eq(sum, 7 * 2);
	for (unsigned int i = 0; i < LANES; i++)
		cr_expect_eq(devices[i].receives, i == 1 ? 0 : 2, "%u", i);
	close_rig(NULL);
}
