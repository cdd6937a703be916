/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers of QUERY_CONTEXT and QUERY_DEVICE: each member from its capabilities, and from no
 * others. The members' values are those of mlx5_ib (main.c, odp.c), by hand.
 */
#include "ethernet.h"
#include "uverbs/driver.h"

#define SUITE answers_follow_the_capabilities

CONTEXT_SUITE(SUITE);

struct answers {
	struct mlx5_ib_alloc_ucontext_resp context;
	struct ib_uverbs_ex_query_device_resp device;
	struct mlx5_ib_query_device_resp mlx5;
};

static void ask(struct answers *a)
{
	static struct hca adapter;
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	struct ib_uverbs_query_device_resp old;
	uint64_t cmd[2] = { 0 };

	memset(a, 0, sizeof(*a));
	call_out(&c, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, &a->context, sizeof(a->context));
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_eq(write_uhw(&b, EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE),
			       (struct buf){ cmd, 8, &a->device, sizeof(a->device) },
			       (struct buf){ .out = &a->mlx5, .out_len = sizeof(a->mlx5) }),
		     0);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_QUERY_DEVICE, cmd, 8, &old, sizeof(old)),
		     0);
	cr_assert_arr_eq(&old, &a->device.base, sizeof(old), "the short answer");
	adapter = b.hca;
	adapter.caps[PRM_CAP_GENERAL] = b.u->caps[PRM_CAP_GENERAL];
	adapter.caps[PRM_CAP_ETHERNET_OFFLOADS] = b.u->caps[PRM_CAP_ETHERNET_OFFLOADS];
	cr_assert_eq(uverbs_device_flags(&adapter), a->device.device_cap_flags_ex);
}

static const struct row {
	const char *name;
	uint8_t group;
	uint32_t bit, width;
	uint64_t cap; /* its new value */
	size_t at, size;
	uint64_t is, bits; /* the value of the member; or the bits of it that change */
} rows[];

#define MEMBER(m) offsetof(struct answers, m), sizeof(((struct answers *)0)->m)
#define CAP(GROUP, layout, f, value) \
#f, PRM_CAP_##GROUP, PRM_OFF(layout, f), PRM_W(layout, f), value
#define GENERAL(f, value) CAP(GENERAL, cmd_hca_cap, f, value)
#define ETH(f, value)	  CAP(ETHERNET_OFFLOADS, per_protocol_networking_offload_caps, f, value)
#define BIT(n)		  (1ull << (n))
#define TOGGLED		  UINT64_MAX /* a capability of one bit */
/* A bit of device_cap_flags: enum ibv_device_cap_flags, IBV_DEVICE_PCI_WRITE_END_PADDING,
 * _RAW_SCATTER_FCS. The short answer has the low 32. */
#define FLAGS(cap, flags)                                                       \
	{ cap, MEMBER(device.device_cap_flags_ex), 0, flags },                  \
	{                                                                       \
		cap, MEMBER(device.base.device_cap_flags), 0, (uint32_t)(flags) \
	}
