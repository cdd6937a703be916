/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions that the model executes, as capabilities: rows that apply to every device.
 *
 * A row is here because it works. Fields without a row are 0: libraries rely on each
 * capability. When the model does more, add the row here, next to similar ones, and the opcode
 * that it promises to test/unit/fw/caps_have_their_commands.c. Capabilities that only some
 * devices have, or have less of, are rows of the devices' files.
 *
 * Where the numbers come from: the limits that ibv_devinfo -v and the mlx5_ib uverbs ABI show
 * of a ConnectX-5 (max_qp, max_cqe, max_sge, max_qp_wr, hca_core_clock, gid_tbl_len), the
 * field widths and value names of Linux' mlx5_ifc.h, and UCX's condition log_max_msg == 30.
 *
 * Maximum and current are the same but where a row says so: there is no SET_HCA_CAP.
 */
#include "fw/cap_flow_rows.h"
#include "steer/steer.h"

#define ODP_AT(service)                                      \
	(PRM_OFF(odp_cap, transport_page_fault_scheme_cap) + \
	 PRM_OFF(odp_scheme_cap, service##_odp_caps))
#define ODP(service, f)                                                                 \
	{                                                                               \
		.group = PRM_CAP_ODP, .use = FW_CAP_LIMIT,                              \
		.field = { ODP_AT(service) + PRM_OFF(odp_per_transport_service_cap, f), \
			   PRM_W(odp_per_transport_service_cap, f) },                   \
		.value = 1, .max = 1                                                    \
	}

#define ICM_END(f, end)                               \
	ROW(FLOW_TABLE, flow_table_nic_cap, f, FIXED, \
	    HCA_ICM_AT(HCA_ICM_END, (uint64_t)(end)), \
	    HCA_ICM_AT(HCA_ICM_END, (uint64_t)(end)))
#define RX(f, v)  FT(FLOW_TABLE, flow_table_nic_cap, nic_receive, f, v)
#define TX(f, v)  FT(FLOW_TABLE, flow_table_nic_cap, nic_transmit, f, v)
#define FDB(f, v) FT(ESWITCH_FLOW_TABLE, flow_table_eswitch_cap, nic_esw_fdb, f, v)

/* assumed(cx5_object_limits): log2 of how many objects and how large; CQs, SRQs, PDs, MRs and
 * their sizes are those that ibv_devinfo -v shows of a ConnectX-5, TDs, EQs, user contexts,
 * SQs, RQs, TISs and TIRs are plausible. */
const struct fw_cap_row fw_model_caps[] = {
	/* one RoCE port, its transports */
	GENERAL_FIXED(port_type, 1), /* MLX5_CAP_PORT_TYPE_ETH */
	GENERAL_FIXED(num_ports, 1),
	GENERAL_FIXED(native_port_num, 1),
	GENERAL(roce, 1),
	GENERAL(atomic, 1),
	GENERAL(rc, 1),
	GENERAL(uc, 1),
	GENERAL(ud, 1),
	GENERAL(xrc, 1),
	GENERAL(dct, 1),
	GENERAL(block_lb_mc, 1),
	/* ibv_devinfo -v of a ConnectX-5: max_mcast_grp 2097152, max_mcast_qp_attach 240. */
	GENERAL(log_max_mcg, 21),
	GENERAL(max_qp_mcg, 240),
	GENERAL_FIXED(cqe_version, 1), /* libmlx5 asks for version 1: user index in the CQE */
	GENERAL_ANY(vhca_id, 0),       /* the slot, once there is one */
	GENERAL(hca_cap_2, 1),	       /* group 0x20 can be asked */
	GENERAL(pcam_reg, 1),	       /* image_register.c */
	GENERAL(mcam_reg, 1),
	GENERAL(debug, 1), /* and group 0xd: RESOURCE_DUMP */
	ROW(DEBUG, debug_cap, resource_dump, LIMIT, 1, 1),

	/* queue pairs */
	/* A ConnectX-5 shows 18, and later ones 17. The top byte of a QP number is the slot of
	 * its process here, and what is left suffices for 2^15 and the queues that are not
	 * QPs. */
	GENERAL(log_max_qp, 15),
	GENERAL(log_max_qp_sz, 15),
	GENERAL(max_wqe_sz_sq, 1024),
	GENERAL(max_wqe_sz_rq, 512),
	GENERAL(sctr_data_cqe, 1),
	GENERAL(log_max_ra_req_qp, 4),
	GENERAL(log_max_ra_res_qp, 4),
	GENERAL(ece_support, 1), /* of the options none: fw_ece() */
	/* assumed(dc_limits_are_those_of_rc): a DCI and a DCT have as many READs and atomics
	 * under way as an RC QP has, WQEs as long, and inline data in CQEs of 64 bytes. */
	GENERAL(log_max_ra_req_dc, 4),
	GENERAL(log_max_ra_res_dc, 4),
	GENERAL(max_wqe_sz_sq_dc, 1024),
	GENERAL(dc_req_scat_data_cqe, 1),
	GENERAL(log_max_msg, 30),
	/* assumed(cx5_local_ca_ack_delay): the delay that query_device shows is 16 (4.096 µs <<
	 * 16 at most until the device answers). */
	GENERAL_ANY(local_ca_ack_delay, 16),

	/* shared receive queues */
	GENERAL(log_max_srq, 23),
	GENERAL(log_max_srq_sz, 15),
	GENERAL(log_max_rmp, 23),
	GENERAL(log_max_xrcd, 23),

	/* queues of raw packets: a WQE needs no header inline (wqe_inline_mode NOT_REQUIRED) */
	GENERAL(log_max_sq, 12),
	GENERAL(log_max_rq, 12),
	GENERAL(log_max_tis, 12),
	GENERAL(log_max_tir, 12),
	GENERAL(log_max_rqt, 12),
	GENERAL(log_max_rqt_size, 11),
	GENERAL(eth_net_offloads, 1),
	GENERAL(striding_rq, 1),
	GENERAL(ext_stride_num_range, 1),
	ETHERNET(csum_cap, 1),
	ETHERNET(vlan_cap, 1),
	ETHERNET(wqe_vlan_insert, 1),
	ETHERNET(self_lb_en_modifiable, 1),
	GENERAL(disable_local_lb_uc, 1),
	GENERAL(disable_local_lb_mc, 1),
	ETHERNET(max_lso_cap, 18), /* ibv_devinfo -v of a ConnectX-5: max_tso 262144 */
	/* Nothing has to be in the WQE: DPDK, mlx5.rst, txq_inline_min, of ConnectX-5 and
	 * later. */
	ETHERNET(wqe_inline_mode, 2),
	ETHERNET(rss_ind_tbl_cap, 11),
	ETHERNET(scatter_fcs, 1),
	/* DPDK sends multi-packet WQEs by default on a ConnectX-5 (mlx5.rst, txq_mpw_en), and
	 * only if both are there (mlx5_os.c: MLX5DV_CONTEXT_FLAGS_MPW_ALLOWED, then
	 * ..._ENHANCED_MPW). */
	ETHERNET(multi_pkt_send_wqe, 1),
	ETHERNET(enhanced_multi_pkt_send_wqe, 1),
	GENERAL(log_max_wq_sz, 15),

	/* counters */
	/* assumed(counter_limits): 255 sets of Q counters, 65535 flow counters in bulks of 128
	 * to 16384. */
	GENERAL(max_qp_cnt, 255),
	GENERAL(out_of_seq_cnt, 1),
	GENERAL(retransmission_q_counters, 1),
	GENERAL(rnr_nak_q_counters, 1),
	GENERAL(enhanced_error_q_counters, 1),
	GENERAL(q_counter_aggregation, 1),
	GENERAL(rts2rts_qp_counters_set_id, 1),
	GENERAL(vport_counters, 1),
	GENERAL(cc_query_allowed, 1),
	GENERAL(vnic_env_queue_counters, 1),
	GENERAL(vnic_env_int_rq_oob, 1),
	GENERAL(vnic_env_cq_overrun, 1),
	GENERAL(invalid_command_count, 1),
	GENERAL(quota_exceeded_count, 1),
	GENERAL(nic_receive_steering_discard, 1),
	GENERAL(receive_discard_vport_down, 1),
	GENERAL(transmit_discard_vport_down, 1),
	GENERAL_BITS(flow_counter_bulk_alloc, 0xff),
	GENERAL(log_max_flow_counter_bulk, 14),
	GENERAL(max_flow_counter_15_0, 0xffff),

	/* scheduling elements, rates: kept, and nothing is sent later for them */
	/* The rates are those of a ConnectX-5 with firmware 16.27.1016: mlx5_core logs "127
	 * rates are supported, range: 0Mbps to 97656Mbps", the size of the table less 1 and
	 * kb/s / 1024 (linux-pci, January 2022, "PCI: Reset IOV state on FLR to PF"). */
	/* assumed(qos_limits): shares up to 100, 32768 elements. */
	GENERAL(qos, 1),
	QOS(packet_pacing, 1),
	QOS(packet_pacing_uid, 1),
	QOS(packet_pacing_burst_bound, 1),
	QOS(packet_pacing_typical_size, 1),
	QOS(packet_pacing_min_rate, 1),
	QOS(packet_pacing_max_rate, 100000000),
	QOS(packet_pacing_rate_table_size, HCA_RATES),
	QOS(nic_sq_scheduling, 1),
	QOS(nic_qp_scheduling, 1),
	QOS(nic_bw_share, 1),
	QOS(nic_rate_limit, 1),
	QOS(max_tsar_bw_share, 100),
	QOS(log_max_qos_nic_queue_group, 15),
	ROW(QOS, qos_cap, nic_element_type, BITS, 1 << 0 | 1 << 4,
	    1 << 0 | 1 << 4),					/* TSAR, group */
	ROW(QOS, qos_cap, nic_tsar_type, BITS, 1 << 0, 1 << 0), /* DWRR */
	GENERAL(qpc_extension, 1),
	GENERAL(rts2rts_qp_udp_sport, 1),
	/* Copies inside of the device; log_dma_mmo_max_size 0 means 2 GiB. */
	/* assumed(bluefield_copies_2_mib): the longest copy of one work request is 2 MiB
	 * (log_dma_mmo_max_size 21) on a BlueField-2 and a BlueField-3. */
	GENERAL(dma_mmo_qp, 1),
	GENERAL_ANY(log_dma_mmo_max_size, 21),

	/* Mkeys for the other functions of the adapter: alias.c. UCX tests both words on both
	 * sides (ib_mlx5dv_md.c, uct_ib_mlx5_devx_md_open). */
	GENERAL_2_BITS(cross_vhca_object_to_object_supported,
		       PRM_CROSS_VHCA_OBJ_TO_OBJ_SUPPORTED_LOCAL_MKEY_TO_REMOTE_MKEY),
	GENERAL_2_BITS(allowed_object_for_other_vhca_access,
		       PRM_ALLOWED_OBJ_FOR_OTHER_VHCA_ACCESS_MKEY),
	GENERAL_2(query_vuid, 1),
	/* The same without permission, for the function that controls the other one. */
	/* assumed(only_the_dpu_controls_the_host): crossing_vhca_mkey and eswitch_manager are
	 * those of a BlueField's own function, and not those of the host's. */
	GENERAL_ROLE(crossing_vhca_mkey, 1),
	GENERAL_ROLE(eswitch_manager, 1),
	GENERAL_ROLE(vhca_state, 1),

	/* general objects: general.c */
	GENERAL_BITS(general_obj_types,
		     1ull << PRM_OBJ_ENCRYPTION_KEY | 1ull << PRM_OBJ_MATCH_DEFINER |
			     1ull << PRM_OBJ_VIRTIO_Q_COUNTERS |
			     1ull << PRM_OBJ_MODIFY_HEADER_ARG |
			     1ull << PRM_OBJ_FLOW_METER_ASO | 1ull << PRM_OBJ_FLOW_HIT_ASO |
			     1ull << PRM_OBJ_SCHED_ELEMENT | 1ull << PRM_OBJ_RESERVED_QPN |
			     1ull << PRM_OBJ_SW_ICM | 1ull << PRM_OBJ_SAMPLER),
	/* flow steering */
	/* assumed(flow_table_limits): 32768 flow tables of up to 2^24 indexes, levels 0 to 127,
	 * of RDMA_RX and RDMA_TX to 254, 64 destinations and 8 counters of an entry, in every
	 * type of tables. */
	GENERAL(nic_flow_table, 1),
	GENERAL_BITS(
		flex_parser_protocols,
		PRM_FLEX_PARSER_MPLS_OVER_GRE_ENABLED | PRM_FLEX_PARSER_MPLS_OVER_UDP_ENABLED |
			PRM_FLEX_PARSER_ICMP_V4_ENABLED | PRM_FLEX_PARSER_VXLAN_GPE_ENABLED |
			PRM_FLEX_PARSER_GTPU_ENABLED | PRM_FLEX_PARSER_ICMP_V6_ENABLED),
	GENERAL(shared_object_to_user_object_allowed, 1),
	/* steering by software: emu/steer/ste.h, lookup.c */
	GENERAL(steering_format_version, 3),
	/* assumed(formats_of_match_definers): every adapter has the formats of match definers
	 * of which rdma-core writes rules. */
	GENERAL_BITS(match_definer_format_supported,
		     1ull << 0 | 1ull << 2 | 1ull << 6 | 1ull << 16 | 1ull << 22 | 1ull << 24 |
			     1ull << 25 | 1ull << 26 | 1ull << 28 | 1ull << 33 |
			     1ull << STEER_DEFINER_SELECT),
	/* assumed(flex_parsers_have_fixed_ids): the parsers of ICMP, ICMPv6, MPLS over GRE and
	 * MPLS over UDP are 0 and 1, 2 and 3, 4, and 5. */
	/* Those of ICMP and ICMPv6 are below 4: libmlx5 writes rules for ICMP with the lookup
	 * of the parser of ICMPv6 (dr_ste_v0.c, dr_ste_v0_build_icmp_init). */
	GENERAL_FIXED(flex_parser_id_icmp_dw0, 0),
	GENERAL_FIXED(flex_parser_id_icmp_dw1, 1),
	GENERAL_FIXED(flex_parser_id_outer_first_mpls_over_gre, 4),
	GENERAL_FIXED(flex_parser_id_outer_first_mpls_over_udp_label, 5),
	GENERAL_FIXED(flex_parser_id_icmpv6_dw0, 2),
	GENERAL_FIXED(flex_parser_id_icmpv6_dw1, 3),
	GENERAL(log_header_modify_argument_max_alloc, HCA_LOG_ARGUMENTS),
	/* steering by WQEs: hws.c, emu/steer/rtc.c */
	/* assumed(hws_limits): ranges of up to 2^22 STEs and 2^12 STCs, 2^24 and 2^16 of them
	 * in all, rows of up to 16 STEs, patterns of up to 32 changes. */
	GENERAL(wqe_based_flow_table_update_cap, 1),
	GENERAL_2_BITS(general_obj_types_127_64,
		       1 << (PRM_OBJ_STC - 64) | 1 << (PRM_OBJ_RTC - 64) |
			       1 << (PRM_OBJ_STE - 64) |
			       1 << (PRM_OBJ_MODIFY_HDR_PATTERN - 64)),
	/* Each of 9 dword selectors names any dword. */
	GENERAL_2(format_select_dw_8_6_ext, 1),
	RX(reparse, 1),
	TX(reparse, 1),
	RX(ignore_flow_level_rtc_valid, 1),
	TX(ignore_flow_level_rtc_valid, 1),
	WQE_FT(log_max_num_ste, 24),
	WQE_FT(log_max_num_stc, 16),
	WQE_FT(log_max_num_rtc, 16),
	WQE_FT(log_max_num_header_modify_pattern, 15),
	WQE_FT(ste_alloc_log_max, HCA_LOG_STES),
	WQE_FT(stc_alloc_log_max, HCA_LOG_STCS),
	WQE_FT(rtc_log_depth_max, HCA_LOG_RTC_DEPTH),
	WQE_FT(max_header_modify_pattern_length, HCA_PATTERN_MAX),
	/* assumed(the_device_finds_headers_again): after an action that changes a packet its
	 * headers are found again, whatever reparse_mode of the RTC and of the STC says. */
	WQE_FT_BITS(rtc_reparse_mode, 1 << 0 | 1 << 1 | 1 << 2),
	WQE_FT_BITS(rtc_index_mode, 1 << 0 | 1 << 1), /* by hash, by offset */
	WQE_FT_BITS(access_index_mode, 1 << 0),	      /* by hash */
	WQE_FT(rtc_hash_split_table, 1),
	WQE_FT_BITS(ste_format, 1 << PRM_RTC_STE_FORMAT_8DW | 1 << PRM_RTC_STE_FORMAT_11DW),
	WQE_FT_FIXED(trivial_match_definer, HCA_DEFINER_ALWAYS),
	RX(termination_table, 1),
	RX(sw_owner, 1),
	RX(sw_owner_v2, 1),
	TX(sw_owner, 1),
	TX(sw_owner_v2, 1),
	ICM_END(sw_steering_nic_rx_action_drop_icm_address, HCA_ICM_RX_DROP),
	ICM_END(sw_steering_nic_tx_action_drop_icm_address, HCA_ICM_TX_DROP),
	ICM_END(sw_steering_nic_tx_action_allow_icm_address, HCA_ICM_TX_ALLOW),
	ROW(FLOW_TABLE, flow_table_nic_cap, nic_rx_multi_path_tirs, LIMIT, 1, 1),
	ROW(FLOW_TABLE, flow_table_nic_cap, nic_rx_multi_path_tirs_fts, LIMIT, 1, 1),
	ROW(FLOW_TABLE, flow_table_nic_cap, allow_sniffer_and_nic_rx_shared_tir, LIMIT, 1, 1),
	ROW(FLOW_TABLE, flow_table_nic_cap, nic_rx_flow_tag_multipath_en, LIMIT, 1, 1),
	ROW(ESWITCH_FLOW_TABLE, flow_table_eswitch_cap, flow_source, LIMIT, 1, 1),
	FT_NIC(nic_receive, 128),
	FT_NIC(nic_transmit, 128),
	FT_NIC(nic_receive_rdma, 255),
	FT_NIC(nic_transmit_rdma, 255),
	FT_NIC(nic_receive_sniffer, 128),
	FT_NIC(nic_transmit_sniffer, 128),
	FT_ESW(nic_esw_fdb),
	FT(FLOW_TABLE, flow_table_nic_cap, nic_receive_rdma, table_miss_action_domain, 1),
	/* headers that entries change */
	/* assumed(modify_header_limits): 65536 contexts of up to 16 actions, for receive,
	 * transmit and the e-switch. */
	RX(log_max_modify_header_context, 16),
	RX(max_modify_header_actions, HCA_HEADER_ACTIONS),
	TX(log_max_modify_header_context, 16),
	TX(max_modify_header_actions, HCA_HEADER_ACTIONS),
	FDB(log_max_modify_header_context, 16),
	FDB(max_modify_header_actions, HCA_HEADER_ACTIONS),
	/* assumed(packet_reformat_limits): 32768 contexts of up to 128 bytes. A tunnel is
	 * removed on receive and added on transmit, and both in the e-switch; so are VLAN tags.
	 * From ConnectX-6 Dx on it is added on receive, too (caps_cx5.c). */
	ROW(FLOW_TABLE, flow_table_nic_cap, encap_general_header, LIMIT, 1, 1),
	ROW(FLOW_TABLE, flow_table_nic_cap, log_max_packet_reformat_context, LIMIT, 15, 15),
	ROW(FLOW_TABLE, flow_table_nic_cap, max_encap_header_size, LIMIT, 128, 128),
	RX(decap, 1),
	RX(reformat, 1),
	RX(reformat_l3_tunnel_to_l2, 1),
	RX(reformat_remove, 1),
	RX(pop_vlan, 1),
	RX(pop_vlan_2, 1),
	RX(reformat_and_modify_action, 1),
	RX(reformat_and_vlan_action, 1),
	RX(reformat_and_fwd_to_table, 1),
	TX(reformat, 1),
	TX(reformat_l2_to_l3_tunnel, 1),
	TX(reformat_insert, 1),
	TX(push_vlan, 1),
	TX(push_vlan_2, 1),
	TX(reformat_and_modify_action, 1),
	TX(reformat_and_vlan_action, 1),
	TX(reformat_and_fwd_to_table, 1),
	FDB(decap, 1),
	FDB(reformat_l3_tunnel_to_l2, 1),
	FDB(reformat_remove, 1),
	FDB(pop_vlan, 1),
	FDB(pop_vlan_2, 1),
	FDB(reformat, 1),
	FDB(reformat_l2_to_l3_tunnel, 1),
	FDB(reformat_insert, 1),
	FDB(push_vlan, 1),
	FDB(push_vlan_2, 1),
	FDB(reformat_and_modify_action, 1),
	FDB(reformat_and_vlan_action, 1),
	FDB(reformat_and_fwd_to_table, 1),
	ROW(ESWITCH_FLOW_TABLE, flow_table_eswitch_cap, fdb_modify_header_fwd_to_table, LIMIT,
	    1, 1),
	ROW(ESWITCH_FLOW_TABLE, flow_table_eswitch_cap, fdb_multi_path_to_table, LIMIT, 1, 1),
	GENERAL_2(log_reserved_qpn_granularity, 5),
	GENERAL_2(send_dbr_mode_no_dbr_ext, 1),
	GENERAL(access_register_user, 1),

	/* completion and event queues */
	GENERAL(log_max_cq, 24),
	GENERAL(log_max_cq_sz, 22),
	GENERAL(cq_oi, 1),
	GENERAL(cq_resize, 1),
	GENERAL(cq_moderation, 1),
	GENERAL(cq_period_start_from_cqe, 1),
	GENERAL(cq_period_mode_modify, 1),
	/* assumed(cqe_compression_limits): sessions of up to 64 CQEs, in CQs of 64 and of 128
	 * bytes, with every mini CQE format that DPDK knows. */
	GENERAL(cqe_compression, 1),
	GENERAL(cqe_compression_128, 1),
	GENERAL(cqe_compression_max_num, HCA_SESSION_MAX),
	GENERAL(mini_cqe_resp_stride_index, 1),
	GENERAL(mini_cqe_resp_flow_tag, 1),
	GENERAL(mini_cqe_resp_l3_l4_tag, 1),
	GENERAL(enhanced_cqe_compression, 1),
	GENERAL(cqe_128_always, 1),
	GENERAL(log_max_eq, 6),
	GENERAL(log_max_eq_sz, 22),
	GENERAL(max_num_eqs, 64),

	/* domains and user contexts */
	/* max_pd 16777216: open-mpi/ompi pull request 6137, ibv_devinfo -v */
	GENERAL(log_max_pd, 24),
	GENERAL(log_max_transport_domain, 23),
	GENERAL(log_max_uctx, 15),
	GENERAL_BITS(uctx_cap, PRM_UCTX_CAP_TOOLS_RESOURCES), /* no other powers */
	GENERAL(log_max_umem, 15),
	GENERAL(umem_uid_0, 1), /* the driver may have umems too */

	/* memory keys */
	GENERAL(log_max_mkey, 24),
	GENERAL(dump_fill_mkey, 1),
	GENERAL(null_mkey, 1),
	GENERAL_FIXED(log_max_mrw_sz, 64),
	GENERAL_FIXED(log_pg_sz, 12),
	/* Indirect mkeys whose entries have bytes as their unit: memory windows, for
	 * mlx5_ib. */
	GENERAL(imaicl, 1),
	/* Lists of bytes of other mkeys (KLM, KSM). */
	/* assumed(klm_list_limits): a ConnectX allows 65536 entries in an indirect mkey, and
	 * a chain of 4 indirect mkeys. */
	GENERAL(fixed_buffer_size, 1),
	GENERAL(log_max_klm_list_size, 16),
	GENERAL(max_indirection, HCA_MAX_INDIRECTION),
	/* Set, mlx5_ib lists the pages of regions to CREATE_MKEY, not by UMR. */
	GENERAL_ANY(umr_modify_entity_size_disabled, 0),
	/* Permission to reorder that the model makes no use of. */
	GENERAL(relaxed_ordering_write, 1),

	/* on-demand paging: atomics are not among it */
	/* assumed(cx5_odp_transports): on-demand paging of RC send, receive, write, read and
	 * SRQ receive, UD send, XRC and DC send, write, read and SRQ receive; openucx/ucx issue
	 * 5376 shows RC and UD of one, under a kernel that knew neither SRQ nor XRC here. */
	GENERAL(pg, 1),
	ODP(rc, send),
	ODP(rc, receive),
	ODP(rc, write),
	ODP(rc, read),
	ODP(rc, srq_receive),
	ODP(ud, send),
	ODP(xrc, send),
	ODP(xrc, write),
	ODP(xrc, read),
	ODP(xrc, srq_receive),
	ODP(dc, send),
	ODP(dc, write),
	ODP(dc, read),
	ODP(dc, srq_receive),

	/* device memory */
	/* assumed(cx5_device_memory): 128 KiB, as ibv_devinfo -v shows of a ConnectX-5, in
	 * 64-byte pieces aligned to at most 4 KiB, reached through 1 MiB of the BAR. */
	GENERAL(device_memory, 1),
	MEMIC(memic, 1),
	MEMIC_FIXED(log_min_memic_alloc_size, 6),
	MEMIC(log_max_memic_addr_alignment, 6),
	MEMIC_FIXED(memic_bar_start_addr, HCA_MEMIC_START),
	MEMIC_FIXED(memic_bar_size, HCA_MEMIC_BYTES),
	MEMIC(max_memic_size, 128 << 10),
	/* software-managed ICM */
	MEMIC_FIXED(log_sw_icm_alloc_granularity, HCA_ICM_LOG_BLOCK),
	MEMIC_FIXED(steering_sw_icm_start_address, HCA_ICM_STEERING),
	MEMIC(log_steering_sw_icm_size, HCA_ICM_LOG_STEERING),
	MEMIC_FIXED(header_modify_sw_icm_start_address, HCA_ICM_MODIFY),
	MEMIC(log_header_modify_sw_icm_size, HCA_ICM_LOG_MODIFY),
	MEMIC_FIXED(header_modify_pattern_sw_icm_start_address, HCA_ICM_PATTERN),
	MEMIC(log_header_modify_pattern_sw_icm_size, HCA_ICM_LOG_PATTERN),

	/* signatures of commands and mailboxes (pci/cmdq.c): made, checked */
	GENERAL_OFF(cmdif_checksum, 3),

	/* doorbells: one 4 KiB UAR per page with two 512-byte BlueFlame registers */
	GENERAL_FIXED(uar_4k, 1),
	GENERAL_FIXED(num_of_uars_per_page, 1),
	GENERAL_FIXED(bf, 1),
	GENERAL_FIXED(log_bf_reg_size, 9),

	/* clock: ibv_query_device_ex shows hca_core_clock 156250 */
	GENERAL_ANY(device_frequency_khz, 156250),
	GENERAL_ANY(device_frequency_mhz, 156),

	/* compare and swap, fetch and add of 8 bytes, in the byte order of the host; the same
	 * with masks, of 4 bytes too */
	ATOMIC_BITS(atomic_req_8B_endianness_mode, 1),
	ATOMIC_BITS(supported_atomic_req_8B_endianness_mode_1, 1),
	ATOMIC_BITS(atomic_operations, 0xf),
	ATOMIC_BITS(atomic_size_qp, 4 | 8),
	ATOMIC_BITS(atomic_size_dc, 4 | 8),

	/* RoCE v1, and v2 over IPv4 and IPv6 */
	ROCE_BITS(roce_version, 1 << 0 | 1 << 2), /* MLX5_ROCE_VERSION_1_CAP, _2_CAP */
	ROCE_BITS(l3_type, 1 << 1 | 1 << 2),	  /* MLX5_ROCE_L3_TYPE_IPV4_CAP, _IPV6_CAP */
	ROCE(sw_r_roce_src_udp_port, 1),
	ROCE(fl_rc_qp_when_roce_enabled, 1),
	ROCE_FIXED(r_roce_dest_udp_port, 4791),
	ROCE_FIXED(r_roce_min_src_udp_port, 0xc000),
	ROCE_FIXED(r_roce_max_src_udp_port, 0xffff),
	ROCE_FIXED(roce_address_table_size, HCA_GIDS),
	END_OF_CAPS,
};
