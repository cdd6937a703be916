/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion queues: the owner bit, overrun, arming, moderation, resizing.
 *
 *	slot = pi & (size - 1), owner bit = bit log_size of pi: it changes with every pass over the
 *	ring, so software needs no producer index to recognize a new CQE.
 *
 *	CQE -> of a CQ that compresses? It waits for the end of the iteration: session.c
 *	    -> armed for it? -> moderated? -no--------------------> completion event
 *	                             '--yes-> held: max_count CQEs or period us -^
 */
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event/ring.h"

#define CI_MASK 0xffffffu

/* The arm word, dbrec[1]: sn 29:28, solicited only 24, consumer index 23:0 (rdma-core,
 * providers/mlx5/cq.c, mlx5_arm_cq). */
#define ARM_SN(word)  ((word) >> 28 & 3)
#define ARM_SOLICITED (1u << 24)

/* Memory of the queue was unmapped before the queue was destroyed: nothing is written to it any
 * more. On hardware it stays pinned; an adapter that is refused access to it reports this
 * syndrome (kernel, <linux/mlx5/cq.h>: MLX5_CQ_ERROR_SYNDROME_CQ_ACCESS_VIOLATION_ERROR). */
static void lose(struct hca *hca, struct hca_cq *cq, const char *what, uint64_t at)
{
	if (cq->lost)
		return;
	cq->lost = true;
	core_check(CORE_QUEUE_UNMAPPED, "CQ", cq->cqn, "its %s at 0x%" PRIx64 " is not mapped",
		   what, core_bus_origin(at));
	event_async(hca, PRM_EVENT_CQ_ERROR, cq->cqn, EVENT_CQ_ACCESS);
}

/* Word @i of the CQ's doorbell record {set_ci, arm}; false: it cannot be read. */
static bool record(const struct hca_cq *cq, unsigned int i, uint32_t *word)
{
	if (cq->lost || !core_fetch32(word, cq->dbrec + i * sizeof(*word)))
		return false;
	*word = be32toh(*word);
	return true;
}

/* CQEs that software has not consumed, by the index it last wrote; all if that cannot be
 * read. */
static uint32_t outstanding(const struct hca_cq *cq)
{
	uint32_t waiting = cq->session ? cq->session->n : 0, ci;

	return record(cq, 0, &ci) ? (cq->pi + waiting - ci) & CI_MASK : CI_MASK;
}

bool event_cq_has_space(const struct hca_cq *cq)
{
	return !cq->lost &&
	       (cq->overrun_ignore || (!cq->overrun && outstanding(cq) < 1u << cq->log_size));
}

static void completion_event(struct hca *hca, struct hca_cq *cq)
{
	cq->armed = false;
	cq->fired = true;
	cq->fired_sn = cq->armed_sn;
	core_list_del(&cq->on_held);
	cq->event_at = core_now_ns();
	cq->notified = cq->pi;
	event_comp(hca, cq);
}

/* When an event that moderation holds back is due at the latest. */
/* assumed(moderation_period_counts_from_the_last_event): with cq_period_mode 0 (kernel,
 * mlx5_ifc.h: START_FROM_EQE) the period counts from the last completion event: the first CQE
 * after a pause longer than that raises its event at once. */
/* With cq_period_mode 1, START_FROM_CQE, it counts from the last CQE. */
static uint64_t due_at(const struct hca_cq *cq)
{
	return (cq->from_cqe ? cq->cqe_at : cq->event_at) + cq->period * 1000ull;
}

/* The CQ is armed for the CQE at @index. */
/* assumed(moderation_needs_count_and_period): a CQ whose cq_max_count or cq_period is 0 raises
 * every event at once. */
static void completion(struct hca *hca, struct hca_cq *cq, uint32_t index)
{
	if (!cq->max_count || !cq->period) {
		completion_event(hca, cq);
		return;
	}
	if (!core_list_linked(&cq->on_held))
		cq->held_from = index;
	core_list_add(&hca->held, &cq->on_held);
	cq->cqe_at = core_now_ns();
	if (cq->pi - cq->held_from >= cq->max_count || cq->cqe_at >= due_at(cq))
		completion_event(hca, cq);
}

bool event_due(struct hca *hca, uint64_t now)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &hca->held) {
		struct hca_cq *cq = core_container(pos, struct hca_cq, on_held);

		if (now >= due_at(cq))
			completion_event(hca, cq);
	}
	return !core_list_empty(&hca->held);
}

static uint64_t slot_at(const struct hca_cq *cq, uint32_t index)
{
	uint32_t slot = cq->collapsed ? 0 : index & ((1u << cq->log_size) - 1);

	return hca_ring_bus(&cq->ring, (uint64_t)slot << cq->cqe_size_log);
}

