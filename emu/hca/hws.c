/* SPDX-License-Identifier: BSD-2-Clause */
/* STE ranges by address: a program has few, at multiples of their sizes. */
#include <stdlib.h>

#include "hca/hca.h"

static uint64_t size_of(const struct hca_ste_range *r)
{
	return (uint64_t)HCA_STE_SIZE << r->log_size;
}

/* The range that has a byte in [addr, addr + len). */
static struct hca_ste_range *range_in(struct hca *hca, uint64_t addr, uint64_t len)
{
	struct hca_ste_range *r;
	uint32_t id = 0;

	while ((r = core_ids_next(&hca->ste_ranges, &id)))
		if (r->bytes && addr < r->addr + size_of(r) && r->addr < addr + len)
			return r;
	return NULL;
}

uint8_t *hca_ste_at(struct hca *hca, uint64_t addr)
{
	struct hca_ste_range *r = range_in(hca, addr, 1);

	return r && !((addr - r->addr) % HCA_STE_SIZE) ? r->bytes + (addr - r->addr) : NULL;
}

bool hca_ste_range_place(struct hca *hca, struct hca_ste_range *r)
{
	uint64_t size = size_of(r), at = HCA_ICM_HWS;
	const struct hca_ste_range *other;

	while ((other = range_in(hca, at, size))) {
		at = (other->addr + size_of(other) + size - 1) & ~(size - 1);
		if (at + size > HCA_ICM_HWS + HCA_ICM_AREA)
			return false;
	}
	r->addr = at;
	r->bytes = calloc(1, size);
	return r->bytes;
}

void hca_ste_range_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_ste_range *)obj)->bytes);
}

void hca_stc_range_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_stc_range *)obj)->stc);
}

void hca_stc_range_refer(const void *obj, int by)
{
	const struct hca_stc_range *r = obj;

	for (uint32_t i = 0; r->stc && i < 1u << r->log_size; i++) {
		if (r->stc[i].use)
			r->stc[i].use->refs += by;
		if (r->stc[i].also)
			r->stc[i].also->refs += by;
	}
}
