/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A rule that drops: datagrams to one UDP port do not arrive, those to another do.
 *
 *	         priority 0: UDP port 1001 -> dropped
 *	packet ->
 *	         priority 1: all of UDP    -> RQ
 *
 * Without a rule a raw packet QP receives nothing, so there are two: the one that matters is of
 * priority 0, which is looked at first. Packets of one queue keep their order: when the last
 * one is there, those before it were dropped, and are not on their way. Last line when all is
 * well: "port 1000: 5 of 5 received; port 1001: 0 of 5; without the rule: 5 of 5".
 */
#include "ethernet.h"

enum {
	PASSED = 1000,
	DROPPED = 1001,
	LAST = 1002, /* ends a round */
	ROUND = 5,
};

/* Two contexts of one device: no queue receives what a queue of the same context (transport
 * domain) sends. */
static struct ethernet from, to;

static void send_to(uint16_t port)
{
	struct packet p = { IPPROTO_UDP, "192.0.2.1", "192.0.2.2", 9000, port, 18 };

	ethernet_send(&from, ethernet_frame(from.frame, from.mac, to.mac, &p));
}

/* Datagrams to each port, in turn; and how many of them arrived. */
static void round_of(unsigned int *passed, unsigned int *dropped)
{
	uint16_t port;

	for (int i = 0; i < ROUND; i++) {
		send_to(DROPPED);
		send_to(PASSED);
	}
	send_to(LAST);
	do {
		uint8_t *packet;
		const struct mlx5_cqe64 *cqe = ethernet_receive(&to, &packet);

		port = (uint16_t)(packet[36] << 8 | packet[37]);
		if (port != LAST)
			printf("received: %u bytes for port %u\n", dv_cqe_byte_cnt(cqe), port);
		*passed += port == PASSED;
		*dropped += port == DROPPED;
		ethernet_receive_end(&to, cqe);
	} while (port != LAST);
}

int main(int argc, char **argv)
{
	struct options o = options_parse(argc, argv, "A rule that drops packets");
	struct device a = device_open(o), b = device_open(o);
	unsigned int passed = 0, dropped = 0, again = 0;
	struct dv_flow *drop;
	struct dv_flow_port *rules;

	ethernet_open(&from, &a);
	ethernet_open(&to, &b);
	rules = ethernet_rules(&to, &b);
	rule(rules,
	     "ingress priority 1 pattern eth / ipv4 / udp / end actions queue index 0 / end");
	drop = rule(rules,
		    "ingress priority 0 pattern eth / ipv4 / udp dst is %d / end "
		    "actions drop / end",
		    DROPPED);
	round_of(&passed, &dropped);
	if (passed != ROUND || dropped)
		errx(1, "received %u for port %d and %u for port %d", passed, PASSED, dropped,
		     DROPPED);

	/* Without it the other rule is for these packets, too. */
	must(dv_flow_destroy(drop));
	round_of(&passed, &again);
	if (again != ROUND)
		errx(1, "received %u without the rule", again);
	printf("port %d: %u of %d received; port %d: %u of %d; without the rule: %u of %d\n",
	       PASSED, ROUND, ROUND, DROPPED, dropped, ROUND, again, ROUND);

	dv_flow_close(rules);
	ethernet_close(&to);
	ethernet_close(&from);
	device_close(&b);
	device_close(&a);
	return 0;
}
