/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requester: WQEs become request packets.
 *
 *	begin: decode, assign PSNs -> packet after packet -> next WQE
 *
 * A WQE waits for its fence; READs and atomics for max_rd_atomic; messages that need a receive
 * WQE for the peer's credits, if it sends any; packets for the window and for free space at the
 * peer. A packet is built from the ring each time it is sent; no copy is kept for
 * retransmission. A WQE of UC or UD is complete when its last packet is sent. A WQE of a DCI
 * also waits until the queue is connected to its target (dc.c).
 */
#include <stdlib.h>
#include <string.h>

#include "engine/completer.h"
#include "engine/congestion.h"
#include "engine/cqe.h"
#include "engine/datagram.h"
#include "engine/dc.h"
#include "engine/gta.h"
#include "engine/hwqe.h"
#include "engine/lost.h"
#include "engine/mmo.h"
#include "engine/psn.h"
#include "engine/qp.h"
#include "engine/requester.h"
#include "engine/tx.h"
#include "engine/umr.h"

#define QUANTUM	  64u	    /* packets of one QP in one iteration */
#define WINDOW	  256	    /* request packets in flight */
#define RD_SPAN	  (1 << 22) /* PSNs in flight: less than half of all */
#define ACK_EVERY 4u	    /* log2 of packets; the last of a message always requests its ACK */

/* At the first use of the send queue after RESET; false if there is no memory. */
static bool prepare(struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;

	if (r->wqe)
		return true;
	r->wqe = calloc(qp->sq.cnt, sizeof(*r->wqe));
	r->una_psn = r->high_psn = r->psn;
	r->window = WINDOW;
	r->window_acked = 0;
	return r->wqe;
}

static void trace_wqe(const struct engine *e, const struct hca_qp *qp, uint16_t index,
		      const struct hca_req_wqe *w)
{
	struct core_trace_queue queue = { .blocks = qp->sq.cnt, .service = qp->st };

	core_trace(&(struct core_trace){ .kind = TRACE_WQE,
					 .obj = qp->qpn,
					 .index = index,
					 .in = e->wqe.bytes,
					 .in_len = (w->ds ? w->ds : 1) * HWQE_UNIT,
					 .out = &queue,
					 .out_len = sizeof(queue) });
}

/* Starts the next WQE; false if no WQE is posted or the next one has to wait. */
static bool begin(struct engine *e, struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;
	struct hca_req_wqe *w;

	if (r->begun == r->pi || qp->state != PRM_QPC_STATE_RTS || !prepare(qp))
		return false;
	/* Finds an unmapped ring before its bytes are used. */
	hwqe_fetch(e, qp, r->begun, 0);
	if (lost_qp(e, qp) || (qp->st == PRM_QPC_ST_DCI && !dc_connect(e, qp, r->begun)))
		return false;
	w = requester_wqe(qp, r->begun);
	hwqe_decode(e, qp, r->begun, r->pi - r->begun, w);
	if (lost_qp(e, qp))
		return false;
	/* Their frames are our own: another host would not know them. */
	if (hwqe_is_masked(w) && tx_route(e, qp->path.dgid, qp->remote_qpn) == WIRE_NETWORK)
		w->status = CQE_LOCAL_QP_OP;
	w->psn = r->psn;
	r->ssn = psn_add(r->ssn, w->npkt != 0);
	w->ssn = r->ssn;
	if (core_trace_on(TRACE_WQE))
		trace_wqe(e, qp, r->begun, w);
	if (r->umr_batch)
		umr_check_fence(e, qp, r->begun, w);
	r->begun += w->nbb;
	r->tx = (struct hca_cursor){ 0 };
	return true;
}

/*
 * Less in flight after a loss, which may be that of a full queue, and one packet more after
 * each window that arrives. Otherwise a peer that needs longer for a window than the transport
 * timer gets all of it again, and then all of it again. Adapters have a window and a slow
 * restart, too (mstflint, ROCE_ACCL: roce_tx_window_en, roce_slow_restart_en); their numbers
 * are not public.
 */
