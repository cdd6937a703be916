/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wireshark's dissector as oracle: it has the same name for every opcode, over IPv4, IPv6 and
 * RoCE v1, and finds nothing malformed; of RC, UC and UD it shows every field of every header
 * with the value of the packet. Its heuristics for higher protocols are switched off.
 * It knows the opcodes of XRC (in the tree, not in the column Info) and not the XRCETH.
 */
#include <stdlib.h>

#include "unit/wire/fabric.h"

/* A capture of what a, the only process on its fabric, sends, and what tshark says of it. */
static char capture[64];

static void begin_capture(void)
{
	if (system("command -v tshark >/dev/null"))
		cr_skip_test("tshark is not installed");
	join_one();
	snprintf(capture, sizeof(capture), "/tmp/dvkit-tshark-%d.pcap", (int)getpid());
	cr_assert_eq(wire_pcap(a, capture), 0);
}

/* The process leaves; tshark reads its frames with @options. */
static FILE *tshark(const char *options)
{
	char command[1000];

	leave();
	snprintf(command, sizeof(command), "WIRESHARK_CONFIG_DIR=/nonexistent tshark -r %s %s",
		 capture, options);
	return popen(command, "r");
}

static void end_capture(FILE *out)
{
	pclose(out);
	unlink(capture);
}

#define RETH	   0x01
#define ATOMIC	   0x02
#define IMM	   0x04
#define AETH	   0x08
#define ATOMIC_ACK 0x10
#define IETH	   0x20
#define DETH	   0x40
#define DATA	   0x80

/* By operation: its name of RC, UC and UD after that of the service; of XRC; and the headers it
 * has (InfiniBand specification, volume 1, chapter 9, table "OpCode field"). */
static const struct {
	const char *name, *xrc;
	uint8_t has;
} operations[0x18] = {
	[0x00] = { "Send First", "SEND First", DATA },
	[0x01] = { "Send Middle", "SEND Middle", DATA },
	[0x02] = { "Send Last", "SEND Last", DATA },
	[0x03] = { "Send Last Immediate", "SEND Last with Immediate", IMM | DATA },
	[0x04] = { "Send Only", "SEND Only", DATA },
	[0x05] = { "Send Only Immediate", "SEND Only with Immediate", IMM | DATA },
	[0x06] = { "RDMA Write First", "RDMA WRITE First", RETH | DATA },
	[0x07] = { "RDMA Write Middle", "RDMA WRITE Middle", DATA },
	[0x08] = { "RDMA Write Last", "RDMA WRITE Last", DATA },
	[0x09] = { "RDMA Write Last Immediate", "RDMA WRITE Last with Immediate", IMM | DATA },
	[0x0a] = { "RDMA Write Only", "RDMA WRITE Only", RETH | DATA },
	[0x0b] = { "RDMA Write Only Immediate", "RDMA WRITE Only with Immediate",
		   RETH | IMM | DATA },
	[0x0c] = { "RDMA Read Request", "RDMA READ Request", RETH },
	[0x0d] = { "RDMA Read Response First", "RDMA READ response First", AETH | DATA },
	[0x0e] = { "RDMA Read Response Middle", "RDMA READ response Middle", DATA },
	[0x0f] = { "RDMA Read Response Last", "RDMA READ response Last", AETH | DATA },
	[0x10] = { "RDMA Read Response Only", "RDMA READ response Only", AETH | DATA },
	[0x11] = { "Acknowledge", "Acknowledge", AETH },
	[0x12] = { "Atomic Acknowledge", "ATOMIC Acknowledge", AETH | ATOMIC_ACK },
	[0x13] = { "Compare Swap", "CmpSwap", ATOMIC },
	[0x14] = { "Fetch Add", "FetchAdd", ATOMIC },
	[0x16] = { "Send Last Invalidate", "SEND Last with Invalidate", IETH | DATA },
	[0x17] = { "Send Only Invalidate", "SEND Only with Invalidate", IETH | DATA },
};