uint8_t event_ring_pass(const struct hca_cq *cq)
{
	return (uint8_t)(cq->pi >> cq->log_size);
}

/* Bytes 62 and 63 of a CQE are written in one store: in the enhanced layout the first replaces
 * the owner bit, and the second has the format of the rest. */
static bool publish(uint64_t last_two, const uint8_t *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return core_store16(last_two, value);
}

bool event_ring_write(struct hca *hca, struct hca_cq *cq, uint32_t index, const uint8_t *bytes,
		      size_t len)
{
	uint64_t to = slot_at(cq, index) + ((size_t)1 << cq->cqe_size_log) - HCQE_BYTES;
	size_t head = len < HCQE_BYTES ? len : HCQE_OP_OWN;

	if (core_store(to, bytes, head) &&
	    (len < HCQE_BYTES || publish(to + head, bytes + head)))
		return true;
	lose(hca, cq, "ring", to);
	return false;
}

static uint8_t xor_of(const uint8_t *bytes, size_t len)
{
	uint8_t sum = 0;

	while (len--)
		sum ^= *bytes++;
	return sum;
}

/*
 * The signature of the CQE at the end of @entry, whose byte 62 is 0: "CQE is valid if byte-wise
 * XOR of entire CQE (including signature field) and the CQE index is 0xff. For 128B CQE, the
 * GRH/inline_64 section is taken into account if data / GRH was written to it" (PRM of the
 * Ethernet adapters, CQE; cited on netdev, 2022-10-25, "Verify CQE and EQE signatures", whose
 * patch uses the 24 bits of the consumer index). The dumps of Juniper/warp17, issue 81, with
 * index 0 and 2, agree.
 */
static uint8_t signature(const struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY])
{
	bool in_front = cq->cqe_size_log == 7 &&
			core_bits(entry + HCQE_CQE, HCQE_FORMAT) == HCQE_FORMAT_INLINE_64;
	size_t len = in_front ? HCQE_ENTRY : HCQE_BYTES;
	uint32_t index = cq->pi & CI_MASK;

	return ~(xor_of(entry + HCQE_ENTRY - len, len) ^ (uint8_t)index ^
		 (uint8_t)(index >> 8) ^ (uint8_t)(index >> 16));
}

/* assumed(collapsed_cq_has_an_owner_bit): the one entry of a collapsed CQ (cqc.cc) has the
 * owner bit that the CQE would have in a ring of 1 << log_cq_size. */
bool event_ring_entry(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY])
{
	uint64_t to = slot_at(cq, cq->pi);
	size_t size = (size_t)1 << cq->cqe_size_log;
	uint8_t bytes[HCQE_ENTRY], *cqe = bytes + HCQE_CQE;

	memcpy(bytes, entry, sizeof(bytes));
	core_set_bits(cqe, HCQE_OWNER, event_ring_pass(cq));
	/* openucx/ucx, ib_mlx5.h: validity_iteration_count in place of the signature. */
	core_set_bits(cqe, HCQE_SIGNATURE,
		      cq->session && cq->session->enhanced ? event_ring_pass(cq)
							   : signature(cq, bytes));
	if (!core_store(to, bytes + HCQE_ENTRY - size, size - 2) ||
	    !publish(to + size - 2, cqe + HCQE_OP_OWN)) {
		lose(hca, cq, "ring", to);
		return false;
	}
	cq->pi++;
	core_trace(&(struct core_trace){ .kind = TRACE_CQE,
					 .obj = cq->cqn,
					 .index = cq->pi - 1,
					 .in = cqe,
					 .in_len = HCQE_BYTES });
	return true;
}

void event_cqes_written(struct hca *hca, struct hca_cq *cq, uint32_t from, bool solicited)
{
	if (solicited)
		cq->solicited_end = cq->pi;
	if (cq->armed && (!cq->armed_solicited || solicited))
		completion(hca, cq, from);
}

static void report_overrun(const struct hca_cq *cq, const uint8_t *cqe)
{
	core_check(CORE_CQ_OVERRUN, "CQ", cq->cqn,
		   "a CQE of QP 0x%x is lost: %u CQEs were not released, and the ring has %u",
		   core_bits(cqe, HCQE_QPN), outstanding(cq), 1u << cq->log_size);
}

void event_cq_unreleased(struct hca_cq *cq)
{
	uint32_t ci;

	/* At exit the memory of the record may be unmapped before its CQ is destroyed. */
	if (!core_trace_on(TRACE_CHECK) || cq->reported || cq->overrun_ignore ||
	    !cq->successes || cq->pi > CI_MASK || !record(cq, 0, &ci) || ci)
		return;
	cq->reported = true;
	core_check(CORE_CQ_UNRELEASED, "CQ", cq->cqn,
		   "%u CQEs were written, and the consumer index never was", cq->pi);
}

