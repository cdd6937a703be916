/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues that flow rules lead to: QPs and WQs of Ethernet packets. One CQ and one buffer for
 * all; the wr_id of a receive is the number of its queue.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include "rules.h"

enum { RECEIVES = 64, WQ = 0x100 /* in wr_id: of a WQ, else of a QP */ };

static int refused(const struct rules *r, const char *what)
{
	return dvfw_refused(r->dvfw, "%s: %s%s", what, strerror(errno),
			    errno == EPERM ? "; it needs CAP_NET_RAW" : "");
}

/* ---- receives ---- */

static int post(struct rules *r, uint64_t id)
{
	struct ibv_sge sge = { (uintptr_t)r->bytes.received, RULES_PACKET, r->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;
	unsigned int i = id % WQ;

	return id & WQ ? ibv_post_wq_recv(r->wq[i], &wr, &bad)
		       : ibv_post_recv(r->qp[i], &wr, &bad);
}

static void count(struct rules *r, uint64_t id)
{
	struct queue *q = &r->queue[id % WQ];

	q->packets++;
	q->octets += ibv_wc_read_byte_len(r->cq);
	q->tag = ibv_wc_read_flow_tag(r->cq);
}

void queues_drain(struct rules *r)
{
	struct ibv_poll_cq_attr attr = { 0 };

	if (!r->cq || ibv_start_poll(r->cq, &attr))
		return;
	do {
		if (r->cq->status != IBV_WC_SUCCESS)
			continue;
		count(r, r->cq->wr_id);
		post(r, r->cq->wr_id);
	} while (!ibv_next_poll(r->cq));
	ibv_end_poll(r->cq);
}

uint64_t queues_packets(const struct rules *r)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < RULES_QUEUES; i++)
		n += r->queue[i].packets;
	return n;
}

/* ---- creation ---- */

static int open_shared(struct rules *r)
{
	struct ibv_cq_init_attr_ex cq = {
		.cqe = 2 * RULES_QUEUES * RECEIVES,
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_FLOW_TAG,
	};

	r->pd = ibv_alloc_pd(r->dvfw->ctx);
	if (!r->pd)
		return refused(r, "ibv_alloc_pd");
	r->mr = ibv_reg_mr(r->pd, &r->bytes, sizeof(r->bytes), IBV_ACCESS_LOCAL_WRITE);
	if (!r->mr)
		return refused(r, "ibv_reg_mr");
	r->channel = ibv_create_comp_channel(r->dvfw->ctx);
	cq.channel = r->channel;
	r->cq = r->channel ? ibv_create_cq_ex(r->dvfw->ctx, &cq) : NULL;
	r->send_cq = ibv_create_cq(r->dvfw->ctx, 1, NULL, NULL, 0);
	return r->cq && r->send_cq ? DVFW_OK : refused(r, "ibv_create_cq");
}

static int to_ready(struct ibv_qp *qp)
{
	static const enum ibv_qp_state states[] = { IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };
	int err = 0;

	for (unsigned int i = 0; i < 3 && !err; i++) {
		struct ibv_qp_attr attr = { .qp_state = states[i], .port_num = 1 };

		err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | (i ? 0 : IBV_QP_PORT));
	}
	return err;
}

/* 0 if libmlx5 does not say. */
static void read_numbers(struct queue *q)
{
	struct mlx5dv_qp dv = { .comp_mask = MLX5DV_QP_MASK_RAW_QP_HANDLES };
	struct mlx5dv_obj obj = { .qp = { .in = q->qp, .out = &dv } };

	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP) ||
	    !(dv.comp_mask & MLX5DV_QP_MASK_RAW_QP_HANDLES))
		return;
	q->rqn = dv.rqn;
	q->sqn = dv.sqn;
}

/* Packets that a QP of dvfw sends to its own port return to its queues. */
static int open_qp(struct rules *r, unsigned int i)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RAW_PACKET,
		.send_cq = r->send_cq,
		.recv_cq = ibv_cq_ex_to_cq(r->cq),
		.cap = { .max_send_wr = 1,
			 .max_recv_wr = RECEIVES,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = r->pd,
	};
	struct mlx5dv_qp_init_attr dv = { .comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS,
					  .create_flags =
						  MLX5DV_QP_CREATE_TIR_ALLOW_SELF_LOOPBACK_UC };

	r->qp[i] = r->queue[i].qp = mlx5dv_create_qp(r->dvfw->ctx, &attr, &dv);
	if (!r->qp[i])
		return refused(r, "a raw packet QP");
	errno = to_ready(r->qp[i]);
	if (errno)
		return refused(r, "ibv_modify_qp");
	read_numbers(&r->queue[i]);
	return DVFW_OK;
}

