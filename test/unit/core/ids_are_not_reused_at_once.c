/* SPDX-License-Identifier: BSD-2-Clause */
/* Number tables: base, round robin, limit, walk. */
#include <criterion/criterion.h>

#include "core/core.h"

static int thing[200];

Test(numbers, a_freed_number_is_not_the_next_one_given)
{
	struct core_ids t;
	uint32_t a, b, c;

	core_ids_init(&t, 0x20000, 1000);
	cr_assert(core_ids_add(&t, &thing[0], &a));
	cr_assert_eq(a, 0x20001, "index 0 is never given");
	core_ids_del(&t, a);
	cr_assert_null(core_ids_get(&t, a));
	cr_assert(core_ids_add(&t, &thing[1], &b));
	cr_assert_eq(b, 0x20002);
	cr_assert(core_ids_add(&t, &thing[2], &c));
	cr_assert_eq(core_ids_get(&t, b), &thing[1]);
	cr_assert_eq(core_ids_get(&t, c), &thing[2]);
	core_ids_fini(&t);
}

Test(numbers, a_full_table_refuses_and_reuses_after_a_free)
{
	struct core_ids t;
	uint32_t id;

	core_ids_init(&t, 0, 100);
	for (int i = 1; i < 100; i++)
		cr_assert(core_ids_add(&t, &thing[i], &id), "number %d", i);
	cr_assert_not(core_ids_add(&t, &thing[0], &id));
	core_ids_del(&t, 42);
	cr_assert(core_ids_add(&t, &thing[0], &id));
	cr_assert_eq(id, 42);
	core_ids_fini(&t);
}

Test(numbers, unknown_ones_are_not_found)
{
	struct core_ids t;
	uint32_t id;

	core_ids_init(&t, 0x50000, 100);
	cr_assert(core_ids_add(&t, &thing[0], &id));
	cr_assert_null(core_ids_get(&t, 1), "below the base");
	cr_assert_null(core_ids_get(&t, 0x60001), "another slot's number");
	core_ids_del(&t, 0x60001);
	cr_assert_eq(t.used, 1);
	core_ids_fini(&t);
}

Test(numbers, the_walk_visits_every_object_once)
{
	struct core_ids t;
	uint32_t id, sum = 0;

	core_ids_init(&t, 0x10000, 300);
	for (int i = 0; i < 150; i++)
		cr_assert(core_ids_add(&t, &thing[i], &id));
	core_ids_del(&t, 0x10000 + 7);
	id = 0;
	while (core_ids_next(&t, &id))
		sum += id - 0x10000;
	cr_assert_eq(sum, 150 * 151 / 2 - 7);
	core_ids_fini(&t);
}

Test(numbers, remember_where_in_the_trace_they_came_and_went)
{
	struct core_ids t;
	uint32_t id;

	core_ids_init(&t, 0x10000, 100);
	cr_assert_eq(core_ids_place(&t, 0x10001), 0, "never given");
	core_trace_place = 6;
	cr_assert(core_ids_add(&t, &thing[0], &id));
	cr_assert_eq(core_ids_place(&t, id), 7, "given by the event that is reported next");
	core_trace_place = 20;
	core_ids_del(&t, id);
	cr_assert_eq(core_ids_place(&t, id), 21);
	core_ids_fini(&t);
}

Test(numbers, a_shifted_table_begins_later_and_wraps)
{
	struct core_ids t;
	uint32_t id, walk = 0, met = 0;

	core_ids_init(&t, 0x30000, 100);
	core_ids_shift(&t, 97);
	for (uint32_t i = 0; i < 99; i++) {
		uint32_t want = 0x30001 + (97 + i) % 99;

		cr_assert(core_ids_add(&t, &thing[i], &id));
		cr_assert_eq(id, want, "0x%x, not 0x%x", id, want);
		cr_assert_eq(core_ids_get(&t, id), &thing[i]);
	}
	cr_assert_not(core_ids_add(&t, &thing[100], &id), "99 numbers, not more");
	cr_assert_null(core_ids_get(&t, 0x30000));
	cr_assert_null(core_ids_get(&t, 0x30064));
	while (core_ids_next(&t, &walk))
		met++;
	cr_assert_eq(met, 99);
	core_ids_del(&t, 0x30062);
	cr_assert_null(core_ids_get(&t, 0x30062));
	cr_assert_eq(t.used, 98);
	core_ids_fini(&t);
}
