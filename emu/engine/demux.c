/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames that arrive: which QP they are for, and whether the requester or the responder
 * processes them. A frame for no QP is dropped silently (InfiniBand specification, chapter 9,
 * "Packet header validation").
 */
#include <string.h>

#include "engine/completer.h"
#include "engine/congestion.h"
#include "engine/count.h"
#include "engine/datagram.h"
#include "engine/dc.h"
#include "engine/demux.h"
#include "engine/ethernet.h"
#include "engine/lost.h"
#include "engine/qp.h"
#include "engine/responder.h"
#include "engine/tx.h"
#include "engine/vhca.h"
#include "steer/steer.h"

/* Frames taken in one iteration, so that sending does not starve. */
#define DRAIN_MAX 256

#define GSI_QKEY 0x80010000u
#define MAD_LEN	 256

static bool is_own_gid(const struct hca_port *port, uint8_t first, const uint8_t gid[16])
{
	if (port->gid[first].valid && !memcmp(port->gid[first].raw, gid, 16))
		return true;
	for (unsigned int i = 0; i < HCA_GIDS; i++)
		if (port->gid[i].valid && !memcmp(port->gid[i].raw, gid, 16))
			return true;
	return false;
}

static bool is_reply(uint8_t opcode)
{
	opcode &= WIRE_OPERATION_MASK;
	return opcode >= WIRE_READ_RESPONSE_FIRST && opcode <= WIRE_ATOMIC_ACK;
}

/* Requests are accepted from RTR on, replies from RTS on. In SQER only sending has ended. */
static bool state_takes(const struct hca_qp *qp, uint8_t opcode)
{
	switch (qp->state) {
	case PRM_QPC_STATE_RTR:
		return !is_reply(opcode);
	case PRM_QPC_STATE_RTS:
	case PRM_QPC_STATE_SQER:
	case PRM_QPC_STATE_SQD:
		return true;
	default:
		return false;
	}
}

/* Did connection @qp's peer send @p? On the network, the address says so (kernel, rxe_recv.c,
 * check_addr). */
static bool is_of_peer(struct engine *e, const struct hca_qp *qp, const struct wire_packet *p,
		       uint8_t from)
{
	return tx_route(e, qp->path.dgid, qp->remote_qpn) == from &&
	       (from != WIRE_NETWORK || !memcmp(p->sgid, qp->path.dgid, sizeof(p->sgid)));
}

/* A connection accepts packets of its peer only, a UD QP those of all. */
static bool accepts(struct engine *e, const struct hca_qp *qp, const struct wire_packet *p,
		    uint8_t from)
{
	return (p->opcode == WIRE_CNP || (p->opcode & WIRE_SERVICE_MASK) == qp_service(qp)) &&
	       (hca_is_datagram(qp) || is_of_peer(e, qp, p, from));
}

/* The P_Key table of a RoCE port has one entry, a full member of the default partition (annex
 * A16). */
static bool has_pkey(const struct wire_packet *p)
{
	return (p->pkey & 0x7fff) == 0x7fff;
}

/* DC requests are for a target, replies for an initiator. */
static struct hca_qp *find(struct engine *e, const struct wire_packet *p, uint8_t from)
{
	if ((p->opcode & WIRE_SERVICE_MASK) == WIRE_DC && !is_reply(p->opcode))
		return is_own_gid(&e->hca->port, 0, p->dgid) ? dc_receiver(e, p, from) : NULL;
	return p->dqpn == HCA_GSI_QPN ? e->hca->gsi : hca_qp_find(e->hca, p->dqpn);
}

static struct hca_qp *receiver(struct engine *e, const struct wire_packet *p, uint8_t from)
{
	struct hca_qp *qp = find(e, p, from);

	if (!qp || !has_pkey(p) || !accepts(e, qp, p, from) || !state_takes(qp, p->opcode) ||
	    !is_own_gid(&e->hca->port, qp->path.sgid_index, p->dgid))
		return NULL;
	return qp;
}

