/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which CQ an arm is for, and whether it is taken.
 *
 *	value -> CQN: a CQ? -> its cqc.uar_page: this page? -> sn: not that of the last event? -> armed
 *	             '- no ------------------'- no -----------'- no --> nothing, and a finding
 *
 * "Upon doorbell, hardware fetches the object context for which the doorbell was rang, and
 * validates that the UAR through which the DB was rang matches the UAR ID of the object. If no
 * match the doorbell is silently ignored by the hardware" (kernel, mlx5_ib, devx.c, above
 * DEVX_QUERY_UAR).
 */
#include "engine/cq_arm.h"
#include "event/event.h"

/* An arm that is repeated before its event is read is common, and harmless: the program polls
 * the CQ when it reads the event. */
static void stale(struct hca *hca, const struct hca_cq *cq, uint32_t word)
{
	if (hca->unread && hca->unread(hca, cq))
		return;
	core_check(CORE_ARM_STALE, "CQ", cq->cqn,
		   "armed with sn %u, that of its last event, so nothing is armed",
		   word >> 28 & 3);
}

/* The CQ that @value names, if it may be armed through @uar. */
static struct hca_cq *named(struct hca *hca, const struct hca_uar *uar, uint64_t value)
{
	struct hca_cq *cq = hca_cq_find(hca, (uint32_t)value);

	if (!cq) {
		core_check(
			CORE_ARM_CQN, "CQ", (uint32_t)value,
			"armed through UAR page %u, and there is no CQ of this number, so nothing is "
			"armed",
			uar->index);
		return NULL;
	}
	if (cq->uar == uar)
		return cq;
	core_check(CORE_ARM_UAR, "CQ", cq->cqn,
		   "armed through UAR page %u, and cqc.uar_page is %u, so nothing is armed",
		   uar->index, cq->uar ? cq->uar->index : 0);
	return NULL;
}

/* The register of @uar may have had arms of other CQs before: their arm records have them. */
static void overwritten(struct hca *hca, const struct hca_uar *uar)
{
	struct hca_cq *cq;
	uint32_t cqn = 0;

	while ((cq = core_ids_next(&hca->cqs, &cqn)))
		if (cq->uar == uar)
			event_cq_arm_recorded(hca, cq);
}

void cq_arm_polled(struct hca *hca, struct hca_uar *uar, uint64_t value)
{
	struct hca_cq *cq = named(hca, uar, value);
	uint32_t word = value >> 32;
	bool seen = cq && word == cq->arm_last;

	if (!cq)
		return;
	if (event_cq_arm(hca, cq, word) || seen)
		overwritten(hca, uar);
	else
		stale(hca, cq, word);
}

void cq_arm_stored(struct hca *hca, struct hca_uar *uar, uint64_t value)
{
	struct hca_cq *cq = named(hca, uar, value);
	uint32_t word = value >> 32;

	if (!cq)
		return;
	if (!event_cq_arm_is_recorded(hca, cq, word))
		core_check(
			CORE_ARM_RECORD, "CQ", cq->cqn,
			"armed by 0x%08x in the register, which is not the word in the arm record",
			word);
	if (!event_cq_arm(hca, cq, word))
		stale(hca, cq, word);
}
