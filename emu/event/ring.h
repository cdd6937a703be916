/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of event: the ring of a CQ as cqe.c and session.c write it. A slot is 64 or 128 bytes, a
 * CQE the last 64 of them.
 */
#ifndef EMU_EVENT_RING_H
#define EMU_EVENT_RING_H

#include "event/event.h"

/* How often the ring was filled before the entry at the producer index, 8 bits. */
uint8_t event_ring_pass(const struct hca_cq *cq);
/* Both are false where the ring is not mapped any more; then the CQ is in error.
 * Writes @len bytes, up to 64, at the begin of the CQE of index @index; the last two of 64 become
 * visible last. */
bool event_ring_write(struct hca *hca, struct hca_cq *cq, uint32_t index, const uint8_t *bytes,
		      size_t len);
/* Writes the entry at the producer index, which moves on; sets its owner bit, or lap. */
bool event_ring_entry(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY]);
/* CQEs from index @from on were written: is anybody waiting for them? */
void event_cqes_came(struct hca *hca, struct hca_cq *cq, uint32_t from, bool solicited);

/* session.c, of CQs that compress */

/* Keeps @entry for later; false: it has to be written by itself, and what waited is written. */
bool event_session_takes(struct hca *hca, struct hca_cq *cq, const uint8_t entry[HCQE_ENTRY]);
/* Writes what waits. */
void event_session_end(struct hca *hca, struct hca_cq *cq);

#endif
