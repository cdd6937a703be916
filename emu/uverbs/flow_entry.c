/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups, entries and rules of the kernel's flow tables (mlx5_core, fs_core.c,
 * _mlx5_add_flow_rules, try_add_to_existing_fg, alloc_auto_flow_group, add_rule_fg).
 *
 *	rule -> table -> group with this mask? -> entry with this value? -> its destinations and these
 *	                 '- else a new group      '- else a new entry at the lowest free index
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "uverbs/flow_core.h"

#define DO(name) PRM_FLOW_CONTEXT_ACTION_##name
#define ITEM	 8 /* bytes of a destination or counter in the list */

struct uverbs_flow_group {
	struct core_list on_table; /* uverbs_flow_table.groups */
	struct entry **at;	   /* by index from first on: NULL: free */
	struct entry **chain; /* entry.next, by a hash of the value; a power of two of them */
	uint32_t chains, used;
	uint32_t lowest; /* no place of at is free before it */
	uint32_t first, size, id;
	uint8_t criteria;
	uint8_t mask[UVERBS_MATCH_SIZE];
};

/* A destination, and how many rules have it. */
struct share {
	struct uverbs_flow_dest dest;
	uint32_t rules;
};

struct entry {
	struct entry *next; /* in its chain */
	struct uverbs_flow_group *group;
	uint32_t index, rules;
	uint16_t action;
	uint32_t tag, modify_id, reformat_id;
	struct share *share; /* owned */
	uint32_t shares;
	uint8_t value[UVERBS_MATCH_SIZE];
};

struct uverbs_flow_rule {
	struct uverbs_flow_table *table, *next; /* next: the netdev's, if it leads there */
	struct entry *entry;
	struct uverbs_flow_dest dest[UVERBS_DESTS_MAX];
	uint32_t dests;
};

uint8_t uverbs_match_criteria(const uint8_t mask[UVERBS_MATCH_SIZE])
{
	const size_t part = PRM_SZ(fte_match_set_lyr_2_4);
	uint8_t criteria = 0;

	/* outer, misc, inner, misc 2 … 5, one after the other as their bits are */
	for (size_t i = 0; i < UVERBS_MATCH_SIZE && i / part < 7; i++)
		if (mask[i])
			criteria |= 1u << i / part;
	return criteria;
}

/* ---- commands ---- */

static int fw_create_group(struct uverbs *u, const struct uverbs_flow_table *t,
			   struct uverbs_flow_group *g)
{
	uint8_t in[PRM_SZ(create_flow_group_in)] = { 0 };
	uint8_t out[PRM_SZ(create_flow_group_out)] = { 0 };
	int ret;

	PRM_SET(create_flow_group_in, in, opcode, PRM_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, uverbs_flow_type(t->ns));
	PRM_SET(create_flow_group_in, in, table_id, t->id);
	PRM_SET(create_flow_group_in, in, start_flow_index, g->first);
	PRM_SET(create_flow_group_in, in, end_flow_index, g->first + g->size - 1);
	PRM_SET(create_flow_group_in, in, match_criteria_enable, g->criteria);
	memcpy(PRM_ADDR(create_flow_group_in, in, match_criteria), g->mask, UVERBS_MATCH_SIZE);
	ret = uverbs_fw(u, in, sizeof(in), out, sizeof(out));
	g->id = PRM_GET(create_flow_group_out, out, group_id);
	return ret;
}

