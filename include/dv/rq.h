/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receive queue: a ring of buffers for what the peer sends. Read sq.h before.
 *
 *	slot (stride bytes)
 *	+-------------------+-------------------+-------------------+
 *	| data              | data              | end of the list   |   no control segment: a
 *	| len, lkey, addr   | len, lkey, addr   | 0, 0x100, 0       |   receive has no opcode
 *	+-------------------+-------------------+-------------------+
 *
 *	dv_rq_post(&rq, &sge, 1);      as many as you like
 *	dv_rq_doorbell(&rq);           the record only: the device reads it when a message comes
 *
 * The device takes the buffers in the order posted: one per SEND and per RDMA WRITE with
 * immediate. The counters run freely and wrap at 16 bits; they count slots, whatever the size.
 *
 * One queue, one thread: locks are the caller's. Not here: shared receive queues, multi-packet
 * receive queues.
 */
#ifndef DV_RQ_H
#define DV_RQ_H

#include <errno.h>
#include <dv/barrier.h>
#include <dv/cq.h>
#include <dv/wqe.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dv_rq {
	char *buf;	  /* the ring */
	__be32 *dbrec;	  /* the receive half of the doorbell record */
	uint32_t wqe_cnt; /* slots, a power of two, at most 32768 */
	uint32_t max_sge; /* data segments that fit a slot */
	uint16_t pi;	  /* producer: receives posted */
	uint16_t ci;	  /* consumer: receives completed */
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_rq) == 64, "one cache line");

/* The slot with index @idx. */
static inline struct mlx5_wqe_data_seg *dv_rq_at(const struct dv_rq *rq, uint16_t idx)
{
	return (struct mlx5_wqe_data_seg *)rq->buf +
	       (size_t)(idx & (rq->wqe_cnt - 1)) * rq->max_sge;
}

/* Posts a receive that is scattered to @n SGEs. 0, or ENOMEM: no room in the ring, or for so
 * many SGEs in a slot. No doorbell. */
static inline int dv_rq_post(struct dv_rq *rq, const struct ibv_sge *sge, unsigned int n)
{
	struct mlx5_wqe_data_seg *wqe = dv_rq_at(rq, rq->pi), *end;

	if ((uint16_t)(rq->pi - rq->ci) == rq->wqe_cnt || n > rq->max_sge)
		return ENOMEM;
	end = (struct mlx5_wqe_data_seg *)dv_set_data_segs(wqe, sge, n);
	if (end < wqe + rq->max_sge) {
		end->byte_count = 0;
		end->lkey = htobe32(MLX5_INVALID_LKEY);
		end->addr = 0;
	}
	rq->pi++;
	return 0;
}

/* Shows the device all receives posted. The register plays no part. */
static inline void dv_rq_doorbell(struct dv_rq *rq)
{
	dv_barrier_wqe_before_dbrec();
	*(volatile __be32 *)rq->dbrec = htobe32(rq->pi);
}

/* Copies data that came inside @cqe to the buffers of its receive, whose addresses are taken
 * for ours: not for zero-based MRs. */
static inline void dv_rq_scatter(const struct dv_rq *rq, const struct mlx5_cqe64 *cqe)
{
	const struct mlx5_wqe_data_seg *d = dv_rq_at(rq, dv_cqe_wqe_counter(cqe));
	const char *src = (const char *)dv_cqe_inline(cqe);
	uint32_t left = dv_cqe_byte_cnt(cqe), i, len;

	for (i = 0; i < rq->max_sge && left; i++, d++, src += len, left -= len) {
		len = be32toh(d->byte_count);
		if (!len)
			return;
		len = len < left ? len : left;
		dv_copy((void *)(uintptr_t)be64toh(d->addr), src, len);
	}
}

/* The receive that @cqe completes (in success or error) is over: its slot is free, and its
 * data, if it came inside the CQE, is in its buffer. Every CQE of this queue, in order. */
static inline void dv_rq_retire(struct dv_rq *rq, const struct mlx5_cqe64 *cqe)
{
	if (!dv_cqe_is_error(cqe) && dv_cqe_inline(cqe))
		dv_rq_scatter(rq, cqe);
	rq->ci = (uint16_t)(dv_cqe_wqe_counter(cqe) + 1);
}

#ifdef __cplusplus
}
#endif

#endif
