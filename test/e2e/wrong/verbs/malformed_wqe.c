/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WQEs that no library writes: built by dv, then spoiled, then rung.
 *
 *	reserve -> segments -> commit -> spoil() the control segment -> doorbell -> error CQE
 */
#include "lib/qp_traffic.h"

TestSuite(malformed_wqe, .init = rig_start, .fini = rig_stop);
TestSuite(assumed, .init = rig_start, .fini = rig_stop);

/* Two connected QPs, a good 8-byte WRITE in a's ring, not rung; returns its control segment. */
static struct mlx5_wqe_ctrl_seg *good_write(void)
{
	struct dv_raddr to = { (uintptr_t)r.dst, r.dst_mr->rkey };
	struct ibv_sge sge = src_sge(0, 8);

	wired();
	map_by_dv(&r.a);
	cr_assert_eq(dv_sq_write(&r.a.sq, 0, to, &sge, 1), 0);
	return dv_sq_at(&r.a.sq, 0);
}

/* Rings: WQE 0 completes with @syndrome, and nothing was written. */
static void ends_in_syndrome(uint8_t syndrome, uint8_t opcode)
{
	struct mlx5_cqe64 cqe;

	dv_sq_doorbell(&r.a.sq);
	cqe = next_cqe(&r.a);
	cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ_ERR);
	cr_assert_eq(dv_cqe_syndrome(&cqe), syndrome, "%s",
		     dv_syndrome_str(dv_cqe_syndrome(&cqe)));
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 0);
	cr_assert_eq(dv_cqe_send_opcode(&cqe), opcode);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
	cr_assert_eq(r.src[0], 0x5a);
}

/* The control segment of the good WRITE with @flip changed in the two first dwords. */
static void spoilt(uint32_t flip_index_opcode, uint32_t flip_qpn_ds)
{
	struct mlx5_wqe_ctrl_seg *ctrl = good_write();

	ctrl->opmod_idx_opcode ^= htobe32(flip_index_opcode);
	ctrl->qpn_ds ^= htobe32(flip_qpn_ds);
	ends_in_syndrome(MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR,
			 MLX5_OPCODE_RDMA_WRITE ^ (flip_index_opcode & 0xff));
}

/* wrong: opcode 0x3f, which no table has | syndrome 0x02, local QP operation | InfiniBand
 * specification, ch. 11: Local QP Operation Error; assumed:
 * malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, unknown_opcode)
{
	spoilt(MLX5_OPCODE_RDMA_WRITE ^ 0x3f, 0);
}

/* wrong: opcode of a transport that RC is not, TSO | syndrome 0x02, local QP operation |
 * InfiniBand specification, ch. 11: Local QP Operation Error; assumed:
 * malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, opcode_of_another_transport)
{
	spoilt(MLX5_OPCODE_RDMA_WRITE ^ MLX5_OPCODE_TSO, 0);
}

/* wrong: opmod of an operation that has none | syndrome 0x02, local QP operation | assumed:
 * malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, opmod_of_a_write)
{
	spoilt(1u << 24, 0);
}

/* wrong: WQE index that is not the place in the ring | syndrome 0x02, local QP operation |
 * assumed: malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, wrong_index)
{
	spoilt(1u << 8, 0);
}

/* wrong: QPN of another queue | syndrome 0x02, local QP operation | assumed:
 * malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, wrong_qpn)
{
	spoilt(0, 1u << 8);
}

/* wrong: ds = 0 | syndrome 0x02, local QP operation | assumed:
 * malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, ds_0)
{
	spoilt(0, 3 ^ 0);
}

/* wrong: WRITE with ds = 1, too short for its remote address | syndrome 0x02, local QP
 * operation | assumed: malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, ds_too_small_for_the_opcode)
{
	spoilt(0, 3 ^ 1);
}

/* wrong: ds of two blocks where one was posted | syndrome 0x02, local QP operation | assumed:
 * malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, ds_larger_than_what_was_posted)
{
	spoilt(0, 3 ^ 8);
}

/* A WQE of @opcode, of control, remote address and one inline segment that claims @len. */
static void with_inline(uint8_t opcode, uint32_t len)
{
	static const uint8_t bytes[12] = { 1 };
	struct mlx5_wqe_inl_data_seg *inl;
	void *seg;

	wired();
	map_by_dv(&r.a);
	seg = dv_sq_reserve(&r.a.sq, 1);
	inl = dv_set_raddr_seg(seg, (struct dv_raddr){ (uintptr_t)r.dst, r.dst_mr->rkey });
	seg = dv_set_inline_seg(inl, bytes, sizeof(bytes));
	inl->byte_count = htobe32(len | MLX5_INLINE_SEG);
	dv_sq_commit(&r.a.sq, seg, opcode, 0, 0, 0);
	ends_in_syndrome(MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR, opcode);
}

