/* SPDX-License-Identifier: BSD-2-Clause */
/* core_bus_*: a bus address leads to the pages that were pinned under it, whatever moves. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core.h"
#include "core/guest.h"

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

/* The mapping that the emulator made for them goes with the last pin, not before. */
Test(SUITE, kept_pages_are_released_with_their_last_pin)
{
	char *m = map(3, 'a'), c;
	uint64_t bus = core_bus_pin((uintptr_t)m, 3 * PAGE), run, va[3];

	cr_assert_eq(core_bus_pin((uintptr_t)m + PAGE, PAGE), bus + PAGE);
	core_bus_keep((uintptr_t)m, 3 * PAGE);
	for (int i = 0; i < 3; i++)
		va[i] = core_bus_at(bus + i * PAGE, 1, &run);
	core_bus_unpin(bus, 3 * PAGE);
	cr_expect_not(core_peek(&c, va[0], 1));
	cr_expect(core_peek(&c, va[1], 1));
	cr_expect_not(core_peek(&c, va[2], 1));
	cr_expect_eq(first_byte(bus + PAGE), 'a');
	core_bus_unpin(bus + PAGE, PAGE);
	cr_expect_not(core_peek(&c, va[1], 1));
	cr_expect_not(core_bus_holds(va[0], 3 * PAGE));
}

/* Pages 1 and 2 of four move: they are found at their new place, and only there. */
Test(SUITE, pages_that_move_are_found)
{
	char *m = map(4, 'a'), *to = map(8, 'z');
	uint64_t bus = core_bus_pin((uintptr_t)m, 4 * PAGE), run;

	cr_assert_eq(mremap(m + PAGE, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to),
		     to);
	core_bus_moved((uintptr_t)m + PAGE, (uintptr_t)to, 2 * PAGE - 1);
	cr_expect_eq(core_bus_at(bus, 4 * PAGE, &run), (uintptr_t)m);
	cr_expect_eq(run, PAGE);
	cr_expect_eq(core_bus_at(bus + PAGE, 3 * PAGE, &run), (uintptr_t)to);
	cr_expect_eq(run, 2 * PAGE);
	cr_expect_eq(core_bus_at(bus + 3 * PAGE, PAGE, &run), (uintptr_t)m + 3 * PAGE);
	cr_expect_not(core_bus_holds((uintptr_t)m + PAGE, 2 * PAGE));
	cr_expect(core_bus_holds((uintptr_t)to, 1));
	cr_expect(core_bus_holds((uintptr_t)to + 2 * PAGE - 1, 1));
	cr_expect_not(core_bus_holds((uintptr_t)to + 2 * PAGE, PAGE));
	core_bus_keep((uintptr_t)to + PAGE, PAGE); /* again */
	memset(to, 'b', 2 * PAGE);
	cr_expect_eq(first_byte(bus + PAGE), 'b');
	cr_expect_eq(first_byte(bus + 2 * PAGE), 'a');
	core_bus_unpin(bus, 4 * PAGE);
	cr_expect_not(core_bus_holds((uintptr_t)to, 2 * PAGE));
}

/* A copy has the bytes of its moment. */
Test(SUITE, pages_that_are_copied_keep_their_bytes)
{
	char *m = map(2, 'a');
	uint64_t bus = core_bus_pin((uintptr_t)m, 2 * PAGE), at;

	core_bus_copy((uintptr_t)m + PAGE, PAGE);
	cr_expect_eq(m[PAGE], 'a', "the program has its own");
	memset(m, 'b', 2 * PAGE);
	cr_expect_eq(first_byte(bus), 'b');
	cr_expect_eq(first_byte(bus + PAGE), 'a');
	cr_expect(core_bus_is_kept(bus, 2 * PAGE, &at));
	cr_expect_eq(at, (uintptr_t)m + PAGE);
	core_bus_unpin(bus, 2 * PAGE);
}

/* A second mapping of shared pages, which the program's mprotect() does not affect; it is
 * neither kept nor forced. */
