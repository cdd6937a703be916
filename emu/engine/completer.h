/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the requester that processes responses, ACKs, NAKs and timeouts. */
#ifndef EMU_ENGINE_COMPLETER_H
#define EMU_ENGINE_COMPLETER_H

#include "engine/loop.h"

/* @p arrived for @qp in reply to one of its requests. */
void completer_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p);
/* A run of READ responses that begins with @p arrived. False: a packet of it may need more than
 * its bytes to be written; nothing has changed, and they are taken one by one. */
bool completer_take_run(struct engine *e, struct hca_qp *qp, const struct wire_packet *p,
			struct wire_run run);
/* Starts the transport timer, or stops it when nothing is outstanding. */
void completer_restart_timer(struct engine *e, struct hca_qp *qp);
/* Acts on timers that expired; false when none had. */
bool completer_timers(struct engine *e, struct hca_qp *qp);

#endif
