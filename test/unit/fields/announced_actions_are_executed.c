/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The capabilities of actions, one by one. With it, an entry with the action is made, and
 * changes the length of a packet as it should; without it, the entry is refused.
 *
 *	packet: Ethernet, two tags | IPv4, UDP, VXLAN | Ethernet | IPv4, UDP	300 bytes
 *		0		   22			58	  72
 */
#include "steer/steer.h"
#include "unit/fw/flow.h"

TestSuite(actions, .init = setup, .fini = teardown);

#define DO(name) PRM_FLOW_CONTEXT_ACTION_##name

enum { PACKET = 300, L2 = 22, INNER_L2 = 58, INNER_L3 = 72, NEW = 20, L2_PLAIN = 14 };

static const struct action {
	const char *cap;
	uint8_t type; /* of the table */
	uint16_t action;
	uint8_t reformat, size; /* with PACKET_REFORMAT: its type, bytes of its header */
	uint8_t anchor;
	uint16_t len; /* of the packet afterwards */
} actions[] = {
	{ "max_modify_header_actions", RX, DO(MOD_HDR), 0, 0, 0, PACKET },
	{ "pop_vlan", RX, DO(VLAN_POP), 0, 0, 0, PACKET - 4 },
	{ "pop_vlan_2", RX, DO(VLAN_POP) | DO(VLAN_POP_2), 0, 0, 0, PACKET - 8 },
	{ "push_vlan", TX, DO(VLAN_PUSH), 0, 0, 0, PACKET + 4 },
	{ "push_vlan_2", TX, DO(VLAN_PUSH) | DO(VLAN_PUSH_2), 0, 0, 0, PACKET + 8 },
	{ "decap", RX, DO(DECAP), 0, 0, 0, PACKET - INNER_L2 },
	{ "reformat", TX, DO(PACKET_REFORMAT), PRM_REFORMAT_L2_TO_L2_TUNNEL, NEW, 0,
	  PACKET + NEW },
	{ "reformat_l3_tunnel_to_l2", RX, DO(PACKET_REFORMAT), PRM_REFORMAT_L3_TUNNEL_TO_L2,
	  L2_PLAIN, 0, PACKET - INNER_L3 + L2_PLAIN },
	{ "reformat_l2_to_l3_tunnel", TX, DO(PACKET_REFORMAT), PRM_REFORMAT_L2_TO_L3_TUNNEL,
	  NEW, 0, PACKET - L2 + NEW },
	{ "reformat_insert", TX, DO(PACKET_REFORMAT), PRM_REFORMAT_INSERT_HDR, NEW,
	  PRM_REFORMAT_CONTEXT_ANCHOR_MAC_START, PACKET + NEW },
	{ "reformat_remove", RX, DO(PACKET_REFORMAT), PRM_REFORMAT_REMOVE_HDR, 8,
	  PRM_REFORMAT_CONTEXT_ANCHOR_MAC_START, PACKET - 8 },
	{ "flow_counter", RX, DO(COUNT), 0, 0, 0, PACKET },
};

static uint8_t *caps_of(uint8_t type)
{
	uint8_t *caps = hca.caps[PRM_CAP_FLOW_TABLE];

	return type == TX
		       ? PRM_ADDR(flow_table_nic_cap, caps, flow_table_properties_nic_transmit)
		       : PRM_ADDR(flow_table_nic_cap, caps, flow_table_properties_nic_receive);
}

static uint32_t new_id(void)
{
	cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	return (uint32_t)b.out[8] << 24 | id24();
}

/* Sets the TTL of the outer header. */
static uint32_t new_list(uint8_t type)
{
	uint8_t *a = b.in + PRM_SZ(alloc_modify_header_context_in);

	box(PRM_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, b.in, table_type, type);
	PRM_SET(alloc_modify_header_context_in, b.in, num_of_actions, 1);
	PRM_SET(set_action_in, a, action_type, PRM_ACTION_SET);
	PRM_SET(set_action_in, a, field, PRM_ACTION_IN_FIELD_OUT_IP_TTL);
	PRM_SET(set_action_in, a, length, 8);
	PRM_SET(set_action_in, a, data, 9);
	b.in_len += PRM_SZ(set_action_in);
	return new_id();
}

static uint32_t new_reformat(const struct action *a)
{
	uint8_t *ctx =
		PRM_ADDR(alloc_packet_reformat_context_in, b.in, packet_reformat_context);

	box(PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, a->reformat);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, a->size);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0, a->anchor);
	if (a->reformat != PRM_REFORMAT_REMOVE_HDR)
		b.in_len += a->size;
	return new_id();
}

/* An entry that does it, and drops; everything that it names was made before. */
struct ids {
	uint32_t table, group, list, reformat, counter;
};

static void action_box(const struct action *a, const struct ids *ids)
{
	uint8_t *ctx = PRM_ADDR(set_fte_in, b.in, flow_context);

	entry_box(a->type, ids->table, ids->group, 0, a->action | DO(DROP), NULL);
	PRM_SET(flow_context, ctx, modify_header_id, ids->list);
	PRM_SET(flow_context, ctx, packet_reformat_id, ids->reformat);
	if (a->action & DO(COUNT))
		count_into(ids->counter);
}

