/* SPDX-License-Identifier: BSD-2-Clause */
/* REG_MR: what is refused, and what the mkey of an accepted one looks like. */
#include <time.h>

#include "bench.h"
#include "mem/mem.h"

#define SUITE mr_registration_checks_memory_and_rights

PD_SUITE(SUITE);
#define ALL                                                                          \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)

Test(SUITE, rights)
{
	const struct {
		uint32_t access;
		int ret;
	} cases[] = {
		{ 0, 0 },
		{ IBV_ACCESS_REMOTE_READ, 0 },
		{ ALL, 0 },
		{ IBV_ACCESS_REMOTE_WRITE, -EINVAL },
		{ IBV_ACCESS_REMOTE_ATOMIC, -EINVAL },
		{ IBV_ACCESS_RELAXED_ORDERING, 0 },
		{ 1u << 29, 0 }, /* optional: ignored */
		{ 1u << 10, -EINVAL },
		{ 1u << 31, -EINVAL },
		{ IBV_ACCESS_ON_DEMAND, 0 },
		{ IBV_ACCESS_ON_DEMAND | IBV_ACCESS_REMOTE_WRITE, -EINVAL },
		{ IBV_ACCESS_ZERO_BASED, 0 }, /* the iova is that of the command */
		{ IBV_ACCESS_HUGETLB, 0 },    /* without ON_DEMAND it is not read */
		{ IBV_ACCESS_MW_BIND, 0 },
	};
	struct ib_uverbs_reg_mr_resp mr;
	void *buf = pages(1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_assert_eq(reg_mr(&b, pd, buf, PAGE, cases[i].access, &mr), cases[i].ret,
			     "access %#x", cases[i].access);
}

Test(SUITE, memory)
{
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(4);

	cr_assert_eq(reg_mr(&b, pd, buf, 0, 0, &mr), -EINVAL);
	cr_assert_eq(reg_mr(&b, pd, buf, ~0ull, 0, &mr), -EINVAL, "wraps");
	cr_assert_eq(reg_mr(&b, pd, WILD, 8, 0, &mr), -EFAULT);
	munmap(buf + 2 * PAGE, PAGE);
	cr_assert_eq(reg_mr(&b, pd, buf, 2 * PAGE, 0, &mr), 0);
	cr_assert_eq(reg_mr(&b, pd, buf, 2 * PAGE + 1, 0, &mr), -EFAULT, "a hole");
	mprotect(buf, PAGE, PROT_READ);
	cr_assert_eq(reg_mr(&b, pd, buf, PAGE, 0, &mr), 0, "read-only, to be read");
	cr_assert_eq(reg_mr(&b, pd, buf, PAGE, IBV_ACCESS_LOCAL_WRITE, &mr), -EFAULT);
}

static enum mem_status touch(struct bench *b, uint32_t key, const uint8_t *at, uint64_t len)
{
	struct mem_ref ref = { .pd = hca_mkey_find(&b->hca, key)->pd,
			       .key = key,
			       .addr = (uintptr_t)at,
			       .len = len,
			       .rights = HCA_LOCAL_READ };

	return mem_check(&b->hca, &ref);
}

/* kernel, umem.c, ib_umem_find_best_pgsz: no page size fits. */
Test(SUITE, no_bytes_are_no_region)
{
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(1);

	cr_assert_eq(reg_mr(&b, pd, buf, 0, ALL, &mr), -EINVAL);
	cr_assert_eq(reg_mr(&b, pd, buf + 16, 0, ALL, &mr), -EINVAL);
	cr_assert_eq(reg_mr(&b, pd, buf + 16, 1, ALL, &mr), 0);
	cr_assert_eq(touch(&b, mr.lkey, buf + 16, 1), MEM_OK);
	cr_assert_eq(touch(&b, mr.lkey, buf + 17, 1), MEM_BOUNDS);
	cr_assert_eq(touch(&b, mr.lkey, buf + 15, 1), MEM_BOUNDS);
}

Test(SUITE, iova_must_share_the_offset_in_the_page)
{
	uint8_t *buf = pages(2);
	struct ib_uverbs_reg_mr cmd = { .start = (uintptr_t)buf + 8, .length = 100 };
	struct ib_uverbs_reg_mr_resp mr;

	cmd.pd_handle = alloc_pd(&b);
	cmd.hca_va = 16;
	cr_assert_eq(
		write_cmd(&b, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), &mr, sizeof(mr)),
		-EINVAL);
	cmd.hca_va = 8;
	cr_assert_eq(
		write_cmd(&b, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), &mr, sizeof(mr)), 0);
	struct hca_mkey *m = hca_mkey_find(&b.hca, mr.lkey);
	cr_assert(m);
	cr_assert_eq(m->start, 8);
	cr_assert_eq(m->len, 100);
	cr_assert_eq(hca_ring_at(&m->pages, 8), buf + 8);
}

