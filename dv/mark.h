/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a queue of a QP was used, or mapped, before: by its first slot. libmlx5 makes the
 * memory zeroes (verbs.c, mlx5_alloc_qp_buf()), all that is posted changes it, and the device
 * does not read it before. The record alone does not tell: it is 0 again after 65,536 blocks.
 */
#ifndef DV_MARK_H
#define DV_MARK_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "refuse.h"

#define DV_LINE_BYTES 64

static inline bool dv_is_aligned(const void *queue)
{
	return (uintptr_t)queue % DV_LINE_BYTES == 0;
}

/* Marks @slot. EALREADY: it is marked. EBUSY: it was used, and @fresh does not say that this
 * was before a RESET. */
static inline int dv_mark(void *slot, bool fresh)
{
	static const char zeroes[16], mark[16] = "mapped by dvkit";

	if (!memcmp(slot, mark, sizeof(mark)))
		return dv_refuse(EALREADY, "the queue is mapped already");
	if (!fresh && memcmp(slot, zeroes, sizeof(zeroes)) != 0)
		return dv_refuse(EBUSY, "the queue was used: WQEs were posted with libibverbs");
	memcpy(slot, mark, sizeof(mark));
	return 0;
}

#endif
