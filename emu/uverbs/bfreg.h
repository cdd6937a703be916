/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Doorbell registers of a context whose pages the kernel allocates, one without
 * MLX5_LIB_CAP_DYN_UAR (mlx5_ib, main.c, calc_total_bfregs, allocate_uars, uar_mmap; qp.c,
 * alloc_bfreg). A page has two registers.
 *
 *	static pages, of GET_CONTEXT          dynamic pages, made by mmap(2)
 *	0 | 1 … | … total_num_bfregs - 1      0, 1 | 2, 3 | … 1023
 *	|   |     '- low latency: one QP each  '- named by CREATE_QP, QUERY_UAR
 *	|   '- shared: the QPs spread over them
 *	'- all other QPs, and CQs
 */
#ifndef EMU_UVERBS_BFREG_H
#define EMU_UVERBS_BFREG_H

#include "uverbs/qp.h"

#define UVERBS_NO_BFREG 0

/* It is chosen by the application, by the number of a page or a dynamic register; neither: the
 * kernel. */
#define UVERBS_BFREG_FLAGS (MLX5_QP_FLAG_UAR_PAGE_INDEX | MLX5_QP_FLAG_BFREG_INDEX)

/* The static pages, as many as @req says. Its total_num_bfregs is even; @chooses: requests of
 * version 0 do not say which registers are for low latency, and all their QPs get the first. */
int uverbs_bfregs_new(struct uverbs_file *f, const struct mlx5_ib_alloc_ucontext_req_v2 *req,
		      bool chooses);
void uverbs_bfregs_end(struct uverbs_file *f);
void uverbs_bfregs_answer(const struct uverbs_file *f, struct mlx5_ib_alloc_ucontext_resp *r);

/* The UAR page of a register, static or dynamic; -EINVAL. */
int uverbs_bfreg_page(const struct uverbs_file *f, uint32_t bfreg, bool dynamic,
		      uint32_t *page);
/* Where a new QP rings: its a->mlx5.bfreg_index becomes the number of the page. a->bfreg: the
 * register, if the kernel chooses it; uverbs_bfreg_put() ends that, of UVERBS_NO_BFREG nothing.
 * -EINVAL. */
int uverbs_bfreg_choose(struct uverbs_file *f, struct uverbs_qp_attr *a);
void uverbs_bfreg_put(struct uverbs_file *f, uint32_t bfreg);
/* As create_qp answers it. */
uint32_t uverbs_bfreg_index(uint32_t bfreg);

#endif
