/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RSS: packets are spread over queues by a Toeplitz hash of addresses and ports; those of a
 * connection stay together.
 *
 *	                                         .-> RQ 0
 *	packet -> rule -> hash -> low 2 bits -> table -> RQ 1
 *	                   |                     '-> RQ 2, 3
 *	                   '-> in the CQE
 *
 * The connections, and the hash that each of them has with the usual key, are those of
 * Microsoft's "Verifying the RSS Hash Calculation". Last line when all is well: "5 connections:
 * each hash is the published one".
 */
#include "ethernet.h"

enum {
	QUEUES = 4,
	DEPTH = 16,
	TYPE_L3_L4 = 1 << 2 | 1 << 6, /* rss_hash_type: IPv4 addresses, TCP ports */
};

static const struct {
	const char *src, *dst;
	uint16_t src_port, dst_port;
	uint32_t hash;
} connections[] = {
	{ "66.9.149.187", "161.142.100.80", 2794, 1766, 0x51ccc178 },
	{ "199.92.111.2", "65.69.140.83", 14230, 4739, 0xc626b0ea },
	{ "24.19.198.95", "12.22.207.184", 12898, 38024, 0x5c2b394a },
	{ "38.27.205.30", "209.142.163.6", 48228, 2217, 0xafc7327f },
	{ "153.39.163.191", "202.188.127.2", 44251, 1303, 0x10e828a2 },
};

/* An RQ without a QP. */
struct queue {
	struct ibv_cq *ibcq;
	struct ibv_wq *wq;
	struct dv_cq cq;
	struct dv_rq rq;
	uint8_t buf[DEPTH][256];
};

static struct ethernet from;
static struct queue queue[QUEUES];
static struct ibv_wq *wqs[QUEUES];

static void queue_open(struct queue *q, struct device *dev, uint32_t lkey)
{
	struct ibv_wq_init_attr init = {
		.wq_type = IBV_WQT_RQ, .max_wr = DEPTH, .max_sge = 1, .pd = dev->pd
	};
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };

	q->ibcq = init.cq = made(ibv_create_cq(dev->ctx, DEPTH, NULL, NULL, 0));
	q->wq = made(ibv_create_wq(dev->ctx, &init));
	ok(ibv_modify_wq(q->wq, &ready));
	must(dv_rq_map_wq(&q->rq, q->wq));
	must(dv_cq_map(&q->cq, q->ibcq));
	for (int i = 0; i < DEPTH; i++) {
		struct ibv_sge sge = { (uintptr_t)q->buf[i], sizeof(q->buf[i]), lkey };

		must(dv_rq_post(&q->rq, &sge, 1));
	}
	dv_rq_doorbell(&q->rq);
}

/* The queue that received a packet, and its CQE. */
static unsigned int next_packet(const struct mlx5_cqe64 **cqe)
{
	deadline(10, "a packet in one of the queues");
	for (unsigned int i = 0;; i = (i + 1) % QUEUES) {
		*cqe = dv_cq_poll(&queue[i].cq);
		if (!*cqe)
			continue;
		if (dv_cqe_is_error(*cqe))
			show_cqe("a packet", *cqe);
		dv_rq_retire(&queue[i].rq, *cqe);
		return i;
	}
}

/* Two packets of a connection: the same queue, of the published hash. */
static void connection(unsigned int c)
{
	struct packet p = { IPPROTO_TCP,
			    connections[c].src,
			    connections[c].dst,
			    connections[c].src_port,
			    connections[c].dst_port,
			    6 };

	for (int i = 0; i < 2; i++) {
		uint32_t hash = connections[c].hash;
		const struct mlx5_cqe64 *cqe;
		unsigned int q;

		ethernet_send(&from, ethernet_frame(from.frame, from.mac, from.mac, &p));
		q = next_packet(&cqe);
		printf("%s:%u to %s:%u: hash 0x%08x of type 0x%02x, queue %u\n", p.src,
		       p.src_port, p.dst, p.dst_port, dv_packet_hash(cqe),
		       dv_packet_hash_type(cqe), q);
		if (dv_packet_hash(cqe) != hash || q != hash % QUEUES ||
		    dv_packet_hash_type(cqe) != TYPE_L3_L4)
			errx(1, "expected 0x%08x, queue %u", hash, hash % QUEUES);
		dv_cq_release(&queue[q].cq);
	}
}

int main(int argc, char **argv)
{
	struct options o = options_parse(argc, argv, "Packets spread over queues by a hash");
	/* Two contexts: no queue receives what a queue of the same one (transport domain)
	 * sends. */
	struct device a = device_open(o), b = device_open(o);
	unsigned int n = sizeof(connections) / sizeof(connections[0]);
	struct ibv_mr *mr =
		made(ibv_reg_mr(b.pd, queue, sizeof(queue), IBV_ACCESS_LOCAL_WRITE));
	struct dv_flow_targets targets = { .wq = wqs, .n_wq = QUEUES, .pd = b.pd };
	struct dv_flow_port *rules;

	ethernet_open(&from, &a);
	for (int i = 0; i < QUEUES; i++) {
		queue_open(&queue[i], &b, mr->lkey);
		wqs[i] = queue[i].wq;
	}
	rules = rules_open(&b, &targets);
	rule(rules, "ingress pattern eth / ipv4 / tcp / end "
		    "actions rss types ipv4-tcp end queues 0 1 2 3 end / end");
	for (unsigned int c = 0; c < n; c++)
		connection(c);
	printf("%u connections: each hash is the published one\n", n);

	dv_flow_close(rules);
	for (int i = 0; i < QUEUES; i++) {
		ok(ibv_destroy_wq(queue[i].wq));
		ok(ibv_destroy_cq(queue[i].ibcq));
	}
	ethernet_close(&from);
	ok(ibv_dereg_mr(mr));
	device_close(&b);
	device_close(&a);
	return 0;
}
