/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of event: the ring of a CQ as cqe.c and session.c write it. A slot is 64 or 128 bytes,
 * a CQE the last 64 of them.
 */
#ifndef EMU_EVENT_RING_H
#define EMU_EVENT_RING_H

#include "event/event.h"

/* Passes over the ring before the entry at the producer index, 8 bits. */
uint8_t event_ring_pass(const struct hca_cq *cq);
/* Both are false if the ring is not mapped any more; then the CQ is in error. Writes @len
 * bytes, up to 64, at the start of the CQE of index @index; the last two of 64 become visible
 * last. */
bool event_ring_write(struct hca *hca, struct hca_cq *cq, uint32_t index, const uint8_t *bytes,
		      size_t len);
/* Writes the entry at the producer index, which advances; sets its owner bit, or count of
 * passes. */
bool event_ring_entry(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY]);
/* CQEs from index @from on were written: raises the event if the CQ is armed for them. */
void event_cqes_written(struct hca *hca, struct hca_cq *cq, uint32_t from, bool solicited);

/* session.c, of CQs that compress */

/* Holds @entry back; false: it has to be written separately, and those held back are
 * written. */
bool event_session_takes(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY]);
/* Writes the CQEs that are held back. */
void event_session_end(struct hca *hca, struct hca_cq *cq);

#endif
