/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions, destinations and counters of a flow entry; which of them a table of a type has, and
 * which can be combined.
 *
 *	flow_context | action bits | destinations | counters |
 *	             drop, allow or forward; before that: count, change headers
 */
#include <stdlib.h>

#include "fw/flow.h"
#include "fw/rows.h"

#define DO(name) PRM_FLOW_CONTEXT_ACTION_##name
#define ITEM	 8 /* bytes of a destination or counter in the list */

#define VPORT_OWN    0u
#define VPORT_UPLINK 0xffffu

/* ---- reading ---- */

static const struct fw_bits dest_bits[] = {
	F(dest_format_struct, destination_type),
	F(dest_format_struct, destination_id),
	END,
};

/* A destination of a user is the user's; of the driver, any. */
static enum fw_status read_dest(struct fw_cmd *c, const struct hca_flow_table *t,
				const uint8_t *item, struct hca_flow_dest *d)
{
	uint32_t id = PRM_GET(dest_format_struct, item, destination_id);
	uint8_t why = fw_accept("dest_format_struct", dest_bits, item, ITEM);

	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	d->type = PRM_GET(dest_format_struct, item, destination_type);
	switch (d->type) {
	case PRM_DEST_TYPE_FLOW_TABLE:
		d->table = fw_flow_target(c, t->type, id);
		return d->table ? FW_OK : fw_refuse(c, FW_BAD_RES, FW_WHY_TABLE);
	case PRM_DEST_TYPE_TIR:
		d->tir = fw_tir(c, id);
		return d->tir ? FW_OK : fw_refuse(c, FW_BAD_RES, FW_WHY_DESTINATION);
	case PRM_DEST_TYPE_VPORT:
		d->vport = id;
		return id == VPORT_OWN || id == VPORT_UPLINK
			       ? FW_OK
			       : fw_refuse(c, FW_BAD_RES, FW_WHY_DESTINATION);
	case PRM_DEST_TYPE_UPLINK:
		d->vport = VPORT_UPLINK;
		return id ? fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE) : FW_OK;
	default:
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	}
}

static enum fw_status read_count(struct fw_cmd *c, const uint8_t *item,
				 struct hca_flow_count *count)
{
	count->id = PRM_GET(flow_counter_list, item, flow_counter_id);
	count->bulk = fw_flow_counter(c, count->id);
	if (!count->bulk)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_COUNTER);
	return core_be32(item + 4) ? fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED) : FW_OK;
}

static enum fw_status read_lists(struct fw_cmd *c, const struct hca_flow_table *t,
				 struct hca_fte_do *act)
{
	const uint8_t *item = c->in + PRM_SZ(set_fte_in);
	enum fw_status status = FW_OK;

	act->dest = calloc(act->dests + 1, sizeof(*act->dest));
	act->count = calloc(act->counts + 1, sizeof(*act->count));
	if (!act->dest || !act->count)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	for (uint32_t i = 0; i < act->dests && status == FW_OK; i++, item += ITEM)
		status = read_dest(c, t, item, &act->dest[i]);
	for (uint32_t i = 0; i < act->counts && status == FW_OK; i++, item += ITEM)
		status = read_count(c, item, &act->count[i]);
	return status;
}

/* assumed(entry_list_limits): more destinations than 1 << log_max_destination, or more counters
 * than 1 << log_max_flow_counter, are BAD_PARAM. */
static enum fw_status check_lists(struct fw_cmd *c, const struct hca_flow_table *t,
				  const struct hca_fte_do *act)
{
	const uint8_t *caps = fw_flow_caps(c, t->type);
	size_t end = PRM_SZ(set_fte_in) + (size_t)(act->dests + act->counts) * ITEM;

	if (act->dests > 1u << FW_FT(caps, log_max_destination) ||
	    act->counts > 1u << FW_FT(caps, log_max_flow_counter))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->in_len < end)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	return fw_more(c, end) ? fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED) : FW_OK;
}

