/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets to the wire. The number of a QP says which process has it. */
#ifndef EMU_ENGINE_TX_H
#define EMU_ENGINE_TX_H

#include "engine/loop.h"

/* Can a packet for QP @dqpn be sent now? */
bool tx_has_space(struct engine *e, uint32_t dqpn);
/* Has the process of QP @dqpn, another one, not yet read all that was sent to it? */
bool tx_unread(struct engine *e, uint32_t dqpn);
/* Fills in the headers that all packets of connection @qp have in common. */
void tx_address(struct engine *e, const struct hca_qp *qp, struct wire_packet *p);
/* Sends @p to QP p->dqpn; only after tx_has_space() returned true. */
void tx_send(struct engine *e, const struct wire_packet *p);

#endif
