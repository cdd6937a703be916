/* SPDX-License-Identifier: BSD-2-Clause */
/* RLIMIT_MEMLOCK (kernel, umem.c, ib_umem_get; mlx5_ib, doorbell.c): what counts, and for how
 * long. */
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "devx.h"

#define SUITE	 pinned_pages_are_limited
#define SUITE_QP pinned_pages_are_limited_with_qp

PD_SUITE(SUITE);
QP_SUITE(SUITE_QP);
#define WRITE IBV_ACCESS_LOCAL_WRITE

static void set_ipc_lock(bool have)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	cr_assert_eq(syscall(SYS_capget, &head, data), 0);
	if (have && !(data[0].permitted >> CAP_IPC_LOCK & 1))
		cr_skip_test("without CAP_IPC_LOCK");
	if (have)
		data[0].effective |= 1u << CAP_IPC_LOCK;
	else
		data[0].effective &= ~(1u << CAP_IPC_LOCK);
	cr_assert_eq(syscall(SYS_capset, &head, data), 0);
}

/* So many pages, and not a byte less than another one. */
static void limit(rlim_t n)
{
	struct rlimit r;

	set_ipc_lock(false);
	cr_assert_eq(getrlimit(RLIMIT_MEMLOCK, &r), 0);
	r.rlim_cur = n ? (n + 1) * PAGE - 1 : 0;
	cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &r), 0);
}

static int reg(struct bench *b, uint32_t pd, void *va, uint64_t len, uint32_t *mr)
{
	struct ib_uverbs_reg_mr_resp resp;
	int ret = reg_mr(b, pd, va, len, WRITE, &resp);

	*mr = resp.mr_handle;
	return ret;
}

/* How many more pages there may be. */
static int left(struct bench *b, uint32_t pd)
{
	uint8_t *buf = pages(64);
	uint32_t mr;
	int n;

	for (n = 64; n && reg(b, pd, buf, (uint64_t)n * PAGE, &mr) == -ENOMEM; n--)
		;
	if (n)
		cr_assert_eq(dereg_mr(b, mr), 0);
	munmap(buf, 64 * PAGE);
	return n;
}

Test(SUITE, regions_count_whole_pages_as_long_as_they_live)
{
	uint8_t *buf = pages(16);
	uint32_t a, c, none;

	limit(8);
	cr_assert_eq(left(&b, pd), 8);
	cr_assert_eq(reg(&b, pd, buf + PAGE - 1, 2, &a), 0);
	cr_assert_eq(left(&b, pd), 6, "two pages for two bytes");
	cr_assert_eq(reg(&b, pd, buf, 6 * PAGE, &c), 0);
	cr_assert_eq(left(&b, pd), 0, "and those that overlap count twice");
	cr_assert_eq(reg(&b, pd, buf + 8 * PAGE, 1, &none), -ENOMEM);
	cr_assert_eq(dereg_mr(&b, a), 0);
	cr_assert_eq(left(&b, pd), 2);
	cr_assert_eq(dereg_mr(&b, c), 0);
	cr_assert_eq(left(&b, pd), 8);
}

Test(SUITE, without_a_limit_nothing_may_be_pinned_and_with_the_capability_all)
{
	uint8_t *buf = pages(16);
	uint32_t mr;

	limit(0);
	cr_assert_eq(reg(&b, pd, buf, PAGE, &mr), -EPERM, "can_do_mlock");
	set_ipc_lock(true);
	cr_assert_eq(reg(&b, pd, buf, 16 * PAGE, &mr), 0);
	limit(8);
	cr_assert_eq(left(&b, pd), 0, "what came so counts as well");
}

Test(SUITE, memory_on_demand_is_not_pinned)
{
	struct ib_uverbs_reg_mr_resp resp;

	limit(8);
	cr_assert_eq(reg_mr(&b, pd, pages(16), 16 * PAGE, WRITE | IBV_ACCESS_ON_DEMAND, &resp),
		     0);
	cr_assert_eq(left(&b, pd), 8);
}

Test(SUITE, another_range_takes_the_place_of_the_first)
{
	struct ib_uverbs_rereg_mr cmd = { .flags = IBV_REREG_MR_CHANGE_TRANSLATION,
					  .length = 3 * PAGE };
	struct ib_uverbs_rereg_mr_resp resp;
	uint32_t mr;

	limit(8);
	cr_assert_eq(reg(&b, pd, pages(5), 5 * PAGE, &mr), 0);
	cmd.mr_handle = mr;
	cmd.start = cmd.hca_va = (uintptr_t)pages(8);
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_REREG_MR, &cmd, sizeof(cmd), &resp,
			       sizeof(resp)),
		     0);
	cr_assert_eq(left(&b, pd), 5);
	cmd.length = 6 * PAGE;
	cr_assert_eq(write_cmd(&b, IB_USER_VERBS_CMD_REREG_MR, &cmd, sizeof(cmd), &resp,
			       sizeof(resp)),
		     -ENOMEM, "both are pinned for a moment");
	cr_assert_eq(left(&b, pd), 5);
}

Test(SUITE, a_umem_counts)
{
	struct umem m = { .va = (uintptr_t)pages(6), .len = 6 * PAGE, .access = WRITE };

	limit(8);
	cr_assert_eq(umem_reg(&b, &m), 0);
	cr_assert_eq(left(&b, pd), 2);
	cr_assert_eq(umem_dereg(&b, m.handle), 0);
	cr_assert_eq(left(&b, pd), 8);
	m.len = 9 * PAGE;
	cr_assert_eq(umem_reg(&b, &m), -ENOMEM);
}

/* The rig's CQ: a ring of one page; its QP: two pages. */
Test(SUITE_QP, rings_count_and_records_of_a_page_once)
{
	struct ib_uverbs_destroy_qp_resp gone;
	struct cq_attr a;
	struct qp qp;
	struct cq cq;

	limit(16);
	cr_assert_eq(left(&r.b, r.pd), 11, "1 + 1 and 2 + 1");
	a = cq_attr(&r.uar);
	a.uhw.db_addr = r.attr.uhw.db_addr + 64;
	cr_assert_eq(create_cq(&r.b, &a, &cq), 0);
	cr_assert_eq(left(&r.b, r.pd), 10, "the page of the record is there");
	cr_assert_eq(destroy_qp(&r.b, r.qp.handle, &gone), 0);
	cr_assert_eq(left(&r.b, r.pd), 12, "and stays for the other");
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), 0);
	cr_assert_eq(left(&r.b, r.pd), 10);
	limit(7);
	cr_assert_eq(create_qp(&r.b, &r.attr, &qp), -ENOMEM);
	limit(6);
	cr_assert_eq(create_cq(&r.b, &a, &cq), -ENOMEM);
}

Test(SUITE_QP, a_context_that_closes_gives_all_back)
{
	struct mlx5_ib_alloc_ucontext_resp resp;

	uverbs_release(r.b.f);
	r.b.f = uverbs_open(r.b.u);
	cr_assert_eq(get_context(&r.b, &usual_context, &resp), 0);
	limit(16);
	cr_assert_eq(left(&r.b, alloc_pd(&r.b)), 16);
}
