/* SPDX-License-Identifier: BSD-2-Clause */
/* ibv_create_flow(): every refusal, and which of two comes first. */
#include "flows.h"

#define SUITE	    flows_are_checked_in_order
#define SUITE_ALONE flows_are_checked_in_order_alone

FLOW_SUITE(SUITE);

static const uint8_t unicast[6] = { 2, 0xc5, 10, 0, 0, 1 };

static struct flow_request good(const struct rig *r)
{
	struct flow_request f = flow_of(r);

	add_dmac(&f, unicast);
	return f;
}

/* Its specifications are a byte longer than what is there. */
static int one_byte_less(struct bench *b, struct call *c)
{
	c->attr[1].len--;
	return call_once(b, c);
}

#define REFUSED(f, err) cr_assert_eq(create_flow(&r, &(f), NULL), -(err))
#define REFUSED_WITH(make, change, err) \
	WITH(f, make(&r), change, create_flow(&r, &f, NULL), -(err))

Test(SUITE, attributes)
{
	struct flow_request f;

	REFUSED_WITH(good, f.cmd.comp_mask = 1, EINVAL);
	REFUSED_WITH(good, f.cmd.flow_attr.flags = 8, EINVAL);
	f.cmd.flow_attr.flags = IBV_FLOW_ATTR_FLAGS_DONT_TRAP;
	f.cmd.flow_attr.type = IBV_FLOW_ATTR_MC_DEFAULT;
	REFUSED(f, EINVAL);
	REFUSED_WITH(good, f.cmd.flow_attr.reserved[1] = 1, EINVAL);
	REFUSED_WITH(good, (f.cmd.flow_attr.port = 2, f.cmd.qp_handle = 99), EINVAL);
	f.cmd.flow_attr.port = 1;
	REFUSED(f, ENOENT);
	f.cmd.qp_handle = r.cq.handle;
	REFUSED(f, EINVAL);
	REFUSED_WITH(good, f.cmd.flow_attr.num_of_specs = 11, EINVAL);
	REFUSED_WITH(good, f.cmd.flow_attr.type = 4, EOPNOTSUPP);
	f = good(&r);
	call_run = one_byte_less;
	REFUSED(f, ENOSPC);
}

Test(SUITE, rc_has_no_flows)
{
	struct flow_request f;
	struct qp rc;

	rig_attr(&r);
	cr_assert_eq(create_qp(&r.b, &r.attr, &rc), 0);
	REFUSED_WITH(good, f.cmd.qp_handle = rc.handle, EINVAL);
}

Test(SUITE, sizes_of_specifications)
{
	uint8_t zero[48] = { 0 }, one[48] = { [47] = 1 };
	struct flow_request f;

	REFUSED_WITH(good, f.specs[6] = 1, EINVAL);
	REFUSED_WITH(good, f.cmd.flow_attr.num_of_specs = 2, EINVAL);
	REFUSED_WITH(good, f.cmd.flow_attr.size += 4, EINVAL);
	REFUSED_WITH(flow_of, add_spec(&f, IBV_FLOW_SPEC_TCP, zero, zero, 2), EINVAL);
	REFUSED_WITH(flow_of, add_spec(&f, IBV_FLOW_SPEC_IPV6, zero, one, 48), EINVAL);
	f = flow_of(&r);
	add_spec(&f, IBV_FLOW_SPEC_IPV6, one, zero, 48);
	cr_assert_eq(create_flow(&r, &f, NULL), 0, "only masks are looked at");
	REFUSED_WITH(flow_of, add_spec(&f, 0x99, zero, zero, 4), EINVAL);
	REFUSED_WITH(flow_of, add_action(&f, 0x1004, 1) /* after the last one that there is */,
		     EINVAL);
	REFUSED_WITH(
		flow_of,
		add_spec(&f, IBV_FLOW_SPEC_VXLAN_TUNNEL | IBV_FLOW_SPEC_INNER, zero, zero, 4),
		EINVAL);
	REFUSED_WITH(flow_of, add_spec(&f, IBV_FLOW_SPEC_VXLAN_TUNNEL, zero, "\1\0\0\0", 4),
		     EINVAL);
	REFUSED_WITH(flow_of, add_spec(&f, IBV_FLOW_SPEC_ACTION_HANDLE, zero, zero, 8),
		     EOPNOTSUPP);
	REFUSED_WITH(flow_of, add_action(&f, IBV_FLOW_SPEC_ACTION_COUNT, r.cq.handle), EINVAL);
}

