/* SPDX-License-Identifier: BSD-2-Clause */
/* The sizes of rings that the inline functions can count in. */
#ifndef DV_RING_SIZE_H
#define DV_RING_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Indices have 16 bits: the difference of two must tell a full ring from an empty one. */
	DV_RING_MAX = 32768,
};

static inline bool is_power_of_2(uint32_t n)
{
	return n && !(n & (n - 1));
}

#endif
