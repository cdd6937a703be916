/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues whose memory cannot be read: after the first failed read all pages of the queue are
 * tried, to report which one is unmapped. And queues whose memory only the device still has
 * mapped: hardware continues with it, and so does the engine; it is a finding.
 */
#include <inttypes.h>

#include "engine/cqe.h"
#include "engine/lost.h"
#include "engine/qp.h"
#include "event/event.h"

_Thread_local unsigned int lost_reads;

static bool is_readable(uint64_t bus, uint64_t *bad)
{
	uint8_t byte;

	*bad = bus;
	return core_fetch(&byte, bus, sizeof(byte));
}

static bool wq_is_readable(const struct hca_wq *wq, uint64_t *bad)
{
	uint64_t bytes = (uint64_t)wq->cnt << wq->log_stride;

	for (uint64_t off = 0; off < bytes; off += HCA_PAGE_SIZE)
		if (!is_readable(hca_ring_bus(&wq->ring, wq->offset + off), bad))
			return false;
	return !bytes || is_readable(hca_ring_bus(&wq->ring, wq->offset + bytes - 1), bad);
}

static void report(const char *object, uint32_t number, const char *what, uint64_t at)
{
	core_check(CORE_QUEUE_UNMAPPED, object, number, "its %s at 0x%" PRIx64 " is not mapped",
		   what, core_bus_origin(at));
}

static bool check_ring(struct hca_wq *wq, const char *object, uint32_t number, const char *what)
{
	uint64_t bad;

	if (wq->lost || wq_is_readable(wq, &bad))
		return false;
	wq->lost = true;
	report(object, number, what, bad);
	return true;
}

static bool check_record(bool *lost, uint64_t dbrec, const char *object, uint32_t number)
{
	uint64_t bad;

	if (*lost || !dbrec || is_readable(dbrec, &bad))
		return false;
	*lost = true;
	report(object, number, "doorbell record", bad);
	return true;
}

bool lost_qp_check(struct engine *e, struct hca_qp *qp)
{
	bool lost;

	lost_reads = 0;
	lost = check_ring(&qp->sq, "QP", qp->qpn, "send ring");
	lost |= check_ring(&qp->rq, "QP", qp->qpn, "receive ring");
	lost |= check_record(&qp->record_lost, qp->dbrec, "QP", qp->qpn);
	if (lost && qp->state != PRM_QPC_STATE_ERR) {
		/* InfiniBand specification, chapter 11, "Local Work Queue Catastrophic
		 * Error". */
		event_async(e->hca, PRM_EVENT_WQ_CATAS_ERROR, qp->qpn, 0);
		qp_error_enter(e, qp);
	}
	return lost;
}

bool lost_srq(struct engine *e, struct hca_srq *srq)
{
	const char *object = srq->xrc ? "XRC SRQ" : "SRQ";
	bool lost, record = false;

	if (!lost_reads)
		return false;
	lost_reads = 0;
	lost = check_ring(&srq->wq, object, srq->srqn, "ring");
	lost |= check_record(&record, srq->dbrec, object, srq->srqn);
	if (lost && !srq->error) {
		srq->error = true;
		event_async(e->hca, PRM_EVENT_SRQ_CATAS_ERROR, srq->srqn, 0);
	}
	return lost;
}

bool lost_sq(struct hca_sq *sq)
{
	bool record = false;

	if (!lost_reads)
		return false;
	lost_reads = 0;
	check_ring(&sq->wq, "SQ", sq->sqn, "ring");
	check_record(&record, sq->dbrec, "SQ", sq->sqn);
	sq->state = PRM_SQC_STATE_ERR;
	return true;
}

bool lost_rq(struct hca_rq *rq)
{
	bool record = false;

	if (!lost_reads)
		return false;
	lost_reads = 0;
	check_ring(&rq->wq, "RQ", rq->rqn, "ring");
	check_record(&record, rq->dbrec, "RQ", rq->rqn);
	rq->state = PRM_RQC_STATE_ERR;
	return true;
}

/* ---- unmapped by the application, still mapped for the device ---- */

static bool ring_is_kept(const struct hca_ring *ring, uint64_t offset, uint64_t bytes,
			 uint64_t *at)
{
	for (uint64_t off = 0; off < bytes; off += HCA_PAGE_SIZE)
		if (core_bus_is_kept(hca_ring_bus(ring, offset + off), 1, at))
			return true;
	return bytes && core_bus_is_kept(hca_ring_bus(ring, offset + bytes - 1), 1, at);
}

static bool wq_is_kept(const struct hca_wq *wq, uint64_t *at)
{
	return wq->cnt &&
	       ring_is_kept(&wq->ring, wq->offset, (uint64_t)wq->cnt << wq->log_stride, at);
}

/* Reports @what, if not NULL; once. */
static void report_kept(bool *reported, const char *object, uint32_t number, const char *what,
			uint64_t at)
{
	if (!what || *reported)
		return;
	*reported = true;
	core_check(CORE_QUEUE_UNMAPPED, object, number,
		   "its %s at 0x%" PRIx64 " was unmapped while the device uses it", what, at);
}

static void check_cq(struct hca_cq *cq)
{
	const char *what = NULL;
	uint64_t at;

	if (ring_is_kept(&cq->ring, 0, 1ull << cq->log_size << cq->cqe_size_log, &at))
		what = "ring";
	else if (core_bus_is_kept(cq->dbrec, 8, &at))
		what = "doorbell record";
	report_kept(&cq->unmapped, "CQ", cq->cqn, what, at);
}

static void check_qp(struct hca_qp *qp)
{
	const char *what = NULL;
	uint64_t at;

	if (wq_is_kept(&qp->sq, &at))
		what = "send ring";
	else if (wq_is_kept(&qp->rq, &at))
		what = "receive ring";
	else if (qp->dbrec && core_bus_is_kept(qp->dbrec, 8, &at))
		what = "doorbell record";
	report_kept(&qp->unmapped, "QP", qp->qpn, what, at);
}

static void check_srq(struct hca_srq *srq)
{
	const char *what = NULL;
	uint64_t at;

	if (wq_is_kept(&srq->wq, &at))
		what = "ring";
	else if (core_bus_is_kept(srq->dbrec, 4, &at))
		what = "doorbell record";
	report_kept(&srq->unmapped, srq->xrc ? "XRC SRQ" : "SRQ", srq->srqn, what, at);
}

void engine_unmapped(struct hca *hca)
{
	uint32_t cqn = 0, qpn = 0, srqn = 0;
	struct hca_srq *srq;
	struct hca_cq *cq;
	struct hca_qp *qp;

	if (!core_trace_on(TRACE_CHECK))
		return;
	while ((cq = core_ids_next(&hca->cqs, &cqn)))
		if (cq->ring.npas)
			check_cq(cq);
	while ((qp = core_ids_next(&hca->qps, &qpn)))
		check_qp(qp);
	while ((srq = core_ids_next(&hca->srqs, &srqn)))
		check_srq(srq);
}
