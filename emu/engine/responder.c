/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder: a request packet goes through steps, each a function that names the next.
 *
 *	PSN -> SEQUENCE -> RIGHTS -> RECEIVE -> DATA -> FINISH -> DONE
 *	 |        |           |--> READ, ATOMIC ---------^ ^
 *	 |        '-----------'-------'--> fatal NAK ------|
 *	 |--> gap: NAK sequence ---------------------------|
 *	 '--> before epsn: DUPLICATE ----------------------'
 *
 * A step that refuses sets the NAK and what the receive queue has to hear of it. Nothing is
 * sent here: reply.c sends when the peer has room, so nothing piles up. (InfiniBand
 * specification, chapter 9, "Reliable service", responder side.)
 */
#include <string.h>

#include "engine/cqe.h"
#include "engine/psn.h"
#include "engine/scatter.h"
#include "event/event.h"

enum kind { KIND_NONE, KIND_SEND, KIND_WRITE, KIND_READ, KIND_ATOMIC };

enum step {
	STEP_PSN,
	STEP_SEQUENCE,
	STEP_RIGHTS,
	STEP_RECEIVE,
	STEP_DATA,
	STEP_READ,
	STEP_ATOMIC,
	STEP_FINISH,
	STEP_DUPLICATE,
	STEP_DONE
};

struct shape { /* of a request packet */
	uint8_t kind;
	bool first, last, imm;
};

struct arrival {
	struct engine *e;
	struct dev_qp *qp;
	const struct wire_packet *p;
	struct shape is;
	struct cqe_inline inl; /* what goes into the CQE and not into the buffers */
};

static const struct shape shapes[256] = {
	[WIRE_SEND_FIRST] = { KIND_SEND, .first = true },
	[WIRE_SEND_MIDDLE] = { KIND_SEND, .first = false },
	[WIRE_SEND_LAST] = { KIND_SEND, .last = true },
	[WIRE_SEND_LAST_IMM] = { KIND_SEND, .last = true, .imm = true },
	[WIRE_SEND_ONLY] = { KIND_SEND, .first = true, .last = true },
	[WIRE_SEND_ONLY_IMM] = { KIND_SEND, .first = true, .last = true, .imm = true },
	[WIRE_WRITE_FIRST] = { KIND_WRITE, .first = true },
	[WIRE_WRITE_MIDDLE] = { KIND_WRITE, .first = false },
	[WIRE_WRITE_LAST] = { KIND_WRITE, .last = true },
	[WIRE_WRITE_LAST_IMM] = { KIND_WRITE, .last = true, .imm = true },
	[WIRE_WRITE_ONLY] = { KIND_WRITE, .first = true, .last = true },
	[WIRE_WRITE_ONLY_IMM] = { KIND_WRITE, .first = true, .last = true, .imm = true },
	[WIRE_READ_REQUEST] = { KIND_READ, .first = true, .last = true },
	[WIRE_CMP_SWAP] = { KIND_ATOMIC, .first = true, .last = true },
	[WIRE_FETCH_ADD] = { KIND_ATOMIC, .first = true, .last = true },
};

/* ---- what a refusal does ---- */

static void owe(struct dev_resp *r, enum dev_resp_ack ack, uint8_t syndrome, uint32_t psn)
{
	r->ack = ack;
	r->syndrome = syndrome;
	r->ack_psn = psn;
}

/* A NAK after which the QP is in ERR: the peer hears it, then nothing more. */
static enum step fatal(struct arrival *a, enum wire_nak code)
{
	owe(&a->qp->resp, DEV_ACK_FATAL, WIRE_AETH_NAK | code, a->p->psn);
	qp_to_error(a->e, a->qp);
	return STEP_DONE;
}

/* No receive WQE is to blame: an asynchronous event says why the QP is in ERR (IBA, chapter
 * 11, "Affiliated asynchronous errors"). */
static enum step refuse(struct arrival *a, enum wire_nak code)
{
	event_async(a->e->d,
		    code == WIRE_NAK_REMOTE_ACCESS ? EVENT_WQ_ACCESS_ERROR
						   : EVENT_WQ_INVAL_REQ_ERROR,
		    a->qp->qpn, 0);
	return fatal(a, code);
}

/* The receive WQE in use takes the blame. */
static enum step refuse_receive(struct arrival *a, enum cqe_syndrome s, enum wire_nak code)
{
	cqe_recv_error(a->e, a->qp, a->qp->resp.ci++, s);
	return fatal(a, code);
}

