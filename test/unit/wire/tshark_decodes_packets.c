/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wireshark's dissector as oracle: it has the same name for every opcode, over IPv4, IPv6 and
 * RoCE v1, and finds nothing malformed. Its heuristics for higher protocols are switched off.
 * It knows the opcodes of XRC (in the tree, not in the column Info) and not the XRCETH.
 */
#include "unit/wire/tshark.h"

/* By operation: of RC, UC and UD after the name of the service; of XRC. */
static const char *const operations[0x18][2] = {
	[0x00] = { "Send First", "SEND First" },
	[0x01] = { "Send Middle", "SEND Middle" },
	[0x02] = { "Send Last", "SEND Last" },
	[0x03] = { "Send Last Immediate", "SEND Last with Immediate" },
	[0x04] = { "Send Only", "SEND Only" },
	[0x05] = { "Send Only Immediate", "SEND Only with Immediate" },
	[0x06] = { "RDMA Write First", "RDMA WRITE First" },
	[0x07] = { "RDMA Write Middle", "RDMA WRITE Middle" },
	[0x08] = { "RDMA Write Last", "RDMA WRITE Last" },
	[0x09] = { "RDMA Write Last Immediate", "RDMA WRITE Last with Immediate" },
	[0x0a] = { "RDMA Write Only", "RDMA WRITE Only" },
	[0x0b] = { "RDMA Write Only Immediate", "RDMA WRITE Only with Immediate" },
	[0x0c] = { "RDMA Read Request", "RDMA READ Request" },
	[0x0d] = { "RDMA Read Response First", "RDMA READ response First" },
	[0x0e] = { "RDMA Read Response Middle", "RDMA READ response Middle" },
	[0x0f] = { "RDMA Read Response Last", "RDMA READ response Last" },
	[0x10] = { "RDMA Read Response Only", "RDMA READ response Only" },
	[0x11] = { "Acknowledge", "Acknowledge" },
	[0x12] = { "Atomic Acknowledge", "ATOMIC Acknowledge" },
	[0x13] = { "Compare Swap", "CmpSwap" },
	[0x14] = { "Fetch Add", "FetchAdd" },
	[0x16] = { "Send Last Invalidate", "SEND Last with Invalidate" },
	[0x17] = { "Send Only Invalidate", "SEND Only with Invalidate" },
};

/* NULL: tshark has none. */
static const char *name_of(unsigned int opcode)
{
	static const char *const services[8] = { "RC ", "UC ", NULL, "UD ", NULL, "" };
	const char *const *names = operations[(opcode & 0x1f) % 0x18];
	static char text[40];

	if (opcode > 0xff || !services[opcode >> 5] || (opcode & 0x1f) >= 0x18 || !names[0])
		return NULL;
	snprintf(text, sizeof(text), "%s%s", services[opcode >> 5], names[opcode >= WIRE_XRC]);
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
