/* SPDX-License-Identifier: BSD-2-Clause */
/* mlx5dv's matchers, flows, header changes and anchors: what the device has of them, what is
 * refused. */
#include "matchers.h"
#include "uverbs/flow_core.h"

#define SUITE matchers_and_values_become_entries

FLOW_SUITE(SUITE);

Test(SUITE, to_a_qp)
{
	struct matcher m = dmac_matcher();
	uint8_t value[HCA_MATCH_SIZE];
	uint32_t matcher, flow;
	struct rule f;

	m.priority = 3;
	matcher = new_matcher(&r, &m);
	cr_assert_eq(TABLES(&r), 0, "a matcher is the driver's only");
	f = rule_of(&r, matcher);
	f.tag = 0x123456;
	cr_assert_eq(create_rule(&r, &f, &flow), 0);
	cr_assert_eq(ROOT(&r)->level, 7);
	cr_assert_eq(first_entry(ROOT(&r))->act.dest[0].tir->tirn, tirn_of(&r));
	cr_assert_eq(first_entry(ROOT(&r))->act.tag, 0x123456);
	hca_fte_value(first_entry(ROOT(&r)), value);
	cr_assert_arr_eq(value, f.value, sizeof(f.value));
	cr_assert_eq(end_matcher(&r, matcher), -EBUSY);
	cr_assert_eq(end_rule(&r, flow), 0);
	cr_assert_eq(end_matcher(&r, matcher), 0);
	cr_assert_eq(TABLES(&r), 0);
}

/* mlx5_ib, fs.c: MLX5_IB_FLOW_MCAST_PRIO is after all priorities of one receiver. */
Test(SUITE, multicast_is_after_the_last_priority)
{
	struct matcher m = dmac_matcher();
	uint32_t matcher;
	struct rule f;

	matcher = new_matcher(&r, &m);
	m.priority = 15;
	f = rule_of(&r, new_matcher(&r, &m));
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	f.matcher = matcher;
	f.value[DMAC] = 1;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_expect_eq(ROOT(&r)->level, 31);
	cr_expect_eq(ROOT(&r)->miss->level, 32);
}

Test(SUITE, matchers_are_checked)
{
	struct matcher m = dmac_matcher();
	uint32_t handle;

	m.len = 0x280;
	cr_assert_eq(create_matcher(&r, &m, &handle), 0);
	m.mask[0x27f] = 1;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL);
	WITH(m, dmac_matcher(), m.type = MLX5_IB_FLOW_TYPE_MC_DEFAULT + 1,
	     create_matcher(&r, &m, &handle), -EOPNOTSUPP);
	m = dmac_matcher();
	m.ft_type = MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL);
	m.ft_type = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX;
	m.flags = 0;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL, "both");
	m.ft_type = -1;
	m.flags = 2;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL);
}

Test(SUITE, rules_are_checked)
{
	struct matcher m = dmac_matcher(), sniffer = m;
	uint32_t matcher;
	struct rule f;

	matcher = new_matcher(&r, &m);
	f = rule_of(&r, matcher);
	f.flags = MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "a QP and a drop");
	f.qp = NONE;
	f.flags |= MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL);
	WITH(f, rule_of(&r, matcher), f.qp = r.cq.handle, create_rule(&r, &f, NULL), -EINVAL);
	sniffer.type = MLX5_IB_FLOW_TYPE_SNIFFER;
	f = rule_of(&r, new_matcher(&r, &sniffer));
	cr_assert_eq(create_rule(&r, &f, NULL), -EOPNOTSUPP);
	f = rule_of(&r, matcher);
	drop_cap(CAP_NET_RAW);
	cr_assert_eq(create_rule(&r, &f, NULL), -EPERM);
}

Test(SUITE, to_nowhere_and_to_the_netdev)
{
	struct matcher m = dmac_matcher();
	struct rule f;

	f = rule_of(&r, new_matcher(&r, &m));
	f.qp = NONE;
	f.flags = MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(ROOT(&r))->act.action, PRM_FLOW_CONTEXT_ACTION_DROP);
	m.priority = 1;
	f.matcher = new_matcher(&r, &m);
	f.flags = MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_assert_gt(first_entry(ROOT(&r)->miss)->act.dest[0].table->level, 32);
}

Test(SUITE, transmit)
{
	struct matcher m = dmac_matcher();
	struct rule f;

	m.ft_type = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX;
	m.priority = 3;
	f = rule_of(&r, new_matcher(&r, &m));
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "no QP receives there");
	f.qp = NONE;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_assert(uverbs_flow_table_at(r.b.u, UVERBS_FLOW_EGRESS, 7));
	cr_assert_eq(first_entry(r.b.hca.roots[PRM_FT_TYPE_NIC_TX])->act.action,
		     PRM_FLOW_CONTEXT_ACTION_ALLOW);
}

Test(SUITE, counters_of_a_bulk)
{
	struct matcher m = dmac_matcher();
	uint32_t id, bulk;
	struct rule f;

	bulk = bulk_of_128(&r, &id);
	f = rule_of(&r, new_matcher(&r, &m));
	f.counter = bulk;
	f.offset = 128;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL);
	f.counter = r.cq.handle;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL);
	f.counter = bulk;
	f.offset = 127;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(ROOT(&r))->act.counts, 1);
	cr_assert_eq(first_entry(ROOT(&r))->act.count[0].id, id + 127);
}

