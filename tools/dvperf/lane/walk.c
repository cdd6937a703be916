/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk of --remote: its multiplier, step and mask. */
#include "walk.h"

struct walk walk_new(enum remote remote, uint32_t size, uint64_t bytes)
{
	uint64_t slot = options_remote_slot(size);

	if (remote == REMOTE_FIXED)
		return (struct walk){ 0 };
	if (remote == REMOTE_SEQUENTIAL)
		return (struct walk){ .multiplier = 1, .step = slot, .mask = bytes - 1 };
	return (struct walk){ .multiplier = 6364136223846793005u,
			      .step = 1442695040888963407u * slot,
			      .mask = bytes - 1 };
}
