/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of the tables of "devx". Rules of one priority and one mask share a flow group; when
 * it is full, the next one for this mask is twice as large.
 *
 *	priority 0   entries 0 … size / 16 - 1          group of 16 | group of 16 | group of 32 …
 *	priority 1   the next size / 16                  mask A        mask B        mask A
 *
 * A priority that needs more has what is free up to the groups of the next one, or down to
 * those of the one before.
 *
 * Two rules with the same match are in different groups, the earlier one before the later: it
 * counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "port.h"

enum { FIRST_SIZE = 16 };

struct mask_group {
	struct mask_group *next; /* of the table, by place */
	struct devx_obj obj;
	uint32_t priority, first, size, used;
	uint32_t lowest; /* no entry before it is free */
	uint8_t criteria, mask[FLOW_MATCH_BYTES];
	struct dv_flow **at; /* by entry from first on; NULL: free */
	struct dv_flow *
		*chain; /* flow.chained, by a hash of the value; size of them, a power of two */
};

static uint32_t per_priority(const struct group_table *t)
{
	return t->size / FLOW_DEVX_PRIORITIES;
}

static uint32_t first_of(const struct dv_flow *f)
{
	return f->making->rule->priority * per_priority(f->table);
}

static bool has_mask(const struct mask_group *g, const struct dv_flow *f)
{
	return g->priority == f->making->rule->priority &&
	       g->criteria == f->making->match.criteria &&
	       !memcmp(g->mask, f->making->match.mask, sizeof(g->mask));
}

enum { BLOCK = 64 };

static size_t value_bytes(uint8_t criteria)
{
	return BLOCK * (size_t)__builtin_popcount(criteria);
}

/* The blocks of the match that the mask has; the others are zero. */
static int keep_value(struct dv_flow *f, struct dv_flow_error *error)
{
	const struct dv_flow_match *m = &f->making->match;
	uint8_t *to = malloc(value_bytes(m->criteria) + 1); /* not 0 */

	f->value = to;
	if (!to)
		return flow_refuse(error, ENOMEM, "no memory");
	for (unsigned int i = 0; i < FLOW_MATCH_BYTES / BLOCK; i++)
		if (m->criteria >> i & 1) {
			memcpy(to, m->value + i * BLOCK, BLOCK);
			to += BLOCK;
		}
	return 0;
}

static struct dv_flow **chain_of(const struct mask_group *g, const struct dv_flow *f)
{
	uint64_t hash = 0, word;

	for (size_t i = 0; i < value_bytes(g->criteria); i += sizeof(word)) {
		memcpy(&word, f->value + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15; /* 2^64 / the golden ratio */
		hash ^= hash >> 32;
	}
	return &g->chain[hash & (g->size - 1)];
}

static bool has_value(const struct mask_group *g, const struct dv_flow *f)
{
	const struct dv_flow *other = *chain_of(g, f);

	while (other && memcmp(other->value, f->value, value_bytes(g->criteria)) != 0)
		other = other->chained;
	return other;
}

/* ---- groups ---- */

static void group_free(struct mask_group *g)
{
	free(g->at);
	free(g->chain);
	free(g);
}

/* The place in the list of the table for a group of @size entries at or after @first, after
 * those of lower priorities and before those of higher ones; *@first: its first entry. NULL:
 * there is no space for it. */
static struct mask_group **find_space(const struct dv_flow *f, uint32_t size, uint32_t *first)
{
	struct mask_group **at = &f->table->masks;
	uint32_t priority = f->making->rule->priority;

