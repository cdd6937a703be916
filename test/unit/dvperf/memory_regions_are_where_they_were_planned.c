/* SPDX-License-Identifier: BSD-2-Clause */
/* One region for all lanes: its parts lie apart, where they were planned, and in no page too
 * many. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include <criterion/criterion.h>

#include "lane/lane.h"
#include "unit/dvperf/given.h"
#include "unit/dvperf/said.h"

enum { PAGE = 4096 };

static char bytes[1 << 20] __attribute__((aligned(PAGE)));

static size_t planned(const struct options *o, unsigned int role)
{
	struct memory m = memory_new(o);

	lane_plan_memory(&m, role);
	return m.size;
}

Test(memory, parts_lie_apart)
{
	static const size_t sizes[] = { 64, 100, 0, 65, 4096, 1, 5000, 128, 70000, 64 };
	struct options o = options_new(MODE_BW);
	struct memory m = memory_new(&o);
	size_t end = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		memory_plan(&m, sizes[i]);
	cr_assert_leq(m.size, sizeof(bytes));
	m.bytes = bytes;
	m.first = 0x7000;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *part = memory_take(&m, sizes[i]);
		size_t at = (size_t)(part - bytes);

		if (!sizes[i]) {
			cr_assert_null(part);
			continue;
		}
		cr_assert_geq(at, end);
		cr_assert_eq(at % 64, 0);
		if (sizes[i] <= PAGE)
			cr_assert_eq(at / PAGE, (at + sizes[i] - 1) / PAGE, "%zu", sizes[i]);
		else
			cr_assert_eq(at % PAGE, 0);
		cr_assert_eq(memory_address(&m, part), 0x7000 + at);
		end = at + sizes[i];
	}
	cr_assert_eq(m.given, m.size);
}

static void take_two(const void *of)
{
	struct options o = options_new(MODE_BW);
	struct memory m = memory_new(&o);

	(void)of;
	memory_plan(&m, 128);
	memory_take(&m, 128);
	memory_take(&m, 1);
}

Test(memory, no_more_is_taken_than_was_planned)
{
	said_only(1, "memory: more is taken than was planned", take_two, NULL);
}

/* There is little of it: a part of one line more begins at the next line. */
Test(memory, parts_of_device_memory_lie_close)
{
	struct options o = options_new(MODE_BW);
	struct memory m = memory_new(&o);

	o.dm = true;
	memory_plan(&m, 64);
	memory_plan(&m, 5000);
	memory_plan(&m, 8);
	cr_assert_eq(m.size, 64 + 5056 + 64);
}

Test(memory, a_lane_has_what_its_role_needs)
{
	struct options o = given_well("size=8 post_list=4");

	cr_assert_eq(planned(&o, LANE_POSTS), 4 * 64);
	cr_assert_eq(planned(&o, LANE_IS_REACHED), 4 * 64);
	cr_assert_eq(planned(&o, LANE_POSTS | LANE_IS_REACHED), 8 * 64);
	o = given_well("size=65536 post_list=4");
	cr_assert_eq(planned(&o, LANE_POSTS), 65536);
	o = given_well("size=8 remote=random remote-size=1M");
	cr_assert_eq(planned(&o, LANE_POSTS), 64);
	cr_assert_eq(planned(&o, LANE_IS_REACHED), 1 << 20);
}

/* A GRH comes before a UD message (InfiniBand specification, 11.4.1.2: 40 bytes). */
Test(memory, receives_have_space)
{
	struct options o = given_well("op=send size=64");

	cr_assert_eq(planned(&o, LANE_IS_REACHED | LANE_RECEIVES), 64);
	o = given_well("op=send size=64 connection=UD");
	cr_assert_geq(planned(&o, LANE_IS_REACHED | LANE_RECEIVES), 64 + 40);
	o = given_well("op=send size=0");
	cr_assert_geq(planned(&o, LANE_IS_REACHED | LANE_RECEIVES), 1);
}

/* The CPU reads an inline payload: it is not the device's. */
Test(memory, inline_payload_is_no_device_memory)
{
	struct options o = given_well("size=8 inline_size=8");

	cr_assert_eq(planned(&o, LANE_POSTS), 64);
	o.dm = true;
	cr_assert_eq(planned(&o, LANE_POSTS), 0);
	o.inline_size = 0;
	cr_assert_eq(planned(&o, LANE_POSTS), 64);
}

/* ib_umem_get() of Linux: ENOMEM where more is locked than the limit. */
Test(memory, a_limit_of_locked_memory_is_named)
{
	struct rlimit few = { 65536, 65536 };
	struct options o = options_new(MODE_BW);

	cr_assert_eq(setrlimit(RLIMIT_MEMLOCK, &few), 0);
	cr_assert(strstr(memory_hint(ENOMEM, &o), "65536"));
	cr_assert(strstr(memory_hint(ENOMEM, &o), "ulimit -l"));
	cr_assert_str_empty(memory_hint(EINVAL, &o));
}
