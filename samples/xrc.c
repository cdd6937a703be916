/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC: one connection reaches all shared receive queues of a domain. To all processes of
 * another host a sender needs one QP, and not a QP for each: the WQE names the SRQ, and the
 * process that reads that SRQ gets the message.
 *
 *	                                       .--> SRQ 0 -> CQ 0     one process
 *	initiator -- SEND to SRQ n --> target -+
 *	(XRC_SEND)                 (XRC_RECV)  '--> SRQ 1 -> CQ 1     another one
 *	                               |             |
 *	                               '-- domain ---'
 *
 *	WQE: control | XRC segment: SRQ number | data
 *
 * The target has neither queues nor a CQ: each SRQ completes to its own. Last line when all is
 * well: "received: 6 messages by 2 SRQs of one connection".
 */
#include <fcntl.h>

#include "common.h"

enum {
	SRQS = 2,
	MESSAGES = 6,
	SLOTS = 16, /* of an SRQ; one of them always stays unposted */
};

/* The half that sends. It has a send queue and nothing to receive with. */
static struct ibv_qp *initiator(struct device *dev, struct ibv_cq *cq)
{
	struct ibv_qp_init_attr_ex init = { .send_cq = cq,
					    .recv_cq = cq,
					    .qp_type = IBV_QPT_XRC_SEND,
					    .comp_mask = IBV_QP_INIT_ATTR_PD,
					    .pd = dev->pd,
					    .cap = { .max_send_wr = 16, .max_send_sge = 1 } };

	return made(ibv_create_qp_ex(dev->ctx, &init));
}

/* The half that receives, for all SRQs of the domain. */
static struct ibv_qp *target(struct device *dev, struct ibv_xrcd *domain)
{
	struct ibv_qp_init_attr_ex init = { .qp_type = IBV_QPT_XRC_RECV,
					    .comp_mask = IBV_QP_INIT_ATTR_XRCD,
					    .xrcd = domain };

	return made(ibv_create_qp_ex(dev->ctx, &init));
}

struct reader {
	struct ibv_cq *ibcq;
	struct ibv_srq *ibsrq;
	uint32_t srqn; /* needed by the sender */
	struct dv_srq srq;
	struct dv_cq cq;
	char buf[32];
	struct ibv_mr *mr;
};

/* Offers the buffer of @r to the next message. */
static void offer(struct reader *r)
{
	struct ibv_sge sge = { (uintptr_t)r->buf, sizeof(r->buf), r->mr->lkey };

	must(dv_srq_post(&r->srq, &sge, 1));
	dv_srq_doorbell(&r->srq);
}

static void reader_open(struct reader *r, struct device *dev, struct ibv_xrcd *domain)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = SLOTS - 1, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = dev->pd,
		.xrcd = domain,
	};

	r->ibcq = attr.cq = made(ibv_create_cq(dev->ctx, 16, NULL, NULL, 0));
	r->ibsrq = made(ibv_create_srq_ex(dev->ctx, &attr));
	ok(ibv_get_srq_num(r->ibsrq, &r->srqn));
	r->mr = made(ibv_reg_mr(dev->pd, r->buf, sizeof(r->buf), IBV_ACCESS_LOCAL_WRITE));
	must(dv_srq_map(&r->srq, r->ibsrq));
	must(dv_cq_map(&r->cq, r->ibcq));
	offer(r);
}

static void reader_close(struct reader *r)
{
	ok(ibv_destroy_srq(r->ibsrq));
	ok(ibv_destroy_cq(r->ibcq));
	ok(ibv_dereg_mr(r->mr));
}

/* One message for SRQ @srqn, and the sender's own completion. */
static void send_message(struct dv_sq *sq, struct dv_cq *cq, uint32_t srqn,
			 const struct ibv_sge *sge)
{
	void *seg = made(dv_sq_reserve(sq, 1));

	seg = dv_set_xrc_seg(seg, srqn);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, MLX5_WQE_CTRL_CQ_UPDATE, 0);
	show_xrc_wqe("the WQE, with the number of the SRQ", sq);
	dv_sq_doorbell(sq);
	dv_sq_retire(sq, cqe_wait(cq, "initiator's CQE"));
	dv_cq_release(cq);
}

static void check(struct reader *r, const struct ibv_qp *to, const char *text)
{
	const struct mlx5_cqe64 *cqe = cqe_wait(&r->cq, "CQE of the SRQ");

	dv_srq_retire(&r->srq, cqe);
	if (dv_cqe_qpn(cqe) != to->qp_num || strcmp(r->buf, text) != 0)
		errx(1, "expected '%s' by QP 0x%x, received '%.30s' by 0x%x", text, to->qp_num,
		     r->buf, dv_cqe_qpn(cqe));
	dv_cq_release(&r->cq);
	printf("-- SRQ 0x%x: %s\n", r->srqn, r->buf);
}

int main(int argc, char **argv)
{
	struct device dev = device_open(options_parse(argc, argv, "XRC: SEND to SRQs"));
	/* Other processes that open the same file as domain would share it. */
	struct ibv_xrcd_init_attr alone = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
							 IBV_XRCD_INIT_ATTR_OFLAGS,
					    .fd = -1,
					    .oflags = O_CREAT };
	struct ibv_xrcd *domain = made(ibv_open_xrcd(dev.ctx, &alone));
	struct ibv_cq *ibcq = made(ibv_create_cq(dev.ctx, 16, NULL, NULL, 0));
	struct ibv_qp *from = initiator(&dev, ibcq), *to = target(&dev, domain);
	static struct reader reader[SRQS];
	char text[32];
	struct ibv_mr *mr = made(ibv_reg_mr(dev.pd, text, sizeof(text), 0));
	struct ibv_sge sge = { (uintptr_t)text, sizeof(text), mr->lkey };
	struct dv_sq sq;
	struct dv_cq cq;
	int i;

	for (i = 0; i < SRQS; i++)
		reader_open(&reader[i], &dev, domain);
	qp_connect_pair(&dev, from, to);
	must(dv_sq_map(&sq, from));
	must(dv_cq_map(&cq, ibcq));

	for (i = 0; i < MESSAGES; i++) {
		struct reader *r = &reader[i % SRQS];

		snprintf(text, sizeof(text), "message %d for SRQ %d", i, i % SRQS);
		send_message(&sq, &cq, r->srqn, &sge);
		check(r, to, text);
		offer(r);
	}
	printf("received: %d messages by %d SRQs of one connection\n", MESSAGES, SRQS);

	ok(ibv_destroy_qp(from));
	ok(ibv_destroy_qp(to));
	for (i = 0; i < SRQS; i++)
		reader_close(&reader[i]);
	ok(ibv_close_xrcd(domain));
	ok(ibv_destroy_cq(ibcq));
	ok(ibv_dereg_mr(mr));
	device_close(&dev);
	return 0;
}
