/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The send queue: a ring of 64-byte blocks, a doorbell record, and a register. Read wqe.h
 * before. Posting is two steps, and a batch pays for the second once:
 *
 *	dv_sq_write(&sq, 0, to, &sge, 1);                        as many WQEs as you like …
 *	dv_sq_write(&sq, MLX5_WQE_CTRL_CQ_UPDATE, to, &sge, 1);
 *	dv_sq_doorbell(&sq);                                     … the device learns of all
 *
 * or by hand, segment by segment: dv_sq_reserve() -> fill -> dv_sq_commit().
 *
 *	          ci                 db_pi          pi
 *	 . . . . . [ device works here ][ committed ] . . . . .|  <- edge: a WQE never wraps;
 *	 slot 0                                          wqe_cnt     NOP WQEs fill what is left
 *
 * pi, ci and db_pi count blocks, run freely and wrap at 16 bits, as in the WQE and the record.
 * Only a CQE frees blocks: a signalled WQE's frees it and everything before it, so have the
 * last WQE before you wait for room signalled. A CQE names the first block of its WQE; how
 * long that was is read back from the ring (dv_sq_retire()): there is no table beside it. In
 * the error state every WQE, unsignalled and NOP too, may bring a CQE: size the CQ for it.
 *
 * One queue, one thread: locks are the caller's. Registers are another matter: QPs of one
 * context may share one (compare bf_reg). Threads that ring queues on one register need one
 * lock around dv_sq_doorbell() and dv_sq_blueflame() of all of them: two BlueFlame copies that
 * mix are one broken WQE. A thread domain per QP, or a UAR of its own, makes that unnecessary.
 *
 * Not here: taking over a QP (map.h). RC and UC only: there is no address vector yet.
 */
#ifndef DV_SQ_H
#define DV_SQ_H

#include <errno.h>
#include <dv/barrier.h>
#include <dv/cq.h>
#include <dv/wqe.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dv_sq {
	char *buf;	  /* the ring */
	__be32 *dbrec;	  /* the send half of the doorbell record */
	char *bf_reg;	  /* the register: two buffers of bf_size bytes */
	const void *last; /* the last WQE committed */
	uint32_t qpn;
	uint32_t wqe_cnt;   /* blocks of the ring, a power of two, at most 32768 */
	uint32_t bf_offset; /* the half to write next */
	uint32_t bf_size;   /* 0: doorbells only, no BlueFlame */
	uint16_t pi;	    /* producer: blocks committed */
	uint16_t ci;	    /* consumer: blocks freed */
	uint16_t db_pi;	    /* blocks that the register was rung for */
	uint16_t max_nbb;   /* the longest WQE: with its padding it fits an empty ring */
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_sq) == 64, "one cache line");

/* The peer's memory, as the peer tells it. */
struct dv_raddr {
	uint64_t raddr;
	uint32_t rkey;
};

/* The block with index @idx. */
static inline void *dv_sq_at(const struct dv_sq *sq, uint16_t idx)
{
	return sq->buf + (size_t)(idx & (sq->wqe_cnt - 1)) * DV_WQE_BB;
}

/* The WQE from the last reserve is complete and ends before @end; its control segment is
 * written now. Arguments as for dv_set_ctrl_seg(). The device does not know of it yet. */
static inline void dv_sq_commit(struct dv_sq *sq, const void *end, uint8_t opcode,
				uint8_t opmod, uint8_t flags, __be32 imm)
{
	void *wqe = dv_sq_at(sq, sq->pi);
	unsigned int ds = dv_set_ctrl_seg(wqe, end, sq->qpn, sq->pi, opcode, opmod, flags, imm);

	sq->last = wqe;
	sq->pi = (uint16_t)(sq->pi + dv_wqe_nbb(ds * DV_WQE_DS));
}

/* Room for a WQE of up to @nbb blocks, contiguous; its content is old. NULL: no room before
 * something is retired (or never, if @nbb is above sq->max_nbb). What is left of the lap is
 * committed as NOPs if the WQE would not fit there. */
static inline void *dv_sq_reserve(struct dv_sq *sq, unsigned int nbb)
{
	uint32_t used = (uint16_t)(sq->pi - sq->ci);
	uint32_t edge = sq->wqe_cnt - (sq->pi & (sq->wqe_cnt - 1));
	uint32_t pad = nbb > edge ? edge : 0;

	if (nbb > sq->max_nbb || used + pad + nbb > sq->wqe_cnt)
		return NULL;
	for (; pad; pad--)
		dv_sq_commit(sq, dv_wqe_body(dv_sq_at(sq, sq->pi)), MLX5_OPCODE_NOP, 0, 0, 0);
	return dv_sq_at(sq, sq->pi);
}

/* Frees the WQE that @cqe completes (in success or error) and all before it. CQEs of this
 * queue in the order in which they came; the last one of several is enough. */
static inline void dv_sq_retire(struct dv_sq *sq, const struct mlx5_cqe64 *cqe)
{
	uint16_t idx = dv_cqe_wqe_counter(cqe);
	unsigned int ds = dv_wqe_ds(dv_sq_at(sq, idx));

	sq->ci = (uint16_t)(idx + dv_wqe_nbb(ds * DV_WQE_DS));
}

/* The record alone: the device looks at it when the register is rung, now or later. */
static inline void dv_sq_record(struct dv_sq *sq)
{
	dv_barrier_wqe_before_dbrec();
	*(volatile __be32 *)sq->dbrec = htobe32(sq->pi);
}