Test(SUITE, to_a_table_of_devx)
{
	struct matcher m = dmac_matcher();
	uint32_t id, other;
	struct rule f;

	f = rule_of(&r, new_matcher(&r, &m));
	f.devx = devx_table(&r, 64, &id);
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "and to a QP");
	f.qp = NONE;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(ROOT(&r))->act.dest[0].table->table_id, id);
	f.devx = bulk_of_128(&r, &other);
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "counters are no destination");
}

Test(SUITE, changes_of_headers)
{
	const uint64_t rx = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX;
	struct matcher m = dmac_matcher();
	uint32_t change, flow;
	struct rule f;

	cr_assert_eq(modify_header(&r, rx, 12, &change), -EINVAL);
	cr_assert_eq(modify_header(&r, MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_RX, 8, &change),
		     -EOPNOTSUPP);
	cr_assert_eq(modify_header(&r, rx, 8, &change), 0);
	f = rule_of(&r, new_matcher(&r, &m));
	f.action[0] = f.action[1] = change;
	f.actions = 2;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "twice");
	f.actions = 1;
	cr_assert_eq(create_rule(&r, &f, &flow), 0);
	cr_assert_not_null(first_entry(ROOT(&r))->act.modify);
	cr_assert_eq(destroy(&r.b, UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY,
			     UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, change),
		     -EBUSY);
	cr_assert_eq(end_rule(&r, flow), 0);
	cr_assert_eq(destroy(&r.b, UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY,
			     UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, change),
		     0);
}

static int anchor_of_type(uint32_t ft_type, uint16_t prio)
{
	uint32_t handle, id;

	return anchor_of(&r, ft_type, prio, &handle, &id);
}

/* The type is looked at before the priority. mlx5_core, fs_core.c: dest_is_valid of Linux 6.1
 * (rules of NIC_TX may not ignore levels), mlx5_get_flow_namespace (there is no e-switch) */
Test(SUITE, anchors_have_these_types)
{
	cr_expect_eq(anchor_of_type(99, 0), -EINVAL);
	cr_expect_eq(anchor_of_type(99, 16), -EINVAL);
	cr_expect_eq(anchor_of_type(MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB, 16), -EOPNOTSUPP);
	cr_expect_eq(anchor_of_type(MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX, 15), -EINVAL);
	cr_expect_eq(anchor_of_type(MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX, 16), -EINVAL);
	cr_expect_eq(anchor_of_type(MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX, 15), 0);
	PRM_SET(flow_table_prop_layout,
		PRM_ADDR(flow_table_nic_cap, r.b.u->caps[PRM_CAP_FLOW_TABLE],
			 flow_table_properties_nic_receive),
		ft_support, 0);
	cr_expect_eq(anchor_of_type(MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX, 15), -EOPNOTSUPP);
}

/* A rule of the same match adds its destination; without memory for it there is none. */
Test(SUITE, rule_of_the_same_match_joins)
{
	struct matcher m = dmac_matcher();
	uint32_t id, one, two;
	struct rule f, g;

	f = rule_of(&r, new_matcher(&r, &m));
	g = f;
	g.qp = NONE;
	g.devx = devx_table(&r, 64, &id);
	cr_assert_eq(create_rule(&r, &f, &one), 0);
	cr_assert_eq(create_rule(&r, &g, &two), 0);
	cr_assert_eq(first_entry(ROOT(&r))->act.dests, 2);
	cr_assert_eq(end_rule(&r, one), 0);
	cr_assert_eq(first_entry(ROOT(&r))->act.dests, 1);
	cr_assert_eq(first_entry(ROOT(&r))->act.dest[0].table->table_id, id);
	cr_assert_eq(end_rule(&r, two), 0);
	cr_assert_null(ROOT(&r));
}

/* Bits of a value that are not in the mask: the first, the last, one beside those that are. */
Test(SUITE, value_is_within_the_mask)
{
	static const uint16_t bytes[] = { 0, DMAC - 1, DMAC + 6, 0x3f };
	struct matcher m = dmac_matcher();
	struct rule f;

	m.mask[DMAC] = 0x7f;
	f = rule_of(&r, new_matcher(&r, &m));
	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		f.value[bytes[i]] = 1;
		cr_expect_eq(create_rule(&r, &f, NULL), -EINVAL, "byte %u", bytes[i]);
		f.value[bytes[i]] = 0;
	}
	f.value[DMAC] = 0x82;
	cr_expect_eq(create_rule(&r, &f, NULL), -EINVAL);
	f.value[DMAC] = 0x7f;
	cr_expect_eq(create_rule(&r, &f, NULL), 0);
}

Test(SUITE, anchors_of_a_priority_are_one_table)
{
	uint32_t a, b, id, same;
	const struct hca_flow_table *t;

	cr_assert_eq(anchor(&r, 2, &a, &id), 0);
	cr_assert_eq(anchor(&r, 2, &b, &same), 0);
	cr_assert_eq(id, same);
	t = core_ids_get(&r.b.hca.flow_tables, id);
	cr_assert_eq(first_entry(t)->act.dest[0].table->level, 5, "priority 2");
	cr_assert_eq(first_entry(t)->act.dest[0].table, ROOT(&r));
	cr_assert_eq(hca_fte_find(t, 1)->act.action, PRM_FLOW_CONTEXT_ACTION_DROP);
	cr_assert_eq(end_anchor(&r, a), 0);
	cr_assert_not_null(hca_fte_find(t, 0));
	cr_assert_eq(end_anchor(&r, b), 0);
	cr_assert_null(hca_fte_find(t, 0), "what leads there is dropped");
	cr_assert_null(ROOT(&r));
	call_run = call_once; /* a failure ends the table */
	cr_assert_eq(anchor(&r, 2, &a, &same), 0);
	cr_assert_eq(id, same);
}
