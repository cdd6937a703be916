/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver's own UMR: two mkeys exchange what they cover, and each keeps its key. */
#include "device.h"

DEVICE_SUITE(umr);

static struct hca_mkey *new_mkey(uint32_t pd, uint8_t variant, unsigned int n, uint64_t len)
{
	uint8_t *mkc = pages_key_box(pd, n, page(n), len);

	SET(mkc, mkc, F(lw, n == 2), F(umr_en, 1), F(mkey_7_0, variant));
	return core_ids_get(&hca.mkeys, made());
}

Test(umr, exchanges_all_but_the_key)
{
	uint32_t pd = new_pd(0), other = new_pd(0), index;
	struct hca_mkey *a = new_mkey(pd, 0x42, 1, 100), *m = new_mkey(other, 0x43, 2, 200);
	const uint8_t *mkc = PRM_ADDR(query_mkey_out, b.out, memory_key_mkey_entry);

	index = a->index;
	fw_umr(&hca, a->index, m->index);
	EQUALS(E(a->index, index), E(a->variant, 0x42), E(a->pd->pdn, other));
	cr_assert_eq(a->start, page(2));
	EQUALS(E(a->len, 200), E(a->access, HCA_LOCAL_READ | HCA_LOCAL_WRITE));
	cr_assert_eq(a->pages.pas[0], page(2));
	cr_assert_eq(m->variant, 0x43);
	cr_assert_eq(m->pages.pas[0], page(1));
	cr_assert_eq(execute_on(PRM_OP_QUERY_MKEY, index), FW_OK);
	cr_assert_eq(PRM_GET(mkc, mkc, mkey_7_0), 0x42);
	cr_assert_eq(PRM_GET(mkc, mkc, len), 200);
	cr_assert_eq(PRM_GET(mkc, mkc, pd), other);
	cr_assert_eq(execute_on(PRM_OP_QUERY_MKEY, m->index), FW_OK);
	cr_assert_eq(PRM_GET(mkc, mkc, mkey_7_0), 0x43);
	cr_assert_eq(PRM_GET(mkc, mkc, len), 100);
	cr_assert_eq(PRM_GET(mkc, mkc, pd), pd);
}

/* Each PD is counted where its mkey is now. */
Test(umr, leaves_the_counts_right)
{
	uint32_t pd = new_pd(0), other = new_pd(0);
	struct hca_mkey *a = new_mkey(pd, 1, 1, 100), *m = new_mkey(other, 2, 2, 200);

	fw_umr(&hca, a->index, m->index);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, pd), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, m->index), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, pd), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, other), FW_BAD_RES_STATE);
	cr_assert_eq(execute_on(PRM_OP_DESTROY_MKEY, a->index), FW_OK);
	cr_assert_eq(execute_on(PRM_OP_DEALLOC_PD, other), FW_OK);
}
