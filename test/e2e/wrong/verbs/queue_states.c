/* SPDX-License-Identifier: BSD-2-Clause */
/* Posting where it is not the time for it, and what follows an error. */
#include <unistd.h>
#include "lib/qp_traffic.h"

TestSuite(queue_states, .init = rig_start, .fini = rig_stop);

static void not_posted_in(enum ibv_qp_state state)
{
	struct ibv_sge sge = src_sge(0, 8);
	struct ibv_send_wr w = wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)r.dst, r.dst_mr->rkey);
	struct wiring how = normal();

	how.a_state = state;
	pair(how);
	cr_assert_eq(post(&r.a, &w), ENOMEM);
}

/* wrong: ibv_post_send to a QP in RESET | ENOMEM, by libmlx5 | rdma-core,
 * providers/mlx5/verbs.c: set_qp_operational_state */
Test(queue_states, send_posted_in_reset)
{
	not_posted_in(IBV_QPS_RESET);
}

/* wrong: ibv_post_send to a QP in INIT | ENOMEM, by libmlx5 | rdma-core,
 * providers/mlx5/verbs.c: set_qp_operational_state */
Test(queue_states, send_posted_in_init)
{
	not_posted_in(IBV_QPS_INIT);
}

/* wrong: ibv_post_send to a QP in RTR | ENOMEM, by libmlx5 | rdma-core,
 * providers/mlx5/verbs.c: set_qp_operational_state */
Test(queue_states, send_posted_in_rtr)
{
	not_posted_in(IBV_QPS_RTR);
}

/* wrong: ibv_post_recv to a QP in RESET | EINVAL, by libmlx5 | rdma-core, tests/utils.py:
 * post_rq_state_bad_flow */
Test(queue_states, receive_posted_in_reset)
{
	with.a_state = IBV_QPS_RESET;
	pair(with);
	cr_assert_eq(post_recv(&r.a, dst_sge(0, 8)), EINVAL);
}

/* A WRITE rung by dv while a is in @state: it waits in RTS, too, until the next ring. */
static void lost_ring_in(enum ibv_qp_state state)
{
	struct dv_raddr to = { (uintptr_t)r.dst, r.dst_mr->rkey };
	struct ibv_sge sge = src_sge(0, 8);

	with.a_state = state;
	pair(with);
	map_by_dv(&r.a);
	cr_assert_eq(dv_sq_write(&r.a.sq, MLX5_WQE_CTRL_CQ_UPDATE, to, &sge, 1), 0);
	dv_sq_doorbell(&r.a.sq);
	usleep(20000);
	bring(&r.a, &with, IBV_QPS_RTS, r.b.qp->qp_num);
	usleep(20000);
	cr_assert_null(dv_cq_poll(&r.a.cq));
	cr_assert_eq(r.dst[0], 0xdd);
	cr_assert_eq(dv_sq_nop(&r.a.sq, MLX5_WQE_CTRL_CQ_UPDATE), 0);
	dv_sq_doorbell(&r.a.sq);
	for (uint16_t i = 0; i < 2; i++) {
		struct mlx5_cqe64 cqe = next_cqe(&r.a);

		cr_assert_eq(dv_cqe_opcode(&cqe), MLX5_CQE_REQ);
		cr_assert_eq(dv_cqe_wqe_counter(&cqe), i);
	}
	cr_assert_eq(r.dst[0], 0x5a);
}

/* wrong: WQE rung while the QP is in INIT, or in RTR | it is not executed in RTS before the
 * next ring | assumed: ring_before_rts_is_lost */
Test(assumed, ring_before_rts_is_lost)
{
	lost_ring_in(IBV_QPS_INIT);
	unpair();
	r.dst[0] = 0xdd;
	lost_ring_in(IBV_QPS_RTR);
}

/* wrong: send posted to a QP in ERR | WR_FLUSH_ERR | google/rdma-unit-test, qp_test.cc:
 * PostSendErr; its list of mlx5 deviations (introspection_mlx5.h, ReqestOnFailedQp) says "Fails
 * to send completion when qp in error state" of a test that no longer exists */
Test(queue_states, send_posted_in_err)
{
	wired();
	cr_assert_eq(to_state(r.a.qp, IBV_QPS_ERR), 0);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_WR_FLUSH_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
}

/* wrong: receive posted to a QP in ERR | WR_FLUSH_ERR | google/rdma-unit-test, qp_test.cc:
 * PostRecvErr */
Test(queue_states, receive_posted_in_err)
{
	wired();
	cr_assert_eq(to_state(r.b.qp, IBV_QPS_ERR), 0);
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), 0);
	ends_in(&r.b, IBV_WC_WR_FLUSH_ERR);
}

/* wrong: QP moved to ERR with receives posted | each ends in WR_FLUSH_ERR, in order |
 * InfiniBand specification, ch. 10: Queue pair states, Error */
Test(queue_states, receives_are_flushed_in_order)
{
	wired();
	for (int i = 0; i < 5; i++)
		cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), 0);
	cr_assert_eq(to_state(r.b.qp, IBV_QPS_ERR), 0);
	for (uint64_t i = 1; i <= 5; i++)
		cr_assert_eq(ends_in(&r.b, IBV_WC_WR_FLUSH_ERR).wr_id, i);
}

/* wrong: a bad WR between good ones | those before it succeed, those after it end in
 * WR_FLUSH_ERR, in order, and so do the receives | InfiniBand specification, ch. 10: Queue pair
 * states, Error; google/rdma-unit-test, rc_test.cc: FlushErrorPollTogether */
