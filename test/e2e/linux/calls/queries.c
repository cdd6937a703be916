/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of device, port and context. */
#include <inttypes.h>

#include "calls.h"

#define NUMBER(s, field) put("%s=%#llx", #field, (unsigned long long)(s).field)
/* NUMBER() of each field, up to 64: a macro names itself only if it is read once more. */
#define NUMBERS(s, ...) READ(EACH(s, __VA_ARGS__))
#define EACH(s, field, ...) \
	NUMBER(s, field);   \
	__VA_OPT__(NEXT NONE()(s, __VA_ARGS__))
#define NEXT() EACH
#define NONE
#define READ(...)    READ_16(READ_16(READ_16(READ_16(__VA_ARGS__))))
#define READ_16(...) READ_4(READ_4(READ_4(READ_4(__VA_ARGS__))))
#define READ_4(...)  READ_1(READ_1(READ_1(READ_1(__VA_ARGS__))))
#define READ_1(...)  __VA_ARGS__

static void put_limits(const struct ibv_device_attr *a)
{
	put("fw_ver=%s node_guid=%016" PRIx64 " sys_image_guid=%016" PRIx64, a->fw_ver,
	    (uint64_t)a->node_guid, (uint64_t)a->sys_image_guid);
	NUMBERS(*a, max_mr_size, page_size_cap, vendor_id, vendor_part_id, hw_ver, max_qp,
		max_qp_wr, device_cap_flags, max_sge, max_sge_rd, max_cq, max_cqe, max_mr,
		max_pd, max_qp_rd_atom, max_ee_rd_atom, max_res_rd_atom, max_qp_init_rd_atom,
		max_ee_init_rd_atom, atomic_cap, max_ee, max_rdd, max_mw, max_raw_ipv6_qp,
		max_raw_ethy_qp, max_mcast_grp, max_mcast_qp_attach, max_total_mcast_qp_attach,
		max_ah, max_fmr, max_map_per_fmr, max_srq, max_srq_wr, max_srq_sge, max_pkeys,
		local_ca_ack_delay, phys_port_cnt);
}

static void put_limits_ex(const struct ibv_device_attr_ex *a)
{
	put_limits(&a->orig_attr);
	NUMBERS(*a, comp_mask, odp_caps.general_caps, odp_caps.per_transport_caps.rc_odp_caps,
		odp_caps.per_transport_caps.uc_odp_caps,
		odp_caps.per_transport_caps.ud_odp_caps, xrc_odp_caps,
		completion_timestamp_mask, hca_core_clock, device_cap_flags_ex,
		tso_caps.max_tso, tso_caps.supported_qpts, rss_caps.supported_qpts,
		rss_caps.max_rwq_indirection_tables, rss_caps.max_rwq_indirection_table_size,
		rss_caps.rx_hash_fields_mask, rss_caps.rx_hash_function, max_wq_type_rq,
		packet_pacing_caps.qp_rate_limit_min, packet_pacing_caps.qp_rate_limit_max,
		packet_pacing_caps.supported_qpts, raw_packet_caps, tm_caps.max_rndv_hdr_size,
		tm_caps.max_num_tags, tm_caps.flags, tm_caps.max_ops, tm_caps.max_sge,
		cq_mod_caps.max_cq_count, cq_mod_caps.max_cq_period, max_dm_size,
		pci_atomic_caps.fetch_add, pci_atomic_caps.swap, pci_atomic_caps.compare_swap,
		phys_port_cnt_ex);
}

static void put_port(const struct ibv_port_attr *a)
{
	NUMBERS(*a, state, max_mtu, active_mtu, gid_tbl_len, port_cap_flags, max_msg_sz,
		bad_pkey_cntr, qkey_viol_cntr, pkey_tbl_len, lid, sm_lid, lmc, max_vl_num,
		sm_sl, subnet_timeout, init_type_reply, active_width, active_speed, phys_state,
		link_layer, flags, port_cap_flags2);
}

static void put_gid(const union ibv_gid *gid)
{
	put("gid=%016" PRIx64 ":%016" PRIx64, (uint64_t)gid->global.subnet_prefix,
	    (uint64_t)gid->global.interface_id);
}

