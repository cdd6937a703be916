/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libmlx5, by its two doors: ibv_post_send() with a list that is filled for each batch, as an
 * application has to; and ibv_wr_*. Both end in ibv_poll_cq().
 */
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "lane.h"
#include "machine/machine.h"

#define NOT_INLINED __attribute__((noinline))
#define NO_MARK()   ((void)0)
#define ARGUMENTS   struct lane *l, unsigned int n, unsigned int sig, unsigned int every

/* ---- ibv_post_send ---- */

static inline __attribute__((always_inline)) void
fill_target(struct lane *l, struct ibv_send_wr *wr, uint64_t raddr)
{
	if (l->op == OP_ATOMIC) {
		wr->wr.atomic.remote_addr = raddr;
		wr->wr.atomic.rkey = l->to.rkey;
		wr->wr.atomic.compare_add = l->atomic == ATOMIC_FETCH_AND_ADD;
		wr->wr.atomic.swap = 1;
	} else if (l->ah) {
		wr->wr.ud.ah = l->ah;
		wr->wr.ud.remote_qpn = l->remote_qpn;
		wr->wr.ud.remote_qkey = LANE_QKEY;
	} else {
		wr->wr.rdma.remote_addr = raddr;
		wr->wr.rdma.rkey = l->to.rkey;
	}
}

static enum ibv_wr_opcode opcode_of(const struct lane *l)
{
	switch (l->op) {
	case OP_WRITE:
		return IBV_WR_RDMA_WRITE;
	case OP_WRITE_IMM:
		return IBV_WR_RDMA_WRITE_WITH_IMM;
	case OP_READ:
		return IBV_WR_RDMA_READ;
	case OP_ATOMIC:
		return l->atomic == ATOMIC_CMP_AND_SWAP ? IBV_WR_ATOMIC_CMP_AND_SWP
							: IBV_WR_ATOMIC_FETCH_AND_ADD;
	default:
		return IBV_WR_SEND;
	}
}

/* What a list has beside the usual; known to the compiler. */
enum { LIST_IMM = 1, LIST_SRQ = 2, LIST_WALKS = 4 };

