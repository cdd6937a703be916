/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow groups: a range of a table's indexes, and the mask of all entries in it.
 *
 * Groups that split by a hash (match definers) are refused.
 */
#include "fw/flow.h"

static_assert(PRM_SZ(fte_match_param) == HCA_MATCH_SIZE, "fte_match_param");

static struct hca_flow_group *group_of(const struct fw_cmd *c, uint32_t type, uint32_t table,
				       uint32_t id)
{
	struct hca_flow_table *t = fw_flow_table_of(c, type, table);
	struct hca_flow_group *g = fw_flow_group(c, id);

	return t && g && g->table == t ? g : NULL;
}

enum fw_status fw_create_flow_group(struct fw_cmd *c)
{
	uint32_t type = PRM_GET(create_flow_group_in, c->in, table_type);
	uint32_t first = PRM_GET(create_flow_group_in, c->in, start_flow_index);
	uint32_t last = PRM_GET(create_flow_group_in, c->in, end_flow_index);
	uint32_t criteria = PRM_GET(create_flow_group_in, c->in, match_criteria_enable);
	const uint8_t *mask = PRM_ADDR(create_flow_group_in, c->in, match_criteria);
	struct hca_flow_table *t =
		fw_flow_table_of(c, type, PRM_GET(create_flow_group_in, c->in, table_id));
	enum fw_status status;
	struct hca_flow_group *g;

	if (!t)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
	if (t->sw_owner || t->rtc_valid) /* its entries are in ICM */
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (first > last || last >= t->size)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_INDEX);
	/* assumed(groups_of_a_table_are_disjoint): a flow group whose range has an index of
	 * another group of the table is BAD_PARAM. */
	if (hca_flow_overlaps(t, first, last))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GROUP);
	status = fw_flow_mask(c, type, criteria, mask);
	if (status != FW_OK)
		return status;
	g = hca_flow_group_new(c->hca);
	if (!g)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	g->table = t;
	g->first = first;
	g->last = last;
	g->criteria = criteria;
	memcpy(g->mask, mask, HCA_MATCH_SIZE);
	if (!hca_flow_group_join(g)) {
		hca_flow_group_free(c->hca, g);
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	}
	fw_begin(c, g);
	PRM_SET(create_flow_group_out, c->out, group_id, g->group_id);
	return FW_OK;
}

enum fw_status fw_query_flow_group(struct fw_cmd *c)
{
	const struct hca_flow_group *g =
		group_of(c, PRM_GET(query_flow_group_in, c->in, table_type),
			 PRM_GET(query_flow_group_in, c->in, table_id),
			 PRM_GET(query_flow_group_in, c->in, group_id));

	if (!g)
		return fw_absent(c);
	PRM_SET(query_flow_group_out, c->out, start_flow_index, g->first);
	PRM_SET(query_flow_group_out, c->out, end_flow_index, g->last);
	PRM_SET(query_flow_group_out, c->out, match_criteria_enable, g->criteria);
	memcpy(PRM_ADDR(query_flow_group_out, c->out, match_criteria), g->mask, HCA_MATCH_SIZE);
	return FW_OK;
}

/* With entries in it: BAD_RES_STATE, as logs of adapters show (command.h, fw_busy). */
enum fw_status fw_destroy_flow_group(struct fw_cmd *c)
{
	return fw_destroy(c, group_of(c, PRM_GET(destroy_flow_group_in, c->in, table_type),
				      PRM_GET(destroy_flow_group_in, c->in, table_id),
				      PRM_GET(destroy_flow_group_in, c->in, group_id)));
}