/* There is no free space: reports why. */
static void no_space(struct hca *hca, struct hca_cq *cq, const uint8_t *cqe)
{
	uint32_t ci;

	if (!record(cq, 0, &ci)) {
		lose(hca, cq, "doorbell record", cq->dbrec);
		return;
	}
	if (!cq->overrun) {
		hca->counts.cq_overrun++;
		report_overrun(cq, cqe);
		event_async(hca, PRM_EVENT_CQ_ERROR, cq->cqn, EVENT_CQ_OVERRUN);
	}
	cq->overrun = true;
}

bool event_cqe(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY],
	       bool solicited)
{
	bool error = core_bits(entry + HCQE_CQE, HCQE_OPCODE) >= HCQE_REQ_ERR;

	if (!event_cq_has_space(cq)) {
		no_space(hca, cq, entry + HCQE_CQE);
		return false;
	}
	cq->successes |= !error;
	if (cq->session && event_session_takes(hca, cq, entry))
		return true;
	if (!event_ring_entry(hca, cq, entry))
		return false;
	event_cqes_written(hca, cq, cq->pi - 1, solicited || error);
	return true;
}

/*
 * Number of CQEs from @ci, the index of an arm, for which no event was raised. An event is for
 * all CQEs of its time: a ConnectX-5 raises no second one for those that software left in the
 * CQ (linux-rdma/perftest, issue 137: ibv_get_cq_event() does not return), and perftest's
 * latency tests expect a CQE for every event. PRM, CQC: last_notified_index.
 */
static uint32_t not_notified(const struct hca_cq *cq, uint32_t ci)
{
	uint32_t waiting = (cq->pi - ci) & CI_MASK, since = cq->pi - cq->notified;

	return since < waiting ? since : waiting;
}

bool event_cq_arm(struct hca *hca, struct hca_cq *cq, uint32_t word)
{
	uint32_t n = not_notified(cq, word & CI_MASK);

	cq->arm_last = word;
	/* assumed(arm_with_the_sn_of_the_last_event_does_nothing): an arm whose sequence number
	 * is still that of the arm which the last event answered is not taken. All public
	 * programs add 1 for each event (rdma-core, mlx5_cq_event; kernel, mlx5_core eq.c;
	 * DPDK, mlx5_rxq.c), and no document describes what happens otherwise. */
	if (cq->fired && ARM_SN(word) == cq->fired_sn)
		return false;
	/* An arm for all CQEs stays one: google/rdma-unit-test, comp_channel_test.cc,
	 * DowngradeRequest. */
	cq->armed_solicited = word & ARM_SOLICITED && (!cq->armed || cq->armed_solicited);
	cq->armed = true;
	cq->armed_sn = ARM_SN(word);
	/* The index in the arm word is the consumer index when software armed. CQEs that were
	 * written since raise the event now: otherwise it would be a lost wakeup. */
	/* assumed(solicited_arm_looks_at_the_last_solicited_cqe): arming for solicited events
	 * only raises the event at once if a solicited CQE (or an error) is waiting, and not
	 * for others: the device keeps the index of the last one (PRM, CQC:
	 * last_solicit_index). */
	if (n && (!cq->armed_solicited || cq->pi - cq->solicited_end < n))
		completion(hca, cq, cq->pi - n);
	return true;
}

bool event_cq_arm_is_recorded(struct hca *hca, struct hca_cq *cq, uint32_t word)
{
	uint32_t recorded;

	if (record(cq, 1, &recorded))
		return recorded == word;
	lose(hca, cq, "doorbell record", cq->dbrec);
	return true;
}

void event_cq_arm_recorded(struct hca *hca, struct hca_cq *cq)
{
	uint32_t word;

	if (!record(cq, 1, &word))
		lose(hca, cq, "doorbell record", cq->dbrec);
	else if (word != cq->arm_last)
		event_cq_arm(hca, cq, word);
}

bool event_cq_resize(struct hca *hca, struct hca_cq *cq, const struct event_cq_ring *to)
{
	uint8_t entry[HCQE_ENTRY] = { 0 };
	uint32_t waiting = outstanding(cq);

	if (cq->overrun || waiting >= 1u << cq->log_size || waiting >= 1u << to->log_size)
		return false;
	/* The consumer index of a pending arm refers to the old ring. */
	event_cq_arm_recorded(hca, cq);
	core_set_bits(entry + HCQE_CQE, HCQE_OPCODE, HCQE_RESIZE);
	if (!event_ring_entry(hca, cq, entry))
		return false;
	free(cq->ring.pas);
	cq->ring = to->ring;
	cq->log_size = to->log_size;
	cq->cqe_size_log = to->cqe_size_log;
	return true;
}
