/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory that the application's pointers lead to. Its place is fixed, so that a seed makes
 * the same pointers again, and far from everything else: a pointer with a changed bit hits
 * nothing that the program needs.
 *
 *	ARENA                                                            end
 *	| scratch | queues … | far: nothing | end | read-only | edge page | (nothing)
 *
 * Far memory is there in rounds that ask for it: a driver that pins all of it would use it.
 */
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"

#define PAGE	4096u
#define SCRATCH (1u << 20)
#define NEAR	(4u << 20) /* where pages are pointed to */
#define END	(1u << 20)

static size_t scratch_at;

static uint64_t read_only(void)
{
	return ARENA + ARENA_SIZE - 2 * PAGE;
}

void arena_map(void)
{
	void *at =
		mmap((void *)ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	FUZZ_CHECK(at == (void *)ARENA, "no memory for the arena");
	FUZZ_CHECK(!mprotect((void *)read_only(), PAGE, PROT_READ), "mprotect");
	/* Every page of a queue at any place could be touched; no test needs them to stay. */
	madvise((void *)ARENA, ARENA_SIZE, MADV_NOHUGEPAGE);
}

void arena_reset(bool far)
{
	FUZZ_CHECK(!mprotect((void *)(ARENA + NEAR), read_only() - END - ARENA - NEAR,
			     far ? PROT_READ | PROT_WRITE : PROT_NONE),
		   "mprotect");
	madvise((void *)ARENA, ARENA_SIZE, MADV_DONTNEED);
	scratch_at = 0;
}

uint8_t *arena_scratch(size_t len)
{
	uint8_t *at;

	if (scratch_at + len > SCRATCH)
		scratch_at = 0;
	at = (uint8_t *)ARENA + scratch_at;
	scratch_at += (len + 15) & ~(size_t)15;
	return at;
}

uint8_t *arena_at_end(size_t len)
{
	return (uint8_t *)read_only() - len;
}

uint8_t *arena_at_edge(size_t len)
{
	return (uint8_t *)ARENA + ARENA_SIZE - len;
}

uint64_t arena_page(void)
{
	return ARENA + SCRATCH + (uint64_t)below((NEAR - SCRATCH) >> 12) * PAGE;
}

uint64_t arena_wild(void)
{
	switch (below(6)) {
	case 0:
		return 0;
	case 1:
		return 1 + below(PAGE - 1);
	case 2:
		return read_only() + below(PAGE);
	case 3:
		return ARENA + ARENA_SIZE + below(PAGE); /* right after the last page */
	case 4:
		return UINT64_MAX - below(PAGE);
	default:
		return 0xdead000000000000ull | chance() >> 16; /* not canonical */
	}
}

/* Mappings that are not ours: the program's, the sanitizers'. */
static bool foreign(uint64_t va)
{
	return va >= 0x7fff0000 && va < 1ull << 47 && va - ARENA >= ARENA_SIZE + PAGE;
}

uint64_t arena_tame(uint64_t va)
{
	return foreign(va) ? arena_wild() : va;
}

void arena_tame_words(uint8_t *at, size_t len)
{
	for (; len >= sizeof(uint64_t); at += sizeof(uint64_t), len -= sizeof(uint64_t)) {
		uint64_t va;

		memcpy(&va, at, sizeof(va));
		va = arena_tame(va);
		memcpy(at, &va, sizeof(va));
	}
}

bool arena_has(uint64_t va)
{
	return va - ARENA < ARENA_SIZE - 2 * PAGE;
}

bool arena_holds(uint64_t va, size_t len)
{
	uint64_t end = read_only() - END;

	return (va - ARENA < NEAR && len <= NEAR - (va - ARENA)) ||
	       (va - end < END && len <= END - (va - end));
}
