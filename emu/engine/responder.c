/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder: a request packet goes through steps, each a function that names the next.
 *
 *	PSN -> SEQUENCE -> RIGHTS -> RECEIVE -> DATA -> FINISH -> DONE
 *	 |        |           |--> READ, ATOMIC ---------^ ^	(INVALIDATE before FINISH)
 *	 |        '-----------'-------'--> fatal NAK ------|
 *	 |--> gap: NAK sequence ---------------------------|
 *	 '--> before epsn: DUPLICATE ----------------------'
 *	GAP -> SEQUENCE …                UC, which drops instead of NAKing
 *
 * A step that refuses sets the NAK and what the receive queue has to hear of it. Nothing is
 * sent here: reply.c sends when the peer has room, so nothing piles up. (InfiniBand
 * specification, chapter 9, "Reliable service" and "Unreliable service", responder side; annex
 * A14 for XRC.) READs, atomics and duplicates are in rd.c.
 */
#include <string.h>

#include "engine/arrival.h"
#include "engine/count.h"
#include "engine/umr.h"
#include "event/event.h"

/* By operation; all zero: no request that is taken. */
static const struct shape shapes[WIRE_OPERATION_MASK + 1] = {
	[WIRE_SEND_FIRST] = { KIND_SEND, .first = true },
	[WIRE_SEND_MIDDLE] = { KIND_SEND, .first = false },
	[WIRE_SEND_LAST] = { KIND_SEND, .last = true },
	[WIRE_SEND_LAST_IMM] = { KIND_SEND, .last = true, .imm = true },
	[WIRE_SEND_ONLY] = { KIND_SEND, .first = true, .last = true },
	[WIRE_SEND_ONLY_IMM] = { KIND_SEND, .first = true, .last = true, .imm = true },
	[WIRE_SEND_LAST_INVAL] = { KIND_SEND, .last = true, .inval = true },
	[WIRE_SEND_ONLY_INVAL] = { KIND_SEND, .first = true, .last = true, .inval = true },
	[WIRE_WRITE_FIRST] = { KIND_WRITE, .first = true },
	[WIRE_WRITE_MIDDLE] = { KIND_WRITE, .first = false },
	[WIRE_WRITE_LAST] = { KIND_WRITE, .last = true },
	[WIRE_WRITE_LAST_IMM] = { KIND_WRITE, .last = true, .imm = true },
	[WIRE_WRITE_ONLY] = { KIND_WRITE, .first = true, .last = true },
	[WIRE_WRITE_ONLY_IMM] = { KIND_WRITE, .first = true, .last = true, .imm = true },
	[WIRE_READ_REQUEST] = { KIND_READ, .first = true, .last = true },
	[WIRE_CMP_SWAP] = { KIND_ATOMIC, .first = true, .last = true },
	[WIRE_FETCH_ADD] = { KIND_ATOMIC, .first = true, .last = true },
	[WIRE_MASKED_CMP_SWAP] = { KIND_ATOMIC, .first = true, .last = true, .masked = true },
	[WIRE_MASKED_FETCH_ADD] = { KIND_ATOMIC, .first = true, .last = true, .masked = true },
};

#define ATOMIC_MODE_8B 3 /* <linux/mlx5/driver.h>, MLX5_ATOMIC_MODE_8B */

/* ---- what a refusal does ---- */

/* UC: this packet and what else comes of its message is dropped. A receive WQE that it has is
 * for the next message. */
static enum step drop(struct arrival *a)
{
	a->qp->resp.msg = KIND_NONE;
	a->qp->resp.epsn = psn_add(a->p->psn, 1);
	return STEP_DONE;
}

/* A NAK after which the QP is in ERR: the peer hears it, then nothing more. */
static enum step fatal(struct arrival *a, enum wire_nak code)
{
	if (qp_is_reliable(a->qp))
		arrival_owe(&a->qp->resp, HCA_ACK_FATAL, WIRE_AETH_NAK | code, a->p->psn);
	qp_to_error(a->e, a->qp);
	return STEP_DONE;
}

/* A fault of class J, which is not NAKed (IBA, chapter 9, "Responder error behavior"; that mlx5
 * sends none: google/rdma-unit-test, rc_test.cc, SendWithInvalidateBadRkey). What was done before it
 * is acknowledged, and the QP is in ERR. */
