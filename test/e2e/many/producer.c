/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that posts to a shared queue, compiled as code of a GPU is: without libc and without
 * rdma-core's headers. */
extern int sched_yield(void);
#define DV_RELAX() sched_yield()
#include <dv/many.h>

#include "late.h"
#include "producer.h"

enum { FETCH_ADD, WRITE, INLINE, KINDS };

static int post(struct dv_sq *sq, const struct job *j, unsigned int number, uint32_t turn,
		unsigned int kind)
{
	struct ibv_sge sge = { j->results + 64 * number, 8, j->key };
	struct dv_raddr to = { j->to + 64 * number, j->key };
	uint64_t words[8];

	if (kind == FETCH_ADD) {
		to.raddr = j->counter;
		return dv_sq_fetch_add(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, &sge, 1);
	}
	if (kind == WRITE) {
		sge = (struct ibv_sge){ j->source + 64 * number, 64, j->key };
		return dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, &sge, 1);
	}
	for (unsigned int i = 0; i < 8; i++)
		words[i] = (uint64_t)number << 32 | turn;
	return dv_sq_write_inline(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, words, sizeof(words));
}

static int reserve(struct dv_many *q, const struct job *j, uint16_t nbb, struct dv_turn *t)
{
	int err = ENOMEM;

	for (uint64_t i = 0; err == ENOMEM && i < j->tries; i++) {
		err = dv_many_reserve(q, nbb, t);
		DV_RELAX();
	}
	return err;
}

static int await(struct dv_many *q, const struct job *j, const struct dv_turn *t)
{
	int err = 0;

	for (uint64_t i = 0; !err && !dv_many_done(q, t); i++) {
		err = i < j->tries ? dv_many_poll(q) : ETIMEDOUT;
		DV_RELAX();
	}
	return err;
}

int producer(struct dv_many *q, const struct job *j, unsigned int number)
{
	struct dv_turn t = { 0 };
	struct dv_sq sq;
	int err = 0;

	for (uint32_t turn = 0; !err && turn < j->count; turn++) {
		unsigned int kind = j->mixed ? turn % KINDS : FETCH_ADD;

		err = reserve(q, j, kind == INLINE ? 2 : 1, &t);
		if (err)
			break;
		for (uint64_t i = t.from; i < t.to; i++)
			late_block(dv_sq_at(&q->sq, (uint16_t)i));
		sq = dv_many_window(q, &t, 0);
		err = post(&sq, j, number, turn, kind);
		if (!err)
			err = dv_many_publish(q, &t, &sq, (enum dv_doorbell)j->how,
					      (enum dv_publish)j->when);
		if (!err && j->waits)
			err = await(q, j, &t);
	}
	return err ? err : await(q, j, &t);
}
