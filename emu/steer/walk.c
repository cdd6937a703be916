/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk of a packet through tables, and from one type of tables to the next.
 *
 *	table: entry of lowest index that matches -> count, change, tag -> drop, pass or destinations
 *	       none                               -> miss table, default of the type, or the next type
 *
 * With several destinations each gets the packet as it is then; what one does to its copy, the
 * others do not see.
 */
#include "prm/prm.h"
#include "steer/ste.h"

/* Tables that one packet comes to, with all its copies. */
/* assumed(steering_is_bounded): a packet that came to 512 tables is dropped. */
#define TABLES_MAX 512u

#define DO(name) PRM_FLOW_CONTEXT_ACTION_##name

void steer_report(const struct steer_walk *w, const struct steer_step *s)
{
	if (w->sink->step)
		w->sink->step(w->sink->ctx, s);
	if (!w->sink->dry)
		core_trace(&(struct core_trace){
			.kind = TRACE_STEER, .in = s, .in_len = sizeof(*s) });
}

static void report(const struct steer_walk *w, enum steer_did did,
		   const struct hca_flow_table *t, const struct hca_fte *e,
		   const struct hca_flow_dest *d, const struct steer_packet *p)
{
	const struct steer_step s = {
		.did = did,
		.type = w->type,
		.table = t,
		.entry = e,
		.dest = d,
		.p = p,
		.why = did == STEER_DROP ? w->why : NULL,
	};

	steer_report(w, &s);
}

static void enter(struct steer_walk *w, uint8_t type, struct steer_work *work);
static void walk_table(struct steer_walk *w, struct hca_flow_table *t, struct steer_work *work);

/* ---- destinations ---- */

static void to_tir(const struct steer_walk *w, struct hca_tir *tir,
		   const struct steer_work *work)
{
	if (w->sink->tir)
		w->sink->tir(w->sink->ctx, tir, &work->p);
}

/* Destination of the e-switch: vport 0 receives; the uplink sends, except packets that arrived
 * there (rdma-core, dr_action.c: dropped without uplink_hairpin_en). */
static void to_vport(struct steer_walk *w, uint16_t vport, struct steer_work *work)
{
	if (vport != STEER_UPLINK) {
		enter(w, PRM_FT_TYPE_NIC_RX, work);
		return;
	}
	if (work->p.meta.source_vport == STEER_UPLINK) {
		report(w, STEER_DROP, NULL, NULL, NULL, &work->p);
		return;
	}
	if (w->sink->vport)
		w->sink->vport(w->sink->ctx, STEER_UPLINK, &work->p);
}

static void to_dest(struct steer_walk *w, const struct hca_fte *e,
		    const struct hca_flow_dest *d, struct steer_work *work)
{
	report(w, STEER_DEST, e->group->table, e, d, &work->p);
	switch (d->type) {
	case PRM_DEST_TYPE_FLOW_TABLE:
		walk_table(w, d->table, work);
		break;
	case PRM_DEST_TYPE_TIR:
		to_tir(w, d->tir, work);
		break;
	default:
		to_vport(w, d->vport, work);
		break;
	}
}

static void to_all(struct steer_walk *w, const struct hca_fte *e, struct steer_work *work)
{
	uint8_t type = w->type;

	for (uint32_t i = 0; i + 1 < e->act.dests && w->tables < TABLES_MAX; i++) {
		struct steer_work copy = *work;

		copy.own = NULL;
		to_dest(w, e, &e->act.dest[i], &copy);
		steer_work_fini(&copy);
		w->type = type;
	}
	to_dest(w, e, &e->act.dest[e->act.dests - 1], work);
}

/* ---- entries ---- */

/* assumed(flow_counters_count_octets_without_fcs): an octet of a flow counter is a byte of the
 * frame from its destination MAC on, without FCS, as it is when it comes to the entry. */
static void count(const struct hca_fte *e, size_t len)
{
	for (uint32_t i = 0; i < e->act.counts; i++) {
		const struct hca_flow_count *c = &e->act.count[i];
		struct hca_traffic *t = &c->bulk->traffic[c->id - c->bulk->id];

		t->packets++;
		t->octets += len;
	}
}

