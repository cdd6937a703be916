/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking over the queues of a QP or CQ that plain verbs made: ibv_create_qp() and the moves to
 * RTS stay as they are; posting and polling go through dv from here on.
 *
 *	struct dv_sq sq;
 *	int err = dv_sq_map(&sq, qp);
 *
 * The queue of a QP or WQ must be fresh. libmlx5 keeps its own producer and consumer counts and
 * shows them to nobody, so neither side can carry on where the other stopped: nothing may have been
 * posted before, and ibv_post_send(), ibv_post_recv() and ibv_poll_cq() are not used afterwards on
 * anything that is mapped. (The two halves of a QP and its CQ are separate: a QP may send by dv and
 * receive by verbs, if its receive CQ is a verbs one.) ibv_destroy_qp() leaves the QP's CQEs in
 * a mapped CQ: dv_cq_clean() takes them out. There is nothing to undo.
 *
 * A QP that goes back to RESET forgets what was posted, and its indices and records begin at 0 again.
 * libmlx5 does its part in ibv_modify_qp(), not ours, and leaves the CQEs in a mapped CQ:
 *
 *	ibv_modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET }, IBV_QP_STATE);
 *	dv_cq_clean(&cq, qp->qp_num);
 *	dv_sq_restart(&sq);
 *	dv_rq_restart(&rq);
 *	… INIT, RTR, RTS
 *
 * Without that the device takes the next record for a jump, and executes WQEs of before once more.
 *
 * Make the QP with sq_sig_all = 0: the flags of each WQE say what is signalled, and with 1 the
 * device may put the result of a READ into the CQE only, which an unsignalled one does not have.
 *
 * The maps hold pointers into the QP's or CQ's memory: they live as long as it does. The
 * structs are one cache line each; on the heap, aligned_alloc(64, …).
 *
 * A queue of a QP is mapped once; while nothing is posted, its first slot has a mark that says so.
 * That a CQ is mapped twice is not noticed.
 *
 * All return 0 or a positive errno value.
 */
#ifndef DV_MAP_H
#define DV_MAP_H

#include <infiniband/mlx5dv.h>
#include <dv/av.h>
#include <dv/cq.h>
#include <dv/mini.h>
#include <dv/mp.h>
#include <dv/post.h>
#include <dv/post_ud.h>
#include <dv/rq.h>
#include <dv/srq.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The send queue of a QP of any kind that has one: RC, UC, UD, XRC_SEND, RAW_PACKET, and DRIVER, a
 * DC initiator. EOPNOTSUPP: not an mlx5 device, sizes that dv cannot do, or libmlx5 puts a
 * signature into each WQE of its QPs (MLX5_QP_SIGNATURE is set), which dv does not. EINVAL: no
 * such queue on this QP. EFAULT: @sq is not at a multiple of 64 bytes. EPROTOTYPE: made with
 * sq_sig_all. EALREADY: mapped already. EBUSY: not fresh; a QP that was used and reset has to be in
 * RESET still, so has one in memory of an allocator (MLX5DV_CTX_ATTR_BUF_ALLOCATORS) that leaves
 * anything but zeroes. Others as ibv_query_qp().
 *
 * Whether its register is its own, libmlx5 knows and does not tell: see dv_sq_shared(). */
int dv_sq_map(struct dv_sq *sq, struct ibv_qp *qp);

/* EOPNOTSUPP: not an mlx5 device, not RC, UC, UD or RAW_PACKET, sizes that dv cannot do. EINVAL: no
 * such queue on this QP (the receives of a QP with an SRQ, a queue of size 0). EFAULT, EALREADY,
 * EBUSY: as dv_sq_map(). Signs WQEs if libmlx5 made the QP so (MLX5_QP_SIGNATURE is set). */
int dv_rq_map(struct dv_rq *rq, struct ibv_qp *qp);

/* The same for a WQ: one that is no striding RQ (mlx5dv_rwq does not tell), and one that is, made
 * with @attr. */
int dv_rq_map_wq(struct dv_rq *rq, struct ibv_wq *wq);
int dv_mp_map(struct dv_mp *mp, struct ibv_wq *wq,
	      const struct mlx5dv_striding_rq_init_attr *attr);

