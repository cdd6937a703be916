/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assumptions of the emulator about flow tables, in the form that asks an adapter: see
 * completions.c. The commands go through DevX; no packet comes to the tables, since only the
 * driver makes roots.
 *
 *	command without a mistake -> OK; else nothing can be decided
 *	the same with one         -> the status that is assumed
 */
#include <prm/prm.h>
#include "lib/qp_traffic.h"

enum { OBJECTS = 16 };

static struct mlx5dv_devx_obj *made[OBJECTS];
static unsigned int n_made;
static uint8_t in[PRM_SZ(create_flow_group_in)], out[16];
static uint8_t *const table_ctx = in + PRM_OFF(create_flow_table_in, flow_table_context) / 8;
static uint8_t *const ctx = in + PRM_OFF(set_fte_in, flow_context) / 8;

/* Sends @len bytes of @in, which create something; the status. */
static uint8_t create(size_t len)
{
	struct mlx5dv_devx_obj *obj;

	memset(out, 0, sizeof(out));
	obj = mlx5dv_devx_obj_create(r.ctx, in, len, out, sizeof(out));
	if (!obj && !out[0])
		cr_skip_test("no DevX flow tables: %s", strerror(errno));
	if (obj)
		made[n_made++] = obj;
	return out[0];
}

/* The last made first. */
static void destroy_all(void)
{
	while (n_made)
		cr_assert_eq(mlx5dv_devx_obj_destroy(made[--n_made]), 0);
}

static void needs(uint8_t status)
{
	if (status != PRM_STATUS_OK)
		cr_skip_test("the command without a mistake is refused: status 0x%x", status);
}

static void table_box(uint8_t type)
{
	memset(in, 0, sizeof(in));
	PRM_SET(create_flow_table_in, in, opcode, PRM_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, type);
	PRM_SET(flow_table_context, table_ctx, level, 10);
	PRM_SET(flow_table_context, table_ctx, log_size, 4);
}

static uint8_t create_table(void)
{
	return create(PRM_SZ(create_flow_table_in));
}

static uint32_t new_table(uint8_t type)
{
	table_box(type);
	needs(create_table());
	return PRM_GET(create_flow_table_out, out, table_id);
}

static uint8_t create_group(uint8_t type, uint32_t table, uint32_t first, uint32_t last,
			    uint8_t criteria)
{
	memset(in, 0, sizeof(in));
	PRM_SET(create_flow_group_in, in, opcode, PRM_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, type);
	PRM_SET(create_flow_group_in, in, table_id, table);
	PRM_SET(create_flow_group_in, in, start_flow_index, first);
	PRM_SET(create_flow_group_in, in, end_flow_index, last);
	PRM_SET(create_flow_group_in, in, match_criteria_enable, criteria);
	/* with misc 2: 8 bits of the destination MAC, which is not in it */
	in[PRM_OFF(create_flow_group_in, match_criteria) / 8 + 8] =
		criteria == PRM_MATCH_MISC_PARAMETERS_2 ? 0xff : 0;
	return create(PRM_SZ(create_flow_group_in));
}

static uint32_t new_group(uint8_t type, uint32_t table)
{
	needs(create_group(type, table, 4, 7, 0));
	return PRM_GET(create_flow_group_out, out, group_id);
}

static void entry_box(uint8_t type, uint32_t table, uint32_t group, uint32_t index,
		      uint32_t action)
{
	memset(in, 0, sizeof(in));
	PRM_SET(set_fte_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, type);
	PRM_SET(set_fte_in, in, table_id, table);
	PRM_SET(set_fte_in, in, flow_index, index);
	PRM_SET(flow_context, ctx, group_id, group);
	PRM_SET(flow_context, ctx, action, action);
}

static uint8_t create_entry(void)
{
	return create(PRM_SZ(set_fte_in));
}

