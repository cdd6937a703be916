/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two interfaces of libmlx5: ibv_post_send() with a list that is filled for each batch, as
 * an application has to; and ibv_wr_*. CQEs of both are polled by ibv_poll_cq().
 *
 * A TEMPLATE gets constants as its last arguments. Each combination of them is its own
 * function, in which the compiler has nothing left to decide: as an application that knows what
 * it sends has it. marked: with the marks between which instructions are counted.
 */
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "machine/machine.h"
#include "lane.h"

#define NOT_INLINED __attribute__((noinline))
#define TEMPLATE    static inline __attribute__((always_inline))
#define ARGUMENTS   struct lane *l, unsigned int n, unsigned int sig, unsigned int every

/* ---- ibv_post_send ---- */

TEMPLATE void fill_target(struct lane *l, struct ibv_send_wr *wr, uint64_t raddr)
{
	if (l->op.kind == OP_ATOMIC) {
		wr->wr.atomic.remote_addr = raddr;
		wr->wr.atomic.rkey = l->op.remote.rkey;
		wr->wr.atomic.compare_add = l->op.atomic == ATOMIC_FETCH_AND_ADD;
		wr->wr.atomic.swap = 1;
	} else if (l->op.ah) {
		wr->wr.ud.ah = l->op.ah;
		wr->wr.ud.remote_qpn = l->op.remote_qpn;
		wr->wr.ud.remote_qkey = LANE_QKEY;
	} else {
		wr->wr.rdma.remote_addr = raddr;
		wr->wr.rdma.rkey = l->op.remote.rkey;
	}
}

static enum ibv_wr_opcode opcode_of(const struct lane *l)
{
	switch (l->op.kind) {
	case OP_WRITE:
		return IBV_WR_RDMA_WRITE;
	case OP_WRITE_IMM:
		return IBV_WR_RDMA_WRITE_WITH_IMM;
	case OP_READ:
		return IBV_WR_RDMA_READ;
	case OP_ATOMIC:
		return l->op.atomic == ATOMIC_CMP_AND_SWAP ? IBV_WR_ATOMIC_CMP_AND_SWP
							   : IBV_WR_ATOMIC_FETCH_AND_ADD;
	default:
		return IBV_WR_SEND;
	}
}

/* Optional members of a list. */
enum { LIST_IMM = 1, LIST_SRQ = 2, LIST_WALKS = 4 };

/* Returns where the walk of @l is then, if it walks. */
TEMPLATE uint64_t fill(ARGUMENTS, unsigned int what)
{
	bool walks = what & LIST_WALKS;
	unsigned int flags = l->op.is_inline ? IBV_SEND_INLINE : 0;
	enum ibv_wr_opcode opcode = opcode_of(l);
	uint64_t at = walks ? l->op.walk.at : 0;

	for (unsigned int i = 0; i < n; i++) {
		struct ibv_send_wr *wr = &l->op.wrs[i];
		struct ibv_sge *sge = &l->op.sges[i];

		*sge = l->op.sge;
		sge->addr += i * l->op.stride;
		wr->wr_id = i;
		wr->next = i + 1 == n ? NULL : wr + 1;
		wr->sg_list = sge;
		wr->num_sge = 1;
		wr->opcode = opcode;
		wr->send_flags = flags;
		if (i == sig) {
			wr->send_flags |= IBV_SEND_SIGNALED;
			sig += every;
		}
		fill_target(l, wr, l->op.remote.raddr + (walks ? at : i * l->op.stride));
		if (walks)
			at = walk_next(&l->op.walk, at);
		if (what & LIST_IMM)
			wr->imm_data = htobe32(LANE_IMM);
		if (what & LIST_SRQ)
			wr->qp_type.xrc.remote_srqn = l->op.remote_srqn;
	}
	return at;
}

static unsigned int posted(struct lane *l, int err, const struct ibv_send_wr *bad,
			   unsigned int n)
{
	if (!err)
		return n;
	if (err != ENOMEM)
		lane_failed(l, 0, strerror(err));
	return (unsigned int)(bad - l->op.wrs);
}

TEMPLATE unsigned int post_list(ARGUMENTS, unsigned int what, bool marked)
{
	struct ibv_send_wr *bad = NULL;
	uint64_t at;
	int err;

	if (marked)
		STEP_BEGIN();
	at = fill(l, n, sig, every, what);
	err = ibv_post_send(l->verbs.qp, l->op.wrs, &bad);
	if (what & LIST_WALKS) /* on, or back to the first that was not posted */
		l->op.walk.at = err ? bad->wr.rdma.remote_addr - l->op.remote.raddr : at;
	if (marked)
		STEP_END();
	return posted(l, err, bad, n);
}

#define POST_SEND(what)                                               \
	static NOT_INLINED unsigned int post_send_##what(ARGUMENTS)   \
	{                                                             \
		return post_list(l, n, sig, every, what, false);      \
	}                                                             \
	static NOT_INLINED unsigned int marked_send_##what(ARGUMENTS) \
	{                                                             \
		return post_list(l, n, sig, every, what, true);       \
	}