void requester_shrink_window(struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;

	r->window = r->window > 1 ? r->window / 2 : 1;
	r->window_acked = 0;
}

void requester_grow_window(struct hca_qp *qp, uint32_t acked)
{
	struct hca_req *r = &qp->req;

	if (r->window >= WINDOW)
		return;
	r->window_acked += acked < WINDOW ? acked : WINDOW;
	for (; r->window < WINDOW && r->window_acked >= r->window; r->window++)
		r->window_acked -= r->window;
}

void requester_seek(struct engine *e, struct hca_qp *qp, uint32_t psn)
{
	struct hca_req *r = &qp->req;
	struct hca_req_wqe *w = NULL;
	struct sg_list l;

	r->read_atomic_out = 0;
	for (r->next = r->una; r->next != r->begun; r->next += w->nbb) {
		w = requester_wqe(qp, r->next);
		if (w->status || psn_within(psn, w->psn, psn_add(w->psn, w->npkt)))
			break;
		r->read_atomic_out += hwqe_is_read_atomic(w);
	}
	r->psn = psn;
	r->tx = (struct hca_cursor){ 0 };
	if (r->next == r->begun || hwqe_is_read_atomic(w))
		return;
	l = sg_of_send(e->hca, qp, r->next, w);
	sg_skip(&l, &r->tx, (uint32_t)psn_diff(psn, w->psn) * qp->mtu);
}

/* Only CQEs free blocks: after a whole ring without one the program cannot post any more. */
static void count_unsignaled(struct hca_qp *qp, const struct hca_req_wqe *w)
{
	uint32_t *n = &qp->req.unsignaled, cnt = qp->sq.cnt;

	if (w->flags & HCA_REQ_SIGNALED) {
		*n = 0;
		return;
	}
	*n += w->nbb;
	if (*n >= cnt && *n - w->nbb < cnt)
		core_check(CORE_UNSIGNALLED, "QP", qp->qpn,
			   "a whole ring of %u blocks without a signalled WQE", cnt);
}

/* A local WQE that was not executed yet, or not completely. */
static bool waits_to_run(const struct hca_req_wqe *w)
{
	return hwqe_is_local(w) && !w->status && !(w->flags & HCA_REQ_RAN);
}

void requester_complete(struct engine *e, struct hca_qp *qp, const struct cqe_inline *inl)
{
	struct hca_req *r = &qp->req;

	while (r->una != r->begun) {
		uint16_t index = r->una;
		struct hca_req_wqe *w = requester_wqe(qp, index);

		if (w->status) {
			qp_error_send(e, qp, w->status);
			return;
		}
		if (waits_to_run(w) || psn_before(r->una_psn, psn_add(w->psn, w->npkt)))
			return;
		if (r->next == index)
			r->next += w->nbb;
		else
			r->read_atomic_out -= hwqe_is_read_atomic(w);
		r->una += w->nbb;
		r->rx = (struct hca_cursor){ 0 };
		e->counters.wqes++;
		e->counters.messages += w->npkt != 0;
		e->counters.message_bytes += w->npkt ? w->len : 0;
		count_unsignaled(qp, w);
		if (w->flags & HCA_REQ_SIGNALED)
			cqe_sent(e, qp, index, w, inl);
		inl = NULL;
	}
}

static uint8_t data_operation(const struct hca_req_wqe *w, bool first, bool last)
{
	bool write = w->opcode == HWQE_WRITE || w->opcode == HWQE_WRITE_IMM;
	bool imm = w->opcode == HWQE_WRITE_IMM || w->opcode == HWQE_SEND_IMM;
	uint8_t base = write ? WIRE_WRITE_FIRST : WIRE_SEND_FIRST;

	if (first && last && w->opcode == HWQE_SEND_INVAL)
		return WIRE_SEND_ONLY_INVAL;
	if (first && last)
		return base + WIRE_SEND_ONLY + imm;
	if (last && w->opcode == HWQE_SEND_INVAL)
		return WIRE_SEND_LAST_INVAL;
	if (last)
		return base + WIRE_SEND_LAST + imm;
	return base + (first ? WIRE_SEND_FIRST : WIRE_SEND_MIDDLE);
}

