/* SPDX-License-Identifier: BSD-2-Clause */
/* mkey: CREATE, QUERY, DESTROY, and what mem then makes of the key. */
#include "device.h"
#include "mem/mem.h"

#define OFFSET 100
#define LEN    6000 /* from byte 100 of the first page into the second */

PD_SUITE(mkey);

static uint8_t *mkey_box(void)
{
	uint8_t *mkc = pages_key_box(pdn, 0, page(0) + OFFSET, LEN);

	SET(mkc, mkc, F(umr_en, 1), F(rr, 1));
	return mkc;
}

static enum mem_status access_to(uint32_t key, uint64_t addr, uint64_t len, uint8_t rights)
{
	struct mem_ref ref = { .pd = core_ids_get(&hca.pds, pdn),
			       .key = key,
			       .addr = addr,
			       .len = len,
			       .rights = rights };

	return mem_check(&hca, &ref);
}

Test(mkey, is_found_with_its_variant_only)
{
	uint32_t index;

	mkey_box();
	index = made();
	cr_assert_eq(index, 0x50001);
	cr_assert_not_null(hca_mkey_find(&hca, index << 8 | 0x42));
	cr_assert_null(hca_mkey_find(&hca, index << 8 | 0x41));
	cr_assert_eq(access_to(index << 8 | 0x43, page(0) + OFFSET, 1, 0), MEM_BAD_KEY);
	/* the number alone names it in commands, whatever the variant */
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, index), FW_OK);
	cr_assert_null(hca_mkey_find(&hca, index << 8 | 0x42));
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, index), FW_BAD_RES_STATE);
	/* and a number just freed is not the next one given */
	mkey_box();
	cr_assert_neq(made(), index);
}

Test(mkey, bounds_and_rights_are_those_of_the_context)
{
	uint64_t start = page(0) + OFFSET;
	uint32_t key;

	mkey_box();
	key = made() << 8 | 0x42;
	cr_assert_eq(access_to(key, start, LEN, HCA_LOCAL_READ | HCA_LOCAL_WRITE), MEM_OK);
	cr_assert_eq(access_to(key, start, LEN + 1, HCA_LOCAL_READ), MEM_BOUNDS);
	cr_assert_eq(access_to(key, start - 1, 1, HCA_LOCAL_READ), MEM_BOUNDS);
	cr_assert_eq(access_to(key, start, 1, HCA_REMOTE_READ), MEM_OK);
	cr_assert_eq(access_to(key, start, 1, HCA_REMOTE_WRITE), MEM_RIGHTS);
	cr_assert_eq(access_to(key, start, 1, HCA_REMOTE_ATOMIC), MEM_RIGHTS);
}

Test(mkey, query_shows_what_create_said)
{
	uint8_t mkc[PRM_SZ(mkc)];
	uint32_t index;

	memcpy(mkc, mkey_box(), sizeof(mkc));
	index = made();
	cr_assert_eq(execute_on(PRM_OP_QUERY_MKEY, index), FW_OK);
	cr_assert_arr_eq(PRM_ADDR(query_mkey_out, b.out, memory_key_mkey_entry), mkc,
			 sizeof(mkc));
	cr_assert_eq(PRM_GET_AT(create_cq_in, b.out, pas, 1), page(1));
	cr_assert_eq(execute_on(PRM_OP_QUERY_MKEY, index + 1), FW_BAD_RES_STATE);
}

Test(mkey, the_whole_space_is_for_the_driver)
{
	uint8_t *mkc = mkey_box();
	uint8_t byte = 0;
	struct mem_ref ref;

	memset(mkc, 0, PRM_SZ(mkc));
	PRM_SET(create_mkey_in, b.in, translations_octword_actual_size, 0);
	memset(b.in + PRM_SZ(create_mkey_in), 0, 16);
	b.in_len = PRM_SZ(create_mkey_in);
	SET(mkc, mkc, F(length64, 1), F(lr, 1), F(qpn, 0xffffff), F(pd, pdn));
	pages[7][5] = 0x99;
	ref = (struct mem_ref){ .pd = core_ids_get(&hca.pds, pdn),
				.key = made() << 8,
				.addr = page(7) + 5,
				.len = 1,
				.rights = HCA_LOCAL_READ };
	cr_assert_eq(mem_read(&hca, &ref, &byte), MEM_OK);
	cr_assert_eq(byte, 0x99);
	PRM_SET(mkc, mkc, pd, new_pd(new_uctx()));
	mkc = mkey_box();
	PRM_SET(mkc, mkc, access_mode_1_0, 0);
	cr_assert_eq(execute(), FW_BAD_PARAM);
}

