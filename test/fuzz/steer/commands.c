/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands that firmware mostly accepts, with the numbers of what is there; some are damaged.
 * The boxes are on the heap, without a byte after their end.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_steer.h"

enum { BOX = 1024 };

static struct box {
	uint8_t in[BOX];
	size_t len;
} b;

static struct hca *hca;

/* A number that is in use; any if none is. */
static uint32_t live(const struct core_ids *t)
{
	uint32_t skip = t->used ? below(t->used) : 0, id = 0;

	if (!t->used || one_in(32))
		return below(8);
	do
		core_ids_next(t, &id);
	while (skip--);
	return id;
}

static uint8_t some_type(void)
{
	static const uint8_t types[] = { PRM_FT_TYPE_NIC_RX,	 PRM_FT_TYPE_NIC_RX,
					 PRM_FT_TYPE_NIC_TX,	 PRM_FT_TYPE_FDB,
					 PRM_FT_TYPE_SNIFFER_RX, PRM_FT_TYPE_SNIFFER_TX,
					 PRM_FT_TYPE_RDMA_RX,	 PRM_FT_TYPE_RDMA_TX };

	return one_in(32) ? (uint8_t)chance() : PICK(types);
}

/* A table, and its type; NULL: there is none. */
static const struct hca_flow_table *some_table(void)
{
	return hca_object_find(hca, HCA_KIND_flow_table, live(&hca->flow_tables));
}

static void begin(uint16_t opcode)
{
	memset(&b, 0, sizeof(b));
	b.len = prm_cmd(opcode)->in->bytes;
	PRM_SET(mbox_in, b.in, opcode, opcode);
}

/* Type and number of a table, where all commands on tables have them. */
static const struct hca_flow_table *on_table(uint16_t opcode)
{
	const struct hca_flow_table *t = some_table();

	begin(opcode);
	PRM_SET(set_fte_in, b.in, table_type, t ? t->type : 0);
	PRM_SET(set_fte_in, b.in, table_id, t ? t->table_id : 0);
	return t;
}

static void set_miss(uint8_t *ctx)
{
	uint32_t action = below(3);

	PRM_SET(flow_table_context, ctx, table_miss_action, action);
	if (action == PRM_FLOW_TABLE_MISS_ACTION_FWD)
		PRM_SET(flow_table_context, ctx, table_miss_id, live(&hca->flow_tables));
}

static void create_table(void)
{
	uint8_t *ctx;

	begin(PRM_OP_CREATE_FLOW_TABLE);
	ctx = PRM_ADDR(create_flow_table_in, b.in, flow_table_context);
	PRM_SET(create_flow_table_in, b.in, table_type, some_type());
	PRM_SET(flow_table_context, ctx, level, below(64));
	PRM_SET(flow_table_context, ctx, log_size, below(6));
	PRM_SET(flow_table_context, ctx, reformat_en, one_in(2));
	PRM_SET(flow_table_context, ctx, decap_en, one_in(2));
	if (one_in(2))
		set_miss(ctx);
}

static void modify_table(void)
{
	on_table(PRM_OP_MODIFY_FLOW_TABLE);
	PRM_SET(modify_flow_table_in, b.in, modify_field_select,
		PRM_MODIFY_FLOW_TABLE_MISS_TABLE_ID);
	set_miss(PRM_ADDR(modify_flow_table_in, b.in, flow_table_context));
}

static void create_group(void)
{
	static const uint8_t criteria[] = { 0, 1, 1, 1, 2, 3, 4, 5, 8, 9, 16, 17, 31 };
	const struct hca_flow_table *t = on_table(PRM_OP_CREATE_FLOW_GROUP);
	uint32_t first = t ? below(t->size) : 0, which = PICK(criteria);
	uint8_t *mask = PRM_ADDR(create_flow_group_in, b.in, match_criteria);

	PRM_SET(create_flow_group_in, b.in, start_flow_index, first);
	PRM_SET(create_flow_group_in, b.in, end_flow_index, first + below(4));
	PRM_SET(create_flow_group_in, b.in, match_criteria_enable, which);
	for (uint32_t block = 0; block < 5; block++)
		if (which >> block & 1 && one_in(2))
			memset(mask + 64 * block + 4 * below(16), 0xff, one_in(2) ? 1 : 4);
}

