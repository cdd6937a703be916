/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One call for each common operation of a connected queue (RC; UC: all but READ and atomics).
 * Read sq.h before; the segments are those of wqe.h.
 *
 *	dv_sq_send       control | data ...              consumes a receive of the peer
 *	dv_sq_write      control | raddr | data ...      into the peer's memory
 *	dv_sq_read       control | raddr | data ...      from the peer's memory
 *	dv_sq_cmp_swap, dv_sq_fetch_add
 *	                 control | raddr | atomic | data
 *	dv_sq_nop        control
 *	dv_sq_raw        a WQE that the caller has built
 *
 *	          of SGEs            with immediate     copied into the WQE
 *	SEND      dv_sq_send         dv_sq_send_imm     dv_sq_send_inline, dv_sq_send_imm_inline
 *	          dv_sq_send_inv (the peer invalidates an rkey)
 *	WRITE     dv_sq_write        dv_sq_write_imm    dv_sq_write_inline, dv_sq_write_imm_inline
 *
 * All of them also take the queue of a batch (batch.h). Other operations are composed, as sq.h
 * shows: an address for UD, DC and XRC (av.h), inline data in several buffers
 * (dv_set_inline_list()), packets (eth.h), masked atomics (masked.h).
 *
 * None of them rings: dv_sq_doorbell() does, once for many WQEs. @flags as for
 * dv_set_ctrl_seg(); addresses and lengths in host order, @imm in network order. The memory of
 * the SGEs must not change until the completion.
 *
 * All return 0, or a positive errno value, and then nothing is posted. ENOMEM: the ring has no
 * space until something completes and is retired. EMSGSIZE: with so many SGEs or inline bytes
 * the WQE has more than sq->max_nbb blocks; it never fits.
 *
 * A CQE names its WQE by its index, and brings nothing else of the program. An array with an
 * element for each block of the ring does what wr_id does in verbs:
 *
 *	request[dv_sq_last_slot(&sq)] = r;               after the WQE is committed, before it is rung
 *	r = request[dv_cqe_wqe_counter(cqe) & sq.mask];
 */
#ifndef DV_POST_H
#define DV_POST_H

#include <dv/sq.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The slot in the ring of the last WQE committed, as its CQE names it, modulo wqe_cnt. */
DV_INLINE unsigned int dv_sq_last_slot(const struct dv_sq *sq)
{
	return (unsigned int)(((const char *)sq->last - sq->buf) / DV_WQE_BB);
}

/* Not API: the operations with data, for any opcode; @raddr is NULL for a SEND. The usual WQE,
 * of one SGE, has a short path: it fits one block, and its size is known to the compiler. */
DV_INLINE void *dv_wqe_data_(void *wqe, const struct dv_raddr *raddr)
{
	void *seg = dv_wqe_body(wqe);

	return raddr ? dv_set_raddr_seg(seg, *raddr) : seg;
}

DV_INLINE int dv_sq_post_sges_(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
			       const struct dv_raddr *raddr, const struct ibv_sge *sge,
			       unsigned int n, __be32 imm)
{
	size_t nbb = dv_ds_nbb((size_t)n + (raddr ? 2 : 1));
	void *wqe, *seg;

	if (n == 1 && sge->length) {
		if (!dv_sq_fits_(sq, 1))
			return ENOMEM;
		wqe = dv_sq_next_(sq);
		seg = dv_set_ptr_seg(dv_wqe_data_(wqe, raddr), sge);
	} else {
		if (!dv_sq_fits_(sq, nbb))
			return dv_sq_reserve_error(sq, nbb);
		wqe = dv_sq_next_(sq);
		seg = dv_set_data_segs(dv_wqe_data_(wqe, raddr), sge, n);
	}
	dv_sq_commit_at_(sq, wqe, seg, opcode, 0, flags, imm);
	return 0;
}

