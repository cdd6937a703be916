/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of rules: how many packets, and how many bytes, matched each.
 *
 *	         UDP -> counter -> RQ
 *	packet ->
 *	         TCP -> counter -> dropped
 *
 * The device counts; a query reads packets and octets. A packet that is dropped counts, too.
 * The octets are those of the frames without their FCS; a frame has at least 60. Last line when
 * all is well: "UDP: 3 packets, 306 octets; TCP: 7 packets, 518 octets".
 */
#include "ethernet.h"

/* Two contexts of one device: no queue receives what a queue of the same context (transport
 * domain) sends. */
static struct ethernet from, to;

static uint32_t send_one(uint8_t protocol, uint16_t payload)
{
	struct packet p = { protocol, "192.0.2.1", "192.0.2.2", 9000, 1000, payload };
	uint32_t len = ethernet_frame(from.frame, from.mac, to.mac, &p);

	ethernet_send(&from, len);
	return len;
}

/* Returns the rule's counts, which must equal those sent. */
static struct devx_flow_count count_of(struct dv_flow *f, struct devx_flow_count sent)
{
	struct devx_flow_count n;

	must(dv_flow_query(f, &n));
	if (n.packets != sent.packets || n.octets != sent.octets)
		errx(1, "rule %u counted %llu packets, %llu octets; sent: %llu, %llu",
		     dv_flow_number(f), (unsigned long long)n.packets,
		     (unsigned long long)n.octets, (unsigned long long)sent.packets,
		     (unsigned long long)sent.octets);
	return n;
}

int main(int argc, char **argv)
{
	struct options o = options_parse(argc, argv, "Rules that count packets");
	struct device a = device_open(o), b = device_open(o);
	struct devx_flow_count udp = { 3, 0 }, tcp = { 7, 0 };
	struct dv_flow *of_udp, *of_tcp;
	struct dv_flow_port *rules;

	ethernet_open(&from, &a);
	ethernet_open(&to, &b);
	rules = ethernet_rules(&to, &b);
	of_udp = rule(
		rules,
		"ingress pattern eth / ipv4 / udp / end actions count / queue index 0 / end");
	of_tcp = rule(rules,
		      "ingress pattern eth / ipv4 / tcp / end actions count / drop / end");

	for (unsigned int i = 0; i < tcp.packets; i++)
		tcp.octets += send_one(IPPROTO_TCP, 20);
	for (unsigned int i = 0; i < udp.packets; i++)
		udp.octets += send_one(IPPROTO_UDP, (uint16_t)(20 * (i + 2)));

	/* The last datagram is there: all before it were counted. */
	for (unsigned int i = 0; i < udp.packets; i++) {
		uint8_t *packet;

		ethernet_receive_end(&to, ethernet_receive(&to, &packet));
	}
	udp = count_of(of_udp, udp);
	tcp = count_of(of_tcp, tcp);
	printf("UDP: %llu packets, %llu octets; TCP: %llu packets, %llu octets\n",
	       (unsigned long long)udp.packets, (unsigned long long)udp.octets,
	       (unsigned long long)tcp.packets, (unsigned long long)tcp.octets);

	dv_flow_close(rules);
	ethernet_close(&to);
	ethernet_close(&from);
	device_close(&b);
	device_close(&a);
	return 0;
}