static void put_destination(uint8_t *item, uint8_t table_type)
{
	static const uint8_t types[] = { PRM_DEST_TYPE_FLOW_TABLE, PRM_DEST_TYPE_FLOW_TABLE,
					 PRM_DEST_TYPE_TIR, PRM_DEST_TYPE_VPORT,
					 PRM_DEST_TYPE_UPLINK };
	uint8_t type = PICK(types);

	if (type == PRM_DEST_TYPE_TIR && table_type == PRM_FT_TYPE_FDB)
		type = PRM_DEST_TYPE_VPORT;
	PRM_SET(dest_format_struct, item, destination_type, type);
	PRM_SET(dest_format_struct, item, destination_id,
		type == PRM_DEST_TYPE_FLOW_TABLE ? live(&hca->flow_tables)
		: type == PRM_DEST_TYPE_TIR	 ? live(&hca->tirs)
		: type == PRM_DEST_TYPE_VPORT	 ? (one_in(2) ? 0xffff : 0)
						 : 0);
}

static void put_lists(uint8_t *ctx, uint8_t table_type, uint32_t dests, uint32_t counts)
{
	PRM_SET(flow_context, ctx, destination_list_size, dests);
	PRM_SET(flow_context, ctx, flow_counter_list_size, counts);
	for (uint32_t i = 0; i < dests; i++, b.len += PRM_SZ(dest_format_struct))
		put_destination(b.in + b.len, table_type);
	for (uint32_t i = 0; i < counts; i++, b.len += PRM_SZ(flow_counter_list))
		PRM_SET(flow_counter_list, b.in + b.len, flow_counter_id,
			live(&hca->flow_counters));
}

static uint32_t some_actions(void)
{
	static const uint32_t ends[] = { PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
					 PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
					 PRM_FLOW_CONTEXT_ACTION_DROP,
					 PRM_FLOW_CONTEXT_ACTION_ALLOW };
	static const uint32_t others[] = {
		PRM_FLOW_CONTEXT_ACTION_COUNT,	   PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT,
		PRM_FLOW_CONTEXT_ACTION_DECAP,	   PRM_FLOW_CONTEXT_ACTION_MOD_HDR,
		PRM_FLOW_CONTEXT_ACTION_MOD_HDR,   PRM_FLOW_CONTEXT_ACTION_VLAN_POP,
		PRM_FLOW_CONTEXT_ACTION_VLAN_PUSH, PRM_FLOW_CONTEXT_ACTION_VLAN_POP_2,
	};
	uint32_t all = PICK(ends);

	for (unsigned int n = below(3); n; n--)
		all |= PICK(others);
	return all;
}

/* A value with the bits of the group's mask. */
static void put_value(uint8_t *value, const struct hca_flow_group *g)
{
	for (size_t i = 0; g && i < HCA_MATCH_SIZE; i++)
		value[i] = g->mask[i] & (one_in(2) ? 0 : one_in(2) ? 0x08 : (uint8_t)chance());
}

