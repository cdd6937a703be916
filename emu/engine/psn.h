/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet sequence numbers: 24 bits that wrap. Two PSNs can be compared if they are less than
 * half of the range apart (InfiniBand specification, chapter 9, "Packet sequence numbers").
 */
#ifndef EMU_ENGINE_PSN_H
#define EMU_ENGINE_PSN_H

#include <stdbool.h>
#include <stdint.h>

#define PSN_MASK 0xffffffu

static inline uint32_t psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & PSN_MASK;
}

/* @a - @b: negative if @a is before @b. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline bool psn_before(uint32_t a, uint32_t b)
{
	return psn_diff(a, b) < 0;
}

/* Is @psn in [first, end)? */
static inline bool psn_within(uint32_t psn, uint32_t first, uint32_t end)
{
	return !psn_before(psn, first) && psn_before(psn, end);
}

#endif
