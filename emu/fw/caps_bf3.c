/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BlueField-3, a DPU with a ConnectX-7 inside, as data: what differs from the model's
 * capabilities (caps_model.c).
 *
 * Two functions: that of the host, and that of the embedded CPU (ECPF). The limits are assumed
 * to be a ConnectX-6 Dx' (caps_cx7.c says so).
 *
 * Deliberate differences from the real adapter, which has them: those of a ConnectX-7 and of a
 * BlueField-2 (caps_cx7.c, caps_bf2.c), and
 *	tlp emulation: its group can be asked and is zero
 */
#include "fw/cap_rows.h"

static const struct fw_cap_row bf3[] = {
	STE_FORMAT_2,
	CLOCK_OF_CX6DX,
	LACKS_NO_DBR,
	END_OF_CAPS,
};

const struct fw_kind fw_bf3 = {
	/* B3220, 900-9D3B6-00CV-A, two ports of 200 GbE: ethtool -i of several. */
	.device = { .name = "bf3",
		    .description =
			    "BlueField-3, host and DPU functions, one Ethernet port (100 Gb/s here)",
		    .pci_id = 0xa2dc,
		    .board_id = "MT_0000000884",
		    .fw_ver = "32.43.1014",
		    .dpu = true },
	.groups = GROUPS_OF_ALL | GROUP(TLS) | GROUP(VDPA_EMULATION) | GROUP(IPSEC) |
		  GROUP(CRYPTO) | GROUP(WQE_BASED_FLOW_TABLE) | GROUP(PARSE_GRAPH_NODE) |
		  GROUP(PORT_SELECTION) | GROUP(SHAMPO) | GROUP(PSP) | GROUP(MACSEC) |
		  GROUP(ADV_VIRTUALIZATION) | GROUP(ADV_RDMA) | GROUP(TLP_EMULATION),
	.caps = bf3,
	.host = fw_host_caps,
};
