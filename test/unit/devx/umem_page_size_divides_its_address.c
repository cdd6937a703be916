/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <devx/umem.h>

#include "fake_memory.h"

TestSuite(umem, .init = fake_memory_reset);

static void *at(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

Test(umem, page_sizes_reach_to_the_lowest_bit_of_the_address)
{
	cr_assert_eq(devx_umem_page_sizes(at(0x7f0000205000)), 0x1000);
	cr_assert_eq(devx_umem_page_sizes(at(0x7f0000206000)), 0x3000);
	cr_assert_eq(devx_umem_page_sizes(at(0x7f0000200000)), 0x3ff000);
	cr_assert_eq(devx_umem_page_sizes(at(0x7f0040000000)), 0x7ffff000);
	cr_assert_eq(devx_umem_page_sizes(at(1ull << 63)), 0xfffffffffffff000);
}

/* Address 0 is a multiple of every page. */
Test(umem, at_address_0_has_pages_of_every_size)
{
	cr_assert_eq(devx_umem_page_sizes(NULL), 0xfffffffffffff000);
}

Test(umem, below_four_kib_there_are_no_pages)
{
	cr_assert_eq(devx_umem_page_sizes(at(0x7f0000205040)), 0x1000);
	cr_assert_eq(devx_umem_page_sizes(at(0x7f0000200001)), 0x1000);
}

Test(umem, the_kernel_receives_the_sizes)
{
	struct devx_umem u;

	cr_assert_eq(devx_umem_reg(&u, NULL, at(0x7f0000206000), 100, IBV_ACCESS_LOCAL_WRITE),
		     0);
	cr_assert_eq(fake_memory.umem.pgsz_bitmap, 0x3000);
	cr_assert_eq(fake_memory.umem.addr, at(0x7f0000206000));
	cr_assert_eq(fake_memory.umem.size, 100);
	cr_assert_eq(fake_memory.umem.access, IBV_ACCESS_LOCAL_WRITE);
	cr_assert_eq(u.id, 0x55);
	cr_assert_eq(u.sizes, 0x3000);
	cr_assert_eq(devx_umem_dereg(&u), 0);
	cr_assert_eq(fake_memory.umems, 0);
}

Test(umem, of_a_dma_buf_is_a_file_descriptor_and_an_offset)
{
	struct devx_umem_attr attr = {
		.size = 100, .dmabuf = true, .dmabuf_fd = 7, .dmabuf_offset = 0x12000
	};
	struct devx_umem u;

	cr_assert_eq(devx_umem_reg_ex(&u, NULL, &attr), 0);
	cr_assert_eq(fake_memory.umem.comp_mask, MLX5DV_UMEM_MASK_DMABUF);
	cr_assert_eq(fake_memory.umem.dmabuf_fd, 7);
	cr_assert_eq(fake_memory.umem.addr, at(0x12000));
	cr_assert_eq(fake_memory.umem.pgsz_bitmap, 0x3000, "of the offset");
	cr_assert_null(u.addr);
	cr_assert_eq(devx_umem_dereg(&u), 0);
	attr.addr = at(0x7f0000200000); /* where the process has mapped it */
	attr.page_sizes = 0x1000;
	cr_assert_eq(devx_umem_reg_ex(&u, NULL, &attr), 0);
	cr_assert_eq(u.addr, attr.addr);
	cr_assert_eq(u.sizes, 0x1000);
	cr_assert_eq(fake_memory.umem.addr, at(0x12000));
	cr_assert_eq(fake_memory.umem.pgsz_bitmap, 0x1000);
	cr_assert_eq(devx_umem_dereg(&u), 0);
}

/* Not in silence: another memory, or pages of other sizes. */
Test(umem, what_an_old_kernel_does_not_take_is_refused)
{
	struct devx_umem_attr dmabuf = { .size = 100, .dmabuf = true, .dmabuf_fd = 7 };
	struct devx_umem_attr sizes = { .addr = at(0x7f0000206000),
					.size = 100,
					.page_sizes = 0x1000 };
	struct devx_umem u;

	fake_memory.no_ex = true;
	cr_assert_eq(devx_umem_reg_ex(&u, NULL, &dmabuf), EPROTONOSUPPORT);
	cr_assert_eq(devx_umem_reg_ex(&u, NULL, &sizes), EPROTONOSUPPORT);
	cr_assert_eq(fake_memory.umems, 0);
}

Test(umem, an_old_kernel_chooses_by_itself)
{
	struct devx_umem u;

	fake_memory.no_ex = true;
	cr_assert_eq(devx_umem_reg(&u, NULL, at(0x7f0000206000), 100, 0), 0);
	cr_assert_eq(u.sizes, 0);
	cr_assert_eq(devx_umem_dereg(&u), 0);
}

static void refused(int err, const char *expected, int got)
{
	char line[160];

	cr_assert_eq(got, err);
	cr_assert_str_eq(devx_error_str(devx_last_error(), line, sizeof(line)), expected);
}

Test(umem, what_cannot_be_is_not_asked)
{
	struct devx_umem u;

	refused(EINVAL, "devx_umem_reg: EINVAL: size is 0",
		devx_umem_reg(&u, NULL, at(4096), 0, 0));
	refused(EINVAL,
		"devx_umem_reg: EINVAL: REMOTE_ATOMIC is a right of the mkey, not of the umem",
		devx_umem_reg(&u, NULL, at(4096), 1, IBV_ACCESS_REMOTE_ATOMIC));
	refused(EINVAL, "devx_umem_reg: EINVAL: an access flag that umems do not have",
		devx_umem_reg(&u, NULL, at(4096), 1, IBV_ACCESS_ON_DEMAND));
	refused(EINVAL, "devx_umem_reg: EINVAL: REMOTE_WRITE without LOCAL_WRITE",
		devx_umem_reg(&u, NULL, at(4096), 1, IBV_ACCESS_REMOTE_WRITE));
	cr_assert_eq(fake_memory.umem.size, 0);
}

Test(umem, limits_of_the_process_are_named)
{
	struct devx_umem u;

	fake.err = ENOMEM;
	refused(ENOMEM,
		"devx_umem_reg: kernel: ENOMEM: more memory than this process may lock: raise "
		"RLIMIT_MEMLOCK (ulimit -l)",
		devx_umem_reg(&u, NULL, at(4096), 1, 0));
	fake.err = EFAULT;
	refused(EFAULT,
		"devx_umem_reg: kernel: EFAULT: part of the range is not mapped, or not writable "
		"as the access asks",
		devx_umem_reg(&u, NULL, at(4096), 1, 0));
}
