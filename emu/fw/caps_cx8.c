/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ConnectX-8 as data: differences from the model's capabilities (caps_model.c).
 *
 * It "has the same feature set as ConnectX-7", and more (NVIDIA, ConnectX-8 Firmware Release
 * Notes, 40.44.0208). Additional here:
 *	send_dbr_mode_no_dbr_ext: DOCA GPUNetIO, changelog, 2.0.0
 *
 * Deliberate differences from the real adapter, which has them: those of a ConnectX-7
 * (caps_cx7.c), and
 *	800 Gb/s (XDR), planes: the port of the model is a 100 Gb/s one
 *	data_direct: no second PCI function
 *	send_dbr_mode_no_dbr_int: no processors inside of the device that could ring
 */
#include "fw/cap_rows.h"

static const struct fw_cap_row cx8[] = {
	STE_FORMAT_3,
	CLOCK_OF_CX6DX,
	LACKS_DPU,
	END_OF_CAPS,
};

const struct fw_kind fw_cx8 = {
	/* The C8240, 900-9X81Q-00CN-ST0: flint and lspci of several people. */
	.device = { .name = "cx8",
		    .description = "ConnectX-8, one Ethernet port (100 Gb/s here)",
		    .pci_id = 0x1023,
		    .board_id = "MT_0000001222",
		    .fw_ver = "40.45.1200" },
	.groups = GROUPS_OF_ALL | GROUP(TLS) | GROUP(VDPA_EMULATION) | GROUP(IPSEC) |
		  GROUP(CRYPTO) | GROUP(WQE_BASED_FLOW_TABLE) | GROUP(PARSE_GRAPH_NODE) |
		  GROUP(PORT_SELECTION) | GROUP(SHAMPO) | GROUP(PSP) | GROUP(MACSEC) |
		  GROUP(ADV_VIRTUALIZATION) | GROUP(ADV_RDMA),
	.caps = cx8,
};