static int query_mr(struct bench *b, uint32_t handle, uint32_t keys[2], uint64_t *len,
		    uint64_t *iova)
{
	struct call c = call(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);

	call_object(&c, UVERBS_ATTR_QUERY_MR_HANDLE, handle);
	call_out(&c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &keys[0], 4);
	call_out(&c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &keys[1], 4);
	call_out(&c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, len, 8);
	if (iova)
		call_out(&c, UVERBS_ATTR_QUERY_MR_RESP_IOVA, iova, 8);
	return call_run(b, &c);
}

Test(SUITE, a_region_returns_its_keys_when_imported)
{
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(1);
	uint64_t len, iova;
	uint32_t keys[2];

	cr_assert_eq(reg_mr(&b, pd, buf + 8, 100, 0, &mr), 0);
	cr_assert_eq(query_mr(&b, mr.mr_handle, keys, &len, &iova), 0);
	cr_assert_eq(keys[0], mr.lkey);
	cr_assert_eq(keys[1], mr.rkey);
	cr_assert_eq(len, 100);
	cr_assert_eq(iova, (uintptr_t)buf + 8);
	cr_assert_eq(query_mr(&b, mr.mr_handle, keys, &len, NULL), 0);
	cr_assert_eq(query_mr(&b, pd, keys, &len, NULL), -EINVAL, "no region");
	cr_assert_eq(query_mr(&b, 99, keys, &len, NULL), -ENOENT);
}

/* Wherever a region starts, byte k of it is byte k of the application's memory. */
Test(SUITE, the_page_list_leads_back_to_the_bytes)
{
	const size_t starts[] = { 0, 1, 0x30, PAGE - 1, PAGE, 5 * PAGE + 17 };
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(64);

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t len = 40 * PAGE + 3;

		cr_assert_eq(reg_mr(&b, pd, buf + starts[i], len, ALL, &mr), 0);
		cr_assert_eq(mr.lkey, mr.rkey);
		struct hca_mkey *m = hca_mkey_find(&b.hca, mr.lkey);
		cr_assert_eq(m->access, HCA_LOCAL_READ | HCA_LOCAL_WRITE | HCA_REMOTE_READ |
						HCA_REMOTE_WRITE | HCA_REMOTE_ATOMIC);
		uint64_t in_page = m->start & ((1ull << m->pages.log_page) - 1);
		for (size_t k = 0; k < len; k += 997)
			cr_assert_eq(hca_ring_at(&m->pages, in_page + k), buf + starts[i] + k);
		cr_assert_eq(dereg_mr(&b, mr.mr_handle), 0);
	}
}

/* Registers @len bytes that were never touched; returns the processor time that it took, in
 * ns. */
static double registration_costs(struct bench *b, uint32_t pd, size_t len)
{
	uint8_t *buf =
		mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct ib_uverbs_reg_mr_resp mr;
	struct timespec t0, t1;

	cr_assert_neq(buf, MAP_FAILED);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
	cr_assert_eq(reg_mr(b, pd, buf, len, 0, &mr), 0);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t1);
	cr_assert_leq(hca_mkey_find(&b->hca, mr.lkey)->pages.npas, 2);
	cr_assert_eq(dereg_mr(b, mr.mr_handle), 0);
	munmap(buf, len);
	return (double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec);
}

/* Sixteen times the memory: a cost per page is about 16 times as high, one per pair of pages
 * 256 times. */
Test(SUITE, one_gibibyte_is_a_short_list)
{
	double small, large;

	registration_costs(&b, pd, 1 << 20);
	small = registration_costs(&b, pd, 1ull << 26);
	large = registration_costs(&b, pd, 1ull << 30);
	cr_assert_lt(large / small, 64, "%g ns, %g ns", small, large);
}

Test(SUITE, a_key_is_not_given_twice_in_a_row)
{
	struct ib_uverbs_reg_mr_resp one, two;
	void *buf = pages(1);

	cr_assert_eq(reg_mr(&b, pd, buf, PAGE, 0, &one), 0);
	cr_assert_eq(dereg_mr(&b, one.mr_handle), 0);
	cr_assert_eq(reg_mr(&b, pd, buf, PAGE, 0, &two), 0);
	cr_assert_neq(one.lkey, two.lkey);
	cr_assert_null(hca_mkey_find(&b.hca, one.lkey));
	cr_assert_not_null(hca_mkey_find(&b.hca, two.lkey));
}
