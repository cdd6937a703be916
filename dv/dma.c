/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies by the device (dma.h): chunks are posted, completed, and reported as copies. All of it
 * in the order in which the copies were accepted, since a queue completes in order.
 *
 *	copy[]   | reported … | finished … | in flight … | waits … | free …
 *	         ^ reported   ^ completing ^ posting               ^ accepted
 */
#include "dma.h"

static struct dma_copy *copy_at(struct dv_dma *dma, uint32_t i)
{
	return &dma->copy[i & dma->mask];
}

/* ---- post ---- */

static uint16_t in_flight(const struct dv_dma *dma)
{
	return (uint16_t)(dma->sq.pi - dma->sq.ci);
}

/* Bytes of chunk @n. */
static uint64_t chunk_len(const struct dv_dma *dma, const struct dma_copy *c, uint32_t n)
{
	uint64_t left = c->len - (uint64_t)n * dma->chunk;

	return left < dma->chunk ? left : dma->chunk;
}

/* The next chunk of @c; there is space. */
static void post_chunk(struct dv_dma *dma, struct dma_copy *c)
{
	uint64_t at = (uint64_t)c->posted * dma->chunk;
	struct dv_laddr src = { c->src.addr + at, c->src.lkey };
	struct dv_laddr dst = { c->dst.addr + at, c->dst.lkey };
	uint8_t flags = MLX5_WQE_CTRL_CQ_UPDATE;

	/* UCX, gga_mlx5.c: DMA is ordered by this fence only. The chunks after the first one
	 * follow it in the queue. */
	if (c->flags & DV_DMA_FENCE && !c->posted)
		flags |= DV_FENCE_STRONG_ORDERING;
	dv_sq_memcpy(&dma->sq, flags, dma->opaque, dst, src,
		     (uint32_t)chunk_len(dma, c, c->posted));
	c->posted++;
	dma->count.chunks++;
}

static void post(struct dv_dma *dma)
{
	struct dma_copy *c;

	while (dma->posting != dma->accepted && !dma->failed) {
		if (in_flight(dma) >= dma->depth)
			return;
		c = copy_at(dma, dma->posting);
		post_chunk(dma, c);
		if (c->posted == c->chunks)
			dma->posting++;
		if (dma->batch && (uint16_t)(dma->sq.pi - dma->sq.db_pi) >= dma->batch)
			dv_dma_doorbell(dma);
	}
}

void dv_dma_doorbell(struct dv_dma *dma)
{
	if (dma->sq.pi == dma->sq.db_pi)
		return;
	dma->count.doorbells++;
	dv_sq_doorbell(&dma->sq);
}

/* Without a division for the usual short one. */
static uint64_t chunks_of(const struct dv_dma *dma, uint64_t len)
{
	return len <= dma->chunk ? 1 : (len - 1) / dma->chunk + 1;
}

static int check(const struct dv_dma *dma, uint64_t dst, uint64_t src, uint64_t len,
		 unsigned int flags)
{
	if (dma->failed)
		return dv_refuse(EIO, "an earlier copy failed: poll, then dv_dma_recover()");
	if (dma->accepted - dma->reported >= dma->copies)
		return dv_refuse(EAGAIN,
				 "as many copies as there can be are not reported: poll");
	if (!len)
		return dv_refuse(EINVAL, "a copy of no bytes");
	if (len - 1 > UINT64_MAX - dst || len - 1 > UINT64_MAX - src)
		return dv_refuse(EINVAL, "source or destination goes beyond 2^64");
	if (flags & ~(unsigned int)DV_DMA_FENCE)
		return dv_refuse(EINVAL, "flags that are not DV_DMA_*");
	return 0;
}

int dv_dma_copy(struct dv_dma *dma, uint64_t id, struct dv_laddr dst, struct dv_laddr src,
		uint64_t len, unsigned int flags)
{
	int err = check(dma, dst.addr, src.addr, len, flags);
	uint64_t chunks = chunks_of(dma, len);

	if (err)
		return err;
	if (chunks > UINT32_MAX)
		return dv_refuse(EINVAL, "more chunks than can be counted: a larger chunk");
	*copy_at(dma, dma->accepted++) = (struct dma_copy){ .id = id,
							    .len = len,
							    .dst = dst,
							    .src = src,
							    .chunks = (uint32_t)chunks,
							    .flags = flags };
	dma->count.copies++;
	post(dma);
	return 0;
}

/* ---- complete ---- */

static void chunk_ok(struct dv_dma *dma, struct dma_copy *c)
{
	dma->count.ok++;
	dma->count.bytes += chunk_len(dma, c, c->completed);
	c->ok++;
}

static void chunk_failed(struct dv_dma *dma, struct dma_copy *c, const struct mlx5_cqe64 *cqe)
{
	uint8_t syndrome = dv_cqe_syndrome(cqe);

	dma->failed = true;
	if (syndrome == MLX5_CQE_SYNDROME_WR_FLUSH_ERR)
		dma->count.flushed++;
	else
		dma->count.failed++;
	if (c->failed++)
		return;
	c->syndrome = syndrome;
	c->vendor_syndrome = dv_cqe_vendor_syndrome(cqe);
	c->hw_syndrome = dv_cqe_hw_syndrome(cqe);
}

