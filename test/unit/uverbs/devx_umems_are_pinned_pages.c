/* SPDX-License-Identifier: BSD-2-Clause */
/* Umems: which pages firmware gets, who holds them, what is refused. */
#include <fcntl.h>
#include <stdio.h>

#include "devx.h"
#include "uverbs/driver.h"

#define SUITE	     devx_umems_are_pinned_pages
#define SUITE_DEVICE devx_umems_are_pinned_pages_with_device

CONTEXT_SUITE(SUITE);
DEVICE_SUITE(SUITE_DEVICE);
#define WRITE IBV_ACCESS_LOCAL_WRITE
#define MIB   (1u << 20)

/* A MiB of address space that begins at a MiB. */
static uint64_t mib(void)
{
	uint64_t va = (uintptr_t)pages(2 * MIB / PAGE);

	return (va + MIB - 1) & ~(uint64_t)(MIB - 1);
}

static struct hca_umem *reg(struct bench *b, struct umem *m)
{
	struct hca_umem *u;

	cr_assert_eq(umem_reg(b, m), 0);
	u = core_ids_get(&b->hca.umems, m->id);
	cr_assert(u);
	return u;
}

static uint8_t log_page(struct bench *b, uint64_t va, uint64_t len, uint64_t sizes)
{
	struct umem m = { .va = va, .len = len, .sizes = sizes, .access = WRITE };
	uint8_t log = reg(b, &m)->pages.log_page;

	cr_assert_eq(umem_dereg(b, m.handle), 0);
	return log;
}

Test(SUITE, the_page_is_the_largest_that_begins_and_ends_with_the_memory)
{
	uint64_t va = mib();

	cr_assert_eq(log_page(&b, va, MIB, 0), 20);
	cr_assert_eq(log_page(&b, va, MIB / 2, 0), 19);
	cr_assert_eq(log_page(&b, va, 3 * PAGE, 0), 12, "not a power of two");
	cr_assert_eq(log_page(&b, va + 2 * PAGE, 4 * PAGE, 0), 13, "as the start is aligned");
	cr_assert_eq(log_page(&b, va, 100, 0), 12);
	cr_assert_eq(log_page(&b, va, MIB, PAGE), 12, "the application wants this size");
	cr_assert_eq(log_page(&b, va, MIB, PAGE | 1u << 16), 16);
}

Test(SUITE, an_offset_counts_from_the_page)
{
	struct umem m = { .va = mib() + 100, .len = PAGE, .access = WRITE };
	struct hca_umem *u;

	u = reg(&b, &m);
	cr_assert_eq(u->pages.log_page, 12);
	cr_assert_eq(u->pages.page_offset, 100);
	cr_assert_eq(u->pages.npas, 2);
}

Test(SUITE, rights_are_those_of_the_pages)
{
	struct umem m = { .va = mib(), .len = PAGE, .access = IBV_ACCESS_REMOTE_READ };

	cr_assert_not(reg(&b, &m)->writable);
	m.access = WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_RELAXED_ORDERING;
	cr_assert(reg(&b, &m)->writable);
}

