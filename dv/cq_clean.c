/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes the CQEs of a QP out of a CQ: from the newest to the oldest, those that stay move towards
 * the newest, over the gaps. What is left stands at the end, and ci moves up to it.
 *
 *	ci                 pi            ci     pi
 *	| a | X | b | X | c |    ->  . . | a | b | c |
 *
 * The owner bit belongs to the slot and the lap, not to the CQE that moves in.
 */
#include <string.h>

#include <dv/map.h>

static struct mlx5_cqe64 *cqe_at(const struct dv_cq *cq, uint32_t ci)
{
	return (struct mlx5_cqe64 *)dv_cq_at(cq, ci);
}

/* The index behind the newest CQE. */
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
	uint32_t gone = 0;

	for (uint32_t i = producer(cq); i-- != cq->ci;) {
		const struct mlx5_cqe64 *cqe = cqe_at(cq, i);

		if (dv_cqe_qpn(cqe) == qpn) {
			gone++;
			if (srq && is_responder(cqe))
				dv_srq_give(srq, dv_cqe_wqe_counter(cqe));
		} else if (gone) {
			move(cq, i, i + gone);
		}
	}
	cq->ci += gone;
	/* The moved CQEs before the record, after which the device may write over the old. */
	dv_barrier_wqe_before_dbrec();
	dv_cq_release(cq);
	return gone;
}

uint32_t dv_cq_clean(struct dv_cq *cq, uint32_t qpn)
{
	return dv_cq_clean_srq(cq, qpn, NULL);
}
