/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvkit_emu_flow_trace(): the steps of a packet. They are collected with the device lock held,
 * and reported without it: what is reported to may call the device.
 *
 *	steer_step --record()--> struct dvkit_emu_flow_step, with copies of what it points to
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dvkit/emu.h"
#include "preload/boot.h"
#include "prm/prm.h"
#include "steer/steer.h"

#define STEPS_MAX 65536u

/* Bytes that steps point to: equal ones in succession are kept once. */
struct blob {
	struct blob *next;
	size_t len;
	uint8_t bytes[];
};

struct trace {
	const struct dvkit_emu_flow_packet *packet;
	struct hca *hca;
	uint32_t tdn; /* of the sender */
	struct dvkit_emu_flow_step *step;
	uint32_t steps, most;
	struct blob *blobs, *match, *bytes; /* the latest of the packet */
	bool failed;			    /* no memory */
};

/* ---- memory ---- */

static void *checked(struct trace *t, void *memory)
{
	t->failed |= !memory;
	return memory;
}

static const uint8_t *keep(struct trace *t, const void *bytes, size_t len)
{
	struct blob *b = checked(t, malloc(sizeof(*b) + len));

	if (!b)
		return NULL;
	b->len = len;
	memcpy(b->bytes, bytes, len);
	b->next = t->blobs;
	t->blobs = b;
	return b->bytes;
}

static const uint8_t *keep_latest(struct trace *t, struct blob **latest, const void *bytes,
				  size_t len)
{
	if (!*latest || (*latest)->len != len || memcmp((*latest)->bytes, bytes, len) != 0) {
		if (!keep(t, bytes, len))
			return NULL;
		*latest = t->blobs;
	}
	return (*latest)->bytes;
}

/* A new step; after a failure one that is not reported. */
static struct dvkit_emu_flow_step *add(struct trace *t, uint32_t did)
{
	static struct dvkit_emu_flow_step spare;
	struct dvkit_emu_flow_step *more;

	if (t->steps == t->most) {
		uint32_t most = t->most ? t->most * 2 : 64;

		more = checked(t, most > STEPS_MAX ? NULL
						   : realloc(t->step, most * sizeof(*more)));
		if (!more)
			return &spare;
		t->step = more;
		t->most = most;
	}
	t->step[t->steps] = (struct dvkit_emu_flow_step){ .did = did };
	return &t->step[t->steps++];
}

static void release(struct trace *t)
{
	struct blob *next;

	for (struct blob *b = t->blobs; b; b = next) {
		next = b->next;
		free(b);
	}
	free(t->step);
}

/* ---- what a step is about ---- */

static void put_packet(struct trace *t, struct dvkit_emu_flow_step *s,
		       const struct steer_packet *p)
{
	uint8_t match[HCA_MATCH_SIZE];
	struct steer_headers h;

	s->bytes = keep_latest(t, &t->bytes, p->bytes, p->len);
	s->len = p->len;
	if (!steer_parse(&h, p->bytes, p->len))
		return;
	steer_match(match, p, &h);
	s->match = keep_latest(t, &t->match, match, sizeof(match));
}

static void put_table(struct dvkit_emu_flow_step *s, const struct hca_flow_table *table)
{
	if (!table)
		return;
	s->table_id = table->table_id;
	s->level = table->level;
	for (uint32_t i = 0; i < table->groups; i++)
		s->entries += table->group[i]->entries;
}

static void put_entry(struct trace *t, struct dvkit_emu_flow_step *s, const struct hca_fte *e)
{
	uint8_t value[HCA_MATCH_SIZE];

	if (!e)
		return;
	hca_fte_value(e, value);
	s->value = keep(t, value, sizeof(value));
	s->mask = keep(t, e->group->mask, HCA_MATCH_SIZE);
	s->group_id = e->group->group_id;
	s->index = e->index;
	s->action = e->act.action;
	s->source = e->act.source;
	s->flow_tag = e->act.tag;
	s->counter_id = e->act.counts ? e->act.count[0].id : 0;
	s->modify_header_id = e->act.modify ? e->act.modify->id : 0;
	s->packet_reformat_id = e->act.reformat ? e->act.reformat->id : 0;
}

