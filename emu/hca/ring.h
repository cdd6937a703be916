/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a queue is: the pages of its buffer, and the work queue in them.
 *
 *	pas[0]                      pas[1]
 *	|....page_offset|# # # # # #|# # # # # #      # = entries, 1 << log_stride bytes each
 *
 * Every queue of the device has a ring; who may touch it when is the business of its owner.
 */
#ifndef EMU_HCA_RING_H
#define EMU_HCA_RING_H

#include <stdbool.h>
#include <stdint.h>

#define HCA_NO_PAGE UINT64_MAX /* in pas of an mkey: not there */

/* A queue buffer as firmware got it: pages by bus address (core/bus.h). Entries never straddle
 * a page. The application may unmap it, so it is touched by core_fetch() and core_store(). */
struct hca_ring {
	uint64_t *pas; /* owned */
	uint32_t npas;
	uint8_t log_page;     /* log2 of the page size in bytes */
	uint64_t page_offset; /* bytes from the start of pas[0] to the ring */
	bool followed; /* of an mkey: pas are addresses and whatever is there; nothing is pinned */
};

/* The bus address of byte @off of the ring. */
static inline uint64_t hca_ring_bus(const struct hca_ring *r, uint64_t off)
{
	off += r->page_offset;
	return r->pas[off >> r->log_page] + (off & ((1ull << r->log_page) - 1));
}

/* How many of the @len bytes from byte @off on are on the page of the first. */
static inline uint64_t hca_ring_run(const struct hca_ring *r, uint64_t off, uint64_t len)
{
	uint64_t page = 1ull << r->log_page,
		 left = page - ((off + r->page_offset) & (page - 1));

	return len < left ? len : left;
}

/* The address of bytes in memory of the driver's own, which stays: an event queue. */
static inline void *hca_ring_at(const struct hca_ring *r, uint64_t off)
{
	return (void *)(uintptr_t)hca_ring_bus(r, off);
}

struct hca_wq {
	struct hca_ring ring; /* sq: shares pas with rq; only rq.ring owns it */
	uint64_t offset;      /* of this queue in the buffer */
	uint32_t cnt;	      /* entries: RQ WQEs, or 64-byte basic blocks; 0: no queue */
	uint8_t log_stride;
	bool lost; /* engine: the ring cannot be read any more */
};

#endif
