/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table: disjoint ranges of bus addresses in ascending order, whole pages.
 *
 *	| bus | len | va | pins | flags |	va: of the first page; 0: lost
 *
 * System calls are made directly, because the emulator's hooks of mmap and similar calls use
 * this table. For the same reason its memory is not from the heap.
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/core.h"
#include "core/guest.h"

#ifndef MREMAP_DONTUNMAP /* Linux 5.7; older C libraries do not name it */
#define MREMAP_DONTUNMAP 4
#endif
#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define TAGS   (1u << (64 - CORE_BUS_TAG))
#define HUGE   (2ull << 20) /* kept pages keep their alignment */
#define FAILED ((uint64_t)MAP_FAILED)

struct range {
	uint64_t bus, len, va;
	uint32_t pins;
	uint8_t flags;
};

enum flag {
	KEPT = 1,   /* the application unmapped them */
	OURS = 2,   /* va is a mapping of the emulator's */
	FORCED = 4, /* the application took rights away from itself */
};

#define FEW 128

static struct range few[FEW];

static struct {
	struct range *at;
	size_t n, capacity;
	/* no pinned page is below or above; high 0: there is none */
	_Atomic uint64_t low, high;
} table = { .at = few, .capacity = FEW };

atomic_bool core_bus_any_moved;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t round_down(uint64_t v)
{
	return v & ~(uint64_t)(CORE_BUS_PAGE - 1);
}

static uint64_t round_to(uint64_t v, uint64_t page)
{
	return (v + page - 1) & ~(page - 1);
}

static uint64_t round_up(uint64_t v)
{
	return round_to(v, CORE_BUS_PAGE);
}

static uint64_t end_of(const struct range *r)
{
	return r->bus + r->len;
}

static bool is_moved(const struct range *r)
{
	return r->va != r->bus;
}

/* ---- the table ---- */

