/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of each operation and the bytes of their headers; the speed of a port. */
#include <math.h>
#include <stddef.h>

#include "base/base.h"
#include "wire.h"

/* Bytes. */
enum {
	PREAMBLE_AND_GAP = 20, /* IEEE 802.3: 8 before, 12 after every frame */
	ETHERNET = 14,
	FCS = 4,
	FRAME_LEAST = 64,
	IPV4 = 20,
	IPV6 = 40,
	UDP = 8,
	LRH = 8,
	GRH = 40,
	BTH = 12,
	ICRC = 4,
	VCRC = 2,
	RETH = 16,
	DETH = 8,
	XRCETH = 4,
	IMM = 4,
	AETH = 4,
	ATOMIC_ETH = 28,
	ATOMIC_ACK_ETH = 8,
};

/* One packet with @extended bytes of headers after the BTH. */
static double packet(const struct wire_link *link, uint32_t extended, uint32_t payload)
{
	uint32_t frame = BTH + extended + (payload + 3) / 4 * 4 + ICRC;

	if (!link->ethernet)
		return LRH + (link->grh ? GRH : 0) + frame + VCRC;
	frame += ETHERNET + FCS;
	if (link->grh)
		frame += GRH;
	else
		frame += UDP + (link->ipv6 ? IPV6 : IPV4);
	return fmax(frame, FRAME_LEAST) + PREAMBLE_AND_GAP;
}

/* Headers of a message's packets: of all, and in addition of the first, the last. */
struct headers {
	uint32_t every, first, last;
};

static double message(const struct wire_link *link, const struct headers *h, uint32_t size)
{
	uint32_t packets = size ? (size + link->mtu - 1) / link->mtu : 1;
	uint32_t end = size - (packets - 1) * link->mtu;

	if (packets == 1)
		return packet(link, h->every + h->first + h->last, size);
	return packet(link, h->every + h->first, link->mtu) +
	       (packets - 2) * packet(link, h->every, link->mtu) +
	       packet(link, h->every + h->last, end);
}

/* The answer of a READ: an AETH in its first and in its last packet, one where that is the
 * same. */
static double answer(const struct wire_link *link, uint32_t size)
{
	struct headers h = { .first = AETH, .last = size > link->mtu ? AETH : 0 };

	return message(link, &h, size);
}

bool wire_op_bytes(const struct wire_link *link, enum op op, enum service service,
		   uint32_t size, struct wire_bytes *bytes)
{
	struct headers h = { .every = service == SERVICE_UD    ? DETH
				      : service == SERVICE_XRC ? XRCETH
							       : 0 };

	*bytes = (struct wire_bytes){ 0 };
	if (op == OP_NOP || op == OP_MMO || service == SERVICE_DC)
		return false;
	if (op == OP_READ) {
		bytes->out = packet(link, h.every + RETH, 0);
		bytes->back = answer(link, size);
	} else if (op == OP_ATOMIC) {
		bytes->out = packet(link, h.every + ATOMIC_ETH, 0);
		bytes->back = packet(link, AETH + ATOMIC_ACK_ETH, 0);
	} else {
		h.first = op == OP_SEND ? 0 : RETH;
		h.last = op == OP_WRITE_IMM ? IMM : 0;
		bytes->out = message(link, &h, size);
	}
	return true;
}

double wire_mops(const struct wire_link *link, const struct wire_bytes *bytes, bool both)
{
	double busier = both ? (bytes->out + bytes->back) / 2 : fmax(bytes->out, bytes->back);

	return link->gbps * 1e3 / 8 / busier;
}

double wire_gbps(bool ethernet, unsigned int active_speed, unsigned int active_width)
{
	/* Gb/s of a lane, by the bit of the speed: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR.
	 * InfiniBand specification, volume 2: signalling rate and line code. On Ethernet the
	 * names mean lanes of 1, 5, 10, 14, 25, 50 and 100 Gb/s (mlx5_ib,
	 * translate_eth_proto_oper()). */
	static const double ib[] = { 2, 4, 8, 10, 13.64, 25, 50, 100 };
	static const double eth[] = { 1, 5, 10, 10, 14, 25, 50, 100 };
	static const unsigned int lanes[] = { 1, 4, 8, 12, 2 };
	unsigned int s = 0, w = 0;

	while (s < ARRAY_SIZE(ib) && active_speed != 1u << s)
		s++;
	while (w < ARRAY_SIZE(lanes) && active_width != 1u << w)
		w++;
	if (s == ARRAY_SIZE(ib) || w == ARRAY_SIZE(lanes))
		return 0;
	return (ethernet ? eth : ib)[s] * lanes[w];
}
