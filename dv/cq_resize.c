/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another ring for a CQ. The device was given it by MODIFY_CQ; from then on it writes there, and the
 * last CQE in the old ring says so. Each CQE that waits keeps its index plus one, for the index of
 * the RESIZE CQE is used up (libmlx5, cq.c, mlx5_cq_resize_copy_cqes(), does the same):
 *
 *	old   ci            pi             new   ci + 1
 *	... | a | b | c | RESIZE |    ->   ... . | a | b | c | <- the device goes on here
 */
#include <string.h>

#include <dv/map.h>

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
	uint8_t lap = (ci + 1) & to->cqe_cnt ? MLX5_CQE_OWNER_MASK : 0;

	memcpy((char *)(dst + 1) - size, (const char *)(src + 1) - size, size);
	dst->op_own = (uint8_t)((src->op_own & ~MLX5_CQE_OWNER_MASK) | lap);
}

int dv_cq_resize(struct dv_cq *cq, const struct mlx5dv_cq *ring)
{
	struct dv_cq to = *cq;
	uint32_t waiting, i;

	if (!ring->buf || !ring->cqe_cnt)
		return EINVAL;
	/* Data in front of a CQE has no place in a smaller one. */
	if ((ring->cqe_size != 64 && ring->cqe_size != 128) || ring->cqe_size < cq->cqe_size ||
	    ring->cqe_cnt & (ring->cqe_cnt - 1))
		return EOPNOTSUPP;
	if (!find_resize(cq, &waiting))
		return EAGAIN;
	if (waiting >= ring->cqe_cnt)
		return ENOSPC;
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
