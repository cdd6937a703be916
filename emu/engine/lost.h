/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues whose ring or doorbell record the application unmapped too early. On hardware their pages
 * are pinned and stay. Where they did not stay here, the queue ends:
 *
 *	WQE or record cannot be read -> lost_reads -> lost_qp(): event "local work queue catastrophic
 *	error", finding, QP -> ERR; send WQEs in a ring that is gone have no flush CQEs
 *
 * Readers of a ring go on with zeros; their caller checks lost_qp() before it uses what they
 * read.
 */
#ifndef EMU_ENGINE_LOST_H
#define EMU_ENGINE_LOST_H

#include "engine/loop.h"

/* Reads of queue memory that failed since the last look, of this thread. */
extern _Thread_local unsigned int lost_reads;

/* Could something of @qp not be read since the last look? Then it is in ERR. */
bool lost_qp(struct engine *e, struct hca_qp *qp);
/* The same of an SRQ: it gives no more WQEs, and the SRQ catastrophic error event is raised. */
bool lost_srq(struct engine *e, struct hca_srq *srq);
/* The same of an SQ of raw packets: it is in ERR. */
bool lost_sq(struct hca_sq *sq);

#endif