Test(SUITE, what_is_refused)
{
	uint64_t va = mib();
	struct {
		struct umem m;
		int ret;
	} cases[] = {
		{ { .va = va, .len = PAGE, .access = WRITE | IBV_ACCESS_REMOTE_ATOMIC },
		  -EINVAL },
		{ { .va = va, .len = PAGE, .access = WRITE | IBV_ACCESS_ON_DEMAND }, -EINVAL },
		{ { .va = va, .len = PAGE, .access = WRITE | IBV_ACCESS_MW_BIND }, -EINVAL },
		{ { .va = va, .len = PAGE, .access = IBV_ACCESS_REMOTE_WRITE }, -EINVAL },
		{ { .va = va, .len = 0, .access = WRITE }, -EINVAL },
		{ { .va = ~0ull - 10, .len = 100, .access = WRITE }, -EINVAL },
		{ { .va = 16, .len = PAGE, .access = WRITE }, -EFAULT },
		{ { .va = va, .len = PAGE, .access = WRITE, .sizes = 1u << 21 }, -EINVAL },
		{ { .va = va, .len = PAGE, .access = WRITE, .sizes = 1u << 11 }, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_assert_eq(umem_reg(&b, &cases[i].m), cases[i].ret, "%zu", i);
	cr_assert_eq(b.hca.umems.used, 0);
}

Test(SUITE, memory_that_may_not_be_written_can_only_be_read)
{
	void *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct umem m = { .va = (uintptr_t)p, .len = PAGE, .access = WRITE };

	cr_assert_eq(umem_reg(&b, &m), -EFAULT);
	m.access = 0;
	cr_assert_eq(umem_reg(&b, &m), 0);
}

/* Is a file mapped whose name in /proc/self/maps has @name? */
static bool is_mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	bool any = false;

	while (fgets(line, sizeof(line), maps))
		any |= strstr(line, name) != NULL;
	fclose(maps);
	return any;
}

static int dmabuf_reg(int64_t fd, uint32_t *handle)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	uint32_t id;
	int ret;

	call_object(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0);
	call_u64(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, PAGE);
	call_u64(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, PAGE);
	call_out(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &id, 4);
	call_object(&c, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0);
	c.attr[4].data_s64 = fd;
	ret = call_run(&b, &c);
	*handle = c.attr[0].data;
	return ret;
}

