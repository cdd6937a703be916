/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of device, port and context. */
#include <inttypes.h>

#include "calls.h"

#define NUMBER(s, field) put("%s=%#llx", #field, (unsigned long long)(s).field)

static void put_limits(const struct ibv_device_attr *a)
{
	put("fw_ver=%s node_guid=%016" PRIx64 " sys_image_guid=%016" PRIx64, a->fw_ver,
	    (uint64_t)a->node_guid, (uint64_t)a->sys_image_guid);
	NUMBER(*a, max_mr_size);
	NUMBER(*a, page_size_cap);
	NUMBER(*a, vendor_id);
	NUMBER(*a, vendor_part_id);
	NUMBER(*a, hw_ver);
	NUMBER(*a, max_qp);
	NUMBER(*a, max_qp_wr);
	NUMBER(*a, device_cap_flags);
	NUMBER(*a, max_sge);
	NUMBER(*a, max_sge_rd);
	NUMBER(*a, max_cq);
	NUMBER(*a, max_cqe);
	NUMBER(*a, max_mr);
	NUMBER(*a, max_pd);
	NUMBER(*a, max_qp_rd_atom);
	NUMBER(*a, max_ee_rd_atom);
	NUMBER(*a, max_res_rd_atom);
	NUMBER(*a, max_qp_init_rd_atom);
	NUMBER(*a, max_ee_init_rd_atom);
	NUMBER(*a, atomic_cap);
	NUMBER(*a, max_ee);
	NUMBER(*a, max_rdd);
	NUMBER(*a, max_mw);
	NUMBER(*a, max_raw_ipv6_qp);
	NUMBER(*a, max_raw_ethy_qp);
	NUMBER(*a, max_mcast_grp);
	NUMBER(*a, max_mcast_qp_attach);
	NUMBER(*a, max_total_mcast_qp_attach);
	NUMBER(*a, max_ah);
	NUMBER(*a, max_fmr);
	NUMBER(*a, max_map_per_fmr);
	NUMBER(*a, max_srq);
	NUMBER(*a, max_srq_wr);
	NUMBER(*a, max_srq_sge);
	NUMBER(*a, max_pkeys);
	NUMBER(*a, local_ca_ack_delay);
	NUMBER(*a, phys_port_cnt);
}

static void put_limits_ex(const struct ibv_device_attr_ex *a)
{
	put_limits(&a->orig_attr);
	NUMBER(*a, comp_mask);
	NUMBER(*a, odp_caps.general_caps);
	NUMBER(*a, odp_caps.per_transport_caps.rc_odp_caps);
	NUMBER(*a, odp_caps.per_transport_caps.uc_odp_caps);
	NUMBER(*a, odp_caps.per_transport_caps.ud_odp_caps);
	NUMBER(*a, xrc_odp_caps);
	NUMBER(*a, completion_timestamp_mask);
	NUMBER(*a, hca_core_clock);
	NUMBER(*a, device_cap_flags_ex);
	NUMBER(*a, tso_caps.max_tso);
	NUMBER(*a, tso_caps.supported_qpts);
	NUMBER(*a, rss_caps.supported_qpts);
	NUMBER(*a, rss_caps.max_rwq_indirection_tables);
	NUMBER(*a, rss_caps.max_rwq_indirection_table_size);
	NUMBER(*a, rss_caps.rx_hash_fields_mask);
	NUMBER(*a, rss_caps.rx_hash_function);
	NUMBER(*a, max_wq_type_rq);
	NUMBER(*a, packet_pacing_caps.qp_rate_limit_min);
	NUMBER(*a, packet_pacing_caps.qp_rate_limit_max);
	NUMBER(*a, packet_pacing_caps.supported_qpts);
	NUMBER(*a, raw_packet_caps);
	NUMBER(*a, tm_caps.max_rndv_hdr_size);
	NUMBER(*a, tm_caps.max_num_tags);
	NUMBER(*a, tm_caps.flags);
	NUMBER(*a, tm_caps.max_ops);
	NUMBER(*a, tm_caps.max_sge);
	NUMBER(*a, cq_mod_caps.max_cq_count);
	NUMBER(*a, cq_mod_caps.max_cq_period);
	NUMBER(*a, max_dm_size);
	NUMBER(*a, pci_atomic_caps.fetch_add);
	NUMBER(*a, pci_atomic_caps.swap);
	NUMBER(*a, pci_atomic_caps.compare_swap);
	NUMBER(*a, phys_port_cnt_ex);
}

static void put_port(const struct ibv_port_attr *a)
{
	NUMBER(*a, state);
	NUMBER(*a, max_mtu);
	NUMBER(*a, active_mtu);
	NUMBER(*a, gid_tbl_len);
	NUMBER(*a, port_cap_flags);
	NUMBER(*a, max_msg_sz);
	NUMBER(*a, bad_pkey_cntr);
	NUMBER(*a, qkey_viol_cntr);
	NUMBER(*a, pkey_tbl_len);
	NUMBER(*a, lid);
	NUMBER(*a, sm_lid);
	NUMBER(*a, lmc);
	NUMBER(*a, max_vl_num);
	NUMBER(*a, sm_sl);
	NUMBER(*a, subnet_timeout);
	NUMBER(*a, init_type_reply);
	NUMBER(*a, active_width);
	NUMBER(*a, active_speed);
	NUMBER(*a, phys_state);
	NUMBER(*a, link_layer);
	NUMBER(*a, flags);
	NUMBER(*a, port_cap_flags2);
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
	NUMBER(*a, version);
	NUMBER(*a, flags);
	NUMBER(*a, comp_mask);
	NUMBER(*a, cqe_comp_caps.max_num);
	NUMBER(*a, cqe_comp_caps.supported_format);
	NUMBER(*a, sw_parsing_caps.sw_parsing_offloads);
	NUMBER(*a, sw_parsing_caps.supported_qpts);
	NUMBER(*a, striding_rq_caps.min_single_stride_log_num_of_bytes);
	NUMBER(*a, striding_rq_caps.max_single_stride_log_num_of_bytes);
	NUMBER(*a, striding_rq_caps.min_single_wqe_log_num_of_strides);
	NUMBER(*a, striding_rq_caps.max_single_wqe_log_num_of_strides);
	NUMBER(*a, striding_rq_caps.supported_qpts);
	NUMBER(*a, tunnel_offloads_caps);
	NUMBER(*a, max_dynamic_bfregs);
	NUMBER(*a, max_clock_info_update_nsec);
	NUMBER(*a, flow_action_flags);
	NUMBER(*a, dc_odp_caps);
	put("hca_core_clock=%s", a->hca_core_clock ? "mapped" : "none");
	NUMBER(*a, num_lag_ports);
	NUMBER(*a, sig_caps.block_size);
	NUMBER(*a, sig_caps.block_prot);
	NUMBER(*a, sig_caps.t10dif_bg);
	NUMBER(*a, sig_caps.crc_type);
	NUMBER(*a, dci_streams_caps.max_log_num_concurent);
	NUMBER(*a, dci_streams_caps.max_log_num_errored);
	NUMBER(*a, max_wr_memcpy_length);
	NUMBER(*a, crypto_caps.failed_selftests);
	NUMBER(*a, crypto_caps.crypto_engines);
	NUMBER(*a, crypto_caps.wrapped_import_method);
	NUMBER(*a, crypto_caps.log_max_num_deks);
	NUMBER(*a, crypto_caps.flags);
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
