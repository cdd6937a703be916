/* SPDX-License-Identifier: BSD-2-Clause */
/* Object numbers that travel on the wire are unique on the fabric. */
#include <criterion/criterion.h>
#include <string.h>

#include "dev/dev.h"

Test(dev, two_slots_never_share_a_number)
{
	static struct dev a, b;
	struct dev_qp *qa, *qb;
	struct dev_mkey *ma, *mb;

	cr_assert_eq(dev_init(&a, 1), 0);
	cr_assert_eq(dev_init(&b, 2), 0);
	qa = dev_qp_new(&a);
	qb = dev_qp_new(&b);
	ma = dev_mkey_new(&a);
	mb = dev_mkey_new(&b);
	cr_assert_eq(qa->qpn >> 16, 1);
	cr_assert_eq(qb->qpn >> 16, 2);
	cr_assert_eq(ma->index >> 16, 1);
	cr_assert_eq(mb->index >> 16, 2);
	cr_assert_eq(dev_qp_find(&a, qa->qpn), qa);
	cr_assert_null(dev_qp_find(&a, qb->qpn));
	dev_fini(&a);
	dev_fini(&b);
}

Test(dev, a_key_is_its_index_and_its_variant)
{
	static struct dev d;
	struct dev_mkey *m;
	uint32_t key;

	cr_assert_eq(dev_init(&d, 9), 0);
	m = dev_mkey_new(&d);
	m->variant = 0x5a;
	key = m->index << 8 | 0x5a;
	cr_assert_eq(dev_mkey_find(&d, key), m);
	cr_assert_null(dev_mkey_find(&d, key ^ 1), "a stale variant");
	dev_mkey_free(&d, m);
	cr_assert_null(dev_mkey_find(&d, key), "gone at once");
	dev_fini(&d);
}

Test(dev, a_doorbell_page_is_shared_and_starts_silent)
{
	static struct dev d;
	struct dev_uar *uar;
	uint8_t *app;
	uint32_t index;

	cr_assert_eq(dev_init(&d, 1), 0);
	uar = dev_uar_new(&d);
	index = uar->index;
	app = dev_bar_map(&d, DEV_UAR_PGOFF + index);
	app[0x800] = 0x42;
	cr_assert_eq(uar->page[0x800], 0x42, "both sides see the same page");
	dev_uar_free(&d, uar);
	while ((uar = dev_uar_new(&d))->index != index)
		;
	cr_assert_eq(app[0x800], 0, "the next owner is not rung by the last one");
	dev_bar_unmap(app);
	dev_fini(&d);
}

Test(dev, a_ring_is_found_through_its_pages)
{
	static uint8_t page[2][4096];
	uint64_t pas[2] = { (uintptr_t)page[1], (uintptr_t)page[0] };
	struct dev_ring r = { .pas = pas, .npas = 2, .log_page = 12, .page_offset = 128 };

	cr_assert_eq(dev_ring_at(&r, 0), &page[1][128]);
	cr_assert_eq(dev_ring_at(&r, 4096 - 128), &page[0][0]);
	cr_assert_eq(dev_ring_at(&r, 4096), &page[0][128]);
}
