/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UD: each WQE says whom it is for. Read post.h and av.h before; calls and results are as there.
 *
 *	dv_sq_send_ud, dv_sq_send_ud_imm    control | address vector | data ...
 *	dv_sq_send_ud_inline                control | address vector | inline
 *
 * The vector fills the first block: these WQEs have two blocks and more, so of a ring of
 * wqe_cnt blocks at most half is UD WQEs. Make the queue with twice the depth.
 *
 * A receive gets 40 bytes of GRH before the data, whether the packet has one or not.
 */
#ifndef DV_POST_UD_H
#define DV_POST_UD_H

#include <dv/av.h>
#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

/* SEND, gathered from @n SGEs, to the queue that @av names. */
DV_INLINE int dv_sq_send_ud(struct dv_sq *sq, uint8_t flags, const struct mlx5_wqe_av *av,
			    const struct ibv_sge *sge, unsigned int n)
{
	void *wqe, *seg;

	if (!dv_sq_fits_bytes(sq, sizeof(*av) + (size_t)n * DV_WQE_DS))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_av_seg(dv_wqe_body(wqe), av);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit_at(sq, wqe, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* The same with 4 bytes for the peer's CQE. */
DV_INLINE int dv_sq_send_ud_imm(struct dv_sq *sq, uint8_t flags, const struct mlx5_wqe_av *av,
				const struct ibv_sge *sge, unsigned int n, __be32 imm)
{
	void *seg = dv_sq_start(sq, sizeof(*av) + (size_t)n * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_av_seg(seg, av);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND_IMM, 0, flags, imm);
	return 0;
}

static __attribute__((noinline, unused)) int
dv_sq_send_ud_inline_long(struct dv_sq *sq, uint8_t flags, const struct mlx5_wqe_av *av,
			  const void *src, uint32_t len)
{
	void *wqe, *seg;

	if (!dv_sq_fits_bytes(sq, sizeof(*av) + dv_inline_seg_size(len)))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_av_seg(dv_wqe_body(wqe), av);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit_at(sq, wqe, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* SEND of @len bytes copied into the WQE. */
DV_INLINE int dv_sq_send_ud_inline(struct dv_sq *sq, uint8_t flags,
				   const struct mlx5_wqe_av *av, const void *src, uint32_t len)
{
	void *wqe, *seg;
	uint32_t ds;

	if (len - 1 >= DV_WQE_BB - 4)
		return dv_sq_send_ud_inline_long(sq, flags, av, src, len);
	if (!dv_sq_fits(sq, 2))
		return ENOMEM;
	wqe = dv_sq_next(sq);
	seg = dv_set_av_seg(dv_wqe_body(wqe), av);
	ds = 4 + dv_set_inline_rest(seg, DV_WQE_BB, src, len);
	dv_sq_commit_ds(sq, wqe, ds, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
