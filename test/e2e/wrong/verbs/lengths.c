/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that are too long or too short, and work requests that libmlx5 does not post. */
#include "lib/qp_traffic.h"

TestSuite(lengths, .init = rig_start, .fini = rig_stop);

/* wrong: SEND that is longer than the receive | sender REM_INV_REQ_ERR, receiver LOC_LEN_ERR,
 * both QPs in ERR | google/rdma-unit-test, rc_test.cc: SendWithTooSmallRecv */
Test(lengths, receive_too_short_by_one)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 99)), 0);
	op_ends_in(IBV_WR_SEND, src_sge(0, 100), 0, 0, IBV_WC_REM_INV_REQ_ERR);
	ends_in(&r.b, IBV_WC_LOC_LEN_ERR);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_ERR);
}

/* wrong: SEND of many packets of which the last does not fit the receive | sender
 * REM_INV_REQ_ERR, receiver LOC_LEN_ERR; what fitted may have been written |
 * google/rdma-unit-test, rc_test.cc: SendWithTooSmallRecv */
Test(lengths, receive_too_short_for_the_last_packet)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(0, LEN - 1)), 0);
	op_ends_in(IBV_WR_SEND, src_sge(0, LEN), 0, 0, IBV_WC_REM_INV_REQ_ERR);
	ends_in(&r.b, IBV_WC_LOC_LEN_ERR);
	cr_assert_eq(r.dst[LEN - 1], 0xdd);
}

/* wrong: WRITE with immediate of 8 bytes, the receive having 4 bytes | success: the receive's
 * buffers are not used | InfiniBand specification, ch. 9: RDMA WRITE with immediate */
Test(lengths, write_with_imm_ignores_the_receive_buffer)
{
	wired();
	cr_assert_eq(post_recv(&r.b, dst_sge(100, 4)), 0);
	op_ends_in(IBV_WR_RDMA_WRITE_WITH_IMM, src_sge(0, 8), 0, r.dst_mr->rkey,
		   IBV_WC_SUCCESS);
	cr_assert_eq(ends_in(&r.b, IBV_WC_SUCCESS).byte_len, 8);
	cr_assert_eq(r.dst[100], 0xdd);
}

static void too_long(enum ibv_wr_opcode op)
{
	wired();
	cr_assert_eq(r.port.max_msg_sz, 1u << 30);
	op_ends_in(op, src_sge(0, r.port.max_msg_sz + 1), 0, r.dst_mr->rkey,
		   IBV_WC_LOC_LEN_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_RTS);
}

/* wrong: WRITE of max_msg_sz + 1 bytes | LOC_LEN_ERR; the peer receives nothing | InfiniBand
 * specification, ch. 11: Local Length Error */
Test(lengths, write_longer_than_max_msg_sz)
{
	too_long(IBV_WR_RDMA_WRITE);
}

/* wrong: READ of max_msg_sz + 1 bytes | LOC_LEN_ERR; the peer receives nothing | InfiniBand
 * specification, ch. 11: Local Length Error */
Test(lengths, read_longer_than_max_msg_sz)
{
	too_long(IBV_WR_RDMA_READ);
}

/* wrong: datagram longer than the receive | nothing: it is dropped, and the receive takes the
 * next one | google/rdma-unit-test, ud_test.cc: SendWithTooSmallRecv, CheckClassDFaults;
 * InfiniBand specification, ch. 9: Responder error behavior, class D */
Test(lengths, datagram_longer_than_the_receive)
{
	with.type = IBV_QPT_UD;
	pair(with);
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 40 + 100)), 0);
	send_datagram(&r.a, &r.b, src_sge(0, 101));
	ends_in(&r.a, IBV_WC_SUCCESS);
	stays_quiet(&r.b, 50);
	cr_assert_eq(state_of(&r.b), IBV_QPS_RTS);
	send_datagram(&r.a, &r.b, src_sge(0, 100));
	cr_assert_eq(ends_in(&r.b, IBV_WC_SUCCESS).byte_len, 140);
}

/* wrong: two SGEs that are max_msg_sz together and one byte | LOC_LEN_ERR | InfiniBand
 * specification, ch. 11: Local Length Error */
Test(lengths, sges_longer_than_max_msg_sz_together)
{
	struct ibv_sge sges[2] = { src_sge(0, 1u << 30), src_sge(0, 1) };
	struct ibv_send_wr w = wr(IBV_WR_RDMA_WRITE, sges, (uintptr_t)r.dst, r.dst_mr->rkey);

	w.num_sge = 2;
	wired();
	wr_ends_in(&w, IBV_WC_LOC_LEN_ERR);
}

/* wrong: FETCH_ADD by verbs whose SGE has 4 bytes | success, 8 bytes written: libmlx5 writes
 * the WQE for 8 | rdma-core, providers/mlx5/qp.c: set_data_ptr_seg_atomic;
 * google/rdma-unit-test, introspection_mlx5.h: FetchAddSmallSge */
Test(lengths, atomic_into_4_bytes_is_fine)
{
	wired();
	op_ends_in(IBV_WR_ATOMIC_FETCH_AND_ADD, src_sge(0, 4), 0, r.dst_mr->rkey,
		   IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[0], 0xde);
	cr_assert_eq(r.src[7], 0xdd);
	cr_assert_eq(r.src[8], 0x5a);
}

