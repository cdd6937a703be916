/* SPDX-License-Identifier: BSD-2-Clause */
/* WQE and CQE bytes by hand; what dv's printers say of them stands on the line. */
#include "unit/explain/trace.h"

TestSuite(explain_data, .init = trace_all);

/* The only line printed: begins with @head, and says all of @words. */
static void expect_line(const char *head, const char *const *words)
{
	const char *line = printed();

	cr_expect_eq(strncmp(line, head, strlen(head)), 0, "%s", line);
	for (; *words; words++)
		cr_expect_not_null(strstr(line, *words), "%s not in %s", *words, line);
	cr_expect_eq(strchr(line, '\n'), line + strlen(line) - 1, "%s", line);
}

Test(explain_data, a_wqe_is_told_by_segments)
{
	report_hex(TRACE_WQE, 0x10041, 7,
		   "00000708 01004103 00000008 00000000"
		   "00007f0012345000 00001a00 00000000"
		   "00001000 00002b00 00007f0098765000");
	expect_line("[3] wqe      RDMA_WRITE",
		    (const char *const[]){ "qpn 0x10041", "idx 7", "ds 3",
					   "raddr 0x7f0012345000", "rkey 0x1a00", "len 4096",
					   "lkey 0x2b00", "addr 0x7f0098765000", NULL });
}

#define ZEROS_32 "00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000"

Test(explain_data, a_cqe_is_told_with_its_queue)
{
	report_hex(TRACE_CQE, 0x10003, 5,
		   ZEROS_32 "00000000 00000000 00000000 00000000 00000000 00000000"
			    "08010041 00070000");
	expect_line("[3] cqe      cq 0x10003 ci 5  REQ",
		    (const char *const[]){ "RDMA_WRITE", "qpn 0x10041", "7", NULL });
}

Test(explain_data, an_error_cqe_is_told_in_words)
{
	report_hex(TRACE_CQE, 0x10003, 5,
		   ZEROS_32 "00000000 00000000 00000000 00000000 00000000 00008813"
			    "08010041 000700d1");
	expect_line("[3] cqe      cq 0x10003 ci 5  REQ_ERR",
		    (const char *const[]){ "vendor 0x88", "syndrome 0x13", "access", NULL });
}

Test(explain_data, bytes_that_are_too_few_are_not_read)
{
	report_hex(TRACE_WQE, 1, 0, "00000708");
	expect_line("[3] wqe      ", (const char *const[]){ "4 bytes", NULL });
	report_hex(TRACE_CQE, 1, 0, "00000708");
	expect_line("[3] cqe      cq 0x1 ci 0  ", (const char *const[]){ "4 bytes", NULL });
}
