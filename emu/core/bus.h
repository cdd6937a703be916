/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bus addresses: what the device names memory of the application by; part of core.h.
 *
 *	bus address   [ tag | address at the time of pinning ]  ->  where those pages are now
 *
 * Pinned pages stay the device's, wherever the application's mappings go. Here the pages of a
 * process cannot be held, but they can be moved: before the application unmaps, replaces or drops
 * pinned pages, core_bus_keep() moves them to a place of the emulator's (mremap(2) with
 * MREMAP_DONTUNMAP), and the bus addresses lead there from then on. The last unpin unmaps them.
 *
 * As long as nothing was moved, bus address and address are the same. A tag sets a later
 * registration of the same addresses apart from an earlier one whose pages were moved.
 *
 * The table has a lock of its own. What moves pages (keep, moved, share) also needs the device to
 * stand still: the device lock.
 */
#ifndef EMU_CORE_BUS_H
#define EMU_CORE_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORE_BUS_PAGE 4096u
#define CORE_BUS_TAG  52 /* bits above are the tag: Linux gives no such address out unasked */

/* The address at the time of pinning. */
static inline uint64_t core_bus_origin(uint64_t bus)
{
	return bus & ((1ull << CORE_BUS_TAG) - 1);
}

/* Pins the pages of [@va, @va + @len); 0 if there is no memory or tag for it, else the bus address
 * of @va. */
uint64_t core_bus_pin(uint64_t va, uint64_t len);
void core_bus_unpin(uint64_t bus, uint64_t len);

/* Where bus address @bus is, and in *@run how many bytes follow it there, at most @len. 0: its
 * pages could not be kept. */
uint64_t core_bus_at(uint64_t bus, uint64_t len, uint64_t *run);
/* Copies, as core_peek() and core_poke(); rights that the application took away from itself by
 * mprotect(2) do not count. */
bool core_bus_read(void *dst, uint64_t bus, size_t len);
bool core_bus_write(uint64_t bus, const void *src, size_t len);
/* Did the application take rights away from itself there? */
bool core_bus_is_forced(uint64_t bus);
/* Were pages of [@bus, @bus + @len) unmapped by the application, and kept? The origin of the first
 * of them in *@at. */
bool core_bus_is_kept(uint64_t bus, uint64_t len, uint64_t *at);

/* Is any page of [@va, @va + @len) pinned? Cheap where none is. */
bool core_bus_holds(uint64_t va, uint64_t len);
/* Moves the pinned pages of [@va, @va + @len) away: the application is about to lose them. A page
 * that cannot be moved is lost for the device as well. */
void core_bus_keep(uint64_t va, uint64_t len);
/* The same where the application goes on seeing the pages, but may not write them any more: a
 * second mapping of those that are shared; core_bus_write() gets at private ones by other means. */
void core_bus_share(uint64_t va, uint64_t len);
/* Keeps a copy: the pages themselves are going to be freed (MADV_REMOVE). */
void core_bus_copy(uint64_t va, uint64_t len);
/* The application moved its pages from @va to @to (mremap(2)). */
void core_bus_moved(uint64_t va, uint64_t to, uint64_t len);
/* [@va, @va + @len) was mapped anew, where pinned pages should be: they were unmapped unseen, and
 * are lost. */
void core_bus_lose(uint64_t va, uint64_t len);

/* For pthread_atfork: the child has no adapter, and no pinned pages. */
void core_bus_fork_prepare(void);
void core_bus_fork_parent(void);
void core_bus_fork_child(void);

#endif
