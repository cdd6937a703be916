/* SPDX-License-Identifier: BSD-2-Clause */
/* ids: numbers in a row for one object. */
#include <criterion/criterion.h>

#include "core/core.h"
#include "lib/steps.h"

Test(ranges, every_number_leads_to_the_object)
{
	struct core_ids t;
	uint32_t one, id;
	int a, b;

	core_ids_init(&t, 0x50000, 1000);
	cr_assert(core_ids_add(&t, &a, &one));
	cr_assert(core_ids_add_range(&t, &b, 200, &id));
	cr_assert_eq(id, one + 1);
	for (uint32_t i = 0; i < 200; i++)
		cr_assert_eq(core_ids_get(&t, id + i), &b);
	cr_assert_null(core_ids_get(&t, id + 200));
	cr_assert_eq(t.used, 201);
	for (uint32_t i = 0; i < 200; i++)
		core_ids_del(&t, id + i);
	cr_assert_eq(t.used, 1);
	core_ids_fini(&t);
}

Test(ranges, a_gap_too_small_is_left)
{
	struct core_ids t;
	uint32_t id[9], range;
	int a;

	core_ids_init(&t, 0, 10); /* numbers 1 ... 9 */
	for (unsigned int i = 0; i < 9; i++)
		cr_assert(core_ids_add(&t, &a, &id[i]));
	core_ids_del(&t, id[1]);
	core_ids_del(&t, id[4]);
	core_ids_del(&t, id[5]);
	cr_assert_not(core_ids_add_range(&t, &a, 3, &range));
	cr_assert(core_ids_add_range(&t, &a, 2, &range));
	cr_assert_eq(range, id[4]);
	cr_assert_not(core_ids_add_range(&t, &a, 0, &range));
	cr_assert_not(core_ids_add_range(&t, &a, 10, &range));
	core_ids_fini(&t);
}

/* A shifted table wraps at its end; a range does not. */
Test(ranges, do_not_go_round_the_end)
{
	struct core_ids t;
	uint32_t range;
	int a;

	core_ids_init(&t, 0, 10);
	core_ids_shift(&t, 6); /* 7 8 9 1 2 3 4 5 6 */
	cr_assert(core_ids_add_range(&t, &a, 4, &range));
	cr_assert_eq(range, 1);
	for (uint32_t i = 0; i < 4; i++)
		cr_assert_eq(core_ids_get(&t, range + i), &a);
	core_ids_fini(&t);
}

/* A table grows by two allocations; without one of them it has what it had, and can grow
 * later. */
Test(ranges, tables_grow_or_stay)
{
	long allocations = steps.allocations;
	struct core_ids t;
	uint32_t id, n = 0;
	int a;

	core_ids_init(&t, 0, 1000);
	while (n < 999) {
		bool added;

		steps.fail_at = n % 3; /* none, the first, the second */
		added = core_ids_add(&t, &a, &id);
		steps.fail_at = 0;
		if (!added)
			cr_assert(core_ids_add(&t, &a, &id), "%u", n);
		cr_assert_eq(id, ++n);
		cr_assert_eq(t.used, n);
		for (uint32_t i = 1; i <= 1000; i += 37)
			cr_assert_eq(core_ids_get(&t, i) != NULL, i <= n, "%u of %u", i, n);
	}
	cr_expect_not(core_ids_add(&t, &a, &id), "it is full");
	cr_expect_not(core_ids_add_range(&t, &a, 1, &id));
	core_ids_fini(&t);
	cr_expect_eq(steps.allocations, allocations, "memory is left");
}
