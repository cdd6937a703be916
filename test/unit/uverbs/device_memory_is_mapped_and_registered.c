/* SPDX-License-Identifier: BSD-2-Clause */
/* ALLOC_DM, FREE_DM, QUERY, DM_MR_REG; and what the application sees at the mmap offset. */
#include "bench.h"
#include "mem/mem.h"

#define SUITE	  device_memory_is_mapped_and_registered
#define ZB	  (IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE)
#define MAX	  (128u << 10)
#define ALLOC_DM  UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC
#define DM_OFFSET MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET
#define DM_PAGE	  MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX

CONTEXT_SUITE(SUITE);

struct dm {
	uint32_t handle;
	uint64_t offset;
	uint16_t page;
};

static int alloc_dm(uint64_t length, uint32_t log_align, uint32_t type, struct dm *dm)
{
	struct call c = call(ALLOC_DM);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_ALLOC_DM_HANDLE, 0);
	int ret;

	call_u64(&c, UVERBS_ATTR_ALLOC_DM_LENGTH, length);
	call_u32(&c, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, log_align);
	call_out(&c, DM_OFFSET, &dm->offset, 8);
	call_out(&c, DM_PAGE, &dm->page, 2);
	call_u64(&c, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, type);
	ret = call_run(&b, &c);
	dm->handle = h->data;
	return ret;
}

static int free_dm(uint32_t handle)
{
	return destroy(&b, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, UVERBS_ATTR_FREE_DM_HANDLE,
		       handle);
}

static int reg_dm(uint32_t pd, const struct dm *dm, uint64_t offset, uint64_t length,
		  uint32_t access, struct ib_uverbs_reg_mr_resp *mr)
{
	struct call c = call(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	struct ib_uverbs_attr *h = call_object(&c, UVERBS_ATTR_REG_DM_MR_HANDLE, 0);
	int ret;

	call_u64(&c, UVERBS_ATTR_REG_DM_MR_OFFSET, offset);
	call_u64(&c, UVERBS_ATTR_REG_DM_MR_LENGTH, length);
	call_object(&c, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, pd);
	call_u32(&c, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, access);
	call_object(&c, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, dm->handle);
	call_out(&c, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, &mr->lkey, 4);
	call_out(&c, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, &mr->rkey, 4);
	ret = call_run(&b, &c);
	mr->mr_handle = h->data;
	return ret;
}

/* libmlx5 puts the command 8 into bits 8 … 15 of the page offset and the index around it. */
static uint8_t *map(const struct dm *dm, size_t length)
{
	off_t pgoff = 8 << 8 | (dm->page & 0xff) | (off_t)(dm->page >> 8) << 16;
	uint8_t *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, b.hca.bar_fd,
			  pgoff * PAGE);

	cr_assert_neq(p, MAP_FAILED);
	return p + dm->offset;
}

Test(SUITE, both_sides_see_the_same_bytes)
{
	uint32_t pd = alloc_pd(&b);
	struct ib_uverbs_reg_mr_resp mr;
	struct dm first, dm;
	struct mem_ref r;
	uint8_t *va;
	char got[6];

	cr_assert_eq(alloc_dm(100, 0, 0, &first), 0);
	cr_assert_eq(alloc_dm(3 * PAGE, 0, 0, &dm), 0);
	cr_assert_neq(dm.page, first.page, "no mapping has bytes of another one");
	va = map(&dm, 4 * PAGE);
	cr_assert_eq(reg_dm(pd, &dm, PAGE - 8, 2 * PAGE, ZB | IBV_ACCESS_REMOTE_READ, &mr), 0);
	cr_assert_eq(mr.lkey, mr.rkey);
	memcpy(va + 2 * PAGE - 3, "memic", 6);
	r = (struct mem_ref){ .pd = hca_mkey_find(&b.hca, mr.lkey)->pd,
			      .key = mr.lkey,
			      .addr = PAGE + 5, /* zero based */
			      .len = 6,
			      .rights = HCA_REMOTE_READ };
	cr_assert_eq(mem_read(&b.hca, &r, got), MEM_OK);
	cr_assert_str_eq(got, "memic");
	r.rights = HCA_LOCAL_WRITE;
	cr_assert_eq(mem_write(&b.hca, &r, "cimem"), MEM_OK);
	cr_assert_str_eq((char *)va + 2 * PAGE - 3, "cimem");
	r.addr = 2 * PAGE - 5;
	cr_assert_eq(mem_check(&b.hca, &r), MEM_BOUNDS);
	r.addr = 0;
	r.rights = HCA_REMOTE_WRITE;
	cr_assert_eq(mem_check(&b.hca, &r), MEM_RIGHTS);
}

