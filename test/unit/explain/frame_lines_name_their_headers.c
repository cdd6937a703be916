/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames written by hand, and the lines that they make. */
#include "unit/explain/trace.h"

/* 10.0.0.1 -> 10.0.0.2; IP length and checksum by opcode, UDP length too. */
#define FRAME(ip_len, checksum, udp_len)                                      \
	"020000000002 020000000001 0800 4500" ip_len "00004000 4011" checksum \
	"0a000001 0a000002 c12312b7" udp_len "0000"

TestSuite(explain_frame, .init = trace_all);

Test(explain_frame, a_write_shows_where_it_goes)
{
	report_hex(
		TRACE_WIRE_TX, 2, 0,
		FRAME("0044", "26a7",
		      "0030") "0670ffff 00020041 00000011"
			      "00007f0012345000 00001a00 00001000 d0d1d2d3 d4000000 00000000");
	cr_expect_str_eq(
		printed(),
		"[3] wire     → 2   WRITE_FIRST          10.0.0.1 → 10.0.0.2  "
		"qp 0x20041 psn 17 va 0x7f0012345000 rkey 0x1a00 len 4096 | payload 5\n");
}

Test(explain_frame, bits_of_the_bth_are_named)
{
	report_hex(TRACE_WIRE_RX, 12, 0,
		   FRAME("002c", "26bf", "0018") "04c0ffff 00020041 80000011 00000000");
	cr_expect_str_eq(printed(),
			 "[3] wire     ← 12  SEND_ONLY            10.0.0.1 → 10.0.0.2  "
			 "qp 0x20041 psn 17 ack_req solicited | payload 0\n");
}

Test(explain_frame, acknowledges_say_which)
{
	static const struct {
		const char *aeth, *text;
	} kind[] = {
		{ "1f000004", " credits 31 msn 4\n" },
		{ "2c000004", " RNR NAK timer 12 msn 4\n" },
		{ "60000004", " NAK PSN sequence error msn 4\n" },
		{ "61000004", " NAK invalid request msn 4\n" },
		{ "62000004", " NAK remote access error msn 4\n" },
		{ "63000004", " NAK remote operational error msn 4\n" },
		{ "7f000004", " syndrome 0x7f msn 4\n" },
	};

	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		char digits[256];
		const char *line;

		snprintf(digits, sizeof(digits), "%s %s 00000000",
			 FRAME("0030", "26bb", "001c") "1140ffff 00020041 00000011",
			 kind[i].aeth);
		report_hex(TRACE_WIRE_RX, 1, 0, digits);
		line = printed();
		cr_expect_not_null(strstr(line, "ACK                  10.0.0.1"), "%s", line);
		cr_expect_not_null(strstr(line, kind[i].text), "%s", line);
	}
}

Test(explain_frame, atomics_show_their_operands)
{
	const char *line;

	report_hex(
		TRACE_WIRE_TX, 2, 0,
		FRAME("0048", "26a3",
		      "0034") "1340ffff 00020041 00000011"
			      "00007f0012345000 00001a00 0000000000000005 0000000000000006 00000000");
	line = printed();
	cr_expect_not_null(strstr(line, " rkey 0x1a00 swap 0x5 compare 0x6\n"), "%s", line);

	report_hex(
		TRACE_WIRE_TX, 2, 0,
		FRAME("0048", "26a3",
		      "0034") "1440ffff 00020041 00000011"
			      "00007f0012345000 00001a00 0000000000000005 0000000000000000 00000000");
	line = printed();
	cr_expect_not_null(strstr(line, " rkey 0x1a00 add 0x5\n"), "%s", line);

	report_hex(TRACE_WIRE_TX, 2, 0,
		   FRAME("0038", "26b3", "0024") "1240ffff 00020041 00000011"
						 "1f000004 0000000000000009 00000000");
	line = printed();
	cr_expect_not_null(strstr(line, " credits 31 msn 4 orig 0x9\n"), "%s", line);
}

Test(explain_frame, ipv6_addresses_and_immediate_data)
{
	report_hex(TRACE_WIRE_TX, 2, 0,
		   "020000000002 020000000001 86dd 60000000 00201140"
		   "fe800000000000000000000000000001 fe800000000000000000000000000002"
		   "c12312b7 00200000 0540ffff 00020041 00000011 cafebabe d0d1d2d3 00000000");
	cr_expect_str_eq(printed(),
			 "[3] wire     → 2   SEND_ONLY_IMM        fe80::1 → fe80::2  "
			 "qp 0x20041 psn 17 imm 0xcafebabe | payload 4\n");
}

Test(explain_frame, what_is_not_roce_is_a_frame_of_ethernet)
{
	report_hex(TRACE_WIRE_RX, 2, 0, "020000000002 020000000001 0806");
	cr_expect_str_eq(printed(),
			 "[3] wire     ← 2   ETHERNET             02:00:00:00:00:01 → "
			 "02:00:00:00:00:02  type 0x0806, 14 bytes\n");
}

Test(explain_frame, what_is_no_frame_is_said_to_be_none)
{
	report_hex(TRACE_WIRE_RX, 2, 0, "020000000002 020000000001 08");
	cr_expect_str_eq(printed(), "[3] wire     ← 2   not a frame, 13 bytes\n");
}
