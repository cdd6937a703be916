/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How capabilities are written down: a row a number, {group, field, value}.
 *
 *	caps_model.c    GENERAL(log_max_qp, 18)         every device, because the model
 *	                                                executes it
 *	caps_cx6dx.c    GENERAL(log_max_qp, 17)         this device has less of it
 *	caps_cx5.c      GENERAL_LACKS(dma_mmo_qp, 1)    this device does not have it
 *
 *	fw_init:  zero -> rows of the model -> rows of the device -> the bytes of the groups
 *
 * To add a capability: a row in caps_model.c next to similar ones; if an older device does not
 * have it, a _LACKS row there. Rows of groups that a device does not have are skipped. A device
 * never has more than the model executes.
 *
 * The macro also says what a dump of a real device may make of the number (--device FILE): a
 * smaller limit, fewer bits, any value, or nothing.
 */
#ifndef EMU_FW_CAP_ROWS_H
#define EMU_FW_CAP_ROWS_H

#include "fw/command.h"

enum fw_cap_use {
	FW_CAP_LIMIT, /* a number: up to the row's value */
	FW_CAP_BITS,  /* each bit is a promise: those of the row's value */
	FW_CAP_FIXED, /* how the model is built: the row's value and no other */
	FW_CAP_ANY,   /* identifies or describes: any value */
	FW_CAP_ROLE,  /* of the one of two functions that controls the other: not of a dump */
	FW_CAP_LACKS, /* row of a device: without these bits of the model's value */
};

struct fw_cap_row {
	uint8_t group; /* enum prm_value, PRM_CAP_* */
	uint8_t use;   /* enum fw_cap_use */
	struct fw_bits field;
	uint64_t value, max; /* current; maximum */
};

struct fw_kind {
	struct fw_device device;
	uint64_t groups;	       /* 1 << PRM_CAP_*, those that QUERY_HCA_CAP knows */
	const struct fw_cap_row *caps; /* width 0 at the end */
	const struct fw_cap_row
		*host; /* of two functions, what that of the host lacks; or NULL */
};

#define ROW(g, s, f, u, v, m)                                                 \
	{                                                                     \
		.group = PRM_CAP_##g, .use = FW_CAP_##u,                      \
		.field = { PRM_OFF(s, f), PRM_W(s, f) }, .value = v, .max = m \
	}
/* Field @f of structure @type, which is nested in @s as @nest. */
#define ROW_IN(g, s, nest, type, f, u, v)                                                     \
	{                                                                                     \
		.group = PRM_CAP_##g, .use = FW_CAP_##u,                                      \
		.field = { PRM_OFF(s, nest) + PRM_OFF(type, f), PRM_W(type, f) }, .value = v, \
		.max = v                                                                      \
	}
#define END_OF_CAPS        \
	{                  \
		.group = 0 \
	}

/* Limits and single bits; _BITS: sets of bits; _FIXED, _ANY and _LACKS: see above. */
#define GENERAL(f, v)	    ROW(GENERAL, cmd_hca_cap, f, LIMIT, v, v)
#define GENERAL_BITS(f, v)  ROW(GENERAL, cmd_hca_cap, f, BITS, v, v)
#define GENERAL_FIXED(f, v) ROW(GENERAL, cmd_hca_cap, f, FIXED, v, v)
#define GENERAL_ANY(f, v)   ROW(GENERAL, cmd_hca_cap, f, ANY, v, v)
#define GENERAL_ROLE(f, v)  ROW(GENERAL, cmd_hca_cap, f, ROLE, v, v)
#define GENERAL_LACKS(f, v) ROW(GENERAL, cmd_hca_cap, f, LACKS, v, v)
/* off at first; the driver may set bits of @max */
#define GENERAL_OFF(f, max)   ROW(GENERAL, cmd_hca_cap, f, BITS, 0, max)
#define GENERAL_2(f, v)	      ROW(GENERAL_2, cmd_hca_cap_2, f, LIMIT, v, v)
#define GENERAL_2_BITS(f, v)  ROW(GENERAL_2, cmd_hca_cap_2, f, BITS, v, v)
#define GENERAL_2_LACKS(f, v) ROW(GENERAL_2, cmd_hca_cap_2, f, LACKS, v, v)
#define ETHERNET(f, v) \
	ROW(ETHERNET_OFFLOADS, per_protocol_networking_offload_caps, f, LIMIT, v, v)
#define ATOMIC(f, v)	   ROW(ATOMIC, atomic_caps, f, LIMIT, v, v)
#define ATOMIC_BITS(f, v)  ROW(ATOMIC, atomic_caps, f, BITS, v, v)
#define ROCE(f, v)	   ROW(ROCE, roce_cap, f, LIMIT, v, v)
#define ROCE_BITS(f, v)	   ROW(ROCE, roce_cap, f, BITS, v, v)
#define ROCE_FIXED(f, v)   ROW(ROCE, roce_cap, f, FIXED, v, v)
#define MEMIC(f, v)	   ROW(DEV_MEM, device_mem_cap, f, LIMIT, v, v)
#define MEMIC_FIXED(f, v)  ROW(DEV_MEM, device_mem_cap, f, FIXED, v, v)
#define QOS(f, v)	   ROW(QOS, qos_cap, f, LIMIT, v, v)
#define WQE_FT(f, v)	   ROW(WQE_BASED_FLOW_TABLE, wqe_based_flow_table_cap, f, LIMIT, v, v)
#define WQE_FT_BITS(f, v)  ROW(WQE_BASED_FLOW_TABLE, wqe_based_flow_table_cap, f, BITS, v, v)
#define WQE_FT_FIXED(f, v) ROW(WQE_BASED_FLOW_TABLE, wqe_based_flow_table_cap, f, FIXED, v, v)
#define CRYPTO(f, v)	   ROW(CRYPTO, crypto_cap, f, LIMIT, v, v)

