/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills the headers of packets that are sent; checks whether the receiving process has
 * space. */
#include <string.h>

#include "engine/congestion.h"
#include "engine/count.h"
#include "engine/tx.h"
#include "steer/steer.h"

#define ECN_BITS 3 /* of the traffic class */

uint8_t tx_route(const struct engine *e, const uint8_t dgid[16], uint32_t dqpn)
{
	return wire_route(e->w, dgid, engine_slot_of(dqpn));
}

/* Group packets are for all processes of the host; so are those for QP1, whose number does not
 * say which process has the destination's address. */
static bool is_for_all(const struct engine *e, const uint8_t dgid[16], uint32_t dqpn)
{
	return dqpn == HCA_MULTICAST_QPN ||
	       (dqpn == HCA_GSI_QPN && wire_route(e->w, dgid, e->hca->slot) != WIRE_NETWORK);
}

/* A process without space for a multicast packet loses it, so that no receiver stops the
 * others; the sender waits for its own queue only, which it empties itself. */
bool tx_has_space(struct engine *e, const uint8_t dgid[16], uint32_t dqpn)
{
	uint8_t to = is_for_all(e, dgid, dqpn) ? e->hca->slot : tx_route(e, dgid, dqpn);

	if (wire_has_space(e->w, to))
		return true;
	/* A process wakes this one when it has read. */
	if (to == WIRE_NETWORK)
		e->blocked = true;
	else
		e->waiting = true;
	return false;
}

bool tx_has_space_to_peer(struct engine *e, const struct hca_qp *qp)
{
	return tx_has_space(e, qp->path.dgid, qp->remote_qpn);
}

bool tx_unread(struct engine *e, const struct hca_qp *qp)
{
	return wire_unread(e->w, tx_route(e, qp->path.dgid, qp->remote_qpn));
}

/* The lowest two bits of the traffic class are the device's: mlx5_ib gives a connection of RoCE
 * v2 only the DSCP (qp.c, mlx5_set_path), and sets ECT(0) in address vectors (ah.c,
 * MLX5_ECN_ENABLED). */
/* assumed(packets_of_connections_are_ecn_capable): all packets of RC, UC, XRC and DC on RoCE
 * v2, replies too, have ECT(0), as congestion control is enabled for all priorities. */
void tx_address(struct engine *e, const struct hca_qp *qp, struct wire_packet *p)
{
	const struct hca_gid *gid = &e->hca->port.gid[qp->path.sgid_index];

	memset(p, 0, sizeof(*p));
	memcpy(p->sgid, gid->raw, sizeof(p->sgid));
	memcpy(p->dgid, qp->path.dgid, sizeof(p->dgid));
	p->v1 = !gid->version;
	memcpy(p->smac, gid->mac, sizeof(p->smac));
	memcpy(p->dmac, qp->path.dmac, sizeof(p->dmac));
	p->tclass = p->v1 ? qp->path.tclass : (qp->path.tclass & ~ECN_BITS) | CONGESTION_ECT;
	p->hop_limit = qp->path.hop_limit;
	p->udp_sport = qp->path.udp_sport;
	p->flow_label = qp->path.flow_label;
	p->pkey = 0xffff; /* the only entry of a RoCE port's P_Key table */
	p->dqpn = qp->remote_qpn;
}

/* The copies of a multicast packet have no common place. */
uint8_t *tx_payload(struct engine *e, const struct wire_packet *p)
{
	uint8_t *at = NULL;

	if (!is_for_all(e, p->dgid, p->dqpn))
		at = wire_payload_of_next(e->w, tx_route(e, p->dgid, p->dqpn), p);
	return at ? at : e->payload;
}

/* The flow tables of RDMA_TX, if there are any: may the packet leave? */
static bool passes(struct engine *e, const struct wire_packet *p)
{
	const struct steer_sink none = { .ctx = NULL };
	struct steer_packet frame = { .bytes = e->ethernet };

	if (!e->hca->roots[PRM_FT_TYPE_RDMA_TX])
		return true;
	frame.len = wire_pack(p, e->ethernet, false);
	return steer_rdma_send(e->hca, &frame, &none);
}

/* To all processes of the host, and to the network: what it has no space for is lost, too. */
static void send_to_group(struct engine *e, const struct wire_packet *p)
{
	uint16_t len = wire_send_all(e->w, p);

	e->counters.tx_bytes += len;
	count_tx_multicast(e->hca, len);
	if (tx_route(e, p->dgid, p->dqpn) == WIRE_NETWORK && wire_has_space(e->w, WIRE_NETWORK))
		wire_send(e->w, WIRE_NETWORK, p);
}

/* A packet that does not pass is lost, as on the way. */
uint8_t *tx_payload_of_run(struct engine *e, const struct wire_packet *p, unsigned int *n)
{
	if (e->hca->roots[PRM_FT_TYPE_RDMA_TX] || core_trace_on(TRACE_CHECK))
		return NULL;
	return wire_payload_of_run(e->w, tx_route(e, p->dgid, p->dqpn), p, n);
}

void tx_send_run(struct engine *e, const struct wire_packet *p, struct wire_run run)
{
	size_t len = wire_frame_len(p);

	wire_send_run(e->w, p, run);
	e->counters.tx_frames += run.n;
	e->counters.tx_bytes += run.n * len;
	count_tx_frames(e->hca, tx_route(e, p->dgid, p->dqpn), run.n, len);
}

uint16_t tx_send(struct engine *e, const struct wire_packet *p)
{
	uint8_t to = tx_route(e, p->dgid, p->dqpn);
	uint16_t len;

	if (!passes(e, p))
		return 0;
	e->counters.tx_frames++;
	if (p->dqpn == HCA_MULTICAST_QPN) {
		send_to_group(e, p);
		return 0;
	}
	len = is_for_all(e, p->dgid, p->dqpn) ? wire_send_all(e->w, p) : wire_send(e->w, to, p);
	e->counters.tx_bytes += len;
	count_tx_frames(e->hca, to, 1, len);
	return len;
}
