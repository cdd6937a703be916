/* SPDX-License-Identifier: BSD-2-Clause */
/* sort: as qsort(3). */
#include <stdlib.h>
#include <string.h>
#include <criterion/criterion.h>

#include "core/core.h"

struct item {
	uint32_t key;
	uint8_t more[9]; /* of an odd size, and equal to the key */
} __attribute__((packed));

static int by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static void fill(struct item *all, size_t n, uint32_t keys)
{
	for (size_t i = 0; i < n; i++) {
		all[i].key = (uint32_t)rand() % keys;
		memset(all[i].more, (int)all[i].key, sizeof(all[i].more));
	}
}

Test(sort, of_each_number_of_elements)
{
	struct item all[40], expected[40];

	srand(1);
	for (size_t n = 0; n <= ARRAY_SIZE(all); n++) {
		for (uint32_t keys = 1; keys < 300; keys += 37) {
			fill(all, n, keys);
			memcpy(expected, all, sizeof(all));
			core_sort(all, n, sizeof(all[0]), by_key);
			qsort(expected, n, sizeof(all[0]), by_key);
			cr_assert_eq(memcmp(all, expected, n * sizeof(all[0])), 0, "%zu of %u",
				     n, keys);
		}
	}
}

Test(sort, does_not_touch_what_is_beside)
{
	struct item all[12];

	memset(all, 0xff, sizeof(all));
	fill(all + 1, 10, 100);
	core_sort(all + 1, 10, sizeof(all[0]), by_key);
	cr_expect_eq(all[0].key, UINT32_MAX);
	cr_expect_eq(all[11].key, UINT32_MAX);
}
