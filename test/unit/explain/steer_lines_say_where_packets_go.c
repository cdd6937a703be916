/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets on their way through tables made by hand: a line per step. */
#include "unit/explain/trace.h"
#include "unit/steer/packet.h"

static void begin(void)
{
	start();
	trace_all();
}

TestSuite(explain_steer, .init = begin, .fini = stop);

static void datagram(uint16_t port)
{
	build("eth:800 v4:11 udp:35");
	core_put_be16(bytes + 36, port);
}

/* The next lines that are printed, up to the one that begins with @head; in it are @words. */
static void expect_line(char **at, const char *head, const char *words)
{
	char *line = *at, *end = strchr(line, '\n');

	cr_assert_not_null(end, "no line '%s'", head);
	*end = 0;
	*at = end + 1;
	cr_expect_eq(strncmp(line, head, strlen(head)), 0, "%s", line);
	cr_expect_not_null(strstr(line, words), "%s not in %s", words, line);
}

/* Two tables: the first has no entry for the packet, the second one leads to a TIR. */
Test(explain_steer, a_way_to_a_tir)
{
	struct hca_flow_table *t = root(PRM_FT_TYPE_NIC_RX), *next = table(PRM_FT_TYPE_NIC_RX);
	struct hca_tir *tir = hca_tir_new(&hca);
	struct hca_fte *e;
	char *at, head[64];

	tir->rq = hca_rq_new(&hca);
	t->miss = next;
	next->level = 5;
	mask[0x1e] = mask[0x1f] = 0xff; /* udp_dport */
	value[0x1f] = 53;
	e = rule(group(next, 0, 7), 3, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	to(e, PRM_DEST_TYPE_TIR, tir, 0);
	e->act.tag = 0xabc;
	datagram(53);
	receive();
	at = (char *)printed();
	expect_line(&at,
		    "[3] steer    NIC_RX packet of 42 bytes: ", "outer_headers.udp_dport=0x35");
	snprintf(head, sizeof(head), "[3] steer    NIC_RX table 0x%x level 0: ", t->table_id);
	expect_line(&at, head, "no entry matches");
	snprintf(head, sizeof(head),
		 "[3] steer    NIC_RX table 0x%x level 5: ", next->table_id);
	expect_line(&at, head,
		    "entry 3 matches outer_headers.udp_dport=0x35: forward to the "
		    "destinations, tag 0xabc");
	snprintf(head, sizeof(head), "[3] steer    NIC_RX to TIR 0x%x, RQ 0x%x", tir->tirn,
		 tir->rq->rqn);
	expect_line(&at, head, " that is not ready");
	cr_expect_str_empty(at);
}

Test(explain_steer, drops)
{
	struct steer_step refused = { .did = STEER_REFUSED };
	struct steer_packet p = { .bytes = bytes };
	char *at;

	mask[0x1e] = mask[0x1f] = 0xff;
	value[0x1f] = 53;
	rule(group(root(PRM_FT_TYPE_NIC_RX), 0, 7), 0, PRM_FLOW_CONTEXT_ACTION_DROP);
	datagram(53);
	receive();
	at = (char *)printed();
	expect_line(&at, "[3] steer    NIC_RX packet ", "");
	expect_line(&at, "[3] steer    NIC_RX table ", "entry 0 matches");
	expect_line(&at, "[3] steer    NIC_RX dropped: by the entry", "");
	datagram(54);
	receive();
	at = (char *)printed();
	expect_line(&at, "[3] steer    NIC_RX packet ", "");
	expect_line(&at, "[3] steer    NIC_RX table ", "no entry matches");
	expect_line(&at, "[3] steer    NIC_RX dropped: the default", "");
	p.len = len;
	refused.p = &p;
	report(TRACE_STEER, 0, 0, &refused, sizeof(refused));
	at = (char *)printed();
	expect_line(&at, "[3] steer    NIC_RX dropped before the tables: ",
		    "02:00:00:00:00:02 is not the port's");
}

/* A question is no event. */
Test(explain_steer, a_dry_walk_is_silent)
{
	const struct steer_sink dry = { .step = got_step, .dry = true };
	const struct steer_packet p = { .bytes = bytes, .len = 42 };

	root(PRM_FT_TYPE_NIC_RX);
	datagram(53);
	memset(&got, 0, sizeof(got));
	steer_receive(&hca, &p, &dry);
	cr_expect_gt(got.steps, 0);
	cr_expect_str_empty(printed());
}
