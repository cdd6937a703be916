/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bucket a multicast group is in, and its addresses; see mcg.h. */
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
	return gid[0] == 0xff || (hca_gid_is_ipv4(gid) && gid[12] >> 4 == 0xe);
}

void hca_multicast_mac(const uint8_t gid[16], uint8_t mac[6])
{
	const uint8_t v4[6] = { 0x01, 0x00, 0x5e, gid[13] & 0x7f, gid[14], gid[15] };
	const uint8_t v6[6] = { 0x33, 0x33, gid[12], gid[13], gid[14], gid[15] };

	memcpy(mac, hca_gid_is_ipv4(gid) ? v4 : v6, 6);
}