Test(SUITE, shared_pages_are_mapped_again)
{
	char *m =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t bus = core_bus_pin((uintptr_t)m, 2 * PAGE), at, run;

	core_bus_share((uintptr_t)m, 2 * PAGE);
	cr_assert_eq(mprotect(m, 2 * PAGE, PROT_NONE), 0);
	cr_expect_neq(at = core_bus_at(bus, 2 * PAGE, &run), (uintptr_t)m);
	cr_expect_eq(run, 2 * PAGE, "it is one range");
	cr_expect(core_bus_write(bus + PAGE - 1, "xy", 2));
	cr_expect_not(core_bus_is_forced(bus));
	cr_expect_not(core_bus_is_kept(bus, 2 * PAGE, &at));
	cr_assert_eq(mprotect(m, 2 * PAGE, PROT_READ), 0);
	cr_expect_eq(memcmp(m + PAGE - 1, "xy", 2), 0);
	core_bus_unpin(bus, 2 * PAGE);
	/* private ones: past the rights of the mapping */
	m = map(1, 'a');
	bus = core_bus_pin((uintptr_t)m, PAGE);
	core_bus_share((uintptr_t)m, PAGE);
	cr_assert_eq(mprotect(m, PAGE, PROT_NONE), 0);
	cr_expect(core_bus_write(bus + 7, "z", 1));
	cr_expect_eq(first_byte(bus + 7), 'z');
	cr_expect_eq(first_byte(bus), 'a');
	core_bus_unpin(bus, PAGE);
}

/* Every second page of many, in an order that is not theirs: all are ranges of the table. */
Test(SUITE, many_ranges_are_found)
{
	enum { MANY = 1021 }; /* a prime */
	char *m = map(2 * MANY, 'a'), c;

	for (int i = 0; i < MANY; i++) {
		uintptr_t at = (uintptr_t)m + (size_t)(i * 7 % MANY) * 2 * PAGE;

		cr_assert_eq(core_bus_pin(at, 1), at);
	}
	for (int i = 0; i < 2 * MANY; i++)
		cr_assert_eq(core_bus_holds((uintptr_t)m + (size_t)i * PAGE, PAGE), i % 2 == 0,
			     "page %d", i);
	core_bus_keep((uintptr_t)m, 2 * MANY * PAGE);
	memset(m, 'b', 2 * MANY * PAGE);
	for (int i = 0; i < 2 * MANY; i++) {
		cr_assert(core_bus_read(&c, (uintptr_t)m + (size_t)i * PAGE, 1));
		cr_assert_eq(c, i % 2 ? 'b' : 'a', "page %d", i);
	}
	for (int i = 0; i < MANY; i++)
		core_bus_unpin((uintptr_t)m + (size_t)(i * 5 % MANY) * 2 * PAGE, 1);
	cr_expect_not(core_bus_holds((uintptr_t)m, 2 * MANY * PAGE));
	cr_expect_not(atomic_load(&core_bus_any_moved));
}

/* Neighbours that are equal become one range; those with other pins do not. */
Test(SUITE, pages_are_pinned_as_often_as_they_were)
{
	char *m = map(6, 'a');
	uint64_t bus = (uintptr_t)m, run;
	static const struct {
		int first, n;
	} pins[] = { { 0, 2 }, { 4, 2 }, { 1, 4 }, { 0, 6 }, { 2, 1 } };
	static const int times[6] = { 2, 3, 3, 2, 3, 2 };

	for (int i = 0; i < 5; i++)
		cr_assert_eq(core_bus_pin(bus + (size_t)pins[i].first * PAGE,
					  (size_t)pins[i].n * PAGE),
			     bus + (size_t)pins[i].first * PAGE);
	cr_expect_eq(core_bus_at(bus + PAGE, 5 * PAGE, &run), bus + PAGE);
	for (int page = 0; page < 6; page++)
		for (int k = 0; k < times[page]; k++) {
			cr_expect(core_bus_holds(bus + (size_t)page * PAGE, PAGE), "%d", page);
			core_bus_unpin(bus + (size_t)page * PAGE, PAGE);
		}
	cr_expect_not(core_bus_holds(bus, 6 * PAGE));
}

