/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected transport: which initiator is connected to which target.
 *
 *	DCI                                        DCT
 *	idle
 *	WQE for A: connect, serial 7, start 10
 *	   '--SEND psn 10 | key, serial 7, start 10--> no connection of this DCI, or an older one:
 *	      SEND psn 11 | key, serial 7, start 10    create it, expect psn 10
 *	all complete: idle again
 *
 * Each request contains its connection, so there is no handshake: the packet that arrives first
 * creates the connection. On both sides a connection is a QP, which the other files treat like
 * one of RC: retries, NAKs, RNR. A DCI has one connection at a time and connects to another
 * target when all earlier WQEs are complete. (mlx5dv_create_qp(3), MLX5DV_DCTYPE_DCI and _DCT,
 * and mlx5dv_wr_post(3) for the contents of a work request; how adapters connect is not
 * public.)
 *
 * A serial number a little below the current one belongs to a late packet. Serial numbers start
 * at the clock, so that a new process does not reuse those of the last process in its slot.
 */
#include <string.h>

#include "engine/cqe.h"
#include "engine/dc.h"
#include "engine/hwqe.h"
#include "engine/psn.h"
#include "engine/receive.h"
#include "event/event.h"

#define LATE	   (1u << 12) /* connections that packets may be late by */
#define CLOCK_UNIT 10	      /* log2 ns: shorter than the time between two connections */

/* ---- initiator ---- */

static bool is_idle(const struct hca_req *r)
{
	return r->una == r->begun;
}

static void connect_to(struct engine *e, struct hca_qp *qp, const uint8_t *av)
{
	struct hca_path *path = &qp->path;

	path->sgid_index = core_bits(av, HWQE_AV_SGID_INDEX);
	memcpy(path->dgid, av + HWQE_AV_RGID, sizeof(path->dgid));
	memcpy(path->dmac, av + HWQE_AV_RMAC, sizeof(path->dmac));
	path->tclass = core_bits(av, HWQE_AV_TCLASS);
	path->hop_limit = core_bits(av, HWQE_AV_HOP_LIMIT);
	path->udp_sport = core_bits(av, HWQE_AV_UDP_SPORT);
	path->flow_label = core_bits(av, HWQE_AV_FLOW_LABEL);
	qp->remote_qpn = core_bits(av, HWQE_AV_DQPN);
	qp->dc.key = hwqe_get64(av, HWQE_AV_DC_KEY);
	if (!qp->dc.open)
		qp->dc.serial = (uint32_t)(e->now >> CLOCK_UNIT);
	qp->dc.open = true;
	qp->dc.serial++;
	qp->dc.start = qp->req.psn;
}

/* Is @qp connected to the target of @av? */
static bool is_target(const struct hca_qp *qp, const uint8_t *av)
{
	return qp->remote_qpn == core_bits(av, HWQE_AV_DQPN) &&
	       qp->dc.key == hwqe_get64(av, HWQE_AV_DC_KEY) &&
	       qp->path.sgid_index == core_bits(av, HWQE_AV_SGID_INDEX) &&
	       !memcmp(qp->path.dgid, av + HWQE_AV_RGID, sizeof(qp->path.dgid));
}

bool dc_connect(struct engine *e, struct hca_qp *qp, uint16_t index)
{
	uint8_t ctrl[HWQE_UNIT];
	struct hwqe_av av;

	hwqe_unit(qp, index, 0, ctrl);
	if (!hwqe_has_target(core_bits(ctrl, HWQE_CTRL_OPCODE)))
		return true;
	hwqe_av(qp, index, &av);
	if (!hwqe_av_fits(e->hca, &av))
		return true;
	/* assumed(dci_is_connected_to_one_target): a DCI sends to one target at a time: a WQE
	 * for another one starts when all before it are complete. */
	if (!is_idle(&qp->req))
		return is_target(qp, av.bytes);
	connect_to(e, qp, av.bytes);
	return true;
}

void dc_address(const struct hca_qp *qp, struct wire_packet *p)
{
	p->dc_key = qp->dc.key;
	p->src_qpn = qp->qpn;
	p->dc_serial = qp->dc.serial;
	p->dc_start = qp->dc.start;
}