Test(SUITE, driver)
{
	struct flow_request f;

	REFUSED_WITH(good, (f.cmd.flow_attr.priority = 16, f.uhw.ncounters_data = 2), EINVAL);
	f.uhw.ncounters_data = 0;
	REFUSED(f, ENOMEM);
	REFUSED_WITH(good, f.cmd.flow_attr.flags = 1, EINVAL);
	REFUSED_WITH(good,
		     (f.cmd.flow_attr.flags = IBV_FLOW_ATTR_FLAGS_EGRESS,
		      f.cmd.flow_attr.type = IBV_FLOW_ATTR_ALL_DEFAULT),
		     EINVAL);
	REFUSED_WITH(good, add_action(&f, IBV_FLOW_SPEC_ACTION_TAG, 1 << 24), EINVAL);
	REFUSED_WITH(good, f.specs[8 + 16] = 0 /* first byte of the mask */, EINVAL);
	REFUSED_WITH(good,
		     f.cmd.flow_attr.flags =
			     IBV_FLOW_ATTR_FLAGS_EGRESS | IBV_FLOW_ATTR_FLAGS_DONT_TRAP,
		     EOPNOTSUPP);
}

static unsigned int tables_made;

static void count_tables(const struct core_trace *t)
{
	tables_made += t->obj == PRM_OP_CREATE_FLOW_TABLE;
}

/* fs.c, mlx5_ib_create_flow: the table is made before the specifications are read. */
Test(SUITE, table_comes_first)
{
	uint8_t zero[8] = { 0 };
	struct flow_request f = flow_of(&r);

	call_run = call_once;
	core_trace_to = count_tables;
	core_trace_mask = 1u << TRACE_FW;
	add_spec(&f, IBV_FLOW_SPEC_ESP, zero, zero, 8);
	REFUSED(f, EOPNOTSUPP);
	cr_assert_eq(tables_made, 1);
}

/* Types of two headers that contradict, protocols of two headers, fields that nothing
 * matches. */
Test(SUITE, contradictions)
{
	uint8_t eth[16] = { [12] = 0x86, 0xdd }, eth_mask[16] = { [12] = 0xff, 0xff };
	uint8_t ip[12] = { [8] = 6 }, ip_mask[12] = { [8] = 0xff }, zero[40] = { 0 };
	struct flow_request f;

	REFUSED_WITH(flow_of,
		     (add_spec(&f, IBV_FLOW_SPEC_ETH, eth, eth_mask, 16),
		      add_spec(&f, IBV_FLOW_SPEC_IPV4, zero, zero, 12)),
		     EINVAL);
	REFUSED_WITH(flow_of,
		     (add_spec(&f, IBV_FLOW_SPEC_IPV4, ip, ip_mask, 12),
		      add_spec(&f, IBV_FLOW_SPEC_UDP, zero, zero, 4)),
		     EINVAL);
	f = flow_of(&r);
	ip_mask[10] = 0xff;
	add_spec(&f, IBV_FLOW_SPEC_IPV4, zero, ip_mask, 12);
	REFUSED(f, EOPNOTSUPP);
	f = flow_of(&r);
	zero[38] = 1;
	add_spec(&f, IBV_FLOW_SPEC_IPV6, (uint8_t[40]){ 0 }, zero, 40);
	REFUSED(f, EOPNOTSUPP);
	REFUSED_WITH(flow_of,
		     add_spec(&f, IBV_FLOW_SPEC_GRE, "\0\0\0\0\0\0\0\0", "\1\0\0\0\0\0\0\0", 8),
		     EOPNOTSUPP);
	REFUSED_WITH(flow_of,
		     add_spec(&f, IBV_FLOW_SPEC_ESP, "\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\1", 8),
		     EOPNOTSUPP);
}

static void none(struct hca *hca)
{
	PRM_SET(cmd_hca_cap, hca->caps[0], nic_flow_table, 0);
}

static void no_copies(struct hca *hca)
{
	PRM_SET(flow_table_nic_cap, hca->caps[PRM_CAP_FLOW_TABLE], nic_rx_multi_path_tirs, 0);
	PRM_SET(flow_table_nic_cap, hca->caps[PRM_CAP_FLOW_TABLE],
		allow_sniffer_and_nic_rx_shared_tir, 0);
}

Test(SUITE_ALONE, an_adapter_without_tables)
{
	struct flow_request f;
	struct rig r;

	flow_rig(&r, none);
	f = good(&r);
	REFUSED(f, EOPNOTSUPP);
	rig_down(&r);
}

Test(SUITE_ALONE, an_adapter_that_makes_no_copies)
{
	struct flow_request f;
	struct rig r;

	flow_rig(&r, no_copies);
	REFUSED_WITH(good, f.cmd.flow_attr.flags = IBV_FLOW_ATTR_FLAGS_DONT_TRAP, EOPNOTSUPP);
	REFUSED_WITH(flow_of, f.cmd.flow_attr.type = IBV_FLOW_ATTR_SNIFFER, EOPNOTSUPP);
	rig_down(&r);
}

Test(SUITE, without_cap_net_raw_it_is_eperm)
{
	struct flow_request f;

	f = good(&r);
	f.cmd.flow_attr.flags = 8;
	drop_cap(CAP_NET_RAW);
	REFUSED(f, EPERM);
}

Test(SUITE, only_flows_are_destroyed)
{
	cr_assert_eq(destroy_flow(&r, 99), -ENOENT);
	cr_assert_eq(destroy_flow(&r, r.qp.handle), -EINVAL);
}
