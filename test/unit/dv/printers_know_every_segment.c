/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Every segment that a send WQE may have, of every transport: bytes by hand, and the line. */
#include "memory.h"

/* Pairs of digits -> bytes; blanks are skipped. */
static void expect(enum dv_transport transport, const char *digits, const char *line)
{
	uint8_t wqe[1024];
	char text[4096];

	dv_wqe_format(text, sizeof(text), wqe, from_hex(wqe, digits), transport, DV_LINE);
	cr_expect_str_eq(text, line);
}

#define RADDR	   "00007f0000001000 00001a00 00000000"
#define RADDR_TEXT " | raddr 0x7f0000001000 rkey 0x1a00"
#define DATA	   "00000040 00001700 00007f0000002000"
#define DATA_TEXT  " | len 64 lkey 0x1700 addr 0x7f0000002000"
#define WORD	   "00000008 00001700 00007f0000002000"
#define WORD_TEXT  " | len 8 lkey 0x1700 addr 0x7f0000002000"
#define AV_TAIL	   "00000000 020000000001 0040 40500000 00000000000000000000ffff0a000002"
#define AV_TAIL_TEXT " rmac 02:00:00:00:00:01 hop_limit 64 grh 1 sgid_index 5 rgid ::ffff:10.0.0.2"
#define ZEROS_16   "00000000 00000000 00000000 00000000"

Test(print, addresses_of_each_transport)
{
	expect(DV_UD, "0000070a 00004505 00000008 00000000"
		      "11111111 00000000 80000046 0000c351" AV_TAIL DATA,
	       "SEND qpn 0x45 idx 7 ds 5 signalled | qkey 0x11111111 dqpn 0x46 udp_sport 0xc351"
	       AV_TAIL_TEXT DATA_TEXT);
	expect(DV_UD, "0000070a 00004503 00000000 00000000"
		      "11111111 00000000 00000046 33000007" DATA,
	       "SEND qpn 0x45 idx 7 ds 3 | qkey 0x11111111 dqpn 0x46 stat_rate 0x3 sl 3"
	       " udp_sport 0x7" DATA_TEXT);
	expect(DV_DCI, "00000708 00004506 00000908 00000000"
		       "0000000000001234 80000046 00000000" AV_TAIL RADDR DATA,
	       "RDMA_WRITE qpn 0x45 idx 7 ds 6 signalled stream 9 | dc_key 0x1234 dctn 0x46"
	       AV_TAIL_TEXT RADDR_TEXT DATA_TEXT);
	expect(DV_DCI, "0000070a 00004502 00000000 00000000 0000000000001234 00000046 00000007",
	       "SEND qpn 0x45 idx 7 ds 2 | dc_key 0x1234 dctn 0x46 udp_sport 0x7");
	expect(DV_XRC, "00000708 00004504 00000000 00000000"
		       "00000099 00000000 00000000 00000001" RADDR DATA,
	       "RDMA_WRITE qpn 0x45 idx 7 ds 4 | srqn 0x99 reserved 0x1" RADDR_TEXT DATA_TEXT);
	expect(DV_RC, "00000701 00004502 00000000 00001a01" DATA,
	       "SEND_INVAL qpn 0x45 idx 7 ds 2 inval_rkey 0x00001a01" DATA_TEXT);
}

