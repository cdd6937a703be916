/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking over the queues of a QP, WQ, SRQ or CQ that plain verbs created: ibv_create_qp() and
 * the transitions to RTS (ibv_modify_qp(), rdma_cm or endpoint.h) stay as they are; posting and
 * polling are done by dv from here on.
 *
 *	struct dv_sq sq;
 *	int err = dv_sq_map(&sq, qp);
 *
 * The queue of a QP or WQ must be fresh. libmlx5 keeps producer and consumer counts and does
 * not publish them, so the two cannot be mixed: nothing may have been posted before, and
 * ibv_post_send(), ibv_post_recv() and ibv_poll_cq() must not be used afterwards on anything
 * that is mapped. (The two halves of a QP and its CQ are separate: a QP may send by dv and
 * receive by verbs, if its receive CQ is polled by verbs.) ibv_destroy_qp() leaves the CQEs of
 * the QP in a mapped CQ: dv_cq_clean() takes them out. There is nothing to undo.
 *
 * A QP that returns to RESET forgets what was posted; its indices and records start at 0 again.
 * ibv_modify_qp() does that for libmlx5, not for dv, and leaves the CQEs in a mapped CQ:
 *
 *	ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET }, IBV_QP_STATE);
 *	dv_cq_clean(&cq, qp->qp_num);
 *	dv_sq_restart(&sq);
 *	dv_rq_restart(&rq);
 *	… INIT, RTR, RTS
 *
 * Without that the device takes the next record for a large step, and executes old WQEs again.
 *
 * Create the QP with sq_sig_all = 0: the flags of each WQE say what is signalled. With 1 the
 * device may put the result of a READ into the CQE only, and an unsignalled READ has no CQE.
 *
 * The structs point into the memory of the QP or CQ and are valid as long as it exists. They
 * are one cache line each; on the heap use aligned_alloc(64, …).
 *
 * A queue of a QP can be mapped once: as long as nothing is posted, a mark in its first slot
 * says so. A second mapping of a CQ is not detected.
 *
 * All return 0 or a positive errno value.
 */
#ifndef DV_MAP_H
#define DV_MAP_H

#include <infiniband/mlx5dv.h>
#include <dv/av.h>
#include <dv/cq.h>
#include <dv/mp.h>
#include <dv/rq.h>
#include <dv/sq.h>
#include <dv/srq.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The send queue of a QP of any type that has one: RC, UC, UD, XRC_SEND, RAW_PACKET, and
 * DRIVER, a DC initiator. EOPNOTSUPP: not an mlx5 device, sizes that dv does not support, or
 * libmlx5 puts a signature into each WQE of its QPs (MLX5_QP_SIGNATURE is set), which dv does
 * not. EINVAL: no such queue on this QP. EFAULT: @sq is not at a multiple of 64 bytes.
 * EPROTOTYPE: created with sq_sig_all. EALREADY: mapped already. EBUSY: not fresh; a QP that
 * was used and reset has to be in RESET still, and so has a QP in memory of an allocator
 * (MLX5DV_CTX_ATTR_BUF_ALLOCATORS) that does not return zeros. Others as ibv_query_qp().
 *
 * libmlx5 does not report whether other QPs use the same register: see dv_sq_shared(). */
int dv_sq_map(struct dv_sq *sq, struct ibv_qp *qp);

/* EOPNOTSUPP: not an mlx5 device, not RC, UC, UD or RAW_PACKET, sizes that dv does not support.
 * EINVAL: no such queue on this QP (the receives of a QP with an SRQ, a queue of size 0).
 * EFAULT, EALREADY, EBUSY: as dv_sq_map(). Signs WQEs if libmlx5 created the QP so
 * (MLX5_QP_SIGNATURE is set). */
int dv_rq_map(struct dv_rq *rq, struct ibv_qp *qp);

/* Like dv_rq_map(), for a WQ: one that is not a striding RQ (mlx5dv_rwq does not say), and one
 * that is, created with @attr. */
int dv_rq_map_wq(struct dv_rq *rq, struct ibv_wq *wq);
int dv_mp_map(struct dv_mp *mp, struct ibv_wq *wq,
	      const struct mlx5dv_striding_rq_init_attr *attr);

/* An SRQ of any type need not be fresh: what is posted stays posted. But dv keeps its list of
 * free slots from here on: poll its CQEs with dv only. EOPNOTSUPP: not an mlx5 device, or one
 * with signatures (MLX5_SRQ_SIGNATURE is set). */
int dv_srq_map(struct dv_srq *srq, struct ibv_srq *ibsrq);

/* A CQ need not be fresh either: what was polled stays polled, and one that ibv_resize_cq()
 * changed is taken over as it is. (It must not be called afterwards: libmlx5 would copy the
 * CQEs that it has not seen.) EOPNOTSUPP: not an mlx5 device, CQEs neither 64 nor 128 bytes.
 * EFAULT: @cq is not at a multiple of 64 bytes. EBUSY: it was armed with
 * ibv_req_notify_cq(). */
int dv_cq_map(struct dv_cq *cq, struct ibv_cq *ibcq);

/* Like the functions above, for rings that the caller describes: a queue created by a firmware
 * command, or one in plain memory. EBUSY: the record is not 0. (After 65,536 blocks it is 0
 * again, which only the caller can know.) */
int dv_sq_init(struct dv_sq *sq, const struct mlx5dv_qp *qp, uint32_t qpn);
int dv_rq_init(struct dv_rq *rq, const struct mlx5dv_qp *qp);
int dv_cq_init(struct dv_cq *cq, const struct mlx5dv_cq *dvcq);
int dv_rq_init_wq(struct dv_rq *rq, const struct mlx5dv_rwq *wq);
int dv_mp_init(struct dv_mp *mp, const struct mlx5dv_rwq *wq,
	       const struct mlx5dv_striding_rq_init_attr *attr);
int dv_srq_init(struct dv_srq *srq, const struct mlx5dv_srq *dvsrq);

/* Fills @av with the path of @ah, which may be destroyed afterwards; dv_dest_ud() or
 * dv_dest_dc() say to whom. EOPNOTSUPP: not an mlx5 device. */
int dv_av_from_ah(struct mlx5_wqe_av *av, struct ibv_ah *ah);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
