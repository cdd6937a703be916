/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv: one function per kind of WQE, as an application that knows what it sends has it. Each is
 * made of the templates below, whose last arguments are constants: only one path of them is
 * compiled. Addresses, lengths and the size of the batch are known at run time. Each function
 * exists twice, with and without the marks between which instructions are counted.
 */
#include <dv/batch.h>
#include <dv/mmo.h>
#include <dv/post.h>
#include <dv/print.h>

#include "base/base.h"
#include "lane.h"
#include "ring.h"
#include "wqe.h"
#include "machine/machine.h"

#define NOT_INLINED __attribute__((noinline))

DV_INLINE void ring(struct lane *l, bool batch)
{
	if (l->doorbell.ring)
		l->doorbell.ring(l);
	else if (batch || l->doorbell.kind == RING_DB)
		dv_sq_doorbell(&l->sq);
	else
		dv_sq_blueflame(&l->sq);
}

/* ---- a WQE with an address, or a copy ---- */

DV_INLINE bool is_send(enum wqe_kind kind)
{
	return kind == WQE_SEND || kind == WQE_SEND_INLINE;
}

DV_INLINE bool is_inline(enum wqe_kind kind)
{
	return kind == WQE_WRITE_INLINE || kind == WQE_WRITE_IMM_INLINE ||
	       kind == WQE_SEND_INLINE;
}

DV_INLINE bool is_copy(enum wqe_kind kind)
{
	return kind == WQE_MMO || kind == WQE_MMO_CHUNKS || kind == WQE_MMO_READ ||
	       kind == WQE_MMO_READ_CHUNKS;
}

DV_INLINE bool is_atomic(enum wqe_kind kind)
{
	return kind == WQE_FETCH_ADD || kind == WQE_CMP_SWAP;
}

DV_INLINE uint8_t opcode_of(enum wqe_kind kind)
{
	static const uint8_t opcode[WQE_KINDS] = {
		[WQE_WRITE] = MLX5_OPCODE_RDMA_WRITE,
		[WQE_WRITE_INLINE] = MLX5_OPCODE_RDMA_WRITE,
		[WQE_WRITE_IMM] = MLX5_OPCODE_RDMA_WRITE_IMM,
		[WQE_WRITE_IMM_INLINE] = MLX5_OPCODE_RDMA_WRITE_IMM,
		[WQE_READ] = MLX5_OPCODE_RDMA_READ,
		[WQE_SEND] = MLX5_OPCODE_SEND,
		[WQE_SEND_INLINE] = MLX5_OPCODE_SEND,
		[WQE_FETCH_ADD] = MLX5_OPCODE_ATOMIC_FA,
		[WQE_CMP_SWAP] = MLX5_OPCODE_ATOMIC_CS,
	};

	return opcode[kind];
}

/* Blocks of a WQE with an address. UD: two, the vector fills the first one; more with long
 * data. */
DV_INLINE size_t addressed_nbb(const struct wqe *w, const struct lane *l,
			       const enum wqe_kind kind, const enum wqe_to to)
{
	size_t bytes = DV_WQE_DS * (1 + !is_send(kind) + is_atomic(kind));

	if (to == TO_UD && (!is_inline(kind) || w->sge.length <= DV_WQE_BB - 4))
		return 2;
	bytes += to == TO_UD ? sizeof(l->op.av) : l->op.destination.bytes;
	bytes += is_inline(kind) ? dv_inline_seg_size(w->sge.length) : DV_WQE_DS;
	return dv_wqe_nbb(bytes);
}

