/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills dv_sq from what mlx5dv shows of a QP, and refuses what the inline functions could not
 * work with. map.h says what the caller has to keep to. RQs, SRQs and CQs: map_receive.c.
 */
#include <stdlib.h>
#include <dv/map.h>

#include "mark.h"
#include "refuse.h"

/* A WQE of nbb blocks may have to skip up to nbb - 1 blocks before the ring's edge. */
static uint16_t longest_wqe(uint32_t wqe_cnt)
{
	uint32_t nbb = (wqe_cnt + 1) / 2;

	return nbb < DV_WQE_MAX_NBB ? (uint16_t)nbb : (uint16_t)DV_WQE_MAX_NBB;
}

int dv_sq_init(struct dv_sq *sq, const struct mlx5dv_qp *qp, uint32_t qpn)
{
	if (!dv_is_aligned(sq))
		return dv_refuse(EFAULT, "struct dv_sq is not at a multiple of 64 bytes");
	if (!qp->sq.wqe_cnt || !qp->sq.buf || !qp->bf.reg)
		return dv_refuse(EINVAL, "no send queue, or no doorbell register");
	if (qp->sq.stride != DV_WQE_BB || !dv_is_power_of_2(qp->sq.wqe_cnt) ||
	    qp->sq.wqe_cnt > DV_RING_MAX || qp->bf.size % DV_WQE_BB)
		return dv_refuse(EOPNOTSUPP,
				 "a send ring of %u blocks of %u bytes, register of %u bytes",
				 qp->sq.wqe_cnt, qp->sq.stride, qp->bf.size);
	if (qp->dbrec[MLX5_SND_DBR])
		return dv_refuse(EBUSY, "the send queue was used: its doorbell record is 0x%x",
				 be32toh(qp->dbrec[MLX5_SND_DBR]));
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

/* Reads the rings of @qp from mlx5dv; buffers are not claimed yet. */
static int qp_rings(struct ibv_qp *qp, struct mlx5dv_qp *dvqp)
{
	struct mlx5dv_obj obj = { .qp = { .in = qp, .out = dvqp } };

	if (!mlx5dv_is_supported(qp->context->device))
		return dv_refuse(EOPNOTSUPP, "not an mlx5 device");
	return dv_refused_by("mlx5dv_init_obj", mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
}

static bool has_send_queue(const struct ibv_qp *qp)
{
	switch (qp->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
	case IBV_QPT_XRC_SEND:
	case IBV_QPT_RAW_PACKET:
	case IBV_QPT_DRIVER:
		return true;
	default:
		return false;
	}
}

/* rdma-core's providers/mlx5/verbs.c makes QPs whose WQEs are signed if this is set, to
 * whatever; the QP itself does not show it. */
static bool wqes_are_signed(void)
{
	return getenv("MLX5_QP_SIGNATURE");
}

/* Not of all its WQEs, and whether the state is RESET. The kernel keeps what the QP was made
 * with. */
static int is_signalled_by_wqe(struct ibv_qp *qp, bool *in_reset)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr attr = { 0 };
	int err = ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);

	if (err)
		return dv_refused_by("ibv_query_qp", err);
	*in_reset = attr.qp_state == IBV_QPS_RESET;
	if (init.sq_sig_all)
		return dv_refuse(EPROTOTYPE, "all WQEs are signalled (sq_sig_all)");
	return 0;
}

int dv_sq_map(struct dv_sq *sq, struct ibv_qp *qp)
{
	struct mlx5dv_qp dvqp = { 0 };
	bool in_reset = false;
	int err;

	if (!has_send_queue(qp))
		return dv_refuse(EOPNOTSUPP, "no send queue of a QP of type %d", qp->qp_type);
	if (wqes_are_signed())
		return dv_refuse(EOPNOTSUPP, "WQEs are signed: unset MLX5_QP_SIGNATURE");
	err = qp_rings(qp, &dvqp);
	if (!err)
		err = dv_sq_init(sq, &dvqp, qp->qp_num);
	if (!err)
		err = is_signalled_by_wqe(qp, &in_reset);
	return err ? err : dv_mark(sq->buf, in_reset);
}

void dv_sq_restart(struct dv_sq *sq)
{
	sq->last = sq->buf;
	sq->pi = sq->ci = sq->db_pi = 0;
	*sq->dbrec = 0;
}

int dv_sq_shared(const struct dv_sq *const *sq, unsigned int n, unsigned int pair[2])
{
	unsigned int i, j;

	for (i = 1; i < n; i++) {
		for (j = 0; j < i; j++) {
			if (sq[j]->bf_reg != sq[i]->bf_reg)
				continue;
			pair[0] = j;
			pair[1] = i;
			return 0;
		}
	}
	return dv_refuse(ENOENT, "no two of %u queues share a register", n);
}

int dv_av_from_ah(struct mlx5_wqe_av *av, struct ibv_ah *ah)
{
	struct mlx5dv_ah dvah = { 0 };
	struct mlx5dv_obj obj = { .ah = { .in = ah, .out = &dvah } };
	int err;

	if (!mlx5dv_is_supported(ah->context->device))
		return dv_refuse(EOPNOTSUPP, "not an mlx5 device");
	err = dv_refused_by("mlx5dv_init_obj", mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH));
	if (err)
		return err;
	*av = *dvah.av;
	return 0;
}
