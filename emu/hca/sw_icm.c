/* SPDX-License-Identifier: BSD-2-Clause */
/* Software-managed ICM by address. A domain of the library has few allocations, large ones. */
#include "hca/hca.h"

struct hca_general *hca_sw_icm_in(struct hca *hca, uint64_t addr, uint64_t len)
{
	struct hca_general *m;
	uint32_t id = 0;

	while ((m = core_ids_next(&hca->sw_icms, &id)))
		if (addr < m->memory.addr + m->memory.size && m->memory.addr < addr + len)
			return m;
	return NULL;
}

uint8_t *hca_sw_icm_bytes(struct hca *hca, uint64_t addr, uint64_t len)
{
	struct hca_general *m = hca_sw_icm_in(hca, addr, 1);

	if (!m || len > m->memory.size - (addr - m->memory.addr))
		return NULL;
	return m->memory.bytes + (addr - m->memory.addr);
}

uint8_t *hca_argument(struct hca *hca, uint32_t id, uint32_t len)
{
	struct hca_general *g = core_ids_get(&hca->generals, id);
	uint64_t at;

	if (!g || g->type != PRM_OBJ_MODIFY_HEADER_ARG)
		return NULL;
	at = (uint64_t)(id - g->id) * HCA_ARGUMENT;
	return len <= g->memory.size - at ? g->memory.bytes + at : NULL;
}
