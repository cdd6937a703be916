/* SPDX-License-Identifier: BSD-2-Clause */
/* Each store that mmio measures, to memory: the bytes it writes, and where. */
#include <criterion/criterion.h>
#include <string.h>

#include "mmio/mmio.h"

enum { HALF = 256, UNTOUCHED = 0xee };

static uint8_t reg[2 * HALF] __attribute__((aligned(HALF)));
static uint8_t wqe[DV_WQE_BB] __attribute__((aligned(DV_WQE_BB)));
static struct dv_sq sq;
static struct store_lock lock;

static void prepare(void)
{
	memset(reg, UNTOUCHED, sizeof(reg));
	for (int i = 0; i < DV_WQE_BB; i++)
		wqe[i] = (uint8_t)(i + 1);
	memset(&sq, 0, sizeof(sq));
	sq.bf_reg = (char *)reg;
	sq.bf_size = HALF;
	sq.last = wqe;
}

/* @n bytes of the WQE at the beginning of half @half, and nothing else there. */
static void expect(int half, int n)
{
	for (int i = 0; i < HALF; i++)
		cr_assert_eq(reg[half * HALF + i], i < n ? i + 1 : UNTOUCHED,
			     "half %d, byte %d", half, i);
}

static void each_of(enum mapping mapping, bool locked)
{
	int found = 0;

	for (int store = 0; store < STORES; store++)
		for (int fence = 0; fence < FENCES; fence++) {
			store_loop *loop = store_find((enum store)store, (enum fence)fence,
						      mapping, locked);
			int n = store == STORE_WORD ? 8 : 64;
			bool halves = fence == FENCE_DV && mapping == MAPPING_WC;

			if (!loop)
				continue;
			found++;
			prepare();
			loop(&sq, &lock, 0);
			expect(0, 0);
			loop(&sq, &lock, 1);
			expect(0, n);
			expect(1, 0);
			loop(&sq, &lock, 1);
			expect(1, halves ? n : 0);
		}
	/* 8 and 64 bytes with three fences; more by the CPU, and by the library */
	cr_assert_geq(found, locked ? 2 : 6);
}

Test(mmio, each_store)
{
	pthread_spin_init(&lock.spin, PTHREAD_PROCESS_PRIVATE);
	for (int locked = 0; locked < 2; locked++) {
		lock.halves.bf_offset = 0;
		each_of(MAPPING_WC, locked);
		each_of(MAPPING_NC, locked);
	}
}

/* dv/sq.h, the table of doorbells: "lock, if shared". */
Test(mmio, what_threads_may_do_to_one_register)
{
	cr_assert(store_may_share(STORE_WORD, FENCE_DV, MAPPING_NC));
	cr_assert(store_may_share(STORE_WORD, FENCE_NONE, MAPPING_WC));
	cr_assert_not(store_may_share(STORE_WORD, FENCE_DV, MAPPING_WC));
	cr_assert_not(store_may_share(STORE_BLOCK, FENCE_FULL, MAPPING_WC));
	cr_assert_not_null(store_find(STORE_WORD, FENCE_DV, MAPPING_WC, true));
	cr_assert_not_null(store_find(STORE_BLOCK, FENCE_DV, MAPPING_WC, true));
	cr_assert_not_null(store_find(STORE_BLOCK, FENCE_STORE, MAPPING_NC, true));
	/* the write would be late, or there is nothing to lock */
	cr_assert_null(store_find(STORE_BLOCK, FENCE_NONE, MAPPING_WC, true));
	cr_assert_null(store_find(STORE_WORD, FENCE_DV, MAPPING_NC, true));
}

Test(mmio, no_store)
{
	prepare();
	store_nothing(&sq, &lock, 3);
	expect(0, 0);
	expect(1, 0);
}

Test(mmio, doorbells_of_the_library)
{
	cr_assert_not_null(store_find(STORE_WORD, FENCE_DV, MAPPING_WC, false));
	cr_assert_not_null(store_find(STORE_WORD, FENCE_DV, MAPPING_NC, false));
	cr_assert_not_null(store_find(STORE_BLOCK, FENCE_DV, MAPPING_WC, false));
	/* BlueFlame needs write-combining */
	cr_assert_null(store_find(STORE_BLOCK, FENCE_DV, MAPPING_NC, false));
	cr_assert_null(store_find(STORE_AVX512, FENCE_DV, MAPPING_WC, false));
}