DV_INLINE int dv_sq_post_inline_(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
				 const struct dv_raddr *raddr, const void *src, uint32_t len,
				 __be32 imm)
{
	size_t before = (raddr ? 2 : 1) * DV_WQE_DS;
	size_t nbb = dv_wqe_nbb(before + dv_inline_seg_size(len));
	void *wqe, *seg;

	if (!dv_sq_fits_(sq, nbb))
		return dv_sq_reserve_error(sq, nbb);
	wqe = dv_sq_next_(sq);
	seg = dv_set_inline_seg(dv_wqe_data_(wqe, raddr), src, len);
	dv_sq_commit_at_(sq, wqe, seg, opcode, 0, flags, imm);
	return 0;
}

/* Arguments of the call below. */
struct dv_inline_write_ {
	struct dv_raddr raddr;
	const void *src;
	uint32_t len;
	__be32 imm;
	uint8_t opcode, flags;
};

/* Out of line: keeps the short path short. */
static __attribute__((noinline, unused)) int
dv_sq_post_inline_write_long_(struct dv_sq *sq, const struct dv_inline_write_ *w)
{
	return dv_sq_post_inline_(sq, w->opcode, w->flags, &w->raddr, w->src, w->len, w->imm);
}

/* A WRITE. Data that with its header of 4 bytes fits the rest of the first block, 1 … 28 bytes,
 * has a short path, which writes all of the block. */
DV_INLINE int dv_sq_post_inline_write_(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
				       struct dv_raddr raddr, const void *src, uint32_t len,
				       __be32 imm)
{
	const uint32_t ds = 2,
		       rest = DV_WQE_BB - ds * DV_WQE_DS; /* before and after the data */
	uint16_t pi;
	void *wqe;

	if (!len || len > rest - sizeof(struct mlx5_wqe_inl_data_seg)) {
		/* A copy: the address of a queue that is in registers (batch.h) must not
		 * escape. */
		struct dv_sq copy = *sq;
		struct dv_inline_write_ w = { raddr, src, len, imm, opcode, flags };
		int err = dv_sq_post_inline_write_long_(&copy, &w);

		sq->pi = copy.pi;
		sq->last = copy.last;
		return err;
	}
	if (!dv_sq_fits_(sq, 1))
		return ENOMEM;
	pi = sq->pi;
	wqe = dv_sq_next_(sq);
	dv_sq_commit_ds_(sq, wqe, pi,
			 ds + dv_set_inline_rest_(dv_wqe_data_(wqe, &raddr), rest, src, len),
			 opcode, 0, flags, imm);
	return 0;
}

/* SEND, gathered from @n SGEs: it consumes a receive of the peer. */
DV_INLINE int dv_sq_send(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
			 unsigned int n)
{
	return dv_sq_post_sges_(sq, MLX5_OPCODE_SEND, flags, NULL, sge, n, 0);
}

/* SEND with 4 bytes for the peer's CQE. */
DV_INLINE int dv_sq_send_imm(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
			     unsigned int n, __be32 imm)
{
	return dv_sq_post_sges_(sq, MLX5_OPCODE_SEND_IMM, flags, NULL, sge, n, imm);
}

/* SEND that invalidates @rkey, in host order, at the peer when it has arrived. */
DV_INLINE int dv_sq_send_inv(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
			     unsigned int n, uint32_t rkey)
{
	return dv_sq_post_sges_(sq, MLX5_OPCODE_SEND_INVAL, flags, NULL, sge, n, htobe32(rkey));
}

/* SEND of @len bytes copied into the WQE: @src needs no MR, and may change on return. */
DV_INLINE int dv_sq_send_inline(struct dv_sq *sq, uint8_t flags, const void *src, uint32_t len)
{
	return dv_sq_post_inline_(sq, MLX5_OPCODE_SEND, flags, NULL, src, len, 0);
}

DV_INLINE int dv_sq_send_imm_inline(struct dv_sq *sq, uint8_t flags, const void *src,
				    uint32_t len, __be32 imm)
{
	return dv_sq_post_inline_(sq, MLX5_OPCODE_SEND_IMM, flags, NULL, src, len, imm);
}

/* RDMA WRITE: gathered from @n SGEs, into the peer's memory; the peer gets no CQE. */
DV_INLINE int dv_sq_write(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
			  const struct ibv_sge *sge, unsigned int n)
{
	return dv_sq_post_sges_(sq, MLX5_OPCODE_RDMA_WRITE, flags, &raddr, sge, n, 0);
}