/* QP1 is the general services interface: it accepts management datagrams for the port only
 * (InfiniBand specification, chapter 13.5.3). */
static bool take_mad(struct engine *e, const struct wire_packet *p, size_t len, uint8_t from)
{
	const struct hca_mad m = { .sgid = p->sgid,
				   .dgid = p->dgid,
				   .smac = p->smac,
				   .bytes = p->payload,
				   .from = from };

	if (!e->hca->mad || p->opcode != (WIRE_UD | WIRE_SEND_ONLY) || p->qkey != GSI_QKEY ||
	    p->payload_len != MAD_LEN || !is_own_gid(&e->hca->port, 0, p->dgid))
		return false;
	if (e->hca->mad(e->hca, &m))
		count_rx_frames(e->hca, from, 1, len);
	else
		count_rx_request(e->hca, from, len);
	return true;
}

static bool has_members(const struct engine *e, const uint8_t gid[16])
{
	struct core_list *pos, *tmp, *bucket = hca_mcg_bucket(e->hca, gid);

	core_list_for_each(pos, tmp, bucket)
		if (!memcmp(core_container(pos, struct hca_mcg, in_bucket)->gid, gid, 16))
			return true;
	return false;
}

bool demux_is_own(const struct engine *e, const uint8_t gid[16])
{
	return is_own_gid(&e->hca->port, 0, gid) || has_members(e, gid);
}

/* The flow tables of RDMA_RX come before the QPs. */
static bool passes(struct engine *e, const uint8_t *frame, size_t len)
{
	struct steer_packet p = { .bytes = frame, .len = len };
	const struct steer_sink none = { .ctx = NULL };

	p.meta.source_vport = STEER_UPLINK;
	return steer_rdma_receive(e->hca, &p, &none);
}

static void take_request(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	if (hca_is_datagram(qp))
		datagram_take(e, qp, p);
	else
		responder_take(e, qp, p);
}

static bool is_marked(const struct wire_packet *p)
{
	return !p->v1 && (p->tclass & CONGESTION_CE) == CONGESTION_CE;
}

static void taken(struct engine *e, struct hca_qp *qp)
{
	lost_qp(e, qp);
	core_list_add(&e->hca->runnable, &qp->runnable);
}

static void take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	if (is_marked(p))
		congestion_marked(e, qp, core_now_ns());
	if (p->opcode == WIRE_CNP)
		congestion_notified(e, qp, core_now_ns());
	else if (is_reply(p->opcode))
		completer_take(e, qp, p);
	else
		take_request(e, qp, p);
	taken(e, qp);
}

static void count(struct engine *e, unsigned int n, size_t len)
{
	e->counters.rx_frames += n;
	e->counters.rx_bytes += n * len;
}

/* ---- multicast ---- */

/* assumed(block_lb_mc_is_of_the_sender_alone): a QP that is attached to the group it sends to
 * receives its own packets, unless its qpc.block_lb_mc is set; other QPs receive them in any
 * case. */
static bool takes_copy(struct engine *e, const struct hca_qp *qp, const struct wire_packet *p,
		       uint8_t from)
{
	bool own = from == e->hca->slot && p->src_qpn == qp->qpn;

	return accepts(e, qp, p, from) && state_takes(qp, p->opcode) &&
	       !(own && qp->block_lb_mc);
}

/* Each attached QP gets a copy or drops it by itself. False: there is none, as on a port whose
 * filter does not let in the group's MAC address. */
static bool take_copies(struct engine *e, const struct wire_packet *p, uint8_t from)
{
	struct core_list *pos, *tmp, *bucket = hca_mcg_bucket(e->hca, p->dgid);
	bool member = false;

	core_list_for_each(pos, tmp, bucket) {
		struct hca_mcg *m = core_container(pos, struct hca_mcg, in_bucket);

		if (memcmp(m->gid, p->dgid, sizeof(m->gid)))
			continue;
		member = true;
		if (takes_copy(e, m->qp, p, from))
			take(e, m->qp, p);
	}
	return member;
}

