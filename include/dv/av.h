/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address vectors: in a datagram each WQE says whom it is for. Read wqe.h before.
 *
 *	UD   control | address vector, 48 bytes | data ...
 *	DC   control | address vector           | raddr | data ...
 *	XRC  control | XRC segment, 16 bytes    | raddr | data ...
 *
 *	+0   key: Q_Key, 0 (UD) or the DC access key    8 bytes
 *	+8   destination QPN (UD) or DCT number         bit 31: the vector is the long one
 *	+12  static rate and SL | source path | UDP source port
 *	+20  MAC of the next hop, traffic class, hop limit
 *	+28  GRH present, SGID index, flow label
 *	+32  destination GID
 *
 * An address vector changes with the peer, not with the message: have it made once per peer,
 * out of an ibv_ah by dv_av_map() (map.h), and copied into each WQE:
 *
 *	seg = dv_set_av_seg(dv_wqe_body(wqe), &av);
 *	seg = dv_set_data_seg(seg, &sge);
 *
 * The short form ends after 16 bytes and has neither MAC nor GID: it cannot carry an address
 * of RoCE, only one of InfiniBand without a GRH. Devices say whether they read it (PRM,
 * QUERY_HCA_CAP: cmd_hca_cap.compact_address_vector).
 *
 * <infiniband/mlx5dv.h> has mlx5dv_set_dgram_seg(): it takes the Q_Key in the upper half of
 * its key argument (a plain number lands in reserved bytes), and leaves 4 bytes as they were.
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

/* Makes @av one for UD QP @qpn with @qkey; path and addresses stay. */
DV_INLINE void dv_av_set_ud(struct mlx5_wqe_av *av, uint32_t qpn, uint32_t qkey)
{
	av->key.qkey.qkey = htobe32(qkey);
	av->key.qkey.reserved = 0;
	av->dqp_dct = htobe32(qpn | MLX5_EXTENDED_UD_AV);
}

/* The same for DC target @dctn with its access key. */
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

#ifdef __cplusplus
}
#endif

#endif