Test(queue_states, everything_after_an_error_is_flushed)
{
	uint64_t next = 4;
	int received = 0;

	wired();
	cr_assert_eq(post_recv(&r.a, dst_sge(0, 8)), 0);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey ^ 0x5a5500);
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 16, r.dst_mr->rkey);
	do_op(IBV_WR_RDMA_READ, src_sge(0, 8), 16, r.dst_mr->rkey);
	cr_assert_eq(ends_in(&r.a, IBV_WC_SUCCESS).wr_id, 2);
	cr_assert_eq(ends_in(&r.a, IBV_WC_REM_ACCESS_ERR).wr_id, 3);
	/* Those of the two queues are in no order: the error may come before the last WRs are
	 * posted. */
	for (int i = 0; i < 3; i++) {
		uint64_t id = ends_in(&r.a, IBV_WC_WR_FLUSH_ERR).wr_id;

		if (id == 1)
			received++;
		else
			cr_assert_eq(id, next++);
	}
	cr_assert_eq(received, 1);
	cr_assert_eq(r.dst[0], 0x5a);
	cr_assert_eq(r.dst[16], 0xdd);
}

/* wrong: an unsignaled WR fails | it has a completion all the same | google/rdma-unit-test,
 * rc_test.cc: UnsignaledSendError, UnsignaledWriteInvalidRkey */
Test(queue_states, unsignaled_error_completes)
{
	struct ibv_sge sge = src_sge(0, 8);
	struct ibv_send_wr w =
		wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)r.dst, r.dst_mr->rkey ^ 0x5a5500);

	w.send_flags = 0;
	wired();
	cr_assert_eq(post(&r.a, &w), 0);
	cr_assert_eq(ends_in(&r.a, IBV_WC_REM_ACCESS_ERR).wr_id, 1);
}

/* wrong: an unsignaled WR after one that fails | WR_FLUSH_ERR, with its own completion |
 * InfiniBand specification, ch. 10: Unsignaled completions */
Test(queue_states, unsignaled_flush_completes)
{
	struct ibv_sge sge = src_sge(0, 8);
	struct ibv_send_wr w = wr(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)r.dst, r.dst_mr->rkey);

	w.send_flags = 0;
	wired();
	do_op(IBV_WR_RDMA_WRITE, sge, 0, r.dst_mr->rkey ^ 0x5a5500);
	wr_ends_in(&w, IBV_WC_REM_ACCESS_ERR);
	cr_assert_eq(ends_in(&r.a, IBV_WC_WR_FLUSH_ERR).wr_id, 2);
}

/* wrong: QP moved to ERR while a send waits for a receive of the peer | WR_FLUSH_ERR |
 * InfiniBand specification, ch. 10: Queue pair states, Error */
Test(queue_states, send_under_way_is_flushed)
{
	with.rnr_retry = 7;
	pair(with);
	do_op(IBV_WR_SEND, src_sge(0, 8), 0, 0);
	stays_quiet(&r.a, 10);
	cr_assert_eq(to_state(r.a.qp, IBV_QPS_ERR), 0);
	ends_in(&r.a, IBV_WC_WR_FLUSH_ERR);
}

/* wrong: use of a QP that had an error, after RESET and the way back to RTS | success: nothing
 * of the past is left | rdma-core, tests/test_mr.py: restate_qps */
Test(queue_states, reset_forgets_the_error)
{
	wired();
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey ^ 0x5a5500,
		   IBV_WC_REM_ACCESS_ERR);
	cr_assert_eq(to_state(r.a.qp, IBV_QPS_RESET), 0);
	cr_assert_eq(to_state(r.b.qp, IBV_QPS_RESET), 0);
	bring(&r.b, &with, IBV_QPS_RTS, r.a.qp->qp_num);
	bring(&r.a, &with, IBV_QPS_RTS, r.b.qp->qp_num);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[0], 0x5a);
}

/* wrong: the CQ is too small for what completes | IBV_EVENT_CQ_ERR; then the QP, which cannot
 * complete, raises IBV_EVENT_QP_FATAL and is in ERR | InfiniBand specification, ch. 11,
 * Affiliated asynchronous errors: CQ Error, Local Work Queue Catastrophic Error; rdma-core,
 * man ibv_poll_cq */
Test(queue_states, cq_overrun)
{
	struct ibv_wc wc[8];

	with.cqe = 3;
	pair(with);
	for (int i = 0; i < 6; i++)
		do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey);
	event_comes(IBV_EVENT_CQ_ERR);
	event_comes(IBV_EVENT_QP_FATAL);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_leq(ibv_poll_cq(r.a.ibcq, 8, wc), r.a.ibcq->cqe + 1);
}

/* wrong: the peer sends before we are in RTS | no error: the message arrives, and
 * IBV_EVENT_COMM_EST says so | InfiniBand specification, ch. 11, Affiliated asynchronous
 * events: Communication Established */
Test(queue_states, message_before_rts_establishes)
{
	with.b_state = IBV_QPS_RTR;
	pair(with);
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), 0);
	do_op(IBV_WR_SEND, src_sge(0, 8), 0, 0);
	event_comes(IBV_EVENT_COMM_EST);
	ends_in(&r.a, IBV_WC_SUCCESS);
	ends_in(&r.b, IBV_WC_SUCCESS);
}
