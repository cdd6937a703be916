/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive WQEs, of a QP's own queue and of an SRQ; see receive.h.
 *
 * An SRQ raises two asynchronous events: once when fewer WQEs are left than the limit that was
 * armed, and for each QP in ERR when it takes no more WQEs. (InfiniBand specification, chapter
 * 10, "Shared receive queue".)
 */
#include "engine/cqe.h"
#include "engine/doorbell.h"
#include "engine/hwqe.h"
#include "engine/lost.h"
#include "engine/receive.h"
#include "event/event.h"

#define SRQ_NEXT_INDEX 0, 15, 0 /* in the segment before the data segments */
#define SRQ_FIRST_DATA 1	/* unit */

void receive_comm_est(struct engine *e, struct hca_qp *qp)
{
	/* PRM, event type COMM_EST: the first packet arrived before the QP was moved to RTS. */
	if (qp->state == PRM_QPC_STATE_RTR)
		event_async(e->hca, PRM_EVENT_COMM_EST, qp->qpn, 0);
	qp->resp.comm_est = true;
}

static uint16_t srq_posted(const struct hca_srq *srq)
{
	uint32_t word;

	if (core_fetch32(&word, srq->dbrec))
		return (uint16_t)be32toh(word) - srq->taken;
	lost_reads++;
	return 0;
}

/* A record that is further ahead than the size of the ring is ignored. */
static bool is_posted(uint16_t posted, const struct hca_wq *wq)
{
	return posted && posted <= wq->cnt;
}

/* assumed(srq_limit_is_looked_at_when_a_wqe_is_taken): the limit event is raised when a message
 * takes a WQE and leaves fewer than the limit, and not at the arming of a limit that is
 * already higher than what is left. */
static void check_limit(struct engine *e, struct hca_srq *srq)
{
	if (!srq->lwm || srq_posted(srq) >= srq->lwm)
		return;
	srq->lwm = 0;
	event_async(e->hca, PRM_EVENT_SRQ_RQ_LIMIT, srq->srqn, 0);
}

static void broken(struct engine *e, struct hca_srq *srq)
{
	/* assumed(srq_bad_link_is_catastrophic): an index in the list of an SRQ that is beyond
	 * its WQEs raises the SRQ catastrophic error event, and no more WQEs of the SRQ are
	 * taken. */
	srq->error = true;
	event_async(e->hca, PRM_EVENT_SRQ_CATAS_ERROR, srq->srqn, 0);
}

/* assumed(reset_loses_the_srq_wqe_held): a WQE of an SRQ that an unfinished message holds is
 * never completed when its QP goes from there to RESET. */
static bool srq_take(struct engine *e, struct hca_qp *qp, struct hca_srq *srq)
{
	uint8_t seg[HWQE_UNIT];
	uint16_t index = srq->next;
	bool posted;

	if (qp->resp.held)
		return true;
	if (srq->error)
		return false;
	posted = is_posted(srq_posted(srq), &srq->wq);
	if (posted && index < srq->wq.cnt)
		sg_ring_copy(&srq->wq, (uint64_t)index << srq->wq.log_stride, seg, sizeof(seg));
	if (lost_srq(e, srq) || !posted)
		return false;
	if (index >= srq->wq.cnt) {
		broken(e, srq);
		return false;
	}
	srq->next =
		srq->cyclic ? (index + 1) & (srq->wq.cnt - 1) : core_bits(seg, SRQ_NEXT_INDEX);
	srq->taken++;
	qp->resp.held = true;
	qp->resp.held_wqe = index;
	qp->resp.srqn = srq->srqn;
	check_limit(e, srq);
	return true;
}

/* Can WQE @index be read? */
static bool is_readable(const struct hca_wq *wq, uint16_t index)
{
	unsigned int before = lost_reads;
	uint8_t seg[HWQE_UNIT];

	sg_ring_copy(wq, (uint64_t)(index & (wq->cnt - 1)) << wq->log_stride, seg, sizeof(seg));
	return lost_reads == before;
}

bool receive_take(struct engine *e, struct hca_qp *qp, struct hca_srq *srq)
{
	if (srq)
		return srq_take(e, qp, srq);
	return qp->rq.cnt &&
	       is_posted(doorbell_record(qp, DOORBELL_RECORD_RCV) - qp->resp.ci, &qp->rq) &&
	       is_readable(&qp->rq, qp->resp.ci);
}

struct recv_wqe receive_wqe(const struct hca_qp *qp, struct hca_srq *srq)
{
	return (struct recv_wqe){ srq, srq ? qp->resp.held_wqe : qp->resp.ci };
}

struct sg_list receive_list(struct engine *e, const struct hca_qp *qp,
			    const struct hca_srq *srq)
{
	struct sg_list l =
		srq ? sg_of_recv(e->hca, srq->pd, &srq->wq, qp->resp.held_wqe, SRQ_FIRST_DATA)
		    : sg_of_recv(e->hca, qp->pd, &qp->rq, qp->resp.ci, 0);

	l.qpn = qp->qpn;
	return l;
}

void receive_done(struct hca_qp *qp, const struct hca_srq *srq)
{
	if (srq)
		qp->resp.held = false;
	else
		qp->resp.ci++;
}

static bool flush_held(struct engine *e, struct hca_qp *qp)
{
	struct hca_srq *srq = qp->srq ? qp->srq : hca_srq_find(e->hca, qp->resp.srqn);
	struct recv_wqe wqe = { srq, qp->resp.held_wqe };

	if (!qp->resp.held)
		return false;
	qp->resp.held = false;
	/* An XRC SRQ may have been destroyed meanwhile, and its CQ with it. */
	if (srq)
		cqe_recv_error(e, qp, &wqe, CQE_FLUSHED);
	return true;
}

static bool raise_last_wqe(struct engine *e, struct hca_qp *qp)
{
	if (!qp->srq || qp->st == PRM_QPC_ST_DCT || qp->resp.last_wqe)
		return false;
	qp->resp.last_wqe = true;
	event_async(e->hca, PRM_EVENT_SRQ_LAST_WQE, qp->qpn, 0);
	return true;
}

static bool flush_own(struct engine *e, struct hca_qp *qp)
{
	uint16_t left;

	if (!qp->rq.cnt)
		return false;
	left = doorbell_record(qp, DOORBELL_RECORD_RCV) - qp->resp.ci;
	if (!is_posted(left, &qp->rq))
		return false;
	for (; left; left--) {
		struct recv_wqe wqe = receive_wqe(qp, NULL);

		cqe_recv_error(e, qp, &wqe, CQE_FLUSHED);
		qp->resp.ci++;
	}
	return true;
}

bool receive_flush(struct engine *e, struct hca_qp *qp)
{
	bool found = flush_held(e, qp);

	found |= flush_own(e, qp);
	return raise_last_wqe(e, qp) || found;
}
