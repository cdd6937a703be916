/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traffic: batches of WRITEs on each link, a new one for each that completed, until the time is
 * over or all messages are sent. Only the last WRITE of a batch has a CQE.
 */
#include <limits.h>
#include <sched.h>
#include <stdio.h>

#include <dvkit/emu.h>

#include "group.h"

#define POLL 64

/* @n WRITEs of all bytes of @out's block. */
static void post(struct end *e, struct out *out, unsigned int n)
{
	const struct plan *p = e->plan;
	const struct member *to = &e->group->members[p->links[out->link].to];
	struct ibv_sge sge = { (uintptr_t)out->bytes, p->bytes, e->src_mr->lkey };
	struct ibv_send_wr wr[MAX_BATCH], *bad;
	unsigned int flags = p->bytes <= 28 ? IBV_SEND_INLINE : 0;

	for (unsigned int i = 0; i < n; i++)
		wr[i] = (struct ibv_send_wr){
			.wr_id = (uint64_t)(out - e->outs) << 32 | n,
			.next = i + 1 < n ? &wr[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_RDMA_WRITE,
			.send_flags = flags | (i + 1 < n ? 0 : IBV_SEND_SIGNALED),
			.wr.rdma = { to->addr + p->links[out->link].place * plan_block(p),
				     to->rkey },
		};
	need(!ibv_post_send(out->qp, wr, &bad), "ibv_post_send");
}

/* The next batch of @out, if there is one: 1, or 0. */
static unsigned int post_next(struct end *e, struct out *out)
{
	unsigned int n = out->left < e->plan->batch ? out->left : e->plan->batch;

	if (!n)
		return 0;
	post(e, out, n);
	if (out->left != UINT_MAX)
		out->left -= n;
	return 1;
}

/* The first link that has sent all writes down how far the others are. */
static void finished(struct end *e)
{
	if (atomic_exchange(&e->group->finished, true))
		return;
	for (unsigned int i = 0; i < e->plan->nlinks; i++)
		e->group->links[i].then = atomic_load(&e->group->links[i].done);
}

/* Posts again what @wc completed, unless the time is @over; batches less than before. */
static unsigned int take(struct end *e, const struct ibv_wc *wc, bool over)
{
	struct out *out = &e->outs[wc->wr_id >> 32];
	uint64_t done;

	if (wc->status)
		fprintf(stderr, "group: link %u: %s\n", out->link,
			ibv_wc_status_str(wc->status));
	need(!wc->status, "a completion with an error");
	if (over)
		return 1;
	done = atomic_fetch_add(&e->group->links[out->link].done, (uint32_t)wc->wr_id) +
	       (uint32_t)wc->wr_id;
	if (done == (uint64_t)e->plan->count * e->plan->rounds)
		finished(e);
	return 1 - post_next(e, out);
}

/* Until the @under_way batches and those that follow them are complete. */
static void complete(struct end *e, unsigned int under_way, uint64_t until)
{
	struct ibv_wc wc[POLL];

	while (under_way) {
		int n = ibv_poll_cq(e->cq, POLL, wc);
		bool over = until && now_ns() >= until;

		need(n >= 0, "ibv_poll_cq");
		for (struct out *o = e->outs; over && o < e->outs + e->nouts; o++)
			o->left = 0;
		for (int i = 0; i < n; i++)
			under_way -= take(e, &wc[i], over);
		if (!n)
			sched_yield();
	}
}

/* All processes begin at one moment. */
static uint64_t begin(struct end *e)
{
	if (!e->plan->rank)
		atomic_store(&e->group->start, now_ns() + 20000000);
	group_wait(e);
	while (now_ns() < atomic_load(&e->group->start))
		rest_ms(1);
	return e->plan->seconds
		       ? atomic_load(&e->group->start) + (uint64_t)(e->plan->seconds * 1e9)
		       : 0;
}

void traffic_run(struct end *e)
{
	const struct plan *p = e->plan;
	bool pause = p->paused && dvkit_emu_present();
	unsigned int under_way = 0;
	uint64_t until = begin(e);

	if (pause)
		need(!dvkit_emu_pause(), "dvkit_emu_pause");
	for (struct out *o = e->outs; o < e->outs + e->nouts; o++)
		o->left = p->seconds ? UINT_MAX : p->count;
	for (unsigned int i = 0; i < p->depth; i++)
		for (struct out *o = e->outs; o < e->outs + e->nouts; o++)
			under_way += post_next(e, o);
	if (pause)
		need(!dvkit_emu_resume(), "dvkit_emu_resume");
	complete(e, under_way, until);
}

/* The value of byte @i of the last message of @link. */
static uint8_t sample(unsigned int link, unsigned int i)
{
	return (uint8_t)(link * 151 + i * 7 + i / 251 + 1);
}

static void compare(const struct end *e, unsigned int link)
{
	const struct plan *p = e->plan;
	const uint8_t *at = e->dst + p->links[link].place * plan_block(p);
	unsigned int i = 0;

	while (i < p->bytes && at[i] == sample(link, i))
		i++;
	if (i < p->bytes)
		fprintf(stderr, "group: link %u: byte %u is 0x%x, not 0x%x\n", link, i, at[i],
			sample(link, i));
	need(i == p->bytes, "wrong bytes");
}

void traffic_verify(struct end *e)
{
	struct ibv_wc wc;

	for (struct out *o = e->outs; o < e->outs + e->nouts; o++) {
		for (unsigned int i = 0; i < e->plan->bytes; i++)
			o->bytes[i] = sample(o->link, i);
		post(e, o, 1);
	}
	for (unsigned int left = e->nouts; left;) {
		int n = ibv_poll_cq(e->cq, 1, &wc);

		need(n >= 0 && (!n || !wc.status), "the last message");
		left -= (unsigned int)n;
		if (!n)
			sched_yield();
	}
	group_wait(e);
	for (unsigned int i = 0; i < e->plan->nlinks; i++)
		if (e->ins[i])
			compare(e, i);
}
