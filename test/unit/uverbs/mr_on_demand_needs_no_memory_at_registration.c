/* SPDX-License-Identifier: BSD-2-Clause */
/* ON_DEMAND: registration of what is not there, what the device makes of it, ADVISE_MR. */
#include "bench.h"
#include "mem/mem.h"

#define SUITE mr_on_demand_needs_no_memory_at_registration
#define ODP   (IBV_ACCESS_ON_DEMAND | IBV_ACCESS_LOCAL_WRITE)

PD_SUITE(SUITE);

static struct mem_ref ref(uint32_t key, const void *va, uint64_t len, uint8_t rights)
{
	return (struct mem_ref){ .pd = hca_mkey_find(&b.hca, key)->pd,
				 .key = key,
				 .addr = (uintptr_t)va,
				 .len = len,
				 .rights = rights };
}

static int advise(uint32_t in_pd, uint32_t advice, uint32_t flags,
		  const struct ib_uverbs_sge *sge, uint16_t len)
{
	struct call c = call(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);

	call_object(&c, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, in_pd);
	call_u64(&c, UVERBS_ATTR_ADVISE_MR_ADVICE, advice);
	call_u32(&c, UVERBS_ATTR_ADVISE_MR_FLAGS, flags);
	call_in(&c, UVERBS_ATTR_ADVISE_MR_SGE_LIST, sge, len);
	return call_run(&b, &c);
}

static int prefetch(uint32_t advice, uint32_t flags, void *va, uint32_t len, uint32_t key)
{
	struct ib_uverbs_sge sge = { .addr = (uintptr_t)va, .length = len, .lkey = key };

	return advise(pd, advice, flags, &sge, sizeof(sge));
}

static bool resident(void *page)
{
	unsigned char in;

	cr_assert_eq(mincore(page, PAGE, &in), 0);
	return in & 1;
}

#define READ	IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH
#define WRITE	IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE
#define NOFAULT IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT
#define FLUSH	IB_UVERBS_ADVISE_MR_FLAG_FLUSH

Test(SUITE, memory_may_come_and_go)
{
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(3);
	struct mem_ref r;
	char got[8];

	munmap(buf, 3 * PAGE);
	cr_assert_eq(reg_mr(&b, pd, buf, 3 * PAGE, IBV_ACCESS_LOCAL_WRITE, &mr), -EFAULT);
	cr_assert_eq(reg_mr(&b, pd, buf, 3 * PAGE, ODP, &mr), 0);
	r = ref(mr.lkey, buf + PAGE - 4, 8, HCA_LOCAL_READ | HCA_LOCAL_WRITE);
	cr_assert_eq(mem_check(&b.hca, &r), MEM_OK, "the key knows its range, not its pages");
	r.addr += 2 * PAGE;
	cr_assert_neq(mem_check(&b.hca, &r), MEM_OK, "4 bytes are beyond its end");
	r.addr -= 2 * PAGE;
	cr_assert_eq(mem_write(&b.hca, &r, "12345678"), MEM_FAULT);
	cr_assert_eq(mmap(buf, 3 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		     buf);
	cr_assert_not(resident(buf));
	cr_assert_eq(mem_write(&b.hca, &r, "12345678"), MEM_OK);
	cr_assert_arr_eq(buf + PAGE - 4, "12345678", 8);
	mprotect(buf, 3 * PAGE, PROT_READ);
	cr_assert_eq(mem_write(&b.hca, &r, "abcdefgh"), MEM_FAULT);
	cr_assert_eq(mem_read(&b.hca, &r, got), MEM_OK);
	munmap(buf, 3 * PAGE);
	cr_assert_eq(mem_read(&b.hca, &r, got), MEM_FAULT);
	cr_assert_eq(dereg_mr(&b, mr.mr_handle), 0);
}

Test(SUITE, nothing_is_touched_at_registration)
{
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(4);

	cr_assert_eq(reg_mr(&b, pd, buf, 4 * PAGE, ODP, &mr), 0);
	cr_assert_not(resident(buf));
	cr_assert_eq(reg_mr(&b, pd, buf, 4 * PAGE, IBV_ACCESS_LOCAL_WRITE, &mr), 0);
	cr_assert(resident(buf));
	mprotect(buf, PAGE, PROT_READ);
	cr_assert_eq(reg_mr(&b, pd, buf, PAGE, ODP, &mr), 0, "read-only is no hindrance");
}

Test(SUITE, ranges_that_are_not_valid)
{
	struct ib_uverbs_reg_mr cmd = {
		.length = UINT64_MAX, .hca_va = PAGE, .pd_handle = pd, .access_flags = ODP
	};
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(1);

	cr_assert_eq(reg_mr(&b, pd, buf, 0, ODP, &mr), -EINVAL);
	cr_assert_eq(reg_mr(&b, pd, NULL, UINT64_MAX, ODP | IBV_ACCESS_HUGETLB, &mr), -EINVAL);
	cr_assert_eq(reg_mr(&b, pd, buf, UINT64_MAX - 100, ODP, &mr), -EOVERFLOW);
	cr_assert_eq(reg_mr(&b, pd, (void *)-(3 * PAGE), 2 * PAGE, ODP, &mr), 0);
	cr_assert_eq(reg_mr(&b, pd, (void *)-(3 * PAGE), 2 * PAGE + 1, ODP, &mr), -EOVERFLOW,
		     "ib_init_umem_odp(): the end, as pages");
	cr_assert_eq(
		write_cmd(&b, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), &mr, sizeof(mr)),
		-EINVAL, "all addresses, but counted from elsewhere");
	cr_assert_eq(reg_mr(&b, pd, NULL, UINT64_MAX, IBV_ACCESS_LOCAL_WRITE, &mr), -EINVAL,
		     "all addresses, but pinned");
}

