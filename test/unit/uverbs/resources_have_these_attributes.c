/* SPDX-License-Identifier: BSD-2-Clause */
/* RDMA netlink reports this of queues and regions: uverbs_resources(). */
#include <fcntl.h>

#include "shared.h"

#define SUITE resources_have_these_attributes

enum { RC = 2, UD = 4, XRC_TARGET = 10, DRIVER = 255 }; /* enum ib_uverbs_qp_type */

static struct srq srqs[2];

/* Linux 6.12 lists DC targets. */
static void open_it(void)
{
	rig_up_as(&r, KERNEL_RELEASE(6, 12));
	for (int i = 0; i < 2; i++) {
		struct srq_attr a = srq_attr(r.pd);

		cr_assert_eq(create_srq(&r.b, &a, &srqs[i]), 0);
	}
}

TestSuite(SUITE, .init = open_it, .fini = qp_close);

/* The one with @number of a kind. */
static struct uverbs_resource one(enum uverbs_resource_kind kind, uint32_t number)
{
	struct uverbs_resource found = { 0 }, *all;
	bool there = false;
	size_t n;

	all = uverbs_resources(r.b.u, kind, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i].number == number) {
			found = all[i];
			there = true;
		}
	free(all);
	cr_assert(there, "%x", number);
	return found;
}

static struct uverbs_resource nth(enum uverbs_resource_kind kind, size_t at)
{
	struct uverbs_resource found, *all;
	size_t n;

	all = uverbs_resources(r.b.u, kind, &n);
	cr_assert_gt(n, at);
	found = all[at];
	free(all);
	return found;
}

/* Those of all contexts, in the order in which they were made (restrack.c: by number). */
Test(SUITE, order_of_creation)
{
	struct bench other = { .hca = r.b.hca, .u = r.b.u, .f = uverbs_open(r.b.u) };
	struct mlx5_ib_alloc_ucontext_resp resp;

	call_run = call_once;
	cr_assert_eq(get_context(&other, &usual_context, &resp), 0);
	for (int i = 0; i < 2; i++) {
		alloc_pd(&other);
		alloc_pd(&r.b);
	}
	for (size_t i = 0; i < 5; i++) {
		struct uverbs_resource pd = nth(UVERBS_RES_PD, i);

		cr_expect_eq(pd.number, nth(UVERBS_RES_PD, 0).number + i);
		cr_expect_eq(pd.ctx, nth(UVERBS_RES_CTX, i % 2).number, "%zu", i);
	}
	uverbs_release(other.f);
}

Test(SUITE, types_of_qps)
{
	struct typed_attr ud = typed_attr(&r, IB_UVERBS_QPT_UD);
	struct typed_attr dci = typed_attr(&r, IB_UVERBS_QPT_DRIVER);
	struct typed_attr dct = dci, target;
	struct ib_uverbs_modify_qp init;
	uint32_t xrcd;
	struct qp qp;

	cr_expect_eq(one(UVERBS_RES_QP, r.qp.qpn).type, RC);
	cr_assert_eq(create_typed(&r.b, &ud, &qp), 0);
	cr_expect_eq(one(UVERBS_RES_QP, qp.qpn).type, UD);
	dci.cap.max_recv_wr = dci.cap.max_recv_sge = 0;
	dci.uhw.flags = MLX5_QP_FLAG_TYPE_DCI | MLX5_QP_FLAG_UAR_PAGE_INDEX;
	dci.uhw.rq_wqe_count = dci.uhw.rq_wqe_shift = 0;
	cr_assert_eq(create_typed(&r.b, &dci, &qp), 0);
	cr_expect_eq(one(UVERBS_RES_QP, qp.qpn).type, DRIVER);
	dct.srq = srqs[1].handle;
	dct.uhw = (struct mlx5_ib_create_qp){ .flags = MLX5_QP_FLAG_TYPE_DCT, .uidx = 5 };
	cr_assert_eq(create_typed(&r.b, &dct, &qp), 0);
	cr_expect_eq(one(UVERBS_RES_QP, 0).type, DRIVER, "it has no number before RTR");
	cr_expect_eq(one(UVERBS_RES_QP, 0).state, IBV_QPS_RESET);
	r.qp.handle = qp.handle;
	init = to_init(&r);
	cr_assert_eq(modify(&r, &init), 0);
	cr_expect_eq(one(UVERBS_RES_QP, 0).state, IBV_QPS_INIT);
	cr_assert_eq(open_xrcd(&r.b, -1, O_CREAT, &xrcd), 0);
	target = target_attr(&r, xrcd);
	cr_assert_eq(create_typed(&r.b, &target, &qp), 0);
	cr_expect_eq(one(UVERBS_RES_QP, qp.qpn).type, XRC_TARGET);
	cr_expect_eq(one(UVERBS_RES_QP, qp.qpn).pd, 0, "it has none");
}

