/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offloads: changes in packets that are sent, and facts about packets that are received.
 *
 *	sent      TSO headers, checksums that cs_flags ask for, VLAN tag, padding
 *	received  checksums verified, kinds of headers
 */
#ifndef EMU_ENGINE_ETHERNET_OFFLOAD_H
#define EMU_ENGINE_ETHERNET_OFFLOAD_H

#include "engine/ethernet_wqe.h"
#include "steer/steer.h"

/* @frame: packet w->packet of the WQE, @len bytes in WIRE_MAX_ETHERNET. Returns its new
 * length. */
size_t offload_packet(const struct ethernet_wqe *w, uint8_t *frame, size_t len);

/* Describes the headers that a CQE reports: in a tunnel that the device knows, the inner
 * ones. */
struct offload_result {
	bool tunneled, outer_ipv6, l3_ok, l4_ok, ip_ext, fragment;
	uint8_t l3; /* enum hcqe_eth_l3 */
	uint8_t l4; /* enum hcqe_eth_l4 */
	uint16_t
		sum; /* ones' complement sum from the outer IP header to the end of its datagram */
};

void offload_verify(struct offload_result *r, const uint8_t *frame, size_t len,
		    const struct steer_headers *h);

#endif
