/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A batch: many WQEs, one doorbell. Read sq.h before.
 *
 *	struct dv_batch b;
 *	int err = dv_batch_begin(&b, &sq, n);                ENOMEM: fewer than n blocks are free
 *
 *	for (i = 0; i < n; i++)
 *		dv_sq_write(&b.sq, i + 1 == n ? MLX5_WQE_CTRL_CQ_UPDATE : 0, raddr[i], &sge[i], 1);
 *	dv_batch_end(&b);                                    sq has all of them …
 *	dv_sq_doorbell(&sq);                                 … and the device learns of them
 *
 * Between begin and end, b.sq is the queue: every call that posts or composes a WQE takes it.
 * It is a local copy, which the stores to the ring cannot change: the compiler keeps the
 * producer index, the address of the ring and the rest of it in registers, and loads and stores
 * no field of sq for each WQE. That needs b to be a local variable whose address is passed to
 * dv only. sq must not be used until dv_batch_end(); it is the queue to ring, not b.sq.
 *
 * WQEs of one block, as many as dv_batch_begin() found space for, need no further check:
 * dv_batch_next() in place of dv_sq_reserve().
 *
 *	seg = dv_set_raddr_seg(dv_batch_next(&b), raddr);
 *	seg = dv_set_data_seg(seg, &sge);
 *	dv_sq_commit(&b.sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
 */
#ifndef DV_BATCH_H
#define DV_BATCH_H

#include <dv/sq.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dv_batch {
	struct dv_sq sq;      /* the queue during the batch */
	struct dv_sq *origin; /* where it is written back */
};

/* Begins a batch on @sq. 0; ENOMEM: fewer than @nbb blocks are free; EMSGSIZE: the ring has
 * fewer. WQEs of several blocks may need NOPs before the edge of the ring, up to one block less
 * than the longest of them. With 0 any number may be posted, until a call returns ENOMEM. */
DV_INLINE int dv_batch_begin(struct dv_batch *b, struct dv_sq *sq, uint16_t nbb)
{
	b->sq = *sq;
	b->origin = sq;
	if (__builtin_expect(dv_sq_space(sq) < nbb, 0))
		return nbb > sq->wqe_cnt ? EMSGSIZE : ENOMEM;
	return 0;
}

/* dv_sq_reserve() for a WQE of one block, out of the blocks that dv_batch_begin() found
 * free. */
DV_INLINE void *dv_batch_next(const struct dv_batch *b)
{
	return dv_wqe_body(dv_sq_next_(&b->sq));
}

/* The WQEs of the batch are committed to the queue of dv_batch_begin(). */
DV_INLINE void dv_batch_end(const struct dv_batch *b)
{
	b->origin->pi = b->sq.pi;
	b->origin->last = b->sq.last;
}

#ifdef __cplusplus
}
#endif

#endif