/* wrong: inline data that is longer than ds says the WQE is | syndrome 0x02, local QP operation
 * | assumed: malformed_wqe_is_a_qp_operation_error */
Test(malformed_wqe, inline_data_beyond_the_wqe)
{
	with_inline(MLX5_OPCODE_RDMA_WRITE, 100);
}

/* wrong: inline data in a READ, which has nothing to send | syndrome 0x02, local QP operation |
 * google/rdma-unit-test, rc_test.cc: a READ with IBV_SEND_INLINE ends in LOC_QP_OP_ERR or
 * LOC_PROT_ERR */
Test(malformed_wqe, inline_data_in_a_read)
{
	with_inline(MLX5_OPCODE_RDMA_READ, 12);
}

/* wrong: READ posted by verbs with IBV_SEND_INLINE | LOC_QP_OP_ERR: libmlx5 writes it as asked
 * | google/rdma-unit-test, rc_test.cc: a READ with IBV_SEND_INLINE ends in LOC_QP_OP_ERR or
 * LOC_PROT_ERR */
Test(malformed_wqe, inline_flag_on_a_verbs_read)
{
	struct ibv_sge sge = src_sge(0, 8);
	struct ibv_send_wr w = wr(IBV_WR_RDMA_READ, &sge, (uintptr_t)r.dst, r.dst_mr->rkey);

	w.send_flags |= IBV_SEND_INLINE;
	wired();
	wr_ends_in(&w, IBV_WC_LOC_QP_OP_ERR);
}

/* wrong: FETCH_ADD whose data segment has 4 bytes | syndrome 0x01, local length; nothing added
 * | InfiniBand specification, ch. 11: Local Length Error */
Test(malformed_wqe, atomic_into_4_bytes)
{
	struct dv_raddr at = { (uintptr_t)r.dst, r.dst_mr->rkey };
	struct ibv_sge sge = src_sge(0, 4);

	wired();
	map_by_dv(&r.a);
	cr_assert_eq(dv_sq_fetch_add(&r.a.sq, 0, at, &sge, 1), 0);
	ends_in_syndrome(MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, MLX5_OPCODE_ATOMIC_FA);
}

/* wrong: the third of four WQEs fails | its CQE has its opcode and the index of its first
 * block, the one after it is flushed with its own | rdma-core, mlx5dv.h: mlx5_err_cqe;
 * providers/mlx5/cq.c: mlx5_parse_cqe finds the WR by wqe_counter */
Test(malformed_wqe, error_cqe_names_the_wqe)
{
	struct dv_raddr to = { (uintptr_t)r.dst, r.dst_mr->rkey }, wrong = to;
	struct ibv_sge sge = src_sge(0, 8), sges[4] = { sge, sge, sge, sge };
	struct mlx5_cqe64 cqe;

	wrong.rkey ^= 0x5a5500;
	wired();
	map_by_dv(&r.a);
	cr_assert_eq(dv_sq_write(&r.a.sq, 0, to, sges, 4), 0); /* 2 blocks */
	cr_assert_eq(dv_sq_nop(&r.a.sq, 0), 0);
	cr_assert_eq(dv_sq_read(&r.a.sq, 0, wrong, &sge, 1), 0);
	cr_assert_eq(dv_sq_write(&r.a.sq, 0, to, &sge, 1), 0);
	dv_sq_doorbell(&r.a.sq);
	cqe = next_cqe(&r.a);
	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	cr_assert_eq(dv_cqe_send_opcode(&cqe), MLX5_OPCODE_RDMA_READ);
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 3);
	cqe = next_cqe(&r.a);
	cr_assert_eq(dv_cqe_syndrome(&cqe), MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	cr_assert_eq(dv_cqe_send_opcode(&cqe), MLX5_OPCODE_RDMA_WRITE);
	cr_assert_eq(dv_cqe_wqe_counter(&cqe), 4);
}

/* ---- what is assumed of an adapter, in the form that asks one ---- */

/* wrong: each of the WQEs above that are called assumed, one after the other | syndrome 0x02,
 * local QP operation, each | assumed: malformed_wqe_is_a_qp_operation_error */
Test(assumed, malformed_wqe_is_a_qp_operation_error)
{
	static const uint32_t flips[][2] = {
		{ MLX5_OPCODE_RDMA_WRITE ^ 0x3f },
		{ MLX5_OPCODE_RDMA_WRITE ^ MLX5_OPCODE_TSO },
		{ 1u << 24 },
		{ 1u << 8 },
		{ 0, 1u << 8 },
		{ 0, 3 ^ 0 },
		{ 0, 3 ^ 1 },
		{ 0, 3 ^ 8 },
	};

	for (unsigned int i = 0; i < sizeof(flips) / sizeof(flips[0]); i++) {
		spoilt(flips[i][0], flips[i][1]);
		unpair();
	}
	with_inline(MLX5_OPCODE_RDMA_WRITE, 100);
}

