/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow tables: groups sorted by index, entries in a hash by value and in one by index; see
 * flow.h. */
#include <stdlib.h>
#include <string.h>

#include "hca/hca.h"

#define FIRST_CHAINS 8u
#define FIRST_GROUPS 8u

/* ---- groups ---- */

/* How many groups of @t begin at or before @index. */
static uint32_t begun(const struct hca_flow_table *t, uint32_t index)
{
	uint32_t low = 0, high = t->groups;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->group[mid]->first <= index)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool hca_flow_overlaps(const struct hca_flow_table *t, uint32_t first, uint32_t last)
{
	uint32_t n = begun(t, last);

	return n && t->group[n - 1]->last >= first;
}

struct hca_flow_group *hca_flow_group_at(const struct hca_flow_table *t, uint32_t index)
{
	uint32_t n = begun(t, index);

	return n && t->group[n - 1]->last >= index ? t->group[n - 1] : NULL;
}

static bool grow_groups(struct hca_flow_table *t)
{
	uint32_t capacity = t->capacity ? t->capacity * 2 : FIRST_GROUPS;
	struct hca_flow_group **group;

	if (t->groups < t->capacity)
		return true;
	group = realloc(t->group, capacity * sizeof(struct hca_flow_group *));
	if (!group)
		return false;
	t->group = group;
	t->capacity = capacity;
	return true;
}

static uint32_t load(const uint8_t *match, uint32_t dword)
{
	uint32_t v;

	memcpy(&v, match + (size_t)dword * 4, sizeof(v));
	return v;
}

bool hca_flow_group_join(struct hca_flow_group *g)
{
	struct hca_flow_table *t = g->table;
	uint32_t at = begun(t, g->first);

	if (!grow_groups(t))
		return false;
	for (uint32_t i = 0; i < HCA_MATCH_DWORDS; i++)
		if (load(g->mask, i))
			g->dword[g->dwords++] = i;
	memmove(t->group + at + 1, t->group + at,
		(t->groups - at) * sizeof(struct hca_flow_group *));
	t->group[at] = g;
	t->groups++;
	return true;
}

static void leave(struct hca_flow_group *g)
{
	struct hca_flow_table *t = g->table;
	uint32_t at = t ? begun(t, g->first) : 0;

	if (!at || t->group[at - 1] != g)
		return;
	memmove(t->group + at - 1, t->group + at,
		(t->groups - at) * sizeof(struct hca_flow_group *));
	t->groups--;
}

/* ---- the hashes of a group ---- */

/* FNV-1a over words, with a last mix so that the low bits depend on all. */
static uint32_t hash_of(const uint32_t *key, uint32_t dwords)
{
	uint64_t h = 0xcbf29ce484222325;

	for (uint32_t i = 0; i < dwords; i++)
		h = (h ^ key[i]) * 0x100000001b3;
	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15;
	return h >> 32;
}

static void make_key(const struct hca_flow_group *g, const uint8_t *match, uint32_t *key)
{
	for (uint32_t i = 0; i < g->dwords; i++)
		key[i] = load(match, g->dword[i]) & load(g->mask, g->dword[i]);
}

static void link_entry(struct hca_flow_group *g, struct hca_fte *e)
{
	struct hca_fte **key = &g->by_key[e->hash & (g->chains - 1)];
	struct hca_fte **index = &g->by_index[e->index & (g->chains - 1)];

	e->next_by_key = *key;
	*key = e;
	e->next_by_index = *index;
	*index = e;
}

static bool grow(struct hca_flow_group *g)
{
	struct hca_flow_group was = *g;
	uint32_t chains = was.chains ? was.chains * 2 : FIRST_CHAINS;

	if (was.entries < was.chains)
		return true;
	g->by_key = calloc(chains, sizeof(struct hca_fte *));
	g->by_index = calloc(chains, sizeof(struct hca_fte *));
	if (!g->by_key || !g->by_index) {
		free(g->by_key);
		free(g->by_index);
		*g = was;
		return false;
	}
	g->chains = chains;
	for (uint32_t i = 0; i < was.chains; i++) {
		for (struct hca_fte *e = was.by_index[i], *next; e; e = next) {
			next = e->next_by_index;
			link_entry(g, e);
		}
	}
	free(was.by_key);
	free(was.by_index);
	return true;
}

static void unlink_entry(struct hca_fte *e)
{
	struct hca_flow_group *g = e->group;
	struct hca_fte **key = &g->by_key[e->hash & (g->chains - 1)];
	struct hca_fte **index = &g->by_index[e->index & (g->chains - 1)];

	while (*key != e)
		key = &(*key)->next_by_key;
	*key = e->next_by_key;
	while (*index != e)
		index = &(*index)->next_by_index;
	*index = e->next_by_index;
}

/* ---- what an entry does ---- */

static void refer(const struct hca_fte_do *act, int by)
{
	if (act->modify)
		act->modify->refs += by;
	if (act->reformat)
		act->reformat->refs += by;
	for (uint32_t i = 0; i < act->dests; i++)
		if (act->dest[i].object)
			act->dest[i].object->refs += by;
	for (uint32_t i = 0; i < act->counts; i++)
		act->count[i].bulk->refs += by;
}

