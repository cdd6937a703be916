/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of QUERY_DEVICE can be reached. */
#include "prm/prm.h"
#include "shared.h"

#define SUITE	     device_limits_are_reached
#define SUITE_DEVICE device_limits_are_reached_with_device

QP_SUITE(SUITE);
DEVICE_SUITE(SUITE_DEVICE);
#define MANY 70000 /* more than 16 bits of number */

static struct ib_uverbs_query_device_resp device(struct bench *b)
{
	struct ib_uverbs_query_device cmd = { 0 };
	struct ib_uverbs_query_device_resp r;

	cr_assert_eq(
		write_cmd(b, IB_USER_VERBS_CMD_QUERY_DEVICE, &cmd, sizeof(cmd), &r, sizeof(r)),
		0);
	return r;
}

static int new_pd(struct bench *b, uint32_t *pdn)
{
	struct ib_uverbs_alloc_pd_resp resp;
	uint64_t none = 0;

	return write_uhw(b, IB_USER_VERBS_CMD_ALLOC_PD,
			 (struct buf){ &none, sizeof(none), &resp, sizeof(resp) },
			 (struct buf){ .out = pdn, .out_len = sizeof(*pdn) });
}

/* The 24 bits of a number begin at 0x010001 and go round. */
Test(SUITE_DEVICE, pds_of_a_device_with_few)
{
	uint32_t pdn, n = 0;
	int ret;

	call_run = call_once; /* there are many */
	PRM_SET(cmd_hca_cap, b.hca.caps[0], log_max_pd, 17);
	uverbs_release(b.f);
	uverbs_remove(b.u);
	b.u = uverbs_probe(&b.hca, &(struct uverbs_config){ .fw_ver = "1.2.3",
							    .addresses = test_addresses,
							    .naddresses = TEST_ADDRESSES });
	b.f = uverbs_open(b.u);
	cr_assert_eq(
		get_context(&b, &usual_context, &(struct mlx5_ib_alloc_ucontext_resp){ 0 }), 0);
	while ((ret = new_pd(&b, &pdn)) == 0)
		cr_assert_eq(pdn, 0x10001 + n++);
	cr_assert_eq(ret, -ENOMEM);
	cr_assert_eq(n, device(&b).max_pd);
	cr_assert_eq(n, 1u << 17);
}

/* One for each processor, eight at most, and one where sysconf(3) fails. */
Test(SUITE_DEVICE, completion_vectors)
{
	static const struct {
		long processors;
		uint32_t vectors;
	} rows[] = { { -1, 1 }, { 1, 1 }, { 2, 2 }, { 7, 7 }, { 8, 8 }, { 9, 8 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bench_down(&b);
		processors = rows[i].processors;
		context_open();
		cr_expect_eq(comp_vectors, rows[i].vectors, "%ld", processors);
		cr_expect_eq(b.hca.eqs.used, 1 + comp_vectors, "one is for other events");
	}
}

Test(SUITE, regions_cqs_and_srqs)
{
	struct ib_uverbs_reg_mr_resp mr;
	struct srq_attr srq_attrs;
	struct cq_attr cq_attrs;
	struct srq srq;
	struct cq cq;
	uint8_t *buf = pages(1);

	cr_assert_geq(device(&r.b).max_mr, MANY);
	cr_assert_geq(device(&r.b).max_cq, MANY);
	cr_assert_geq(device(&r.b).max_srq, MANY);
	cq_attrs = cq_attr(&r.uar);
	srq_attrs = srq_attr(r.pd);
	call_run = call_once;
	for (int i = 0; i < MANY; i++) {
		cr_assert_eq(reg_mr(&r.b, r.pd, buf, 1, 0, &mr), 0, "%d", i);
		cr_assert_eq(create_cq(&r.b, &cq_attrs, &cq), 0, "%d", i);
		cr_assert_eq(create_srq(&r.b, &srq_attrs, &srq), 0, "%d", i);
	}
	cr_assert_gt(cq.cqn, 0x20000);
}

Test(SUITE, qps)
{
	struct qp qp;
	uint32_t n = 1;
	int ret;

	call_run = call_once;
	while ((ret = create_qp(&r.b, &r.attr, &qp)) == 0)
		n++;
	cr_assert_eq(ret, -EINVAL, "BAD_RES, as adapters say of QPs");
	cr_assert_eq(n, device(&r.b).max_qp);
}
