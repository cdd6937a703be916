/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send queues of raw packets, as doorbells and the end of the process see them. Their packets are
 * not carried yet: raw_packet.c says what becomes of a WQE.
 */
#ifndef EMU_ENGINE_RAW_PACKET_H
#define EMU_ENGINE_RAW_PACKET_H

#include "engine/cqe.h"

/* Looks at the send record of @sq after a ring on its page; false when nothing is new. */
bool raw_packet_poll(struct engine *e, struct hca_sq *sq);
/* Reports the SQs whose record is ahead of their last ring. */
void raw_packet_unrung(struct hca *hca);

#endif
