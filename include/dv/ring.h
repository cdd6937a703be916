/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of rings of a power of two. Indices run freely and wrap at 16 bits, as in WQEs
 * and doorbell records; the slot of an index is its low bits. With at most 32768 slots the
 * difference of two indices is cnt for a full ring and 0 for an empty one.
 */
#ifndef DV_RING_H
#define DV_RING_H

#include <dv/inline.h>
#include <dv/port.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	DV_RING_MAX = 32768, /* slots */
};

DV_INLINE bool dv_is_power_of_2(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* Free slots of a ring of @cnt: @pi is the next one to write, @ci the oldest one in use. */
DV_INLINE uint16_t dv_ring_space(uint32_t cnt, uint16_t pi, uint16_t ci)
{
	return (uint16_t)(ci + cnt - pi);
}

/* Where the slot of index @idx starts: @mask is the number of slots - 1, @size the bytes of
 * each. */
DV_INLINE size_t dv_ring_offset(uint32_t idx, uint32_t mask, size_t size)
{
	return (size_t)(idx & mask) * size;
}

#ifdef __cplusplus
}
#endif

#endif
