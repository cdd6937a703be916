/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of watched UAR pages. An entry is free, or written completely before its
 * address. */
#include <pthread.h>
#include <sys/mman.h>

#include "core/core.h"
#include "hca/hca.h"
#include "preload/files.h"
#include "preload/real.h"
#include "preload/uar_pages.h"

#define PAGES	  4096
#define UAR_PAGES (1u << 16) /* offsets after HCA_UAR_PGOFF, kernel encoding */

static struct uar_page pages[PAGES];
static atomic_uint used; /* all entries that are used are below */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool uar_pages_are(int prot, int flags, int fd, off64_t offset)
{
	uint64_t page = (uint64_t)offset >> HCA_PAGE_SHIFT;

	return prot & PROT_WRITE && flags & MAP_SHARED && page >= HCA_UAR_PGOFF &&
	       page < HCA_UAR_PGOFF + UAR_PAGES && files_has(fd);
}

uint32_t uar_pages_number(int fd, off64_t offset, unsigned int *function)
{
	*function = files_function(fd);
	return (uint32_t)((uint64_t)offset >> HCA_PAGE_SHIFT) - HCA_UAR_PGOFF;
}

struct uar_page *uar_pages_find(uintptr_t at)
{
	unsigned int n = atomic_load(&used);

	at &= ~(uintptr_t)(HCA_PAGE_SIZE - 1);
	for (unsigned int i = 0; at && i < n; i++)
		if (atomic_load(&pages[i].at) == at)
			return &pages[i];
	return NULL;
}

/* Lock held. */
static bool add(uintptr_t at, uint32_t uar, unsigned int function)
{
	unsigned int i = 0, n = atomic_load(&used);

	while (i < n && atomic_load(&pages[i].at))
		i++;
	if (i == PAGES)
		return false;
	pages[i].uar = uar;
	pages[i].function = function;
	atomic_store(&pages[i].open, false);
	atomic_store(&pages[i].at, at);
	if (i == n)
		atomic_store(&used, n + 1);
	return true;
}

bool uar_pages_add(const void *at, size_t len, uint32_t uar, unsigned int function)
{
	bool ok = true;

	core_lock(&lock);
	for (size_t off = 0; ok && off < len; off += HCA_PAGE_SIZE)
		ok = add((uintptr_t)at + off, uar++, function);
	core_unlock(&lock);
	if (!ok)
		uar_pages_remove(at, len);
	return ok;
}

void uar_pages_remove(const void *addr, size_t len)
{
	uintptr_t from = (uintptr_t)addr;

	if (!atomic_load(&used))
		return;
	core_lock(&lock);
	for (unsigned int i = 0; i < atomic_load(&used); i++) {
		uintptr_t at = atomic_load(&pages[i].at);

		if (at && at - from < len)
			atomic_store(&pages[i].at, 0);
	}
	core_unlock(&lock);
}

bool uar_pages_open(struct uar_page *p)
{
	uintptr_t at = atomic_load(&p->at);

	atomic_store(&p->open, true);
	return !at || !REAL(mprotect)((void *)at, HCA_PAGE_SIZE, PROT_READ | PROT_WRITE);
}

void uar_pages_open_all(void)
{
	for (unsigned int i = 0; i < atomic_load(&used); i++)
		uar_pages_open(&pages[i]);
}

void uar_pages_let_go(const void *addr, size_t len)
{
	uintptr_t from = (uintptr_t)addr;

	for (unsigned int i = 0; i < atomic_load(&used); i++)
		if (atomic_load(&pages[i].at) - from < len)
			uar_pages_open(&pages[i]);
	uar_pages_remove(addr, len);
}

void uar_pages_fork_prepare(void)
{
	core_lock(&lock);
}

void uar_pages_fork_done(void)
{
	core_unlock(&lock);
}
