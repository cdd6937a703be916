/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies by the device: posted, completed by the paused device, polled. Counted the third time
 * around, as the posts are. */
#include <dv/dma.h>
#include <dv/reason.h>

#include "cost/dma.h"
#include "machine/step.h"

enum { TURNS = 3, CHUNK = 64 };

#define COUNTED __attribute__((noinline))

static struct dv_dma *dma;
static struct dv_dma_done done[RIG_WRS];

static void open_dma(struct rig *rig)
{
	struct dv_dma_queue queue = { .sq = &rig->rc_dma.sq,
				      .cq = &rig->rc_dma.dcq,
				      .opaque = { (uintptr_t)rig->mem, rig->mr->lkey },
				      .max_wr = 1 << 20 };
	struct dv_dma_attr attr = { .chunk = CHUNK, .depth = RIG_WRS, .copies = RIG_WRS };

	if (!dma && dv_dma_create_on(&dma, &queue, &attr))
		errx(1, "dv_dma_create_on: %s", dv_reason());
}

static COUNTED void post(struct rig *rig, unsigned int n, uint64_t len)
{
	struct dv_laddr at = { (uintptr_t)rig->mem, rig->mr->lkey };
	int err = 0;

	STEP_BEGIN();
	for (unsigned int i = 0; i < n; i++)
		err |= dv_dma_copy(dma, i, at, at, len, 0);
	dv_dma_doorbell(dma);
	STEP_END();
	ok(err);
}

static COUNTED void poll(unsigned int n)
{
	unsigned int got;

	STEP_BEGIN();
	got = dv_dma_poll(dma, done, RIG_WRS);
	STEP_END();
	if (got != n || done[0].status)
		errx(1, "dv_dma_poll: %u copies in place of %u, status %d", got, n,
		     done[0].status);
}

static double post_and_poll(struct rig *rig, unsigned int n, uint64_t len)
{
	double instructions = 0;

	open_dma(rig);
	for (int turn = 0; turn < TURNS; turn++) {
		step_off = turn < TURNS - 1;
		post(rig, n, len);
		instructions = (double)step_count().instructions;
		rig_retire(rig->rc_dma.qp->qp_num);
		poll(n);
	}
	return instructions;
}

double dma_post_copies(struct rig *rig, unsigned int n)
{
	return post_and_poll(rig, n, CHUNK) / n;
}

double dma_post_chunks(struct rig *rig, unsigned int n)
{
	return post_and_poll(rig, 1, (uint64_t)n * CHUNK) / n;
}

double dma_poll_copies(struct rig *rig, unsigned int n)
{
	open_dma(rig);
	for (int turn = 0; turn < TURNS; turn++) {
		step_off = true;
		for (unsigned int i = 0; i < n; i++) {
			post(rig, 1, CHUNK);
			rig_retire(rig->rc_dma.qp->qp_num);
		}
		step_off = turn < TURNS - 1;
		poll(n);
	}
	return (double)step_count().instructions / n;
}

static COUNTED void post_wqes(struct dv_sq *queue, struct dv_laddr at, unsigned int n)
{
	int err = 0;

	STEP_BEGIN();
	for (unsigned int i = 0; i < n; i++)
		err |= dv_sq_memcpy(queue, MLX5_WQE_CTRL_CQ_UPDATE, at, at, at, CHUNK);
	dv_sq_doorbell(queue);
	STEP_END();
	ok(err);
}

double dma_post_wqes(struct rig *rig, unsigned int n)
{
	struct dv_laddr at = { (uintptr_t)rig->mem, rig->mr->lkey };
	struct rig_queue *q = &rig->rc_direct;
	double instructions = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		step_off = turn < TURNS - 1;
		post_wqes(&q->sq, at, n);
		instructions = (double)step_count().instructions;
		rig_retire(q->qp->qp_num);
		dv_sq_retire(&q->sq, dv_cq_poll(&q->dcq));
		dv_cq_release(&q->dcq);
	}
	return instructions / n;
}
