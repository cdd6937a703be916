/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The send queue: a ring of 64-byte blocks, a doorbell record, and a register. Read wqe.h
 * before. Posting has two steps, and a batch pays for the second one once:
 *
 *	dv_sq_write(&sq, 0, raddr, &sge, 1);                        WQEs are committed to the ring
 *	dv_sq_write(&sq, MLX5_WQE_CTRL_CQ_UPDATE, raddr, &sge, 1);
 *	dv_sq_doorbell(&sq);                                        the device learns of all of them
 *
 * post.h has one call for each common operation. Any other WQE is composed: reserve space,
 * append segments (wqe.h, av.h and others), commit. A READ on a DC initiator:
 *
 *	seg = dv_sq_reserve(&sq, 2);                                 2 blocks; NULL: the ring is full
 *	seg = dv_set_dest_seg(seg, &addr);
 *	seg = dv_set_raddr_seg(seg, raddr);
 *	seg = dv_set_data_seg(seg, &sge);
 *	dv_sq_commit(&sq, seg, MLX5_OPCODE_RDMA_READ, 0, flags, 0);
 *
 * Many WQEs for one doorbell: batch.h.
 *
 *	          ci                 db_pi          pi
 *	 . . . . . [ device works here ][ committed ] . . . . .|  <- edge: a WQE never wraps;
 *	 slot 0                                          wqe_cnt     NOP WQEs fill what is left
 *
 * pi, ci and db_pi count blocks, run freely and wrap at 16 bits, as in the WQE and the record.
 * Ring space is reclaimed by completions only: a CQE frees its WQE and all WQEs before it.
 * Signal at least one WQE of each ring's worth. A CQE names the first block of its WQE; its
 * length is read back from the ring (dv_sq_retire()), no table is kept. In the error state
 * every WQE, unsignalled ones and NOPs too, may produce a CQE: size the CQ for it.
 *
 * One queue, one thread: locks are the caller's. The register may be shared: QPs of one context
 * can have the same one, which mlx5dv does not report; dv_sq_shared() finds them. Queues on one
 * register need one lock around the ringing of all of them, and share the choice of its halves:
 * interleaved write-combining stores corrupt a BlueFlame WQE, and without the flush inside the
 * lock the device may see doorbells out of order. Use dv_sq_ring_shared() under the lock. Not
 * needed with a thread domain per QP (ibv_alloc_td()) or a UAR each (mlx5dv_devx_alloc_uar()).
 *
 * How to ring is the caller's choice: enum dv_doorbell, dv_sq_ring_by(). Not here: taking over
 * a QP (map.h), the operations (post.h), several threads on one queue (many.h).
 */
#ifndef DV_SQ_H
#define DV_SQ_H

#include <dv/barrier.h>
#include <dv/cqe.h>
#include <dv/port.h>
#include <dv/ring.h>
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
	char *bf_reg;	  /* the register: two halves of bf_size bytes */
	const void *last; /* the last WQE committed */
	uint32_t qpn;
	__be32 qpn_ds;	  /* qpn << 8, as control segments begin with it */
	uint32_t mask;	  /* wqe_cnt - 1 */
	uint16_t wqe_cnt; /* blocks of the ring, a power of two, at most DV_RING_MAX */
	uint16_t max_nbb; /* blocks of the longest WQE, which with padding fits an empty ring */
	uint16_t bf_offset; /* the half to write next */
	uint16_t bf_size;   /* 0: doorbells only, no BlueFlame */
	uint16_t pi;	    /* producer: blocks committed */
	uint16_t ci;	    /* consumer: blocks freed */
	uint16_t db_pi;	    /* pi of the last doorbell */
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_sq) == 64, "one cache line");

