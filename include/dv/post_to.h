/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations of RC for queues that name their peer in each WQE: DC initiators, XRC initiators,
 * and UD, as far as it goes (SEND, SEND_IMM). Read post.h and av.h before.
 *
 *	DC, UD  control | address vector, 48 | as in post.h ...
 *	XRC     control | XRC segment, 16    | as in post.h ...
 *
 * Make a struct dv_to once per peer; it goes into each WQE as it is:
 *
 *	struct dv_to to;
 *	dv_to_dc(&to, &av, dctn, dc_key);                    out of an ibv_ah by dv_av_map() (map.h)
 *	dv_sq_write_to(&sq, flags, (struct dv_to_at){ &to, { raddr, rkey } }, &sge, 1);
 *
 * Calls and results are those of post.h. UD alone is shorter with post_ud.h. XRC and DC have
 * LOCAL_INV and BIND_MW without an address: post_umr.h.
 */
#ifndef DV_POST_TO_H
#define DV_POST_TO_H

#include <dv/av.h>
#include <dv/post.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whom a WQE is for: the segments that say so. */
struct dv_to {
	union {
		struct mlx5_wqe_av av;
		struct dv_wqe_compact_av_seg compact;
		struct dv_wqe_xrc_seg xrc;
	} seg;
	uint32_t bytes; /* of seg: 48 or 16 */
};

/* UD QP @qpn with @qkey, by the path of @av. */
DV_INLINE void dv_to_ud(struct dv_to *to, const struct mlx5_wqe_av *av, uint32_t qpn,
			uint32_t qkey)
{
	to->seg.av = *av;
	to->bytes = sizeof(to->seg.av);
	dv_av_set_ud(&to->seg.av, qpn, qkey);
}

/* DC target @dctn with its access key, by the path of @av. */
DV_INLINE void dv_to_dc(struct dv_to *to, const struct mlx5_wqe_av *av, uint32_t dctn,
			uint64_t dc_key)
{
	to->seg.av = *av;
	to->bytes = sizeof(to->seg.av);
	dv_av_set_dc(&to->seg.av, dctn, dc_key);
}

/* @to with its vector in the short form (av.h): InfiniBand without a GRH only. */
DV_INLINE void dv_to_compact(struct dv_to *to)
{
	to->bytes = sizeof(to->seg.compact);
	to->seg.compact.dqp_dct &= htobe32(~(uint32_t)MLX5_EXTENDED_UD_AV);
}

/* XRC SRQ @srqn at the peer. */
DV_INLINE void dv_to_xrc(struct dv_to *to, uint32_t srqn)
{
	dv_set_xrc_seg(&to->seg, srqn);
	to->bytes = sizeof(to->seg.xrc);
}

DV_INLINE void *dv_set_to_seg(void *seg, const struct dv_to *to)
{
	if (to->bytes == sizeof(to->seg.av))
		return dv_set_av_seg(seg, &to->seg.av);
	memcpy(seg, &to->seg, sizeof(to->seg.xrc));
	return (char *)seg + sizeof(to->seg.xrc);
}

/* dv_sq_start() that writes the address: the place behind it, with room for @bytes, or NULL. */
DV_INLINE void *dv_sq_start_to(struct dv_sq *sq, const struct dv_to *to, size_t bytes)
{
	void *seg = dv_sq_start(sq, to->bytes + bytes);

	return seg ? dv_set_to_seg(seg, to) : NULL;
}

/* DCI with streams: puts the last WQE committed on stream channel @id. Before it is rung. */
DV_INLINE void dv_sq_set_stream(struct dv_sq *sq, uint16_t id)
{
	__be16 be = htobe16(id);

	memcpy((char *)sq->last + offsetof(struct mlx5_wqe_ctrl_seg, dci_stream_channel_id),
	       &be, sizeof(be));
}

/* SENDs of all kinds. */
DV_INLINE int dv_sq_send_list_to(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
				 const struct dv_to *to, const struct ibv_sge *sge,
				 unsigned int n, __be32 imm)
{
	void *seg = dv_sq_start_to(sq, to, (size_t)n * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, opcode, 0, flags, imm);
	return 0;
}

DV_INLINE int dv_sq_send_to(struct dv_sq *sq, uint8_t flags, const struct dv_to *to,
			    const struct ibv_sge *sge, unsigned int n)
{
	return dv_sq_send_list_to(sq, MLX5_OPCODE_SEND, flags, to, sge, n, 0);
}

