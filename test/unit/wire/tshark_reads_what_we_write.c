/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wireshark's dissector as witness: it names every opcode as we do, over IPv4 and IPv6, and
 * finds nothing malformed. What higher protocols it guesses in the payload is switched off.
 */
#include <stdlib.h>

#include "unit/wire/packet.h"

static const char *const tshark_names[] = {
	"RC Send First",
	"RC Send Middle",
	"RC Send Last",
	"RC Send Last Immediate",
	"RC Send Only",
	"RC Send Only Immediate",
	"RC RDMA Write First",
	"RC RDMA Write Middle",
	"RC RDMA Write Last",
	"RC RDMA Write Last Immediate",
	"RC RDMA Write Only",
	"RC RDMA Write Only Immediate",
	"RC RDMA Read Request",
	"RC RDMA Read Response First",
	"RC RDMA Read Response Middle",
	"RC RDMA Read Response Last",
	"RC RDMA Read Response Only",
	"RC Acknowledge",
	"RC Atomic Acknowledge",
	"RC Compare Swap",
	"RC Fetch Add",
};

/* One line per frame: "opcode <tab> column Info". */
static FILE *tshark(const char *path)
{
	char command[320];

	snprintf(command, sizeof(command),
		 "WIRESHARK_CONFIG_DIR=/nonexistent tshark -r %s -T fields"
		 " --disable-protocol rpcordma --disable-protocol iser"
		 " -e infiniband.bth.opcode -e infiniband.bth.psn -e _ws.col.Info 2>/dev/null",
		 path);
	return popen(command, "r");
}

Test(wire, tshark_names_every_opcode_and_finds_nothing_malformed)
{
	struct wire *a = join_test_fabric();
	char path[64], line[256];
	unsigned int opcode, psn, used, lines = 0;
	FILE *out;

	if (system("command -v tshark >/dev/null"))
		cr_skip_test("tshark is not installed");
	snprintf(path, sizeof(path), "/tmp/dvkit-tshark-%d.pcap", (int)getpid());
	cr_assert_eq(wire_pcap(a, path), 0);
	for (uint8_t code = 0; code <= WIRE_FETCH_ADD; code++) {
		struct wire_packet p = sample_packet(code);

		send_packet(a, 200, &p);
		p.sgid[0] = 0xfe;
		send_packet(a, 200, &p);
	}
	wire_close(a);

	out = tshark(path);
	for (; fgets(line, sizeof(line), out); lines++) {
		cr_assert_eq(sscanf(line, "%u %u %n", &opcode, &psn, &used), 2, "%s", line);
		cr_expect_eq(opcode, lines / 2);
		cr_expect_eq(psn, 0xabcdef);
		cr_assert_leq(opcode, WIRE_FETCH_ADD);
		cr_expect_eq(strstr(line + used, tshark_names[opcode]), line + used, "%s",
			     line);
		cr_expect_not_null(strstr(line, "QP=0x020041"), "%s", line);
		cr_expect_null(strstr(line, "Malformed"), "%s", line);
	}
	pclose(out);
	unlink(path);
	cr_expect_eq(lines, 2 * (WIRE_FETCH_ADD + 1));
}
