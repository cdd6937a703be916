/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protection domain numbers, for inboxes. A PD of ibv_alloc_pd() lets verbs and DevX share keys
 * and queues: it belongs to the same user context. A PD of the second kind is DevX's alone.
 */
#ifndef DEVX_PD_H
#define DEVX_PD_H

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The number of @pd. EOPNOTSUPP: not of an mlx5 device. */
int devx_pdn(struct ibv_pd *pd, uint32_t *pdn);

/* ALLOC_PD: obj->id is the number; devx_obj_destroy() undoes it. */
int devx_pd_alloc(struct devx_obj *obj, struct ibv_context *ctx);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