/* ---- steps ---- */

static enum step check_psn(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;
	int32_t ahead = psn_diff(a->p->psn, r->epsn);

	if (ahead < 0)
		return STEP_DUPLICATE;
	if (!ahead) {
		r->deaf = false;
		return STEP_SEQUENCE;
	}
	if (!r->deaf)
		owe(r, DEV_ACK_NAK, WIRE_AETH_NAK | WIRE_NAK_SEQUENCE, r->epsn);
	r->deaf = true;
	return STEP_DONE;
}

/* Opcodes follow each other as a message does, and so do lengths. */
static enum step check_sequence(struct arrival *a)
{
	const struct wire_packet *p = a->p;
	uint32_t mtu = a->qp->mtu;
	bool fits = a->is.last ? p->payload_len <= mtu : p->payload_len == mtu;

	if (a->is.first != !a->qp->resp.msg ||
	    (!a->is.first && a->is.kind != a->qp->resp.msg) || !fits ||
	    (a->is.last && !a->is.first && !p->payload_len))
		return refuse(a, WIRE_NAK_INVALID_REQUEST);
	return STEP_RIGHTS;
}

/* Does the QP let in what @a asks for? IBA, chapter 11, "Remote Invalid Request Error": the
 * operation is not supported by this queue. */
static bool permitted(const struct arrival *a)
{
	switch (a->is.kind) {
	case KIND_WRITE:
		return a->qp->rwe;
	case KIND_READ:
		return a->qp->rre;
	case KIND_ATOMIC:
		return a->qp->rae;
	default:
		return true;
	}
}

static struct mem_ref remote_ref(const struct arrival *a)
{
	static const uint8_t rights[] = { [KIND_WRITE] = DEV_REMOTE_WRITE,
					  [KIND_READ] = DEV_REMOTE_READ,
					  [KIND_ATOMIC] = DEV_REMOTE_ATOMIC };

	return (struct mem_ref){ .pd = a->qp->pd,
				 .key = a->p->rkey,
				 .addr = a->p->va,
				 .len = a->is.kind == KIND_ATOMIC ? 8 : a->p->dma_len,
				 .rights = rights[a->is.kind] };
}

static enum step check_rights(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;
	struct mem_ref ref;

	if (!permitted(a))
		return refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (!a->is.first)
		return STEP_RECEIVE;
	r->off = 0;
	r->rx = (struct dev_cursor){ 0 };
	if (a->is.kind == KIND_SEND)
		return STEP_RECEIVE;
	ref = remote_ref(a);
	/* IBA, chapter 9, "Atomic operations": the address is a multiple of 8. */
	if (ref.len > 1ull << a->qp->log_msg_max ||
	    (a->is.kind == KIND_ATOMIC && a->p->va % sizeof(uint64_t)))
		return refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (mem_check(a->e->d, &ref) != MEM_OK)
		return refuse(a, WIRE_NAK_REMOTE_ACCESS);
	r->va = a->p->va;
	r->rkey = a->p->rkey;
	r->len = a->p->dma_len;
	if (a->is.kind == KIND_WRITE)
		return STEP_RECEIVE;
	return a->is.kind == KIND_READ ? STEP_READ : STEP_ATOMIC;
}

/* Whatever uses a receive WQE needs one now; none is "receiver not ready". */
static enum step check_receive(struct arrival *a)
{
	struct dev_qp *qp = a->qp;
	bool needs = a->is.kind == KIND_SEND ? a->is.first : a->is.imm;
	uint16_t posted;

	if (!needs)
		return STEP_DATA;
	posted = qp->rq.cnt ? qp_record(qp, QP_RECORD_RCV) - qp->resp.ci : 0;
	/* A record that is further ahead than the ring is long is not believed. */
	if (posted && posted <= qp->rq.cnt)
		return STEP_DATA;
	owe(&qp->resp, DEV_ACK_NAK, WIRE_AETH_RNR | (qp->min_rnr_nak & 0x1f), qp->resp.epsn);
	qp->resp.deaf = true;
	return STEP_DONE;
}

/* A message of one packet that the CQE can hold: it still has to fit the buffers. */
static bool take_inline(struct arrival *a, const struct sg_list *l)
{
	uint32_t len = a->p->payload_len;
	uint64_t total, inl;

	if (!a->is.first || !a->is.last || !len || len > cqe_inline_resp(a->qp))
		return false;
	sg_total(l, &total, &inl);
	if (total < len)
		return false;
	/* assumed(inline_scatter_skips_the_lkey): the keys of a receive WQE are not checked when
	 * its message is scattered into the CQE. */
	memcpy(a->inl.bytes, a->p->payload, len);
	a->inl.len = len;
	return true;
}

