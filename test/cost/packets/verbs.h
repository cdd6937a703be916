/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet loop by libmlx5: ibv_poll_cq(), ibv_post_recv(), ibv_post_send(), with lists of
 * work requests. */
#ifndef TEST_COST_PACKETS_VERBS_H
#define TEST_COST_PACKETS_VERBS_H

#include "ethernet.h"

struct verbs {
	struct ibv_cq *sent, *received;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t buf[ETHERNET_DEPTH][ETHERNET_SIZE];
	/* For each buffer: filled once; of a send, the length differs. */
	struct ibv_recv_wr recv[ETHERNET_DEPTH];
	struct ibv_send_wr send[ETHERNET_DEPTH];
	struct ibv_sge recv_sge[ETHERNET_DEPTH], send_sge[ETHERNET_DEPTH];
	struct ibv_send_wr *first; /* the batch that is being sent */
};

void verbs_open(struct verbs *v, struct device *dev);
void verbs_close(struct verbs *v);

/* As packet_loop(); packets are inspected and changed in the same way. */
unsigned int verbs_loop(struct verbs *v, unsigned int max);

DV_INLINE void exchange_macs(uint8_t *packet)
{
	uint8_t mac[ETH_ALEN];

	memcpy(mac, packet, ETH_ALEN);
	memcpy(packet, packet + ETH_ALEN, ETH_ALEN);
	memcpy(packet + ETH_ALEN, mac, ETH_ALEN);
}

#endif
