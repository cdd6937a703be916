/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapped QP goes to RESET and comes back: its queues start again as map.h says, and what was
 * posted before has no effect. */
#include "fixture.h"

TestSuite(restarted, .init = fixture_start, .fini = fixture_stop);

/* @n SENDs of a byte each; the CQEs of the first @taken are polled. */
static void traffic(unsigned int n, unsigned int taken)
{
	struct ibv_sge sge = src_sge(0, 1);
	unsigned int i;

	for (i = 0; i < n; i++) {
		receive(&f.b, dst_sge(i, 1));
		sq_posted(&f.a.sq, dv_sq_send(&f.a.sq, SIGNALLED, &sge, 1));
		if (i >= taken)
			continue;
		success(&f.a, MLX5_CQE_REQ);
		success(&f.b, MLX5_CQE_RESP_SEND);
	}
}

static void reset(struct end *e)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	cr_assert_eq(ibv_modify_qp(e->qp, &attr, IBV_QP_STATE), 0);
	dv_cq_clean(&e->cq, e->qp->qp_num);
	dv_sq_restart(&e->sq);
	dv_rq_restart(&e->rq);
}

/* Whatever number of blocks went before, more than a ring of them too. */
Test(restarted, after_traffic)
{
	static const unsigned int before[] = { 1, 3, 64, 71, 200 };
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		traffic(before[i], before[i]);
		reset(&f.a);
		reset(&f.b);
		fixture_to_rts(&f.a, &f.b);
		traffic(5, 5);
		cr_assert(stays_quiet(&f.a), "%u WQEs of before are not executed", before[i]);
		cr_assert(stays_quiet(&f.b));
	}
}

/* Posted and completed WQEs are forgotten. */
Test(restarted, with_receives_and_completions_left_over)
{
	struct ibv_sge sge = src_sge(0, 1);

	traffic(3, 3);
	receive(&f.b, dst_sge(100, 1));
	cr_assert_eq(dv_sq_send(&f.a.sq, SIGNALLED, &sge, 1), 0);
	ring(&f.a); /* that of the receive stays in its CQ */
	receive(&f.b, dst_sge(101, 1));
	receive(&f.b, dst_sge(102, 1));
	reset(&f.a);
	reset(&f.b);
	cr_assert_null(dv_cq_poll(&f.b.cq));
	fixture_to_rts(&f.a, &f.b);
	memset(f.dst, 0xdd, 200);
	traffic(4, 4);
	cr_assert_eq(f.dst[0], f.src[0]);
	cr_assert_eq(f.dst[3], f.src[0]);
	cr_assert_eq(f.dst[101], 0xdd, "a receive of before takes no message");
	cr_assert(stays_quiet(&f.b));
}

/* The queue was posted to by verbs, and not since the RESET: it may be mapped, while it is
 * there. */
Test(restarted, where_verbs_had_the_queue)
{
	struct end v = { 0 };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC,
					 .send_cq = f.a.ibcq,
					 .recv_cq = f.a.ibcq,
					 .cap = { 8, 8, 1, 1, 0 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_sge sge = dst_sge(0, 1);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	v.qp = ibv_create_qp(f.pd, &init);
	cr_assert_not_null(v.qp);
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = 1;
	cr_assert_eq(ibv_modify_qp(v.qp, &attr,
				   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					   IBV_QP_ACCESS_FLAGS),
		     0);
	cr_assert_eq(ibv_post_recv(v.qp, &wr, &bad), 0);
	cr_assert_eq(dv_rq_map(&v.rq, v.qp), EBUSY);
	attr.qp_state = IBV_QPS_RESET;
	cr_assert_eq(ibv_modify_qp(v.qp, &attr, IBV_QP_STATE), 0);
	cr_assert_eq(dv_rq_map(&v.rq, v.qp), 0);
	cr_assert_eq(dv_rq_map(&v.rq, v.qp), EALREADY);
	cr_assert_eq(dv_sq_map(&v.sq, v.qp), 0);
	cr_assert_eq(dv_sq_map(&v.sq, v.qp), EALREADY);
	cr_assert_eq(ibv_destroy_qp(v.qp), 0);
}

/* READs of a QP that signals all may come back in CQEs only. */
Test(restarted, but_not_if_the_qp_signals_all)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC,
					 .sq_sig_all = 1,
					 .send_cq = f.a.ibcq,
					 .recv_cq = f.a.ibcq,
					 .cap = { 8, 8, 1, 1, 0 } };
	struct ibv_qp *qp = ibv_create_qp(f.pd, &init);
	struct dv_sq sq;

	cr_assert_not_null(qp);
	cr_assert_eq(dv_sq_map(&sq, qp), EPROTOTYPE);
	cr_assert_eq(ibv_destroy_qp(qp), 0);
}
