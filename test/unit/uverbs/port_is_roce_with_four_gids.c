/* SPDX-License-Identifier: BSD-2-Clause */
/* QUERY_PORT, the GID table, QUERY_DEVICE and address handles. */
#include "bench.h"

#define SUITE port_is_roce_with_four_gids

CONTEXT_SUITE(SUITE);

static const uint8_t local_gid[16] = { 0xfe, 0x80, 0,  0,    0,	   0, 0, 0,
				       0x00, 0xc5, 10, 0xff, 0xfe, 0, 0, 1 };
static const uint8_t mapped_gid[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 };

static void query_port(uint64_t port, struct ib_uverbs_query_port_resp_ex *r)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);

	call_u64(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, port);
	call_out(&c, UVERBS_ATTR_QUERY_PORT_RESP, r, sizeof(*r));
	cr_assert_eq(call_once(&b, &c), port == 1 ? 0 : -EINVAL);
}

Test(SUITE, port)
{
	struct ib_uverbs_query_port_resp_ex r;

	for (uint64_t port = 0; port <= 2; port++)
		query_port(port, &r);
	cr_assert_eq(r.legacy_resp.state, IBV_PORT_ACTIVE);
	cr_assert_eq(r.legacy_resp.link_layer, IBV_LINK_LAYER_ETHERNET);
	cr_assert_eq(r.legacy_resp.active_mtu, IBV_MTU_4096);
	cr_assert_eq(r.legacy_resp.gid_tbl_len, 255);
	cr_assert_eq(r.legacy_resp.max_msg_sz, 1u << 30);
	cr_assert_eq(r.legacy_resp.pkey_tbl_len, 1);
	cr_assert_eq(r.legacy_resp.active_speed, 32);
	cr_assert_eq(r.legacy_resp.active_width, 2);
	cr_assert_eq(r.legacy_resp.flags, IB_UVERBS_QPF_GRH_REQUIRED);
	steps.fail_at = 1; /* the register that has the speed */
	query_port(1, &r);
	cr_expect_eq(r.legacy_resp.active_speed, 4);
	cr_expect_eq(r.legacy_resp.active_width, 2);
}

Test(SUITE, the_active_mtu_is_the_ports)
{
	const struct {
		uint32_t bytes;
		uint8_t mtu;
	} cases[] = { { 256, IBV_MTU_256 }, { 1024, IBV_MTU_1024 }, { 4096, IBV_MTU_4096 } };
	struct ib_uverbs_query_port_resp_ex r;

	for (size_t i = 0; i < 3; i++) {
		struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);

		b.hca.port.mtu = cases[i].bytes;
		call_u64(&c, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1);
		call_out(&c, UVERBS_ATTR_QUERY_PORT_RESP, &r, sizeof(r));
		cr_assert_eq(call_run(&b, &c), 0);
		cr_assert_eq(r.legacy_resp.active_mtu, cases[i].mtu);
	}
}

static int query_gid(struct bench *b, uint32_t port, uint32_t index,
		     struct ib_uverbs_gid_entry *e)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);

	call_u32(&c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, port);
	call_u32(&c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, index);
	call_u32(&c, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0);
	call_out(&c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, e, sizeof(*e));
	return call_run(b, &c);
}

static void assert_four(const struct ib_uverbs_gid_entry *e)
{
	for (uint32_t i = 0; i < 4; i++) {
		cr_assert_arr_eq((const uint8_t *)e[i].gid, i < 2 ? local_gid : mapped_gid, 16);
		cr_assert_eq(e[i].gid_index, i);
		cr_assert_eq(e[i].port_num, 1);
		cr_assert_eq(e[i].gid_type,
			     i & 1 ? IB_UVERBS_GID_TYPE_ROCE_V2 : IB_UVERBS_GID_TYPE_ROCE_V1);
	}
}

Test(SUITE, gid_entries)
{
	struct ib_uverbs_gid_entry e[5];

	for (uint32_t i = 0; i < 4; i++)
		cr_assert_eq(query_gid(&b, 1, i, &e[i]), 0);
	assert_four(e);
	cr_assert_eq(query_gid(&b, 1, 4, &e[4]), -ENODATA);
	cr_assert_eq(query_gid(&b, 1, 254, &e[4]), -ENODATA);
	cr_assert_eq(query_gid(&b, 1, 255, &e[4]), -EINVAL);
	cr_assert_eq(query_gid(&b, 2, 0, &e[4]), -EINVAL);
}

static int query_table(struct bench *b, uint64_t size, void *all, uint16_t len, uint64_t *n)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);

	call_u64(&c, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, size);
	call_u32(&c, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0);
	call_out(&c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, all, len);
	call_out(&c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, n, 8);
	return call_run(b, &c);
}

Test(SUITE, gid_table)
{
	struct ib_uverbs_gid_entry all[255];
	uint64_t n = 0;

	cr_assert_eq(query_table(&b, sizeof(all[0]), all, sizeof(all), &n), 0);
	cr_assert_eq(n, 4);
	assert_four(all);
	cr_assert_eq(query_table(&b, sizeof(all[0]), all, 4 * sizeof(all[0]), &n), 0);
	cr_assert_eq(query_table(&b, sizeof(all[0]), all, 3 * sizeof(all[0]), &n), -EINVAL,
		     "all of them or none");
	cr_assert_eq(query_table(&b, sizeof(all[0]), all, 0, &n), -EINVAL);
	cr_assert_eq(query_table(&b, 0, all, sizeof(all), &n), -EINVAL);
	cr_assert_eq(query_table(&b, 24, all, 48, &n), -EOPNOTSUPP);
	cr_assert_eq(query_table(&b, sizeof(all[0]), all, 100, &n), -EINVAL);
}

