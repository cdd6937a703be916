/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills dv_sq, dv_rq and dv_cq from what mlx5dv shows of a QP or CQ, and refuses what the
 * inline functions could not work with. map.h says what the caller has to keep to.
 */
#include <dv/map.h>

enum {
	/* Indices have 16 bits: the difference of two must tell a full ring from an empty one. */
	MAX_BLOCKS = 32768,
};

static bool is_power_of_2(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* A WQE of nbb blocks may have to skip up to nbb - 1 blocks before the ring's edge. */
static uint16_t longest_wqe(uint32_t wqe_cnt)
{
	uint32_t nbb = (wqe_cnt + 1) / 2;

	return nbb < DV_WQE_MAX_NBB ? (uint16_t)nbb : (uint16_t)DV_WQE_MAX_NBB;
}

int dv_sq_init(struct dv_sq *sq, const struct mlx5dv_qp *qp, uint32_t qpn)
{
	if (!qp->sq.wqe_cnt || !qp->sq.buf || !qp->bf.reg)
		return EINVAL;
	if (qp->sq.stride != DV_WQE_BB || !is_power_of_2(qp->sq.wqe_cnt) ||
	    qp->sq.wqe_cnt > MAX_BLOCKS || qp->bf.size % DV_WQE_BB)
		return EOPNOTSUPP;
	if (qp->dbrec[MLX5_SND_DBR])
		return EBUSY;
	*sq = (struct dv_sq){
		.buf = qp->sq.buf,
		.dbrec = &qp->dbrec[MLX5_SND_DBR],
		.bf_reg = qp->bf.reg,
		.last = qp->sq.buf,
		.qpn = qpn,
		.qpn_ds = htobe32(qpn << 8),
		.mask = qp->sq.wqe_cnt - 1,
		.wqe_cnt = (uint16_t)qp->sq.wqe_cnt,
		.bf_size = (uint16_t)qp->bf.size,
		.max_nbb = longest_wqe(qp->sq.wqe_cnt),
	};
	return 0;
}

int dv_rq_init(struct dv_rq *rq, const struct mlx5dv_qp *qp)
{
	if (!qp->rq.wqe_cnt || !qp->rq.buf)
		return EINVAL;
	if (!is_power_of_2(qp->rq.stride) || qp->rq.stride < DV_WQE_DS ||
	    !is_power_of_2(qp->rq.wqe_cnt) || qp->rq.wqe_cnt > MAX_BLOCKS)
		return EOPNOTSUPP;
	if (qp->dbrec[MLX5_RCV_DBR])
		return EBUSY;
	*rq = (struct dv_rq){
		.buf = qp->rq.buf,
		.dbrec = &qp->dbrec[MLX5_RCV_DBR],
		.wqe_cnt = qp->rq.wqe_cnt,
		.max_sge = qp->rq.stride / DV_WQE_DS,
	};
	return 0;
}

int dv_cq_init(struct dv_cq *cq, const struct mlx5dv_cq *dvcq)
{
	bool big = dvcq->cqe_size == 128;

	if (!dvcq->cqe_cnt || !dvcq->buf)
		return EINVAL;
	if ((dvcq->cqe_size != 64 && !big) || !is_power_of_2(dvcq->cqe_cnt))
		return EOPNOTSUPP;
	if (dvcq->dbrec[0])
		return EBUSY;
	*cq = (struct dv_cq){
		.cqe64 = (char *)dvcq->buf + (big ? 64 : 0),
		.dbrec = dvcq->dbrec,
		.arm_reg = dvcq->cq_uar ? (char *)dvcq->cq_uar + MLX5_CQ_DOORBELL : NULL,
		.cqe_cnt = dvcq->cqe_cnt,
		.mask = dvcq->cqe_cnt - 1,
		.cqe_size = dvcq->cqe_size,
		.cqn = dvcq->cqn,
	};
	return 0;
}

/* What mlx5dv shows of @qp, without its buffers being anybody's yet. */
static int qp_rings(struct ibv_qp *qp, struct mlx5dv_qp *dvqp)
{
	struct mlx5dv_obj obj = { .qp = { .in = qp, .out = dvqp } };

	if (!mlx5dv_is_supported(qp->context->device))
		return EOPNOTSUPP;
	if (qp->qp_type != IBV_QPT_RC && qp->qp_type != IBV_QPT_UC && qp->qp_type != IBV_QPT_UD)
		return EOPNOTSUPP;
	return mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP);
}

int dv_sq_map(struct dv_sq *sq, struct ibv_qp *qp)
{
	struct mlx5dv_qp dvqp = { 0 };
	int err = qp_rings(qp, &dvqp);

	return err ? err : dv_sq_init(sq, &dvqp, qp->qp_num);
}

int dv_rq_map(struct dv_rq *rq, struct ibv_qp *qp)
{
	struct mlx5dv_qp dvqp = { 0 };
	int err = qp_rings(qp, &dvqp);

	if (!err && qp->srq)
		return EINVAL;
	return err ? err : dv_rq_init(rq, &dvqp);
}

int dv_cq_map(struct dv_cq *cq, struct ibv_cq *ibcq)
{
	struct mlx5dv_cq dvcq = { 0 };
	struct mlx5dv_obj obj = { .cq = { .in = ibcq, .out = &dvcq } };
	int err;

	if (!mlx5dv_is_supported(ibcq->context->device))
		return EOPNOTSUPP;
	err = mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ);
	return err ? err : dv_cq_init(cq, &dvcq);
}

int dv_av_map(struct mlx5_wqe_av *av, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey)
{
	struct mlx5dv_ah dvah = { 0 };
	struct mlx5dv_obj obj = { .ah = { .in = ah, .out = &dvah } };
	int err;

	if (!mlx5dv_is_supported(ah->context->device))
		return EOPNOTSUPP;
	err = mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH);
	if (err)
		return err;
	*av = *dvah.av;
	dv_av_set_ud(av, qpn, qkey);
	return 0;
}
