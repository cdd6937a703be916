/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The completion queue: where the device reports what is done. Read wqe.h and sq.h before.
 *
 *	while ((cqe = dv_cq_poll(&cq))) {          as many as are there
 *		if (dv_cqe_syndrome(cqe)) …        0: success
 *		dv_sq_retire(&sq, cqe);            or dv_rq_retire()
 *	}
 *	dv_cq_release(&cq);                        once: their slots go back to the device
 *
 * A CQE belongs to software when its opcode is valid and its owner bit is that of this pass
 * over the ring:
 *
 *	pass 0   | 0 | 0 | 0 | f | f | f | f | f |   new ring: opcode 0xf (invalid), then the
 *	pass 1   | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |   device writes owner 0, next pass owner 1, …
 *	                   ^ ci: the owner bit is that of the previous pass: no new CQE
 *
 * Instead of polling, a thread may sleep until a CQE is written. Arming requests one event on
 * the CQ's completion channel. An event reports all CQEs that are there, once: arm, then poll
 * until the CQ is empty, then sleep. Any other order can lose a wakeup.
 *
 *	dv_cq_arm(&cq, false);
 *	if (!(cqe = dv_cq_poll(&cq))) {
 *		ibv_get_cq_event(channel, …);	sleeps
 *		dv_cq_event(&cq);		the next arm is a new one
 *		ibv_ack_cq_events(ibcq, 1);
 *	}
 *
 * If polling found a CQE the CQ stays armed: expect one spurious event, with an empty CQ.
 *
 * A CQE of 128 bytes carries the 64 that matter in its second half; up to 64 bytes of small
 * received data may be in the first (dv_cqe_inline()). A padded one is written as a whole. The
 * fields of a CQE: cqe.h, and of packets, packet.h.
 *
 * Kinds of CQ. One that ignores overrun (cqc.oi, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN) does not
 * look at the consumer record: dv_cq_release() may be left out, and the caller has to see to it
 * that no more CQEs can be written than there are slots before they are polled: the device
 * would overwrite them, and dv_cq_poll() would wait for a pass that is over. (Such a CQ is
 * still armed with the right ci.) A collapsed one (cqc.cc) has one slot in use:
 * dv_cq_collapsed(). Compressed ones: mini.h.
 *
 * One queue, one thread: locks are the caller's. A CQ taken over by dv_cq_map() (map.h) is
 * polled and armed with these calls only, no more with ibv_poll_cq() and ibv_req_notify_cq().
 * Another ring for it: dv_cq_resize().
 */
#ifndef DV_CQ_H
#define DV_CQ_H

#include <dv/cqe.h>
#include <dv/port.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dv_cq {
	char *cqe64;	   /* the 64 bytes that matter of slot 0 */
	__be32 *dbrec;	   /* consumer record, arm record */
	char *arm_reg;	   /* doorbell register for arming */
	uint32_t ci;	   /* CQEs taken, free-running; the record holds 24 bits of it */
	uint32_t cqe_cnt;  /* slots, a power of two */
	uint32_t mask;	   /* cqe_cnt - 1 */
	uint32_t cqe_size; /* bytes of a slot: 64 or 128 */
	uint32_t arm_sn;   /* events taken; the device looks at 2 bits of it */
	uint32_t cqn;
} __attribute__((aligned(64)));

static_assert(sizeof(struct dv_cq) == 64, "one cache line");

/* The 64 bytes that matter of the CQE with number @ci. */
DV_INLINE const struct mlx5_cqe64 *dv_cq_at(const struct dv_cq *cq, uint32_t ci)
{
	return (const struct mlx5_cqe64 *)(cq->cqe64 + (ci & cq->mask) * cq->cqe_size);
}

/* The next CQE, or NULL: nothing yet. It stays readable until dv_cq_release(). */
DV_INLINE const struct mlx5_cqe64 *dv_cq_poll(struct dv_cq *cq)
{
	uint32_t ci = cq->ci;
	const struct mlx5_cqe64 *cqe = dv_cq_at(cq, ci);
	uint8_t op_own = *(const volatile uint8_t *)&cqe->op_own;
	bool owner = ci & cq->cqe_cnt;

	if (op_own >= MLX5_CQE_INVALID << 4 || (op_own & MLX5_CQE_OWNER_MASK) != owner)
		return NULL;
	cq->ci = ci + 1;
	dv_barrier_owner_before_cqe();
	return cqe;
}