Test(print, packets)
{
	expect(DV_ETH, "0000070a 00004503 00000008 00000000 00000000 c0000000 00000000 00000000" DATA,
	       "SEND qpn 0x45 idx 7 ds 3 signalled | cs_l3 1 cs_l4 1 hdr_sz 0" DATA_TEXT);
	expect(DV_ETH, "0000070a 00004503 00000008 00000000 07110a02 00210000 0000abcd 80000064" DATA,
	       "SEND qpn 0x45 idx 7 ds 3 signalled | swp_offsets 0x7110a02 swp_flags 0x21"
	       " metadata 0xabcd vlan 0x0064" DATA_TEXT);
	expect(DV_ETH, "0000070e 00004504 00000000 00000000 00000000 300005a8 00000000 0012 0102"
		       "0304050607080910 1112131415161718" DATA,
	       "TSO qpn 0x45 idx 7 ds 4 | cs_inner_l3 1 cs_inner_l4 1 mss 1448 hdr_sz 18"
	       " hdr 01020304 05060708 09101112 13141516 1718" DATA_TEXT);
	expect(DV_ETH, "00000729 00004504 00000000 00000000" ZEROS_16 DATA
		       "80000003 61626300 00000000 00000000",
	       "ENHANCED_MPSW qpn 0x45 idx 7 ds 4 | hdr_sz 0" DATA_TEXT " | inline_len 3 \"abc\"");
	expect(DV_ETH, "00000723 00004502 00000000 00000000" DATA,
	       "DUMP qpn 0x45 idx 7 ds 2" DATA_TEXT);
	expect(DV_UD_LSO, "0000070a 00004507 00000000 00000000"
			  "00000b1b 00000000 80000046 00000007" AV_TAIL ZEROS_16
			  "00000000 c0000000 00000000 00000000" DATA,
	       "SEND qpn 0x45 idx 7 ds 7 | qkey 0xb1b dqpn 0x46 udp_sport 0x7" AV_TAIL_TEXT
	       " | bytes 00000000 00000000 00000000 00000000"
	       " | cs_l3 1 cs_l4 1 hdr_sz 0" DATA_TEXT);
}

Test(print, masked_atomics)
{
	expect(DV_RC, "09000714 00004505 00000008 00000000" RADDR
		      "0000000000000001 0000000000000002 00000000000000ff 000000000000ffff" WORD,
	       "ATOMIC_MASKED_CS opmod 0x9 qpn 0x45 idx 7 ds 5 signalled" RADDR_TEXT
	       " | swap 0x1 compare 0x2 swap_mask 0xff compare_mask 0xffff" WORD_TEXT);
	expect(DV_RC, "08000714 00004504 00000008 00000000" RADDR "00000001 00000002 00000003 00000004"
	       WORD,
	       "ATOMIC_MASKED_CS opmod 0x8 qpn 0x45 idx 7 ds 4 signalled" RADDR_TEXT
	       " | swap 0x1 compare 0x2 swap_mask 0x3 compare_mask 0x4" WORD_TEXT);
	expect(DV_RC, "09000715 00004504 00000008 00000000" RADDR "0000000000000001 8000000000000000"
	       WORD,
	       "ATOMIC_MASKED_FA opmod 0x9 qpn 0x45 idx 7 ds 4 signalled" RADDR_TEXT
	       " | add 0x1 field_boundary 0x8000000000000000" WORD_TEXT);
	expect(DV_RC, "08000715 00004504 00000008 00000000" RADDR "00000001 80000000 00000000 00000000"
	       WORD,
	       "ATOMIC_MASKED_FA opmod 0x8 qpn 0x45 idx 7 ds 4 signalled" RADDR_TEXT
	       " | add 0x1 field_boundary 0x80000000" WORD_TEXT);
	expect(DV_RC, "0a000715 00004504 00000008 00000000" RADDR
		      "00000001 00000002 00000003 00000004" WORD,
	       "ATOMIC_MASKED_FA opmod 0xa qpn 0x45 idx 7 ds 4 signalled" RADDR_TEXT
	       " | bytes 00000001 00000002 00000003 00000004 00000008 00001700 00007f00 00002000");
}

#define UMR_OF(ds, mkey, flags, klm, bsf, mask)							\
	"00000725 000045" ds "00000008" mkey flags "000000" klm bsf mask				\
	"00000000 00000000" ZEROS_16 "00000000 00000000"