/*
 * How the device learns of WQEs. All but the last one write the record first.
 *
 *	                   to the register            needs                     lock, if shared
 *	DV_DOORBELL        8 bytes, flushed           any                       yes
 *	DV_BLUEFLAME       the whole WQE, if it is    a BlueFlame register,     yes
 *	                   one alone and fits         bf_size > 0
 *	DV_DOORBELL_NC     8 bytes, no fences         an NC register            no: one store
 *	DV_NO_DBR          8 bytes, at 0x600 of the   a queue created for it:   no: one store, flushed
 *	                   UAR page                   qpc.send_dbr_mode 1
 *
 * Any register takes DV_DOORBELL. BlueFlame saves the device a read and costs the CPU a copy:
 * it lowers the latency of single WQEs; of a batch it is DV_DOORBELL. NC: UARs allocated with
 * MLX5DV_UAR_ALLOC_TYPE_NC, or all UARs of a machine without write-combining. There bf_size is
 * 0, as for a context's first register, which takes doorbells only (libmlx5, mlx5.c, uuarn 0).
 *
 * A queue without a doorbell record (no-DBR) is created with devx_qp_attr.send_dbr_mode
 * PRM_QPC_SEND_DBR_MODE_NO_DBR_EXT and rung by DV_NO_DBR only (rdma-core, tests/mlx5_base.py).
 * The other such mode, NO_DBR_INT, is for queues that the processors of the device ring (DOCA,
 * doca_verbs.h).
 */
enum dv_doorbell {
	DV_DOORBELL,
	DV_BLUEFLAME,
	DV_DOORBELL_NC,
	DV_NO_DBR,
};

enum {
	DV_UAR_BYTES = 4096,
	DV_UAR_NO_DBR = 0x600, /* in the UAR page: the register of DV_NO_DBR */
};

/* The block with index @idx. */
DV_INLINE void *dv_sq_at(const struct dv_sq *sq, uint32_t idx)
{
	char *block = sq->buf + dv_ring_offset(idx, sq->mask, DV_WQE_BB);

	return dv_aligned_(block, DV_WQE_BB);
}

/* Blocks that are free. */
DV_INLINE uint16_t dv_sq_space(const struct dv_sq *sq)
{
	return dv_ring_space(sq->wqe_cnt, sq->pi, sq->ci);
}

/* Not API: the place of the next WQE, without a check for space. */
DV_INLINE void *dv_sq_next_(const struct dv_sq *sq)
{
	return dv_sq_at(sq, sq->pi);
}

/* Not API: dv_sq_commit() where the place of the WQE, its index @pi, which is sq->pi, and its
 * size in segments are known. */
DV_INLINE void dv_sq_commit_ds_(struct dv_sq *sq, void *wqe, uint16_t pi, uint32_t ds,
				uint8_t opcode, uint8_t opmod, uint8_t flags, __be32 imm)
{
	dv_set_ctrl_words_(wqe, sq->qpn_ds | htobe32(ds), pi, opcode, opmod, flags, imm);
	sq->last = wqe;
	sq->pi = (uint16_t)(pi + dv_ds_nbb(ds));
}

/* Not API: dv_sq_commit() where the place of the WQE is known. */
DV_INLINE void dv_sq_commit_at_(struct dv_sq *sq, void *wqe, const void *end, uint8_t opcode,
				uint8_t opmod, uint8_t flags, __be32 imm)
{
	dv_sq_commit_ds_(sq, wqe, sq->pi, dv_ds_between_(wqe, end), opcode, opmod, flags, imm);
}

/* Not API: makes the next @nbb blocks of the ring free and contiguous. The blocks before the
 * edge are committed as NOPs if the WQE does not fit there. */
DV_INLINE bool dv_sq_fits_(struct dv_sq *sq, size_t nbb)
{
	uint32_t space = dv_sq_space(sq), slot, pad;

	if (nbb == 1)
		return space;
	if (nbb > space || nbb > sq->max_nbb)
		return false;
	slot = sq->pi & sq->mask;
	if (slot + nbb <= sq->wqe_cnt)
		return true;
	pad = sq->wqe_cnt - slot;
	if (pad + nbb > space)
		return false;
	for (; pad; pad--)
		dv_sq_commit_ds_(sq, dv_sq_next_(sq), sq->pi, 1, MLX5_OPCODE_NOP, 0, 0, 0);
	return true;
}

