/* SPDX-License-Identifier: BSD-2-Clause */
/* core_fetch and core_store: a fault in them is an answer, whichever way they copy. */
#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/core.h"

#define PAGE 4096

static void on_fault(int sig, siginfo_t *info, void *ucontext)
{
	(void)sig;
	(void)info;
	if (core_fault_recover(ucontext))
		return;
	_exit(7);
}

static void handle(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &act, NULL);
	sigaction(SIGBUS, &act, NULL);
	core_fault_handled();
}

/* A page, and unmapped memory after it. */
static char *page_and_hole(void)
{
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);

	cr_assert_neq(map, MAP_FAILED);
	munmap(map + PAGE, PAGE);
	return map;
}

static void copies(void)
{
	char from[100], to[100], back[100];

	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i * 7);
	for (size_t len = 0; len <= 40; len++)
		for (size_t off = 0; off < 9; off++) {
			memset(to, 0x55, sizeof(to));
			memset(back, 0x55, sizeof(back));
			cr_assert(core_fetch(to + off, (uintptr_t)from + 3, len));
			cr_assert(core_store((uintptr_t)back + 3, to + off, len));
			cr_assert_arr_eq(to + off, from + 3, len);
			cr_assert_arr_eq(back + 3, from + 3, len);
			cr_assert_eq(to[off + len], 0x55);
			cr_assert_eq(back[3 + len], 0x55);
		}
}

static void words(void)
{
	uint32_t word = 0x01020304, got = 0;
	uint16_t half = 0;

	cr_assert(core_fetch32(&got, (uintptr_t)&word));
	cr_assert_eq(got, word);
	cr_assert(core_store16((uintptr_t)&half, 0xabcd));
	cr_assert_eq(half, 0xabcd);
}

static void faults(void)
{
	char *map = page_and_hole(), buf[64] = "";
	uint32_t word;

	cr_assert(core_fetch(buf, (uintptr_t)map + PAGE - 64, 64));
	cr_assert_not(core_fetch(buf, (uintptr_t)map + PAGE - 60, 64), "into the hole");
	cr_assert_not(core_store((uintptr_t)map + PAGE - 60, buf, 64));
	cr_assert_not(core_fetch32(&word, (uintptr_t)map + PAGE));
	cr_assert_not(core_store16((uintptr_t)map + PAGE, 1));
	cr_assert_not(core_fetch(buf, 0xdead000000000000, 8), "no canonical address");
	mprotect(map, PAGE, PROT_READ);
	cr_assert(core_fetch(buf, (uintptr_t)map, 8));
	cr_assert_not(core_store((uintptr_t)map, buf, 8), "read-only");
	munmap(map, PAGE);
}

static void truncated(void)
{
	int fd = memfd_create("faults", 0);
	uint32_t word;
	char *map;

	cr_assert_eq(ftruncate(fd, PAGE), 0);
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cr_assert(core_fetch32(&word, (uintptr_t)map));
	cr_assert_eq(ftruncate(fd, 0), 0);
	cr_assert_not(core_fetch32(&word, (uintptr_t)map), "SIGBUS");
}

static void all(void)
{
	copies();
	words();
	faults();
	truncated();
}

Test(fault, by_the_kernel)
{
	all();
}

Test(fault, by_a_handler)
{
	handle();
	all();
}

Test(fault, of_others_is_not_recovered, .exit_code = 7)
{
	char *map = page_and_hole();

	handle();
	*(volatile char *)(map + PAGE) = 1;
}
