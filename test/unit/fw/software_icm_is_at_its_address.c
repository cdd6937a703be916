/* SPDX-License-Identifier: BSD-2-Clause */
/* software_icm: general objects of ICM for steering, and mkeys over them. */
#include "objects.h"
#include "mem/mem.h"

#define BLOCK	(64u << 10)
#define START	0x4000000000 /* steering_sw_icm_start_address, as QUERY_HCA_CAP says */
#define SIZE	(256ull << 20)
#define PATTERN 0x6000000000

PD_SUITE(software_icm);

static void icm_box(uint64_t addr, uint32_t log_size)
{
	uint8_t *icm = create_box(PRM_OBJ_SW_ICM, PRM_SZ(sw_icm));

	SET(sw_icm, icm, F(sw_icm_start_addr, addr), F(log_sw_icm_size, log_size));
}

static uint32_t new_icm(uint64_t addr, uint32_t log_size)
{
	icm_box(addr, log_size);
	return created();
}

/* Access mode 4, SW_ICM. */
static void icm_key_box(uint64_t start, uint64_t len)
{
	uint8_t *mkc = key_box(pdn, start, len);

	SET(mkc, mkc, F(access_mode_1_0, 0), F(access_mode_4_2, 1), F(rw, 1));
}

Test(software_icm, is_where_the_driver_wants_it)
{
	static const struct {
		uint64_t addr;
		uint32_t log_size;
		enum fw_status status;
	} cases[] = {
		{ START, 15, FW_BAD_PARAM },
		{ START + BLOCK / 2, 16, FW_BAD_PARAM },
		{ START - BLOCK, 16, FW_BAD_PARAM },
		{ START + SIZE, 16, FW_BAD_PARAM },
		{ START, 29, FW_BAD_PARAM },
		{ START + SIZE - BLOCK, 17, FW_BAD_PARAM },
		{ START + BLOCK, 63, FW_BAD_PARAM },
		{ START + SIZE - BLOCK, 16, FW_OK },
		{ START + SIZE / 2, 27, FW_BAD_RES_STATE },
		{ START, 27, FW_OK },
		{ PATTERN, 22, FW_OK },
		{ PATTERN, 16, FW_BAD_RES_STATE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		icm_box(cases[i].addr, cases[i].log_size);
		cr_assert_eq(execute(), cases[i].status, "case %zu", i);
	}
}

Test(software_icm, is_shown_and_can_be_allocated_again)
{
	uint32_t id = new_icm(START + BLOCK, 16);
	const uint8_t *icm = queried(PRM_OBJ_SW_ICM, id, PRM_SZ(sw_icm));

	cr_assert_eq(PRM_GET(sw_icm, icm, sw_icm_start_addr), START + BLOCK);
	cr_assert_eq(PRM_GET(sw_icm, icm, log_sw_icm_size), 16);
	cr_assert_eq(destroy(PRM_OBJ_SW_ICM, id), FW_OK);
	cr_assert_eq(destroy(PRM_OBJ_SW_ICM, id), FW_BAD_RES_STATE);
	new_icm(START + BLOCK, 16);
}

Test(software_icm, is_written_by_a_key_that_counts_from_0)
{
	uint32_t id = new_icm(START + BLOCK, 16), key;
	const uint8_t *bytes = hca_sw_icm_bytes(&hca, START + BLOCK, BLOCK);
	struct mem_ref r;

	key = MADE(icm_key_box(START + BLOCK + 64, BLOCK - 64));
	r = (struct mem_ref){ .pd = core_ids_get(&hca.pds, pdn),
			      .key = key << 8 | 0x42,
			      .addr = BLOCK - 64 - 4,
			      .len = 4,
			      .rights = HCA_REMOTE_WRITE };
	cr_assert_eq(mem_write(&hca, &r, "last"), MEM_OK);
	cr_assert_arr_eq(bytes + BLOCK - 4, "last", 4);
	r.addr = 0;
	cr_assert_eq(mem_write(&hca, &r, "1st "), MEM_OK);
	cr_assert_arr_eq(bytes + 64, "1st ", 4);
	cr_assert_eq(bytes[63], 0);
	r.addr = BLOCK - 64 - 3;
	cr_assert_eq(mem_check(&hca, &r), MEM_BOUNDS);
	cr_assert_eq(destroy(PRM_OBJ_SW_ICM, id), FW_BAD_RES_STATE, "the key covers it");
}

Test(software_icm, a_key_covers_one_allocation)
{
	new_icm(START, 16);
	new_icm(START + BLOCK, 16);
	BAD_PARAM(icm_key_box(START, BLOCK + 1), WHY_OBJECT);
	BAD_PARAM(icm_key_box(START + 2 * BLOCK, 64), WHY_OBJECT);
	BOX_OK(icm_key_box(START + BLOCK - 64, 64));
	BAD_PARAM(WITH(icm_key_box(START, 64),
		       PRM_SET(mkc, PRM_ADDR(create_mkey_in, b.in, memory_key_mkey_entry),
			       log_page_size, 12)),
		  WHY_VALUE);
}

Test(software_icm, bytes_are_of_one_allocation)
{
	new_icm(START, 16);
	cr_assert_not_null(hca_sw_icm_bytes(&hca, START + BLOCK - 64, 64));
	cr_assert_null(hca_sw_icm_bytes(&hca, START + BLOCK - 64, 65));
	cr_assert_null(hca_sw_icm_bytes(&hca, START - 1, 1));
	cr_assert_null(hca_sw_icm_bytes(&hca, START + BLOCK, 1));
}