/* UD, XRC, DC: composed, with an address. */
DV_INLINE int post_addressed(struct dv_sq *sq, uint8_t flags, const struct wqe *w,
			     const struct lane *l, const enum wqe_kind kind,
			     const enum wqe_to to)
{
	bool imm = kind == WQE_WRITE_IMM || kind == WQE_WRITE_IMM_INLINE;
	size_t nbb = addressed_nbb(w, l, kind, to);
	void *seg = dv_sq_reserve(sq, nbb);

	if (!seg)
		return dv_sq_reserve_error(sq, nbb);
	seg = to == TO_UD ? dv_set_av_seg(seg, &l->op.av)
			  : dv_set_dest_seg(seg, &l->op.destination);
	if (!is_send(kind))
		seg = dv_set_raddr_seg(seg, w->raddr);
	if (is_atomic(kind))
		seg = dv_set_fetch_add_seg(seg, 1);
	seg = is_inline(kind) ? dv_set_inline_seg(seg, w->src, w->sge.length)
			      : dv_set_data_seg(seg, &w->sge);
	dv_sq_commit(sq, seg, opcode_of(kind), 0, flags, imm ? IMM : 0);
	return 0;
}

/* A copy by one WQE, or one for each chunk: all of them or none, and the last one is
 * signaled. */
DV_INLINE int post_copy(struct dv_sq *sq, uint8_t flags, const struct wqe *w,
			const struct lane *l, const enum wqe_kind kind)
{
	const bool reads = kind == WQE_MMO_READ || kind == WQE_MMO_READ_CHUNKS;
	struct dv_laddr here = { w->sge.addr, w->sge.lkey };
	struct dv_laddr there = { w->raddr.raddr, w->raddr.rkey };
	struct dv_laddr from = reads ? there : here, to = reads ? here : there;
	uint64_t end = from.addr + w->sge.length;

	if (kind == WQE_MMO || kind == WQE_MMO_READ)
		return dv_sq_memcpy(sq, flags, l->op.opaque, to, from, w->sge.length);
	if (dv_sq_space(sq) < l->op.blocks)
		return ENOMEM;
	while (from.addr + l->op.chunk < end) {
		dv_sq_memcpy(sq, 0, l->op.opaque, to, from, l->op.chunk);
		from.addr += l->op.chunk;
		to.addr += l->op.chunk;
	}
	return dv_sq_memcpy(sq, flags, l->op.opaque, to, from, (uint32_t)(end - from.addr));
}

DV_INLINE int post_one(struct dv_sq *sq, uint8_t flags, const struct wqe *w,
		       const struct lane *l, const enum wqe_kind kind, const enum wqe_to to)
{
	if (is_copy(kind))
		return post_copy(sq, flags, w, l, kind);
	return to == TO_CONNECTED ? post_connected(sq, flags, w, kind)
				  : post_addressed(sq, flags, w, l, kind, to);
}

/* ---- a batch ---- */

/* Variants for which a template is compiled. */
enum { WALKS = 1, MARKED = 2 };

/* The next WQE of a batch: with WALKS where the walk of the lane is, otherwise the next
 * slot. */
DV_INLINE void next(struct wqe *w, struct walk *walk, const struct lane *l, uint64_t stride,
		    const unsigned int how)
{
	w->sge.addr += stride;
	w->src += stride;
	if (how & WALKS)
		walk->at = walk_next(walk, walk->at);
	w->raddr.raddr = how & WALKS ? l->op.remote.raddr + walk->at : w->raddr.raddr + stride;
}

/* A batch of one is not a loop, as in an application that never has more. */
DV_INLINE unsigned int post_single(struct lane *l, const struct wqe *w, uint8_t flags,
				   const enum wqe_kind kind, const enum wqe_to to,
				   const unsigned int how)
{
	struct dv_batch b;
	unsigned int n;

	if (how & MARKED)
		STEP_BEGIN();
	if (to == TO_CONNECTED) {
		n = !post_one(&l->sq, flags, w, l, kind, to);
	} else {
		dv_batch_begin(&b, &l->sq, 0);
		n = !post_one(&b.sq, flags, w, l, kind, to);
		dv_batch_end(&b);
	}
	if (how & WALKS && n)
		l->op.walk.at = walk_next(&l->op.walk, l->op.walk.at);
	ring(l, false);
	if (how & MARKED)
		STEP_END();
	return n;
}