/* The general part of validation: InfiniBand specification, chapter 9.6.1, DestQP 0xffffff goes
 * with a multicast DGID only. */
static void take_multicast(struct engine *e, const struct wire_packet *p, size_t len,
			   uint8_t from)
{
	if (!hca_is_multicast(p->dgid) || !has_pkey(p)) {
		e->counters.rx_dropped++;
		return;
	}
	if (!take_copies(e, p, from))
		return;
	count(e, 1, len);
	count_rx_multicast(e->hca, p->dgid, from, len);
}

/* ---- all ---- */

static void take_unicast(struct engine *e, const struct wire_packet *p, size_t len,
			 uint8_t from)
{
	struct hca_qp *qp;

	if (p->dqpn == HCA_GSI_QPN && take_mad(e, p, len, from))
		return;
	/* A copy of what was sent to all processes of other hosts is not a frame of this
	 * port. */
	if (p->dqpn != HCA_GSI_QPN || is_own_gid(&e->hca->port, 0, p->dgid))
		count_rx_frames(e->hca, from, 1, len);
	qp = receiver(e, p, from);
	if (qp) {
		take(e, qp, p);
		return;
	}
	/* The connections of a DCT, which a CNP does not name, have no rate. */
	if (p->opcode == WIRE_CNP)
		e->hca->counted->congestion.rp_cnp_ignored++;
	e->counters.rx_dropped++;
}

/* @len: of its frame. */
static void take_packet(struct engine *e, const struct wire_packet *p, size_t len, uint8_t from)
{
	if (p->dqpn == HCA_MULTICAST_QPN) {
		take_multicast(e, p, len, from);
		return;
	}
	count(e, 1, len);
	take_unicast(e, p, len, from);
}

/* Is the run that begins with @p taken at once? Findings are about single packets. */
static bool take_run(struct engine *e, const struct wire_packet *p, struct wire_run run,
		     size_t len, uint8_t from)
{
	struct hca_qp *qp = core_trace_on(TRACE_CHECK) ? NULL : receiver(e, p, from);

	if (!qp || is_marked(p) ||
	    !(is_reply(p->opcode) ? completer_take_run(e, qp, p, run)
				  : responder_take_run(e, qp, p, run)))
		return false;
	count(e, run.n, len);
	count_rx_frames(e->hca, from, run.n, len);
	taken(e, qp);
	return true;
}

/* The packet that wire_next() returned, and with it those of its run; their number. */
static unsigned int take_packets(struct engine *e, size_t len, uint8_t from)
{
	struct wire_run run = wire_run(e->w);

	if (run.n > 1 && take_run(e, wire_packet(e->w), run, len, from)) {
		wire_take_run(e->w, run);
		return run.n;
	}
	take_packet(e, wire_packet(e->w), len, from);
	return 1;
}

void demux_take(struct engine *e, const uint8_t *frame, size_t len, uint8_t from)
{
	struct wire_packet p;

	if (passes(e, frame, len) && wire_unpack(&p, frame, len) &&
	    !wire_is_corrupt(frame, len, from)) {
		take_packet(e, &p, len, from);
		return;
	}
	count(e, 1, len);
	count_rx_frames(e->hca, from, 1, len);
	e->counters.rx_dropped++;
}

bool demux_poll(struct engine *e)
{
	const uint8_t *frame;
	unsigned int n = 0;
	uint8_t from;
	size_t len;

	wire_want_packets(e->w, !e->hca->roots[PRM_FT_TYPE_RDMA_RX]);
	for (; n < DRAIN_MAX && (frame = wire_next(e->w, &len, &from)); n++) {
		if (wire_packet(e->w))
			n += take_packets(e, len, from) - 1;
		else if (wire_is_message(e->w))
			vhca_take(e, frame, len, from);
		else if (wire_ethernet(e->w))
			ethernet_take(e, frame, len, from);
		else
			demux_take(e, frame, len, from);
	}
	wire_want_packets(e->w, false);
	e->backlog = n >= DRAIN_MAX;
	return n;
}
