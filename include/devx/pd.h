/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protection domain numbers, for inboxes. A PD of ibv_alloc_pd() lets verbs and DevX share keys
 * and queues: it belongs to the same user context. A PD of devx_pd_create() is for DevX only.
 */
#ifndef DEVX_PD_H
#define DEVX_PD_H

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The number of @pd. EOPNOTSUPP: not of an mlx5 device. */
int devx_pdn_query(uint32_t *pdn, struct ibv_pd *pd);

/* ALLOC_PD: pd->id is the number. */
int devx_pd_create(struct devx_obj *pd, struct ibv_context *ctx);
int devx_pd_destroy(struct devx_obj *pd);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