static void put_dest(struct dvkit_emu_flow_step *s, const struct hca_flow_dest *d)
{
	if (!d)
		return;
	s->dest_type = d->type;
	s->dest_id = d->type == PRM_DEST_TYPE_TIR	   ? d->tir->tirn
		     : d->type == PRM_DEST_TYPE_FLOW_TABLE ? d->table->table_id
							   : d->vport;
}

static void put_ste(struct trace *t, struct dvkit_emu_flow_step *s,
		    const struct steer_step *from)
{
	struct dvkit_emu_flow_bits bits[STEER_BITS];

	if (!from->ste)
		return;
	for (uint32_t i = 0; i < from->n_bits; i++) {
		const struct steer_bits *b = &from->bits[i];

		bits[i] = (struct dvkit_emu_flow_bits){ .name = b->name,
							.inner = b->inner,
							.dword = b->dword,
							.low = b->low,
							.width = b->width,
							.mask = b->mask,
							.value = b->tag,
							.packet = b->packet };
	}
	s->icm_address = from->icm;
	s->lookup = from->lookup;
	s->n_bits = from->n_bits;
	s->ste = keep(t, from->ste, 64);
	s->bits =
		from->n_bits ? (const void *)keep(t, bits, from->n_bits * sizeof(*bits)) : NULL;
}

/* ---- entries that do not match ---- */

static int by_index(const void *a, const void *b)
{
	uint32_t x = (*(struct hca_fte *const *)a)->index;
	uint32_t y = (*(struct hca_fte *const *)b)->index;

	return x < y ? -1 : x > y;
}

/* The entries of @g in the order of their index; NULL: no memory. */
static struct hca_fte **sorted(const struct hca_flow_group *g)
{
	struct hca_fte **all = calloc(g->entries + 1, sizeof(*all));
	uint32_t n = 0;

	if (!all)
		return NULL;
	for (uint32_t i = 0; i < g->chains; i++)
		for (struct hca_fte *e = g->by_index[i]; e; e = e->next_by_index)
			all[n++] = e;
	core_sort(all, n, sizeof(*all), by_index);
	return all;
}

/* Those before @hit, or all if it is NULL. */
static void add_others(struct trace *t, const struct steer_step *from)
{
	const struct hca_flow_table *table = from->table;
	uint32_t left = t->packet->others;

	for (uint32_t i = 0; i < table->groups && left; i++) {
		struct hca_fte **all = checked(t, sorted(table->group[i]));

		for (uint32_t k = 0; all && k < table->group[i]->entries && left; k++) {
			struct dvkit_emu_flow_step *s;

			if (from->entry && all[k]->index >= from->entry->index) {
				left = 0;
				break;
			}
			s = add(t, DVKIT_EMU_FLOW_OTHER);
			s->table_type = from->type;
			put_table(s, table);
			put_entry(t, s, all[k]);
			put_packet(t, s, from->p);
			left--;
		}
		free(all);
	}
}

/* ---- steps ---- */

static const uint8_t dids[] = {
	[STEER_ROOT] = DVKIT_EMU_FLOW_ROOT,	  [STEER_HIT] = DVKIT_EMU_FLOW_HIT,
	[STEER_MISS] = DVKIT_EMU_FLOW_MISS,	  [STEER_DEST] = DVKIT_EMU_FLOW_DEST,
	[STEER_DROP] = DVKIT_EMU_FLOW_DROP,	  [STEER_PASS] = DVKIT_EMU_FLOW_PASS,
	[STEER_LIMIT] = DVKIT_EMU_FLOW_LIMIT,	  [STEER_CHANGED] = DVKIT_EMU_FLOW_CHANGED,
	[STEER_STE_HIT] = DVKIT_EMU_FLOW_STE_HIT, [STEER_STE_MISS] = DVKIT_EMU_FLOW_STE_MISS,
};

static void record(void *ctx, const struct steer_step *from)
{
	struct trace *t = ctx;
	struct dvkit_emu_flow_step *s;

	if (from->did == STEER_HIT || from->did == STEER_MISS)
		add_others(t, from);
	s = add(t, dids[from->did]);
	s->table_type = from->type;
	put_table(s, from->table);
	put_entry(t, s, from->entry);
	put_dest(s, from->dest);
	put_ste(t, s, from);
	s->why = from->why;
	put_packet(t, s, from->p);
}