#define ODP(transport, service)                                          \
	"odp " #transport " " #service, PRM_CAP_ODP,                     \
		PRM_OFF(odp_cap, transport_page_fault_scheme_cap) +      \
			PRM_OFF(odp_scheme_cap, transport##_odp_caps) +  \
			PRM_OFF(odp_per_transport_service_cap, service), \
		1, TOGGLED
#define TRANSPORT(t, member)                                           \
	{ ODP(t, send), MEMBER(device.member), 0, BIT(0) },            \
		{ ODP(t, receive), MEMBER(device.member), 0, BIT(1) }, \
		{ ODP(t, write), MEMBER(device.member), 0, BIT(2) },   \
		{ ODP(t, read), MEMBER(device.member), 0, BIT(3) },    \
		{ ODP(t, atomic), MEMBER(device.member), 0, BIT(4) },  \
	{                                                              \
		ODP(t, srq_receive), MEMBER(device.member), 0, BIT(5)  \
	}

/* The member is @value; the bits of it change. */
#define IS(cap, m, value)                \
	{                                \
		cap, MEMBER(m), value, 0 \
	}
#define BITS(cap, m, bits)              \
	{                               \
		cap, MEMBER(m), 0, bits \
	}

static const struct row rows[] = {
	IS(GENERAL(log_max_qp, 9), context.qp_tab_size, 512),
	IS(GENERAL(log_max_qp, 9), device.base.max_qp, 512),
	IS(GENERAL(log_max_qp, 9), device.base.max_res_rd_atom, 16 * 512),
	IS(GENERAL(log_bf_reg_size, 7), context.bf_reg_size, 128),
	IS(GENERAL(bf, 0), context.bf_reg_size, 0),
	IS(GENERAL(max_wqe_sz_sq, 256), context.max_sq_desc_sz, 256),
	IS(GENERAL(max_wqe_sz_sq, 256), device.base.max_sge, 14),
	IS(GENERAL(max_wqe_sz_sq, 528), context.max_sq_desc_sz, 528),
	IS(GENERAL(max_wqe_sz_rq, 128), context.max_rq_desc_sz, 128),
	IS(GENERAL(max_wqe_sz_rq, 128), device.base.max_sge, 8),
	IS(GENERAL(max_wqe_sz_rq, 128), device.base.max_srq_sge, 7),
	IS(GENERAL(log_max_qp_sz, 10), context.max_send_wqebb, 1024),
	IS(GENERAL(log_max_qp_sz, 10), context.max_recv_wr, 1024),
	IS(GENERAL(log_max_qp_sz, 10), device.base.max_qp_wr, 1024),
	IS(GENERAL(log_max_srq_sz, 9), context.max_srq_recv_wr, 512),
	IS(GENERAL(log_max_srq_sz, 9), device.base.max_srq_wr, 511),
	FLAGS(GENERAL(umr_modify_entity_size_disabled, TOGGLED), BIT(21)),
	BITS(GENERAL(dump_fill_mkey, TOGGLED), context.comp_mask, BIT(1)),
	BITS(GENERAL(ece_support, TOGGLED), context.comp_mask, BIT(2)),
	BITS(GENERAL(drain_sigerr, TOGGLED), context.comp_mask, BIT(3)),
	IS(ETH(wqe_inline_mode, 0), context.eth_min_inline, MLX5_USER_INLINE_MODE_L2),
	IS(GENERAL(log_max_cq, 5), device.base.max_cq, 32),
	IS(GENERAL(log_max_cq_sz, 6), device.base.max_cqe, 63),
	IS(GENERAL(log_max_mkey, 7), device.base.max_mr, 128),
	IS(GENERAL(log_max_mkey, 7), device.base.max_mw, 128),
	IS(GENERAL(log_max_pd, 3), device.base.max_pd, 8),
	IS(GENERAL(log_max_ra_req_qp, 2), device.base.max_qp_rd_atom, 4),
	IS(GENERAL(log_max_ra_req_qp, 2), device.base.max_res_rd_atom, 4 << 15),
	IS(GENERAL(log_max_ra_res_qp, 3), device.base.max_qp_init_rd_atom, 8),
	IS(GENERAL(log_max_srq, 4), device.base.max_srq, 16),
	IS(GENERAL(log_max_mcg, 5), device.base.max_mcast_grp, 32),
	IS(GENERAL(log_max_mcg, 5), device.base.max_total_mcast_qp_attach, 32 * 240),
	IS(GENERAL(max_qp_mcg, 6), device.base.max_mcast_qp_attach, 6),
	IS(GENERAL(max_qp_mcg, 6), device.base.max_total_mcast_qp_attach, 6 << 21),
	IS(GENERAL(pkey_table_size, 2), device.base.max_pkeys, 512),
	IS(GENERAL(local_ca_ack_delay, 9), device.base.local_ca_ack_delay, 9),
	IS(GENERAL(log_pg_sz, 14), device.base.page_size_cap, ~0x3fffull),
	IS(CAP(ATOMIC, atomic_caps, atomic_operations, 1), device.base.atomic_cap, 0),
	IS(CAP(ATOMIC, atomic_caps, atomic_operations, 2), device.base.atomic_cap, 0),
	IS(CAP(ATOMIC, atomic_caps, atomic_size_qp, 7), device.base.atomic_cap, 0),
	IS(GENERAL(device_frequency_khz, 78125), device.hca_core_clock, 78125),
	IS(CAP(DEV_MEM, device_mem_cap, max_memic_size, 4096), device.max_dm_size, 4096),
	IS(GENERAL(cq_moderation, 0), device.cq_moderation_caps.max_cq_moderation_count, 0),
	IS(GENERAL(cq_moderation, 0), device.cq_moderation_caps.max_cq_moderation_period, 0),
	IS(GENERAL(log_max_rqt, 6), device.rss_caps.max_rwq_indirection_tables, 64),
	IS(GENERAL(log_max_rqt_size, 3), device.rss_caps.max_rwq_indirection_table_size, 8),
	IS(GENERAL(log_max_rq, 7), device.max_wq_type_rq, 128),
	FLAGS(GENERAL(pkv, TOGGLED), BIT(1)),
	FLAGS(GENERAL(qkv, TOGGLED), BIT(2)),
	FLAGS(GENERAL(apm, TOGGLED), BIT(4)),
	FLAGS(GENERAL(imaicl, 0), BIT(17) | BIT(24)),
	IS(GENERAL(imaicl, 0), device.base.max_mw, 0),
	FLAGS(GENERAL(xrc, TOGGLED), BIT(20)),
	FLAGS(GENERAL(nic_flow_table, TOGGLED), BIT(29)),
	BITS(GENERAL(end_pad, TOGGLED), device.device_cap_flags_ex, BIT(36)),
	FLAGS(ETH(csum_cap, TOGGLED), BIT(26)),
	BITS(ETH(csum_cap, TOGGLED), device.raw_packet_caps, BIT(2)),
	BITS(ETH(scatter_fcs, TOGGLED), device.device_cap_flags_ex, BIT(34)),
	BITS(ETH(scatter_fcs, TOGGLED), device.raw_packet_caps, BIT(1)),
	BITS(ETH(vlan_cap, TOGGLED), device.raw_packet_caps, BIT(0)),
	/* an adapter without offloads of Ethernet has none of these */
	FLAGS(GENERAL(eth_net_offloads, 0), BIT(26) | BIT(34)),
	BITS(GENERAL(eth_net_offloads, 0), device.raw_packet_caps, 7),
	IS(GENERAL(eth_net_offloads, 0), mlx5.tso_caps.max_tso, 0),
	IS(GENERAL(eth_net_offloads, 0), mlx5.tso_caps.supported_qpts, 0),
	IS(GENERAL(eth_net_offloads, 0), mlx5.rss_caps.rx_hash_function, 0),
	IS(GENERAL(eth_net_offloads, 0), mlx5.rss_caps.rx_hash_fields_mask, 0),
	/* on-demand paging: enum ibv_odp_transport_cap_bits */
	IS(GENERAL(pg, 0), device.odp_caps.general_caps, 0),
	IS(GENERAL(pg, 0), device.odp_caps.per_transport_caps, 0),
	IS(GENERAL(pg, 0), device.xrc_odp_caps, 0),
	TRANSPORT(rc, odp_caps.per_transport_caps.rc_odp_caps),
	TRANSPORT(ud, odp_caps.per_transport_caps.ud_odp_caps),
	TRANSPORT(xrc, xrc_odp_caps),
	/* compressed CQEs */
	IS(GENERAL(cqe_compression, 0), mlx5.cqe_comp_caps, 0),
	IS(GENERAL(cqe_compression_max_num, 5), mlx5.cqe_comp_caps.max_num, 5),
	BITS(GENERAL(mini_cqe_resp_stride_index, TOGGLED), mlx5.cqe_comp_caps.supported_format,
	     BIT(2)),
	BITS(GENERAL(cqe_compression_128, TOGGLED), mlx5.flags, BIT(0)),
	BITS(GENERAL(cqe_128_always, TOGGLED), mlx5.flags, BIT(1)),
	BITS(GENERAL(qp_packet_based, TOGGLED), mlx5.flags, BIT(2)),
	/* sending */
	IS(ETH(max_lso_cap, 14), mlx5.tso_caps.max_tso, 1 << 14),
	IS(ETH(max_lso_cap, 0), mlx5.tso_caps, 0),
	IS(GENERAL(qos, 0), mlx5.packet_pacing_caps, 0),
	IS(CAP(QOS, qos_cap, packet_pacing, 0), mlx5.packet_pacing_caps, 0),
	IS(CAP(QOS, qos_cap, packet_pacing_min_rate, 5),
	   mlx5.packet_pacing_caps.qp_rate_limit_min, 5),
	IS(CAP(QOS, qos_cap, packet_pacing_max_rate, 6),
	   mlx5.packet_pacing_caps.qp_rate_limit_max, 6),
	BITS(CAP(QOS, qos_cap, packet_pacing_burst_bound, 0), mlx5.packet_pacing_caps.cap_flags,
	     BIT(0)),
	BITS(CAP(QOS, qos_cap, packet_pacing_typical_size, 0),
	     mlx5.packet_pacing_caps.cap_flags, BIT(0)),
	BITS(ETH(multi_pkt_send_wqe, TOGGLED), mlx5.mlx5_ib_support_multi_pkt_send_wqes,
	     BIT(1)),
	BITS(ETH(enhanced_multi_pkt_send_wqe, TOGGLED),
	     mlx5.mlx5_ib_support_multi_pkt_send_wqes, BIT(2)),
	BITS(ETH(swp, TOGGLED), mlx5.sw_parsing_caps.sw_parsing_offloads, BIT(0)),
	IS(ETH(swp, TOGGLED), mlx5.sw_parsing_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET),
	BITS(ETH(swp_csum, TOGGLED), mlx5.sw_parsing_caps.sw_parsing_offloads, BIT(1)),
	IS(ETH(swp_csum, TOGGLED), mlx5.sw_parsing_caps.supported_qpts,
	   1 << IBV_QPT_RAW_PACKET),
	BITS(ETH(swp_lso, TOGGLED), mlx5.sw_parsing_caps.sw_parsing_offloads, BIT(2)),
	IS(ETH(swp_lso, TOGGLED), mlx5.sw_parsing_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET),
	/* receiving */
	IS(GENERAL(striding_rq, 0), mlx5.striding_rq_caps, 0),
	IS(GENERAL(ext_stride_num_range, 0),
	   mlx5.striding_rq_caps.min_single_wqe_log_num_of_strides, 9),
	BITS(ETH(tunnel_stateless_vxlan, TOGGLED), mlx5.tunnel_offloads_caps, BIT(0)),
	BITS(ETH(tunnel_stateless_gre, TOGGLED), mlx5.tunnel_offloads_caps, BIT(1)),
	BITS(ETH(tunnel_stateless_geneve_rx, TOGGLED), mlx5.tunnel_offloads_caps, BIT(2)),
	BITS(ETH(tunnel_stateless_mpls_over_gre, TOGGLED), mlx5.tunnel_offloads_caps, BIT(3)),
	BITS(ETH(tunnel_stateless_mpls_over_udp, TOGGLED), mlx5.tunnel_offloads_caps, BIT(4)),
};

static bool same_change(const struct row *a, const struct row *b)
{
	return a->group == b->group && a->bit == b->bit && a->cap == b->cap;
}

/* The member of @row is as it should be, and in @is as before. */
static void take_out(const struct row *row, const struct answers *was, struct answers *is)
{
	const uint8_t *before = (const uint8_t *)was + row->at;
	uint8_t *at = (uint8_t *)is + row->at, want[64] = { 0 };
	uint64_t value = 0;

	memcpy(&value, before, row->size < 8 ? row->size : 8);
	value = row->bits ? value ^ row->bits : row->is;
	memcpy(want, &value, row->size < 8 ? row->size : 8);
	cr_expect_arr_eq(at, want, row->size, "%s %ju: not %#jx", row->name,
			 (uintmax_t)row->cap, (uintmax_t)value);
	memcpy(at, before, row->size);
}

Test(SUITE, each_member_of_its_capabilities)
{
	const size_t n = sizeof(rows) / sizeof(rows[0]);
	struct answers was, is;

	ask(&was);
	for (size_t i = 0; i < n; i++) {
		uint8_t *caps = b.u->caps[rows[i].group];
		uint64_t usual = prm_load(caps, rows[i].bit, rows[i].width);
		uint64_t cap = rows[i].cap == TOGGLED ? !usual : rows[i].cap;

		cr_assert_neq(usual, cap, "%s is no change", rows[i].name);
		prm_store(caps, rows[i].bit, rows[i].width, cap);
		ask(&is);
		for (size_t k = 0; k < n; k++)
			if (same_change(&rows[k], &rows[i]))
				take_out(&rows[k], &was, &is);
		for (size_t k = 0; k < sizeof(is); k++)
			cr_expect_eq(((uint8_t *)&is)[k], ((uint8_t *)&was)[k], "%s: byte %zu",
				     rows[i].name, k);
		prm_store(caps, rows[i].bit, rows[i].width, usual);
	}
}

#define USUAL(m, value)              \
	{                            \
#m, MEMBER(m), value \
	}

/* Members that no capability changes, and usual values of some others. */
static const struct {
	const char *name;
	size_t at, size;
	uint64_t value;
} usual[] = {
	USUAL(context.cache_line_size, 64),
	USUAL(context.num_ports, 1),
	USUAL(context.dump_fill_mkey, HCA_KEY_DUMP_FILL),
	USUAL(context.flow_action_flags, 0),
	USUAL(context.comp_mask, 0x27), /* clock, dump-fill key, ECE, tag of keys */
	USUAL(context.response_length, sizeof(struct mlx5_ib_alloc_ucontext_resp)),
	USUAL(context.cqe_version, 1),
	USUAL(context.cmds_supp_uhw, 3),
	USUAL(context.eth_min_inline, 1),
	USUAL(context.clock_info_versions, 1),
	USUAL(context.hca_core_clock_offset, 0),
	USUAL(context.log_uar_size, 12),
	USUAL(context.num_uars_per_page, 1),
	USUAL(context.tot_bfregs, 0), /* the application makes its doorbell pages */
	USUAL(context.num_dyn_bfregs, 0),
	USUAL(device.base.fw_ver, 16ull << 32 | 35ull << 16 | 2000),
	USUAL(device.base.max_mr_size, UINT64_MAX),
	USUAL(device.base.page_size_cap, ~0xfffull),
	USUAL(device.base.vendor_id, 0x2c9),
	USUAL(device.base.vendor_part_id, 0x1017),
	USUAL(device.base.max_sge, 30),
	USUAL(device.base.max_sge_rd, 30),
	USUAL(device.base.max_ah, 0x7fffffff),
	USUAL(device.base.atomic_cap, 1),
	USUAL(device.base.phys_port_cnt, 1),
	USUAL(device.device_cap_flags_ex, BIT(5) | BIT(10) | BIT(11) | BIT(12) | BIT(17) |
						  BIT(20) | BIT(21) | BIT(24) | BIT(26) |
						  BIT(29) | BIT(34)),
	USUAL(device.response_length, sizeof(struct ib_uverbs_ex_query_device_resp)),
	USUAL(device.timestamp_mask, UINT64_MAX >> 1),
	USUAL(device.hca_core_clock, 156250),
	USUAL(device.rss_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET),
	USUAL(device.raw_packet_caps, 7),
	USUAL(device.cq_moderation_caps.max_cq_moderation_count, 65535),
	USUAL(device.cq_moderation_caps.max_cq_moderation_period, 4095),
	USUAL(device.odp_caps.general_caps, 3),
	USUAL(device.odp_caps.per_transport_caps.rc_odp_caps, 0x2f), /* all but atomics */
	USUAL(device.odp_caps.per_transport_caps.uc_odp_caps, 0),
	USUAL(device.odp_caps.per_transport_caps.ud_odp_caps, 1), /* send */
	USUAL(device.xrc_odp_caps, 0x2d),
	USUAL(device.max_dm_size, 128 << 10),
	USUAL(device.base.max_mw, 1 << 24),
	USUAL(device.base.max_mcast_grp, 2097152), /* ibv_devinfo -v of a ConnectX-5 */
	USUAL(device.base.max_mcast_qp_attach, 240),
	USUAL(device.base.max_total_mcast_qp_attach, 503316480),
	USUAL(mlx5.response_length, 102), /* up to dci_streams_caps */
	USUAL(mlx5.tso_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET),
	USUAL(mlx5.rss_caps.rx_hash_function, MLX5_RX_HASH_FUNC_TOEPLITZ),
	USUAL(mlx5.rss_caps.rx_hash_fields_mask, 0x800000ff),
	USUAL(mlx5.cqe_comp_caps.supported_format, 7),
	USUAL(mlx5.packet_pacing_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET),
	USUAL(mlx5.packet_pacing_caps.cap_flags, 1),
	USUAL(mlx5.flags, 1 | 2 | 8),
	USUAL(mlx5.striding_rq_caps.min_single_stride_log_num_of_bytes, 6),
	USUAL(mlx5.striding_rq_caps.max_single_stride_log_num_of_bytes, 13),
	USUAL(mlx5.striding_rq_caps.min_single_wqe_log_num_of_strides, 3),
	USUAL(mlx5.striding_rq_caps.max_single_wqe_log_num_of_strides, 16),
	USUAL(mlx5.striding_rq_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET),
};

/* mlx5_ib, main.c, mlx5_ib_query_device: an input is zeroes, of any length. */
Test(SUITE, nothing_is_asked)
{
	uint64_t cmd[2] = { 0 };
	struct answers a;

	for (int i = 0; i <= 12; i++) {
		uint8_t in[13] = { 0 };

		in[i] = 1;
		cr_expect_eq(write_uhw(&b, EX(IB_USER_VERBS_EX_CMD_QUERY_DEVICE),
				       (struct buf){ cmd, 8, &a.device, sizeof(a.device) },
				       (struct buf){ in, 12, &a.mlx5, sizeof(a.mlx5) }),
			     i < 12 ? -EINVAL : 0, "byte %d", i);
	}
}

Test(SUITE, usual_values)
{
	struct answers a;

	ask(&a);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		uint64_t is = 0;

		memcpy(&is, (const uint8_t *)&a + usual[i].at, usual[i].size);
		cr_expect_eq(is, usual[i].value, "%s is %#jx", usual[i].name, (uintmax_t)is);
	}
	cr_expect_eq(a.device.base.node_guid, htobe64(b.hca.port.node_guid));
}
