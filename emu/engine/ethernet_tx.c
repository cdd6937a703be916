/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Send queues of Ethernet.
 *
 *	doorbell -> record -> hca.sending -> WQE by WQE: packets -> steering -> net -> CQE
 *
 * A packet whose receiver has no space waits in its SQ, and the SQ with it. The first WQE that
 * fails moves the SQ to ERR; with flush_in_error_en the others are flushed.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/count.h"
#include "engine/doorbell.h"
#include "engine/ethernet.h"
#include "engine/ethernet_offload.h"
#include "engine/ethernet_wqe.h"
#include "engine/gta.h"
#include "engine/lost.h"
#include "engine/wqe_report.h"
#include "event/event.h"
#include "steer/steer.h"

#define PACKETS_MAX 64 /* of an SQ in an iteration, so that others get their turn */

static uint16_t record_of(const struct hca_sq *sq)
{
	uint32_t word;

	if (core_fetch32(&word, sq->dbrec + DOORBELL_RECORD_SND * sizeof(word)))
		return be32toh(word);
	lost_reads++;
	return sq->end;
}

/* ---- completion ---- */

static uint8_t *start_cqe(const struct hca_sq *sq, uint8_t opcode, uint8_t *entry)
{
	return cqe_start(entry, sq->user_index, sq->sqn, sq->pi, opcode);
}

/* A CQ in overrun ends the SQ, as it ends a QP (cqe.c). */
static void write_cqe(struct engine *e, struct hca_sq *sq, const uint8_t *entry)
{
	if (event_cqe(e->hca, sq->cq, entry, false))
		e->counters.cqes++;
	else
		sq->state = PRM_SQC_STATE_ERR;
}

static void complete(struct engine *e, struct hca_sq *sq, const struct ethernet_wqe *w)
{
	uint8_t entry[HCQE_ENTRY], *cqe;

	e->counters.wqes++;
	if (w->signaled || w->refused) {
		cqe = start_cqe(sq, w->opcode, entry);
		cqe_stamp(e, cqe);
		core_set_bits(cqe, HCQE_OPCODE, HCQE_REQ);
		core_set_bits(cqe, HCQE_REFUSED, w->refused);
		write_cqe(e, sq, entry);
	}
	sq->pi += w->nbb;
}

static void fail(struct engine *e, struct hca_sq *sq, const struct ethernet_wqe *w,
		 enum cqe_syndrome s)
{
	uint8_t entry[HCQE_ENTRY];

	cqe_put_error(start_cqe(sq, w->opcode, entry), HCQE_REQ_ERR, s);
	e->counters.wqes++;
	write_cqe(e, sq, entry);
	sq->pi += w->nbb;
}

static void flush(struct engine *e, struct hca_sq *sq)
{
	struct ethernet_wqe w;

	while (sq->pi != sq->end) {
		ethernet_wqe_read(e, sq, sq->pi, sq->end - sq->pi, &w);
		if (lost_sq(sq)) {
			sq->pi = sq->end;
			return;
		}
		if (sq->flush)
			fail(e, sq, &w, CQE_FLUSHED);
		else
			sq->pi += w.nbb;
	}
}

/* ---- packets ---- */

struct way {
	struct engine *e;
	struct hca_sq *sq;
};

static bool transmit(struct engine *e, const struct hca_sq *sq, const uint8_t *frame,
		     size_t len)
{
	if (!net_send(e->net, sq->tis->td->tdn, frame, len))
		return false;
	e->counters.tx_frames++;
	e->counters.tx_bytes += len;
	count_tx_packet(e->hca, frame, len);
	return true;
}

/* Steering let the packet out of the port. If it cannot leave now it is kept; more than one of
 * a packet is lost, as in a switch. */
static void leave(void *ctx, uint16_t vport, const struct steer_packet *p)
{
	struct way *way = ctx;
	struct hca_sq *sq = way->sq;

	(void)vport;
	if (transmit(way->e, sq, p->bytes, p->len) || sq->kept_len)
		return;
	sq->kept = malloc(p->len);
	if (!sq->kept)
		return;
	memcpy(sq->kept, p->bytes, p->len);
	sq->kept_len = p->len;
}

static bool send_kept(struct engine *e, struct hca_sq *sq)
{
	if (!sq->kept_len)
		return true;
	if (!transmit(e, sq, sq->kept, sq->kept_len))
		return false;
	free(sq->kept);
	sq->kept = NULL;
	sq->kept_len = 0;
	return true;
}