Test(SUITE, srq_of_a_qp)
{
	struct typed_attr a = typed_attr(&r, IB_UVERBS_QPT_RC);
	struct uverbs_resource second = nth(UVERBS_RES_SRQ, 1), got;
	struct qp qp;

	cr_assert_neq(second.number, 0);
	cr_assert_neq(second.number, nth(UVERBS_RES_SRQ, 0).number);
	got = one(UVERBS_RES_QP, r.qp.qpn);
	cr_expect_not(got.has_srq);
	cr_expect_eq(got.srq, 0);
	a.srq = srqs[1].handle;
	a.uhw.rq_wqe_count = a.uhw.rq_wqe_shift = 0;
	cr_assert_eq(create_typed(&r.b, &a, &qp), 0);
	got = one(UVERBS_RES_QP, qp.qpn);
	cr_expect(got.has_srq);
	cr_expect_eq(got.srq, second.number);
	cr_expect_eq(got.pd, nth(UVERBS_RES_PD, 0).number);
}

Test(SUITE, connection_of_a_qp)
{
	struct uverbs_resource got = one(UVERBS_RES_QP, r.qp.qpn);

	cr_expect_eq(got.state, IBV_QPS_RESET);
	walk_to(&r, IBV_QPS_RTS);
	got = one(UVERBS_RES_QP, r.qp.qpn);
	cr_expect_eq(got.state, IBV_QPS_RTS);
	cr_expect_eq(got.port, 1);
	cr_expect_eq(got.remote_qpn, 0x020123);
	cr_expect_eq(got.rq_psn, 0x123456);
	cr_expect_eq(got.sq_psn, 0x654321);
}

Test(SUITE, types_of_srqs)
{
	struct uverbs_resource got = nth(UVERBS_RES_SRQ, 0);
	struct srq_attr a = srq_attr(r.pd);
	struct cq_attr second = cq_attr(&r.uar);
	struct srq xrc;
	uint32_t xrcd;
	struct cq cq;

	cr_expect_eq(got.type, 0, "IBV_SRQT_BASIC");
	cr_expect_not(got.has_cq);
	cr_expect_eq(got.pd, nth(UVERBS_RES_PD, 0).number);
	cr_assert_eq(open_xrcd(&r.b, -1, O_CREAT, &xrcd), 0);
	a.type = IB_UVERBS_SRQT_XRC;
	a.xrcd = xrcd;
	cr_assert_eq(create_cq(&r.b, &second, &cq), 0);
	a.cq = cq.handle;
	cr_assert_eq(create_srq(&r.b, &a, &xrc), 0);
	got = nth(UVERBS_RES_SRQ, 2);
	cr_expect_eq(got.type, 1, "IBV_SRQT_XRC");
	cr_expect(got.has_cq);
	cr_assert_neq(nth(UVERBS_RES_CQ, 1).number, 0);
	cr_expect_eq(got.cq, nth(UVERBS_RES_CQ, 1).number);
}

Test(SUITE, regions)
{
	struct ib_uverbs_reg_mr_resp mr;
	struct uverbs_resource got;
	void *two = pages(2);

	r.pd = alloc_pd(&r.b); /* the second one: its number is not 0 */
	cr_assert_eq(reg_mr(&r.b, r.pd, two, PAGE + 1, 0, &mr), 0);
	got = nth(UVERBS_RES_MR, 0);
	cr_expect_eq(got.len, PAGE + 1);
	cr_expect_eq(got.key, mr.lkey);
	cr_assert_neq(nth(UVERBS_RES_PD, 1).number, 0);
	cr_expect_eq(got.pd, nth(UVERBS_RES_PD, 1).number);
	cr_expect_not(got.on_demand);
	cr_expect_not(got.implicit);
	cr_assert_eq(reg_mr(&r.b, r.pd, two, PAGE, IBV_ACCESS_ON_DEMAND, &mr), 0);
	got = nth(UVERBS_RES_MR, 1);
	cr_expect(got.on_demand);
	cr_expect_not(got.implicit);
	cr_assert_eq(reg_mr(&r.b, r.pd, NULL, UINT64_MAX, IBV_ACCESS_ON_DEMAND, &mr), 0);
	got = nth(UVERBS_RES_MR, 2);
	cr_expect(got.on_demand);
	cr_expect(got.implicit);
	cr_expect_eq(nth(UVERBS_RES_CQ, 0).cqe, 63);
}
