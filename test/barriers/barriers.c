/* SPDX-License-Identifier: BSD-2-Clause */
/* The public inline API as functions, for barriers.sh to read what became of them. */
#include <dv/mini.h>
#include <dv/mp.h>
#include <dv/post.h>
#include <dv/srq.h>

int post_and_ring(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge);
int post_and_blueflame(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge);
int receive(struct dv_rq *rq, const struct ibv_sge *sge);
uint32_t poll_byte_cnt(struct dv_cq *cq);
uint32_t poll_and_release(struct dv_cq *cq);
void arm(struct dv_cq *cq);
int post_and_ring_nc(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge);
int post_and_ring_no_dbr(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge);
int receive_shared(struct dv_srq *srq, const struct ibv_sge *sge);
int receive_strides(struct dv_mp *mp, const struct ibv_sge *sge);
uint32_t poll_enhanced_byte_cnt(struct dv_mini *mini);
uint32_t collapsed_byte_cnt(const struct dv_cq *cq);

int post_and_ring(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge)
{
	int err = dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);

	dv_sq_doorbell(sq);
	return err;
}

int post_and_blueflame(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge)
{
	int err = dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);

	dv_sq_blueflame(sq);
	return err;
}

int receive(struct dv_rq *rq, const struct ibv_sge *sge)
{
	int err = dv_rq_post(rq, sge, 1);

	dv_rq_doorbell(rq);
	return err;
}

uint32_t poll_byte_cnt(struct dv_cq *cq)
{
	const struct mlx5_cqe64 *cqe = dv_cq_poll(cq);

	return cqe ? dv_cqe_byte_cnt(cqe) : 0;
}

uint32_t poll_and_release(struct dv_cq *cq)
{
	const struct mlx5_cqe64 *cqe = dv_cq_poll(cq);
	uint32_t bytes = cqe ? dv_cqe_byte_cnt(cqe) : 0;

	dv_cq_release(cq);
	return bytes;
}

void arm(struct dv_cq *cq)
{
	dv_cq_arm(cq, false);
}

int post_and_ring_nc(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge)
{
	int err = dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);

	dv_sq_ring_by(sq, DV_DOORBELL_NC);
	return err;
}

int post_and_ring_no_dbr(struct dv_sq *sq, struct dv_raddr to, const struct ibv_sge *sge)
{
	int err = dv_sq_write(sq, MLX5_WQE_CTRL_CQ_UPDATE, to, sge, 1);

	dv_sq_ring_by(sq, DV_NO_DBR);
	return err;
}

int receive_shared(struct dv_srq *srq, const struct ibv_sge *sge)
{
	int err = dv_srq_post(srq, sge, 1);

	dv_srq_doorbell(srq);
	return err;
}

int receive_strides(struct dv_mp *mp, const struct ibv_sge *sge)
{
	int err = dv_mp_post(mp, sge);

	dv_mp_doorbell(mp);
	return err;
}

uint32_t poll_enhanced_byte_cnt(struct dv_mini *mini)
{
	const struct mlx5_cqe64 *cqe = dv_mini_poll_enhanced(mini);

	return cqe ? dv_cqe_byte_cnt(cqe) : 0;
}

uint32_t collapsed_byte_cnt(const struct dv_cq *cq)
{
	struct dv_collapsed newest = dv_cq_collapsed(cq);

	return newest.opcode == MLX5_CQE_INVALID ? 0 : dv_cqe_byte_cnt(dv_cq_at(cq, 0));
}
