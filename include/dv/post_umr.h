/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys changed by a WQE, one call per way. Read umr.h before; flags and results as in post.h.
 *
 *	dv_sq_local_inv         invalidates a window or key
 *	dv_sq_bind_mw           a window opens on a part of an MR
 *	dv_sq_umr_list          KLM list in the WQE               (mlx5dv_wr_mr_list())
 *	dv_sq_umr_interleaved   repeat block in the WQE           (mlx5dv_wr_mr_interleaved())
 *	dv_sq_umr_ksm           KSM list in the WQE
 *	dv_sq_umr_ptr           any list, in local memory: only the key limits its length
 *	dv_sq_umr               no list: access, tag, or the end
 *	dv_sq_set_psv           where a protection context starts (bsf.h)
 *
 * None of them sets a fence on what follows: DV_FENCE_INITIATOR_SMALL on the next WQE does.
 */
#ifndef DV_POST_UMR_H
#define DV_POST_UMR_H

#include <dv/bsf.h>
#include <dv/post.h>
#include <dv/umr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Not API: blocks of control | UMR control | mkey context | @bytes of list | BSFs. */
DV_INLINE size_t dv_umr_nbb_(const struct dv_umr *umr, size_t bytes)
{
	return dv_wqe_nbb(DV_WQE_DS + sizeof(struct mlx5_wqe_umr_ctrl_seg) +
			  sizeof(struct mlx5_wqe_mkey_context_seg) + bytes +
			  (size_t)umr->n_bsf * sizeof(*umr->bsf));
}

/* Not API: reserves these blocks, and returns where the list begins. */
DV_INLINE void *dv_sq_start_umr_(struct dv_sq *sq, const struct dv_umr *umr, uint8_t inl,
				 uint16_t octowords, size_t bytes)
{
	void *seg = dv_sq_reserve(sq, dv_umr_nbb_(umr, bytes));

	return seg ? dv_set_umr_segs(seg, umr, inl, octowords) : NULL;
}

/* Not API: appends the BSFs of @umr at @seg and commits. */
DV_INLINE int dv_sq_commit_umr_(struct dv_sq *sq, void *seg, const struct dv_umr *umr,
				uint8_t flags)
{
	size_t bytes = (size_t)umr->n_bsf * sizeof(*umr->bsf);

	if (bytes)
		memcpy(seg, umr->bsf, bytes);
	dv_sq_commit(sq, (char *)seg + bytes, MLX5_OPCODE_UMR, 0, flags, htobe32(umr->mkey));
	return 0;
}

/* The change that @umr says; the list stays. */
DV_INLINE int dv_sq_umr(struct dv_sq *sq, uint8_t flags, const struct dv_umr *umr)
{
	void *seg = dv_sq_start_umr_(sq, umr, MLX5_WQE_UMR_CTRL_FLAG_INLINE, 0, 0);

	if (!seg)
		return dv_sq_reserve_error(sq, dv_umr_nbb_(umr, 0));
	return dv_sq_commit_umr_(sq, seg, umr, flags);
}

/* The change that @umr says, and the key translates to the areas of @sge, in sequence. The
 * length becomes theirs. */
DV_INLINE int dv_sq_umr_list(struct dv_sq *sq, uint8_t flags, const struct dv_umr *umr,
			     const struct ibv_sge *sge, unsigned int n)
{
	size_t bytes = dv_umr_list_size(n);
	struct dv_umr u = *umr;
	unsigned int i;
	void *seg;

	u.mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN;
	u.len = 0;
	for (i = 0; i < n; i++)
		u.len += sge[i].length;
	seg = dv_sq_start_umr_(sq, &u, MLX5_WQE_UMR_CTRL_FLAG_INLINE,
			       (uint16_t)(bytes / DV_WQE_DS), bytes);
	if (!seg)
		return dv_sq_reserve_error(sq, dv_umr_nbb_(&u, bytes));
	return dv_sq_commit_umr_(sq, dv_set_klm_segs(seg, sge, n), &u, flags);
}

/* Like dv_sq_umr_list(), but the key translates to the columns of @r, row after row. */
DV_INLINE int dv_sq_umr_interleaved(struct dv_sq *sq, uint8_t flags, const struct dv_umr *umr,
				    const struct dv_repeat *r)
{
	size_t bytes = dv_umr_list_size((size_t)r->n + 1);
	struct dv_umr u = *umr;
	void *seg;

	u.mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN;
	u.len = dv_repeat_bytes(r) * r->count;
	seg = dv_sq_start_umr_(sq, &u, MLX5_WQE_UMR_CTRL_FLAG_INLINE,
			       (uint16_t)(bytes / DV_WQE_DS), bytes);
	if (!seg)
		return dv_sq_reserve_error(sq, dv_umr_nbb_(&u, bytes));
	return dv_sq_commit_umr_(sq, dv_set_repeat_segs(seg, r), &u, flags);
}

