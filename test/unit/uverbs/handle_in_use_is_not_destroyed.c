/* SPDX-License-Identifier: BSD-2-Clause */
/* Handles: the lowest free number, the right type, no destruction while in use. */
#include "queues.h"

#define SUITE	     handle_in_use_is_not_destroyed
#define SUITE_QP     handle_in_use_is_not_destroyed_with_qp
#define SUITE_DEVICE handle_in_use_is_not_destroyed_with_device
#define SUITE_ALONE  handle_in_use_is_not_destroyed_alone

CONTEXT_SUITE(SUITE);
QP_SUITE(SUITE_QP);
DEVICE_SUITE(SUITE_DEVICE);

Test(SUITE, the_lowest_number_is_given_to_any_type)
{
	struct ib_uverbs_reg_mr_resp mr;
	struct uar uar;
	void *buf = pages(1);

	cr_assert_eq(alloc_pd(&b), 0);
	cr_assert_eq(alloc_pd(&b), 1);
	cr_assert_eq(alloc_pd(&b), 2);
	cr_assert_eq(dealloc_pd(&b, 1), 0);
	cr_assert_eq(reg_mr(&b, 0, buf, PAGE, 0, &mr), 0);
	cr_assert_eq(mr.mr_handle, 1);
	cr_assert_eq(alloc_uar(&b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &uar), 0);
	cr_assert_eq(uar.handle, 3);
}

Test(SUITE, hundreds_of_them)
{
	for (uint32_t i = 0; i < 300; i++)
		cr_assert_eq(alloc_pd(&b), i);
	cr_assert_eq(dealloc_pd(&b, 77), 0);
	cr_assert_eq(dealloc_pd(&b, 200), 0);
	cr_assert_eq(alloc_pd(&b), 77);
	cr_assert_eq(alloc_pd(&b), 200);
	cr_assert_eq(alloc_pd(&b), 300);
}

Test(SUITE, wrong_ones_are_distinguished)
{
	struct ib_uverbs_reg_mr_resp mr;

	uint32_t pd = alloc_pd(&b);
	cr_assert_eq(dealloc_pd(&b, 5), -ENOENT);
	cr_assert_eq(dealloc_pd(&b, 1000000), -ENOENT);
	cr_assert_eq(dereg_mr(&b, pd), -EINVAL, "a PD is no MR");
	cr_assert_eq(reg_mr(&b, 99, pages(1), PAGE, 0, &mr), -EINVAL, "write commands: EINVAL");
	struct call c = call(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);
	call_object(&c, UVERBS_ATTR_DESTROY_PD_HANDLE, 1ull << 32);
	cr_assert_eq(call_run(&b, &c), -EINVAL);
	c.attr[0].data = pd;
	c.attr[0].len = 4;
	cr_assert_eq(call_run(&b, &c), -EINVAL, "a handle has no length");
	cr_assert_eq(dealloc_pd(&b, pd), 0);
	cr_assert_eq(dealloc_pd(&b, pd), -ENOENT);
}

Test(SUITE_ALONE, another_file_has_other_handles)
{
	struct bench b, other;
	struct mlx5_ib_alloc_ucontext_resp resp;

	bench_context(&b);
	other = b;
	other.f = uverbs_open(b.u);
	cr_assert_eq(get_context(&other, &usual_context, &resp), 0);
	cr_assert_eq(alloc_pd(&b), 0);
	cr_assert_eq(dealloc_pd(&other, 0), -ENOENT);
	cr_assert_eq(alloc_pd(&other), 0);
	uverbs_release(other.f);
	cr_assert_eq(dealloc_pd(&b, 0), 0);
	bench_down(&b);
}

Test(SUITE_QP, used_is_busy)
{
	struct ib_uverbs_destroy_cq_resp cr;
	struct ib_uverbs_destroy_qp_resp qr;
	struct ib_uverbs_reg_mr_resp mr;

	cr_assert_eq(reg_mr(&r.b, r.pd, pages(1), PAGE, 0, &mr), 0);
	cr_assert_eq(dealloc_pd(&r.b, r.pd), -EBUSY);
	cr_assert_eq(destroy_cq(&r.b, r.cq.handle, &cr), -EBUSY);
	cr_assert_eq(destroy_uar(&r.b, r.uar.handle), -EINVAL);
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &qr), 0);
	cr_assert_eq(dealloc_pd(&r.b, r.pd), -EBUSY, "the MR");
	cr_assert_eq(dereg_mr(&r.b, mr.mr_handle), 0);
	cr_assert_eq(dealloc_pd(&r.b, r.pd), 0);
	cr_assert_eq(destroy_uar(&r.b, r.uar.handle), 0);
	cr_assert_eq(destroy_cq(&r.b, r.cq.handle, &cr), 0, "a CQ does not hold its page");
}

Test(SUITE_ALONE, close_takes_everything_with_it)
{
	struct ib_uverbs_reg_mr_resp mr;
	struct rig r;

	bench_up(&r.b);
	struct mlx5_ib_alloc_ucontext_resp resp;
	cr_assert_eq(get_context(&r.b, &usual_context, &resp), 0);
	int fd = alloc_async_fd(&r.b);
	rig_queues(&r);
	cr_assert_eq(reg_mr(&r.b, r.pd, pages(4), 4 * PAGE, IBV_ACCESS_LOCAL_WRITE, &mr), 0);
	walk_to(&r, IBV_QPS_RTS);
	close(fd);
	bench_down(&r.b);
}

/* Handle order is not age order: a PD that took a freed number is younger than its users'
 * peers. */
Test(SUITE_DEVICE, close_finds_the_order_whatever_the_numbers)
{
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct ib_uverbs_reg_mr_resp mr;

	cr_assert_eq(get_context(&b, &usual_context, &resp), 0);
	alloc_pd(&b);
	uint32_t pd = alloc_pd(&b);
	cr_assert_eq(dealloc_pd(&b, 0), 0);
	cr_assert_eq(reg_mr(&b, pd, pages(1), PAGE, 0, &mr), 0);
	cr_assert_eq(mr.mr_handle, 0);
}

/* A function of LeakSanitizer, if the program is built with it. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* Without DevX a context has no uid, and firmware lets it name any page. */
Test(SUITE_ALONE, a_page_that_another_file_uses_does_not_keep_the_close)
{
	struct mlx5_ib_alloc_ucontext_req_v2 plain = usual_context;
	struct mlx5_ib_alloc_ucontext_resp resp;
	struct uverbs_file *other;
	struct cq_attr a;
	struct rig r;

	plain.flags = 0;
	bench_context(&r.b);
	cr_assert_eq(alloc_uar(&r.b, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC, &r.uar), 0);
	other = r.b.f;
	r.b.f = uverbs_open(r.b.u);
	cr_assert_eq(get_context(&r.b, &plain, &resp), 0);
	r.pd = alloc_pd(&r.b);
	a = cq_attr(&r.uar);
	cr_assert_eq(create_cq(&r.b, &a, &r.cq), 0);
	rig_attr(&r);
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0);
	uverbs_release(other);
	other = NULL;
	cr_assert_eq(create_qp(&r.b, &r.attr, &r.qp), 0,
		     "the page is still there for its user");
	r.b.objects += 2; /* firmware keeps it, and its user context */
	bench_down(&r.b);
	if (__lsan_do_recoverable_leak_check)
		cr_assert_eq(__lsan_do_recoverable_leak_check(), 0);
}