/* Has the peer, by the credits that it sends, no receive WQE for @w? The message is sent when
 * nothing else is unacknowledged, its first packet alone and with AckReq: the reply has new
 * credits, or is an RNR NAK. (InfiniBand specification, 9.7.7.2, "End-to-end flow control": an
 * HCA that gets a valid credit code obeys it. The behaviour of an adapter before its first
 * reply is not public; here it is not limited.) */
static bool is_limited(const struct hca_qp *qp, const struct hca_req_wqe *w)
{
	const struct hca_req *r = &qp->req;

	return r->limited && hwqe_needs_receive(w) && psn_before(r->lsn, w->ssn) &&
	       !psn_before(w->psn, r->una_psn);
}

/* qpc.log_ack_req_freq is how rarely at most; this requester asks at least every 16 packets,
 * and when it cannot send more. */
static bool requests_ack(const struct hca_qp *qp, const struct hca_req_wqe *w, uint32_t psn,
			 bool last)
{
	unsigned int log = qp->log_ack_req_freq < ACK_EVERY ? qp->log_ack_req_freq : ACK_EVERY;
	const struct hca_req *r = &qp->req;

	/* With a rate the next packet may be late, and the timer runs. */
	return qp_is_reliable(qp) &&
	       (last || psn % (1u << log) == 0 || qp->congestion.limited || is_limited(qp, w) ||
		psn_diff(psn, r->una_psn) + 1 == r->window);
}

/* Packet @nth of a SEND or WRITE into @p; false if its bytes cannot be read. */
static bool make_data(struct engine *e, struct hca_qp *qp, struct hca_req_wqe *w, uint32_t nth,
		      struct wire_packet *p)
{
	const uint8_t *wqe = hwqe_bytes(e, qp, qp->req.next, w), *raddr;
	struct sg_list l = sg_of_fetched(e->hca, qp, wqe, w);
	bool last = nth + 1 == w->npkt;
	uint8_t *payload;

	p->opcode |= data_operation(w, !nth, last);
	p->payload_len = last ? w->len - nth * qp->mtu : qp->mtu;
	payload = tx_payload(e, p);
	p->payload = payload;
	p->ack_req = requests_ack(qp, w, p->psn, last);
	/* A WRITE completes a receive only with immediate; as Linux: rxe_req.c,
	 * init_req_packet(). */
	p->solicited = last && hwqe_needs_receive(w) && w->flags & HCA_REQ_SOLICITED;
	if (wire_opcode_info(p->opcode)->parts & WIRE_HAS_RETH) {
		raddr = wqe + hwqe_raddr_unit(qp) * HWQE_UNIT;
		p->va = hwqe_get64(raddr, HWQE_RADDR_VA);
		p->rkey = core_bits(raddr, HWQE_RADDR_RKEY);
		p->dma_len = w->len;
	}
	memcpy(p->imm, wqe + HWQE_CTRL_IMM, sizeof(p->imm));
	return sg_gather(&l, &qp->req.tx, payload, p->payload_len) == SG_OK;
}

/* Operand @i of a masked atomic, from the 32 bytes of its segments. */
static uint64_t masked_operand(const uint8_t *seg, uint32_t bytes, unsigned int i)
{
	return bytes == 4 ? core_bits(seg, i * 4, 31, 0) : hwqe_get64(seg, i * 8);
}

/* Swap: value, compare, swap mask, compare mask. Add: value, field boundary. (openucx/ucx,
 * ib_mlx5.h: struct uct_ib_mlx5_atomic_masked_*.) */
