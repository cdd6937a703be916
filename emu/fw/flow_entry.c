/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow table entries: at an index of a group, a value within the group's mask, and what is done
 * with a packet that matches it (flow_action.c).
 *
 *	SET_FLOW_TABLE_ENTRY op_mod 0 -> new
 *	                     op_mod 1 -> what modify_enable_mask names is replaced
 *
 * An entry belongs to the uid of its table, and only DELETE_FLOW_TABLE_ENTRY ends it.
 */
#include <stdlib.h>

#include "fw/flow.h"

#define NEW    0
#define CHANGE 1

static struct hca_flow_table *table_of(const struct fw_cmd *c)
{
	return fw_flow_table_of(c, PRM_GET(set_fte_in, c->in, table_type),
				PRM_GET(set_fte_in, c->in, table_id));
}

/* Is @value within the mask? The kernel refuses it otherwise, before any command (fs_core.c,
 * check_valid_spec). */
/* assumed(value_is_within_the_mask): SET_FLOW_TABLE_ENTRY with a bit of match_value outside of
 * the group's mask is BAD_PARAM. */
static bool is_within(const struct hca_flow_group *g, const uint8_t *value)
{
	for (size_t i = 0; i < HCA_MATCH_SIZE; i++)
		if (value[i] & ~g->mask[i])
			return false;
	return true;
}

static enum fw_status create(struct fw_cmd *c, struct hca_flow_table *t, const uint8_t *ctx)
{
	uint32_t index = PRM_GET(set_fte_in, c->in, flow_index);
	const uint8_t *value = PRM_ADDR(flow_context, ctx, match_value);
	struct hca_flow_group *g = fw_flow_group(c, PRM_GET(flow_context, ctx, group_id));
	struct hca_fte_do act;
	enum fw_status status;

	if (!g || g->table != t)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_GROUP);
	if (PRM_GET(set_fte_in, c->in, modify_enable_mask))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* assumed(entry_index_is_free_and_in_its_group): SET_FLOW_TABLE_ENTRY with op_mod 0 is
	 * BAD_PARAM at an index outside of the group or where an entry is already. */
	if (index < g->first || index > g->last || hca_fte_find(t, index))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_INDEX);
	if (!is_within(g, value))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_MATCH);
	status = fw_fte_read(c, t, ctx, &act);
	if (status != FW_OK)
		return status;
	status = fw_fte_check(c, t, &act);
	if (status == FW_OK && !hca_fte_new(g, index, value, &act))
		status = fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	if (status != FW_OK)
		hca_fte_do_free(&act);
	return status;
}

#define MAY(mask, name) ((mask) >> PRM_SET_FTE_MODIFY_ENABLE_MASK_##name & 1)
#define KNOWN                                                    \
	(1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_ACTION |           \
	 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_TAG |         \
	 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_DESTINATION_LIST | \
	 1u << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_COUNTERS)

static void *copy_of(const void *p, size_t n, size_t size)
{
	void *copy = n ? calloc(n, size) : NULL;

	return copy ? memcpy(copy, p, n * size) : NULL;
}

/* Merges the members of @given that @mask names with the others of @was. False: no memory. */
static bool merge(struct hca_fte_do *given, const struct hca_fte_do *was, uint32_t mask)
{
	struct hca_fte_do all = MAY(mask, ACTION) ? *given : *was;

	all.tag = MAY(mask, FLOW_TAG) ? given->tag : was->tag;
	all.dest = given->dest;
	all.dests = given->dests;
	all.any_level = given->any_level;
	all.count = given->count;
	all.counts = given->counts;
	if (!MAY(mask, DESTINATION_LIST)) {
		free(given->dest);
		all.dest = given->dest = copy_of(was->dest, was->dests, sizeof(*was->dest));
		all.dests = was->dests;
		all.any_level = was->any_level;
	}
	if (!MAY(mask, FLOW_COUNTERS)) {
		free(given->count);
		all.count = given->count =
			copy_of(was->count, was->counts, sizeof(*was->count));
		all.counts = was->counts;
	}
	*given = all;
	return (all.dest || !all.dests) && (all.count || !all.counts);
}