/* Between two signalled WQEs there is nothing to decide. */
DV_INLINE unsigned int post_batch(struct lane *l, unsigned int n, unsigned int sig,
				  unsigned int every, const enum wqe_kind kind,
				  const enum wqe_to to, const unsigned int how)
{
	struct wqe w = { l->op.remote, l->op.sge, l->mem.send };
	struct walk walk = l->op.walk;
	uint64_t stride = l->op.stride;
	unsigned int i = 0, stop;
	struct dv_batch b;
	/* An inline WRITE has a path out of line, before which all of a queue in registers is
	 * stored. */
	const bool in_batch = to != TO_CONNECTED || !is_inline(kind) || is_send(kind);
	struct dv_sq *sq = in_batch ? &b.sq : &l->sq;

	if (how & WALKS)
		w.raddr.raddr += walk.at;
	if (n == 1)
		return post_single(l, &w, sig ? 0 : MLX5_WQE_CTRL_CQ_UPDATE, kind, to, how);
	if (how & MARKED)
		STEP_BEGIN();
	if (in_batch)
		dv_batch_begin(&b, &l->sq, 0);
	for (;;) {
		for (stop = sig < n ? sig : n; i < stop; i++) {
			if (post_one(sq, 0, &w, l, kind, to))
				goto full;
			next(&w, &walk, l, stride, how);
		}
		if (i == n || post_one(sq, MLX5_WQE_CTRL_CQ_UPDATE, &w, l, kind, to))
			break;
		next(&w, &walk, l, stride, how);
		i++;
		sig += every;
	}
full:
	if (in_batch)
		dv_batch_end(&b);
	if (how & WALKS)
		l->op.walk.at = walk.at;
	ring(l, true);
	if (how & MARKED)
		STEP_END();
	return i;
}

/* ---- CQEs ---- */

static _Noreturn NOT_INLINED void bad_cqe(const struct lane *l, const struct mlx5_cqe64 *cqe)
{
	uint8_t syndrome = dv_cqe_syndrome(cqe);

	lane_failed(l, syndrome, dv_syndrome_str(syndrome));
}

DV_INLINE unsigned int take_cqes(struct lane *l, unsigned int most, const unsigned int how)
{
	const struct mlx5_cqe64 *cqe, *last = NULL;
	struct dv_cq *cq = &l->cqs.send_ring;
	unsigned int n = 0;

	if (how & MARKED)
		STEP_BEGIN();
	while (n < most && (cqe = dv_cq_poll(cq))) {
		if (dv_cqe_is_error(cqe))
			bad_cqe(l, cqe);
		last = cqe;
		n++;
	}
	if (last) {
		dv_sq_retire(&l->sq, last);
		dv_cq_release(cq);
	}
	if (how & MARKED)
		STEP_END();
	return n;
}

static NOT_INLINED unsigned int poll_cqes(struct lane *l, unsigned int most)
{
	return take_cqes(l, most, 0);
}

static NOT_INLINED unsigned int poll_cqes_marked(struct lane *l, unsigned int most)
{
	return take_cqes(l, most, MARKED);
}

/* ---- the functions ---- */

#define POST(name, kind, to, how)                                                              \
	static NOT_INLINED unsigned int name(struct lane *l, unsigned int n, unsigned int sig, \
					     unsigned int every)                               \
	{                                                                                      \
		return post_batch(l, n, sig, every, kind, to, how);                            \
	}