/* The child of a fork has no pins; addresses with bits of a tag are followed as they are. */
Test(SUITE, what_is_not_in_the_table)
{
	char *m = map(1, 'a');
	uint64_t bus = core_bus_pin((uintptr_t)m, PAGE), run;

	for (uint64_t at = (1ull << 52) - 2 * PAGE; at <= 1ull << 52; at += PAGE) {
		cr_expect_eq(core_bus_pin(at, PAGE), at);
		cr_expect_eq(core_bus_holds(at, PAGE), at + PAGE < 1ull << 52);
	}
	core_bus_fork_prepare();
	core_bus_fork_parent();
	cr_expect(core_bus_holds((uintptr_t)m, PAGE));
	core_bus_keep((uintptr_t)m, PAGE);
	cr_expect(atomic_load(&core_bus_any_moved));
	core_bus_fork_prepare();
	core_bus_fork_child();
	cr_expect_not(core_bus_holds((uintptr_t)m, PAGE));
	cr_expect_not(atomic_load(&core_bus_any_moved));
	cr_expect_eq(core_bus_at(bus, 5, &run), bus);
	cr_expect_eq(run, 5);
	cr_expect_not(core_inside());
}

/* ---- of a virtual machine ---- */

Test(guest, addresses_are_those_that_were_mapped)
{
	static char page[3][PAGE];
	uint64_t bus, len, run;
	static const struct {
		uint64_t bus, len;
		bool fits;
	} rows[] = {
		{ 0x10000, 0x1000, true },     { 0x12000, 0x1000, true },
		{ 0x11000, 0x1000, true },     { 0x10fff, 1, false },
		{ 0x13000, 0, false },	       { 0xffff, 2, false },
		{ 0x12fff, 0x10, false },      { 0x9000, 0x10000, false },
		{ UINT64_MAX - 9, 10, false }, { UINT64_MAX - 9, 9, true },
		{ UINT64_MAX - 9, 11, false },
	};

	core_bus_guest();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(core_bus_map(rows[i].bus, rows[i].len, page[i % 3]), rows[i].fits,
			     "row %zu", i);
	for (int i = 0; i < 3; i++)
		memset(page[i], 'a' + i, PAGE);
	cr_expect_eq(first_byte(0x10000), 'a');
	cr_expect_eq(first_byte(0x11000), 'c');
	cr_expect_eq(first_byte(0x12fff), 'b');
	cr_expect_eq(core_guest_find(0x10ffe, 5, &run), (uintptr_t)page[0] + 0xffe);
	cr_expect_eq(run, 2);
	cr_expect_eq(core_guest_find(0x10ffe, 2, &run), (uintptr_t)page[0] + 0xffe);
	cr_expect_eq(run, 2);
	cr_expect_eq(core_bus_refused(), 0);
	cr_expect_eq(core_guest_find(0xffff, 1, &run), 0);
	cr_expect_eq(core_guest_find(0x13000, 1, &run), 0);
	cr_expect_eq(core_bus_refused(), 2);
	cr_expect(core_bus_write_now(0x11001, "n", 1));
	cr_expect_eq(page[2][1], 'n');
	cr_expect(core_bus_read_now(page[0], 0x11001, 1));
	cr_expect_eq(page[0][0], 'n');
	cr_expect_null(core_bus_unmap(0x11000, 0xfff), "of another length");
	cr_expect_null(core_bus_unmap(0x11001, 0xfff));
	cr_expect_eq(core_bus_unmap(0x11000, 0x1000), page[2]);
	cr_expect_null(core_bus_unmap(0x11000, 0x1000), "once");
	cr_expect_eq(first_byte(0x12000), 'b');
	for (int i = 0; i < 40; i++) /* more than the table began with, from above */
		cr_expect(core_bus_map(0x9000 - 0x20ull * i, 0x10, page[1] + i));
	cr_expect_eq(core_guest_find(0x9000 - 0x20 * 33, 1, &run), (uintptr_t)page[1] + 33);
	for (int n = 0; core_bus_mapped(&bus, &len); n++) {
		cr_assert_lt(n, 44);
		cr_expect_not_null(core_bus_unmap(bus, len));
	}
	cr_expect_eq(core_guest_find(0x10000, 1, &run), 0);
	cr_expect_not(core_inside());
}