/* assumed(a_change_keeps_group_and_value): SET_FLOW_TABLE_ENTRY with op_mod 1 reads neither
 * group_id nor match_value. */
static enum fw_status change(struct fw_cmd *c, const struct hca_flow_table *t,
			     const uint8_t *ctx)
{
	uint32_t mask = PRM_GET(set_fte_in, c->in, modify_enable_mask);
	struct hca_fte *e = hca_fte_find(t, PRM_GET(set_fte_in, c->in, flow_index));
	struct hca_fte_do act;
	enum fw_status status;

	if (!FW_FT(fw_flow_caps(c, t->type), flow_modify_en) || mask & ~KNOWN)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!e)
		return fw_absent(c);
	status = fw_fte_read(c, t, ctx, &act);
	if (status != FW_OK)
		return status;
	if (!merge(&act, &e->act, mask))
		status = fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	else
		status = fw_fte_check(c, t, &act);
	if (status == FW_OK)
		hca_fte_change(e, &act);
	else
		hca_fte_do_free(&act);
	return status;
}

enum fw_status fw_set_fte(struct fw_cmd *c)
{
	const uint8_t *ctx = PRM_ADDR(set_fte_in, c->in, flow_context);
	struct hca_flow_table *t = table_of(c);

	if (!t)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
	switch (PRM_GET(set_fte_in, c->in, op_mod)) {
	case NEW:
		return create(c, t, ctx);
	case CHANGE:
		return change(c, t, ctx);
	default:
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	}
}

static void put_lists(struct fw_cmd *c, const struct hca_fte_do *act)
{
	size_t at = PRM_SZ(query_fte_out);

	for (uint32_t i = 0; i < act->dests && at + 8 <= c->out_len; i++, at += 8) {
		const struct hca_flow_dest *d = &act->dest[i];

		PRM_SET(dest_format_struct, c->out + at, destination_type, d->type);
		PRM_SET(dest_format_struct, c->out + at, destination_id,
			d->object ? d->object->id : d->vport);
	}
	for (uint32_t i = 0; i < act->counts && at + 8 <= c->out_len; i++, at += 8)
		PRM_SET(flow_counter_list, c->out + at, flow_counter_id, act->count[i].id);
}

static void put_context(uint8_t *ctx, const struct hca_fte *e)
{
	const struct hca_fte_do *act = &e->act;

	PRM_SET(flow_context, ctx, group_id, e->group->group_id);
	PRM_SET(flow_context, ctx, flow_tag, act->tag);
	PRM_SET(flow_context, ctx, action, act->action);
	PRM_SET(flow_context, ctx, flow_source, act->source);
	PRM_SET(flow_context, ctx, destination_list_size, act->dests);
	PRM_SET(flow_context, ctx, flow_counter_list_size, act->counts);
	PRM_SET(flow_context, ctx, packet_reformat_id, act->reformat ? act->reformat->id : 0);
	PRM_SET(flow_context, ctx, modify_header_id, act->modify ? act->modify->id : 0);
	core_put_be32(PRM_ADDR(flow_context, ctx, push_vlan), act->push_vlan[0]);
	core_put_be32(PRM_ADDR(flow_context, ctx, push_vlan_2), act->push_vlan[1]);
	hca_fte_value(e, PRM_ADDR(flow_context, ctx, match_value));
}

/* The lists follow as far as the outbox reaches. */
enum fw_status fw_query_fte(struct fw_cmd *c)
{
	const struct hca_flow_table *t = table_of(c);
	const struct hca_fte *e =
		t ? hca_fte_find(t, PRM_GET(query_fte_in, c->in, flow_index)) : NULL;

	if (!e)
		return fw_absent(c);
	put_context(PRM_ADDR(query_fte_out, c->out, flow_context), e);
	put_lists(c, &e->act);
	return FW_OK;
}

enum fw_status fw_delete_fte(struct fw_cmd *c)
{
	const struct hca_flow_table *t = table_of(c);
	struct hca_fte *e =
		t ? hca_fte_find(t, PRM_GET(delete_fte_in, c->in, flow_index)) : NULL;

	if (!e)
		return fw_absent(c);
	hca_fte_delete(e);
	return FW_OK;
}
