/* SPDX-License-Identifier: BSD-2-Clause */
/* A flow is seen by both of its ranks; no rank has a flow with itself. */
#include <criterion/criterion.h>

#include "run/pattern.h"

enum { MOST = 9 };

static bool sees(enum pattern pattern, unsigned int n, unsigned int a, unsigned int b)
{
	unsigned int peers[MOST], count = pattern_peers(pattern, a, n, peers);

	cr_assert_eq(count, pattern_peers(pattern, a, n, NULL));
	for (unsigned int i = 0; i < count; i++) {
		cr_assert(!i || peers[i] > peers[i - 1]);
		if (peers[i] == b)
			return true;
	}
	return false;
}

static void check(enum pattern pattern, unsigned int n)
{
	cr_assert_null(pattern_check(pattern, n));
	for (unsigned int a = 0; a < n; a++) {
		cr_expect_not(sees(pattern, n, a, a));
		cr_expect_gt(pattern_peers(pattern, a, n, NULL), 0);
		for (unsigned int b = 0; b < n; b++)
			cr_expect_eq(sees(pattern, n, a, b), sees(pattern, n, b, a), "%u %u", a,
				     b);
	}
}

Test(pattern, both_ends_know_a_flow)
{
	for (unsigned int n = 2; n <= MOST; n++) {
		check(PATTERN_INCAST, n);
		check(PATTERN_ALL_TO_ALL, n);
		if (n % 2 == 0)
			check(PATTERN_PAIRS, n);
	}
}

Test(pattern, of_four_ranks)
{
	unsigned int peers[MOST];

	cr_expect_eq(pattern_peers(PATTERN_PAIRS, 2, 4, peers), 1);
	cr_expect_eq(peers[0], 3);
	cr_expect(pattern_posts(PATTERN_PAIRS, 2));
	cr_expect_not(pattern_posts(PATTERN_PAIRS, 3));

	cr_expect_eq(pattern_peers(PATTERN_INCAST, 0, 4, peers), 3);
	cr_expect_eq(peers[2], 3);
	cr_expect_not(pattern_posts(PATTERN_INCAST, 0));
	cr_expect_eq(pattern_peers(PATTERN_INCAST, 3, 4, peers), 1);
	cr_expect_eq(peers[0], 0);
	cr_expect(pattern_posts(PATTERN_INCAST, 3));

	cr_expect_eq(pattern_peers(PATTERN_ALL_TO_ALL, 1, 4, peers), 3);
	cr_expect_eq(peers[0], 0);
	cr_expect_eq(peers[1], 2);
	cr_expect(pattern_posts(PATTERN_ALL_TO_ALL, 0));
}

Test(pattern, every_rank_has_a_flow)
{
	cr_expect_not_null(pattern_check(PATTERN_PAIRS, 3));
	cr_expect_not_null(pattern_check(PATTERN_PAIRS, 1));
	cr_expect_not_null(pattern_check(PATTERN_INCAST, 1));
	cr_expect_not_null(pattern_check(PATTERN_ALL_TO_ALL, 1));
}
