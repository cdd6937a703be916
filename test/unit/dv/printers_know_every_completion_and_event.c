/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* CQEs of all kinds, arrays of mini CQEs, EQEs: bytes by hand, and the line. */
#include <dv/mini.h>
#include "memory.h"

static char text[4096];

static const char *line(const uint8_t *cqe, size_t len)
{
	cr_assert_eq(dv_cqe_format(text, sizeof(text), cqe, len, DV_LINE), strlen(text));
	return text;
}

Test(print, a_received_packet)
{
	static const uint8_t cqe[64] = { [0] = 1, [12] = 0xaa, 0xbb, 0xcc, 0xdd, 0x84, [20] = 0x12, 0x34,
					 [24] = 0x13, 0, 0, 0x99, 7, 0x29, 0, 100, [39] = 5,
					 [46] = 0x05, 0xdc, [57] = 0xab, 0, 0x46, 0, 3, 0, 0x20 };

	cr_expect_str_eq(line(cqe, 64),
			 "RESP_SEND qpn 0xab0046 wqe_counter 3 tunneled 0x1 rx_hash 0xaabbccdd"
			 " rx_hash_type 0x84 check_sum 0x1234 grh 0x1 sl_l3 0x3 rqpn 0x99 csum_ok 0x7"
			 " l3_type 0x2 l4_type 0x2 cv 0x1 vlan_info 0x64 pkey 0x5 byte_cnt 1500");
}

Test(print, coalesced_packets)
{
	static const uint8_t cqe[64] = { [6] = 0x10, 0, 0, 0, 0, 9, [32] = 4, [59] = 0x46, [63] = 0x20 };

	cr_expect_str_eq(line(cqe, 64), "RESP_SEND qpn 0x46 wqe_counter 0 lro_segs 4 lro_win 0x1000"
					" lro_ack 0x9 byte_cnt 0");
}

Test(print, a_matched_tag)
{
	static const uint8_t cqe[64] = { [40] = 1, 2, 0, 9, [59] = 0x46, [63] = 0x60 };

	cr_expect_str_eq(line(cqe, 64), "NO_PACKET qpn 0x46 wqe_counter 0 app 0x1 app_op 0x2"
					" app_info 0x9");
}

Test(print, a_signature_error)
{
	static const uint8_t cqe[64] = { [19] = 1, [23] = 2, [27] = 3, [31] = 4, [32] = 0x20, 0, 1, 2,
					 0, 0, 0x1a, 0, [46] = 2, 0, [63] = 0xc1 };

	cr_expect_str_eq(line(cqe, 64), "SIG_ERR expected_sig 0x1 actual_sig 0x2 expected_ref 0x3"
					" actual_ref 0x4 syndrome 0x2000 sig_type 0x1 domain 2"
					" mkey 0x1a00 offset 512");
}

Test(print, completions_without_a_packet)
{
	static const uint8_t resize[64] = { [63] = 0x50 }, invalid[64] = { [63] = 0xf1 };
	static const uint8_t unknown[64] = { [63] = 0x72 };

	cr_expect_str_eq(line(resize, 64), "RESIZE_CQ qpn 0x0 wqe_counter 0");
	cr_expect_str_eq(line(invalid, 64), "INVALID qpn 0x0 wqe_counter 0");
	cr_expect_str_eq(line(unknown, 64), "opcode 0x7? qpn 0x0 wqe_counter 0 solicited");
}

Test(print, hardware_syndromes)
{
	static const uint8_t cqe[64] = { [52] = 0x31, 0x20, 0x93, 0x04, 0x0a, 0, 0, 0x45,
					 [63] = 0xd0 };

	cr_expect_str_eq(line(cqe, 64), "REQ_ERR of SEND qpn 0x45 wqe_counter 0 hw_synd 0x31"
					" hw_synd_type 0x2 vendor 0x93 syndrome 0x04"
					" local protection error (LOC_PROT_ERR)");
	dv_cqe_format(text, sizeof(text), cqe, 64, DV_FIELDS);
	cr_expect_not_null(strstr(text, "\n  54  vendor       0x93 "));
	cr_expect_not_null(strstr(text, dv_vendor_syndrome_str(0x93)));
}

Test(print, data_inside)
{
	static const uint8_t slot[128] = { 'f', 'a', 'r', [64 + 47] = 3, [64 + 59] = 0x46,
					   [64 + 62] = 9, [64 + 63] = 0x28 };

	dv_cqe_format(text, sizeof(text), slot, 128, DV_FIELDS);
	cr_expect_str_eq(text, "completion\n"
			       "   0  data         \"far\"\n"
			       "  32  uidx         0x0\n"
			       "  44  byte_cnt     3\n"
			       "  48  timestamp    0x0\n"
			       "  57  qpn          0x46\n"
			       "  60  wqe_counter  0\n"
			       "  62  signature    0x09\n"
			       "  63  op_own       0x28 RESP_SEND, owner 0, inline 64\n");
}

