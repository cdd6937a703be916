/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the requester: what sending (requester.c) and listening (completer.c) share.
 *
 *	go-back-N: an answer moves una_psn on; a gap or a timeout moves psn back, and the WQEs
 *	from there on are read from the ring and sent again.
 */
#ifndef EMU_ENGINE_REQUESTER_H
#define EMU_ENGINE_REQUESTER_H

#include "engine/cqe.h"
#include "engine/psn.h"
#include "engine/sg.h"
#include "engine/hwqe.h"

static inline struct hca_req_wqe *requester_wqe(const struct hca_qp *qp, uint16_t index)
{
	return &qp->req.wqe[index & (qp->sq.cnt - 1)];
}

/* Makes @psn the next one to send: finds its WQE and its place in the data. */
void requester_seek(struct engine *e, struct hca_qp *qp, uint32_t psn);
/* Completes what is done from the oldest WQE on, up to one that is not or that failed. @inl,
 * which may be NULL, goes into the first CQE. */
void requester_complete(struct engine *e, struct hca_qp *qp, const struct cqe_inline *inl);
/* Sets the ACK timer, or stops it when nothing is outstanding. */
void completer_restart_timer(struct engine *e, struct hca_qp *qp);
/* Goes back to una_psn for one more try; false, and the QP failed, when there is none left. */
bool completer_retry(struct engine *e, struct hca_qp *qp);
/* Acts on timers that ran out; false when none had. */
bool completer_timers(struct engine *e, struct hca_qp *qp);

#endif