/* ---- target ---- */

static struct hca_qp *find(const struct hca_dct *dct, uint32_t initiator)
{
	for (struct core_list *pos = dct->connections.prev; pos != &dct->connections;
	     pos = pos->prev) {
		struct hca_qp *qp = core_container(pos, struct hca_qp, dc.on_dct);

		if (qp->remote_qpn == initiator)
			return qp;
	}
	return NULL;
}

/* assumed(unfinished_dc_message_flushes_its_wqe): a message that its initiator did not finish
 * ends the receive WQE that it holds in syndrome 0x05, once the initiator connects again. */
static void give_up(struct engine *e, struct hca_qp *qp)
{
	struct recv_wqe wqe = receive_wqe(qp, qp->srq);

	if (!qp->resp.held)
		return;
	receive_done(qp, qp->srq);
	cqe_recv_error(e, qp, &wqe, CQE_FLUSHED);
}

/* At the limit of connections, frees the one that was not used for longest. */
static void free_oldest(struct engine *e, struct hca_dct *dct)
{
	struct hca_qp *oldest;

	if (dct->count < HCA_DCT_CONNECTIONS)
		return;
	oldest = core_container(dct->connections.next, struct hca_qp, dc.on_dct);
	give_up(e, oldest);
	hca_dct_forget(dct, oldest);
}

/* Replies are sent to the source of @p, with the address of the target. */
/* assumed(dc_ends_have_one_mtu): DCI and DCT have to have the same path MTU, as the two ends of
 * a connection; requests of several packets with another MTU are invalid. */
static void start(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	HCA_COUNT(e->hca, qp, rx_dct_connect);
	memset(&qp->resp, 0, sizeof(qp->resp));
	qp->state = PRM_QPC_STATE_RTS;
	qp->remote_qpn = p->src_qpn;
	memcpy(qp->path.dgid, p->sgid, sizeof(qp->path.dgid));
	memcpy(qp->path.dmac, p->smac, sizeof(qp->path.dmac));
	qp->path.udp_sport = p->udp_sport;
	qp->dc.serial = p->dc_serial;
	qp->dc.start = p->dc_start;
	qp->resp.epsn = p->dc_start;
	qp->resp.comm_est = true;
}

static struct hca_qp *connection(struct engine *e, struct hca_dct *dct,
				 const struct wire_packet *p)
{
	struct hca_qp *qp = find(dct, p->src_qpn);

	if (!qp) {
		free_oldest(e, dct);
		qp = hca_dct_connect(dct);
		if (qp)
			start(e, qp, p);
		return qp;
	}
	core_list_del(&qp->dc.on_dct);
	core_list_add(&dct->connections, &qp->dc.on_dct);
	if (qp->dc.serial == p->dc_serial)
		return qp->state == PRM_QPC_STATE_RTS ? qp : NULL;
	if (qp->dc.serial - p->dc_serial < LATE)
		return NULL;
	give_up(e, qp);
	start(e, qp, p);
	return qp;
}

/* assumed(wrong_dc_key_is_not_answered): a request with another access key than the target's is
 * counted in dc_access_key_violation_count, raises the event DCT_KEY_VIOLATION if that is
 * armed, and is not answered: its initiator ends in syndrome 0x15, retries exceeded. */
static void key_violation(struct engine *e, struct hca_dct *dct)
{
	dct->violations++;
	if (!dct->armed)
		return;
	dct->armed = false;
	event_async(e->hca, PRM_EVENT_DCT_KEY_VIOLATION, dct->dctn, 0);
}

struct hca_qp *dc_receiver(struct engine *e, const struct wire_packet *p, uint8_t from)
{
	struct hca_dct *dct = hca_dct_find(e->hca, p->dqpn);

	if (!dct || dct->state != PRM_DCTC_STATE_ACTIVE || p->src_qpn >> 16 != from)
		return NULL;
	if (p->dc_key == dct->key)
		return connection(e, dct, p);
	key_violation(e, dct);
	return NULL;
}
