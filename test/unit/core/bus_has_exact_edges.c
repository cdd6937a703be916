/* SPDX-License-Identifier: BSD-2-Clause */
/* core_bus_*: the first and last byte of what is pinned, moved or forced, and those beside. */
#include <criterion/criterion.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "core/core.h"

#define PAGE 4096

static uintptr_t map(size_t pages)
{
	char *m = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	cr_assert_neq(m, MAP_FAILED);
	memset(m, 'x', pages * PAGE);
	return (uintptr_t)m;
}

/* Pages 2 and 3 of six, and page 5: each range of bytes around their edges. */
static void check_holds(uintptr_t m)
{
	static const int near[] = { -1, 0, 1 };

	for (int i = 0; i < 7 * 3; i++)
		for (int k = i; k < 7 * 3; k++) {
			long from = i / 3 * PAGE + near[i % 3], to = k / 3 * PAGE + near[k % 3];
			long first = from < 0 ? -1 : from / PAGE, last = (to - 1) / PAGE;
			bool holds = false;

			for (long page = first; page <= last && to > from; page++)
				holds |= page == 2 || page == 3 || page == 5;
			if (from < 0 || to <= from)
				continue;
			cr_expect_eq(core_bus_holds(m + from, to - from), holds, "[%ld, %ld)",
				     from, to);
		}
	for (long page = 0; page < 7; page++)
		cr_expect_not(core_bus_holds(m + page * PAGE, 0), "nothing at page %ld", page);
}

Test(edges, of_what_is_pinned)
{
	uintptr_t m = map(8), elsewhere = map(2);
	uint64_t a = core_bus_pin(m + 2 * PAGE + 1, PAGE), b = core_bus_pin(m + 5 * PAGE, 1);
	uint64_t other = core_bus_pin(elsewhere, PAGE);

	check_holds(m);
	core_bus_keep(elsewhere, PAGE); /* from now on the table is looked at */
	check_holds(m);
	cr_expect(core_bus_holds(m + 3 * PAGE, 1), "PAGE bytes from 1 on are two pages");
	core_bus_unpin(a, PAGE);
	core_bus_unpin(b, 1);
	core_bus_unpin(other, PAGE);
	cr_expect_not(core_bus_holds(m, 8 * PAGE));
	a = core_bus_pin(m + PAGE, 0);
	cr_expect_eq(a, m + PAGE);
	for (unsigned int page = 0; page < 3; page++)
		cr_expect_eq(core_bus_holds(m + page * PAGE, PAGE), page == 1, "no bytes: %u",
			     page);
	core_bus_unpin(a, 0);
	cr_expect_not(core_bus_holds(m, 8 * PAGE));
	cr_expect_not(atomic_load(&core_bus_any_moved));
}

/* Page 1 of three is kept: each run ends there. */
Test(edges, of_what_is_kept)
{
	uintptr_t m = map(3);
	uint64_t bus = core_bus_pin(m, 3 * PAGE), at, run;
	static const struct {
		uint64_t from, len, run;
	} rows[] = {
		{ 0, 3 * PAGE, PAGE },	  { PAGE - 1, 2, 1 },	  { 0, PAGE, PAGE },
		{ PAGE, 2 * PAGE, PAGE }, { PAGE, 1, 1 },	  { 2 * PAGE - 1, 9, 1 },
		{ 2 * PAGE, PAGE, PAGE }, { 3 * PAGE - 1, 1, 1 },
	};
	static const struct {
		uint64_t from, len, first; /* first: page 1 or its byte; 0: none */
	} kept[] = {
		{ 0, PAGE, 0 },
		{ 0, PAGE + 1, PAGE },
		{ PAGE - 1, 1, 0 },
		{ PAGE, 1, PAGE },
		{ PAGE + 5, 1, PAGE + 5 },
		{ 2 * PAGE - 1, 1, 2 * PAGE - 1 },
		{ 2 * PAGE, PAGE, 0 },
	};

	core_bus_keep(m + PAGE, PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t va = core_bus_at(bus + rows[i].from, rows[i].len, &run);
		bool moved = rows[i].from >= PAGE && rows[i].from < 2 * PAGE;

		cr_expect_eq(run, rows[i].run, "row %zu: %llu", i, (unsigned long long)run);
		cr_expect_eq(va != m + rows[i].from, moved, "row %zu", i);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
		at = 0;
		cr_expect_eq(core_bus_is_kept(bus + kept[i].from, kept[i].len, &at),
			     !!kept[i].first, "row %zu", i);
		cr_expect_eq(at, kept[i].first ? m + kept[i].first : 0, "row %zu", i);
	}
	core_bus_unpin(bus, 3 * PAGE);
}

