/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills the receive queues (dv_rq, dv_mp, dv_srq) and dv_cq from what mlx5dv shows of a QP, WQ,
 * SRQ or CQ, and refuses what the inline functions could not work with. map.h says what the
 * caller has to keep to.
 */
#include <stdlib.h>

#include <dv/map.h>

#include "mark.h"
#include "refuse.h"

enum {
	MAX_LIST = 65536, /* named by 16 bits */
};

static bool is_mlx5(const struct ibv_context *ctx)
{
	return mlx5dv_is_supported(ctx->device);
}

/* ---- rings ---- */

static int not_aligned(const char *queue)
{
	return dv_refuse(EFAULT, "struct %s is not at a multiple of 64 bytes", queue);
}

static int no_mlx5(void)
{
	return dv_refuse(EOPNOTSUPP, "not an mlx5 device");
}

static int check_ring(const struct mlx5dv_rwq *wq)
{
	if (!wq->wqe_cnt || !wq->buf)
		return dv_refuse(EINVAL, "no receive queue");
	if (!dv_is_power_of_2(wq->stride) || wq->stride < DV_WQE_DS ||
	    !dv_is_power_of_2(wq->wqe_cnt) || wq->wqe_cnt > DV_RING_MAX)
		return dv_refuse(EOPNOTSUPP, "a receive ring of %u slots of %u bytes",
				 wq->wqe_cnt, wq->stride);
	if (*wq->dbrec)
		return dv_refuse(EBUSY, "the receive queue was used: its record is 0x%x",
				 be32toh(*wq->dbrec));
	return 0;
}

int dv_rq_init_wq(struct dv_rq *rq, const struct mlx5dv_rwq *wq)
{
	int err = dv_is_aligned(rq) ? check_ring(wq) : not_aligned("dv_rq");

	if (err)
		return err;
	*rq = (struct dv_rq){
		.buf = wq->buf,
		.dbrec = wq->dbrec,
		.wqe_cnt = wq->wqe_cnt,
		.max_sge = wq->stride / DV_WQE_DS,
		.stride = wq->stride,
	};
	return 0;
}

int dv_rq_init(struct dv_rq *rq, const struct mlx5dv_qp *qp)
{
	struct mlx5dv_rwq wq = {
		.buf = qp->rq.buf,
		.dbrec = &qp->dbrec[MLX5_RCV_DBR],
		.wqe_cnt = qp->rq.wqe_cnt,
		.stride = qp->rq.stride,
	};

	return dv_rq_init_wq(rq, &wq);
}

static bool has_receive_queue(const struct ibv_qp *qp)
{
	switch (qp->qp_type) {
	case IBV_QPT_RC:
	case IBV_QPT_UC:
	case IBV_QPT_UD:
	case IBV_QPT_RAW_PACKET:
		return true;
	default:
		return false;
	}
}

/* libmlx5 asks for signatures in all queues that it makes while these are set (verbs.c,
 * qp_sig_enabled(), rwq_sig_enabled()), and mlx5dv does not tell. */
static void sign_as_libmlx5_does(struct dv_rq *rq, const char *variable, uint32_t number)
{
	if (getenv(variable))
		dv_rq_sign(rq, number);
}

int dv_rq_map(struct dv_rq *rq, struct ibv_qp *qp)
{
	struct mlx5dv_qp dvqp = { 0 };
	struct mlx5dv_obj obj = { .qp = { .in = qp, .out = &dvqp } };
	int err;

	if (!is_mlx5(qp->context))
		return no_mlx5();
	if (!has_receive_queue(qp))
		return dv_refuse(EOPNOTSUPP, "no receive queue of a QP of type %d",
				 qp->qp_type);
	if (qp->srq)
		return dv_refuse(EINVAL, "the QP receives from an SRQ: dv_srq_map()");
	err = dv_refused_by("mlx5dv_init_obj", mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP));
	if (!err)
		err = dv_rq_init(rq, &dvqp);
	if (!err)
		err = dv_mark(rq->buf, qp->state == IBV_QPS_RESET);
	if (!err)
		sign_as_libmlx5_does(rq, "MLX5_QP_SIGNATURE", qp->qp_num);
	return err;
}