Test(mkey, refusals)
{
	uint8_t *mkc = mkey_box();

	PRM_SET(mkc, mkc, pd, pdn + 1);
	cr_assert_eq(execute(), FW_BAD_RES);
	cr_assert_eq(syndrome(), 0xe0020009);
	BAD_PARAM(PRM_SET(mkc, mkey_box(), access_mode_1_0, 2),
		  WHY_VALUE); /* KLM, with a page size */
	BAD_PARAM(PRM_SET(mkc, mkey_box(), access_mode_4_2, 4),
		  WHY_UNSUPPORTED); /* a mode that there is not */
	BAD_PARAM(PRM_SET(mkc, mkey_box(), bsf_en, 1), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(mkc, mkey_box(), access_mode_4_2, 1),
		  WHY_VALUE); /* MEMIC, with a page list */
	BAD_PARAM(PRM_SET(mkc, mkey_box(), free, 1), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, mkey_box(), qpn, 7), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(mkc, mkey_box(), len, UINT64_MAX), WHY_SIZE);
	BAD_PARAM(PRM_SET(mkc, mkey_box(), log_page_size, 11), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, mkey_box(), length64, 1), WHY_VALUE);
	BAD_PARAM(WITH_FIELD(mkey_box(), create_mkey_in, input_mkey_index, 1), WHY_UNSUPPORTED);
	BAD_PARAM(WITH(PRM_SET(mkc, mkey_box(), relaxed_ordering_read, 1),
		       PRM_SET(cmd_hca_cap, hca.caps[0], relaxed_ordering_read, 0)),
		  WHY_UNSUPPORTED);
	cr_assert_eq(((struct hca_pd *)core_ids_get(&hca.pds, pdn))->refs, 0);
}

Test(mkey, page_list_refusals)
{
	uint8_t *mkc = mkey_box();

	PRM_SET(mkc, mkc, len, 3 * 4096); /* four pages, two given */
	cr_assert_eq(execute(), FW_BAD_PARAM);
	BOX_REFUSED(WITH_FIELD(mkey_box(), create_mkey_in, translations_octword_actual_size, 2),
		    FW_BAD_INP_LEN, WHY_PAS);
	BOX_REFUSED(SHORTER(mkey_box(), 8), FW_BAD_INP_LEN, WHY_PAS);
	BAD_PARAM(WITH_BYTE(mkey_box(), b.in_len - 1, 8), WHY_PAS); /* misaligned */
	mkey_box();
	memset(b.in + b.in_len - 8, 0, 8); /* no page */
	cr_assert_eq(execute(), FW_BAD_PARAM);
	BAD_PARAM(WITH(mkey_box(), pas(page(2))), WHY_PAS); /* one too many */
}

/* The two lowest bits of an entry are not part of the address. */
Test(mkey, pages_may_be_absent_with_pg_access_only)
{
	uint32_t key;
	uint64_t start = page(0) + OFFSET;

	for (unsigned int low = 0; low < 4; low++) {
		mkey_box();
		PRM_SET(create_mkey_in, b.in, pg_access, 1);
		b.in[b.in_len - 1] |= low;
		key = made() << 8 | 0x42;
		cr_assert_eq(access_to(key, start, LEN, HCA_LOCAL_READ), MEM_OK);
		cr_assert_eq(hca_mkey_find(&hca, key)->pages.pas[1], page(1));
		cr_assert_eq(hca_mkey_find(&hca, key)->pages.followed, true);
	}
	mkey_box();
	PRM_SET(create_mkey_in, b.in, pg_access, 1);
	b.in[b.in_len - 1] |= 4;
	cr_assert_eq(execute(), FW_BAD_PARAM);
	BAD_PARAM(WITH(mkey_box(), b.in[b.in_len - 1] |= 3), WHY_PAS);
}

Test(mkey, all_addresses_on_demand)
{
	uint8_t *mkc = mkey_box(), byte = 0;
	struct mem_ref ref;

	b.in_len = PRM_SZ(create_mkey_in);
	PRM_SET(create_mkey_in, b.in, translations_octword_actual_size, 0);
	SET(mkc, mkc, F(translations_octword_size, 0), F(log_page_size, 0), F(start_addr, 0),
	    F(len, 0), F(length64, 1));
	cr_assert_eq(execute(), FW_BAD_PARAM, "without pg_access");
	PRM_SET(create_mkey_in, b.in, pg_access, 1);
	pages[6][77] = 0x88;
	ref = (struct mem_ref){ .pd = core_ids_get(&hca.pds, pdn),
				.key = made() << 8 | 0x42,
				.addr = page(6) + 77,
				.len = 1,
				.rights = HCA_REMOTE_READ };
	cr_assert_eq(mem_read(&hca, &ref, &byte), MEM_OK);
	cr_assert_eq(byte, 0x88);
	ref.addr = 16;
	cr_assert_eq(mem_read(&hca, &ref, &byte), MEM_FAULT);
	ref.rights = HCA_REMOTE_WRITE;
	cr_assert_eq(mem_check(&hca, &ref), MEM_RIGHTS);
}