/* Reserves space for a WQE of at most @nbb blocks, and returns where its segments begin, after
 * the control segment. The bytes there are those of an old WQE. NULL: no space, now or ever:
 * dv_sq_reserve_error(). A reservation that is not committed has no effect but for NOPs before
 * the edge. */
DV_INLINE void *dv_sq_reserve(struct dv_sq *sq, size_t nbb)
{
	return dv_sq_fits_(sq, nbb) ? dv_wqe_body(dv_sq_next_(sq)) : NULL;
}

/* The errno value for a dv_sq_reserve() that returned NULL. ENOMEM: poll, retire, try again.
 * EMSGSIZE: a WQE of @nbb blocks fits neither this ring nor what ds can count, ever. */
DV_INLINE int dv_sq_reserve_error(const struct dv_sq *sq, size_t nbb)
{
	return nbb > sq->max_nbb ? EMSGSIZE : ENOMEM;
}

/* The WQE of the last dv_sq_reserve() is complete, and its segments end before @end. Writes the
 * control segment; arguments as for dv_set_ctrl_seg(). The device does not know of it yet. */
DV_INLINE void dv_sq_commit(struct dv_sq *sq, const void *end, uint8_t opcode, uint8_t opmod,
			    uint8_t flags, __be32 imm)
{
	void *wqe = dv_sq_next_(sq);
	uint32_t ds = 1 + dv_ds_between_(dv_wqe_body(wqe), end);

	dv_sq_commit_ds_(sq, wqe, sq->pi, ds, opcode, opmod, flags, imm);
}

/* DC initiators with streams: sets the stream channel of the last WQE committed, before the
 * doorbell. */
DV_INLINE void dv_sq_set_stream(struct dv_sq *sq, uint16_t id)
{
	__be16 be = htobe16(id);

	memcpy((char *)sq->last + offsetof(struct mlx5_wqe_ctrl_seg, dci_stream_channel_id),
	       &be, sizeof(be));
}

/* Asks for a CQE of the last WQE committed, if it was since the last doorbell. */
DV_INLINE void dv_sq_signal_last(struct dv_sq *sq)
{
	if (sq->pi != sq->db_pi)
		((struct mlx5_wqe_ctrl_seg *)sq->last)->fm_ce_se |= MLX5_WQE_CTRL_CQ_UPDATE;
}

/* Frees the WQE that @cqe completes, in success or error, and all WQEs before it. Call it in
 * the order of the CQEs of this queue; the last one of several is enough. Not for a signature
 * error (dv_cqe_sig_err() is not NULL), which completes no WQE. */
DV_INLINE void dv_sq_retire(struct dv_sq *sq, const struct mlx5_cqe64 *cqe)
{
	uint16_t idx = dv_cqe_wqe_counter(cqe);
	/* All 8 bits: in a committed WQE the two above ds are zero. */
	uint8_t ds = ((const uint8_t *)dv_sq_at(sq, idx))[7];

	sq->ci = (uint16_t)(idx + dv_ds_nbb(ds));
}

/* Writes the record only: the device reads it when the register is rung. */
DV_INLINE void dv_sq_record(struct dv_sq *sq)
{
	dv_barrier_wqe_before_dbrec();
	*(volatile __be32 *)sq->dbrec = htobe32(sq->pi);
}

/* 8 bytes to the register. */
DV_INLINE void dv_copy_word(volatile uint64_t *reg, const char *from)
{
	uint64_t word;

	memcpy(&word, dv_aligned_(from, sizeof(word)), sizeof(word));
	*reg = word;
}

