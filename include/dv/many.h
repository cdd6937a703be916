/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A send queue that many threads post to, of CPUs or of a GPU. Read sq.h first. They share
 * memory: the ring, the record, the register and a struct dv_many; processes will do.
 *
 *	          done            ready           reserved
 *	 . . . . . [ device works here ][ being written ] . . .      64-bit counts of blocks
 *
 *	err = dv_many_reserve(q, 1, &turn);		ENOMEM: full, poll and try again
 *	struct dv_sq sq = dv_many_window(q, &turn, 0);	a queue of these blocks, on the stack
 *	dv_sq_write(&sq, flags, raddr, &sge, 1);	any builder
 *	err = dv_many_publish(q, &turn, &sq, DV_DOORBELL_NC, DV_PUBLISH_LAST);
 *
 * Turns are published in the order of reservation: publish waits for those before. So every
 * turn that was reserved has to be published, with dv_sq_nop() if its WQE cannot be written,
 * and no thread may wait for the turn of another one in between. In a warp or wave one lane
 * reserves n blocks, lane i writes into dv_many_window(q, &turn, i), and after a barrier of the
 * group one lane publishes with the window of the last: lanes of an AMD wave that wait for each
 * other's turn would not progress.
 *
 * The CQ belongs to this queue alone: one slot that the device overwrites (cc, collapsed) and
 * no consumer index (oi). Signal the last WQE of a turn; dv_many_poll() moves done for
 * everybody.
 *
 * Registers: DV_DOORBELL_NC, or DV_NO_DBR where the device has it; DV_DOORBELL of a page that
 * no other queue uses; not DV_BLUEFLAME, whose halves alternate. Publishing in turn orders the
 * stores of one queue, not those of two queues to one register (dv_sq_shared()).
 *
 * Errors are values. The first error of the device, or a turn that does not come within
 * q->spins looks, stays in q->error, and from then on all calls of all threads return EIO: none
 * waits for a turn that will not come.
 *
 * Compared with other code for mlx5 (NVIDIA/gpunetio, NVIDIA/nvshmem ibgda, openucx/ucx gdaki,
 * ROCm/mori, ROCm/rocSHMEM): the turn is the lock, as in UCX; the register gets the control
 * segment of the last WQE, as libmlx5 has it.
 */
#ifndef DV_MANY_H
#define DV_MANY_H

#include <dv/cq.h>
#include <dv/port.h>
#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In loops that wait for another thread: sched_yield() where threads are more than
 * processors. */
#ifndef DV_RELAX
#define DV_RELAX() ((void)0)
#endif

struct dv_many {
	struct dv_sq sq; /* ring, record, register: constant. pi, ci, last, db_pi: not used */
	struct dv_cq cq; /* collapsed, overrun ignored: constant */
	uint64_t spins;	 /* looks at a turn before ETIMEDOUT; 0: 2^32 */
	uint64_t reserved_to __attribute__((aligned(64)));
	uint64_t ready __attribute__((aligned(64)));
	uint64_t done __attribute__((aligned(64)));
	uint64_t error; /* 0; a syndrome; DV_MANY_STUCK */
};

enum { DV_MANY_STUCK = 0x100 }; /* a turn was not published */

/* Blocks @at to @to, and before them NOPs up to the edge of the ring, from @from. */
struct dv_turn {
	uint64_t from, at, to;
};

enum dv_publish {
	DV_PUBLISH_RING, /* rings */
	/* rings unless another thread reserved after this turn: that one rings; and at each
	 * half of the ring */
	DV_PUBLISH_LAST,
	DV_PUBLISH_ONLY, /* does not ring: a later turn does */
};

/* ---- atomics of the target ---- */

#if defined(__NVPTX__) || defined(__CUDA_ARCH__)
#ifdef DV_SCOPE_DEVICE
#define DV_MANY_SCOPE "gpu"
#else
#define DV_MANY_SCOPE "sys"
#endif
DV_INLINE uint64_t dv_many_load_(const uint64_t *p)
{
	uint64_t v;

	__asm__ volatile("ld.acquire." DV_MANY_SCOPE ".b64 %0, [%1];"
			 : "=l"(v)
			 : "l"(p)
			 : "memory");
	return v;
}

