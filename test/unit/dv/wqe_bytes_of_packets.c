/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Golden bytes, written by hand from the layout at the head of dv/eth.h. */
#include <dv/eth.h>
#include "queue.h"

static const struct ibv_sge sge[2] = {
	{ .addr = 0x1122334455667788, .length = 0x40, .lkey = 0xabcdef01 },
	{ .addr = 0x99aabbccddeeff00, .length = 0x01020304, .lkey = 0x0000beef },
};
static const char header[] = "DSTMACsrcmac\x08\x00IPv4";

QUEUE_SUITE(packets);

POSTS(packets, with_no_header_in_the_wqe,
      dv_sq_send_eth(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM, (struct dv_eth_hdr){ "", 0 }, sge, 1),
      "0000000a 12345603 00000008 00000000  00000000 c0000000 00000000 00000000"
      "00000040 abcdef01 11223344 55667788")

POSTS(packets, with_18_bytes_in_the_wqe,
      dv_sq_send_eth(&m.sq, 0, 0, (struct dv_eth_hdr){ header, 18 }, sge, 1),
      "0000000a 12345604 00000000 00000000  00000000 00000000 00000000 0012 'DSTMACsrcmac'"
      "0800 'IPv4' 0000 0040abcd ef011122  33445566 7788")

/* 14 + 14 bytes: what they leave free of the second 16 is zero. */
POSTS(packets, tso,
      dv_sq_tso(&m.sq, 0, MLX5_ETH_WQE_L4_CSUM, 1448, (struct dv_eth_hdr){ header, 14 }, sge, 2),
      "0000000e 12345605 00000000 00000000  00000000 800005a8 00000000 000e 'DSTMACsrcmac'"
      "08000000 00000000 0040abcd ef011122  33445566 77880102 03040000 beef99aa"
      "bbccddee ff00")

POSTS(packets, vlan, dv_sq_send_eth_vlan(&m.sq, 0, 0, 5 << 13 | 0x064, sge, 1),
      "0000000a 12345603 00000000 00000000  00000000 00000000 00000000 8000a064"
      "00000040 abcdef01 11223344 55667788")

Test(packets, of_a_tunnel_with_metadata)
{
	const struct dv_eth_swp swp = { .outer_l4 = 0x11, .outer_l3 = 0x07, .inner_l4 = 0x2a,
					.inner_l3 = 0x20,
					.flags = DV_ETH_SWP_OUTER_L4_UDP |
						 DV_ETH_SWP_INNER_L3_IPV6 };
	void *eth = m.ring + 16, *end;

	cr_assert_eq(dv_sq_reserve(&m.sq, 1), eth);
	end = dv_set_eth_seg(eth, DV_ETH_L3_INNER_CSUM | DV_ETH_L4_INNER_CSUM, 0, "", 0);
	dv_eth_set_swp(eth, &swp);
	dv_eth_set_metadata(eth, 0xa1b2c3d4);
	dv_sq_commit(&m.sq, end, MLX5_OPCODE_SEND, 0, 0, 0);
	ring_is(&m,
		"0000000a 12345602 00000000 00000000  11072a20 30210000 a1b2c3d4 00000000");
}

POSTS(packets, several_in_one_wqe,
      dv_sq_empw(&m.sq, MLX5_WQE_CTRL_CQ_UPDATE, MLX5_ETH_WQE_L3_CSUM, sge, 2),
      "00000029 12345604 00000008 00000000  00000000 40000000 00000000 00000000"
      "00000040 abcdef01 11223344 55667788  01020304 0000beef 99aabbcc ddeeff00")

/* Each is padded to 16 by itself. */
Test(packets, several_inline_in_one_wqe)
{
	const struct ibv_data_buf packet[2] = { { (void *)header, 18 }, { (void *)header, 6 } };

	cr_assert_eq(dv_sq_empw_inline(&m.sq, 0, 0, packet, 2), 0);
	ring_is(&m,
		"00000029 12345605 00000000 00000000  00000000 00000000 00000000 00000000"
		"80000012 'DSTMACsrcmac'  0800 'IPv4' 0000 00000000 00000000"
		"80000006 'DSTMAC' 0000 00000000");
}
