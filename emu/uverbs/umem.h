/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * umem: the application's memory as the device gets it.
 *
 *	va ..................... va + len
 *	pas[0]      pas[1]      pas[2]		1 << page_shift bytes each
 *	|<- offset->|
 *
 * The emulated bus address is the virtual address, so memory is contiguous for the device and
 * the page size is as large as alignment allows: a list for 1 GiB is a few entries.
 */
#ifndef EMU_UVERBS_UMEM_H
#define EMU_UVERBS_UMEM_H

#include "uverbs/driver.h"

struct uverbs_umem {
	uint64_t va, len;
	uint8_t page_shift;
	uint32_t npas;
};

/* How many pages [@va, @va + @len) has: at least one, also where @len is 0 and @va in the midst
 * of a page. -EINVAL: none, or the range wraps. */
int uverbs_umem_pages(uint64_t va, uint64_t len, uint64_t *pages);

/* Makes sure that the pages are there and may be read or written, as pinning does. -EINVAL: the
 * range has no page or wraps; -EFAULT. Does not need the device lock, and may take long. */
int uverbs_pin(uint64_t va, uint64_t len, bool write);
/* The same for a region, whose memory some releases also want to be writable if the device only
 * reads it. */
int uverbs_pin_region(const struct uverbs *u, uint64_t va, uint64_t len, bool write);

/* Chooses pages for an mkey whose addresses start at @iova. */
void uverbs_umem_for_mkey(struct uverbs_umem *m, uint64_t va, uint64_t len, uint64_t iova);
/* Chooses pages for a queue, whose context counts the offset in 64ths of a page: -EINVAL if no
 * page size fits. @page_offset in that unit. */
int uverbs_umem_for_queue(struct uverbs_umem *m, uint64_t va, uint64_t len,
			  uint32_t *page_offset);
/* The same where the context is a wq. */
int uverbs_umem_for_wq(struct uverbs_umem *m, uint64_t va, uint64_t len, uint32_t *page_offset);

/* Writes the page list, big-endian, with @flags in the low bits of each entry. */
void uverbs_umem_fill(const struct uverbs_umem *m, uint8_t *pas, uint64_t flags);

#endif