/* ---- types ---- */

/* No entry takes the packet any more: it leaves the tables of this type by ALLOW or by their
 * default. */
static void leave(struct steer_walk *w, bool allowed, struct steer_work *work)
{
	bool drops = !allowed && w->type == PRM_FT_TYPE_NIC_RX;

	report(w, drops ? STEER_DROP : STEER_PASS, NULL, NULL, NULL, &work->p);
	switch (w->type) {
	case PRM_FT_TYPE_NIC_TX:
		if (w->hca->roots[PRM_FT_TYPE_FDB])
			enter(w, PRM_FT_TYPE_FDB, work);
		else
			to_vport(w, STEER_UPLINK, work);
		break;
	case PRM_FT_TYPE_FDB:
		to_vport(w, 0, work);
		break;
	case PRM_FT_TYPE_RDMA_RX:
	case PRM_FT_TYPE_RDMA_TX:
		w->passed = true;
		break;
	default:
		break;
	}
}

/* assumed(flow_tag_0_is_no_tag): an entry with flow_tag 0 leaves the tag that an entry before
 * it set. */
static void apply(struct steer_walk *w, const struct hca_fte *e, struct steer_work *work)
{
	if (!w->sink->dry)
		count(e, work->p.len);
	if (e->act.tag)
		work->p.meta.flow_tag = e->act.tag;
	if (steer_changes(e)) {
		bool left = steer_rewrite(work, e);

		report(w, left ? STEER_CHANGED : STEER_DROP, e->group->table, e, NULL,
		       &work->p);
		if (!left)
			return;
	}
	if (e->act.action & DO(DROP))
		report(w, STEER_DROP, e->group->table, e, NULL, &work->p);
	else if (e->act.action & DO(ALLOW))
		leave(w, true, work);
	else
		to_all(w, e, work);
}

/* ---- tables that software writes ---- */

/* A copy of every nth packet goes to one table, all of them to the other. */
static void sample(struct steer_walk *w, struct hca_general *g, struct steer_work *work)
{
	uint32_t seen = g->sampler.seen + 1;

	if (!w->sink->dry)
		g->sampler.seen = seen;
	if (seen % g->sampler.nth == 0) {
		struct steer_work copy = *work;

		copy.own = NULL;
		walk_table(w, g->sampler.sample, &copy);
		steer_work_fini(&copy);
	}
	walk_table(w, g->sampler.then, work);
}

/* Goes to where the entries lead, an address without an entry. */
static void to_address(struct steer_walk *w, struct hca_flow_table *t, uint64_t addr,
		       struct steer_work *work)
{
	uint64_t i = addr % HCA_ICM_AREA / HCA_ICM_UNIT;
	bool rx = w->type == PRM_FT_TYPE_NIC_RX, tx = w->type == PRM_FT_TYPE_NIC_TX;
	struct hca_flow_dest d = { .type = PRM_DEST_TYPE_TIR };
	struct hca_flow_table *next;

	if ((addr == HCA_ICM_AT(HCA_ICM_END, HCA_ICM_TX_ALLOW) && tx) ||
	    (addr == HCA_ICM_AT(HCA_ICM_END, HCA_ICM_RX_ALLOW) && rx))
		return leave(w, true, work);
	if (addr / HCA_ICM_AREA == HCA_ICM_TIR / HCA_ICM_AREA && rx)
		d.tir = core_ids_get(&w->hca->tirs, i);
	if (d.tir) {
		report(w, STEER_DEST, NULL, NULL, &d, &work->p);
		return to_tir(w, d.tir, work);
	}
	next = addr / HCA_ICM_AREA == HCA_ICM_TABLE / HCA_ICM_AREA
		       ? core_ids_get(&w->hca->flow_tables, i)
		       : NULL;
	if (next && next->type == w->type)
		return walk_table(w, next, work);
	if (addr / HCA_ICM_AREA == HCA_ICM_SAMPLER / HCA_ICM_AREA && rx) {
		struct hca_general *g = core_ids_get(&w->hca->generals, i);

		if (g && g->type == PRM_OBJ_SAMPLER)
			return sample(w, g, work);
	}
	if (addr != HCA_ICM_AT(HCA_ICM_END, rx ? HCA_ICM_RX_DROP : HCA_ICM_TX_DROP))
		ste_fault(w, addr, "nothing is there to which a packet can go");
	report(w, STEER_DROP, t, NULL, NULL, &work->p);
}

