/* SPDX-License-Identifier: BSD-2-Clause */
/* Which bucket a multicast group is in, and its addresses; see mcg.h. */
#include <string.h>

#include "hca/hca.h"

static unsigned int bucket_of(const uint8_t gid[16])
{
	uint8_t sum = 0;

	for (unsigned int i = 0; i < 16; i++)
		sum = sum * 31 + gid[i];
	return sum % HCA_MCG_BUCKETS;
}

struct core_list *hca_mcg_bucket(struct hca *hca, const uint8_t gid[16])
{
	return &hca->mcg_bucket[bucket_of(gid)];
}

void hca_mcg_publish(struct hca *hca, const uint8_t gid[16])
{
	unsigned int b = bucket_of(gid);
	uint64_t bit = 1ull << b % 64;

	if (!hca->vhcas)
		return;
	if (core_list_empty(&hca->mcg_bucket[b]))
		atomic_fetch_and(&hca->vhcas[hca->slot].groups[b / 64], ~bit);
	else
		atomic_fetch_or(&hca->vhcas[hca->slot].groups[b / 64], bit);
}

bool hca_mcg_published(const struct hca_vhca *v, const uint8_t gid[16])
{
	unsigned int b = bucket_of(gid);

	return atomic_load(&v->groups[b / 64]) >> b % 64 & 1;
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