void dv_rq_restart(struct dv_rq *rq)
{
	rq->pi = rq->ci = 0;
	*rq->dbrec = 0;
}

static int show_wq(struct ibv_wq *wq, struct mlx5dv_rwq *dvwq)
{
	struct mlx5dv_obj obj = { .rwq = { .in = wq, .out = dvwq } };

	if (!is_mlx5(wq->context))
		return no_mlx5();
	return dv_refused_by("mlx5dv_init_obj", mlx5dv_init_obj(&obj, MLX5DV_OBJ_RWQ));
}

int dv_rq_map_wq(struct dv_rq *rq, struct ibv_wq *wq)
{
	struct mlx5dv_rwq dvwq = { 0 };
	int err = show_wq(wq, &dvwq);

	if (!err)
		err = dv_rq_init_wq(rq, &dvwq);
	if (!err)
		sign_as_libmlx5_does(rq, "MLX5_RWQ_SIGNATURE", wq->wq_num);
	return err;
}

/* ---- striding RQ ---- */

int dv_mp_init(struct dv_mp *mp, const struct mlx5dv_rwq *wq,
	       const struct mlx5dv_striding_rq_init_attr *attr)
{
	int err = dv_is_aligned(mp) ? check_ring(wq) : not_aligned("dv_mp");

	if (err)
		return err;
	/* The 16 bytes in front and one SGE. */
	if (wq->stride < 2 * DV_WQE_DS || attr->single_stride_log_num_of_bytes > 13 ||
	    attr->single_wqe_log_num_of_strides > 16)
		return dv_refuse(EOPNOTSUPP,
				 "slots of %u bytes, 1 << %u strides of 1 << %u bytes",
				 wq->stride, attr->single_wqe_log_num_of_strides,
				 attr->single_stride_log_num_of_bytes);
	*mp = (struct dv_mp){
		.buf = wq->buf,
		.dbrec = wq->dbrec,
		.wqe_cnt = wq->wqe_cnt,
		.slot = wq->stride,
		.stride_size = 1u << attr->single_stride_log_num_of_bytes,
		.strides = 1u << attr->single_wqe_log_num_of_strides,
		.shift = attr->two_byte_shift_en ? 2 : 0,
	};
	return 0;
}

int dv_mp_map(struct dv_mp *mp, struct ibv_wq *wq,
	      const struct mlx5dv_striding_rq_init_attr *attr)
{
	struct mlx5dv_rwq dvwq = { 0 };
	int err;

	/* Where the signature and the segment of the list would lie, libmlx5 does not say. */
	if (getenv("MLX5_RWQ_SIGNATURE"))
		return dv_refuse(EOPNOTSUPP, "WQEs are signed: unset MLX5_RWQ_SIGNATURE");
	err = show_wq(wq, &dvwq);
	return err ? err : dv_mp_init(mp, &dvwq, attr);
}

void dv_mp_restart(struct dv_mp *mp)
{
	mp->pi = mp->ci = 0;
	mp->used = 0;
	*mp->dbrec = 0;
}

/* ---- shared receive queues ---- */

int dv_srq_init(struct dv_srq *srq, const struct mlx5dv_srq *dvsrq)
{
	if (!dvsrq->buf)
		return dv_refuse(EINVAL, "an SRQ without a buffer");
	if (!dv_is_power_of_2(dvsrq->stride) || dvsrq->stride < 2 * DV_WQE_DS ||
	    dvsrq->head >= MAX_LIST || dvsrq->tail >= MAX_LIST)
		return dv_refuse(EOPNOTSUPP,
				 "an SRQ with slots of %u bytes, list from %u to %u",
				 dvsrq->stride, dvsrq->head, dvsrq->tail);
	*srq = (struct dv_srq){
		.buf = dvsrq->buf,
		.dbrec = dvsrq->dbrec,
		.stride = dvsrq->stride,
		.max_sge = dvsrq->stride / DV_WQE_DS - 1,
		.srqn = dvsrq->comp_mask & MLX5DV_SRQ_MASK_SRQN ? dvsrq->srqn : 0,
		.head = (uint16_t)dvsrq->head,
		.tail = (uint16_t)dvsrq->tail,
		.pi = (uint16_t)be32toh(*dvsrq->dbrec),
	};
	return 0;
}

