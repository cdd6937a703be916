/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses: the segment that names the destination, on queues that are not connected to one
 * peer. Read wqe.h before.
 *
 *	UD   control | address vector, 48 bytes | data ...
 *	DC   control | address vector           | raddr | data ...
 *	XRC  control | XRC segment, 16 bytes    | raddr | data ...
 *
 * An address changes with the peer, not with the message. Build a struct dv_dest once per peer,
 * out of an ibv_ah by dv_av_from_ah() (map.h); it is copied into each WQE. A SEND on UD, a
 * WRITE on DC:
 *
 *	struct dv_dest addr;
 *
 *	dv_av_from_ah(&av, ah);
 *	dv_dest_ud(&addr, &av, qpn, qkey);
 *
 *	seg = dv_sq_reserve(&sq, 2);                   seg = dv_sq_reserve(&sq, 2);
 *	seg = dv_set_dest_seg(seg, &addr);             seg = dv_set_dest_seg(seg, &addr);
 *	                                               seg = dv_set_raddr_seg(seg, raddr);
 *	seg = dv_set_data_seg(seg, &sge);              seg = dv_set_data_seg(seg, &sge);
 *	dv_sq_commit(&sq, seg, MLX5_OPCODE_SEND, …);   dv_sq_commit(&sq, seg, MLX5_OPCODE_RDMA_WRITE, …);
 *
 * Code for one transport only may use dv_set_av_seg(), dv_set_compact_av_seg() or
 * dv_set_xrc_seg() instead of dv_set_dest_seg(), which decides at run time. XRC and DC queues
 * have LOCAL_INV and BIND_MW without an address (post_umr.h).
 *
 * With an address vector the first block of the WQE is full: these WQEs have two blocks or
 * more. Create the queue with twice the depth. A UD receive gets 40 bytes of GRH before the
 * data, whether the packet has one or not.
 *
 *	+0   key: Q_Key, 0 (UD) or the DC access key    8 bytes
 *	+8   destination QPN (UD) or DCT number         bit 31: the vector is the long one
 *	+12  static rate and SL | source path | UDP source port
 *	+20  MAC of the next hop, traffic class, hop limit
 *	+28  GRH present, SGID index, flow label
 *	+32  destination GID
 *
 * The short form ends after 16 bytes and has neither MAC nor GID: it cannot carry an address of
 * RoCE, only one of InfiniBand without a GRH. A capability says whether the device reads it
 * (PRM, QUERY_HCA_CAP: cmd_hca_cap.compact_address_vector).
 *
 * <infiniband/mlx5dv.h> has mlx5dv_set_dgram_seg(): it takes the Q_Key in the upper half of its
 * key argument (a plain number is written to reserved bytes), and does not write 4 of the
 * bytes.
 */
#ifndef DV_AV_H
#define DV_AV_H

#include <dv/wqe.h>