/* An SRQ of any kind need not be fresh: what is posted stays posted. But its free slots come back
 * through dv from here on: poll its CQEs with dv only. EOPNOTSUPP: not an mlx5 device, or one with
 * signatures (MLX5_SRQ_SIGNATURE is set). */
int dv_srq_map(struct dv_srq *srq, struct ibv_srq *ibsrq);

/* A CQ need not be fresh either: what was polled stays polled, and one that ibv_resize_cq() changed
 * is taken over as it is. (Afterwards it is too late for that: libmlx5 would copy the CQEs that it
 * has not seen.) EOPNOTSUPP: not an mlx5 device, CQEs neither 64 nor 128 bytes. EFAULT: @cq is not
 * at a multiple of 64 bytes. EBUSY: it was armed with ibv_req_notify_cq(). */
int dv_cq_map(struct dv_cq *cq, struct ibv_cq *ibcq);

/* The same for rings that are described and not looked up: a queue made by a firmware
 * command, or one in plain memory. Errors as above. EBUSY: the record is not 0; that it is 0 again
 * after 65,536 blocks, only the caller can know. */
int dv_sq_init(struct dv_sq *sq, const struct mlx5dv_qp *qp, uint32_t qpn);
int dv_rq_init(struct dv_rq *rq, const struct mlx5dv_qp *qp);
int dv_cq_init(struct dv_cq *cq, const struct mlx5dv_cq *dvcq);
int dv_rq_init_wq(struct dv_rq *rq, const struct mlx5dv_rwq *wq);
int dv_mp_init(struct dv_mp *mp, const struct mlx5dv_rwq *wq,
	       const struct mlx5dv_striding_rq_init_attr *attr);
int dv_srq_init(struct dv_srq *srq, const struct mlx5dv_srq *dvsrq);

/* After RESET: nothing is posted, indices and record begin at 0. The halves of the register go on
 * taking turns; signatures stay on. */
void dv_sq_restart(struct dv_sq *sq);
void dv_rq_restart(struct dv_rq *rq);
void dv_mp_restart(struct dv_mp *mp);

/* Makes new memory a ring, before the device is told of it: CQEs of an invalid opcode and of no lap
 * for a CQ, slots that name each other for an SRQ or RMP (head 0, tail @wqe_cnt - 1). */
void dv_cq_blank(void *buf, uint32_t cqe_cnt, uint32_t cqe_size);
void dv_srq_link(void *buf, uint32_t wqe_cnt, uint32_t stride);

/*
 * Goes on with another ring for the same CQ: buf, cqe_cnt and cqe_size of @ring, blank, of which the
 * device knows by MODIFY_CQ (devx_obj_modify()). CQEs that wait in the old ring move over, and are
 * found by the next polls; afterwards nobody uses it. Not for CQs of verbs.
 *
 * EAGAIN: the device has not left the old ring yet, nothing happened. ENOSPC: more CQEs wait than
 * there are slots: poll some. EOPNOTSUPP: smaller CQEs, a size that is no power of two.
 */
int dv_cq_resize(struct dv_cq *cq, const struct mlx5dv_cq *ring);

/* Two of @n mapped queues that ring on one register: 0, and @pair is their indices in @sq. If
 * different threads ring them, they need a lock (sq.h); a UAR of its own for one of them is the
 * cure. ENOENT: each has its own. */
int dv_sq_shared(const struct dv_sq *const *sq, unsigned int n, unsigned int pair[2]);

/* Fills @av with the path of @ah, for UD QP @qpn with @qkey. @ah may be destroyed afterwards.
 * EOPNOTSUPP: not an mlx5 device. */
int dv_av_map(struct mlx5_wqe_av *av, struct ibv_ah *ah, uint32_t qpn, uint32_t qkey);

/* Takes the CQEs of QP @qpn out of @cq, those not polled yet, and keeps the order of the others.
 * For after ibv_destroy_qp(), before the next poll: no QP writes CQEs of that number any more.
 * Releases like dv_cq_release(). Returns how many they were. */
uint32_t dv_cq_clean(struct dv_cq *cq, uint32_t qpn);

/* The same for a QP that received from @srq: the slots of its receives are free again. */
uint32_t dv_cq_clean_srq(struct dv_cq *cq, uint32_t qpn, struct dv_srq *srq);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