static void send_packet(struct engine *e, struct hca_sq *sq, struct ethernet_wqe *w,
			uint8_t *frame, size_t len)
{
	struct way way = { e, sq };
	struct steer_packet p = { .bytes = frame };
	const struct steer_sink sink = { .vport = leave, .ctx = &way };

	p.len = offload_packet(w, frame, len);
	p.meta.reg_a = w->metadata;
	p.meta.source_sqn = sq->sqn;
	steer_send(e->hca, &p, &sink);
}

static void report(const struct hca *hca, const struct hca_sq *sq, const struct ethernet_wqe *w)
{
	const char *why = wqe_unsupported(w->opcode);

	if (why && !ethernet_wqe_is_executed(hca, sq, w->opcode))
		core_check(CORE_NOT_EXECUTED, "SQ", sq->sqn,
			   "the WQE at 0x%x ends in an error: %s", sq->pi, why);
}

/* Executes the WQE at sq->pi from packet sq->packet on. False: a packet has to wait. */
static bool execute(struct engine *e, struct hca_sq *sq, unsigned int *budget)
{
	enum cqe_syndrome s;
	struct ethernet_wqe w;

	ethernet_wqe_read(e, sq, sq->pi, sq->end - sq->pi, &w);
	if (lost_sq(sq))
		return false;
	s = w.status;
	if (!s && w.opcode == EWQE_STEERING)
		s = gta_run(e, sq, &w);
	w.at = sq->at;
	for (w.packet = sq->packet; !s && w.packet < w.npkt && *budget; w.packet++) {
		size_t len;

		s = ethernet_wqe_packet(e, sq, &w, e->ethernet, &len);
		if (s)
			break;
		send_packet(e, sq, &w, e->ethernet, len);
		--*budget;
	}
	sq->packet = w.packet;
	sq->at = w.at;
	if (!s && w.packet < w.npkt)
		return false;
	sq->packet = 0;
	sq->at = (struct hca_cursor){ 0 };
	if (s) {
		report(e->hca, sq, &w);
		fail(e, sq, &w, s);
		sq->state = PRM_SQC_STATE_ERR;
	} else {
		complete(e, sq, &w);
	}
	return true;
}

static bool run(struct engine *e, struct hca_sq *sq)
{
	unsigned int budget = PACKETS_MAX;
	uint16_t from = sq->pi;

	while (sq->pi != sq->end && sq->state == PRM_SQC_STATE_RDY && budget) {
		if (!send_kept(e, sq)) {
			e->blocked = true;
			break;
		}
		if (!execute(e, sq, &budget))
			break;
	}
	if (sq->state == PRM_SQC_STATE_ERR)
		flush(e, sq);
	if (sq->state == PRM_SQC_STATE_RST || (sq->pi == sq->end && send_kept(e, sq)))
		core_list_del(&sq->on_sending);
	return sq->pi != from || budget < PACKETS_MAX;
}

bool ethernet_run(struct engine *e)
{
	struct core_list *pos, *tmp;
	bool moved = false;

	core_list_for_each(pos, tmp, &e->hca->sending)
		moved |= run(e, core_container(pos, struct hca_sq, on_sending));
	return moved;
}

/* ---- doorbells ---- */

bool ethernet_poll(struct engine *e, struct hca_sq *sq)
{
	uint16_t record;

	if (sq->state == PRM_SQC_STATE_RST)
		return false;
	record = record_of(sq);
	if (record == sq->end)
		return lost_sq(sq);
	if ((uint16_t)(record - sq->pi) > sq->wq.cnt) {
		core_check(CORE_SEND_OVERRUN, "SQ", sq->sqn,
			   "record 0x%x is more than %u blocks ahead of 0x%x", record,
			   sq->wq.cnt, sq->pi);
		sq->pi = record - sq->wq.cnt;
	}
	sq->end = record;
	core_list_add(&e->hca->sending, &sq->on_sending);
	lost_sq(sq);
	return true;
}

void ethernet_unrung(struct hca *hca)
{
	struct hca_sq *sq;
	uint32_t sqn = 0;

	while ((sq = core_ids_next(&hca->sqs, &sqn))) {
		uint32_t records[2];

		if (sq->state == PRM_SQC_STATE_RST || !core_trace_on(TRACE_CHECK) ||
		    !core_bus_read(records, sq->dbrec, sizeof(records)))
			continue;
		if ((uint16_t)be32toh(records[DOORBELL_RECORD_SND]) != sq->end)
			core_check(CORE_NEVER_RUNG, "SQ", sq->sqn,
				   "the record is 0x%x, the last doorbell was for 0x%x",
				   (uint16_t)be32toh(records[DOORBELL_RECORD_SND]), sq->end);
	}
}
