/* SPDX-License-Identifier: BSD-2-Clause */
/* The packet loop by libmlx5; one list is posted per turn, and its last packet is signaled. */
#include "cost/packets/verbs.h"

enum { BATCH = 32 };

static void fill(struct verbs *v, unsigned int i)
{
	v->recv_sge[i] = (struct ibv_sge){ (uintptr_t)v->buf[i], ETHERNET_SIZE, v->mr->lkey };
	v->send_sge[i] = v->recv_sge[i];
	v->recv[i] =
		(struct ibv_recv_wr){ .wr_id = i, .sg_list = &v->recv_sge[i], .num_sge = 1 };
	v->send[i] = (struct ibv_send_wr){
		.wr_id = i, .sg_list = &v->send_sge[i], .num_sge = 1, .opcode = IBV_WR_SEND
	};
}

void verbs_open(struct verbs *v, struct device *dev)
{
	struct ibv_recv_wr *bad;

	v->mr = made(ibv_reg_mr(dev->pd, v->buf, sizeof(v->buf), IBV_ACCESS_LOCAL_WRITE));
	v->sent = made(ibv_create_cq(dev->ctx, ETHERNET_DEPTH, NULL, NULL, 0));
	v->received = made(ibv_create_cq(dev->ctx, ETHERNET_DEPTH, NULL, NULL, 0));
	v->qp = ethernet_qp(dev, v->sent, v->received);
	for (unsigned int i = 0; i < ETHERNET_DEPTH; i++) {
		fill(v, i);
		ok(ibv_post_recv(v->qp, &v->recv[i], &bad));
	}
}

void verbs_close(struct verbs *v)
{
	ok(ibv_destroy_qp(v->qp));
	ok(ibv_destroy_cq(v->sent));
	ok(ibv_destroy_cq(v->received));
	ok(ibv_dereg_mr(v->mr));
}

/* The buffers of the batch that was sent receive again. */
static void reap(struct verbs *v)
{
	struct ibv_recv_wr *list = NULL, **end = &list, *bad;
	struct ibv_send_wr *s;
	struct ibv_wc wc;

	if (ibv_poll_cq(v->sent, 1, &wc) != 1)
		return;
	if (wc.status != IBV_WC_SUCCESS)
		errx(1, "a packet was not sent: %s", ibv_wc_status_str(wc.status));
	for (s = v->first; s; s = s->next) {
		*end = &v->recv[s->wr_id];
		end = &v->recv[s->wr_id].next;
	}
	*end = NULL;
	ok(ibv_post_recv(v->qp, list, &bad));
	v->first = NULL;
}

unsigned int verbs_loop(struct verbs *v, unsigned int max)
{
	struct ibv_send_wr *list = NULL, **end = &list, *last = NULL, *bad;
	struct ibv_recv_wr *bad_recv;
	struct ibv_wc wc[BATCH];
	int n;

	reap(v);
	n = ibv_poll_cq(v->received, (int)max, wc);
	for (int i = 0; i < n; i++) {
		struct ibv_send_wr *s = &v->send[wc[i].wr_id];

		if (wc[i].status != IBV_WC_SUCCESS)
			errx(1, "a receive failed: %s", ibv_wc_status_str(wc[i].status));
		if (!(wc[i].wc_flags & IBV_WC_IP_CSUM_OK) || wc[i].byte_len < 2 * ETH_ALEN) {
			ok(ibv_post_recv(v->qp, &v->recv[wc[i].wr_id], &bad_recv));
			continue;
		}
		exchange_macs(v->buf[wc[i].wr_id]);
		s->sg_list->length = wc[i].byte_len;
		s->send_flags = IBV_SEND_IP_CSUM;
		*end = last = s;
		end = &s->next;
	}
	*end = NULL;
	if (!last)
		return (unsigned int)n;
	last->send_flags |= IBV_SEND_SIGNALED;
	v->first = list;
	ok(ibv_post_send(v->qp, list, &bad));
	return (unsigned int)n;
}