static void set_entry(void)
{
	const struct hca_flow_group *g =
		hca_object_find(hca, HCA_KIND_flow_group, live(&hca->flow_groups));
	uint8_t type = g ? g->table->type : 0;
	uint32_t action = some_actions();
	uint8_t *ctx;

	begin(PRM_OP_SET_FLOW_TABLE_ENTRY);
	ctx = PRM_ADDR(set_fte_in, b.in, flow_context);
	PRM_SET(set_fte_in, b.in, table_type, type);
	PRM_SET(set_fte_in, b.in, table_id, g ? g->table->table_id : 0);
	PRM_SET(set_fte_in, b.in, flow_index, g ? g->first + below(g->last - g->first + 1) : 0);
	PRM_SET(set_fte_in, b.in, ignore_flow_level, one_in(4));
	if (one_in(4)) {
		PRM_SET(set_fte_in, b.in, op_mod, 1);
		PRM_SET(set_fte_in, b.in, modify_enable_mask, below(16));
	}
	PRM_SET(flow_context, ctx, group_id, g ? g->group_id : 0);
	PRM_SET(flow_context, ctx, flow_tag, one_in(2) ? below(1 << 24) : 0);
	PRM_SET(flow_context, ctx, action, action);
	if (action & PRM_FLOW_CONTEXT_ACTION_MOD_HDR)
		PRM_SET(flow_context, ctx, modify_header_id, live(&hca->modify_headers));
	if (action & PRM_FLOW_CONTEXT_ACTION_PACKET_REFORMAT)
		PRM_SET(flow_context, ctx, packet_reformat_id, live(&hca->packet_reformats));
	if (action & PRM_FLOW_CONTEXT_ACTION_VLAN_PUSH)
		memset(PRM_ADDR(flow_context, ctx, push_vlan), (int)below(256), 4);
	put_value(PRM_ADDR(flow_context, ctx, match_value), g);
	put_lists(ctx, type,
		  action & PRM_FLOW_CONTEXT_ACTION_FWD_DEST ? 1 + below(3) : one_in(32),
		  action & PRM_FLOW_CONTEXT_ACTION_COUNT ? 1 + below(2) : one_in(32));
}

static void delete_entry(void)
{
	const struct hca_flow_table *t = on_table(PRM_OP_DELETE_FLOW_TABLE_ENTRY);

	PRM_SET(delete_fte_in, b.in, flow_index, t ? below(t->size) : 0);
}

static void destroy_group(void)
{
	const struct hca_flow_group *g =
		hca_object_find(hca, HCA_KIND_flow_group, live(&hca->flow_groups));

	begin(PRM_OP_DESTROY_FLOW_GROUP);
	PRM_SET(destroy_flow_group_in, b.in, table_type, g ? g->table->type : 0);
	PRM_SET(destroy_flow_group_in, b.in, table_id, g ? g->table->table_id : 0);
	PRM_SET(destroy_flow_group_in, b.in, group_id, g ? g->group_id : 0);
}

static void destroy_table(void)
{
	on_table(PRM_OP_DESTROY_FLOW_TABLE);
}

static void set_root(void)
{
	on_table(PRM_OP_SET_FLOW_TABLE_ROOT);
}

static void alloc_modify(void)
{
	static const uint8_t fields[] = {
		PRM_ACTION_IN_FIELD_OUT_SMAC_47_16,   PRM_ACTION_IN_FIELD_OUT_DMAC_15_0,
		PRM_ACTION_IN_FIELD_OUT_ETHERTYPE,    PRM_ACTION_IN_FIELD_OUT_FIRST_VID,
		PRM_ACTION_IN_FIELD_OUT_IP_DSCP,      PRM_ACTION_IN_FIELD_OUT_IP_TTL,
		PRM_ACTION_IN_FIELD_OUT_SIPV4,	      PRM_ACTION_IN_FIELD_OUT_DIPV6_31_0,
		PRM_ACTION_IN_FIELD_OUT_TCP_FLAGS,    PRM_ACTION_IN_FIELD_OUT_TCP_SEQ_NUM,
		PRM_ACTION_IN_FIELD_OUT_UDP_SPORT,    PRM_ACTION_IN_FIELD_METADATA_REG_B,
		PRM_ACTION_IN_FIELD_METADATA_REG_C_0,
	};
	uint32_t n = 1 + below(4);

	begin(PRM_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, b.in, table_type, some_type());
	PRM_SET(alloc_modify_header_context_in, b.in, num_of_actions, n);
	for (uint32_t i = 0; i < n; i++, b.len += PRM_SZ(set_action_in)) {
		uint8_t *a = b.in + b.len, type = 1 + below(3);

		PRM_SET(set_action_in, a, action_type, type);
		PRM_SET(set_action_in, a, field, PICK(fields));
		if (type == PRM_ACTION_COPY)
			PRM_SET(copy_action_in, a, dst_field, PICK(fields));
		else
			PRM_SET(set_action_in, a, data, odd_number());
		if (type != PRM_ACTION_ADD)
			PRM_SET(set_action_in, a, length, 1 + below(8));
		if (type != PRM_ACTION_ADD && one_in(4))
			PRM_SET(set_action_in, a, offset, below(8));
	}
}