DV_INLINE int dv_sq_send_imm_to(struct dv_sq *sq, uint8_t flags, const struct dv_to *to,
				const struct ibv_sge *sge, unsigned int n, __be32 imm)
{
	return dv_sq_send_list_to(sq, MLX5_OPCODE_SEND_IMM, flags, to, sge, n, imm);
}

/* @rkey in host order. */
DV_INLINE int dv_sq_send_inv_to(struct dv_sq *sq, uint8_t flags, const struct dv_to *to,
				const struct ibv_sge *sge, unsigned int n, uint32_t rkey)
{
	return dv_sq_send_list_to(sq, MLX5_OPCODE_SEND_INVAL, flags, to, sge, n, htobe32(rkey));
}

DV_INLINE int dv_sq_send_inline_to(struct dv_sq *sq, uint8_t flags, const struct dv_to *to,
				   const void *src, uint32_t len)
{
	void *seg = dv_sq_start_to(sq, to, dv_inline_seg_size(len));

	if (!seg)
		return ENOMEM;
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_SEND, 0, flags, 0);
	return 0;
}

/* A WQE for one peer that reaches into its memory: these two go together. */
struct dv_to_at {
	const struct dv_to *to;
	struct dv_raddr at;
};

/* RDMA operations of all kinds. */
DV_INLINE int dv_sq_rdma_list_to(struct dv_sq *sq, uint8_t opcode, uint8_t flags,
				 struct dv_to_at peer, const struct ibv_sge *sge,
				 unsigned int n, __be32 imm)
{
	void *seg = dv_sq_start_to(sq, peer.to, ((size_t)n + 1) * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, peer.at.raddr, peer.at.rkey);
	seg = dv_set_data_segs(seg, sge, n);
	dv_sq_commit(sq, seg, opcode, 0, flags, imm);
	return 0;
}

DV_INLINE int dv_sq_write_to(struct dv_sq *sq, uint8_t flags, struct dv_to_at peer,
			     const struct ibv_sge *sge, unsigned int n)
{
	return dv_sq_rdma_list_to(sq, MLX5_OPCODE_RDMA_WRITE, flags, peer, sge, n, 0);
}

DV_INLINE int dv_sq_write_imm_to(struct dv_sq *sq, uint8_t flags, struct dv_to_at peer,
				 const struct ibv_sge *sge, unsigned int n, __be32 imm)
{
	return dv_sq_rdma_list_to(sq, MLX5_OPCODE_RDMA_WRITE_IMM, flags, peer, sge, n, imm);
}

DV_INLINE int dv_sq_write_inline_to(struct dv_sq *sq, uint8_t flags, struct dv_to_at peer,
				    const void *src, uint32_t len)
{
	void *seg = dv_sq_start_to(sq, peer.to, DV_WQE_DS + dv_inline_seg_size(len));

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, peer.at.raddr, peer.at.rkey);
	seg = dv_set_inline_seg(seg, src, len);
	dv_sq_commit(sq, seg, MLX5_OPCODE_RDMA_WRITE, 0, flags, 0);
	return 0;
}

DV_INLINE int dv_sq_read_to(struct dv_sq *sq, uint8_t flags, struct dv_to_at peer,
			    const struct ibv_sge *sge, unsigned int n)
{
	return dv_sq_rdma_list_to(sq, MLX5_OPCODE_RDMA_READ, flags, peer, sge, n, 0);
}

DV_INLINE int dv_sq_cmp_swap_to(struct dv_sq *sq, uint8_t flags, struct dv_to_at peer,
				const struct ibv_sge *sge, uint64_t compare, uint64_t swap)
{
	void *seg = dv_sq_start_to(sq, peer.to, 3 * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, peer.at.raddr, peer.at.rkey);
	seg = dv_set_atomic_seg(seg, swap, compare);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_CS, 0, flags, 0);
	return 0;
}

DV_INLINE int dv_sq_fetch_add_to(struct dv_sq *sq, uint8_t flags, struct dv_to_at peer,
				 const struct ibv_sge *sge, uint64_t add)
{
	void *seg = dv_sq_start_to(sq, peer.to, 3 * DV_WQE_DS);

	if (!seg)
		return ENOMEM;
	seg = dv_set_raddr_seg(seg, peer.at.raddr, peer.at.rkey);
	seg = dv_set_atomic_seg(seg, add, 0);
	seg = dv_set_data_seg(seg, sge);
	dv_sq_commit(sq, seg, MLX5_OPCODE_ATOMIC_FA, 0, flags, 0);
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
