/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hook on free: glibc maps large blocks separately, and unmaps them in free() without a call
 * that could be hooked. If such a block has pinned pages, the device keeps them (core/bus.h),
 * and the header in front of the block, by which glibc knows the mapping, is put back:
 *
 *	mapping |size before|size, flags| block .......................... |
 *	         ^ page      ^ bit 1: IS_MMAPPED (glibc, malloc.c, munmap_chunk)
 *
 * Other allocators unmap by munmap(2), which is hooked too (hook_map.c).
 */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>

#include "preload/boot.h"
#include "preload/real.h"

#define IS_MMAPPED 2
#define FLAGS	   7

struct header {
	size_t before, size;
};

/* Is the hooked free() that of glibc, and not replaced in another way (valgrind)? */
static bool is_glibc(void)
{
	static atomic_int known; /* 1: yes, 2: no */
	const char *preloaded;
	Dl_info libc, real;
	bool is;

	if (atomic_load(&known))
		return atomic_load(&known) == 1;
	preloaded = getenv("LD_PRELOAD");
	is = dladdr((void *)gnu_get_libc_version, &libc) && dladdr((void *)REAL(free), &real) &&
	     libc.dli_fbase == real.dli_fbase && !(preloaded && strstr(preloaded, "vgpreload"));
	atomic_store(&known, is ? 1 : 2);
	return is;
}

/* A block that glibc mapped separately follows its header, or is at the first multiple of the
 * requested alignment: glibc's header is not read elsewhere. */
static bool may_have_mapping(const void *p)
{
	uintptr_t in_page = (uintptr_t)p & (CORE_BUS_PAGE - 1);

	return !(in_page & (in_page - 1));
}

/* The mapping of the block at @p; false: it is part of a heap. */
static bool mapping_of(const struct header *h, const void *p, uintptr_t *at, size_t *len)
{
	*at = (uintptr_t)p - sizeof(*h) - h->before;
	*len = h->before + (h->size & ~(size_t)FLAGS);
	return h->size & IS_MMAPPED && !((*at | *len) & (CORE_BUS_PAGE - 1));
}

static void keep_pages(void *p)
{
	struct boot_held held;
	struct header h;
	uintptr_t at;
	size_t len;

	memcpy(&h, (char *)p - sizeof(h), sizeof(h));
	if (!mapping_of(&h, p, &at, &len) || !core_bus_holds(at, len))
		return;
	boot_hold(&held);
	core_bus_keep(at, len);
	memcpy((char *)p - sizeof(h), &h, sizeof(h));
	boot_unmapped(&held);
	boot_release(&held);
}

/* The first call may come from the look-up of the function itself. */
static __thread bool looking;

static void free_by_libc(void *p)
{
	__typeof__(free) *by_libc;

	if (looking)
		return;
	looking = true;
	by_libc = REAL(free);
	looking = false;
	by_libc(p);
}

HOOK void free(void *p)
{
	if (p && boot_any() && may_have_mapping(p) && !core_inside() && is_glibc())
		keep_pages(p);
	free_by_libc(p);
}
