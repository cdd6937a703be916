/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thousands of completion channels, with and without a CQ: the system calls that the emulator
 * makes for a new one do not grow with those that are there: twice as many make twice as many.
 */
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "points.h"
#include "trapped.h"

#define SOME 400

static atomic_ulong calls;
static struct bench b;

static void count(void)
{
	calls++;
}

static void more_numbers(void)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < 16 * SOME)
		cr_skip_test("the limit of descriptors is too low");
	limit.rlim_cur = limit.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static unsigned long calls_for(int n, bool with_cq)
{
	unsigned long before = calls;

	for (int i = 0; i < n; i++) {
		struct ibv_comp_channel *c = ibv_create_comp_channel(b.ctx);

		cr_assert(c);
		if (with_cq)
			cr_assert(ibv_create_cq(b.ctx, 1, NULL, c, 0));
	}
	return calls - before;
}

static void check_growth(bool with_cq)
{
	static const int looks[] = { SYS_fstat, SYS_ppoll, -1 };
	unsigned long first, second;

	more_numbers();
	bench_open(&b);
	trapped(looks, count);
	first = calls_for(SOME, with_cq);
	second = calls_for(SOME, with_cq);
	cr_assert_geq(first, SOME, "%lu: nothing was counted", first);
	cr_assert_leq(first, 6 * SOME, "%lu", first);
	cr_assert_leq(second, 6 * SOME, "%lu after %lu", second, first);
}

Test(channels, are_cheap)
{
	check_growth(false);
}

Test(channels, are_cheap_with_a_cq)
{
	check_growth(true);
}