static void make_masked(const struct hca_req_wqe *w, const uint8_t *seg, struct wire_packet *p)
{
	bool swap = w->opcode == HWQE_MASKED_CS;

	p->opcode |= swap ? WIRE_MASKED_CMP_SWAP : WIRE_MASKED_FETCH_ADD;
	p->operand = w->len;
	p->swap_add = masked_operand(seg, w->len, 0);
	p->compare = swap ? masked_operand(seg, w->len, 1) : 0;
	p->swap_mask = swap ? masked_operand(seg, w->len, 2) : 0;
	p->compare_mask = masked_operand(seg, w->len, swap ? 3 : 1);
}

/* A READ request for the data from response @nth on, or an atomic. */
static void make_read_atomic(struct engine *e, const struct hca_qp *qp,
			     const struct hca_req_wqe *w, uint32_t nth, struct wire_packet *p)
{
	const uint8_t *seg =
		hwqe_bytes(e, qp, qp->req.next, w) + hwqe_raddr_unit(qp) * HWQE_UNIT;

	p->va = hwqe_get64(seg, HWQE_RADDR_VA);
	p->rkey = core_bits(seg, HWQE_RADDR_RKEY);
	p->ack_req = true;
	if (hwqe_is_read(w)) {
		p->opcode |= WIRE_READ_REQUEST;
		p->va += (uint64_t)nth * qp->mtu;
		p->dma_len = w->len - nth * qp->mtu;
		return;
	}
	if (hwqe_is_masked(w)) {
		make_masked(w, seg + HWQE_UNIT, p);
		return;
	}
	p->opcode |= w->opcode == HWQE_ATOMIC_CS ? WIRE_CMP_SWAP : WIRE_FETCH_ADD;
	seg += HWQE_UNIT;
	p->swap_add = hwqe_get64(seg, HWQE_ATOMIC_SWAP_ADD);
	p->compare = w->opcode == HWQE_ATOMIC_CS ? hwqe_get64(seg, HWQE_ATOMIC_COMPARE) : 0;
}

/* An error may have changed the state since the last packet. */
static bool is_sending(const struct hca_qp *qp)
{
	return qp->state == PRM_QPC_STATE_RTS || qp->state == PRM_QPC_STATE_SQD;
}

/* May the next packet of @w be sent now? */
static bool may_send(struct engine *e, const struct hca_qp *qp, const struct hca_req_wqe *w)
{
	const struct hca_req *r = &qp->req;
	int32_t flight = psn_diff(r->psn, r->una_psn);
	uint32_t limit = qp->max_rd_atomic ? qp->max_rd_atomic : 1;

	if (hca_is_datagram(qp))
		return datagram_has_space(e, qp, r->next);
	if (w->flags & HCA_REQ_FENCE && r->psn == w->psn && r->read_atomic_out)
		return false;
	if (is_limited(qp, w) && flight)
		return false;
	if (!hwqe_is_read_atomic(w))
		return flight < r->window && tx_has_space_to_peer(e, qp);
	if (flight && flight + (int64_t)w->npkt > RD_SPAN)
		return false;
	return r->read_atomic_out < limit && tx_has_space_to_peer(e, qp);
}

/* A packet of @npsn PSNs was sent, the last of @w if @done. */
static void sent(struct engine *e, struct hca_qp *qp, const struct hca_req_wqe *w,
		 uint32_t npsn, bool done)
{
	struct hca_req *r = &qp->req;

	if (psn_before(r->psn, r->high_psn))
		e->counters.retransmits++;
	r->psn = psn_add(r->psn, npsn);
	if (psn_before(r->high_psn, r->psn))
		r->high_psn = r->psn;
	if (done) {
		r->next += w->nbb;
		r->tx = (struct hca_cursor){ 0 };
	}
	if (!qp_is_reliable(qp)) {
		r->una_psn = r->psn;
		requester_complete(e, qp, NULL);
		return;
	}
	if (!r->timer)
		completer_restart_timer(e, qp);
}

