/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How functions of devx refuse: each of these keeps the refusal for devx_last_error() and
 * returns @err. @call: the public function; @opcode: of the command, 0: none.
 */
#ifndef DEVX_REFUSE_H
#define DEVX_REFUSE_H

#include <stdint.h>

enum devx_call {
	CALL_NONE,
#define DEVX_CALL(function) CALL_##function,
#include "call.def"
	CALLS
};

/* DEVX_FROM_LIBRARY. @why: a constant, without a full stop. */
int devx_refuse(enum devx_call call, uint16_t opcode, int err, const char *why);

/* DEVX_FROM_KERNEL, or libmlx5. @err: as libmlx5 returns it, -1 is errno; 0 becomes EIO. */
int devx_refused(enum devx_call call, uint16_t opcode, int err);

/* The result of the command in @in, from @err (-1: errno) and the outbox. 0: executed. */
int devx_judge(enum devx_call call, int err, const void *in, const void *out);

#endif
