/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Small data that came inside the CQE, on its way to where the WQE wanted it.
 *
 *	128-byte slot  | up to 64 bytes | the CQE's 64 bytes             |   format 64
 *	 64-byte slot  | up to 32 bytes | the rest of the CQE            |   format 32
 *
 * The receive queues do this when they retire a receive (rq.h, srq.h). A send queue does it too
 * if its QP was made for it: results of READs and atomics then come in their CQEs, all of whose
 * WQEs have to be signalled (sq_sig_all = 1, or MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE):
 *
 *	dv_sq_scatter(&sq, cqe);	before dv_sq_retire(): the WQE is still there
 *
 * The answer of an atomic is big-endian inside the CQE; dv_sq_scatter() gives it to the SGE in
 * the order of the host, as the device itself does where it writes the SGE (libmlx5 does not,
 * see docs/wrong-programs.md).
 *
 * The addresses of the SGEs are taken for ours: not for zero-based MRs, nor for null MRs.
 */
#ifndef DV_SCATTER_H
#define DV_SCATTER_H

#include <dv/cqe.h>
#include <dv/sq.h>
#include <dv/wqe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies @len bytes at @src to the list of at most @n SGEs at @d. Whether all of them fit. */
static inline bool dv_scatter(const struct mlx5_wqe_data_seg *d, size_t n, const void *src,
			      uint32_t len)
{
	const char *from = (const char *)src;

	for (; n && len; n--, d++) {
		uint32_t space = be32toh(d->byte_count);
		uint32_t part = space < len ? space : len;

		if (d->lkey == htobe32(MLX5_INVALID_LKEY) && !space)
			return false;
		dv_copy((void *)(uintptr_t)be64toh(d->addr), from, part);
		from += part;
		len -= part;
	}
	return !len;
}

/* Copies @len bytes of data inside @cqe to the list. False too if a CQE cannot hold so many. */
static inline bool dv_cqe_scatter(const struct mlx5_cqe64 *cqe,
				  const struct mlx5_wqe_data_seg *d, size_t n, uint32_t len)
{
	if (len > (cqe->op_own & MLX5_INLINE_SCATTER_32 ? 32 : 64))
		return false;
	return dv_scatter(d, n, dv_cqe_inline(cqe), len);
}

/* Whether a WQE with @opcode returns data, and after how many segments its SGEs begin. */
DV_INLINE unsigned int dv_wqe_scatters_at(uint8_t opcode)
{
	switch (opcode) {
	case MLX5_OPCODE_RDMA_READ:
		return 2;
	case MLX5_OPCODE_ATOMIC_CS:
	case MLX5_OPCODE_ATOMIC_FA:
		return 3;
	default:
		return 0;
	}
}

/* Copies the answer of an atomic inside @cqe to the list. */
static inline bool dv_cqe_scatter_atomic(const struct mlx5_cqe64 *cqe,
					 const struct mlx5_wqe_data_seg *d, size_t n)
{
	uint64_t answer;

	dv_copy(&answer, dv_cqe_inline(cqe), sizeof(answer));
	answer = be64toh(answer);
	return dv_scatter(d, n, &answer, sizeof(answer));
}

/* Copies the result inside @cqe, of a READ or an atomic, to the SGEs of its WQE. False: it did
 * not fit there, or the WQE wants no data. Does nothing if nothing is inside. */
static inline bool dv_sq_scatter(const struct dv_sq *sq, const struct mlx5_cqe64 *cqe)
{
	const char *wqe = (const char *)dv_sq_at(sq, dv_cqe_wqe_counter(cqe));
	unsigned int first, ds = dv_wqe_ds(wqe);
	uint8_t opcode = (uint8_t)wqe[3];
	const struct mlx5_wqe_data_seg *d;

	if (dv_cqe_is_error(cqe) || !dv_cqe_inline(cqe))
		return true;
	first = dv_wqe_scatters_at(opcode);
	if (!first || ds < first)
		return false;
	d = (const struct mlx5_wqe_data_seg *)(const void *)(wqe + first * DV_WQE_DS);
	if (opcode != MLX5_OPCODE_RDMA_READ)
		return dv_cqe_scatter_atomic(cqe, d, ds - first);
	return dv_cqe_scatter(cqe, d, ds - first, dv_cqe_byte_cnt(cqe));
}

#ifdef __cplusplus
}
#endif

#endif
