/* SPDX-License-Identifier: BSD-2-Clause */
/* The context part `wq` of RMP, RQ and SQ. */
#ifndef DEVX_WORK_QUEUE_H
#define DEVX_WORK_QUEUE_H

#include <devx/wq.h>

#include "refuse.h"

/* Fills the structure wq at @p; refuses in the name of @call what its fields cannot hold. */
int devx_wq_fill(uint8_t *p, const struct devx_wq_attr *attr, unsigned int type,
		 enum devx_call call, uint16_t opcode);

#endif
