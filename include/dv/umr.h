/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UMR, user-mode memory registration: a WQE that changes a memory key, in the order of the send
 * queue, without a system call. Read post.h before.
 *
 *	control: opcode UMR, imm = the key        16
 *	UMR control                               48    what changes
 *	mkey context                              64    what the fields become
 *	translation list ...                 n * 64     what the key now leads to
 *	BSF ...                              n * 64     what is checked and encrypted on the way (bsf.h)
 *
 *	UMR control   +0 flags  +4 octowords of the list  +6 of the BSFs, or its offset  +8 mask
 *	mkey context  +0 free   +2 access  +4 QPN << 8 | tag  +12 flags  +16 start  +24 length
 *	              +52 list size  +59 log_page_size
 *
 * The mask has a bit per field of the context that counts; the others stay, whatever the
 * segment says. The list is in the WQE (flag INLINE) or a data segment points to it; its
 * entries have 16 bytes and come in fours, the rest zeros. The format of an entry is fixed when
 * the key is created:
 *
 *	KLM      byte_count, mkey, address        areas of any length, in sequence
 *	KSM      -, mkey, address                 areas of one length, log_page_size: found by a shift
 *	repeat   a head, then KLMs with strides   columns out of rows: (bytes, skip) times repeat_count
 *
 * The key has to be made for UMR (mlx5dv_create_mkey(); a firmware command: mkc.umr_en), and
 * must not be in use while it changes. A later WQE of the same queue that uses it needs
 * DV_FENCE_INITIATOR_SMALL in its flags, to start after it; libmlx5 sets that by itself on the
 * next one. A device may want more, or nothing: its capability umr_fence says so,
 * dv_umr_fence(). WQEs of other queues, and the peer, use the key when the UMR's CQE is there:
 * no fence reaches them.
 *
 * Windows and invalidation are UMRs too: dv_sq_bind_mw() and dv_sq_local_inv() in post_umr.h.
 */
#ifndef DV_UMR_H
#define DV_UMR_H

#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fence of a WQE that uses what a UMR before it changed, on a device with this capability:
 * DEVX_CAP(GENERAL, caps, umr_fence), <devx/caps.h> (Linux, mlx5_ifc.h, MLX5_CAP_UMR_FENCE_*;
 * mlx5_ib, main.c, mlx5_get_umr_fence()). */
DV_INLINE uint8_t dv_umr_fence(uint8_t umr_fence)
{
	switch (umr_fence) {
	case 1:
		return DV_FENCE_INITIATOR_SMALL;
	case 2:
		return DV_FENCE_NONE;
	default:
		return DV_FENCE_STRONG_ORDERING;
	}
}

/* Bits of the mask with no name in mlx5dv.h (Linux include/linux/mlx5/device.h). */
#define DV_MKEY_MASK_PAGE_SIZE		    ((uint64_t)1 << 1)
#define DV_MKEY_MASK_PD			    ((uint64_t)1 << 7)
#define DV_MKEY_MASK_EN_RINVAL		    ((uint64_t)1 << 8)
#define DV_MKEY_MASK_LOCAL_READ		    ((uint64_t)1 << 17)
#define DV_MKEY_MASK_RELAXED_ORDERING_WRITE ((uint64_t)1 << 25)
#define DV_MKEY_MASK_RELAXED_ORDERING_READ  ((uint64_t)1 << 47)

enum {
	/* The four that mlx5dv_wr_set_mkey_access_flags() changes. */
	DV_MKEY_MASK_ACCESS = MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |
			      MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |
			      MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |
			      MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC,
	DV_MKEY_FLAG_BSF_EN = 1 << 30, /* of the context's flags */
	DV_MKEY_FLAG_SIG_ERR_CNT = 1
				   << 26, /* set with it: the parity of signature errors seen */
	DV_MKEY_ANY_QPN = 0xffffff,
	DV_UMR_REPEAT = 0x400, /* op of a repeat block */
	DV_UMR_FOUR = 64,      /* bytes of four entries: what lists are padded to */
	DV_UMR_FOUR_DS = DV_UMR_FOUR / DV_WQE_DS,
};

