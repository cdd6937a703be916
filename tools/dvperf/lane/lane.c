/* SPDX-License-Identifier: BSD-2-Clause */
/* A lane opened and closed: on a device, or with its rings in memory. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "devx.h"
#include "lane.h"
#include "ring.h"

enum { LINE = 64 };

void lane_failed(const struct lane *l, unsigned int status, const char *why)
{
	if (l->verbs.qp || l->devx)
		base_fail("QP 0x%x failed: %s (0x%x)", lane_qpn(l), why, status);
	base_fail("the ring failed: %s (0x%x)", why, status);
}

/* ---- what an operation is ---- */

/* Blocks of an operation, by what the segments of its WQE take (dv/wqe.h). */
static uint32_t blocks(const struct lane *l)
{
	static const size_t address[] = { [TO_UD] = sizeof(struct mlx5_wqe_av),
					  [TO_XRC] = sizeof(struct dv_wqe_xrc_seg),
					  [TO_DC] = sizeof(struct mlx5_wqe_av) };
	size_t bytes = sizeof(struct mlx5_wqe_ctrl_seg);

	if (l->op.kind == OP_NOP)
		return 1;
	if (l->op.kind == OP_MMO) /* metadata, source, destination */
		return l->op.wqes * (uint32_t)dv_wqe_nbb(bytes + 3 * DV_WQE_DS);
	bytes += address[lane_wqe_to(l->o)];
	if (l->op.kind != OP_SEND)
		bytes += DV_WQE_DS;
	if (l->op.kind == OP_ATOMIC)
		bytes += DV_WQE_DS;
	if (l->op.is_inline)
		bytes += dv_inline_seg_size(l->o->size);
	else if (l->o->size) /* a data segment of 0 bytes would be one of 2 GB */
		bytes += DV_WQE_DS;
	return (uint32_t)dv_wqe_nbb(bytes);
}

static enum ring ring_of(const struct options *o)
{
	static const enum ring rings[] = { [DOORBELL_DB] = RING_DB,
					   [DOORBELL_BF] = RING_BF,
					   [DOORBELL_BF_LAST] = RING_LAST,
					   [DOORBELL_ZMM] = RING_ZMM,
					   [DOORBELL_MOVDIR64B] = RING_MOVDIR64B };

	if (o->barriers != BARRIERS_DEFAULT)
		return o->barriers == BARRIERS_PRE ? RING_PRE : RING_NONE;
	if (o->uar == UAR_NC)
		return RING_DB;
	if (o->doorbell == DOORBELL_AUTO)
		return options_is_inline(o) ? RING_BF : RING_DB;
	return rings[o->doorbell];
}

/* Sizes; no device is needed for them. @chunk: bytes that it copies by one WQE, at most. */
static void describe(struct lane *l, const struct options *o, bool receives, uint32_t chunk)
{
	uint32_t depth = 1;

	*l = (struct lane){ .o = o,
			    .op = { .kind = o->op,
				    .atomic = o->atomic,
				    .is_inline = options_is_inline(o),
				    .wqes = options_wqes(o, chunk),
				    .chunk = chunk },
			    .doorbell.kind = ring_of(o) };
	l->op.blocks = blocks(l);
	if (receives) /* of an empty message, too */
		l->mem.recv_len =
			(o->size ? o->size : 1) + (o->service == SERVICE_UD ? GRH : 0);
	l->op.wrs = base_made(calloc(o->batch, sizeof(*l->op.wrs)));
	l->op.sges = base_made(calloc(o->batch, sizeof(*l->op.sges)));
	while (depth < o->tx_depth + o->batch)
		depth *= 2;
	l->queue.mask = depth - 1;
	l->queue.pending = base_made(calloc(depth, sizeof(*l->queue.pending)));
}

static void choose_poster(struct lane *l)
{
	static const struct poster *(*const posters[])(const struct lane *) = {
		[API_DIRECT] = poster_direct,
		[API_WR] = poster_wr,
		[API_VERBS] = poster_verbs,
		[API_MANY] = poster_many,
	};

	ring_choose(l);
	l->poster = posters[l->o->api](l);
}

/* ---- open, close ---- */

static void take_over(struct lane *l)
{
	base_ok(dv_sq_map(&l->sq, l->verbs.qp));
	if (l->verbs.srq)
		base_ok(dv_srq_map(&l->srq, l->verbs.srq));
	else if (l->mem.recv_len)
		base_ok(dv_rq_map(&l->rq, l->verbs.qp));
}

void lane_open(struct lane *l, const struct device *dev, const struct options *o,
	       const struct lane_place *place)
{
	describe(l, o, place->role & LANE_RECEIVES, device_chunk(dev, o));
	lane_take_memory(l, dev, place);
	if (o->collapsed) {
		lane_devx_open(l, dev);
	} else {
		lane_cqs_get(l, dev, place);
		lane_create_qp(l, dev, place->pd, place->reg);
		lane_create_target(l, dev);
		if (o->api == API_DIRECT)
			take_over(l);
		lane_cqs_take_over(l);
	}
	choose_poster(l);
	lane_poll_specially(l);
}

void lane_close(struct lane *l)
{
	while (l->verbs.n_spare_qps)
		base_ok(ibv_destroy_qp(l->verbs.spare_qps[--l->verbs.n_spare_qps]));
	free(l->verbs.spare_qps);
	if (l->verbs.qp) {
		base_ok(ibv_destroy_qp(l->verbs.qp));
		lane_destroy_target(l);
		lane_cqs_put(l);
	}
	if (l->devx)
		lane_devx_close(l);
	if (l->op.ah)
		base_ok(ibv_destroy_ah(l->op.ah));
	lane_drop_alias(l);
	lane_drop_memory(l);
	free(l->op.wrs);
	free(l->op.sges);
	free(l->queue.pending);
}

/* ---- in memory ---- */

void lane_open_memory(struct lane *l, const struct options *o)
{
	const struct lane_place place = { .role = LANE_POSTS };
	struct mlx5dv_qp qp = { 0 };
	struct mlx5dv_cq cq = { 0 };
	uint32_t n = 1, cqe = o->cqe_size ? o->cqe_size : LINE;
	char *mem;

	describe(l, o, false, device_chunk(NULL, o));
	lane_take_memory(l, NULL, &place);
	while (n < (o->tx_depth + o->batch) * l->op.blocks)
		n *= 2;
	l->mem.host_rings_bytes = (size_t)n * (DV_WQE_BB + cqe) + 3 * 4096;
	mem = l->mem.host_rings = pages_get(o, l->mem.host_rings_bytes);
	memset(mem, 0, l->mem.host_rings_bytes);
	qp.dbrec = (__be32 *)mem;
	cq.dbrec = (__be32 *)(mem + LINE);
	qp.bf.reg = mem + 4096;
	qp.bf.size = 256;
	cq.cq_uar = mem + 2 * 4096;
	qp.sq.buf = mem + 3 * 4096;
	qp.sq.wqe_cnt = cq.cqe_cnt = n;
	qp.sq.stride = DV_WQE_BB;
	cq.buf = mem + 3 * 4096 + (size_t)n * DV_WQE_BB;
	cq.cqe_size = cqe;
	dv_cq_blank(cq.buf, n, cqe);
	base_ok(dv_sq_init(&l->sq, &qp, 1));
	base_ok(dv_cq_init(&l->cqs.send_ring, &cq));
	l->doorbell.reg = qp.bf.reg;
	choose_poster(l);
}
