/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stamped rings: when all WQEs of a queue look alike, most of their bytes are the same in every
 * pass over the ring, and need not be written again. Read sq.h before.
 *
 *	struct dv_wqe_rdma_sge w = { 0 };           one WQE, built as usual …
 *	seg = dv_set_raddr_seg(dv_wqe_body(&w), (struct dv_raddr){ 0, rkey });
 *	seg = dv_set_data_seg(seg, &sge);
 *	dv_set_ctrl_seg(&w, seg, sq.qpn, 0, MLX5_OPCODE_RDMA_WRITE, 0, 0, 0);
 *	dv_sq_stamp(&sq, &w);                       … and put into every block of the ring
 *
 *	if (dv_sq_space(&sq) < n) …                  space for a whole batch
 *	p = (struct dv_wqe_rdma_sge *)dv_sq_stamped(&sq, flags);
 *	p->raddr.raddr = htobe64(raddr);            only what differs
 *	p->data.addr = htobe64(addr);
 *	dv_sq_doorbell(&sq);
 *
 * dv_sq_stamped() writes only the index, which differs in each pass, and the flags. All else
 * stays as it was stamped, or as the previous WQE of the block left it.
 *
 * For WQEs of one block only. A WQE posted in any other way takes the stamp off its blocks:
 * stamp the ring again, when it is empty, or do not mix. One queue, one thread, as in sq.h.
 */
#ifndef DV_STAMP_H
#define DV_STAMP_H

#include <dv/sq.h>

#ifdef __cplusplus
extern "C" {
#endif

/* RDMA_WRITE, RDMA_READ with one SGE. */
struct dv_wqe_rdma_sge {
	struct mlx5_wqe_ctrl_seg ctrl;
	struct mlx5_wqe_raddr_seg raddr;
	struct mlx5_wqe_data_seg data;
	uint8_t not_read[16];
};

/* RDMA_WRITE of up to 28 bytes inline. */
struct dv_wqe_rdma_inline {
	struct mlx5_wqe_ctrl_seg ctrl;
	struct mlx5_wqe_raddr_seg raddr;
	struct mlx5_wqe_inl_data_seg inl;
	uint8_t bytes[28];
};

/* SEND with one SGE. */
struct dv_wqe_send_sge {
	struct mlx5_wqe_ctrl_seg ctrl;
	struct mlx5_wqe_data_seg data;
	uint8_t not_read[32];
};

/* A packet with one SGE (eth.h). */
struct dv_wqe_eth_sge {
	struct mlx5_wqe_ctrl_seg ctrl;
	uint8_t eth[16];
	struct mlx5_wqe_data_seg data;
	uint8_t not_read[16];
};

static_assert(sizeof(struct dv_wqe_rdma_sge) == DV_WQE_BB, "one block");
static_assert(sizeof(struct dv_wqe_rdma_inline) == DV_WQE_BB, "one block");
static_assert(sizeof(struct dv_wqe_send_sge) == DV_WQE_BB, "one block");
static_assert(sizeof(struct dv_wqe_eth_sge) == DV_WQE_BB, "one block");

/* Puts the block at @wqe, a WQE with its control segment, into every block of the ring. 0,
 * EBUSY: the ring is not empty, or EINVAL: more than 4 segments. */
static inline int dv_sq_stamp(struct dv_sq *sq, const void *wqe)
{
	unsigned int ds = dv_wqe_ds(wqe);
	uint32_t i;

	if (sq->pi != sq->ci)
		return EBUSY;
	if (!ds || ds > DV_WQE_BB / DV_WQE_DS)
		return EINVAL;
	for (i = 0; i <= sq->mask; i++)
		memcpy(sq->buf + (size_t)i * DV_WQE_BB, wqe, DV_WQE_BB);
	return 0;
}

/* The next WQE of a stamped ring, committed with @flags as for dv_set_ctrl_seg(): fill in what
 * differs before you ring. There has to be space (dv_sq_space()). */
DV_INLINE void *dv_sq_stamped(struct dv_sq *sq, uint8_t flags)
{
	uint16_t pi = sq->pi;
	char *wqe = (char *)dv_sq_at(sq, pi);
	__be16 idx = htobe16(pi);

	memcpy(wqe + 1, &idx, sizeof(idx)); /* opmod, index, opcode */
	((struct mlx5_wqe_ctrl_seg *)wqe)->fm_ce_se = flags;
	sq->last = wqe;
	sq->pi = (uint16_t)(pi + 1);
	return wqe;
}

#ifdef __cplusplus
}
#endif

#endif
