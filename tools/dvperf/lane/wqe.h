/* SPDX-License-Identifier: BSD-2-Clause */
/* One WQE of a connected QP by dv, whose kind the compiler knows: only one path is compiled. */
#ifndef DVPERF_LANE_WQE_H
#define DVPERF_LANE_WQE_H

#include <dv/post.h>

#include "lane.h"

#define IMM htobe32(LANE_IMM)

/* Parameters of a WQE: its destination, and the data. */
struct wqe {
	struct dv_raddr raddr;
	struct ibv_sge sge;
	const char *src; /* of inline data, sge.length bytes */
};

DV_INLINE int post_connected(struct dv_sq *sq, uint8_t flags, const struct wqe *w,
			     const enum wqe_kind kind)
{
	switch (kind) {
	case WQE_WRITE:
		return dv_sq_write(sq, flags, w->raddr, &w->sge, 1);
	case WQE_WRITE_INLINE:
		return dv_sq_write_inline(sq, flags, w->raddr, w->src, w->sge.length);
	case WQE_WRITE_IMM:
		return dv_sq_write_imm(sq, flags, w->raddr, &w->sge, 1, IMM);
	case WQE_WRITE_IMM_INLINE:
		return dv_sq_write_imm_inline(sq, flags, w->raddr, w->src, w->sge.length, IMM);
	case WQE_READ:
		return dv_sq_read(sq, flags, w->raddr, &w->sge, 1);
	case WQE_SEND:
		return dv_sq_send(sq, flags, &w->sge, 1);
	case WQE_SEND_INLINE:
		return dv_sq_send_inline(sq, flags, w->src, w->sge.length);
	case WQE_FETCH_ADD:
		return dv_sq_fetch_add(sq, flags, w->raddr, &w->sge, 1);
	case WQE_CMP_SWAP:
		return dv_sq_cmp_swap(sq, flags, w->raddr, &w->sge, 0, 1);
	default:
		return dv_sq_nop(sq, flags);
	}
}

#endif
