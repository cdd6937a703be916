/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling elements of the NIC: a tree that says how senders share the wire.
 *
 *	TSAR (root) <- TSAR: share 10 <- queue group: at most 4 Gb/s <- QPs
 *	            <- TSAR: share 2
 *
 * And the table of rates for packet pacing. Hardware differs: here shares, limits and rates are
 * kept and shown, but delay nothing.
 */
#include "fw/element.h"

/* mlx5_ifc.h: MODIFY_SCHEDULING_ELEMENT_IN_MODIFY_BITMASK_* */
#define SET_BW_SHARE   1
#define SET_MAX_AVG_BW 2

static_assert(PRM_SZ(scheduling_context) == HCA_SCHED_CONTEXT_SIZE, "context");
static_assert(PRM_SZ(set_pp_rate_limit_context) == HCA_RATE_LIMIT_SIZE, "rate");

static uint32_t type_of(const uint8_t *ctx)
{
	return PRM_GET(scheduling_context, ctx, element_type);
}

/* assumed(nic_scheduling_tree): the NIC's tree is made of TSARs and queue groups; a root is a
 * TSAR, a queue group has no children, and a bandwidth share is at most max_tsar_bw_share. */
static enum fw_status check(struct fw_cmd *c, uint32_t hierarchy, const uint8_t *ctx)
{
	uint32_t id = PRM_GET(scheduling_context, ctx, parent_element_id), type = type_of(ctx);
	const struct hca_sched *parent = fw_sched(c, id);

	if (hierarchy != PRM_SCHED_HIERARCHY_NIC ||
	    (type != PRM_SCHED_ELEMENT_TSAR && type != PRM_SCHED_ELEMENT_QUEUE_GROUP))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* TSAR type; libmlx5 writes that of DWRR, 0, for queue groups as well. */
	if (PRM_GET(scheduling_context, ctx, element_attributes) != PRM_TSAR_DWRR << 16)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(scheduling_context, ctx, bw_share) > FW_QOS(c->hca, max_tsar_bw_share))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (id && (!parent || type_of(parent->ctx) != PRM_SCHED_ELEMENT_TSAR))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SCHED);
	if (!id && type != PRM_SCHED_ELEMENT_TSAR)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SCHED);
	return FW_OK;
}

enum fw_status fw_sched_new(struct fw_cmd *c, uint32_t hierarchy, const uint8_t *ctx,
			    uint32_t *id)
{
	enum fw_status status = check(c, hierarchy, ctx);
	struct hca_sched *s;

	if (status != FW_OK)
		return status;
	if (fw_at_limit(&c->hca->scheds, FW_QOS(c->hca, log_max_qos_nic_queue_group)))
		return fw_refuse(c, FW_LIM_ERR, FW_WHY_LIMIT);
	s = hca_sched_new(c->hca);
	if (!s)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	memcpy(s->ctx, ctx, HCA_SCHED_CONTEXT_SIZE);
	s->parent = fw_sched(c, PRM_GET(scheduling_context, ctx, parent_element_id));
	fw_begin(c, s);
	*id = s->id;
	return FW_OK;
}

enum fw_status fw_sched_modify(struct fw_cmd *c, uint32_t hierarchy, uint32_t id, uint64_t mask,
			       const uint8_t *ctx)
{
	struct hca_sched *s = fw_sched(c, id);
	uint32_t share = PRM_GET(scheduling_context, ctx, bw_share);

	if (!s)
		return fw_absent(c);
	if (hierarchy != PRM_SCHED_HIERARCHY_NIC ||
	    mask & ~(uint64_t)(SET_BW_SHARE | SET_MAX_AVG_BW))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	/* libmlx5 repeats the type, mlx5_core does not. */
	if (type_of(ctx) && type_of(ctx) != type_of(s->ctx))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (mask & SET_BW_SHARE && share > FW_QOS(c->hca, max_tsar_bw_share))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (mask & SET_BW_SHARE)
		PRM_SET(scheduling_context, s->ctx, bw_share, share);
	if (mask & SET_MAX_AVG_BW)
		PRM_SET(scheduling_context, s->ctx, max_average_bw,
			PRM_GET(scheduling_context, ctx, max_average_bw));
	return FW_OK;
}

enum fw_status fw_sched_delete(struct fw_cmd *c, uint32_t id)
{
	return fw_destroy(c, fw_sched(c, id));
}

/* ---- their own commands ---- */

enum fw_status fw_create_scheduling_element(struct fw_cmd *c)
{
	uint32_t hierarchy = PRM_GET(create_scheduling_element_in, c->in, scheduling_hierarchy);
	uint32_t id = 0;
	enum fw_status status = fw_sched_new(
		c, hierarchy, PRM_ADDR(create_scheduling_element_in, c->in, scheduling_context),
		&id);

	PRM_SET(create_scheduling_element_out, c->out, scheduling_element_id, id);
	return status;
}