static_assert(sizeof(struct mlx5_wqe_umr_ctrl_seg) == 48, "UMR control segment");
static_assert(offsetof(struct mlx5_wqe_umr_ctrl_seg, mkey_mask) == 8, "UMR control segment");
static_assert(sizeof(struct mlx5_wqe_mkey_context_seg) == 64, "mkey context segment");
static_assert(offsetof(struct mlx5_wqe_mkey_context_seg, len) == 24, "mkey context segment");
static_assert(offsetof(struct mlx5_wqe_mkey_context_seg, log_page_size) == 59,
	      "mkey context segment");
static_assert(sizeof(struct mlx5_wqe_umr_klm_seg) == 16, "KLM");
static_assert(sizeof(struct mlx5_wqe_umr_repeat_block_seg) == 16, "repeat block");
static_assert(sizeof(struct mlx5_wqe_umr_repeat_ent_seg) == 16, "repeat entry");

struct dv_wqe_ksm_seg {
	__be32 reserved;
	__be32 mkey;
	__be64 address;
};

static_assert(sizeof(struct dv_wqe_ksm_seg) == 16, "KSM");

struct dv_wqe_bsf_seg; /* bsf.h */

/* A change of a key. Start from dv_umr_init(). */
struct dv_umr {
	uint32_t mkey;	    /* which one, with the tag that it has */
	uint8_t ctrl_flags; /* MLX5_WQE_UMR_CTRL_FLAG_* besides INLINE */
	uint8_t n_bsf;
	const struct dv_wqe_bsf_seg *bsf; /* copied after the list */
	uint64_t mask;			  /* MLX5_WQE_UMR_CTRL_MKEY_MASK_*, DV_MKEY_MASK_* */
	/* ... and the fields that it names: */
	uint64_t start_addr, len;
	uint32_t qpn;	     /* the QP that may use it */
	uint32_t mkey_flags; /* DV_MKEY_FLAG_*, PD */
	uint32_t list_octowords;
	uint8_t tag;	/* the lowest byte of the key, from now on */
	uint8_t access; /* dv_mkey_access() */
	uint8_t free;	/* 0, or MLX5_WQE_MKEY_CONTEXT_FREE: dead until the next UMR */
	uint8_t log_page_size;
};

/* A repeat block: @n columns, @count times. */
struct dv_repeat {
	uint32_t count;
	uint16_t n;
	const struct mlx5dv_mr_interleaved *column;
};

/* Access as verbs name it -> as a context has it. */
DV_INLINE uint8_t dv_mkey_access(unsigned int access)
{
	return (uint8_t)((access & IBV_ACCESS_LOCAL_WRITE
				  ? MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE
				  : 0) |
			 (access & IBV_ACCESS_REMOTE_READ
				  ? MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ
				  : 0) |
			 (access & IBV_ACCESS_REMOTE_WRITE
				  ? MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE
				  : 0) |
			 (access & IBV_ACCESS_REMOTE_ATOMIC
				  ? MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC
				  : 0));
}

/* A change of @mkey that makes it valid, for all QPs, with the tag that it has. */
DV_INLINE void dv_umr_init(struct dv_umr *umr, uint32_t mkey)
{
	memset(umr, 0, sizeof(*umr));
	umr->mkey = mkey;
	umr->mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY;
	umr->qpn = DV_MKEY_ANY_QPN;
	umr->tag = (uint8_t)mkey;
}

/* ... that also changes the access, as verbs name it. */
DV_INLINE void dv_umr_set_access(struct dv_umr *umr, unsigned int access)
{
	umr->mask |= DV_MKEY_MASK_ACCESS;
	umr->access = dv_mkey_access(access);
}

/* ... and has one BSF for each 64 bytes from @bsf on. */
DV_INLINE void dv_umr_set_bsf(struct dv_umr *umr, const struct dv_wqe_bsf_seg *bsf, uint8_t n)
{
	umr->mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_BSF_ENABLE;
	umr->mkey_flags |= DV_MKEY_FLAG_BSF_EN;
	umr->bsf = bsf;
	umr->n_bsf = n;
}

