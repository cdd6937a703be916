/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts without MLX5_LIB_CAP_DYN_UAR: the kernel allocates UAR pages and chooses the
 * doorbell register of each QP. */
#include "shared.h"
#include "uverbs/driver.h"

#define SUITE static_uar_pages_have_registers

enum { STATIC_MAX = 512, DYNAMIC = 1024 };

static uint32_t before; /* pages that were there */

static void static_uars_open(void)
{
	bench_up(&r.b);
	before = r.b.hca.uars.used;
}

static void static_uars_close(void)
{
	uverbs_release(r.b.f);
	cr_expect_eq(r.b.hca.uars.used, before, "all pages end with the file");
	r.b.f = NULL;
	bench_down(&r.b);
}

TestSuite(SUITE, .init = static_uars_open, .fini = static_uars_close);

static int context(uint32_t total, uint32_t low, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	struct mlx5_ib_alloc_ucontext_req_v2 q = usual_context;

	q.total_num_bfregs = total;
	q.num_low_latency_bfregs = low;
	q.lib_caps = MLX5_LIB_CAP_4K_UAR;
	return get_context(&r.b, &q, resp);
}

/* A PD, a CQ on the first page, and what a QP is that leaves its register to the kernel. */
static void open_with_uars(uint32_t total, uint32_t low)
{
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct cq_attr cq = cq_attr(&r.uar);

	cr_assert_eq(context(total, low, &resp), 0);
	r.pd = alloc_pd(&r.b);
	cq.uhw.flags = 0;
	cr_assert_eq(create_cq(&r.b, &cq, &r.cq), 0);
	rig_attr(&r);
	r.attr.uhw.flags = 0;
}

static uint32_t page_of(const struct qp *qp)
{
	return hca_qp_find(&r.b.hca, qp->qpn)->uar->index;
}

static int map(uint32_t command, uint32_t index, uint32_t *page)
{
	uint64_t offset = ((uint64_t)(index >> 8) << 16 | command << 8 | (index & 0xff)) * PAGE;
	int ret = uverbs_mmap(r.b.f, PAGE, &offset);

	*page = (uint32_t)(offset / PAGE) - HCA_UAR_PGOFF;
	return ret;
}

/* A QP whose answer has @index, and that rings the page which the index of the mapping says. */
static struct qp expect_register(uint32_t index)
{
	struct qp qp = { .bfreg = 77 };
	uint32_t page;

	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_assert_eq(qp.bfreg, index, "%u", qp.bfreg);
	cr_assert_eq(map(MLX5_IB_MMAP_REGULAR_PAGE, index / 4, &page), 0);
	cr_assert_eq(page_of(&qp), page);
	return qp;
}

Test(SUITE, as_many_as_are_asked_for)
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	cr_assert_eq(context(15, 4, &resp), 0);
	cr_expect_eq(resp.tot_bfregs, 16);
	cr_expect_eq(resp.num_dyn_bfregs, DYNAMIC);
	cr_expect_eq(r.b.hca.uars.used, before + 8);
}

Test(SUITE, within_limits)
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	cr_expect_eq(context(0, 0, &resp), -EINVAL);
	cr_expect_eq(context(STATIC_MAX + 1, 0, &resp), -ENOMEM);
	cr_expect_eq(context(15, 16, &resp), -EINVAL);
	cr_expect_eq(context(STATIC_MAX, STATIC_MAX - 1, &resp), 0);
	cr_expect_eq(resp.tot_bfregs, STATIC_MAX);
	cr_expect_eq(r.b.hca.uars.used, before + STATIC_MAX / 2);
}

Test(SUITE, or_none_where_the_device_has_too_few)
{
	struct mlx5_ib_alloc_ucontext_resp resp;
	uint32_t first = 0, page = 0, left;

	while (!uverbs_fw_alloc(r.b.u, PRM_OP_ALLOC_UAR, 0, &page))
		first = first ? first : page;
	cr_assert_eq(uverbs_fw_number(r.b.u, PRM_OP_DEALLOC_UAR, 0, first), 0);
	left = r.b.hca.uars.used;
	cr_expect_lt(context(4, 0, &resp), 0, "two pages, and there is one");
	cr_expect_eq(context(2, 0, &resp), 0);
	r.b.objects += left - before;
	before = left;
}

