/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue of copies by the device (dma.h): an RC QP made for DMA, connected to itself, its
 * CQ, and the buffer that the device writes its status into.
 */
#include <stdlib.h>

#include "dma.h"

enum {
	CHUNK = 1 << 20,
	DEPTH = 64,
	OPAQUE_BYTES = 64,
	LOG_MOST_COPIES = 20,
};

#define LONGEST_WR ((uint64_t)1 << 31) /* 2 GiB are written as 0 (rdma-core, qp.c) */

/* errno of a call that returned NULL. */
static int of_errno(const char *why)
{
	return dv_refuse(errno ? errno : ENOMEM, "%s", why);
}

static uint32_t power_of_2(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p <<= 1;
	return p;
}

static uint32_t or_default(uint32_t value, uint32_t preset)
{
	return value ? value : preset;
}

/* ---- a queue that exists ---- */

static int check(const struct dv_dma_attr *attr, uint64_t max_wr)
{
	if (!max_wr)
		return dv_refuse(EOPNOTSUPP, "the device copies nothing: max_wr is 0");
	if (attr->chunk > LONGEST_WR)
		return dv_refuse(EINVAL, "a chunk of more than 2 GiB");
	if (attr->depth > DV_RING_MAX)
		return dv_refuse(EINVAL, "depth is more than a ring can have");
	if (attr->copies >> LOG_MOST_COPIES)
		return dv_refuse(EINVAL, "more than a million copies at a time");
	return 0;
}

static uint16_t least(uint32_t a, uint32_t b)
{
	return (uint16_t)(a < b ? a : b);
}

static int allocate(struct dv_dma **dma, const struct dv_dma_attr *attr, uint64_t max_wr)
{
	uint32_t chunk = or_default(attr->chunk, CHUNK);
	uint32_t copies = or_default(attr->copies, or_default(attr->depth, DEPTH));
	struct dv_dma *d = aligned_alloc(64, (sizeof(*d) + 63) / 64 * 64);

	if (!d)
		return dv_refuse(ENOMEM, "no memory");
	*d = (struct dv_dma){ .max_wr = max_wr < LONGEST_WR ? max_wr : LONGEST_WR,
			      .copies = copies,
			      .mask = power_of_2(copies) - 1,
			      .batch = attr->batch,
			      .port = attr->port ? attr->port : 1 };
	d->chunk = chunk < d->max_wr ? chunk : (uint32_t)d->max_wr;
	d->copy = calloc(d->mask + 1, sizeof(*d->copy));
	*dma = d;
	if (d->copy)
		return 0;
	free(d);
	return dv_refuse(ENOMEM, "no memory");
}

/* No more in flight than there is space for, in either ring. */
static void use_rings(struct dv_dma *dma, uint32_t depth)
{
	dma->depth = least(or_default(depth, DEPTH), least(dma->sq.wqe_cnt, dma->cq.cqe_cnt));
}

int dv_dma_create_on(struct dv_dma **dma, const struct dv_dma_queue *queue,
		     const struct dv_dma_attr *attr)
{
	int err = check(attr, queue->max_wr);

	if (!err && queue->opaque.addr % OPAQUE_BYTES)
		err = dv_refuse(EINVAL, "the buffer for the status is not at a multiple of 64");
	if (!err)
		err = allocate(dma, attr, queue->max_wr);
	if (err)
		return err;
	(*dma)->sq = *queue->sq;
	(*dma)->cq = *queue->cq;
	(*dma)->opaque = queue->opaque;
	use_rings(*dma, attr->depth);
	return 0;
}

/* ---- a new one ---- */

static int ask(struct ibv_context *ctx, uint64_t *max_wr)
{
	struct mlx5dv_context dv = { .comp_mask = MLX5DV_CONTEXT_MASK_WR_MEMCPY_LENGTH };
	int err;

	if (!mlx5dv_is_supported(ctx->device))
		return dv_refuse(EOPNOTSUPP, "not an mlx5 device");
	err = mlx5dv_query_device(ctx, &dv);
	if (err)
		return dv_refuse(err, "mlx5dv_query_device() failed");
	*max_wr = dv.max_wr_memcpy_length;
	return *max_wr ? 0
		       : dv_refuse(
				 EOPNOTSUPP,
				 "no DMA by work requests (max_wr_memcpy_length 0): the device has "
				 "neither dma_mmo_qp nor dma_mmo_sq, or the context was opened "
				 "without DevX");
}

