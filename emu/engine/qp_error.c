/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Errors: how a QP gets into ERR, and the flushing of its WQEs. Send queue and receive queue
 * are flushed in order, every WQE with a CQE, signaled or not (InfiniBand specification,
 * chapter 10, "Queue pair and EE context states", Error). A QP in ERR stays on the list of
 * runnable QPs, so receives posted later are flushed without a doorbell. In SQER only the send
 * queue is flushed; the QP still receives.
 */
#include <inttypes.h>

#include "engine/cqe.h"
#include "engine/doorbell.h"
#include "engine/hwqe.h"
#include "engine/qp.h"
#include "engine/ethernet.h"
#include "engine/receive.h"
#include "engine/sg.h"
#include "engine/uar_store.h"
#include "event/event.h"

void qp_error_enter(struct engine *e, struct hca_qp *qp)
{
	qp->state = PRM_QPC_STATE_ERR;
	engine_kick(e->hca, qp);
}

/* WQEs that the record covers and no doorbell did: the device has not seen them. At exit the
 * memory of the record may be unmapped before its queue is destroyed. */
static void never_rung(const struct hca_qp *qp)
{
	uint32_t records[2];
	uint16_t pi;

	if (!core_trace_on(TRACE_CHECK) || !qp->sq.cnt || qp->no_send_record ||
	    (qp->uar && doorbell_pending(qp->uar)) ||
	    !core_bus_read(records, qp->dbrec, sizeof(records)))
		return;
	pi = be32toh(records[DOORBELL_RECORD_SND]);
	if (pi != qp->req.pi)
		core_check(CORE_NEVER_RUNG, "QP", qp->qpn,
			   "the record is 0x%x, the last doorbell was for 0x%x", pi,
			   qp->req.pi);
}

/* @qp is reset: CQs that no other queue uses are not polled any more. */
static void check_cqs(const struct hca_qp *qp)
{
	uint32_t roles = 1 + (qp->scq == qp->rcq);

	if (qp->scq && qp->scq->refs == roles)
		event_cq_unreleased(qp->scq);
	if (qp->rcq && qp->rcq->refs == roles)
		event_cq_unreleased(qp->rcq);
}

void engine_unfinished(struct hca *hca)
{
	struct hca_qp *qp;
	struct hca_cq *cq;
	uint32_t qpn = 0, cqn = 0;

	while ((cq = core_ids_next(&hca->cqs, &cqn)))
		event_cq_unreleased(cq);
	while ((qp = core_ids_next(&hca->qps, &qpn)))
		if (qp->state >= PRM_QPC_STATE_RTS)
			never_rung(qp);
	ethernet_unrung(hca);
	uar_store_unfinished(hca);
}

void engine_kick(struct hca *hca, struct hca_qp *qp)
{
	if (qp->state == PRM_QPC_STATE_RST) {
		never_rung(qp);
		check_cqs(qp);
		return;
	}
	/* Only these are sent in ERR; a last ACK or fatal NAK that is pending stays. */
	if (qp->state == PRM_QPC_STATE_ERR && qp->resp.ack < HCA_ACK_LAST) {
		qp->resp.ack = HCA_ACK_NONE;
		qp->resp.read_atomic_cnt = 0;
	}
	core_list_add(&hca->runnable, &qp->runnable);
}

/* Traces the bytes of WQE @index, for the checks of explain. */
static void trace_failed(const struct hca_qp *qp, uint16_t index, enum cqe_syndrome s)
{
	struct core_trace_queue queue = { qp->sq.cnt, qp->st, s };
	uint8_t bytes[HWQE_MAX_DS * HWQE_UNIT];
	uint32_t len;

	if (!core_trace_on(TRACE_FAILED))
		return;
	hwqe_unit(qp, index, 0, bytes);
	len = core_bits(bytes, HWQE_CTRL_DS) * HWQE_UNIT;
	if (len < HWQE_UNIT)
		len = HWQE_UNIT;
	if (len > qp->sq.cnt * HWQE_BB)
		len = qp->sq.cnt * HWQE_BB;
	sg_ring_copy(&qp->sq, (uint64_t)index * HWQE_BB, bytes, len);
	core_trace(&(struct core_trace){ .kind = TRACE_FAILED,
					 .obj = qp->qpn,
					 .index = index,
					 .in = bytes,
					 .in_len = len,
					 .out = &queue,
					 .out_len = sizeof(queue) });
}

/* The NAK has no reason; the process of the peer reports it. */
static void peer_refused(const struct hca_qp *qp, uint16_t index)
{
	uint8_t seg[HWQE_UNIT];

	if (!core_trace_on(TRACE_CHECK))
		return;
	if (qp->req.wqe[index & (qp->sq.cnt - 1)].opcode == HWQE_SEND_INVAL) {
		hwqe_unit(qp, index, 0, seg);
		core_check(CORE_PEER_REFUSED, "QP", qp->qpn,
			   "WQE 0x%x: the peer refuses to invalidate key 0x%x", index,
			   core_bits(seg, HWQE_CTRL_IMM, 31, 0));
		return;
	}
	hwqe_unit(qp, index, hwqe_raddr_unit(qp), seg);
	core_check(CORE_PEER_REFUSED, "QP", qp->qpn,
		   "WQE 0x%x: the peer refuses %u bytes at 0x%" PRIx64 " of rkey 0x%x", index,
		   qp->req.wqe[index & (qp->sq.cnt - 1)].len, hwqe_get64(seg, HWQE_RADDR_VA),
		   core_bits(seg, HWQE_RADDR_RKEY));
}

void qp_error_send(struct engine *e, struct hca_qp *qp, enum cqe_syndrome s)
{
	struct hca_req *r = &qp->req;
	uint16_t index = r->una;

	r->una += r->wqe[index & (qp->sq.cnt - 1)].nbb;
	e->counters.wqes++;
	cqe_send_error(e, qp, index, s);
	trace_failed(qp, index, s);
	if (s == CQE_REMOTE_ACCESS && r->wqe[index & (qp->sq.cnt - 1)].opcode != HWQE_MMO)
		peer_refused(qp, index);
	/* The whole QP, receives too: the send queue error state is not for RC (InfiniBand
	 * specification, chapter 10, "Queue pair states"), and QUERY_QP on mlx5 returns ERR
	 * (google/rdma-unit-test, rc_test.cc, FlushErrorPollTogether). */
	if (qp_is_reliable(qp))
		qp_error_enter(e, qp);
	/* assumed(unreliable_send_error_is_sqer): a send WQE of a UC or UD QP that fails moves
	 * the QP to SQER, as that chapter requires, and receives continue. */
	else if (qp->state != PRM_QPC_STATE_ERR)
		qp->state = PRM_QPC_STATE_SQER;
}

static bool flush_sends(struct engine *e, struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;
	bool found = r->una != r->pi;

	if (qp->sq.lost)
		r->una = r->pi;
	while (r->una != r->pi) {
		uint16_t left = r->pi - r->una;
		unsigned int nbb = hwqe_blocks(qp, r->una);

		cqe_send_error(e, qp, r->una, CQE_FLUSHED);
		r->una += nbb < left ? nbb : left;
	}
	r->next = r->begun = r->una;
	r->timer = r->rnr_until = 0;
	return found;
}

bool qp_error_flush(struct engine *e, struct hca_qp *qp)
{
	bool sends = qp->sq.cnt && flush_sends(e, qp);

	return (qp->state == PRM_QPC_STATE_ERR && receive_flush(e, qp)) || sends;
}
