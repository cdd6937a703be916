/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host of one page: answers ARP and ping (ICMP echo) for the IPv4 address of the port, with a raw packet QP.
 *
 *	packet -> rule (ibv_create_flow) -> RQ -> receive, inspect, turn around -> SQ -> packet
 *
 * A packet is answered in the buffer in which it arrived. The device computes the checksum of its IP header; that of
 * ICMP changes by the type only. When the answer is sent, the buffer is posted again. Which buffer a CQE is about
 * is in its WQE, that is still in the ring: there is no table.
 *
 * On the software adapter the peer may be the kernel of this machine, through a TAP interface:
 *
 *	build/bin/dvkit-emu --tap tap0 -- build/bin/eth_echo &
 *	ip address add 192.168.0.100/24 dev tap0
 *	ping 192.168.0.1
 *
 * Ends at ^C, or after as many answers as -n says. Last line: "N packets, A answers to ARP, P to ping".
 */
#include "common.h"
#include <arpa/inet.h>
#include <net/ethernet.h>
#include <netinet/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <signal.h>
#include <unistd.h>
#include <dv/eth.h>
#include <dv/packet.h>

enum {
	DEPTH = 64, /* buffers, and WQEs of both queues */
	SIZE = 2048,
};

struct echo {
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq scq, rcq;
	uint8_t mac[ETH_ALEN];
	struct in_addr ip;
	uint32_t lkey;
	unsigned long packets, arp, ping;
	uint8_t buf[DEPTH][SIZE];
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
	memcpy(eth->ether_shost, e->mac, ETH_ALEN);
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
	memcpy(p->arp.arp_sha, e->mac, ETH_ALEN);
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

/* ---- receive, inspect, send ---- */

static void post_buffer(struct echo *e, unsigned int i)
{
	struct ibv_sge sge = { (uintptr_t)e->buf[i], SIZE, e->lkey };

	ok(dv_rq_post(&e->rq, &sge, 1));
}

static void send_buffer(struct echo *e, unsigned int i, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)e->buf[i], len, e->lkey };

	ok(dv_sq_send_eth(&e->sq, MLX5_WQE_CTRL_CQ_UPDATE, MLX5_ETH_WQE_L3_CSUM,
			  (struct dv_eth_hdr){ NULL, 0 }, &sge, 1));
}

/* The buffer that a data segment points to. */
static unsigned int buffer_of(const struct echo *e, const struct mlx5_wqe_data_seg *seg)
{
	return (unsigned int)((be64toh(seg->addr) - (uintptr_t)e->buf) / SIZE);
}

/* Of receives the list is the WQE; of sends it follows control and Ethernet segment. */
static unsigned int received(const struct echo *e, const struct mlx5_cqe64 *cqe)
{
	return buffer_of(e, dv_rq_at(&e->rq, dv_cqe_wqe_counter(cqe)));
}

static unsigned int sent(const struct echo *e, const struct mlx5_cqe64 *cqe)
{
	char *wqe = dv_sq_at(&e->sq, dv_cqe_wqe_counter(cqe));

	return buffer_of(e, (void *)(wqe + 2 * DV_WQE_DS));
}

static void check(const struct mlx5_cqe64 *cqe)
{
	if (!dv_cqe_is_error(cqe))
		return;
	show_cqe("a work request failed", cqe);
	exit(1);
}

/* One round; the queue is as deep as there are buffers, so that there is space for every answer. */
static void serve(struct echo *e)
{
	const struct mlx5_cqe64 *cqe;

	while ((cqe = dv_cq_poll(&e->rcq))) {
		unsigned int i = received(e, cqe);
		uint32_t len = dv_cqe_byte_cnt(cqe);

		check(cqe);
		dv_rq_retire(&e->rq, cqe);
		e->packets++;
		if (answer_arp(e, (void *)e->buf[i], len) ||
		    answer_ping(e, (void *)e->buf[i], len))
			send_buffer(e, i, len);
		else
			post_buffer(e, i);
	}
	while ((cqe = dv_cq_poll(&e->scq))) {
		check(cqe);
		post_buffer(e, sent(e, cqe));
		dv_sq_retire(&e->sq, cqe);
	}
	dv_sq_doorbell(&e->sq);
	dv_rq_doorbell(&e->rq);
	dv_cq_release(&e->rcq);
	dv_cq_release(&e->scq);
}

/* ---- the queue pair and its rules ---- */