/* RDMA WRITE that then consumes a receive of the peer: its CQE has @imm and the length. */
DV_INLINE int dv_sq_write_imm(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
			      const struct ibv_sge *sge, unsigned int n, __be32 imm)
{
	return dv_sq_post_sges_(sq, MLX5_OPCODE_RDMA_WRITE_IMM, flags, &raddr, sge, n, imm);
}

/* RDMA WRITE of @len bytes copied into the WQE. */
DV_INLINE int dv_sq_write_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
				 const void *src, uint32_t len)
{
	return dv_sq_post_inline_write_(sq, MLX5_OPCODE_RDMA_WRITE, flags, raddr, src, len, 0);
}

DV_INLINE int dv_sq_write_imm_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
				     const void *src, uint32_t len, __be32 imm)
{
	return dv_sq_post_inline_write_(sq, MLX5_OPCODE_RDMA_WRITE_IMM, flags, raddr, src, len,
					imm);
}

/* RDMA READ: from the peer's memory, scattered to @n SGEs. */
DV_INLINE int dv_sq_read(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
			 const struct ibv_sge *sge, unsigned int n)
{
	return dv_sq_post_sges_(sq, MLX5_OPCODE_RDMA_READ, flags, &raddr, sge, n, 0);
}

/* Not API: both atomics. */
DV_INLINE int dv_sq_post_atomic_(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
				 struct dv_raddr raddr, const struct ibv_sge *sge,
				 uint64_t compare, uint64_t swap)
{
	void *wqe, *seg;

	if (!dv_sq_fits_(sq, 1))
		return ENOMEM;
	wqe = dv_sq_next_(sq);
	seg = dv_set_raddr_seg(dv_wqe_body(wqe), raddr);
	seg = dv_set_cmp_swap_seg(seg, compare, swap);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit_at_(sq, wqe, seg, opcode, 0, flags, 0);
	return 0;
}

/* The atomics work on 8 aligned bytes at the peer; the old value is written to @sge, which has
 * length 8. CMP_SWAP: if the old value is @compare, @swap replaces it. */
DV_INLINE int dv_sq_cmp_swap(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
			     const struct ibv_sge *sge, uint64_t compare, uint64_t swap)
{
	return dv_sq_post_atomic_(sq, MLX5_OPCODE_ATOMIC_CS, flags, raddr, sge, compare, swap);
}

/* FETCH_ADD: adds @add, modulo 2^64. */
DV_INLINE int dv_sq_fetch_add(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
			      const struct ibv_sge *sge, uint64_t add)
{
	return dv_sq_post_atomic_(sq, MLX5_OPCODE_ATOMIC_FA, flags, raddr, sge, 0, add);
}

/* NOP: transfers nothing; produces a CQE if @flags ask for it, and waits for earlier WQEs with
 * a fence. */
DV_INLINE int dv_sq_nop(struct dv_sq *sq, uint8_t flags)
{
	if (!dv_sq_fits_(sq, 1))
		return ENOMEM;
	dv_sq_commit_ds_(sq, dv_sq_next_(sq), sq->pi, 1, MLX5_OPCODE_NOP, 0, flags, 0);
	return 0;
}

/* Posts a copy of the WQE at @wqe, as long as its control segment says; only its index is set.
 * Its ds is 1 or more, and the two bits above ds are 0: dv_sq_retire() reads them too. */
DV_INLINE int dv_sq_raw(struct dv_sq *sq, const void *wqe)
{
	uint32_t ds = dv_wqe_ds(wqe);
	char *body = (char *)dv_sq_reserve(sq, dv_ds_nbb(ds)), *dst;
	__be16 idx = htobe16(sq->pi);

	if (!body)
		return dv_sq_reserve_error(sq, dv_ds_nbb(ds));
	dst = body - sizeof(struct mlx5_wqe_ctrl_seg);
	memcpy(dst, wqe, (size_t)ds * DV_WQE_DS);
	memcpy(dst + 1, &idx, sizeof(idx)); /* opmod, index, opcode */
	sq->last = dst;
	sq->pi = (uint16_t)(sq->pi + dv_ds_nbb(ds));
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