static void to_stes(struct steer_walk *w, struct hca_flow_table *t, struct steer_work *work)
{
	uint64_t addr = t->rtc ? ste_enter(w, work, t->rtc) : t->icm_root;

	if (addr)
		addr = ste_walk(w, work, addr);
	else
		ste_fault(w, addr, "the match definer of the RTC is not known");
	if (addr)
		to_address(w, t, addr, work);
	else
		report(w, STEER_DROP, t, NULL, NULL, &work->p);
	w->why = NULL;
}

/* ---- tables of firmware ---- */

static void walk_table(struct steer_walk *w, struct hca_flow_table *t, struct steer_work *work)
{
	bool wire = work->p.meta.source_vport == STEER_UPLINK;

	while (w->tables++ < TABLES_MAX) {
		if (t->sw_owner || t->rtc)
			return to_stes(w, t, work);
		const struct hca_fte *e = hca_fte_match(t, work->match, wire ? 1 : 2);

		report(w, e ? STEER_HIT : STEER_MISS, t, e, NULL, &work->p);
		if (e)
			return apply(w, e, work);
		if (!t->miss)
			return leave(w, false, work);
		t = t->miss;
	}
	report(w, STEER_LIMIT, t, NULL, NULL, &work->p);
}

/* The tables of @type, from their root on. */
static void enter(struct steer_walk *w, uint8_t type, struct steer_work *work)
{
	struct hca_flow_table *root = w->hca->roots[type];

	w->type = type;
	if (!root)
		return leave(w, false, work);
	report(w, STEER_ROOT, root, NULL, NULL, &work->p);
	walk_table(w, root, work);
}

/* Copies only: what the sniffer does is not seen by the packet. */
static void sniff(struct steer_walk *w, uint8_t type, const struct steer_work *work)
{
	struct steer_work copy = *work;

	if (!w->hca->roots[type])
		return;
	copy.own = NULL;
	enter(w, type, &copy);
	steer_work_fini(&copy);
}

void steer_receive(struct hca *hca, const struct steer_packet *p, const struct steer_sink *s)
{
	struct steer_walk w = { .hca = hca, .sink = s };
	struct steer_work work;

	if (!steer_work_init(&work, p))
		return;
	sniff(&w, PRM_FT_TYPE_SNIFFER_RX, &work);
	enter(&w, hca->roots[PRM_FT_TYPE_FDB] ? PRM_FT_TYPE_FDB : PRM_FT_TYPE_NIC_RX, &work);
	steer_work_fini(&work);
}

void steer_send(struct hca *hca, const struct steer_packet *p, const struct steer_sink *s)
{
	struct steer_walk w = { .hca = hca, .sink = s };
	struct steer_work work;

	if (!steer_work_init(&work, p))
		return;
	sniff(&w, PRM_FT_TYPE_SNIFFER_TX, &work);
	enter(&w, PRM_FT_TYPE_NIC_TX, &work);
	steer_work_fini(&work);
}

static bool rdma(struct hca *hca, uint8_t type, const struct steer_packet *p,
		 const struct steer_sink *s)
{
	struct steer_walk w = { .hca = hca, .sink = s };
	struct steer_work work;

	if (!hca->roots[type] || !steer_work_init(&work, p))
		return true;
	enter(&w, type, &work);
	steer_work_fini(&work);
	return w.passed;
}

bool steer_rdma_receive(struct hca *hca, const struct steer_packet *p,
			const struct steer_sink *s)
{
	return rdma(hca, PRM_FT_TYPE_RDMA_RX, p, s);
}

bool steer_rdma_send(struct hca *hca, const struct steer_packet *p, const struct steer_sink *s)
{
	return rdma(hca, PRM_FT_TYPE_RDMA_TX, p, s);
}