static enum step fall_silent(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;

	if (r->ack == HCA_ACK_DUE || r->rd_cnt)
		arrival_owe(r, HCA_ACK_LAST, 0, psn_add(r->epsn, PSN_MASK));
	qp_to_error(a->e, a->qp);
	return STEP_DONE;
}

/* An asynchronous event says why the QP is in ERR (IBA, chapter 11, "Affiliated asynchronous
 * errors"). UC: a request at fault is dropped (IBA, chapter 9, "Responder error behavior"). */
enum step arrival_refuse(struct arrival *a, enum wire_nak code)
{
	if (!qp_is_reliable(a->qp))
		return drop(a);
	count_nak(a->e->hca, a->qp, code);
	event_async(a->e->hca,
		    code == WIRE_NAK_REMOTE_ACCESS ? PRM_EVENT_WQ_ACCESS_ERROR
						   : PRM_EVENT_WQ_INVAL_REQ_ERROR,
		    a->qp->qpn, 0);
	return fatal(a, code);
}

static void fail_receive(struct arrival *a, enum cqe_syndrome s)
{
	struct recv_wqe wqe = receive_wqe(a->qp, a->srq);

	receive_done(a->qp, a->srq);
	cqe_recv_error(a->e, a->qp, &wqe, s);
}

/* The receive WQE in use takes the blame. */
static enum step refuse_receive(struct arrival *a, enum cqe_syndrome s, enum wire_nak code)
{
	fail_receive(a, s);
	return fatal(a, code);
}

/* What the rkey stands for is not to be had. With immediate data the receive WQE takes the
 * blame (IBA, chapter 11, completion status "Local Access Error"). */
static enum step refuse_access(struct arrival *a)
{
	if (a->is.imm && qp_is_reliable(a->qp) && receive_take(a->e, a->qp, a->srq))
		return refuse_receive(a, CQE_LOCAL_ACCESS, WIRE_NAK_REMOTE_ACCESS);
	return arrival_refuse(a, WIRE_NAK_REMOTE_ACCESS);
}

/* ---- steps ---- */

static enum step check_psn(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;
	int32_t ahead = psn_diff(a->p->psn, r->epsn);

	if (ahead < 0) {
		HCA_COUNT(a->e->hca, a->qp, duplicate_request);
		return STEP_DUPLICATE;
	}
	if (!ahead) {
		r->deaf = false;
		return STEP_SEQUENCE;
	}
	HCA_COUNT(a->e->hca, a->qp, out_of_sequence);
	if (!r->deaf)
		arrival_owe(r, HCA_ACK_NAK, WIRE_AETH_NAK | WIRE_NAK_SEQUENCE, r->epsn);
	r->deaf = true;
	return STEP_DONE;
}

/* UC: a message with a gap in it is dropped; one that begins is a new start. */
static enum step check_gap(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;

	if (a->is.first || a->p->psn != r->epsn)
		r->msg = KIND_NONE;
	if (!a->is.first && !r->msg)
		return drop(a);
	r->epsn = a->p->psn;
	return STEP_SEQUENCE;
}

/* XRC: a message goes to one SRQ, of the domain of the QP. */
static bool srq_fits(const struct arrival *a)
{
	return a->srq && (a->is.first || a->p->srqn == a->qp->resp.srqn);
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
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	/* assumed(xrc_srq_violation_is_an_invalid_request): an XRC request for an SRQ that is not
	 * there, is no XRC SRQ or is of another XRC domain is NAKed as an invalid request, and the
	 * target QP goes to ERR. */
	if (a->qp->st == PRM_QPC_ST_XRC && !srq_fits(a))
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	return STEP_RIGHTS;
}

/* assumed(masked_atomics_need_their_mode): masked atomics are let in by a QP whose atomic_mode says
 * their size (3: up to 8 bytes), and are an invalid request to one with IB_COMP or CX. */
static bool masked_permitted(const struct arrival *a)
{
	return a->qp->atomic_mode >= ATOMIC_MODE_8B &&
	       (a->p->operand == 4 || a->p->operand == 8);
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
		return a->qp->rae && (!a->is.masked || masked_permitted(a));
	default:
		return true;
	}
}

