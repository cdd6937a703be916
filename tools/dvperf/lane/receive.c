/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives of a lane: posted, and taken when they have come. */
#include <dv/print.h>

#include "base/base.h"
#include "lane.h"

static void post_recvs(struct lane *l, unsigned int n)
{
	struct ibv_sge sge = { l->mem.recv_addr, l->mem.recv_len, l->mem.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	for (unsigned int i = 0; i < n; i++)
		if (l->cqs.recv->direct)
			base_ok(l->verbs.srq ? dv_srq_post(&l->srq, &sge, 1)
					     : dv_rq_post(&l->rq, &sge, 1));
		else
			base_ok(l->verbs.srq ? ibv_post_srq_recv(l->verbs.srq, &wr, &bad)
					     : ibv_post_recv(l->verbs.qp, &wr, &bad));
	if (!l->cqs.recv->direct)
		return;
	if (l->verbs.srq)
		dv_srq_doorbell(&l->srq);
	else
		dv_rq_doorbell(&l->rq);
}

void lane_fill_recvs(struct lane *l)
{
	if (l->mem.recv_len)
		post_recvs(l, l->o->rx_depth);
}

static unsigned int poll_recvs_direct(struct lane *l)
{
	const struct mlx5_cqe64 *cqe;
	unsigned int n = 0;

	while (n < l->o->cqe_poll && (cqe = lane_cq_next(l->cqs.recv))) {
		if (dv_cqe_is_error(cqe))
			lane_failed(l, dv_cqe_syndrome(cqe),
				    dv_syndrome_str(dv_cqe_syndrome(cqe)));
		if (l->verbs.srq)
			dv_srq_retire(&l->srq, cqe);
		else
			dv_rq_retire(&l->rq, cqe);
		n++;
	}
	if (n)
		dv_cq_release(l->cqs.recv->ring);
	return n;
}

static unsigned int poll_recvs_verbs(struct lane *l)
{
	struct ibv_wc wc[MAX_CQE_POLL];
	int got = ibv_poll_cq(l->cqs.recv_ibcq, (int)l->o->cqe_poll, wc);

	for (int i = 0; i < got; i++)
		if (wc[i].status)
			lane_failed(l, wc[i].vendor_err, ibv_wc_status_str(wc[i].status));
	return got > 0 ? (unsigned int)got : 0;
}

/* Data inside a CQE was copied by who polled it. */
static unsigned int poll_recvs_shared(struct lane *l)
{
	struct mlx5_cqe64 latest = { 0 };
	unsigned int n;
	uint16_t last;

	lane_cq_hand_over(l->cqs.recv, l->o->cqe_poll);
	n = lane_cq_taken(&l->cqs.received, &last);
	if (n && l->cqs.recv->direct) {
		latest.wqe_counter = htobe16(last);
		dv_rq_retire(&l->rq, &latest);
	}
	return n;
}

unsigned int lane_take_recvs(struct lane *l)
{
	unsigned int n = l->cqs.recv->lanes    ? poll_recvs_shared(l)
			 : l->cqs.recv->direct ? poll_recvs_direct(l)
					       : poll_recvs_verbs(l);

	if (n)
		post_recvs(l, n);
	return n;
}