Test(assumed, a_miss_table_needs_its_action)
{
	uint32_t first = new_table(PRM_FT_TYPE_NIC_RX);

	table_box(PRM_FT_TYPE_NIC_RX);
	PRM_SET(flow_table_context, table_ctx, table_miss_id, first);
	cr_assert_eq(create_table(), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

Test(assumed, flow_table_sizes)
{
	new_table(PRM_FT_TYPE_NIC_RX);
	table_box(PRM_FT_TYPE_NIC_RX);
	PRM_SET(flow_table_context, table_ctx, level, 255);
	cr_assert_eq(create_table(), PRM_STATUS_BAD_PARAM);
	table_box(PRM_FT_TYPE_NIC_RX);
	PRM_SET(flow_table_context, table_ctx, log_size, 60);
	cr_assert_eq(create_table(), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

Test(assumed, groups_of_a_table_are_disjoint)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX);

	new_group(PRM_FT_TYPE_NIC_RX, t);
	cr_assert_eq(create_group(PRM_FT_TYPE_NIC_RX, t, 7, 9, 0), PRM_STATUS_BAD_PARAM);
	cr_assert_eq(create_group(PRM_FT_TYPE_NIC_RX, t, 8, 9, 0), PRM_STATUS_OK);
	destroy_all();
}

Test(assumed, mask_is_within_its_criteria)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX);

	new_group(PRM_FT_TYPE_NIC_RX, t);
	cr_assert_eq(create_group(PRM_FT_TYPE_NIC_RX, t, 8, 9, PRM_MATCH_MISC_PARAMETERS_2),
		     PRM_STATUS_BAD_PARAM);
	destroy_all();
}

Test(assumed, value_is_within_the_mask)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX), g = new_group(PRM_FT_TYPE_NIC_RX, t);

	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_DROP);
	needs(create_entry());
	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 5, PRM_FLOW_CONTEXT_ACTION_DROP);
	PRM_ADDR(flow_context, ctx, match_value)[8] = 2;
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

Test(assumed, entry_index_is_free_and_in_its_group)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX), g = new_group(PRM_FT_TYPE_NIC_RX, t);

	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_DROP);
	needs(create_entry());
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 3, PRM_FLOW_CONTEXT_ACTION_DROP);
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

Test(assumed, an_entry_has_one_end)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_TX), g = new_group(PRM_FT_TYPE_NIC_TX, t);

	entry_box(PRM_FT_TYPE_NIC_TX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_DROP);
	needs(create_entry());
	entry_box(PRM_FT_TYPE_NIC_TX, t, g, 5, 0);
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	entry_box(PRM_FT_TYPE_NIC_TX, t, g, 5,
		  PRM_FLOW_CONTEXT_ACTION_DROP | PRM_FLOW_CONTEXT_ACTION_ALLOW);
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

Test(assumed, allow_is_of_transmit_and_rdma_tables)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_TX), g = new_group(PRM_FT_TYPE_NIC_TX, t);

	entry_box(PRM_FT_TYPE_NIC_TX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_ALLOW);
	needs(create_entry());
	t = new_table(PRM_FT_TYPE_NIC_RX);
	g = new_group(PRM_FT_TYPE_NIC_RX, t);
	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_ALLOW);
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

