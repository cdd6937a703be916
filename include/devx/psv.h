/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Protection signature values: where the device keeps the running checksum of a signature
 * mkey. A BSF names one for the memory side and one for the wire side; SET_PSV work requests
 * give them their first value. The command can create four at once, the kernel accepts
 * one.
 */
#ifndef DEVX_PSV_H
#define DEVX_PSV_H

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* psv->id: its index. */
int devx_psv_create(struct devx_obj *psv, struct ibv_context *ctx, uint32_t pdn);
int devx_psv_destroy(struct devx_obj *psv);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
