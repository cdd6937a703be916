/* SPDX-License-Identifier: BSD-2-Clause */
/* GET_CONTEXT, QUERY_CONTEXT, PDs and doorbell pages: what libmlx5 reads at open. */
#include "bench.h"

#define SUITE	      context_response_is_what_libmlx5_reads
#define SUITE_CONTEXT context_response_is_what_libmlx5_reads_with_context

DEVICE_SUITE(SUITE);
CONTEXT_SUITE(SUITE_CONTEXT);

Test(SUITE, the_usual_request)
{
	struct mlx5_ib_alloc_ucontext_resp r;

	cr_assert_eq(get_context(&b, &usual_context, &r), 0);
	cr_assert_eq(b.hca.uctx.used, 2, "the context's, and the driver's own");
	cr_assert_eq(b.hca.tds.used, 1);
	cr_assert_eq(get_context(&b, &usual_context, &r), -EINVAL, "once a file");
}

Test(SUITE, what_is_refused)
{
	struct mlx5_ib_alloc_ucontext_req_v2 q;
	struct mlx5_ib_alloc_ucontext_resp r;

	WITH(q, usual_context, q.flags = 2, get_context(&b, &q, &r), -EOPNOTSUPP);
	WITH(q, usual_context, q.comp_mask = 1, get_context(&b, &q, &r), -EOPNOTSUPP);
	WITH(q, usual_context, q.reserved2 = 1, get_context(&b, &q, &r), -EOPNOTSUPP);
	WITH(q, usual_context, q.num_low_latency_bfregs = 16, get_context(&b, &q, &r), -EINVAL);
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	call_in(&c, UVERBS_ATTR_UHW_IN, &usual_context, 12);
	cr_assert_eq(call_run(&b, &c), -EINVAL, "neither version 0 nor 2");
	cr_assert_eq(b.hca.uctx.used, 1);
	cr_assert_eq(b.hca.tds.used, 0);
}

/* An older libmlx5 has a shorter answer. */
Test(SUITE, a_short_answer_says_its_length)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	struct mlx5_ib_alloc_ucontext_resp r = { .cqe_version = 0xaa };
	uint32_t vectors;
	uint64_t support;

	call_out(&c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, &vectors, sizeof(vectors));
	call_out(&c, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, &support, sizeof(support));
	call_in(&c, UVERBS_ATTR_UHW_IN, &usual_context, sizeof(usual_context));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &r, offsetof(typeof(r), cqe_version));
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_eq(r.response_length, offsetof(typeof(r), cqe_version));
	cr_assert_eq(r.cqe_version, 0xaa);
}

Test(SUITE, without_devx_there_is_no_uid)
{
	struct mlx5_ib_alloc_ucontext_req_v2 q = usual_context;
	struct mlx5_ib_alloc_ucontext_resp r;

	q.flags = 0;
	q.max_cqe_version = 0;
	cr_assert_eq(get_context(&b, &q, &r), 0);
	cr_assert_eq(b.hca.uctx.used, 1);
	cr_assert_eq(r.cqe_version, 0);
}

Test(SUITE, an_answer_that_cannot_be_written_leaves_no_context)
{
	struct mlx5_ib_alloc_ucontext_resp r;

	cr_assert_eq(get_context(&b, &usual_context, WILD), -EFAULT);
	cr_assert_eq(get_context(&b, &usual_context, &r), 0);
}

Test(SUITE_CONTEXT, vectors_and_core_support)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	struct mlx5_ib_alloc_ucontext_resp r;
	uint32_t vectors = 0;
	uint64_t support = 0;

	call_out(&c, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, &vectors, 4);
	call_out(&c, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, &support, 8);
	call_out(&c, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, &r, sizeof(r));
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_geq(vectors, 1);
	cr_assert_eq(vectors + 1, b.hca.eqs.used, "one event queue each, one for the rest");
	cr_assert_eq(support, IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS);
	cr_assert_eq(r.cqe_version, 1);
}

Test(SUITE_CONTEXT, a_pd_returns_its_number)
{
	struct call c = call(UVERBS_OBJECT_PD, 0x1000);
	uint32_t pdn = 0;

	call_object(&c, 0x1000, alloc_pd(&b));
	call_out(&c, 0x1001, &pdn, 4);
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_not_null(core_ids_get(&b.hca.pds, pdn));
}

/* The offset that UAR_ALLOC gives leads to the page that the device watches. */
Test(SUITE_CONTEXT, a_uar_is_a_page_of_the_bar)
{
	struct uar uar, other;

	cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &uar), 0);
	cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF, &other), 0);
	cr_assert_neq(uar.page, other.page);
	cr_assert_eq(uar.length, PAGE);
	cr_assert_eq(uar.offset, (uint64_t)(HCA_UAR_PGOFF + uar.page) * PAGE);
	uint8_t *p = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, b.hca.bar_fd, uar.offset);
	cr_assert_neq(p, MAP_FAILED);
	p[0x800] = 0x5a;
	struct hca_uar *dev = core_ids_get(&b.hca.uars, uar.page);
	cr_assert_eq(dev->page[0x800], 0x5a);
	cr_assert_eq(destroy_uar(&b, uar.handle), 0);
	cr_assert_eq(destroy_uar(&b, other.handle), 0);
	cr_assert_eq(alloc_uar(&b, 2, &uar), -EOPNOTSUPP);
}

Test(SUITE_CONTEXT, the_clock_page_converts_156_25_mhz)
{
	struct mlx5_ib_clock_info *info = hca_bar_map(&b.hca, HCA_CLOCK_INFO_PGOFF);
	cr_assert_not_null(info);
	cr_assert_eq(info->sign & MLX5_IB_CLOCK_INFO_KERNEL_UPDATING, 0);
	cr_assert_eq(fw_cap(&b.hca, "cmd_hca_cap", "device_frequency_khz"), 156250);
	/* 156250 cycles are a millisecond, to a nanosecond */
	uint64_t ns = 156250ull * info->mult >> info->shift;
	cr_assert(ns >= 999999 && ns <= 1000000, "%lu", (unsigned long)ns);
	cr_assert_eq(info->mult, (uint32_t)(6.4 * (1u << info->shift) + 0.5), "rounded");
	cr_assert_gt(info->nsec, 1600000000ull * 1000000000ull);
	/* mlx5_init_overflow_period: 2^63 >> 23 ns, in jiffies of 4 ms */
	cr_assert_eq(info->overflow_period, 274877);
	hca_bar_unmap(info);
}
