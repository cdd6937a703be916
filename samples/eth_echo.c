/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host of one page: answers ARP and ping (ICMP echo) for the IPv4 address of the port, with a
 * raw packet QP.
 *
 *	packet -> rule (ibv_create_flow) -> RQ -> receive, inspect, turn around -> SQ -> packet
 *
 * A packet is answered in the buffer in which it arrived (packet_loop.h). The device computes
 * the checksum of its IP header; that of ICMP changes by the type only.
 *
 * On the software adapter the peer may be the kernel of this machine, through a TAP interface:
 *
 *	build/bin/dvkit-emu --tap tap0 -- build/bin/eth_echo &
 *	ip address add 192.168.0.100/24 dev tap0
 *	ping 192.168.0.1
 *
 * Ends at ^C, or after as many answers as -n says. Last line: "N packets, A answers to ARP, P
 * to ping".
 */
#include <arpa/inet.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <signal.h>
#include "ethernet.h"

enum {
	BATCH = 32,
};

struct echo {
	struct ethernet eth;
	struct in_addr ip;
	unsigned long packets, arp, ping;
};

static volatile sig_atomic_t stop;

static void end(int signal)
{
	(void)signal;
	stop = 1;
}

/* ---- answers ---- */

struct arp {
	struct ether_header eth;
	struct ether_arp arp;
} __attribute__((packed));

struct ping {
	struct ether_header eth;
	struct iphdr ip;
	struct icmphdr icmp;
} __attribute__((packed));

static void turn_around(struct ether_header *eth, const struct echo *e)
{
	memcpy(eth->ether_dhost, eth->ether_shost, ETH_ALEN);
	memcpy(eth->ether_shost, e->eth.mac, ETH_ALEN);
}

static bool answer_arp(struct echo *e, struct arp *p, uint32_t len)
{
	if (len < sizeof(*p) || p->eth.ether_type != htobe16(ETHERTYPE_ARP) ||
	    p->arp.arp_op != htobe16(ARPOP_REQUEST) ||
	    memcmp(p->arp.arp_tpa, &e->ip, sizeof(e->ip)) != 0)
		return false;
	turn_around(&p->eth, e);
	p->arp.arp_op = htobe16(ARPOP_REPLY);
	memcpy(p->arp.arp_tha, p->arp.arp_sha, ETH_ALEN);
	memcpy(p->arp.arp_tpa, p->arp.arp_spa, sizeof(e->ip));
	memcpy(p->arp.arp_sha, e->eth.mac, ETH_ALEN);
	memcpy(p->arp.arp_spa, &e->ip, sizeof(e->ip));
	e->arp++;
	return true;
}

/* The checksum of ICMP loses what the type loses: 8 in the upper byte (RFC 1624). */
static bool answer_ping(struct echo *e, struct ping *p, uint32_t len)
{
	uint32_t sum;

	if (len < sizeof(*p) || p->eth.ether_type != htobe16(ETHERTYPE_IP) || p->ip.ihl != 5 ||
	    p->ip.protocol != IPPROTO_ICMP || p->icmp.type != ICMP_ECHO ||
	    p->ip.daddr != e->ip.s_addr)
		return false;
	turn_around(&p->eth, e);
	p->ip.daddr = p->ip.saddr;
	p->ip.saddr = e->ip.s_addr;
	p->ip.ttl = 64;
	p->icmp.type = ICMP_ECHOREPLY;
	sum = be16toh(p->icmp.checksum) + (ICMP_ECHO << 8);
	p->icmp.checksum = htobe16((uint16_t)(sum + (sum >> 16)));
	e->ping++;
	return true;
}

static bool answer(void *echo, void *packet, uint32_t len, const struct mlx5_cqe64 *cqe)
{
	struct echo *e = echo;

	(void)cqe;
	e->packets++;
	return answer_arp(e, packet, len) || answer_ping(e, packet, len);
}

/* ---- a host ---- */

static void read_ip(struct echo *e, const struct device *dev)
{
	if (dev->gid.raw[10] != 0xff || dev->gid.raw[11] != 0xff)
		errx(1, "GID %u has no IPv4 address: choose another one with -x",
		     dev->gid_index);
	memcpy(&e->ip, dev->gid.raw + 12, sizeof(e->ip));
}

static void serve(struct echo *e, unsigned long answers)
{
	const struct mlx5_cqe64 *failed;

	while (!stop &&
	       (!answers || e->arp + e->ping < answers || e->eth.q.sq.ci != e->eth.q.sq.pi))
		if (packet_loop(&e->eth.q, BATCH, answer, e, &failed) < 0)
			show_cqe("a work request failed", failed);
}

struct arguments {
	struct options common;
	unsigned long answers; /* 0: no end */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = &a->common;
	else if (key == 'n')
		a->answers = (unsigned long)option_number(key, arg, 1, 1 << 30);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &options_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp_option more[] = {
		{ "answers", 'n', "NUMBER", 0, "end after so many answers (default: at ^C)",
		  0 },
		{ 0 },
	};
	static const struct argp argp = { .options = more,
					  .parser = parse,
					  .doc = "Answers ARP and ping with a raw packet QP",
					  .children = children };
	static struct echo e;
	struct arguments a = { .common = { .port = 1, .gid_index = DV_GID_DEFAULT } };

	argp_parse(&argp, argc, argv, 0, NULL, &a);

	struct device dev = device_open(a.common);
	const uint8_t *m = e.eth.mac;

	read_ip(&e, &dev);
	ethernet_open(&e.eth, &dev);
	ok(packet_loop_begin(&e.eth.q, e.eth.mr->lkey));

	struct dv_flow_port *rules = ethernet_rules(&e.eth, &dev);

	rule(rules,
	     "ingress pattern eth dst is %02x:%02x:%02x:%02x:%02x:%02x / end "
	     "actions queue index 0 / end",
	     m[0], m[1], m[2], m[3], m[4], m[5]);
	rule(rules, "ingress pattern eth dst is ff:ff:ff:ff:ff:ff type is 0x0806 / end "
		    "actions queue index 0 / end");
	signal(SIGINT, end);
	signal(SIGTERM, end);
	printf("%s is at %02x:%02x:%02x:%02x:%02x:%02x\n", inet_ntoa(e.ip), m[0], m[1], m[2],
	       m[3], m[4], m[5]);
	fflush(stdout);
	serve(&e, a.answers);
	printf("%lu packets, %lu answers to ARP, %lu to ping\n", e.packets, e.arp, e.ping);

	dv_flow_close(rules);
	ethernet_close(&e.eth);
	device_close(&dev);
	return 0;
}
