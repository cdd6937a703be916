/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion queues: the owner bit, overrun, arming.
 *
 *	slot = pi & (size - 1), owner bit = bit log_size of pi: it flips with every lap, so
 *	software tells a new entry from last lap's without a producer index.
 */
#include <endian.h>
#include <stdatomic.h>
#include <string.h>

#include "event/event.h"

#define CQE_OP_OWN 63
#define CQE_OPCODE_REQ_ERR 13
#define CI_MASK 0xffffffu

/* The arm word, dbrec[1]: sn 29:28, solicited only 24, consumer index 23:0 (rdma-core,
 * providers/mlx5/cq.c, mlx5_arm_cq). */
#define ARM_SOLICITED (1u << 24)

/* Word @i of the CQ's doorbell record {set_ci, arm}. */
static uint32_t record(const struct dev_cq *cq, unsigned int i)
{
	const _Atomic uint32_t *rec = (const _Atomic uint32_t *)(uintptr_t)cq->dbrec;

	return be32toh(atomic_load_explicit(&rec[i], memory_order_acquire));
}

/* CQEs that software has not consumed, by the index it last wrote. */
static uint32_t outstanding(const struct dev_cq *cq)
{
	return (cq->pi - record(cq, 0)) & CI_MASK;
}

bool event_cq_room(const struct dev_cq *cq)
{
	return cq->overrun_ignore || (!cq->overrun && outstanding(cq) < 1u << cq->log_size);
}

static void completion_event(struct dev *d, struct dev_cq *cq)
{
	cq->armed = false;
	event_comp(d, cq);
}

bool event_cqe(struct dev *d, struct dev_cq *cq, const uint8_t entry[128], bool solicited)
{
	uint32_t slot = cq->pi & ((1u << cq->log_size) - 1);
	uint8_t *to = dev_ring_at(&cq->ring, (uint64_t)slot << cq->cqe_size_log);
	size_t size = (size_t)1 << cq->cqe_size_log;
	const uint8_t *from = entry + 128 - size;
	uint8_t op_own = entry[127] | (cq->pi >> cq->log_size & 1);

	if (!event_cq_room(cq)) {
		if (!cq->overrun)
			event_async(d, EVENT_CQ_ERROR, cq->cqn, EVENT_CQ_OVERRUN);
		cq->overrun = true;
		return false;
	}
	memcpy(to, from, size - 1);
	atomic_store_explicit((_Atomic uint8_t *)(to + size - 1), op_own, memory_order_release);
	cq->pi++;
	core_trace(&(struct core_trace){ .kind = TRACE_CQE,
					 .obj = cq->cqn,
					 .index = cq->pi - 1,
					 .in = to + size - 64,
					 .in_len = 64 });
	if (cq->armed && (!cq->armed_solicited || solicited || op_own >> 4 >= CQE_OPCODE_REQ_ERR))
		completion_event(d, cq);
	return true;
}

void event_cq_arm(struct dev *d, struct dev_cq *cq)
{
	uint32_t arm = record(cq, 1);

	if (arm == cq->arm_last)
		return;
	cq->arm_last = arm;
	cq->armed = true;
	cq->armed_solicited = arm & ARM_SOLICITED;
	/* The index in the arm word is how far software had looked when it armed: what came
	 * since must raise the event now, or it would sleep for ever. With "solicited only"
	 * the device remembers whether one of those was solicited. */
	/* assumed(arm_solicited_counts_any_waiting_cqe): arming a CQ for solicited events only
	 * raises the event at once if any CQE is waiting, solicited or not. */
	if ((cq->pi & CI_MASK) != (arm & CI_MASK))
		completion_event(d, cq);
}
