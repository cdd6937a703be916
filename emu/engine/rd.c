/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The responder's steps for READs and atomics, which are answered with data, and for what
 * came before. An answer is not made here: it is queued, and reply.c sends it when the peer
 * has room.
 *
 *	rd[]: READ psn 10..25 | atomic 26, done, its answer kept | READ 27..27
 *	replay[]: the last atomics, for a peer that did not hear their answers
 *
 * (InfiniBand specification, chapter 9, "Reliable service", responder side.)
 */
#include "engine/arrival.h"

/* As many answers are waiting as the QP allows. IBA, chapter 9: a READ or an atomic more is
 * an invalid request. */
static bool rd_full(const struct hca_qp *qp)
{
	return qp->resp.rd_cnt >= HCA_RD_ATOMIC_MAX ||
	       qp->resp.rd_cnt >= qp->max_dest_rd_atomic;
}

/* The next place in the queue of answers; it is not full. */
static struct hca_resp_rd *rd_push(struct hca_qp *qp)
{
	struct hca_resp *r = &qp->resp;
	struct hca_resp_rd *rd = &r->rd[(r->rd_head + r->rd_cnt) % HCA_RD_ATOMIC_MAX];

	r->rd_cnt++;
	/* A response acknowledges all that came before it. */
	if (r->ack == HCA_ACK_DUE)
		r->ack = HCA_ACK_NONE;
	*rd = (struct hca_resp_rd){ .npkt = 1 };
	return rd;
}

static uint32_t packets(const struct hca_qp *qp, uint32_t len)
{
	return len ? (len + qp->mtu - 1) / qp->mtu : 1;
}

static void push_read(struct arrival *a, uint32_t msn)
{
	struct hca_resp_rd *rd = rd_push(a->qp);

	rd->psn = a->p->psn;
	rd->va = a->p->va;
	rd->rkey = a->p->rkey;
	rd->srqn = a->p->srqn;
	rd->len = a->p->dma_len;
	rd->npkt = packets(a->qp, rd->len);
	rd->msn = msn;
}

static void push_atomic(struct arrival *a, uint64_t orig, uint32_t msn)
{
	struct hca_resp_rd *rd = rd_push(a->qp);

	rd->psn = a->p->psn;
	rd->atomic = true;
	rd->orig = orig;
	rd->msn = msn;
}

enum step arrival_read(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;

	if (rd_full(a->qp))
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	r->epsn = psn_add(r->epsn, packets(a->qp, a->p->dma_len));
	r->msn = psn_add(r->msn, 1);
	push_read(a, r->msn);
	return STEP_DONE;
}

/* @a + @b, where no bit is carried on from a bit that is set in @boundary: each field between
 * two such bits is added by itself. */
static uint64_t add_fields(uint64_t a, uint64_t b, uint64_t boundary)
{
	uint64_t low = ~boundary;

	/* Without the top bits of the fields nothing is carried over; those add without a carry. */
	return ((a & low) + (b & low)) ^ ((a ^ b) & boundary);
}

/* What the atomic of @p makes of @orig. The masks: openucx/ucx, ib_mlx5.h. */
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

/* The word at @ref, in the byte order of the host; false: it cannot be had. */
static bool read_word(struct arrival *a, const struct mem_ref *ref, uint64_t *word)
{
	uint32_t half;

	if (ref->len == sizeof(*word))
		return mem_read(a->e->hca, ref, word) == MEM_OK;
	if (mem_read(a->e->hca, ref, &half) != MEM_OK)
		return false;
	*word = half;
	return true;
}

static bool write_word(struct arrival *a, const struct mem_ref *ref, uint64_t word)
{
	uint32_t half = (uint32_t)word;

	if (ref->len == sizeof(word))
		return mem_write(a->e->hca, ref, &word) == MEM_OK;
	return mem_write(a->e->hca, ref, &half) == MEM_OK;
}

enum step arrival_atomic(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;
	struct mem_ref ref = arrival_ref(a);
	uint64_t orig, now;

	if (rd_full(a->qp))
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (!read_word(a, &ref, &orig))
		return arrival_refuse(a, WIRE_NAK_REMOTE_ACCESS);
	now = result(a->p, orig);
	if (now != orig && !write_word(a, &ref, now))
		return arrival_refuse(a, WIRE_NAK_REMOTE_ACCESS);
	r->replay[r->replay_next].psn = a->p->psn;
	r->replay[r->replay_next].orig = orig;
	r->replay[r->replay_next].valid = true;
	r->replay_next = (r->replay_next + 1) % HCA_RD_ATOMIC_MAX;
	r->epsn = psn_add(r->epsn, 1);
	r->msn = psn_add(r->msn, 1);
	push_atomic(a, orig, r->msn);
	return STEP_DONE;
}

/* ---- what came before ---- */

/* The peer starts again at @psn: answers from there on are asked for anew. */
static void forget_from(struct hca_resp *r, uint32_t psn)
{
	while (r->rd_cnt) {
		struct hca_resp_rd *rd =
			&r->rd[(r->rd_head + r->rd_cnt - 1) % HCA_RD_ATOMIC_MAX];

		if (!psn_before(psn, psn_add(rd->psn, rd->npkt)))
			return;
		r->rd_cnt--;
	}
}

static void replay_atomic(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;

	for (unsigned int i = 0; i < HCA_RD_ATOMIC_MAX; i++) {
		if (!r->replay[i].valid || r->replay[i].psn != a->p->psn)
			continue;
		push_atomic(a, r->replay[i].orig, r->msn);
		return;
	}
}

static void replay_read(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;
	struct mem_ref ref = arrival_ref(a);

	if (psn_before(r->epsn, psn_add(a->p->psn, packets(a->qp, a->p->dma_len))))
		return;
	if (!a->qp->rre || mem_check(a->e->hca, &ref) != MEM_OK)
		arrival_refuse(a, WIRE_NAK_REMOTE_ACCESS);
	else
		push_read(a, r->msn);
}

enum step arrival_duplicate(struct arrival *a)
{
	struct hca_resp *r = &a->qp->resp;

	if (a->is.kind == KIND_READ || a->is.kind == KIND_ATOMIC) {
		forget_from(r, a->p->psn);
		if (rd_full(a->qp))
			return STEP_DONE;
		if (a->is.kind == KIND_READ)
			replay_read(a);
		else
			replay_atomic(a);
	} else if (r->ack != HCA_ACK_NAK) {
		arrival_owe(r, HCA_ACK_DUE, 0, psn_add(r->epsn, PSN_MASK));
	}
	return STEP_DONE;
}
