/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each limit: the first and the last value are accepted, the ones beside them refused. The
 * numbers are those of a ConnectX-5, or of the kernel.
 */
#include "matchers.h"
#include "shared.h"

#define SUITE	   limits_are_the_last_accepted
#define SUITE_FLOW limits_are_the_last_accepted_with_flow

QP_SUITE(SUITE);
FLOW_SUITE(SUITE_FLOW);

struct limit {
	const char *name;
	int (*with)(uint32_t value);
	uint32_t first, last;
	int err;
};

static void expect(const struct limit *l, uint32_t value, int err)
{
	int ret = l->with(value);

	cr_expect_eq(ret, err, "%s %u: %d", l->name, value, ret);
}

static void try(const struct limit *l, size_t n)
{
	for (; n--; l++) {
		if (l->first)
			expect(l, l->first - 1, l->err);
		expect(l, l->first, 0);
		expect(l, l->last, 0);
		expect(l, l->last + 1, l->err);
	}
}

/* @make and @change an attribute struct a, then @call. */
#define WITH_VALUE(name, type, make, change, call) \
	static int name(uint32_t value)            \
	{                                          \
		type a = make;                     \
                                                   \
		change;                            \
		return call;                       \
	}

/* ---- queues ---- */

static struct qp qp;
static struct cq cq;
static struct srq srq;
static struct ib_uverbs_ex_create_wq_resp wq;

/* A QP with few WQEs that receive, which may be large. */
static struct qp_attr few_wqes(void)
{
	struct qp_attr a = r.attr;

	a.cap.max_recv_wr = a.uhw.rq_wqe_count = 4;
	return a;
}

static struct srq_attr large_srq(void)
{
	struct srq_attr a = srq_attr(r.pd);

	a.uhw.buf_addr = (uintptr_t)pages(32768 * 64 / PAGE);
	return a;
}

static struct wq_attr wq_of_one(void)
{
	struct wq_attr a = wq_attr(&r);

	a.uhw.rq_wqe_count = 1;
	return a;
}

WITH_VALUE(qp_uidx, struct qp_attr, r.attr, a.uhw.uidx = value, create_qp(&r.b, &a, &qp))
WITH_VALUE(qp_wqe_shift, struct qp_attr, few_wqes(), a.uhw.rq_wqe_shift = value,
	   create_qp(&r.b, &a, &qp))
WITH_VALUE(qp_recv_wr, struct qp_attr, r.attr, a.cap.max_recv_wr = value + 1,
	   create_qp(&r.b, &a, &qp))
WITH_VALUE(qp_send_wr, struct qp_attr, r.attr, a.cap.max_send_wr = value,
	   create_qp(&r.b, &a, &qp))
WITH_VALUE(cq_vector, struct cq_attr, cq_attr(&r.uar), a.vector = value,
	   create_cq(&r.b, &a, &cq))
WITH_VALUE(srq_max_wr, struct srq_attr, large_srq(), a.max_wr = value,
	   create_srq(&r.b, &a, &srq))
WITH_VALUE(srq_max_sge, struct srq_attr, large_srq(), a.max_sge = value,
	   create_srq(&r.b, &a, &srq))
WITH_VALUE(wq_max_wr, struct wq_attr, wq_of_one(), a.cmd.max_wr = value, create_wq(&r, &a, &wq))
WITH_VALUE(mtu, struct ib_uverbs_modify_qp, to_rtr(&r), a.path_mtu = value,
	   modify_from(&r, &a, IBV_QPS_INIT))
WITH_VALUE(reads_of_the_peer, struct ib_uverbs_modify_qp, to_rtr(&r),
	   a.max_dest_rd_atomic = value, modify_from(&r, &a, IBV_QPS_INIT))
WITH_VALUE(reads, struct ib_uverbs_modify_qp, to_rts(&r), a.max_rd_atomic = value,
	   modify_from(&r, &a, IBV_QPS_RTR))
WITH_VALUE(rate, struct ib_uverbs_modify_qp, to_rtr(&r), a.dest.static_rate = value,
	   modify_from(&r, &a, IBV_QPS_INIT))
WITH_VALUE(port, struct ib_uverbs_modify_qp, to_init(&r), a.port_num = value,
	   modify_from(&r, &a, IBV_QPS_RESET))
WITH_VALUE(pkey, struct ib_uverbs_modify_qp, to_init(&r), a.pkey_index = value,
	   modify_from(&r, &a, IBV_QPS_RESET))