/* wrong: data segment with byte_count 0 | syndrome 0x01, local length: 0 means 2^31 bytes |
 * assumed: byte_count_zero_is_2_gib */
Test(assumed, byte_count_zero_is_2_gib)
{
	struct mlx5_wqe_ctrl_seg *ctrl = good_write();
	struct mlx5_wqe_data_seg *data = (struct mlx5_wqe_data_seg *)(ctrl + 2);

	data->byte_count = 0;
	ends_in_syndrome(MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR, MLX5_OPCODE_RDMA_WRITE);
}

/* wrong: a record that is further ahead than the ring is long | IBV_EVENT_QP_FATAL, QP in ERR |
 * assumed: send_queue_overrun_is_catastrophic */
Test(assumed, send_queue_overrun_is_catastrophic)
{
	good_write();
	r.a.sq.pi = (uint16_t)(r.a.sq.pi + r.a.sq.wqe_cnt);
	dv_sq_doorbell(&r.a.sq);
	event_comes(IBV_EVENT_QP_FATAL);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
}

/* @op with @rkey fails with @status and @vendor; what follows is flushed. */
static void vendor(enum ibv_wr_opcode op, uint32_t rkey, enum ibv_wc_status status,
		   uint32_t vendor)
{
	do_op(op, src_sge(0, 8), 0, rkey);
	cr_assert_eq(ends_in(&r.a, status).vendor_err, vendor);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey);
	cr_assert_eq(ends_in(&r.a, IBV_WC_WR_FLUSH_ERR).vendor_err, 0xf9);
	unpair();
}

static void vendor_of_local_errors(void)
{
	struct ibv_sge sge = src_sge(0, 8), bad = sge;
	struct ibv_send_wr w = wr(IBV_WR_RDMA_READ, &sge, (uintptr_t)r.dst, r.dst_mr->rkey);

	bad.lkey ^= 0x5a5500;
	w.send_flags |= IBV_SEND_INLINE;
	wired();
	do_op(IBV_WR_RDMA_WRITE, bad, 0, r.dst_mr->rkey);
	cr_assert_eq(ends_in(&r.a, IBV_WC_LOC_PROT_ERR).vendor_err, 0x52);
	unpair();
	wired();
	cr_assert_eq(post(&r.a, &w), 0);
	cr_assert_eq(ends_in(&r.a, IBV_WC_LOC_QP_OP_ERR).vendor_err, 0x68);
	unpair();
}

/* wrong: one mistake for each vendor syndrome that is known | 0x52 local protection (of a
 * receive 0x32), 0x68 local QP operation, 0x81 retries exceeded, 0x87 RNR retries exceeded,
 * 0x88 remote access, 0x89 remote operation, 0x8a remote invalid request, 0xf9 flushed |
 * assumed: vendor_syndromes */
Test(assumed, vendor_syndromes)
{
	struct ibv_sge sge = dst_sge(0, 100);
	uint32_t rkey = r.dst_mr->rkey;

	wired();
	vendor(IBV_WR_SEND, 0, IBV_WC_RNR_RETRY_EXC_ERR, 0x87);
	wired();
	vendor(IBV_WR_RDMA_WRITE, rkey ^ 0x5a5500, IBV_WC_REM_ACCESS_ERR, 0x88);
	wired();
	sge.lkey ^= 0x5a5500;
	cr_assert_eq(post_recv(&r.b, sge), 0);
	do_op(IBV_WR_SEND, src_sge(0, 100), 0, 0);
	cr_assert_eq(ends_in(&r.a, IBV_WC_REM_OP_ERR).vendor_err, 0x89);
	cr_assert_eq(ends_in(&r.b, IBV_WC_LOC_PROT_ERR).vendor_err, 0x32);
	unpair();
	vendor_of_local_errors();
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 1)), 0);
	vendor(IBV_WR_SEND, 0, IBV_WC_REM_INV_REQ_ERR, 0x8a);
	with.b_state = IBV_QPS_INIT;
	pair(with);
	vendor(IBV_WR_RDMA_WRITE, rkey, IBV_WC_RETRY_EXC_ERR, 0x81);
}

/* wrong: receive of 8 bytes into an lkey that does not exist | success: so few bytes come in
 * the CQE, and libmlx5 copies them | assumed: inline_scatter_skips_the_lkey */
Test(assumed, inline_scatter_skips_the_lkey)
{
	struct ibv_sge sge = dst_sge(0, 8);

	sge.lkey ^= 0x5a5500;
	wired();
	cr_assert_eq(post_recv(&r.b, sge), 0);
	op_ends_in(IBV_WR_SEND, src_sge(0, 8), 0, 0, IBV_WC_SUCCESS);
	ends_in(&r.b, IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[0], 0x5a);
}
