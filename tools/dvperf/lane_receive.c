/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives of a lane: posted, and taken when they have come. */
#include <dv/print.h>

#include "dvperf.h"
#include "lane.h"

static void post_recvs(struct lane *l, unsigned int n)
{
	struct ibv_sge sge = { (uintptr_t)l->land, l->recv_len, l->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	for (unsigned int i = 0; i < n; i++)
		ok(l->o->api == API_DIRECT ? dv_rq_post(&l->rq, &sge, 1)
					   : ibv_post_recv(l->qp, &wr, &bad));
	if (l->o->api == API_DIRECT)
		dv_rq_doorbell(&l->rq);
}

void lane_fill_recvs(struct lane *l)
{
	if (l->recv_len)
		post_recvs(l, l->o->rx_depth);
}

static unsigned int poll_recvs_direct(struct lane *l)
{
	const struct mlx5_cqe64 *cqe;
	unsigned int n = 0;

	while (n < LANE_WCS && (cqe = dv_cq_poll(&l->recv_dcq))) {
		if (dv_cqe_is_error(cqe))
			lane_failed(l, dv_cqe_syndrome(cqe),
				    dv_syndrome_str(dv_cqe_syndrome(cqe)));
		dv_rq_retire(&l->rq, cqe);
		n++;
	}
	if (n)
		dv_cq_release(&l->recv_dcq);
	return n;
}

static unsigned int poll_recvs_verbs(struct lane *l)
{
	struct ibv_wc wc[LANE_WCS];
	int got = ibv_poll_cq(l->recv_cq, LANE_WCS, wc);

	for (int i = 0; i < got; i++)
		if (wc[i].status)
			lane_failed(l, wc[i].vendor_err, ibv_wc_status_str(wc[i].status));
	return got > 0 ? (unsigned int)got : 0;
}

unsigned int lane_take_recvs(struct lane *l)
{
	unsigned int n = l->o->api == API_DIRECT ? poll_recvs_direct(l) : poll_recvs_verbs(l);

	if (n)
		post_recvs(l, n);
	return n;
}