static void alloc_reformat(void)
{
	static const uint8_t types[] = { PRM_REFORMAT_L2_TO_L2_TUNNEL,
					 PRM_REFORMAT_L3_TUNNEL_TO_L2,
					 PRM_REFORMAT_L2_TO_L3_TUNNEL, PRM_REFORMAT_INSERT_HDR,
					 PRM_REFORMAT_REMOVE_HDR };
	uint8_t type = PICK(types), *ctx;
	uint32_t size = type == PRM_REFORMAT_L3_TUNNEL_TO_L2 ? 14 : 1 + below(128);
	uint8_t *data;

	begin(PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	ctx = PRM_ADDR(alloc_packet_reformat_context_in, b.in, packet_reformat_context);
	data = ctx + PRM_OFF(packet_reformat_context_in, reformat_data) / 8;
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, type);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, size);
	if (type == PRM_REFORMAT_INSERT_HDR || type == PRM_REFORMAT_REMOVE_HDR) {
		PRM_SET(packet_reformat_context_in, ctx, reformat_param_0, below(12));
		PRM_SET(packet_reformat_context_in, ctx, reformat_param_1, 2 * below(32));
	}
	if (type != PRM_REFORMAT_REMOVE_HDR) {
		size_t n;
		uint8_t *frame = frame_make(&n);

		memcpy(data, frame, n < size ? n : size);
		free(frame);
	}
	if (b.len < (size_t)(data - b.in) + size)
		b.len = ((size_t)(data - b.in) + size + 3) / 4 * 4;
}

static void numbered(uint16_t opcode, const struct core_ids *t)
{
	begin(opcode);
	PRM_SET(dealloc_modify_header_context_in, b.in, modify_header_id, live(t));
}

static void small_commands(void)
{
	switch (below(6)) {
	case 0:
	case 1:
		begin(PRM_OP_ALLOC_FLOW_COUNTER);
		PRM_SET(alloc_flow_counter_in, b.in, flow_counter_bulk, one_in(2));
		break;
	case 2:
		numbered(PRM_OP_DEALLOC_FLOW_COUNTER, &hca->flow_counters);
		break;
	case 3:
		numbered(PRM_OP_DEALLOC_MODIFY_HEADER_CONTEXT, &hca->modify_headers);
		break;
	case 4:
		numbered(PRM_OP_DEALLOC_PACKET_REFORMAT_CONTEXT, &hca->packet_reformats);
		break;
	default:
		on_table(one_in(2) ? PRM_OP_QUERY_FLOW_TABLE : PRM_OP_QUERY_FLOW_TABLE_ENTRY);
	}
}

static void compose(void)
{
	static void (*const all[])(void) = {
		create_table,	create_table,	create_table,	modify_table,	create_group,
		create_group,	create_group,	set_entry,	set_entry,	set_entry,
		set_entry,	set_entry,	set_entry,	delete_entry,	destroy_group,
		destroy_table,	set_root,	set_root,	alloc_modify,	alloc_modify,
		alloc_reformat, alloc_reformat, small_commands, small_commands,
	};

	PICK(all)();
}

static void damage(void)
{
	if (one_in(6))
		for (unsigned int n = 1 + below(3); n; n--)
			spoil(b.in + 4, b.len - 4);
	if (one_in(40))
		b.len = below((uint32_t)b.len + 1);
}

bool command_run(struct hca *h)
{
	uint8_t *in, *out;
	size_t out_len;
	bool done;

	hca = h;
	compose();
	out_len = one_in(40) ? below(64) : prm_cmd(PRM_GET(mbox_in, b.in, opcode))->out->bytes;
	damage();
	in = malloc(b.len + !b.len);
	out = malloc(out_len + !out_len);
	FUZZ_CHECK(in && out, "out of memory");
	memcpy(in, b.in, b.len);
	memset(out, 0xee, out_len);
	fw_exec(hca, in, b.len, out, out_len);
	done = out_len && !out[0];
	free(in);
	free(out);
	return done;
}
