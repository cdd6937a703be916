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
	rd->srqn = a->p->srqn;
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

enum step arrival_read(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;

	if (rd_full(a->qp))
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	r->epsn = psn_add(r->epsn, packets(a->qp, a->p->dma_len));
	r->msn = psn_add(r->msn, 1);
	push_read(a, r->msn);
	return STEP_DONE;
}

enum step arrival_atomic(struct arrival *a)
{
	struct dev_resp *r = &a->qp->resp;
	struct mem_ref ref = arrival_ref(a);
	uint64_t orig, now;

	if (rd_full(a->qp))
		return arrival_refuse(a, WIRE_NAK_INVALID_REQUEST);
	if (mem_read(a->e->d, &ref, &orig) != MEM_OK)
		return arrival_refuse(a, WIRE_NAK_REMOTE_ACCESS);
	now = orig + a->p->swap_add;
	if ((a->p->opcode & WIRE_OPERATION_MASK) == WIRE_CMP_SWAP)
		now = orig == a->p->compare ? a->p->swap_add : orig;
	if (now != orig && mem_write(a->e->d, &ref, &now) != MEM_OK)
		return arrival_refuse(a, WIRE_NAK_REMOTE_ACCESS);
	r->replay[r->replay_next].psn = a->p->psn;
	r->replay[r->replay_next].orig = orig;
	r->replay[r->replay_next].valid = true;
	r->replay_next = (r->replay_next + 1) % DEV_RD_ATOMIC_MAX;
	r->epsn = psn_add(r->epsn, 1);
	r->msn = psn_add(r->msn, 1);
	push_atomic(a, orig, r->msn);
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
	struct mem_ref ref = arrival_ref(a);

	if (psn_before(r->epsn, psn_add(a->p->psn, packets(a->qp, a->p->dma_len))))
		return;
	if (!a->qp->rre || mem_check(a->e->d, &ref) != MEM_OK)
		arrival_refuse(a, WIRE_NAK_REMOTE_ACCESS);
	else
		push_read(a, r->msn);
}

enum step arrival_duplicate(struct arrival *a)
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
		arrival_owe(r, DEV_ACK_DUE, 0, psn_add(r->epsn, PSN_MASK));
	}
	return STEP_DONE;
}
