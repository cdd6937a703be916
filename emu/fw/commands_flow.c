/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of flow steering: tables, groups, entries, packet reformat contexts. */
#include "fw/rows.h"

/* sw_owner, termination_table and rtc_valid: tables that software writes, and tables of the e-switch
 * that end a packet's way, are not there. */
#define MISS(s)                                                           \
	IN(s, flow_table_context, flow_table_context, table_miss_action), \
		IN(s, flow_table_context, flow_table_context, table_miss_id)

static const struct fw_bits create_flow_table[] = {
	F(create_flow_table_in, table_type),
	IN(create_flow_table_in, flow_table_context, flow_table_context, reformat_en),
	IN(create_flow_table_in, flow_table_context, flow_table_context, decap_en),
	IN(create_flow_table_in, flow_table_context, flow_table_context, level),
	IN(create_flow_table_in, flow_table_context, flow_table_context, log_size),
	MISS(create_flow_table_in),
	END,
};
static const struct fw_bits query_flow_table[] = {
	F(query_flow_table_in, table_type),
	F(query_flow_table_in, table_id),
	END,
};
static const struct fw_bits modify_flow_table[] = {
	F(modify_flow_table_in, modify_field_select),
	F(modify_flow_table_in, table_type),
	F(modify_flow_table_in, table_id),
	MISS(modify_flow_table_in),
	END,
};
static const struct fw_bits destroy_flow_table[] = {
	F(destroy_flow_table_in, table_type),
	F(destroy_flow_table_in, table_id),
	END,
};
static const struct fw_bits set_flow_table_root[] = {
	F(set_flow_table_root_in, op_mod),
	F(set_flow_table_root_in, table_type),
	F(set_flow_table_root_in, table_id),
	END,
};

static const struct fw_bits create_flow_group[] = {
	F(create_flow_group_in, table_type),
	F(create_flow_group_in, table_id),
	F(create_flow_group_in, start_flow_index),
	F(create_flow_group_in, end_flow_index),
	F(create_flow_group_in, match_criteria_enable),
	BYTES(create_flow_group_in, match_criteria, HCA_MATCH_SIZE),
	END,
};
static const struct fw_bits query_flow_group[] = {
	F(query_flow_group_in, table_type),
	F(query_flow_group_in, table_id),
	F(query_flow_group_in, group_id),
	END,
};
static const struct fw_bits destroy_flow_group[] = {
	F(destroy_flow_group_in, table_type),
	F(destroy_flow_group_in, table_id),
	F(destroy_flow_group_in, group_id),
	END,
};

#define CONTEXT(f) IN(set_fte_in, flow_context, flow_context, f)

/* extended_destination, encryption, ASOs: refused. */
static const struct fw_bits set_fte[] = {
	F(set_fte_in, op_mod),
	F(set_fte_in, table_type),
	F(set_fte_in, table_id),
	F(set_fte_in, ignore_flow_level),
	F(set_fte_in, modify_enable_mask),
	F(set_fte_in, flow_index),
	CONTEXT(push_vlan),
	CONTEXT(group_id),
	CONTEXT(flow_tag),
	CONTEXT(action),
	CONTEXT(flow_source),
	CONTEXT(destination_list_size),
	CONTEXT(flow_counter_list_size),
	CONTEXT(packet_reformat_id),
	CONTEXT(modify_header_id),
	CONTEXT(push_vlan_2),
	CONTEXT(match_value),
	END,
};
static const struct fw_bits query_fte[] = {
	F(query_fte_in, table_type),
	F(query_fte_in, table_id),
	F(query_fte_in, flow_index),
	END,
};
static const struct fw_bits delete_fte[] = {
	F(delete_fte_in, table_type),
	F(delete_fte_in, table_id),
	F(delete_fte_in, flow_index),
	END,
};

#define REFORMAT(f)                                                   \
	IN(alloc_packet_reformat_context_in, packet_reformat_context, \
	   packet_reformat_context_in, f)

/* The first two bytes; the others follow the inbox. */
#define REFORMAT_DATA                                                                \
	{                                                                            \
		PRM_OFF(alloc_packet_reformat_context_in, packet_reformat_context) + \
			PRM_OFF(packet_reformat_context_in, reformat_data),          \
			2 * 8                                                        \
	}

static const struct fw_bits alloc_packet_reformat_context[] = {
	REFORMAT(reformat_type),
	REFORMAT(reformat_param_0),
	REFORMAT(reformat_data_size),
	REFORMAT(reformat_param_1),
	REFORMAT_DATA,
	END,
};
NUMBER(query_packet_reformat_context, query_packet_reformat_context_in, packet_reformat_id);
NUMBER(dealloc_packet_reformat_context, dealloc_packet_reformat_context_in, packet_reformat_id);

const struct fw_command fw_flow_commands[] = {
	CMD(CREATE_FLOW_TABLE, create_flow_table, PLAIN, create_flow_table,
	    fw_create_flow_table),
	CMD(QUERY_FLOW_TABLE, query_flow_table, PLAIN, query_flow_table, fw_query_flow_table),
	CMD(MODIFY_FLOW_TABLE, modify_flow_table, PLAIN, modify_flow_table,
	    fw_modify_flow_table),
	CMD(DESTROY_FLOW_TABLE, destroy_flow_table, PLAIN, destroy_flow_table,
	    fw_destroy_flow_table),
	CMD(SET_FLOW_TABLE_ROOT, set_flow_table_root, DRIVER, set_flow_table_root,
	    fw_set_flow_table_root),
	CMD(CREATE_FLOW_GROUP, create_flow_group, PLAIN, create_flow_group,
	    fw_create_flow_group),
	CMD(QUERY_FLOW_GROUP, query_flow_group, PLAIN, query_flow_group, fw_query_flow_group),
	CMD(DESTROY_FLOW_GROUP, destroy_flow_group, PLAIN, destroy_flow_group,
	    fw_destroy_flow_group),
	CMD(SET_FLOW_TABLE_ENTRY, set_fte, LIST, set_fte, fw_set_fte),
	CMD(QUERY_FLOW_TABLE_ENTRY, query_fte, PLAIN, query_fte, fw_query_fte),
	CMD(DELETE_FLOW_TABLE_ENTRY, delete_fte, PLAIN, delete_fte, fw_delete_fte),
	CMD(ALLOC_PACKET_REFORMAT_CONTEXT, alloc_packet_reformat_context, LIST,
	    alloc_packet_reformat_context, fw_alloc_packet_reformat),
	CMD(QUERY_PACKET_REFORMAT_CONTEXT, query_packet_reformat_context, PLAIN,
	    query_packet_reformat_context, fw_query_packet_reformat),
	CMD(DEALLOC_PACKET_REFORMAT_CONTEXT, dealloc_packet_reformat_context, PLAIN,
	    dealloc_packet_reformat_context, fw_dealloc_packet_reformat),
	END_OF_COMMANDS,
};
