/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets: what a raw packet queue sends. Read post.h before. The bytes are compared with
 * libmlx5's; the emulator executes them, except the software parser; they were not tested on
 * hardware.
 *
 *	SEND           control | Ethernet, 16 + headers | data ...     one packet
 *	TSO            control | Ethernet, 16 + headers | data ...     as many as mss says
 *	ENHANCED_MPSW  control | Ethernet, 16           | (data | inline) ...   each is a packet
 *
 * The Ethernet segment is what the device does to the packets, and may hold their first bytes:
 *
 *	+0   outer L4, outer L3, inner L4, inner L3 offset    where headers start, in 2 bytes
 *	+4   checksum flags                                   fill in which checksums
 *	+5   kinds of those headers
 *	+6   mss                                              TSO: bytes of payload per packet
 *	+8   flow table metadata                              what steering rules may match
 *	+12  inline_hdr_sz, or 1 << 15 and a VLAN tag at +14
 *	+14  inline headers ...                               zeros to 16
 *
 * Some devices want the first 18 bytes inline (the minimum inline mode of the vport: NIC vport
 * context, min_wqe_inline_mode; libmlx5 keeps to it), those of ConnectX-5 and later none. TSO
 * always wants all headers inline, 14 bytes at least: the device writes them before each packet
 * and corrects lengths, IP ident, sequence numbers and checksums.
 *
 * The data segments contain the rest of the packet, without the bytes of the inline headers.
 *
 * <infiniband/mlx5dv.h> has mlx5dv_set_eth_seg(): it leaves bytes 0-3, 5 and 8-11 as they were.
 */
#ifndef DV_ETH_H
#define DV_ETH_H

#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

/* With those of mlx5dv.h, MLX5_ETH_WQE_L3_CSUM and MLX5_ETH_WQE_L4_CSUM. */
enum {
	DV_ETH_L3_INNER_CSUM = 1 << 4,
	DV_ETH_L4_INNER_CSUM = 1 << 5,
	DV_ETH_INSERT_VLAN = 1 << 15,
	DV_ETH_HDR_START = 14, /* of the segment */
};

static_assert(sizeof(struct mlx5_wqe_eth_seg) == 32, "Ethernet segment");
static_assert(offsetof(struct mlx5_wqe_eth_seg, mss) == 6, "Ethernet segment");
static_assert(offsetof(struct mlx5_wqe_eth_seg, inline_hdr_start) == DV_ETH_HDR_START,
	      "Ethernet segment");

/* Software parser: where the headers of a tunnel start, where the device cannot find them.
 * Offsets in units of 2 bytes from the start of the packet; 0: none. */
struct dv_eth_swp {
	uint8_t outer_l4, outer_l3, inner_l4, inner_l3;
	uint8_t flags; /* DV_ETH_SWP_* */
};

enum {
	DV_ETH_SWP_INNER_L3_IPV6 = 1 << 0,
	DV_ETH_SWP_INNER_L4_UDP = 1 << 1,
	DV_ETH_SWP_OUTER_L3_IPV6 = 1 << 4,
	DV_ETH_SWP_OUTER_L4_UDP = 1 << 5,
};

/* Bytes of an Ethernet segment with @hdr_len bytes of headers. */
DV_INLINE size_t dv_eth_seg_size(uint16_t hdr_len)
{
	return ((size_t)DV_ETH_HDR_START + hdr_len + DV_WQE_DS - 1) / DV_WQE_DS * DV_WQE_DS;
}

/* @mss: of TSO, otherwise 0. @hdr_len may be 0. */
DV_INLINE void *dv_set_eth_seg(void *seg, uint8_t cs_flags, uint16_t mss, const void *hdr,
			       uint16_t hdr_len)
{
	struct mlx5_wqe_eth_seg *e = (struct mlx5_wqe_eth_seg *)seg;
	char *end = (char *)seg + dv_eth_seg_size(hdr_len);

	memset(end - DV_WQE_DS, 0, DV_WQE_DS);
	memset(e, 0, DV_ETH_HDR_START);
	e->cs_flags = cs_flags;
	e->mss = htobe16(mss);
	e->inline_hdr_sz = htobe16(hdr_len);
	memcpy((char *)seg + DV_ETH_HDR_START, hdr, hdr_len);
	return end;
}

/* Like dv_set_eth_seg() with no headers, for a packet into which the device inserts a VLAN tag:
 * @tci as on the wire, priority << 13 | VLAN. */
DV_INLINE void *dv_set_eth_vlan_seg(void *seg, uint8_t cs_flags, uint16_t tci)
{
	struct mlx5_wqe_eth_seg *e = (struct mlx5_wqe_eth_seg *)seg;
	__be16 be = htobe16(tci);

	memset(e, 0, DV_ETH_HDR_START);
	e->cs_flags = cs_flags;
	e->inline_hdr_sz = htobe16(DV_ETH_INSERT_VLAN);
	memcpy(e->inline_hdr_start, &be, sizeof(be));
	return (char *)seg + DV_WQE_DS;
}