	for (; *at; at = &(*at)->next) {
		const struct mask_group *g = *at;

		if (g->priority > priority ||
		    (g->priority == priority && *first + size <= g->first))
			break;
		if (*first < g->first + g->size)
			*first = g->first + g->size;
	}
	return *first + size <= (*at ? (*at)->first : f->table->size) ? at : NULL;
}

static int group_create(struct dv_flow *f, struct mask_group *g, struct dv_flow_error *error)
{
	struct devx_flow_group_attr attr = { .table_type = f->table->type,
					     .table_id = f->table->obj.id,
					     .first = g->first,
					     .last = g->first + g->size - 1,
					     .criteria = g->criteria,
					     .mask = g->mask };
	int err;

	g->at = calloc(g->size, sizeof(struct dv_flow *));
	g->chain = calloc(g->size, sizeof(struct dv_flow *));
	if (!g->at || !g->chain)
		return flow_refuse(error, ENOMEM, "no memory");
	err = devx_flow_group_create(&g->obj, f->port->ctx, &attr);
	return err ? flow_refuse_command(err, error) : 0;
}

/* A place at or after @after or, 0, where those of the priority are; then before them, next to
 * the one that follows. *@size: fewer entries if there is no space for so many. */
static struct mask_group **find_place(const struct dv_flow *f, uint32_t after, uint32_t *size,
				      uint32_t *place)
{
	const uint32_t starts[] = { after ? after : first_of(f), 0 }, wanted = *size;

	for (unsigned int i = 0; i < (after ? 1 : 2); i++)
		for (*size = wanted; *size; *size /= 2) {
			struct mask_group **at;

			*place = starts[i];
			at = find_space(f, *size, place);
			if (at && i)
				*place = (*at ? (*at)->first : f->table->size) - *size;
			if (at)
				return at;
		}
	return NULL;
}

/* A group for the mask of @f, of @size entries or fewer; @after: not 0, the rule is after that
 * entry. */
static int group_new(struct dv_flow *f, uint32_t after, uint32_t size, struct mask_group **out,
		     struct dv_flow_error *error)
{
	uint32_t place;
	struct mask_group **at = find_place(f, after, &size, &place), *g;
	int err;

	if (!at)
		return flow_refuse(
			error, ENOSPC,
			"the table of group %u has %u entries, and none is free for priority %u",
			f->table->group, f->table->size, f->making->rule->priority);
	g = calloc(1, sizeof(*g));
	if (!g)
		return flow_refuse(error, ENOMEM, "no memory");
	g->priority = f->making->rule->priority;
	g->first = place;
	g->size = size;
	g->criteria = f->making->match.criteria;
	memcpy(g->mask, f->making->match.mask, sizeof(g->mask));
	err = group_create(f, g, error);
	if (err) {
		group_free(g);
		return err;
	}
	g->next = *at;
	*out = *at = g;
	return 0;
}

static int group_end(struct group_table *t, struct mask_group *g)
{
	struct mask_group **at = &t->masks;
	int err = g->used ? 0 : devx_flow_group_destroy(&g->obj);

	if (err || g->used)
		return err;
	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	group_free(g);
	return 0;
}

/* ---- entries ---- */

/* The last group of the mask that has the value: the rule is after it. */
static int find_group(struct dv_flow *f, struct mask_group **out, struct dv_flow_error *error)
{
	uint32_t after = 0, size = FIRST_SIZE;

	*out = NULL;
	for (struct mask_group *g = f->table->masks; g; g = g->next) {
		if (!has_mask(g, f))
			continue;
		if (has_value(g, f)) {
			after = g->first + g->size;
			*out = NULL;
		} else if (!*out && g->used < g->size) {
			*out = g;
		}
		if (2 * g->size > size && 2 * g->size <= per_priority(f->table) / 2)
			size = 2 * g->size;
	}
	return *out ? 0 : group_new(f, after, size, out, error);
}

int flow_entry_take(struct dv_flow *f, uint32_t *index, struct dv_flow_error *error)
{
	struct mask_group *g;
	struct dv_flow **chain;
	int err = keep_value(f, error);

	if (!err)
		err = find_group(f, &g, error);
	if (err)
		return err;
	while (g->at[g->lowest])
		g->lowest++;
	*index = g->first + g->lowest;
	g->at[g->lowest] = f;
	g->used++;
	chain = chain_of(g, f);
	f->chained = *chain;
	*chain = f;
	f->masks = g;
	f->index = *index;
	return 0;
}

int flow_entry_give(struct dv_flow *f)
{
	struct mask_group *g = f->masks;
	struct dv_flow **p;
	uint32_t place;

	if (!g)
		return 0;
	place = f->index - g->first;
	if (g->at[place] == f) {
		p = chain_of(g, f);
		while (*p != f)
			p = &(*p)->chained;
		*p = f->chained;
		g->at[place] = NULL;
		g->used--;
		if (place < g->lowest)
			g->lowest = place;
	}
	return group_end(f->table, g);
}

uint32_t flow_entry_group(const struct dv_flow *f)
{
	return f->masks->obj.id;
}
