/* SPDX-License-Identifier: BSD-2-Clause */
/* uar_pages: which mappings are of registers, and the table of their pages. */
#include <criterion/criterion.h>
#include <sys/mman.h>

#include "core/core.h"
#include "hca/hca.h"
#include "preload/files.h"
#include "preload/uar_pages.h"

#define PAGE  4096
#define PAGES 4096 /* of the table */
#define FD    5

Test(uar_pages, are_shared_writable_and_of_the_device)
{
	static struct uverbs_file *const file = (void *)8;
	const off64_t first = (off64_t)HCA_UAR_PGOFF * PAGE, last = first + 65535ll * PAGE;
	const struct {
		int prot, flags, fd;
		off64_t offset;
		bool are;
	} rows[] = {
		{ PROT_WRITE, MAP_SHARED, FD, first, true },
		{ PROT_READ | PROT_WRITE, MAP_SHARED, FD, last, true },
		{ PROT_WRITE, MAP_SHARED, FD, first - PAGE, false },
		{ PROT_WRITE, MAP_SHARED, FD, last + PAGE, false },
		{ PROT_READ, MAP_SHARED, FD, first, false },
		{ PROT_WRITE, MAP_PRIVATE, FD, first, false },
		{ PROT_WRITE, MAP_SHARED, FD + 1, first, false },
	};
	unsigned int function = 9;

	cr_assert_eq(files_add(FD, file, 1), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(
			uar_pages_are(rows[i].prot, rows[i].flags, rows[i].fd, rows[i].offset),
			rows[i].are, "row %zu", i);
	cr_expect_eq(uar_pages_number(FD, first, &function), 0);
	cr_expect_eq(function, 1);
	cr_expect_eq(uar_pages_number(FD, last, &function), 65535);
}

static void expect(uintptr_t at, uint32_t uar)
{
	for (unsigned int byte = 0; byte < PAGE; byte += PAGE - 1) {
		struct uar_page *p = uar_pages_find(at + byte);

		cr_assert_not_null(p, "%#zx", (size_t)at + byte);
		cr_expect_eq(p->uar, uar);
		cr_expect_eq(p->function, 1);
		cr_expect_eq(p->at, at);
	}
}

Test(uar_pages, are_found_until_they_are_removed)
{
	const uintptr_t m = 0x10000000;

	cr_expect_null(uar_pages_find(m));
	uar_pages_remove((void *)m, PAGE);
	cr_assert(uar_pages_add((void *)m, 3 * PAGE, 7, 1));
	cr_assert(uar_pages_add((void *)(m + 8 * PAGE), PAGE - 1, 3, 1));
	cr_expect_null(uar_pages_find(m - 1));
	for (uint32_t i = 0; i < 3; i++)
		expect(m + i * PAGE, 7 + i);
	cr_expect_null(uar_pages_find(m + 3 * PAGE));
	expect(m + 8 * PAGE, 3);
	cr_expect_null(uar_pages_find(m + 9 * PAGE));
	uar_pages_remove((void *)(m + PAGE), PAGE);
	expect(m, 7);
	cr_expect_null(uar_pages_find(m + PAGE));
	expect(m + 2 * PAGE, 9);
	cr_assert(uar_pages_add((void *)(m + 20 * PAGE), PAGE, 4, 1)); /* in its place */
	expect(m + 20 * PAGE, 4);
	expect(m + 8 * PAGE, 3);
	uar_pages_remove((void *)m, 100 * PAGE);
	for (unsigned int i = 0; i < 21; i++)
		cr_expect_null(uar_pages_find(m + i * PAGE));
	cr_expect_null(uar_pages_find(0));
	cr_expect_not(core_inside());
}

/* A mapping for which there is no space leaves none of its pages. */
Test(uar_pages, have_a_table_that_is_full)
{
	const uintptr_t m = 0x10000000, other = 0x40000000;

	cr_assert(uar_pages_add((void *)m, (PAGES - 2) * PAGE, 0, 1));
	cr_expect_not(uar_pages_add((void *)other, 3 * PAGE, 0, 1));
	for (int i = 0; i < 3; i++)
		cr_expect_null(uar_pages_find(other + i * PAGE));
	cr_expect(uar_pages_add((void *)other, 2 * PAGE, 5, 1));
	expect(other + PAGE, 6);
	expect(m + (PAGES - 3) * PAGE, PAGES - 3);
	cr_expect_not(uar_pages_add((void *)(other + 9 * PAGE), 1, 0, 1));
}

static bool is_writable(char *at)
{
	return core_poke((uintptr_t)at, "x", 1);
}

/* Opened pages can be written, and stay in the table; those that are let go do not. */
Test(uar_pages, are_opened)
{
	char *m = mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert(uar_pages_add(m, 4 * PAGE, 0, 1));
	cr_expect_not(uar_pages_find((uintptr_t)m)->open);
	cr_expect(uar_pages_open(uar_pages_find((uintptr_t)m + 9)));
	cr_expect(uar_pages_find((uintptr_t)m)->open);
	cr_expect(is_writable(m));
	cr_expect_not(is_writable(m + PAGE));
	uar_pages_let_go(m + PAGE, PAGE);
	cr_expect(is_writable(m + PAGE));
	cr_expect_null(uar_pages_find((uintptr_t)m + PAGE));
	cr_expect_not(is_writable(m + 2 * PAGE));
	cr_expect_not_null(uar_pages_find((uintptr_t)m + 2 * PAGE));
	uar_pages_open_all();
	cr_expect(is_writable(m + 2 * PAGE));
	cr_expect(is_writable(m + 3 * PAGE));
	munmap(m, PAGE);
	cr_expect_not(uar_pages_open(uar_pages_find((uintptr_t)m)), "it is not there");
	uar_pages_fork_prepare();
	uar_pages_fork_done();
	cr_expect_not(core_inside());
}
