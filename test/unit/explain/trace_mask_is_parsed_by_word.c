/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of --trace: words separated by commas, and what is wrong is pointed at. */
#include "unit/explain/trace.h"

static unsigned int mask_of(const char *list)
{
	const char *bad = NULL;
	unsigned int mask = 0xdead;

	cr_expect(explain_parse(list, &mask, &bad), "%s", list);
	cr_expect_null(bad);
	return mask;
}

Test(explain, trace_mask_is_parsed_by_word)
{
	cr_expect_eq(mask_of(""), 0);
	cr_expect_eq(mask_of("fw"), 1u << TRACE_FW);
	cr_expect_eq(mask_of("doorbell,wqe"), 1u << TRACE_DOORBELL | 1u << TRACE_WQE);
	cr_expect_eq(mask_of("wire"), 1u << TRACE_WIRE_TX | 1u << TRACE_WIRE_RX);
	cr_expect_eq(mask_of("steer"), 1u << TRACE_STEER);
	cr_expect_eq(mask_of("cqe,eqe,check"),
		     1u << TRACE_CQE | 1u << TRACE_EQE | 1u << TRACE_CHECK);
	cr_expect_eq(mask_of("all"), ALL_KINDS);
	cr_expect_eq(mask_of("fw,all"), ALL_KINDS);
}

static void expect_bad(const char *list, const char *where)
{
	const char *bad = NULL;
	unsigned int mask;

	cr_expect_not(explain_parse(list, &mask, &bad), "%s", list);
	cr_assert_not_null(bad);
	cr_expect_str_eq(bad, where);
}

Test(explain, unknown_words_are_refused)
{
	expect_bad("fv", "fv");
	expect_bad("fw,cq,wqe", "cq,wqe");
	expect_bad("fw,,wqe", ",wqe");
	expect_bad("FW", "FW");
	expect_bad("fwx", "fwx");
	expect_bad("al", "al");
	expect_bad("fw ", "fw ");
}

Test(explain, kinds_outside_the_mask_print_nothing)
{
	trace_start(1u << TRACE_EQE);
	report_hex(TRACE_WQE, 1, 0, "00000000 00000101 00000000 00000000");
	cr_expect_str_eq(printed(), "");
	report(TRACE_EQE, 1, 0, "", 0);
	cr_expect_str_eq(printed(), "[3] eqe      eq 0x1 slot 0  EQE of 0 bytes: not 64\n");
}

/* Commands have a place even where they are not printed: findings refer to them. */
Test(explain, with_findings_each_line_has_its_place)
{
	trace_start(1u << TRACE_CHECK | 1u << TRACE_EQE);
	report(TRACE_EQE, 1, 0, "", 0);
	cr_expect_str_eq(printed(), "[3:1] eqe      eq 0x1 slot 0  EQE of 0 bytes: not 64\n");
	report_hex(TRACE_FW, 0x800, 0, "08000000 00000000 00000000 00000000");
	cr_expect_str_eq(printed(), "");
	core_check(CORE_DEREGISTERED, "key", 7, "odd by %d", 1);
	cr_expect_str_eq(printed(),
			 "[3:3] check    key 0x7: odd by 1; remedy: deregister a region "
			 "only after the last work request that uses it has completed\n");
}
