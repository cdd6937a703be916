/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shared receive queue: buffers for the messages of many QPs. Read rq.h before.
 *
 * They are used up in the order posted but come back in any order, so it is not a ring but a
 * list: each slot names the next one. The device follows the list as far as the record counts;
 * software takes slots from the head and appends those that are free again at the tail.
 *
 *	slot  | next slot | data ... | end of the list |
 *
 *	      posted: the device's            free: software's
 *	  ... -> 5 -> 2 ->              head -> 0 -> 3 -> 1 -> tail
 *
 * The tail stays unposted: a later slot has to be named in it. The CQE's wqe_counter is the
 * slot: dv_srq_next() returns it before the post.
 *
 *	mine[dv_srq_next(&srq)] = buffer;
 *	dv_srq_post(&srq, &sge, 1);
 *	dv_srq_doorbell(&srq);
 *	… cqe = dv_cq_poll(&cq); buffer = mine[dv_cqe_wqe_counter(cqe)]; dv_srq_retire(&srq, cqe);
 *
 * XRC SRQs and RMPs are the same. In the CQEs of an XRC SRQ, dv_cqe_uidx() is its own index and
 * not the QP's.
 *
 * One queue, one thread: locks are the caller's. Not here: signatures, tag matching.
 */
#ifndef DV_SRQ_H
#define DV_SRQ_H

#include <dv/rq.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dv_srq {
	char *buf;	  /* the slots */
	__be32 *dbrec;	  /* the record: one counter */
	uint32_t stride;  /* bytes of a slot */
	uint32_t max_sge; /* data segments that fit a slot */
	uint32_t srqn;	  /* 0: not known */
	uint16_t head;	  /* the slot to post next */
	uint16_t tail;	  /* the last free slot */
	uint16_t pi;	  /* receives posted: what the record says */
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_srq) == 64, "one cache line");
static_assert(sizeof(struct mlx5_wqe_srq_next_seg) == 16, "SRQ segment");
static_assert(offsetof(struct mlx5_wqe_srq_next_seg, next_wqe_index) == 2, "SRQ segment");

/* The head of slot @idx, and the list of SGEs after it. */
DV_INLINE struct mlx5_wqe_srq_next_seg *dv_srq_slot(const struct dv_srq *srq, uint16_t idx)
{
	return (struct mlx5_wqe_srq_next_seg *)(void *)(srq->buf + (size_t)idx * srq->stride);
}

DV_INLINE struct mlx5_wqe_data_seg *dv_srq_at(const struct dv_srq *srq, uint16_t idx)
{
	return (struct mlx5_wqe_data_seg *)(void *)(dv_srq_slot(srq, idx) + 1);
}

/* The slot that the next dv_srq_post() takes. */
DV_INLINE uint16_t dv_srq_next(const struct dv_srq *srq)
{
	return srq->head;
}

/* Takes the head off the free list. */
DV_INLINE void dv_srq_take(struct dv_srq *srq)
{
	srq->head = be16toh(dv_srq_slot(srq, srq->head)->next_wqe_index);
	srq->pi++;
}

/* Appends slot @idx to the free list. */
DV_INLINE void dv_srq_give(struct dv_srq *srq, uint16_t idx)
{
	dv_srq_slot(srq, srq->tail)->next_wqe_index = htobe16(idx);
	srq->tail = idx;
}

/* Posts a receive that is scattered to @n SGEs. 0; ENOMEM: no slot is free until a receive
 * completes; EMSGSIZE: a slot does not hold so many SGEs. No doorbell. */
static inline int dv_srq_post(struct dv_srq *srq, const struct ibv_sge *sge, unsigned int n)
{
	struct mlx5_wqe_data_seg *list = dv_srq_at(srq, srq->head);

	if (srq->head == srq->tail || n > srq->max_sge)
		return n > srq->max_sge ? EMSGSIZE : ENOMEM;
	dv_set_list_end(list, srq->max_sge, dv_set_data_segs(list, sge, n));
	dv_srq_take(srq);
	return 0;
}

/* Announces all receives posted to the device. */
static inline void dv_srq_doorbell(struct dv_srq *srq)
{
	dv_barrier_wqe_before_dbrec();
	*(volatile __be32 *)srq->dbrec = htobe32(srq->pi);
}

/* The receive that @cqe completes (in success or error) is over: its slot is free, and its
 * data, if it came inside the CQE, is in its buffer. Every CQE of the queue, of whatever QP. 0,
 * or EMSGSIZE: the data inside the CQE was more than the buffer holds. */
static inline int dv_srq_retire(struct dv_srq *srq, const struct mlx5_cqe64 *cqe)
{
	uint16_t idx = dv_cqe_wqe_counter(cqe);
	bool fits = true;

	if (!dv_cqe_is_error(cqe) && dv_cqe_inline(cqe))
		fits = dv_cqe_scatter(cqe, dv_srq_at(srq, idx), srq->max_sge,
				      dv_cqe_byte_cnt(cqe));
	dv_srq_give(srq, idx);
	return fits ? 0 : EMSGSIZE;
}

/* The buffer was not in memory (on-demand paging): nothing is lost, the sender tries again, but
 * the receive was used up. Do not retire it: dv_srq_repost(). */
DV_INLINE bool dv_cqe_is_page_fault(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_syndrome(cqe) == MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR &&
	       dv_cqe_vendor_syndrome(cqe) == MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT;
}

/* Posts the receive of @cqe once more, in another slot, which it returns, and rings. Its own
 * slot, where the device may still be reading, is appended after all free ones. libmlx5 holds
 * such slots back in a wait queue, for which it makes the SRQ larger (srq.c,
 * srq_cooldown_wqe()); dv has none: with on-demand paging, make an SRQ with more slots than
 * receives are posted. */
static inline uint16_t dv_srq_repost(struct dv_srq *srq, const struct mlx5_cqe64 *cqe)
{
	uint16_t idx = dv_cqe_wqe_counter(cqe), again;

	/* Its own slot last: the device may still be reading there. */
	dv_srq_give(srq, idx);
	again = srq->head;
	memmove(dv_srq_at(srq, again), dv_srq_at(srq, idx), srq->max_sge * (size_t)DV_WQE_DS);
	dv_srq_take(srq);
	dv_srq_doorbell(srq);
	return again;
}

#pragma GCC visibility push(default)

/* Makes new memory a list of slots, before the device gets it: each slot names the next one.
 * The head is 0, the tail @wqe_cnt - 1. For an SRQ or RMP. */
void dv_srq_link(void *buf, uint32_t wqe_cnt, uint32_t stride);

/* dv_cq_clean() (cq.h) for a QP that received from @srq: the slots of its receives are free
 * again. */
uint32_t dv_cq_clean_srq(struct dv_cq *cq, uint32_t qpn, struct dv_srq *srq);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
