/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of scheduling elements, rates, general objects and modify header contexts.
 */
#include "fw/rows.h"

#define SCHED(s, f) IN(s, scheduling_context, scheduling_context, f)
#define SHARES(s)                                                                 \
	SCHED(s, element_type), SCHED(s, element_attributes), SCHED(s, bw_share), \
		SCHED(s, max_average_bw)

static const struct fw_bits create_scheduling_element[] = {
	F(create_scheduling_element_in, scheduling_hierarchy),
	SHARES(create_scheduling_element_in),
	SCHED(create_scheduling_element_in, parent_element_id),
	END,
};
static const struct fw_bits modify_scheduling_element[] = {
	F(modify_scheduling_element_in, scheduling_hierarchy),
	F(modify_scheduling_element_in, scheduling_element_id),
	F(modify_scheduling_element_in, modify_bitmask),
	SHARES(modify_scheduling_element_in),
	END,
};
static const struct fw_bits element[] = {
	F(query_scheduling_element_in, scheduling_hierarchy),
	F(query_scheduling_element_in, scheduling_element_id),
	END,
};
static const struct fw_bits set_pp_rate_limit[] = {
	F(set_pp_rate_limit_in, rate_limit_index),
	IN(set_pp_rate_limit_in, ctx, set_pp_rate_limit_context, rate_limit),
	IN(set_pp_rate_limit_in, ctx, set_pp_rate_limit_context, burst_upper_bound),
	IN(set_pp_rate_limit_in, ctx, set_pp_rate_limit_context, typical_packet_size),
	END,
};

#define HEADER(f) F(general_obj_in_cmd_hdr, f)
static const struct fw_bits create_general[] = {
	HEADER(obj_type), HEADER(obj_id), HEADER(alias_object), HEADER(log_obj_range), END,
};
static const struct fw_bits general[] = {
	HEADER(obj_type),
	HEADER(obj_id),
	HEADER(alias_object),
	END,
};

/* The handlers look at what follows the header, by the type. */
#define GENERAL_CMD(op, flags, fields, handler)                                   \
	{                                                                         \
		.opcode = PRM_OP_##op, .in_len = PRM_SZ(general_obj_in_cmd_hdr),  \
		.out_len = PRM_SZ(general_obj_out_cmd_hdr), .list = (flags)&LIST, \
		.accepts = fields, .run = handler,                                \
	}

/* assumed(destroying_an_element_fills_16_bytes): DESTROY_SCHEDULING_ELEMENT takes an outbox of 16
 * bytes: the rest of its 64 is reserved, and more than 16 mlx5_ib has not for what DevX made
 * (devx.c, devx_obj_cleanup). */
#define DESTROY_ELEMENT                                                         \
	{                                                                       \
		.opcode = PRM_OP_DESTROY_SCHEDULING_ELEMENT,                    \
		.in_len = PRM_SZ(destroy_scheduling_element_in),                \
		.out_len = PRM_SZ(general_obj_out_cmd_hdr), .accepts = element, \
		.run = fw_destroy_scheduling_element,                           \
	}

static const struct fw_bits alloc_modify_header_context[] = {
	F(alloc_modify_header_context_in, table_type),
	F(alloc_modify_header_context_in, num_of_actions),
	END,
};
NUMBER(modify_header_context, dealloc_modify_header_context_in, modify_header_id);

const struct fw_command fw_element_commands[] = {
	CMD(CREATE_SCHEDULING_ELEMENT, create_scheduling_element, PLAIN,
	    create_scheduling_element, fw_create_scheduling_element),
	CMD(MODIFY_SCHEDULING_ELEMENT, modify_scheduling_element, PLAIN,
	    modify_scheduling_element, fw_modify_scheduling_element),
	CMD(QUERY_SCHEDULING_ELEMENT, query_scheduling_element, PLAIN, element,
	    fw_query_scheduling_element),
	DESTROY_ELEMENT,
	CMD(SET_PP_RATE_LIMIT, set_pp_rate_limit, PLAIN, set_pp_rate_limit,
	    fw_set_pp_rate_limit),
	GENERAL_CMD(CREATE_GENERAL_OBJECT, LIST, create_general, fw_create_general_object),
	GENERAL_CMD(MODIFY_GENERAL_OBJECT, LIST, general, fw_modify_general_object),
	GENERAL_CMD(QUERY_GENERAL_OBJECT, PLAIN, general, fw_query_general_object),
	GENERAL_CMD(DESTROY_GENERAL_OBJECT, PLAIN, general, fw_destroy_general_object),
	CMD(ALLOC_MODIFY_HEADER_CONTEXT, alloc_modify_header_context, LIST,
	    alloc_modify_header_context, fw_alloc_modify_header),
	CMD(DEALLOC_MODIFY_HEADER_CONTEXT, dealloc_modify_header_context, PLAIN,
	    modify_header_context, fw_dealloc_modify_header),
	END_OF_COMMANDS,
};
