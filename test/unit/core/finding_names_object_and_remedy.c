/* SPDX-License-Identifier: BSD-2-Clause */
/* The form of a finding: object, what is wrong, remedy; every kind has its own remedy. */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "core/core.h"

static char said[2048];
static uint32_t obj, kind;

static void keep(const struct core_trace *t)
{
	cr_assert_eq(t->kind, TRACE_CHECK);
	snprintf(said, sizeof(said), "%.*s", (int)t->in_len, (const char *)t->in);
	obj = t->obj;
	kind = t->index;
}

static void setup(void)
{
	core_trace_to = keep;
	core_trace_mask = 1u << TRACE_CHECK;
}

TestSuite(findings, .init = setup);

Test(findings, name_object_and_remedy)
{
	core_check(CORE_NEVER_RUNG, "QP", 0x10001, "record %u, ring %u", 7, 5);
	cr_expect_str_eq(said,
			 "QP 0x10001: record 7, ring 5; remedy: write the doorbell register "
			 "after the record (dv_sq_doorbell)");
	cr_expect_eq(obj, 0x10001);
	cr_expect_eq(kind, CORE_NEVER_RUNG);
}

Test(findings, of_every_kind_have_their_own_remedy)
{
	char seen[CORE_FINDINGS][256];

	for (unsigned int k = 0; k < CORE_FINDINGS; k++) {
		const char *remedy;

		core_check(k, "CQ", 1, "text");
		remedy = strstr(said, "; remedy: ");
		cr_assert_not_null(remedy, "%s", said);
		remedy += strlen("; remedy: ");
		cr_assert_gt(strlen(remedy), 10, "%s", said);
		cr_assert_null(strchr(remedy, '\n'));
		snprintf(seen[k], sizeof(seen[k]), "%s", remedy);
		for (unsigned int i = 0; i < k; i++)
			cr_expect_str_neq(seen[i], seen[k]);
	}
}

Test(findings, that_are_too_long_are_cut)
{
	char longer[3000];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	core_check(CORE_NEVER_RUNG, "QP", 1, "%s", longer);
	cr_expect_eq(strlen(said), 1023);
}

Test(findings, are_made_only_where_they_are_wanted)
{
	core_trace_mask = 0;
	core_check(CORE_NEVER_RUNG, "QP", 1, "text");
	cr_expect_str_empty(said);
}