/* The GIDs of a port have its addresses: link-local, with the MAC (RFC 4291, modified EUI-64), and IPv4. */
static void addresses(struct echo *e, const struct device *dev)
{
	union ibv_gid gid;

	ok(ibv_query_gid(dev->ctx, dev->port, 0, &gid));
	memcpy(e->mac, gid.raw + 8, 3);
	memcpy(e->mac + 3, gid.raw + 13, 3);
	e->mac[0] ^= 2;
	if (dev->gid.raw[10] != 0xff || dev->gid.raw[11] != 0xff)
		errx(1, "GID %u has no IPv4 address: choose another one with -x",
		     dev->gid_index);
	memcpy(&e->ip, dev->gid.raw + 12, sizeof(e->ip));
}

static void move(struct ibv_qp *qp, enum ibv_qp_state state, uint8_t port)
{
	struct ibv_qp_attr attr = { .qp_state = state, .port_num = port };

	ok(ibv_modify_qp(qp, &attr, IBV_QP_STATE | (state == IBV_QPS_INIT ? IBV_QP_PORT : 0)));
}

static struct ibv_qp *raw_qp(struct device *dev, struct ibv_cq *scq, struct ibv_cq *rcq)
{
	struct ibv_qp_init_attr init = { .send_cq = scq,
					 .recv_cq = rcq,
					 .qp_type = IBV_QPT_RAW_PACKET,
					 .cap = { .max_send_wr = DEPTH,
						  .max_recv_wr = DEPTH,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &init);

	if (!qp && errno == EPERM)
		errx(1, "raw packets need CAP_NET_RAW");
	made(qp);
	move(qp, IBV_QPS_INIT, dev->port);
	move(qp, IBV_QPS_RTR, dev->port);
	move(qp, IBV_QPS_RTS, dev->port);
	return qp;
}

/* All packets to @mac; of @type only, if it is not 0. */
static struct ibv_flow *rule(struct ibv_qp *qp, uint8_t port, const uint8_t *mac, uint16_t type)
{
	struct {
		struct ibv_flow_attr attr;
		struct ibv_flow_spec_eth eth;
	} r = {
		.attr = { .type = IBV_FLOW_ATTR_NORMAL,
			  .size = sizeof(r),
			  .num_of_specs = 1,
			  .port = port },
		.eth = { .type = IBV_FLOW_SPEC_ETH,
			 .size = sizeof(r.eth),
			 .val.ether_type = htobe16(type),
			 .mask.ether_type = type ? 0xffff : 0 },
	};

	memcpy(r.eth.val.dst_mac, mac, ETH_ALEN);
	memset(r.eth.mask.dst_mac, 0xff, ETH_ALEN);
	return made(ibv_create_flow(qp, &r.attr));
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
	static const uint8_t broadcast[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static struct echo e __attribute__((aligned(64)));
	struct arguments a = { .common = { .port = 1, .gid_index = DV_GID_DEFAULT } };

	argp_parse(&argp, argc, argv, 0, NULL, &a);

	struct device dev = device_open(a.common);
	struct ibv_mr *mr =
		made(ibv_reg_mr(dev.pd, e.buf, sizeof(e.buf), IBV_ACCESS_LOCAL_WRITE));
	struct ibv_cq *scq = made(ibv_create_cq(dev.ctx, DEPTH, NULL, NULL, 0));
	struct ibv_cq *rcq = made(ibv_create_cq(dev.ctx, DEPTH, NULL, NULL, 0));
	struct ibv_qp *qp = raw_qp(&dev, scq, rcq);

	ok(dv_sq_map(&e.sq, qp));
	ok(dv_rq_map(&e.rq, qp));
	ok(dv_cq_map(&e.scq, scq));
	ok(dv_cq_map(&e.rcq, rcq));
	e.lkey = mr->lkey;
	addresses(&e, &dev);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_buffer(&e, i);
	dv_rq_doorbell(&e.rq);

	struct ibv_flow *own = rule(qp, dev.port, e.mac, 0);
	struct ibv_flow *all = rule(qp, dev.port, broadcast, ETHERTYPE_ARP);

	signal(SIGINT, end);
	signal(SIGTERM, end);
	printf("%s is at %02x:%02x:%02x:%02x:%02x:%02x\n", inet_ntoa(e.ip), e.mac[0], e.mac[1],
	       e.mac[2], e.mac[3], e.mac[4], e.mac[5]);
	fflush(stdout);
	while (!stop && (!a.answers || e.arp + e.ping < a.answers || e.sq.ci != e.sq.pi))
		serve(&e);
	printf("%lu packets, %lu answers to ARP, %lu to ping\n", e.packets, e.arp, e.ping);

	ok(ibv_destroy_flow(all));
	ok(ibv_destroy_flow(own));
	ok(ibv_destroy_qp(qp));
	ok(ibv_destroy_cq(rcq));
	ok(ibv_destroy_cq(scq));
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
