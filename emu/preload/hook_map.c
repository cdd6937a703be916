/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks on calls that change what is mapped. Where they hit pinned pages, the device keeps
 * those (core/bus.h) before libc's function runs:
 *
 *	munmap, mmap over them, shmdt, brk, sbrk	the pages are moved away, and kept
 *	mremap						they are kept, or found at their new place
 *	madvise DONTNEED, GUARD_INSTALL	they are kept, the application gets new ones
 *	        FREE				nothing: the kernel does not free pages that are pinned
 *	        REMOVE				a copy is kept: those of the file are freed
 *	mprotect					a second mapping, or access past the rights
 *
 * With --check UAR pages are mapped read-only, and watched (watch.h).
 *
 * The same by syscall(2): libraries that overwrite these functions in memory, our hooks, make
 * their calls so (UCX, src/ucm/bistro). libc's internal calls are not hooked (except in free():
 * hook_free.c), nor other system calls: of those only a new mapping is detected, at an address
 * that should have pinned pages.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/boot.h"
#include "preload/files.h"
#include "preload/real.h"
#include "preload/watch.h"
#include "uverbs/uverbs.h"

#ifndef MADV_DONTNEED_LOCKED /* Linux 5.18 */
#define MADV_DONTNEED_LOCKED 24
#endif
#ifndef MADV_GUARD_INSTALL /* Linux 6.13 */
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_COLD /* Linux 5.4 */
#define MADV_COLD 20
#endif

typedef void keep_fn(uint64_t va, uint64_t len);

/* Has an adapter of this process pages of [@va, @va + @len) pinned? */
static bool is_pinned(uintptr_t va, uint64_t len)
{
	return boot_any() && !core_inside() && len && va + len > va && core_bus_holds(va, len);
}

/* With the adapters standing still. */
static void keep(keep_fn *how, const void *at, uint64_t len)
{
	struct boot_held held;

	boot_hold(&held);
	how((uintptr_t)at, len);
	boot_unmapped(&held);
	boot_release(&held);
}

static void lose(uintptr_t va, uint64_t len)
{
	if (is_pinned(va, len))
		keep(core_bus_keep, (const void *)va, len);
}

static bool is_aligned(const void *addr)
{
	return !((uintptr_t)addr & (CORE_BUS_PAGE - 1));
}

/* Before it is unmapped. */
static void unmap(void *addr, size_t len)
{
	if (is_aligned(addr))
		lose((uintptr_t)addr, len);
	uar_pages_remove(addr, len);
}

HOOK int munmap(void *addr, size_t len)
{
	unmap(addr, len);
	return REAL(munmap)(addr, len);
}

typedef void *map(void *, size_t, int, int, int, off64_t);

/* Would the call end well, elsewhere? Pages that were kept are not brought back. */
static bool can_map(map *real, size_t len, int prot, int flags, int fd, off64_t offset)
{
	void *at = real(NULL, len, prot, (flags & ~(MAP_FIXED | MAP_POPULATE)) | MAP_NORESERVE,
			fd, offset);

	if (at == MAP_FAILED)
		return false;
	REAL(munmap)(at, len);
	return true;
}

/* Pages that were pinned at [@at, @at + @len) must have been unmapped, or the kernel had not
 * chosen it. */
static void mapped_anew(void *at, size_t len)
{
	if (at != MAP_FAILED && is_pinned((uintptr_t)at, len))
		keep(core_bus_lose, at, len);
}

static bool mapped_uar(const void *at, size_t len, int fd, off64_t offset)
{
	unsigned int function;
	uint32_t uar = uar_pages_number(fd, offset, &function);

	return uar_pages_add(at, len, uar, function);
}

static void *map_at(map *real, void *addr, size_t len, int prot, int flags, int fd,
		    off64_t offset)
{
	bool watched = watch_on() && uar_pages_are(prot, flags, fd, offset);
	void *at;

	if (flags & MAP_FIXED && is_aligned(addr) && is_pinned((uintptr_t)addr, len) &&
	    can_map(real, len, prot, flags, fd, offset))
		keep(core_bus_keep, addr, len);
	if (flags & MAP_FIXED)
		uar_pages_remove(addr, len);
	at = real(addr, len, watched ? PROT_READ : prot, flags, fd, offset);
	if (!(flags & MAP_FIXED))
		mapped_anew(at, len);
	if (at == MAP_FAILED)
		return at;
	uar_pages_remove(at, len);
	if (watched && !mapped_uar(at, len, fd, offset))
		REAL(mprotect)(at, len, prot);
	return at;
}

