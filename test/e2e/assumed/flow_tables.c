/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the emulator assumes of flow tables, in the form that asks an adapter: see completions.c. The commands go
 * through DevX; no packet comes to the tables, since only the driver makes roots.
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