static void gids(struct ibv_context *ctx)
{
	const int indices[] = { 0, 1, 2, 3, 4, 5, 254, 255, 256, -1 };
	struct ibv_gid_entry entries[16];
	struct ibv_gid_entry entry;
	union ibv_gid gid;
	ssize_t n;

	for (uint8_t port = 0; port <= 2; port++)
		for (size_t i = 0; i < COUNT(indices); i++)
			if (!DONE(ibv_query_gid(ctx, port, indices[i], &gid),
				  "ibv_query_gid port=%u index=%d", port, indices[i]))
				put_gid(&gid);
	for (uint32_t port = 0; port <= 2; port++)
		for (size_t i = 0; i < COUNT(indices); i++)
			if (!DONE(ibv_query_gid_ex(ctx, port, (uint32_t)indices[i], &entry, 0),
				  "ibv_query_gid_ex port=%u index=%d", port, indices[i])) {
				put_gid(&entry.gid);
				NUMBER(entry, gid_index);
				NUMBER(entry, port_num);
				NUMBER(entry, gid_type);
			}
	DONE(ibv_query_gid_ex(ctx, 1, 0, &entry, 1), "ibv_query_gid_ex flags=1");
	step("ibv_query_gid_table");
	n = ibv_query_gid_table(ctx, entries, COUNT(entries), 0);
	put("= %zd", n);
	step("ibv_query_gid_table entries=1");
	put("= %zd", ibv_query_gid_table(ctx, entries, 1, 0));
	step("ibv_query_gid_table flags=1");
	put("= %zd", ibv_query_gid_table(ctx, entries, COUNT(entries), 1));
}

static void pkeys(struct ibv_context *ctx)
{
	const int indices[] = { 0, 1, 2, 127, 128, 129, 65535, -1 };
	__be16 pkey;

	for (uint8_t port = 0; port <= 2; port++)
		for (size_t i = 0; i < COUNT(indices); i++)
			if (!DONE(ibv_query_pkey(ctx, port, indices[i], &pkey),
				  "ibv_query_pkey port=%u index=%d", port, indices[i]))
				put("pkey=%#x", be16toh(pkey));
}

static void put_mlx5(const struct mlx5dv_context *a)
{
	NUMBERS(*a, version, flags, comp_mask, cqe_comp_caps.max_num,
		cqe_comp_caps.supported_format, sw_parsing_caps.sw_parsing_offloads,
		sw_parsing_caps.supported_qpts,
		striding_rq_caps.min_single_stride_log_num_of_bytes,
		striding_rq_caps.max_single_stride_log_num_of_bytes,
		striding_rq_caps.min_single_wqe_log_num_of_strides,
		striding_rq_caps.max_single_wqe_log_num_of_strides,
		striding_rq_caps.supported_qpts, tunnel_offloads_caps, max_dynamic_bfregs,
		max_clock_info_update_nsec, flow_action_flags, dc_odp_caps);
	put("hca_core_clock=%s", a->hca_core_clock ? "mapped" : "none");
	NUMBERS(*a, num_lag_ports, sig_caps.block_size, sig_caps.block_prot, sig_caps.t10dif_bg,
		sig_caps.crc_type, dci_streams_caps.max_log_num_concurent,
		dci_streams_caps.max_log_num_errored, max_wr_memcpy_length,
		crypto_caps.failed_selftests, crypto_caps.crypto_engines,
		crypto_caps.wrapped_import_method, crypto_caps.log_max_num_deks,
		crypto_caps.flags);
}

void queries(void)
{
	struct ibv_values_ex values = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };
	struct mlx5dv_context mlx5 = { .comp_mask = (1 << 14) - 1 };
	struct mlx5dv_clock_info clock_info;
	struct ibv_context *ctx = bench.ctx;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	struct mlx5dv_port mlx5_port;
	uint32_t eqn;

	if (!DONE(ibv_query_device(ctx, &attr), "ibv_query_device"))
		put_limits(&attr);
	if (!DONE(ibv_query_device_ex(ctx, NULL, &bench.limits), "ibv_query_device_ex"))
		put_limits_ex(&bench.limits);
	DONE(ibv_query_device_ex(ctx, &(struct ibv_query_device_ex_input){ .comp_mask = 1 },
				 &bench.limits),
	     "ibv_query_device_ex comp_mask=1");
	for (uint8_t n = 0; n <= 3; n++) {
		memset(&port, 0, sizeof(port));
		if (!DONE(ibv_query_port(ctx, n, &port), "ibv_query_port port=%u", n))
			put_port(&port);
		if (!DONE(mlx5dv_query_port(ctx, n, &mlx5_port), "mlx5dv_query_port port=%u",
			  n))
			NUMBER(mlx5_port, flags);
	}
	gids(ctx);
	pkeys(ctx);
	if (!DONE(mlx5dv_query_device(ctx, &mlx5), "mlx5dv_query_device"))
		put_mlx5(&mlx5);
	step("num_comp_vectors");
	put("= %d", ctx->num_comp_vectors);
	for (int v = -1; v <= ctx->num_comp_vectors + 1; v++)
		DONE(mlx5dv_devx_query_eqn(ctx, (uint32_t)v, &eqn),
		     "mlx5dv_devx_query_eqn vector=%d", v);
	if (!DONE(ibv_query_rt_values_ex(ctx, &values), "ibv_query_rt_values_ex"))
		NUMBER(values, comp_mask);
	values.comp_mask = 2;
	DONE(ibv_query_rt_values_ex(ctx, &values), "ibv_query_rt_values_ex comp_mask=2");
	DONE(mlx5dv_get_clock_info(ctx, &clock_info), "mlx5dv_get_clock_info");
}
