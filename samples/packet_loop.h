/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The loop of a program that receives packets, looks at them, and sends them on from the buffers in which they
 * arrived. eth_echo and eth_pingpong run it; test/cost counts its instructions.
 *
 *	        .-> RQ -> CQE -> inspect -> SQ -> CQE -.
 *	buffer -'                   '-> not sent -.    '- buffer
 *	        '---------------------------------'
 *
 * Both rings have as many WQEs as there are buffers, and each buffer is in one of them: there is space for it
 * always. Which buffer a CQE is about is in its WQE, that is still in the ring: there is no table. One
 * doorbell and one CQE of the SQ per turn.
 */
#ifndef SAMPLES_PACKET_LOOP_H
#define SAMPLES_PACKET_LOOP_H

#include <dv/eth.h>
#include <dv/packet.h>

struct packet_queues {
	struct dv_sq sq;
	struct dv_rq rq;
	struct dv_cq sent, received;
	uint32_t lkey, size; /* of the buffers */
};

/* Where a packet was sent from: the data segment follows the control and the Ethernet segment. */
DV_INLINE uint64_t packet_sent_from(const void *wqe)
{
	return be64toh(((const struct mlx5_wqe_data_seg *)wqe)[2].addr);
}

/* Looks at a packet of @len bytes, may change it, and says whether it is sent. */
typedef bool packet_inspect(void *arg, void *packet, uint32_t len,
			    const struct mlx5_cqe64 *cqe);

/* A turn: at most @max packets. Returns how many there were; or -1, and *@failed is the CQE of an error. */
DV_INLINE int packet_loop(struct packet_queues *q, unsigned int max, packet_inspect *inspect,
			  void *arg, const struct mlx5_cqe64 **failed)
{
	struct ibv_sge buffer = { .length = q->size, .lkey = q->lkey }, packet = buffer;
	const struct mlx5_cqe64 *cqe;
	unsigned int n;

	/* The buffers of packets that were sent: those of the WQEs up to that of the CQE. */
	while ((cqe = dv_cq_poll(&q->sent))) {
		uint16_t i = q->sq.ci;

		if (dv_cqe_is_error(cqe))
			goto failed;
		for (dv_sq_retire(&q->sq, cqe); i != q->sq.ci; i++) {
			buffer.addr = packet_sent_from(dv_sq_at(&q->sq, i));
			dv_rq_post(&q->rq, &buffer, 1);
		}
	}
	for (n = 0; n < max && (cqe = dv_cq_poll(&q->received)); n++) {
		if (dv_cqe_is_error(cqe))
			goto failed;
		packet.addr = be64toh(dv_rq_at(&q->rq, dv_cqe_wqe_counter(cqe))->addr);
		packet.length = dv_cqe_byte_cnt(cqe);
		dv_rq_retire(&q->rq, cqe);
		if (inspect(arg, (void *)(uintptr_t)packet.addr, packet.length, cqe)) {
			dv_sq_send_eth(&q->sq, 0, MLX5_ETH_WQE_L3_CSUM,
				       (struct dv_eth_hdr){ NULL, 0 }, &packet, 1);
		} else {
			buffer.addr = packet.addr;
			dv_rq_post(&q->rq, &buffer, 1);
		}
	}
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
