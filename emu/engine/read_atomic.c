/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder's steps for READs and atomics, whose responses have data, and for duplicate
 * requests. Responses are queued; responder_tx.c sends them when the peer has free space.
 *
 *	read_atomic[]: READ psn 10..25 | atomic 26, executed | READ 27..27
 *	replay[]: the last READs and atomics, as many as max_dest_rd_atomic: the responses of atomics
 *		  among them may have to be sent again
 *
 * (InfiniBand specification, chapter 9, "Reliable service", responder side.)
 */
#include "engine/psn.h"
#include "engine/responder.h"

void read_atomic_pop(struct hca_resp *r)
{
	r->read_atomic_head = (r->read_atomic_head + 1) % HCA_RD_ATOMIC_MAX;
	r->read_atomic_cnt--;
}

/* As many responses are queued as the QP allows. */
static bool queue_full(const struct hca_qp *qp)
{
	return qp->resp.read_atomic_cnt >= HCA_RD_ATOMIC_MAX ||
	       qp->resp.read_atomic_cnt >= qp->max_dest_rd_atomic;
}

/*
 * Has the peer more READs and atomics under way than the QP allows? IBA, chapter 9: an invalid
 * request. Duplicates do not count: a peer that keeps to the limit has the oldest response of a
 * full queue when it sends a new request, so that one is not needed if it was sent before.
 * Duplicates come first in the queue, which is in the order of PSNs.
 */
static bool beyond_limit(struct hca_qp *qp)
{
	struct hca_resp *r = &qp->resp;

	if (!queue_full(qp))
		return false;
	if (!r->read_atomic_cnt || !r->read_atomic[r->read_atomic_head].duplicate)
		return true;
	read_atomic_pop(r);
	return false;
}

/* The next element of the queue of responses; it is not full. */
static struct hca_read_atomic *push(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	struct hca_read_atomic *ra =
		&r->read_atomic[(r->read_atomic_head + r->read_atomic_cnt) % HCA_RD_ATOMIC_MAX];

	r->read_atomic_cnt++;
	/* A response acknowledges all that came before it. */
	if (r->ack == HCA_ACK_DUE)
		r->ack = HCA_ACK_NONE;
	*ra = (struct hca_read_atomic){ .psn = rx->p->psn,
					.npkt = 1,
					.duplicate = psn_before(rx->p->psn, r->epsn) };
	return ra;
}

static uint32_t packets(const struct hca_qp *qp, uint32_t len)
{
	return len ? (len + qp->mtu - 1) / qp->mtu : 1;
}

static void push_read(struct rx_request *rx, uint32_t msn)
{
	struct hca_read_atomic *ra = push(rx);

	ra->va = rx->p->va;
	ra->rkey = rx->p->rkey;
	ra->srqn = rx->p->srqn;
	ra->len = rx->p->dma_len;
	ra->npkt = packets(rx->qp, ra->len);
	ra->msn = msn;
}

static void push_atomic(struct rx_request *rx, uint64_t orig, uint32_t msn)
{
	struct hca_read_atomic *ra = push(rx);

	ra->atomic = true;
	ra->orig = orig;
	ra->msn = msn;
}

static void remember(struct rx_request *rx, bool atomic, uint64_t orig)
{
	struct hca_resp *r = &rx->qp->resp;

	r->replay[r->replay_next].psn = rx->p->psn;
	r->replay[r->replay_next].valid = true;
	r->replay[r->replay_next].atomic = atomic;
	r->replay[r->replay_next].orig = orig;
	r->replay_next = (r->replay_next + 1) % HCA_RD_ATOMIC_MAX;
}

enum step read_atomic_queue_read(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;

	if (beyond_limit(rx->qp))
		return responder_refuse(rx, WIRE_NAK_INVALID_REQUEST);
	r->msn = psn_add(r->msn, 1);
	remember(rx, false, 0);
	push_read(rx, r->msn);
	r->epsn = psn_add(r->epsn, packets(rx->qp, rx->p->dma_len));
	return STEP_DONE;
}

/* @a + @b without a carry out of the bits of @boundary: each field, up to such a bit, is added
 * separately. */
static uint64_t add_fields(uint64_t a, uint64_t b, uint64_t boundary)
{
	uint64_t low = ~boundary;

	/* Without their top bits the fields have no carry out; the top bits are added by
	 * XOR. */
	return ((a & low) + (b & low)) ^ ((a ^ b) & boundary);
}

/* The new value of @orig after the atomic of @p. The masks: openucx/ucx, ib_mlx5.h. */
static uint64_t result(const struct wire_packet *p, uint64_t orig)
{
	switch (p->opcode & WIRE_OPERATION_MASK) {
	case WIRE_CMP_SWAP:
		return orig == p->compare ? p->swap_add : orig;
	case WIRE_MASKED_CMP_SWAP:
		if ((orig ^ p->compare) & p->compare_mask)
			return orig;
		return (orig & ~p->swap_mask) | (p->swap_add & p->swap_mask);
	case WIRE_MASKED_FETCH_ADD:
		return add_fields(orig, p->swap_add, p->compare_mask);
	default:
		return orig + p->swap_add;
	}
}

