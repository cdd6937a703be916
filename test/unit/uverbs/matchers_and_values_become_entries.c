/* SPDX-License-Identifier: BSD-2-Clause */
/* mlx5dv's matchers, flows, header changes and anchors: what the device has of them, what is
 * refused. */
#include "devx.h"
#include "flows.h"

#define SUITE matchers_and_values_become_entries
#define DMAC  8 /* in fte_match_param: outer_headers.dmac_47_16 */

struct matcher {
	uint8_t mask[0x280];
	uint16_t len, priority;
	uint8_t type, criteria;
	int ft_type, flags; /* -1: absent */
};

static struct matcher dmac_matcher(void)
{
	struct matcher m = { .len = 0x40, .criteria = 1, .ft_type = -1, .flags = -1 };

	memset(m.mask + DMAC, 0xff, 6);
	return m;
}

static int create_matcher(struct rig *r, const struct matcher *m, uint32_t *handle)
{
	struct call c = call(MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_FLOW_MATCHER_CREATE_HANDLE, 0);
	struct ib_uverbs_attr *type;
	int ret;

	call_in(&c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_MASK, m->mask, m->len);
	type = call_attr(&c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_TYPE, m->type ? 0 : 2,
			 m->type ? 0 : m->priority);
	type->attr_data.enum_data.elem_id = m->type;
	call_in(&c, MLX5_IB_ATTR_FLOW_MATCHER_MATCH_CRITERIA, &m->criteria, 1);
	if (m->ft_type >= 0)
		call_u64(&c, MLX5_IB_ATTR_FLOW_MATCHER_FT_TYPE, (uint64_t)m->ft_type);
	if (m->flags >= 0)
		call_u64(&c, MLX5_IB_ATTR_FLOW_MATCHER_FLOW_FLAGS, (uint64_t)m->flags);
	ret = call_run(&r->b, &c);
	*handle = h->data;
	return ret;
}

static uint32_t new_matcher(struct rig *r, const struct matcher *m)
{
	uint32_t handle;

	cr_assert_eq(create_matcher(r, m, &handle), 0);
	return handle;
}

#define NONE UINT32_MAX

struct rule {
	uint32_t matcher, qp, devx, tag, counter, offset, flags, action[2], actions;
	uint8_t value[0x40];
};

static struct rule rule_of(const struct rig *r, uint32_t matcher)
{
	return (struct rule){ .matcher = matcher,
			      .qp = r->qp.handle,
			      .devx = NONE,
			      .tag = NONE,
			      .counter = NONE,
			      .offset = NONE,
			      .value = { [DMAC] = 2, [DMAC + 5] = 1 } };
}

static int create_rule(struct rig *r, const struct rule *f, uint32_t *handle)
{
	struct call c = call(UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_CREATE_FLOW);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_CREATE_FLOW_HANDLE, 0);
	int ret;

	call_in(&c, MLX5_IB_ATTR_CREATE_FLOW_MATCH_VALUE, f->value, sizeof(f->value));
	call_object(&c, MLX5_IB_ATTR_CREATE_FLOW_MATCHER, f->matcher);
	if (f->qp != NONE)
		call_object(&c, MLX5_IB_ATTR_CREATE_FLOW_DEST_QP, f->qp);
	if (f->devx != NONE)
		call_object(&c, MLX5_IB_ATTR_CREATE_FLOW_DEST_DEVX, f->devx);
	if (f->tag != NONE)
		call_u32(&c, MLX5_IB_ATTR_CREATE_FLOW_TAG, f->tag);
	if (f->counter != NONE)
		call_in(&c, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX, &f->counter, 4);
	if (f->offset != NONE)
		call_u32(&c, MLX5_IB_ATTR_CREATE_FLOW_ARR_COUNTERS_DEVX_OFFSET, f->offset);
	if (f->actions)
		call_in(&c, MLX5_IB_ATTR_CREATE_FLOW_ARR_FLOW_ACTIONS, f->action,
			(uint16_t)(4 * f->actions));
	if (f->flags)
		call_u64(&c, MLX5_IB_ATTR_CREATE_FLOW_FLAGS, f->flags);
	ret = call_run(&r->b, &c);
	if (handle)
		*handle = h->data;
	return ret;
}

