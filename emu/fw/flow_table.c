/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables, and which of them is the root of its type: the first that a packet comes to.
 *
 *	CREATE_FLOW_TABLE -> table <- SET_FLOW_TABLE_ROOT (the driver only)
 *	                     |  miss: default of the type, another table, or the next type
 *
 * The entries of a table that software owns (sw_owner) are in ICM, and it has no groups. A
 * table of firmware has an ICM address, to which such entries may lead.
 *
 * A table of hardware steering (rtc_valid) has no groups either: its entries are those of an
 * RTC that MODIFY_FLOW_TABLE names.
 *
 * Tables of other vports and termination tables of the e-switch are refused; that one of NIC_RX
 * ends a packet's way is how the library uses it.
 */
#include "fw/flow.h"

static_assert(PRM_SZ(flow_table_context) == HCA_FLOW_TABLE_SIZE, "flow_table_context");
static_assert(PRM_FT_TYPE_RDMA_TX == HCA_FLOW_TYPES - 1, "types with a root");

#define NIC(side)                                                      \
	PRM_ADDR(flow_table_nic_cap, c->hca->caps[PRM_CAP_FLOW_TABLE], \
		 flow_table_properties_##side)

static const uint8_t *props(const struct fw_cmd *c, uint32_t type)
{
	switch (type) {
	case PRM_FT_TYPE_NIC_RX:
		return NIC(nic_receive);
	case PRM_FT_TYPE_NIC_TX:
		return NIC(nic_transmit);
	case PRM_FT_TYPE_FDB:
		return PRM_ADDR(flow_table_eswitch_cap,
				c->hca->caps[PRM_CAP_ESWITCH_FLOW_TABLE],
				flow_table_properties_nic_esw_fdb);
	case PRM_FT_TYPE_SNIFFER_RX:
		return NIC(nic_receive_sniffer);
	case PRM_FT_TYPE_SNIFFER_TX:
		return NIC(nic_transmit_sniffer);
	case PRM_FT_TYPE_RDMA_RX:
		return NIC(nic_receive_rdma);
	case PRM_FT_TYPE_RDMA_TX:
		return NIC(nic_transmit_rdma);
	default:
		return NULL;
	}
}

const uint8_t *fw_flow_caps(const struct fw_cmd *c, uint32_t type)
{
	const uint8_t *caps = props(c, type);

	return caps && FW_FT(caps, ft_support) ? caps : NULL;
}

struct hca_flow_table *fw_flow_table_of(const struct fw_cmd *c, uint32_t type, uint32_t id)
{
	struct hca_flow_table *t = fw_flow_table(c, id);

	return t && t->type == type ? t : NULL;
}

struct hca_flow_table *fw_flow_target(const struct fw_cmd *c, uint32_t type, uint32_t id)
{
	struct hca_flow_table *t = hca_object_find(c->hca, HCA_KIND_flow_table, id);

	/* shared_object_to_user_object_allowed (kernel, fs.c, mlx5_ib_shared_ft_allowed) */
	if (t && t->uid == FW_UID_SHARED &&
	    FW_GEN(c->hca, shared_object_to_user_object_allowed))
		return t->type == type ? t : NULL;
	return fw_flow_table_of(c, type, id);
}

/* The miss action and the table of the flow_table_context @ctx. */
static enum fw_status read_miss(struct fw_cmd *c, uint32_t type, const uint8_t *ctx,
				uint8_t *action, struct hca_flow_table **miss)
{
	const uint8_t *caps = fw_flow_caps(c, type);
	uint32_t id = PRM_GET(flow_table_context, ctx, table_miss_id);

	*action = PRM_GET(flow_table_context, ctx, table_miss_action);
	*miss = NULL;
	switch (*action) {
	case PRM_FLOW_TABLE_MISS_ACTION_DEF:
		break;
	case PRM_FLOW_TABLE_MISS_ACTION_FWD:
		*miss = fw_flow_target(c, type, id);
		if (!*miss)
			return fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
		return FW_OK;
	case PRM_FLOW_TABLE_MISS_ACTION_SWITCH_DOMAIN:
		if (!FW_FT(caps, table_miss_action_domain))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
		break;
	default:
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	}
	/* assumed(a_miss_table_needs_its_action): table_miss_id is refused unless
	 * table_miss_action is 1, forward to it. */
	return id ? fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE) : FW_OK;
}

