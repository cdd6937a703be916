/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv: one function per kind of WQE, as an application that knows what it sends has it. Addresses,
 * lengths and the size of the batch come at run time. Each exists twice, with and without the marks
 * between which instructions are counted.
 */
#include <dv/print.h>

#include "base/base.h"
#include "lane.h"
#include "ring.h"
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

/* A batch of one is no loop, as in an application that never has more. WALKS: each WQE goes where the
 * walk of the lane is; otherwise to the next slot of the batch. Between two signalled ones there is
 * nothing to decide. */
#define NO_MARK() ((void)0)
#define NEXT(WALKS)                                                                  \
	do {                                                                         \
		sge.addr += stride;                                                  \
		src += stride;                                                       \
		if (WALKS)                                                           \
			walk.at = walk_next(&walk, walk.at);                         \
		to.raddr = WALKS ? l->op.remote.raddr + walk.at : to.raddr + stride; \
	} while (0)
#define BATCH(name, call, WALKS, BEGIN, END)                                                   \
	static NOT_INLINED unsigned int name(struct lane *l, unsigned int n, unsigned int sig, \
					     unsigned int every)                               \
	{                                                                                      \
		struct dv_raddr to = l->op.remote;                                             \
		struct ibv_sge sge = l->op.sge;                                                \
		const char *src = l->mem.send;                                                 \
		struct dv_sq *sq = &l->sq;                                                     \
		struct walk walk = l->op.walk;                                                 \
		uint64_t stride = l->op.stride;                                                \
		unsigned int i = 0, stop;                                                      \
		uint8_t flags = sig ? 0 : MLX5_WQE_CTRL_CQ_UPDATE;                             \
                                                                                               \
		(void)to, (void)src, (void)walk;                                               \
		if (WALKS)                                                                     \
			to.raddr += walk.at;                                                   \
		if (n == 1) {                                                                  \
			BEGIN();                                                               \
			i = !(call);                                                           \
			if (WALKS && i)                                                        \
				l->op.walk.at = walk_next(&walk, walk.at);                     \
			ring(l, false);                                                        \
			END();                                                                 \
			return i;                                                              \
		}                                                                              \
		BEGIN();                                                                       \
		for (;;) {                                                                     \
			stop = sig < n ? sig : n;                                              \
			for (flags = 0; i < stop; i++) {                                       \
				if (call)                                                      \
					goto full;                                             \
				NEXT(WALKS);                                                   \
			}                                                                      \
			if (i == n)                                                            \
				break;                                                         \
			flags = MLX5_WQE_CTRL_CQ_UPDATE;                                       \
			if (call)                                                              \
				break;                                                         \
			NEXT(WALKS);                                                           \
			i++;                                                                   \
			sig += every;                                                          \
		}                                                                              \
full:                                                                                          \
		if (WALKS)                                                                     \
			l->op.walk.at = walk.at;                                               \
		ring(l, true);                                                                 \
		END();                                                                         \
		return i;                                                                      \
	}

#define UNMARKED_AND_MARKED(name, call, WALKS)     \
	BATCH(name, call, WALKS, NO_MARK, NO_MARK) \
	BATCH(name##_marked, call, WALKS, STEP_BEGIN, STEP_END)

#define POSTER(name)                                             \
	{                                                        \
		name, name##_marked, poll_cqes, poll_cqes_marked \
	}

#define DIRECT(name, call)                     \
	UNMARKED_AND_MARKED(name, call, false) \
	static const struct poster poster_##name[] = { POSTER(name) }

/* Of WQEs that name the peer's memory: without and with a walk. */
#define REACHING(name, call)                         \
	UNMARKED_AND_MARKED(name, call, false)       \
	UNMARKED_AND_MARKED(name##_walk, call, true) \
	static const struct poster poster_##name[] = { POSTER(name), POSTER(name##_walk) }

static _Noreturn NOT_INLINED void bad_cqe(const struct lane *l, const struct mlx5_cqe64 *cqe)
{
	uint8_t syndrome = dv_cqe_syndrome(cqe);

	lane_failed(l, syndrome, dv_syndrome_str(syndrome));
}

#define POLL(name, BEGIN, END)                                                  \
	static NOT_INLINED unsigned int name(struct lane *l, unsigned int most) \
	{                                                                       \
		const struct mlx5_cqe64 *cqe, *last = NULL;                     \
		struct dv_cq *cq = &l->cqs.send_ring;                           \
		unsigned int n = 0;                                             \
                                                                                \
		BEGIN();                                                        \
		while (n < most && (cqe = dv_cq_poll(cq))) {                    \
			if (dv_cqe_is_error(cqe))                               \
				bad_cqe(l, cqe);                                \
			last = cqe;                                             \
			n++;                                                    \
		}                                                               \
		if (last) {                                                     \
			dv_sq_retire(&l->sq, last);                             \
			dv_cq_release(cq);                                      \
		}                                                               \
		END();                                                          \
		return n;                                                       \
	}

POLL(poll_cqes, NO_MARK, NO_MARK)
POLL(poll_cqes_marked, STEP_BEGIN, STEP_END)

/* dv has WRITE_IMM of SGEs only: the peer's receive is what it costs, not the data. */
DV_INLINE int write_imm_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
			       const void *src, uint32_t len)
{
	void *seg = dv_sq_start(sq, DV_WQE_DS + dv_inline_seg_size(len));

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, to.raddr, to.rkey);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE_IMM, 0, flags, htobe32(LANE_IMM));
	return 0;
}