/* Into the Ethernet segment at @eth, after it was set. */
DV_INLINE void dv_eth_set_swp(void *eth, const struct dv_eth_swp *swp)
{
	uint8_t *e = (uint8_t *)eth;

	e[0] = swp->outer_l4;
	e[1] = swp->outer_l3;
	e[2] = swp->inner_l4;
	e[3] = swp->inner_l3;
	e[5] = swp->flags;
}

DV_INLINE void dv_eth_set_metadata(void *eth, uint32_t metadata)
{
	__be32 be = htobe32(metadata);

	memcpy((char *)eth + offsetof(struct mlx5_wqe_eth_seg, rsvd2), &be, sizeof(be));
}

/* The headers of a packet that go into the WQE. */
struct dv_eth_hdr {
	const void *hdr;
	uint16_t len; /* may be 0, except for TSO */
};

/* A packet, headers included. Returns what all of post.h do. */
DV_INLINE int dv_sq_send_eth(struct dv_sq *sq, uint8_t flags, uint8_t cs_flags,
			     struct dv_eth_hdr hdr, const struct ibv_sge *sge, unsigned int n)
{
	size_t nbb = dv_wqe_nbb(DV_WQE_DS + dv_eth_seg_size(hdr.len) + (size_t)n * DV_WQE_DS);
	void *seg = dv_sq_reserve(sq, nbb);

	if (!seg)
		return dv_sq_reserve_error(sq, nbb);
	seg = dv_set_eth_seg(seg, cs_flags, 0, hdr.hdr, hdr.len);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* Like dv_sq_send_eth() with no inline headers; the device inserts a VLAN tag. */
DV_INLINE int dv_sq_send_eth_vlan(struct dv_sq *sq, uint8_t flags, uint8_t cs_flags,
				  uint16_t tci, const struct ibv_sge *sge, unsigned int n)
{
	size_t nbb = dv_ds_nbb((size_t)n + 2);
	void *seg = dv_sq_reserve(sq, nbb);

	if (!seg)
		return dv_sq_reserve_error(sq, nbb);
	seg = dv_set_eth_vlan_seg(seg, cs_flags, tci);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* TCP payload that the device cuts into packets of @mss bytes. */
DV_INLINE int dv_sq_tso(struct dv_sq *sq, uint8_t flags, uint8_t cs_flags, uint16_t mss,
			struct dv_eth_hdr hdr, const struct ibv_sge *sge, unsigned int n)
{
	size_t nbb = dv_wqe_nbb(DV_WQE_DS + dv_eth_seg_size(hdr.len) + (size_t)n * DV_WQE_DS);
	void *seg = dv_sq_reserve(sq, nbb);

	if (!seg)
		return dv_sq_reserve_error(sq, nbb);
	seg = dv_set_eth_seg(seg, cs_flags, mss, hdr.hdr, hdr.len);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, MLX5_OPCODE_TSO, 0, flags, 0);
	return 0;
}

/* Enhanced multi-packet send: each SGE is a packet; all share the offloads and one completion.
 * Devices say whether they do it (mlx5dv_context.flags: MLX5DV_CONTEXT_FLAGS_ENHANCED_MPW). */
DV_INLINE int dv_sq_empw(struct dv_sq *sq, uint8_t flags, uint8_t cs_flags,
			 const struct ibv_sge *packet, unsigned int n)
{
	size_t nbb = dv_ds_nbb((size_t)n + 2);
	void *seg = dv_sq_reserve(sq, nbb);

	if (!seg)
		return dv_sq_reserve_error(sq, nbb);
	seg = dv_set_eth_seg(seg, cs_flags, 0, "", 0);
	seg = dv_set_data_segs(seg, packet, n);
	dv_sq_commit(sq, seg, DV_OPCODE_ENHANCED_MPSW, 0, flags, 0);
	return 0;
}

/* Like dv_sq_empw(), but each packet is copied into the WQE. */
DV_INLINE int dv_sq_empw_inline(struct dv_sq *sq, uint8_t flags, uint8_t cs_flags,
				const struct ibv_data_buf *packet, unsigned int n)
{
	size_t bytes = 2 * DV_WQE_DS;
	unsigned int i;
	void *seg;

	for (i = 0; i < n; i++)
		bytes += dv_inline_seg_size((uint32_t)packet[i].length);
	seg = dv_sq_reserve(sq, dv_wqe_nbb(bytes));
	if (!seg)
		return dv_sq_reserve_error(sq, dv_wqe_nbb(bytes));
	seg = dv_set_eth_seg(seg, cs_flags, 0, "", 0);
	for (i = 0; i < n; i++)
		seg = dv_set_inline_seg(seg, packet[i].addr, (uint32_t)packet[i].length);
	dv_sq_commit(sq, seg, DV_OPCODE_ENHANCED_MPSW, 0, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