/* wrong: FETCH_ADD whose SGE has 9 bytes | success, 8 bytes written | google/rdma-unit-test,
 * introspection_mlx5.h and rc_test.cc: FetchAddInvalidSize, FetchAddLargeSge */
Test(lengths, atomic_into_9_bytes_is_fine)
{
	wired();
	op_ends_in(IBV_WR_ATOMIC_FETCH_AND_ADD, src_sge(0, 9), 0, r.dst_mr->rkey,
		   IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[0], 0xde);
	cr_assert_eq(r.src[7], 0xdd);
	cr_assert_eq(r.src[8], 0x5a);
}

/* wrong: FETCH_ADD by verbs on a QP with sq_sig_all = 1, whose answers come inside their CQEs |
 * success, and the answer in the buffer is byte-swapped: libmlx5 copies it out of the CQE,
 * where it is big-endian, as it is (MLX5_SCATTER_TO_CQE=0 in the environment avoids it) |
 * rdma-core, providers/mlx5/qp.c: mlx5_copy_to_send_wqe; openucx/ucx, rc_mlx5_iface.c, which
 * converts it */
Test(lengths, atomic_answer_comes_inside_the_cqe)
{
	static const uint8_t swapped[8] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };
	uint64_t was = 0x1122334455667788;

	with.sq_sig_all = 1;
	pair(with);
	memcpy(r.dst, &was, sizeof(was));
	op_ends_in(IBV_WR_ATOMIC_FETCH_AND_ADD, src_sge(0, 8), 0, r.dst_mr->rkey,
		   IBV_WC_SUCCESS);
	cr_assert_arr_eq(r.src, swapped, sizeof(swapped));
	was++;
	cr_assert_arr_eq(r.dst, &was, sizeof(was));
}

/* The post of @w is refused with @error, and the queue goes on. */
static void not_posted(struct ibv_send_wr w, int error)
{
	cr_assert_eq(post(&r.a, &w), error);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey);
	cr_assert_eq(ends_in(&r.a, IBV_WC_SUCCESS).wr_id, r.a.posted);
}

/* wrong: more SGEs than max_send_sge | ibv_post_send: ENOMEM | rdma-core,
 * providers/mlx5/qp.c */
Test(lengths, more_sges_than_asked_for)
{
	struct ibv_sge sges[32];
	struct ibv_send_wr w = wr(IBV_WR_SEND, sges, 0, 0);

	for (int i = 0; i < 32; i++)
		sges[i] = src_sge(i, 1);
	w.num_sge = 32;
	wired();
	not_posted(w, ENOMEM);
}

/* wrong: more inline data than max_inline_data | ibv_post_send: ENOMEM | rdma-core,
 * providers/mlx5/qp.c: set_data_inl_seg */
Test(lengths, more_inline_data_than_asked_for)
{
	struct ibv_sge sge = src_sge(0, 1024);
	struct ibv_send_wr w = wr(IBV_WR_SEND, &sge, 0, 0);

	w.send_flags |= IBV_SEND_INLINE;
	wired();
	not_posted(w, ENOMEM);
}

/* wrong: an opcode that RC does not have | ibv_post_send: EINVAL | rdma-core,
 * providers/mlx5/qp.c: _mlx5_post_send */
Test(lengths, unknown_verbs_opcode)
{
	struct ibv_sge sge = src_sge(0, 8);

	wired();
	not_posted(wr((enum ibv_wr_opcode)77, &sge, 0, 0), EINVAL);
}

/* wrong: more sends posted than the queue holds | ibv_post_send: ENOMEM | rdma-core,
 * providers/mlx5/qp.c: mlx5_wq_overflow; google/rdma-unit-test, qp_test.cc */
Test(lengths, more_sends_than_the_queue_holds)
{
	struct ibv_sge sge = src_sge(0, 8);
	struct ibv_send_wr w = wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)r.dst, r.dst_mr->rkey);
	int i, err = 0;

	wired();
	for (i = 0; i < 5000 && !err; i++)
		err = post(&r.a, &w);
	cr_assert_eq(err, ENOMEM);
	cr_assert_gt(i, 16);
}

/* wrong: more receives posted than the queue holds | ibv_post_recv: ENOMEM | rdma-core,
 * tests/utils.py: full_rq_bad_flow */
Test(lengths, more_receives_than_the_queue_holds)
{
	wired();
	for (int i = 0; i < 16; i++)
		cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), 0);
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), ENOMEM);
}

/* wrong: a receive with more SGEs than max_recv_sge | ibv_post_recv: EINVAL | rdma-core,
 * tests/utils.py: create_rq_with_larger_sgl_bad_flow */
Test(lengths, receive_with_more_sges_than_asked_for)
{
	struct ibv_sge sges[5];
	struct ibv_recv_wr w = { .sg_list = sges, .num_sge = 5 }, *bad;

	for (int i = 0; i < 5; i++)
		sges[i] = dst_sge(i, 1);
	wired();
	cr_assert_eq(ibv_post_recv(r.b.qp, &w, &bad), EINVAL);
}
