/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wireshark's dissector as oracle: of each opcode of RC, UC and UD it shows every field of
 * every header with the value of the packet. Which headers an opcode has is written here by
 * hand. (It does not know the XRCETH of XRC.)
 */
#include "unit/wire/tshark.h"

#define RETH	   0x01
#define ATOMIC	   0x02
#define IMM	   0x04
#define AETH	   0x08
#define ATOMIC_ACK 0x10
#define IETH	   0x20
#define DETH	   0x40
#define DATA	   0x80

/* InfiniBand specification, volume 1, chapter 9, table "OpCode field": RC, by operation. */
static const uint8_t headers[0x18] = {
	[0x00] = DATA,
	[0x01] = DATA,
	[0x02] = DATA,
	[0x03] = IMM | DATA,
	[0x04] = DATA,
	[0x05] = IMM | DATA,
	[0x06] = RETH | DATA,
	[0x07] = DATA,
	[0x08] = DATA,
	[0x09] = IMM | DATA,
	[0x0a] = RETH | DATA,
	[0x0b] = RETH | IMM | DATA,
	[0x0c] = RETH,
	[0x0d] = AETH | DATA,
	[0x0e] = DATA,
	[0x0f] = AETH | DATA,
	[0x10] = AETH | DATA,
	[0x11] = AETH,
	[0x12] = AETH | ATOMIC_ACK,
	[0x13] = ATOMIC,
	[0x14] = ATOMIC,
	[0x16] = IETH | DATA,
	[0x17] = IETH | DATA,
};

/* UC has the first twelve, UD two of them with a DETH. */
static uint8_t headers_of(unsigned int opcode)
{
	unsigned int operation = opcode & 0x1f;

	if (opcode < 0x20)
		return operation < sizeof(headers) ? headers[operation] : 0;
	if (opcode < 0x40)
		return operation < 0x0c ? headers[operation] : 0;
	return opcode == 0x64 || opcode == 0x65 ? headers[operation] | DETH : 0;
}

/* The values of sample_packet(). */
static void expected(char *line, size_t size, unsigned int opcode, uint8_t has)
{
	snprintf(line, size,
		 "%u,65535,0x020041,11259375,%d,%d,1,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", opcode,
		 opcode & 1, !(opcode & 1), has & DATA ? 3 : 0,
		 has & (RETH | ATOMIC) ? "0x1122334455667788,0x99aabbcc" : ",",
		 has & RETH ? "4101" : "",
		 has & ATOMIC ? "72623859790382856,1230066625199609624" : ",",
		 has & IMM ? "cafebabe" : "", has & IETH ? "cafebabe" : "",
		 has & DETH ? "0x0000000081920304,0x00314159" : ",",
		 has & AETH ? "31,6636321" : ",", has & ATOMIC_ACK ? "2387509390608836392" : "",
		 has & DATA ? "d0d1d2d3d4000000" : "");
}

Test(wire, tshark_shows_every_field)
{
	char line[400], want[400];
	unsigned int lines = 0;
	FILE *out;

	begin_capture();
	for (unsigned int code = 0; code < 0x80; code++) {
		struct wire_packet p = sample_packet(code);

		p.ack_req = code & 1;
		p.solicited = !(code & 1);
		if (headers_of(code))
			send_packet(a, 200, &p);
	}
	out = tshark(
		"-T fields -E separator=, -E occurrence=f"
		" --disable-protocol rpcordma --disable-protocol iser -e infiniband.bth.opcode"
		" -e infiniband.bth.p_key -e infiniband.bth.destqp -e infiniband.bth.psn -e infiniband.bth.a"
		" -e infiniband.bth.se -e infiniband.bth.m -e infiniband.bth.padcnt -e infiniband.reth.va"
		" -e infiniband.reth.r_key -e infiniband.reth.dmalen -e infiniband.atomiceth.swapdt"
		" -e infiniband.atomiceth.cmpdt -e infiniband.immdt -e infiniband.ieth"
		" -e infiniband.deth.q_key -e infiniband.deth.srcqp -e infiniband.aeth.syndrome"
		" -e infiniband.aeth.msn -e infiniband.atomicacketh.origremdt -e data.data 2>/dev/null"
		/* newer releases show booleans by name */
		" | sed 's/\\<True\\>/1/g; s/\\<False\\>/0/g'");
	for (unsigned int code = 0; code < 0x80; code++) {
		if (!headers_of(code))
			continue;
		cr_assert(fgets(line, sizeof(line), out), "opcode 0x%02x is missing", code);
		expected(want, sizeof(want), code, headers_of(code));
		cr_expect_str_eq(line, want);
		lines++;
	}
	cr_expect(!fgets(line, sizeof(line), out), "%s", line);
	end_capture(out);
	cr_expect_eq(lines, 23 + 12 + 2);
}