/* Gives the slots of all CQEs polled so far back to the device. Once per batch will do, but
 * before the ring is full of CQEs that were polled and not released. */
DV_INLINE void dv_cq_release(struct dv_cq *cq)
{
	dv_barrier_cqe_before_dbrec();
	*(volatile __be32 *)cq->dbrec = htobe32(cq->ci & 0xffffff);
}

/*
 * Asks for one event when the next CQE comes, or at once if one came since the last event and
 * was not polled. @solicited: only for an error, or for a receive that the sender marked
 * (MLX5_WQE_CTRL_SOLICITED). Poll again before you sleep. Needs a CQ with a completion channel.
 */
DV_INLINE void dv_cq_arm(struct dv_cq *cq, bool solicited)
{
	uint32_t cmd = solicited ? MLX5_CQ_DB_REQ_NOT_SOL : MLX5_CQ_DB_REQ_NOT;
	uint32_t word = (cq->arm_sn & 3) << 28 | cmd | (cq->ci & 0xffffff);

	((volatile __be32 *)cq->dbrec)[1] = htobe32(word);
	dv_barrier_dbrec_before_bf_reg();
	*(volatile uint64_t *)cq->arm_reg = htobe64((uint64_t)word << 32 | cq->cqn);
	dv_barrier_bf_reg_flush();
}

/* An event of the CQ was read: the device reports no more until the CQ is armed again. */
DV_INLINE void dv_cq_event(struct dv_cq *cq)
{
	cq->arm_sn++;
}

/* The newest completion of a collapsed CQ, see dv_cq_collapsed(). */
struct dv_collapsed {
	uint16_t wqe_counter;
	uint8_t opcode; /* MLX5_CQE_INVALID: nothing completed yet */
};

/*
 * A collapsed CQ: each CQE is written over the one before. Nothing is consumed; one looks how
 * far the queue has come, and where wqe_counter differs from last time, something is done:
 * dv_sq_retire(&sq, dv_cq_at(&cq, 0)). For one queue whose WQEs succeed: of several errors,
 * only the last can be seen. Index and opcode are of one CQE; the other fields may be newer.
 */
DV_INLINE struct dv_collapsed dv_cq_collapsed(const struct dv_cq *cq)
{
	const char *tail = cq->cqe64 + offsetof(struct mlx5_cqe64, wqe_counter);
	uint32_t word = be32toh(*(const volatile __be32 *)(const void *)tail);
	struct dv_collapsed newest;

	newest.wqe_counter = (uint16_t)(word >> 16);
	newest.opcode = (uint8_t)word >> 4;
	dv_barrier_owner_before_cqe();
	return newest;
}

#pragma GCC visibility push(default)

/* Makes new memory a CQ ring, before the device gets it: marks every CQE invalid,
 * hardware-owned. */
void dv_cq_blank(void *buf, uint32_t cqe_cnt, uint32_t cqe_size);

/*
 * Continues with another ring for the same CQ: buf, cqe_cnt and cqe_size of @ring, marked by
 * dv_cq_blank(), which the device was given by MODIFY_CQ (devx_obj_modify()). CQEs that wait in
 * the old ring are moved, and found by the next polls; the old ring is not used any more. Not
 * for CQs of verbs.
 *
 * EAGAIN: the device has not left the old ring yet, nothing happened. ENOSPC: more CQEs wait
 * than there are slots: poll some. EOPNOTSUPP: smaller CQEs, a size that is not a power of two.
 */
int dv_cq_resize(struct dv_cq *cq, const struct mlx5dv_cq *ring);

/* Takes the CQEs of QP @qpn that were not polled yet out of @cq, and keeps the order of the
 * others. Call it after ibv_destroy_qp(), before the next poll: no QP writes CQEs of that
 * number any more. Releases like dv_cq_release(). Returns how many CQEs were taken out. For a
 * QP that received from an SRQ: dv_cq_clean_srq() (srq.h). */
uint32_t dv_cq_clean(struct dv_cq *cq, uint32_t qpn);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