/* NULL: tshark has none. */
static const char *name_of(unsigned int opcode)
{
	static const char *const services[8] = { "RC ", "UC ", NULL, "UD ", NULL, "" };
	unsigned int i = opcode & 0x1f;
	static char text[40];

	if (opcode > 0xff || !services[opcode >> 5] || i >= 0x18 || !operations[i].name)
		return NULL;
	snprintf(text, sizeof(text), "%s%s", services[opcode >> 5],
		 opcode < WIRE_XRC ? operations[i].name : operations[i].xrc);
	return text;
}

/* Over IPv4, IPv6 and RoCE v1; returns how many frames there are of @opcode. Those of masked
 * atomics and of DC have a private format, which tshark cannot know; a CNP is unknown to tshark
 * 4.0. */
static unsigned int send_all_ways(uint8_t opcode)
{
	struct wire_packet p = sample_packet(opcode);

	if (!wire_opcode_info(opcode)->name ||
	    wire_opcode_info(opcode)->parts & WIRE_HAS_MASKS ||
	    (opcode & WIRE_SERVICE_MASK) == WIRE_DC || opcode == WIRE_CNP)
		return 0;
	send_packet(a, 200, &p);
	p.sgid[0] = 0xfe;
	send_packet(a, 200, &p);
	p.v1 = true;
	send_packet(a, 200, &p);
	return 3;
}

Test(wire, tshark_names_every_opcode_and_finds_nothing_malformed)
{
	unsigned int opcode, psn, used, lines = 0, sent = 0;
	char line[256];
	FILE *out;

	begin_capture();
	for (unsigned int code = 0; code < 0x100; code++)
		sent += send_all_ways(code);
	out = tshark("-T fields --disable-protocol rpcordma --disable-protocol iser"
		     " -e infiniband.bth.opcode -e infiniband.bth.psn -e _ws.col.Info"
		     " 2>/dev/null");
	for (; fgets(line, sizeof(line), out); lines++) {
		cr_assert_eq(sscanf(line, "%u %u %n", &opcode, &psn, &used), 2, "%s", line);
		cr_assert_not_null(name_of(opcode), "%s", line);
		cr_expect_eq(psn, 0xabcdef);
		if (opcode < WIRE_XRC)
			cr_expect_eq(strstr(line + used, name_of(opcode)), line + used, "%s",
				     line);
		cr_expect_not_null(strstr(line, "QP=0x020041"), "%s", line);
		cr_expect_null(strstr(line, "Malformed"), "%s", line);
	}
	end_capture(out);
	cr_expect_eq(lines, sent);
	cr_expect_eq(sent, 3 * (23 + 12 + 2 + 23));
}

Test(wire, tshark_names_the_opcodes_of_xrc)
{
	static const char service[] = "Extended Reliable Connection (XRC) - ";
	unsigned int lines = 0, sent = 0;
	char line[256];
	FILE *out;

	begin_capture();
	for (unsigned int code = WIRE_XRC; code < 0x100; code++)
		sent += send_all_ways(code);
	out = tshark("-V 2>/dev/null | grep Opcode:");
	for (; fgets(line, sizeof(line), out); lines++) {
		const char *name = strstr(line, service);
		const char *number = strrchr(line, '(');
		unsigned int opcode;

		cr_assert(name && number && sscanf(number, "(%u)", &opcode) == 1, "%s", line);
		cr_assert_not_null(name_of(opcode), "%s", line);
		name += strlen(service);
		cr_expect_eq((size_t)(number - 1 - name), strlen(name_of(opcode)), "%s", line);
		cr_expect_eq(strstr(name, name_of(opcode)), name, "%s", line);
	}
	end_capture(out);
	cr_expect_eq(lines, sent);
}

/* ---- fields ---- */

/* UC has the first twelve, UD two of them with a DETH. */
static uint8_t headers_of(unsigned int opcode)
{
	unsigned int operation = opcode & 0x1f;

	if (opcode < 0x20)
		return operation < 0x18 ? operations[operation].has : 0;
	if (opcode < 0x40)
		return operation < 0x0c ? operations[operation].has : 0;
	return opcode == 0x64 || opcode == 0x65 ? operations[operation].has | DETH : 0;
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
