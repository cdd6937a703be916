/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames with their ICRC from outside: a CNP captured on a ConnectX-4 Lx and a packet of the
 * UC service, both in the regression tests of Scapy's RoCE layer (test/contrib/roce.uts).
 * For IPv6 and RoCE v1, without a captured frame, the comparison is a bit-by-bit CRC.
 */
#include "unit/wire/packet.h"

static void expect_icrc(const char *text)
{
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len = from_hex(frame, text);
	uint32_t icrc = wire_icrc(frame, len);

	cr_expect_arr_eq(&icrc, frame + len - 4, 4, "ICRC as bytes %02x%02x%02x%02x",
			 icrc & 0xff, icrc >> 8 & 0xff, icrc >> 16 & 0xff, icrc >> 24);
}

Test(wire, icrc_agrees_with_a_frame_of_a_connectx4)
{
	expect_icrc("e41d2dab2bc2 7cfe90643b32 0800"
		    "45c2003c 718c4000 40119161 0a001101 0a001201 000012b7 00280000"
		    "8100ffff 40000118 00000000 00000000000000000000000000000000 82fd002a");
}

Test(wire, icrc_agrees_with_a_frame_of_the_uc_service)
{
	expect_icrc("248a07a8fa22 248a07a8fa22 0800"
		    "45010040 04784000 4011b4d5 c0a80007 c0a80007 c00012b7 002caca2"
		    "2460ffff 000000d3 00cf1710"
		    "4630818be28935d90e9a95505401be885e500000 78f353f3");
}

/* IEEE 802.3; the value that catalogues of CRCs have for these nine bytes. */
Test(wire, fcs_is_that_of_ethernet)
{
	static const uint8_t expected[4] = { 0x26, 0x39, 0xf4, 0xcb };
	uint32_t fcs = wire_fcs((const uint8_t *)"123456789", 9);

	cr_expect_arr_eq(&fcs, expected, 4);
}

/* One bit at a time, lowest first: the definition of the CRC, no table. */
static uint32_t crc_by_bits(const uint8_t *at, size_t len)
{
	uint32_t crc = 0xffffffff;

	for (size_t bit = 0; bit < len * 8; bit++) {
		uint32_t feedback = (crc ^ at[bit / 8] >> bit % 8) & 1;

		crc = crc >> 1 ^ (feedback ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* The ICRC of a frame of @p with a GRH or an IPv6 header, then @udp bytes before the BTH. */
static void expect_icrc_of_masked(const struct wire_packet *p, size_t udp)
{
	uint8_t frame[WIRE_MAX_FRAME], masked[WIRE_MAX_FRAME + 8];
	size_t len = wire_pack(p, frame, true);
	uint32_t crc;

	memset(masked, 0xff, 8);
	memcpy(masked + 8, frame + 14, len - 14 - 4);
	from_hex(masked + 8, "6fffffff"); /* traffic class, flow label */
	masked[8 + 7] = 0xff;		  /* hop limit */
	if (udp)
		from_hex(masked + 8 + 46, "ffff"); /* UDP checksum */
	masked[8 + 40 + udp + 4] = 0xff;	   /* BTH, reserved */
	crc = crc_by_bits(masked, 8 + len - 14 - 4);
	for (int i = 0; i < 4; i++)
		cr_expect_eq(frame[len - 4 + i], (uint8_t)(crc >> 8 * i));
}

/* InfiniBand specification, 7.8.1 */
Test(wire, icrc_masks_what_routers_change)
{
	struct wire_packet p = sample_packet(WIRE_WRITE_ONLY);

	p.flow_label = 0x12345;
	p.v1 = true;
	expect_icrc_of_masked(&p, 0);
	p.v1 = false;
	from_hex(p.sgid, "20010db800000000 0000000000000001");
	expect_icrc_of_masked(&p, 8);
}

Test(wire, icrc_does_not_change_in_a_router)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t here[WIRE_MAX_FRAME], there[WIRE_MAX_FRAME];
	size_t len = wire_pack(&p, here, true);

	p.hop_limit--;
	p.tclass |= 3;
	wire_pack(&p, there, true);
	cr_expect_arr_eq(here + len - 4, there + len - 4, 4);
	p.psn++;
	wire_pack(&p, there, true);
	cr_expect_arr_neq(here + len - 4, there + len - 4, 4);
}