static const struct limit of_queues[] = {
	{ "qp: user index", qp_uidx, 0, 0xfffffe, -EINVAL },
	{ "qp: log of a WQE", qp_wqe_shift, 4, 9, -EINVAL },
	{ "qp: max_recv_wr - 1", qp_recv_wr, 0, 32767, -EINVAL },
	{ "qp: max_send_wr", qp_send_wr, 0, 32768, -EINVAL },
	{ "qp: MTU", mtu, IBV_MTU_256, IBV_MTU_4096, -EINVAL },
	{ "qp: max_dest_rd_atomic", reads_of_the_peer, 0, 16, -EINVAL },
	{ "qp: max_rd_atomic", reads, 0, 16, -EINVAL },
	{ "qp: rate", rate, IBV_RATE_2_5_GBPS, IBV_RATE_600_GBPS, -EINVAL },
	{ "qp: port", port, 1, 1, -EINVAL },
	{ "qp: pkey", pkey, 0, 0, -EINVAL },
	{ "cq: vector", cq_vector, 0, 0, -EINVAL },
	{ "srq: max_wr", srq_max_wr, 0, 32767, -EINVAL },
	{ "srq: max_sge", srq_max_sge, 0, 31, -EINVAL },
	{ "wq: max_wr", wq_max_wr, 0, 32768, -EINVAL },
};

Test(SUITE, of_queues)
{
	struct limit all[sizeof(of_queues) / sizeof(of_queues[0])];

	memcpy(all, of_queues, sizeof(all));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].with == cq_vector)
			all[i].last = r.b.hca.eqs.used - 2; /* one is not for completions */
	try(all, sizeof(all) / sizeof(all[0]));
}

WITH_VALUE(qp_at, struct qp_attr, r.attr, a.uhw.buf_addr += value, create_qp(&r.b, &a, &qp))
WITH_VALUE(cq_at, struct cq_attr, cq_attr(&r.uar), a.uhw.buf_addr += value,
	   create_cq(&r.b, &a, &cq))
WITH_VALUE(srq_at, struct srq_attr, large_srq(), a.uhw.buf_addr += value,
	   create_srq(&r.b, &a, &srq))
WITH_VALUE(wq_at, struct wq_attr, wq_attr(&r), a.uhw.buf_addr += value, create_wq(&r, &a, &wq))

/* A ring begins at a multiple of 64 bytes of its page (PRM, page_offset). */
Test(SUITE, of_places)
{
	static const struct limit of[] = { { "qp", qp_at, 0, 64, -EINVAL },
					   { "cq", cq_at, 0, 64, -EINVAL },
					   { "srq", srq_at, 0, 64, -EINVAL },
					   { "wq", wq_at, 0, 64, -EINVAL } };

	try(of, 4);
	for (int i = 0; i < 4; i++)
		expect(&of[i], 63, -EINVAL);
}

/* ---- lengths ---- */

#define WITH_LENGTH(name, type, make, call) \
	WITH_VALUE(name, type, make, length = (uint16_t)value, call)

WITH_LENGTH(qp_length, struct qp_attr, few_wqes(), create_qp(&r.b, &a, &qp))
WITH_LENGTH(srq_length, struct srq_attr, large_srq(), create_srq(&r.b, &a, &srq))
WITH_LENGTH(wq_length, struct wq_attr, wq_of_one(), create_wq(&r, &a, &wq))
WITH_LENGTH(change_length, struct ib_uverbs_modify_qp, to_init(&r),
	    modify_ece(&r, &a, 0, (struct buf){ 0 }))

Test(SUITE, of_lengths)
{
	static const struct limit least[] = {
		{ "qp", qp_length, offsetof(struct mlx5_ib_create_qp, ece_options), 0,
		  -EINVAL },
		{ "modify qp", change_length, offsetof(struct mlx5_ib_modify_qp, ece_options),
		  0, -EINVAL },
		{ "srq", srq_length, offsetof(struct mlx5_ib_create_srq, uidx), 0, -EINVAL },
		{ "wq", wq_length,
		  offsetof(struct mlx5_ib_create_wq, single_wqe_log_num_of_strides), 0,
		  -EINVAL },
	};

	call_run = with_length;
	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		expect(&least[i], least[i].first - 1, least[i].err);
		expect(&least[i], least[i].first, 0);
	}
}

/* ---- flows ---- */

static uint32_t counters;

static int end(int ret, int destroyed)
{
	cr_expect(ret || !destroyed);
	return ret;
}

static int create_and_destroy(const struct flow_request *f)
{
	uint32_t flow;
	int ret = create_flow(&r, f, &flow);

	return end(ret, ret ? 0 : destroy_flow(&r, flow));
}

