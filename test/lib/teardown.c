/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Criterion prints an assertion that fails in a suite's .fini, and counts the test as passed:
 * here the program fails then.
 */
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <stdio.h>
#include <stdlib.h>

static bool failed;

ReportHook(ASSERT)(struct criterion_assert_stats *stats)
{
	failed |= !stats->passed;
}

ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
	if (!failed || stats->tests_failed || stats->tests_crashed)
		return;
	fprintf(stderr, "an assertion failed in a teardown\n");
	exit(1);
}
