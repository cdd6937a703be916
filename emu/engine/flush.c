/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors: how a QP gets into ERR and what becomes of its WQEs. Send queue and receive queue
 * are flushed in order, every WQE with a CQE, signaled or not (InfiniBand specification,
 * chapter 10, "Queue pair and EE context states", Error). A QP in ERR stays on the list of
 * runnable QPs, so receives posted later are noticed without a doorbell.
 */
#include "engine/cqe.h"
#include "engine/wqe.h"

void qp_to_error(struct engine *e, struct dev_qp *qp)
{
	qp->state = DEV_QPS_ERR;
	engine_kick(e->d, qp);
}

void engine_kick(struct dev *d, struct dev_qp *qp)
{
	if (qp->state == DEV_QPS_RST)
		return;
	/* A fatal NAK is what the peer is still to hear; the answers before it go first. */
	if (qp->state == DEV_QPS_ERR && qp->resp.ack != DEV_ACK_FATAL) {
		qp->resp.ack = DEV_ACK_NONE;
		qp->resp.rd_cnt = 0;
	}
	core_list_add(&d->runnable, &qp->runnable);
}

void qp_send_failed(struct engine *e, struct dev_qp *qp, enum cqe_syndrome s)
{
	struct dev_req *r = &qp->req;
	uint16_t index = r->una;

	r->una += r->wqe[index & (qp->sq.cnt - 1)].nbb;
	e->n.wqes++;
	cqe_send_error(e, qp, index, s);
	/* assumed(send_error_moves_whole_qp_to_err): an error of an RC send WQE moves the whole QP
	 * to ERR, and not to SQER: receives are flushed, too. */
	qp_to_error(e, qp);
}

static bool flush_sends(struct engine *e, struct dev_qp *qp)
{
	struct dev_req *r = &qp->req;
	bool found = r->una != r->pi;

	while (r->una != r->pi) {
		uint16_t left = r->pi - r->una;
		unsigned int nbb = wqe_blocks(qp, r->una);

		cqe_send_error(e, qp, r->una, CQE_FLUSHED);
		r->una += nbb < left ? nbb : left;
	}
	r->next = r->begun = r->una;
	r->timer = r->rnr_until = 0;
	return found;
}

static bool flush_receives(struct engine *e, struct dev_qp *qp)
{
	uint16_t left;

	if (!qp->rq.cnt)
		return false;
	left = qp_record(qp, QP_RECORD_RCV) - qp->resp.ci;
	if (!left || left > qp->rq.cnt)
		return false;
	for (; left; left--)
		cqe_recv_error(e, qp, qp->resp.ci++, CQE_FLUSHED);
	return true;
}

bool qp_flush(struct engine *e, struct dev_qp *qp)
{
	bool sends = qp->sq.cnt && flush_sends(e, qp);

	return flush_receives(e, qp) || sends;
}
