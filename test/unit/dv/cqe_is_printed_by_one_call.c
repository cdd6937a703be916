/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* dv_cqe_print() and dv_cqe_perror(): one line each, whose texts are written out here. */
#include "lib/capture.h"
#include "memory.h"

/* SEND of QP 0x45, WQE 3, completed. */
static const uint8_t done[64] = {
	[56] = 0x0a, [59] = 0x45, [61] = 3, [63] = 0x00,
};

/* RDMA_WRITE of QP 0x45, WQE 7: transport retry counter exceeded (0x15), vendor 0x81. */
static const uint8_t failed[64] = {
	[54] = 0x81, [55] = 0x15, [56] = 0x08, [59] = 0x45, [61] = 7, [63] = 0xd0,
};

static char text[2048];

/* The output of dv_cqe_print() to a stream. */
static const char *printed(const uint8_t *cqe)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	dv_cqe_print(out, cqe);
	fclose(out);
	return text;
}

Test(cqe_print, success_is_one_line)
{
	cr_assert_str_eq(printed(done), "REQ of SEND qpn 0x45 wqe_counter 3\n");
}

Test(cqe_print, error_ends_with_what_to_check)
{
	char line[2048];

	snprintf(line, sizeof(line), "REQ_ERR of RDMA_WRITE qpn 0x45 wqe_counter 7 vendor 0x81 "
		 "syndrome 0x15 %s: %s\n", dv_syndrome_str(0x15), dv_syndrome_hint(0x15));
	cr_assert_str_eq(printed(failed), line);
	cr_assert(strstr(line, "RETRY_EXC_ERR"));
}

Test(cqe_print, perror_names_what_failed)
{
	static const char expected[] = "send: REQ_ERR of RDMA_WRITE qpn 0x45 wqe_counter 7 ";
	struct capture c;
	size_t n;

	capture_begin(&c, stderr);
	dv_cqe_perror("send", failed);
	n = capture_end(&c, text, sizeof(text));
	cr_assert_eq(strncmp(text, expected, sizeof(expected) - 1), 0, "%s", text);
	cr_assert_eq(text[n - 1], '\n');
}

/* The line of any bytes is whole: the buffer of dv_cqe_print() holds it. */
Test(cqe_print, longest_line_fits)
{
	static uint8_t any[64];
	char line[4096];
	size_t longest = 0, n;

	for (int byte = 0; byte < 256; byte += 15) {
		for (int opcode = 0; opcode < 256; opcode++) {
			for (int tag = 0; tag < 2; tag++) {
				memset(any, byte, sizeof(any));
				any[40] = tag ? 1 : any[40];
				any[63] = (uint8_t)opcode;
				n = dv_cqe_format(line, sizeof(line), any, 64, DV_LINE);
				longest = n > longest ? n : longest;
			}
		}
	}
	cr_assert_lt(longest, 1024, "dv/print_stdio.c: LINE");
}