Test(print, changes_of_keys)
{
	expect(DV_RC, UMR_OF("0c", "00001a07", "80", "0004", "0000", "0000000020002041")
		      "00003c00 ffffff07 00000000 00000000 00007f0000002000 0000000000000080"
		      ZEROS_16 "00000000 00000004 0000000c 00000000" DATA DATA ZEROS_16 ZEROS_16,
	       "UMR qpn 0x45 idx 7 ds 12 signalled mkey 0x00001a07"
	       " | inline 1 klm_octowords 4 mkey_mask 0x20002041"
	       " | access 0x3c qpn 0xffffff tag 0x7 start_addr 0x7f0000002000 len 128"
	       " translations 4 log_page 12"
	       " | len 64 mkey 0x1700 addr 0x7f0000002000"
	       " | len 64 mkey 0x1700 addr 0x7f0000002000 | padding | padding");
	expect(DV_RC, UMR_OF("0c", "00001a07", "80", "0004", "0000", "0000000000000001")
		      "00003c00 ffffff07 00000000 00000000 00007f0000002000 0000000000000080"
		      ZEROS_16 ZEROS_16
		      "00000240 00000400 00000063 00000002"
		      "06000200 00001700 00007f0000002000" "00400040 00001701 00007f0000003000"
		      ZEROS_16,
	       "UMR qpn 0x45 idx 7 ds 12 signalled mkey 0x00001a07"
	       " | inline 1 klm_octowords 4 mkey_mask 0x1"
	       " | access 0x3c qpn 0xffffff tag 0x7 start_addr 0x7f0000002000 len 128"
	       " | len 576 operation 0x400 repeat 99 entries 2"
	       " | stride 1536 len 512 mkey 0x1700 addr 0x7f0000002000"
	       " | stride 64 len 64 mkey 0x1701 addr 0x7f0000003000 | padding");
	expect(DV_RC, UMR_OF("09", "00001a07", "30", "0100", "0000", "0000000000000001")
		      "40000000 ffffff07 00000000 00000000 0000000000000000 0000000000000000"
		      ZEROS_16 ZEROS_16 DATA,
	       "UMR qpn 0x45 idx 7 ds 9 signalled mkey 0x00001a07"
	       " | check_free 1 offset 1 klm_octowords 256 mkey_mask 0x1"
	       " | free 1 access 0x0 qpn 0xffffff tag 0x7 start_addr 0x0 len 0" DATA_TEXT);
}

Test(print, signatures_and_crypto)
{
	expect(DV_RC, UMR_OF("14", "00001a07", "80", "0004", "0008", "0000000000001000")
		      "00000000 ffffff07 00000000 40000000 0000000000000000 0000000000000000"
		      ZEROS_16 ZEROS_16 DATA ZEROS_16 ZEROS_16 ZEROS_16
		      "c00f0102 00000200 20000011 40000022" ZEROS_16
		      "c0001234 00000005 01000000 00000000" ZEROS_16
		      "c1020000 00000200 01000000 00000000"
		      "0000000000000001 0000000000000002 00000077 00000000 0000000000000003" ZEROS_16,
	       "UMR qpn 0x45 idx 7 ds 20 signalled mkey 0x00001a07"
	       " | inline 1 klm_octowords 4 bsf_octowords 8 mkey_mask 0x1000"
	       " | access 0x0 qpn 0xffffff tag 0x7 bsf_en 1 start_addr 0x0 len 0"
	       " | len 64 mkey 0x1700 addr 0x7f0000002000 | padding | padding | padding"
	       " | size 3 sbs 0 check_mask 0xf wire_select 0x1 mem_select 0x2 raw_data 512"
	       " wire_bfs 0x20 wire_psv 0x11 mem_bfs 0x40 mem_psv 0x22"
	       " wire_refresh 0xc000 wire_apptag 0x1234 wire_reftag 0x5 wire_type 0x1"
	       " | size 3 order 2 standard 0 raw_data 512 block_size 0x1 tweak_high 0x1"
	       " tweak_low 0x2 dek 0x77 keytag 0x3");
	expect(DV_RC, "00000720 00004502 00000000 00000000 00000011 00000000 ffffffff00000000",
	       "SET_PSV qpn 0x45 idx 7 ds 2 | psv 0x11 signature 0xffffffff00000000");
}

