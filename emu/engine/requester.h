/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requester: send WQEs become request packets. State shared with completer.c:
 *
 *	go-back-N: an ACK advances una_psn; a gap or a timeout sets psn back, and the WQEs from there
 *	on are read from the ring and sent again.
 */
#ifndef EMU_ENGINE_REQUESTER_H
#define EMU_ENGINE_REQUESTER_H

#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/psn.h"
#include "engine/sg.h"

/* Sends up to a quantum of packets; false when there was nothing that could be done. */
bool requester_run(struct engine *e, struct hca_qp *qp);

static inline struct hca_req_wqe *requester_wqe(const struct hca_qp *qp, uint16_t index)
{
	return &qp->req.wqe[index & (qp->sq.cnt - 1)];
}

/* Makes @psn the next PSN to send: finds its WQE and its position in the data. */
void requester_seek(struct engine *e, struct hca_qp *qp, uint32_t psn);
/* Packets in flight: fewer after a retransmission, more with @acked packets that arrived. */
void requester_shrink_window(struct hca_qp *qp);
void requester_grow_window(struct hca_qp *qp, uint32_t acked);
/* Completes WQEs, the oldest first, up to one that is not done or that failed. @inl, which may
 * be NULL, is scattered into the first CQE. */
void requester_complete(struct engine *e, struct hca_qp *qp, const struct cqe_inline *inl);

#endif
