/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sent messages, and the timers of those that need an answer.
 *
 *	frame: | Ethernet | IP | UDP 4791 | BTH, QP 1 | DETH, Q_Key, from QP 1 | MAD 256 | ICRC |
 *
 * (InfiniBand specification, chapter 13.) Retransmission intervals are seconds (kernel, cm.c),
 * so it is enough to check timers in each iteration of the engine. The kernel of a killed peer
 * would close its connections, but here it was emulated in the same process. So connected ids
 * check from time to time whether the peer's slot still exists; not those whose peer is on
 * another host.
 */
#include <endian.h>

#include "ucma/id.h"

#define GSI_QKEY  0x80010000u
#define PKEY	  0xffff
#define SPORT_MIN 0xc000
#define LOOK_NS	  50000000 /* between two checks of the peers' slots */

uint64_t ucma_guid(const struct ucma *u)
{
	return u->hca->port.node_guid;
}

/* kernel, cm.c, cm_convert_to_ms: 1 << 8 of these units are one millisecond */
uint64_t ucma_ns(unsigned int exponent)
{
	return (1ull << (exponent > 8 ? exponent - 8 : 0)) * 1000000;
}

/* ---- frames ---- */

/* kernel, <rdma/ib_verbs.h>, rdma_get_udp_sport, with QP 1 at both ends */
static uint16_t sport(uint32_t label)
{
	if (!label)
		label = 1;
	return SPORT_MIN | ((label ^ label >> 14) & 0x3fff);
}

static void fill(struct ucma *u, struct wire_packet *p, const uint8_t *mad)
{
	p->opcode = WIRE_UD | WIRE_SEND_ONLY;
	p->pkey = PKEY;
	p->dqpn = p->src_qpn = HCA_GSI_QPN;
	p->qkey = GSI_QKEY;
	p->psn = u->psn++ & 0xffffff;
	p->payload = mad;
	p->payload_len = MAD_BYTES;
	memcpy(p->smac, u->hca->port.mac, sizeof(p->smac));
}

static void count(struct ucma *u, uint8_t slot, uint16_t len)
{
	hca_count_tx(u->hca, HCA_IB_UNICAST, slot == u->hca->slot, 1, len);
}

/* @slot 0: to every process of the host. A frame that does not fit the receiver's queue is
 * lost. */
static void put(struct ucma *u, uint8_t slot, const struct wire_packet *p)
{
	bool away = wire_has_network(u->w) &&
		    wire_route(u->w, p->dgid, u->hca->slot) == WIRE_NETWORK;

	if (away)
		slot = WIRE_NETWORK;
	if (!slot && !away)
		count(u, 0, wire_send_all(u->w, p));
	else if (wire_has_space(u->w, slot))
		count(u, slot, wire_send(u->w, slot, p));
	wire_flush(u->w);
}

void ucma_message(struct ucma_id *id, enum cm_attribute attribute, uint8_t mad[MAD_BYTES])
{
	mad_new(mad, attribute, id->tid);
	mad_set(mad, CM_LOCAL_ID, id->local_id);
	mad_set(mad, CM_REMOTE_ID, id->remote_id);
}

void ucma_send(struct ucma_id *id, const uint8_t mad[MAD_BYTES])
{
	struct ucma *u = id->file->u;
	struct wire_packet p = {
		.tclass = id->path.tclass,
		.hop_limit = id->path.hop_limit,
		.flow_label = id->path.flow_label,
		.udp_sport = sport(id->path.flow_label),
	};

	memcpy(p.sgid, id->path.sgid, sizeof(p.sgid));
	memcpy(p.dgid, id->path.dgid, sizeof(p.dgid));
	memcpy(p.dmac, id->dmac, sizeof(p.dmac));
	fill(u, &p, mad);
	put(u, id->slot, &p);
}