static int end_rule(struct rig *r, uint32_t flow)
{
	return destroy(&r->b, UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_DESTROY_FLOW,
		       MLX5_IB_ATTR_DESTROY_FLOW_HANDLE, flow);
}

static int end_matcher(struct rig *r, uint32_t matcher)
{
	return destroy(&r->b, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY,
		       MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE, matcher);
}

Test(SUITE, to_a_qp)
{
	struct matcher m = dmac_matcher();
	uint8_t value[HCA_MATCH_SIZE];
	uint32_t matcher, flow;
	struct rule f;
	struct rig r;

	flow_rig(&r, NULL);
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
	rig_down(&r);
}

Test(SUITE, matchers_are_checked)
{
	struct matcher m = dmac_matcher();
	uint32_t handle;
	struct rig r;

	flow_rig(&r, NULL);
	m.len = 0x280;
	cr_assert_eq(create_matcher(&r, &m, &handle), 0);
	m.mask[0x27f] = 1;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL);
	m = dmac_matcher();
	m.type = MLX5_IB_FLOW_TYPE_MC_DEFAULT + 1;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EOPNOTSUPP);
	m = dmac_matcher();
	m.ft_type = MLX5_IB_UAPI_FLOW_TABLE_TYPE_FDB;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL);
	m.ft_type = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX;
	m.flags = 0;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL, "both");
	m.ft_type = -1;
	m.flags = 2;
	cr_assert_eq(create_matcher(&r, &m, &handle), -EINVAL);
	rig_down(&r);
}

Test(SUITE, rules_are_checked)
{
	struct matcher m = dmac_matcher(), sniffer = m, late = m;
	uint32_t matcher;
	struct rule f;
	struct rig r;

	flow_rig(&r, NULL);
	matcher = new_matcher(&r, &m);
	f = rule_of(&r, matcher);
	f.tag = 1 << 24;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL);
	f = rule_of(&r, matcher);
	f.flags = MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DROP;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "a QP and a drop");
	f.qp = NONE;
	f.flags |= MLX5_IB_ATTR_CREATE_FLOW_FLAGS_DEFAULT_MISS;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL);
	f = rule_of(&r, matcher);
	f.value[0] = 1;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "not in the mask");
	f = rule_of(&r, matcher);
	f.qp = r.cq.handle;
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL);
	late.priority = 16;
	f = rule_of(&r, new_matcher(&r, &late));
	cr_assert_eq(create_rule(&r, &f, NULL), -ENOMEM);
	sniffer.type = MLX5_IB_FLOW_TYPE_SNIFFER;
	f = rule_of(&r, new_matcher(&r, &sniffer));
	cr_assert_eq(create_rule(&r, &f, NULL), -EOPNOTSUPP);
	f = rule_of(&r, matcher);
	drop_cap(CAP_NET_RAW);
	cr_assert_eq(create_rule(&r, &f, NULL), -EPERM);
	cr_assert_eq(TABLES(&r), 0);
	rig_down(&r);
}

Test(SUITE, to_nowhere_and_to_the_netdev)
{
	struct matcher m = dmac_matcher();
	struct rule f;
	struct rig r;

	flow_rig(&r, NULL);
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
	rig_down(&r);
}

Test(SUITE, transmit)
{
	struct matcher m = dmac_matcher();
	struct rule f;
	struct rig r;

	flow_rig(&r, NULL);
	m.ft_type = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX;
	f = rule_of(&r, new_matcher(&r, &m));
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "no QP receives there");
	f.qp = NONE;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(r.b.hca.roots[PRM_FT_TYPE_NIC_TX])->act.action,
		     PRM_FLOW_CONTEXT_ACTION_ALLOW);
	rig_down(&r);
}

