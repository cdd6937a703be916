/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bucket a multicast group is in; see mcg.h. */
#include <string.h>

#include "hca/hca.h"

struct core_list *hca_mcg_bucket(struct hca *hca, const uint8_t gid[16])
{
	uint8_t sum = 0;

	for (unsigned int i = 0; i < 16; i++)
		sum = sum * 31 + gid[i];
	return &hca->mcg_bucket[sum % HCA_MCG_BUCKETS];
}

bool hca_is_multicast(const uint8_t gid[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return gid[0] == 0xff || (!memcmp(gid, mapped, sizeof(mapped)) && gid[12] >> 4 == 0xe);
}
