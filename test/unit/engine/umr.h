/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of near that b changes by UMR. */
#ifndef UMR_H
#define UMR_H

#include <stdlib.h>
#include <string.h>

#include "lib/steps.h"
#include "rig.h"

#define CAPACITY 8 /* octowords */

/* mkey 0x010002: free, of all QPs, to be read locally; with entries or with space for pages. */
static inline struct hca_mkey *umr_key(bool has_entries)
{
	struct hca_mkey *m = hca_mkey_new(&near.hca);

	if (has_entries)
		m->list = calloc(CAPACITY, sizeof(*m->list));
	m->capacity = CAPACITY;
	m->free = m->umr_en = true;
	m->pd = near.pd;
	m->access = HCA_LOCAL_READ;
	m->mkc[0] = 0x40;
	m->mkc[2] = 0x04; /* lr */
	memset(m->mkc + 4, 0xff, 3);
	return m;
}

/* Posts @head and 64 bytes of @list on b, with its index and changes: "access=0x08". */
static inline void umr_post(const uint8_t head[128], const void *list, const char *changes)
{
	uint8_t wqe[1024] = { 0 };

	memcpy(wqe, head, 128);
	memcpy(wqe + 128, list, 64);
	wqe[1] = b.pi >> 8;
	wqe[2] = (uint8_t)b.pi;
	wqe_change(wqe, changes);
	post_bytes(&b, wqe, wqe[7] & 0x3f);
	ring(&b);
	settle();
}

#endif