static uint32_t atomic_bytes(const struct arrival *a)
{
	return a->is.masked ? a->p->operand : sizeof(uint64_t);
}

struct mem_ref arrival_ref(const struct arrival *a)
{
	static const uint8_t rights[] = { [KIND_WRITE] = HCA_REMOTE_WRITE,
					  [KIND_READ] = HCA_REMOTE_READ,
					  [KIND_ATOMIC] = HCA_REMOTE_ATOMIC };

	bool atomic = a->is.kind == KIND_ATOMIC;

	return (struct mem_ref){ .pd = a->pd,
				 .key = a->p->rkey,
				 .addr = a->p->va,
				 .len = atomic ? atomic_bytes(a) : a->p->dma_len,
				 .qpn = a->qp->qpn,
				 .rights = rights[a->is.kind] };
}

/* Says what the QP does not let in, and by which flag of ibv_modify_qp() it would. */
static enum step refuse_kind(struct arrival *a)
{
	static const char *const flags[] = { [KIND_WRITE] = "IBV_ACCESS_REMOTE_WRITE",
					     [KIND_READ] = "IBV_ACCESS_REMOTE_READ",
					     [KIND_ATOMIC] = "IBV_ACCESS_REMOTE_ATOMIC" };

	if (a->is.masked && a->qp->rae)
		core_check(CORE_ATOMIC_MODE, "QP", a->qp->qpn,
			   "a masked atomic of the peer is refused: atomic_mode is %u",
			   a->qp->atomic_mode);
	else
		core_check(CORE_QP_RIGHTS, "QP", a->qp->qpn,
			   "a request of the peer is refused: the QP has no %s",
			   flags[a->is.kind]);
	return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
}

static void count_request(const struct arrival *a)
{
	if (a->is.kind == KIND_WRITE)
		HCA_COUNT(a->e->hca, a->qp, rx_write_requests);
	else if (a->is.kind == KIND_READ)
		HCA_COUNT(a->e->hca, a->qp, rx_read_requests);
	else if (a->is.kind == KIND_ATOMIC)
		HCA_COUNT(a->e->hca, a->qp, rx_atomic_requests);
}

