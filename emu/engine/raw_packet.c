/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw packets are not sent yet. So that this is not unnoticed, the first WQE ends in an error, the
 * SQ goes to ERR, and all WQEs that follow are flushed.
 *
 *	ring -> record -> WQE: CQE 13, syndrome 0x02; SQ -> ERR -> WQEs: CQE 13, syndrome 0x05
 *
 * Hardware sends them. RQs receive no packets here.
 */
#include "engine/cqe.h"
#include "engine/doorbell.h"
#include "engine/hwqe.h"
#include "engine/lost.h"
#include "engine/raw_packet.h"
#include "engine/sg.h"
#include "event/event.h"

static uint16_t record_of(const struct hca_sq *sq)
{
	uint32_t word;

	if (core_fetch32(&word, sq->dbrec + DOORBELL_RECORD_SND * sizeof(word)))
		return be32toh(word);
	lost_reads++;
	return sq->pi;
}

/* Writes the error CQE of the WQE at sq->pi; @left blocks were posted from there on. */
static void end_wqe(struct engine *e, struct hca_sq *sq, enum cqe_syndrome s, uint16_t left)
{
	uint64_t at = (uint64_t)(sq->pi & (sq->wq.cnt - 1)) << sq->wq.log_stride;
	uint8_t entry[HCQE_ENTRY], ctrl[HWQE_UNIT], *cqe;
	uint32_t nbb;

	sg_ring_copy(&sq->wq, at, ctrl, sizeof(ctrl));
	nbb = (hwqe_get(ctrl, HWQE_CTRL_DS) + 3) / 4;
	cqe = cqe_start(entry, sq->user_index, sq->sqn, sq->pi,
			hwqe_get(ctrl, HWQE_CTRL_OPCODE));
	cqe_put_error(cqe, HCQE_REQ_ERR, s);
	e->counters.wqes++;
	if (event_cqe(e->hca, sq->cq, entry, false))
		e->counters.cqes++;
	sq->pi += nbb && nbb < left ? nbb : left;
}

bool raw_packet_poll(struct engine *e, struct hca_sq *sq)
{
	uint16_t record;

	if (sq->state == PRM_SQC_STATE_RST)
		return false;
	record = record_of(sq);
	if (record == sq->pi)
		return lost_sq(sq);
	if ((uint16_t)(record - sq->pi) > sq->wq.cnt) {
		core_check(CORE_SEND_OVERRUN, "SQ", sq->sqn,
			   "record 0x%x is more than %u blocks ahead of 0x%x", record,
			   sq->wq.cnt, sq->pi);
		sq->pi = record - sq->wq.cnt;
	}
	if (sq->state == PRM_SQC_STATE_RDY) {
		core_check(CORE_NOT_EXECUTED, "SQ", sq->sqn,
			   "raw packets are not sent yet: the WQE at 0x%x ends in an error",
			   sq->pi);
		end_wqe(e, sq, CQE_LOCAL_QP_OP, record - sq->pi);
		sq->state = PRM_SQC_STATE_ERR;
	}
	while (sq->flush && sq->pi != record)
		end_wqe(e, sq, CQE_FLUSHED, record - sq->pi);
	sq->pi = record;
	lost_sq(sq);
	return true;
}

void raw_packet_unrung(struct hca *hca)
{
	struct hca_sq *sq;
	uint32_t sqn = 0;

	while ((sq = core_ids_next(&hca->sqs, &sqn))) {
		uint32_t records[2];

		if (sq->state == PRM_SQC_STATE_RST || !core_trace_on(TRACE_CHECK) ||
		    !core_bus_read(records, sq->dbrec, sizeof(records)))
			continue;
		if ((uint16_t)be32toh(records[DOORBELL_RECORD_SND]) != sq->pi)
			core_check(CORE_NEVER_RUNG, "SQ", sq->sqn,
				   "the record is 0x%x, the last doorbell was for 0x%x",
				   (uint16_t)be32toh(records[DOORBELL_RECORD_SND]), sq->pi);
	}
}
