/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Texts of hand-written bytes, in both styles. */
#include "memory.h"

static char text[8192];

static const uint8_t write_wqe[48] = {
	0x00, 0x00, 0x07, 0x08, 0x00, 0x00, 0x45, 0x03, 0x00, 0x00, 0x00, 0x88, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x1a, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x17, 0x00, 0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x20, 0x00,
};

static const char *wqe_line(const uint8_t *wqe, size_t len)
{
	size_t n = dv_wqe_format(text, sizeof(text), wqe, len, DV_RC, DV_LINE);

	cr_assert_eq(n, strlen(text));
	cr_assert_null(strchr(text, '\n'));
	return text;
}

static const char *cqe_line(const uint8_t *cqe, size_t len)
{
	size_t n = dv_cqe_format(text, sizeof(text), cqe, len, DV_LINE);

	cr_assert_eq(n, strlen(text));
	cr_assert_null(strchr(text, '\n'));
	return text;
}

Test(print, wqe_on_one_line)
{
	cr_assert_str_eq(wqe_line(write_wqe, 48),
			 "RDMA_WRITE qpn 0x45 idx 7 ds 3 fence signalled"
			 " | raddr 0x7f0000001000 rkey 0x1a00"
			 " | len 64 lkey 0x1700 addr 0x7f0000002000");
}

Test(print, wqe_a_field_a_line)
{
	size_t n = dv_wqe_format(text, sizeof(text), write_wqe, 48, DV_RC, DV_FIELDS);

	cr_assert_eq(n, strlen(text));
	cr_assert_str_eq(text, "control\n"
			       "   0  opmod        0x00\n"
			       "   1  idx          7\n"
			       "   3  opcode       0x08 RDMA_WRITE\n"
			       "   4  qpn          0x000045\n"
			       "   7  ds           3\n"
			       "   8  signature    0x00\n"
			       "   9  stream       0\n"
			       "  11  flags        0x88 fence signalled\n"
			       "  12  imm          0x00000000\n"
			       "remote address\n"
			       "  16  raddr        0x7f0000001000\n"
			       "  24  rkey         0x1a00\n"
			       "data\n"
			       "  32  len          64\n"
			       "  36  lkey         0x1700\n"
			       "  40  addr         0x7f0000002000\n");
}

Test(print, inline_send_with_imm)
{
	static const uint8_t wqe[48] = {
		0x00, 0x01, 0x00, 0x0b, 0x00, 0x00, 0x45, 0x03, 0, 0, 0, 0x02, 0xde, 0xad, 0xbe, 0xef,
		0x80, 0x00, 0x00, 0x0e, 'S', 'E', 'N', 'D', ' ', 'o', 'p', 'e', 'r', 'a', 't', 'i',
		'o', 'n',
	};

	cr_assert_str_eq(wqe_line(wqe, 48),
			 "SEND_IMM qpn 0x45 idx 256 ds 3 solicited imm 0xdeadbeef"
			 " | inline_len 14 \"SEND operation\"");
}

Test(print, atomic)
{
	static const uint8_t wqe[64] = { [3] = 0x11, [6] = 0x45, 0x04, [16] = 0, [23] = 0x10,
					 [27] = 7, [39] = 5, [47] = 4, [51] = 8, [55] = 9,
					 [63] = 0x30 };

	cr_assert_str_eq(wqe_line(wqe, 64), "ATOMIC_CS qpn 0x45 idx 0 ds 4 | raddr 0x10 rkey 0x7"
					    " | swap 0x5 compare 0x4 | len 8 lkey 0x9 addr 0x30");
}

Test(print, opcode_without_decoder_shows_bytes)
{
	static const uint8_t wqe[32] = { [3] = 0x19, [6] = 0x45, 0x02, [16] = 1, 2, 3, 4, 5 };

	cr_assert_str_eq(wqe_line(wqe, 32), "FMR qpn 0x45 idx 0 ds 2 | bytes "
					    "01020304 05000000 00000000 00000000");
}

Test(print, wqe_that_is_cut)
{
	cr_assert_str_eq(wqe_line(write_wqe, 20), "RDMA_WRITE qpn 0x45 idx 7 ds 3 fence signalled"
						  " | bytes 00007f00 | remote address has 16 bytes"
						  " | ds says 48 bytes, here are 20");
	cr_assert_str_eq(wqe_line(write_wqe, 8), "WQE of 8 bytes: no control segment");
}

Test(print, requester_s_cqe)
{
	static const uint8_t cqe[64] = { [56] = 0x08, 0, 0, 0x45, [60] = 0, 7 };

	cr_assert_str_eq(cqe_line(cqe, 64), "REQ of RDMA_WRITE qpn 0x45 wqe_counter 7");
}

Test(print, responder_s_cqe_in_a_slot_of_128_bytes)
{
	static const uint8_t slot[128] = { [64 + 36] = 1, 2, 3, 4, [64 + 47] = 14, [64 + 59] = 0x46,
					   [64 + 61] = 3, [64 + 63] = 0x34 };

	cr_assert_str_eq(cqe_line(slot, 128), "RESP_SEND_IMM qpn 0x46 wqe_counter 3 "
					      "imm 0x01020304 byte_cnt 14 (inline 32)");
}

Test(print, error_cqe_in_words)
{
	static const uint8_t cqe[64] = { [54] = 0x88, 0x13, 0x08, 0, 0, 0x45, [61] = 7, [63] = 0xd1 };

	cr_assert_str_eq(cqe_line(cqe, 64),
			 "REQ_ERR of RDMA_WRITE qpn 0x45 wqe_counter 7 vendor 0x88"
			 " syndrome 0x13 remote access error (REM_ACCESS_ERR)");
}

Test(print, cqe_a_field_a_line)
{
	static const uint8_t cqe[64] = { [35] = 9, [47] = 14, [55] = 5, [59] = 0x46, [61] = 3,
					 [63] = 0x21 };

	dv_cqe_format(text, sizeof(text), cqe, 64, DV_FIELDS);
	cr_assert_str_eq(text, "completion\n"
			       "  32  uidx         0x9\n"
			       "  44  byte_cnt     14\n"
			       "  48  timestamp    0x5\n"
			       "  57  qpn          0x46\n"
			       "  60  wqe_counter  3\n"
			       "  63  op_own       0x21 RESP_SEND, owner 1, no inline data\n");
}

Test(print, is_cut_at_the_buffer_s_size_as_by_snprintf)
{
	char small[8] = "XXXXXXX";
	size_t n = dv_wqe_format(NULL, 0, write_wqe, 48, DV_RC, DV_LINE);

	cr_assert_eq(n, strlen(wqe_line(write_wqe, 48)));
	cr_assert_eq(dv_wqe_format(small, 5, write_wqe, 48, DV_RC, DV_LINE), n);
	cr_assert_str_eq(small, "RDMA");
	cr_assert_eq(small[5], 'X');
	cr_assert_gt(dv_cqe_format(small, 1, write_wqe, 48, DV_LINE), 0);
	cr_assert_str_eq(small, "");
}
