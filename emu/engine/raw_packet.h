/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send queues of raw packets. Their packets are not sent yet: raw_packet.c describes what their
 * WQEs do.
 */
#ifndef EMU_ENGINE_RAW_PACKET_H
#define EMU_ENGINE_RAW_PACKET_H

#include "engine/cqe.h"

/* Reads the send record of @sq after a doorbell on its page; false if it has no new value. */
bool raw_packet_poll(struct engine *e, struct hca_sq *sq);
/* Reports the SQs whose record is ahead of their last doorbell. */
void raw_packet_unrung(struct hca *hca);

#endif