#ifdef __cplusplus
extern "C" {
#endif

static_assert(sizeof(struct mlx5_wqe_av) == 48, "address vector");
static_assert(offsetof(struct mlx5_wqe_av, dqp_dct) == 8, "address vector");
static_assert(offsetof(struct mlx5_wqe_av, rmac) == 20, "address vector");
static_assert(offsetof(struct mlx5_wqe_av, rgid) == 32, "address vector");

/* Segments with no struct in mlx5dv.h. */
struct dv_wqe_compact_av_seg {
	union {
		struct {
			__be32 qkey;
			__be32 reserved;
		} qkey;
		__be64 dc_key;
	} key;
	__be32 dqp_dct;
	uint8_t stat_rate_sl;
	uint8_t fl_mlid;
	__be16 rlid;
};

struct dv_wqe_xrc_seg {
	__be32 xrc_srqn;
	uint8_t reserved[12];
};

static_assert(sizeof(struct dv_wqe_compact_av_seg) == 16, "compact address vector");
static_assert(sizeof(struct dv_wqe_xrc_seg) == 16, "XRC segment");

/* Makes @av the vector of UD QP @qpn with @qkey; the path stays. */
DV_INLINE void dv_av_set_ud(struct mlx5_wqe_av *av, uint32_t qpn, uint32_t qkey)
{
	av->key.qkey.qkey = htobe32(qkey);
	av->key.qkey.reserved = 0;
	av->dqp_dct = htobe32(qpn | MLX5_EXTENDED_UD_AV);
}

/* Makes @av the vector of DC target @dctn with its access key. */
DV_INLINE void dv_av_set_dc(struct mlx5_wqe_av *av, uint32_t dctn, uint64_t dc_key)
{
	av->key.dc_key = htobe64(dc_key);
	av->dqp_dct = htobe32(dctn | MLX5_EXTENDED_UD_AV);
}

/* UD, DC: the whole vector, as it is. */
DV_INLINE void *dv_set_av_seg(void *seg, const struct mlx5_wqe_av *av)
{
	memcpy(seg, av, sizeof(*av));
	return (char *)seg + sizeof(*av);
}

/* UD, DC: its first 16 bytes, marked as the short form. InfiniBand without a GRH only. */
DV_INLINE void *dv_set_compact_av_seg(void *seg, const struct mlx5_wqe_av *av)
{
	struct dv_wqe_compact_av_seg *s = (struct dv_wqe_compact_av_seg *)seg;

	memcpy(s, av, sizeof(*s));
	s->dqp_dct = av->dqp_dct & htobe32(~(uint32_t)MLX5_EXTENDED_UD_AV);
	return s + 1;
}

/* XRC: the SRQ at the peer that receives. */
DV_INLINE void *dv_set_xrc_seg(void *seg, uint32_t srqn)
{
	struct dv_wqe_xrc_seg *x = (struct dv_wqe_xrc_seg *)seg;

	x->xrc_srqn = htobe32(srqn);
	memset(x->reserved, 0, sizeof(x->reserved));
	return x + 1;
}

/* The destination of a WQE on any transport: the segment that names it. Zeros: none, for a
 * connected queue. */
struct dv_dest {
	union {
		struct mlx5_wqe_av av;
		struct dv_wqe_compact_av_seg compact;
		struct dv_wqe_xrc_seg xrc;
	} seg;
	uint32_t bytes; /* of seg: 48, 16 or 0 */
};

/* UD QP @qpn with @qkey, by the path of @av. */
DV_INLINE void dv_dest_ud(struct dv_dest *addr, const struct mlx5_wqe_av *av, uint32_t qpn,
			  uint32_t qkey)
{
	addr->seg.av = *av;
	addr->bytes = sizeof(addr->seg.av);
	dv_av_set_ud(&addr->seg.av, qpn, qkey);
}

/* DC target @dctn with its access key, by the path of @av. */
DV_INLINE void dv_dest_dc(struct dv_dest *addr, const struct mlx5_wqe_av *av, uint32_t dctn,
			  uint64_t dc_key)
{
	addr->seg.av = *av;
	addr->bytes = sizeof(addr->seg.av);
	dv_av_set_dc(&addr->seg.av, dctn, dc_key);
}

/* Makes the vector of @addr the short form: InfiniBand without a GRH only. */
DV_INLINE void dv_dest_compact(struct dv_dest *addr)
{
	addr->bytes = sizeof(addr->seg.compact);
	addr->seg.compact.dqp_dct &= htobe32(~(uint32_t)MLX5_EXTENDED_UD_AV);
}

/* XRC SRQ @srqn at the peer. */
DV_INLINE void dv_dest_xrc(struct dv_dest *addr, uint32_t srqn)
{
	dv_set_xrc_seg(&addr->seg, srqn);
	addr->bytes = sizeof(addr->seg.xrc);
}

/* The segment of @addr; for a connected queue no segment. */
DV_INLINE void *dv_set_dest_seg(void *seg, const struct dv_dest *addr)
{
	if (addr->bytes == sizeof(addr->seg.av))
		return dv_set_av_seg(seg, &addr->seg.av);
	if (addr->bytes)
		memcpy(seg, &addr->seg, sizeof(addr->seg.xrc));
	return (char *)seg + addr->bytes;
}

#ifdef __cplusplus
}
#endif

#endif