static bool reformats(const uint8_t *caps)
{
	return FW_FT(caps, reformat) || FW_FT(caps, reformat_l3_tunnel_to_l2) ||
	       FW_FT(caps, reformat_insert) || FW_FT(caps, reformat_remove);
}

static bool may_own(const uint8_t *caps)
{
	return FW_FT(caps, sw_owner) || FW_FT(caps, sw_owner_v2);
}

/* assumed(flow_table_sizes): the level of a flow table is below max_ft_level and its log_size
 * at most log_max_ft_size, or CREATE_FLOW_TABLE is BAD_PARAM. */
static enum fw_status check_table(struct fw_cmd *c, const uint8_t *caps, const uint8_t *ctx)
{
	if (!caps)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(flow_table_context, ctx, level) >= FW_FT(caps, max_ft_level))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_TABLE);
	if (PRM_GET(flow_table_context, ctx, termination_table) &&
	    !FW_FT(caps, termination_table))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(flow_table_context, ctx, sw_owner) && !may_own(caps))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (PRM_GET(flow_table_context, ctx, rtc_valid) &&
	    (PRM_GET(flow_table_context, ctx, sw_owner) ||
	     !FW_GEN(c->hca, wqe_based_flow_table_update_cap)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!PRM_GET(flow_table_context, ctx, sw_owner) &&
	    PRM_GET(flow_table_context, ctx, sw_owner_icm_root_0))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (PRM_GET(flow_table_context, ctx, log_size) > FW_FT(caps, log_max_ft_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if ((PRM_GET(flow_table_context, ctx, reformat_en) && !reformats(caps)) ||
	    (PRM_GET(flow_table_context, ctx, decap_en) && !FW_FT(caps, decap)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return FW_OK;
}

enum fw_status fw_create_flow_table(struct fw_cmd *c)
{
	const uint8_t *ctx = PRM_ADDR(create_flow_table_in, c->in, flow_table_context);
	uint32_t type = PRM_GET(create_flow_table_in, c->in, table_type);
	const uint8_t *caps = fw_flow_caps(c, type);
	enum fw_status status = check_table(c, caps, ctx);
	struct hca_flow_table *t, *miss = NULL;
	uint8_t action = 0;

	if (status == FW_OK)
		status = read_miss(c, type, ctx, &action, &miss);
	if (status != FW_OK)
		return status;
	t = fw_alloc(c, HCA_KIND_flow_table, FW_FT(caps, log_max_ft_num), &status);
	if (!t)
		return status;
	t->type = type;
	t->level = PRM_GET(flow_table_context, ctx, level);
	t->size = 1u << PRM_GET(flow_table_context, ctx, log_size);
	t->reformat = PRM_GET(flow_table_context, ctx, reformat_en);
	t->decap = PRM_GET(flow_table_context, ctx, decap_en);
	t->sw_owner = PRM_GET(flow_table_context, ctx, sw_owner);
	t->icm_root = PRM_GET(flow_table_context, ctx, sw_owner_icm_root_0);
	t->rtc_valid = PRM_GET(flow_table_context, ctx, rtc_valid);
	t->miss = miss;
	if (miss)
		miss->refs++;
	memcpy(t->ctx, ctx, HCA_FLOW_TABLE_SIZE);
	PRM_SET(create_flow_table_out, c->out, table_id, t->table_id);
	return FW_OK;
}

enum fw_status fw_query_flow_table(struct fw_cmd *c)
{
	const struct hca_flow_table *t =
		fw_flow_table_of(c, PRM_GET(query_flow_table_in, c->in, table_type),
				 PRM_GET(query_flow_table_in, c->in, table_id));
	uint8_t *ctx;

	if (!t)
		return fw_absent(c);
	ctx = PRM_ADDR(query_flow_table_out, c->out, flow_table_context);
	memcpy(ctx, t->ctx, HCA_FLOW_TABLE_SIZE);
	if (!t->sw_owner && may_own(fw_flow_caps(c, t->type)))
		PRM_SET(flow_table_context, ctx, sw_owner_icm_root_0,
			HCA_ICM_AT(HCA_ICM_TABLE, t->table_id));
	return FW_OK;
}

/* The RTC of the context; 0 takes away the one that there was. */
static enum fw_status read_rtc(struct fw_cmd *c, const struct hca_flow_table *t,
			       const uint8_t *ctx, struct hca_rtc **rtc)
{
	uint32_t id = PRM_GET(flow_table_context, ctx, rtc_id_0);

	if (!t->rtc_valid)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_TABLE);
	*rtc = id ? fw_rtc(c, id) : NULL;
	return id && (!*rtc || (*rtc)->type != t->type)
		       ? fw_refuse(c, FW_BAD_RES, FW_WHY_OBJECT)
		       : FW_OK;
}

enum fw_status fw_modify_flow_table(struct fw_cmd *c)
{
	const uint8_t *ctx = PRM_ADDR(modify_flow_table_in, c->in, flow_table_context);
	uint32_t type = PRM_GET(modify_flow_table_in, c->in, table_type);
	uint32_t select = PRM_GET(modify_flow_table_in, c->in, modify_field_select);
	struct hca_flow_table *t =
		fw_flow_table_of(c, type, PRM_GET(modify_flow_table_in, c->in, table_id));
	bool misses = select & PRM_MODIFY_FLOW_TABLE_MISS_TABLE_ID;
	enum fw_status status = FW_OK;
	struct hca_flow_table *miss;
	uint8_t action = 0;
	struct hca_rtc *rtc;

	if (!t)
		return fw_absent(c);
	if (select & ~(PRM_MODIFY_FLOW_TABLE_MISS_TABLE_ID | PRM_MODIFY_FLOW_TABLE_RTC_ID))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (!select) /* nothing is changed, as by MODIFY_TIR */
		return FW_OK;
	miss = t->miss;
	rtc = t->rtc;
	if (misses)
		status = read_miss(c, type, ctx, &action, &miss);
	if (status == FW_OK && select & PRM_MODIFY_FLOW_TABLE_RTC_ID)
		status = read_rtc(c, t, ctx, &rtc);
	if (status != FW_OK)
		return status;
	hca_object_refer(t, -1);
	t->miss = miss;
	t->rtc = rtc;
	hca_object_refer(t, 1);
	if (misses) {
		PRM_SET(flow_table_context, t->ctx, table_miss_action, action);
		PRM_SET(flow_table_context, t->ctx, table_miss_id, miss ? miss->table_id : 0);
	}
	return FW_OK;
}

/* The last table of a type is destroyed while it is the root (kernel, fs_core.c,
 * update_root_ft_destroy): then the type has none. */
enum fw_status fw_destroy_flow_table(struct fw_cmd *c)
{
	return fw_destroy(c,
			  fw_flow_table_of(c, PRM_GET(destroy_flow_table_in, c->in, table_type),
					   PRM_GET(destroy_flow_table_in, c->in, table_id)));
}

enum fw_status fw_set_flow_table_root(struct fw_cmd *c)
{
	uint32_t type = PRM_GET(set_flow_table_root_in, c->in, table_type);
	uint32_t id = PRM_GET(set_flow_table_root_in, c->in, table_id);
	uint32_t op_mod = PRM_GET(set_flow_table_root_in, c->in, op_mod);
	struct hca_flow_table *t = fw_flow_table_of(c, type, id);

	if (!fw_flow_caps(c, type))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (op_mod > 1)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	/* op_mod 1: disconnect, table_id is 0 (kernel, fs_cmd.c, mlx5_cmd_update_root_ft). */
	if (op_mod && id)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!op_mod && !t)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
	c->hca->roots[type] = op_mod ? NULL : t;
	return FW_OK;
}

/* Nothing to wait for: no packet is inside of an entry between two commands. */
enum fw_status fw_sync_steering(struct fw_cmd *c)
{
	(void)c;
	return FW_OK;
}