/* The contexts that an action bit names; without the bit, their numbers have to be 0. */
static enum fw_status read_headers(struct fw_cmd *c, const uint8_t *ctx, struct hca_fte_do *act)
{
	uint32_t modify = PRM_GET(flow_context, ctx, modify_header_id);
	uint32_t reformat = PRM_GET(flow_context, ctx, packet_reformat_id);

	if (act->action & DO(MOD_HDR))
		act->modify = fw_modify_header(c, modify);
	if (act->action & DO(PACKET_REFORMAT))
		act->reformat = fw_packet_reformat(c, reformat);
	if ((act->action & DO(MOD_HDR) && !act->modify) ||
	    (act->action & DO(PACKET_REFORMAT) && !act->reformat))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_HEADERS);
	if ((!act->modify && modify) || (!act->reformat && reformat))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_HEADERS);
	return FW_OK;
}

enum fw_status fw_fte_read(struct fw_cmd *c, const struct hca_flow_table *t, const uint8_t *ctx,
			   struct hca_fte_do *act)
{
	enum fw_status status;

	*act = (struct hca_fte_do){
		.action = PRM_GET(flow_context, ctx, action),
		.source = PRM_GET(flow_context, ctx, flow_source),
		.any_level = PRM_GET(set_fte_in, c->in, ignore_flow_level),
		.tag = PRM_GET(flow_context, ctx, flow_tag),
		.push_vlan = { core_be32(PRM_ADDR(flow_context, ctx, push_vlan)),
			       core_be32(PRM_ADDR(flow_context, ctx, push_vlan_2)) },
		.dests = PRM_GET(flow_context, ctx, destination_list_size),
		.counts = PRM_GET(flow_context, ctx, flow_counter_list_size),
	};
	status = check_lists(c, t, act);
	if (status == FW_OK)
		status = read_headers(c, ctx, act);
	if (status == FW_OK)
		status = read_lists(c, t, act);
	if (status != FW_OK)
		hca_fte_do_free(act);
	return status;
}

/* ---- what a table of a type has ---- */

static bool is_sniffer(uint8_t type)
{
	return type == PRM_FT_TYPE_SNIFFER_RX || type == PRM_FT_TYPE_SNIFFER_TX;
}

/* The action bits of tables with @caps. */
/* assumed(allow_is_of_transmit_and_rdma_tables): ALLOW is an action of NIC_TX, RDMA_RX and
 * RDMA_TX tables, and BAD_PARAM in others. */
static uint32_t actions_of(const struct hca_flow_table *t, const uint8_t *caps)
{
	bool allows = t->type == PRM_FT_TYPE_NIC_TX || t->type == PRM_FT_TYPE_RDMA_RX ||
		      t->type == PRM_FT_TYPE_RDMA_TX;

	return DO(FWD_DEST) | (is_sniffer(t->type) ? 0 : DO(DROP)) | (allows ? DO(ALLOW) : 0) |
	       (FW_FT(caps, flow_counter) ? DO(COUNT) : 0) |
	       (t->reformat ? DO(PACKET_REFORMAT) : 0) |
	       (FW_FT(caps, decap) && t->decap ? DO(DECAP) : 0) |
	       (FW_FT(caps, max_modify_header_actions) ? DO(MOD_HDR) : 0) |
	       (FW_FT(caps, pop_vlan) ? DO(VLAN_POP) : 0) |
	       (FW_FT(caps, push_vlan) ? DO(VLAN_PUSH) : 0) |
	       (FW_FT(caps, pop_vlan_2) ? DO(VLAN_POP_2) : 0) |
	       (FW_FT(caps, push_vlan_2) ? DO(VLAN_PUSH_2) : 0);
}

/* assumed(destinations_of_table_types): a TIR is a destination in receive and sniffer tables, a
 * vport and the wire in tables of the e-switch; others are BAD_PARAM. */
static bool has_dest(uint8_t table, uint8_t dest)
{
	switch (dest) {
	case PRM_DEST_TYPE_TIR:
		return table == PRM_FT_TYPE_NIC_RX || table == PRM_FT_TYPE_RDMA_RX ||
		       is_sniffer(table);
	case PRM_DEST_TYPE_VPORT:
	case PRM_DEST_TYPE_UPLINK:
		return table == PRM_FT_TYPE_FDB;
	default:
		return true;
	}
}

