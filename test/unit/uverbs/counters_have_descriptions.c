/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters objects: described by the first flow that counts, read with a value per index. */
#include "flows.h"

#define SUITE counters_have_descriptions

FLOW_SUITE(SUITE);

static const uint8_t unicast[6] = { 2, 0xc5, 10, 0, 0, 1 };

static uint32_t new_counters(struct rig *r)
{
	struct call c = call(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0);

	cr_assert_eq(call_run(&r->b, &c), 0);
	return h->data;
}

static int end_counters(struct rig *r, uint32_t counters)
{
	return destroy(&r->b, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY,
		       UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, counters);
}

static int read_counters(struct rig *r, uint32_t counters, uint64_t *value, uint16_t n)
{
	struct call c = call(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ);

	call_object(&c, UVERBS_ATTR_READ_COUNTERS_HANDLE, counters);
	call_out(&c, UVERBS_ATTR_READ_COUNTERS_BUFF, value, (uint16_t)(n * 8));
	call_u64(&c, UVERBS_ATTR_READ_COUNTERS_FLAGS, 0);
	return call_run(&r->b, &c);
}

/* Bytes at index 0 and at index 3, packets at index 2. */
static const struct mlx5_ib_flow_counters_desc described[] = { { 1, 0 }, { 0, 2 }, { 1, 3 } };

static struct flow_request counting(const struct rig *r, uint32_t counters, uint16_t prio)
{
	struct flow_request f = flow_of(r);

	f.cmd.flow_attr.priority = prio;
	add_dmac(&f, unicast);
	add_action(&f, IBV_FLOW_SPEC_ACTION_COUNT, counters);
	return f;
}

static void describe(struct flow_request *f, const struct mlx5_ib_flow_counters_desc *d,
		     uint32_t n)
{
	f->uhw.ncounters_data = 1;
	f->data.counters_data = (struct mlx5_ib_flow_counters_desc *)(uintptr_t)d;
	f->data.ncounters = n;
}

Test(SUITE, values_have_their_index)
{
	uint64_t value[4] = { 0 };
	struct flow_request f;
	struct hca_fte *e;
	uint32_t k, flow;

	k = new_counters(&r);
	f = counting(&r, k, 0);
	describe(&f, described, 3);
	cr_assert_eq(read_counters(&r, k, value, 4), -EINVAL, "nothing counts");
	cr_assert_eq(create_flow(&r, &f, &flow), 0);
	e = first_entry(ROOT(&r));
	cr_assert_eq(e->act.action,
		     PRM_FLOW_CONTEXT_ACTION_FWD_DEST | PRM_FLOW_CONTEXT_ACTION_COUNT);
	cr_assert_eq(e->act.counts, 1);
	e->act.count[0].bulk->traffic[0] = (struct hca_traffic){ .packets = 7, .octets = 700 };
	cr_assert_eq(read_counters(&r, k, value, 3), -EINVAL, "too short");
	cr_assert_eq(read_counters(&r, k, value, 4), 0);
	cr_assert_arr_eq(value, ((uint64_t[]){ 700, 0, 7, 700 }), sizeof(value));
	cr_assert_eq(end_counters(&r, k), -EBUSY);
	cr_assert_eq(destroy_flow(&r, flow), 0);
	describe(&f, described + 1, 1);
	cr_assert_eq(create_flow(&r, &f, &flow), 0, "again, after the last flow");
	cr_assert_eq(r.b.hca.flow_counters.used, 1);
	cr_assert_eq(read_counters(&r, k, value, 3), 0);
	cr_assert_arr_eq(value, ((uint64_t[]){ 0, 0, 7 }), 24);
	cr_assert_eq(destroy_flow(&r, flow), 0);
	cr_assert_eq(end_counters(&r, k), 0);
	cr_assert_eq(r.b.hca.flow_counters.used, 0);
}

Test(SUITE, they_are_described_once)
{
	struct flow_request f;
	uint32_t k;

	k = new_counters(&r);
	f = counting(&r, k, 0);
	cr_assert_eq(create_flow(&r, &f, NULL), -EINVAL, "never");
	describe(&f, described, 3);
	cr_assert_eq(create_flow(&r, &f, NULL), 0);
	f = counting(&r, k, 1);
	describe(&f, described, 3);
	cr_assert_eq(create_flow(&r, &f, NULL), -EINVAL, "twice");
	f = counting(&r, k, 1);
	cr_assert_eq(create_flow(&r, &f, NULL), 0, "shared");
	cr_assert_eq(r.b.hca.flow_counters.used, 1);
	f = counting(&r, k, 2);
	add_action(&f, IBV_FLOW_SPEC_ACTION_COUNT, k);
	cr_assert_eq(create_flow(&r, &f, NULL), -EINVAL, "two of them in a flow");
}

Test(SUITE, descriptions_are_checked)
{
	static const struct mlx5_ib_flow_counters_desc bad[] = { { 2, 0 } };
	struct flow_request f;

	f = counting(&r, new_counters(&r), 0);
	call_run = call_once; /* one that fails takes its counter back */
	describe(&f, bad, 1);
	cr_assert_eq(create_flow(&r, &f, NULL), -EINVAL);
	describe(&f, WILD, 1);
	cr_assert_eq(create_flow(&r, &f, NULL), -EFAULT);
	cr_assert_eq(r.b.hca.flow_counters.used, 0);
	describe(&f, described, UINT32_MAX);
	cr_assert_eq(create_flow(&r, &f, NULL), -EINVAL);
}
