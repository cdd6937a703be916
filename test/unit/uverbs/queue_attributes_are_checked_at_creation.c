/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_CQ and CREATE_QP: what is refused, and what the device gets. */
#include "queues.h"

#define SUITE queue_attributes_are_checked_at_creation

Test(SUITE, cq_sizes)
{
	struct cq_attr a;
	struct bench b;
	struct uar uar;
	struct cq cq;

	bench_context(&b);
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
	bench_down(&b);
}

Test(SUITE, cq_attributes)
{
	struct cq_attr good, a;
	struct bench b;
	struct uar uar;
	struct cq cq;

	bench_context(&b);
	cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &uar), 0);
	a = good = cq_attr(&uar);
	a.vector = b.hca.eqs.used;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL);
	a = good;
	a.flags = 4;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL);
	a = good;
	a.uhw.cqe_size = 32;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL);
	a = good;
	a.uhw.reserved1 = 1;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL);
	a = good;
	a.uhw.flags = 0;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "no doorbell page");
	a = good;
	a.uhw.flags |= 8;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL);
	a = good;
	a.uhw.cqe_comp_en = 1;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "no format");
	a.uhw.cqe_comp_res_format = MLX5_IB_CQE_RES_FORMAT_HASH | MLX5_IB_CQE_RES_FORMAT_CSUM;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "two formats");
	a = good;
	a.uhw.flags |= MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD;
	cr_assert_eq(create_cq(&b, &a, &cq), -EOPNOTSUPP, "64 bytes are not padded to 128");
	a = good;
	a.uhw.flags |= MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS;
	cr_assert_eq(create_cq(&b, &a, &cq), -EOPNOTSUPP);
	a = good;
	a.uhw.uar_page_index = 0x7777;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "the device knows no such page");
	a = good;
	a.uhw.buf_addr += 8;
	cr_assert_eq(create_cq(&b, &a, &cq), -EINVAL, "not on a quantum of 64 bytes");
	a = good;
	a.uhw.cqe_size = 128;
	a.flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	cr_assert_eq(create_cq(&b, &a, &cq), 0);
	cr_assert_eq(hca_cq_find(&b.hca, cq.cqn)->cqe_size_log, 7);
	cr_assert(hca_cq_find(&b.hca, cq.cqn)->overrun_ignore);
	bench_down(&b);
}

static int with_attr(struct rig *r, uint16_t id)
{
	struct call c = call(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE);

	call_object(&c, id, 0);
	return call_run(&r->b, &c);
}

Test(SUITE, qp_core)
{
	struct qp_attr a;
	struct rig r;
	struct qp qp;

	rig_up(&r);
	a = r.attr;
	a.type = IB_UVERBS_QPT_DRIVER;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "neither DCI nor DCT");
	a.type = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	a = r.attr;
	a.flags = 1;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "unknown flag");
	a = r.attr;
	a.flags = IB_UVERBS_QP_CREATE_SCATTER_FCS;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EOPNOTSUPP, "not of RC");
	a.type = IB_UVERBS_QPT_UD;
	a.flags = IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	cr_assert_eq(create_qp(&r.b, &a, &qp), 0);
	a = r.attr;
	a.pd = 99;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -ENOENT);
	a = r.attr;
	a.scq = r.pd;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "a PD is no CQ");
	cr_assert_eq(with_attr(&r, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE), -EINVAL);
	cr_assert_eq(with_attr(&r, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE), -EINVAL);
	cr_assert_eq(with_attr(&r, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE), -EINVAL,
		     "a PD is no table");
	rig_down(&r);
}

Test(SUITE, qp_sizes)
{
	uint32_t max;
	struct qp_attr a;
	struct rig r;
	struct qp qp;

	rig_up(&r);
	max = 1u << fw_cap(&r.b.hca, "cmd_hca_cap", "log_max_qp_sz");
	a = r.attr;
	a.cap.max_recv_wr = max + 1;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	a = r.attr;
	a.cap.max_send_wr = max + 1;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	a = r.attr;
	a.uhw.sq_wqe_count = 48;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	a = r.attr;
	a.uhw.sq_wqe_count = 2 * max;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	a = r.attr;
	a.uhw.rq_wqe_shift = 40;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	a = r.attr;
	a.uhw.rq_wqe_count = 12;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	rig_down(&r);
}

Test(SUITE, qp_udata)
{
	struct qp_attr a;
	struct rig r;
	struct qp qp;

	rig_up(&r);
	a = r.attr;
	a.uhw.flags = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "no doorbell page");
	a = r.attr;
	a.uhw.flags |= MLX5_QP_FLAG_TYPE_DCI;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "RC is no DCI");
	a = r.attr;
	a.uhw.flags |= MLX5_QP_FLAG_SIGNATURE;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EOPNOTSUPP);
	a = r.attr;
	a.uhw.uidx = 0xffffff;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL, "CQE version 1 wants a user index");
	a = r.attr;
	a.uhw.uidx = 1 << 24;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EINVAL);
	a = r.attr;
	a.uhw.reserved = 1;
	cr_assert_eq(create_qp(&r.b, &a, &qp), -EOPNOTSUPP);
	rig_down(&r);
}

Test(SUITE, what_the_device_gets)
{
	const struct hca_qp *q;
	struct qp_attr a;
	struct rig r;
	struct qp qp;

	rig_up(&r);
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
	cr_assert_eq(create_qp(&r.b, &a, &qp), 0);
	cr_assert_eq(qp.cap.max_recv_sge, 0);
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->rq.cnt, 0);
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->sq.offset, 0);
	a = r.attr;
	a.uhw.sq_wqe_count = 0;
	a.cap.max_send_wr = 0;
	cr_assert_eq(create_qp(&r.b, &a, &qp), 0);
	cr_assert_eq(hca_qp_find(&r.b.hca, qp.qpn)->sq.cnt, 0);
	rig_down(&r);
}