/* ---- what goes together ---- */

static enum fw_status check_actions(struct fw_cmd *c, const struct hca_flow_table *t,
				    const struct hca_fte_do *act)
{
	uint32_t end = act->action & (DO(ALLOW) | DO(DROP) | DO(FWD_DEST));

	if (act->action & ~actions_of(t, fw_flow_caps(c, t->type)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_FLOW_ACTION);
	/* assumed(an_entry_has_one_end): exactly one of ALLOW, DROP and FWD_DEST is in an
	 * entry; the kernel sends no others. */
	if (!end || end & (end - 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_FLOW_ACTION);
	if (!(act->action & DO(FWD_DEST)) != !act->dests)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_DESTINATION);
	if (!(act->action & DO(COUNT)) != !act->counts)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_COUNTER);
	if ((act->push_vlan[0] && !(act->action & DO(VLAN_PUSH))) ||
	    (act->push_vlan[1] && !(act->action & DO(VLAN_PUSH_2))) ||
	    (act->action & DO(VLAN_PUSH_2) && !(act->action & DO(VLAN_PUSH))) ||
	    (act->action & DO(VLAN_POP_2) && !(act->action & DO(VLAN_POP))))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_FLOW_ACTION);
	return FW_OK;
}

static enum fw_status check_headers(struct fw_cmd *c, const struct hca_flow_table *t,
				    const struct hca_fte_do *act)
{
	const uint8_t *caps = fw_flow_caps(c, t->type);

	if (act->modify && act->modify->table_type != t->type)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_HEADERS);
	if (act->reformat && !fw_flow_reformats(caps, act->reformat->type))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_HEADERS);
	/* A tunnel is added or removed, not both. */
	if (act->reformat && act->action & DO(DECAP))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_FLOW_ACTION);
	return FW_OK;
}

/* The kernel tests nic_rx_multi_path_tirs before it forwards to more than one (fs_core.c,
 * fwd_next_prio_supported). */
static enum fw_status check_dests(struct fw_cmd *c, const struct hca_flow_table *t,
				  const struct hca_fte_do *act)
{
	const uint8_t *caps = fw_flow_caps(c, t->type);

	if (act->any_level && !FW_FT(caps, ignore_flow_level))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (t->type == PRM_FT_TYPE_NIC_RX && act->dests > 1 &&
	    !PRM_GET(flow_table_nic_cap, c->hca->caps[PRM_CAP_FLOW_TABLE],
		     nic_rx_multi_path_tirs))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	for (uint32_t i = 0; i < act->dests; i++) {
		const struct hca_flow_dest *d = &act->dest[i];

		if (!has_dest(t->type, d->type))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_DESTINATION);
		/* Kernel, fs_core.c, dest_is_valid: a rule leads to a table of a higher
		 * level. */
		if (d->type == PRM_DEST_TYPE_FLOW_TABLE && !act->any_level &&
		    d->table->level <= t->level)
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_TABLE);
	}
	return FW_OK;
}

/* flow_source: 0 any, 1 the wire, 2 a vport of this host; in the e-switch only. */
static bool source_ok(const struct fw_cmd *c, const struct hca_flow_table *t, uint8_t source)
{
	if (!source)
		return true;
	return source <= 2 && t->type == PRM_FT_TYPE_FDB &&
	       PRM_GET(flow_table_eswitch_cap, c->hca->caps[PRM_CAP_ESWITCH_FLOW_TABLE],
		       flow_source);
}

enum fw_status fw_fte_check(struct fw_cmd *c, const struct hca_flow_table *t,
			    const struct hca_fte_do *act)
{
	enum fw_status status = check_actions(c, t, act);

	if (status == FW_OK && !source_ok(c, t, act->source))
		status = fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (status == FW_OK)
		status = check_headers(c, t, act);
	if (status == FW_OK)
		status = check_dests(c, t, act);
	return status;
}