/* Bytes of a list of @n entries. */
DV_INLINE size_t dv_umr_list_size(size_t n)
{
	return (n + 3) / 4 * DV_UMR_FOUR;
}

/* UMR control and mkey context. @inl: MLX5_WQE_UMR_CTRL_FLAG_INLINE or 0; @octowords of
 * list. */
DV_INLINE void *dv_set_umr_segs(void *seg, const struct dv_umr *umr, uint8_t inl,
				uint16_t octowords)
{
	struct mlx5_wqe_umr_ctrl_seg *c = (struct mlx5_wqe_umr_ctrl_seg *)seg;
	struct mlx5_wqe_mkey_context_seg *m = (struct mlx5_wqe_mkey_context_seg *)(c + 1);

	memset(c, 0, sizeof(*c) + sizeof(*m));
	c->flags = umr->ctrl_flags | inl;
	c->klm_octowords = htobe16(octowords);
	c->bsf_octowords = htobe16((uint16_t)(umr->n_bsf * DV_UMR_FOUR_DS));
	c->mkey_mask = htobe64(umr->mask);
	m->free = umr->free;
	m->access_flags = umr->access;
	m->qpn_mkey = htobe32(umr->qpn << 8 | umr->tag);
	m->flags_pd = htobe32(umr->mkey_flags);
	m->start_addr = htobe64(umr->start_addr);
	m->len = htobe64(umr->len);
	m->translations_octword_size = htobe32(umr->list_octowords);
	m->log_page_size = umr->log_page_size;
	return m + 1;
}

/* Zeros from @seg to the end of a list of @n entries that it is in. */
DV_INLINE void *dv_umr_pad(void *seg, size_t n)
{
	size_t bytes = dv_umr_list_size(n) - n * DV_WQE_DS;

	memset(seg, 0, bytes);
	return (char *)seg + bytes;
}

/* A KLM list of @n areas, padded. Empty ones are entries too. */
DV_INLINE void *dv_set_klm_segs(void *seg, const struct ibv_sge *sge, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		seg = dv_set_ptr_seg(seg, &sge[i]);
	return dv_umr_pad(seg, n);
}

/* A KSM list of @n areas, padded. */
DV_INLINE void *dv_set_ksm_segs(void *seg, const struct dv_laddr *area, size_t n)
{
	struct dv_wqe_ksm_seg *k = (struct dv_wqe_ksm_seg *)seg;
	size_t i;

	for (i = 0; i < n; i++, k++) {
		k->reserved = 0;
		k->mkey = htobe32(area[i].lkey);
		k->address = htobe64(area[i].addr);
	}
	return dv_umr_pad(k, n);
}

/* Bytes of one turn of @r. */
DV_INLINE uint64_t dv_repeat_bytes(const struct dv_repeat *r)
{
	uint64_t bytes = 0;
	uint16_t i;

	for (i = 0; i < r->n; i++)
		bytes += r->column[i].bytes_count;
	return bytes;
}

/* A repeat block and its entries, padded. Counts and strides of a column have 16 bits. */
DV_INLINE void *dv_set_repeat_segs(void *seg, const struct dv_repeat *r)
{
	struct mlx5_wqe_umr_repeat_block_seg *b = (struct mlx5_wqe_umr_repeat_block_seg *)seg;
	struct mlx5_wqe_umr_repeat_ent_seg *e = (struct mlx5_wqe_umr_repeat_ent_seg *)(b + 1);
	uint16_t i;

	b->byte_count = htobe32((uint32_t)dv_repeat_bytes(r));
	b->op = htobe32(DV_UMR_REPEAT);
	b->repeat_count = htobe32(r->count);
	b->reserved = 0;
	b->num_ent = htobe16(r->n);
	for (i = 0; i < r->n; i++, e++) {
		const struct mlx5dv_mr_interleaved *c = &r->column[i];

		e->stride = htobe16((uint16_t)(c->bytes_count + c->bytes_skip));
		e->byte_count = htobe16((uint16_t)c->bytes_count);
		e->memkey = htobe32(c->lkey);
		e->va = htobe64(c->addr);
	}
	return dv_umr_pad(e, (size_t)r->n + 1);
}

#ifdef __cplusplus
}
#endif

#endif