static struct flow_request described(const struct mlx5_ib_flow_counters_desc *d, uint32_t n)
{
	struct flow_request f = flow_of(&r);

	add_dmac(&f, (const uint8_t[6]){ 2, 0, 0, 0, 0, 1 });
	add_action(&f, IBV_FLOW_SPEC_ACTION_COUNT, counters);
	f.uhw.ncounters_data = 1;
	f.data.counters_data = (struct mlx5_ib_flow_counters_desc *)(uintptr_t)d;
	f.data.ncounters = n;
	return f;
}

static int number_of_descriptions(uint32_t n)
{
	static const struct mlx5_ib_flow_counters_desc many[8192];
	struct flow_request f = described(many, n);

	return create_and_destroy(&f);
}

static int index_of_a_value(uint32_t index)
{
	const struct mlx5_ib_flow_counters_desc one = { .index = index };
	struct flow_request f = described(&one, 1);

	return create_and_destroy(&f);
}

static int description(uint32_t of)
{
	const struct mlx5_ib_flow_counters_desc one = { .description = of };
	struct flow_request f = described(&one, 1);

	return create_and_destroy(&f);
}

static struct flow_request tagged(uint32_t value)
{
	struct flow_request f = flow_of(&r);

	add_dmac(&f, (const uint8_t[6]){ 2, 0, 0, 0, 0, 1 });
	add_action(&f, IBV_FLOW_SPEC_ACTION_TAG, value);
	return f;
}

WITH_VALUE(flow_tag, struct flow_request, tagged(value), (void)0, create_and_destroy(&a))
WITH_VALUE(flow_priority, struct flow_request, tagged(1), a.cmd.flow_attr.priority = value,
	   create_and_destroy(&a))

WITH_LENGTH(flow_length, struct flow_request, tagged(1), create_and_destroy(&a))

static int rule_with(uint16_t priority, uint32_t tag)
{
	struct matcher m = dmac_matcher();
	uint32_t matcher, flow;
	struct rule f;
	int ret;

	m.priority = priority;
	matcher = new_matcher(&r, &m);
	f = rule_of(&r, matcher);
	f.tag = tag;
	ret = create_rule(&r, &f, &flow);
	return end(ret, (ret ? 0 : end_rule(&r, flow)) | end_matcher(&r, matcher));
}

static int matcher_priority(uint32_t value)
{
	return rule_with((uint16_t)value, NONE);
}

static int rule_tag(uint32_t value)
{
	return rule_with(0, value);
}

static int anchor_priority(uint32_t value)
{
	uint32_t handle, id;
	int ret = anchor(&r, (uint16_t)value, &handle, &id);

	return end(ret, ret ? 0 : end_anchor(&r, handle));
}

/* One and @more changes of a header, each of them SET TTL. */
static int header_changes(uint32_t more)
{
	uint32_t n = more + 1;
	static uint64_t one[256];
	struct call c = call(UVERBS_OBJECT_FLOW_ACTION,
			     MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER);

	for (uint32_t i = 0; i < n; i++)
		memcpy(&one[i], "\x10\x0a\0\x08\0\0\0\x09", 8);
	call_object(&c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_HANDLE, 0);
	call_in(&c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM, one, (uint16_t)(8 * n));
	call_u64(&c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE,
		 MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX);
	return call_run(&r.b, &c);
}

static const struct limit of_flows[] = {
	{ "counters: descriptions", number_of_descriptions, 1, 8191, -EINVAL },
	{ "counters: index", index_of_a_value, 0, 8190, -EINVAL },
	{ "counters: description", description, 0, 1, -EINVAL },
	{ "flow: tag", flow_tag, 0, 0xffffff, -EINVAL },
	{ "flow: priority", flow_priority, 0, 15, -ENOMEM },
	{ "rule: tag", rule_tag, 0, 0xffffff, -EINVAL },
	{ "rule: priority", matcher_priority, 0, 15, -ENOMEM },
	{ "anchor: priority", anchor_priority, 0, 15, -EINVAL },
	{ "modify header: more actions", header_changes, 0, 15, -EOPNOTSUPP },
};

Test(SUITE_FLOW, of_flows)
{
	const struct limit shortest = { "flow", flow_length, sizeof(struct mlx5_ib_create_flow),
					0, 0 };
	struct call c = call(UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0);

	cr_assert_eq(call_run(&r.b, &c), 0);
	counters = h->data;
	try(of_flows, sizeof(of_flows) / sizeof(of_flows[0]));
	call_run = with_length;
	expect(&shortest, shortest.first - 1, -EOPNOTSUPP);
	expect(&shortest, shortest.first, 0);
}
