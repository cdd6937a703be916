/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bus addresses, by which the device refers to memory of the application; part of core.h.
 *
 *	bus address   [ tag | address at the time of pinning ]  ->  where those pages are now
 *
 * On hardware pinned pages remain accessible to the device, whatever the application does with
 * its mappings. The emulator cannot pin pages, but it can move them: before the application
 * unmaps, replaces or drops pinned pages, core_bus_keep() moves them to a mapping of the
 * emulator (mremap(2) with MREMAP_DONTUNMAP), and the bus addresses refer to it from then on.
 * The last unpin unmaps it.
 *
 * As long as nothing was moved, bus address and address are equal. A tag distinguishes a later
 * registration of the same addresses from an earlier one whose pages were moved.
 *
 * The table has its own lock. Functions that move pages (keep, moved, share) also need the
 * device lock, so that the device does not access them meanwhile.
 */
#ifndef EMU_CORE_BUS_H
#define EMU_CORE_BUS_H

#include <stdatomic.h>
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

/* Pins the pages of [@va, @va + @len); 0 if there is no memory or tag for it, else the bus
 * address of @va. */
uint64_t core_bus_pin(uint64_t va, uint64_t len);
void core_bus_unpin(uint64_t bus, uint64_t len);

/* There are pages that are not at their bus address. Written by bus.c only. */
extern atomic_bool core_bus_any_moved;

/* core_bus_at() and core_bus_is_kept() when there are. */
uint64_t core_bus_find(uint64_t bus, uint64_t len, uint64_t *run);
bool core_bus_find_kept(uint64_t bus, uint64_t len, uint64_t *at);

/* The address of bus address @bus, and in *@run how many bytes follow it there, at most @len.
 * 0: its pages could not be kept. */
static inline uint64_t core_bus_at(uint64_t bus, uint64_t len, uint64_t *run)
{
	if (atomic_load_explicit(&core_bus_any_moved, memory_order_acquire))
		return core_bus_find(bus, len, run);
	*run = len;
	return bus;
}

/* Copies, as core_peek() and core_poke(); rights that the application took away from itself by
 * mprotect(2) do not count. */
bool core_bus_read(void *dst, uint64_t bus, size_t len);
bool core_bus_write(uint64_t bus, const void *src, size_t len);
/* Did the application take rights away from itself there? */
bool core_bus_is_forced(uint64_t bus);
/* Were pages of [@bus, @bus + @len) unmapped by the application, and kept? The origin of the
 * first of them in *@at. */
static inline bool core_bus_is_kept(uint64_t bus, uint64_t len, uint64_t *at)
{
	return atomic_load_explicit(&core_bus_any_moved, memory_order_acquire) &&
	       core_bus_find_kept(bus, len, at);
}

/* Is any page of [@va, @va + @len) pinned? Fast if none is. */
bool core_bus_holds(uint64_t va, uint64_t len);
/* Moves the pinned pages of [@va, @va + @len) away: the application is about to lose them. A
 * page that cannot be moved is lost for the device as well. */
void core_bus_keep(uint64_t va, uint64_t len);
/* Like core_bus_keep(), if the application keeps the pages but may no longer write them: makes
 * a second mapping of shared pages; core_bus_write() writes private ones by other means. */
void core_bus_share(uint64_t va, uint64_t len);
/* Keeps a copy: the pages themselves are going to be freed (MADV_REMOVE). */
void core_bus_copy(uint64_t va, uint64_t len);
/* The application moved its pages from @va to @to (mremap(2)). */
void core_bus_moved(uint64_t va, uint64_t to, uint64_t len);
/* A new mapping at [@va, @va + @len), where pinned pages should be: they were unmapped without
 * the emulator's knowledge, and are lost. */
void core_bus_lose(uint64_t va, uint64_t len);

/*
 * The other implementation (guest.c): the device is a function of a virtual machine, and its
 * bus addresses are those that the machine has mapped for it. All else is refused.
 *
 *	bus address -> [ bus | len | va ] -> address in the mapping of the guest's memory
 *
 * core_bus_guest() switches to it, for the rest of the process; before it, none of the others
 * may be called, after it none of those that pin or move.
 */
void core_bus_guest(void);
/* Maps [@bus, @bus + @len) to the memory at @va. False: empty, overlaps what is mapped,
 * ends above the last address, or no memory for it. */
bool core_bus_map(uint64_t bus, uint64_t len, void *va);
/* Unmaps exactly such a range; its @va, NULL: there is none. */
void *core_bus_unmap(uint64_t bus, uint64_t len);
/* Any range that is mapped; false: there is none. */
bool core_bus_mapped(uint64_t *bus, uint64_t *len);
/* Accesses to what is not mapped, so far. */
uint64_t core_bus_refused(void);

/* Copies at an address that is not registered, wherever its pages are now: of on-demand
 * memory, and through a key for all of memory. */
bool core_bus_read_now(void *dst, uint64_t address, size_t len);
bool core_bus_write_now(uint64_t address, const void *src, size_t len);

/* For pthread_atfork: the child has no adapter, and no pinned pages. */
void core_bus_fork_prepare(void);
void core_bus_fork_parent(void);
void core_bus_fork_child(void);

#endif
