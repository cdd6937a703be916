/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MMO (memory-to-memory operations); this header has DMA, a memcpy() by the device. Read post.h
 * before.
 *
 *	control, opmod 1 | metadata, 16 | data: source | data: destination
 *
 * The metadata names a local buffer of 64 bytes, into which the device writes its status;
 * libmlx5 has one per protection domain and does not show it, so bring one. Both areas have the
 * same length. 0 in a byte_count is 2 GB, the longest.
 *
 * The QP is RC or a DC initiator made for it (libmlx5: MLX5DV_QP_EX_WITH_MEMCPY; a firmware
 * command: qpc_ext.mmo). The longest copy: mlx5dv_context.max_wr_memcpy_length.
 */
#ifndef DV_MMO_H
#define DV_MMO_H

#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	DV_OPMOD_MMO_DMA = 1,
};

struct dv_wqe_mmo_seg {
	__be32 control_31_0;
	__be32 lkey; /* of the buffer that the device writes */
	__be64 addr;
};

static_assert(sizeof(struct dv_wqe_mmo_seg) == 16, "MMO metadata segment");

/* @control: 0 for DMA. */
DV_INLINE void *dv_set_mmo_seg(void *seg, uint32_t control, struct dv_laddr opaque)
{
	struct dv_wqe_mmo_seg *m = (struct dv_wqe_mmo_seg *)seg;

	m->control_31_0 = htobe32(control);
	m->lkey = htobe32(opaque.lkey);
	m->addr = htobe64(opaque.addr);
	return m + 1;
}

/* Copies @len bytes of @src to @dst. Returns what all of post.h do, or EINVAL: no bytes, or
 * more than 2 GB. */
DV_INLINE int dv_sq_memcpy(struct dv_sq *sq, uint8_t flags, struct dv_laddr opaque,
			   struct dv_laddr dst, struct dv_laddr src, uint32_t len)
{
	const uint32_t most = (uint32_t)1 << 31;
	const uint32_t coded = len & (most - 1); /* 0: 2 GB */
	const struct ibv_sge from = { src.addr, coded, src.lkey };
	const struct ibv_sge to = { dst.addr, coded, dst.lkey };
	void *seg;

	if (!len || len > most)
		return EINVAL;
	seg = dv_sq_reserve(sq, dv_ds_nbb(4));
	if (!seg)
		return dv_sq_reserve_error(sq, dv_ds_nbb(4));
	seg = dv_set_mmo_seg(seg, 0, opaque);
	seg = dv_set_ptr_seg(seg, &from);
	seg = dv_set_ptr_seg(seg, &to);
	dv_sq_commit(sq, seg, MLX5_OPCODE_MMO, DV_OPMOD_MMO_DMA, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
