/* SPDX-License-Identifier: BSD-2-Clause */
/* WQE and CQE bytes by hand; the line has the output of dv's printers. */
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

Test(explain_data, a_wqe_is_printed_by_segments)
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

Test(explain_data, a_cqe_is_printed_with_its_queue)
{
	report_hex(TRACE_CQE, 0x10003, 5,
		   ZEROS_32 "00000000 00000000 00000000 00000000 00000000 00000000"
			    "08010041 00070000");
	expect_line("[3] cqe      cq 0x10003 ci 5  REQ",
		    (const char *const[]){ "RDMA_WRITE", "qpn 0x10041", "7", NULL });
}

Test(explain_data, an_error_cqe_is_explained)
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

static void report_of(enum core_trace_kind kind, uint8_t service, const char *digits)
{
	struct core_trace_queue queue = { .blocks = 64, .service = service, .syndrome = 2 };
	uint8_t bytes[512];

	core_trace(&(struct core_trace){ .kind = kind,
					 .obj = 0x10041,
					 .index = 7,
					 .in = bytes,
					 .in_len = from_hex(bytes, digits),
					 .out = &queue,
					 .out_len = sizeof(queue) });
}

Test(explain_data, a_datagram_is_printed_with_its_queue)
{
	static const char datagram[] = "0000070a 01004104 00000008 00000000"
				       "00000bad 00000000 80000046 00000000"
				       "00000000 020000000001 0040 00500000"
				       "00000000000000000000ffff0a000002";

	report_of(TRACE_WQE, 2, datagram);
	expect_line("[3] wqe      SEND", (const char *const[]){ "qkey 0xbad", "dqpn 0x46",
								"rgid ::ffff:10.0.0.2", NULL });
}

#define REMEDY "; remedy: build the WQE as dv_wqe_check(3) expects it\n"

/* A line for each thing that is wrong, with what the engine made of it. */
Test(explain_data, a_wqe_that_failed_is_checked)
{
	trace_start(1u << TRACE_CHECK);
	report_of(TRACE_FAILED, 0, "00000708 01004101 00000008 00000000");
	cr_expect_str_eq(printed(),
			 "[3:2] check    QP 0x10041: WQE 7: ds 1 is too short for RDMA_WRITE, "
			 "which has 16 bytes of remote address at 16; it ended in a local QP "
			 "operation error (LOC_QP_OP_ERR)" REMEDY);
	report_of(TRACE_FAILED, 2, "00000810 01004101 00000008 00000000");
	cr_expect_str_eq(
		printed(),
		"[3:4] check    QP 0x10041: WQE 7: the index is 8: it has to be 7, that "
		"of this block; it ended in a local QP operation error (LOC_QP_OP_ERR)" REMEDY
		"[3:5] check    QP 0x10041: WQE 7: a queue of type UD does not do "
		"RDMA_READ; it ended in a local QP operation error (LOC_QP_OP_ERR)" REMEDY
		"[3:6] check    QP 0x10041: WQE 7: ds 1 is too short for RDMA_READ, "
		"which has 48 bytes of address vector at 16; it ended in a local QP "
		"operation error (LOC_QP_OP_ERR)" REMEDY);
}

/* Its bytes are valid: only the syndrome is printed. */
Test(explain_data, a_wqe_that_failed_at_the_peer_is_no_finding)
{
	trace_start(1u << TRACE_CHECK);
	report_of(TRACE_FAILED, 0,
		  "00000708 01004103 00000008 00000000"
		  "00007f0012345000 00001a00 00000000"
		  "00001000 00002b00 00007f0098765000");
	cr_expect_str_eq(printed(), "");
}