Test(SUITE, a_dma_buf_is_mapped_as_long_as_the_umem_lives)
{
	int fd = memfd_create("as_a_dma_buf", MFD_CLOEXEC), ends[2];
	uint32_t handle;
	char path[32];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(dmabuf_reg(ends[0], &handle), -EINVAL);
	cr_assert_eq(dmabuf_reg(1000, &handle), -EBADF);
	cr_assert_eq(dmabuf_reg(1ll << 32 | fd, &handle), -EINVAL, "not a number of a file");
	cr_assert_eq(ftruncate(fd, 2 * PAGE - 1), 0);
	cr_assert_eq(dmabuf_reg(fd, &handle), -EINVAL, "ends before");
	cr_assert_not(is_mapped("as_a_dma_buf"));
	cr_assert_eq(ftruncate(fd, 2 * PAGE), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cr_assert_eq(dmabuf_reg(open(path, O_WRONLY), &handle), -EACCES, "cannot be mapped");
	cr_assert_eq(dmabuf_reg(fd, &handle), 0);
	close(fd);
	cr_assert(is_mapped("as_a_dma_buf"));
	cr_assert_eq(umem_dereg(&b, handle), 0);
	cr_assert_not(is_mapped("as_a_dma_buf"));
}

/* One of the kernel's is no file of memory; it is known by its name. */
Test(SUITE, a_dma_buf_of_the_kernel_has_a_name)
{
	int fd = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	uint32_t handle;

	cr_assert_lt(fcntl(fd, F_GET_SEALS), 0);
	cr_assert_eq(dmabuf_reg(fd, &handle), -EINVAL);
	dmabuf_fd = fd;
	cr_assert_eq(dmabuf_reg(fd, &handle), 0);
	cr_assert_eq(umem_dereg(&b, handle), 0);
	close(fd);
}

/* mlx5_ib (mr.c, mlx5_ib_reg_user_mr_dmabuf) lists its pages by UMR, and looks at the file
 * after it has asked whether it can. */
Test(SUITE, a_region_of_a_dma_buf_needs_umr_of_pages)
{
	struct call c = call(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	uint32_t pd = alloc_pd(&b), key;
	int fd = memfd_create("region", MFD_CLOEXEC);

	cr_assert_eq(ftruncate(fd, PAGE), 0);
	call_object(&c, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0);
	call_object(&c, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, pd);
	call_u64(&c, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 0);
	call_u64(&c, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, PAGE);
	call_u64(&c, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 0);
	call_u32(&c, UVERBS_ATTR_REG_DMABUF_MR_FD, 1000);
	call_out(&c, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, &key, 4);
	call_out(&c, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &key, 4);
	cr_assert_eq(call_run(&b, &c), -EBADF);
	PRM_SET(cmd_hca_cap, b.u->caps[PRM_CAP_GENERAL], umr_modify_entity_size_disabled, 1);
	cr_assert_eq(call_run(&b, &c), -EINVAL);
	c.attr[5].data = fd;
	cr_assert_eq(call_run(&b, &c), -EINVAL);
	PRM_SET(cmd_hca_cap, b.u->caps[PRM_CAP_GENERAL], umr_modify_entity_size_disabled, 0);
	cr_assert_eq(call_run(&b, &c), 0);
	close(fd);
}

Test(SUITE, a_queue_in_it_holds_it)
{
	struct devx_cq q;

	devx_cq_up(&b, &q);
	cr_assert_eq(umem_dereg(&b, q.mem.handle), -EINVAL);
	cr_assert_eq(devx_destroy(&b, q.handle), 0);
	cr_assert_eq(umem_dereg(&b, q.mem.handle), 0);
	cr_assert_eq(umem_dereg(&b, q.mem.handle), -ENOENT);
}

/* The CQ is newer than its umem and goes first; a PD is older than what was made in it. */
Test(SUITE_DEVICE, a_file_that_closes_leaves_nothing)
{
	struct devx_cq q;
	uint32_t pdn;

	struct mlx5_ib_alloc_ucontext_resp resp;
	cr_assert_eq(get_context(&b, &usual_context, &resp), 0);
	devx_pd(&b, &pdn);
	devx_cq_up(&b, &q);
}

/* An mkey that lists keys stays outside; one of pages holds PD and umem. */
Test(SUITE, a_pd_in_use_is_not_destroyed)
{
	struct umem m = { .va = mib(), .len = PAGE, .access = WRITE };
	struct box x;
	uint8_t *mkc;
	uint32_t pd, pdn, key;

	pd = devx_pd(&b, &pdn);
	reg(&b, &m);
	box(&x, PRM_OP_CREATE_MKEY, PRM_SZ(create_mkey_in), PRM_SZ(create_mkey_out));
	mkc = PRM_ADDR(create_mkey_in, x.in, memory_key_mkey_entry);
	PRM_SET(create_mkey_in, x.in, translations_octword_actual_size, 1);
	PRM_SET(create_mkey_in, x.in, mkey_umem_id, m.id);
	PRM_SET(mkc, mkc, access_mode_1_0, PRM_MKC_ACCESS_MODE_MTT);
	PRM_SET(mkc, mkc, lr, 1);
	PRM_SET(mkc, mkc, qpn, 0xffffff);
	PRM_SET(mkc, mkc, pd, pdn);
	PRM_SET(mkc, mkc, len, PAGE);
	PRM_SET(mkc, mkc, start_addr, m.va);
	PRM_SET(mkc, mkc, translations_octword_size, 1);
	PRM_SET(mkc, mkc, log_page_size, 12);
	cr_assert_eq(devx_create(&b, &x, &key), 0, "%u %#lx", x.out[0],
		     PRM_GET(create_mkey_out, x.out, syndrome));
	cr_assert_eq(devx_destroy(&b, pd), -EINVAL, "and it lives on:");
	cr_assert_eq(devx_destroy(&b, pd), -EINVAL);
	cr_assert_eq(umem_dereg(&b, m.handle), -EINVAL);
	cr_assert_eq(devx_destroy(&b, key), 0);
	cr_assert_eq(devx_destroy(&b, pd), 0);
	cr_assert_eq(umem_dereg(&b, m.handle), 0);
}
