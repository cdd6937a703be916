/* SPDX-License-Identifier: BSD-2-Clause */
/* ibv_create_flow(): what the device has of it, byte by byte, and in which table. */
#include "flows.h"

#define SUITE	    flows_become_entries
#define SUITE_ALONE flows_become_entries_alone

FLOW_SUITE(SUITE);

static const uint8_t unicast[6] = { 2, 0xc5, 10, 0, 0, 1 };
static const uint8_t multicast[6] = { 1, 0x50, 0x56, 0x19, 0x20, 0xa7 };

Test(SUITE, a_rule_makes_a_root_and_its_end_takes_it)
{
	struct flow_request f;
	struct hca_fte *e;
	uint32_t flow;

	f = flow_of(&r);
	add_dmac(&f, unicast);
	cr_assert_null(ROOT(&r));
	cr_assert_eq(create_flow(&r, &f, &flow), 0);
	cr_assert_eq(TABLES(&r), 1);
	e = first_entry(ROOT(&r));
	cr_assert_eq(e->act.action, PRM_FLOW_CONTEXT_ACTION_FWD_DEST);
	cr_assert_eq(e->act.dests, 1);
	cr_assert_eq(e->act.dest[0].type, PRM_DEST_TYPE_TIR);
	cr_assert_eq(e->act.dest[0].tir->tirn, tirn_of(&r));
	cr_assert_eq(e->group->last - e->group->first, 65536 / 7 - 1);
	cr_assert_eq(destroy_flow(&r, flow), 0);
	cr_assert_eq(TABLES(&r), 0);
	cr_assert_null(ROOT(&r));
}

/* The offsets are those of fte_match_param in mlx5_ifc.h, written by hand. */
static void assert_match(const struct rig *r, size_t at, const uint8_t *value,
			 const uint8_t *mask, size_t n)
{
	const struct hca_fte *e = first_entry(ROOT(r));
	uint8_t all[HCA_MATCH_SIZE];

	hca_fte_value(e, all);
	cr_assert_arr_eq(all + at, value, n, "value at 0x%zx", at);
	cr_assert_arr_eq(e->group->mask + at, mask, n, "mask at 0x%zx", at);
}

#define MATCHES(r, at, n, v, m) assert_match(r, at, (const uint8_t[n])v, (const uint8_t[n])m, n)
#define B(...)              \
	{                   \
		__VA_ARGS__ \
	}

Test(SUITE, tunnels)
{
	const uint8_t vni[4] = { 0, 1, 2, 3 }, vni_mask[4] = { 0, 255, 255, 255 };
	const uint8_t gre[8] = { 0, 0, 0x65, 0x58, 9, 8, 7, 6 };
	const uint8_t gre_mask[8] = { 0, 0, 255, 255, 255, 255, 255, 255 };
	uint8_t mac[16] = { 2 }, mac_mask[16] = { 255 };
	struct flow_request f;

	f = flow_of(&r);
	add_spec(&f, IBV_FLOW_SPEC_VXLAN_TUNNEL, vni, vni_mask, 4);
	add_spec(&f, IBV_FLOW_SPEC_GRE, gre, gre_mask, 8);
	add_spec(&f, IBV_FLOW_SPEC_ETH | IBV_FLOW_SPEC_INNER, mac, mac_mask, 16);
	cr_assert_eq(create_flow(&r, &f, NULL), 0);
	MATCHES(&r, 0x40 + 0x14, 4, B(1, 2, 3, 0), B(255, 255, 255, 0));
	MATCHES(&r, 0x40 + 0x0c, 8, B(0, 0, 0x65, 0x58, 9, 8, 7, 6),
		B(0, 0, 255, 255, 255, 255, 255, 255));
	MATCHES(&r, 0x80 + 8, 4, B(2, 0, 0, 0), B(255, 0, 0, 0));
	MATCHES(&r, 0x10, 1, B(47), B(255));
	cr_assert_eq(first_entry(ROOT(&r))->group->criteria, 7);
}

static uint32_t rule(struct rig *r, const uint8_t *mac, uint16_t prio, uint32_t flags)
{
	struct flow_request f = flow_of(r);
	uint32_t flow;

	f.cmd.flow_attr.priority = prio;
	f.cmd.flow_attr.flags = flags;
	add_dmac(&f, mac);
	cr_assert_eq(create_flow(r, &f, &flow), 0);
	return flow;
}

