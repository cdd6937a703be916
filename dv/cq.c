/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that change a whole CQ ring: mark new memory, remove the CQEs of a QP, replace the
 * ring. */
#include <string.h>

#include <dv/cq.h>
#include <dv/srq.h>

#include "refuse.h"

void dv_cq_blank(void *buf, uint32_t cqe_cnt, uint32_t cqe_size)
{
	struct mlx5_cqe64 *cqe;

	for (uint32_t i = 0; i < cqe_cnt; i++) {
		cqe = (struct mlx5_cqe64 *)((char *)buf + (size_t)(i + 1) * cqe_size) - 1;
		cqe->op_own = MLX5_CQE_INVALID << 4 | MLX5_CQE_OWNER_MASK;
		cqe->signature = 0xff;
	}
}

/*
 * Cleaning goes from the newest CQE to the oldest. Those that stay move towards the newest,
 * over the gaps; ci then moves up to the first of them.
 *
 *	ci                 pi            ci     pi
 *	| a | X | b | X | c |    ->  . . | a | b | c |
 *
 * The owner bit belongs to the slot and the pass over the ring, not to the CQE that moves in.
 */
static struct mlx5_cqe64 *cqe_at(const struct dv_cq *cq, uint32_t ci)
{
	return (struct mlx5_cqe64 *)dv_cq_at(cq, ci);
}

/* The index after the newest CQE. */
static uint32_t producer(const struct dv_cq *cq)
{
	struct dv_cq ahead = *cq;

	while (ahead.ci - cq->ci < cq->cqe_cnt && dv_cq_poll(&ahead))
		;
	return ahead.ci;
}

static void move(const struct dv_cq *cq, uint32_t from, uint32_t to)
{
	size_t size = cq->cqe_size;
	struct mlx5_cqe64 *dst = cqe_at(cq, to), *src = cqe_at(cq, from);
	uint8_t owner = dst->op_own & MLX5_CQE_OWNER_MASK;

	/* A slot of 128 bytes begins 64 bytes before the part that cqe_at() shows. */
	memcpy((char *)(dst + 1) - size, (char *)(src + 1) - size, size);
	dst->op_own = (dst->op_own & ~MLX5_CQE_OWNER_MASK) | owner;
}

static bool is_responder(const struct mlx5_cqe64 *cqe)
{
	uint8_t opcode = dv_cqe_opcode(cqe);

	return (opcode >= MLX5_CQE_RESP_WR_IMM && opcode <= MLX5_CQE_RESP_SEND_INV) ||
	       opcode == MLX5_CQE_RESP_ERR;
}

uint32_t dv_cq_clean_srq(struct dv_cq *cq, uint32_t qpn, struct dv_srq *srq)
{
	uint32_t taken = 0;

	for (uint32_t i = producer(cq); i-- != cq->ci;) {
		const struct mlx5_cqe64 *cqe = cqe_at(cq, i);

		if (dv_cqe_qpn(cqe) == qpn) {
			taken++;
			if (srq && is_responder(cqe))
				dv_srq_give(srq, dv_cqe_wqe_counter(cqe));
		} else if (taken) {
			move(cq, i, i + taken);
		}
	}
	cq->ci += taken;
	/* The moved CQEs before the record, after which the device may write over the old. */
	dv_barrier_wqe_before_dbrec();
	dv_cq_release(cq);
	return taken;
}

uint32_t dv_cq_clean(struct dv_cq *cq, uint32_t qpn)
{
	return dv_cq_clean_srq(cq, qpn, NULL);
}

/*
 * Resizing: MODIFY_CQ gave the device another ring; from then on it writes there, and the last
 * CQE in the old ring says so. Each CQE that waits keeps its index plus one, because the RESIZE
 * CQE takes an index too (libmlx5, cq.c, mlx5_cq_resize_copy_cqes(), does the same):
 *
 *	old   ci            pi             new   ci + 1
 *	... | a | b | c | RESIZE |    ->   ... . | a | b | c | <- the device continues here
 */
/* How many CQEs wait before the RESIZE CQE. False: it is not there. */
static bool find_resize(const struct dv_cq *cq, uint32_t *waiting)
{
	struct dv_cq ahead = *cq;
	const struct mlx5_cqe64 *cqe;

	for (*waiting = 0; *waiting < cq->cqe_cnt && (cqe = dv_cq_poll(&ahead)); ++*waiting)
		if (dv_cqe_opcode(cqe) == MLX5_CQE_RESIZE_CQ)
			return true;
	return false;
}

/* The CQE with index @ci of the old ring becomes that with index @ci + 1 of @to. */
static void copy(const struct dv_cq *from, const struct dv_cq *to, uint32_t ci)
{
	size_t size = from->cqe_size < to->cqe_size ? from->cqe_size : to->cqe_size;
	const struct mlx5_cqe64 *src = dv_cq_at(from, ci);
	struct mlx5_cqe64 *dst = (struct mlx5_cqe64 *)dv_cq_at(to, ci + 1);
	uint8_t owner = (ci + 1) & to->cqe_cnt ? MLX5_CQE_OWNER_MASK : 0;

	memcpy((char *)(dst + 1) - size, (const char *)(src + 1) - size, size);
	dst->op_own = (uint8_t)((src->op_own & ~MLX5_CQE_OWNER_MASK) | owner);
}

int dv_cq_resize(struct dv_cq *cq, const struct mlx5dv_cq *ring)
{
	struct dv_cq to = *cq;
	uint32_t waiting, i;

	if (!ring->buf || !ring->cqe_cnt)
		return dv_refuse(EINVAL, "no ring");
	/* A smaller slot has no space for the data in front of a CQE. */
	if ((ring->cqe_size != 64 && ring->cqe_size != 128) || ring->cqe_size < cq->cqe_size ||
	    !dv_is_power_of_2(ring->cqe_cnt))
		return dv_refuse(EOPNOTSUPP, "%u CQEs of %u bytes in place of %u of %u",
				 ring->cqe_cnt, ring->cqe_size, cq->cqe_cnt, cq->cqe_size);
	if (!find_resize(cq, &waiting))
		return dv_refuse(EAGAIN, "the CQE of the resize is not written yet");
	if (waiting >= ring->cqe_cnt)
		return dv_refuse(ENOSPC, "%u CQEs wait: more than the new ring holds", waiting);
	to.cqe64 = (char *)ring->buf + ring->cqe_size - sizeof(struct mlx5_cqe64);
	to.cqe_cnt = ring->cqe_cnt;
	to.mask = ring->cqe_cnt - 1;
	to.cqe_size = ring->cqe_size;
	for (i = 0; i < waiting; i++)
		copy(cq, &to, cq->ci + i);
	to.ci = cq->ci + 1;
	*cq = to;
	dv_cq_release(cq);
	return 0;
}