/* Pages 1 and 2 of four are forced: private ones that the program may no longer write. */
Test(edges, of_what_is_forced)
{
	uintptr_t m = map(4);
	uint64_t bus = core_bus_pin(m, 4 * PAGE) + PAGE;

	core_bus_share(m + PAGE, 2 * PAGE);
	for (unsigned int page = 0; page < 4; page++)
		for (unsigned int byte = 0; byte < PAGE; byte += PAGE - 1)
			cr_expect_eq(core_bus_is_forced(bus + (page - 1ull) * PAGE + byte),
				     page == 1 || page == 2, "page %u, byte %u", page, byte);
	core_bus_unpin(bus - PAGE, 4 * PAGE);
	cr_expect_not(core_bus_is_forced(bus));
}

/* A tag has 12 bits: an address can be pinned and lost 4096 times. */
Test(edges, of_the_tags)
{
	uintptr_t m = map(1);
	static uint64_t bus[4096];

	for (unsigned int i = 0; i < 4096; i++) {
		bus[i] = core_bus_pin(m, PAGE);
		cr_assert_eq(bus[i], m | (uint64_t)i << 52, "pin %u", i);
		core_bus_lose(m, PAGE);
	}
	cr_expect_eq(core_bus_pin(m, PAGE), 0);
	core_bus_unpin(bus[7], PAGE);
	cr_expect_eq(core_bus_pin(m, PAGE), bus[7]);
	for (unsigned int i = 0; i < 4096; i++)
		core_bus_unpin(bus[i], PAGE);
	cr_expect_not(core_bus_holds(m, PAGE));
}

/* setrlimit(2): 1 MiB more than now, and pages are moved to a boundary of 2 MiB. */
static struct rlimit limit_memory(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	struct rlimit was, now;
	unsigned long pages;

	cr_assert_eq(fscanf(f, "%lu", &pages), 1);
	fclose(f);
	cr_assert_eq(getrlimit(RLIMIT_AS, &was), 0);
	now = (struct rlimit){ (pages + 256) * PAGE, was.rlim_max };
	cr_assert_eq(setrlimit(RLIMIT_AS, &now), 0);
	return was;
}

/* Page 1 of two has no place to be moved to: what the program loses is lost, what only changes
 * its rights is forced; the program's own page is as it was. */
Test(edges, of_memory)
{
	static void (*const moves[])(uint64_t, uint64_t) = { core_bus_keep, core_bus_copy,
							     core_bus_share };

	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		uintptr_t m = map(2);
		uint64_t bus = core_bus_pin(m, 2 * PAGE), at, run;
		bool forced = moves[i] == core_bus_share;
		struct rlimit was = limit_memory();

		moves[i](m + PAGE, PAGE);
		cr_assert_eq(setrlimit(RLIMIT_AS, &was), 0);
		cr_expect_eq(core_bus_at(bus, PAGE, &run), m);
		cr_expect_eq(core_bus_at(bus + PAGE, PAGE, &run), forced ? m + PAGE : 0, "%zu",
			     i);
		cr_expect_eq(core_bus_is_forced(bus + PAGE), forced, "%zu", i);
		cr_expect_not(core_bus_is_kept(bus, 2 * PAGE, &at), "%zu", i);
		cr_expect_eq(*(char *)(m + 2 * PAGE - 1), 'x', "%zu", i);
		core_bus_unpin(bus, 2 * PAGE);
		munmap((void *)m, 2 * PAGE);
	}
}
