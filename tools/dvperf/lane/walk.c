/* SPDX-License-Identifier: BSD-2-Clause */
#include "walk.h"

enum {
	LINE = 64,
	DEFAULT_BYTES = 16 << 20,
};

static uint64_t power_of_two(uint64_t at_least, uint64_t n)
{
	while (n < at_least)
		n *= 2;
	return n;
}

uint64_t walk_slot(uint32_t size)
{
	return power_of_two(size, LINE);
}

uint64_t walk_bytes(uint32_t size, uint64_t wanted)
{
	if (wanted)
		return power_of_two(wanted, LINE);
	return power_of_two(walk_slot(size), DEFAULT_BYTES);
}

struct walk walk_new(enum remote remote, uint32_t size, uint64_t bytes)
{
	uint64_t slot = walk_slot(size);

	if (remote == REMOTE_FIXED)
		return (struct walk){ 0 };
	if (remote == REMOTE_SEQUENTIAL)
		return (struct walk){ .multiplier = 1, .step = slot, .mask = bytes - 1 };
	return (struct walk){ .multiplier = 6364136223846793005u,
			      .step = 1442695040888963407u * slot,
			      .mask = bytes - 1 };
}
