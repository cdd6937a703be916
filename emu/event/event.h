/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event: CQEs in completion queues, EQEs in event queues, and the arming of completion queues.
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
 * second half; the first half is written too where the CQ has 128-byte entries (inline scatter
 * of up to 64 bytes). A full ring is an overrun: unless the CQ ignores overruns, the CQE is
 * lost, the CQ is marked and a CQ error event is raised; false then. Also false if the ring or
 * the doorbell record is not mapped any more. @solicited: the CQE raises the event of a
 * "solicited only" arm (errors always do).
 */
bool event_cqe(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY],
	       bool solicited);

/* Writes the CQEs that compressing CQs hold back. Callers of event_cqe() call it before they
 * release the lock. */
void event_sessions_end(struct hca *hca);

/*
 * Arms @cq by the arm word @word: {sn, solicited only, consumer index}. Raises the completion
 * event at once if such CQEs are already waiting and no event was raised for them. False, and
 * nothing is armed: sn is that of the last event.
 */
bool event_cq_arm(struct hca *hca, struct hca_cq *cq, uint32_t word);
/* Is @word in the arm record of @cq? If the record is unmapped, the CQ ends, and true. */
bool event_cq_arm_is_recorded(struct hca *hca, struct hca_cq *cq, uint32_t word);
/* Arms by the arm record if it has changed: its doorbell may not have been seen. */
void event_cq_arm_recorded(struct hca *hca, struct hca_cq *cq);

/* Raises the events that moderation delays and that are due at @now (core_now_ns). False: no
 * event is delayed any more. */
bool event_due(struct hca *hca, uint64_t now);

/* The new ring of a CQ. */
struct event_cq_ring {
	struct hca_ring ring; /* pas become the CQ's */
	uint8_t log_size, cqe_size_log;
};

/*
 * Moves @cq to another ring: a CQE of opcode RESIZE_CQ ends the old one, the next CQE has the
 * index after it, in the new ring (software copies the waiting CQEs to the next index each:
 * rdma-core, providers/mlx5/cq.c, mlx5_cq_resize_copy_cqes). False, and nothing changed: the
 * waiting CQEs fill the old ring or the new one.
 */
bool event_cq_resize(struct hca *hca, struct hca_cq *cq, const struct event_cq_ring *to);

/* Raises the completion event of @cq: an EQE in the queue that cqc.c_eqn names. */
void event_comp(struct hca *hca, struct hca_cq *cq);

/* Raises an asynchronous event; @obj is the QPN, CQN, SRQN or DCTN it is about. */
void event_async(struct hca *hca, uint8_t type, uint32_t obj, uint8_t syndrome);

/* Raises the event that the port is up, or down. */
void event_port(struct hca *hca);

/* Raises the event that commands of the command queue have completed: a bit of @done each; is
 * there an event queue for it? */
bool event_cmd_wanted(struct hca *hca);
void event_cmd(struct hca *hca, uint32_t done);

/* A doorbell of @eq: its owner has taken the EQEs before @ci, of which 24 bits count, and
 * wants an interrupt for the next one, or not. False: @ci is ahead of what was written. */
bool event_eq_update(struct hca *hca, struct hca_eq *eq, uint32_t ci, bool arm);

/* Takes the next EQE out of @eq on behalf of its owner; false when there is none. */
bool event_eq_next(struct hca_eq *eq, uint8_t eqe[64]);

/* --check, when a CQ is not used any more: reports it if CQEs without an error were written and
 * its consumer index never was. */
void event_cq_unreleased(struct hca_cq *cq);

/* Is there space for one more CQE? (Always in a CQ that ignores overruns.) */
bool event_cq_has_space(const struct hca_cq *cq);

#endif
