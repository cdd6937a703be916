/* SPDX-License-Identifier: BSD-2-Clause */
/* MEMIC: ALLOC, DEALLOC, and mkeys over it. */
#include "device.h"
#include "mem/mem.h"

#define WINDOW HCA_MEMIC_START
#define KIB    1024

PD_SUITE(memic);

static void alloc_box(uint64_t start, uint32_t range, uint32_t size)
{
	CMD(ALLOC_MEMIC, F(range_start_addr, start), F(range_size, range), F(memic_size, size));
}

static uint64_t alloc(uint64_t start, uint32_t range, uint32_t size)
{
	BOX_OK(alloc_box(start, range, size));
	return PRM_GET(alloc_memic_out, b.out, memic_start_addr);
}

static enum fw_status dealloc(uint64_t addr, uint32_t size)
{
	CMD(DEALLOC_MEMIC, F(memic_start_addr, addr), F(memic_size, size));
	return execute();
}

static uint8_t *memic_key_box(uint64_t start, uint64_t len)
{
	uint8_t *mkc = key_box(pdn, start, len);

	SET(mkc, mkc, F(access_mode_4_2, 1), F(lw, 1));
	return mkc;
}

static struct mem_ref ref(uint32_t index, uint64_t addr, uint64_t len)
{
	return (struct mem_ref){ .pd = core_ids_get(&hca.pds, pdn),
				 .key = index << 8 | 0x42,
				 .addr = addr,
				 .len = len,
				 .rights = HCA_LOCAL_READ | HCA_LOCAL_WRITE };
}

Test(memic, allocations_do_not_overlap)
{
	uint64_t one = alloc(WINDOW, 4096, 128), two = alloc(WINDOW, 4096, 64), three;

	cr_assert_geq(one, WINDOW);
	cr_assert(two >= one + 128 || two + 64 <= one);
	cr_assert_eq(two % 64, 0);
	alloc_box(WINDOW, 4096, 4096 - 128);
	cr_assert_eq(execute(), FW_NO_RES, "the range is not free, another might be");
	BOX_OK(WITH_FIELD(alloc_box(WINDOW, 4096, 64), alloc_memic_in, log_memic_addr_alignment,
			  4));
	three = PRM_GET(alloc_memic_out, b.out, memic_start_addr);
	cr_assert_eq(three % 1024, 0);
}

Test(memic, there_is_less_memory_than_window)
{
	uint64_t all = alloc(WINDOW, 128 * KIB, 128 * KIB);

	alloc_box(WINDOW + 128 * KIB, 4096, 64);
	cr_assert_eq(execute(), FW_NO_RES);
	cr_assert_eq(dealloc(all, 64), FW_BAD_RES_STATE);
	cr_assert_eq(dealloc(all + 64, 128 * KIB - 64), FW_BAD_RES_STATE);
	cr_assert_eq(dealloc(all, 128 * KIB), FW_OK);
	cr_assert_eq(dealloc(all, 128 * KIB), FW_BAD_RES_STATE);
	alloc(WINDOW + 128 * KIB, 4096, 64);
}

Test(memic, a_new_owner_finds_zeroes)
{
	uint64_t addr = alloc(WINDOW, 4096, 64);

	memset(hca.memic + (addr - WINDOW), 0x5a, 64);
	cr_assert_eq(dealloc(addr, 64), FW_OK);
	addr = alloc(WINDOW, 4096, 64);
	for (int i = 0; i < 64; i++)
		cr_assert_eq(hca.memic[addr - WINDOW + i], 0);
}

Test(memic, refusals)
{
	const struct {
		uint64_t start;
		uint32_t range, size;
	} bad[] = {
		{ WINDOW, 4096, 0 },	 { WINDOW, 4096, 63 },
		{ WINDOW, 4096, 8192 },	 { WINDOW - 4096, 4096, 64 },
		{ WINDOW, 2 << 20, 64 }, { WINDOW + (1 << 20), 4096, 64 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		alloc_box(bad[i].start, bad[i].range, bad[i].size);
		cr_assert_eq(execute(), FW_BAD_PARAM, "case %zu", i);
	}
	BAD_PARAM(WITH_FIELD(alloc_box(WINDOW, 4096, 64), alloc_memic_in,
			     log_memic_addr_alignment, 7),
		  WHY_SIZE);
	alloc_box(WINDOW, 4096, 64);
	uid(new_uctx());
	cr_assert(core_list_empty(&hca.memics));
	BAD_PARAM(WITH_BYTE(alloc_box(WINDOW, 4096, 64), 3, 1),
		  WHY_UID); /* a uid; for the driver only */
}

Test(memic, keys_count_from_zero)
{
	uint64_t addr = alloc(WINDOW, 2 * 4096, 5056);
	uint32_t index;
	struct mem_ref r;
	char got[8];

	cr_assert_eq(alloc(WINDOW, 4 * 4096, 5056), addr + 5056, "the first one is there");
	index = MADE(memic_key_box(addr + 64, 4900));
	r = ref(index, 4000, 8); /* across the end of the page */
	cr_assert_eq(mem_write(&hca, &r, "acrosspg"), MEM_OK);
	cr_assert_arr_eq(hca.memic + (addr - WINDOW) + 64 + 4000, "acrosspg", 8);
	cr_assert_eq(mem_read(&hca, &r, got), MEM_OK);
	cr_assert_arr_eq(got, "acrosspg", 8);
	r = ref(index, 4893, 8);
	cr_assert_eq(mem_check(&hca, &r), MEM_BOUNDS);
	r = ref(index, addr, 8);
	cr_assert_eq(mem_check(&hca, &r), MEM_BOUNDS);
}

Test(memic, keys_hold_the_memory)
{
	uint64_t addr = alloc(WINDOW, 4096, 256);
	uint32_t index;

	index = MADE(memic_key_box(addr, 256));
	cr_assert_eq(dealloc(addr, 256), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, index), FW_OK);
	cr_assert_eq(dealloc(addr, 256), FW_OK);
}

Test(memic, keys_lie_in_one_allocation)
{
	uint64_t addr = alloc(WINDOW, 4096, 256);

	alloc(WINDOW, 4096, 256);
	BAD_PARAM(memic_key_box(addr, 257), WHY_OBJECT);
	BAD_PARAM(memic_key_box(WINDOW + 8 * 4096, 64), WHY_OBJECT);
	BAD_PARAM(memic_key_box(addr, UINT64_MAX), WHY_OBJECT);
	BAD_PARAM(PRM_SET(mkc, memic_key_box(addr, 64), log_page_size, 12), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, memic_key_box(addr, 64), length64, 1), WHY_VALUE);
	memic_key_box(addr, 0);
	cr_assert_eq(execute(), FW_OK, "an empty one is one");
}