DV_INLINE int write_imm_inline_to(struct dv_sq *sq, uint8_t flags, struct dv_to_at peer,
				  const void *src, uint32_t len)
{
	void *seg = dv_sq_start_to(sq, peer.to, DV_WQE_DS + dv_inline_seg_size(len));

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, peer.at.raddr, peer.at.rkey);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE_IMM, 0, flags, htobe32(LANE_IMM));
	return 0;
}

#define IMM htobe32(LANE_IMM)
#define AT  ((struct dv_to_at){ &l->op.destination, to }) /* XRC, DC */

REACHING(write_inline, dv_sq_write_inline(sq, flags, to, src, sge.length));
REACHING(write_sge, dv_sq_write(sq, flags, to, &sge, 1));
REACHING(write_imm_inl, write_imm_inline(sq, flags, to, src, sge.length));
REACHING(write_imm_sge, dv_sq_write_imm(sq, flags, to, &sge, 1, IMM));
REACHING(read_sge, dv_sq_read(sq, flags, to, &sge, 1));
DIRECT(send_inline, dv_sq_send_inline(sq, flags, src, sge.length));
DIRECT(send_sge, dv_sq_send(sq, flags, &sge, 1));
REACHING(fetch_add, dv_sq_fetch_add(sq, flags, to, &sge, 1));
REACHING(cmp_swap, dv_sq_cmp_swap(sq, flags, to, &sge, 0, 1));
DIRECT(nop, dv_sq_nop(sq, flags));

DIRECT(ud_inline, dv_sq_send_ud_inline(sq, flags, &l->op.av, src, sge.length));
DIRECT(ud_sge, dv_sq_send_ud(sq, flags, &l->op.av, &sge, 1));

REACHING(write_inline_to, dv_sq_write_inline_to(sq, flags, AT, src, sge.length));
REACHING(write_sge_to, dv_sq_write_to(sq, flags, AT, &sge, 1));
REACHING(write_imm_inl_to, write_imm_inline_to(sq, flags, AT, src, sge.length));
REACHING(write_imm_sge_to, dv_sq_write_imm_to(sq, flags, AT, &sge, 1, IMM));
REACHING(read_sge_to, dv_sq_read_to(sq, flags, AT, &sge, 1));
DIRECT(send_inline_to, dv_sq_send_inline_to(sq, flags, &l->op.destination, src, sge.length));
DIRECT(send_sge_to, dv_sq_send_to(sq, flags, &l->op.destination, &sge, 1));
REACHING(fetch_add_to, dv_sq_fetch_add_to(sq, flags, AT, &sge, 1));
REACHING(cmp_swap_to, dv_sq_cmp_swap_to(sq, flags, AT, &sge, 0, 1));

static const struct poster *const connected[WQE_KINDS] = {
	[WQE_WRITE] = poster_write_sge,		[WQE_WRITE_INLINE] = poster_write_inline,
	[WQE_WRITE_IMM] = poster_write_imm_sge, [WQE_WRITE_IMM_INLINE] = poster_write_imm_inl,
	[WQE_READ] = poster_read_sge,		[WQE_SEND] = poster_send_sge,
	[WQE_SEND_INLINE] = poster_send_inline, [WQE_FETCH_ADD] = poster_fetch_add,
	[WQE_CMP_SWAP] = poster_cmp_swap,	[WQE_NOP] = poster_nop,
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
