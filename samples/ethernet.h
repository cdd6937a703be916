/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the samples with Ethernet packets: a raw packet QP with its buffers, the MAC
 * address of a port, frames, and rules. */
#ifndef SAMPLES_ETHERNET_H
#define SAMPLES_ETHERNET_H

#include "common.h"
#include <flow/flow.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include "packet_loop.h"

enum {
	ETHERNET_DEPTH = 64,  /* WQEs of both queues, and buffers that receive */
	ETHERNET_SIZE = 2048, /* of a buffer */
};

/* A raw packet QP in RTS. All of its buffers are posted. */
struct ethernet {
	struct packet_queues q;
	struct ibv_cq *sent, *received;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t mac[ETH_ALEN]; /* of the port */
	uint8_t buf[ETHERNET_DEPTH][ETHERNET_SIZE];
	uint8_t frame[ETHERNET_SIZE]; /* for packets to send */
};

/* Not on the stack of a thread: it has the buffers. */
void ethernet_open(struct ethernet *e, struct device *dev);
void ethernet_close(struct ethernet *e);

/* The QP only. */
struct ibv_qp *ethernet_qp(struct device *dev, struct ibv_cq *sent, struct ibv_cq *received);

/* The MAC address of the port of @dev. */
void ethernet_mac(uint8_t mac[ETH_ALEN], const struct device *dev);

/* An IPv4 packet of UDP or TCP (@protocol) with @payload bytes after its headers. */
struct packet {
	uint8_t protocol;
	const char *src, *dst;
	uint16_t src_port, dst_port, payload;
};

/* Writes the packet to @frame, from @mac to @peer, with no checksums: the device fills them in
 * when it is sent. The payload stays as it is. Returns how long the packet is. */
uint32_t ethernet_frame(uint8_t *frame, const uint8_t *mac, const uint8_t *peer,
			const struct packet *p);
/* Where the payload of such a packet is. */
uint8_t *ethernet_payload(uint8_t *frame);

/* Sends e->frame, and returns when it was sent. */
void ethernet_send(struct ethernet *e, uint32_t len);
/* Waits for the next packet and returns its CQE; @packet: its bytes, until
 * ethernet_receive_end(). */
const struct mlx5_cqe64 *ethernet_receive(struct ethernet *e, uint8_t **packet);
void ethernet_receive_end(struct ethernet *e, const struct mlx5_cqe64 *cqe);

/* Rules by ibv_create_flow(), text as of flow/text.h. dv_flow_close() destroys them. */
struct dv_flow_port *rules_open(struct device *dev, const struct dv_flow_targets *targets);
/* "queue index 0" is the QP of @e. */
struct dv_flow_port *ethernet_rules(struct ethernet *e, struct device *dev);
/* @format as for printf(3). */
struct dv_flow *rule(struct dv_flow_port *rules, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
