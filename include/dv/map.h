/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking over the queues of a QP or CQ that plain verbs made: ibv_create_qp() and the moves to
 * RTS stay as they are; posting and polling go through dv from here on.
 *
 *	struct dv_sq sq;
 *	int err = dv_sq_map(&sq, qp);
 *
 * The queue must be fresh. libmlx5 keeps its own producer and consumer counts and shows them
 * to nobody, so neither side can carry on where the other stopped: nothing may have been
 * posted or polled before, and ibv_post_send(), ibv_post_recv() and ibv_poll_cq() are not used
 * on it afterwards. (The two halves of a QP and its CQ are separate: a QP may send by dv and
 * receive by verbs, if its receive CQ is a verbs one.) ibv_destroy_qp() leaves the QP's CQEs in
 * a mapped CQ: dv_cq_clean() takes them out. There is nothing to undo.
 *
 * Make the QP with sq_sig_all = 0: the flags of each WQE say what is signalled, and with 1 the
 * device may put the result of a READ into the CQE only.
 *
 * The maps hold pointers into the QP's or CQ's memory: they live as long as it does. The
 * structs are one cache line each; on the heap, aligned_alloc(64, …).
 *
 * All return 0 or a positive errno value.
 */
#ifndef DV_MAP_H
#define DV_MAP_H

#include <infiniband/mlx5dv.h>
#include <dv/av.h>
#include <dv/cq.h>
#include <dv/post.h>
#include <dv/rq.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* EOPNOTSUPP: not an mlx5 device, not RC or UC, sizes that dv cannot do. EINVAL: no such queue
 * on this QP (the receives of a QP with an SRQ, a queue of size 0). EBUSY: not fresh. */
int dv_sq_map(struct dv_sq *sq, struct ibv_qp *qp);
int dv_rq_map(struct dv_rq *rq, struct ibv_qp *qp);

/* EOPNOTSUPP: not an mlx5 device, CQEs neither 64 nor 128 bytes. EBUSY: not fresh. */
int dv_cq_map(struct dv_cq *cq, struct ibv_cq *ibcq);

/* The same for rings that are described and not looked up: a queue made by a firmware
 * command, or one in plain memory. Errors as above. */
int dv_sq_init(struct dv_sq *sq, const struct mlx5dv_qp *qp, uint32_t qpn);
int dv_rq_init(struct dv_rq *rq, const struct mlx5dv_qp *qp);
int dv_cq_init(struct dv_cq *cq, const struct mlx5dv_cq *dvcq);

/* Fills @av with the path of @ah, for UD QP @qpn with @qkey. @ah may be destroyed afterwards.
 * EOPNOTSUPP: not an mlx5 device. */
int dv_av_map(struct mlx5_wqe_av *av, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey);

/* Takes the CQEs of QP @qpn out of @cq, those not polled yet, and keeps the order of the others.
 * For after ibv_destroy_qp(), before the next poll: no QP writes CQEs of that number any more.
 * Releases like dv_cq_release(). Returns how many they were. */
uint32_t dv_cq_clean(struct dv_cq *cq, uint32_t qpn);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
