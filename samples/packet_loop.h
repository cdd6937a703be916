/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a program that receives packets, looks at them, and sends them on from the
 * buffers in which they arrived. eth_echo and eth_pingpong run it; test/cost/packets counts its
 * instructions.
 *
 *	RQ -> CQE -> inspect -> SQ -> CQE -.
 *	 ^            '--- not sent ---.   |
 *	 '-- the same buffer, same slot'---'
 *
 * A buffer stays in its slot of the RQ, so a receive WQE is written once: when its packet was
 * sent, and those before it, the slot is posted again by a count. The WQEs of the SQ are
 * stamped (stamp.h): of each packet only address and length are written. One doorbell and one
 * CQE of the SQ per turn. The SQ has as many WQEs as the RQ or more, so there is always space.
 */
#ifndef SAMPLES_PACKET_LOOP_H
#define SAMPLES_PACKET_LOOP_H

#include <dv/eth.h>
#include <dv/packet.h>
#include <dv/stamp.h>

struct packet_queues {
	struct dv_sq sq;
	struct dv_rq rq; /* full: each slot has a buffer */
	struct dv_cq sent, received;
};

/* Stamps the SQ, which is empty. @lkey: of the buffers. 0 or an errno value. */
static inline int packet_loop_begin(struct packet_queues *q, uint32_t lkey)
{
	struct dv_wqe_eth_sge w = { 0 };
	void *seg = dv_set_eth_seg(w.eth, MLX5_ETH_WQE_L3_CSUM, 0, "", 0);

	if (q->sq.wqe_cnt < q->rq.wqe_cnt)
		return EINVAL;
	seg = dv_set_ptr_seg(seg, &(struct ibv_sge){ .lkey = lkey });
	dv_set_ctrl_seg(&w, seg, q->sq.qpn, 0, MLX5_OPCODE_SEND, 0, 0, 0);
	return dv_sq_stamp(&q->sq, &w);
}

/* Looks at a packet of @len bytes, may change it, and says whether it is sent. */
typedef bool packet_inspect(void *arg, void *packet, uint32_t len,
			    const struct mlx5_cqe64 *cqe);

/* A turn: at most @max packets. Returns how many there were; or -1, and *@failed is the CQE of
 * an error. */
DV_INLINE int packet_loop(struct packet_queues *q, unsigned int max, packet_inspect *inspect,
			  void *arg, const struct mlx5_cqe64 **failed)
{
	const struct mlx5_cqe64 *cqe, *last = NULL;
	struct dv_wqe_eth_sge *wqe = NULL;
	unsigned int n;
	uint16_t done;

	/* Packets of an earlier iteration that were sent: the last WQE has the index in the
	 * RQ. */
	while ((cqe = dv_cq_poll(&q->sent))) {
		if (dv_cqe_is_error(cqe))
			goto failed;
		wqe = dv_sq_at(&q->sq, dv_cqe_wqe_counter(cqe));
		memcpy(&done, wqe->not_read, sizeof(done));
		dv_rq_repost(&q->rq, done);
		dv_sq_retire(&q->sq, cqe);
	}
	for (n = 0, wqe = NULL; n < max && (cqe = dv_cq_poll(&q->received)); n++) {
		struct mlx5_wqe_data_seg *b = dv_rq_at(&q->rq, dv_cqe_wqe_counter(cqe));

		if (dv_cqe_is_error(cqe))
			goto failed;
		last = cqe;
		if (!inspect(arg, (void *)(uintptr_t)be64toh(b->addr), dv_cqe_byte_cnt(cqe),
			     cqe))
			continue;
		wqe = dv_sq_stamped(&q->sq, 0);
		wqe->data.byte_count = cqe->byte_cnt;
		wqe->data.addr = b->addr;
	}
	if (last)
		dv_rq_retire(&q->rq, last);
	if (wqe)
		memcpy(wqe->not_read, &q->rq.ci, sizeof(q->rq.ci));
	else if (q->sq.pi == q->sq.ci)
		dv_rq_repost(&q->rq, q->rq.ci);
	dv_sq_signal_last(&q->sq);
	dv_sq_doorbell(&q->sq);
	dv_rq_doorbell(&q->rq);
	dv_cq_release(&q->sent);
	dv_cq_release(&q->received);
	return (int)n;
failed:
	*failed = cqe;
	return -1;
}

#endif
