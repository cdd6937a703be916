/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The completion queue: where the device says what is done. Read wqe.h and sq.h before.
 *
 *	while ((cqe = dv_cq_poll(&cq))) {          as many as are there
 *		if (dv_cqe_syndrome(cqe)) …        0: success
 *		dv_sq_retire(&sq, cqe);            or dv_rq_retire()
 *	}
 *	dv_cq_release(&cq);                        once: their slots go back to the device
 *
 * A CQE belongs to software when its opcode is valid and its owner bit fits the lap:
 *
 *	lap 0   | 0 | 0 | 0 | f | f | f | f | f |   new ring: opcode 0xf (invalid), then the
 *	lap 1   | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |   device writes owner 0, next lap owner 1, …
 *	                  ^ ci: the owner bit is that of the last lap: nothing new here
 *
 * Instead of polling, one may sleep until a CQE comes. Arming asks for one event on the CQ's
 * completion channel. An event is for all the CQEs that are there, and they are not told of
 * again: arm, then poll until the CQ is empty, then sleep. In any other order there is a gap
 * in which a CQE can come that nobody hears of.
 *
 *	dv_cq_arm(&cq, false);
 *	if (!(cqe = dv_cq_poll(&cq))) {
 *		ibv_get_cq_event(channel, …);	sleeps
 *		dv_cq_event(&cq);		the next arm is a new one
 *		ibv_ack_cq_events(ibcq, 1);
 *	}
 *
 * Who found a CQE instead is still armed, and an event will come; an event may therefore find the
 * CQ empty.
 *
 * A CQE of 128 bytes carries the 64 that matter in its second half; up to 64 bytes of small
 * received data may lie in the first (dv_cqe_inline()).
 *
 * One queue, one thread: locks are the caller's. A CQ taken over by dv_cq_map() (map.h) is
 * polled and armed with these calls only, no more with ibv_poll_cq() and ibv_req_notify_cq().
 * Not here: compressed CQEs (do not ask mlx5dv_create_cq() for them), resizing.
 */
#ifndef DV_CQ_H
#define DV_CQ_H

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/mlx5dv.h>
#include <dv/barrier.h>

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
static_assert(sizeof(struct mlx5_cqe64) == 64, "CQE");
static_assert(offsetof(struct mlx5_cqe64, srqn_uidx) == 32, "CQE");
static_assert(offsetof(struct mlx5_cqe64, imm_inval_pkey) == 36, "CQE");
static_assert(offsetof(struct mlx5_cqe64, byte_cnt) == 44, "CQE");
static_assert(offsetof(struct mlx5_cqe64, sop_drop_qpn) == 56, "CQE");
static_assert(offsetof(struct mlx5_cqe64, wqe_counter) == 60, "CQE");
static_assert(offsetof(struct mlx5_cqe64, op_own) == 63, "CQE");
static_assert(offsetof(struct mlx5_err_cqe, vendor_err_synd) == 54, "error CQE");
static_assert(offsetof(struct mlx5_err_cqe, syndrome) == 55, "error CQE");

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
	bool lap = ci & cq->cqe_cnt;

	if (op_own >= MLX5_CQE_INVALID << 4 || (op_own & MLX5_CQE_OWNER_MASK) != lap)
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
 * Asks for one event when the next CQE comes, or at once if one came since the last event and was
 * not polled.
 * @solicited: only for an error, or for a receive that the sender marked
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

/* An event of the CQ was read: the device told us once, and waits for a new arm. */
DV_INLINE void dv_cq_event(struct dv_cq *cq)
{
	cq->arm_sn++;
}

/* MLX5_CQE_REQ (our send queue), MLX5_CQE_RESP_* (our receive queue), MLX5_CQE_*_ERR. */
DV_INLINE uint8_t dv_cqe_opcode(const struct mlx5_cqe64 *cqe)
{
	return cqe->op_own >> 4;
}

/* Whether the WQE failed: MLX5_CQE_REQ_ERR or MLX5_CQE_RESP_ERR. */
DV_INLINE bool dv_cqe_is_error(const struct mlx5_cqe64 *cqe)
{
	/* The two are neighbours, and above them is only INVALID, which no CQE has that was polled. */
	static_assert(MLX5_CQE_RESP_ERR == MLX5_CQE_REQ_ERR + 1 &&
			      MLX5_CQE_INVALID == MLX5_CQE_REQ_ERR + 2,
		      "errors");
	return cqe->op_own >= MLX5_CQE_REQ_ERR << 4;
}

/* Why it failed: enum of mlx5dv.h (MLX5_CQE_SYNDROME_*), in words by dv_syndrome_str().
 * 0: success. */
DV_INLINE uint8_t dv_cqe_syndrome(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_is_error(cqe) ? ((const struct mlx5_err_cqe *)cqe)->syndrome : 0;
}

/* The vendor's finer reason, to quote in a report. 0: success. */
DV_INLINE uint8_t dv_cqe_vendor_syndrome(const struct mlx5_cqe64 *cqe)
{
	return dv_cqe_is_error(cqe) ? ((const struct mlx5_err_cqe *)cqe)->vendor_err_synd : 0;
}

/* Requester: index of the first block of the WQE. Responder: index of the receive WQE.
 * 16 bits, free-running: & (wqe_cnt - 1) gives the slot. */
DV_INLINE uint16_t dv_cqe_wqe_counter(const struct mlx5_cqe64 *cqe)
{
	return be16toh(cqe->wqe_counter);
}

/* Our QP that this is about. */
DV_INLINE uint32_t dv_cqe_qpn(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->sop_drop_qpn) & 0xffffff;
}

/* Requester only: the opcode of the WQE (MLX5_OPCODE_*). */
DV_INLINE uint8_t dv_cqe_send_opcode(const struct mlx5_cqe64 *cqe)
{
	return (uint8_t)(be32toh(cqe->sop_drop_qpn) >> 24);
}

/* Bytes received, or read; 0 has no meaning for a send or a write. */
DV_INLINE uint32_t dv_cqe_byte_cnt(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->byte_cnt);
}

/* The sender's immediate, in network order as in ibv_wc: RESP_SEND_IMM and RESP_WR_IMM. */
DV_INLINE __be32 dv_cqe_imm(const struct mlx5_cqe64 *cqe)
{
	return cqe->imm_inval_pkey;
}

/* The user index given to the queue when it was made (libmlx5 chooses it for verbs QPs). */
DV_INLINE uint32_t dv_cqe_uidx(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->srqn_uidx) & 0xffffff;
}

/* Small data that the device put into the CQE instead of the buffer, or NULL. libmlx5 asks
 * for this on RC receive queues (MLX5_SCATTER_TO_CQE=0 forbids it); dv_rq_retire() copies it
 * to its place. byte_cnt bytes: at most 32 inside the CQE, or 64 in front of it. */
DV_INLINE const void *dv_cqe_inline(const struct mlx5_cqe64 *cqe)
{
	if (cqe->op_own & MLX5_INLINE_SCATTER_32)
		return cqe;
	return cqe->op_own & MLX5_INLINE_SCATTER_64 ? cqe - 1 : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
