/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of the CQE of a received Ethernet packet, in addition to those of cqe.h. They say
 * what the device found in its headers, and what it took away or put together (which the
 * emulator does not: LRO, TLS).
 *
 *	 0  tunnel   4  coalesced TCP segments (LRO)   12 RSS hash   16 its fields
 *	20  checksum   28  checks, header types   30  VLAN   57  flow tag
 *
 * The fields mean something in MLX5_CQE_RESP_SEND of a raw packet QP or an RQ.
 */
#ifndef DV_PACKET_H
#define DV_PACKET_H

#include <dv/cqe.h>

#ifdef __cplusplus
extern "C" {
#endif

/* dv_packet_l4(): what follows the IP header. */
enum dv_packet_l4 {
	DV_PACKET_L4_NONE = 0,
	DV_PACKET_L4_TCP = 1,
	DV_PACKET_L4_UDP = 2,
	DV_PACKET_L4_TCP_EMPTY_ACK = 3,
	DV_PACKET_L4_TCP_ACK = 4, /* with data */
};

/* Byte @at of the CQE; for the fields that <infiniband/mlx5dv.h> has no name for. */
DV_INLINE uint8_t dv_packet_byte(const struct mlx5_cqe64 *cqe, unsigned int at)
{
	return ((const uint8_t *)cqe)[at];
}

DV_INLINE uint16_t dv_packet_be16(const struct mlx5_cqe64 *cqe, unsigned int at)
{
	return (uint16_t)(dv_packet_byte(cqe, at) << 8 | dv_packet_byte(cqe, at + 1));
}

DV_INLINE uint32_t dv_packet_be32(const struct mlx5_cqe64 *cqe, unsigned int at)
{
	return (uint32_t)dv_packet_be16(cqe, at) << 16 | dv_packet_be16(cqe, at + 2);
}

/* It came in a tunnel: types and checks are of the inner headers; the outer IP header is
 * IPv6. */
DV_INLINE bool dv_packet_is_tunneled(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_byte(cqe, 0) & 1;
}

DV_INLINE bool dv_packet_outer_is_ipv6(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_byte(cqe, 0) >> 1 & 1;
}

/* Decrypted TLS records: 0: no; the other values are the device's. */
DV_INLINE uint8_t dv_packet_tls(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_byte(cqe, 0) >> 3 & 3;
}

/* RSS: the hash, and over which fields: bits 2-3 IP, bits 6-7 layer 4; 0: there is none. */
DV_INLINE uint32_t dv_packet_hash(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_be32(cqe, 12);
}

DV_INLINE uint8_t dv_packet_hash_type(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_byte(cqe, 16);
}

/* One's complement sum, not inverted, over the packet from its IP header on. VLAN tags in the
 * packet and bytes after the IP datagram are in it only with the Ethernet capability
 * cqe_checksum_full; what pads a frame to 60 bytes never is, and of SCTP it says nothing
 * (mlx5_core, en_rx.c, mlx5e_handle_csum(), mlx5e_skb_csum_fixup()). */
DV_INLINE uint16_t dv_packet_checksum(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_be16(cqe, 20);
}

/* Which checks succeeded: MLX5_CQE_L2_OK | MLX5_CQE_L3_OK | MLX5_CQE_L4_OK. */
DV_INLINE uint8_t dv_packet_checks(const struct mlx5_cqe64 *cqe)
{
	return cqe->hds_ip_ext & (MLX5_CQE_L2_OK | MLX5_CQE_L3_OK | MLX5_CQE_L4_OK);
}

/* MLX5_CQE_L3_HDR_TYPE_* */
DV_INLINE uint8_t dv_packet_l3(const struct mlx5_cqe64 *cqe)
{
	return cqe->l4_hdr_type_etc >> 2 & 3;
}

DV_INLINE enum dv_packet_l4 dv_packet_l4(const struct mlx5_cqe64 *cqe)
{
	return (enum dv_packet_l4)(cqe->l4_hdr_type_etc >> 4 & 7);
}

/* IPv4, and the checksums of its header and of layer 4 are right: IBV_WC_IP_CSUM_OK. */
DV_INLINE bool dv_packet_csum_ok(const struct mlx5_cqe64 *cqe)
{
	uint8_t both = MLX5_CQE_L3_OK | MLX5_CQE_L4_OK;

	return (cqe->hds_ip_ext & both) == both &&
	       dv_packet_l3(cqe) == MLX5_CQE_L3_HDR_TYPE_IPV4;
}

DV_INLINE bool dv_packet_has_ip_options(const struct mlx5_cqe64 *cqe)
{
	return cqe->l4_hdr_type_etc >> 1 & 1;
}

DV_INLINE bool dv_packet_is_fragment(const struct mlx5_cqe64 *cqe)
{
	return cqe->l4_hdr_type_etc >> 7;
}

/* The VLAN tag was taken out of the packet; dv_packet_vlan() is what it said. */
DV_INLINE bool dv_packet_vlan_stripped(const struct mlx5_cqe64 *cqe)
{
	return cqe->l4_hdr_type_etc & 1;
}

DV_INLINE uint16_t dv_packet_vlan(const struct mlx5_cqe64 *cqe)
{
	return be16toh(cqe->vlan_info);
}

/* The tag of the flow rule that it matched; 24 bits, in place of the QP number. */
DV_INLINE uint32_t dv_packet_flow_tag(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->sop_drop_qpn) & 0xffffff;
}

/* Flow metadata: register B, all 32 bits. */
DV_INLINE uint32_t dv_packet_metadata(const struct mlx5_cqe64 *cqe)
{
	return be32toh(cqe->imm_inval_pkey);
}

/* Packets of this queue dropped before this one, at most 255. */
DV_INLINE uint8_t dv_packet_drops(const struct mlx5_cqe64 *cqe)
{
	return (uint8_t)(be32toh(cqe->sop_drop_qpn) >> 24);
}

/* LRO: of how many TCP segments it was put together, 0: of none; their PSH flags, smallest TTL,
 * last window and last acknowledgement, for the header that software has to write. */
DV_INLINE uint8_t dv_packet_lro_segments(const struct mlx5_cqe64 *cqe)
{
	return (uint8_t)(be32toh(cqe->srqn_uidx) >> 24);
}

DV_INLINE bool dv_packet_lro_psh(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_byte(cqe, 4) >> 6 & 1;
}

DV_INLINE uint8_t dv_packet_lro_min_ttl(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_byte(cqe, 5);
}

DV_INLINE uint16_t dv_packet_lro_window(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_be16(cqe, 6);
}

DV_INLINE uint32_t dv_packet_lro_ack(const struct mlx5_cqe64 *cqe)
{
	return dv_packet_be32(cqe, 8);
}

#ifdef __cplusplus
}
#endif

#endif
