/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities: what the device does, and what it could do if it were configured.
 *
 *	uint8_t caps[DEVX_CAPS_BYTES];
 *
 *	devx_caps_query(caps, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);
 *	log = DEVX_CAP(GENERAL, caps, log_max_qp);
 *	devx_caps_query(caps, ctx, PRM_CAP_ROCE, PRM_CAP_MAX);
 *	n = DEVX_CAP(ROCE, caps, roce_address_table_size);
 *
 * The group chooses the layout; a name that the group does not have does not compile. By names
 * at run time: prm_get(devx_caps_struct(group), caps, DEVX_CAPS_BYTES, "log_max_qp", &value).
 *
 * A group that the device does not have is refused or reads as zeroes; fields of GENERAL state
 * which groups it has (qos, roce, hca_cap_2 …). Reading is harmless, also of unknown groups.
 */
#ifndef DEVX_CAPS_H
#define DEVX_CAPS_H

#include <devx/devx.h>
#include <prm/prm.h>
#include <prm/table.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DEVX_CAPS_BYTES 0x1000

/* Reads a group (PRM_CAP_*), as it is or as it could be, into @caps, big-endian as the device
 * wrote it. */
int devx_caps_query(uint8_t caps[DEVX_CAPS_BYTES], struct ibv_context *ctx, uint16_t group,
		    enum prm_cap_mode mode);

/* The group's layout; NULL: not public. */
const struct prm_struct *devx_caps_struct(uint16_t group);

/* The next group that has a name (prm_value_name("CAP", …)); begin with -1. -1: no more. */
int devx_caps_group_next(int group);

/* A capability of group PRM_CAP_<@group>, by the name of its field. */
#define DEVX_CAP(group, caps, field)	 DEVX_CAP_OF(DEVX_CAP_##group, caps, field)
#define DEVX_CAP_OF(layout, caps, field) PRM_GET(layout, caps, field)
/* The groups of cap_group.def. */
#define DEVX_CAP_GENERAL		 cmd_hca_cap
#define DEVX_CAP_ETHERNET_OFFLOADS	 per_protocol_networking_offload_caps
#define DEVX_CAP_ODP			 odp_cap
#define DEVX_CAP_ATOMIC			 atomic_caps
#define DEVX_CAP_ROCE			 roce_cap
#define DEVX_CAP_IPOIB_OFFLOADS		 per_protocol_networking_offload_caps
#define DEVX_CAP_IPOIB_ENHANCED_OFFLOADS per_protocol_networking_offload_caps
#define DEVX_CAP_FLOW_TABLE		 flow_table_nic_cap
#define DEVX_CAP_ESWITCH_FLOW_TABLE	 flow_table_eswitch_cap
#define DEVX_CAP_ESWITCH		 e_switch_cap
#define DEVX_CAP_VECTOR_CALC		 vector_calc_cap
#define DEVX_CAP_QOS			 qos_cap
#define DEVX_CAP_DEBUG			 debug_cap
#define DEVX_CAP_DEV_MEM		 device_mem_cap
#define DEVX_CAP_TLS			 tls_cap
#define DEVX_CAP_VDPA_EMULATION		 virtio_emulation_cap
#define DEVX_CAP_DEV_EVENT		 device_event_cap
#define DEVX_CAP_IPSEC			 ipsec_cap
#define DEVX_CAP_CRYPTO			 crypto_cap
#define DEVX_CAP_WQE_BASED_FLOW_TABLE	 wqe_based_flow_table_cap
#define DEVX_CAP_PARSE_GRAPH_NODE	 parse_graph_node_cap
#define DEVX_CAP_SHAMPO			 shampo_cap
#define DEVX_CAP_PSP			 psp_cap
#define DEVX_CAP_MACSEC			 macsec_cap
#define DEVX_CAP_GENERAL_2		 cmd_hca_cap_2
#define DEVX_CAP_PORT_SELECTION		 port_selection_cap
#define DEVX_CAP_ADV_VIRTUALIZATION	 adv_virtualization_cap
#define DEVX_CAP_ADV_RDMA		 adv_rdma_cap
#define DEVX_CAP_TLP_EMULATION		 tlp_dev_emu_capabilities

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