static enum step check_rights(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;
	struct mem_ref ref;

	if (!permitted(a))
		return refuse_kind(a);
	if (!a->is.first)
		return STEP_RECEIVE;
	count_request(a);
	r->off = 0;
	if (a->qp->st == PRM_QPC_ST_XRC)
		r->srqn = a->p->srqn;
	r->rx = (struct hca_cursor){ 0 };
	if (a->is.kind == KIND_SEND)
		return STEP_RECEIVE;
	ref = arrival_ref(a);
	/* IBA, chapter 9, "Atomic operations": the address is a multiple of 8, the operand. */
	if (ref.len > 1ull << a->qp->log_msg_max ||
	    (a->is.kind == KIND_ATOMIC && a->p->va % atomic_bytes(a)))
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (mem_check(a->e->hca, &ref) != MEM_OK)
		return refuse_access(a);
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
	struct hca_qp *qp = a->qp;
	bool needs = a->is.kind == KIND_SEND ? a->is.first : a->is.imm;

	if (!needs || receive_take(a->e, qp, a->srq))
		return STEP_DATA;
	HCA_COUNT(a->e->hca, qp, out_of_buffer);
	if (!qp_is_reliable(qp))
		return drop(a);
	arrival_owe(&qp->resp, HCA_ACK_NAK, WIRE_AETH_RNR | (qp->min_rnr_nak & 0x1f),
		    qp->resp.epsn);
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
	struct hca_resp *r = &a->qp->resp;
	struct sg_list l = receive_list(a->e, a->qp, a->srq);
	enum sg_status status;

	if (take_inline(a, &l)) {
		r->off = a->p->payload_len;
		return STEP_INVALIDATE;
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
	return STEP_INVALIDATE;
}

/* The key goes once all bytes have come, and before the CQE says so. */
static enum step take_key(struct arrival *a)
{
	uint32_t key;

	memcpy(&key, a->p->imm, sizeof(key));
	if (!a->is.inval || umr_invalidate(a->e, a->qp, a->pd, be32toh(key)))
		return STEP_FINISH;
	/* assumed(bad_remote_invalidate_is_never_acknowledged): a SEND with invalidate whose key
	 * is not that of a type 2 window bound for this QP ends the receive WQE in syndrome 0x11 and
	 * its QP in ERR; its sender, which is not answered, repeats it until its retries are
	 * exceeded. */
	fail_receive(a, CQE_LOCAL_ACCESS);
	return fall_silent(a);
}

static enum step take_write(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;
	uint32_t len = a->p->payload_len;
	struct mem_ref ref = { .pd = a->pd,
			       .key = r->rkey,
			       .addr = r->va + r->off,
			       .len = len,
			       .qpn = a->qp->qpn,
			       .rights = HCA_REMOTE_WRITE };

	if (len > r->len - r->off || (a->is.last && r->off + len != r->len))
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (mem_write(a->e->hca, &ref, a->p->payload) != MEM_OK)
		return refuse_access(a);
	r->off += len;
	return STEP_FINISH;
}

static enum step take_data(struct arrival *a)
{
	return a->is.kind == KIND_SEND ? take_send(a) : take_write(a);
}

static void complete(struct arrival *a)
{
	struct recv_wqe wqe = receive_wqe(a->qp, a->srq);
	enum cqe_opcode opcode = CQE_RESP_SEND;

	if (a->is.kind == KIND_WRITE)
		opcode = CQE_RESP_WRITE_IMM;
	else if (a->is.imm)
		opcode = CQE_RESP_SEND_IMM;
	else if (a->is.inval)
		opcode = CQE_RESP_SEND_INV;
	receive_done(a->qp, a->srq);
	cqe_received(a->e, a->qp, &wqe, a->p, opcode, &a->inl);
}

static enum step finish(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;

	r->epsn = psn_add(r->epsn, 1);
	r->msg = a->is.last ? KIND_NONE : a->is.kind;
	if (a->is.last)
		r->msn = psn_add(r->msn, 1);
	if (a->is.last && (a->is.kind == KIND_SEND || a->is.imm))
		complete(a);
	/* Not in ERR, where a CQE that could not be written has taken it. */
	if (a->p->ack_req && qp_is_reliable(a->qp) && a->qp->state != PRM_QPC_STATE_ERR)
		arrival_owe(r, HCA_ACK_DUE, 0, a->p->psn);
	return STEP_DONE;
}

/* Where the receive WQEs and the rights to memory come from. An XRC target has neither: both
 * are those of the SRQ (annex A14); the kernel gives the QP a PD that no mkey has (mlx5_ib,
 * qp.c, create_xrc_tgt_qp). */
static void find_srq(struct arrival *a)
{
	struct hca_qp *qp = a->qp;
	struct hca_srq *srq;

	a->srq = qp->srq;
	a->pd = qp->pd;
	if (qp->st != PRM_QPC_ST_XRC)
		return;
	srq = hca_srq_find(a->e->hca, a->p->srqn);
	a->srq = srq && srq->xrc && srq->xrcd == qp->xrcd ? srq : NULL;
	a->pd = a->srq ? a->srq->pd : NULL;
}

void responder_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	static enum step (*const steps[])(struct arrival *) = {
		[STEP_PSN] = check_psn,
		[STEP_GAP] = check_gap,
		[STEP_SEQUENCE] = check_sequence,
		[STEP_RIGHTS] = check_rights,
		[STEP_RECEIVE] = check_receive,
		[STEP_DATA] = take_data,
		[STEP_INVALIDATE] = take_key,
		[STEP_READ] = arrival_read,
		[STEP_ATOMIC] = arrival_atomic,
		[STEP_FINISH] = finish,
		[STEP_DUPLICATE] = arrival_duplicate,
	};
	struct arrival a = {
		.e = e, .qp = qp, .p = p, .is = shapes[p->opcode & WIRE_OPERATION_MASK]
	};
	enum step step = qp->st == PRM_QPC_ST_UC ? STEP_GAP : STEP_PSN;

	find_srq(&a);
	if (!qp->resp.heard)
		receive_heard(e, qp);
	while (step != STEP_DONE)
		step = steps[step](&a);
}