Test(SUITE, low_latency_first_then_the_least_used)
{
	static const uint32_t index[] = { 9, 12, 13, 1, 4, 5, 8, 1, 4 };
	struct ib_uverbs_destroy_qp_resp resp;
	struct qp qp[sizeof(index) / sizeof(index[0])];

	open_with_uars(8, 3);
	for (size_t i = 0; i < sizeof(index) / sizeof(index[0]); i++)
		qp[i] = expect_register(index[i]);
	cr_assert_eq(destroy_qp(&r.b, qp[1].handle, &resp), 0);
	cr_assert_eq(destroy_qp(&r.b, qp[3].handle, &resp), 0);
	cr_assert_eq(destroy_qp(&r.b, qp[7].handle, &resp), 0);
	expect_register(12);
	expect_register(1);
	expect_register(1);
	expect_register(5);
}

/* mlx5_ib, cq.c, create_cq_user: flags came later. */
Test(SUITE, cqs_of_old_programs_have_no_flags)
{
	struct cq_attr a = cq_attr(&r.uar);

	open_with_uars(2, 1);
	call_run = with_length;
	length = offsetof(struct mlx5_ib_create_cq, flags);
	cr_expect_eq(create_cq(&r.b, &a, &r.cq), 0);
	length--;
	cr_expect_eq(create_cq(&r.b, &a, &r.cq), -EINVAL);
}

Test(SUITE, without_shared_ones_the_first)
{
	open_with_uars(2, 1);
	expect_register(1);
	expect_register(0);
	expect_register(0);
}

Test(SUITE, without_low_latency_the_shared_ones)
{
	open_with_uars(4, 0);
	expect_register(1);
	expect_register(4);
	expect_register(5);
	expect_register(1);
}

Test(SUITE, old_requests_have_the_first)
{
	struct call c = call(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	struct mlx5_ib_alloc_ucontext_req q = { 4, 1 };
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct cq_attr cq = cq_attr(&r.uar);

	call_in(&c, UVERBS_ATTR_UHW_IN, &q, sizeof(q));
	call_out(&c, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	cr_assert_eq(call_run(&r.b, &c), 0);
	cr_expect_eq(resp.tot_bfregs, 4);
	r.pd = alloc_pd(&r.b);
	cq.uhw.flags = 0;
	cr_assert_eq(create_cq(&r.b, &cq, &r.cq), 0);
	rig_attr(&r);
	r.attr.uhw.flags = 0;
	r.attr.uhw.uidx = 0xffffff;
	expect_register(0);
	expect_register(0);
}

Test(SUITE, a_qp_that_fails_gives_its_register_back)
{
	struct qp qp;

	open_with_uars(4, 1);
	FIRMWARE_HAS_ECE(&r, false);
	r.attr.uhw.ece_options = 1;
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), -EINVAL);
	r.attr.uhw.ece_options = 0;
	expect_register(5);
}

Test(SUITE, cqs_are_armed_in_the_first_page)
{
	uint32_t page;

	open_with_uars(4, 1);
	cr_assert_eq(map(MLX5_IB_MMAP_REGULAR_PAGE, 0, &page), 0);
	cr_expect_eq(hca_cq_find(&r.b.hca, r.cq.cqn)->uar->index, page);
}

Test(SUITE, pages_are_mapped_by_their_index)
{
	uint32_t first, page;
	uint64_t offset = PAGE;

	open_with_uars(4, 1);
	cr_assert_eq(map(MLX5_IB_MMAP_REGULAR_PAGE, 0, &first), 0);
	cr_assert_eq(map(MLX5_IB_MMAP_WC_PAGE, 0, &page), 0);
	cr_expect_eq(page, first);
	cr_assert_eq(map(MLX5_IB_MMAP_NC_PAGE, 1, &page), 0);
	cr_expect_neq(page, first);
	cr_assert_not_null(core_ids_get(&r.b.hca.uars, page));
	cr_expect_eq(map(MLX5_IB_MMAP_REGULAR_PAGE, 2, &page), -EINVAL);
	cr_expect_eq(uverbs_mmap(r.b.f, PAGE + 1, &offset), -EINVAL);
	cr_expect_eq(uverbs_mmap(r.b.f, 0, &offset), -EINVAL);
	cr_expect_eq(offset, PAGE);
	cr_expect_eq(uverbs_mmap(r.b.f, 1, &offset), 0, "a page, too");
	offset = (uint64_t)HCA_CLOCK_PGOFF * PAGE;
	cr_expect_eq(uverbs_mmap(r.b.f, PAGE, &offset), 0);
	cr_expect_eq(offset, (uint64_t)HCA_CLOCK_PGOFF * PAGE);
}

