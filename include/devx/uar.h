/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UAR: the page of doorbell registers that queues made by DevX ring.
 *
 *	base ->	+0x020  CQ doorbell: arms a CQ
 *	reg  ->	+0x800  bf_reg: 2 halves of bf_size bytes, in turn
 *
 *	DEVX_UAR_BF   write-combining memory: a whole WQE goes through in one burst (BlueFlame);
 *		      where the CPU or a hypervisor does not allow that, EOPNOTSUPP
 *	DEVX_UAR_NC   not cached: a doorbell of 8 bytes is written at once, and bf_size is 0
 *	DEVX_UAR_ANY  BF, or NC where there is none
 *
 * Queues on one UAR share its register: threads that ring them need one lock around
 * dv_sq_doorbell() and dv_sq_blueflame(), or a UAR each. BF is the caller's alone. NC is too,
 * if libmlx5 knows how; one that does not hands out the same page every time: shared is set.
 */
#ifndef DEVX_UAR_H
#define DEVX_UAR_H

#include <stdbool.h>

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum devx_uar_type { DEVX_UAR_ANY, DEVX_UAR_BF, DEVX_UAR_NC };

struct devx_uar {
	struct mlx5dv_devx_uar *handle;
	enum devx_uar_type type; /* BF or NC */
	uint32_t page_id;	 /* uar_page of contexts */
	void *base, *reg;
	uint32_t bf_size; /* bytes of a half; 0: no BlueFlame */
	bool shared;	  /* with everybody in this context who asked for NC */
};

/* ENOMEM: the function has no UAR left. */
int devx_uar_alloc(struct devx_uar *uar, struct ibv_context *ctx, enum devx_uar_type type);
/* After the queues that ring it. */
void devx_uar_free(struct devx_uar *uar);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