void hca_fte_do_free(struct hca_fte_do *act)
{
	free(act->dest);
	free(act->count);
	*act = (struct hca_fte_do){ 0 };
}

/* ---- entries ---- */

struct hca_fte *hca_fte_new(struct hca_flow_group *g, uint32_t index, const uint8_t *value,
			    const struct hca_fte_do *act)
{
	struct hca_fte *e = calloc(1, sizeof(*e) + g->dwords * sizeof(e->key[0]));

	if (!e || !grow(g)) {
		free(e);
		return NULL;
	}
	e->group = g;
	e->index = index;
	make_key(g, value, e->key);
	e->hash = hash_of(e->key, g->dwords);
	e->act = *act;
	refer(&e->act, 1);
	link_entry(g, e);
	g->entries++;
	g->refs++;
	return e;
}

void hca_fte_change(struct hca_fte *e, const struct hca_fte_do *act)
{
	refer(act, 1);
	refer(&e->act, -1);
	hca_fte_do_free(&e->act);
	e->act = *act;
}

void hca_fte_delete(struct hca_fte *e)
{
	unlink_entry(e);
	e->group->entries--;
	e->group->refs--;
	refer(&e->act, -1);
	hca_fte_do_free(&e->act);
	free(e);
}

struct hca_fte *hca_fte_find(const struct hca_flow_table *t, uint32_t index)
{
	const struct hca_flow_group *g = hca_flow_group_at(t, index);
	struct hca_fte *e = g && g->chains ? g->by_index[index & (g->chains - 1)] : NULL;

	while (e && e->index != index)
		e = e->next_by_index;
	return e;
}

void hca_fte_value(const struct hca_fte *e, uint8_t *value)
{
	memset(value, 0, HCA_MATCH_SIZE);
	for (uint32_t i = 0; i < e->group->dwords; i++)
		memcpy(value + (size_t)e->group->dword[i] * 4, &e->key[i], sizeof(e->key[i]));
}

static struct hca_fte *match_in(const struct hca_flow_group *g, const uint8_t *packet,
				uint8_t source)
{
	uint32_t key[HCA_MATCH_DWORDS], hash;
	struct hca_fte *lowest = NULL;

	if (!g->entries)
		return NULL;
	make_key(g, packet, key);
	hash = hash_of(key, g->dwords);
	for (struct hca_fte *e = g->by_key[hash & (g->chains - 1)]; e; e = e->next_by_key)
		if (e->hash == hash && (!lowest || e->index < lowest->index) &&
		    (!e->act.source || e->act.source == source) &&
		    !memcmp(e->key, key, g->dwords * sizeof(key[0])))
			lowest = e;
	return lowest;
}

struct hca_fte *hca_fte_match(const struct hca_flow_table *t, const uint8_t *packet,
			      uint8_t source)
{
	struct hca_fte *e = NULL;

	for (uint32_t i = 0; i < t->groups && !e; i++)
		e = match_in(t->group[i], packet, source);
	return e;
}

/* ---- modify header contexts ---- */

#define ID(name) PRM_ACTION_IN_FIELD_##name

uint8_t hca_header_field_bits(uint32_t field)
{
	switch (field) {
	case ID(OUT_IP_DSCP):
		return 6;
	case ID(OUT_IP_TTL):
	case ID(OUT_IPV6_HOPLIMIT):
		return 8;
	case ID(OUT_TCP_FLAGS):
		return 9;
	case ID(OUT_FIRST_VID):
		return 12;
	case ID(OUT_SMAC_15_0):
	case ID(OUT_DMAC_15_0):
	case ID(OUT_ETHERTYPE):
	case ID(OUT_TCP_SPORT):
	case ID(OUT_TCP_DPORT):
	case ID(OUT_UDP_SPORT):
	case ID(OUT_UDP_DPORT):
		return 16;
	case ID(OUT_SMAC_47_16):
	case ID(OUT_DMAC_47_16):
	case ID(OUT_SIPV6_127_96)... ID(OUT_DIPV4):
	case ID(METADATA_REG_A):
	case ID(METADATA_REG_B)... ID(METADATA_REG_C_7):
	case ID(OUT_TCP_SEQ_NUM):
	case ID(OUT_TCP_ACK_NUM):
		return 32;
	default:
		return 0;
	}
}

/* ---- hooks of the kinds ---- */

void hca_flow_table_fini(struct hca *hca, void *obj)
{
	struct hca_flow_table *t = obj;

	for (uint32_t i = 0; i < HCA_FLOW_TYPES; i++)
		if (hca->roots[i] == t)
			hca->roots[i] = NULL;
	free(t->group);
}

/* Not hca_fte_delete(): what its entries refer to may be freed already. */
void hca_flow_group_fini(struct hca *hca, void *obj)
{
	struct hca_flow_group *g = obj;

	(void)hca;
	leave(g);
	for (uint32_t i = 0; i < g->chains; i++) {
		for (struct hca_fte *e = g->by_index[i], *next; e; e = next) {
			next = e->next_by_index;
			hca_fte_do_free(&e->act);
			free(e);
		}
	}
	free(g->by_key);
	free(g->by_index);
}

void hca_packet_reformat_fini(struct hca *hca, void *obj)
{
	(void)hca;
	free(((struct hca_packet_reformat *)obj)->data);
}
