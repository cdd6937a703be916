/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory windows: KLM, rights, QP, bounds; and the rights that the region needs. */
#include "keys.h"

#define LEN    256u
#define START  0x9000ull /* of the window: not the address in the region */
#define OFFSET 64u	 /* of the window in the region */

static struct hca_mkey *region, *window;
static _Alignas(4096) uint8_t area[4096];

static void setup(void)
{
	begin();
	region = new_region(0x5000, sizeof(area), area, 1);
	window = hca_mkey_new(&hca);
	window->window = true;
	window->pd = pd;
	window->variant = 0x21;
	window->access = HCA_LOCAL_READ | HCA_REMOTE_WRITE | HCA_REMOTE_READ;
	window->start = START;
	window->len = LEN;
	bind(window, (struct hca_klm){ LEN, region->index << 8, 0x5000 + OFFSET, 0 });
}

TestSuite(memory_window, .init = setup, .fini = teardown);

Test(memory_window, accesses_the_bytes_of_the_region)
{
	struct mem_ref r = ref(window, 3, 5, HCA_REMOTE_WRITE);
	char got[4];

	cr_assert_eq(mem_write(&hca, &r, "bytes"), MEM_OK);
	cr_expect_arr_eq(area + OFFSET + 3, "bytes", 5);
	r = ref(window, 4, 4, HCA_REMOTE_READ);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_expect_arr_eq(got, "ytes", 4);
}

Test(memory_window, has_separate_rights)
{
	region->access |= HCA_REMOTE_ATOMIC;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_ATOMIC), MEM_RIGHTS);
	window->access |= HCA_REMOTE_ATOMIC;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_ATOMIC), MEM_OK);
}

Test(memory_window, region_has_to_allow_the_local_access)
{
	region->access = HCA_LOCAL_READ | HCA_REMOTE_WRITE;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_READ), MEM_OK);
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_WRITE), MEM_RIGHTS);
	window->access |= HCA_REMOTE_ATOMIC;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_ATOMIC), MEM_RIGHTS);
}

Test(memory_window, has_bounds)
{
	cr_expect_eq(access_status(window, 0, LEN, HCA_REMOTE_READ), MEM_OK);
	cr_expect_eq(access_status(window, 1, LEN, HCA_REMOTE_READ), MEM_BOUNDS);
	cr_expect_eq(access_status(window, -1, 1, HCA_REMOTE_READ), MEM_BOUNDS);
	window->list[0].len = LEN - 1;
	cr_expect_eq(access_status(window, 0, LEN, HCA_REMOTE_READ), MEM_BOUNDS);
	cr_expect_eq(access_status(window, LEN - 1, 1, HCA_REMOTE_READ), MEM_BOUNDS);
	window->list[0] =
		(struct hca_klm){ LEN, region->index << 8, 0x5000 + 4096 - LEN + 1, 0 };
	cr_expect_eq(access_status(window, 0, LEN, HCA_REMOTE_READ), MEM_BOUNDS,
		     "the region's end");
}

Test(memory_window, free_window_is_refused)
{
	window->free = true;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_READ), MEM_FREE);
}

Test(memory_window, may_be_for_one_qp)
{
	window->qpn = QPN;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_READ), MEM_OK);
	window->qpn = QPN + 1;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_READ), MEM_BAD_QP);
}

Test(memory_window, belongs_to_a_pd_and_so_does_the_region)
{
	window->pd = other;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_READ), MEM_BAD_PD);
	window->pd = pd;
	region->pd = other;
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_READ), MEM_BAD_PD);
}

Test(memory_window, is_invalid_without_its_region)
{
	hca_mkey_free(&hca, region);
	cr_expect_eq(access_status(window, 0, 8, HCA_REMOTE_READ), MEM_BAD_KEY);
}

Test(memory_window, is_refused_as_lkey_and_for_another_window)
{
	struct hca_mkey *outer = hca_mkey_new(&hca);
	struct mem_ref r = ref(window, 0, 8, HCA_LOCAL_READ);

	cr_expect_eq(mem_check(&hca, &r), MEM_RIGHTS);
	outer->window = true;
	outer->pd = pd;
	outer->access = window->access;
	outer->start = START;
	outer->len = LEN;
	bind(outer, (struct hca_klm){ LEN, window->index << 8 | 0x21, START, 0 });
	r = ref(window, 0, 8, HCA_REMOTE_READ);
	r.key = outer->index << 8;
	cr_expect_eq(mem_check(&hca, &r), MEM_RIGHTS);
}