Test(SUITE, implicit_covers_everything)
{
	struct ib_uverbs_reg_mr_resp mr;
	uint8_t *buf = pages(2);
	uint64_t len;
	struct mem_ref r;
	struct call c = call(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	uint32_t key;

	cr_assert_eq(reg_mr(&b, pd, NULL, UINT64_MAX, ODP, &mr), 0);
	r = ref(mr.lkey, buf + PAGE - 2, 4, HCA_LOCAL_WRITE);
	cr_assert_eq(mem_write(&b.hca, &r, "odp"), MEM_OK);
	cr_assert_str_eq((char *)buf + PAGE - 2, "odp");
	r = ref(mr.rkey, buf, 4, HCA_REMOTE_WRITE);
	cr_assert_eq(mem_check(&b.hca, &r), MEM_RIGHTS);
	r = ref(mr.lkey, WILD, 4, HCA_LOCAL_WRITE);
	cr_assert_eq(mem_write(&b.hca, &r, "odp"), MEM_FAULT);
	call_object(&c, UVERBS_ATTR_QUERY_MR_HANDLE, mr.mr_handle);
	call_out(&c, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &key, 4);
	call_out(&c, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &key, 4);
	call_out(&c, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &len, 8);
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_eq(key, mr.rkey);
	cr_assert_eq(len, UINT64_MAX);
}

Test(SUITE, prefetch_brings_pages_in)
{
	struct ib_uverbs_reg_mr_resp mr, all;
	uint8_t *buf = pages(8);

	cr_assert_eq(reg_mr(&b, pd, buf, 4 * PAGE, ODP, &mr), 0);
	cr_assert_eq(reg_mr(&b, pd, NULL, UINT64_MAX, ODP, &all), 0);
	cr_assert_eq(prefetch(NOFAULT, FLUSH, buf, PAGE, mr.lkey), 0);
	cr_assert_not(resident(buf));
	cr_assert_eq(prefetch(READ, FLUSH, buf + 8, 100, mr.lkey), 0);
	cr_assert(resident(buf));
	cr_assert_eq(prefetch(WRITE, 0, buf + PAGE, PAGE, mr.lkey), 0);
	cr_assert(resident(buf + PAGE));
	cr_assert_not(resident(buf + 2 * PAGE));
	cr_assert_eq(prefetch(WRITE, FLUSH, buf + 5 * PAGE, 1, all.lkey), 0);
	cr_assert(resident(buf + 5 * PAGE));
}

Test(SUITE, prefetch_refusals)
{
	struct ib_uverbs_reg_mr_resp mr, pinned, ro;
	struct ib_uverbs_sge two[2] = { 0 };
	uint8_t *buf = pages(4);
	uint32_t other = alloc_pd(&b);

	cr_assert_eq(reg_mr(&b, pd, buf, 2 * PAGE, ODP, &mr), 0);
	cr_assert_eq(reg_mr(&b, pd, buf, PAGE, IBV_ACCESS_ON_DEMAND, &ro), 0);
	cr_assert_eq(reg_mr(&b, pd, buf, PAGE, IBV_ACCESS_LOCAL_WRITE, &pinned), 0);
	cr_assert_eq(prefetch(READ, FLUSH, buf, PAGE, mr.lkey ^ 1), -ENOENT);
	cr_assert_eq(prefetch(READ, 0, buf, PAGE, pinned.lkey), -ENOENT);
	cr_assert_eq(prefetch(WRITE, FLUSH, buf, PAGE, ro.lkey), -EPERM);
	cr_assert_eq(prefetch(READ, FLUSH, buf, PAGE, ro.lkey), 0);
	cr_assert_eq(prefetch(READ, FLUSH, buf + PAGE, PAGE + 1, mr.lkey), -EFAULT);
	cr_assert_eq(prefetch(READ, 0, buf + PAGE, PAGE + 1, mr.lkey), 0, "no wait");
	cr_assert_eq(prefetch(READ, FLUSH, buf - 1, 1, mr.lkey), -EFAULT);
	cr_assert_eq(prefetch(3, FLUSH, buf, PAGE, mr.lkey), -EOPNOTSUPP);
	cr_assert_eq(prefetch(READ, 2, buf, PAGE, mr.lkey), -EINVAL);
	two[0] = (struct ib_uverbs_sge){ (uintptr_t)buf, 8, mr.lkey };
	cr_assert_eq(advise(other, READ, FLUSH, two, 16), -EPERM);
	cr_assert_eq(advise(pd, READ, FLUSH, two, 24), -EINVAL, "one and a half");
	cr_assert_eq(advise(pd, READ, 0, two, 32), -ENOENT, "the second has no key");
	munmap(buf, PAGE);
	cr_assert_eq(prefetch(READ, FLUSH, buf, PAGE, mr.lkey), -EFAULT);
	cr_assert_eq(prefetch(READ, 0, buf, PAGE, mr.lkey), 0);
}