static int make_opaque(struct dv_dma *dma, struct ibv_pd *pd)
{
	dma->buffer = aligned_alloc(OPAQUE_BYTES, OPAQUE_BYTES);
	if (!dma->buffer)
		return dv_refuse(ENOMEM, "no memory");
	memset(dma->buffer, 0, OPAQUE_BYTES);
	dma->mr = ibv_reg_mr(pd, dma->buffer, OPAQUE_BYTES, IBV_ACCESS_LOCAL_WRITE);
	if (!dma->mr)
		return of_errno("the buffer for the status cannot be registered");
	dma->opaque = (struct dv_laddr){ (uintptr_t)dma->buffer, dma->mr->lkey };
	return 0;
}

static int make_qp(struct dv_dma *dma, struct ibv_pd *pd, uint32_t depth)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
		.cap = { .max_send_wr = depth, .max_send_sge = 1 },
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY,
	};

	dma->ibcq = ibv_create_cq(pd->context, (int)depth, NULL, NULL, 0);
	if (!dma->ibcq)
		return of_errno("no CQ: ibv_create_cq() failed");
	init.send_cq = init.recv_cq = dma->ibcq;
	dma->qp = mlx5dv_create_qp(pd->context, &init, &dv);
	return dma->qp ? 0 : of_errno("no QP for DMA: mlx5dv_create_qp() failed");
}

static int map(struct dv_dma *dma, uint32_t depth)
{
	int err = dv_sq_map(&dma->sq, dma->qp);

	if (!err)
		err = dv_cq_map(&dma->cq, dma->ibcq);
	if (!err)
		use_rings(dma, depth);
	return err;
}

/* To itself. No peer, so no rights: DMA takes those of its keys. */
static int connect_self(struct dv_dma *dma)
{
	struct dv_endpoint self;
	struct dv_qp_conn conn;
	int err = dv_endpoint_init(&self, dma->qp, dma->port, DV_GID_DEFAULT);

	if (err)
		return err;
	dv_qp_conn_init(&conn);
	conn.access = 0;
	return dv_qp_connect(dma->qp, &self, &self, &conn);
}

int dv_dma_create(struct dv_dma **dma, const struct dv_dma_attr *attr)
{
	uint64_t max_wr = 0;
	struct dv_dma *d;
	int err = ask(attr->pd->context, &max_wr);

	if (!err)
		err = check(attr, max_wr);
	if (!err)
		err = allocate(&d, attr, max_wr);
	if (err)
		return err;
	err = make_opaque(d, attr->pd);
	if (!err)
		err = make_qp(d, attr->pd, or_default(attr->depth, DEPTH));
	if (!err)
		err = map(d, attr->depth);
	if (!err)
		err = connect_self(d);
	if (err)
		dv_dma_destroy(d);
	else
		*dma = d;
	return err;
}

int dv_dma_destroy(struct dv_dma *dma)
{
	int err = 0;

	if (!dma)
		return 0;
	if (dma->qp)
		err = dv_refused_by("ibv_destroy_qp", ibv_destroy_qp(dma->qp));
	if (err)
		return err;
	dma->qp = NULL;
	if (dma->ibcq)
		err = dv_refused_by("ibv_destroy_cq", ibv_destroy_cq(dma->ibcq));
	if (err)
		return err;
	dma->ibcq = NULL;
	if (dma->mr)
		err = dv_refused_by("ibv_dereg_mr", ibv_dereg_mr(dma->mr));
	if (err)
		return err;
	free(dma->buffer);
	free(dma->copy);
	free(dma);
	return 0;
}

int dv_dma_recover(struct dv_dma *dma)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	int err;

	if (!dma->qp)
		return dv_refuse(EOPNOTSUPP, "a queue of the caller: dv_dma_restart()");
	err = ibv_modify_qp(dma->qp, &reset, IBV_QP_STATE);
	if (err)
		return dv_refuse(err,
				 "the QP cannot be moved to RESET: ibv_modify_qp() failed");
	dv_dma_restart(dma);
	dma->failed = true; /* until it is in RTS */
	err = connect_self(dma);
	dma->failed = err;
	return err;
}
