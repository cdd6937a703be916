/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole frames by hand: IPv4 for IPv4-mapped GIDs, IPv6 for all others; a GRH for RoCE v1. */
#include "unit/wire/packet.h"
#include "wire/network.h"

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

/* Identifications of frames for the network count, but 0 is left out, which the kernel would
 * replace (raw(7)); the checksum and the ICRC are right after it. */
Test(wire, identification_of_a_frame_for_the_network_is_never_zero)
{
	static const uint16_t rows[][2] = {
		{ 0, 1 }, { 1, 2 }, { 0xff, 0x100 }, { 0xfffe, 0xffff }, { 0xffff, 1 }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wire_packet p = sample_packet(WIRE_SEND_ONLY), got;
		struct network n = { .id = rows[i][0] };
		uint8_t frame[WIRE_MAX_FRAME];
		size_t len = wire_pack(&p, frame, false);

		network_seal(&n, frame, len);
		cr_expect_eq(frame[14 + 4] << 8 | frame[14 + 5], rows[i][1], "row %zu", i);
		cr_expect(wire_unpack(&got, frame, len), "the checksum");
		cr_expect_not(wire_is_corrupt(frame, len, WIRE_NETWORK));
		p.sgid[0] = 0xfe; /* IPv6 has none */
		len = wire_pack(&p, frame, false);
		network_seal(&n, frame, len);
		cr_expect_eq(n.id, rows[i][1]);
		cr_expect_not(wire_is_corrupt(frame, len, WIRE_NETWORK));
	}
}
