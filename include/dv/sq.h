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
 * context may share one; mlx5dv does not say so, dv_sq_shared() (map.h) finds them. Queues on one
 * register need one lock around the ringing of all of them, and one count of its halves: two
 * BlueFlame copies that mix are one broken WQE, and a doorbell may overtake a later one. That is
 * dv_sq_ring_shared() under the lock. A thread domain per QP (ibv_alloc_td()), or a UAR of its own
 * (mlx5dv_devx_alloc_uar()), makes that unnecessary.
 *
 * How to ring is the caller's choice, a value: enum dv_doorbell, dv_sq_ring_by().
 *
 * Not here: taking over a QP (map.h), the operations (post.h).
 */
#ifndef DV_SQ_H
#define DV_SQ_H

#include <errno.h>
#include <dv/barrier.h>
#include <dv/cq.h>
#include <dv/wqe.h>
#if defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct dv_sq {
	char *buf;	  /* the ring */
	__be32 *dbrec;	  /* the send half of the doorbell record */
	char *bf_reg;	  /* the register: two buffers of bf_size bytes */
	const void *last; /* the last WQE committed */
	uint32_t qpn;
	__be32 qpn_ds;	    /* qpn << 8, as control segments begin with it */
	uint32_t mask;	    /* wqe_cnt - 1 */
	uint16_t wqe_cnt;   /* blocks of the ring, a power of two, at most 32768 */
	uint16_t max_nbb;   /* the longest WQE: with its padding it fits an empty ring */
	uint16_t bf_offset; /* the half to write next */
	uint16_t bf_size;   /* 0: doorbells only, no BlueFlame */
	uint16_t pi;	    /* producer: blocks committed */
	uint16_t ci;	    /* consumer: blocks freed */
	uint16_t db_pi;	    /* blocks that the register was rung for */
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_sq) == 64, "one cache line");

/*
 * How the device learns of WQEs. All but the last write the record first.
 *
 *	                   to the register            needs                     lock, if shared
 *	DV_DOORBELL        8 bytes, flushed           any                       yes
 *	DV_BLUEFLAME       the whole WQE, if it is    a BlueFlame register,     yes
 *	                   one alone and fits         bf_size > 0
 *	DV_DOORBELL_NC     8 bytes, no fences         an NC register            no: one store
 *	DV_NO_RECORD       8 bytes, at 0x600 of the   a queue made for it:      no: one store, flushed
 *	                   UAR page                   qpc.send_dbr_mode 1
 *
 * Any register takes DV_DOORBELL. BlueFlame saves the device a read, and costs the CPU a copy:
 * latency of single WQEs; in a batch it is DV_DOORBELL anyway. NC: UARs allocated so
 * (MLX5DV_UAR_ALLOC_TYPE_NC), or all of a machine with no write-combining: bf_size is 0 there, as of
 * the first register of a context, which takes doorbells only (libmlx5, mlx5.c, uuarn 0).
 *
 * A queue without a record is made with devx_qp_attr.send_dbr_mode PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT
 * and rung by DV_NO_RECORD only (rdma-core, tests/mlx5_base.py). The other such mode, NO_DBR_INT, is
 * for queues that the device's own processors ring (DOCA, doca_verbs.h).
 */
enum dv_doorbell {
	DV_DOORBELL,
	DV_BLUEFLAME,
	DV_DOORBELL_NC,
	DV_NO_RECORD,
};

enum {
	DV_UAR_BYTES = 4096,
	DV_UAR_NO_RECORD = 0x600, /* in the UAR page: the register of DV_NO_RECORD */
};

/* The peer's memory, as the peer tells it. */
struct dv_raddr {
	uint64_t raddr;
	uint32_t rkey;
};

/* The block with index @idx. */
DV_INLINE void *dv_sq_at(const struct dv_sq *sq, uint32_t idx)
{
	return sq->buf + (size_t)(idx & sq->mask) * DV_WQE_BB;
}

/* Blocks that are free. */
DV_INLINE uint16_t dv_sq_room(const struct dv_sq *sq)
{
	return (uint16_t)(sq->ci + sq->wqe_cnt - sq->pi);
}

/* The place of the next WQE, without a look at the room: for WQEs of one block, which never
 * cross the edge, after dv_sq_room() was asked once for all of them. */
DV_INLINE void *dv_sq_next(const struct dv_sq *sq)
{
	return dv_sq_at(sq, sq->pi);
}