static enum step take_send(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;
	struct sg_list l = sg_of_recv(a->e->d, a->qp, r->ci);
	enum sg_status status;

	if (take_inline(a, &l)) {
		r->off = a->p->payload_len;
		return STEP_FINISH;
	}
	if ((uint64_t)r->off + a->p->payload_len > 1ull << a->qp->log_msg_max)
		return refuse_receive(a, CQE_LOCAL_LENGTH, WIRE_NAK_INVALID_REQUEST);
	status = sg_scatter(&l, &r->rx, a->p->payload, a->p->payload_len);
	/* IBA, chapter 9, "Responder error behavior": too long is the request's fault, a bad
	 * receive WQE is the responder's. */
	if (status == SG_SHORT)
		return refuse_receive(a, CQE_LOCAL_LENGTH, WIRE_NAK_INVALID_REQUEST);
	if (status == SG_PROT)
		return refuse_receive(a, CQE_LOCAL_PROT, WIRE_NAK_REMOTE_OP);
	r->off += a->p->payload_len;
	return STEP_FINISH;
}

static enum step take_write(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;
	uint32_t len = a->p->payload_len;
	struct mem_ref ref = { .pd = a->qp->pd,
			       .key = r->rkey,
			       .addr = r->va + r->off,
			       .len = len,
			       .rights = DEV_REMOTE_WRITE };

	if (len > r->len - r->off || (a->is.last && r->off + len != r->len))
		return refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (mem_write(a->e->d, &ref, a->p->payload) != MEM_OK)
		return refuse(a, WIRE_NAK_REMOTE_ACCESS);
	r->off += len;
	return STEP_FINISH;
}

static enum step take_data(struct arrival *a)
{
	return a->is.kind == KIND_SEND ? take_send(a) : take_write(a);
}

/* As many answers are waiting as the QP allows. IBA, chapter 9: a READ or an atomic more is
 * an invalid request. */
static bool rd_full(const struct dev_qp *qp)
{
	return qp->resp.rd_cnt >= DEV_RD_ATOMIC_MAX ||
	       qp->resp.rd_cnt >= qp->max_dest_rd_atomic;
}

/* The next place in the queue of answers; it is not full. */
static struct dev_resp_rd *rd_push(struct dev_qp *qp)
{
	struct dev_resp *r = &qp->resp;
	struct dev_resp_rd *rd = &r->rd[(r->rd_head + r->rd_cnt) % DEV_RD_ATOMIC_MAX];

	r->rd_cnt++;
	/* A response acknowledges all that came before it. */
	if (r->ack == DEV_ACK_DUE)
		r->ack = DEV_ACK_NONE;
	*rd = (struct dev_resp_rd){ .npkt = 1 };
	return rd;
}

static uint32_t packets(const struct dev_qp *qp, uint32_t len)
{
	return len ? (len + qp->mtu - 1) / qp->mtu : 1;
}

static void push_read(struct arrival *a, uint32_t msn)
{
	struct dev_resp_rd *rd = rd_push(a->qp);

	rd->psn = a->p->psn;
	rd->va = a->p->va;
	rd->rkey = a->p->rkey;
	rd->len = a->p->dma_len;
	rd->npkt = packets(a->qp, rd->len);
	rd->msn = msn;
}

static void push_atomic(struct arrival *a, uint64_t orig, uint32_t msn)
{
	struct dev_resp_rd *rd = rd_push(a->qp);

	rd->psn = a->p->psn;
	rd->atomic = true;
	rd->orig = orig;
	rd->msn = msn;
}

static enum step take_read(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;

	if (rd_full(a->qp))
		return refuse(a, WIRE_NAK_INVALID_REQUEST);
	r->epsn = psn_add(r->epsn, packets(a->qp, a->p->dma_len));
	r->msn = psn_add(r->msn, 1);
	push_read(a, r->msn);
	return STEP_DONE;
}

