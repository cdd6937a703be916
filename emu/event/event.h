/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event: what the device tells its owner. CQEs into completion queues, EQEs into event
 * queues, and the arming that turns the one into the other.
 *
 *	engine --event_cqe--> CQ ring --armed?--> EQ ring --irq--> uverbs
 *	engine, fw --event_async------------------^
 */
#ifndef EMU_EVENT_H
#define EMU_EVENT_H

#include "event/hcqe.h"
#include "hca/hca.h"

/* Syndrome of a CQ error event (struct mlx5_eqe_cq_err). */
enum event_cq_syndrome {
	EVENT_CQ_OVERRUN = 1,
	EVENT_CQ_ACCESS = 2,
};

/*
 * Writes a CQE into the next slot of @cq: the rest first, op_own last with a release store.
 * @entry is always 128 bytes: the CQE proper (signature 0, op_own without the owner bit) in the
 * second half; the first half is written too where the CQ has 128-byte entries (inline scatter of up
 * to 64 bytes stands there). A full ring is an overrun: unless the CQ ignores overruns, the
 * CQE is lost, the CQ is marked and a CQ error event is raised; false then. The same where the
 * ring or the doorbell record is not mapped any more.
 * @solicited: the CQE answers a "solicited only" arm (errors always do).
 */
bool event_cqe(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY],
	       bool solicited);

/* Writes what CQs that compress keep back. Whoever let CQEs be written calls it before the lock is
 * free again. */
void event_sessions_end(struct hca *hca);

/*
 * Arms @cq as the doorbell word @word says: {sn, solicited only, consumer index}. Raises the
 * completion event at once when such CQEs are already waiting and no event told of them. False,
 * and nothing is armed: sn is that of the last event.
 */
bool event_cq_arm(struct hca *hca, struct hca_cq *cq, uint32_t word);
/* Does the doorbell record of @cq say @word? If it is gone, the CQ ends, and true. */
bool event_cq_arm_is_recorded(struct hca *hca, struct hca_cq *cq, uint32_t word);
/* Arms by the record, if it is another than at the last look: its doorbell may not have been seen. */
void event_cq_arm_recorded(struct hca *hca, struct hca_cq *cq);

/* Raises the events that moderation held back and that are due at @now (core_now_ns). False:
 * none is held back any more. */
bool event_due(struct hca *hca, uint64_t now);

/* Where the CQEs go from now on. */
struct event_cq_ring {
	struct hca_ring ring; /* pas become the CQ's */
	uint8_t log_size, cqe_size_log;
};

/*
 * Moves @cq to another ring: a CQE of opcode RESIZE_CQ ends the old one, the next CQE stands
 * behind it, at its index in the new ring (software copies what waits, one place further:
 * rdma-core, providers/mlx5/cq.c, mlx5_cq_resize_copy_cqes). False, and nothing changed: the
 * CQEs that wait fill the old ring or do not leave a place free in the new one.
 */
bool event_cq_resize(struct hca *hca, struct hca_cq *cq, const struct event_cq_ring *to);

/* Raises the completion event of @cq: an EQE in the queue that cqc.c_eqn names. */
void event_comp(struct hca *hca, struct hca_cq *cq);

/* Raises an asynchronous event; @obj is the QPN, CQN, SRQN or DCTN it is about. */
void event_async(struct hca *hca, uint8_t type, uint32_t obj, uint8_t syndrome);

/* Takes the next EQE out of @eq on behalf of its owner; false when there is none. */
bool event_eq_next(struct hca_eq *eq, uint8_t eqe[64]);

/* --check, when a CQ goes out of use: a finding if CQEs without an error were written and its
 * consumer index never was. */
void event_cq_unreleased(struct hca_cq *cq);

/* Is there room for one more CQE? (A CQ that ignores overruns always has.) */
bool event_cq_has_space(const struct hca_cq *cq);

#endif
