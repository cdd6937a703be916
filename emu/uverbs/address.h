/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses: which MAC a GID has, which UDP source port a connection uses.
 *
 *	fe80::EUI-64          -> the MAC inside		(ib_core: rdma_get_ll_mac)
 *	::ffff:a.b.c.d        -> 02:c5:a:b:c:d		(this fabric's ARP)
 *	::ffff:224-239.x.y.z  -> 01:00:5e:..		(ib_core: ib_resolve_eth_dmac)
 *	ff00::/8              -> 33:33:..
 *	anything else         -> no route
 */
#ifndef EMU_UVERBS_ADDRESS_H
#define EMU_UVERBS_ADDRESS_H

#include <rdma/ib_user_verbs.h>

#include "uverbs/driver.h"

void uverbs_gid_of_mac(const uint8_t mac[6], uint8_t gid[16]);

/* Entry @index of the GID table: -EINVAL beyond it, -ENODATA if empty. */
int uverbs_gid(const struct uverbs *u, uint32_t index, const struct hca_gid **gid);

/* Checks an address as ib_core does and finds its MAC: -EINVAL, -ENODATA, -ENETUNREACH. The hop
 * limit becomes that of the route for RoCE v2. @gid: the source. The owner of the address is
 * asked for as the kernel asks, up to a second with the device lock free (neighbour.c):
 * -ETIMEDOUT. */
int uverbs_resolve(struct uverbs *u, struct ib_uverbs_ah_attr *ah, const struct hca_gid **gid,
		   uint8_t dmac[6]);

/* Is the host @ipv4 there? 0 or -ETIMEDOUT; the device lock is free meanwhile. */
int uverbs_neighbour(struct uverbs *u, uint32_t ipv4);

/* <rdma/ib_verbs.h> of the kernel: rdma_get_udp_sport */
uint16_t uverbs_udp_sport(uint32_t flow_label, uint32_t qpn, uint32_t remote_qpn);

/* The field for static rate @rate, IBV_RATE_*. -EINVAL: there is no such rate. */
int uverbs_stat_rate(const struct uverbs *u, uint8_t rate, uint8_t *out);

#endif
