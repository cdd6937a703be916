/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where in the peer's memory the next operation goes (--remote=sequential, random): from slot
 * to slot of a power of two, each once before the first comes again.
 *
 *	sequential   0, slot, 2 slots, …           multiplier 1, step one slot
 *	random       a linear congruential walk    D. E. Knuth's constants of MMIX
 *
 * at * multiplier + step reaches every residue of a power of two if step is odd and multiplier
 * - 1 is a multiple of four (Hull and Dobell, "Random Number Generators", 1962). All is counted
 * in bytes: a slot is a power of two as well, at least a cache line. --remote=fixed has no
 * walk.
 */
#ifndef DVPERF_WALK_H
#define DVPERF_WALK_H

#include <stdint.h>

#include "options/options.h"

struct walk {
	uint64_t at; /* of the next operation, from the start of the memory */
	uint64_t multiplier, step, mask;
};

/* A walk through @bytes, which options_remote_bytes() gave; all zeroes for fixed. */
struct walk walk_new(enum remote remote, uint32_t size, uint64_t bytes);

static inline uint64_t walk_next(const struct walk *w, uint64_t at)
{
	return (at * w->multiplier + w->step) & w->mask;
}

#endif
