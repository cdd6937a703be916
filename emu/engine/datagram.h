/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the requester asks of UD: whom WQE @index of the send queue is for. Each WQE says so
 * itself, in its address vector; a UD QP has no peer.
 */
#ifndef EMU_ENGINE_DATAGRAM_H
#define EMU_ENGINE_DATAGRAM_H

#include "engine/loop.h"

uint32_t datagram_dqpn(const struct hca_qp *qp, uint16_t index);
/* Fills in all headers of the packet but opcode and PSN. */
void datagram_address(struct engine *e, const struct hca_qp *qp, uint16_t index,
		      struct wire_packet *p);

#endif
