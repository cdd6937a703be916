/* SPDX-License-Identifier: BSD-2-Clause */
/* UD, both directions. A UD QP has no peer: each WQE has its destination in its address
 * vector. */
#ifndef EMU_ENGINE_DATAGRAM_H
#define EMU_ENGINE_DATAGRAM_H

#include "engine/loop.h"

/* tx_has_space() for the destination of send WQE @index. */
bool datagram_has_space(struct engine *e, const struct hca_qp *qp, uint16_t index);
/* Fills in all headers of the packet but opcode and PSN. */
void datagram_address(struct engine *e, const struct hca_qp *qp, uint16_t index,
		      struct wire_packet *p);
/* @p arrived for @qp. */
void datagram_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p);

#endif