/* Like dv_sq_umr_list(), for a key of KSMs: @n areas of 1 << log_page_size bytes. Page size and
 * length are fields of @umr. */
DV_INLINE int dv_sq_umr_ksm(struct dv_sq *sq, uint8_t flags, const struct dv_umr *umr,
			    const struct dv_laddr *area, unsigned int n)
{
	size_t bytes = dv_umr_list_size(n);
	void *seg = dv_sq_start_umr_(sq, umr, MLX5_WQE_UMR_CTRL_FLAG_INLINE,
				     (uint16_t)(bytes / DV_WQE_DS), bytes);

	if (!seg)
		return dv_sq_reserve_error(sq, dv_umr_nbb_(umr, bytes));
	return dv_sq_commit_umr_(sq, dv_set_ksm_segs(seg, area, n), umr, flags);
}

/* Like dv_sq_umr_list(), but the list is at @list, big-endian and padded as in a WQE; it must
 * not change until the completion. Length, page size: fields of @umr; it has no BSF. */
DV_INLINE int dv_sq_umr_ptr(struct dv_sq *sq, uint8_t flags, const struct dv_umr *umr,
			    const struct ibv_sge *list)
{
	void *seg =
		dv_sq_start_umr_(sq, umr, 0, (uint16_t)(list->length / DV_WQE_DS), DV_WQE_DS);

	if (!seg)
		return dv_sq_reserve_error(sq, dv_umr_nbb_(umr, DV_WQE_DS));
	dv_sq_commit(sq, dv_set_ptr_seg(seg, list), MLX5_OPCODE_UMR, 0, flags,
		     htobe32(umr->mkey));
	return 0;
}

/* Invalidates @rkey, of a window of type 2 or a key bound to this QP. */
DV_INLINE int dv_sq_local_inv(struct dv_sq *sq, uint8_t flags, uint32_t rkey)
{
	struct dv_umr umr;

	dv_umr_init(&umr, rkey);
	umr.ctrl_flags =
		MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET | MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN;
	umr.mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN;
	umr.free = MLX5_WQE_MKEY_CONTEXT_FREE;
	umr.tag = 0;
	return dv_sq_umr(sq, flags, &umr);
}

/* Not API: what dv_sq_bind_mw() changes in @umr. */
DV_INLINE void dv_umr_set_window_(struct dv_umr *umr, uint32_t qpn, enum ibv_mw_type type,
				  const struct ibv_mw_bind_info *info)
{
	bool two = type == IBV_MW_TYPE_2;

	umr->ctrl_flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET;
	if (two)
		umr->mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN;
	if (!info->length) {
		umr->free = MLX5_WQE_MKEY_CONTEXT_FREE;
		if (two)
			umr->ctrl_flags |= MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN;
		return;
	}
	if (two) {
		umr->ctrl_flags |= MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE;
		umr->qpn = qpn;
	}
	umr->mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN | MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR;
	dv_umr_set_access(umr, info->mw_access_flags);
	umr->start_addr = info->mw_access_flags & IBV_ACCESS_ZERO_BASED ? 0 : info->addr;
	umr->len = info->length;
}

/* Binds @mw to what @info says, with @rkey from now on, of which only the lowest byte is new;
 * the struct of @mw stays: its owner writes the rkey there. Length 0 closes the window. Also
 * EOPNOTSUPP: more than 2 GB. */
DV_INLINE int dv_sq_bind_mw(struct dv_sq *sq, uint8_t flags, const struct ibv_mw *mw,
			    uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	struct dv_umr umr;
	struct ibv_sge to;
	void *seg;

	if (info->length > (uint64_t)1 << 31)
		return EOPNOTSUPP;
	dv_umr_init(&umr, mw->rkey);
	umr.tag = (uint8_t)rkey;
	dv_umr_set_window_(&umr, sq->qpn, mw->type, info);
	if (!info->length)
		return dv_sq_umr(sq, flags, &umr);
	to.addr = info->addr;
	to.length = (uint32_t)info->length;
	to.lkey = info->mr->lkey;
	seg = dv_sq_start_umr_(sq, &umr, MLX5_WQE_UMR_CTRL_FLAG_INLINE, DV_UMR_FOUR_DS,
			       DV_UMR_FOUR);
	if (!seg)
		return dv_sq_reserve_error(sq, dv_umr_nbb_(&umr, DV_UMR_FOUR));
	return dv_sq_commit_umr_(sq, dv_set_klm_segs(seg, &to, 1), &umr, flags);
}

/* PSV @psv_index starts over from @transient_signature (dv_sig_transient()). */
DV_INLINE int dv_sq_set_psv(struct dv_sq *sq, uint8_t flags, uint32_t psv_index,
			    uint64_t transient_signature)
{
	void *seg = dv_sq_reserve(sq, 1);

	if (!seg)
		return ENOMEM;
	seg = dv_set_psv_seg(seg, psv_index, transient_signature);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SET_PSV, 0, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