POST_SEND(0)
POST_SEND(1)
POST_SEND(2)
POST_SEND(3)
POST_SEND(4)
POST_SEND(5)
POST_SEND(6)
POST_SEND(7)

/* ---- ibv_poll_cq ---- */

/* Several calls only where more than MAX_CQE_POLL are asked for: by post. */
TEMPLATE unsigned int poll_wcs(struct lane *l, unsigned int most, bool marked)
{
	struct ibv_wc wc[MAX_CQE_POLL];
	unsigned int n = 0;
	int want, got;

	if (marked)
		STEP_BEGIN();
	do {
		want = most - n < MAX_CQE_POLL ? (int)(most - n) : MAX_CQE_POLL;
		got = ibv_poll_cq(l->cqs.send_ibcq, want, wc);
		for (int i = 0; i < got; i++)
			if (wc[i].status)
				lane_failed(l, wc[i].vendor_err,
					    ibv_wc_status_str(wc[i].status));
		n += got > 0 ? (unsigned int)got : 0;
	} while (got == want && n < most);
	if (marked)
		STEP_END();
	return n;
}

static NOT_INLINED unsigned int poll_cq(struct lane *l, unsigned int most)
{
	return poll_wcs(l, most, false);
}

static NOT_INLINED unsigned int poll_cq_marked(struct lane *l, unsigned int most)
{
	return poll_wcs(l, most, true);
}

const struct poster *poster_verbs(const struct lane *l)
{
#define POSTER(what)                                                          \
	{                                                                     \
		post_send_##what, marked_send_##what, poll_cq, poll_cq_marked \
	}
	static const struct poster posters[] = { POSTER(0), POSTER(1), POSTER(2), POSTER(3),
						 POSTER(4), POSTER(5), POSTER(6), POSTER(7) };
	unsigned int what = (l->op.kind == OP_WRITE_IMM ? LIST_IMM : 0) |
			    (lane_wqe_to(l->o) == TO_XRC ? LIST_SRQ : 0) |
			    (l->op.walk.mask ? LIST_WALKS : 0);

	return &posters[what];
}

/* ---- ibv_wr_* ---- */

TEMPLATE void wr_operation(struct lane *l, struct ibv_qp_ex *qpx, uint64_t raddr,
			   enum wqe_kind kind)
{
	uint32_t rkey = l->op.remote.rkey;

	switch (kind) {
	case WQE_WRITE:
	case WQE_WRITE_INLINE:
		return ibv_wr_rdma_write(qpx, rkey, raddr);
	case WQE_WRITE_IMM:
	case WQE_WRITE_IMM_INLINE:
		return ibv_wr_rdma_write_imm(qpx, rkey, raddr, htobe32(LANE_IMM));
	case WQE_READ:
		return ibv_wr_rdma_read(qpx, rkey, raddr);
	case WQE_FETCH_ADD:
		return ibv_wr_atomic_fetch_add(qpx, rkey, raddr, 1);
	case WQE_CMP_SWAP:
		return ibv_wr_atomic_cmp_swp(qpx, rkey, raddr, 0, 1);
	default:
		return ibv_wr_send(qpx);
	}
}

TEMPLATE void wr_address(struct lane *l, struct ibv_qp_ex *qpx, enum wqe_to to)
{
	if (to == TO_UD)
		ibv_wr_set_ud_addr(qpx, l->op.ah, l->op.remote_qpn, LANE_QKEY);
	else if (to == TO_XRC)
		ibv_wr_set_xrc_srqn(qpx, l->op.remote_srqn);
	else if (to == TO_DC)
		mlx5dv_wr_set_dc_addr(l->verbs.dv_qpx, l->op.ah, l->op.remote_qpn, LANE_DC_KEY);
}

TEMPLATE bool is_copy(enum wqe_kind kind)
{
	return kind == WQE_MMO || kind == WQE_MMO_CHUNKS || kind == WQE_MMO_READ ||
	       kind == WQE_MMO_READ_CHUNKS;
}

/* A copy by one WQE, or one for each chunk, of which the last is signaled. */
TEMPLATE void wr_copy(struct lane *l, struct ibv_qp_ex *qpx, uint64_t raddr, uint64_t addr,
		      enum wqe_kind kind)
{
	const bool reads = kind == WQE_MMO_READ || kind == WQE_MMO_READ_CHUNKS;
	const bool chunks = kind == WQE_MMO_CHUNKS || kind == WQE_MMO_READ_CHUNKS;
	uint32_t here = l->op.sge.lkey, there = l->op.remote.rkey, left = l->op.sge.length;
	uint32_t from_key = reads ? there : here, to_key = reads ? here : there;
	uint64_t from = reads ? raddr : addr, to = reads ? addr : raddr;
	unsigned int flags = qpx->wr_flags;

	qpx->wr_flags = chunks ? 0 : flags;
	for (; chunks && left > l->op.chunk; left -= l->op.chunk) {
		mlx5dv_wr_memcpy(l->verbs.dv_qpx, to_key, to, from_key, from, l->op.chunk);
		to += l->op.chunk;
		from += l->op.chunk;
	}
	qpx->wr_flags = flags;
	mlx5dv_wr_memcpy(l->verbs.dv_qpx, to_key, to, from_key, from, left);
}

