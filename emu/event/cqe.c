/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion queues: the owner bit, overrun, arming, moderation, resizing.
 *
 *	slot = pi & (size - 1), owner bit = bit log_size of pi: it flips with every lap, so
 *	software tells a new entry from last lap's without a producer index.
 *
 *	CQE -> armed for it? -> moderated? -no--------------------> completion event
 *	                             '--yes-> held: max_count CQEs or period us -^
 */
#include <endian.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

#define CQE_OP_OWN	   63
#define CQE_OPCODE_RESIZE  5 /* rdma-core, mlx5dv.h: MLX5_CQE_RESIZE_CQ */
#define CQE_OPCODE_REQ_ERR 13
#define CI_MASK		   0xffffffu

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
	core_list_del(&cq->on_held);
	cq->event_at = core_now_ns();
	cq->notified = cq->pi;
	event_comp(d, cq);
}

/* When an event that moderation holds back is due at the latest. */
/* assumed(moderation_period_counts_from_the_last_event): with cq_period_mode 0 (kernel,
 * mlx5_ifc.h: START_FROM_EQE) the period counts from the last completion event: the first CQE
 * after a pause longer than that raises its event at once. */
static uint64_t due_at(const struct dev_cq *cq)
{
	return cq->event_at + cq->period * 1000ull;
}

/* Something came at @index for which the CQ is armed. */
/* assumed(moderation_needs_count_and_period): a CQ whose cq_max_count or cq_period is 0 raises
 * every event at once. */
static void completion(struct dev *d, struct dev_cq *cq, uint32_t index)
{
	if (!cq->max_count || !cq->period) {
		completion_event(d, cq);
		return;
	}
	if (!core_list_linked(&cq->on_held))
		cq->held_from = index;
	core_list_add(&d->held, &cq->on_held);
	if (cq->pi - cq->held_from >= cq->max_count || core_now_ns() >= due_at(cq))
		completion_event(d, cq);
}

bool event_due(struct dev *d, uint64_t now)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &d->held) {
		struct dev_cq *cq = core_container(pos, struct dev_cq, on_held);

		if (now >= due_at(cq))
			completion_event(d, cq);
	}
	return !core_list_empty(&d->held);
}

/* The entry at the producer index: op_own last. */
static void write_entry(struct dev_cq *cq, const uint8_t entry[128])
{
	uint32_t slot = cq->pi & ((1u << cq->log_size) - 1);
	uint8_t *to = dev_ring_at(&cq->ring, (uint64_t)slot << cq->cqe_size_log);
	size_t size = (size_t)1 << cq->cqe_size_log;
	uint8_t op_own = entry[127] | (cq->pi >> cq->log_size & 1);

	memcpy(to, entry + 128 - size, size - 1);
	atomic_store_explicit((_Atomic uint8_t *)(to + size - 1), op_own, memory_order_release);
	cq->pi++;
	core_trace(&(struct core_trace){ .kind = TRACE_CQE,
					 .obj = cq->cqn,
					 .index = cq->pi - 1,
					 .in = to + size - 64,
					 .in_len = 64 });
}

bool event_cqe(struct dev *d, struct dev_cq *cq, const uint8_t entry[128], bool solicited)
{
	if (!event_cq_room(cq)) {
		if (!cq->overrun) {
			d->counts.cq_overrun++;
			event_async(d, EVENT_CQ_ERROR, cq->cqn, EVENT_CQ_OVERRUN);
		}
		cq->overrun = true;
		return false;
	}
	write_entry(cq, entry);
	solicited |= entry[127] >> 4 >= CQE_OPCODE_REQ_ERR;
	if (solicited)
		cq->solicited_end = cq->pi;
	if (cq->armed && (!cq->armed_solicited || solicited))
		completion(d, cq, cq->pi - 1);
	return true;
}

/*
 * CQEs that an arm with index @ci finds waiting, that were not told of before. An event is for
 * all CQEs that were there: a ConnectX-5 does not tell twice of what software left in the CQ
 * (linux-rdma/perftest, issue 137: ibv_get_cq_event() does not return), and perftest's latency
 * tests take every event for a CQE of its own. PRM, CQC: last_notified_index.
 */
static uint32_t untold(const struct dev_cq *cq, uint32_t ci)
{
	uint32_t waiting = (cq->pi - ci) & CI_MASK, since = cq->pi - cq->notified;

	return since < waiting ? since : waiting;
}

void event_cq_arm(struct dev *d, struct dev_cq *cq)
{
	uint32_t arm = record(cq, 1), n = untold(cq, arm & CI_MASK);

	if (arm == cq->arm_last)
		return;
	cq->arm_last = arm;
	cq->armed = true;
	cq->armed_solicited = arm & ARM_SOLICITED;
	/* The index in the arm word is how far software had looked when it armed: what came
	 * since must raise the event now, or it would sleep for ever. */
	/* assumed(solicited_arm_looks_at_the_last_solicited_cqe): arming for solicited events only
	 * raises the event at once if a solicited CQE (or an error) is waiting, and not for others:
	 * the device keeps the index of the last one (PRM, CQC: last_solicit_index). */
	if (n && (!cq->armed_solicited || cq->pi - cq->solicited_end < n))
		completion(d, cq, cq->pi - n);
}

bool event_cq_resize(struct dev *d, struct dev_cq *cq, const struct event_cq_ring *to)
{
	uint8_t entry[128] = { [127] = CQE_OPCODE_RESIZE << 4 };
	uint32_t waiting = outstanding(cq);

	if (cq->overrun || waiting >= 1u << cq->log_size || waiting >= 1u << to->log_size)
		return false;
	/* Its consumer index is one of the old ring. */
	event_cq_arm(d, cq);
	write_entry(cq, entry);
	free(cq->ring.pas);
	cq->ring = to->ring;
	cq->log_size = to->log_size;
	cq->cqe_size_log = to->cqe_size_log;
	return true;
}