/* Makes space for @more ranges. */
static bool reserve(size_t more)
{
	size_t capacity = table.capacity;
	void *at;

	while (capacity < table.n + more)
		capacity *= 2;
	if (capacity == table.capacity)
		return true;
	at = (void *)core_syscall(SYS_mmap, NULL, capacity * sizeof(*table.at),
				  PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return false;
	memcpy(at, table.at, table.n * sizeof(*table.at));
	if (table.at != few)
		core_syscall(SYS_munmap, table.at, table.capacity * sizeof(*table.at));
	table.at = at;
	table.capacity = capacity;
	return true;
}

static void insert(size_t i, struct range r)
{
	memmove(&table.at[i + 1], &table.at[i], (table.n - i) * sizeof(r));
	table.at[i] = r;
	table.n++;
}

static void drop(size_t i)
{
	table.n--;
	memmove(&table.at[i], &table.at[i + 1], (table.n - i) * sizeof(*table.at));
}

/* The first range that ends after @bus. */
static size_t first_after(uint64_t bus)
{
	size_t low = 0, high = table.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (end_of(&table.at[mid]) > bus)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* To be called after each change, for the ranges in [@bus, @end) at least. */
static void publish(uint64_t bus, uint64_t end)
{
	bool moved = false;

	if (atomic_load(&core_bus_any_moved)) {
		bus = 0;
		end = UINT64_MAX;
	}
	for (size_t i = first_after(bus); i < table.n && table.at[i].bus < end && !moved; i++)
		moved = is_moved(&table.at[i]);
	atomic_store(&core_bus_any_moved, moved);
	atomic_store(&table.low, moved || !table.n ? 0 : table.at[0].bus);
	atomic_store(&table.high, moved	    ? UINT64_MAX
				  : table.n ? end_of(&table.at[table.n - 1])
					    : 0);
}

/* Cuts range @i at @off bytes of it, if that is inside; the table has space for one more. */
static void cut(size_t i, uint64_t off)
{
	struct range second = table.at[i];

	if (!off || off >= second.len)
		return;
	table.at[i].len = off;
	second.bus += off;
	second.len -= off;
	if (second.va)
		second.va += off;
	insert(i + 1, second);
}

static void cut_at(uint64_t bus)
{
	size_t i = first_after(bus);

	if (i < table.n && table.at[i].bus < bus)
		cut(i, bus - table.at[i].bus);
}

static bool is_one(const struct range *a, const struct range *b)
{
	return end_of(a) == b->bus && a->pins == b->pins && a->flags == b->flags &&
	       (a->va ? a->va + a->len == b->va : !b->va);
}

/* Merges equal neighbours in or next to [@bus, @end). */
static void join(uint64_t bus, uint64_t end)
{
	size_t to = first_after(bus ? bus - 1 : 0), from = to + 1;

	if (to >= table.n)
		return;
	for (; from < table.n && table.at[from].bus <= end; from++) {
		if (is_one(&table.at[to], &table.at[from]))
			table.at[to].len += table.at[from].len;
		else
			table.at[++to] = table.at[from];
	}
	to++;
	if (to < from)
		memmove(&table.at[to], &table.at[from], (table.n - from) * sizeof(*table.at));
	table.n -= from - to;
}

/* Part of [@va, @va + @len) that range @r is at, in *@off of @r; its length, 0: none. */
static uint64_t overlap(const struct range *r, uint64_t va, uint64_t len, uint64_t *off)
{
	uint64_t from = r->va > va ? r->va : va;
	uint64_t to = r->va + r->len < va + len ? r->va + r->len : va + len;

	if (!r->va || from >= to)
		return 0;
	*off = from - r->va;
	return to - from;
}

/* The first pinned pages at or after @va and before @end; false: none. */
static bool next_pinned(uint64_t va, uint64_t end, uint64_t *start, uint64_t *len)
{
	*start = end;
	*len = 0;
	for (size_t i = 0; i < table.n; i++) {
		uint64_t off = 0, both = overlap(&table.at[i], va, end - va, &off);
		uint64_t at = table.at[i].va + off;

		if (both && (at < *start || (at == *start && both > *len))) {
			*start = at;
			*len = both;
		}
	}
	return *len;
}

/* ---- pinning ---- */

/* Is [@bus, @bus + @len) free for pages that are at its addresses? */
static bool is_straight(uint64_t bus, uint64_t len)
{
	for (size_t i = first_after(bus); i < table.n && table.at[i].bus < bus + len; i++)
		if (table.at[i].va != core_bus_origin(table.at[i].bus))
			return false;
	return true;
}

static uint64_t choose(uint64_t va, uint64_t len)
{
	for (uint64_t tag = 0; tag < TAGS; tag++)
		if (is_straight(va | tag << CORE_BUS_TAG, len))
			return va | tag << CORE_BUS_TAG;
	return FAILED;
}

/* Adds a pin. The table has space, and no range crosses the ends. */
static void count(uint64_t bus, uint64_t len)
{
	size_t i = first_after(bus);

	for (uint64_t at = bus; at < bus + len; i++) {
		struct range *next = i < table.n ? &table.at[i] : NULL;

		if (next && next->bus == at) {
			next->pins++;
		} else {
			uint64_t end = next && next->bus < bus + len ? next->bus : bus + len;

			insert(i, (struct range){ .bus = at,
						  .len = end - at,
						  .va = core_bus_origin(at),
						  .pins = 1 });
		}
		at = end_of(&table.at[i]);
	}
}

uint64_t core_bus_pin(uint64_t va, uint64_t len)
{
	uint64_t start = round_down(va), bytes = round_up(va + len) - start, bus = FAILED;

	if (!bytes)
		bytes = CORE_BUS_PAGE;
	if ((va + len) >> CORE_BUS_TAG)
		return va; /* no tag fits: followed by its address */
	core_lock(&lock);
	/* At most two cuts, and a gap before each existing range. */
	if (reserve(table.n + 3)) {
		bus = choose(start, bytes);
		if (bus != FAILED) {
			cut_at(bus);
			cut_at(bus + bytes);
			count(bus, bytes);
			join(bus, bus + bytes);
			publish(bus, bus + bytes);
		}
	}
	core_unlock(&lock);
	return bus == FAILED ? 0 : bus + (va - start);
}

/* Releases the huge pages in which no range is left. */
static void release_huge(uint64_t va, uint64_t len)
{
	uint64_t page = core_page_size(va), start, n;

	for (uint64_t at = va & ~(page - 1); at < va + len; at += page)
		if (!next_pinned(at, at + page, &start, &n))
			core_syscall(SYS_munmap, at, page);
}

/* [@va, @va + @len) no longer belongs to a range, except those from @i on. */
static void release(uint64_t va, uint64_t len, size_t i)
{
	for (; i < table.n; i++) {
		uint64_t off, both = overlap(&table.at[i], va, len, &off), from;

		if (!both)
			continue;
		from = table.at[i].va + off;
		if (from > va)
			release(va, from - va, i + 1);
		if (from + both < va + len)
			release(from + both, va + len - (from + both), i + 1);
		return;
	}
	if (core_syscall(SYS_munmap, va, len))
		release_huge(va, len);
}

void core_bus_unpin(uint64_t bus, uint64_t len)
{
	uint64_t start = round_down(bus), end = round_up(bus + len);
	size_t i;

	if (end == start)
		end += CORE_BUS_PAGE;
	core_lock(&lock);
	if (reserve(2)) {
		cut_at(start);
		cut_at(end);
	}
	for (i = first_after(start); i < table.n && table.at[i].bus < end;) {
		struct range r = table.at[i];

		if (--table.at[i].pins) {
			i++;
			continue;
		}
		drop(i);
		if (r.flags & OURS && r.va)
			release(r.va, r.len, 0);
	}
	join(start, end);
	publish(start, end);
	core_unlock(&lock);
}

/* ---- use ---- */

uint64_t core_bus_find(uint64_t bus, uint64_t len, uint64_t *run)
{
	uint64_t va = bus;
	size_t i;

	if (atomic_load(&core_guest_is))
		return core_guest_find(bus, len, run);
	*run = len;
	core_lock(&lock);
	i = first_after(bus);
	if (i < table.n && table.at[i].bus <= bus) {
		const struct range *r = &table.at[i];

		va = r->va ? r->va + (bus - r->bus) : 0;
		if (end_of(r) - bus < len)
			*run = end_of(r) - bus;
	}
	core_unlock(&lock);
	return va;
}

bool core_bus_is_forced(uint64_t bus)
{
	bool forced;
	size_t i;

	core_lock(&lock);
	i = first_after(bus);
	forced = i < table.n && table.at[i].bus <= bus && table.at[i].flags & FORCED;
	core_unlock(&lock);
	return forced;
}

bool core_bus_find_kept(uint64_t bus, uint64_t len, uint64_t *at)
{
	bool found = false;

	core_lock(&lock);
	for (size_t i = first_after(bus); i < table.n && table.at[i].bus < bus + len; i++)
		if (table.at[i].flags & KEPT && table.at[i].va) {
			*at = core_bus_origin(table.at[i].bus > bus ? table.at[i].bus : bus);
			found = true;
			break;
		}
	core_unlock(&lock);
	return found;
}

/* ---- moving ---- */

/* The ends of all that is at its address; all addresses where some was moved. */
static bool is_outside(uint64_t start, uint64_t end)
{
	return start >= atomic_load(&table.high) || end <= atomic_load(&table.low);
}

bool core_bus_holds(uint64_t va, uint64_t len)
{
	uint64_t start = round_down(va), end = round_up(va + len), at, n;
	bool found;
	size_t i;

	if (is_outside(start, end) || end <= start)
		return false;
	core_lock(&lock);
	i = first_after(start);
	found = i < table.n && table.at[i].bus < end && !is_moved(&table.at[i]);
	if (!found && atomic_load(&core_bus_any_moved))
		found = next_pinned(start, end, &at, &n);
	core_unlock(&lock);
	return found;
}

/* All ranges at [@va, @va + @len) are at @to from now on; 0: lost. */
static void redirect(uint64_t va, uint64_t len, uint64_t to, uint8_t flags)
{
	for (size_t i = 0; i < table.n; i++) {
		uint64_t off = 0, both = overlap(&table.at[i], va, len, &off);
		uint64_t at;

		if (!both || !reserve(2))
			continue;
		at = table.at[i].va + off;
		cut(i, off);
		i += off != 0;
		cut(i, both);
		table.at[i].va = to ? to + (at - va) : 0;
		table.at[i].flags = (table.at[i].flags & FORCED) | flags;
	}
}

/* An address for @len bytes, as far from a boundary of pages of size @page as @va; FAILED. */
static uint64_t find_place(uint64_t va, uint64_t len, uint64_t page)
{
	uint64_t off = va & (page - 1), at, place;

	at = (uint64_t)core_syscall(SYS_mmap, NULL, len + page, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == FAILED)
		return FAILED;
	place = round_to(at - off, page) + off; /* less than a page after @at */
	core_syscall(SYS_munmap, at, place - at);
	core_syscall(SYS_munmap, place + len, at + page - place);
	return place;
}

typedef bool mover(uint64_t va, uint64_t len, uint64_t to);

/* Where the kernel cannot leave the mapping there (huge pages of hugetlbfs), a mapping without
 * access replaces it, so that no other thread maps that range before the application's call. */
static bool move_away(uint64_t va, uint64_t len, uint64_t to)
{
	const int flags = MREMAP_MAYMOVE | MREMAP_FIXED;

	if ((uint64_t)core_syscall(SYS_mremap, va, len, len, flags | MREMAP_DONTUNMAP, to) ==
	    to)
		return true;
	if ((uint64_t)core_syscall(SYS_mremap, va, len, len, flags, to) != to)
		return false;
	core_syscall(SYS_mmap, va, len, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	return true;
}

/* mremap(2): an old size of 0 makes a second mapping of shared pages, and is EINVAL of
 * others. */
static bool map_again(uint64_t va, uint64_t len, uint64_t to)
{
	return (uint64_t)core_syscall(SYS_mremap, va, 0, len, MREMAP_MAYMOVE | MREMAP_FIXED,
				      to) == to;
}

static bool copy_away(uint64_t va, uint64_t len, uint64_t to)
{
	return (uint64_t)core_syscall(SYS_mmap, to, len, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == to &&
	       core_peek((void *)(uintptr_t)to, va, len);
}

/* Pages that @fn cannot move: those that the application loses are lost, others stay. */
static void stay(mover *fn, uint64_t va, uint64_t len)
{
	if (fn == map_again)
		redirect(va, len, va, FORCED);
	else
		redirect(va, len, 0, KEPT);
}

/* A call moves pages of one mapping only: where there are several, halves are tried. */
static void move(mover *fn, uint64_t va, uint64_t len, uint64_t to, uint64_t page)
{
	uint64_t half = round_to(len / 2, page);

	if (fn(va, len, to)) {
		core_syscall(SYS_madvise, to, len, MADV_DONTFORK);
		redirect(va, len, to, fn == map_again ? OURS : OURS | KEPT);
		return;
	}
	if (len > page) {
		move(fn, va, half, to, page);
		move(fn, va + half, len - half, to + half, page);
		return;
	}
	core_syscall(SYS_munmap, to, len);
	stay(fn, va, len);
}

/* Huge pages are moved whole; a call that does not hit them so is one that the kernel
 * refuses. */
static void move_pinned(mover *fn, uint64_t va, uint64_t len)
{
	uint64_t end = round_up(va + len), start, n, page, place;

	core_lock(&lock);
	for (va = round_down(va); va < end && next_pinned(va, end, &start, &n);
	     va = start + n) {
		page = core_page_size(start);
		n = round_to(start + n, page) - (start & ~(page - 1));
		start &= ~(page - 1);
		if (start < va || start + n > end)
			continue;
		place = find_place(start, n, page > HUGE ? page : HUGE);
		if (place != FAILED)
			move(fn, start, n, place, page);
		else
			stay(fn, start, n);
	}
	join(0, UINT64_MAX);
	publish(0, UINT64_MAX);
	core_unlock(&lock);
}

void core_bus_keep(uint64_t va, uint64_t len)
{
	move_pinned(move_away, va, len);
}

void core_bus_share(uint64_t va, uint64_t len)
{
	move_pinned(map_again, va, len);
}

void core_bus_copy(uint64_t va, uint64_t len)
{
	move_pinned(copy_away, va, len);
}

void core_bus_moved(uint64_t va, uint64_t to, uint64_t len)
{
	core_lock(&lock);
	redirect(va, round_up(len), to, 0);
	join(0, UINT64_MAX);
	publish(0, UINT64_MAX);
	core_unlock(&lock);
}

void core_bus_lose(uint64_t va, uint64_t len)
{
	core_lock(&lock);
	redirect(va, round_up(len), 0, KEPT);
	join(0, UINT64_MAX);
	publish(0, UINT64_MAX);
	core_unlock(&lock);
}

/* ---- fork ---- */

void core_bus_fork_prepare(void)
{
	core_lock(&lock);
}

void core_bus_fork_parent(void)
{
	core_unlock(&lock);
}

/* The kept pages themselves are not in the child (MADV_DONTFORK). */
void core_bus_fork_child(void)
{
	table.n = 0;
	publish(0, UINT64_MAX);
	core_unlock(&lock);
}
