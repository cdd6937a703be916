/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One call per operation: room in the ring, the segments of the operation in their order, the
 * control segment. Read sq.h before; the segments are those of wqe.h.
 *
 *	dv_sq_send     control | data ...              to whoever has posted a receive
 *	dv_sq_write    control | raddr | data ...      into the peer's memory
 *	dv_sq_read     control | raddr | data ...      out of it
 *	dv_sq_fetch_add, dv_sq_cmp_swap
 *	               control | raddr | atomic | data
 *	dv_sq_nop      control
 *	dv_sq_raw      a WQE of yours
 *
 * That is all of RC and, without the last three lines but NOP, of UC. With addresses, UD, DC and
 * XRC: post_to.h; packets: eth.h; others beside their segments, as wqe.h lists them.
 *
 * None of them rings: dv_sq_doorbell() does, once for as many as you like. @flags as for
 * dv_set_ctrl_seg(); addresses and lengths in host order, @imm in network order. The SGEs'
 * memory stays untouched until the completion.
 *
 * All return 0, or ENOMEM: no room in the ring.
 */
#ifndef DV_POST_H
#define DV_POST_H

#include <dv/sq.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for a control segment and @bytes behind it. */
DV_INLINE bool dv_sq_fits_bytes(struct dv_sq *sq, size_t bytes)
{
	return dv_sq_fits(sq, dv_wqe_nbb(sizeof(struct mlx5_wqe_ctrl_seg) + bytes));
}

/* Reserves that room and returns the place behind the control segment, or NULL. */
DV_INLINE void *dv_sq_start(struct dv_sq *sq, size_t bytes)
{
	return dv_sq_fits_bytes(sq, bytes) ? dv_wqe_body(dv_sq_next(sq)) : NULL;
}

/* control | data ..., as a SEND of any kind has it. One SGE, the usual number, is the shorter path:
 * its WQE has a size that the compiler knows. */
DV_INLINE int dv_sq_send_list(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
			      const struct ibv_sge *sge, unsigned int n, __be32 imm)
{
	void *wqe, *seg;

	if (n == 1 && sge->length) {
		if (!dv_sq_fits(sq, 1))
			return ENOMEM;
		wqe = dv_sq_next(sq);
		seg = dv_set_ptr_seg(dv_wqe_body(wqe), sge);
	} else {
		if (!dv_sq_fits_bytes(sq, (size_t)n * DV_WQE_DS))
			return ENOMEM;
		wqe = dv_sq_next(sq);
		seg = dv_set_data_segs(dv_wqe_body(wqe), sge, n);
	}
	dv_sq_commit_at(sq, wqe, seg, opcode, 0, flags, imm);
	return 0;
}

/* control | raddr | data ..., as an RDMA operation of any kind has it; otherwise the same. */
DV_INLINE int dv_sq_rdma_list(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
			      struct dv_raddr at, const struct ibv_sge *sge, unsigned int n,
			      __be32 imm)
{
	void *wqe, *seg;

	if (n == 1 && sge->length) {
		if (!dv_sq_fits(sq, 1))
			return ENOMEM;
		wqe = dv_sq_next(sq);
		seg = dv_set_raddr_seg(dv_wqe_body(wqe), at.raddr, at.rkey);
		seg = dv_set_ptr_seg(seg, sge);
	} else {
		if (!dv_sq_fits_bytes(sq, ((size_t)n + 1) * DV_WQE_DS))
			return ENOMEM;
		wqe = dv_sq_next(sq);
		seg = dv_set_raddr_seg(dv_wqe_body(wqe), at.raddr, at.rkey);
		seg = dv_set_data_segs(seg, sge, n);
	}
	dv_sq_commit_at(sq, wqe, seg, opcode, 0, flags, imm);
	return 0;
}

/* SEND, gathered from @n SGEs: it consumes a receive of the peer. */
DV_INLINE int dv_sq_send(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
			 unsigned int n)
{
	return dv_sq_send_list(sq, MLX5_OPCODE_SEND, flags, sge, n, 0);
}

/* SEND with 4 bytes for the peer's CQE. */
DV_INLINE int dv_sq_send_imm(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
			     unsigned int n, __be32 imm)
{
	return dv_sq_send_list(sq, MLX5_OPCODE_SEND_IMM, flags, sge, n, imm);
}