/* The oldest chunk in flight; @cqe is NULL or its completion, an error. */
static void complete_chunk(struct dv_dma *dma, const struct mlx5_cqe64 *error)
{
	struct dma_copy *c = copy_at(dma, dma->completing);

	if (error)
		chunk_failed(dma, c, error);
	else
		chunk_ok(dma, c);
	c->completed++;
	if (c->completed == c->chunks)
		dma->completing++;
}

/* A CQE completes its chunk, and those before it without an error. Every chunk has a CQE, so it
 * has none before it, unless the caller's CQ lost some. */
static void complete(struct dv_dma *dma, const struct mlx5_cqe64 *cqe)
{
	uint16_t n = (uint16_t)(dv_cqe_wqe_counter(cqe) - dma->sq.ci);

	if (n >= in_flight(dma))
		return; /* not of this queue, or of before a reset */
	for (; n; n--)
		complete_chunk(dma, NULL);
	complete_chunk(dma, dv_cqe_is_error(cqe) ? cqe : NULL);
	dv_sq_retire(&dma->sq, cqe);
}

static void take_cqes(struct dv_dma *dma)
{
	const struct mlx5_cqe64 *cqe = dv_cq_poll(&dma->cq);

	if (!cqe)
		return;
	do
		complete(dma, cqe);
	while ((cqe = dv_cq_poll(&dma->cq)));
	dv_cq_release(&dma->cq);
}

/* ---- report ---- */

static bool is_finished(const struct dv_dma *dma, const struct dma_copy *c)
{
	return c->completed == c->chunks || (dma->failed && c->completed == c->posted);
}

static int status_of(const struct dma_copy *c)
{
	if (c->ok == c->chunks)
		return 0;
	return c->failed && c->syndrome != MLX5_CQE_SYNDROME_WR_FLUSH_ERR ? EIO : ECANCELED;
}

static void report(const struct dv_dma *dma, const struct dma_copy *c, struct dv_dma_done *done)
{
	uint64_t copied = (uint64_t)c->ok * dma->chunk;

	if (copied > c->len)
		copied = c->len;
	*done = (struct dv_dma_done){
		.id = c->id,
		.len = c->len,
		.copied = copied,
		.fail_offset = copied,
		.fail_len = c->ok == c->chunks ? 0 : chunk_len(dma, c, c->ok),
		.chunks = c->chunks,
		.chunks_ok = c->ok,
		.chunks_error = c->failed,
		.status = status_of(c),
		.syndrome = c->syndrome,
		.vendor_syndrome = c->vendor_syndrome,
		.hw_syndrome = c->hw_syndrome,
	};
}

/* A finished copy whose other chunks are not posted any more is passed over. */
static void pass(struct dv_dma *dma)
{
	dma->reported++;
	dma->count.reported++;
	if ((int32_t)(dma->completing - dma->reported) < 0)
		dma->completing = dma->reported;
}

unsigned int dv_dma_poll(struct dv_dma *dma, struct dv_dma_done *done, unsigned int n)
{
	unsigned int i = 0;

	take_cqes(dma);
	post(dma);
	dv_dma_doorbell(dma);
	for (; i < n && dma->reported != dma->accepted; i++) {
		const struct dma_copy *c = copy_at(dma, dma->reported);

		if (!is_finished(dma, c))
			break;
		report(dma, c, &done[i]);
		pass(dma);
	}
	return i;
}

unsigned int dv_dma_outstanding(const struct dv_dma *dma)
{
	return dma->accepted - dma->reported;
}

/* ---- after RESET ---- */

void dv_dma_restart(struct dv_dma *dma)
{
	take_cqes(dma);
	for (uint32_t i = dma->reported; i != dma->accepted; i++) {
		struct dma_copy *c = copy_at(dma, i);

		/* Chunks without a completion: neither ok nor failed. */
		c->completed = c->chunks;
	}
	dma->completing = dma->posting = dma->accepted;
	dma->failed = false;
	dv_sq_restart(&dma->sq);
}

/* ---- what it is ---- */

void dv_dma_query_counters(const struct dv_dma *dma, struct dv_dma_counters *counters)
{
	*counters = dma->count;
}

void dv_dma_query_limits(const struct dv_dma *dma, struct dv_dma_limits *limits)
{
	*limits = (struct dv_dma_limits){ .max_wr = dma->max_wr,
					  .chunk = dma->chunk,
					  .depth = dma->depth,
					  .copies = dma->copies };
}

const struct dv_sq *dv_dma_sq(const struct dv_dma *dma)
{
	return &dma->sq;
}

const struct dv_cq *dv_dma_cq(const struct dv_dma *dma)
{
	return &dma->cq;
}
