/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wireshark's dissector as oracle: it has the same name for every opcode, over IPv4, IPv6 and
 * RoCE v1, and finds nothing malformed. Its heuristics for higher protocols are switched off.
 * It knows the opcodes of XRC (in the tree, not in the column Info) and not the XRCETH.
 */
#include "unit/wire/tshark.h"

static const char *const tshark_names[256] = {
	[0x00] = "RC Send First",
	[0x01] = "RC Send Middle",
	[0x02] = "RC Send Last",
	[0x03] = "RC Send Last Immediate",
	[0x04] = "RC Send Only",
	[0x05] = "RC Send Only Immediate",
	[0x06] = "RC RDMA Write First",
	[0x07] = "RC RDMA Write Middle",
	[0x08] = "RC RDMA Write Last",
	[0x09] = "RC RDMA Write Last Immediate",
	[0x0a] = "RC RDMA Write Only",
	[0x0b] = "RC RDMA Write Only Immediate",
	[0x0c] = "RC RDMA Read Request",
	[0x0d] = "RC RDMA Read Response First",
	[0x0e] = "RC RDMA Read Response Middle",
	[0x0f] = "RC RDMA Read Response Last",
	[0x10] = "RC RDMA Read Response Only",
	[0x11] = "RC Acknowledge",
	[0x12] = "RC Atomic Acknowledge",
	[0x13] = "RC Compare Swap",
	[0x14] = "RC Fetch Add",
	[0x16] = "RC Send Last Invalidate",
	[0x17] = "RC Send Only Invalidate",
	[0x20] = "UC Send First",
	[0x21] = "UC Send Middle",
	[0x22] = "UC Send Last",
	[0x23] = "UC Send Last Immediate",
	[0x24] = "UC Send Only",
	[0x25] = "UC Send Only Immediate",
	[0x26] = "UC RDMA Write First",
	[0x27] = "UC RDMA Write Middle",
	[0x28] = "UC RDMA Write Last",
	[0x29] = "UC RDMA Write Last Immediate",
	[0x2a] = "UC RDMA Write Only",
	[0x2b] = "UC RDMA Write Only Immediate",
	[0x64] = "UD Send Only",
	[0x65] = "UD Send Only Immediate",
	[0xa0] = "SEND First",
	[0xa1] = "SEND Middle",
	[0xa2] = "SEND Last",
	[0xa3] = "SEND Last with Immediate",
	[0xa4] = "SEND Only",
	[0xa5] = "SEND Only with Immediate",
	[0xa6] = "RDMA WRITE First",
	[0xa7] = "RDMA WRITE Middle",
	[0xa8] = "RDMA WRITE Last",
	[0xa9] = "RDMA WRITE Last with Immediate",
	[0xaa] = "RDMA WRITE Only",
	[0xab] = "RDMA WRITE Only with Immediate",
	[0xac] = "RDMA READ Request",
	[0xad] = "RDMA READ response First",
	[0xae] = "RDMA READ response Middle",
	[0xaf] = "RDMA READ response Last",
	[0xb0] = "RDMA READ response Only",
	[0xb1] = "Acknowledge",
	[0xb2] = "ATOMIC Acknowledge",
	[0xb3] = "CmpSwap",
	[0xb4] = "FetchAdd",
	[0xb6] = "SEND Last with Invalidate",
	[0xb7] = "SEND Only with Invalidate",
};

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
		cr_assert_lt(opcode, 0x100);
		cr_assert_not_null(tshark_names[opcode], "%s", line);
		cr_expect_eq(psn, 0xabcdef);
		if (opcode < WIRE_XRC)
			cr_expect_eq(strstr(line + used, tshark_names[opcode]), line + used,
				     "%s", line);
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
		cr_assert(opcode < 0x100 && tshark_names[opcode], "%s", line);
		name += strlen(service);
		cr_expect_eq((size_t)(number - 1 - name), strlen(tshark_names[opcode]), "%s",
			     line);
		cr_expect_eq(strstr(name, tshark_names[opcode]), name, "%s", line);
	}
	end_capture(out);
	cr_expect_eq(lines, sent);
}
