/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion control: notification point and reaction point of RoCE v2 (hca/congestion.h). */
#ifndef EMU_ENGINE_CONGESTION_H
#define EMU_ENGINE_CONGESTION_H

#include "engine/loop.h"

#define CONGESTION_ECT 2 /* ECN bits of a packet that may be marked: ECT(0), RFC 3168 */
#define CONGESTION_CE  3 /* of one that was */

/* A packet for @qp arrived with mark CE; @now: ns of the clock, since an iteration takes longer
 * than the periods of the algorithm. */
void congestion_marked(struct engine *e, struct hca_qp *qp, uint64_t now);
/* A CNP for @qp arrived. */
void congestion_notified(struct engine *e, struct hca_qp *qp, uint64_t now);
/* May @qp send a packet of data now, by its rate? */
bool congestion_permits(struct engine *e, struct hca_qp *qp);
/* @qp sent a frame of data of @len bytes. */
void congestion_sent(struct engine *e, struct hca_qp *qp, uint32_t len);

#endif
