/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cost of an operation on the wire: a model, no measurement. A message goes in packets of
 * the MTU, each with its headers (InfiniBand specification, volume 1, chapters 5 and 9; annex
 * A17 for RoCEv2):
 *
 *	RoCEv2   preamble and gap 20 | Ethernet 14 | IPv4 20 | UDP 8 | BTH 12 | … | ICRC 4 | FCS 4
 *	IB       LRH 8 | BTH 12 | … | ICRC 4 | VCRC 2
 *	…        RETH 16 in the first packet of a WRITE, DETH 8 of UD, AETH 4 in the first and the
 *	         last packet of a READ's answer, AtomicETH 28; then the payload, padded to 4 bytes
 *
 * A lower bound: acknowledgements and retransmissions are not in it.
 */
#ifndef DVPERF_WIRE_H
#define DVPERF_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "options/options.h"

struct wire_link {
	bool ethernet;
	bool grh;    /* RoCE v1, or IB between subnets: a GRH in place of, or beside */
	bool ipv6;   /* of RoCEv2 */
	double gbps; /* after the line code; 0: not known */
	uint32_t mtu;
};

struct wire_bytes {
	double out, back; /* of one operation: to the peer, and its answer */
};

/* False: there is no model of it (DC), or nothing goes over the wire (NOP, mmo). */
bool wire_op_bytes(const struct wire_link *link, enum op op, enum service service,
		   uint32_t size, struct wire_bytes *bytes);

/* Million operations per second that the link lets through; @both: half of them come from the
 * peer. */
double wire_mops(const struct wire_link *link, const struct wire_bytes *bytes, bool both);

/* Gb/s after the line code of what ibv_query_port() says; 0: not known. */
double wire_gbps(bool ethernet, unsigned int active_speed, unsigned int active_width);

#endif
