/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ConnectX-6 Dx as data: what differs from the model's capabilities (caps_model.c).
 *
 * Where the numbers come from: ibv_devinfo -v of an MCX623106AN with firmware 22.36.1010, as
 * several people published it: hca_core_clock 1000000 kHz; max_qp_wr, max_cqe,
 * max_mr, max_pd, max_srq, rd_atom, ODP and device memory are the same as here.
 *
 * Deliberate differences from the real adapter, which has them: those of a ConnectX-5
 * (caps_cx5.c), and
 *	aes_xts in the CRYPTO group, tls_tx, tls_rx, ipsec_offload: no crypto anywhere
 *	sq_ts_format, rq_ts_format, qp_ts_format: no real-time timestamps
 *	parse_graph_node, flex parser: no such steering; of steering by WQEs what
 *		docs/software-steering.md names
 *	vdpa, virtio emulation, port_selection_cap: none
 */
#include "fw/cap_rows.h"

static const struct fw_cap_row cx6dx[] = {
	STE_FORMAT_1, CLOCK_OF_CX6DX, LACKS_DPU, LACKS_NO_DBR, END_OF_CAPS,
};

const struct fw_kind fw_cx6dx = {
	/* The dual-port MCX623106AN-CDA: mlxfwmanager and ibv_devinfo of several people. */
	.device = { .name = "cx6dx",
		    .description = "ConnectX-6 Dx, one 100 Gb/s Ethernet port",
		    .pci_id = 0x101d,
		    .board_id = "MT_0000000359",
		    .fw_ver = "22.36.1010" },
	.groups = GROUPS_OF_ALL | GROUP(TLS) | GROUP(VDPA_EMULATION) | GROUP(IPSEC) |
		  GROUP(CRYPTO) | GROUP(WQE_BASED_FLOW_TABLE) | GROUP(PARSE_GRAPH_NODE) |
		  GROUP(PORT_SELECTION),
	.caps = cx6dx,
};