static enum step take_atomic(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;
	struct mem_ref ref = remote_ref(a);
	uint64_t orig, now;

	if (rd_full(a->qp))
		return refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (mem_read(a->e->d, &ref, &orig) != MEM_OK)
		return refuse(a, WIRE_NAK_REMOTE_ACCESS);
	now = orig + a->p->swap_add;
	if (a->p->opcode == WIRE_CMP_SWAP)
		now = orig == a->p->compare ? a->p->swap_add : orig;
	if (now != orig && mem_write(a->e->d, &ref, &now) != MEM_OK)
		return refuse(a, WIRE_NAK_REMOTE_ACCESS);
	r->replay[r->replay_next].psn = a->p->psn;
	r->replay[r->replay_next].orig = orig;
	r->replay[r->replay_next].valid = true;
	r->replay_next = (r->replay_next + 1) % DEV_RD_ATOMIC_MAX;
	r->epsn = psn_add(r->epsn, 1);
	r->msn = psn_add(r->msn, 1);
	push_atomic(a, orig, r->msn);
	return STEP_DONE;
}

static void receive_done(struct arrival *a)
{
	enum cqe_opcode opcode = CQE_RESP_SEND;

	if (a->is.kind == KIND_WRITE)
		opcode = CQE_RESP_WRITE_IMM;
	else if (a->is.imm)
		opcode = CQE_RESP_SEND_IMM;
	cqe_received(a->e, a->qp, a->p, opcode, &a->inl);
	a->qp->resp.ci++;
}

static enum step finish(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;

	r->epsn = psn_add(r->epsn, 1);
	r->msg = a->is.last ? KIND_NONE : a->is.kind;
	if (a->is.last)
		r->msn = psn_add(r->msn, 1);
	if (a->is.last && (a->is.kind == KIND_SEND || a->is.imm))
		receive_done(a);
	if (a->p->ack_req)
		owe(r, DEV_ACK_DUE, 0, a->p->psn);
	return STEP_DONE;
}

/* ---- what came before ---- */

/* The peer starts again at @psn: answers from there on are asked for anew. */
static void forget_from(struct dev_resp *r, uint32_t psn)
{
	while (r->rd_cnt) {
		struct dev_resp_rd *rd =
			&r->rd[(r->rd_head + r->rd_cnt - 1) % DEV_RD_ATOMIC_MAX];

		if (!psn_before(psn, psn_add(rd->psn, rd->npkt)))
			return;
		r->rd_cnt--;
	}
}

static void replay_atomic(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;

	for (unsigned int i = 0; i < DEV_RD_ATOMIC_MAX; i++) {
		if (!r->replay[i].valid || r->replay[i].psn != a->p->psn)
			continue;
		push_atomic(a, r->replay[i].orig, r->msn);
		return;
	}
}

static void replay_read(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;
	struct mem_ref ref = remote_ref(a);

	if (psn_before(r->epsn, psn_add(a->p->psn, packets(a->qp, a->p->dma_len))))
		return;
	if (!a->qp->rre || mem_check(a->e->d, &ref) != MEM_OK)
		refuse(a, WIRE_NAK_REMOTE_ACCESS);
	else
		push_read(a, r->msn);
}

/* SEND and WRITE are not done again, only acknowledged; a READ is; an atomic is remembered. */
static enum step duplicate(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;

	if (a->is.kind == KIND_READ || a->is.kind == KIND_ATOMIC) {
		forget_from(r, a->p->psn);
		if (rd_full(a->qp))
			return STEP_DONE;
		if (a->is.kind == KIND_READ)
			replay_read(a);
		else
			replay_atomic(a);
	} else if (r->ack != DEV_ACK_NAK) {
		owe(r, DEV_ACK_DUE, 0, psn_add(r->epsn, PSN_MASK));
	}
	return STEP_DONE;
}

void responder_take(struct engine *e, struct dev_qp *qp, const struct wire_packet *p)
{
	static enum step (*const steps[])(struct arrival *) = {
		[STEP_PSN] = check_psn,	      [STEP_SEQUENCE] = check_sequence,
		[STEP_RIGHTS] = check_rights, [STEP_RECEIVE] = check_receive,
		[STEP_DATA] = take_data,      [STEP_READ] = take_read,
		[STEP_ATOMIC] = take_atomic,  [STEP_FINISH] = finish,
		[STEP_DUPLICATE] = duplicate,
	};
	struct arrival a = { .e = e, .qp = qp, .p = p, .is = shapes[p->opcode] };
	enum step step = STEP_PSN;

	/* PRM, event type COMM_EST: the first packet came before the QP was moved to RTS. */
	if (!qp->resp.heard && qp->state == DEV_QPS_RTR)
		event_async(e->d, EVENT_COMM_EST, qp->qpn, 0);
	qp->resp.heard = true;
	while (step != STEP_DONE)
		step = steps[step](&a);
}
