/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UMR work requests, as far as memory windows need them. libmlx5 posts one for each of
 * IBV_WR_BIND_MW, IBV_WR_LOCAL_INV and ibv_bind_mw():
 *
 *	unit  0      1                2 … 3      4                  8
 *	    | ctrl | flags, mask    | reserved | mkey context     | KLM, three of zeroes |
 *	      key    which fields                new values of      a bind has them, to
 *	      in imm of the context count        those fields       free has not
 *
 * The mkey context of the WQE has the layout of mkc. (rdma-core, mlx5dv.h: struct
 * mlx5_wqe_umr_ctrl_seg, mlx5_wqe_mkey_context_seg, mlx5_wqe_umr_klm_seg; kernel,
 * <linux/mlx5/device.h>: MLX5_MKEY_MASK_*.) A WQE takes effect when its turn in the queue comes.
 *
 * Not here, and refused: lists of more than one KLM, lists that lie in memory, repeated blocks,
 * signatures, and mkeys that are no windows.
 */
#include "engine/cqe.h"
#include "engine/scatter.h"
#include "engine/umr.h"
#include "engine/wqe.h"
#include "prm/prm.h"

#define QPN_ANY 0xffffffu

/* the WQE, in bytes */
#define AT_CTRL 16u
#define AT_MKC	64u
#define AT_KLM	128u
#define LEN	192u

#define KLM_SIZE 16u
#define KLM_LIST 4u /* entries, as klm_octowords counts them */

/* UMR control segment: MLX5_WQE_UMR_CTRL_FLAG_* */
#define FLAGS		   0, 31, 24
#define FLAG_INLINE	   0x80u
#define FLAG_CHECK_FREE	   0x20u
#define FLAG_OFFSET	   0x10u
#define FLAG_CHECK_QPN	   0x08u
#define KLM_OCTOWORDS	   4, 31, 16
#define TRANSLATION_OFFSET 4, 15, 0
#define AT_MASK		   8
#define FLAGS_KNOWN	   (FLAG_INLINE | FLAG_CHECK_FREE | FLAG_OFFSET | FLAG_CHECK_QPN)

/* mkey_mask: MLX5_WQE_UMR_CTRL_MKEY_MASK_* */
enum mask_bit {
	MASK_LEN = 0,
	MASK_START_ADDR = 6,
	MASK_MKEY = 13,
	MASK_QPN = 14,
	MASK_LW = 18,
	MASK_RR = 19,
	MASK_RW = 20,
	MASK_A = 21,
	MASK_FREE = 29,
};
#define BIT(bit) (1ull << (bit))
#define MASK_KNOWN                                                               \
	(BIT(MASK_LEN) | BIT(MASK_START_ADDR) | BIT(MASK_MKEY) | BIT(MASK_QPN) | \
	 BIT(MASK_LW) | BIT(MASK_RR) | BIT(MASK_RW) | BIT(MASK_A) | BIT(MASK_FREE))

/* Is the WQE one of the two shapes? */
static bool is_known(const uint8_t *wqe, uint8_t ds)
{
	const uint8_t *ctrl = wqe + AT_CTRL;
	uint32_t flags = wqe_get(ctrl, FLAGS);

	if (flags & ~FLAGS_KNOWN || wqe_get64(ctrl, AT_MASK) & ~MASK_KNOWN ||
	    wqe_get(ctrl, TRANSLATION_OFFSET))
		return false;
	if (ds * WQE_UNIT == AT_KLM)
		return !wqe_get(ctrl, KLM_OCTOWORDS);
	if (ds * WQE_UNIT != LEN || !(flags & FLAG_INLINE) ||
	    wqe_get(ctrl, KLM_OCTOWORDS) != KLM_LIST)
		return false;
	for (unsigned int i = AT_KLM + KLM_SIZE; i < LEN; i++)
		if (wqe[i])
			return false;
	return true;
}

