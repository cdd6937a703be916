/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever the position in the ring: once everything is retired, the longest WQE that max_nbb
 * allows finds space, padding included; and max_nbb could not be one more. */
#include "queue.h"

static bool fits_everywhere(uint32_t wqe_cnt, unsigned int nbb)
{
	uint32_t position;

	for (position = 0; position < wqe_cnt; position++) {
		memory_start(&m, wqe_cnt, 64);
		m.sq.max_nbb = 255;
		m.sq.pi = m.sq.ci = (uint16_t)position;
		if (!dv_sq_reserve(&m.sq, nbb))
			return false;
	}
	return true;
}

Test(small_ring, never_starves)
{
	uint32_t wqe_cnt;

	for (wqe_cnt = 1; wqe_cnt <= MEMORY_BLOCKS; wqe_cnt *= 2) {
		memory_start(&m, wqe_cnt, 64);
		unsigned int max = m.sq.max_nbb;

		cr_assert(fits_everywhere(wqe_cnt, max), "ring of %u", wqe_cnt);
		if (max < DV_WQE_MAX_NBB)
			cr_assert_not(fits_everywhere(wqe_cnt, max + 1), "ring of %u", wqe_cnt);
	}
}

Test(small_ring, bounds_are_those_of_the_ring_and_of_ds)
{
	static const struct {
		uint32_t wqe_cnt, max_nbb;
	} bounds[] = {
		{ 1, 1 }, { 2, 1 }, { 4, 2 }, { 8, 4 }, { 16, 8 }, { 32, 15 }, { 64, 15 }
	};
	size_t i;

	for (i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		memory_start(&m, bounds[i].wqe_cnt, 64);
		cr_assert_eq(m.sq.max_nbb, bounds[i].max_nbb);
		cr_assert_null(dv_sq_reserve(&m.sq, bounds[i].max_nbb + 1));
		cr_assert_eq(m.sq.pi, 0, "a refusal pads nothing");
	}
}

Test(small_ring, more_sges_than_a_wqe_holds_are_refused)
{
	struct ibv_sge sge = { 1, 1, 1 };

	queue_start();
	cr_assert_eq(dv_sq_send(&m.sq, 0, &sge, 60), EMSGSIZE, "61 segments: 16 blocks");
	cr_assert_eq(dv_sq_send(&m.sq, 0, &sge, 0xffffffff), EMSGSIZE);
}
