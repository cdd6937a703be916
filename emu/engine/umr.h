/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User-mode memory registration: a work request changes the entries, rights or state of an
 * mkey, in the order of its queue. And the invalidation by the peer.
 *
 *	unit  0      1                2 … 3      4                  8 …
 *	    | ctrl | flags, counts, | reserved | mkey context     | list, or a pointer
 *	      key    mask: which      xlt_      new values of       to it, or nothing
 *	      in imm fields count     offset    those fields
 *
 *	free --entries, rights, range--> usable --free, or SEND with invalidate--> free
 *
 * The mkey context of the WQE has the layout of mkc. (rdma-core, mlx5dv.h: struct
 * mlx5_wqe_umr_ctrl_seg, mlx5_wqe_mkey_context_seg; kernel, <linux/mlx5/qp.h>, <linux/mlx5/
 * device.h>: MLX5_MKEY_MASK_*.) umr.c checks the request and changes the context, umr_list.c
 * reads the entries: of memory windows, KLM and KSM mkeys, plain or strided; and, for the QPs
 * of the driver, pages (mlx5_ib, umr.c, mlx5r_umr_update_mr_pas; wr.c, set_reg_wr:
 * IB_WR_REG_MR). Signatures are refused.
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
		UMR_CHECK_USED = 0x40, /* kernel: MLX5_UMR_CHECK_FREE */
		UMR_CHECK_FREE = 0x20, /* kernel: MLX5_UMR_CHECK_NOT_FREE */
		UMR_TRANSLATION_OFFSET = 0x10,
		UMR_CHECK_QPN = 0x08,
};

/* Executes UMR WQE @index; returns the syndrome with which it failed, 0: none. */
uint8_t umr_run(struct engine *e, struct hca_qp *qp, uint16_t index,
		const struct hca_req_wqe *w);

/* --check: WQE @index starts. Reports it if it uses a key that an earlier UMR WQE changes, and
 * was posted without a fence before that one was complete. */
void umr_check_fence(struct engine *e, struct hca_qp *qp, uint16_t index,
		     const struct hca_req_wqe *w);

/* A peer of @qp invalidates @key; false if it may not. @pd: that of the keys which it may
 * name. */
bool umr_invalidate(struct engine *e, const struct hca_qp *qp, const struct hca_pd *pd,
		    uint32_t key);

/* ---- umr_list.c ---- */

/* A UMR WQE, its mkey, and its entries. */
struct umr {
	struct engine *e;
	const struct hca_qp *qp;
	uint16_t index;
	uint8_t ds;
	struct hca_mkey *m;
	struct hca_klm *list;	/* owned; NULL: there are none */
	uint64_t *pas;		/* the same of a key with pages; two for an octoword */
	uint32_t entries, from; /* of the key's list, [from, from + entries); in octowords */
	uint32_t repeat;	/* 0: not strided */
	uint8_t wqe[UMR_LEN];
};

/* umr.c: was it posted by the driver? */
bool umr_is_drivers(const struct umr *u);
/* Do the size of the WQE and the number of entries agree? The syndrome, 0: they do. */
uint8_t umr_list_shape(const struct umr *u);
/* Reads the entries of @u, from the WQE or from memory; nothing is changed yet. The syndrome,
 * 0: none. */
uint8_t umr_list_read(struct umr *u);
/* Makes them the entries of the mkey. */
void umr_list_apply(const struct umr *u);
void umr_list_end(struct umr *u);

#endif
