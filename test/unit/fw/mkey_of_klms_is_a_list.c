/* SPDX-License-Identifier: BSD-2-Clause */
/* list_mkey: CREATE_MKEY of KLM and KSM keys, QUERY_MKEY of them, free keys of DevX. */
#include "device.h"
#include "mem/mem.h"

static uint16_t u;

static void setup_user(void)
{
	setup();
	u = new_uctx();
	pdn = new_pd(u);
}

TestSuite(list_mkey, .init = setup_user, .fini = teardown);

enum { KLM = 2, KSM = 3 };

static uint8_t *list_box(uint32_t mode, uint32_t entries)
{
	uint8_t *mkc = key_box(pdn, 0x1000, 8192);

	uid(u);
	SET(mkc, mkc, F(access_mode_1_0, mode), F(mkey_7_0, 0),
	    F(translations_octword_size, entries));
	PRM_SET(create_mkey_in, b.in, translations_octword_actual_size, entries);
	if (mode == KSM)
		PRM_SET(mkc, mkc, log_entity_size, 12);
	for (uint32_t i = 0; i < entries; i++) {
		SET(klm, b.in + b.in_len, F(byte_count, 4096), F(mkey, 0x12300 + i),
		    F(address, 0x100000 * i));
		b.in_len += 16;
	}
	return mkc;
}

static struct hca_mkey *create_mkey(void)
{
	return core_ids_get(&hca.mkeys, made());
}

/* KSM of two entities of 2 MiB in a box that is padded to four; the bytes of UCX's encoder, but
 * for the PD. */
Test(list_mkey, golden_inbox_of_ksm)
{
	static const uint8_t head[0x70] = {
		0x02, 0x00, 0x00,	   0x01,	  [0x12] = 0x3f, 0x00,
		0xff, 0xff, 0xff,	   0x00,	  [0x22] = 0x7f, 0x00,
		0x11, 0x20, [0x2d] = 0x40, [0x47] = 0x02, [0x4b] = 0x15, [0x63] = 0x02
	};
	static const uint8_t list[32] = { [6] = 0x12,  0x34, [10] = 0x7f, 0x00, 0x11, 0x20,
					  [22] = 0x12, 0x34, [26] = 0x7f, 0x00, 0x11, 0x40 };
	struct hca_mkey *m;

	box(PRM_OP_CREATE_MKEY);
	memcpy(b.in, head, sizeof(head));
	memcpy(b.in + b.in_len, list, sizeof(list));
	b.in_len += 64;
	cr_assert_eq(b.in_len, 336);
	PRM_SET(mkc, PRM_ADDR(create_mkey_in, b.in, memory_key_mkey_entry), pd, pdn);
	m = create_mkey();
	EQUALS(E(m->entries, 2), E(m->capacity, 2), E(m->log_entity, 21),
	       E(m->list[0].key, 0x1234), E(m->list[0].addr, 0x7f0011200000),
	       E(m->list[1].addr, 0x7f0011400000));
	cr_assert(!m->window && !m->free);
}

Test(list_mkey, query_shows_the_list_as_far_as_it_fits)
{
	struct hca_mkey *m;

	list_box(KLM, 4);
	m = create_mkey();
	cr_assert_eq(execute_on(PRM_OP_QUERY_MKEY, m->index), FW_OK);
	cr_assert_eq(b.out_len, 0x130); /* two octwords */
	cr_assert_eq(PRM_GET(klm, b.out + 0x110, byte_count), 4096);
	cr_assert_eq(PRM_GET(klm, b.out + 0x120, mkey), 0x12301);
	b.out_len = 0x150;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(PRM_GET(klm, b.out + 0x140, mkey), 0x12303);
	cr_assert_eq(PRM_GET(klm, b.out + 0x140, address), 0x300000);
}

/* The key that an entry names is not checked before its use. */
Test(list_mkey, entries_are_no_references)
{
	struct hca_mkey *m;
	struct mem_ref r;

	list_box(KLM, 2);
	m = create_mkey();
	r = (struct mem_ref){ .pd = m->pd,
			      .key = m->index << 8,
			      .addr = 0x1000,
			      .len = 1,
			      .rights = HCA_LOCAL_READ };
	cr_assert_eq(mem_check(&hca, &r), MEM_BAD_KEY);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, m->index), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, pdn), FW_OK);
}

/* mlx5dv_create_mkey(): space for entries, which UMR work requests bring. */
Test(list_mkey, a_free_key_waits_for_its_list)
{
	uint8_t *mkc = list_box(KLM, 0);
	struct hca_mkey *m;
	struct mem_ref r;

	SET(mkc, mkc, F(free, 1), F(umr_en, 1), F(start_addr, 0), F(len, 0),
	    F(translations_octword_size, 8));
	m = create_mkey();
	cr_assert(m->free && m->umr_en && !m->window);
	EQUALS(E(m->capacity, 8), E(m->entries, 0));
	r = (struct mem_ref){
		.pd = m->pd, .key = m->index << 8, .len = 1, .rights = HCA_LOCAL_READ
	};
	cr_assert_eq(mem_check(&hca, &r), MEM_FREE);
}

Test(list_mkey, refusals)
{
	BAD_PARAM(PRM_SET(mkc, list_box(KLM, 2), translations_octword_size, 0), WHY_SIZE);
	BAD_PARAM(PRM_SET(mkc, list_box(KLM, 2), translations_octword_size, 1), WHY_SIZE);
	BAD_PARAM(PRM_SET(mkc, list_box(KLM, 2), translations_octword_size, (1 << 16) + 1),
		  WHY_SIZE);
	BOX_REFUSED(SHORTER(list_box(KLM, 2), 16), FW_BAD_INP_LEN, WHY_PAS);
	BAD_PARAM(WITH_FIELD(list_box(KLM, 2), create_mkey_in, mkey_umem_valid, 1),
		  WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(mkc, list_box(KLM, 2), log_page_size, 12), WHY_VALUE);
	BAD_PARAM(PRM_SET(mkc, list_box(KLM, 2), start_addr, (uint64_t)-4096), WHY_SIZE);
	BOX_REFUSED(PRM_SET(mkc, list_box(KLM, 2), pd, pdn + 1), FW_BAD_RES, WHY_PD);
	BAD_PARAM(PRM_SET(mkc, list_box(KLM, 2), bsf_en, 1), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(mkc, list_box(KSM, 2), log_entity_size, 0), WHY_SIZE);
	BAD_PARAM(PRM_SET(mkc, list_box(KSM, 2), len, 8193),
		  WHY_SIZE); /* more than two entities */
	BAD_PARAM(
		WITH(list_box(KSM, 2), PRM_SET(cmd_hca_cap, hca.caps[0], fixed_buffer_size, 0)),
		WHY_UNSUPPORTED);
	AT_LIMIT(log_max_klm_list_size, 1, list_box(KLM, 2), FW_BAD_PARAM, WHY_SIZE);
}
