/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BTH, extension headers, payload and padding of every opcode, written by hand from the
 * InfiniBand specification, chapter 9 and annex A14; that of DC is private. The ICRC stays 0,
 * without trace and capture.
 */
#include "unit/wire/packet.h"

#define UDP_PAYLOAD (14 + 20 + 8)

#define RETH	   "1122334455667788 99aabbcc 00001005 "
#define ATOMIC	   "1122334455667788 99aabbcc 0102030405060708 1112131415161718 "
#define MASKS	   "3132333435363738 4142434445464748 00000004 "
#define AETH	   "1f 654321 "
#define ATOMIC_ACK "2122232425262728 "
#define DETH	   "81920304 00 314159 "
#define XRCETH	   "00 271828 "
#define DCETH	   "5152535455565758 00 314159 61626364 00 717273 "
#define IMM	   "cafebabe "
#define IETH	   "cafebabe "
#define DATA	   "d0d1d2d3d4 000000 "
#define ICRC	   "00000000"

/* Second byte: 40 = MigReq, 30 = three bytes of padding. */
#define BTH(opcode, flags) opcode flags "ffff 00 020041 00 abcdef "

static const struct {
	uint8_t opcode;
	const char *name, *bytes;
} golden[] = {
	{ 0x00, "SEND_FIRST", BTH("00", "70") DATA ICRC },
	{ 0x01, "SEND_MIDDLE", BTH("01", "70") DATA ICRC },
	{ 0x02, "SEND_LAST", BTH("02", "70") DATA ICRC },
	{ 0x03, "SEND_LAST_IMM", BTH("03", "70") IMM DATA ICRC },
	{ 0x04, "SEND_ONLY", BTH("04", "70") DATA ICRC },
	{ 0x05, "SEND_ONLY_IMM", BTH("05", "70") IMM DATA ICRC },
	{ 0x06, "WRITE_FIRST", BTH("06", "70") RETH DATA ICRC },
	{ 0x07, "WRITE_MIDDLE", BTH("07", "70") DATA ICRC },
	{ 0x08, "WRITE_LAST", BTH("08", "70") DATA ICRC },
	{ 0x09, "WRITE_LAST_IMM", BTH("09", "70") IMM DATA ICRC },
	{ 0x0a, "WRITE_ONLY", BTH("0a", "70") RETH DATA ICRC },
	{ 0x0b, "WRITE_ONLY_IMM", BTH("0b", "70") RETH IMM DATA ICRC },
	{ 0x0c, "READ_REQUEST", BTH("0c", "40") RETH ICRC },
	{ 0x0d, "READ_RESPONSE_FIRST", BTH("0d", "70") AETH DATA ICRC },
	{ 0x0e, "READ_RESPONSE_MIDDLE", BTH("0e", "70") DATA ICRC },
	{ 0x0f, "READ_RESPONSE_LAST", BTH("0f", "70") AETH DATA ICRC },
	{ 0x10, "READ_RESPONSE_ONLY", BTH("10", "70") AETH DATA ICRC },
	{ 0x11, "ACK", BTH("11", "40") AETH ICRC },
	{ 0x12, "ATOMIC_ACK", BTH("12", "40") AETH ATOMIC_ACK ICRC },
	{ 0x13, "CMP_SWAP", BTH("13", "40") ATOMIC ICRC },
	{ 0x14, "FETCH_ADD", BTH("14", "40") ATOMIC ICRC },
	{ 0x16, "SEND_LAST_INVAL", BTH("16", "70") IETH DATA ICRC },
	{ 0x17, "SEND_ONLY_INVAL", BTH("17", "70") IETH DATA ICRC },
	{ 0x1e, "MASKED_CMP_SWAP", BTH("1e", "40") ATOMIC MASKS ICRC },
	{ 0x1f, "MASKED_FETCH_ADD", BTH("1f", "40") ATOMIC MASKS ICRC },
	{ 0x20, "UC_SEND_FIRST", BTH("20", "70") DATA ICRC },
	{ 0x21, "UC_SEND_MIDDLE", BTH("21", "70") DATA ICRC },
	{ 0x22, "UC_SEND_LAST", BTH("22", "70") DATA ICRC },
	{ 0x23, "UC_SEND_LAST_IMM", BTH("23", "70") IMM DATA ICRC },
	{ 0x24, "UC_SEND_ONLY", BTH("24", "70") DATA ICRC },
	{ 0x25, "UC_SEND_ONLY_IMM", BTH("25", "70") IMM DATA ICRC },
	{ 0x26, "UC_WRITE_FIRST", BTH("26", "70") RETH DATA ICRC },
	{ 0x27, "UC_WRITE_MIDDLE", BTH("27", "70") DATA ICRC },
	{ 0x28, "UC_WRITE_LAST", BTH("28", "70") DATA ICRC },
	{ 0x29, "UC_WRITE_LAST_IMM", BTH("29", "70") IMM DATA ICRC },
	{ 0x2a, "UC_WRITE_ONLY", BTH("2a", "70") RETH DATA ICRC },
	{ 0x2b, "UC_WRITE_ONLY_IMM", BTH("2b", "70") RETH IMM DATA ICRC },
	{ 0x64, "UD_SEND_ONLY", BTH("64", "70") DETH DATA ICRC },
	{ 0x65, "UD_SEND_ONLY_IMM", BTH("65", "70") DETH IMM DATA ICRC },
	/* Mellanox, "RoCEv2 CNP Packet Format Example", but for BECN, which is not the
	 * opcode's */
	{ 0x81, "CNP", BTH("81", "40") "00000000 00000000 00000000 00000000 " ICRC },
	{ 0xa0, "XRC_SEND_FIRST", BTH("a0", "70") XRCETH DATA ICRC },
	{ 0xa1, "XRC_SEND_MIDDLE", BTH("a1", "70") XRCETH DATA ICRC },
	{ 0xa2, "XRC_SEND_LAST", BTH("a2", "70") XRCETH DATA ICRC },
	{ 0xa3, "XRC_SEND_LAST_IMM", BTH("a3", "70") XRCETH IMM DATA ICRC },
	{ 0xa4, "XRC_SEND_ONLY", BTH("a4", "70") XRCETH DATA ICRC },
	{ 0xa5, "XRC_SEND_ONLY_IMM", BTH("a5", "70") XRCETH IMM DATA ICRC },
	{ 0xa6, "XRC_WRITE_FIRST", BTH("a6", "70") XRCETH RETH DATA ICRC },
	{ 0xa7, "XRC_WRITE_MIDDLE", BTH("a7", "70") XRCETH DATA ICRC },
	{ 0xa8, "XRC_WRITE_LAST", BTH("a8", "70") XRCETH DATA ICRC },
	{ 0xa9, "XRC_WRITE_LAST_IMM", BTH("a9", "70") XRCETH IMM DATA ICRC },
	{ 0xaa, "XRC_WRITE_ONLY", BTH("aa", "70") XRCETH RETH DATA ICRC },
	{ 0xab, "XRC_WRITE_ONLY_IMM", BTH("ab", "70") XRCETH RETH IMM DATA ICRC },
	{ 0xac, "XRC_READ_REQUEST", BTH("ac", "40") XRCETH RETH ICRC },
	{ 0xad, "XRC_READ_RESPONSE_FIRST", BTH("ad", "70") AETH DATA ICRC },
	{ 0xae, "XRC_READ_RESPONSE_MIDDLE", BTH("ae", "70") DATA ICRC },
	{ 0xaf, "XRC_READ_RESPONSE_LAST", BTH("af", "70") AETH DATA ICRC },
	{ 0xb0, "XRC_READ_RESPONSE_ONLY", BTH("b0", "70") AETH DATA ICRC },
	{ 0xb1, "XRC_ACK", BTH("b1", "40") AETH ICRC },
	{ 0xb2, "XRC_ATOMIC_ACK", BTH("b2", "40") AETH ATOMIC_ACK ICRC },
	{ 0xb3, "XRC_CMP_SWAP", BTH("b3", "40") XRCETH ATOMIC ICRC },
	{ 0xb4, "XRC_FETCH_ADD", BTH("b4", "40") XRCETH ATOMIC ICRC },
	{ 0xb6, "XRC_SEND_LAST_INVAL", BTH("b6", "70") XRCETH IETH DATA ICRC },
	{ 0xb7, "XRC_SEND_ONLY_INVAL", BTH("b7", "70") XRCETH IETH DATA ICRC },
	{ 0xbe, "XRC_MASKED_CMP_SWAP", BTH("be", "40") XRCETH ATOMIC MASKS ICRC },
	{ 0xbf, "XRC_MASKED_FETCH_ADD", BTH("bf", "40") XRCETH ATOMIC MASKS ICRC },
	{ 0xc0, "DC_SEND_FIRST", BTH("c0", "70") DCETH DATA ICRC },
	{ 0xc1, "DC_SEND_MIDDLE", BTH("c1", "70") DCETH DATA ICRC },
	{ 0xc2, "DC_SEND_LAST", BTH("c2", "70") DCETH DATA ICRC },
	{ 0xc3, "DC_SEND_LAST_IMM", BTH("c3", "70") DCETH IMM DATA ICRC },
	{ 0xc4, "DC_SEND_ONLY", BTH("c4", "70") DCETH DATA ICRC },
	{ 0xc5, "DC_SEND_ONLY_IMM", BTH("c5", "70") DCETH IMM DATA ICRC },
	{ 0xc6, "DC_WRITE_FIRST", BTH("c6", "70") DCETH RETH DATA ICRC },
	{ 0xc7, "DC_WRITE_MIDDLE", BTH("c7", "70") DCETH DATA ICRC },
	{ 0xc8, "DC_WRITE_LAST", BTH("c8", "70") DCETH DATA ICRC },
	{ 0xc9, "DC_WRITE_LAST_IMM", BTH("c9", "70") DCETH IMM DATA ICRC },
	{ 0xca, "DC_WRITE_ONLY", BTH("ca", "70") DCETH RETH DATA ICRC },
	{ 0xcb, "DC_WRITE_ONLY_IMM", BTH("cb", "70") DCETH RETH IMM DATA ICRC },
	{ 0xcc, "DC_READ_REQUEST", BTH("cc", "40") DCETH RETH ICRC },
	{ 0xcd, "DC_READ_RESPONSE_FIRST", BTH("cd", "70") AETH DATA ICRC },
	{ 0xce, "DC_READ_RESPONSE_MIDDLE", BTH("ce", "70") DATA ICRC },
	{ 0xcf, "DC_READ_RESPONSE_LAST", BTH("cf", "70") AETH DATA ICRC },
	{ 0xd0, "DC_READ_RESPONSE_ONLY", BTH("d0", "70") AETH DATA ICRC },
	{ 0xd1, "DC_ACK", BTH("d1", "40") AETH ICRC },
	{ 0xd2, "DC_ATOMIC_ACK", BTH("d2", "40") AETH ATOMIC_ACK ICRC },
	{ 0xd3, "DC_CMP_SWAP", BTH("d3", "40") DCETH ATOMIC ICRC },
	{ 0xd4, "DC_FETCH_ADD", BTH("d4", "40") DCETH ATOMIC ICRC },
	{ 0xd6, "DC_SEND_LAST_INVAL", BTH("d6", "70") DCETH IETH DATA ICRC },
	{ 0xd7, "DC_SEND_ONLY_INVAL", BTH("d7", "70") DCETH IETH DATA ICRC },
	{ 0xde, "DC_MASKED_CMP_SWAP", BTH("de", "40") DCETH ATOMIC MASKS ICRC },
	{ 0xdf, "DC_MASKED_FETCH_ADD", BTH("df", "40") DCETH ATOMIC MASKS ICRC },
};