int dv_srq_map(struct dv_srq *srq, struct ibv_srq *ibsrq)
{
	struct mlx5dv_srq dvsrq = { .comp_mask = MLX5DV_SRQ_MASK_SRQN };
	struct mlx5dv_obj obj = { .srq = { .in = ibsrq, .out = &dvsrq } };
	int err;

	if (!is_mlx5(ibsrq->context))
		return no_mlx5();
	if (getenv("MLX5_SRQ_SIGNATURE"))
		return dv_refuse(EOPNOTSUPP, "WQEs are signed: unset MLX5_SRQ_SIGNATURE");
	err = dv_refused_by("mlx5dv_init_obj", mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ));
	return err ? err : dv_srq_init(srq, &dvsrq);
}

/* ---- completion queues ---- */

static int check_cq(const struct dv_cq *cq, const struct mlx5dv_cq *dvcq)
{
	if (!dv_is_aligned(cq))
		return not_aligned("dv_cq");
	if (!dvcq->cqe_cnt || !dvcq->buf)
		return dv_refuse(EINVAL, "no completion queue");
	if ((dvcq->cqe_size != 64 && dvcq->cqe_size != 128) || !dv_is_power_of_2(dvcq->cqe_cnt))
		return dv_refuse(EOPNOTSUPP, "%u CQEs of %u bytes", dvcq->cqe_cnt,
				 dvcq->cqe_size);
	return 0;
}

static void take_cq(struct dv_cq *cq, const struct mlx5dv_cq *dvcq, uint32_t ci)
{
	*cq = (struct dv_cq){
		.cqe64 = (char *)dvcq->buf + dvcq->cqe_size - sizeof(struct mlx5_cqe64),
		.dbrec = dvcq->dbrec,
		.arm_reg = dvcq->cq_uar ? (char *)dvcq->cq_uar + MLX5_CQ_DOORBELL : NULL,
		.ci = ci,
		.cqe_cnt = dvcq->cqe_cnt,
		.mask = dvcq->cqe_cnt - 1,
		.cqe_size = dvcq->cqe_size,
		.cqn = dvcq->cqn,
	};
}

int dv_cq_init(struct dv_cq *cq, const struct mlx5dv_cq *dvcq)
{
	int err = check_cq(cq, dvcq);

	if (err)
		return err;
	if (dvcq->dbrec[0])
		return dv_refuse(EBUSY, "the CQ was used: its record is 0x%x",
				 be32toh(dvcq->dbrec[0]));
	take_cq(cq, dvcq, 0);
	return 0;
}

/* An arm is 2 bits of a count, a command bit and 24 bits of ci; the first of all may be 0, as a
 * record is that was never written. Higher bits are not those of an arm. */
static bool was_armed(__be32 record)
{
	uint32_t word = be32toh(record);

	return word && !(word >> 30);
}

/* libmlx5 shows its count of CQEs only in the record, which every poll writes, also one for no
 * CQE (cq.c, poll_cq()). It is not 0 after polls and after ibv_resize_cq(). It does not show
 * how many events it read, which a CQ that was armed needs. */
int dv_cq_map(struct dv_cq *cq, struct ibv_cq *ibcq)
{
	struct mlx5dv_cq dvcq = { 0 };
	struct mlx5dv_obj obj = { .cq = { .in = ibcq, .out = &dvcq } };
	int err;

	if (!is_mlx5(ibcq->context))
		return no_mlx5();
	if (ibv_poll_cq(ibcq, 0, NULL))
		return dv_refuse(EINVAL, "ibv_poll_cq() fails on this CQ");
	err = dv_refused_by("mlx5dv_init_obj", mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ));
	if (!err)
		err = check_cq(cq, &dvcq);
	if (err)
		return err;
	if (was_armed(dvcq.dbrec[1]))
		return dv_refuse(EBUSY, "the CQ was armed with ibv_req_notify_cq()");
	take_cq(cq, &dvcq, be32toh(dvcq.dbrec[0]));
	return 0;
}