#define UNMARKED_AND_MARKED(name, kind, to, how) \
	POST(name, kind, to, how)                \
	POST(name##_marked, kind, to, (how) | MARKED)

#define POSTER(name)                                             \
	{                                                        \
		name, name##_marked, poll_cqes, poll_cqes_marked \
	}

#define DIRECT(name, kind, to)                 \
	UNMARKED_AND_MARKED(name, kind, to, 0) \
	static const struct poster poster_##name[] = { POSTER(name) }

/* For WQEs that name the peer's memory: without and with a walk. */
#define REACHING(name, kind, to)                          \
	UNMARKED_AND_MARKED(name, kind, to, 0)            \
	UNMARKED_AND_MARKED(name##_walk, kind, to, WALKS) \
	static const struct poster poster_##name[] = { POSTER(name), POSTER(name##_walk) }

REACHING(write_inline, WQE_WRITE_INLINE, TO_CONNECTED);
REACHING(write_sge, WQE_WRITE, TO_CONNECTED);
REACHING(write_imm_inl, WQE_WRITE_IMM_INLINE, TO_CONNECTED);
REACHING(write_imm_sge, WQE_WRITE_IMM, TO_CONNECTED);
REACHING(read_sge, WQE_READ, TO_CONNECTED);
DIRECT(send_inline, WQE_SEND_INLINE, TO_CONNECTED);
DIRECT(send_sge, WQE_SEND, TO_CONNECTED);
REACHING(fetch_add, WQE_FETCH_ADD, TO_CONNECTED);
REACHING(cmp_swap, WQE_CMP_SWAP, TO_CONNECTED);
DIRECT(nop, WQE_NOP, TO_CONNECTED);
REACHING(mmo, WQE_MMO, TO_CONNECTED);
REACHING(mmo_chunks, WQE_MMO_CHUNKS, TO_CONNECTED);
REACHING(mmo_read, WQE_MMO_READ, TO_CONNECTED);
REACHING(mmo_read_chunks, WQE_MMO_READ_CHUNKS, TO_CONNECTED);

DIRECT(ud_inline, WQE_SEND_INLINE, TO_UD);
DIRECT(ud_sge, WQE_SEND, TO_UD);

/* DC, XRC */
REACHING(write_inline_to, WQE_WRITE_INLINE, TO_DC);
REACHING(write_sge_to, WQE_WRITE, TO_DC);
REACHING(write_imm_inl_to, WQE_WRITE_IMM_INLINE, TO_DC);
REACHING(write_imm_sge_to, WQE_WRITE_IMM, TO_DC);
REACHING(read_sge_to, WQE_READ, TO_DC);
DIRECT(send_inline_to, WQE_SEND_INLINE, TO_DC);
DIRECT(send_sge_to, WQE_SEND, TO_DC);
REACHING(fetch_add_to, WQE_FETCH_ADD, TO_DC);
REACHING(cmp_swap_to, WQE_CMP_SWAP, TO_DC);

static const struct poster *const connected[WQE_KINDS] = {
	[WQE_WRITE] = poster_write_sge,
	[WQE_WRITE_INLINE] = poster_write_inline,
	[WQE_WRITE_IMM] = poster_write_imm_sge,
	[WQE_WRITE_IMM_INLINE] = poster_write_imm_inl,
	[WQE_READ] = poster_read_sge,
	[WQE_SEND] = poster_send_sge,
	[WQE_SEND_INLINE] = poster_send_inline,
	[WQE_FETCH_ADD] = poster_fetch_add,
	[WQE_CMP_SWAP] = poster_cmp_swap,
	[WQE_NOP] = poster_nop,
	[WQE_MMO] = poster_mmo,
	[WQE_MMO_CHUNKS] = poster_mmo_chunks,
	[WQE_MMO_READ] = poster_mmo_read,
	[WQE_MMO_READ_CHUNKS] = poster_mmo_read_chunks,
};

static const struct poster *const datagram[WQE_KINDS] = {
	[WQE_SEND] = poster_ud_sge,
	[WQE_SEND_INLINE] = poster_ud_inline,
	[WQE_NOP] = poster_nop,
};

static const struct poster *const addressed[WQE_KINDS] = {
	[WQE_WRITE] = poster_write_sge_to,
	[WQE_WRITE_INLINE] = poster_write_inline_to,
	[WQE_WRITE_IMM] = poster_write_imm_sge_to,
	[WQE_WRITE_IMM_INLINE] = poster_write_imm_inl_to,
	[WQE_READ] = poster_read_sge_to,
	[WQE_SEND] = poster_send_sge_to,
	[WQE_SEND_INLINE] = poster_send_inline_to,
	[WQE_FETCH_ADD] = poster_fetch_add_to,
	[WQE_CMP_SWAP] = poster_cmp_swap_to,
	[WQE_NOP] = poster_nop,
};

const struct poster *poster_direct(const struct lane *l)
{
	static const struct poster *const *const to[WQE_TOS] = { connected, datagram, addressed,
								 addressed };

	return &to[lane_wqe_to(l->o)][lane_wqe_kind(l)][l->op.walk.mask != 0];
}
