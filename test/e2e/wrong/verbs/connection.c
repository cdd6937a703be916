/* SPDX-License-Identifier: BSD-2-Clause */
/* A peer that is not ready, does not exist, or has other attributes than the sender. */
#include "lib/clock.h"
#include "lib/qp_traffic.h"

TestSuite(connection, .init = rig_start, .fini = rig_stop);

/* A WRITE by @w ends in RETRY_EXC_ERR: how long that takes. */
static double unanswered(struct wiring w)
{
	double start;

	pair(w);
	start = now_s();
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_RETRY_EXC_ERR);
	return now_s() - start;
}

/* A WRITE by @w gets no answer: RETRY_EXC_ERR, not before the timeouts. */
static void no_answer(struct wiring w)
{
	double took, t = 4.096e-6 * (1 << 12);

	w.timeout = 12;
	w.retry_cnt = 2;
	took = unanswered(w);
	/* InfiniBand specification, ch. 9, Transport timer: a try lasts from t to 4 t. */
	cr_assert(took >= 3 * t, "%g s", took);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
}

static void peer_in(enum ibv_qp_state state)
{
	with.b_state = state;
	no_answer(with);
	cr_assert_eq(state_of(&r.b), state);
}

/* wrong: no receive posted, rnr_retry 0 | RNR_RETRY_EXC_ERR | google/rdma-unit-test,
 * rc_test.cc: SendRnr */
Test(connection, no_receive_and_no_rnr_retry)
{
	with.rnr_retry = 0;
	pair(with);
	op_ends_in(IBV_WR_SEND, src_sge(0, 8), 0, 0, IBV_WC_RNR_RETRY_EXC_ERR);
	cr_assert_eq(state_of(&r.a), IBV_QPS_ERR);
	cr_assert_eq(state_of(&r.b), IBV_QPS_RTS);
}

/* wrong: no receive posted, rnr_retry 3 | RNR_RETRY_EXC_ERR | google/rdma-unit-test,
 * rc_test.cc: SendRnr */
Test(connection, no_receive_within_the_rnr_retries)
{
	with.rnr_retry = 3;
	pair(with);
	op_ends_in(IBV_WR_SEND, src_sge(0, 8), 0, 0, IBV_WC_RNR_RETRY_EXC_ERR);
}

/* wrong: WRITE with immediate and no receive posted | RNR_RETRY_EXC_ERR |
 * google/rdma-unit-test, rc_test.cc: WriteImmDataRnR */
Test(connection, write_with_imm_and_no_receive)
{
	wired();
	op_ends_in(IBV_WR_RDMA_WRITE_WITH_IMM, src_sge(0, 8), 0, r.dst_mr->rkey,
		   IBV_WC_RNR_RETRY_EXC_ERR);
}

/* wrong: the receive is posted late, rnr_retry being 7, "for ever" | nothing until then, then
 * success | google/rdma-unit-test, rc_test.cc: SendRnrInfiniteRetries */
Test(connection, receive_posted_late_is_waited_for)
{
	with.rnr_retry = 7;
	pair(with);
	do_op(IBV_WR_SEND, src_sge(0, 8), 0, 0);
	stays_quiet(&r.a, 50);
	cr_assert_eq(post_recv(&r.b, dst_sge(0, 8)), 0);
	ends_in(&r.a, IBV_WC_SUCCESS);
	ends_in(&r.b, IBV_WC_SUCCESS);
}

/* wrong: the peer's QP is still in RESET | RETRY_EXC_ERR when the retries are exceeded |
 * InfiniBand specification, ch. 9, Packet header validation: it answers nothing;
 * google/rdma-unit-test, qp_test.cc: PostRecvReset takes REM_OP_ERR too */
Test(connection, peer_in_reset)
{
	peer_in(IBV_QPS_RESET);
}

/* wrong: the peer's QP is still in INIT | RETRY_EXC_ERR when the retries are exceeded |
 * InfiniBand specification, ch. 9, Packet header validation: it answers nothing;
 * google/rdma-unit-test, qp_test.cc: PostRecvInit takes REM_OP_ERR too */
Test(connection, peer_in_init)
{
	peer_in(IBV_QPS_INIT);
}

/* wrong: the peer's QP is in ERR | RETRY_EXC_ERR when the retries are exceeded | InfiniBand
 * specification, ch. 9, Packet header validation: it answers nothing; google/rdma-unit-test,
 * rc_test.cc: RemoteRcQpStateTests takes REM_OP_ERR too, and introspection_mlx5.h says of the
 * tests before them that no completion came, with a timeout of 0: for ever */