Test(wire, every_opcode_has_its_golden_bytes)
{
	for (size_t i = 0; i < sizeof(golden) / sizeof(golden[0]); i++) {
		struct wire_packet p = sample_packet(golden[i].opcode);
		uint8_t frame[WIRE_MAX_FRAME];
		size_t len = wire_pack(&p, frame, false);

		cr_expect_str_eq(wire_opcode_info(golden[i].opcode)->name, golden[i].name);
		expect_bytes(frame + UDP_PAYLOAD, len - UDP_PAYLOAD, golden[i].bytes);
	}
}

Test(wire, opcodes_without_golden_bytes_have_no_name)
{
	unsigned int named = 0;

	for (unsigned int opcode = 0; opcode < 0x100; opcode++)
		named += wire_opcode_info(opcode)->name != NULL;
	cr_expect_eq(named, sizeof(golden) / sizeof(golden[0]));
}

/* Byte 4 of the BTH: FECN 0x80, BECN 0x40. */
Test(wire, becn_is_in_the_bth)
{
	struct wire_packet p = sample_packet(WIRE_CNP), back;
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len;

	p.becn = true;
	len = wire_pack(&p, frame, false);
	cr_expect_eq(frame[UDP_PAYLOAD + 4], 0x40);
	cr_assert(wire_unpack(&back, frame, len));
	cr_expect(back.becn);
	frame[UDP_PAYLOAD + 4] = 0x80;
	cr_assert(wire_unpack(&back, frame, len));
	cr_expect_not(back.becn);
}