/* Set the TTL, as a whole and beyond its end. */
Test(assumed, header_fields_are_checked)
{
	uint8_t *action = in + PRM_SZ(alloc_modify_header_context_in);
	size_t len = PRM_SZ(alloc_modify_header_context_in) + PRM_SZ(set_action_in);

	memset(in, 0, sizeof(in));
	PRM_SET(alloc_modify_header_context_in, in, opcode, PRM_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, 1);
	PRM_SET(set_action_in, action, action_type, PRM_ACTION_SET);
	PRM_SET(set_action_in, action, field, PRM_ACTION_IN_FIELD_OUT_IP_TTL);
	PRM_SET(set_action_in, action, length, 8);
	needs(create(len));
	PRM_SET(set_action_in, action, offset, 1);
	cr_assert_eq(create(len), PRM_STATUS_BAD_PARAM);
	PRM_SET(set_action_in, action, offset, 0);
	PRM_SET(set_action_in, action, field, 0xfff);
	cr_assert_eq(create(len), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

Test(assumed, l3_decapsulation_needs_a_layer_2_header)
{
	uint8_t *context =
		PRM_ADDR(alloc_packet_reformat_context_in, in, packet_reformat_context);
	size_t len = PRM_SZ(alloc_packet_reformat_context_in) + 16;

	memset(in, 0, sizeof(in));
	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, context, reformat_type,
		PRM_REFORMAT_L3_TUNNEL_TO_L2);
	PRM_SET(packet_reformat_context_in, context, reformat_data_size, 14);
	needs(create(len));
	PRM_SET(packet_reformat_context_in, context, reformat_data_size, 15);
	cr_assert_eq(create(len), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

/* ---- entries with destinations and counters ---- */

static uint8_t *const list = in + PRM_SZ(set_fte_in);

static void put_dest(uint32_t i, uint8_t type, uint32_t id)
{
	uint8_t *item = list + i * PRM_SZ(dest_format_struct);

	PRM_SET(dest_format_struct, item, destination_type, type);
	PRM_SET(dest_format_struct, item, destination_id, id);
	PRM_SET(flow_context, ctx, destination_list_size, i + 1);
}

static uint8_t create_entry_to(uint32_t dests)
{
	return create(PRM_SZ(set_fte_in) + dests * PRM_SZ(dest_format_struct));
}

/* A table of the highest level, to which entries of the others may lead. */
static uint32_t new_target(uint8_t type)
{
	table_box(type);
	PRM_SET(flow_table_context, table_ctx, level, 20);
	needs(create_table());
	return PRM_GET(create_flow_table_out, out, table_id);
}

/* The number of the driver's capabilities, 1 << log_max_destination, and one more of them. */
Test(assumed, entry_list_limits)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX), g = new_group(PRM_FT_TYPE_NIC_RX, t);
	uint32_t to = new_target(PRM_FT_TYPE_NIC_RX);

	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	put_dest(0, PRM_DEST_TYPE_FLOW_TABLE, to);
	needs(create_entry_to(1));
	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 5, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	PRM_SET(flow_context, ctx, destination_list_size, 0xffff);
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 5,
		  PRM_FLOW_CONTEXT_ACTION_DROP | PRM_FLOW_CONTEXT_ACTION_COUNT);
	PRM_SET(flow_context, ctx, flow_counter_list_size, 0xffff);
	cr_assert_eq(create_entry(), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

/* To the wire, from a table that receives. */
Test(assumed, destinations_of_table_types)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX), g = new_group(PRM_FT_TYPE_NIC_RX, t);
	uint32_t to = new_target(PRM_FT_TYPE_NIC_RX);

	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	put_dest(0, PRM_DEST_TYPE_FLOW_TABLE, to);
	needs(create_entry_to(1));
	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 5, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	put_dest(0, PRM_DEST_TYPE_VPORT, 0xffff);
	cr_assert_eq(create_entry_to(1), PRM_STATUS_BAD_PARAM);
	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 5, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	put_dest(0, PRM_DEST_TYPE_UPLINK, 0);
	cr_assert_eq(create_entry_to(1), PRM_STATUS_BAD_PARAM);
	destroy_all();
}

/* The tag is changed with a group and a value that would be refused at creation. */
Test(assumed, a_change_keeps_group_and_value)
{
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX), g = new_group(PRM_FT_TYPE_NIC_RX, t);

	entry_box(PRM_FT_TYPE_NIC_RX, t, g, 4, PRM_FLOW_CONTEXT_ACTION_DROP);
	needs(create_entry());
	entry_box(PRM_FT_TYPE_NIC_RX, t, g + 1, 4, PRM_FLOW_CONTEXT_ACTION_DROP);
	PRM_SET(set_fte_in, in, op_mod, 1);
	PRM_SET(set_fte_in, in, modify_enable_mask,
		1 << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_TAG);
	PRM_SET(flow_context, ctx, flow_tag, 5);
	PRM_ADDR(flow_context, ctx, match_value)[8] = 2;
	memset(out, 0, sizeof(out));
	mlx5dv_devx_obj_modify(made[n_made - 1], in, PRM_SZ(set_fte_in), out, sizeof(out));
	cr_assert_eq(out[0], PRM_STATUS_OK);
	destroy_all();
}