/* Where the walk of @l then is, if it walks. */
static inline __attribute__((always_inline)) uint64_t fill(ARGUMENTS, unsigned int what)
{
	bool walks = what & LIST_WALKS;
	unsigned int flags = l->is_inline ? IBV_SEND_INLINE : 0;
	enum ibv_wr_opcode opcode = opcode_of(l);
	uint64_t at = walks ? l->walk.at : 0;

	for (unsigned int i = 0; i < n; i++) {
		struct ibv_send_wr *wr = &l->wr[i];
		struct ibv_sge *sge = &l->wr_sge[i];

		*sge = l->sge;
		sge->addr += i * l->stride;
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
		fill_target(l, wr, l->to.raddr + (walks ? at : i * l->stride));
		if (walks)
			at = walk_next(&l->walk, at);
		if (what & LIST_IMM)
			wr->imm_data = htobe32(LANE_IMM);
		if (what & LIST_SRQ)
			wr->qp_type.xrc.remote_srqn = l->remote_srqn;
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
	return (unsigned int)(bad - l->wr);
}

#define POST_SEND(name, what, BEGIN, END)                                                 \
	static NOT_INLINED unsigned int name(ARGUMENTS)                                   \
	{                                                                                 \
		struct ibv_send_wr *bad = NULL;                                           \
		uint64_t at;                                                              \
		int err;                                                                  \
                                                                                          \
		BEGIN();                                                                  \
		at = fill(l, n, sig, every, what);                                        \
		err = ibv_post_send(l->qp, l->wr, &bad);                                  \
		if ((what)&LIST_WALKS) /* on, or back to the first that was not posted */ \
			l->walk.at = err ? bad->wr.rdma.remote_addr - l->to.raddr : at;   \
		END();                                                                    \
		return posted(l, err, bad, n);                                            \
	}

#define POST_SEND_BOTH(name, what)              \
	POST_SEND(name, what, NO_MARK, NO_MARK) \
	POST_SEND(name##_marked, what, STEP_BEGIN, STEP_END)

POST_SEND_BOTH(post_send, 0)
POST_SEND_BOTH(post_send_imm, LIST_IMM)
POST_SEND_BOTH(post_send_xrc, LIST_SRQ)
POST_SEND_BOTH(post_send_xrc_imm, LIST_SRQ | LIST_IMM)
POST_SEND_BOTH(post_send_walk, LIST_WALKS)
POST_SEND_BOTH(post_send_imm_walk, LIST_WALKS | LIST_IMM)
POST_SEND_BOTH(post_send_xrc_walk, LIST_WALKS | LIST_SRQ)
POST_SEND_BOTH(post_send_xrc_imm_walk, LIST_WALKS | LIST_SRQ | LIST_IMM)

/* ---- ibv_poll_cq ---- */

/* Several calls only where more than MAX_CQE_POLL are asked for: by post. */
#define POLL(name, BEGIN, END)                                                           \
	static NOT_INLINED unsigned int name(struct lane *l, unsigned int most)          \
	{                                                                                \
		struct ibv_wc wc[MAX_CQE_POLL];                                          \
		unsigned int n = 0;                                                      \
		int want, got;                                                           \
                                                                                         \
		BEGIN();                                                                 \
		do {                                                                     \
			want = most - n < MAX_CQE_POLL ? (int)(most - n) : MAX_CQE_POLL; \
			got = ibv_poll_cq(l->send_cq, want, wc);                         \
			for (int i = 0; i < got; i++)                                    \
				if (wc[i].status)                                        \
					lane_failed(l, wc[i].vendor_err,                 \
						    ibv_wc_status_str(wc[i].status));    \
			n += got > 0 ? (unsigned int)got : 0;                            \
		} while (got == want && n < most);                                       \
		END();                                                                   \
		return n;                                                                \
	}

POLL(poll_cq, NO_MARK, NO_MARK)
POLL(poll_cq_marked, STEP_BEGIN, STEP_END)

#define POSTER(name)                                         \
	{                                                    \
		name, name##_marked, poll_cq, poll_cq_marked \
	}

const struct poster *poster_verbs(const struct lane *l)
{
	static const struct poster posters[][2][2] = {
		{ { POSTER(post_send), POSTER(post_send_walk) },
		  { POSTER(post_send_imm), POSTER(post_send_imm_walk) } },
		{ { POSTER(post_send_xrc), POSTER(post_send_xrc_walk) },
		  { POSTER(post_send_xrc_imm), POSTER(post_send_xrc_imm_walk) } },
	};

	return &posters[lane_wqe_to(l->o) == TO_XRC][l->op == OP_WRITE_IMM][l->walk.mask != 0];
}

/* ---- ibv_wr_* ---- */

#define WR(name, build, WALKS, BEGIN, END)                                 \
	static NOT_INLINED unsigned int name(ARGUMENTS)                    \
	{                                                                  \
		struct ibv_qp_ex *qpx = l->qpx;                            \
		uint64_t raddr = l->to.raddr, addr = l->sge.addr;          \
		uint64_t stride = l->stride, at = l->walk.at;              \
		uint32_t len = l->sge.length;                              \
		int err;                                                   \
                                                                           \
		if (WALKS)                                                 \
			raddr += at;                                       \
		(void)raddr;                                               \
		BEGIN();                                                   \
		ibv_wr_start(qpx);                                         \
		for (unsigned int i = 0; i < n; i++) {                     \
			qpx->wr_id = i;                                    \
			qpx->wr_flags = 0;                                 \
			if (i == sig) {                                    \
				qpx->wr_flags = IBV_SEND_SIGNALED;         \
				sig += every;                              \
			}                                                  \
			build;                                             \
			if (WALKS)                                         \
				at = walk_next(&l->walk, at);              \
			raddr = WALKS ? l->to.raddr + at : raddr + stride; \
			addr += stride;                                    \
		}                                                          \
		err = ibv_wr_complete(qpx);                                \
		if (WALKS && !err)                                         \
			l->walk.at = at;                                   \
		END();                                                     \
		if (err && err != ENOMEM)                                  \
			lane_failed(l, 0, strerror(err));                  \
		return err ? 0 : n; /* all or nothing */                   \
	}

#define WR_BOTH(name, build, WALKS)              \
	WR(name, build, WALKS, NO_MARK, NO_MARK) \
	WR(name##_marked, build, WALKS, STEP_BEGIN, STEP_END)

#define WR_FIXED(name, build)       \
	WR_BOTH(name, build, false) \
	static const struct poster poster_##name[] = { POSTER(name) };

/* Of WQEs that name the peer's memory: without and with a walk. */
#define WR_REACHING(name, build)          \
	WR_BOTH(name, build, false)       \
	WR_BOTH(name##_walk, build, true) \
	static const struct poster poster_##name[] = { POSTER(name), POSTER(name##_walk) };

#define INLINE	  ibv_wr_set_inline_data(qpx, (void *)(uintptr_t)addr, len)
#define SGE	  ibv_wr_set_sge(qpx, l->sge.lkey, addr, len)
#define NOBODY	  (void)0
#define UD_QP	  ibv_wr_set_ud_addr(qpx, l->ah, l->remote_qpn, LANE_QKEY)
#define XRC_SRQ	  ibv_wr_set_xrc_srqn(qpx, l->remote_srqn)
#define DC_TARGET mlx5dv_wr_set_dc_addr(l->dcx, l->ah, l->remote_qpn, LANE_DC_KEY)

#define WRITE	  ibv_wr_rdma_write(qpx, l->to.rkey, raddr)
#define WRITE_IMM ibv_wr_rdma_write_imm(qpx, l->to.rkey, raddr, htobe32(LANE_IMM))
#define READ	  ibv_wr_rdma_read(qpx, l->to.rkey, raddr)
#define SEND	  ibv_wr_send(qpx)
#define FETCH_ADD ibv_wr_atomic_fetch_add(qpx, l->to.rkey, raddr, 1)
#define CMP_SWAP  ibv_wr_atomic_cmp_swp(qpx, l->to.rkey, raddr, 0, 1)

/* All operations of a service, and the table of them. */
#define SERVICE(name, to)                                         \
	WR_REACHING(name##_write, (WRITE, to, SGE))               \
	WR_REACHING(name##_write_inl, (WRITE, to, INLINE))        \
	WR_REACHING(name##_imm, (WRITE_IMM, to, SGE))             \
	WR_REACHING(name##_imm_inl, (WRITE_IMM, to, INLINE))      \
	WR_REACHING(name##_read, (READ, to, SGE))                 \
	WR_FIXED(name##_send, (SEND, to, SGE))                    \
	WR_FIXED(name##_send_inl, (SEND, to, INLINE))             \
	WR_REACHING(name##_fetch_add, (FETCH_ADD, to, SGE))       \
	WR_REACHING(name##_cmp_swap, (CMP_SWAP, to, SGE))         \
	static const struct poster *const name[WQE_KINDS] = {     \
		[WQE_WRITE] = poster_##name##_write,              \
		[WQE_WRITE_INLINE] = poster_##name##_write_inl,   \
		[WQE_WRITE_IMM] = poster_##name##_imm,            \
		[WQE_WRITE_IMM_INLINE] = poster_##name##_imm_inl, \
		[WQE_READ] = poster_##name##_read,                \
		[WQE_SEND] = poster_##name##_send,                \
		[WQE_SEND_INLINE] = poster_##name##_send_inl,     \
		[WQE_FETCH_ADD] = poster_##name##_fetch_add,      \
		[WQE_CMP_SWAP] = poster_##name##_cmp_swap,        \
	};

SERVICE(connected, NOBODY)
SERVICE(xrc, XRC_SRQ)
SERVICE(dc, DC_TARGET)

WR_FIXED(ud_send, (SEND, UD_QP, SGE))
WR_FIXED(ud_send_inl, (SEND, UD_QP, INLINE))
static const struct poster *const ud[WQE_KINDS] = {
	[WQE_SEND] = poster_ud_send,
	[WQE_SEND_INLINE] = poster_ud_send_inl,
};

const struct poster *poster_wr(const struct lane *l)
{
	static const struct poster *const *const to[WQE_TOS] = { connected, ud, xrc, dc };

	return &to[lane_wqe_to(l->o)][lane_wqe_kind(l)][l->walk.mask != 0];
}