static int open_wq(struct rules *r, unsigned int i)
{
	struct ibv_wq_init_attr attr = { .wq_type = IBV_WQT_RQ,
					 .max_wr = RECEIVES,
					 .max_sge = 1,
					 .pd = r->pd,
					 .cq = ibv_cq_ex_to_cq(r->cq) };
	struct ibv_wq_attr ready = { .attr_mask = IBV_WQ_ATTR_STATE, .wq_state = IBV_WQS_RDY };

	r->wq[i] = r->queue[i].wq = ibv_create_wq(r->dvfw->ctx, &attr);
	if (!r->wq[i])
		return refused(r, "ibv_create_wq");
	errno = ibv_modify_wq(r->wq[i], &ready);
	return errno ? refused(r, "ibv_modify_wq") : DVFW_OK;
}

int queues_open(struct rules *r)
{
	int status = open_shared(r);

	for (unsigned int i = 0; i < RULES_QUEUES && !status; i++) {
		status = open_qp(r, i);
		if (!status)
			status = open_wq(r, i);
		for (unsigned int n = 0; n < RECEIVES && !status; n++)
			if (post(r, i) || post(r, i | WQ))
				status = refused(r, "receives");
	}
	return status;
}

void queues_close(struct rules *r)
{
	for (unsigned int i = 0; i < RULES_QUEUES; i++) {
		if (r->qp[i])
			ibv_destroy_qp(r->qp[i]);
		if (r->wq[i])
			ibv_destroy_wq(r->wq[i]);
	}
	if (r->cq)
		ibv_destroy_cq(ibv_cq_ex_to_cq(r->cq));
	if (r->send_cq)
		ibv_destroy_cq(r->send_cq);
	if (r->channel)
		ibv_destroy_comp_channel(r->channel);
	if (r->mr)
		ibv_dereg_mr(r->mr);
	if (r->pd)
		ibv_dealloc_pd(r->pd);
}

/* ---- sending ---- */

int queues_send(struct rules *r, size_t len)
{
	struct ibv_sge sge = { (uintptr_t)r->bytes.sent, (uint32_t)len, r->mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int n;

	errno = ibv_post_send(r->qp[0], &wr, &bad);
	if (errno)
		return refused(r, "ibv_post_send");
	do
		n = ibv_poll_cq(r->send_cq, 1, &wc);
	while (!n);
	if (n < 0 || wc.status)
		return dvfw_refused(r->dvfw, "send: %s", ibv_wc_status_str(wc.status));
	return DVFW_OK;
}

/* ---- waiting ---- */

static volatile sig_atomic_t ended;

static void end(int signal)
{
	ended = signal;
}

/* Sleeps until a packet or a signal that is not in @awake arrives. */
static int sleep_one(struct rules *r, const sigset_t *awake)
{
	uint64_t before = queues_packets(r);
	struct pollfd fd = { .fd = r->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *ctx;

	errno = ibv_req_notify_cq(ibv_cq_ex_to_cq(r->cq), 0);
	if (errno)
		return refused(r, "ibv_req_notify_cq");
	queues_drain(r); /* packets before the request */
	if (queues_packets(r) != before || ppoll(&fd, 1, NULL, awake) != 1)
		return DVFW_OK;
	if (ibv_get_cq_event(r->channel, &cq, &ctx))
		return refused(r, "ibv_get_cq_event");
	ibv_ack_cq_events(cq, 1);
	return DVFW_OK;
}

/* The two signals are blocked but for the sleep, so that none is missed. */
int queues_wait(struct rules *r, uint64_t packets, bool last)
{
	const struct sigaction handler = { .sa_handler = end };
	const struct sigaction ignored = { .sa_handler = SIG_IGN };
	struct sigaction was_int, was_term;
	sigset_t both, awake;
	int status = DVFW_OK;

	ended = 0;
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	sigprocmask(SIG_BLOCK, &both, &awake);
	sigdelset(&awake, SIGINT);
	sigdelset(&awake, SIGTERM);
	sigaction(SIGINT, &handler, &was_int);
	sigaction(SIGTERM, &handler, &was_term);
	queues_drain(r);
	while (!ended && !status && (!packets || queues_packets(r) < packets))
		status = sleep_one(r, &awake);
	queues_drain(r);
	sigaction(SIGINT, last ? &ignored : &was_int, NULL);
	sigaction(SIGTERM, last ? &ignored : &was_term, NULL);
	sigprocmask(SIG_UNBLOCK, &both, NULL);
	r->signal = ended;
	return status;
}