void ucma_answer(struct ucma *u, const struct hca_mad *m, const uint8_t mad[MAD_BYTES])
{
	struct wire_packet p = { .hop_limit = 64, .udp_sport = sport(0) };

	memcpy(p.sgid, m->dgid, sizeof(p.sgid));
	memcpy(p.dgid, m->sgid, sizeof(p.dgid));
	memcpy(p.dmac, m->smac, sizeof(p.dmac));
	fill(u, &p, mad);
	put(u, m->from, &p);
}

bool ucma_conn_new(struct ucma_id *id)
{
	return id->local_id || core_ids_add(&id->file->u->conns, id, &id->local_id);
}

/* ---- REJ ---- */

/* kernel, cm.c, cm_format_rej */
void ucma_send_rej(struct ucma_id *id, uint16_t reason, const void *private_data, size_t len)
{
	enum cm_about about = id->cm == CM_REQ_RCVD   ? CM_ABOUT_REQ
			      : id->cm == CM_REP_RCVD ? CM_ABOUT_REP
						      : CM_ABOUT_OTHER;
	uint8_t mad[MAD_BYTES];
	uint64_t guid = htobe64(ucma_guid(id->file->u));

	ucma_message(id, CM_REJ, mad);
	mad_set(mad, REJ_MESSAGE, about);
	mad_set(mad, REJ_REASON, reason);
	/* A REJ after a timeout names its sender: the peer may not know its id. */
	if (reason == CM_REJ_TIMEOUT) {
		mad_set(mad, REJ_INFO_LENGTH, sizeof(guid));
		memcpy(mad + REJ_INFO, &guid, sizeof(guid));
	}
	if (len)
		memcpy(mad + REJ_PRIVATE, private_data, len);
	ucma_send(id, mad);
}

/* kernel, cm.c, cm_issue_rej */
void ucma_refuse(struct ucma *u, const struct hca_mad *m, enum cm_about about, uint16_t reason)
{
	uint8_t mad[MAD_BYTES];

	mad_new(mad, CM_REJ, mad_get(m->bytes, MAD_TID));
	mad_set(mad, CM_REMOTE_ID, mad_get(m->bytes, CM_LOCAL_ID));
	if (about != CM_ABOUT_REQ)
		mad_set(mad, CM_LOCAL_ID, mad_get(m->bytes, CM_REMOTE_ID));
	mad_set(mad, REJ_MESSAGE, about);
	mad_set(mad, REJ_REASON, reason);
	ucma_answer(u, m, mad);
}

/* ---- time ---- */

void ucma_wait(struct ucma_id *id, uint64_t wait)
{
	struct ucma *u = id->file->u;

	id->sent.at = core_now_ns() + wait;
	if (id->sent.at < u->next_due)
		u->next_due = id->sent.at;
}

void ucma_send_until(struct ucma_id *id, uint64_t wait, uint32_t retries)
{
	id->sent.wait = wait;
	id->sent.retries = retries;
	ucma_send(id, id->sent.mad);
	ucma_wait(id, wait);
}

void ucma_quiet(struct ucma_id *id)
{
	id->sent.at = 0;
	id->sent.retries = 0;
}

static void expired(struct ucma_id *id, uint64_t now)
{
	id->sent.at = 0;
	if (!id->sent.retries) {
		ucma_late(id);
		return;
	}
	id->sent.retries--;
	ucma_send(id, id->sent.mad);
	id->sent.at = now + id->sent.wait;
}

void ucma_due(struct hca *hca, uint64_t now)
{
	struct ucma *u = ucma_of(hca);
	struct core_list *pos, *tmp;

	ucma_refusals_due(u);
	if (u->next_look && now >= u->next_look) {
		u->next_look = now + LOOK_NS;
		ucma_look_after(u);
	}
	if (now < u->next_due)
		return;
	u->next_due = UINT64_MAX;
	core_list_for_each(pos, tmp, &u->all) {
		struct ucma_id *id = core_container(pos, struct ucma_id, on_ucma);

		if (id->sent.at && now >= id->sent.at)
			expired(id, now);
		if (id->sent.at && id->sent.at < u->next_due)
			u->next_due = id->sent.at;
	}
}
