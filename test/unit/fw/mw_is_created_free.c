/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_MKEY of a memory window: access mode KLM, free, without memory. */
#include "device.h"
#include "mem/mem.h"

PD_SUITE(fw_window);

/* As mlx5_ib makes one of type 2. */
static uint8_t *window_box(void)
{
	uint8_t *mkc = key_box(pdn, 0, 0);

	SET(mkc, mkc, F(free, 1), F(access_mode_1_0, 2), F(umr_en, 1), F(en_rinval, 1),
	    F(translations_octword_size, 4));
	return mkc;
}

Test(fw_window, gives_no_access)
{
	struct mem_ref ref = { .len = 1, .rights = HCA_REMOTE_READ };
	struct hca_mkey *m;

	window_box();
	ref.key = made() << 8 | 0x42;
	ref.pd = core_ids_get(&hca.pds, pdn);
	cr_assert_eq(mem_check(&hca, &ref), MEM_FREE);
	m = hca_mkey_find(&hca, ref.key);
	cr_assert(m->window && m->free && m->umr_en && m->en_rinval);
	EQUALS(E(m->qpn, 0), E(ref.pd->refs, 1));
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, ref.key >> 8), FW_OK);
	cr_assert_eq(ref.pd->refs, 0);
	cr_assert_eq(mem_check(&hca, &ref), MEM_BAD_KEY);
}

Test(fw_window, query_shows_the_klm_once_there_is_one)
{
	uint8_t mkc[PRM_SZ(mkc)], klm[16] = { 0 };
	static const uint8_t bound[16] = { 0, 0, 0x10, 0, 0,	5,    0,    7,
					   0, 0, 0,    0, 0x12, 0x34, 0x56, 0x78 };
	uint32_t index;
	struct hca_mkey *m;

	memcpy(mkc, window_box(), sizeof(mkc));
	index = made();
	cr_assert_eq(execute_on(PRM_OP_QUERY_MKEY, index), FW_OK);
	cr_assert_arr_eq(PRM_ADDR(query_mkey_out, b.out, memory_key_mkey_entry), mkc,
			 sizeof(mkc));
	cr_assert_arr_eq(PRM_ADDR(query_mkey_out, b.out, bsf0_klm0_pas_mtt0_1), klm, 16);
	m = core_ids_get(&hca.mkeys, index);
	m->list[0] = (struct hca_klm){ 0x1000, 0x50007, 0x12345678, 0 };
	m->entries = 1;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_arr_eq(PRM_ADDR(query_mkey_out, b.out, bsf0_klm0_pas_mtt0_1), bound, 16);
}

Test(fw_window, what_is_not_a_free_window_is_refused)
{
	window_box();
	PRM_SET(create_mkey_in, b.in, translations_octword_actual_size, 1);
	b.in_len += 16;
	cr_assert_eq(execute(), FW_BAD_PARAM);
	BAD_PARAM(WITH_FIELD(window_box(), create_mkey_in, pg_access, 1), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(mkc, window_box(), start_addr, 4096), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, window_box(), len, 1), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, window_box(), length64, 1), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, window_box(), log_page_size, 12), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, window_box(), translations_octword_size, 0), WHY_SIZE);
	BAD_PARAM(PRM_SET(mkc, window_box(), qpn, 7), WHY_UNSUPPORTED);
	PRM_SET(mkc, window_box(), access_mode_1_0, 1); /* no peer invalidates a new region */
	PRM_SET(mkc, PRM_ADDR(create_mkey_in, b.in, memory_key_mkey_entry), free, 0);
	cr_assert_eq(execute(), FW_BAD_PARAM);
	cr_assert_eq(syndrome(), 0xe0020005);
}
