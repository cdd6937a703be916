/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The completer: ACKs, READ and atomic responses, NAKs and timeouts.
 *
 *	ACK psn            all up to psn is done
 *	RNR NAK psn        all before psn is done; wait, then continue from psn
 *	NAK sequence psn   all before psn is done; continue from psn
 *	other NAK psn      all before psn is done; the WQE of psn failed
 *	READ response psn  all before psn is done; data of the READ that is oldest now
 *
 * Only its response completes a READ or an atomic. A reply to a later request means that the
 * response was lost: continue from there. (InfiniBand specification, chapter 9, "Reliable
 * service", requester side.)
 */
#include <string.h>

#include "engine/completer.h"
#include "engine/cqe.h"
#include "engine/hwqe.h"
#include "engine/psn.h"
#include "engine/qp.h"
#include "engine/requester.h"
#include "engine/tx.h"

#define RETRY_FOR_EVER 7 /* of rnr_retry; retry_count 7 is a count */

/* The timer of an RNR NAK in units of 10 us: InfiniBand specification, chapter 9, table
 * "Encoding for RNR NAK timer field". */
static const uint32_t rnr_timer[32] = {
	65536, 1,    2,	   3,	 4,    6,     8,     12,    16,	   24,	  32,
	48,    64,   96,   128,	 192,  256,   384,   512,   768,   1024,  1536,
	2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

/*
 * The transport timer. IBA, "Transport timer": it runs between T and 4 T, T = 4.096 us *
 * 2^timeout. An adapter whose timer is adaptive waits for T at most (NVIDIA, "Adaptive
 * Retransmission: Parameters Control": "Maximum timeout is capped by QP.ack_timeout"), so it is
 * T here.
 *
 * An adapter replies while its host is busy. Emulated adapters share the processors with the
 * programs that use them, so two delays do not count as loss: time in which the engine could
 * not run (engine.c), and frames that wait in a queue, of the peer or of this process, which
 * extend the timer to 4 T at most.
 */
/* assumed(transport_timer_is_t): a request without a reply is repeated after T, each time, and
 * given up after retry_cnt + 1 times T; adapters with the adaptive timer repeat it sooner. */
#define STRETCHED 3 /* times, T each */

static void run_timer(struct engine *e, struct hca_qp *qp)
{
	qp->req.timer = e->ran + (4096ull << qp->ack_timeout);
}

void completer_restart_timer(struct engine *e, struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;

	r->timer = 0;
	r->stretched = 0;
	if (qp->ack_timeout && r->una_psn != r->high_psn)
		run_timer(e, qp);
}

static bool stretch_timer(struct engine *e, struct hca_qp *qp)
{
	if (qp->req.stretched == STRETCHED || !(e->backlog || tx_unread(e, qp)))
		return false;
	qp->req.stretched++;
	run_timer(e, qp);
	return true;
}

static bool retry(struct engine *e, struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;

	if (r->retries >= qp->retry_count) {
		qp_error_send(e, qp, CQE_RETRY_EXCEEDED);
		return false;
	}
	r->retries++;
	requester_shrink_window(qp);
	requester_seek(e, qp, r->una_psn);
	completer_restart_timer(e, qp);
	return true;
}

bool completer_timers(struct engine *e, struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;

	if (r->rnr_until && e->now >= r->rnr_until) {
		r->rnr_until = 0;
		return true;
	}
	if (!r->timer || e->ran < r->timer)
		return false;
	/* A full queue of a peer that exists is a paused link, not a loss. */
	if (!tx_has_space_to_peer(e, qp)) {
		completer_restart_timer(e, qp);
		return false;
	}
	if (stretch_timer(e, qp) || !retry(e, qp))
		return false;
	HCA_COUNT(e->hca, qp, local_ack_timeout_err);
	return true;
}

static void progress(struct engine *e, struct hca_qp *qp, uint32_t una_psn)
{
	struct hca_req *r = &qp->req;

	requester_grow_window(qp, psn_diff(una_psn, r->una_psn));
	r->una_psn = una_psn;
	r->retries = r->rnr_retries = 0;
	r->rewound = false;
	r->rnr_until = 0;
	if (psn_before(r->psn, una_psn))
		requester_seek(e, qp, una_psn);
	completer_restart_timer(e, qp);
}

/* The response that should have arrived first did not: requests are sent again from the oldest
 * PSN. Later replies that were sent before the retransmission show the same loss, so only the
 * first one counts. */
static void response_lost(struct engine *e, struct hca_qp *qp)
{
	if (qp->req.rewound || !retry(e, qp))
		return;
	qp->req.rewound = true;
	HCA_COUNT(e->hca, qp, implied_nak_seq_err);
}

/* All before @psn is done; false if a READ or an atomic before it has no response, or the QP
 * failed. */
static bool done_before(struct engine *e, struct hca_qp *qp, uint32_t psn)
{
	struct hca_req *r = &qp->req;

	while (psn_before(r->una_psn, psn)) {
		struct hca_req_wqe *w = requester_wqe(qp, r->una);
		uint32_t end = psn_add(w->psn, w->npkt);

		if (hwqe_is_read_atomic(w)) {
			response_lost(e, qp);
			return false;
		}
		progress(e, qp, psn_before(psn, end) ? psn : end);
		requester_complete(e, qp, NULL);
		if (qp->state == PRM_QPC_STATE_ERR)
			return false;
	}
	return true;
}

static void rnr(struct engine *e, struct hca_qp *qp, uint8_t timer)
{
	struct hca_req *r = &qp->req;

	if (r->rnr_until)
		return;
	if (qp->rnr_retry != RETRY_FOR_EVER && r->rnr_retries >= qp->rnr_retry) {
		qp_error_send(e, qp, CQE_RNR_RETRY_EXCEEDED);
		return;
	}
	if (qp->rnr_retry != RETRY_FOR_EVER)
		r->rnr_retries++;
	HCA_COUNT(e->hca, qp, rnr_nak_retry_err);
	r->rnr_until = e->now + rnr_timer[timer] * 10000ull;
	r->timer = 0;
	requester_seek(e, qp, r->una_psn);
}

static void nak(struct engine *e, struct hca_qp *qp, uint8_t code)
{
	switch (code) {
	case WIRE_NAK_SEQUENCE:
		/* After its RNR NAK rxe sends this for the packets that were already on the
		 * way. */
		if (qp->req.rnr_until)
			break;
		if (retry(e, qp))
			HCA_COUNT(e->hca, qp, packet_seq_err);
		break;
	case WIRE_NAK_INVALID_REQUEST:
		qp_error_send(e, qp, CQE_REMOTE_INVALID_REQUEST);
		break;
	case WIRE_NAK_REMOTE_ACCESS:
		qp_error_send(e, qp, CQE_REMOTE_ACCESS);
		break;
	case WIRE_NAK_REMOTE_OP:
		qp_error_send(e, qp, CQE_REMOTE_OP);
		break;
	default: /* reserved codes are ignored */
		break;
	}
}

/* AETH, credit counts: InfiniBand specification, 9.7.7.2, table "End-to-end flow control credit
 * encoding" (as in Linux' rdmavt, rc.c, credit_table). */
static const uint16_t credits[WIRE_NO_CREDITS] = {
	0,    1,    2,	  3,	4,    6,     8,	    12,	   16,	  24,	32,
	48,   64,   96,	  128,	192,  256,   384,   512,   768,	  1024, 1536,
	2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

/* Credits count from the MSN, and are never taken back. */
static void take_credits(struct hca_qp *qp, const struct wire_packet *p)
{
	struct hca_req *r = &qp->req;
	uint8_t code = p->syndrome & 0x1f;
	uint32_t lsn;

	if (qp->st != PRM_QPC_ST_RC || (p->syndrome & 0x60) != WIRE_AETH_ACK)
		return;
	if (code == WIRE_NO_CREDITS) {
		r->limited = false;
		return;
	}
	lsn = psn_add(p->msn, credits[code]);
	if (!r->limited || psn_before(r->lsn, lsn))
		r->lsn = lsn;
	r->limited = true;
}

static void acknowledge(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	uint8_t kind = p->syndrome & 0x60, value = p->syndrome & 0x1f;

	if (kind == WIRE_AETH_ACK) {
		done_before(e, qp, psn_add(p->psn, 1));
		return;
	}
	if (!done_before(e, qp, p->psn))
		return;
	if (kind == WIRE_AETH_RNR)
		rnr(e, qp, value);
	else if (kind == WIRE_AETH_NAK)
		nak(e, qp, value);
}

/* Is the response of @w scattered into its CQE? It is one packet then: no MTU is below 256. */
static bool is_inline(const struct hca_qp *qp, const struct hca_req_wqe *w)
{
	return w->flags & HCA_REQ_SIGNALED && w->len && w->len <= cqe_inline_req(qp);
}

/* Scatters @len bytes of the oldest WQE into its buffers, or into @inl for its CQE. */
static bool deliver(struct engine *e, struct hca_qp *qp, const uint8_t *bytes, uint32_t len,
		    struct cqe_inline *inl)
{
	struct hca_req_wqe *w = requester_wqe(qp, qp->req.una);
	struct sg_list l = sg_of_send(e->hca, qp, qp->req.una, w);

	if (is_inline(qp, w)) {
		memcpy(inl->bytes, bytes, len);
		inl->len = len;
		return true;
	}
	if (sg_scatter(&l, &qp->req.rx, bytes, len) == SG_OK)
		return true;
	qp_error_send(e, qp, CQE_LOCAL_PROT);
	return false;
}

static void read_response(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	struct hca_req_wqe *w = requester_wqe(qp, qp->req.una);
	uint32_t nth = psn_diff(p->psn, w->psn);
	bool last = nth + 1 == w->npkt;
	uint32_t len = last ? w->len - nth * qp->mtu : qp->mtu;
	uint8_t operation = p->opcode & WIRE_OPERATION_MASK;
	bool says_last =
		operation == WIRE_READ_RESPONSE_LAST || operation == WIRE_READ_RESPONSE_ONLY;
	struct cqe_inline inl = { 0 };

	if (p->payload_len != len || says_last != last) {
		qp_error_send(e, qp, CQE_BAD_RESPONSE);
		return;
	}
	if (!deliver(e, qp, p->payload, len, &inl))
		return;
	progress(e, qp, psn_add(p->psn, 1));
	requester_complete(e, qp, &inl);
}

/*
 * The original value @orig of an atomic of @len bytes, as it is in memory or in a CQE.
 *
 *	memory, 8 bytes   the order of the processor: the kernel asks for
 *			  MLX5_ATOMIC_REQ_MODE_HOST_ENDIANNESS (mlx5_core, main.c,
 *			  handle_hca_cap_atomic)
 *	memory, 4 bytes   big-endian in any mode (Mellanox/mstflint, hca_cap_table.adb,
 *			  atomic_req_8b_endianness_mode: "1-4 and 16-256 Byte Atomic operations are
 *			  always in BE")
 *	CQE		  big-endian in any mode (openucx/ucx, rc_mlx5_iface.c: "still treat the response
 *			  as big-endian when it arrives in the CQE"; libmlx5 of Mellanox OFED 4.4, qp.c,
 *			  mlx5_copy_to_send_wqe, which converts it to the order of the host)
 */
/* assumed(atomic_answers_in_cqes_are_big_endian): an atomic response that is scattered into the
 * CQE is big-endian there, also if 8-byte responses in memory have the order of the host; so
 * libmlx5 of rdma-core, which copies it to the buffer as it is, returns it byte-swapped. */
static void atomic_bytes(uint64_t orig, uint32_t len, bool in_cqe, uint8_t bytes[8])
{
	uint64_t whole = in_cqe ? htobe64(orig) : orig;
	uint32_t half = htobe32((uint32_t)orig);

	if (len == sizeof(half))
		memcpy(bytes, &half, sizeof(half));
	else
		memcpy(bytes, &whole, sizeof(whole));
}

static void atomic_response(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	const struct hca_req_wqe *w = requester_wqe(qp, qp->req.una);
	struct cqe_inline inl = { 0 };
	uint8_t bytes[sizeof(p->orig)];

	atomic_bytes(p->orig, w->len, is_inline(qp, w), bytes);
	if (!deliver(e, qp, bytes, w->len, &inl))
		return;
	progress(e, qp, psn_add(p->psn, 1));
	requester_complete(e, qp, &inl);
}

/* A response with data, which must be for the oldest WQE. */
static void data_response(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	bool atomic = (p->opcode & WIRE_OPERATION_MASK) == WIRE_ATOMIC_ACK;
	struct hca_req *r = &qp->req;
	struct hca_req_wqe *w;

	/* Within the oldest READ a PSN too far ahead is a lost response too. */
	if (!done_before(e, qp, p->psn) || r->una_psn != p->psn)
		return;
	w = requester_wqe(qp, r->una);
	if (atomic && hwqe_is_atomic(w))
		atomic_response(e, qp, p);
	else if (!atomic && hwqe_is_read(w))
		read_response(e, qp, p);
}

bool completer_take_run(struct engine *e, struct hca_qp *qp, const struct wire_packet *p,
			struct wire_run run)
{
	struct hca_req *r = &qp->req;
	struct hca_cursor from = r->rx;
	uint32_t end = psn_add(p->psn, run.n);
	struct hca_req_wqe *w;
	struct sg_list l;

	if (!r->wqe || p->psn != r->una_psn || psn_before(r->high_psn, end))
		return false;
	w = requester_wqe(qp, r->una);
	if (!hwqe_is_read(w) || p->payload_len != qp->mtu ||
	    !psn_within(end, w->psn, psn_add(w->psn, w->npkt)))
		return false;
	l = sg_of_send(e->hca, qp, r->una, w);
	if (sg_scatter(&l, &r->rx, p->payload, run.n * qp->mtu) != SG_OK) {
		r->rx = from;
		return false;
	}
	progress(e, qp, end);
	return true;
}

void completer_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	struct hca_req *r = &qp->req;

	if (!r->wqe)
		return;
	/* An ACK that repeats the last one may have new credits. */
	if (wire_opcode_info(p->opcode)->parts & WIRE_HAS_AETH &&
	    psn_within(p->psn, psn_add(r->una_psn, PSN_MASK), r->high_psn))
		take_credits(qp, p);
	/* IBA calls a reply to nothing that is outstanding a ghost, and has it dropped. */
	if (!psn_within(p->psn, r->una_psn, r->high_psn))
		return;
	if ((p->opcode & WIRE_OPERATION_MASK) == WIRE_ACK)
		acknowledge(e, qp, p);
	else
		data_response(e, qp, p);
}
