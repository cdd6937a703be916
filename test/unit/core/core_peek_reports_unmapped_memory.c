/* SPDX-License-Identifier: BSD-2-Clause */
/* core_peek and core_poke: what memcpy would answer with SIGSEGV they answer with false. */
#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core.h"

#define PAGE 4096

Test(peek, copies_what_is_there)
{
	char from[] = "payload", to[sizeof(from)] = "", back[sizeof(from)] = "";

	cr_assert(core_peek(to, (uintptr_t)from, sizeof(from)));
	cr_assert_str_eq(to, from);
	cr_assert(core_poke((uintptr_t)back, from, sizeof(from)));
	cr_assert_str_eq(back, from);
	cr_assert(core_peek(NULL, 0, 0), "nothing to copy needs no address");
}

Test(peek, refuses_what_is_not)
{
	char *map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	char buf[2 * PAGE];

	cr_assert_neq(map, MAP_FAILED);
	munmap(map + PAGE, PAGE);
	cr_assert(core_peek(buf, (uintptr_t)map, PAGE));
	cr_assert_not(core_peek(buf, (uintptr_t)map, PAGE + 1), "runs into the hole");
	cr_assert_not(core_poke((uintptr_t)map + PAGE, buf, 1));
	cr_assert_not(core_peek(buf, 0, 8), "the null page");
	cr_assert_not(core_peek(buf, 0xdead000000000000, 8), "no canonical address");
	mprotect(map, PAGE, PROT_READ);
	cr_assert_not(core_poke((uintptr_t)map, buf, 1), "read-only");
	munmap(map, PAGE);
}
