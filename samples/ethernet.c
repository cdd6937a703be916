/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by all samples with Ethernet packets. */
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdarg.h>
#include "ethernet.h"

/* ---- the QP ---- */

static void move(struct ibv_qp *qp, enum ibv_qp_state state, uint8_t port)
{
	struct ibv_qp_attr attr = { .qp_state = state, .port_num = port };

	ok(ibv_modify_qp(qp, &attr, IBV_QP_STATE | (state == IBV_QPS_INIT ? IBV_QP_PORT : 0)));
}

struct ibv_qp *ethernet_qp(struct device *dev, struct ibv_cq *sent, struct ibv_cq *received)
{
	struct ibv_qp_init_attr init = { .send_cq = sent,
					 .recv_cq = received,
					 .qp_type = IBV_QPT_RAW_PACKET,
					 .cap = { .max_send_wr = ETHERNET_DEPTH,
						  .max_recv_wr = ETHERNET_DEPTH,
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

/* GID 0 is the link-local address, which has the MAC in it (RFC 4291, modified EUI-64). */
void ethernet_mac(uint8_t mac[ETH_ALEN], const struct device *dev)
{
	union ibv_gid gid;

	ok(ibv_query_gid(dev->ctx, dev->port, 0, &gid));
	memcpy(mac, gid.raw + 8, 3);
	memcpy(mac + 3, gid.raw + 13, 3);
	mac[0] ^= 2;
}

void ethernet_open(struct ethernet *e, struct device *dev)
{
	e->mr = made(ibv_reg_mr(dev->pd, e, sizeof(*e), IBV_ACCESS_LOCAL_WRITE));
	e->sent = made(ibv_create_cq(dev->ctx, ETHERNET_DEPTH, NULL, NULL, 0));
	e->received = made(ibv_create_cq(dev->ctx, ETHERNET_DEPTH, NULL, NULL, 0));
	e->qp = ethernet_qp(dev, e->sent, e->received);
	must(dv_sq_map(&e->q.sq, e->qp));
	must(dv_rq_map(&e->q.rq, e->qp));
	must(dv_cq_map(&e->q.sent, e->sent));
	must(dv_cq_map(&e->q.received, e->received));
	ethernet_mac(e->mac, dev);
	for (int i = 0; i < ETHERNET_DEPTH; i++) {
		struct ibv_sge sge = { (uintptr_t)e->buf[i], ETHERNET_SIZE, e->mr->lkey };

		must(dv_rq_post(&e->q.rq, &sge, 1));
	}
	dv_rq_doorbell(&e->q.rq);
}

void ethernet_close(struct ethernet *e)
{
	ok(ibv_destroy_qp(e->qp));
	ok(ibv_destroy_cq(e->received));
	ok(ibv_destroy_cq(e->sent));
	ok(ibv_dereg_mr(e->mr));
}

/* ---- packets ---- */

struct headers {
	struct ether_header eth;
	struct iphdr ip;
	union {
		struct udphdr udp;
		struct tcphdr tcp;
	};
} __attribute__((packed));

static uint32_t headers_len(uint8_t protocol)
{
	return (uint32_t)(offsetof(struct headers, udp) + (protocol == IPPROTO_TCP
								   ? sizeof(struct tcphdr)
								   : sizeof(struct udphdr)));
}

uint32_t ethernet_frame(uint8_t *frame, const uint8_t *mac, const uint8_t *peer,
			const struct packet *p)
{
	uint32_t len = headers_len(p->protocol) + p->payload;
	struct headers h = { .ip = { .version = 4, .ihl = 5, .ttl = 64 } };

	memcpy(h.eth.ether_dhost, peer, ETH_ALEN);
	memcpy(h.eth.ether_shost, mac, ETH_ALEN);
	h.eth.ether_type = htobe16(ETHERTYPE_IP);
	h.ip.tot_len = htobe16((uint16_t)(len - sizeof(h.eth)));
	h.ip.protocol = p->protocol;
	h.ip.saddr = inet_addr(p->src);
	h.ip.daddr = inet_addr(p->dst);
	h.udp.source = htobe16(p->src_port); /* TCP has them in the same place */
	h.udp.dest = htobe16(p->dst_port);
	if (p->protocol == IPPROTO_TCP)
		h.tcp.doff = sizeof(h.tcp) / 4;
	else
		h.udp.len = htobe16((uint16_t)(sizeof(h.udp) + p->payload));
	memcpy(frame, &h, headers_len(p->protocol));
	return len;
}

uint8_t *ethernet_payload(uint8_t *frame)
{
	return frame + headers_len(((struct headers *)frame)->ip.protocol);
}

static const struct mlx5_cqe64 *next(struct dv_cq *cq, const char *event)
{
	const struct mlx5_cqe64 *cqe;

	deadline(10, event);
	while (!(cqe = dv_cq_poll(cq)))
		;
	deadline(0, event);
	if (dv_cqe_is_error(cqe))
		show_cqe(event, cqe);
	return cqe;
}

void ethernet_send(struct ethernet *e, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)e->frame, len, e->mr->lkey };

	must(dv_sq_send_eth(&e->q.sq, MLX5_WQE_CTRL_CQ_UPDATE,
			    MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM,
			    (struct dv_eth_hdr){ NULL, 0 }, &sge, 1));
	dv_sq_doorbell(&e->q.sq);
	dv_sq_retire(&e->q.sq, next(&e->q.sent, "a packet that is sent"));
	dv_cq_release(&e->q.sent);
}

const struct mlx5_cqe64 *ethernet_receive(struct ethernet *e, uint8_t **packet)
{
	const struct mlx5_cqe64 *cqe = next(&e->q.received, "a packet that is received");

	*packet = (uint8_t *)(uintptr_t)be64toh(
		dv_rq_at(&e->q.rq, dv_cqe_wqe_counter(cqe))->addr);
	return cqe;
}

void ethernet_receive_end(struct ethernet *e, const struct mlx5_cqe64 *cqe)
{
	uint64_t addr = be64toh(dv_rq_at(&e->q.rq, dv_cqe_wqe_counter(cqe))->addr);
	struct ibv_sge sge = { addr, ETHERNET_SIZE, e->mr->lkey };

	dv_rq_retire(&e->q.rq, cqe);
	must(dv_rq_post(&e->q.rq, &sge, 1));
	dv_rq_doorbell(&e->q.rq);
	dv_cq_release(&e->q.received);
}

/* ---- rules ---- */

struct dv_flow_port *rules_open(struct device *dev, const struct dv_flow_targets *targets)
{
	struct dv_flow_error error;
	struct dv_flow_port *rules;

	if (dv_flow_open(&rules, dev->ctx, "verbs", targets, &error))
		errx(1, "dv_flow_open: %s", error.message);
	return rules;
}

struct dv_flow_port *ethernet_rules(struct ethernet *e, struct device *dev)
{
	return rules_open(dev, &(struct dv_flow_targets){ .qp = &e->qp, .n_qp = 1 });
}

struct dv_flow *rule(struct dv_flow_port *rules, const char *format, ...)
{
	static struct dv_flow_rule parsed;
	struct dv_flow_error error;
	struct dv_flow *flow;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("rule: %s\n", text);
	if (dv_flow_parse(&parsed, text, &error) ||
	    dv_flow_create(&flow, rules, &parsed, &error))
		errx(1, "%s", error.message);
	return flow;
}