Test(print, operations_of_the_device_s_own)
{
	expect(DV_RC, "0000070f 00004502 00000000 00000000 00000000 00000000 00000010 00000407",
	       "WAIT qpn 0x45 idx 7 ds 2 | max_index 16 cqn 0x407");
	expect(DV_ETH, "0200070f 00004503 00000000 00000000"
		       "00000014 00000000 0000000000000000 0000000000001000 ffffffffffffffff",
	       "WAIT opmod 0x2 qpn 0x45 idx 7 ds 3"
	       " | invert 1 operation 4 value 0x1000 mask 0xffffffffffffffff");
	expect(DV_RC, "00000717 00004502 00000000 00000000 00000000 00000000 00000010 00000046",
	       "SEND_EN qpn 0x45 idx 7 ds 2 | index 16 qpn 0x46");
	expect(DV_RC, "0100072f 00004504 00000008 00000000"
		      "00000000 00001700 00007f0000003000" DATA DATA,
	       "MMO opmod 0x1 qpn 0x45 idx 7 ds 4 signalled"
	       " | control 0x0 lkey 0x1700 opaque 0x7f0000003000" DATA_TEXT DATA_TEXT);
	expect(DV_RC, "00000728 00004503 00000000 00000000"
		      "10800003 00000004 0000000000000000 0000000000000005 00000000000000ff",
	       "TAG_MATCHING qpn 0x45 idx 7 ds 3"
	       " | operation 1 cqe_req 1 index 3 sw_cnt 4 tag 0x5 mask 0xff");
	expect(DV_RC, "0100072c 00004508 00000000 00000000"
		      "00000009 0000000a" "00000000 00000000" ZEROS_16 ZEROS_16
		      "01020304" "00000000 00000000 00000000" ZEROS_16 ZEROS_16 ZEROS_16,
	       "FLOW_TBL_ACCESS opmod 0x1 qpn 0x45 idx 7 ds 8 | index 0x9 handle 0xa"
	       " | bytes 01020304 00000000 00000000 00000000 00000000 00000000 00000000 00000000"
	       " 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000");
	expect(DV_ETH, "0500072d 00004504 00000000 00000099"
		       "00007f00 00003001 00001700 01020304" ZEROS_16
		       "0000000000000001 0000000000000003",
	       "ACCESS_ASO opmod 0x5 qpn 0x45 idx 7 ds 4 imm 0x00000099"
	       " | read 1 addr 0x7f0000003001 lkey 0x1700 mask_mode 0x1 operand 0x2 offset 0x3"
	       " data_offset 0x4 bitwise_data 0x1 data_mask 0x3");
}

Test(print, what_is_missing_is_said)
{
	expect(DV_RC, "00000708 00004501 00000000 00000000",
	       "RDMA_WRITE qpn 0x45 idx 7 ds 1 | no remote address segment");
	expect(DV_UD, "0000070a 00004502 00000000 00000000 11111111 00000000 80000046 0000c351",
	       "SEND qpn 0x45 idx 7 ds 2 | bytes 11111111 00000000 80000046 0000c351"
	       " | address vector has 48 bytes");
	expect(DV_RC, "00000755 00004501 00000000 00000000",
	       "opcode? qpn 0x45 idx 7 ds 1 opcode 0x55");
}

Test(print, receive_wqes)
{
	uint8_t wqe[64];
	char text[512];
	size_t n = from_hex(wqe, DATA "00000000 00000100 0000000000000000" DATA);

	dv_recv_wqe_format(text, sizeof(text), wqe, n, DV_RECV_PLAIN, DV_LINE);
	cr_expect_str_eq(text, "receive" DATA_TEXT " | len 0 lkey 0x100 addr 0x0 | end of the list");
	n = from_hex(wqe, "00000005 00000000 00000000 00000000" DATA);
	dv_recv_wqe_format(text, sizeof(text), wqe, n, DV_RECV_LINKED, DV_LINE);
	cr_expect_str_eq(text, "receive | next 5" DATA_TEXT);
	dv_recv_wqe_format(text, sizeof(text), wqe, n - 8, DV_RECV_SIGNATURE, DV_LINE);
	cr_expect_str_eq(text, "receive | signature 0x0 | 8 bytes more: no segment");
	dv_recv_wqe_format(text, sizeof(text), wqe, n, DV_RECV_LINKED, DV_FIELDS);
	cr_expect_str_eq(text, "next\n"
			       "   2  next         5\n"
			       "   4  signature    0x0\n"
			       "data\n"
			       "  16  len          64\n"
			       "  20  lkey         0x1700\n"
			       "  24  addr         0x7f0000002000\n");
}