TEMPLATE bool is_inline(enum wqe_kind kind)
{
	return kind == WQE_WRITE_INLINE || kind == WQE_WRITE_IMM_INLINE ||
	       kind == WQE_SEND_INLINE;
}

/* Addresses of an operation: in the peer's memory and here. */
struct wr {
	uint64_t raddr, addr;
};

TEMPLATE void wr_one(struct lane *l, struct ibv_qp_ex *qpx, const struct wr *wr,
		     enum wqe_kind kind, enum wqe_to to)
{
	uint32_t len = l->op.sge.length;

	if (is_copy(kind)) {
		wr_copy(l, qpx, wr->raddr, wr->addr, kind);
		return;
	}
	wr_operation(l, qpx, wr->raddr, kind);
	wr_address(l, qpx, to);
	if (is_inline(kind))
		ibv_wr_set_inline_data(qpx, (void *)(uintptr_t)wr->addr, len);
	else
		ibv_wr_set_sge(qpx, l->op.sge.lkey, wr->addr, len);
}

TEMPLATE unsigned int wr_batch(ARGUMENTS, enum wqe_kind kind, enum wqe_to to, bool walks,
			       bool marked)
{
	struct ibv_qp_ex *qpx = l->verbs.qpx;
	uint64_t raddr = l->op.remote.raddr, addr = l->op.sge.addr;
	uint64_t stride = l->op.stride, at = l->op.walk.at;
	int err;

	if (walks)
		raddr += at;
	if (marked)
		STEP_BEGIN();
	ibv_wr_start(qpx);
	for (unsigned int i = 0; i < n; i++) {
		qpx->wr_flags = 0;
		qpx->wr_id = i;
		if (i == sig) {
			qpx->wr_flags = IBV_SEND_SIGNALED;
			sig += every;
		}
		wr_one(l, qpx, &(struct wr){ raddr, addr }, kind, to);
		if (walks)
			at = walk_next(&l->op.walk, at);
		raddr = walks ? l->op.remote.raddr + at : raddr + stride;
		addr += stride;
	}
	err = ibv_wr_complete(qpx);
	if (walks && !err)
		l->op.walk.at = at;
	if (marked)
		STEP_END();
	if (err && err != ENOMEM)
		lane_failed(l, 0, strerror(err));
	return err ? 0 : n; /* all or nothing */
}

/* Kinds of WQEs per destination: UD has only SEND. */
#define KINDS(X, to)            \
	X(WRITE, to)            \
	X(WRITE_INLINE, to)     \
	X(WRITE_IMM, to)        \
	X(WRITE_IMM_INLINE, to) \
	X(READ, to)             \
	X(SEND, to)             \
	X(SEND_INLINE, to)      \
	X(FETCH_ADD, to)        \
	X(CMP_SWAP, to)
#define UD_KINDS(X) \
	X(SEND, UD) \
	X(SEND_INLINE, UD)
#define COPIES(X)                \
	X(MMO, CONNECTED)        \
	X(MMO_CHUNKS, CONNECTED) \
	X(MMO_READ, CONNECTED)   \
	X(MMO_READ_CHUNKS, CONNECTED)

#define WR(name, kind, to, walks, marked)                                              \
	static NOT_INLINED unsigned int name(ARGUMENTS)                                \
	{                                                                              \
		return wr_batch(l, n, sig, every, WQE_##kind, TO_##to, walks, marked); \
	}
#define WR_FUNCTIONS(kind, to)                          \
	WR(wr_##to##_##kind, kind, to, false, false)    \
	WR(marked_##to##_##kind, kind, to, false, true) \
	WR(walk_##to##_##kind, kind, to, true, false)   \
	WR(marked_walk_##to##_##kind, kind, to, true, true)

KINDS(WR_FUNCTIONS, CONNECTED)
COPIES(WR_FUNCTIONS)
KINDS(WR_FUNCTIONS, XRC)
KINDS(WR_FUNCTIONS, DC)
UD_KINDS(WR_FUNCTIONS)

#define WR_POSTERS(kind, to)                                                                \
	[WQE_##kind] = {                                                                    \
		{ wr_##to##_##kind, marked_##to##_##kind, poll_cq, poll_cq_marked },        \
		{ walk_##to##_##kind, marked_walk_##to##_##kind, poll_cq, poll_cq_marked }, \
	},

const struct poster *poster_wr(const struct lane *l)
{
	/* by what the WQE names, its kind, and whether it walks */
	static const struct poster posters[WQE_TOS][WQE_KINDS][2] = {
		[TO_CONNECTED] = { KINDS(WR_POSTERS, CONNECTED) COPIES(WR_POSTERS) },
		[TO_UD] = { UD_KINDS(WR_POSTERS) },
		[TO_XRC] = { KINDS(WR_POSTERS, XRC) },
		[TO_DC] = { KINDS(WR_POSTERS, DC) },
	};

	return &posters[lane_wqe_to(l->o)][lane_wqe_kind(l)][l->op.walk.mask != 0];
}
