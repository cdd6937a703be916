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
 * A queue with signatures (qpc.wq_signature; MLX5_QP_SIGNATURE in the environment) has one more
 * segment in front of the list, with 8 bits over the WQE, its number and the queue's: the
 * device refuses to scatter by a WQE that does not fit them. dv_rq_sign() after dv_rq_init().
 *
 *	| 0 0 0 0  signature  0 0 0 … | data ... | end of the list |
 *
 * A raw packet QP receives when it is RTR: no dv_rq_doorbell() before.
 *
 * One queue, one thread: locks are the caller's. Not here: shared receive queues (srq.h),
 * striding ones (mp.h).
 */
#ifndef DV_RQ_H
#define DV_RQ_H

#include <dv/barrier.h>
#include <dv/cq.h>
#include <dv/port.h>
#include <dv/ring.h>
#include <dv/scatter.h>
#include <dv/wqe.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dv_rq {
	char *buf;	  /* the ring */
	__be32 *dbrec;	  /* the receive half of the doorbell record */
	uint32_t wqe_cnt; /* slots, a power of two, at most 32768 */
	uint32_t max_sge; /* data segments that fit a slot */
	uint32_t stride;  /* bytes of a slot */
	uint32_t qpn;	  /* in the signatures */
	uint16_t pi;	  /* producer: receives posted */
	uint16_t ci;	  /* consumer: receives completed */
	bool sign;
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_rq) == 64, "one cache line");

/* The slot with index @idx. */
DV_INLINE char *dv_rq_slot(const struct dv_rq *rq, uint16_t idx)
{
	return rq->buf + dv_ring_offset(idx, rq->wqe_cnt - 1, rq->stride);
}

/* The list of the slot with index @idx. */
DV_INLINE struct mlx5_wqe_data_seg *dv_rq_at(const struct dv_rq *rq, uint16_t idx)
{
	return (struct mlx5_wqe_data_seg *)(void *)(dv_rq_slot(rq, idx) + rq->sign * DV_WQE_DS);
}

/* From here on, WQEs carry signatures for @qpn (of an RQ without a QP, its own number). Before
 * the first post. */
static inline void dv_rq_sign(struct dv_rq *rq, uint32_t qpn)
{
	rq->sign = true;
	rq->qpn = qpn;
	rq->max_sge = rq->stride / DV_WQE_DS - 1;
}

/* Exclusive or of @len bytes. */
DV_INLINE uint8_t dv_xor8(const void *bytes, size_t len)
{
	const uint8_t *p = (const uint8_t *)bytes;
	uint8_t sum = 0;

	while (len--)
		sum ^= p[len];
	return sum;
}

/* Writes the signature segment of the slot at @slot, number @idx, over the @n SGEs after it;
 * the end of the list is not covered (libmlx5, qp.c, set_sig_seg()). */
static inline void dv_rq_set_signature(char *slot, unsigned int n, uint32_t qpn, uint16_t idx)
{
	memset(slot, 0, DV_WQE_DS);
	slot[4] = (char)~(dv_xor8(slot, (n + (size_t)1) * DV_WQE_DS) ^
			  dv_xor8(&qpn, sizeof(qpn)) ^ dv_xor8(&idx, sizeof(idx)));
}

/* Ends the list before @end of a slot that holds @max SGEs from @list. */
DV_INLINE void dv_set_list_end(struct mlx5_wqe_data_seg *list, size_t max, void *end)
{
	struct mlx5_wqe_data_seg *d = (struct mlx5_wqe_data_seg *)end;

	if (d >= list + max)
		return;
	d->byte_count = 0;
	d->lkey = htobe32(MLX5_INVALID_LKEY);
	d->addr = 0;
}

/* Posts a receive that is scattered to @n SGEs. 0; ENOMEM: the ring is full until a receive
 * completes; EMSGSIZE: a slot does not hold so many SGEs. No doorbell. */
static inline int dv_rq_post(struct dv_rq *rq, const struct ibv_sge *sge, unsigned int n)
{
	struct mlx5_wqe_data_seg *wqe = dv_rq_at(rq, rq->pi);

	if ((uint16_t)(rq->pi - rq->ci) == rq->wqe_cnt || n > rq->max_sge)
		return n > rq->max_sge ? EMSGSIZE : ENOMEM;
	if (rq->sign)
		memset(wqe, 0, (size_t)rq->max_sge * DV_WQE_DS);
	dv_set_list_end(wqe, rq->max_sge, dv_set_data_segs(wqe, sge, n));
	if (rq->sign)
		dv_rq_set_signature(dv_rq_slot(rq, rq->pi), n, rq->qpn, rq->pi);
	rq->pi++;
	return 0;
}

/* Posts the receives before index @end once more, with the buffers that are in their slots:
 * nothing is written. They were retired: @end is rq->ci or before it. For rings that were
 * filled once, and are not posted to otherwise; not for those with signatures. */
DV_INLINE void dv_rq_repost(struct dv_rq *rq, uint16_t end)
{
	rq->pi = (uint16_t)(end + rq->wqe_cnt);
}

/* Announces all receives posted to the device. There is no register to write. */
static inline void dv_rq_doorbell(struct dv_rq *rq)
{
	dv_barrier_wqe_before_dbrec();
	*(volatile __be32 *)rq->dbrec = htobe32(rq->pi);
}

/* Copies data that came inside @cqe to the buffers of its receive. Whether it fits them. */
static inline bool dv_rq_scatter(const struct dv_rq *rq, const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_scatter(cqe, dv_rq_at(rq, dv_cqe_wqe_counter(cqe)), rq->max_sge,
			      dv_cqe_byte_cnt(cqe));
}

/* The receive that @cqe completes (in success or error) is over: its slot is free, and its
 * data, if it came inside the CQE, is in its buffer. Every CQE of this queue, in order. 0, or
 * EMSGSIZE: the data inside the CQE was more than the buffer holds. */
static inline int dv_rq_retire(struct dv_rq *rq, const struct mlx5_cqe64 *cqe)
{
	bool fits = true;

	if (!dv_cqe_is_error(cqe) && dv_cqe_inline(cqe))
		fits = dv_rq_scatter(rq, cqe);
	rq->ci = (uint16_t)(dv_cqe_wqe_counter(cqe) + 1);
	return fits ? 0 : EMSGSIZE;
}

#pragma GCC visibility push(default)

/* After RESET: nothing is posted, indices and record start at 0; signatures stay on. */
void dv_rq_restart(struct dv_rq *rq);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
