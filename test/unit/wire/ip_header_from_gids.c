/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole frames by hand: IPv4 for IPv4-mapped GIDs, IPv6 for all others; a GRH for RoCE v1. */
#include "unit/wire/packet.h"

Test(wire, ipv4_mapped_gids_make_an_ipv4_frame)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len = wire_pack(&p, frame, false);

	/* Checksum: 4568+0030+4000+4011+0a00+0001+0a00+0002 = d9ac, its complement 2653. */
	expect_bytes(frame, len,
		     "020000000002 020000000001 0800"
		     "45 68 0030 0000 4000 40 11 2653 0a000001 0a000002"
		     "c123 12b7 001c 0000"
		     "11 40 ffff 00 020041 00 abcdef 1f654321 00000000");
}

Test(wire, other_gids_make_an_ipv6_frame)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len;

	from_hex(p.sgid, "fe80000000000000 0000000000000001");
	p.flow_label = 0x54321;
	len = wire_pack(&p, frame, false);
	expect_bytes(frame, len,
		     "020000000002 020000000001 86dd"
		     "66854321 001c 11 40"
		     "fe80000000000000 0000000000000001 00000000000000000000ffff0a000002"
		     "c123 12b7 001c 0000"
		     "11 40 ffff 00 020041 00 abcdef 1f654321 00000000");
}

/* InfiniBand specification, 8.3, and annex A16: Ethernet type 0x8915, next header 0x1b. */
Test(wire, roce_v1_has_a_grh)
{
	struct wire_packet p = sample_packet(WIRE_ACK), back;
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len;

	p.v1 = true;
	p.flow_label = 0x54321;
	len = wire_pack(&p, frame, false);
	expect_bytes(frame, len,
		     "020000000002 020000000001 8915"
		     "66854321 0014 1b 40"
		     "00000000000000000000ffff0a000001 00000000000000000000ffff0a000002"
		     "11 40 ffff 00 020041 00 abcdef 1f654321 00000000");
	cr_assert(wire_unpack(&back, frame, len));
	cr_expect(back.v1);
	cr_expect_arr_eq(back.sgid, p.sgid, 16);
	cr_expect_arr_eq(back.dgid, p.dgid, 16);
	cr_expect_eq(back.tclass, p.tclass);
	cr_expect_eq(back.flow_label, p.flow_label);
	cr_expect_eq(back.psn, p.psn);
	frame[14 + 6] = 0x11; /* next header UDP */
	cr_expect(!wire_unpack(&back, frame, len));
}