/* Maps the page of the BAR that @offset of a device file names by an index of its context. */
static void *map_device(map *real, void *addr, size_t len, int prot, int flags, int fd,
			off64_t offset)
{
	uint64_t asked = (uint64_t)offset, found = asked;
	void *at = MAP_FAILED;
	struct device_file *f;
	struct uverbs_file *u;
	int ret = 0, error;

	core_enter();
	f = files_get(fd);
	u = f ? files_uverbs(f) : NULL;
	if (u)
		ret = uverbs_mmap(u, len, &found);
	else if (f && files_is_fwctl(f) && len)
		ret = -ENODEV; /* kernel, fwctl/main.c: no mmap */
	core_leave();
	if (ret)
		errno = -ret;
	else
		at = map_at(real, addr, len, prot, flags, fd, (off64_t)found);
	error = errno;
	core_enter();
	if (!ret && at == MAP_FAILED && found != asked)
		uverbs_mmap_failed(u, asked);
	files_put(f);
	core_leave();
	errno = error;
	return at;
}

static void *map_by(map *real, void *addr, size_t len, int prot, int flags, int fd,
		    off64_t offset)
{
	return files_has(fd) && !(flags & MAP_ANONYMOUS)
		       ? map_device(real, addr, len, prot, flags, fd, offset)
		       : map_at(real, addr, len, prot, flags, fd, offset);
}

HOOK void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return map_by((map *)REAL(mmap), addr, len, prot, flags, fd, offset);
}

HOOK void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return map_by((map *)REAL(mmap64), addr, len, prot, flags, fd, offset);
}

typedef void *move(void *, size_t, size_t, int, ...);

/* Pages that are cut off or replaced are kept; pages that move are found at their new
 * address. */
static void *remap(move *real, void *old, size_t old_len, size_t len, int flags, void *to)
{
	struct boot_held held;
	void *at;

	boot_hold(&held);
	if (old_len > len)
		core_bus_keep((uintptr_t)old + len, old_len - len);
	if (flags & MREMAP_FIXED)
		core_bus_keep((uintptr_t)to, len);
	at = real(old, old_len, len, flags, to);
	if (at != MAP_FAILED && at != old && old_len)
		core_bus_moved((uintptr_t)old, (uintptr_t)at, old_len < len ? old_len : len);
	boot_unmapped(&held);
	boot_release(&held);
	return at;
}

/* @to: with MREMAP_FIXED. */
static void *remap_by(move *real, void *old, size_t old_len, size_t len, int flags, void *to)
{
	bool pinned = false;

	if (watch_on())
		uar_pages_let_go(old, old_len ? old_len : len);
	if (is_aligned(old) && is_aligned(to) && len)
		pinned = is_pinned((uintptr_t)old, old_len);
	if (!pinned && to && is_aligned(to))
		pinned = is_pinned((uintptr_t)to, len);
	return pinned ? remap(real, old, old_len, len, flags, to)
		      : real(old, old_len, len, flags, to);
}

HOOK void *mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	void *to = NULL;
	va_list args;

	va_start(args, flags);
	if (flags & MREMAP_FIXED)
		to = va_arg(args, void *);
	va_end(args);
	return remap_by(REAL(mremap), old, old_len, len, flags, to);
}

typedef int adviser(void *, size_t, int);

/* madvise(2): DONTNEED is refused of locked pages and of some others, as COLD is. */
static bool can_drop(adviser *real, void *addr, size_t len, int advice)
{
	return advice != MADV_DONTNEED || !real(addr, len, MADV_COLD);
}

static int advise_by(adviser *real, void *addr, size_t len, int advice)
{
	bool drops = advice == MADV_DONTNEED || advice == MADV_DONTNEED_LOCKED ||
		     advice == MADV_GUARD_INSTALL;
	bool pinned = false;

	if ((drops || advice == MADV_FREE || advice == MADV_REMOVE) && is_aligned(addr))
		pinned = is_pinned((uintptr_t)addr, len);
	if (pinned && advice == MADV_FREE)
		return 0;
	if (pinned && advice == MADV_REMOVE)
		keep(core_bus_copy, addr, len);
	else if (pinned && can_drop(real, addr, len, advice))
		keep(core_bus_keep, addr, len);
	return real(addr, len, advice);
}

HOOK int madvise(void *addr, size_t len, int advice)
{
	return advise_by(REAL(madvise), addr, len, advice);
}