static void fw_destroy_group(struct uverbs *u, const struct uverbs_flow_table *t,
			     const struct uverbs_flow_group *g)
{
	uint8_t in[PRM_SZ(destroy_flow_group_in)] = { 0 };
	uint8_t out[PRM_SZ(destroy_flow_group_out)] = { 0 };

	PRM_SET(destroy_flow_group_in, in, opcode, PRM_OP_DESTROY_FLOW_GROUP);
	PRM_SET(destroy_flow_group_in, in, table_type, uverbs_flow_type(t->ns));
	PRM_SET(destroy_flow_group_in, in, table_id, t->id);
	PRM_SET(destroy_flow_group_in, in, group_id, g->id);
	uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* The destinations of @e after each other in @at, then its counters. */
static void put_lists(const struct uverbs *u, const struct uverbs_flow_table *t,
		      const struct entry *e, uint8_t *ctx, uint8_t *at)
{
	const struct uverbs_flow_table *next = uverbs_flow_table_next(u, t);
	const struct uverbs_flow_table *miss = uverbs_flow_table_at(u, UVERBS_FLOW_KERNEL, 0);
	uint32_t dests = 0, counters = 0;

	for (uint32_t i = 0; i < e->shares; i++) {
		struct uverbs_flow_dest d = e->share[i].dest;

		if (d.type == UVERBS_DEST_COUNTER)
			continue;
		if (d.type == UVERBS_DEST_NEXT)
			d = (struct uverbs_flow_dest){ PRM_DEST_TYPE_FLOW_TABLE, next->id };
		if (d.type == UVERBS_DEST_MISS)
			d = (struct uverbs_flow_dest){ PRM_DEST_TYPE_FLOW_TABLE, miss->id };
		PRM_SET(dest_format_struct, at, destination_type, d.type);
		PRM_SET(dest_format_struct, at, destination_id, d.id);
		at += ITEM;
		dests++;
	}
	for (uint32_t i = 0; i < e->shares; i++)
		if (e->share[i].dest.type == UVERBS_DEST_COUNTER) {
			PRM_SET(flow_counter_list, at, flow_counter_id, e->share[i].dest.id);
			at += ITEM;
			counters++;
		}
	PRM_SET(flow_context, ctx, destination_list_size, dests);
	PRM_SET(flow_context, ctx, flow_counter_list_size, counters);
}

/* fs_cmd.c, mlx5_cmd_create_fte, mlx5_cmd_update_fte */
static int fw_set(struct uverbs *u, const struct uverbs_flow_table *t, const struct entry *e,
		  bool change)
{
	size_t in_len = PRM_SZ(set_fte_in) + (size_t)e->shares * ITEM;
	uint8_t out[PRM_SZ(set_fte_out)] = { 0 }, *in = calloc(1, in_len), *ctx;
	int ret;

	if (!in)
		return -ENOMEM;
	ctx = PRM_ADDR(set_fte_in, in, flow_context);
	PRM_SET(set_fte_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, op_mod, change);
	if (change)
		PRM_SET(set_fte_in, in, modify_enable_mask,
			1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_ACTION |
				1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_DESTINATION_LIST |
				1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_COUNTERS);
	PRM_SET(set_fte_in, in, table_type, uverbs_flow_type(t->ns));
	PRM_SET(set_fte_in, in, table_id, t->id);
	PRM_SET(set_fte_in, in, flow_index, e->index);
	PRM_SET(flow_context, ctx, group_id, e->group->id);
	PRM_SET(flow_context, ctx, flow_tag, e->tag);
	PRM_SET(flow_context, ctx, action, e->action);
	PRM_SET(flow_context, ctx, modify_header_id, e->modify_id);
	PRM_SET(flow_context, ctx, packet_reformat_id, e->reformat_id);
	memcpy(PRM_ADDR(flow_context, ctx, match_value), e->value, UVERBS_MATCH_SIZE);
	put_lists(u, t, e, ctx, in + PRM_SZ(set_fte_in));
	ret = uverbs_fw(u, in, in_len, out, sizeof(out));
	free(in);
	return ret;
}

static void fw_delete(struct uverbs *u, const struct uverbs_flow_table *t,
		      const struct entry *e)
{
	uint8_t in[PRM_SZ(delete_fte_in)] = { 0 }, out[PRM_SZ(delete_fte_out)] = { 0 };

	PRM_SET(delete_fte_in, in, opcode, PRM_OP_DELETE_FLOW_TABLE_ENTRY);
	PRM_SET(delete_fte_in, in, table_type, uverbs_flow_type(t->ns));
	PRM_SET(delete_fte_in, in, table_id, t->id);
	PRM_SET(delete_fte_in, in, flow_index, e->index);
	uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* ---- groups ---- */

static void group_free(struct uverbs_flow_group *g)
{
	free(g->at);
	free(g->chain);
	free(g);
}

static struct uverbs_flow_group *group_alloc(uint32_t first, uint32_t size,
					     const struct uverbs_match *m)
{
	struct uverbs_flow_group *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->first = first;
	g->size = size;
	g->criteria = m->criteria;
	memcpy(g->mask, m->mask, sizeof(g->mask));
	for (g->chains = 1; g->chains < size;)
		g->chains *= 2;
	g->at = calloc(size, sizeof(struct entry *));
	g->chain = calloc(g->chains, sizeof(struct entry *));
	if (g->at && g->chain)
		return g;
	group_free(g);
	return NULL;
}

/* The first groups are large, further ones have one index each. */
static int group_new(struct uverbs *u, struct uverbs_flow_table *t,
		     const struct uverbs_match *m, uint32_t large,
		     struct uverbs_flow_group **out)
{
	uint32_t size = t->large < large && t->group_size ? t->group_size : 1, first = 0;
	struct core_list *pos, *tmp, *after = &t->groups;
	struct uverbs_flow_group *g;
	int ret;

	core_list_for_each(pos, tmp, &t->groups) {
		g = core_container(pos, struct uverbs_flow_group, on_table);
		if (first + size <= g->first)
			break;
		first = g->first + g->size;
		after = pos;
	}
	if (first + size > t->size)
		return -ENOSPC;
	g = group_alloc(first, size, m);
	if (!g)
		return -ENOMEM;
	ret = fw_create_group(u, t, g);
	if (ret) {
		group_free(g);
		return ret;
	}
	t->large += size == t->group_size;
	/* before the one that follows @after */
	core_list_add(after->next, &g->on_table);
	*out = g;
	return 0;
}

static void group_end(struct uverbs *u, struct uverbs_flow_table *t,
		      struct uverbs_flow_group *g)
{
	if (g->used)
		return;
	fw_destroy_group(u, t, g);
	t->large -= g->size == t->group_size;
	core_list_del(&g->on_table);
	group_free(g);
}

/* ---- entries ---- */

static struct entry **chain_of(const struct uverbs_flow_group *g, const uint8_t *value)
{
	uint64_t hash = 0, word;

	for (size_t i = 0; i + sizeof(word) <= UVERBS_MATCH_SIZE; i += sizeof(word)) {
		memcpy(&word, value + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15; /* 2^64 / the golden ratio */
		hash ^= hash >> 32;
	}
	return &g->chain[hash & (g->chains - 1)];
}

static struct entry *find(const struct uverbs_flow_group *g, const uint8_t *value)
{
	struct entry *e = *chain_of(g, value);

	while (e && memcmp(e->value, value, sizeof(e->value)) != 0)
		e = e->next;
	return e;
}

/* An entry of @g at its lowest free index, not linked yet; -ENOSPC: the group is full. */
static int entry_new(struct uverbs_flow_group *g, struct entry **out)
{
	struct entry *e;

	while (g->lowest < g->size && g->at[g->lowest])
		g->lowest++;
	if (g->lowest == g->size)
		return -ENOSPC;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->group = g;
	e->index = g->first + g->lowest;
	*out = e;
	return 0;
}

static void entry_link(struct entry *e)
{
	struct uverbs_flow_group *g = e->group;
	struct entry **chain = chain_of(g, e->value);

	e->next = *chain;
	*chain = e;
	g->at[e->index - g->first] = e;
	g->used++;
}

static void entry_unlink(struct entry *e)
{
	struct uverbs_flow_group *g = e->group;
	struct entry **p = chain_of(g, e->value);
	uint32_t place = e->index - g->first;

	while (*p != e)
		p = &(*p)->next;
	*p = e->next;
	g->at[place] = NULL;
	g->used--;
	if (place < g->lowest)
		g->lowest = place;
}

/* fs_core.c, check_conflicting_actions: one that counts only goes with all others. */
static bool conflicts(const struct entry *e, const struct uverbs_flow_act *act)
{
	const uint16_t exact = DO(DROP) | DO(PACKET_REFORMAT) | DO(DECAP) | DO(MOD_HDR);

	if (act->has_tag && e->tag != act->tag)
		return true;
	if (e->action == act->action || e->action == DO(COUNT) || act->action == DO(COUNT))
		return (act->action & DO(PACKET_REFORMAT) &&
			e->reformat_id != act->reformat_id) ||
		       (act->action & DO(MOD_HDR) && e->modify_id != act->modify_id);
	return (e->action ^ act->action) & exact;
}

static bool same(const struct uverbs_flow_dest *a, const struct uverbs_flow_dest *b)
{
	return a->type == b->type && a->id == b->id;
}

/* Adds the destinations of @act; *changed: one of them is new. */
static int add_shares(struct entry *e, const struct uverbs_flow_act *act, bool *changed)
{
	struct share *all = realloc(e->share, (e->shares + act->dests + 1) * sizeof(*e->share));

	if (!all)
		return -ENOMEM;
	e->share = all;
	for (uint32_t i = 0; i < act->dests; i++) {
		uint32_t at = 0;

		while (at < e->shares && !same(&all[at].dest, &act->dest[i]))
			at++;
		if (at == e->shares) {
			all[e->shares++] = (struct share){ .dest = act->dest[i] };
			*changed = true;
		}
		all[at].rules++;
	}
	return 0;
}

/* fs_core.c, del_sw_hw_rule: what the last destination or counter was for. */
static void trim_action(struct entry *e)
{
	uint16_t needed = 0;

	for (uint32_t i = 0; i < e->shares; i++)
		needed |=
			e->share[i].dest.type == UVERBS_DEST_COUNTER ? DO(COUNT) : DO(FWD_DEST);
	e->action &= ~(DO(COUNT) | DO(FWD_DEST)) | needed;
}

/* Takes destinations out again; true: one of them has no rule any more. */
static bool drop_shares(struct entry *e, const struct uverbs_flow_dest *dest, uint32_t n)
{
	bool changed = false;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = 0;

		while (!same(&e->share[at].dest, &dest[i]))
			at++;
		if (--e->share[at].rules)
			continue;
		e->shares--;
		memmove(&e->share[at], &e->share[at + 1], (e->shares - at) * sizeof(*e->share));
		changed = true;
	}
	return changed;
}

static int entry_create(struct uverbs *u, struct uverbs_flow_table *t,
			struct uverbs_flow_group *g, const struct uverbs_match *m,
			const struct uverbs_flow_act *act, struct entry **out)
{
	struct entry *e;
	bool changed;
	int ret = entry_new(g, &e);

	if (ret)
		return ret;
	memcpy(e->value, m->value, sizeof(e->value));
	e->action = act->action;
	e->tag = act->has_tag ? act->tag : 0;
	e->modify_id = act->modify_id;
	e->reformat_id = act->reformat_id;
	ret = add_shares(e, act, &changed);
	if (!ret)
		ret = fw_set(u, t, e, false);
	if (ret) {
		free(e->share);
		free(e);
		return ret;
	}
	entry_link(e);
	*out = e;
	return 0;
}

static int entry_join(struct uverbs *u, struct uverbs_flow_table *t, struct entry *e,
		      const struct uverbs_flow_act *act)
{
	uint16_t was = e->action;
	bool changed = false;
	int ret;

	if (conflicts(e, act))
		return -EEXIST;
	ret = add_shares(e, act, &changed);
	if (ret)
		return ret;
	e->action |= act->action;
	if (!changed && e->action == was)
		return 0;
	ret = fw_set(u, t, e, true);
	if (ret) {
		e->action = was;
		drop_shares(e, act->dest, act->dests);
	}
	return ret;
}

static void entry_end(struct uverbs *u, struct uverbs_flow_table *t, struct entry *e)
{
	struct uverbs_flow_group *g = e->group;

	fw_delete(u, t, e);
	entry_unlink(e);
	free(e->share);
	free(e);
	group_end(u, t, g);
}

/* ---- rules ---- */

/* fs_core.c, check_valid_spec, counter_is_valid */
static int check(const struct uverbs_match *m, const struct uverbs_flow_act *act)
{
	const uint16_t ends = DO(ALLOW) | DO(DROP) | DO(FWD_DEST);

	for (size_t i = 0; i < sizeof(m->value); i++)
		if (m->value[i] & ~m->mask[i])
			return -EINVAL;
	return act->action & DO(COUNT) && !(act->action & ends) ? -EINVAL : 0;
}

#define LARGE_GROUPS(t) ((t)->group_size ? (t)->size / (t)->group_size - 1 : 0)

static bool has_mask(const struct uverbs_flow_group *g, const struct uverbs_match *m)
{
	return g->criteria == m->criteria && !memcmp(g->mask, m->mask, sizeof(g->mask));
}

static int place(struct uverbs *u, struct uverbs_flow_table *t, const struct uverbs_match *m,
		 const struct uverbs_flow_act *act, struct entry **out)
{
	struct core_list *pos, *tmp;
	struct uverbs_flow_group *g;
	int ret;

	core_list_for_each(pos, tmp, &t->groups) {
		g = core_container(pos, struct uverbs_flow_group, on_table);
		if (!has_mask(g, m))
			continue;
		*out = find(g, m->value);
		if (*out)
			return entry_join(u, t, *out, act);
	}
	core_list_for_each(pos, tmp, &t->groups) {
		g = core_container(pos, struct uverbs_flow_group, on_table);
		if (!has_mask(g, m))
			continue;
		ret = entry_create(u, t, g, m, act, out);
		if (ret != -ENOSPC)
			return ret;
	}
	ret = group_new(u, t, m, LARGE_GROUPS(t), &g);
	if (ret)
		return ret;
	ret = entry_create(u, t, g, m, act, out);
	if (ret)
		group_end(u, t, g);
	return ret;
}

static bool leads_on(const struct uverbs_flow_act *act)
{
	for (uint32_t i = 0; i < act->dests; i++)
		if (act->dest[i].type == UVERBS_DEST_NEXT ||
		    act->dest[i].type == UVERBS_DEST_MISS)
			return true;
	return false;
}

static int rule_add(struct uverbs *u, struct uverbs_flow_rule *r, const struct uverbs_match *m,
		    const struct uverbs_flow_act *act)
{
	int ret = 0;

	if (leads_on(act))
		ret = uverbs_flow_table_get(u, UVERBS_FLOW_KERNEL, 0, &r->next);
	if (!ret)
		ret = place(u, r->table, m, act, &r->entry);
	if (ret) {
		if (r->next)
			uverbs_flow_table_put(u, r->next);
		return ret;
	}
	r->table->leading += r->next != NULL;
	r->entry->rules++;
	memcpy(r->dest, act->dest, sizeof(r->dest));
	r->dests = act->dests;
	return 0;
}

int uverbs_flow_add(struct uverbs *u, enum uverbs_flow_ns ns, uint8_t prio,
		    const struct uverbs_match *m, const struct uverbs_flow_act *act,
		    struct uverbs_flow_rule **rule)
{
	struct uverbs_flow_rule *r;
	int ret = check(m, act);

	if (ret)
		return ret;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	ret = uverbs_flow_table_get(u, ns, prio, &r->table);
	if (ret) {
		free(r);
		return ret;
	}
	ret = rule_add(u, r, m, act);
	if (ret) {
		uverbs_flow_table_put(u, r->table);
		free(r);
		return ret;
	}
	*rule = r;
	return 0;
}

void uverbs_flow_remove(struct uverbs *u, struct uverbs_flow_rule *r)
{
	struct entry *e = r->entry;

	r->table->leading -= r->next != NULL;
	if (!--e->rules) {
		entry_end(u, r->table, e);
	} else if (drop_shares(e, r->dest, r->dests)) {
		trim_action(e);
		fw_set(u, r->table, e, true);
	}
	uverbs_flow_table_put(u, r->table);
	if (r->next)
		uverbs_flow_table_put(u, r->next);
	free(r);
}

/* fs_core.c, connect_fwd_rules */
void uverbs_flow_next_changed(struct uverbs *u, struct uverbs_flow_table *t)
{
	for (struct core_list *p = t->groups.next; t->leading && p != &t->groups; p = p->next) {
		struct uverbs_flow_group *g =
			core_container(p, struct uverbs_flow_group, on_table);

		for (uint32_t k = 0; k < g->size; k++) {
			struct entry *e = g->at[k];

			for (uint32_t i = 0; e && i < e->shares; i++)
				if (e->share[i].dest.type == UVERBS_DEST_NEXT)
					fw_set(u, t, e, true);
		}
	}
}
