/* SPDX-License-Identifier: BSD-2-Clause */
/* mlx5dv's matchers, flows, header changes and anchors as calls. */
#ifndef TEST_UVERBS_MATCHERS_H
#define TEST_UVERBS_MATCHERS_H

#include "devx.h"
#include "flows.h"

#define DMAC 8 /* in fte_match_param: outer_headers.dmac_47_16 */

struct matcher {
	uint8_t mask[0x280];
	uint16_t len, priority;
	uint8_t type, criteria;
	int ft_type, flags; /* -1: absent */
};

static inline struct matcher dmac_matcher(void)
{
	struct matcher m = { .len = 0x40, .criteria = 1, .ft_type = -1, .flags = -1 };

	memset(m.mask + DMAC, 0xff, 6);
	return m;
}

static inline int create_matcher(struct rig *r, const struct matcher *m, uint32_t *handle)
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

static inline uint32_t new_matcher(struct rig *r, const struct matcher *m)
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

static inline struct rule rule_of(const struct rig *r, uint32_t matcher)
{
	return (struct rule){ .matcher = matcher,
			      .qp = r->qp.handle,
			      .devx = NONE,
			      .tag = NONE,
			      .counter = NONE,
			      .offset = NONE,
			      .value = { [DMAC] = 2, [DMAC + 5] = 1 } };
}

static inline int create_rule(struct rig *r, const struct rule *f, uint32_t *handle)
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

static inline int end_rule(struct rig *r, uint32_t flow)
{
	return destroy(&r->b, UVERBS_OBJECT_FLOW, MLX5_IB_METHOD_DESTROY_FLOW,
		       MLX5_IB_ATTR_DESTROY_FLOW_HANDLE, flow);
}

static inline int end_matcher(struct rig *r, uint32_t matcher)
{
	return destroy(&r->b, MLX5_IB_OBJECT_FLOW_MATCHER, MLX5_IB_METHOD_FLOW_MATCHER_DESTROY,
		       MLX5_IB_ATTR_FLOW_MATCHER_DESTROY_HANDLE, matcher);
}

static inline uint32_t bulk_of_128(struct rig *r, uint32_t *id)
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

static inline uint32_t devx_table(struct rig *r, uint8_t level, uint32_t *id)
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

static inline int modify_header(struct rig *r, uint64_t ft_type, uint16_t n, uint32_t *handle)
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

static inline int anchor_of(struct rig *r, uint32_t ft_type, uint16_t prio, uint32_t *handle,
			    uint32_t *id)
{
	struct call c =
		call(MLX5_IB_OBJECT_STEERING_ANCHOR, MLX5_IB_METHOD_STEERING_ANCHOR_CREATE);
	struct ib_uverbs_attr *h =
		call_object(&c, MLX5_IB_ATTR_STEERING_ANCHOR_CREATE_HANDLE, 0);
	int ret;

	call_u64(&c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_TYPE, ft_type);
	call_in(&c, MLX5_IB_ATTR_STEERING_ANCHOR_PRIORITY, &prio, 2);
	call_out(&c, MLX5_IB_ATTR_STEERING_ANCHOR_FT_ID, id, 4);
	ret = call_run(&r->b, &c);
	*handle = h->data;
	return ret;
}

static inline int anchor(struct rig *r, uint16_t prio, uint32_t *handle, uint32_t *id)
{
	return anchor_of(r, MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX, prio, handle, id);
}

static inline int end_anchor(struct rig *r, uint32_t handle)
{
	return destroy(&r->b, MLX5_IB_OBJECT_STEERING_ANCHOR,
		       MLX5_IB_METHOD_STEERING_ANCHOR_DESTROY,
		       MLX5_IB_ATTR_STEERING_ANCHOR_DESTROY_HANDLE, handle);
}

#endif