Test(SUITE, device_attributes_may_be_short)
{
	uint64_t ex = IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED;
	struct ib_uverbs_ex_query_device cmd = { 0 };
	struct ib_uverbs_ex_query_device_resp r;
	struct mlx5_ib_query_device_resp m;
	struct buf core = { &cmd, sizeof(cmd), &r, sizeof(r) };

	cr_assert_eq(write_uhw(&b, ex, core, (struct buf){ .out = &m, .out_len = sizeof(m) }),
		     0);
	cmd.comp_mask = 1;
	cr_assert_eq(write_uhw(&b, ex, core, (struct buf){ 0 }), -EINVAL);
	cmd.comp_mask = 0;
	core.out_len = sizeof(struct ib_uverbs_query_device_resp) + 8;
	cr_assert_eq(write_uhw(&b, ex, core, (struct buf){ .out = &m, .out_len = 8 }), 0);
	cr_assert_eq(r.response_length, core.out_len);
	cr_assert_eq(m.response_length, 8);
	core.out_len -= 4;
	cr_assert_eq(write_uhw(&b, ex, core, (struct buf){ 0 }), -ENOSPC);
}

static int create_ah(struct bench *b, struct ib_uverbs_create_ah *cmd, uint32_t *handle,
		     struct mlx5_ib_create_ah_resp *uhw)
{
	return write_uhw(b, IB_USER_VERBS_CMD_CREATE_AH,
			 (struct buf){ cmd, sizeof(*cmd), handle, 4 },
			 (struct buf){ .out = uhw, .out_len = uhw ? sizeof(*uhw) : 0 });
}

Test(SUITE, address_handles_find_their_mac)
{
	const uint8_t peer[6] = { 0x02, 0xc5, 10, 0, 0, 77 };
	struct ib_uverbs_create_ah cmd = {
		.attr = { .grh = { .dgid = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 77 },
				   .sgid_index = 3 },
			  .is_global = 1,
			  .port_num = 1 },
	};
	struct mlx5_ib_create_ah_resp uhw;
	struct ib_uverbs_create_ah bad;
	uint32_t ah;

	bad = cmd;
	cr_assert_eq(create_ah(&b, &bad, &ah, &uhw), -EINVAL, "no such PD");
	cmd.pd_handle = alloc_pd(&b);
	cr_assert_eq(create_ah(&b, &cmd, &ah, &uhw), 0);
	cr_assert_arr_eq(uhw.dmac, peer, 6);
	cr_assert_eq(dealloc_pd(&b, cmd.pd_handle), -EBUSY);
	cr_assert_eq(destroy(&b, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
			     UVERBS_ATTR_DESTROY_AH_HANDLE, ah),
		     0);
	WITH(bad, cmd, bad.attr.port_num = 2, create_ah(&b, &bad, &ah, &uhw), -EINVAL);
	WITH(bad, cmd, bad.attr.is_global = 0, create_ah(&b, &bad, &ah, &uhw), -EINVAL,
	     "RoCE has no other addresses");
	WITH(bad, cmd, bad.attr.grh.sgid_index = 9, create_ah(&b, &bad, &ah, &uhw), -ENODATA);
	WITH(bad, cmd, bad.attr.grh.sgid_index = 255, create_ah(&b, &bad, &ah, &uhw), -EINVAL);
	bad = cmd;
	memcpy(bad.attr.grh.dgid, "\x20\x01\x0d\xb8", 4);
	cr_assert_eq(create_ah(&b, &bad, &ah, &uhw), -EINVAL, "from IPv4 to IPv6");
	bad.attr.grh.sgid_index = 1;
	cr_assert_eq(create_ah(&b, &bad, &ah, &uhw), -ENETUNREACH);
	cr_assert_eq(dealloc_pd(&b, cmd.pd_handle), 0);
}

/* kernel, verbs.c, ib_resolve_eth_dmac: ip_eth_mc_map, ipv6_eth_mc_map */
Test(SUITE, multicast_addresses_have_the_macs_of_their_family)
{
	const struct {
		uint8_t gid[16], mac[6];
	} cases[] = {
		{ { [10] = 0xff, [11] = 0xff, 239, 129, 2, 3 }, { 1, 0, 0x5e, 1, 2, 3 } },
		{ { [10] = 0xff, [11] = 0xff, 224, 0, 0, 251 }, { 1, 0, 0x5e, 0, 0, 251 } },
		{ { [0] = 0xff, 0x0e, [12] = 9, 8, 7, 6 }, { 0x33, 0x33, 9, 8, 7, 6 } },
	};
	struct ib_uverbs_create_ah cmd = {
		.attr = { .grh = { .sgid_index = 3 }, .is_global = 1, .port_num = 1 }
	};
	struct mlx5_ib_create_ah_resp uhw;
	uint32_t ah;

	cmd.pd_handle = alloc_pd(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(cmd.attr.grh.dgid, cases[i].gid, 16);
		cr_assert_eq(create_ah(&b, &cmd, &ah, &uhw), 0);
		cr_assert_arr_eq(uhw.dmac, cases[i].mac, 6);
	}
}
