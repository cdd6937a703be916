/* SPDX-License-Identifier: BSD-2-Clause */
/* mem: key, PD, rights, bounds, pages; in this order, on every use. */
#include "keys.h"

static struct hca_mkey *m;
static uint8_t *area; /* three pages, registered from byte 100 of the first */

static void setup(void)
{
	begin();
	area = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 3 * PAGE; i++)
		area[i] = (uint8_t)(i * 7);
	/* the iova is not the virtual address */
	m = new_region(0x7000000000 + 100, 2 * PAGE, area, 3);
	m->access = HCA_LOCAL_READ | HCA_REMOTE_READ;
	/* pages 0 and 1 swapped: translation is not one subtraction */
	m->pages.pas[0] = (uintptr_t)area + PAGE;
	m->pages.pas[1] = (uintptr_t)area;
}

TestSuite(mkey, .init = setup, .fini = teardown);

Test(mkey, bytes_are_found_across_pages)
{
	struct mem_ref r = ref(m, PAGE - 100 - 4, 8, HCA_REMOTE_READ);
	uint8_t got[8], want[8];

	memcpy(want, area + 2 * PAGE - 4, 4);
	memcpy(want + 4, area, 4);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_assert_arr_eq(got, want, 8);
}

Test(mkey, first_and_last_byte_belong_to_the_region)
{
	cr_assert_eq(access_status(m, 0, 2 * PAGE, HCA_REMOTE_READ), MEM_OK);
	cr_assert_eq(access_status(m, -1, 1, HCA_REMOTE_READ), MEM_BOUNDS);
	cr_assert_eq(access_status(m, 2 * PAGE, 1, HCA_REMOTE_READ), MEM_BOUNDS);
	cr_assert_eq(access_status(m, 1, 2 * PAGE, HCA_REMOTE_READ), MEM_BOUNDS);
	cr_assert_eq(access_status(m, 0, UINT64_MAX, HCA_REMOTE_READ), MEM_BOUNDS);
}

Test(mkey, each_refusal_has_its_reason)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);

	r.rights = HCA_REMOTE_WRITE;
	cr_assert_eq(mem_check(&hca, &r), MEM_RIGHTS);
	r = ref(m, 0, 8, HCA_REMOTE_READ);
	r.pd = other;
	cr_assert_eq(mem_check(&hca, &r), MEM_BAD_PD);
	r = ref(m, 0, 8, HCA_REMOTE_READ);
	r.key ^= 1;
	cr_assert_eq(mem_check(&hca, &r), MEM_BAD_KEY);
	r.len = 0;
	cr_assert_eq(mem_check(&hca, &r), MEM_OK, "nothing is touched, no key is needed");
}

Test(mkey, key_is_invalid_after_deregistration)
{
	struct mem_ref r = ref(m, 0, 8, HCA_REMOTE_READ);
	uint8_t got[8];

	hca_mkey_free(&hca, m);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_BAD_KEY);
}

Test(mkey, unmapped_pages_are_a_fault_not_a_signal)
{
	/* on the area's first page */
	struct mem_ref r = ref(m, PAGE - 100, 8, HCA_REMOTE_READ);
	uint8_t got[8];

	munmap(area, PAGE);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_FAULT);
}

Test(mkey, writes_arrive)
{
	struct mem_ref r = ref(m, 10, 3, HCA_LOCAL_READ);

	cr_assert_eq(mem_write(&hca, &r, "abc"), MEM_OK);
	cr_assert_arr_eq(area + PAGE + 110, "abc", 3);
}

/* A key of device memory: addresses from 0, which is inside the first page. */
Test(mkey, a_region_may_begin_inside_its_first_page)
{
	struct mem_ref r;

	m->start = 0;
	m->len = 2 * PAGE;
	m->pages.page_offset = 200;
	r = ref(m, 0, 3, HCA_LOCAL_READ);
	cr_assert_eq(mem_write(&hca, &r, "abc"), MEM_OK);
	cr_assert_arr_eq(area + PAGE + 200, "abc", 3);
	r.addr = PAGE - 201;
	cr_assert_eq(mem_write(&hca, &r, "xyz"), MEM_OK);
	cr_assert_eq(area[2 * PAGE - 1], 'x');
	cr_assert_arr_eq(area, "yz", 2);
	r.addr = 2 * PAGE - 2;
	cr_assert_eq(mem_check(&hca, &r), MEM_BOUNDS);
}