DV_INLINE void dv_many_store_(uint64_t *p, uint64_t v)
{
	__asm__ volatile("st.release." DV_MANY_SCOPE ".b64 [%0], %1;" ::"l"(p), "l"(v)
			 : "memory");
}

/* True: *p was *old and is @v now; else *old is what it was. */
DV_INLINE bool dv_many_swap_(uint64_t *p, uint64_t *old, uint64_t v)
{
	uint64_t was, want = *old;

	__asm__ volatile("atom.acq_rel." DV_MANY_SCOPE ".cas.b64 %0, [%1], %2, %3;"
			 : "=l"(was)
			 : "l"(p), "l"(want), "l"(v)
			 : "memory");
	*old = was;
	return was == want;
}
#else
DV_INLINE uint64_t dv_many_load_(const uint64_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

DV_INLINE void dv_many_store_(uint64_t *p, uint64_t v)
{
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
}

DV_INLINE bool dv_many_swap_(uint64_t *p, uint64_t *old, uint64_t v)
{
	return __atomic_compare_exchange_n(p, old, v, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}
#endif

/* Keeps the first error. */
DV_INLINE int dv_many_fail_(struct dv_many *q, uint64_t why)
{
	uint64_t none = 0;

	dv_many_swap_(&q->error, &none, why);
	return EIO;
}

/* ---- completions ---- */

/*
 * Looks at the newest CQE. 0, or EIO: q->error has the syndrome (dv_syndrome_str()). A CQ of
 * one slot keeps the newest error: if many WQEs are signalled, that may be WR_FLUSH_ERR.
 */
DV_INLINE int dv_many_poll(struct dv_many *q)
{
	/* Before the CQE, which therefore is not older; so less than a ring is between them. */
	uint64_t done = dv_many_load_(&q->done), to;
	struct dv_collapsed c = dv_cq_collapsed(&q->cq);
	const volatile struct mlx5_err_cqe *bad;
	const volatile uint8_t *ctrl;

	if (dv_many_load_(&q->error))
		return EIO;
	if (c.opcode == MLX5_CQE_INVALID)
		return 0;
	if (c.opcode != MLX5_CQE_REQ) {
		bad = (const volatile struct mlx5_err_cqe *)(const volatile void *)q->cq.cqe64;
		return dv_many_fail_(q, bad->syndrome);
	}
	ctrl = (const volatile uint8_t *)dv_sq_at(&q->sq, c.wqe_counter);
	to = done + (uint16_t)(c.wqe_counter + dv_ds_nbb(ctrl[7] & 0x3f) - (uint16_t)done);
	if (to > dv_many_load_(&q->reserved_to))
		return 0; /* a CQE from before the first turn */
	/* done as it was before the CQE was read: so the slot of its WQE was not given back,
	 * and the length read from it is that WQE's. Otherwise another thread moved done. */
	if (done < to)
		dv_many_swap_(&q->done, &done, to);
	return 0;
}

/* True: the device has executed the WQEs of @t. */
DV_INLINE bool dv_many_done(const struct dv_many *q, const struct dv_turn *t)
{
	return dv_many_load_(&q->done) >= t->to;
}

/* ---- posting ---- */

/* Blocks up to @to do not fit. Signed: @to may come from an old count, and be below done; the
 * exchange of dv_many_reserve() fails then. */
DV_INLINE bool dv_many_is_over_(const struct dv_many *q, uint64_t to)
{
	return (int64_t)(to - dv_many_load_(&q->done)) > (int64_t)q->sq.wqe_cnt;
}

/* Takes @nbb blocks that follow each other in the ring. ENOMEM: there is no space now, although
 * this polled; EMSGSIZE: never; EIO: q->error. */
DV_INLINE int dv_many_reserve(struct dv_many *q, uint16_t nbb, struct dv_turn *t)
{
	uint64_t from = dv_many_load_(&q->reserved_to);
	uint32_t slot, pad;
	int err;

	if (!nbb || nbb > q->sq.max_nbb)
		return EMSGSIZE;
	do {
		slot = (uint32_t)from & q->sq.mask;
		pad = slot + nbb > q->sq.wqe_cnt ? q->sq.wqe_cnt - slot : 0;
		if (__builtin_expect(dv_many_is_over_(q, from + pad + nbb), 0)) {
			err = dv_many_poll(q);
			if (err || dv_many_is_over_(q, from + pad + nbb))
				return err ? err : ENOMEM;
		}
	} while (!dv_many_swap_(&q->reserved_to, &from, from + pad + nbb));
	t->from = from;
	t->at = from + pad;
	t->to = from + pad + nbb;
	return 0;
}

/* The blocks of @t from the @i-th on, as an empty queue that has space for them. */
DV_INLINE struct dv_sq dv_many_window(const struct dv_many *q, const struct dv_turn *t,
				      uint16_t i)
{
	struct dv_sq sq = q->sq;

	sq.pi = sq.db_pi = (uint16_t)(t->at + i);
	sq.ci = (uint16_t)(t->to - sq.wqe_cnt);
	return sq;
}

DV_INLINE int dv_many_await_(struct dv_many *q, const struct dv_turn *t)
{
	uint64_t left = q->spins ? q->spins : (uint64_t)1 << 32;

	while (dv_many_load_(&q->ready) != t->from) {
		if (dv_many_load_(&q->error))
			return EIO;
		if (!--left)
			return dv_many_fail_(q, DV_MANY_STUCK);
		DV_RELAX();
	}
	return 0;
}

/*
 * The WQEs of @t are written; @sq is the window that has the last of them. Waits for the turns
 * before. EIO: q->error; nothing is rung. Data that other threads wrote needs the caller's
 * fence before this.
 */
DV_INLINE int dv_many_publish(struct dv_many *q, const struct dv_turn *t, struct dv_sq *sq,
			      enum dv_doorbell how, enum dv_publish when)
{
	struct dv_sq edge = *sq;
	int err;

	edge.pi = (uint16_t)t->from;
	edge.ci = (uint16_t)(t->to - edge.wqe_cnt);
	while (edge.pi != (uint16_t)t->at)
		dv_sq_nop(&edge, 0);
	err = dv_many_await_(q, t);
	if (err)
		return err;
	if (when == DV_PUBLISH_RING ||
	    (when == DV_PUBLISH_LAST && (dv_many_load_(&q->reserved_to) == t->to ||
					 (t->from ^ t->to) & (q->sq.wqe_cnt / 2)))) {
		sq->db_pi = (uint16_t)(sq->pi - 1);
		dv_sq_ring_by(sq, how);
	}
	dv_many_store_(&q->ready, t->to);
	return 0;
}

/*
 * For threads that cannot write to the register, as those of a GPU without a mapping of it:
 * they publish with DV_PUBLISH_ONLY, and one thread of the CPU calls this in a loop. @sq is the
 * queue by its addresses (devx_qp.sq), @ready is q->ready by its. True: it rang. The register
 * gets the index after the last WQE, whose bytes may be where the CPU cannot read (as
 * NVIDIA/nvshmem and NVIDIA-DOCA/gpunetio do).
 */
DV_INLINE bool dv_many_proxy(struct dv_sq *sq, const uint64_t *ready)
{
	uint16_t to = (uint16_t)dv_many_load_(ready);
	__be32 words[2] = { htobe32((uint32_t)to << 8), sq->qpn_ds };
	uint64_t word;

	if (to == sq->pi)
		return false;
	sq->pi = to;
	dv_sq_record(sq);
	dv_barrier_dbrec_before_bf_reg();
	memcpy(&word, words, sizeof(word));
	*(volatile uint64_t *)sq->bf_reg = word;
	dv_barrier_bf_reg_flush();
	sq->db_pi = to;
	return true;
}

#ifdef __cplusplus
}
#endif

#endif
