/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver's own UMR. mlx5_ib changes mkeys by UMR work requests on its own QP (umr.c); the
 * kernel's role here has no QP, so the effect of those work requests is a separate function:
 *
 *	to   number, variant | context, pages  <--.
 *	from number, variant | context, pages  <--'  exchanged
 *
 * No firmware command can do this: there is no MODIFY_MKEY.
 */
#include "fw/command.h"

#define SWAP(type, a, b)          \
	do {                      \
		type swap_ = (a); \
		(a) = (b);        \
		(b) = swap_;      \
	} while (0)

struct mkc {
	uint8_t bytes[HCA_MKC_SIZE];
};

static void swap_contexts(struct hca_mkey *a, struct hca_mkey *b)
{
	struct mkc mkc;

	memcpy(&mkc, a->mkc, sizeof(mkc));
	memcpy(a->mkc, b->mkc, sizeof(mkc));
	memcpy(b->mkc, &mkc, sizeof(mkc));
	PRM_SET(mkc, a->mkc, mkey_7_0, a->variant);
	PRM_SET(mkc, b->mkc, mkey_7_0, b->variant);
}

void fw_umr(struct hca *hca, uint32_t to, uint32_t from)
{
	struct hca_mkey *a = core_ids_get(&hca->mkeys, to),
			*b = core_ids_get(&hca->mkeys, from);

	assert(a && b && a->uid == b->uid);
	SWAP(struct hca_pd *, a->pd, b->pd);
	SWAP(uint8_t, a->access, b->access);
	SWAP(bool, a->length64, b->length64);
	SWAP(uint64_t, a->start, b->start);
	SWAP(uint64_t, a->len, b->len);
	SWAP(struct hca_ring, a->pages, b->pages);
	SWAP(struct hca_memic *, a->memic, b->memic);
	SWAP(struct hca_general *, a->sw_icm, b->sw_icm);
	swap_contexts(a, b);
}