Test(SUITE, sizes_and_types)
{
	struct dm dm, more;

	cr_assert_eq(alloc_dm(0, 0, 0, &dm), -EINVAL);
	cr_assert_eq(alloc_dm(MAX + 1, 0, 0, &dm), -ENOMEM);
	cr_assert_eq(alloc_dm(UINT64_MAX, 0, 0, &dm), -ENOMEM);
	cr_assert_eq(alloc_dm(64, 12, 0, &dm), 0);
	cr_assert_eq(alloc_dm(64, 13, 0, &dm), -EINVAL);
	for (uint32_t type = 4; type < 6; type++)
		cr_assert_eq(alloc_dm(64, 0, type, &dm), -EOPNOTSUPP);
	cr_assert_eq(alloc_dm(MAX, 0, 0, &dm), -ENOMEM, "64 bytes are allocated");
	cr_assert_eq(alloc_dm(MAX - 64, 0, 0, &dm), 0);
	cr_assert_eq(alloc_dm(1, 0, 0, &more), -ENOMEM);
	cr_assert_eq(free_dm(dm.handle), 0);
	cr_assert_eq(free_dm(dm.handle), -ENOENT);
	cr_assert_eq(alloc_dm(1, 0, 0, &more), 0);
}

Test(SUITE, query_finds_it_again)
{
	struct call c = call(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY);
	uint64_t offset = 1, length = 0;
	uint16_t page = 0xffff;
	struct dm dm;

	cr_assert_eq(alloc_dm(100, 0, 0, &dm), 0);
	cr_assert_eq(alloc_dm(100, 0, 0, &dm), 0);
	call_object(&c, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, dm.handle);
	call_out(&c, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, &offset, 8);
	call_out(&c, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, &page, 2);
	call_out(&c, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, &length, 8);
	cr_assert_eq(call_run(&b, &c), 0);
	cr_assert_eq(offset, dm.offset);
	cr_assert_eq(page, dm.page);
	cr_assert_eq(length, 128, "whole granules");
	c = call(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR);
	cr_assert_eq(call_run(&b, &c), -EOPNOTSUPP);
}

Test(SUITE, regions_are_checked_and_counted)
{
	uint32_t pd = alloc_pd(&b);
	struct ib_uverbs_reg_mr_resp mr;
	const struct {
		uint64_t offset, length;
		uint32_t access;
		int ret;
	} cases[] = {
		{ 0, 104, ZB, -EINVAL },
		{ 104, 0, ZB, -EINVAL },
		{ 4, UINT64_MAX, ZB, -EINVAL },
		{ 0, 100, IBV_ACCESS_LOCAL_WRITE, -EINVAL },
		{ 0, 100, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_WRITE, -EINVAL },
		{ 0, 100, ZB | IBV_ACCESS_MW_BIND, -EINVAL },
		{ 0, 100, ZB | IBV_ACCESS_ON_DEMAND, -EINVAL },
		{ 0, 100, ZB | IBV_ACCESS_RELAXED_ORDERING, -EINVAL },
		{ 0, 100, ZB | 1u << 10, -EINVAL },
		{ 0, 0, ZB, 0 },
		{ 96, 4, ZB, 0 },
	};
	struct dm dm;

	cr_assert_eq(alloc_dm(100, 0, 0, &dm), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert_eq(
			reg_dm(pd, &dm, cases[i].offset, cases[i].length, cases[i].access, &mr),
			cases[i].ret, "case %zu", i);
		if (cases[i].ret)
			continue;
		cr_assert_eq(free_dm(dm.handle), -EBUSY);
		cr_assert_eq(dealloc_pd(&b, pd), -EBUSY);
		cr_assert_eq(dereg_mr(&b, mr.mr_handle), 0);
	}
	cr_assert_eq(free_dm(dm.handle), 0);
	cr_assert_eq(dealloc_pd(&b, pd), 0);
}

Test(SUITE, a_closed_file_gives_all_back)
{
	uint32_t pd = alloc_pd(&b);
	struct ib_uverbs_reg_mr_resp mr;
	struct dm dm;

	cr_assert_eq(alloc_dm(MAX, 0, 0, &dm), 0);
	cr_assert_eq(reg_dm(pd, &dm, 0, MAX, ZB, &mr), 0);
}
