/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw packet QPs that send UDP datagrams to their own port and receive them if a rule says so.
 */
#ifndef TEST_E2E_FLOW_ETHERNET_H
#define TEST_E2E_FLOW_ETHERNET_H

#include <devx/flow.h>
#include <flow/flow.h>

enum { QUEUES = 2, FRAME = 100 };

struct ethernet {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq_ex *cq[QUEUES];
	struct ibv_qp *qp[QUEUES];
	struct ibv_mr *mr;
	uint8_t mac[6];
	uint8_t frame[256];
	uint8_t received[QUEUES][16][2048];
	struct dv_flow_port *port;
	struct dv_flow_targets targets;
};

extern struct ethernet eth;

/* Criterion's .init and .fini. */
void ethernet_open(void);
void ethernet_close(void);

/* The back end of eth.port; its targets are the QPs. */
void ethernet_rules(const char *backend);
/* Installs, or fails the test. */
struct dv_flow *rule(const char *text);
/* The rule is refused with an error whose message begins so. */
void rule_refused(const char *text, const char *message);

/* The first @len bytes of eth.frame, from the first QP. */
void send_frame(uint32_t len);
/* A datagram to this UDP port, from the first QP. */
void send_udp(uint16_t port);
/* The same with @len bytes of headers inserted at @at; the destination MAC is that of the
 * port. */
void send_udp_with(const uint8_t *headers, size_t len, size_t at, uint16_t port);
/* Waits for the next datagram of a queue: its UDP port; *@tag: the flow tag. */
uint16_t receive_udp(unsigned int queue, uint32_t *tag);
/* A datagram to @port is the next one of @queue, to port @as there. */
void udp_reaches(uint16_t port, unsigned int queue, uint16_t as);
/* Whether the queue has a datagram now. */
bool queue_is_empty(unsigned int queue);

/* The numbers of a queue's RQ and SQ. */
uint32_t queue_rqn(unsigned int queue);
uint32_t queue_sqn(unsigned int queue);

#endif
