/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of adapters: an entry is taken once, by the first function of its adapter, and
 * never given back. */
#include "hca/hca.h"

void hca_adapter_join(struct hca *hca, uint32_t id)
{
	hca->adapter = &hca->own_adapter;
	for (unsigned int i = 0; hca->adapters && i < HCA_ADAPTERS; i++) {
		uint32_t was = 0;

		if (!atomic_compare_exchange_strong(&hca->adapters[i].id, &was, id) &&
		    was != id)
			continue;
		hca->adapter = &hca->adapters[i];
		break;
	}
	hca->port.down = hca_link_is_down(hca);
}

struct hca_adapter *hca_adapter_find(struct hca_adapter *adapters, uint32_t id)
{
	for (unsigned int i = 0; adapters && id && i < HCA_ADAPTERS; i++)
		if (atomic_load(&adapters[i].id) == id)
			return &adapters[i];
	return NULL;
}

bool hca_link_is_down(const struct hca *hca)
{
	return hca->port.unplugged || atomic_load(&hca->adapter->admin) & 1;
}
