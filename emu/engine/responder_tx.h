/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of the responder: READ responses, atomic responses, ACKs and NAKs. */
#ifndef EMU_ENGINE_RESPONDER_TX_H
#define EMU_ENGINE_RESPONDER_TX_H

#include "engine/loop.h"

static inline bool responder_tx_pending(const struct hca_qp *qp)
{
	return qp->resp.read_atomic_cnt || qp->resp.ack != HCA_ACK_NONE;
}

/* Sends up to a quantum of packets; false when it sent none. */
bool responder_tx_run(struct engine *e, struct hca_qp *qp);

#endif