/* Reads the value at @ref, in the byte order of the host; false: the access failed. */
static bool read_word(struct rx_request *rx, const struct mem_ref *ref, uint64_t *word)
{
	uint32_t half;

	if (ref->len == sizeof(*word))
		return mem_read(rx->e->hca, ref, word) == MEM_OK;
	if (mem_read(rx->e->hca, ref, &half) != MEM_OK)
		return false;
	*word = half;
	return true;
}

static bool write_word(struct rx_request *rx, const struct mem_ref *ref, uint64_t word)
{
	uint32_t half = (uint32_t)word;

	if (ref->len == sizeof(word))
		return mem_write(rx->e->hca, ref, &word) == MEM_OK;
	return mem_write(rx->e->hca, ref, &half) == MEM_OK;
}

enum step read_atomic_execute(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	struct mem_ref ref = responder_mem_ref(rx);
	uint64_t orig, now;

	if (beyond_limit(rx->qp))
		return responder_refuse(rx, WIRE_NAK_INVALID_REQUEST);
	if (!read_word(rx, &ref, &orig))
		return responder_refuse(rx, WIRE_NAK_REMOTE_ACCESS);
	now = result(rx->p, orig);
	if (now != orig && !write_word(rx, &ref, now))
		return responder_refuse(rx, WIRE_NAK_REMOTE_ACCESS);
	remember(rx, true, orig);
	r->msn = psn_add(r->msn, 1);
	push_atomic(rx, orig, r->msn);
	r->epsn = psn_add(r->epsn, 1);
	return STEP_DONE;
}

/* ---- duplicate requests ---- */

/* The peer starts again at @psn: it requests the responses from there on again. */
static void forget_from(struct hca_resp *r, uint32_t psn)
{
	while (r->read_atomic_cnt) {
		struct hca_read_atomic *ra =
			&r->read_atomic[(r->read_atomic_head + r->read_atomic_cnt - 1) %
					HCA_RD_ATOMIC_MAX];

		if (!psn_before(psn, psn_add(ra->psn, ra->npkt)))
			return;
		r->read_atomic_cnt--;
	}
}

/* IBA, chapter 9, "Responder resources": the results of as many atomics are kept as READs and
 * atomics may be under way. An older duplicate is dropped: its response did arrive. */
static void replay_atomic(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;

	for (unsigned int n = 1; n <= rx->qp->max_dest_rd_atomic && n <= HCA_RD_ATOMIC_MAX;
	     n++) {
		unsigned int i = (r->replay_next + HCA_RD_ATOMIC_MAX - n) % HCA_RD_ATOMIC_MAX;

		if (!r->replay[i].atomic || r->replay[i].psn != rx->p->psn)
			continue;
		push_atomic(rx, r->replay[i].orig, r->msn);
		return;
	}
}

static void replay_read(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	struct mem_ref ref = responder_mem_ref(rx);

	if (psn_before(r->epsn, psn_add(rx->p->psn, packets(rx->qp, rx->p->dma_len))))
		return;
	if (!rx->qp->rre || mem_check(rx->e->hca, &ref) != MEM_OK)
		responder_refuse(rx, WIRE_NAK_REMOTE_ACCESS);
	else
		push_read(rx, r->msn);
}

/*
 * Which ACK does a duplicate SEND or WRITE get? One for all requests that were executed (IBA,
 * chapter 9, C9-105), but
 *	- not in a message, at a packet that did not ask for it: the "last PSN acknowledged" is before it. rxe
 *	  (rxe_req.c, req_retry()) continues with other PSNs after an ACK in the middle of a SEND;
 *	- not beyond the next READ or atomic: the peer may not have its response, which an ACK does not replace.
 *	  rdmavt (Linux, rc_rcv_error()) limits it alike, and rxe (check_ack()) takes an ACK with the PSN of a
 *	  READ or atomic for its response, without data.
 */
static void acknowledge_again(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;
	uint32_t psn = rx->p->psn, next = psn_add(r->epsn, -r->unasked & PSN_MASK);

	if (!psn_before(psn, next)) {
		if (!rx->p->ack_req)
			return;
		next = psn_add(psn, 1);
	}
	for (unsigned int i = 0; i < HCA_RD_ATOMIC_MAX; i++) {
		uint32_t other = r->replay[i].psn;

		if (r->replay[i].valid && psn_before(psn, other) && psn_before(other, next))
			next = other;
	}
	responder_set_pending_ack(r, HCA_ACK_DUE, 0, psn_add(next, PSN_MASK));
}

enum step read_atomic_duplicate(struct rx_request *rx)
{
	struct hca_resp *r = &rx->qp->resp;

	if (rx->is.kind == KIND_READ || rx->is.kind == KIND_ATOMIC) {
		forget_from(r, rx->p->psn);
		if (queue_full(rx->qp))
			return STEP_DONE;
		if (rx->is.kind == KIND_READ)
			replay_read(rx);
		else
			replay_atomic(rx);
	} else if (r->ack != HCA_ACK_NAK) {
		acknowledge_again(rx);
	}
	return STEP_DONE;
}