Test(print, a_title_and_its_minis)
{
	static const uint8_t title[64] = { [47] = 11, [59] = 0x46, [63] = 0x2c };
	static const uint8_t minis[64] = { 0x12, 0x34, 0, 5, 0x07, 0, 0, 64, 0xab, 0xcd, 0x0a, 0,
					   0, 0, 0, 1 };

	cr_expect_str_eq(line(title, 64), "RESP_SEND qpn 0x46 wqe_counter 0 completions 11"
					  " (compressed)");
	dv_minis_format(text, sizeof(text), minis, 2, DV_MINI_HASH, DV_LINE);
	cr_expect_str_eq(text, "mini CQEs | rx_hash 0x12340005 byte_cnt 117440576"
			       " | rx_hash 0xabcd0a00 byte_cnt 1");
	dv_minis_format(text, sizeof(text), minis, 1, DV_MINI_CSUM, DV_LINE);
	cr_expect_str_eq(text, "mini CQEs | check_sum 0x1234 byte_cnt 117440576");
	dv_minis_format(text, sizeof(text), minis, 1, DV_MINI_FTAG_STRIDX, DV_LINE);
	cr_expect_str_eq(text, "mini CQEs | tag_16 0x1234 stride 5 tag_8 0x7 byte_cnt 64");
	dv_minis_format(text, sizeof(text), minis, 1, DV_MINI_CSUM_STRIDX, DV_LINE);
	cr_expect_str_eq(text, "mini CQEs | check_sum 0x1234 stride 5 byte_cnt 117440576");
	dv_minis_format(text, sizeof(text), minis, 1, DV_MINI_L34H_STRIDX, DV_LINE);
	cr_expect_str_eq(text, "mini CQEs | l34_type 0x12 stride 5 byte_cnt 117440576");
	dv_minis_format(text, sizeof(text), minis + 8, 1, DV_MINI_OF_REQUESTER, DV_FIELDS);
	cr_expect_str_eq(text, "mini CQE\n"
			       "   0  wqe_counter  43981\n"
			       "   2  opcode       0xa\n"
			       "   4  byte_cnt     1\n");
}

/* ---- events ---- */

static const char *event(const uint8_t *eqe, enum dv_style style)
{
	cr_assert_eq(dv_eqe_format(text, sizeof(text), eqe, 64, style), strlen(text));
	return text;
}

Test(print, events)
{
	static const uint8_t comp[64] = { [57] = 1, 0, 3 }, dct[64] = { [1] = 0x1c, [59] = 9 };
	static const uint8_t cq[64] = { [1] = 4, [33] = 1, 0, 3, [43] = 1 };
	static const uint8_t port[64] = { [1] = 9, [3] = 4, [40] = 0x10 };
	static const uint8_t page[64] = { [1] = 0x0b, [35] = 2, [39] = 64 };
	static const uint8_t object[64] = { [1] = 0x27, [35] = 0x47, [39] = 7 };

	cr_expect_str_eq(event(comp, DV_LINE), "COMP cqn 0x10003");
	cr_expect_str_eq(event(cq, DV_LINE), "CQ_ERROR cqn 0x10003 syndrome 1");
	cr_expect_str_eq(event(port, DV_LINE), "PORT_CHANGE sub_type 0x04 port 1");
	cr_expect_str_eq(event(page, DV_LINE), "PAGE_REQUEST function 2 pages 64");
	cr_expect_str_eq(event(object, DV_LINE), "OBJECT_CHANGE obj_type 0x47 obj_id 0x7");
	cr_expect_str_eq(event(dct, DV_FIELDS), "event\n"
						"   1  type         0x1c DCT_DRAINED\n"
						"   3  sub_type     0x00\n"
						"  56  dctn         0x9\n"
						"  63  owner        0\n");
}

Test(print, events_without_a_layout_show_their_bytes)
{
	static const uint8_t eqe[64] = { [1] = 0xee, [3] = 7, [32] = 1, [59] = 2, [63] = 1 };

	cr_expect_str_eq(event(eqe, DV_LINE),
			 "type 0xee sub_type 0x07 data 01000000 00000000 00000000 00000000 00000000"
			 " 00000000 00000002");
	cr_expect_eq(dv_eqe_format(text, sizeof(text), eqe, 63, DV_LINE), strlen(text));
	cr_expect_str_eq(text, "EQE of 63 bytes: not 64");
}