/* What the context says of @m, decoded. */
static void refresh(struct dev_mkey *m)
{
	uint32_t qpn = PRM_GET(mkc, m->mkc, qpn);

	m->variant = PRM_GET(mkc, m->mkc, mkey_7_0);
	m->free = PRM_GET(mkc, m->mkc, free);
	m->qpn = qpn == QPN_ANY ? 0 : qpn;
	m->start = PRM_GET(mkc, m->mkc, start_addr);
	m->len = PRM_GET(mkc, m->mkc, len);
	m->access = (PRM_GET(mkc, m->mkc, lr) ? DEV_LOCAL_READ : 0) |
		    (PRM_GET(mkc, m->mkc, lw) ? DEV_LOCAL_WRITE : 0) |
		    (PRM_GET(mkc, m->mkc, rr) ? DEV_REMOTE_READ : 0) |
		    (PRM_GET(mkc, m->mkc, rw) ? DEV_REMOTE_WRITE : 0) |
		    (PRM_GET(mkc, m->mkc, a) ? DEV_REMOTE_ATOMIC : 0);
	if (m->free)
		m->klm = (struct dev_klm){ 0 };
}

#define COPY(bit, field)                                                       \
	do {                                                                   \
		if (mask & BIT(MASK_##bit))                                    \
			PRM_SET(mkc, m->mkc, field, PRM_GET(mkc, mkc, field)); \
	} while (0)

static void change(struct dev_mkey *m, uint64_t mask, const uint8_t *mkc)
{
	COPY(LEN, len);
	COPY(START_ADDR, start_addr);
	COPY(MKEY, mkey_7_0);
	COPY(QPN, qpn);
	COPY(LW, lw);
	COPY(RR, rr);
	COPY(RW, rw);
	COPY(A, a);
	COPY(FREE, free);
	refresh(m);
}

/* May @qp change @m? */
static uint8_t check(const struct dev_qp *qp, const struct dev_mkey *m, uint32_t flags)
{
	/* InfiniBand specification, chapter 11, completion status "Memory Window Bind Error". */
	if (!m || m->pd != qp->pd || !m->umr_en)
		return CQE_MW_BIND;
	if (!m->window)
		return CQE_LOCAL_QP_OP;
	if (flags & FLAG_CHECK_FREE && !m->free)
		return CQE_MW_BIND;
	/* assumed(local_inv_of_a_free_window_fails): an IBV_WR_LOCAL_INV of a type 2 window that
	 * is not bound, or is bound to another QP, ends in syndrome 0x06. */
	return flags & FLAG_CHECK_QPN && m->qpn != qp->qpn ? CQE_MW_BIND : 0;
}

uint8_t umr_run(struct engine *e, const struct dev_qp *qp, uint16_t index,
		const struct dev_req_wqe *w)
{
	uint8_t wqe[LEN], status;
	struct dev_mkey *m;

	if (w->ds * WQE_UNIT > LEN)
		return CQE_LOCAL_QP_OP;
	sg_ring_copy(&qp->sq, (uint64_t)index * WQE_BB, wqe, w->ds * WQE_UNIT);
	if (!is_known(wqe, w->ds))
		return CQE_LOCAL_QP_OP;
	/* assumed(umr_does_not_look_at_the_key_variant): a UMR WQE names the mkey by its 24 bits of
	 * index; so a window is bound again by a key that LOCAL_INV has made stale, as it is in
	 * libmlx5, and as the key of the kernel's IB_WR_REG_MR is already the new one. */
	m = core_ids_get(&e->d->mkeys, wqe_get(wqe, WQE_CTRL_IMM, 31, 8));
	status = check(qp, m, wqe_get(wqe + AT_CTRL, FLAGS));
	if (status)
		return status;
	change(m, wqe_get64(wqe + AT_CTRL, AT_MASK), wqe + AT_MKC);
	/* assumed(bind_does_not_look_at_the_region): a bind ends well whatever its KLM names; a key
	 * that is wrong, lacks a right or is too short is found by the first access. */
	if (w->ds * WQE_UNIT == LEN && !m->free)
		m->klm = (struct dev_klm){ .len = PRM_GET(klm, wqe + AT_KLM, byte_count),
					   .key = PRM_GET(klm, wqe + AT_KLM, mkey),
					   .addr = PRM_GET(klm, wqe + AT_KLM, address) };
	return 0;
}

/* Type 2 only: mlx5_ib (mr.c, mlx5_ib_alloc_mw) sets en_rinval for those alone. */
bool umr_invalidate(struct engine *e, const struct dev_qp *qp, const struct dev_pd *pd,
		    uint32_t key)
{
	struct dev_mkey *m = dev_mkey_find(e->d, key);

	if (!m || !m->window || m->free || !m->en_rinval || m->pd != pd ||
	    (m->qpn && m->qpn != qp->qpn))
		return false;
	PRM_SET(mkc, m->mkc, free, 1);
	PRM_SET(mkc, m->mkc, qpn, QPN_ANY);
	refresh(m);
	return true;
}