/* Those of datagrams and of packets of DC change from WQE to WQE. */
static void address_path(struct engine *e, const struct hca_qp *qp)
{
	struct wire_packet *p = &e->packet;

	if (e->packet_of == qp)
		return;
	if (hca_is_datagram(qp)) {
		datagram_address(e, qp, qp->req.next, p);
		return;
	}
	tx_address(e, qp, p);
	if (qp->st == PRM_QPC_ST_DCI)
		dc_address(qp, p);
	else
		e->packet_of = qp;
}

/* The next packet, with the headers that all packets of the next WQE have in common. Extension
 * headers that its opcode does not have are those of the packet before. */
static struct wire_packet *address(struct engine *e, const struct hca_qp *qp)
{
	struct wire_packet *p = &e->packet;
	uint8_t seg[HWQE_UNIT];

	address_path(e, qp);
	p->opcode = qp_service(qp);
	p->psn = qp->req.psn;
	p->ack_req = p->solicited = false;
	p->payload = NULL;
	p->payload_len = 0;
	if (qp->st == PRM_QPC_ST_XRC) {
		hwqe_unit(qp, qp->req.next, 1, seg);
		p->srqn = core_bits(seg, HWQE_XRC_SRQN);
	}
	return p;
}

static bool send_packet(struct engine *e, struct hca_qp *qp, struct hca_req_wqe *w)
{
	struct hca_req *r = &qp->req;
	uint32_t nth = psn_diff(r->psn, w->psn);
	struct wire_packet *p = address(e, qp);
	bool made;

	core_trace_work.index = r->next;
	core_trace_work.is_wqe = true;
	if (hwqe_is_read_atomic(w)) {
		make_read_atomic(e, qp, w, nth, p);
		if (lost_qp(e, qp))
			return false;
		tx_send(e, p);
		r->read_atomic_out++;
		sent(e, qp, w, w->npkt - nth, true);
		return true;
	}
	made = make_data(e, qp, w, nth, p);
	if (lost_qp(e, qp))
		return false;
	if (!made) {
		/* Its CQE is written in order: after all WQEs before it are complete. */
		w->status = CQE_LOCAL_PROT;
		requester_complete(e, qp, NULL);
		return false;
	}
	congestion_sent(e, qp, tx_send(e, p));
	sent(e, qp, w, 1, nth + 1 == w->npkt);
	return true;
}

/* How many packets can be sent now, at most @most, for which nothing has to be decided one by
 * one: those in the middle of a message, after one that was sent, and none again. */
static unsigned int run_length(const struct hca_qp *qp, unsigned int most)
{
	const struct hca_req *r = &qp->req;
	const struct hca_req_wqe *w;
	int32_t left, window;

	if (!is_sending(qp) || qp->congestion.limited)
		return 0;
	w = requester_wqe(qp, r->next);
	if (w->status || r->psn == w->psn || r->psn != r->high_psn || hwqe_is_read_atomic(w) ||
	    is_limited(qp, w))
		return 0;
	left = psn_diff(psn_add(w->psn, w->npkt), r->psn) - 1;
	window = r->window - psn_diff(r->psn, r->una_psn);
	if (left > window)
		left = window;
	return left < 0 ? 0 : (uint32_t)left < most ? (uint32_t)left : most;
}

/* Sends such packets; their number. If their bytes cannot be read, it is 0, and the packets are
 * sent one by one. */