/* The rows of the model that a device lacks whose STEs have a format: 0 is that of
 * ConnectX-5, 1 of 6 Dx, 2 of 7, 3 of 8 (rdma-core, mlx5dv_dr.h). */
#define STE_FT(side, f)                                                      \
	ROW_IN(FLOW_TABLE, flow_table_nic_cap, flow_table_properties_##side, \
	       flow_table_prop_layout, f, LACKS, 1)
#define STE_FORMAT_LACKS(bits, owner)                                             \
	GENERAL_LACKS(steering_format_version, bits), STE_FT(nic_receive, owner), \
		STE_FT(nic_transmit, owner)
#define STE_FORMAT_0 STE_FORMAT_LACKS(3, sw_owner_v2)
#define STE_FORMAT_1 STE_FORMAT_LACKS(2, sw_owner)
#define STE_FORMAT_2 STE_FORMAT_LACKS(1, sw_owner)
#define STE_FORMAT_3 STE_FORMAT_LACKS(0, sw_owner)

/* Rows of the model that a ConnectX-5 lacks: steering by WQEs. */
#define HWS_FT(side, f)                                                      \
	ROW_IN(FLOW_TABLE, flow_table_nic_cap, flow_table_properties_##side, \
	       flow_table_prop_layout, f, LACKS, 1)
#define LACKS_HWS                                                                           \
	GENERAL_LACKS(wqe_based_flow_table_update_cap, 1),                                  \
		GENERAL_LACKS(match_definer_format_supported, 1ull << 61),                  \
		GENERAL_2_LACKS(general_obj_types_127_64, 0xf),                             \
		GENERAL_2_LACKS(format_select_dw_8_6_ext, 1), HWS_FT(nic_receive, reparse), \
		HWS_FT(nic_transmit, reparse),                                              \
		HWS_FT(nic_receive, ignore_flow_level_rtc_valid),                           \
		HWS_FT(nic_transmit, ignore_flow_level_rtc_valid)

/* A row of devices before ConnectX-8: DOCA GPUNetIO, changelog, 2.0.0. */
#define LACKS_NO_DBR GENERAL_2_LACKS(send_dbr_mode_no_dbr_ext, 1)

/* assumed(newer_devices_have_the_clock_of_cx6dx): ConnectX-7, ConnectX-8, BlueField-2 and
 * BlueField-3 have a clock of 1 GHz, as ibv_devinfo -v shows of a ConnectX-6 Dx. */
#define CLOCK_OF_CX6DX \
	GENERAL_ANY(device_frequency_khz, 1000000), GENERAL_ANY(device_frequency_mhz, 1000)

/* Rows of the host's function of a DPU, and of devices with one function: it controls no other
 * one. */
#define LACKS_CONTROL                                                            \
	GENERAL_LACKS(crossing_vhca_mkey, 1), GENERAL_LACKS(eswitch_manager, 1), \
		GENERAL_LACKS(vhca_state, 1)

/* Rows of devices with one function: there is no other to lend a key to, and no MMO
 * (linux-rdma/rdma-core, pull request 1040: from BlueField-2 on). */
#define LACKS_DPU                                                                       \
	GENERAL_LACKS(dma_mmo_qp, 1), GENERAL_LACKS(log_dma_mmo_max_size, 0x1f),        \
		GENERAL_2_LACKS(query_vuid, 1),                                         \
		GENERAL_2_LACKS(                                                        \
			cross_vhca_object_to_object_supported,                          \
			PRM_CROSS_VHCA_OBJ_TO_OBJ_SUPPORTED_LOCAL_MKEY_TO_REMOTE_MKEY), \
		GENERAL_2_LACKS(allowed_object_for_other_vhca_access,                   \
				PRM_ALLOWED_OBJ_FOR_OTHER_VHCA_ACCESS_MKEY),            \
		LACKS_CONTROL

#define GROUP(g) (1ull << PRM_CAP_##g)

/* assumed(cap_groups_of_devices): these groups can be asked of every ConnectX-5 and newer;
 * which more a device knows follows from when its feature appeared in mlx5_core, DPDK or
 * UCX. */
#define GROUPS_OF_ALL                                                                         \
	(GROUP(GENERAL) | GROUP(ETHERNET_OFFLOADS) | GROUP(ODP) | GROUP(ATOMIC) |             \
	 GROUP(ROCE) | GROUP(FLOW_TABLE) | GROUP(ESWITCH_FLOW_TABLE) | GROUP(ESWITCH) |       \
	 GROUP(VECTOR_CALC) | GROUP(QOS) | GROUP(DEBUG) | GROUP(DEV_MEM) | GROUP(DEV_EVENT) | \
	 GROUP(GENERAL_2))

/* Capabilities that the model executes, for every device. */
extern const struct fw_cap_row fw_model_caps[];

extern const struct fw_cap_row fw_host_caps[];
extern const struct fw_kind fw_cx5, fw_cx6dx, fw_cx7, fw_cx8, fw_bf2, fw_bf3;

#endif