enum fw_status fw_modify_scheduling_element(struct fw_cmd *c)
{
	return fw_sched_modify(
		c, PRM_GET(modify_scheduling_element_in, c->in, scheduling_hierarchy),
		PRM_GET(modify_scheduling_element_in, c->in, scheduling_element_id),
		PRM_GET(modify_scheduling_element_in, c->in, modify_bitmask),
		PRM_ADDR(modify_scheduling_element_in, c->in, scheduling_context));
}

enum fw_status fw_query_scheduling_element(struct fw_cmd *c)
{
	const struct hca_sched *s =
		fw_sched(c, PRM_GET(query_scheduling_element_in, c->in, scheduling_element_id));

	if (PRM_GET(query_scheduling_element_in, c->in, scheduling_hierarchy) !=
	    PRM_SCHED_HIERARCHY_NIC)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!s)
		return fw_absent(c);
	memcpy(PRM_ADDR(query_scheduling_element_out, c->out, scheduling_context), s->ctx,
	       HCA_SCHED_CONTEXT_SIZE);
	return FW_OK;
}

enum fw_status fw_destroy_scheduling_element(struct fw_cmd *c)
{
	if (PRM_GET(destroy_scheduling_element_in, c->in, scheduling_hierarchy) !=
	    PRM_SCHED_HIERARCHY_NIC)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return fw_sched_delete(
		c, PRM_GET(destroy_scheduling_element_in, c->in, scheduling_element_id));
}

/* ---- packet pacing ---- */

/* The driver gives the entries out, 0 is not one of them, and a rate of 0 clears (mlx5_core,
 * rl.c). */
enum fw_status fw_set_pp_rate_limit(struct fw_cmd *c)
{
	uint32_t index = PRM_GET(set_pp_rate_limit_in, c->in, rate_limit_index);
	const uint8_t *ctx = PRM_ADDR(set_pp_rate_limit_in, c->in, ctx);
	uint32_t rate = PRM_GET(set_pp_rate_limit_context, ctx, rate_limit);
	struct hca_rate *entry;

	if (!index || index >= FW_QOS(c->hca, packet_pacing_rate_table_size) ||
	    index >= HCA_RATES)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_LIMIT);
	entry = &c->hca->rates[index];
	/* assumed(rate_entry_belongs_to_its_uid): an entry that one uid has set is changed and
	 * cleared by that uid and by the driver only. */
	if (entry->used && !fw_may(c, entry->uid))
		return fw_absent(c);
	if (rate && (rate < FW_QOS(c->hca, packet_pacing_min_rate) ||
		     rate > FW_QOS(c->hca, packet_pacing_max_rate)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	/* assumed(rate_in_use_is_not_cleared): clearing an entry that an SQ names is
	 * refused, as destroying an object in use is; an SQ in RST names none. */
	if (!rate && entry->refs)
		return fw_busy(c);
	if (entry->used)
		fw_disown(c->hca, entry->uid);
	entry->used = rate;
	memcpy(entry->ctx, ctx, HCA_RATE_LIMIT_SIZE);
	if (rate)
		entry->uid = fw_own(c);
	return FW_OK;
}

/* ---- who is scheduled ---- */

/* mlx5_ib, qos.c: an entry is shared by all contexts that want the same rate, except for those
 * that ask for a separate one. */
static struct hca_rate *rate_of(const struct fw_cmd *c, const uint8_t *sqc)
{
	uint32_t index = PRM_GET(sqc, sqc, packet_pacing_rate_limit_index);
	struct hca_rate *rate = index && index < HCA_RATES ? &c->hca->rates[index] : NULL;

	if (!rate || !rate->used)
		return NULL;
	return rate->uid == FW_UID_SHARED || fw_may(c, rate->uid) ? rate : NULL;
}

/* assumed(sq_names_what_is_there): an SQ whose packet_pacing_rate_limit_index is an entry
 * without rate, or whose qos_queue_group_id is not a queue group, is BAD_RES. */
enum fw_status fw_check_sender(struct fw_cmd *c, const uint8_t *sqc)
{
	uint32_t id = PRM_GET(sqc, sqc, qos_queue_group_id);
	const struct hca_sched *group = fw_sched(c, id);

	if (id && (!group || type_of(group->ctx) != PRM_SCHED_ELEMENT_QUEUE_GROUP))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SCHED);
	if (PRM_GET(sqc, sqc, packet_pacing_rate_limit_index) && !rate_of(c, sqc))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SCHED);
	return FW_OK;
}

void fw_join_sender(const struct fw_cmd *c, struct hca_sq *sq, const uint8_t *sqc)
{
	if (sq->sched)
		sq->sched->refs--;
	if (sq->rate)
		sq->rate->refs--;
	sq->sched = fw_sched(c, PRM_GET(sqc, sqc, qos_queue_group_id));
	sq->rate = rate_of(c, sqc);
	if (sq->sched)
		sq->sched->refs++;
	if (sq->rate)
		sq->rate->refs++;
}
