/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RQs: receive queues of Ethernet, of work queues and of raw packet QPs (mlx5_ib, qp.c,
 * create_rq, create_raw_packet_qp_rq).
 *
 *	buf: |WQE 0|WQE 1|…|   1 << log_size WQEs of 1 << log_stride bytes
 *
 * A new RQ is in RST.
 */
#include <stdlib.h>

#include "uverbs/ethernet.h"
#include "uverbs/umem.h"

bool uverbs_strips_vlan(const struct uverbs *u)
{
	return UVERBS_CAP(u, eth_net_offloads) && UVERBS_ETH(u, vlan_cap);
}

bool uverbs_scatters_fcs(const struct uverbs *u)
{
	return UVERBS_CAP(u, eth_net_offloads) && UVERBS_ETH(u, scatter_fcs);
}

/* mlx5_ib, qp.c, tunnel_offload_supported */
bool uverbs_knows_tunnels(const struct uverbs *u)
{
	return UVERBS_ETH(u, tunnel_stateless_vxlan) || UVERBS_ETH(u, tunnel_stateless_gre) ||
	       UVERBS_ETH(u, tunnel_stateless_geneve_rx);
}

/* mlx5_ib, qp.c, create_raw_packet_qp_tir; mlx5_ifc.h,
 * MLX5_TIRC_SELF_LB_BLOCK_BLOCK_UNICAST, … */
uint8_t uverbs_self_loopback(uint32_t qp_flags)
{
	return (qp_flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC ? 1 : 0) |
	       (qp_flags & MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC ? 2 : 0);
}

/* <mlx5_ib.h>: MLX5_EXT_MIN_SINGLE_WQE_LOG_NUM_STRIDES, MLX5_MIN_SINGLE_WQE_LOG_NUM_STRIDES */
uint32_t uverbs_min_log_strides(const struct uverbs *u)
{
	return UVERBS_CAP(u, ext_stride_num_range) ? 3 : 9;
}

/* mlx5_ib, qp.c, create_rq: 9 … 16 are 0 … 7, 3 … 8 are 10 … 15 (-6 … -1 in four bits). */
static void fill_strides(const struct uverbs_rq_attr *a, uint8_t *wq)
{
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC_STRIDING_RQ);
	PRM_SET(wq, wq, two_byte_shift_en, a->two_byte_shift);
	PRM_SET(wq, wq, log_wqe_stride_size, a->log_stride_bytes - UVERBS_LOG_STRIDE_BYTES_MIN);
	PRM_SET(wq, wq, log_wqe_num_of_strides, (a->log_strides - 9) & 0xf);
}

static void fill(const struct uverbs_file *f, const struct uverbs_rq_attr *a,
		 const struct uverbs_umem *m, uint8_t *rqc)
{
	uint8_t *wq = PRM_ADDR(rqc, rqc, wq);

	/* vsd: stripping of VLAN tags is disabled. */
	PRM_SET(rqc, rqc, vsd, !a->strip_vlan);
	PRM_SET(rqc, rqc, scatter_fcs, a->scatter_fcs);
	PRM_SET(rqc, rqc, flush_in_error_en, 1);
	if (f->cqe_version)
		PRM_SET(rqc, rqc, user_index, a->user_index);
	PRM_SET(rqc, rqc, cqn, a->cq->cqn);
	PRM_SET(wq, wq, wq_type, PRM_WQ_TYPE_CYCLIC);
	if (a->striding)
		fill_strides(a, wq);
	if (a->end_padding)
		PRM_SET(wq, wq, end_padding_mode, PRM_WQ_END_PADDING_MODE_ALIGN);
	PRM_SET(wq, wq, pd, a->pdn);
	PRM_SET(wq, wq, dbr_addr, a->dbrec);
	PRM_SET(wq, wq, log_wq_stride, a->log_stride);
	PRM_SET(wq, wq, log_wq_pg_sz, m->page_shift - HCA_PAGE_SHIFT);
	PRM_SET(wq, wq, log_wq_sz, a->log_size);
}

int uverbs_rq_create(struct uverbs_file *f, const struct uverbs_rq_attr *a, uint32_t *rqn)
{
	uint8_t out[PRM_SZ(create_rq_out)] = { 0 }, *in, *rqc;
	uint32_t page_offset;
	struct uverbs_umem m;
	size_t in_len;
	int ret = uverbs_umem_for_wq(&m, a->buf, a->bytes, &page_offset);

	if (ret)
		return ret;
	in_len = PRM_SZ(create_rq_in) + m.npas * sizeof(uint64_t);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	PRM_SET(create_rq_in, in, opcode, PRM_OP_CREATE_RQ);
	PRM_SET(create_rq_in, in, uid, a->uid);
	rqc = PRM_ADDR(create_rq_in, in, ctx);
	fill(f, a, &m, rqc);
	PRM_SET(wq, PRM_ADDR(rqc, rqc, wq), page_offset, page_offset);
	uverbs_umem_fill(&m, in + PRM_SZ(create_rq_in), 0);
	ret = uverbs_fw(f->u, in, in_len, out, sizeof(out));
	free(in);
	*rqn = PRM_GET(create_rq_out, out, rqn);
	return ret;
}