/* Bits of outer_headers and of misc 1 and 3, by their place in create_flow_group_in's
 * match_criteria. */
Test(assumed, fields_without_a_capability)
{
	static const struct {
		uint8_t criteria;
		uint16_t bit;
	} masks[] = {
		{ PRM_MATCH_OUTER_HEADERS, PRM_OFF(fte_match_param, outer_headers.cvlan_tag) },
		{ PRM_MATCH_OUTER_HEADERS, PRM_OFF(fte_match_param, outer_headers.svlan_tag) },
		{ PRM_MATCH_MISC_PARAMETERS,
		  PRM_OFF(fte_match_param, misc_parameters.gre_c_present) },
		{ PRM_MATCH_MISC_PARAMETERS,
		  PRM_OFF(fte_match_param, misc_parameters.gre_s_present) },
		{ PRM_MATCH_MISC_PARAMETERS_3,
		  PRM_OFF(fte_match_param, misc_parameters_3.outer_tcp_seq_num) },
		{ PRM_MATCH_MISC_PARAMETERS_3,
		  PRM_OFF(fte_match_param, misc_parameters_3.outer_tcp_ack_num) },
	};
	uint32_t t = new_table(PRM_FT_TYPE_NIC_RX);

	new_group(PRM_FT_TYPE_NIC_RX, t);
	for (uint32_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		memset(in, 0, sizeof(in));
		PRM_SET(create_flow_group_in, in, opcode, PRM_OP_CREATE_FLOW_GROUP);
		PRM_SET(create_flow_group_in, in, table_id, t);
		PRM_SET(create_flow_group_in, in, start_flow_index, 8 + i);
		PRM_SET(create_flow_group_in, in, end_flow_index, 8 + i);
		PRM_SET(create_flow_group_in, in, match_criteria_enable, masks[i].criteria);
		in[(PRM_OFF(create_flow_group_in, match_criteria) + masks[i].bit) / 8] |=
			0x80 >> masks[i].bit % 8;
		cr_assert_eq(create(PRM_SZ(create_flow_group_in)), PRM_STATUS_OK);
	}
	destroy_all();
}

/* ---- limits ---- */

static const uint8_t *flow_table_caps(void)
{
	static uint8_t caps[PRM_SZ(query_hca_cap_out)];
	uint8_t query[PRM_SZ(query_hca_cap_in)] = { 0 };

	PRM_SET(query_hca_cap_in, query, opcode, PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, query, op_mod, PRM_CAP_FLOW_TABLE << 1 | PRM_CAP_CUR);
	if (mlx5dv_devx_general_cmd(r.ctx, query, sizeof(query), caps, sizeof(caps)))
		cr_skip_test("no DevX commands");
	return PRM_ADDR(query_hca_cap_out, caps, capability);
}

#define RX_CAP(f)                                               \
	PRM_GET(flow_table_prop_layout,                         \
		PRM_ADDR(flow_table_nic_cap, flow_table_caps(), \
			 flow_table_properties_nic_receive),    \
		f)

Test(assumed, flow_table_limits)
{
	cr_assert_eq(RX_CAP(log_max_ft_num), 15);
	cr_assert_eq(RX_CAP(log_max_ft_size), 24);
	cr_assert_eq(RX_CAP(max_ft_level), 128);
	cr_assert_eq(RX_CAP(log_max_destination), 6);
	cr_assert_eq(RX_CAP(log_max_flow_counter), 3);
}

Test(assumed, modify_header_limits)
{
	cr_assert_eq(RX_CAP(log_max_modify_header_context), 16);
	cr_assert_eq(RX_CAP(max_modify_header_actions), 16);
}

Test(assumed, packet_reformat_limits)
{
	const uint8_t *caps = flow_table_caps();

	cr_assert_eq(PRM_GET(flow_table_nic_cap, caps, log_max_packet_reformat_context), 15);
	cr_assert_eq(PRM_GET(flow_table_nic_cap, caps, max_encap_header_size), 128);
	cr_assert(RX_CAP(decap) && !RX_CAP(reformat));
}
