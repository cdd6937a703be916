/* SPDX-License-Identifier: BSD-2-Clause */
/* How queries of objects read a context: the command has the number where prm's tables say, and
 * nothing else. */
#ifndef DEVX_CONTEXT_H
#define DEVX_CONTEXT_H

#include <devx/devx.h>
#include <prm/prm.h>

/* Where the outbox of a query has the context. */
struct devx_context {
	uint16_t opcode, out_len, at, size;
};

int devx_query_context(struct devx_obj *obj, struct devx_context c, void *to);

/* The context @layout at @member of the outbox of @name, to @to. */
#define DEVX_QUERY_CONTEXT(obj, op, name, member, layout, to)                      \
	devx_query_context(obj,                                                    \
			   (struct devx_context){ PRM_OP_##op, PRM_SZ(name##_out), \
						  PRM_OFF(name##_out, member) / 8, \
						  PRM_SZ(layout) },                \
			   to)

#endif