/*
 * A block to the register, its 8-byte words in order, without a loop. On aarch64 no load may be
 * between the stores: the CPU may flush a write-combining buffer that is half full, and the
 * device receives parts of a block (Linux, "IB/mlx5: Use __iowrite64_copy() for write combining
 * stores"; rdma-core's util/mmio.h has the same two instructions). On x86-64 loads do no harm.
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
	/* Keeps the compiler from loading them again between the stores. */
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

/* Copies @blocks of the last WQE to the register, or with 0 its first 8 bytes; then flushes the
 * register. The next ring uses its other half. */
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

/* Rings for all WQEs committed: the record, then the first 8 bytes of the last WQE to the
 * register. Does nothing if nothing was committed since the last doorbell. */
DV_INLINE void dv_sq_doorbell(struct dv_sq *sq)
{
	if (sq->pi == sq->db_pi)
		return;
	dv_sq_record(sq);
	dv_sq_ring(sq, 0);
}

/* Like dv_sq_doorbell(), but writes a single WQE of at least 2 segments that fits the register
 * there as a whole (BlueFlame), in whole blocks: the device need not fetch it from memory. */
DV_INLINE void dv_sq_blueflame(struct dv_sq *sq)
{
	uint16_t blocks = (uint16_t)(sq->pi - sq->db_pi);

	if (!blocks)
		return;
	dv_sq_record(sq);
	/* The only WQE since the last doorbell begins at db_pi and has all blocks since. */
	if (sq->last != dv_sq_at(sq, sq->db_pi) || blocks * DV_WQE_BB > sq->bf_size ||
	    dv_wqe_ds(sq->last) < 2)
		dv_sq_ring(sq, 0);
	else
		dv_sq_ring(sq, blocks);
}

/* Writes the first 8 bytes of the last WQE to @reg. */
DV_INLINE void dv_sq_ring_at(struct dv_sq *sq, char *reg)
{
	uint64_t word;

	memcpy(&word, dv_aligned_(sq->last, DV_WQE_BB), sizeof(word));
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

/* dv_sq_doorbell() for a queue without a doorbell record. */
DV_INLINE void dv_sq_doorbell_no_dbr(struct dv_sq *sq)
{
	uintptr_t in_page = (uintptr_t)sq->bf_reg % DV_UAR_BYTES;

	if (sq->pi == sq->db_pi)
		return;
	dv_barrier_dbrec_before_bf_reg();
	dv_sq_ring_at(sq, sq->bf_reg - in_page + DV_UAR_NO_DBR);
	dv_barrier_bf_reg_flush();
}

/* Rings for all WQEs committed, as @how says; a constant @how leaves no choice at run time. */
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
	case DV_NO_DBR:
		dv_sq_doorbell_no_dbr(sq);
		break;
	}
}

/* The state of a register that several queues share; starts as zeros. Its halves alternate,
 * whichever queue rings (libmlx5, qp.c, post_send_db(): bf->offset). */
struct dv_reg {
	uint16_t bf_offset; /* the half to write next */
};

/* dv_sq_ring_by() for a queue that shares its register with others, all of which ring with the
 * same @reg, one at a time. */
DV_INLINE void dv_sq_ring_shared(struct dv_sq *sq, struct dv_reg *reg, enum dv_doorbell how)
{
	sq->bf_offset = reg->bf_offset;
	dv_sq_ring_by(sq, how);
	reg->bf_offset = sq->bf_offset;
}

#pragma GCC visibility push(default)

/* After the QP went to RESET: nothing is posted, indices and record start at 0. */
void dv_sq_restart(struct dv_sq *sq);

/* Finds two of @n queues that ring on one register: 0, and @pair is their indices in @sq. If
 * different threads ring them, they need a lock, or a UAR for one of them. ENOENT: each queue
 * has a register that no other one has. */
int dv_sq_shared(const struct dv_sq *const *sq, unsigned int n, unsigned int pair[2]);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
