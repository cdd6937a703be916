/* SPDX-License-Identifier: BSD-2-Clause */
/* Random WQEs that are valid, posted by dv's own calls: every operation that they have. */
#ifndef TEST_UNIT_DV_VALID_H
#define TEST_UNIT_DV_VALID_H

#include "memory.h"

/* A generator of random numbers: xorshift64. */
static inline uint64_t valid_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* @low … @high */
static inline uint32_t valid_between(uint64_t *seed, uint32_t low, uint32_t high)
{
	return low + (uint32_t)(valid_random(seed) >> 16) % (high - low + 1);
}

/* Posts a WQE of a random kind for @transport. 0, or ENOMEM: no space. */
int valid_post(struct dv_sq *sq, enum dv_transport transport, uint64_t *seed);

#endif
