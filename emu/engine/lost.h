/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues whose ring or doorbell record the application unmapped too early. On hardware their
 * pages are pinned and stay. If the emulator cannot read them any more, the queue ends:
 *
 *	WQE or record cannot be read -> lost_reads -> lost_qp(): event "local work queue catastrophic
 *	error", finding, QP -> ERR; send WQEs in an unmapped ring have no flush CQEs
 *
 * Reads of a ring then return zeros; the caller checks lost_qp() before it uses
 * them.
 */
#ifndef EMU_ENGINE_LOST_H
#define EMU_ENGINE_LOST_H

#include "engine/loop.h"

/* Reads of queue memory by this thread that failed since the last call of lost_*(). */
extern _Thread_local unsigned int lost_reads;

/* Could something of @qp not be read since the last call? Then it is in ERR. */
bool lost_qp_check(struct engine *e, struct hca_qp *qp);

static inline bool lost_qp(struct engine *e, struct hca_qp *qp)
{
	return lost_reads && lost_qp_check(e, qp);
}

/* Like lost_qp(), but of an SRQ: no more WQEs are taken, and the SRQ catastrophic error event
 * is raised. */
bool lost_srq(struct engine *e, struct hca_srq *srq);
/* Like lost_qp(), but of queues of Ethernet: they are in ERR. */
bool lost_sq(struct hca_sq *sq);
bool lost_rq(struct hca_rq *rq);

#endif
