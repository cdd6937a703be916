/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ConnectX-5 as data: what QUERY_HCA_CAP says, a row a number.
 *
 * A row stands here because it works in the model, or because it identifies the device. What
 * has no row is 0: a capability is a promise, and libraries take it at its word.
 *
 * Where the numbers come from: the limits that ibv_devinfo -v and the mlx5_ib uverbs ABI show
 * of a ConnectX-5 (max_qp, max_cqe, max_sge, max_qp_wr, hca_core_clock, gid_tbl_len), the
 * field widths and value names of Linux' mlx5_ifc.h, and UCX's condition log_max_msg == 30.
 *
 * Deliberate differences from the real adapter, which has them:
 *	eth_net_offloads, nic_flow_table, eswitch_manager, vport_group_manager: SQs, RQs, TIRs and
 *		TISs can be made, but carry nothing: no checksums, flow tables, e-switch yet
 *	log_max_rqt, log_max_rqt_size: no spreading over RQs
 *	dct, tag_matching: RC, UC, UD and XRC only
 *	cqe_compression, cqe_128_always, mini_cqe_*: no compressed CQEs
 *	wq_signature, drain_sigerr, end_pad: refused in QPC and CQC
 *	fixed_buffer_size, max_indirection, log_max_klm_list_size, log_max_bsf_list_size:
 *		no indirect keys but memory windows, no signature
 *	log_max_umem, general_obj_types, uctx_cap: no umem, no general objects, no extra powers
 *	dump_fill_mkey, null_mkey, terminate_scatter_list_mkey, repeated_mkey: no such keys
 *	memic_operations, apm, rol, wol, debug, qos, lag, tunnels, vport and queue counters
 *	go_back_n, roce_accl: no selective repeat to switch off
 */
#include "fw/command.h"

#define ROW(g, s, f, v)                                                         \
	{                                                                       \
		.group = g, .field = { PRM_OFF(s, f), PRM_W(s, f) }, .value = v \
	}
