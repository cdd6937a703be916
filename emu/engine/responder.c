/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder: a request packet passes steps, each a function that returns the next step.
 *
 *	PSN -> SEQUENCE -> RIGHTS -> RECEIVE -> DATA -> FINISH -> DONE
 *	 |        |           |--> READ, ATOMIC ---------^ ^	(INVALIDATE before FINISH)
 *	 |        '-----------'-------'--> fatal NAK ------|
 *	 |--> gap: NAK sequence ---------------------------|
 *	 '--> before epsn: DUPLICATE ----------------------'
 *	GAP -> SEQUENCE …                UC, which drops instead of NAKing
 *
 * A step that refuses the request sets the pending NAK, and ends the receive WQE in an error
 * where the specification requires it. Nothing is sent here: responder_tx.c sends when the peer
 * has free space. (InfiniBand specification, chapter 9, "Reliable service" and "Unreliable
 * service", responder side; annex A14 for XRC.) READs, atomics and duplicates are in
 * read_atomic.c.
 */
#include <string.h>

#include "engine/count.h"
#include "engine/cqe.h"
#include "engine/psn.h"
#include "engine/qp.h"
#include "engine/responder.h"
#include "engine/umr.h"
#include "event/event.h"

/* By operation; all zero: not a request. */
static const struct rx_shape shapes[WIRE_OPERATION_MASK + 1] = {
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

/* ---- refusals ---- */

/* UC: this packet and the rest of its message are dropped. The next message uses its receive
 * WQE. */
static enum step drop(struct rx_request *rx)
{
	rx->qp->resp.msg = KIND_NONE;
	rx->qp->resp.epsn = psn_add(rx->p->psn, 1);
	return STEP_DONE;
}

/* Sends a NAK and moves the QP to ERR. */
static enum step fatal(struct rx_request *rx, enum wire_nak code)
{
	if (qp_is_reliable(rx->qp))
		responder_set_pending_ack(&rx->qp->resp, HCA_ACK_FATAL, WIRE_AETH_NAK | code,
					  rx->p->psn);
	qp_error_enter(rx->e, rx->qp);
	return STEP_DONE;
}

/* An error of class J, which is not NAKed (IBA, chapter 9, "Responder error behavior"; that
 * mlx5 sends none: google/rdma-unit-test, rc_test.cc, SendWithInvalidateBadRkey). Earlier
 * requests are acknowledged, and the QP goes to ERR. */
static enum step end_without_nak(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;

	if (r->ack == HCA_ACK_DUE || r->read_atomic_cnt)
		responder_set_pending_ack(r, HCA_ACK_LAST, 0, psn_add(r->epsn, PSN_MASK));
	qp_error_enter(rx->e, rx->qp);
	return STEP_DONE;
}

/* An asynchronous event has the reason why the QP is in ERR (IBA, chapter 11, "Affiliated
 * asynchronous errors"). UC: an invalid request is dropped (IBA, chapter 9, "Responder error
 * behavior"). */
enum step responder_refuse(struct rx_request *rx, enum wire_nak code)
{
	if (!qp_is_reliable(rx->qp))
		return drop(rx);
	count_nak(rx->e->hca, rx->qp, code);
	event_async(rx->e->hca,
		    code == WIRE_NAK_REMOTE_ACCESS ? PRM_EVENT_WQ_ACCESS_ERROR
						   : PRM_EVENT_WQ_INVAL_REQ_ERROR,
		    rx->qp->qpn, 0);
	return fatal(rx, code);
}

static void fail_receive(struct rx_request *rx, enum cqe_syndrome s)
{
	struct recv_wqe wqe = receive_wqe(rx->qp, rx->srq);

	receive_done(rx->qp, rx->srq);
	cqe_recv_error(rx->e, rx->qp, &wqe, s);
}

/* The receive WQE in use ends in an error. */
static enum step refuse_receive(struct rx_request *rx, enum cqe_syndrome s, enum wire_nak code)
{
	fail_receive(rx, s);
	return fatal(rx, code);
}

/* The rkey check failed. With immediate data the receive WQE ends in an error (IBA, chapter 11,
 * completion status "Local Access Error"). */
static enum step refuse_access(struct rx_request *rx)
{
	if (rx->is.imm && qp_is_reliable(rx->qp) && receive_take(rx->e, rx->qp, rx->srq))
		return refuse_receive(rx, CQE_LOCAL_ACCESS, WIRE_NAK_REMOTE_ACCESS);
	return responder_refuse(rx, WIRE_NAK_REMOTE_ACCESS);
}

/* ---- steps ---- */

static enum step check_psn(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	int32_t ahead = psn_diff(rx->p->psn, r->epsn);

	if (ahead < 0) {
		HCA_COUNT(rx->e->hca, rx->qp, duplicate_request);
		return STEP_DUPLICATE;
	}
	if (!ahead) {
		r->nak_sent = false;
		return STEP_SEQUENCE;
	}
	HCA_COUNT(rx->e->hca, rx->qp, out_of_sequence);
	if (!r->nak_sent)
		responder_set_pending_ack(r, HCA_ACK_NAK, WIRE_AETH_NAK | WIRE_NAK_SEQUENCE,
					  r->epsn);
	r->nak_sent = true;
	return STEP_DONE;
}

/* UC: a message with a gap is dropped; the first packet of a message is always accepted. */
static enum step check_gap(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;

	if (rx->is.first || rx->p->psn != r->epsn)
		r->msg = KIND_NONE;
	if (!rx->is.first && !r->msg)
		return drop(rx);
	r->epsn = rx->p->psn;
	return STEP_SEQUENCE;
}

/* XRC: a message is for one SRQ, of the domain of the QP. */
static bool srq_fits(const struct rx_request *rx)
{
	return rx->srq && (rx->is.first || rx->p->srqn == rx->qp->resp.srqn);
}

/* Opcodes and lengths are those of consecutive packets of a message. */
static enum step check_sequence(struct rx_request *rx)
{
	const struct wire_packet *p = rx->p;
	uint32_t mtu = rx->qp->mtu;
	bool fits = rx->is.last ? p->payload_len <= mtu : p->payload_len == mtu;

	if (rx->is.first != !rx->qp->resp.msg ||
	    (!rx->is.first && rx->is.kind != rx->qp->resp.msg) || !fits ||
	    (rx->is.last && !rx->is.first && !p->payload_len))
		return responder_refuse(rx, WIRE_NAK_INVALID_REQUEST);
	/* assumed(xrc_srq_violation_is_an_invalid_request): an XRC request for an SRQ that does
	 * not exist, is not an XRC SRQ or is of another XRC domain is NAKed as an invalid
	 * request, and the target QP goes to ERR. */
	if (rx->qp->st == PRM_QPC_ST_XRC && !srq_fits(rx))
		return responder_refuse(rx, WIRE_NAK_INVALID_REQUEST);
	return STEP_RIGHTS;
}

/* assumed(masked_atomics_need_their_mode): masked atomics are permitted by a QP whose
 * atomic_mode includes their size (3: up to 8 bytes), and are an invalid request to one with
 * IB_COMP or CX. */
static bool masked_permitted(const struct rx_request *rx)
{
	return rx->qp->atomic_mode >= ATOMIC_MODE_8B &&
	       (rx->p->operand == 4 || rx->p->operand == 8);
}

/* Does the QP permit the operation of @rx? IBA, chapter 11, "Remote Invalid Request Error": the
 * operation is not supported by this queue. */
static bool permitted(const struct rx_request *rx)
{
	switch (rx->is.kind) {
	case KIND_WRITE:
		return rx->qp->rwe;
	case KIND_READ:
		return rx->qp->rre;
	case KIND_ATOMIC:
		return rx->qp->rae && (!rx->is.masked || masked_permitted(rx));
	default:
		return true;
	}
}

static uint32_t atomic_bytes(const struct rx_request *rx)
{
	return rx->is.masked ? rx->p->operand : sizeof(uint64_t);
}

struct mem_ref responder_mem_ref(const struct rx_request *rx)
{
	static const uint8_t rights[] = { [KIND_WRITE] = HCA_REMOTE_WRITE,
					  [KIND_READ] = HCA_REMOTE_READ,
					  [KIND_ATOMIC] = HCA_REMOTE_ATOMIC };

	bool atomic = rx->is.kind == KIND_ATOMIC;

	return (struct mem_ref){ .pd = rx->pd,
				 .key = rx->p->rkey,
				 .addr = rx->p->va,
				 .len = atomic ? atomic_bytes(rx) : rx->p->dma_len,
				 .qpn = rx->qp->qpn,
				 .rights = rights[rx->is.kind] };
}

/* Reports the flag of ibv_modify_qp() that would permit the operation. */
static enum step refuse_kind(struct rx_request *rx)
{
	static const char *const flags[] = { [KIND_WRITE] = "IBV_ACCESS_REMOTE_WRITE",
					     [KIND_READ] = "IBV_ACCESS_REMOTE_READ",
					     [KIND_ATOMIC] = "IBV_ACCESS_REMOTE_ATOMIC" };

	if (rx->is.masked && rx->qp->rae)
		core_check(CORE_ATOMIC_MODE, "QP", rx->qp->qpn,
			   "a masked atomic of the peer is refused: atomic_mode is %u",
			   rx->qp->atomic_mode);
	else
		core_check(CORE_QP_RIGHTS, "QP", rx->qp->qpn,
			   "a request of the peer is refused: the QP has no %s",
			   flags[rx->is.kind]);
	return responder_refuse(rx, WIRE_NAK_INVALID_REQUEST);
}

static void count_request(const struct rx_request *rx)
{
	if (rx->is.kind == KIND_WRITE)
		HCA_COUNT(rx->e->hca, rx->qp, rx_write_requests);
	else if (rx->is.kind == KIND_READ)
		HCA_COUNT(rx->e->hca, rx->qp, rx_read_requests);
	else if (rx->is.kind == KIND_ATOMIC)
		HCA_COUNT(rx->e->hca, rx->qp, rx_atomic_requests);
}

/* A WRITE of one packet: is its range checked when its bytes move? Nothing comes before. */
static bool is_checked_later(const struct rx_request *rx)
{
	return rx->is.kind == KIND_WRITE && rx->is.first && rx->is.last && !rx->is.imm &&
	       rx->p->payload_len == rx->p->dma_len;
}

static enum step check_rights(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	struct mem_ref ref;

	if (!permitted(rx))
		return refuse_kind(rx);
	if (!rx->is.first)
		return STEP_RECEIVE;
	count_request(rx);
	r->off = 0;
	if (rx->qp->st == PRM_QPC_ST_XRC)
		r->srqn = rx->p->srqn;
	r->rx = (struct hca_cursor){ 0 };
	if (rx->is.kind == KIND_SEND)
		return STEP_RECEIVE;
	ref = responder_mem_ref(rx);
	/* IBA, chapter 9, "Atomic operations": the address is a multiple of 8, the operand. */
	if (ref.len > 1ull << rx->qp->log_msg_max ||
	    (rx->is.kind == KIND_ATOMIC && rx->p->va % atomic_bytes(rx)))
		return responder_refuse(rx, WIRE_NAK_INVALID_REQUEST);
	if (!is_checked_later(rx) && mem_check(rx->e->hca, &ref) != MEM_OK)
		return refuse_access(rx);
	r->va = rx->p->va;
	r->rkey = rx->p->rkey;
	r->len = rx->p->dma_len;
	if (rx->is.kind == KIND_WRITE)
		return STEP_RECEIVE;
	return rx->is.kind == KIND_READ ? STEP_READ : STEP_ATOMIC;
}

/* Takes a receive WQE if the message needs one; without one the receiver is not ready. */
static enum step check_receive(struct rx_request *rx)
{
	struct hca_qp *qp = rx->qp;
	bool needs = rx->is.kind == KIND_SEND ? rx->is.first : rx->is.imm;

	if (!needs || receive_take(rx->e, qp, rx->srq))
		return STEP_DATA;
	HCA_COUNT(rx->e->hca, qp, out_of_buffer);
	if (!qp_is_reliable(qp))
		return drop(rx);
	responder_set_pending_ack(&qp->resp, HCA_ACK_NAK,
				  WIRE_AETH_RNR | (qp->min_rnr_nak & 0x1f), qp->resp.epsn);
	qp->resp.nak_sent = true;
	return STEP_DONE;
}

/* Scatters a message of one packet into the CQE, if it is short enough; it has to fit into the
 * buffers nevertheless. */
static bool scatter_inline(struct rx_request *rx, const struct sg_list *l)
{
	uint32_t len = rx->p->payload_len;
	uint64_t total, inl;

	if (!rx->is.first || !rx->is.last || !len || len > cqe_inline_resp(rx->qp))
		return false;
	sg_total(l, &total, &inl);
	if (total < len)
		return false;
	/* assumed(inline_scatter_skips_the_lkey): the keys of a receive WQE are not checked
	 * when its message is scattered into the CQE. */
	memcpy(rx->inl.bytes, rx->p->payload, len);
	rx->inl.len = len;
	return true;
}

static bool is_too_long(const struct rx_request *rx, uint32_t len)
{
	return (uint64_t)rx->qp->resp.off + len > 1ull << rx->qp->log_msg_max;
}

static enum step execute_send(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	struct sg_list l = receive_list(rx->e, rx->qp, rx->srq);
	enum sg_status status;

	if (scatter_inline(rx, &l)) {
		r->off = rx->p->payload_len;
		return STEP_INVALIDATE;
	}
	if (is_too_long(rx, rx->p->payload_len))
		return refuse_receive(rx, CQE_LOCAL_LENGTH, WIRE_NAK_INVALID_REQUEST);
	status = sg_scatter(&l, &r->rx, rx->p->payload, rx->p->payload_len);
	/* IBA, chapter 9, "Responder error behavior": too long is an error of the request, a
	 * bad receive WQE one of the responder. */
	if (status == SG_SHORT)
		return refuse_receive(rx, CQE_LOCAL_LENGTH, WIRE_NAK_INVALID_REQUEST);
	if (status == SG_PROT)
		return refuse_receive(rx, CQE_LOCAL_PROT, WIRE_NAK_REMOTE_OP);
	r->off += rx->p->payload_len;
	return STEP_INVALIDATE;
}

/* Invalidates the key after the last byte is written, and before the CQE. */
static enum step invalidate_key(struct rx_request *rx)
{
	uint32_t key;

	memcpy(&key, rx->p->imm, sizeof(key));
	if (!rx->is.inval || umr_invalidate(rx->e, rx->qp, rx->pd, be32toh(key)))
		return STEP_FINISH;
	/* assumed(bad_remote_invalidate_is_never_acknowledged): a SEND with invalidate whose
	 * key is not that of a type 2 window bound for this QP ends the receive WQE in syndrome
	 * 0x11 and its QP in ERR; its sender, which gets no reply, repeats it until its retries
	 * are exceeded. */
	fail_receive(rx, CQE_LOCAL_ACCESS);
	return end_without_nak(rx);
}

/* The next @len bytes of a WRITE. */
static struct mem_ref write_range(const struct rx_request *rx, uint32_t len)
{
	const struct hca_resp *r = &rx->qp->resp;

	return (struct mem_ref){ .pd = rx->pd,
				 .key = r->rkey,
				 .addr = r->va + r->off,
				 .len = len,
				 .qpn = rx->qp->qpn,
				 .rights = HCA_REMOTE_WRITE };
}

static enum step execute_write(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	uint32_t len = rx->p->payload_len;
	struct mem_ref ref = write_range(rx, len);
	enum mem_status status;

	if (len > r->len - r->off || (rx->is.last && r->off + len != r->len))
		return responder_refuse(rx, WIRE_NAK_INVALID_REQUEST);
	status = is_checked_later(rx) ? mem_check_and_write(rx->e->hca, &ref, rx->p->payload)
				      : mem_write(rx->e->hca, &ref, rx->p->payload);
	if (status != MEM_OK)
		return refuse_access(rx);
	r->off += len;
	return STEP_FINISH;
}

static enum step execute(struct rx_request *rx)
{
	return rx->is.kind == KIND_SEND ? execute_send(rx) : execute_write(rx);
}

static void complete(struct rx_request *rx)
{
	struct recv_wqe wqe = receive_wqe(rx->qp, rx->srq);
	enum hcqe_opcode opcode = HCQE_RESP_SEND;

	if (rx->is.kind == KIND_WRITE)
		opcode = HCQE_RESP_WRITE_IMM;
	else if (rx->is.imm)
		opcode = HCQE_RESP_SEND_IMM;
	else if (rx->is.inval)
		opcode = HCQE_RESP_SEND_INV;
	receive_done(rx->qp, rx->srq);
	cqe_received(rx->e, rx->qp, &wqe, rx->p, opcode, &rx->inl);
}

static enum step finish(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;

	r->epsn = psn_add(r->epsn, 1);
	r->unasked = rx->is.last || rx->p->ack_req ? 0 : r->unasked + 1;
	r->msg = rx->is.last ? KIND_NONE : rx->is.kind;
	if (rx->is.last)
		r->msn = psn_add(r->msn, 1);
	if (rx->is.last && (rx->is.kind == KIND_SEND || rx->is.imm))
		complete(rx);
	/* Not in ERR, if the CQE could not be written. */
	if (rx->p->ack_req && qp_is_reliable(rx->qp) && rx->qp->state != PRM_QPC_STATE_ERR)
		responder_set_pending_ack(r, HCA_ACK_DUE, 0, rx->p->psn);
	return STEP_DONE;
}

/* The SRQ of the receive WQEs, and the PD of the rkeys. Both of an XRC target are those of the
 * SRQ in the request (annex A14); the kernel gives the QP a PD that no mkey has (mlx5_ib, qp.c,
 * create_xrc_tgt_qp). */
static void find_srq(struct rx_request *rx)
{
	struct hca_qp *qp = rx->qp;
	struct hca_srq *srq;

	rx->srq = qp->srq;
	rx->pd = qp->pd;
	if (qp->st != PRM_QPC_ST_XRC)
		return;
	srq = hca_srq_find(rx->e->hca, rx->p->srqn);
	rx->srq = srq && srq->xrc && srq->xrcd == qp->xrcd ? srq : NULL;
	rx->pd = rx->srq ? rx->srq->pd : NULL;
}

static void start(struct rx_request *rx, struct engine *e, struct hca_qp *qp,
		  const struct wire_packet *p)
{
	rx->e = e;
	rx->qp = qp;
	rx->p = p;
	rx->is = shapes[p->opcode & WIRE_OPERATION_MASK];
	rx->inl.len = 0;
	find_srq(rx);
}

/* The bytes of a run, @len: false if one of its packets may be refused. */
static bool take_bytes(struct rx_request *rx, uint32_t len)
{
	struct hca_resp *r = &rx->qp->resp;
	struct hca_cursor from = r->rx;
	struct mem_ref ref = write_range(rx, len);
	struct sg_list l;

	if (rx->is.kind == KIND_WRITE)
		return len <= r->len - r->off &&
		       mem_write(rx->e->hca, &ref, rx->p->payload) == MEM_OK;
	l = receive_list(rx->e, rx->qp, rx->srq);
	if (!is_too_long(rx, len) && sg_scatter(&l, &r->rx, rx->p->payload, len) == SG_OK)
		return true;
	r->rx = from;
	return false;
}

bool responder_take_run(struct engine *e, struct hca_qp *qp, const struct wire_packet *p,
			struct wire_run run)
{
	struct hca_resp *r = &qp->resp;
	struct rx_request rx;
	unsigned int asked;

	start(&rx, e, qp, p);
	if (p->psn != r->epsn || !rx.is.kind || rx.is.kind != r->msg ||
	    p->payload_len != qp->mtu || (qp->st == PRM_QPC_ST_XRC && !srq_fits(&rx)) ||
	    !permitted(&rx) || !take_bytes(&rx, run.n * qp->mtu))
		return false;
	r->off += run.n * qp->mtu;
	r->epsn = psn_add(r->epsn, run.n);
	r->nak_sent = false;
	r->unasked += run.n;
	if (!run.ack_req)
		return true;
	asked = 63 - (unsigned int)__builtin_clzll(run.ack_req);
	r->unasked = run.n - 1 - asked;
	if (qp_is_reliable(qp))
		responder_set_pending_ack(r, HCA_ACK_DUE, 0, psn_add(p->psn, asked));
	return true;
}

void responder_take(struct engine *e, struct hca_qp *qp, const struct wire_packet *p)
{
	static enum step (*const steps[])(struct rx_request *) = {
		[STEP_PSN] = check_psn,
		[STEP_GAP] = check_gap,
		[STEP_SEQUENCE] = check_sequence,
		[STEP_RIGHTS] = check_rights,
		[STEP_RECEIVE] = check_receive,
		[STEP_DATA] = execute,
		[STEP_INVALIDATE] = invalidate_key,
		[STEP_READ] = read_atomic_queue_read,
		[STEP_ATOMIC] = read_atomic_execute,
		[STEP_FINISH] = finish,
		[STEP_DUPLICATE] = read_atomic_duplicate,
	};
	struct rx_request rx;
	enum step step = qp->st == PRM_QPC_ST_UC ? STEP_GAP : STEP_PSN;

	start(&rx, e, qp, p);
	if (!qp->resp.comm_est)
		receive_comm_est(e, qp);
	while (step != STEP_DONE)
		step = steps[step](&rx);
}
