/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ethernet packets there and back: one end sends a datagram and waits, the other one exchanges
 * the addresses and sends it back from the buffer in which it arrived (packet_loop.h).
 *
 *	ping                                              pong
 *	SQ --- 192.0.2.1:9000 -> 192.0.2.2:7 -----------> RQ
 *	                                                  inspect: exchange MAC, IP, ports
 *	RQ <-- 192.0.2.2:7 -> 192.0.2.1:9000 ------------ SQ
 *
 * Without arguments both ends are in this process. In two: -l, which waits for the other one,
 * and HOST, which pings; they exchange their MAC addresses over TCP. Last line when all is
 * well: "N packets there and back".
 */
#include <netinet/ip.h>
#include <netinet/udp.h>
#include "ethernet.h"
#include "tcp.h"

enum {
	BATCH = 32,
	PING_PORT = 9000,
	PONG_PORT = 7,
	PAYLOAD = 64,
};

struct arguments {
	struct options common;
	int packets, tcp_port;
	bool listen;
	const char *host;
};

struct end {
	struct device dev;
	struct ethernet eth;
	struct dv_flow_port *rules;
};

static struct end ping, pong;

/* ---- pong ---- */

static void exchange(void *a, void *b, size_t len)
{
	uint8_t old[8];

	memcpy(old, a, len);
	memcpy(a, b, len);
	memcpy(b, old, len);
}

struct datagram {
	struct ether_header eth;
	struct iphdr ip;
	struct udphdr udp;
} __attribute__((packed));

/* Exchanging addresses and ports leaves both checksums unchanged. */
static bool turn_around(void *unused, void *packet, uint32_t len, const struct mlx5_cqe64 *cqe)
{
	struct datagram *d = packet;

	(void)unused;
	if (!dv_packet_csum_ok(cqe) || dv_packet_l4(cqe) != DV_PACKET_L4_UDP ||
	    len < sizeof(*d))
		return false;
	exchange(d->eth.ether_dhost, d->eth.ether_shost, ETH_ALEN);
	exchange(&d->ip.daddr, &d->ip.saddr, sizeof(d->ip.daddr));
	exchange(&d->udp.dest, &d->udp.source, sizeof(d->udp.dest));
	return true;
}

/* A turn: how many packets arrived. */
static int pong_poll(void)
{
	const struct mlx5_cqe64 *failed;
	int n = packet_loop(&pong.eth.q, BATCH, turn_around, NULL, &failed);

	if (n < 0)
		show_cqe("pong", failed);
	return n;
}

/* ---- ping ---- */

/* Sends datagram @i, and checks what comes back. @turn: the other end, if it is in this
 * process. */
static void ping_once(uint32_t i, const uint8_t *peer, int (*turn)(void))
{
	struct packet p = {
		IPPROTO_UDP, "192.0.2.1", "192.0.2.2", PING_PORT, PONG_PORT, PAYLOAD
	};
	struct ethernet *e = &ping.eth;
	uint32_t len = ethernet_frame(e->frame, e->mac, peer, &p);
	const struct mlx5_cqe64 *cqe;
	uint8_t *back;

	for (int k = 0; k < PAYLOAD; k++)
		ethernet_payload(e->frame)[k] = (uint8_t)(i + (uint32_t)k);
	ethernet_send(e, len);
	deadline(10, "a packet at the other end");
	while (turn && !turn())
		;
	cqe = ethernet_receive(e, &back);
	if (dv_cqe_byte_cnt(cqe) != len || !dv_packet_csum_ok(cqe) ||
	    memcmp(ethernet_payload(back), ethernet_payload(e->frame), PAYLOAD) ||
	    memcmp(back + ETH_ALEN, peer, ETH_ALEN))
		errx(1, "packet %u came back as another one", i);
	ethernet_receive_end(e, cqe);
}

/* ---- both ---- */

static void end_open(struct end *e, struct options o, int udp_port)
{
	e->dev = device_open(o);
	ethernet_open(&e->eth, &e->dev);
	if (e == &pong)
		ok(packet_loop_begin(&e->eth.q, e->eth.mr->lkey));
	e->rules = ethernet_rules(&e->eth, &e->dev);
	rule(e->rules,
	     "ingress pattern eth / ipv4 / udp dst is %d / end actions queue index 0 / end",
	     udp_port);
}

static void end_close(struct end *e)
{
	dv_flow_close(e->rules);
	ethernet_close(&e->eth);
	device_close(&e->dev);
}

/* In one process, an end per context: no queue receives what a queue of the same one (transport
 * domain) sends. */
static void both(const struct arguments *a)
{
	end_open(&ping, a->common, PING_PORT);
	end_open(&pong, a->common, PONG_PORT);
	for (int i = 0; i < a->packets; i++)
		ping_once((uint32_t)i, pong.eth.mac, pong_poll);
	end_close(&pong);
	end_close(&ping);
}

static void one(const struct arguments *a, struct end *e, int udp_port)
{
	uint8_t peer[ETH_ALEN];
	int fd, n = 0, packets = a->packets;

	end_open(e, a->common, udp_port);
	fd = tcp_open(a->host, a->tcp_port);
	tcp_exchange(fd, e->eth.mac, peer, sizeof(peer));
	tcp_exchange(fd, &a->packets, &packets, sizeof(packets));
	if (a->listen) {
		deadline(60, "the packets of the other end");
		while (n < packets)
			n += pong_poll();
	} else {
		for (; n < a->packets; n++)
			ping_once((uint32_t)n, peer, NULL);
	}
	tcp_sync(fd); /* all packets have arrived */
	end_close(e);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = &a->common;
	else if (key == 'n')
		a->packets = option_number(key, arg, 1, 1 << 30);
	else if (key == 'p')
		a->tcp_port = option_number(key, arg, 1, 65535);
	else if (key == 'l')
		a->listen = true;
	else if (key == ARGP_KEY_ARG && !a->host)
		a->host = arg;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &options_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp_option more[] = {
		{ "packets", 'n', "NUMBER", 0, "so many (default: 10)", 0 },
		{ "listen", 'l', NULL, 0, "be the end that sends them back", 0 },
		{ "port", 'p', "PORT", 0, "TCP port (default: 18515)", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		more, parse, "[HOST]", "Ethernet packets there and back", children, NULL, NULL
	};
	struct arguments a = { .common = { .port = 1, .gid_index = DV_GID_DEFAULT },
			       .packets = 10,
			       .tcp_port = 18515 };

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	if (a.listen && a.host)
		errx(1, "-l waits for the other end, and HOST is where it waits");
	if (a.listen)
		one(&a, &pong, PONG_PORT);
	else if (a.host)
		one(&a, &ping, PING_PORT);
	else
		both(&a);
	printf("%d packets there and back\n", a.packets);
	return 0;
}
