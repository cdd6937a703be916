/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * umem: memory of the application as the device keeps it, for queues, doorbell records and
 * mkeys that name it by number and offset.
 *
 *	umem byte 0
 *	 v
 *	|....page_offset|# # # # #|# # # # #|# # # # #|	1 << log_page bytes each
 *	pas[0]                     pas[1]    pas[2]
 *
 * How many bytes the application registered is not known to the device: all up to the end of
 * the last page are there.
 */
#ifndef EMU_HCA_UMEM_H
#define EMU_HCA_UMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "hca/kind.h"
#include "hca/ring.h"

struct hca;

struct hca_umem {
	HCA_OBJECT(id);
	bool readable, writable; /* the rights that all of its pages have */
	struct hca_ring pages;
};

/* The umems of a queue and of its doorbell record; NULL: not in a umem. */
struct hca_umem_refs {
	struct hca_umem *queue, *record;
};

static inline uint64_t hca_umem_len(const struct hca_umem *u)
{
	return ((uint64_t)u->pages.npas << u->pages.log_page) - u->pages.page_offset;
}

#endif