static uint32_t bulk_of_128(struct rig *r, uint32_t *id)
{
	uint32_t handle;
	struct box x;

	box(&x, PRM_OP_ALLOC_FLOW_COUNTER, PRM_SZ(alloc_flow_counter_in),
	    PRM_SZ(alloc_flow_counter_out));
	PRM_SET(alloc_flow_counter_in, x.in, flow_counter_bulk, 1);
	cr_assert_eq(devx_create(&r->b, &x, &handle), 0);
	*id = PRM_GET(alloc_flow_counter_out, x.out, flow_counter_id);
	return handle;
}

Test(SUITE, counters_of_a_bulk)
{
	struct matcher m = dmac_matcher();
	uint32_t id, bulk;
	struct rule f;
	struct rig r;

	flow_rig(&r, NULL);
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
	rig_down(&r);
}

static uint32_t devx_table(struct rig *r, uint8_t level, uint32_t *id)
{
	uint32_t handle;
	struct box x;

	box(&x, PRM_OP_CREATE_FLOW_TABLE, PRM_SZ(create_flow_table_in),
	    PRM_SZ(create_flow_table_out));
	PRM_SET(flow_table_context, PRM_ADDR(create_flow_table_in, x.in, flow_table_context),
		level, level);
	cr_assert_eq(devx_create(&r->b, &x, &handle), 0);
	*id = PRM_GET(create_flow_table_out, x.out, table_id);
	return handle;
}

Test(SUITE, to_a_table_of_devx)
{
	struct matcher m = dmac_matcher();
	uint32_t id, other;
	struct rule f;
	struct rig r;

	flow_rig(&r, NULL);
	f = rule_of(&r, new_matcher(&r, &m));
	f.devx = devx_table(&r, 64, &id);
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "and to a QP");
	f.qp = NONE;
	cr_assert_eq(create_rule(&r, &f, NULL), 0);
	cr_assert_eq(first_entry(ROOT(&r))->act.dest[0].table->table_id, id);
	f.devx = bulk_of_128(&r, &other);
	cr_assert_eq(create_rule(&r, &f, NULL), -EINVAL, "counters are no destination");
	rig_down(&r);
}

static int modify_header(struct rig *r, uint64_t ft_type, uint16_t n, uint32_t *handle)
{
	struct call c = call(UVERBS_OBJECT_FLOW_ACTION,
			     MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER);
	struct ib_uverbs_attr *h = call_object(&c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, 0);
	/* SET TTL to 9 */
	static const uint8_t one[16] = { 1 << 4, 0xa, 0, 8, 0, 0, 0, 9 };
	int ret;

	call_attr(&c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, n,
		  n == 8 ? *(const uint64_t *)(const void *)one : (uintptr_t)one);
	call_u64(&c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE, ft_type);
	ret = call_run(&r->b, &c);
	*handle = h->data;
	return ret;
}

Test(SUITE, changes_of_headers)
{
	const uint64_t rx = MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX;
	struct matcher m = dmac_matcher();
	uint32_t change, flow;
	struct rule f;
	struct rig r;

	flow_rig(&r, NULL);
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
	rig_down(&r);
}

static int anchor(struct rig *r, uint16_t prio, uint32_t *handle, uint32_t *id)
{
	struct call c =
		call(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE);
	struct ib_uverbs_attr *h =
		call_object(&c, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, 0);
	int ret;

	call_u64(&c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX);
	call_in(&c, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, &prio, 2);
	call_out(&c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, id, 4);
	ret = call_run(&r->b, &c);
	*handle = h->data;
	return ret;
}

static int end_anchor(struct rig *r, uint32_t handle)
{
	return destroy(&r->b, MLX5_IB_OBJECT_STEERING_ANCHOR,
		       MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY,
		       MLX5_IB_ATTR_STEERING_ANCHOR_DESTROY_HANDLE, handle);
}

Test(SUITE, anchors_of_a_priority_are_one_table)
{
	uint32_t a, b, id, same;
	const struct hca_flow_table *t;
	struct rig r;

	flow_rig(&r, NULL);
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
	cr_assert_eq(anchor(&r, 2, &a, &same), 0);
	cr_assert_eq(id, same);
	rig_down(&r);
}
