/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BlueField-2, a DPU with a ConnectX-6 Dx inside, as data: what differs from the model's
 * capabilities (caps_model.c).
 *
 * Two functions: that of the host, and that of the embedded CPU (ECPF). The limits are assumed
 * to be a ConnectX-6 Dx' (caps_cx7.c says so).
 *
 * Deliberate differences from the real adapter, which has them: those of a ConnectX-6 Dx
 * (caps_cx6dx.c), and
 *	dma_mmo_sq, compress_mmo, decompress_mmo, regexp_mmo: of MMO, DMA on QPs only
 *	cross-VHCA objects other than mkeys, vhca_resource_manager
 *	virtio_net_device_emualtion_manager and similar ones: emulates no device
 */
#include "fw/cap_rows.h"

const struct fw_cap_row fw_host_caps[] = {
	LACKS_CONTROL,
	END_OF_CAPS,
};

static const struct fw_cap_row bf2[] = {
	STE_FORMAT_1,
	CLOCK_OF_CX6DX,
	LACKS_NO_DBR,
	END_OF_CAPS,
};

const struct fw_kind fw_bf2 = {
	/* MBF2M516A-CECOT, two ports of 100 GbE: lspci -vv and lshw of one. */
	.device = { .name = "bf2",
		    .description =
			    "BlueField-2, host and DPU functions, one 100 Gb/s Ethernet port",
		    .pci_id = 0xa2d6,
		    .board_id = "MT_0000000375",
		    .fw_ver = "24.41.1000",
		    .dpu = true },
	.groups = GROUPS_OF_ALL | GROUP(TLS) | GROUP(VDPA_EMULATION) | GROUP(IPSEC) |
		  GROUP(CRYPTO) | GROUP(WQE_BASED_FLOW_TABLE) | GROUP(PARSE_GRAPH_NODE) |
		  GROUP(PORT_SELECTION) | GROUP(ADV_VIRTUALIZATION),
	.caps = bf2,
	.host = fw_host_caps,
};
