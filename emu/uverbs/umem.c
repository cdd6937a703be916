/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pinning and page lists (ib_core: umem.c; mlx5_ib: mem.c).
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "uverbs/umem.h"

#ifndef MADV_POPULATE_READ /* Linux 5.14; older C libraries do not name them */
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#define SHIFT_MAX     31 /* mkc.log_page_size has 5 bits in mlx5_ib's bitmap */
#define QUANTA	      64
#define WQ_OFFSET_MAX 31 /* wq.page_offset has 5 bits */

/* ib_umem_get, ib_umem_num_pages */
int uverbs_umem_pages(uint64_t va, uint64_t len, uint64_t *pages)
{
	uint64_t end = va + len + HCA_PAGE_SIZE - 1;

	if (va + len < va || end < va + len)
		return -EINVAL;
	*pages = (end >> HCA_PAGE_SHIFT) - (va >> HCA_PAGE_SHIFT);
	return *pages && *pages <= UINT32_MAX ? 0 : -EINVAL;
}

int uverbs_pin(uint64_t va, uint64_t len, bool write)
{
	uint64_t start = va & ~(uint64_t)(HCA_PAGE_SIZE - 1), pages;
	int ret = uverbs_umem_pages(va, len, &pages);

	if (ret)
		return ret;
	if (!len) /* ib_umem_find_best_pgsz: there is no page size for no bytes */
		return -EINVAL;
	/* Faults pages in like get_user_pages() and says so if it cannot; no byte is
	 * touched. */
	if (madvise((void *)(uintptr_t)start, pages << HCA_PAGE_SHIFT,
		    write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ))
		return errno == ENOMEM || errno == EINVAL ? -EFAULT : -errno;
	return 0;
}

/* Has [@start, @end) shared memory, or huge pages, that the process may not write? */
static bool cannot_be_forced(uint64_t start, uint64_t end)
{
	unsigned long first, last;
	char line[128], rights[5];
	struct core_file f;
	bool any = false;

	core_file_open(&f, "/proc/self/maps");
	while (!any && core_file_line(&f, line, sizeof(line)))
		any = sscanf(line, "%lx-%lx %4s", &first, &last, rights) == 3 && first < end &&
		      start < last && rights[1] != 'w' &&
		      (rights[3] == 's' || core_page_size(first) > HCA_PAGE_SIZE);
	core_file_close(&f);
	return any;
}

/* ib_core, umem.c, ib_umem_get: before 6.12 pages are pinned for writing in any case, by
 * FOLL_FORCE if the device only reads them; mm/gup.c, check_vma_flags, refuses that where the
 * process could not write to a private copy. */
int uverbs_pin_region(const struct uverbs *u, uint64_t va, uint64_t len, bool write)
{
	int ret = uverbs_pin(va, len, write);

	if (ret || write || kernel_has(u->kernel, KERNEL_REG_READ_ONLY) ||
	    !uverbs_pin(va, len, true))
		return ret;
	return cannot_be_forced(va, va + len) ? -EFAULT : 0;
}

static bool one_page(uint64_t va, uint64_t len, uint8_t shift)
{
	return va >> shift == (va + len - !!len) >> shift;
}

/* The smallest page size that needs the fewest pages (ib_core, ib_umem_find_best_pgsz): it ends
 * where @va and @iova differ, and before the first page would lie at address 0. */
static uint8_t best_shift(uint64_t va, uint64_t len, uint64_t iova)
{
	uint8_t shift = HCA_PAGE_SHIFT;

	while (shift < SHIFT_MAX && !one_page(va, len, shift) && !((va ^ iova) >> shift & 1) &&
	       va >> (shift + 1))
		shift++;
	return shift;
}

static void cut(struct uverbs_umem *m, uint64_t va, uint64_t len, uint8_t shift)
{
	m->va = va;
	m->len = len;
	m->page_shift = shift;
	m->npas = ((va + len - !!len) >> shift) - (va >> shift) + 1;
}

void uverbs_umem_for_mkey(struct uverbs_umem *m, uint64_t va, uint64_t len, uint64_t iova)
{
	cut(m, va, len, best_shift(va, len, iova));
}

static bool offset_fits(uint64_t va, uint8_t shift, uint32_t max, uint32_t *offset)
{
	uint64_t quantum = (1ull << shift) / QUANTA, bytes = va & ((1ull << shift) - 1);

	*offset = bytes / quantum;
	return !(bytes % quantum) && *offset <= max;
}

/* mlx5_ib, mem.c: the offset must be a whole number of quanta, which the field can hold. */
static int for_ring(struct uverbs_umem *m, uint64_t va, uint64_t len, uint32_t max,
		    uint32_t *page_offset)
{
	uint8_t shift = best_shift(va, len, va);

	while (!offset_fits(va, shift, max, page_offset))
		if (--shift < HCA_PAGE_SHIFT)
			return -EINVAL;
	cut(m, va, len, shift);
	return 0;
}

int uverbs_umem_for_queue(struct uverbs_umem *m, uint64_t va, uint64_t len,
			  uint32_t *page_offset)
{
	return for_ring(m, va, len, QUANTA - 1, page_offset);
}

int uverbs_umem_for_wq(struct uverbs_umem *m, uint64_t va, uint64_t len, uint32_t *page_offset)
{
	return for_ring(m, va, len, WQ_OFFSET_MAX, page_offset);
}

void uverbs_umem_fill(const struct uverbs_umem *m, uint8_t *pas, uint64_t flags)
{
	uint64_t at = m->va >> m->page_shift << m->page_shift;

	for (uint32_t i = 0; i < m->npas; i++, at += 1ull << m->page_shift) {
		uint64_t be = htobe64(at | flags);

		memcpy(pas + i * sizeof(be), &be, sizeof(be));
	}
}
