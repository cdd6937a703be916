/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets to the wire. The address says which host has a QP, its number which process of this
 * one. */
#ifndef EMU_ENGINE_TX_H
#define EMU_ENGINE_TX_H

#include "engine/loop.h"

/* The slot of QP @dqpn at @dgid; WIRE_NETWORK: of another host. */
uint8_t tx_route(const struct engine *e, const uint8_t dgid[16], uint32_t dqpn);
/* Can a packet for QP @dqpn at @dgid be sent now? */
bool tx_has_space(struct engine *e, const uint8_t dgid[16], uint32_t dqpn);
/* Like tx_has_space(), for the peer of connection @qp. */
bool tx_has_space_to_peer(struct engine *e, const struct hca_qp *qp);
/* Has the process of the peer of @qp, another one, not yet read all that was sent to it? */
bool tx_unread(struct engine *e, const struct hca_qp *qp);
/* Fills in the headers that all packets of connection @qp have in common. */
void tx_address(struct engine *e, const struct hca_qp *qp, struct wire_packet *p);
/* Where the payload of @p, whose headers are filled in and which is the next to be sent, is to
 * be put: there is nothing to be copied then. Only after tx_has_space() returned true. */
uint8_t *tx_payload(struct engine *e, const struct wire_packet *p);
/* Where the payloads of a run of *@n packets are to be put, which begins with @p; *@n becomes
 * less where there is not enough space. NULL: the next packet is sent alone. Only after
 * tx_send(). */
uint8_t *tx_payload_of_run(struct engine *e, const struct wire_packet *p, unsigned int *n);
void tx_send_run(struct engine *e, const struct wire_packet *p, struct wire_run run);
/* Sends @p to QP p->dqpn at p->dgid, or to all processes if it is multicast; only after
 * tx_has_space() returned true. The bytes of its frame; 0: it was lost, or is multicast. */
uint16_t tx_send(struct engine *e, const struct wire_packet *p);

#endif
