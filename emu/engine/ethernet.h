/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send and receive queues of Ethernet: what raw packet QPs, work queues and DevX SQs and RQs
 * are.
 *
 *	SQ: doorbell -> WQE -> frame -> checksums, VLAN tag -> net        ethernet_tx.c, ethernet_wqe.c
 *	net -> frame -> RQ -> WQE, memory, CQE                            ethernet_rx.c
 */
#ifndef EMU_ENGINE_ETHERNET_H
#define EMU_ENGINE_ETHERNET_H

#include "engine/cqe.h"

/* Reads the send record of @sq after a doorbell on its page; false if it has no new value. */
bool ethernet_poll(struct engine *e, struct hca_sq *sq);
/* Executes WQEs of all SQs that have some. False: nothing was done. */
bool ethernet_run(struct engine *e);
/* Reports the SQs whose record is ahead of their last doorbell. */
void ethernet_unrung(struct hca *hca);

/* A frame arrived from the process in slot @from. */
void ethernet_take(struct engine *e, const uint8_t *frame, size_t len, uint8_t from);
/* Completes with errors what is posted to RQs that went to ERR, if they ask for that. False:
 * there were none. */
bool ethernet_flush(struct engine *e);

#endif
