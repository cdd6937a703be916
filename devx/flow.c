/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow tables, groups and entries, modify header and packet reformat contexts: attributes to
 * fields.
 *
 *	entry inbox:  set_fte_in | destination … | counter …	8 bytes each
 */
#include <stdlib.h>

#include <devx/flow.h>
#include <prm/prm.h>

#include "refuse.h"

static void set_miss(uint8_t *context, uint8_t action, uint32_t table)
{
	PRM_SET(flow_table_context, context, table_miss_action, action);
	PRM_SET(flow_table_context, context, table_miss_id, table);
}

int devx_flow_table_create(struct devx_obj *table, struct ibv_context *ctx,
			   const struct devx_flow_table_attr *attr)
{
	uint8_t in[PRM_SZ(create_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(create_flow_table_out)] = { 0 };
	uint8_t *context = PRM_ADDR(create_flow_table_in, in, flow_table_context);

	PRM_SET(create_flow_table_in, in, opcode, PRM_OP_CREATE_FLOW_TABLE);
	PRM_SET(create_flow_table_in, in, table_type, attr->type);
	PRM_SET(flow_table_context, context, level, attr->level);
	PRM_SET(flow_table_context, context, log_size, attr->log_size);
	PRM_SET(flow_table_context, context, reformat_en, attr->reformat_en);
	PRM_SET(flow_table_context, context, decap_en, attr->decap_en);
	set_miss(context, attr->miss_action, attr->miss_table);
	return devx_obj_create(table, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_flow_table_query(struct devx_obj *table, uint8_t type,
			  uint8_t context[PRM_SZ(flow_table_context)])
{
	uint8_t in[PRM_SZ(query_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(query_flow_table_out)] = { 0 };
	int err;

	PRM_SET(query_flow_table_in, in, opcode, PRM_OP_QUERY_FLOW_TABLE);
	PRM_SET(query_flow_table_in, in, table_type, type);
	PRM_SET(query_flow_table_in, in, table_id, table->id);
	err = devx_obj_query(table, in, sizeof(in), out, sizeof(out));
	if (!err)
		memcpy(context, PRM_ADDR(query_flow_table_out, out, flow_table_context),
		       PRM_SZ(flow_table_context));
	return err;
}

int devx_flow_table_miss(struct devx_obj *table, uint8_t type, uint8_t miss_action,
			 uint32_t miss_table)
{
	uint8_t in[PRM_SZ(modify_flow_table_in)] = { 0 };
	uint8_t out[PRM_SZ(modify_flow_table_out)] = { 0 };

	PRM_SET(modify_flow_table_in, in, opcode, PRM_OP_MODIFY_FLOW_TABLE);
	PRM_SET(modify_flow_table_in, in, modify_field_select,
		PRM_MODIFY_FLOW_TABLE_MISS_TABLE_ID);
	PRM_SET(modify_flow_table_in, in, table_type, type);
	PRM_SET(modify_flow_table_in, in, table_id, table->id);
	set_miss(PRM_ADDR(modify_flow_table_in, in, flow_table_context), miss_action,
		 miss_table);
	return devx_obj_modify(table, in, sizeof(in), out, sizeof(out));
}

int devx_flow_group_create(struct devx_obj *group, struct ibv_context *ctx,
			   const struct devx_flow_group_attr *attr)
{
	uint8_t in[PRM_SZ(create_flow_group_in)] = { 0 };
	uint8_t out[PRM_SZ(create_flow_group_out)] = { 0 };

	if (attr->last < attr->first)
		return devx_refuse(CALL_devx_flow_group_create, PRM_OP_CREATE_FLOW_GROUP,
				   EINVAL, "last is below first");
	PRM_SET(create_flow_group_in, in, opcode, PRM_OP_CREATE_FLOW_GROUP);
	PRM_SET(create_flow_group_in, in, table_type, attr->table_type);
	PRM_SET(create_flow_group_in, in, table_id, attr->table_id);
	PRM_SET(create_flow_group_in, in, start_flow_index, attr->first);
	PRM_SET(create_flow_group_in, in, end_flow_index, attr->last);
	PRM_SET(create_flow_group_in, in, match_criteria_enable, attr->criteria);
	if (attr->mask)
		memcpy(PRM_ADDR(create_flow_group_in, in, match_criteria), attr->mask,
		       DEVX_FLOW_MATCH_BYTES);
	return devx_obj_create(group, ctx, in, sizeof(in), out, sizeof(out));
}

static void set_vlan(uint8_t *vlan, const struct devx_vlan *attr)
{
	PRM_SET(vlan, vlan, ethtype, attr->ethertype);
	PRM_SET(vlan, vlan, prio, attr->prio);
	PRM_SET(vlan, vlan, cfi, attr->cfi);
	PRM_SET(vlan, vlan, vid, attr->vid);
}

static void set_context(uint8_t *context, const struct devx_flow_entry_attr *attr)
{
	PRM_SET(flow_context, context, group_id, attr->group_id);
	PRM_SET(flow_context, context, flow_tag, attr->flow_tag);
	PRM_SET(flow_context, context, action, attr->action);
	PRM_SET(flow_context, context, destination_list_size, attr->n_dest);
	PRM_SET(flow_context, context, flow_counter_list_size, attr->n_counter);
	PRM_SET(flow_context, context, packet_reformat_id, attr->packet_reformat_id);
	PRM_SET(flow_context, context, modify_header_id, attr->modify_header_id);
	set_vlan(PRM_ADDR(flow_context, context, push_vlan), &attr->push[0]);
	set_vlan(PRM_ADDR(flow_context, context, push_vlan_2), &attr->push[1]);
	if (attr->value)
		memcpy(PRM_ADDR(flow_context, context, match_value), attr->value,
		       DEVX_FLOW_MATCH_BYTES);
}

static void set_list(uint8_t *item, const struct devx_flow_entry_attr *attr)
{
	for (size_t i = 0; i < attr->n_dest; i++, item += PRM_SZ(dest_format_struct)) {
		PRM_SET(dest_format_struct, item, destination_type, attr->dest[i].type);
		PRM_SET(dest_format_struct, item, destination_id, attr->dest[i].id);
	}
	for (size_t i = 0; i < attr->n_counter; i++, item += PRM_SZ(flow_counter_list))
		PRM_SET(flow_counter_list, item, flow_counter_id, attr->counter[i]);
}

enum { ENTRY_MAX = PRM_SZ(set_fte_in) + DEVX_FLOW_LIST * PRM_SZ(flow_counter_list) };

/* *@len: of the inbox. */
static int entry_in(enum devx_call call, uint8_t in[ENTRY_MAX],
		    const struct devx_flow_entry_attr *attr, size_t *len)
{
	const char *why = NULL;

	if (attr->n_dest > DEVX_FLOW_LIST || attr->n_counter > DEVX_FLOW_LIST - attr->n_dest)
		why = "at most 64 destinations and counters";
	else if (attr->flow_tag >> PRM_W(flow_context, flow_tag))
		why = "the flow tag has more than 24 bits";
	if (why)
		return devx_refuse(call, PRM_OP_SET_FLOW_TABLE_ENTRY, EINVAL, why);
	PRM_SET(set_fte_in, in, opcode, PRM_OP_SET_FLOW_TABLE_ENTRY);
	PRM_SET(set_fte_in, in, table_type, attr->table_type);
	PRM_SET(set_fte_in, in, table_id, attr->table_id);
	PRM_SET(set_fte_in, in, ignore_flow_level, attr->ignore_flow_level);
	PRM_SET(set_fte_in, in, flow_index, attr->index);
	set_context(PRM_ADDR(set_fte_in, in, flow_context), attr);
	set_list(in + PRM_SZ(set_fte_in), attr);
	*len = PRM_SZ(set_fte_in) +
	       (attr->n_dest + attr->n_counter) * PRM_SZ(flow_counter_list);
	return 0;
}

int devx_flow_entry_create(struct devx_obj *entry, struct ibv_context *ctx,
			   const struct devx_flow_entry_attr *attr)
{
	uint8_t in[ENTRY_MAX] = { 0 }, out[PRM_SZ(set_fte_out)] = { 0 };
	size_t len;
	int err = entry_in(CALL_devx_flow_entry_create, in, attr, &len);

	return err ? err : devx_obj_create(entry, ctx, in, len, out, sizeof(out));
}

int devx_flow_entry_modify(struct devx_obj *entry, const struct devx_flow_entry_attr *attr)
{
	static const uint8_t change = 1 << PRM_SET_FTE_MODIFY_ENABLE_MASK_ACTION |
				      1 << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_TAG |
				      1 << PRM_SET_FTE_MODIFY_ENABLE_MASK_DESTINATION_LIST |
				      1 << PRM_SET_FTE_MODIFY_ENABLE_MASK_FLOW_COUNTERS;
	uint8_t in[ENTRY_MAX] = { 0 }, out[PRM_SZ(set_fte_out)] = { 0 };
	size_t len;
	int err = entry_in(CALL_devx_flow_entry_modify, in, attr, &len);

	if (err)
		return err;
	PRM_SET(set_fte_in, in, op_mod, 1); /* of an entry that exists (mlx5_core, fs_cmd.c) */
	PRM_SET(set_fte_in, in, modify_enable_mask, change);
	return devx_obj_modify(entry, in, len, out, sizeof(out));
}

int devx_modify_header_create(struct devx_obj *list, struct ibv_context *ctx,
			      uint8_t table_type, const void *actions, size_t n)
{
	enum { MAX = 255 }; /* num_of_actions has 8 bits */
	uint8_t in[PRM_SZ(alloc_modify_header_context_in) +
		   MAX * PRM_SZ(set_add_copy_action_in_auto)] = { 0 };
	uint8_t out[PRM_SZ(alloc_modify_header_context_out)] = { 0 };
	size_t len = n * PRM_SZ(set_add_copy_action_in_auto);

	if (!n || n > MAX)
		return devx_refuse(CALL_devx_modify_header_create,
				   PRM_OP_ALLOC_MODIFY_HEADER_CONTEXT, EINVAL,
				   "a list has 1 to 255 actions");
	PRM_SET(alloc_modify_header_context_in, in, opcode, PRM_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, in, table_type, table_type);
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, n);
	memcpy(PRM_ADDR(alloc_modify_header_context_in, in, actions), actions, len);
	return devx_obj_create(list, ctx, in, PRM_SZ(alloc_modify_header_context_in) + len, out,
			       sizeof(out));
}

int devx_packet_reformat_create(struct devx_obj *reformat, struct ibv_context *ctx,
				uint8_t type, const void *header, size_t len)
{
	enum { MAX = 1023 }; /* reformat_data_size has 10 bits */
	uint8_t in[PRM_SZ(alloc_packet_reformat_context_in) + MAX] = { 0 };
	uint8_t out[PRM_SZ(alloc_packet_reformat_context_out)] = { 0 };
	uint8_t *context =
		PRM_ADDR(alloc_packet_reformat_context_in, in, packet_reformat_context);
	size_t start =
		(size_t)(context - in) + PRM_OFF(packet_reformat_context_in, reformat_data) / 8;
	size_t used = (start + len + 3) / 4 * 4; /* whole dwords, as rdma-core (dr_devx.c) */

	if (len > MAX)
		return devx_refuse(CALL_devx_packet_reformat_create,
				   PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT, EINVAL,
				   "a header has at most 1023 bytes");
	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, context, reformat_type, type);
	PRM_SET(packet_reformat_context_in, context, reformat_data_size, len);
	if (len)
		memcpy(in + start, header, len);
	return devx_obj_create(reformat, ctx, in,
			       used > PRM_SZ(alloc_packet_reformat_context_in)
				       ? used
				       : PRM_SZ(alloc_packet_reformat_context_in),
			       out, sizeof(out));
}
