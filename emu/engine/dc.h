/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected transport, for requester and demux: the connection of a DCI, which
 * lasts as long as something is outstanding, and the connection at its target.
 *
 *	DCI  WQE -> target A --------- all complete -> target B
 *	         serial 7, PSN 10..             serial 8, PSN 25..
 */
#ifndef EMU_ENGINE_DC_H
#define EMU_ENGINE_DC_H

#include "engine/loop.h"

/* Connects DCI @qp to the target of WQE @index, the next to start. False: WQEs for another
 * target are not complete yet. A WQE without an address, or with a bad one, does not wait. */
bool dc_connect(struct engine *e, struct hca_qp *qp, uint16_t index);
/* Fills in the header that all requests of DCI @qp have. */
void dc_address(const struct hca_qp *qp, struct wire_packet *p);
/* The connection of a DCT that request @p from slot @from belongs to; NULL: it is dropped. */
struct hca_qp *dc_receiver(struct engine *e, const struct wire_packet *p, uint8_t from);

#endif
