/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Masked atomics: compare, swap and add on some bits of a word. Read wqe.h before.
 *
 *	control | raddr | masked atomic, 16 or 32 bytes | data
 *
 *	ATOMIC_MASKED_CS   if ((there ^ compare) & compare_mask) == 0
 *	                       there = (there & ~swap_mask) | (swap & swap_mask)
 *	ATOMIC_MASKED_FA   there += add, where a carry stops at every bit set in boundary:
 *	                   0 adds one number, 1 << 31 two of 32 bits at once
 *
 * Both write the old value to the data segment. The word has 4 or 8 bytes, aligned;
 * the control segment says which in its opmod, DV_OPMOD_MASKED_4 or DV_OPMOD_MASKED_8:
 *
 *	            +0           +4           +8           +12        +16          +24
 *	CS, 8 B     swap                      compare                 swap_mask    compare_mask
 *	CS, 4 B     swap         compare      swap_mask    compare_mask
 *	FA, 8 B     add                       boundary
 *	FA, 4 B     add          boundary     0
 *
 * Devices say what they do (PRM, QUERY_HCA_CAP: atomic_caps.atomic_operations and
 * atomic_size_qp); the QP has to be made for it (qpc.atomic_mode). The layouts are those that
 * UCX posts (src/uct/ib/mlx5). libmlx5 has no call for them.
 */
#ifndef DV_MASKED_H
#define DV_MASKED_H

#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	DV_OPMOD_EXT_ATOMIC = 8, /* | log2(size of the word) - 2 */
	DV_OPMOD_MASKED_4 = DV_OPMOD_EXT_ATOMIC,
	DV_OPMOD_MASKED_8 = DV_OPMOD_EXT_ATOMIC | 1,
};

struct dv_wqe_masked_cs_seg {
	__be64 swap;
	__be64 compare;
	__be64 swap_mask;
	__be64 compare_mask;
};

struct dv_wqe_masked_cs32_seg {
	__be32 swap;
	__be32 compare;
	__be32 swap_mask;
	__be32 compare_mask;
};

struct dv_wqe_masked_fa_seg {
	__be64 add;
	__be64 boundary;
};

struct dv_wqe_masked_fa32_seg {
	__be32 add;
	__be32 boundary;
	__be64 reserved;
};

static_assert(sizeof(struct dv_wqe_masked_cs_seg) == 32, "masked atomic segment");
static_assert(sizeof(struct dv_wqe_masked_cs32_seg) == 16, "masked atomic segment");
static_assert(sizeof(struct dv_wqe_masked_fa_seg) == 16, "masked atomic segment");
static_assert(sizeof(struct dv_wqe_masked_fa32_seg) == 16, "masked atomic segment");

/* The numbers of a masked CMP_SWAP; of 4-byte words the lower halves. */
struct dv_masked_cs {
	uint64_t compare, compare_mask;
	uint64_t swap, swap_mask;
};

DV_INLINE void *dv_set_masked_cs_seg(void *seg, const struct dv_masked_cs *cs)
{
	struct dv_wqe_masked_cs_seg *a = (struct dv_wqe_masked_cs_seg *)seg;

	a->swap = htobe64(cs->swap);
	a->compare = htobe64(cs->compare);
	a->swap_mask = htobe64(cs->swap_mask);
	a->compare_mask = htobe64(cs->compare_mask);
	return a + 1;
}

/* Words of 4 bytes. */
DV_INLINE void *dv_set_masked_cs32_seg(void *seg, const struct dv_masked_cs *cs)
{
	struct dv_wqe_masked_cs32_seg *a = (struct dv_wqe_masked_cs32_seg *)seg;

	a->swap = htobe32((uint32_t)cs->swap);
	a->compare = htobe32((uint32_t)cs->compare);
	a->swap_mask = htobe32((uint32_t)cs->swap_mask);
	a->compare_mask = htobe32((uint32_t)cs->compare_mask);
	return a + 1;
}

DV_INLINE void *dv_set_masked_fa_seg(void *seg, uint64_t add, uint64_t boundary)
{
	struct dv_wqe_masked_fa_seg *a = (struct dv_wqe_masked_fa_seg *)seg;

	a->add = htobe64(add);
	a->boundary = htobe64(boundary);
	return a + 1;
}

/* Words of 4 bytes. */
DV_INLINE void *dv_set_masked_fa32_seg(void *seg, uint32_t add, uint32_t boundary)
{
	struct dv_wqe_masked_fa32_seg *a = (struct dv_wqe_masked_fa32_seg *)seg;

	a->add = htobe32(add);
	a->boundary = htobe32(boundary);
	a->reserved = 0;
	return a + 1;
}

/* Masked CMP_SWAP on 8 bytes at the peer; @sge has length 8. Returns what all of post.h do. */
DV_INLINE int dv_sq_masked_cmp_swap(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
				    const struct ibv_sge *sge, const struct dv_masked_cs *cs)
{
	void *seg = dv_sq_reserve(sq, dv_ds_nbb(5));

	if (!seg)
		return dv_sq_reserve_error(sq, dv_ds_nbb(5));
	seg = dv_set_raddr_seg(seg, raddr);
	seg = dv_set_masked_cs_seg(seg, cs);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_MASKED_CS, DV_OPMOD_MASKED_8, flags, 0);
	return 0;
}

/* Like the function above, on 4 bytes; @sge has length 4. */
DV_INLINE int dv_sq_masked_cmp_swap32(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
				      const struct ibv_sge *sge, const struct dv_masked_cs *cs)
{
	void *seg = dv_sq_reserve(sq, dv_ds_nbb(4));

	if (!seg)
		return dv_sq_reserve_error(sq, dv_ds_nbb(4));
	seg = dv_set_raddr_seg(seg, raddr);
	seg = dv_set_masked_cs32_seg(seg, cs);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_MASKED_CS, DV_OPMOD_MASKED_4, flags, 0);
	return 0;
}

/* Masked FETCH_ADD on 8 bytes at the peer; @sge has length 8. */
DV_INLINE int dv_sq_masked_fetch_add(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
				     const struct ibv_sge *sge, uint64_t add, uint64_t boundary)
{
	void *seg = dv_sq_reserve(sq, dv_ds_nbb(4));

	if (!seg)
		return dv_sq_reserve_error(sq, dv_ds_nbb(4));
	seg = dv_set_raddr_seg(seg, raddr);
	seg = dv_set_masked_fa_seg(seg, add, boundary);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_MASKED_FA, DV_OPMOD_MASKED_8, flags, 0);
	return 0;
}

/* Like the function above, on 4 bytes; @sge has length 4. */
DV_INLINE int dv_sq_masked_fetch_add32(struct dv_sq *sq, uint8_t flags, struct dv_raddr raddr,
				       const struct ibv_sge *sge, uint32_t add,
				       uint32_t boundary)
{
	void *seg = dv_sq_reserve(sq, dv_ds_nbb(4));

	if (!seg)
		return dv_sq_reserve_error(sq, dv_ds_nbb(4));
	seg = dv_set_raddr_seg(seg, raddr);
	seg = dv_set_masked_fa32_seg(seg, add, boundary);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_MASKED_FA, DV_OPMOD_MASKED_4, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
