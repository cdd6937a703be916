/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "dvperf.h"
#include "lane.h"

enum {
	SLOTS_BYTES = 1 << 16, /* a batch's WQEs have memory of their own up to here together */
	LINE = 64,
};

void lane_failed(const struct lane *l, unsigned int status, const char *why)
{
	if (l->qp)
		fail("QP 0x%x failed: %s (0x%x)", l->qp->qp_num, why, status);
	fail("the ring failed: %s (0x%x)", why, status);
}

/* ---- what an operation is ---- */

/* Blocks of one WQE, by what its segments take (dv/wqe.h). */
static uint32_t blocks(const struct lane *l)
{
	size_t bytes = sizeof(struct mlx5_wqe_ctrl_seg);

	if (l->o->service == SERVICE_UD)
		bytes += sizeof(struct mlx5_wqe_av);
	if (l->op == OP_WRITE || l->op == OP_READ || l->op == OP_ATOMIC)
		bytes += DV_WQE_DS;
	if (l->op == OP_ATOMIC)
		bytes += DV_WQE_DS;
	if (l->op != OP_NOP)
		bytes += l->is_inline ? dv_inline_seg_size(l->o->size) : DV_WQE_DS;
	return (uint32_t)dv_wqe_nbb(bytes);
}

static enum ring ring_of(const struct options *o)
{
	if (o->barriers != BARRIERS_DEFAULT)
		return o->barriers == BARRIERS_PRE ? RING_PRE : RING_NONE;
	if (o->uar == UAR_NC)
		return RING_DB;
	if (o->doorbell == DOORBELL_AUTO)
		return RING_AUTO;
	return o->doorbell == DOORBELL_BF ? RING_BF : RING_DB;
}

/* Sizes and memory; no device is needed for them. */
static void describe(struct lane *l, const struct options *o, bool receives)
{
	uint64_t slot = (o->size + LINE - 1) / LINE * LINE;
	uint32_t depth = 1;

	*l = (struct lane){ .o = o,
			    .op = o->op,
			    .atomic = o->atomic,
			    .is_inline = options_is_inline(o),
			    .ring = ring_of(o) };
	l->nbb = blocks(l);
	l->stride = slot * o->batch <= SLOTS_BYTES ? slot : 0;
	l->bytes = 2 * ((l->stride ? slot * o->batch : slot) + LINE);
	if (receives)
		l->recv_len = o->size + (o->service == SERVICE_UD ? GRH : 0);
	l->src = pages_get(o, l->bytes);
	l->land = l->src + l->bytes / 2;
	l->sge = (struct ibv_sge){ (uintptr_t)l->src, o->size, 0 };
	l->wr = made(calloc(o->batch, sizeof(*l->wr)));
	l->wr_sge = made(calloc(o->batch, sizeof(*l->wr_sge)));
	while (depth < o->tx_depth + o->batch)
		depth *= 2;
	l->pending_mask = depth - 1;
	l->pending = made(calloc(depth, sizeof(*l->pending)));
}

static void choose_poster(struct lane *l)
{
	if (l->o->api == API_DIRECT)
		l->poster = poster_direct(l);
	else
		l->poster = l->o->api == API_WR ? poster_wr(l) : poster_verbs();
}

/* ---- open, close ---- */

static void take_over(struct lane *l)
{
	ok(dv_sq_map(&l->sq, l->qp));
	ok(dv_cq_map(&l->cq, l->send_cq));
	ok(dv_cq_map(&l->recv_dcq, l->recv_cq));
	if (l->recv_len)
		ok(dv_rq_map(&l->rq, l->qp));
}

void lane_open(struct lane *l, const struct device *dev, struct ibv_pd *pd,
	       const struct options *o, bool receives, const char *reg)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC;
	int cqes;

	describe(l, o, receives);
	l->mr = ibv_reg_mr(dev->pd, l->src, l->bytes, access);
	if (!l->mr)
		refuse("the device registers no %zu bytes (-s): %m", l->bytes);
	l->sge.lkey = l->mr->lkey;
	/* in the error state every WQE may bring a CQE, NOPs too */
	cqes = (int)((o->tx_depth + o->batch) * l->nbb);
	if (cqes > dev->attr.max_cqe)
		cqes = dev->attr.max_cqe;
	l->send_cq = made(ibv_create_cq(dev->ctx, cqes, NULL, NULL, 0));
	l->recv_cq = made(
		ibv_create_cq(dev->ctx, l->recv_len ? (int)o->rx_depth : 1, NULL, NULL, 0));
	lane_create_qp(l, dev, pd, reg);
	if (o->api == API_DIRECT)
		take_over(l);
	choose_poster(l);
}

void lane_close(struct lane *l)
{
	while (l->others)
		ok(ibv_destroy_qp(l->other[--l->others]));
	free(l->other);
	if (l->qp) {
		ok(ibv_destroy_qp(l->qp));
		ok(ibv_destroy_cq(l->send_cq));
		ok(ibv_destroy_cq(l->recv_cq));
		ok(ibv_dereg_mr(l->mr));
		if (l->ah)
			ok(ibv_destroy_ah(l->ah));
		pages_put(l->o, l->src, l->bytes);
	}
	free(l->wr);
	free(l->wr_sge);
	free(l->pending);
}

/* ---- in memory ---- */

void lane_open_memory(struct lane *l, const struct options *o)
{
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_cq cq = { 0 };
	uint32_t n = 1;
	char *mem;

	describe(l, o, false);
	while (n < (o->tx_depth + o->batch) * l->nbb)
		n *= 2;
	mem = pages_get(o, (size_t)n * (DV_WQE_BB + LINE) + 3 * 4096);
	memset(mem, 0, (size_t)n * (DV_WQE_BB + LINE) + 3 * 4096);
	qp.dbrec = (__be32 *)mem;
	cq.dbrec = (__be32 *)(mem + LINE);
	qp.bf.reg = mem + 4096;
	qp.bf.size = 256;
	cq.cq_uar = mem + 2 * 4096;
	qp.sq.buf = mem + 3 * 4096;
	qp.sq.wqe_cnt = cq.cqe_cnt = n;
	qp.sq.stride = DV_WQE_BB;
	cq.buf = mem + 3 * 4096 + (size_t)n * DV_WQE_BB;
	cq.cqe_size = LINE;
	for (uint32_t i = 0; i < n; i++)
		((struct mlx5_cqe64 *)cq.buf)[i].op_own = MLX5_CQE_INVALID << 4;
	ok(dv_sq_init(&l->sq, &qp, 1));
	ok(dv_cq_init(&l->cq, &cq));
	l->reg = qp.bf.reg;
	choose_poster(l);
}
