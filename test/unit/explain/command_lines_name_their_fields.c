/* SPDX-License-Identifier: BSD-2-Clause */
/* Mailboxes by hand, offsets from the PRM; two lines each, fields by their PRM names. */
#include <stdlib.h>

#include "unit/explain/trace.h"

TestSuite(explain_command, .init = trace_all);

static void report_command(uint16_t opcode, const void *in, size_t in_len, const void *out,
			   size_t out_len)
{
	core_trace(&(struct core_trace){ .kind = TRACE_FW,
					 .obj = opcode,
					 .in = in,
					 .in_len = in_len,
					 .out = out,
					 .out_len = out_len });
}

/* Mailboxes of the declared size: the digits, then zeroes. */
static void report_mailboxes(const char *in_digits, size_t in_len, const char *out_digits,
			     size_t out_len)
{
	uint8_t in[1024] = { 0 }, out[1024] = { 0 };

	from_hex(in, in_digits);
	from_hex(out, out_digits);
	report_command(in[0] << 8 | in[1], in, in_len, out, out_len);
}

Test(explain_command, a_command_prints_its_inbox_and_its_outbox)
{
	/* uid at byte 2 of the inbox, pd in the low 24 bits of dword 8 of the outbox */
	report_mailboxes("08000001", 16, "00000000 00000000 00010007", 16);
	cr_expect_str_eq(printed(),
			 "[3] fw       ALLOC_PD                 in   uid=0x1\n"
			 "[3] fw       ALLOC_PD                 out  OK pd=0x10007\n");
}

Test(explain_command, a_command_with_nothing_to_say_is_short)
{
	report_mailboxes("0800", 16, "00", 16);
	cr_expect_str_eq(printed(), "[3] fw       ALLOC_PD                 in\n"
				    "[3] fw       ALLOC_PD                 out  OK\n");
}

Test(explain_command, nested_contexts_and_page_lists_are_named)
{
	uint8_t in[0x110 + 16] = { 0x04, 0x00, 0x00, 0x01 }, out[16] = { [9] = 1, [11] = 3 };

	from_hex(in + 0x10 + 0x0c, "07000005"); /* cqc: log_cq_size 28:24, uar_page 23:0 */
	from_hex(in + 0x10 + 0x14, "00010001"); /* c_eqn */
	from_hex(in + 0x110, "00007f0012345000 00007f0012346000");
	report_command(0x400, in, sizeof(in), out, sizeof(out));
	cr_expect_str_eq(printed(),
			 "[3] fw       CREATE_CQ                in   uid=0x1"
			 " cq_context.log_cq_size=0x7 cq_context.uar_page=0x5"
			 " cq_context.c_eqn_or_apu_element=0x10001"
			 " pas[2]={0x7f0012345000,0x7f0012346000}\n"
			 "[3] fw       CREATE_CQ                out  OK cqn=0x10003\n");
}

Test(explain_command, a_refusal_has_status_and_syndrome)
{
	report_mailboxes("0400", 0x110, "03000000 e0040018", 16);
	cr_expect_str_eq(printed(), "[3] fw       CREATE_CQ                in\n"
				    "[3] fw       CREATE_CQ                out  "
				    "BAD_PARAM (bad parameter) syndrome 0xe0040018\n");
	report_mailboxes("0400", 0x110, "77000000 00000001", 16);
	cr_expect_not_null(strstr(printed(), "out  status 0x77 syndrome 0x00000001\n"));
}

Test(explain_command, an_unknown_opcode_is_shown_as_bytes)
{
	report_mailboxes("0fff0000 00000001", 16, "02000000 e00fff01", 16);
	cr_expect_str_eq(printed(), "[3] fw       opcode 0xfff             in   "
				    "0fff0000 00000001 00000000 00000000\n"
				    "[3] fw       opcode 0xfff             out  "
				    "BAD_OP (bad operation) syndrome 0xe00fff01\n");
}

Test(explain_command, mailboxes_too_short_are_not_read_beyond_their_end)
{
	uint8_t *in = malloc(3), *out = malloc(2);
	const char *lines;

	memcpy(in, "\x08\x00\x00", 3);
	memcpy(out, "\x50\x00", 2);
	report_command(0x800, in, 3, out, 2);
	lines = printed();
	cr_expect_not_null(strstr(lines, "ALLOC_PD                 in\n"), "%s", lines);
	cr_expect_not_null(strstr(lines, "ALLOC_PD                 out  5000\n"), "%s", lines);
	free(in);
	free(out);
}

Test(explain_command, of_a_long_page_list_the_first_pages_are_shown)
{
	size_t len = 0x110 + 8 * 1000;
	uint8_t *in = calloc(1, len), out[16] = { 0 };
	const char *lines;

	in[0] = 0x04;
	for (int i = 0; i < 1000; i++)
		in[0x110 + 8 * i + 6] = 0x10;
	report_command(0x400, in, len, out, sizeof(out));
	lines = printed();
	cr_expect_not_null(strstr(lines, " pas[16]={0x1000,"), "%s", lines);
	cr_expect_not_null(strstr(lines, "} … and 7872 bytes more\n"), "%s", lines);
	free(in);
}

Test(explain_command, capabilities_are_read_by_the_group_that_was_asked_for)
{
	uint8_t in[16] = { 0x01, 0x00, [7] = 0x01 }, out[16 + 0x1000] = { 0 };
	const char *lines;

	/* General capabilities, cmd_hca_cap: log_max_qp is the low 5 bits of dword 0x10. */
	out[16 + 0x10 + 3] = 18;
	report_command(0x100, in, sizeof(in), out, sizeof(out));
	lines = printed();
	cr_expect_not_null(strstr(lines, "QUERY_HCA_CAP            in   op_mod=0x1"), "%s",
			   lines);
	cr_expect_not_null(strstr(lines, "log_max_qp=0x12"), "%s", lines);
}

/* ALLOW_OTHER_VHCA_ACCESS: type at 0x12, number at 0x14, key at 0x20; alias: context at
 * 0x10. */
Test(explain_command, access_keys_are_not_shown)
{
	uint8_t in[0x50] = { 0x0b, 0x16, [0x12] = 0xff, 1, [0x16] = 0x18, 0x42 };
	uint8_t out[0x50] = { 0 };

	memset(in + 0x20, 0xa5, 32);
	report_command(0xb16, in, 0x40, out, 16);
	cr_expect_str_eq(printed(), "[3] fw       ALLOW_OTHER_VHCA_ACCESS  in  "
				    " object_type_to_be_accessed=0xff01(MKEY)"
				    " object_id_to_be_accessed=0x1842"
				    " access_key=(32 bytes, not shown)\n"
				    "[3] fw       ALLOW_OTHER_VHCA_ACCESS  out  OK\n");
	memset(in, 0, 0x20);
	from_hex(in, "0a000000 0000ff01 00000000 80000000 00070000 00001842");
	from_hex(in + 0x40, "00123456");
	report_command(0xa00, in, 0x50, out, 0x50);
	cr_expect_not_null(strstr(printed(), "metadata_1=0x123456 "
					     "access_key=(32 bytes, not shown)\n"));
	cr_expect_null(strstr(printed(), "a5a5"));
	in[0xc] = 0; /* the bit is forgotten: refused, and secret all the same */
	report_command(0xa00, in, 0x50, out, 0x50);
	cr_expect_null(strstr(printed(), "a5a5"));
	memset(in + 0x20, 0, 32);
	report_command(0xa00, in, 0x50, out, 0x50);
	cr_expect_null(strstr(printed(), "not shown"), "there is none");
}
