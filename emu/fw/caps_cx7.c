/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ConnectX-7 as data: what differs from the model's capabilities (caps_model.c).
 *
 * Deliberate differences from the real adapter, which has them: those of a ConnectX-6 Dx
 * (caps_cx6dx.c), and
 *	400 Gb/s (NDR): the port of the model is a 100 Gb/s one
 *	shampo, macsec, psp, adv_virtualization, adv_rdma: their groups can be asked and are zero
 *	umr_log_entity_size_5, crossing_vhca_mkey, cross-VHCA objects, DPA
 */
#include "fw/cap_rows.h"

static const struct fw_cap_row cx7[] = {
	STE_FORMAT_2, CLOCK_OF_CX6DX, LACKS_DPU, LACKS_NO_DBR, END_OF_CAPS,
};

const struct fw_kind fw_cx7 = {
	/* MCX75310AAS-NEA, a 400 GbE and NDR board: ibv_devinfo of one with an Ethernet
	 * port. */
	.device = { .name = "cx7",
		    .description = "ConnectX-7, one Ethernet port (100 Gb/s here)",
		    .pci_id = 0x1021,
		    .board_id = "MT_0000000838",
		    .fw_ver = "28.43.3608" },
	.groups = GROUPS_OF_ALL | GROUP(TLS) | GROUP(VDPA_EMULATION) | GROUP(IPSEC) |
		  GROUP(CRYPTO) | GROUP(WQE_BASED_FLOW_TABLE) | GROUP(PARSE_GRAPH_NODE) |
		  GROUP(PORT_SELECTION) | GROUP(SHAMPO) | GROUP(PSP) | GROUP(MACSEC) |
		  GROUP(ADV_VIRTUALIZATION) | GROUP(ADV_RDMA),
	.caps = cx7,
};
