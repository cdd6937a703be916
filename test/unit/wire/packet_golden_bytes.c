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

/* The operations of RC. Second byte of the BTH: 40 = MigReq, 30 = three bytes of padding. */
static const struct {
	uint8_t operation;
	const char *name;
	bool request; /* has the header of its service */
	const char *second, *after;
} operations[] = {
	{ 0x00, "SEND_FIRST", true, "70", DATA },
	{ 0x01, "SEND_MIDDLE", true, "70", DATA },
	{ 0x02, "SEND_LAST", true, "70", DATA },
	{ 0x03, "SEND_LAST_IMM", true, "70", IMM DATA },
	{ 0x04, "SEND_ONLY", true, "70", DATA },
	{ 0x05, "SEND_ONLY_IMM", true, "70", IMM DATA },
	{ 0x06, "WRITE_FIRST", true, "70", RETH DATA },
	{ 0x07, "WRITE_MIDDLE", true, "70", DATA },
	{ 0x08, "WRITE_LAST", true, "70", DATA },
	{ 0x09, "WRITE_LAST_IMM", true, "70", IMM DATA },
	{ 0x0a, "WRITE_ONLY", true, "70", RETH DATA },
	{ 0x0b, "WRITE_ONLY_IMM", true, "70", RETH IMM DATA },
	{ 0x0c, "READ_REQUEST", true, "40", RETH },
	{ 0x0d, "READ_RESPONSE_FIRST", false, "70", AETH DATA },
	{ 0x0e, "READ_RESPONSE_MIDDLE", false, "70", DATA },
	{ 0x0f, "READ_RESPONSE_LAST", false, "70", AETH DATA },
	{ 0x10, "READ_RESPONSE_ONLY", false, "70", AETH DATA },
	{ 0x11, "ACK", false, "40", AETH },
	{ 0x12, "ATOMIC_ACK", false, "40", AETH ATOMIC_ACK },
	{ 0x13, "CMP_SWAP", true, "40", ATOMIC },
	{ 0x14, "FETCH_ADD", true, "40", ATOMIC },
	{ 0x16, "SEND_LAST_INVAL", true, "70", IETH DATA },
	{ 0x17, "SEND_ONLY_INVAL", true, "70", IETH DATA },
	{ 0x1e, "MASKED_CMP_SWAP", true, "40", ATOMIC MASKS },
	{ 0x1f, "MASKED_FETCH_ADD", true, "40", ATOMIC MASKS },
};

static const struct {
	uint8_t opcode, end; /* of its operations */
	const char *name, *header;
} services[] = {
	{ 0x00, 0x20, "", "" },
	{ 0x20, 0x0c, "UC_", "" },
	{ 0xa0, 0x20, "XRC_", XRCETH },
	{ 0xc0, 0x20, "DC_", DCETH },
};

static void expect_golden(uint8_t opcode, const char *name, const char *bytes)
{
	struct wire_packet p = sample_packet(opcode);
	uint8_t frame[WIRE_MAX_FRAME];
	size_t len = wire_pack(&p, frame, false);

	cr_expect_str_eq(wire_opcode_info(opcode)->name, name);
	expect_bytes(frame + UDP_PAYLOAD, len - UDP_PAYLOAD, bytes);
}

Test(wire, every_operation_of_a_service_has_its_golden_bytes)
{
	for (size_t s = 0; s < ARRAY_SIZE(services); s++)
		for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
			uint8_t opcode = services[s].opcode | operations[i].operation;
			char name[40], bytes[300];

			if (operations[i].operation >= services[s].end)
				continue;
			snprintf(name, sizeof(name), "%s%s", services[s].name,
				 operations[i].name);
			snprintf(bytes, sizeof(bytes),
				 "%02x %s ffff 00 020041 00 abcdef %s%s" ICRC, opcode,
				 operations[i].second,
				 operations[i].request ? services[s].header : "",
				 operations[i].after);
			expect_golden(opcode, name, bytes);
		}
}

/* CNP: Mellanox, "RoCEv2 CNP Packet Format Example", but for BECN, which is not the
 * opcode's. */
Test(wire, datagrams_and_cnps_have_their_golden_bytes)
{
	expect_golden(0x64, "UD_SEND_ONLY", "64 70 ffff 00 020041 00 abcdef " DETH DATA ICRC);
	expect_golden(0x65, "UD_SEND_ONLY_IMM",
		      "65 70 ffff 00 020041 00 abcdef " DETH IMM DATA ICRC);
	expect_golden(0x81, "CNP",
		      "81 40 ffff 00 020041 00 abcdef "
		      "00000000 00000000 00000000 00000000 " ICRC);
}

Test(wire, opcodes_without_golden_bytes_have_no_name)
{
	unsigned int named = 0;

	for (unsigned int opcode = 0; opcode < 0x100; opcode++)
		named += wire_opcode_info(opcode)->name != NULL;
	cr_expect_eq(named, 3 * ARRAY_SIZE(operations) + 12 + 3);
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