/* SEND of @len bytes copied into the WQE: @src needs no MR and is free on return. */
DV_INLINE int dv_sq_send_inline(struct dv_sq *sq, uint8_t flags, const void *src, uint32_t len)
{
	void *wqe, *seg;

	if (!dv_sq_fits_bytes(sq, dv_inline_seg_size(len)))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_inline_seg(dv_wqe_body(wqe), src, len);
	dv_sq_commit_at(sq, wqe, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* SEND of @n buffers copied into the WQE, one behind the other. */
DV_INLINE int dv_sq_send_inline_list(struct dv_sq *sq, uint8_t flags,
				     const struct ibv_data_buf *buf, size_t n)
{
	void *seg = dv_sq_start(sq, dv_inline_list_size(buf, n));

	if (!seg)
		return ENOMEM;
	seg = dv_set_inline_list(seg, buf, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* SEND that invalidates @rkey, in host order, at the peer when it has arrived. */
DV_INLINE int dv_sq_send_inv(struct dv_sq *sq, uint8_t flags, const struct ibv_sge *sge,
			     unsigned int n, uint32_t rkey)
{
	return dv_sq_send_list(sq, MLX5_OPCODE_SEND_INVAL, flags, sge, n, htobe32(rkey));
}

/* RDMA WRITE: gathered from @n SGEs, into the peer's memory; the peer notices nothing. */
DV_INLINE int dv_sq_write(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
			  const struct ibv_sge *sge, unsigned int n)
{
	return dv_sq_rdma_list(sq, MLX5_OPCODE_RDMA_WRITE, flags, to, sge, n, 0);
}

/* RDMA WRITE that then consumes a receive of the peer: its CQE has @imm and the length. */
DV_INLINE int dv_sq_write_imm(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
			      const struct ibv_sge *sge, unsigned int n, __be32 imm)
{
	return dv_sq_rdma_list(sq, MLX5_OPCODE_RDMA_WRITE_IMM, flags, to, sge, n, imm);
}

static __attribute__((noinline, unused)) int
dv_sq_write_inline_long(struct dv_sq *sq, uint8_t flags, struct dv_raddr to, const void *src,
			uint32_t len)
{
	void *wqe, *seg;

	if (!dv_sq_fits_bytes(sq, DV_WQE_DS + dv_inline_seg_size(len)))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_raddr_seg(dv_wqe_body(wqe), to.raddr, to.rkey);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit_at(sq, wqe, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

/* RDMA WRITE of @len bytes copied into the WQE. */
DV_INLINE int dv_sq_write_inline(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
				 const void *src, uint32_t len)
{
	enum { REST = DV_WQE_BB - 32 };
	void *wqe, *seg;
	uint32_t ds;

	if (len - 1 >= REST - 4)
		return dv_sq_write_inline_long(sq, flags, to, src, len);
	if (!dv_sq_fits(sq, 1))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_raddr_seg(dv_wqe_body(wqe), to.raddr, to.rkey);
	ds = 2 + dv_set_inline_rest(seg, REST, src, len);
	dv_sq_commit_ds(sq, wqe, ds, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

/* RDMA WRITE of @n buffers copied into the WQE, one behind the other. */
DV_INLINE int dv_sq_write_inline_list(struct dv_sq *sq, uint8_t flags, struct dv_raddr to,
				      const struct ibv_data_buf *buf, size_t n)
{
	void *seg = dv_sq_start(sq, DV_WQE_DS + dv_inline_list_size(buf, n));

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, to.raddr, to.rkey);
	seg = dv_set_inline_list(seg, buf, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

/* RDMA READ: from the peer's memory, scattered to @n SGEs. */
DV_INLINE int dv_sq_read(struct dv_sq *sq, uint8_t flags, struct dv_raddr from,
			 const struct ibv_sge *sge, unsigned int n)
{
	return dv_sq_rdma_list(sq, MLX5_OPCODE_RDMA_READ, flags, from, sge, n, 0);
}

/* The atomics work on 8 aligned bytes at the peer; what was there before comes to @sge, which
 * has length 8. CMP_SWAP: if it was @compare, @swap takes its place. */
DV_INLINE int dv_sq_cmp_swap(struct dv_sq *sq, uint8_t flags, struct dv_raddr at,
			     const struct ibv_sge *sge, uint64_t compare, uint64_t swap)
{
	void *wqe, *seg;

	if (!dv_sq_fits_bytes(sq, 3 * DV_WQE_DS))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_raddr_seg(dv_wqe_body(wqe), at.raddr, at.rkey);
	seg = dv_set_atomic_seg(seg, swap, compare);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit_at(sq, wqe, seg, MLX5_OPCODE_ATOMIC_CS, 0, flags, 0);
	return 0;
}

/* FETCH_ADD: @add is added to it, modulo 2^64. */
DV_INLINE int dv_sq_fetch_add(struct dv_sq *sq, uint8_t flags, struct dv_raddr at,
			      const struct ibv_sge *sge, uint64_t add)
{
	void *wqe, *seg;

	if (!dv_sq_fits_bytes(sq, 3 * DV_WQE_DS))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_raddr_seg(dv_wqe_body(wqe), at.raddr, at.rkey);
	seg = dv_set_atomic_seg(seg, add, 0);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit_at(sq, wqe, seg, MLX5_OPCODE_ATOMIC_FA, 0, flags, 0);
	return 0;
}

/* NOP: nothing but a completion, if @flags ask for it; with FENCE a point to wait for. */
DV_INLINE int dv_sq_nop(struct dv_sq *sq, uint8_t flags)
{
	if (!dv_sq_fits(sq, 1))
		return ENOMEM;
	dv_sq_commit_ds(sq, dv_sq_next(sq), 1, MLX5_OPCODE_NOP, 0, flags, 0);
	return 0;
}

/* The WQE at @wqe, as long as its control segment says, copied as it is; only its index is set. Its
 * ds is 1 or more, and the two bits above ds are 0: dv_sq_retire() reads them with it. */
DV_INLINE int dv_sq_raw(struct dv_sq *sq, const void *wqe)
{
	uint32_t ds = dv_wqe_ds(wqe);
	__be16 idx;
	char *to;

	if (!dv_sq_fits(sq, dv_wqe_nbb((size_t)ds * DV_WQE_DS)))
		return ENOMEM;
	to = (char *)dv_sq_next(sq);
	memcpy(to, wqe, (size_t)ds * DV_WQE_DS);
	idx = htobe16(sq->pi);
	memcpy(to + 1, &idx, sizeof(idx)); /* opmod, index, opcode */
	sq->last = to;
	sq->pi = (uint16_t)(sq->pi + (ds + 3) / 4);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
