/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_MKEY of the driver's keys of access mode MTT that get their pages by UMR: those of
 * mlx5_ib's cache (mr.c, set_cache_mkc) and for IB_WR_REG_MR (mlx5_set_umr_free_mkey). */
#include "device.h"

PD_SUITE(fw_free_region);

#define MAX_SPACE 65536u /* octowords; log_max_klm_list_size 16 */

/* mlx5_ib's key of its cache for 4 pages */
static uint8_t *free_box(void)
{
	uint8_t *mkc = key_box(pdn, 0, 0);

	SET(mkc, mkc, F(free, 1), F(umr_en, 1), F(translations_octword_size, 2),
	    F(log_page_size, 12));
	return mkc;
}

static struct hca_mkey *create(void)
{
	cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	return core_ids_get(&hca.mkeys, PRM_GET(create_mkey_out, b.out, mkey_index));
}

Test(fw_free_region, has_no_pages)
{
	uint8_t mkc[PRM_SZ(mkc)], none[32] = { 0 };
	struct hca_mkey *m;

	memcpy(mkc, free_box(), sizeof(mkc));
	m = create();
	cr_assert(m->free && m->umr_en && !m->list && !m->window);
	cr_assert_eq(m->pages.npas, 0);
	BOX_OK(CMD(QUERY_MKEY, F(mkey_index, m->index)));
	cr_assert_arr_eq(PRM_ADDR(query_mkey_out, b.out, memory_key_mkey_entry), mkc,
			 sizeof(mkc));
	cr_assert_arr_eq(PRM_ADDR(query_mkey_out, b.out, bsf0_klm0_pas_mtt0_1), none, 32);
}

/* UMR lists pages in units of 4 octowords. */
Test(fw_free_region, has_space_in_whole_units)
{
	static const uint32_t rows[][2] = {
		{ 1, 4 }, { 2, 4 }, { 4, 4 }, { 5, 8 }, { MAX_SPACE, MAX_SPACE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		PRM_SET(mkc, free_box(), translations_octword_size, rows[i][0]);
		cr_assert_eq(create()->capacity, rows[i][1], "%u", rows[i][0]);
	}
}

/* As mlx5_ib's reg_create() makes a key that is too large for its cache. */
Test(fw_free_region, may_have_a_range)
{
	uint8_t *mkc = free_box();

	SET(mkc, mkc, F(start_addr, 0x7f0012345678), F(len, 0x3000));
	PRM_SET(create_mkey_in, b.in, pg_access, 1);
	create();
}

Test(fw_free_region, what_is_refused)
{
	static const struct {
		const char *what;
		uint32_t space, log_page, umr_en, given, length64, en_rinval, mode;
	} rows[] = {
		{ "no space", 0, 12, 1, 0, 0, 0, 1 },
		{ "too much space", MAX_SPACE + 1, 12, 1, 0, 0, 0, 1 },
		{ "pages of 2 KiB", 2, 11, 1, 0, 0, 0, 1 },
		{ "no UMR", 2, 12, 0, 0, 0, 0, 1 },
		{ "a list", 2, 12, 1, 1, 0, 0, 1 },
		{ "all of memory", 2, 12, 1, 0, 1, 0, 1 },
		{ "en_rinval", 2, 12, 1, 0, 0, 1, 1 },
		{ "physical addresses", 2, 12, 1, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *mkc = free_box();

		SET(mkc, mkc, F(translations_octword_size, rows[i].space),
		    F(log_page_size, rows[i].log_page), F(umr_en, rows[i].umr_en),
		    F(length64, rows[i].length64), F(en_rinval, rows[i].en_rinval),
		    F(access_mode_1_0, rows[i].mode));
		PRM_SET(create_mkey_in, b.in, translations_octword_actual_size, rows[i].given);
		b.in_len += 16 * rows[i].given;
		cr_expect_eq(execute(), FW_BAD_PARAM, "%s", rows[i].what);
	}
	PRM_SET(mkc, free_box(), log_page_size, 31);
	create();
	PRM_SET(mkc, free_box(), start_addr, 0xffffffffffff0000);
	PRM_SET(mkc, PRM_ADDR(create_mkey_in, b.in, memory_key_mkey_entry), len, 0x10001);
	cr_expect_eq(execute(), FW_BAD_PARAM);
}

Test(fw_free_region, is_for_the_driver_alone)
{
	uint16_t user = new_uctx();

	pdn = new_pd(user);
	AS(user, free_box());
	cr_expect_eq(execute(), FW_BAD_PARAM);
}
