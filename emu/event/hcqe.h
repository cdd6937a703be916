/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the device writes a CQE: fields as (byte of the big-endian dword, high bit, low bit), as
 * the PRM's table "Completion Queue Entry Format" has them. (rdma-core, mlx5dv.h: struct
 * mlx5_cqe64; <linux/mlx5/device.h>: struct mlx5_err_cqe.)
 *
 *	entry of 128 bytes | 0: inline scatter of up to 64 bytes | 64: the CQE |
 *
 * Written from these, apart from include/dv: what writes CQEs and what reads them are
 * independent.
 */
#ifndef EMU_EVENT_HCQE_H
#define EMU_EVENT_HCQE_H

#include <stdint.h>

#include "core/core.h"

#define HCQE_BYTES 64u
#define HCQE_ENTRY 128u
#define HCQE_CQE   (HCQE_ENTRY - HCQE_BYTES) /* offset of the CQE in an entry */

/* of an Ethernet packet (kernel, <linux/mlx5/device.h>: struct mlx5_cqe64) */
#define HCQE_OUTER_IPV6	   0, 25, 25
#define HCQE_TUNNELED	   0, 24, 24
#define HCQE_WQE_ID	   0, 15, 0 /* of a striding RQ */
#define HCQE_RSS_HASH	   12, 31, 0
#define HCQE_RSS_TYPE	   16, 31, 24
#define HCQE_CHECKSUM	   20, 31, 16
#define HCQE_L2_OK	   28, 24, 24
#define HCQE_L3_OK	   28, 25, 25
#define HCQE_L4_OK	   28, 26, 26
#define HCQE_VLAN_STRIPPED 28, 16, 16
#define HCQE_IP_EXT	   28, 17, 17
#define HCQE_ETH_L3	   28, 19, 18
#define HCQE_ETH_L4	   28, 22, 20
#define HCQE_IP_FRAG	   28, 23, 23
#define HCQE_VLAN_INFO	   28, 15, 0
#define HCQE_METADATA	   36, 31, 0
#define HCQE_FILLER	   44, 31, 31 /* of a striding RQ, in the place of byte_cnt */
#define HCQE_STRIDES	   44, 29, 16
#define HCQE_STRIDE_BYTES  44, 15, 0
#define HCQE_DROPPED	   56, 31, 24 /* packets, since the last CQE of the RQ */
#define HCQE_FLOW_TAG	   56, 23, 0

#define HCQE_GRH	 24, 29, 28
#define HCQE_L3_TYPE	 24, 25, 24
#define HCQE_RQPN	 24, 23, 0
#define HCQE_SRQN_UIDX	 32, 23, 0
#define HCQE_IMM	 36	   /* 4 bytes, as they are in the packet */
#define HCQE_PKEY	 36, 15, 0 /* of QP1, in place of immediate data: device.h, mlx5_cqe64 */
#define HCQE_BYTE_CNT	 44, 31, 0
#define HCQE_REFUSED	 44, 31, 31 /* of steering by WQEs, in the place of byte_cnt */
#define HCQE_TIMESTAMP	 48	    /* 8 bytes */
#define HCQE_SEND_OPCODE 56, 31, 24
#define HCQE_QPN	 56, 23, 0
#define HCQE_WQE_COUNTER 60, 31, 16
#define HCQE_SIGNATURE	 60, 15, 8 /* validity_iteration_count in the enhanced layout */
#define HCQE_OPCODE	 60, 7, 4
#define HCQE_FORMAT	 60, 3, 2
#define HCQE_SE		 60, 1, 1
#define HCQE_OWNER	 60, 0, 0
/* error CQE */
#define HCQE_HW_SYNDROME     52, 31, 24
#define HCQE_VENDOR_SYNDROME 52, 15, 8
#define HCQE_SYNDROME	     52, 7, 0

#define HCQE_HEADERS_AT 29u /* byte with VLAN_STRIPPED to IP_FRAG */
#define HCQE_HEAD	44u /* bytes before byte_cnt */
#define HCQE_OP_OWN	62u /* signature and op_own: written last, in one store */

enum hcqe_opcode {
	HCQE_REQ = 0,
	HCQE_RESP_WRITE_IMM = 1,
	HCQE_RESP_SEND = 2,
	HCQE_RESP_SEND_IMM = 3,
	HCQE_RESP_SEND_INV = 4,
	HCQE_RESIZE = 5,
	HCQE_REQ_ERR = 13,
	HCQE_RESP_ERR = 14,
};

enum hcqe_format { /* MLX5_INLINE_SCATTER_32, _64 of mlx5dv.h, shifted */
		   HCQE_FORMAT_INLINE_32 = 1,
		   HCQE_FORMAT_INLINE_64 = 2,
		   HCQE_FORMAT_COMPRESSED = 3,
};

enum hcqe_l3_header {			   /* kernel, cq.c: MLX5_CQE_ROCE_L3_HEADER_TYPE_* */
		      HCQE_GRH_HEADER = 0, /* RoCE v1 */
		      HCQE_IPV6_HEADER = 1,
		      HCQE_IPV4_HEADER = 2,
};

enum hcqe_eth_l3 { /* kernel, <linux/mlx5/device.h>: CQE_L3_HDR_TYPE_* */
		   HCQE_NO_IP_PACKET = 0,
		   HCQE_IPV6_PACKET = 1,
		   HCQE_IPV4_PACKET = 2,
};

enum hcqe_eth_l4 { /* the same: CQE_L4_HDR_TYPE_* */
		   HCQE_L4_NONE = 0,
		   HCQE_L4_TCP = 1,
		   HCQE_L4_UDP = 2,
		   HCQE_L4_TCP_ACK_EMPTY = 3,
		   HCQE_L4_TCP_ACK_DATA = 4,
};

#endif
