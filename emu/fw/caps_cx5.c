/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ConnectX-5 as data: what differs from the model's capabilities (caps_model.c).
 *
 * Deliberate differences from the real adapter, which has them:
 *	swp, lro_cap: no software parser, no large receive offload
 *	eswitch_manager, vport_group_manager: no e-switch
 *	sw_owner of tables of the e-switch, wqe_based_flow_table_update_cap: no such steering
 *	tag_matching, DCI streams: a DCI has one connection
 *	wq_signature, drain_sigerr, end_pad: refused in QPC and CQC
 *	log_max_bsf_list_size: no signature
 *	general_obj_types: of the objects of steering, match definers only
 *	uctx_cap: no powers but those of fwctl
 *	terminate_scatter_list_mkey, repeated_mkey: no such keys
 *	memic_operations, apm, rol, wol, lag, tunnels; of debug, core dumps and stall_detect
 *	go_back_n, roce_accl: the only retransmission is go-back-N; no selective repeat, no adaptive timer
 */
#include "fw/cap_rows.h"

static const struct fw_cap_row cx5[] = {
	STE_FORMAT_0,
	LACKS_HWS,
	/* DPDK's guide of the mlx5 drivers asks for a ConnectX-6 Dx for ASO, crypto and vDPA,
	 * and its argument objects belong to WQE-based steering. */
	GENERAL_LACKS(general_obj_types,
		      1ull << PRM_OBJ_ENCRYPTION_KEY | 1ull << PRM_OBJ_VIRTIO_Q_COUNTERS |
			      1ull << PRM_OBJ_MODIFY_HEADER_ARG |
			      1ull << PRM_OBJ_FLOW_METER_ASO | 1ull << PRM_OBJ_FLOW_HIT_ASO),
	LACKS_DPU,
	LACKS_NO_DBR,
	/* assumed(connectx_5_compresses_in_the_basic_layout): a ConnectX-5 does not have the
	 * enhanced layout of compressed CQEs, a ConnectX-6 Dx has. */
	GENERAL_LACKS(enhanced_cqe_compression, 1),
	/* libmlx5, dr_action.c: tunnels are added on receive (DR_STE_CTX_ACTION_CAP_RX_ENCAP)
	 * from version 1 of steering entries on, that of ConnectX-6 Dx. */
	ROW_IN(FLOW_TABLE, flow_table_nic_cap, flow_table_properties_nic_receive,
	       flow_table_prop_layout, reformat, LACKS, 1),
	END_OF_CAPS,
};

const struct fw_kind fw_cx5 = {
	/* The PSID is that of the VPI board MCX556A-ECAT (MrBr-github/lshca,
	 * README), the firmware one of the 16.35 long-term line. */
	.device = { .name = "cx5",
		    .description = "ConnectX-5, one 100 Gb/s Ethernet port",
		    .pci_id = 0x1017,
		    .board_id = "MT_0000000008",
		    .fw_ver = "16.35.2000" },
	.groups = GROUPS_OF_ALL,
	.caps = cx5,
};
