/* SPDX-License-Identifier: BSD-2-Clause */
/* --collapsed: the QP and the CQs of a lane by DevX. */
#include <stdlib.h>

#include <devx/eq.h>
#include <devx/pd.h>
#include <dv/print.h>
#include <prm/value.h>

#include "base/base.h"
#include "devx.h"

enum { MAX_BLOCKS = 32768 /* devx/qp.h */ };

/* Exits with the error of firmware or kernel, if there is one. */
static void must(int err)
{
	char line[256];

	if (err)
		base_refuse("--collapsed: %s",
			    devx_error_str(devx_last_error(), line, sizeof(line)));
}

static uint32_t power_of_2(uint32_t n)
{
	uint32_t power = 4; /* with fewer receives the send ring would not begin at a block */

	while (power < n)
		power *= 2;
	return power;
}

static void open_cqs(struct lane *l, const struct device *dev)
{
	const struct options *o = l->o;
	struct lane_devx *x = l->devx;
	struct devx_cq_attr attr = { .cqe_size = o->cqe_size,
				     .uar = &x->uar,
				     .cqe_cnt = power_of_2(o->cq_size ? o->cq_size
								      : options_cqes(o)),
				     .overrun_ignore = true,
				     .collapsed = true };

	must(devx_eqn_query(&attr.eqn, dev->ctx, 0));
	must(devx_cq_create(&x->send, dev->ctx, &attr));
	x->send_cq.direct = x->recv_cq.direct = true;
	l->cqs.send_ring = x->send.cq;
	l->cqs.send = &x->send_cq;
	l->cqs.recv = &x->recv_cq;
	if (!l->mem.recv_len)
		return;
	attr.cqe_cnt = power_of_2(o->rx_depth);
	attr.overrun_ignore = attr.collapsed = false;
	must(devx_cq_create(&x->recv, dev->ctx, &attr));
	l->cqs.recv_ring = x->recv.cq;
	x->recv_cq.ring = &l->cqs.recv_ring;
}

static void open_qp(struct lane *l, const struct device *dev)
{
	static const uint8_t types[] = { [SERVICE_RC] = PRM_QPC_ST_RC,
					 [SERVICE_UC] = PRM_QPC_ST_UC,
					 [SERVICE_UD] = PRM_QPC_ST_UD };
	const struct options *o = l->o;
	struct lane_devx *x = l->devx;
	/* a batch more than is ever outstanding: space for NOPs at the end of the ring */
	struct devx_qp_attr attr = { .st = types[o->service],
				     .uar = &x->uar,
				     .send_cqn = x->send.obj.id,
				     .recv_cqn = x->send.obj.id,
				     .sq_wqe_cnt = power_of_2((o->tx_depth + o->batch) *
							      l->op.blocks) };

	if (attr.sq_wqe_cnt > MAX_BLOCKS)
		base_refuse("--collapsed: a send queue of %u blocks (-t, -l, -I) is above %d",
			    attr.sq_wqe_cnt, MAX_BLOCKS);
	if (l->mem.recv_len) {
		attr.recv_cqn = x->recv.obj.id;
		attr.rq_wqe_cnt = power_of_2(o->rx_depth);
	}
	must(devx_pdn_query(&attr.pdn, dev->pd));
	must(devx_qp_create(&x->qp, dev->ctx, &attr));
	l->sq = x->qp.sq;
	l->rq = x->qp.rq;
	x->many.sq = x->qp.sq;
	x->many.cq = x->send.cq;
}

void lane_devx_open(struct lane *l, const struct device *dev)
{
	l->devx = base_made(aligned_alloc(64, sizeof(*l->devx)));
	*l->devx = (struct lane_devx){ 0 };
	must(devx_uar_alloc(&l->devx->uar, dev->ctx, DEVX_UAR_ANY));
	l->doorbell.reg = l->devx->uar.reg;
	open_cqs(l, dev);
	open_qp(l, dev);
}

void lane_devx_close(struct lane *l)
{
	struct lane_devx *x = l->devx;

	base_ok(devx_qp_destroy(&x->qp));
	base_ok(devx_cq_destroy(&x->send));
	if (l->mem.recv_len)
		base_ok(devx_cq_destroy(&x->recv));
	devx_uar_free(&x->uar);
	free(x);
}

void lane_devx_connect(struct lane *l, const struct device *dev, const struct dv_endpoint *ours,
		       const struct dv_endpoint *theirs, const struct dv_qp_conn *conn)
{
	must(devx_qp_connect(&l->devx->qp, dev->pd, ours, theirs, conn));
}

/* ---- the function of struct poster ---- */

static unsigned int poll_collapsed(struct lane *l, unsigned int most)
{
	struct dv_collapsed newest = dv_cq_collapsed(&l->cqs.send_ring);
	struct mlx5_cqe64 cqe = { .wqe_counter = htobe16(newest.wqe_counter) };
	unsigned int n = 0;

	if (newest.opcode == MLX5_CQE_INVALID)
		return 0;
	if (newest.opcode != MLX5_CQE_REQ)
		lane_failed(l, dv_cqe_syndrome(dv_cq_at(&l->cqs.send_ring, 0)),
			    dv_syndrome_str(dv_cqe_syndrome(dv_cq_at(&l->cqs.send_ring, 0))));
	while (n < most && l->queue.head + n != l->queue.tail &&
	       (int16_t)(newest.wqe_counter -
			 l->queue.pending[(l->queue.head + n) & l->queue.mask].at) >= 0)
		n++;
	if (n)
		dv_sq_retire(&l->sq, &cqe);
	return n;
}

void lane_devx_poll(struct poster *poster)
{
	poster->poll = poll_collapsed;
	poster->poll_marked = NULL; /* post does not */
}
