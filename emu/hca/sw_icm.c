/* SPDX-License-Identifier: BSD-2-Clause */
/* Software-managed ICM by address. A domain of the library has few allocations, large ones. */
#include "hca/hca.h"

struct hca_general *hca_sw_icm_in(struct hca *hca, uint64_t addr, uint64_t len)
{
	struct hca_general *m;
	uint32_t id = 0;

	while ((m = core_ids_next(&hca->sw_icms, &id)))
		if (addr < m->icm.addr + m->icm.size && m->icm.addr < addr + len)
			return m;
	return NULL;
}

uint8_t *hca_sw_icm_bytes(struct hca *hca, uint64_t addr, uint64_t len)
{
	struct hca_general *m = hca_sw_icm_in(hca, addr, 1);

	if (!m || len > m->icm.size - (addr - m->icm.addr))
		return NULL;
	return m->icm.bytes + (addr - m->icm.addr);
}
