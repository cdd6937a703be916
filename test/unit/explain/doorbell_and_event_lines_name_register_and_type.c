/* SPDX-License-Identifier: BSD-2-Clause */
/* Doorbell registers, event queue entries and findings, bytes by hand. */
#include "unit/explain/trace.h"

TestSuite(explain_event, .init = trace_all);

Test(explain_event, send_doorbells_show_the_control_segment)
{
	report_hex(TRACE_DOORBELL, 5, 0x800, "00000708 01004103");
	cr_expect_str_eq(printed(), "[3] doorbell uar 5 +0x800  "
				    "send qpn 0x10041 idx 7 opcode 0x08 ds 3\n");
}

Test(explain_event, send_doorbells_without_a_record_too)
{
	report_hex(TRACE_DOORBELL, 5, 0x600, "00000708 01004103");
	cr_expect_str_eq(printed(), "[3] doorbell uar 5 +0x600  "
				    "send qpn 0x10041 idx 7 opcode 0x08 ds 3\n");
}

Test(explain_event, arm_doorbells_show_ci_and_kind)
{
	report_hex(TRACE_DOORBELL, 5, 0x20, "10000005 00010003");
	cr_expect_str_eq(printed(),
			 "[3] doorbell uar 5 +0x020  arm cqn 0x10003 ci 5 sn 1 any\n");
	report_hex(TRACE_DOORBELL, 5, 0x20, "31ffffff 00010003");
	cr_expect_str_eq(
		printed(),
		"[3] doorbell uar 5 +0x020  arm cqn 0x10003 ci 16777215 sn 3 solicited\n");
}

Test(explain_event, other_registers_are_shown_as_bytes)
{
	report_hex(TRACE_DOORBELL, 5, 0x700, "01020304 05060708");
	cr_expect_str_eq(printed(), "[3] doorbell uar 5 +0x700  01020304 05060708\n");
	report_hex(TRACE_DOORBELL, 5, 0x800, "0102");
	cr_expect_str_eq(printed(), "[3] doorbell uar 5 +0x800  0102\n");
}

#define ZEROS_28 "00000000 00000000 00000000 00000000 00000000 00000000 00000000"

Test(explain_event, completion_events_name_the_cq)
{
	report_hex(TRACE_EQE, 0x10001, 4,
		   "00000000" ZEROS_28 "00000000 00000000 00000000 00000000"
		   "00000000 00000000 00010003 00000000");
	cr_expect_str_eq(printed(), "[3] eqe      eq 0x10001 slot 4  COMP cqn 0x10003\n");
}

Test(explain_event, errors_name_the_queue)
{
	report_hex(TRACE_EQE, 1, 0,
		   "00110000" ZEROS_28 "00000000 00000000 00000000 00000000"
		   "00000000 00000000 00010041 00000001");
	cr_expect_str_eq(printed(),
			 "[3] eqe      eq 0x1 slot 0  WQ_ACCESS_ERROR qpn 0x10041\n");
	report_hex(TRACE_EQE, 1, 1,
		   "00040000" ZEROS_28 "00010003 00000000 00000001 00000000"
		   "00000000 00000000 00000000 00000001");
	cr_expect_str_eq(printed(),
			 "[3] eqe      eq 0x1 slot 1  CQ_ERROR cqn 0x10003 syndrome 1\n");
}

Test(explain_event, unknown_events_are_shown_as_bytes)
{
	report_hex(TRACE_EQE, 1, 0,
		   "00ee0007" ZEROS_28 "01020304 00000000 00000000 00000000"
		   "00000000 00000000 05060708 00000001");
	cr_expect_str_eq(printed(), "[3] eqe      eq 0x1 slot 0  type 0xee sub_type 0x07 data "
				    "01020304 00000000 00000000 00000000 00000000 00000000 "
				    "05060708\n");
	report_hex(TRACE_EQE, 1, 0, "00ee");
	cr_expect_str_eq(printed(), "[3] eqe      eq 0x1 slot 0  EQE of 2 bytes: not 64\n");
}

Test(explain_event, a_finding_is_one_line)
{
	static const char text[] = "two\nlines";

	trace_start(ALL_KINDS);
	report(TRACE_CHECK, 0x41, 0, text, sizeof(text));
	cr_expect_str_eq(printed(), "[3:1] check    two lines\n");
	report(TRACE_CHECK, 0x41, 0, text, 3);
	cr_expect_str_eq(printed(), "[3:2] check    two\n");
}

Test(explain_event, a_line_too_long_is_cut_and_still_one_line)
{
	static char text[40000];
	const char *line;
	size_t len;

	trace_start(ALL_KINDS);
	fcntl(trace_pipe[0], F_SETPIPE_SZ, 1 << 18);
	memset(text, 'x', sizeof(text));
	report(TRACE_CHECK, 0x41, 0, text, sizeof(text));
	line = printed();
	len = strlen(line);
	cr_expect_gt(len, 16000);
	cr_expect_lt(len, 16384);
	cr_expect_str_eq(line + len - 6, "x …\n");
	cr_expect_eq(strchr(line, '\n'), line + len - 1);
}
