/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A shared receive queue: two QPs receive, and take their buffers from one heap. Which message
 * gets which buffer is the device's affair; the CQE says it afterwards.
 *
 *	sender 0  -->  receiver 0 --.                 .-- slot 0: buffer
 *	                             >-- one SRQ ----+--- slot 1: buffer
 *	sender 1  -->  receiver 1 --'                 '-- slot 2 ...
 *
 *	CQE: RESP_SEND, qpn: which receiver, wqe_counter: which slot
 *
 * The slots are a list, not a ring (srq.h). Last line when all is well: "received: 8 messages
 * of 2 QPs, 4 buffers".
 */
#include "common.h"

enum {
	SENDERS = 2,
	BUFFERS = 4,
	MESSAGES = 8,
	SLOTS = 16, /* the SRQ's; one of them always stays unposted */
};

/* A QP as qp_create() makes it, except its receives. */
static struct ibv_qp *receiver(struct device *dev, struct ibv_cq *cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr init = { .send_cq = cq,
					 .recv_cq = cq,
					 .srq = srq,
					 .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = 1, .max_send_sge = 1 } };

	return made(ibv_create_qp(dev->pd, &init));
}

static char text[MESSAGES][32], buffer[BUFFERS][32];
static int buffer_of[SLOTS]; /* whose SGE is in which slot */

/* Offers buffer @b: ask for the slot first, to know the buffer by it. */
static void offer(struct dv_srq *srq, int b, uint32_t lkey)
{
	struct ibv_sge dst = { (uintptr_t)buffer[b], sizeof(buffer[b]), lkey };

	buffer_of[dv_srq_next(srq)] = b;
	must(dv_srq_post(srq, &dst, 1));
	dv_srq_doorbell(srq);
}

/* Message @i, and the sender's own completion. */
static void send_message(struct dv_sq *sq, struct dv_cq *cq, int i, uint32_t lkey)
{
	struct ibv_sge src = { (uintptr_t)text[i], sizeof(text[i]), lkey };

	snprintf(text[i], sizeof(text[i]), "message %d of sender %d", i, i % SENDERS);
	must(dv_sq_send(sq, MLX5_WQE_CTRL_CQ_UPDATE, &src, 1));
	dv_sq_doorbell(sq);
	dv_sq_retire(sq, cqe_wait(cq, "sender's CQE"));
	dv_cq_release(cq);
}

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "a shared receive queue"));
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = SLOTS - 1, .max_sge = 1 } };
	struct ibv_srq *ibsrq = made(ibv_create_srq(dev.pd, &srq_attr));
	struct ibv_cq *ibscq = made(ibv_create_cq(dev.ctx, 64, NULL, NULL, 0));
	struct ibv_cq *ibrcq = made(ibv_create_cq(dev.ctx, 64, NULL, NULL, 0));
	struct ibv_mr *mr = made(ibv_reg_mr(dev.pd, text, sizeof(text), 0));
	struct ibv_mr *buffer_mr =
		made(ibv_reg_mr(dev.pd, buffer, sizeof(buffer), IBV_ACCESS_LOCAL_WRITE));
	struct ibv_qp *from[SENDERS], *to[SENDERS];
	struct dv_sq sq[SENDERS];
	struct dv_srq srq;
	struct dv_cq scq, rcq;
	int i;

	for (i = 0; i < SENDERS; i++) {
		from[i] = qp_create(&dev, ibscq);
		to[i] = receiver(&dev, ibrcq, ibsrq);
		qp_connect_pair(&dev, from[i], to[i]);
		must(dv_sq_map(&sq[i], from[i]));
	}
	must(dv_srq_map(&srq, ibsrq));
	must(dv_cq_map(&scq, ibscq));
	must(dv_cq_map(&rcq, ibrcq));

	for (i = 0; i < BUFFERS; i++)
		offer(&srq, i, buffer_mr->lkey);

	/* Messages to one receiver and the other; each buffer is offered again when it was
	 * read. */
	for (i = 0; i < MESSAGES; i++) {
		send_message(&sq[i % SENDERS], &scq, i, mr->lkey);

		const struct mlx5_cqe64 *cqe = cqe_wait(&rcq, "receiver's CQE");
		int b = buffer_of[dv_cqe_wqe_counter(cqe)];

		dv_srq_retire(&srq, cqe);
		if (dv_cqe_qpn(cqe) != to[i % SENDERS]->qp_num ||
		    strcmp(buffer[b], text[i]) != 0)
			errx(1, "expected '%s', received '%.30s' in buffer %d", text[i],
			     buffer[b], b);
		dv_cq_release(&rcq);

		printf("-- '%s' in buffer %d; offered again in slot %u\n", buffer[b], b,
		       dv_srq_next(&srq));
		offer(&srq, b, buffer_mr->lkey);
	}
	printf("received: %d messages of %d QPs, %d buffers\n", MESSAGES, SENDERS, BUFFERS);

	for (i = 0; i < SENDERS; i++) {
		ok(ibv_destroy_qp(from[i]));
		ok(ibv_destroy_qp(to[i]));
	}
	ok(ibv_destroy_srq(ibsrq));
	ok(ibv_destroy_cq(ibscq));
	ok(ibv_destroy_cq(ibrcq));
	ok(ibv_dereg_mr(buffer_mr));
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