/* dv_sq_commit() where the place of the WQE and its size in segments are known. */
DV_INLINE void dv_sq_commit_ds(struct dv_sq *sq, void *wqe, uint32_t ds, uint8_t opcode,
			       uint8_t opmod, uint8_t flags, __be32 imm)
{
	uint16_t pi = sq->pi;

	dv_set_ctrl_words(wqe, sq->qpn_ds | htobe32(ds), pi, opcode, opmod, flags, imm);
	sq->last = wqe;
	sq->pi = (uint16_t)(pi + (ds + 3) / 4);
}

/* The WQE at @wqe, the place of the last reserve, is complete and ends before @end; its control
 * segment is written now. Arguments as for dv_set_ctrl_seg(). The device does not know of it yet. */
DV_INLINE void dv_sq_commit_at(struct dv_sq *sq, void *wqe, const void *end, uint8_t opcode,
			       uint8_t opmod, uint8_t flags, __be32 imm)
{
	dv_sq_commit_ds(sq, wqe, dv_wqe_ds_between(wqe, end), opcode, opmod, flags, imm);
}

/* The same for who does not have the place at hand. */
DV_INLINE void dv_sq_commit(struct dv_sq *sq, const void *end, uint8_t opcode, uint8_t opmod,
			    uint8_t flags, __be32 imm)
{
	dv_sq_commit_at(sq, dv_sq_next(sq), end, opcode, opmod, flags, imm);
}

/* Whether dv_sq_next() has room for a WQE of up to @nbb blocks, contiguous. What is left of the lap
 * is committed as NOPs if the WQE would not fit there. */
DV_INLINE bool dv_sq_fits(struct dv_sq *sq, size_t nbb)
{
	uint32_t room = dv_sq_room(sq), edge, pad;

	if (nbb == 1)
		return room;
	edge = sq->wqe_cnt - (sq->pi & sq->mask);
	pad = nbb > edge ? edge : 0;
	if (nbb > sq->max_nbb || pad + nbb > room)
		return false;
	for (; pad; pad--)
		dv_sq_commit_ds(sq, dv_sq_next(sq), 1, MLX5_OPCODE_NOP, 0, 0, 0);
	return true;
}

/* Room for a WQE of up to @nbb blocks, contiguous; its content is old. NULL: no room before
 * something is retired (or never, if @nbb is above sq->max_nbb). */
DV_INLINE void *dv_sq_reserve(struct dv_sq *sq, size_t nbb)
{
	return dv_sq_fits(sq, nbb) ? dv_sq_next(sq) : NULL;
}

/* Frees the WQE that @cqe completes (in success or error) and all before it. CQEs of this
 * queue in the order in which they came; the last one of several is enough. Not for a signature
 * error (dv_cqe_sig_err() is not NULL), which completes no WQE and names none. */
DV_INLINE void dv_sq_retire(struct dv_sq *sq, const struct mlx5_cqe64 *cqe)
{
	uint16_t idx = dv_cqe_wqe_counter(cqe);
	/* all 8 bits: above the 6 of ds a committed WQE has zeros */
	uint8_t ds = ((const uint8_t *)dv_sq_at(sq, idx))[7];

	sq->ci = (uint16_t)(idx + (ds + 3) / 4);
}

/* The record alone: the device looks at it when the register is rung, now or later. */
DV_INLINE void dv_sq_record(struct dv_sq *sq)
{
	dv_barrier_wqe_before_dbrec();
	*(volatile __be32 *)sq->dbrec = htobe32(sq->pi);
}

/* 8 bytes to the register. */
DV_INLINE void dv_copy_word(volatile uint64_t *reg, const char *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	*reg = word;
}

/*
 * A block to the register: its words in order, and no loop around so few. On aarch64 no load may
 * come between its stores, or the CPU flushes a write-combining buffer that is half full, and the
 * device gets parts of a block (Linux, "IB/mlx5: Use __iowrite64_copy() for write combining
 * stores"; rdma-core's util/mmio.h has the same two instructions). x86-64 does not mind.
 */
#if defined(__aarch64__) && defined(__ARM_NEON)
DV_INLINE void dv_copy_block(volatile uint64_t *reg, const char *from)
{
	vst4q_u64((uint64_t *)(uintptr_t)reg, vld4q_u64((const uint64_t *)(const void *)from));
}
#else
DV_INLINE void dv_copy_block(volatile uint64_t *reg, const char *from)
{
#ifdef __aarch64__
	uint64_t w[8];

	memcpy(w, from, sizeof(w));
	/* What is in registers now is not loaded again between the stores. */
	__asm__ volatile(""
			 : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]), "+r"(w[4]),
			   "+r"(w[5]), "+r"(w[6]), "+r"(w[7]));
	from = (const char *)w;
