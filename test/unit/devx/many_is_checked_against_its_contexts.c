/* SPDX-License-Identifier: BSD-2-Clause */
/* devx_many_export(): a queue that fits (devx/many.h), and each single thing that does not. */
#include <criterion/criterion.h>
#include <devx/many.h>
#include <dv/reason.h>
#include <errno.h>

#include "fake_memory.h"

enum { CQN = 0xabc, PAGE = 0x321, COLLAPSED = 1 << 20, OVERRUN = 1 << 17, CQE_128 = 1 << 21 };

static _Alignas(4096) uint8_t memory[0x4000];
static _Alignas(64) struct dv_many many;
static struct devx_umem umem;
static struct devx_uar uar;
static struct devx_qp qp;
static struct devx_cq cq;
static struct devx_views views;

/* QUERY_CQ has its cqc at byte 0x10; QUERY_QP its qpc at 0x18: uar_page 0xc, cqn_snd 0x7c. */
static void start(void)
{
	fake_memory_reset();
	umem = (struct devx_umem){ .id = 0x66, .addr = memory, .size = sizeof(memory) };
	uar = (struct devx_uar){
		.page_id = PAGE, .base = fake_page, .reg = fake_page + 0x800, .bf_size = 256
	};
	views = (struct devx_views){ 0 };
	answer_word(8, CQN);
	cr_assert_eq(devx_qp_create(&qp, NULL,
				    &(struct devx_qp_attr){
					    .uar = &uar, .sq_wqe_cnt = 2, .umem = &umem }),
		     0);
	cr_assert_eq(devx_cq_create(&cq, NULL,
				    &(struct devx_cq_attr){ .uar = &uar,
							    .cqe_cnt = 1,
							    .umem = &umem,
							    .umem_offset = 0x1000 }),
		     0);
	answer_word(0x10, COLLAPSED | OVERRUN);
	answer_word(0x18 + 0xc, PAGE);
	answer_word(0x18 + 0x7c, CQN);
}

TestSuite(many_export, .init = start);

static void export(int err, const char *reason)
{
	cr_expect_eq(devx_many_export(&many, &qp, &cq, &uar, &views), err, "%s", reason);
	cr_expect_not_null(strstr(dv_reason(), reason), "%s: %s", reason, dv_reason());
	start();
}

Test(many_export, has_the_addresses_of_the_host)
{
	memset(&many, 0x77, sizeof(many));
	cr_assert_eq(devx_many_export(&many, &qp, &cq, &uar, NULL), 0);
	cr_expect_eq((char *)many.sq.buf, (char *)memory);
	cr_expect_eq((char *)many.sq.dbrec, (char *)memory + 2 * 64 + 4, "of sends");
	cr_expect_eq((char *)many.sq.bf_reg, (char *)fake_page + 0x800);
	cr_expect_eq((char *)many.cq.cqe64, (char *)memory + 0x1000);
	cr_expect_eq(many.cq.cqe_cnt, 1);
	cr_expect_null(many.cq.dbrec);
}

Test(many_export, has_the_addresses_of_the_device)
{
	static _Alignas(4096) char there[0x4000];

	umem.addr = NULL;
	views = (struct devx_views){ .ring = there,
				     .record = there + 0x400,
				     .cqe = there + 0x800,
				     .reg = there + 0xc00 };
	cr_assert_eq(devx_many_export(&many, &qp, &cq, &uar, &views), 0);
	cr_expect_eq((char *)many.sq.buf, there);
	cr_expect_eq((char *)many.sq.dbrec, there + 0x404);
	cr_expect_eq((char *)many.cq.cqe64, there + 0x800);
	cr_expect_eq((char *)many.sq.bf_reg, there + 0xc00);
}

Test(many_export, is_refused)
{
	uar.shared = true;
	export(EINVAL, "register is that of all queues");
	uar.shared = views.only_queue = true;
	export(0, "");
	uar.page_id++;
	export(EINVAL, "another UAR");
	cq.obj.id++;
	export(EINVAL, "another CQ");
	qp.sq.pi = qp.sq.ci = 1;
	export(EBUSY, "posted to");
	qp.sq.pi = 1;
	export(EBUSY, "posted to");
	answer_word(0x10, OVERRUN);
	export(EINVAL, "not collapsed");
	answer_word(0x10, COLLAPSED);
	export(EINVAL, "not collapsed");
	answer_word(0x10, COLLAPSED | OVERRUN | CQE_128);
	export(EINVAL, "128 bytes");
	qp.rings.dbrec = NULL;
	export(EINVAL, "without an address");
	cq.cq.cqe64 = NULL;
	export(EINVAL, "without an address");
	qp.sq.buf = NULL;
	export(EINVAL, "without an address");
	qp.rings.sq.wqe_cnt = 3;
	export(EOPNOTSUPP, "dv cannot work with");
	fake.refused = 0x50b; /* QUERY_QP */
	export(EREMOTEIO, "");
	fake.refused = 0x402; /* QUERY_CQ */
	export(EREMOTEIO, "");
}