static void protect(void *addr, size_t len, int prot)
{
	if (!(prot & PROT_WRITE) && is_aligned(addr) && is_pinned((uintptr_t)addr, len))
		keep(core_bus_share, addr, len);
}

HOOK int mprotect(void *addr, size_t len, int prot)
{
	protect(addr, len, prot);
	return REAL(mprotect)(addr, len, prot);
}

HOOK int pkey_mprotect(void *addr, size_t len, int prot, int pkey)
{
	protect(addr, len, prot);
	return REAL(pkey_mprotect)(addr, len, prot, pkey);
}

/* The end of the System V segment that is attached at @addr (proc(5), maps): of all its
 * mappings that follow each other; @addr: there is none. */
static uintptr_t end_of_segment(uintptr_t addr)
{
	unsigned long start, end, offset, inode, first = 0;
	char line[512], name[6];
	uintptr_t last = addr;
	struct core_file f;

	core_file_open(&f, "/proc/thread-self/maps");
	while (core_file_line(&f, line, sizeof(line))) {
		if (sscanf(line, "%lx-%lx %*s %lx %*s %lu %5s", &start, &end, &offset, &inode,
			   name) != 5 ||
		    start != last || offset != start - addr || strcmp(name, "/SYSV") ||
		    (first && inode != first))
			continue;
		first = inode;
		last = end;
	}
	core_file_close(&f);
	return last;
}

/* shmdt(2) would not find a segment of huge pages where those that are kept were. False: none
 * is kept, and the kernel is to be asked. */
static bool detach(const void *addr)
{
	uint64_t len;

	if (!boot_any() || !is_aligned(addr) || !core_bus_holds(0, UINTPTR_MAX / 2))
		return false;
	len = end_of_segment((uintptr_t)addr) - (uintptr_t)addr;
	if (!is_pinned((uintptr_t)addr, len))
		return false;
	keep(core_bus_keep, addr, len);
	return !core_syscall(SYS_munmap, addr, len);
}

HOOK int shmdt(const void *addr)
{
	return detach(addr) ? 0 : REAL(shmdt)(addr);
}

/* The end of the heap goes back to @to. */
static void shrink(uintptr_t to)
{
	uintptr_t end = (uintptr_t)core_syscall(SYS_brk, 0);

	to = (to + CORE_BUS_PAGE - 1) & ~(uintptr_t)(CORE_BUS_PAGE - 1);
	if (to && to < end)
		lose(to, end - to);
}

HOOK int brk(void *addr)
{
	if (boot_any())
		shrink((uintptr_t)addr);
	return REAL(brk)(addr);
}

HOOK void *sbrk(intptr_t increment)
{
	if (increment < 0 && boot_any())
		shrink((uintptr_t)core_syscall(SYS_brk, 0) + (uintptr_t)increment);
	return REAL(sbrk)(increment);
}

/* ---- syscall(2): straight to the kernel, as libc's function may be overwritten, and call
 * syscall(2) again ---- */

static void *raw_mmap(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return (void *)core_syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

static void *raw_mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	va_list args;
	void *to;

	va_start(args, flags);
	to = va_arg(args, void *);
	va_end(args);
	return (void *)core_syscall(SYS_mremap, old, old_len, len, flags, to);
}

static int raw_madvise(void *addr, size_t len, int advice)
{
	return (int)core_syscall(SYS_madvise, addr, len, advice);
}

/* Six arguments are what a system call can have (syscall(2)). */
HOOK long syscall(long number, ...)
{
	unsigned long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	switch (number) {
	case SYS_mmap:
		return (long)map_by(raw_mmap, (void *)a[0], a[1], (int)a[2], (int)a[3],
				    (int)a[4], (off64_t)a[5]);
	case SYS_mremap:
		return (long)remap_by(raw_mremap, (void *)a[0], a[1], a[2], (int)a[3],
				      a[3] & MREMAP_FIXED ? (void *)a[4] : NULL);
	case SYS_madvise:
		return advise_by(raw_madvise, (void *)a[0], a[1], (int)a[2]);
	case SYS_mprotect:
		protect((void *)a[0], a[1], (int)a[2]);
		break;
	case SYS_munmap:
		unmap((void *)a[0], a[1]);
		break;
	case SYS_shmdt:
		if (detach((void *)a[0]))
			return 0;
		break;
	case SYS_brk:
		if (boot_any())
			shrink(a[0]);
		break;
	}
	return core_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
