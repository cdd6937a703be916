/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_CQ and CREATE_QP: what is refused, and what the device gets. */
#include "queues.h"

#define SUITE	      queue_attributes_are_checked_at_creation
#define SUITE_CONTEXT queue_attributes_are_checked_at_creation_with_context

QP_SUITE(SUITE);
CONTEXT_SUITE(SUITE_CONTEXT);

Test(SUITE_CONTEXT, cq_sizes)
{
	struct cq_attr a;
	struct uar uar;
	struct cq cq;

	cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &uar), 0);
	const struct {
		uint32_t cqe, entries;
	} cases[] = { { 1, 2 }, { 2, 4 }, { 63, 64 }, { 64, 128 } };
	for (size_t i = 0; i < 4; i++) {
		a = cq_attr(&uar);
		a.cqe = cases[i].cqe;
		cr_assert_eq(create_cq(&b, &a, &cq), 0);
		cr_assert_eq(cq.cqe, cases[i].entries - 1);
		cr_assert_eq(1u << hca_cq_find(&b.hca, cq.cqn)->log_size, cases[i].entries);
	}
	a = cq_attr(&uar);
	a.cqe = 1u << fw_cap(&b.hca, "cmd_hca_cap", "log_max_cq_sz");
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "one too many: the ring has cqe + 1");
	a.cqe = UINT32_MAX;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL);
}

#define CREATE_CQ_WITH(change, ...) WITH(a, good, change, create_cq(&b, &a, &cq), __VA_ARGS__)

Test(SUITE_CONTEXT, cq_attributes)
{
	struct cq_attr good, a;
	struct uar uar;
	struct cq cq;

	cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &uar), 0);
	good = cq_attr(&uar);
	CREATE_CQ_WITH(a.flags = 4, -EINVAL);
	CREATE_CQ_WITH(a.uhw.cqe_size = 32, -EINVAL);
	CREATE_CQ_WITH(a.uhw.reserved1 = 1, -EINVAL);
	CREATE_CQ_WITH(a.uhw.flags = 0, -EINVAL, "no doorbell page");
	CREATE_CQ_WITH(a.uhw.flags |= 8, -EINVAL);
	a = good;
	a.uhw.cqe_comp_en = 1;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "no format");
	a.uhw.cqe_comp_res_format = MLX5_IB_CQE_RES_FORMAT_HASH | MLX5_IB_CQE_RES_FORMAT_CSUM;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "two formats");
	CREATE_CQ_WITH(a.uhw.flags |= MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD, -EOPNOTSUPP,
		       "64 bytes are not padded to 128");
	CREATE_CQ_WITH(a.uhw.flags |= MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS, -EOPNOTSUPP);
	CREATE_CQ_WITH(a.uhw.uar_page_index = 0x7777, -EINVAL, "the device knows no such page");
	a = good;
	a.uhw.cqe_size = 128;
	a.flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	cr_assert_eq(create_cq(&b, &a, &cq), 0);
	cr_assert_eq(hca_cq_find(&b.hca, cq.cqn)->cqe_size_log, 7);
	cr_assert(hca_cq_find(&b.hca, cq.cqn)->overrun_ignore);
}

static int with_attr(struct rig *r, uint16_t id)
{
	struct call c = call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);

	call_object(&c, id, 0);
	return call_run(&r->b, &c);
}

#define CREATE_QP_WITH(change, ...) \
	WITH(a, r.attr, change, create_qp(&r.b, &a, &qp), __VA_ARGS__)

Test(SUITE, qp_core)
{
	struct qp_attr a;
	struct qp qp;

	a = r.attr;
	a.type = IB_UVERBS_QPT_DRIVER;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "neither DCI nor DCT");
	a.type = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	CREATE_QP_WITH(a.flags = 1, -EINVAL, "unknown flag");
	a = r.attr;
	a.flags = IB_UVERBS_QP_CREATE_SCATTER_FCS;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "not of RC");
	CREATE_QP_WITH(a.flags = IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK, -EINVAL, "RC");
	CREATE_QP_WITH(a.flags = IB_UVERBS_QP_CREATE_SQ_SIG_ALL, 0);
	a.type = IB_UVERBS_QPT_UD;
	a.flags = IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	cr_assert_eq(create_qp(&r.b, &a, &qp), 0);
	a.flags = IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "not of UD");
	a.flags = IB_UVERBS_QP_CREATE_SCATTER_FCS;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "not of UD");
	a.flags = IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EOPNOTSUPP, "mlx5_ib's answer");
	CREATE_QP_WITH(a.pd = 99, -ENOENT);
	CREATE_QP_WITH(a.scq = r.pd, -EINVAL, "a PD is no CQ");
	cr_assert_eq(with_attr(&r, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE), -EINVAL);
	cr_assert_eq(with_attr(&r, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE), -EINVAL);
	cr_assert_eq(with_attr(&r, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE), -EINVAL,
		     "a PD is no table");
}

Test(SUITE, qp_sizes)
{
	struct qp_attr a;
	struct qp qp;
	uint32_t max = 1u << fw_cap(&r.b.hca, "cmd_hca_cap", "log_max_qp_sz");
	CREATE_QP_WITH(a.uhw.sq_wqe_count = 48, -EINVAL);
	CREATE_QP_WITH(a.uhw.sq_wqe_count = 2 * max, -EINVAL);
	CREATE_QP_WITH(a.uhw.rq_wqe_shift = 40, -EINVAL);
	CREATE_QP_WITH(a.uhw.rq_wqe_count = 12, -EINVAL);
}

Test(SUITE, qp_udata)
{
	struct qp_attr a;
	struct qp qp;

	CREATE_QP_WITH(a.uhw.flags = 0, -EINVAL, "no doorbell page");
	CREATE_QP_WITH(a.uhw.flags |= MLX5_QP_FLAG_TYPE_DCI, -EINVAL, "RC is no DCI");
	CREATE_QP_WITH(a.uhw.flags |= MLX5_QP_FLAG_SIGNATURE, -EOPNOTSUPP);
	CREATE_QP_WITH(a.uhw.reserved = 1, -EOPNOTSUPP);
}

Test(SUITE, what_the_device_gets)
{
	const struct hca_qp *q;
	struct qp_attr a;
	struct qp qp;

	q = hca_qp_find(&r.b.hca, r.qp.qpn);
	cr_assert_eq(q->rq.cnt, 16);
	cr_assert_eq(q->rq.log_stride, 6);
	cr_assert_eq(q->sq.cnt, 64);
	cr_assert_eq(q->sq.offset, 1024);
	cr_assert_eq(hca_ring_at(&q->sq.ring, q->sq.offset),
		     (void *)(uintptr_t)(r.attr.uhw.buf_addr + 1024));
	cr_assert_eq(q->dbrec, r.attr.uhw.db_addr);
	cr_assert_eq(q->uar->index, r.uar.page);
	cr_assert_eq(q->scq->cqn, r.cq.cqn);

	a = r.attr;
	a.cap.max_recv_wr = 0;
	a.cap.max_recv_sge = 3;
	a.uhw.rq_wqe_count = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "a stride without a queue");
	a.uhw.rq_wqe_count = 16;
	a.uhw.rq_wqe_shift = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "WQEs without a queue");
	a.uhw.rq_wqe_count = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), 0);
	cr_assert_eq(qp.cap.max_recv_sge, 0);
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->rq.cnt, 0);
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->sq.offset, 0);
	a = r.attr;
	a.uhw.sq_wqe_count = 0;
	a.cap.max_send_wr = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), 0);
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->sq.cnt, 0);
}