#endif
	dv_copy_word(reg, from);
	dv_copy_word(reg + 1, from + 8);
	dv_copy_word(reg + 2, from + 16);
	dv_copy_word(reg + 3, from + 24);
	dv_copy_word(reg + 4, from + 32);
	dv_copy_word(reg + 5, from + 40);
	dv_copy_word(reg + 6, from + 48);
	dv_copy_word(reg + 7, from + 56);
}
#endif

/* Copies the last WQE to the register, @blocks of it, or with 0 its first 8 bytes; then flushes the
 * register and turns to its other half. */
DV_INLINE void dv_sq_ring(struct dv_sq *sq, unsigned int blocks)
{
	volatile uint64_t *reg = (volatile uint64_t *)(sq->bf_reg + sq->bf_offset);
	const char *wqe = (const char *)sq->last;

	dv_barrier_dbrec_before_bf_reg();
	if (!blocks)
		dv_copy_word(reg, wqe);
	for (; blocks; blocks--, wqe += DV_WQE_BB, reg += DV_WQE_BB / 8)
		dv_copy_block(reg, wqe);
	dv_barrier_bf_reg_flush();
	sq->bf_offset ^= sq->bf_size;
	sq->db_pi = sq->pi;
}

/* Tells the device of all WQEs committed: the record, then 8 bytes to the register, the first
 * 8 of the last WQE. Nothing committed since the last ring: does nothing. */
DV_INLINE void dv_sq_doorbell(struct dv_sq *sq)
{
	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	dv_sq_ring(sq, 0);
}

/* The same, but a single WQE of at least 2 segments that fits the register is written there
 * whole (BlueFlame), in whole blocks: the device need not fetch it from memory. */
DV_INLINE void dv_sq_blueflame(struct dv_sq *sq)
{
	uint16_t blocks = (uint16_t)(sq->pi - sq->db_pi);

	if (!blocks)
		return;
	dv_sq_record(sq);
	/* alone it begins where the last ring ended, and all these blocks are its own */
	if (sq->last != dv_sq_at(sq, sq->db_pi) || blocks * DV_WQE_BB > sq->bf_size ||
	    dv_wqe_ds(sq->last) < 2)
		dv_sq_ring(sq, 0);
	else
		dv_sq_ring(sq, blocks);
}

/* The first 8 bytes of the last WQE to @reg. */
DV_INLINE void dv_sq_ring_at(struct dv_sq *sq, char *reg)
{
	uint64_t word;

	memcpy(&word, sq->last, sizeof(word));
	*(volatile uint64_t *)reg = word;
	sq->db_pi = sq->pi;
}

/* dv_sq_doorbell() for a register that is not write-combining. */
DV_INLINE void dv_sq_doorbell_nc(struct dv_sq *sq)
{
	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	dv_barrier_dbrec_before_nc_reg();
	dv_sq_ring_at(sq, sq->bf_reg);
}

/* dv_sq_doorbell() for a queue without a record. */
DV_INLINE void dv_sq_doorbell_no_record(struct dv_sq *sq)
{
	uintptr_t in_page = (uintptr_t)sq->bf_reg % DV_UAR_BYTES;

	if (sq->pi == sq->db_pi)
		return;
	dv_barrier_dbrec_before_bf_reg();
	dv_sq_ring_at(sq, sq->bf_reg - in_page + DV_UAR_NO_RECORD);
	dv_barrier_bf_reg_flush();
}

/* Tells the device of all WQEs committed, as @how says; no choice is left at run time if @how is a
 * constant. */
DV_INLINE void dv_sq_ring_by(struct dv_sq *sq, enum dv_doorbell how)
{
	switch (how) {
	case DV_DOORBELL:
		dv_sq_doorbell(sq);
		break;
	case DV_BLUEFLAME:
		dv_sq_blueflame(sq);
		break;
	case DV_DOORBELL_NC:
		dv_sq_doorbell_nc(sq);
		break;
	case DV_NO_RECORD:
		dv_sq_doorbell_no_record(sq);
		break;
	}
}

/* What the queues on one register have in common; zeroes at first. The register's halves are used in
 * turn, whichever queue rings (libmlx5, qp.c, post_send_db(): bf->offset). */
struct dv_reg {
	uint16_t bf_offset; /* the half to write next */
};

/* dv_sq_ring_by() for a queue that shares its register with others, all of which ring with the same
 * @reg, one at a time. */
DV_INLINE void dv_sq_ring_shared(struct dv_sq *sq, struct dv_reg *reg, enum dv_doorbell how)
{
	sq->bf_offset = reg->bf_offset;
	dv_sq_ring_by(sq, how);
	reg->bf_offset = sq->bf_offset;
}

#ifdef __cplusplus
}
#endif

#endif
