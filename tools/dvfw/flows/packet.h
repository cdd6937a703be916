/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet as people have it: hex digits, or a file.
 *
 *	0200…0800 4500…		words of hex digits, also with 0x and colons
 *	FILE  FILE:3  -		lines of "xxd", "tcpdump -xx" or "hexdump -C", or a capture (pcap); the first
 *				packet, or the third. A line with offset 0 begins a packet
 */
#ifndef DVFW_PACKET_H
#define DVFW_PACKET_H

#include "base/base.h"

/* From the destination MAC on, without FCS. An exit status; errors are printed. */
int packet_read(const struct dvfw *d, int n, char **word, uint8_t *bytes, size_t size,
		size_t *len);

#endif