static void to_queue(void *ctx, struct hca_tir *tir, const struct steer_packet *p)
{
	struct trace *t = ctx;
	struct dvkit_emu_flow_step *s = add(t, DVKIT_EMU_FLOW_QUEUE);
	struct steer_headers h;
	const struct hca_rq *rq;
	uint8_t type = 0;

	s->table_type = PRM_FT_TYPE_NIC_RX;
	s->dest_type = PRM_DEST_TYPE_TIR;
	s->dest_id = tir->tirn;
	put_packet(t, s, p);
	s->blocked = t->packet->local && (!hca_loops_back(t->hca) ||
					  !engine_loops_back(tir, t->tdn, p->bytes[0] & 1));
	if (!steer_parse(&h, p->bytes, p->len))
		return;
	rq = steer_rq(tir, p->bytes, &h, &s->hash, &type);
	s->hash_type = type;
	s->rqn = rq ? rq->rqn : 0;
	s->rq_state = rq ? rq->state : 0;
}

static void to_wire(void *ctx, uint16_t vport, const struct steer_packet *p)
{
	struct trace *t = ctx;

	(void)vport;
	put_packet(t, add(t, DVKIT_EMU_FLOW_WIRE), p);
}

/* ---- the way ---- */

static void arrive(struct trace *t, const struct boot *b, struct steer_packet *p,
		   const struct steer_sink *sink)
{
	p->meta.source_vport = t->packet->local ? 0 : STEER_UPLINK;
	if (engine_is_roce(b->engine, p->bytes, p->len)) {
		put_packet(t, add(t, DVKIT_EMU_FLOW_ROCE), p);
		if (steer_rdma_receive(t->hca, p, sink))
			put_packet(t, add(t, DVKIT_EMU_FLOW_QP), p);
		return;
	}
	if (!t->packet->any_mac && !net_admits(b->net, p->bytes)) {
		put_packet(t, add(t, DVKIT_EMU_FLOW_REFUSED), p);
		return;
	}
	steer_receive(t->hca, p, sink);
}

/* The transport domain of the SQ; ENOENT: there is no such. */
static int find_sender(struct trace *t)
{
	const struct hca_sq *sq;

	if (!t->packet->sqn)
		return 0;
	sq = core_ids_get(&t->hca->sqs, t->packet->sqn);
	if (!sq)
		return ENOENT;
	t->tdn = sq->tis && sq->tis->td ? sq->tis->td->tdn : 0;
	return 0;
}

static int walk(struct trace *t, struct boot *b)
{
	const struct steer_sink sink = {
		.tir = to_queue, .vport = to_wire, .step = record, .ctx = t, .dry = true
	};
	struct steer_packet p = { .bytes = t->packet->bytes, .len = t->packet->len };
	int err;

	t->hca = &b->hca;
	hca_lock(&b->hca);
	engine_settle(b->engine);
	err = find_sender(t);
	if (!err && t->packet->send) {
		p.meta.reg_a = t->packet->metadata;
		p.meta.source_sqn = t->packet->sqn;
		steer_send(&b->hca, &p, &sink);
	} else if (!err) {
		arrive(t, b, &p, &sink);
	}
	hca_unlock(&b->hca);
	return err ? err : t->failed ? ENOMEM : 0;
}

static void report(const struct trace *t,
		   void (*step)(void *, const struct dvkit_emu_flow_step *), size_t size,
		   void *ctx)
{
	/* as long as the caller's, which may be a later version */
	struct dvkit_emu_flow_step *s = calloc(1, size > sizeof(*s) ? size : sizeof(*s));

	for (uint32_t i = 0; s && i < t->steps; i++) {
		*s = t->step[i];
		step(ctx, s);
	}
	free(s);
}

int dvkit_emu_flow_trace(const struct dvkit_emu_flow_packet *packet, size_t packet_size,
			 void (*step)(void *ctx, const struct dvkit_emu_flow_step *step),
			 size_t step_size, void *ctx)
{
	struct dvkit_emu_flow_packet known = { 0 };
	struct trace t = { .packet = &known };
	struct boot *b;
	int err;

	memcpy(&known, packet, packet_size < sizeof(known) ? packet_size : sizeof(known));
	b = known.device < OPTIONS_FUNCTIONS ? boot_running(known.device) : NULL;
	if (!b)
		return ENODEV;
	if (known.len < WIRE_MIN_ETHERNET || known.len > WIRE_MAX_ETHERNET)
		return EINVAL;
	err = walk(&t, b);
	if (!err)
		report(&t, step, step_size, ctx);
	release(&t);
	return err;
}