/* MigReq, 0x40 of byte 1: set in what is sent, as the path is in the state Migrated (InfiniBand
 * specification, 17.2.8); of what arrives either is taken, since Linux' rxe sends 0 (rxe_hdr.h,
 * bth_init). */
Test(wire, migreq_is_set_and_not_required)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY), back;
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len = wire_pack(&p, frame, false);

	cr_expect_eq(frame[UDP_PAYLOAD + 1] & 0x40, 0x40);
	cr_expect(wire_unpack(&back, frame, len));
	frame[UDP_PAYLOAD + 1] &= ~0x40;
	cr_assert(wire_unpack(&back, frame, len));
	cr_expect_eq(back.payload_len, p.payload_len);
}

Test(wire, solicited_and_ack_request_bits_are_in_the_bth)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len;

	p.solicited = true;
	p.ack_req = true;
	p.payload_len = 0;
	len = wire_pack(&p, frame, false);
	expect_bytes(frame + UDP_PAYLOAD, len - UDP_PAYLOAD,
		     "04 c0 ffff 00 020041 80 abcdef 00000000");
}

Test(wire, padding_fills_up_to_four_bytes)
{
	static const char *const golden_tail[] = {
		"04 40 ffff 00 020041 00 abcdef 00000000",
		"04 70 ffff 00 020041 00 abcdef d0000000 00000000",
		"04 60 ffff 00 020041 00 abcdef d0d10000 00000000",
		"04 50 ffff 00 020041 00 abcdef d0d1d200 00000000",
		"04 40 ffff 00 020041 00 abcdef d0d1d2d3 00000000",
		"04 70 ffff 00 020041 00 abcdef d0d1d2d3 d4000000 00000000",
	};

	for (size_t n = 0; n < 6; n++) {
		struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
		uint8_t frame[WIRE_MAX_FRAME];
		size_t len;

		p.payload_len = n;
		len = wire_pack(&p, frame, false);
		expect_bytes(frame + UDP_PAYLOAD, len - UDP_PAYLOAD, golden_tail[n]);
	}
}
