/* SPDX-License-Identifier: BSD-2-Clause */
/* core_bus_*: a bus address leads to the pages that were pinned under it, whatever moves. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core.h"

#define PAGE  4096
#define PAGES 64
#define SUITE bus

static char *map(size_t pages, char fill)
{
	char *m = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	cr_assert_neq(m, MAP_FAILED);
	memset(m, fill, pages * PAGE);
	return m;
}

static char first_byte(uint64_t bus)
{
	char c = 0;

	cr_assert(core_bus_read(&c, bus, 1));
	return c;
}

Test(SUITE, bus_address_is_the_address)
{
	char *m = map(4, 'a');
	uint64_t run, bus = core_bus_pin((uintptr_t)m + 100, 2 * PAGE);

	cr_assert_eq(bus, (uintptr_t)m + 100);
	cr_assert_eq(core_bus_at(bus, 50, &run), bus);
	cr_assert_eq(run, 50);
	cr_assert(core_bus_holds((uintptr_t)m, 1));
	cr_assert(core_bus_holds((uintptr_t)m + 3 * PAGE - 1, 1), "whole pages");
	cr_assert_not(core_bus_holds((uintptr_t)m + 3 * PAGE, PAGE));
	core_bus_unpin(bus, 2 * PAGE);
	cr_assert_not(core_bus_holds((uintptr_t)m, 4 * PAGE));
}

Test(SUITE, kept_pages_and_new_ones_are_two)
{
	char *m = map(4, 'a');
	uint64_t first = core_bus_pin((uintptr_t)m, 4 * PAGE), second, at;

	core_bus_keep((uintptr_t)m + PAGE, 2 * PAGE);
	cr_assert_eq(m[0], 'a');
	cr_assert_eq(m[PAGE], 0, "the mapping is there, its pages are new");
	memset(m, 'b', 4 * PAGE);
	cr_assert_eq(first_byte(first + PAGE), 'a');
	cr_assert_eq(first_byte(first + 3 * PAGE), 'b', "was not moved");
	cr_assert(core_bus_is_kept(first, 4 * PAGE, &at));
	cr_assert_eq(at, (uintptr_t)m + PAGE);
	second = core_bus_pin((uintptr_t)m, 4 * PAGE);
	cr_assert_neq(second, first);
	cr_assert_eq(core_bus_origin(second), (uintptr_t)m);
	cr_assert_eq(first_byte(second + PAGE), 'b');
	cr_assert_not(core_bus_is_kept(second, 4 * PAGE, &at));
	core_bus_unpin(first, 4 * PAGE);
	cr_assert_eq(first_byte(second + PAGE), 'b');
	core_bus_unpin(second, 4 * PAGE);
}

Test(SUITE, copies_cross_what_was_moved)
{
	char *m = map(3, 'a'), bytes[3 * PAGE];
	uint64_t bus = core_bus_pin((uintptr_t)m, 3 * PAGE);

	core_bus_keep((uintptr_t)m + PAGE, PAGE);
	memset(bytes, 'w', sizeof(bytes));
	cr_assert(core_bus_write(bus, bytes, sizeof(bytes)));
	cr_assert_eq(m[PAGE - 1], 'w');
	cr_assert_eq(m[PAGE], 0);
	cr_assert_eq(m[2 * PAGE], 'w');
	memset(bytes, 0, sizeof(bytes));
	cr_assert(core_bus_read(bytes, bus, sizeof(bytes)));
	cr_assert_eq(bytes[PAGE], 'w');
	cr_assert(core_fetch(bytes, bus + PAGE - 8, 16));
	core_bus_unpin(bus, 3 * PAGE);
}

Test(SUITE, lost_pages_are_nobodys)
{
	char *m = map(2, 'a'), c;
	uint64_t at, bus = core_bus_pin((uintptr_t)m, 2 * PAGE);

	core_bus_lose((uintptr_t)m, PAGE);
	cr_assert_not(core_bus_read(&c, bus, 1));
	cr_assert_not(core_fetch(&c, bus, 1));
	cr_assert_not(core_bus_is_kept(bus, PAGE, &at));
	cr_assert_eq(first_byte(bus + PAGE), 'a');
	core_bus_unpin(bus, 2 * PAGE);
	bus = core_bus_pin((uintptr_t)m, PAGE);
	cr_assert_eq(first_byte(bus), 'a', "a new registration is one of what is there");
	core_bus_unpin(bus, PAGE);
}

/* The expected table, page by page: how often pinned; which generation of bytes. */
Test(SUITE, agrees_with_a_list_of_pages)
{
	enum { LIVE = 24, ROUNDS = 4000 };
	struct {
		uint64_t bus;
		size_t first, n;
		char gen[PAGES]; /* of each page when it was pinned */
	} live[LIVE] = { 0 };
	char *m = map(PAGES, 0);
	char gen[PAGES] = { 0 };
	char next = 1;

	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		size_t i = (size_t)rand() % LIVE, first = (size_t)rand() % PAGES;
		size_t n = 1 + (size_t)rand() % (PAGES - first);

		if (rand() % 3 == 0) {
			core_bus_keep((uintptr_t)m + first * PAGE, n * PAGE);
			for (size_t p = first; p < first + n; p++) {
				gen[p] = next;
				m[p * PAGE] = next;
			}
			next = (char)(next % 100 + 1);
		} else if (live[i].bus) {
			core_bus_unpin(live[i].bus, live[i].n * PAGE);
			live[i].bus = 0;
		} else {
			live[i].bus = core_bus_pin((uintptr_t)m + first * PAGE, n * PAGE);
			cr_assert(live[i].bus);
			live[i].first = first;
			live[i].n = n;
			memcpy(live[i].gen, gen + first, n);
		}
		for (i = 0; i < LIVE; i++)
			for (size_t p = 0; live[i].bus && p < live[i].n; p += 7)
				cr_assert_eq(first_byte(live[i].bus + p * PAGE), live[i].gen[p],
					     "round %d, page %zu", round, live[i].first + p);
	}
	for (size_t i = 0; i < LIVE; i++)
		if (live[i].bus)
			core_bus_unpin(live[i].bus, live[i].n * PAGE);
	cr_assert_not(core_bus_holds((uintptr_t)m, PAGES * PAGE));
}