/* ---- a packet ---- */

static uint8_t bytes[PACKET];

static void make_packet(void)
{
	static const uint8_t outer[INNER_L3] = {
		2, 0, 0,  0, 0,	   2, 4,    0,	  0,	0,    0, 1, 0x81, 0,  0, 5, 0x81, 0,
		0, 6, 8,  0, 0x45, 0, 1,    22,	  0,	0,    0, 0, 64,	  17, 0, 0, 10,	  0,
		0, 1, 10, 0, 0,	   2, 0x12, 0x34, 0x12, 0xb5, 1, 2, 0,	  0,  8, 0, 0,	  0,
		0, 0, 7,  0, 6,	   0, 0,    0,	  0,	2,    4, 0, 0,	  0,  0, 1, 8,	  0,
	};
	static const uint8_t inner[20] = { 0x45, 0, 0,	228, 0, 0, 0,  0, 64, 17,
					   0,	 0, 10, 9,   0, 1, 10, 9, 0,  2 };

	memcpy(bytes, outer, sizeof(outer));
	memcpy(bytes + INNER_L3, inner, sizeof(inner));
}

static size_t changed_len;
static bool ttl_is_set, dropped;

static void step(void *ctx, const struct steer_step *s)
{
	(void)ctx;
	dropped |= s->did == STEER_DROP;
	if (s->did != STEER_CHANGED)
		return;
	changed_len = s->p->len;
	ttl_is_set = s->p->bytes[L2 + 8] == 9;
}

static void run_packet(uint8_t type)
{
	static const struct steer_sink sink = { .step = step };
	const struct steer_packet p = { .bytes = bytes, .len = PACKET };

	make_packet();
	changed_len = PACKET;
	ttl_is_set = dropped = false;
	if (type == TX)
		steer_send(&hca, &p, &sink);
	else
		steer_receive(&hca, &p, &sink);
}

static uint64_t counted(uint32_t id)
{
	box(PRM_OP_QUERY_FLOW_COUNTER);
	PRM_SET(query_flow_counter_in, b.in, flow_counter_id, id);
	b.out_len = PRM_SZ(query_flow_counter_out) + 16;
	cr_assert_eq(execute(), FW_OK);
	return core_be64(b.out + PRM_SZ(query_flow_counter_out));
}

/* ---- with and without the capability ---- */

static struct ids new_ids(const struct action *a)
{
	struct ids ids = { 0 };

	table_box(a->type, 1, 1);
	PRM_SET(flow_table_context, PRM_ADDR(create_flow_table_in, b.in, flow_table_context),
		reformat_en, !!(a->action & DO(PACKET_REFORMAT)));
	PRM_SET(flow_table_context, PRM_ADDR(create_flow_table_in, b.in, flow_table_context),
		decap_en, !!(a->action & DO(DECAP)));
	cr_assert_eq(execute(), FW_OK, "%s: syndrome %#x", a->cap, syndrome());
	ids.table = id24();
	ids.group = new_group(a->type, ids.table, 0, 1, 0, NULL);
	on_table(PRM_OP_SET_FLOW_TABLE_ROOT, a->type, ids.table);
	cr_assert_eq(execute(), FW_OK);
	if (a->action & DO(MOD_HDR))
		ids.list = new_list(a->type);
	if (a->action & DO(PACKET_REFORMAT))
		ids.reformat = new_reformat(a);
	ids.counter = new_counter(0);
	return ids;
}

static void check_action(const struct action *a)
{
	struct ids ids = new_ids(a);
	uint8_t *caps = caps_of(a->type);
	const struct prm_field *cap = NULL;
	uint64_t was;

	for (const struct prm_field *f = prm_struct("flow_table_prop_layout")->fields; f->name;
	     f++)
		if (!strcmp(f->name, a->cap))
			cap = f;
	cr_assert(cap, "%s", a->cap);
	was = prm_load(caps, cap->bit, cap->width);
	cr_assert(was, "%s is not announced", a->cap);
	prm_store(caps, cap->bit, cap->width, 0);
	action_box(a, &ids);
	cr_assert_eq(execute(), FW_BAD_PARAM, "without %s", a->cap);
	prm_store(caps, cap->bit, cap->width, was);
	action_box(a, &ids);
	cr_assert_eq(execute(), FW_OK, "%s: syndrome %#x", a->cap, syndrome());
	run_packet(a->type);
	cr_assert(dropped);
	cr_assert_eq(changed_len, a->len, "%s: %zu bytes", a->cap, changed_len);
	cr_assert_eq(ttl_is_set, !!(a->action & DO(MOD_HDR)), "%s", a->cap);
	cr_assert_eq(counted(ids.counter), !!(a->action & DO(COUNT)), "%s", a->cap);
}

Test(actions, that_are_announced_are_executed)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		check_action(&actions[i]);
}