static int query_uar(uint32_t bfreg, uint32_t *page)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR);

	call_u32(&c, MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX, bfreg);
	call_out(&c, MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX, page, 4);
	return call_run(&r.b, &c);
}

Test(SUITE, mappings_make_pages)
{
	uint32_t page, last, is;
	struct qp qp;

	open_with_uars(4, 1);
	cr_expect_eq(query_uar(0, &is), -EINVAL, "it is not there yet");
	cr_assert_eq(map(MLX5_IB_MMAP_ALLOC_WC, 0, &page), 0);
	cr_expect_eq(r.b.hca.uars.used, before + 3);
	cr_expect_eq(map(MLX5_IB_MMAP_ALLOC_WC, 0, &is), -EINVAL, "it is taken");
	cr_assert_eq(map(MLX5_IB_MMAP_ALLOC_WC, DYNAMIC / 2 - 1, &last), 0);
	cr_expect_eq(map(MLX5_IB_MMAP_ALLOC_WC, DYNAMIC / 2, &is), -EINVAL);
	cr_expect_eq(r.b.hca.uars.used, before + 4);
	cr_expect_neq(page, last);
	cr_assert_eq(query_uar(1, &is), 0);
	cr_expect_eq(is, page);
	cr_assert_eq(query_uar(DYNAMIC - 2, &is), 0);
	cr_expect_eq(is, last);
	cr_expect_eq(query_uar(2, &is), -EINVAL);
	cr_expect_eq(query_uar(DYNAMIC, &is), -EINVAL);
	r.attr.uhw.flags = MLX5_QP_FLAG_BFREG_INDEX;
	r.attr.uhw.bfreg_index = DYNAMIC - 1;
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_expect_eq(page_of(&qp), last);
	cr_expect_eq(qp.bfreg, UINT32_MAX, "the application's own");
	r.attr.uhw.bfreg_index = 2;
	cr_expect_eq(create_qp(&r.b, &r.attr, &qp), -EINVAL);
	r.attr.uhw.bfreg_index = 0;
	r.attr.uhw.flags |= MLX5_QP_FLAG_UAR_PAGE_INDEX;
	cr_expect_eq(create_qp(&r.b, &r.attr, &qp), -EINVAL, "one of both");
}

Test(SUITE, mappings_that_fail_make_none)
{
	const uint64_t dynamic =
		(uint64_t)(1 << 16 | MLX5_IB_MMAP_ALLOC_WC << 8 | 1) * PAGE; /* 257 */
	uint32_t page, is;

	open_with_uars(4, 1);
	cr_assert_eq(map(MLX5_IB_MMAP_ALLOC_WC, 257, &page), 0);
	uverbs_mmap_failed(r.b.f, 0);
	cr_expect_eq(r.b.hca.uars.used, before + 3, "static ones stay");
	uverbs_mmap_failed(r.b.f, dynamic);
	cr_expect_eq(r.b.hca.uars.used, before + 2);
	cr_expect_eq(query_uar(514, &is), -EINVAL);
	cr_expect_eq(map(MLX5_IB_MMAP_ALLOC_WC, 257, &page), 0, "once more");
}

Test(SUITE, contexts_whose_pages_are_objects_have_none)
{
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct cq_attr cq;
	uint32_t page;
	struct qp qp;

	cr_expect_eq(map(MLX5_IB_MMAP_REGULAR_PAGE, 0, &page), -EINVAL, "no context");
	cr_assert_eq(get_context(&r.b, &usual_context, &resp), 0);
	rig_queues(&r);
	cr_expect_eq(map(MLX5_IB_MMAP_REGULAR_PAGE, 0, &page), -EINVAL);
	cr_expect_eq(map(MLX5_IB_MMAP_ALLOC_WC, 0, &page), -EINVAL);
	cr_expect_eq(query_uar(0, &page), -EINVAL);
	cq = cq_attr(&r.uar);
	cq.uhw.flags = 0;
	cr_expect_eq(create_cq(&r.b, &cq, &r.cq), -EINVAL);
	r.attr.uhw.flags = 0;
	cr_expect_eq(create_qp(&r.b, &r.attr, &qp), -EINVAL);
}