#define GENERAL(f, v) ROW(FW_CAP_GENERAL, cmd_hca_cap, f, v)
#define ATOMIC(f, v)  ROW(FW_CAP_ATOMIC, atomic_caps, f, v)
#define ROCE(f, v)    ROW(FW_CAP_ROCE, roce_cap, f, v)
#define MEMIC(f, v)   ROW(FW_CAP_DEVICE_MEM, device_mem_cap, f, v)
#define ODP_AT(service)                                      \
	(PRM_OFF(odp_cap, transport_page_fault_scheme_cap) + \
	 PRM_OFF(odp_scheme_cap, service##_odp_caps))
#define ODP(service, f)                                                                 \
	{                                                                               \
		.group = FW_CAP_ODP,                                                    \
		.field = { ODP_AT(service) + PRM_OFF(odp_per_transport_service_cap, f), \
			   PRM_W(odp_per_transport_service_cap, f) },                   \
		.value = 1                                                              \
	}

/* assumed(cx5_object_limits): log2 of how many objects and how large; QPs, CQs, SRQs, MRs and
 * their sizes are those that ibv_devinfo -v shows of a ConnectX-5, PDs, TDs, EQs, user contexts,
 * SQs, RQs, TISs and TIRs are plausible. */
static const struct fw_cap_row cx5[] = {
	/* identity */
	GENERAL(port_type, 1), /* MLX5_CAP_PORT_TYPE_ETH */
	GENERAL(num_ports, 1),
	GENERAL(native_port_num, 1),
	GENERAL(roce, 1),
	GENERAL(atomic, 1),
	GENERAL(rc, 1),
	GENERAL(uc, 1),
	GENERAL(ud, 1),
	GENERAL(xrc, 1),
	GENERAL(block_lb_mc, 1),
	GENERAL(cqe_version, 1), /* libmlx5 asks for version 1: user index in the CQE */

	/* queue pairs */
	GENERAL(log_max_qp, 18),
	GENERAL(log_max_qp_sz, 15),
	GENERAL(max_wqe_sz_sq, 1024),
	GENERAL(max_wqe_sz_rq, 512),
	GENERAL(sctr_data_cqe, 1),
	GENERAL(log_max_ra_req_qp, 4),
	GENERAL(log_max_ra_res_qp, 4),
	GENERAL(log_max_msg, 30),
	/* assumed(cx5_local_ca_ack_delay): the delay that query_device shows is 16 (4.096 µs << 16
	 * at most until the device answers). */
	GENERAL(local_ca_ack_delay, 16),

	/* shared receive queues */
	GENERAL(log_max_srq, 23),
	GENERAL(log_max_srq_sz, 15),
	GENERAL(log_max_rmp, 23),
	GENERAL(log_max_xrcd, 23),

	/* queues of raw packets: a WQE has the link header inline (wqe_inline_mode L2) */
	GENERAL(log_max_sq, 12),
	GENERAL(log_max_rq, 12),
	GENERAL(log_max_tis, 12),
	GENERAL(log_max_tir, 12),

	/* completion and event queues */
	GENERAL(log_max_cq, 24),
	GENERAL(log_max_cq_sz, 22),
	GENERAL(cq_oi, 1),
	GENERAL(cq_resize, 1),
	GENERAL(cq_moderation, 1),
	GENERAL(log_max_eq, 6),
	GENERAL(log_max_eq_sz, 22),
	GENERAL(max_num_eqs, 64),

	/* domains and user contexts */
	GENERAL(log_max_pd, 23),
	GENERAL(log_max_transport_domain, 23),
	GENERAL(log_max_uctx, 15),

	/* memory keys */
	GENERAL(log_max_mkey, 24),
	GENERAL(log_max_mrw_sz, 64),
	GENERAL(log_pg_sz, 12),
	/* Indirect mkeys whose entries have bytes as their unit: memory windows, for mlx5_ib. */
	GENERAL(imaicl, 1),
	/* Permission to reorder that the model makes no use of. */
	GENERAL(relaxed_ordering_write, 1),

	/* on-demand paging: atomics are not among it */
	/* assumed(cx5_odp_transports): on-demand paging of RC send, receive, write, read and SRQ
	 * receive, UD send, XRC send, write, read and SRQ receive; openucx/ucx issue 5376 shows RC
	 * and UD of one, under a kernel that knew neither SRQ nor XRC here. */
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

	/* device memory */
	/* assumed(cx5_device_memory): 128 KiB, as ibv_devinfo -v shows of a ConnectX-5, in 64-byte
	 * pieces aligned to at most 4 KiB, reached through 1 MiB of the BAR. */
	GENERAL(device_memory, 1),
	MEMIC(memic, 1),
	MEMIC(log_min_memic_alloc_size, 6),
	MEMIC(log_max_memic_addr_alignment, 6),
	MEMIC(memic_bar_start_addr, DEV_MEMIC_START),
	MEMIC(memic_bar_size, DEV_MEMIC_PAGES << DEV_PAGE_SHIFT),
	MEMIC(max_memic_size, 128 << 10),

	/* doorbells: one 4 KiB UAR per page with two 512-byte BlueFlame registers */
	GENERAL(uar_4k, 1),
	GENERAL(num_of_uars_per_page, 1),
	GENERAL(bf, 1),
	GENERAL(log_bf_reg_size, 9),

	/* clock: ibv_query_device_ex shows hca_core_clock 156250 */
	GENERAL(device_frequency_khz, 156250),
	GENERAL(device_frequency_mhz, 156),

	/* compare and swap, fetch and add of 8 bytes, in the byte order of the host */
	ATOMIC(atomic_req_8B_endianness_mode, 1),
	ATOMIC(supported_atomic_req_8B_endianness_mode_1, 1),
	ATOMIC(atomic_operations, 3),
	ATOMIC(atomic_size_qp, 8),

	/* RoCEv2 over IPv4 and IPv6 */
	/* Not so on hardware: a connection over a RoCE v1 GID rides in RoCEv2 frames here. Its two
	 * ends see no difference. */
	ROCE(roce_version, 1 << 0 | 1 << 2), /* MLX5_ROCE_VERSION_1_CAP, _2_CAP */
	ROCE(l3_type, 1 << 1 | 1 << 2),	     /* MLX5_ROCE_L3_TYPE_IPV4_CAP, _IPV6_CAP */
	ROCE(sw_r_roce_src_udp_port, 1),
	ROCE(r_roce_dest_udp_port, 4791),
	ROCE(r_roce_min_src_udp_port, 0xc000),
	ROCE(r_roce_max_src_udp_port, 0xffff),
	ROCE(roce_address_table_size, DEV_GIDS),
	{ 0 },
};

const struct fw_kind fw_cx5 = {
	/* Who we say we are: the PSID is that of the VPI board MCX556A-ECAT (MrBr-github/lshca,
	 * README), the firmware one of the 16.35 long-term line. */
	.device = { .name = "cx5",
		    .description = "ConnectX-5, one 100 Gb/s Ethernet port",
		    .pci_id = 0x1017,
		    .board_id = "MT_0000000008",
		    .fw_ver = "16.35.2000" },
	.caps = cx5,
};