static unsigned int send_run(struct engine *e, struct hca_qp *qp, unsigned int most)
{
	struct hca_req *r = &qp->req;
	struct hca_cursor from = r->tx;
	unsigned int n = run_length(qp, most);
	struct wire_run run = { .n = 0 };
	struct hca_req_wqe *w;
	struct wire_packet *p;
	uint8_t *payload;
	struct sg_list l;

	if (n < 2)
		return 0;
	w = requester_wqe(qp, r->next);
	l = sg_of_fetched(e->hca, qp, hwqe_bytes(e, qp, r->next, w), w);
	p = address(e, qp);
	p->opcode |= data_operation(w, false, false);
	p->payload_len = qp->mtu;
	payload = tx_payload_of_run(e, p, &n);
	if (!payload)
		return 0;
	if (sg_gather(&l, &r->tx, payload, n * qp->mtu) != SG_OK) {
		r->tx = from;
		return 0;
	}
	for (; run.n < n; run.n++)
		run.ack_req |= (uint64_t)requests_ack(qp, w, psn_add(r->psn, run.n), false)
			       << run.n;
	tx_send_run(e, p, run);
	sent(e, qp, w, n, false);
	return n;
}

/* An argument of changes of headers, in the PD of the QP (rdma-core, dr_send.c, and wqe.h,
 * struct mlx5_wqe_header_modify_argument_update_seg). */
static uint8_t write_argument(struct engine *e, const struct hca_qp *qp, uint16_t index)
{
	uint8_t ctrl[HWQE_UNIT], *bytes;

	hwqe_unit(qp, index, 0, ctrl);
	bytes = gta_argument(e->hca, qp->pd, core_be32(ctrl + 12));
	if (!bytes)
		return CQE_LOCAL_QP_OP;
	for (unsigned int i = 0; i < HCA_ARGUMENT / HWQE_UNIT; i++)
		hwqe_unit(qp, index, 4 + i, bytes + i * HWQE_UNIT);
	return 0;
}

/* Executes the next WQE, a local one, or a part of it; false if it has to wait. */
static bool run_part(struct engine *e, struct hca_qp *qp, struct hca_req_wqe *w)
{
	struct hca_req *r = &qp->req;
	bool done = true, moved = true;

	if (w->opcode == HWQE_UMR)
		w->status = umr_run(e, qp, r->next, w);
	else if (w->opcode == HWQE_ARGUMENT)
		w->status = write_argument(e, qp, r->next);
	else
		w->status = mmo_run(e, qp, r->next, &done, &moved);
	if (done)
		w->flags |= HCA_REQ_RAN;
	return moved;
}

/* A WQE that needs no packet; false when it has to wait, or has failed. */
static bool run_local(struct engine *e, struct hca_qp *qp, struct hca_req_wqe *w)
{
	struct hca_req *r = &qp->req;
	bool moved;

	if (waits_to_run(w)) {
		/* InfiniBand specification, chapter 10, "Fence": invalidation after READs. */
		if (w->flags & HCA_REQ_FENCE && r->read_atomic_out)
			return false;
		moved = run_part(e, qp, w);
		if (lost_qp(e, qp))
			return false;
		if (waits_to_run(w))
			return moved;
	}
	if (!w->status) {
		r->next += w->nbb;
		r->tx = (struct hca_cursor){ 0 };
	}
	requester_complete(e, qp, NULL);
	return !w->status;
}

/* Sends one packet, or executes one local WQE; false if neither is possible now. */
static bool send_one(struct engine *e, struct hca_qp *qp)
{
	struct hca_req *r = &qp->req;
	struct hca_req_wqe *w;

	if (r->next == r->begun && !begin(e, qp))
		return false;
	w = requester_wqe(qp, r->next);
	if (w->status) {
		requester_complete(e, qp, NULL);
		return false;
	}
	if (!w->npkt)
		return run_local(e, qp, w);
	return may_send(e, qp, w) && congestion_permits(e, qp) && send_packet(e, qp, w);
}

bool requester_run(struct engine *e, struct hca_qp *qp)
{
	bool moved = completer_timers(e, qp);
	unsigned int n = 0;

	if (!qp->sq.cnt || qp->req.rnr_until)
		return moved;
	e->wqe.qp = e->packet_of = NULL; /* of before: they may have changed */
	for (; n < QUANTUM && is_sending(qp) && send_one(e, qp); n++)
		if (qp->req.next != qp->req.begun)
			n += send_run(e, qp, QUANTUM - n - 1);
	return moved || n;
}
