/* SPDX-License-Identifier: BSD-2-Clause */
/* What stands behind devx_last_error(): each of these keeps a refusal and returns @err.
 * @call: the public function; @opcode: of the command, 0: none. */
#ifndef DEVX_REFUSE_H
#define DEVX_REFUSE_H

#include <stdint.h>

/* DEVX_FROM_LIBRARY. @why: a constant, without a full stop. */
int devx_refuse(const char *call, uint16_t opcode, int err, const char *why);

/* DEVX_FROM_KERNEL, or libmlx5. @err: positive; 0 and what was never set become EIO. */
int devx_refused(const char *call, uint16_t opcode, int err);

/* What became of the command in @in: @err (positive) or the outbox says. 0: executed. */
int devx_judge(const char *call, int err, const void *in, const void *out);

#endif
