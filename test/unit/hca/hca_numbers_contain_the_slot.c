/* SPDX-License-Identifier: BSD-2-Clause */
/* Object numbers that travel on the wire are unique on the fabric. */
#include <criterion/criterion.h>

#include "hca/hca.h"

Test(dev, two_slots_never_share_a_number)
{
	static struct hca a, b;
	struct hca_qp *qa, *qb;
	struct hca_mkey *ma, *mb;

	cr_assert_eq(hca_init(&a, 1), 0);
	cr_assert_eq(hca_init(&b, 2), 0);
	qa = hca_qp_new(&a);
	qb = hca_qp_new(&b);
	ma = hca_mkey_new(&a);
	mb = hca_mkey_new(&b);
	cr_assert_eq(qa->qpn >> 16, 1);
	cr_assert_eq(qb->qpn >> 16, 2);
	cr_assert_eq(ma->index >> 16, 1);
	cr_assert_eq(mb->index >> 16, 2);
	cr_assert_eq(hca_qp_find(&a, qa->qpn), qa);
	cr_assert_null(hca_qp_find(&a, qb->qpn));
	hca_fini(&a);
	hca_fini(&b);
}

Test(dev, a_key_is_its_index_and_its_variant)
{
	static struct hca hca;
	struct hca_mkey *m;
	uint32_t key;

	cr_assert_eq(hca_init(&hca, 9), 0);
	m = hca_mkey_new(&hca);
	m->variant = 0x5a;
	key = m->index << 8 | 0x5a;
	cr_assert_eq(hca_mkey_find(&hca, key), m);
	cr_assert_null(hca_mkey_find(&hca, key ^ 1), "a stale variant");
	hca_mkey_free(&hca, m);
	cr_assert_null(hca_mkey_find(&hca, key), "freed at once");
	hca_fini(&hca);
}

Test(dev, a_doorbell_page_is_shared_and_starts_silent)
{
	static struct hca hca;
	struct hca_uar *uar;
	uint8_t *app;
	uint32_t index;

	cr_assert_eq(hca_init(&hca, 1), 0);
	uar = hca_uar_new(&hca);
	index = uar->index;
	app = hca_bar_map(&hca, HCA_UAR_PGOFF + index);
	app[0x800] = 0x42;
	cr_assert_eq(uar->page[0x800], 0x42, "both sides see the same page");
	hca_uar_free(&hca, uar);
	while ((uar = hca_uar_new(&hca))->index != index)
		;
	cr_assert_eq(app[0x800], 0, "the next owner is not rung by the last one");
	hca_bar_unmap(app);
	hca_fini(&hca);
}

Test(dev, a_ring_is_found_through_its_pages)
{
	static uint8_t page[2][4096];
	uint64_t pas[2] = { (uintptr_t)page[1], (uintptr_t)page[0] };
	struct hca_ring r = { .pas = pas, .npas = 2, .log_page = 12, .page_offset = 128 };

	cr_assert_eq(hca_ring_at(&r, 0), &page[1][128]);
	cr_assert_eq(hca_ring_at(&r, 4096 - 128), &page[0][0]);
	cr_assert_eq(hca_ring_at(&r, 4096), &page[0][128]);
}
