/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bus addresses of a virtual machine (bus.h): disjoint ranges in ascending order.
 *
 * The lock is that of the table only. The caller that unmaps a range holds the device lock, so
 * that the device does not access it meanwhile.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/guest.h"

struct range {
	uint64_t bus, len, va;
};

static struct {
	struct range *at;
	size_t n, capacity;
} table;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t refused;

atomic_bool core_guest_is;

void core_bus_guest(void)
{
	atomic_store(&core_guest_is, true);
	atomic_store(&core_bus_any_moved, true);
}

/* The first range that ends after @bus. */
static size_t first_after(uint64_t bus)
{
	size_t i = 0;

	while (i < table.n && table.at[i].bus + (table.at[i].len - 1) < bus)
		i++;
	return i;
}

static bool reserve(void)
{
	size_t capacity = table.capacity ? table.capacity * 2 : 16;
	struct range *at;

	if (table.n < table.capacity)
		return true;
	at = realloc(table.at, capacity * sizeof(*at));
	if (!at)
		return false;
	table.at = at;
	table.capacity = capacity;
	return true;
}

bool core_bus_map(uint64_t bus, uint64_t len, void *va)
{
	uint64_t last = bus + (len - 1);
	bool fits;
	size_t i;

	if (!len || last < bus || last == UINT64_MAX)
		return false;
	core_lock(&lock);
	i = first_after(bus);
	fits = (i == table.n || table.at[i].bus > last) && reserve();
	if (fits) {
		memmove(&table.at[i + 1], &table.at[i], (table.n - i) * sizeof(*table.at));
		table.at[i] = (struct range){ bus, len, (uintptr_t)va };
		table.n++;
	}
	core_unlock(&lock);
	return fits;
}

void *core_bus_unmap(uint64_t bus, uint64_t len)
{
	void *va = NULL;
	size_t i;

	core_lock(&lock);
	i = first_after(bus);
	if (i < table.n && table.at[i].bus == bus && table.at[i].len == len) {
		va = (void *)(uintptr_t)table.at[i].va;
		table.n--;
		memmove(&table.at[i], &table.at[i + 1], (table.n - i) * sizeof(*table.at));
	}
	core_unlock(&lock);
	return va;
}

bool core_bus_mapped(uint64_t *bus, uint64_t *len)
{
	bool any;

	core_lock(&lock);
	any = table.n;
	if (any) {
		*bus = table.at[0].bus;
		*len = table.at[0].len;
	} else {
		free(table.at);
		table.at = NULL;
		table.capacity = 0;
	}
	core_unlock(&lock);
	return any;
}

uint64_t core_bus_refused(void)
{
	return atomic_load(&refused);
}

uint64_t core_guest_find(uint64_t bus, uint64_t len, uint64_t *run)
{
	uint64_t va = 0;
	size_t i;

	*run = len;
	core_lock(&lock);
	i = first_after(bus);
	if (i < table.n && table.at[i].bus <= bus) {
		uint64_t off = bus - table.at[i].bus;

		va = table.at[i].va + off;
		if (table.at[i].len - off < len)
			*run = table.at[i].len - off;
	}
	core_unlock(&lock);
	if (va)
		return va;
	atomic_fetch_add(&refused, 1);
	core_check(CORE_BUS_UNMAPPED, "function", core_trace_slot,
		   "%" PRIu64 " bytes at bus address 0x%" PRIx64
		   ", which the virtual machine has not mapped for it",
		   len, bus);
	return 0;
}

bool core_bus_read_now(void *dst, uint64_t address, size_t len)
{
	return atomic_load(&core_guest_is) ? core_bus_read(dst, address, len)
					   : core_peek(dst, address, len);
}

bool core_bus_write_now(uint64_t address, const void *src, size_t len)
{
	return atomic_load(&core_guest_is) ? core_bus_write(address, src, len)
					   : core_poke(address, src, len);
}
