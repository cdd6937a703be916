/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * General objects: one set of four commands, 0xa00 … 0xa03, for the types of objects that have
 * no separate commands: data encryption keys, samplers, arguments of header modification …
 *
 *	+--------------------------------------------+------------------------+
 *	| opcode uid  obj_type  obj_id  log_obj_range|  context of the type   |
 *	+--------------------------------------------+------------------------+
 *	0                                            16         @context, @len
 *
 * The layouts of the contexts are in prm/object.def and its neighbours. A type is there if its
 * bit is set in the capability general_obj_types, or general_obj_types_127_64 of GENERAL_2. In
 * contexts with a field modify_field_select, only the selected fields change; others change as
 * a whole.
 */
#ifndef DEVX_GENERAL_H
#define DEVX_GENERAL_H

#include <devx/devx.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* 2^@log_range objects with numbers one after another from obj->id on; mostly 0. @type:
 * PRM_OBJ_*. EOPNOTSUPP: the device has no such type. E2BIG: longer than an inbox. */
int devx_general_create(struct devx_obj *obj, struct ibv_context *ctx, uint16_t type,
			uint8_t log_range, const void *context, size_t len);
int devx_general_modify(struct devx_obj *obj, const void *context, size_t len);
/* Writes the first @len bytes of the context. */
int devx_general_query(struct devx_obj *obj, void *context, size_t len);
int devx_general_destroy(struct devx_obj *obj);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