/* Copies @words to the register, in order; then flushes it and turns to its other half. */
static inline void dv_sq_ring(struct dv_sq *sq, unsigned int words)
{
	volatile uint64_t *reg = (volatile uint64_t *)(sq->bf_reg + sq->bf_offset);
	const char *wqe = (const char *)sq->last;
	unsigned int i;
	uint64_t word;

	dv_barrier_dbrec_before_bf_reg();
	for (i = 0; i < words; i++) {
		memcpy(&word, wqe + 8 * i, 8);
		reg[i] = word;
	}
	dv_barrier_bf_reg_flush();
	sq->bf_offset ^= sq->bf_size;
	sq->db_pi = sq->pi;
}

/* Tells the device of all WQEs committed: the record, then 8 bytes to the register, the first
 * 8 of the last WQE. Nothing committed since the last ring: does nothing. */
static inline void dv_sq_doorbell(struct dv_sq *sq)
{
	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	dv_sq_ring(sq, 1);
}

/* The same, but a single WQE of at least 2 segments that fits the register is written there
 * whole (BlueFlame), in whole blocks: the device need not fetch it from memory. */
static inline void dv_sq_blueflame(struct dv_sq *sq)
{
	unsigned int ds = dv_wqe_ds(sq->last);

	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	if (sq->last == dv_sq_at(sq, sq->db_pi) && ds >= 2 && ds * DV_WQE_DS <= sq->bf_size)
		dv_sq_ring(sq, dv_wqe_nbb(ds * DV_WQE_DS) * (DV_WQE_BB / 8));
	else
		dv_sq_ring(sq, 1);
}

/*
 * One call per operation. @flags as for dv_set_ctrl_seg(); addresses and lengths in host
 * order, @imm in network order. The SGEs' memory stays untouched until the completion.
 * 0, or ENOMEM: no room in the ring. No doorbell.
 */

/* Each of the calls below is this: segments at @seg, the bytes of which were reserved. */
static inline void *dv_sq_reserve_body(struct dv_sq *sq, size_t bytes)
{
	void *wqe = dv_sq_reserve(sq, dv_wqe_nbb(sizeof(struct mlx5_wqe_ctrl_seg) + bytes));

	return wqe ? dv_wqe_body(wqe) : NULL;
}

/* SEND, gathered from @n SGEs: it consumes a receive of the peer. */
static inline int dv_sq_send(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
			     unsigned int n)
{
	void *seg = dv_sq_reserve_body(sq, (size_t)n * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* SEND with 4 bytes for the peer's CQE. */
static inline int dv_sq_send_imm(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
				 unsigned int n, __be32 imm)
{
	void *seg = dv_sq_reserve_body(sq, (size_t)n * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND_IMM, 0, flags, imm);
	return 0;
}

/* SEND of @len bytes copied into the WQE: @src needs no MR and is free on return. */
static inline int dv_sq_send_inline(struct dv_sq *sq, uint8_t flags, const void *src,
				    uint32_t len)
{
	void *seg = dv_sq_reserve_body(sq, dv_inline_seg_size(len));

	if (!seg)
		return ENOMEM;
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* RDMA WRITE: gathered from @n SGEs, into the peer's memory; the peer notices nothing. */
static inline int dv_sq_write(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
			      const struct ibv_sge *sge, unsigned int n)
{
	void *seg = dv_sq_reserve_body(sq, ((size_t)n + 1) * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, to.raddr, to.rkey);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

/* RDMA WRITE that then consumes a receive of the peer: its CQE has @imm and the length. */
static inline int dv_sq_write_imm(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
				  const struct ibv_sge *sge, unsigned int n, __be32 imm)
{
	void *seg = dv_sq_reserve_body(sq, ((size_t)n + 1) * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, to.raddr, to.rkey);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE_IMM, 0, flags, imm);
	return 0;
}

/* RDMA WRITE of @len bytes copied into the WQE. */
static inline int dv_sq_write_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
				     const void *src, uint32_t len)
{
	void *seg = dv_sq_reserve_body(sq, DV_WQE_DS + dv_inline_seg_size(len));

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, to.raddr, to.rkey);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

/* RDMA READ: from the peer's memory, scattered to @n SGEs. */
static inline int dv_sq_read(struct dv_sq *sq, uint8_t flags, struct dv_raddr from,
			     const struct ibv_sge *sge, unsigned int n)
{
	void *seg = dv_sq_reserve_body(sq, ((size_t)n + 1) * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, from.raddr, from.rkey);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_READ, 0, flags, 0);
	return 0;
}

/* The atomics work on 8 aligned bytes at the peer; what was there before comes to @sge, which
 * has length 8. CMP_SWAP: if it was @compare, @swap takes its place. */
static inline int dv_sq_cmp_swap(struct dv_sq *sq, uint8_t flags, struct dv_raddr at,
				 const struct ibv_sge *sge, uint64_t compare, uint64_t swap)
{
	void *seg = dv_sq_reserve_body(sq, 3 * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, at.raddr, at.rkey);
	seg = dv_set_atomic_seg(seg, swap, compare);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_CS, 0, flags, 0);
	return 0;
}

/* FETCH_ADD: @add is added to it, modulo 2^64. */
static inline int dv_sq_fetch_add(struct dv_sq *sq, uint8_t flags, struct dv_raddr at,
				  const struct ibv_sge *sge, uint64_t add)
{
	void *seg = dv_sq_reserve_body(sq, 3 * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, at.raddr, at.rkey);
	seg = dv_set_atomic_seg(seg, add, 0);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_FA, 0, flags, 0);
	return 0;
}

/* NOP: nothing but a completion, if @flags ask for it; with FENCE a point to wait for. */
static inline int dv_sq_nop(struct dv_sq *sq, uint8_t flags)
{
	void *seg = dv_sq_reserve_body(sq, 0);

	if (!seg)
		return ENOMEM;
	dv_sq_commit(sq, seg, MLX5_OPCODE_NOP, 0, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