Test(connection, peer_in_err)
{
	peer_in(IBV_QPS_ERR);
}

/* wrong: the peer's QP was destroyed | RETRY_EXC_ERR after timeout * retry_cnt | InfiniBand
 * specification, ch. 9, Packet header validation: unknown QPs answer nothing */
Test(connection, peer_destroyed)
{
	wired();
	cr_assert_eq(ibv_destroy_qp(r.b.qp), 0);
	r.b.qp = NULL;
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_RETRY_EXC_ERR);
}

/* wrong: dest_qp_num is of no QP | RETRY_EXC_ERR after timeout * retry_cnt | InfiniBand
 * specification, ch. 9, Packet header validation: unknown QPs answer nothing */
Test(connection, unknown_dest_qpn)
{
	with.dest_qpn = 0xfe0123;
	no_answer(with);
}

static int link_local_roce_v1(void)
{
	struct ibv_gid_entry entry;

	for (uint32_t i = 0; i < (uint32_t)r.port.gid_tbl_len; i++)
		if (!ibv_query_gid_ex(r.ctx, 1, i, &entry, 0) &&
		    entry.gid_type == IBV_GID_TYPE_ROCE_V1 && entry.gid.raw[0] == 0xfe)
			return (int)i;
	return -1;
}

/* wrong: the destination is a link-local GID that no port has, by RoCE v1 | RETRY_EXC_ERR after
 * timeout * retry_cnt | kernel, ib_core verbs.c, ib_resolve_unicast_gid_dmac: the MAC is taken
 * out of the GID; InfiniBand specification, ch. 9, Packet header validation */
Test(connection, dest_gid_of_no_host_by_roce_v1)
{
	union ibv_gid gid = { .raw = { 0xfe, 0x80, [8] = 0x12, 0x34, 0x56, 0xff, 0xfe, 1, 2,
				       3 } };
	int index = link_local_roce_v1();

	if (index < 0)
		cr_skip_test("no link-local GID of RoCE v1");
	r.gid_index = (uint8_t)index;
	cr_assert_eq(ibv_query_gid(r.ctx, 1, index, &r.gid), 0);
	with.dgid = &gid;
	no_answer(with);
}

/* wrong: the sender's sq_psn is ahead of the receiver's rq_psn | NAK "PSN sequence error" again
 * and again: RETRY_EXC_ERR | InfiniBand specification, ch. 9: Responder PSN verification */
Test(connection, sq_psn_ahead_of_rq_psn)
{
	with.wrong_psn = 1;
	pair(with);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_RETRY_EXC_ERR);
	cr_assert_eq(r.dst[0], 0xdd);
	cr_assert_eq(state_of(&r.b), IBV_QPS_RTS);
}

/* wrong: the sender's sq_psn is before the receiver's rq_psn | success without effect: the
 * responder takes it for a duplicate and acknowledges | InfiniBand specification, ch. 9:
 * Responder, duplicate request packets */
Test(connection, sq_psn_before_rq_psn_is_acknowledged_and_lost)
{
	with.wrong_psn = 0xffffff;
	pair(with);
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_SUCCESS);
	cr_assert_eq(r.dst[0], 0xdd);
}

/* wrong: READ from a QP with max_dest_rd_atomic 0 | REM_INV_REQ_ERR | kernel, mlx5_ib qp.c,
 * set_qpc_atomic_flags: without responder resources READ is not let in; rxe_resp.c:
 * check_resource */
Test(connection, read_without_responder_resources)
{
	with.dest_rd_atomic = 0;
	pair(with);
	op_ends_in(IBV_WR_RDMA_READ, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
	cr_assert_eq(r.src[0], 0x5a);
}

/* wrong: more READs posted than max_rd_atomic | all succeed, one after the other: they are
 * throttled | InfiniBand specification, ch. 9: "Outstanding RDMA READ requests" */
Test(connection, more_reads_than_max_rd_atomic_wait)
{
	with.rd_atomic = with.dest_rd_atomic = 1;
	pair(with);
	for (int i = 0; i < 12; i++)
		do_op(IBV_WR_RDMA_READ, src_sge(0, LEN), 0, r.dst_mr->rkey);
	for (uint64_t i = 1; i <= 12; i++)
		cr_assert_eq(ends_in(&r.a, IBV_WC_SUCCESS).wr_id, i);
	cr_assert_eq(r.src[LEN - 1], 0xdd);
}
