/* SPDX-License-Identifier: BSD-2-Clause */
/* dv takes over what receives, of QPs of every type that does, and refuses the others. */
#include <fcntl.h>
#include "fixture.h"

TestSuite(receivers, .init = fixture_start, .fini = fixture_stop);

static struct ibv_qp *qp_of(enum ibv_qp_type type, struct ibv_cq *cq, struct ibv_srq *srq)
{
	struct ibv_qp_init_attr attr = { .qp_type = type,
					 .send_cq = cq,
					 .recv_cq = cq,
					 .srq = srq,
					 .cap = { 1, srq ? 0 : 16, 1, srq ? 0 : 3, 0 } };

	return ibv_create_qp(f.pd, &attr);
}

Test(receivers, of_qps)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD,
						  IBV_QPT_RAW_PACKET };
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 63, NULL, NULL, 0);
	struct ibv_sge to[3] = { dst_sge(0, 10), dst_sge(10, 10), dst_sge(20, 10) };
	struct ibv_qp *qp;
	struct dv_rq rq;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		qp = qp_of(types[i], cq, NULL);
		if (!qp && types[i] == IBV_QPT_RAW_PACKET)
			continue;
		cr_assert_not_null(qp);
		cr_assert_eq(dv_rq_map(&rq, qp), 0, "type %d", types[i]);
		cr_assert_eq(rq.wqe_cnt, 16);
		cr_assert_eq(dv_rq_post(&rq, to, 3), 0);
		cr_assert_eq(ibv_destroy_qp(qp), 0);
	}
	cr_assert_eq(ibv_destroy_cq(cq), 0);
}

Test(receivers, of_a_qp_with_an_srq_are_the_srqs)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 63, NULL, NULL, 0);
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 15, .max_sge = 1 } };
	struct ibv_srq *ibsrq = ibv_create_srq(f.pd, &attr);
	struct ibv_qp *qp = qp_of(IBV_QPT_RC, cq, ibsrq);
	struct dv_rq rq;

	cr_assert_not_null(qp);
	cr_assert_eq(dv_rq_map(&rq, qp), EINVAL);
	cr_assert_eq(ibv_destroy_qp(qp), 0);
	cr_assert_eq(ibv_destroy_srq(ibsrq), 0);
	cr_assert_eq(ibv_destroy_cq(cq), 0);
}

Test(receivers, of_an_xrc_domain)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 63, NULL, NULL, 0);
	struct ibv_xrcd_init_attr domain = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
							  IBV_XRCD_INIT_ATTR_OFLAGS,
					     .fd = -1,
					     .oflags = O_CREAT };
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 15, .max_sge = 3 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = f.pd,
		.cq = cq,
	};
	struct ibv_sge to[3] = { dst_sge(0, 10), dst_sge(10, 10), dst_sge(20, 10) };
	struct ibv_srq *ibsrq;
	struct dv_srq srq;
	uint32_t number;

	attr.xrcd = ibv_open_xrcd(f.ctx, &domain);
	if (!attr.xrcd)
		cr_skip_test("no XRC");
	ibsrq = ibv_create_srq_ex(f.ctx, &attr);
	cr_assert_not_null(ibsrq);
	cr_assert_eq(dv_srq_map(&srq, ibsrq), 0);
	cr_assert_eq(ibv_get_srq_num(ibsrq, &number), 0);
	cr_assert_eq(srq.srqn, number);
	for (int i = 0; i < 15; i++)
		cr_assert_eq(dv_srq_post(&srq, to, 3), 0);
	cr_assert_eq(dv_srq_post(&srq, to, 3), ENOMEM);
	cr_assert_eq(ibv_destroy_srq(ibsrq), 0);
	cr_assert_eq(ibv_close_xrcd(attr.xrcd), 0);
	cr_assert_eq(ibv_destroy_cq(cq), 0);
}
