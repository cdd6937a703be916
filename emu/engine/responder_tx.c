/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets of the responder: READ and atomic responses in the order of the requests, then the
 * pending ACK or NAK. An ACK acknowledges all requests before it, so at most one is pending
 * (InfiniBand specification, chapter 9, "Acknowledge coalescing").
 *
 *	read_atomic[]: READ psn 10..25, 3 sent | atomic 26 | READ 27..27      ack: psn 28
 */
#include "engine/congestion.h"
#include "engine/count.h"
#include "engine/psn.h"
#include "engine/qp.h"
#include "engine/responder.h"
#include "engine/responder_tx.h"
#include "engine/tx.h"
#include "event/event.h"
#include "mem/mem.h"

#define QUANTUM 64u /* packets of one QP in one iteration */

static uint8_t response_opcode(const struct hca_read_atomic *ra)
{
	if (ra->npkt == 1)
		return WIRE_READ_RESPONSE_ONLY;
	if (!ra->sent)
		return WIRE_READ_RESPONSE_FIRST;
	return ra->sent + 1 == ra->npkt ? WIRE_READ_RESPONSE_LAST : WIRE_READ_RESPONSE_MIDDLE;
}

/* The memory was unmapped between request and response: all further responses are dropped. */
static void access_failed(struct engine *e, struct hca_qp *qp, const struct hca_read_atomic *ra)
{
	struct hca_resp *r = &qp->resp;

	count_nak(e->hca, qp, WIRE_NAK_REMOTE_ACCESS);
	event_async(e->hca, PRM_EVENT_WQ_ACCESS_ERROR, qp->qpn, 0);
	r->ack = HCA_ACK_FATAL;
	r->syndrome = WIRE_AETH_NAK | WIRE_NAK_REMOTE_ACCESS;
	r->ack_psn = psn_add(ra->psn, ra->sent);
	r->read_atomic_cnt = 0;
	qp_error_enter(e, qp);
}

/* NULL, which no mkey has: the SRQ was destroyed. */
static const struct hca_pd *pd_of(struct engine *e, const struct hca_qp *qp,
				  const struct hca_read_atomic *ra)
{
	const struct hca_srq *srq;

	if (qp->st != PRM_QPC_ST_XRC)
		return qp->pd;
	srq = hca_srq_find(e->hca, ra->srqn);
	return srq ? srq->pd : NULL;
}

/* The next @npkt packets of READ @ra, as far as there are so many. */
static struct mem_ref range(struct engine *e, const struct hca_qp *qp,
			    const struct hca_read_atomic *ra, unsigned int npkt)
{
	uint64_t off = (uint64_t)ra->sent * qp->mtu;
	uint32_t left = ra->len - off, len = npkt * qp->mtu;

	return (struct mem_ref){ .pd = pd_of(e, qp, ra),
				 .key = ra->rkey,
				 .addr = ra->va + off,
				 .len = left < len ? left : len,
				 .qpn = qp->qpn,
				 .rights = HCA_REMOTE_READ };
}

/* Fills in the next packet of READ @ra; false if its bytes cannot be read. */
static bool make_response(struct engine *e, const struct hca_qp *qp,
			  const struct hca_read_atomic *ra, struct wire_packet *p)
{
	struct mem_ref ref = range(e, qp, ra, 1);
	uint8_t *payload;

	p->opcode = qp_service(qp) | response_opcode(ra);
	p->payload_len = ref.len;
	payload = tx_payload(e, p);
	p->payload = payload;
	return mem_read(e->hca, &ref, payload) == MEM_OK;
}

static void address(struct engine *e, const struct hca_qp *qp, const struct hca_read_atomic *ra,
		    struct wire_packet *p)
{
	tx_address(e, qp, p);
	p->psn = psn_add(ra->psn, ra->sent);
	p->syndrome = WIRE_AETH_ACK | WIRE_NO_CREDITS;
	p->msn = ra->msn;
}

/* Sends at most @most packets in the middle of a READ's response, after its first one. Their
 * number; if their bytes cannot be read, it is 0, and the packets are sent one by one. */
static unsigned int send_run(struct engine *e, struct hca_qp *qp, unsigned int most)
{
	struct hca_resp *r = &qp->resp;
	struct hca_read_atomic *ra = &r->read_atomic[r->read_atomic_head];
	struct wire_packet p;
	struct mem_ref ref;
	uint8_t *payload;
	unsigned int n;

	if (!r->read_atomic_cnt || ra->atomic || !ra->sent || qp->congestion.limited)
		return 0;
	n = ra->npkt - ra->sent - 1 < most ? ra->npkt - ra->sent - 1 : most;
	address(e, qp, ra, &p);
	p.opcode = qp_service(qp) | WIRE_READ_RESPONSE_MIDDLE;
	p.payload_len = qp->mtu;
	payload = n < 2 ? NULL : tx_payload_of_run(e, &p, &n);
	if (!payload)
		return 0;
	ref = range(e, qp, ra, n);
	if (mem_read(e->hca, &ref, payload) != MEM_OK)
		return 0;
	tx_send_run(e, &p, (struct wire_run){ .n = n });
	ra->sent += n;
	return n;
}

static void send_response(struct engine *e, struct hca_qp *qp)
{
	struct hca_resp *r = &qp->resp;
	struct hca_read_atomic *ra = &r->read_atomic[r->read_atomic_head];
	struct wire_packet p;

	address(e, qp, ra, &p);
	if (ra->atomic) {
		p.opcode = qp_service(qp) | WIRE_ATOMIC_ACK;
		p.orig = ra->orig;
	} else if (!make_response(e, qp, ra, &p)) {
		access_failed(e, qp, ra);
		return;
	}
	congestion_sent(e, qp, tx_send(e, &p));
	if (++ra->sent == ra->npkt)
		read_atomic_pop(r);
}

static void send_ack(struct engine *e, struct hca_qp *qp)
{
	struct hca_resp *r = &qp->resp;
	struct wire_packet p;

	tx_address(e, qp, &p);
	p.opcode = qp_service(qp) | WIRE_ACK;
	p.psn = r->ack_psn;
	p.syndrome = r->ack == HCA_ACK_DUE || r->ack == HCA_ACK_LAST
			     ? WIRE_AETH_ACK | WIRE_NO_CREDITS
			     : r->syndrome;
	p.msn = r->msn;
	tx_send(e, &p);
	r->ack = HCA_ACK_NONE;
}

bool responder_tx_run(struct engine *e, struct hca_qp *qp)
{
	unsigned int n = 0;

	for (; n < QUANTUM && responder_tx_pending(qp) && tx_has_space_to_peer(e, qp); n++) {
		if (qp->resp.read_atomic_cnt && !congestion_permits(e, qp))
			break;
		if (qp->resp.read_atomic_cnt) {
			send_response(e, qp);
			n += send_run(e, qp, QUANTUM - n - 1);
		} else {
			send_ack(e, qp);
		}
	}
	return n;
}
