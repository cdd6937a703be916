/* SPDX-License-Identifier: BSD-2-Clause */
/* The places of --remote: all of them, none twice, whatever the sizes. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "lane/walk.h"

/* Walks @slots steps from where @w is; each slot has to come once, and then the first again. */
static void meets_all(struct walk w, uint64_t slot, uint64_t slots)
{
	uint8_t *met = calloc(slots, 1);
	uint64_t first = w.at;

	cr_assert(met);
	for (uint64_t i = 0; i < slots; i++) {
		cr_assert_eq(w.at % slot, 0, "%lu is no slot of %lu", w.at, slot);
		cr_assert_lt(w.at / slot, slots);
		cr_assert_eq(met[w.at / slot]++, 0, "%lu twice, of %lu", w.at, slots * slot);
		w.at = walk_next(&w, w.at);
	}
	cr_assert_eq(w.at, first);
	free(met);
}

Test(walk, every_slot_once)
{
	static const uint32_t sizes[] = { 0, 1, 8, 64, 65, 4096, 65536 };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (uint64_t slots = 1; slots <= 1 << 14; slots *= 2) {
			uint64_t slot = options_remote_slot(sizes[s]);

			meets_all(walk_new(REMOTE_SEQUENTIAL, sizes[s], slot * slots), slot,
				  slots);
			meets_all(walk_new(REMOTE_RANDOM, sizes[s], slot * slots), slot, slots);
		}
}

Test(walk, a_slot_holds_the_message)
{
	cr_assert_eq(options_remote_slot(0), 64);
	cr_assert_eq(options_remote_slot(64), 64);
	cr_assert_eq(options_remote_slot(65), 128);
	cr_assert_eq(options_remote_slot(4097), 8192);
	cr_assert_eq(options_remote_slot(1u << 28), 1u << 28);
}

Test(walk, the_memory_is_a_power_of_two_not_below_what_was_wanted)
{
	cr_assert_eq(options_remote_bytes(8, 0), 16 << 20);
	cr_assert_eq(options_remote_bytes(1u << 28, 0), 1u << 28);
	cr_assert_eq(options_remote_bytes(8, 64), 64);
	cr_assert_eq(options_remote_bytes(8, 1000000), 1 << 20);
	cr_assert_eq(options_remote_bytes(8, 16000000), 16 << 20);
	cr_assert_eq(options_remote_bytes(8, (1ull << 33) + 1), 1ull << 34);
}

Test(walk, sequential_goes_on_and_on)
{
	struct walk w = walk_new(REMOTE_SEQUENTIAL, 100, 512);

	cr_assert_eq(walk_next(&w, 0), 128);
	cr_assert_eq(walk_next(&w, 128), 256);
	cr_assert_eq(walk_next(&w, 256), 384);
	cr_assert_eq(walk_next(&w, 384), 0);
}

/* Nothing that a stride would foretell: hardly two steps over 4096 pages are of the same
 * length. */
Test(walk, random_has_no_stride)
{
	enum { STEPS = 4096, BYTES = 16 << 20, PAGE = 4096 };
	static uint16_t lengths[BYTES / PAGE];
	struct walk w = walk_new(REMOTE_RANDOM, 64, BYTES);
	unsigned int most = 0;

	for (int i = 0; i < STEPS; i++) {
		uint64_t next = walk_next(&w, w.at), length = (next - w.at) & (BYTES - 1);

		lengths[length / PAGE]++;
		w.at = next;
	}
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		most = lengths[i] > most ? lengths[i] : most;
	cr_assert_leq(most, 16, "%u of %d steps are of one length", most, STEPS);
}

Test(walk, fixed_does_not_walk)
{
	struct walk none = { 0 }, w = walk_new(REMOTE_FIXED, 8, 0);

	cr_assert_eq(memcmp(&w, &none, sizeof(w)), 0);
}
