/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User-mode memory registration: a work request gives an mkey new bytes, rights or a new state, and
 * takes effect when its turn in the queue comes. And the invalidation that comes from the peer.
 *
 *	unit  0      1                2 … 3      4                  8 …
 *	    | ctrl | flags, counts, | reserved | mkey context     | list, or where it lies
 *	      key    mask: which      xlt_      new values of       in memory, or nothing
 *	      in imm fields count     offset    those fields
 *
 *	free --entries, rights, range--> usable --free, or SEND with invalidate--> free
 *
 * The mkey context of the WQE has the layout of mkc. (rdma-core, mlx5dv.h: struct
 * mlx5_wqe_umr_ctrl_seg, mlx5_wqe_mkey_context_seg; kernel, <linux/mlx5/qp.h>, <linux/mlx5/
 * device.h>: MLX5_MKEY_MASK_*.) umr.c checks the request and changes the context, umr_list.c reads
 * the entries: of memory windows, KLM and KSM keys, plain or strided. What has no entries (regions)
 * and what has a signature is refused.
 */
#ifndef EMU_ENGINE_UMR_H
#define EMU_ENGINE_UMR_H

#include "engine/hwqe.h"
#include "engine/loop.h"

/* the WQE, in bytes */
#define UMR_AT_CTRL 16u
#define UMR_AT_MKC  64u
#define UMR_AT_LIST 128u
#define UMR_LEN	    (HWQE_MAX_DS * HWQE_UNIT)

/* UMR control segment */
#define UMR_FLAGS	     0, 31, 24
#define UMR_KLM_OCTOWORDS    4, 31, 16
#define UMR_OFFSET	     4, 15, 0 /* in the list, if the flag says so; else octowords of a BSF */
#define UMR_AT_MASK	     8
#define UMR_XLT_OFFSET_47_16 16, 31, 0
#define UMR_AT_RESERVED	     20

enum umr_flag { /* MLX5_WQE_UMR_CTRL_FLAG_* */
		UMR_INLINE = 0x80,
		UMR_CHECK_FREE = 0x20,
		UMR_TRANSLATION_OFFSET = 0x10,
		UMR_CHECK_QPN = 0x08,
};

/* Executes UMR WQE @index; the syndrome with which it failed, 0: none. */
uint8_t umr_run(struct engine *e, struct hca_qp *qp, uint16_t index,
		const struct hca_req_wqe *w);

/* --check: WQE @index starts. Reports it if it uses a key that a UMR WQE before it changes, posted
 * without a fence and before that one was complete. */
void umr_look_for_fence(struct engine *e, struct hca_qp *qp, uint16_t index,
			const struct hca_req_wqe *w);

/* A peer of @qp invalidates @key; false when it may not. @pd: whose keys it may name. */
bool umr_invalidate(struct engine *e, const struct hca_qp *qp, const struct hca_pd *pd,
		    uint32_t key);

/* ---- umr_list.c ---- */

/* A UMR WQE, its mkey, and the entries that it brings. */
struct umr {
	struct engine *e;
	const struct hca_qp *qp;
	uint16_t index;
	uint8_t ds;
	struct hca_mkey *m;
	struct hca_klm *list;	/* owned; NULL: it brings none */
	uint32_t entries, from; /* of the key's list, [from, from + entries) */
	uint32_t repeat;	/* 0: not strided */
	uint8_t wqe[UMR_LEN];
};

/* Do the size of the WQE and the count of entries fit to each other? The syndrome, 0: they do. */
uint8_t umr_list_shape(const struct umr *u);
/* Reads the entries of @u, from the WQE or from memory; nothing is changed yet. The syndrome, 0:
 * none. */
uint8_t umr_list_read(struct umr *u);
/* Makes them those of the mkey. */
void umr_list_apply(const struct umr *u);

#endif