/* Levels are the order; the lower one is first. */
Test(SUITE, priorities_are_a_chain)
{
	uint32_t high, low, group, trap;
	const struct hca_flow_table *t;

	low = rule(&r, unicast, 5, 0);
	group = rule(&r, multicast, 0, 0);
	high = rule(&r, unicast, 1, 0);
	trap = rule(&r, unicast, 1, IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
	t = ROOT(&r);
	cr_assert_eq(t->level, 2, "don't trap of priority 1");
	cr_assert_eq(t->miss->level, 3, "priority 1");
	cr_assert_eq(t->miss->miss->level, 11, "priority 5");
	cr_assert_eq(t->miss->miss->miss->level, 32, "multicast, whatever its priority");
	cr_assert_eq(first_entry(t)->act.dests, 2);
	cr_assert_eq(first_entry(t)->act.dest[1].table, t->miss, "a copy goes on");
	cr_assert_eq(destroy_flow(&r, high), 0);
	cr_assert_eq(t->miss->level, 11);
	cr_assert_eq(first_entry(t)->act.dest[1].table, t->miss);
	cr_assert_eq(destroy_flow(&r, trap), 0);
	cr_assert_eq(ROOT(&r)->level, 11);
	cr_assert_eq(destroy_flow(&r, group), 0);
	cr_assert_null(ROOT(&r)->miss);
	cr_assert_eq(destroy_flow(&r, low), 0);
	cr_assert_eq(TABLES(&r), 0);
}

Test(SUITE, a_copy_goes_on_to_the_netdev_if_nothing_else_follows)
{
	uint32_t trap;

	trap = rule(&r, unicast, 0, IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
	cr_assert_eq(TABLES(&r), 2);
	cr_assert_eq(first_entry(ROOT(&r))->act.dest[1].table, ROOT(&r)->miss);
	cr_assert_eq(ROOT(&r)->miss->groups, 0, "it has no rules");
	cr_assert_eq(destroy_flow(&r, trap), 0);
	cr_assert_eq(TABLES(&r), 0);
}

static uint32_t of_type(struct rig *r, uint32_t type)
{
	struct flow_request f = flow_of(r);
	uint32_t flow;

	f.cmd.flow_attr.type = type;
	cr_assert_eq(create_flow(r, &f, &flow), 0);
	return flow;
}

Test(SUITE, defaults_are_leftovers)
{
	struct hca_fte *e;
	uint32_t flow;

	flow = of_type(&r, IBV_FLOW_ATTR_ALL_DEFAULT);
	cr_assert_eq(ROOT(&r)->level, 61);
	cr_assert_eq(ROOT(&r)->size, 128);
	MATCHES(&r, 8, 4, B(1, 0, 0, 0), B(1, 0, 0, 0));
	e = hca_fte_find(ROOT(&r), 1);
	cr_assert_not_null(e, "unicast");
	cr_assert_eq(e->group->last, 41, "a third of the table, for both");
	cr_assert_eq(destroy_flow(&r, flow), 0);
	flow = of_type(&r, IBV_FLOW_ATTR_MC_DEFAULT);
	cr_assert_null(hca_fte_find(ROOT(&r), 1));
	cr_assert_eq(destroy_flow(&r, flow), 0);
	cr_assert_eq(TABLES(&r), 0);
}

Test(SUITE, a_sniffer_is_two_rules)
{
	uint32_t flow;

	flow = of_type(&r, IBV_FLOW_ATTR_SNIFFER);
	cr_assert_eq(first_entry(r.b.hca.roots[PRM_FT_TYPE_SNIFFER_RX])->act.dests, 1);
	cr_assert_eq(first_entry(r.b.hca.roots[PRM_FT_TYPE_SNIFFER_TX])->group->criteria, 0);
	cr_assert_eq(destroy_flow(&r, flow), 0);
	cr_assert_eq(TABLES(&r), 0);
}

Test(SUITE, egress_allows_or_drops)
{
	const struct hca_flow_table *t;
	struct flow_request f;

	f = flow_of(&r);
	f.cmd.flow_attr.flags = IBV_FLOW_ATTR_FLAGS_EGRESS;
	add_dmac(&f, unicast);
	cr_assert_eq(create_flow(&r, &f, NULL), 0);
	t = r.b.hca.roots[PRM_FT_TYPE_NIC_TX];
	cr_assert_eq(first_entry(t)->act.action, PRM_FLOW_CONTEXT_ACTION_ALLOW);
	f.cmd.flow_attr.priority = 3;
	add_action(&f, IBV_FLOW_SPEC_ACTION_DROP, 0);
	cr_assert_eq(create_flow(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(t->miss)->act.action, PRM_FLOW_CONTEXT_ACTION_DROP);
	cr_assert_null(ROOT(&r));
}

Test(SUITE, a_tag_and_a_drop)
{
	struct flow_request f;

	f = flow_of(&r);
	add_dmac(&f, unicast);
	add_action(&f, IBV_FLOW_SPEC_ACTION_TAG, 0xabcdef);
	cr_assert_eq(create_flow(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(ROOT(&r))->act.tag, 0xabcdef);
	f = flow_of(&r);
	f.cmd.flow_attr.priority = 1;
	add_dmac(&f, unicast);
	add_action(&f, IBV_FLOW_SPEC_ACTION_DROP, 0);
	cr_assert_eq(create_flow(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(ROOT(&r)->miss)->act.action, PRM_FLOW_CONTEXT_ACTION_DROP);
	cr_assert_eq(first_entry(ROOT(&r)->miss)->act.dests, 0);
}

/* A second QP with a separate TIR. */
static uint32_t other_qp(struct rig *r)
{
	struct qp qp;

	r->attr.uhw.sq_buf_addr = (uintptr_t)pages(1);
	r->attr.uhw.buf_addr = (uintptr_t)pages(2);
	r->attr.uhw.db_addr = (uintptr_t)pages(1);
	cr_assert_eq(create_qp(&r->b, &r->attr, &qp), 0);
	return qp.handle;
}

Test(SUITE, equal_matches_are_one_entry)
{
	uint32_t first, second, again;
	struct flow_request f;
	struct hca_fte *e;

	f = flow_of(&r);
	add_dmac(&f, unicast);
	cr_assert_eq(create_flow(&r, &f, &first), 0);
	cr_assert_eq(create_flow(&r, &f, &again), 0);
	e = first_entry(ROOT(&r));
	cr_assert_eq(e->act.dests, 1, "the same QP counts once");
	f.cmd.qp_handle = other_qp(&r);
	cr_assert_eq(create_flow(&r, &f, &second), 0);
	cr_assert_eq(e->act.dests, 2);
	cr_assert_null(hca_fte_find(ROOT(&r), 1));
	cr_assert_eq(destroy_flow(&r, first), 0);
	cr_assert_eq(e->act.dests, 2, "another flow has that QP");
	cr_assert_eq(destroy_flow(&r, again), 0);
	cr_assert_eq(e->act.dests, 1);
	cr_assert_neq(e->act.dest[0].tir->tirn, tirn_of(&r));
	cr_assert_eq(destroy_flow(&r, second), 0);
	cr_assert_eq(TABLES(&r), 0);
}

/* Six masks have 9362 indexes each, further ones one; the ranges are in order of appearance. */
Test(SUITE, masks_are_groups)
{
	static const uint32_t first[] = { 0, 9362, 18724, 28086, 37448, 46810, 56172, 56173 };

	for (int i = 0; i < 8; i++) {
		uint8_t value[16] = { 0 }, mask[16] = { 0 };
		struct flow_request f = flow_of(&r);

		mask[5] = 1 << i;
		add_spec(&f, IBV_FLOW_SPEC_ETH, value, mask, 16);
		cr_assert_eq(create_flow(&r, &f, NULL), 0);
		cr_assert_not_null(hca_fte_find(ROOT(&r), first[i]), "mask %d", i);
	}
}

/* fs_core.c, insert_fte: ida_alloc() gives the lowest index that is free. */
Test(SUITE, free_indexes_are_taken_again)
{
	uint32_t flow[6], lowest[] = { 1, 3, 5, 6 };
	uint8_t mac[6] = { 2 };

	for (int i = 0; i < 6; mac[5] = ++i)
		flow[i] = rule(&r, mac, 0, 0);
	for (int i = 1; i < 6; i += 2)
		cr_assert_eq(destroy_flow(&r, flow[i]), 0);
	for (int i = 0; i < 4; i++, mac[5]++) {
		cr_expect_null(hca_fte_find(ROOT(&r), lowest[i]));
		rule(&r, mac, 0, 0);
		cr_expect_not_null(hca_fte_find(ROOT(&r), lowest[i]), "%u", lowest[i]);
	}
}

static void small(struct hca *hca)
{
	uint8_t *caps = PRM_ADDR(flow_table_nic_cap, hca->caps[PRM_CAP_FLOW_TABLE],
				 flow_table_properties_nic_receive);

	PRM_SET(flow_table_prop_layout, caps, log_max_ft_size, 1);
}

Test(SUITE_ALONE, a_table_can_be_full)
{
	uint8_t mac[6] = { 2 };
	struct flow_request f;
	struct rig r;

	flow_rig(&r, small);
	for (int i = 0; i < 3; i++) {
		f = flow_of(&r);
		mac[5] = (uint8_t)i;
		add_dmac(&f, mac);
		cr_assert_eq(create_flow(&r, &f, NULL), i < 2 ? 0 : -ENOSPC);
	}
	rig_down(&r);
}

Test(SUITE, a_qp_with_flows_stays)
{
	struct ib_uverbs_destroy_qp_resp resp;
	uint32_t flow;

	flow = rule(&r, unicast, 0, 0);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), -EBUSY);
	cr_assert_eq(destroy_flow(&r, flow), 0);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &resp), 0);
}

Test(SUITE, release_takes_all)
{
	rule(&r, unicast, 0, IBV_FLOW_ATTR_FLAGS_DONT_TRAP);
	rule(&r, multicast, 0, 0);
	of_type(&r, IBV_FLOW_ATTR_ALL_DEFAULT);
}
