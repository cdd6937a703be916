/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the responder sends: READ responses and atomic answers in the order of the requests,
 * then the acknowledge or NAK that is due. One acknowledge stands for all before it, so at
 * most one is ever due (InfiniBand specification, chapter 9, "Acknowledge coalescing").
 *
 *	rd[]: READ psn 10..25, 3 sent | atomic 26 | READ 27..27      ack: psn 28
 */
#include "engine/count.h"
#include "engine/psn.h"
#include "mem/mem.h"

#define QUANTUM	   64u /* packets of one QP in one turn */
#define NO_CREDITS 31u /* AETH: the responder gives no end-to-end credits */

static void rd_pop(struct hca_resp *r)
{
	r->rd_head = (r->rd_head + 1) % HCA_RD_ATOMIC_MAX;
	r->rd_cnt--;
}

static uint8_t response_opcode(const struct hca_resp_rd *rd)
{
	if (rd->npkt == 1)
		return WIRE_READ_RESPONSE_ONLY;
	if (!rd->sent)
		return WIRE_READ_RESPONSE_FIRST;
	return rd->sent + 1 == rd->npkt ? WIRE_READ_RESPONSE_LAST : WIRE_READ_RESPONSE_MIDDLE;
}

/* The memory went away between request and response: the rest of the answers does, too. */
static void gone(struct engine *e, struct hca_qp *qp, const struct hca_resp_rd *rd)
{
	struct hca_resp *r = &qp->resp;

	count_nak(e->hca, qp, WIRE_NAK_REMOTE_ACCESS);
	r->ack = HCA_ACK_FATAL;
	r->syndrome = WIRE_AETH_NAK | WIRE_NAK_REMOTE_ACCESS;
	r->ack_psn = psn_add(rd->psn, rd->sent);
	r->rd_cnt = 0;
	qp_to_error(e, qp);
}

/* NULL, which no mkey has: the SRQ is gone. */
static const struct hca_pd *pd_of(struct engine *e, const struct hca_qp *qp,
				  const struct hca_resp_rd *rd)
{
	const struct hca_srq *srq;

	if (qp->st != PRM_QPC_ST_XRC)
		return qp->pd;
	srq = hca_srq_find(e->hca, rd->srqn);
	return srq ? srq->pd : NULL;
}

/* Fills in the next packet of READ @rd; false when its bytes cannot be had. */
static bool make_response(struct engine *e, const struct hca_qp *qp,
			  const struct hca_resp_rd *rd, struct wire_packet *p)
{
	uint64_t off = (uint64_t)rd->sent * qp->mtu;
	uint32_t left = rd->len - off;
	struct mem_ref ref = { .pd = pd_of(e, qp, rd),
			       .key = rd->rkey,
			       .addr = rd->va + off,
			       .len = left < qp->mtu ? left : qp->mtu,
			       .qpn = qp->qpn,
			       .rights = HCA_REMOTE_READ };

	p->opcode = qp_service(qp) | response_opcode(rd);
	p->payload = e->payload;
	p->payload_len = ref.len;
	return mem_read(e->hca, &ref, e->payload) == MEM_OK;
}

static void send_response(struct engine *e, struct hca_qp *qp)
{
	struct hca_resp *r = &qp->resp;
	struct hca_resp_rd *rd = &r->rd[r->rd_head];
	struct wire_packet p;

	path_address(e, qp, &p);
	p.psn = psn_add(rd->psn, rd->sent);
	p.syndrome = WIRE_AETH_ACK | NO_CREDITS;
	p.msn = rd->msn;
	if (rd->atomic) {
		p.opcode = qp_service(qp) | WIRE_ATOMIC_ACK;
		p.orig = rd->orig;
	} else if (!make_response(e, qp, rd, &p)) {
		gone(e, qp, rd);
		return;
	}
	path_send(e, &p);
	if (++rd->sent == rd->npkt)
		rd_pop(r);
}

static void send_ack(struct engine *e, struct hca_qp *qp)
{
	struct hca_resp *r = &qp->resp;
	struct wire_packet p;

	path_address(e, qp, &p);
	p.opcode = qp_service(qp) | WIRE_ACK;
	p.psn = r->ack_psn;
	p.syndrome = r->ack == HCA_ACK_DUE || r->ack == HCA_ACK_LAST
			     ? WIRE_AETH_ACK | NO_CREDITS
			     : r->syndrome;
	p.msn = r->msn;
	path_send(e, &p);
	r->ack = HCA_ACK_NONE;
}

bool reply_run(struct engine *e, struct hca_qp *qp)
{
	unsigned int n = 0;

	for (; n < QUANTUM && reply_pending(qp) && path_room(e, qp->remote_qpn); n++) {
		if (qp->resp.rd_cnt)
			send_response(e, qp);
		else
			send_ack(e, qp);
	}
	return n;
}
