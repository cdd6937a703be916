/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A GID of RoCE v2 is an IP address (InfiniBand specification, annex A17); part of hca.h.
 *
 *	::ffff:a.b.c.d	IPv4, in the last 4 bytes
 *	fe80::/10	IPv6, of one link
 */
#ifndef EMU_HCA_GID_H
#define EMU_HCA_GID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HCA_GID_IPV4 12 /* where the IPv4 address begins */

static const uint8_t hca_gid_prefix[HCA_GID_IPV4] = { [10] = 0xff, [11] = 0xff };

static inline bool hca_gid_is_ipv4(const uint8_t gid[16])
{
	return !memcmp(gid, hca_gid_prefix, sizeof(hca_gid_prefix));
}

/* @ipv4: 4 bytes, as in a packet. */
static inline void hca_gid_set_ipv4(uint8_t gid[16], const void *ipv4)
{
	memcpy(gid, hca_gid_prefix, sizeof(hca_gid_prefix));
	memcpy(gid + HCA_GID_IPV4, ipv4, 4);
}

static inline bool hca_gid_is_link_local(const uint8_t gid[16])
{
	return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

#endif
