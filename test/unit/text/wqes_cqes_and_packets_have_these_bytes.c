/* SPDX-License-Identifier: BSD-2-Clause */
/* lib/wqe_text.h against bytes from the PRM, and the differences that it has to notice. */
#include <criterion/criterion.h>
#include <string.h>

#include "lib/wqe_text.h"

static const uint8_t head[16] = { 0x77 };
static const struct wqe_context queue = {
	.qpn = 0x10001, .lkey = 0x01000142, .rkey = 0x02000142, .va = 0xa0000000
};

static void expect_wqe(const char *text, const uint8_t *bytes, unsigned int units)
{
	uint8_t wqe[WQE_TEXT_MAX];

	cr_assert_eq(wqe_from_text(wqe, text, &queue), units, "%s", text);
	for (unsigned int i = 0; i < units * 16; i++)
		cr_assert_eq(wqe[i], bytes[i], "%s: byte %u is %02x", text, i, wqe[i]);
}

/* Sixteen bytes a line. */
/* clang-format off */
Test(wqe_text, wqes)
{
	expect_wqe("nop sig", (uint8_t[]){
		0, 0, 0, 0, 0x01, 0x00, 0x01, 1, 0, 0, 0, 0x08, 0, 0, 0, 0 }, 1);
	expect_wqe("send_imm inline=hello_one_level_!! imm=0xdeadbeef solicited sig", (uint8_t[48]){
		0, 0, 0, 0x0b, 0x01, 0x00, 0x01, 3, 0, 0, 0, 0x0a, 0xde, 0xad, 0xbe, 0xef,
		0x80, 0, 0, 18, 'h', 'e', 'l', 'l', 'o', '_', 'o', 'n', 'e', '_', 'l', 'e',
		'v', 'e', 'l', '_', '!', '!' }, 3);
	expect_wqe("write 7 2048 local=0x100 remote=0x3000 fence", (uint8_t[]){
		0, 0, 0, 0x08, 0x01, 0x00, 0x01, 4, 0, 0, 0, 0x80, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0x30, 0, 0x02, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 7, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0,
		0, 0, 0x08, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x01, 0 }, 4);
	expect_wqe("read 9 local_va=0x10 remote_va=0x20 lkey=wrong rkey=0x77 small_fence", (uint8_t[]){
		0, 0, 0, 0x10, 0x01, 0x00, 0x01, 3, 0, 0, 0, 0x20, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0x77, 0, 0, 0, 0,
		0, 0, 0, 9, 0x01, 0x00, 0x01, 0x43, 0, 0, 0, 0, 0, 0, 0, 0x10 }, 3);
	expect_wqe("cas 8 remote=0x2000 swap=77 compare=42 index=0x102", (uint8_t[]){
		0, 1, 2, 0x11, 0x01, 0x00, 0x01, 4, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0x20, 0, 0x02, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0, 42,
		0, 0, 0, 8, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0 }, 4);
	expect_wqe("masked_cas4 swap=1 compare=2 swap_mask=3 compare_mask=4", (uint8_t[]){
		8, 0, 0, 0x14, 0x01, 0x00, 0x01, 3, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0, 0, 0x02, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4 }, 3);
	expect_wqe("masked_add8 add=1 boundary=2 opmod=7", (uint8_t[]){
		7, 0, 0, 0x15, 0x01, 0x00, 0x01, 3, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0xa0, 0, 0, 0, 0x02, 0x00, 0x01, 0x42, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2 }, 3);
	expect_wqe("dma opaque=0x40 8 8 local=0x1000 ds=9 byte9=5", (uint8_t[]){
		1, 0, 0, 0x2f, 0x01, 0x00, 0x01, 9, 0, 5, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0x40,
		0, 0, 0, 8, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0, 0,
		0, 0, 0, 8, 0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0, 0xa0, 0, 0x10, 0 }, 4);
}
/* clang-format on */

Test(wqe_text, receives_end_with_a_key)
{
	static const uint8_t bytes[32] = { 0, 0, 0, 128, 0x01, 0x00, 0x01, 0x42,
					   0, 0, 0, 0,	 0xa0, 0,    0x20, 0,
					   0, 0, 0, 0,	 0,    0,    0x01, 0 };
	uint8_t wqe[WQE_TEXT_MAX];

	cr_assert_eq(recv_from_text(wqe, "recv 128 local=0x2000", &queue), 2);
	cr_assert_arr_eq(wqe, bytes, sizeof(bytes));
}

Test(wqe_text, a_head_follows_the_control_segment)
{
	struct wqe_context c = queue;
	uint8_t wqe[WQE_TEXT_MAX];

	c.head = head;
	c.head_units = 1;
	cr_assert_eq(wqe_from_text(wqe, "send 1", &c), 3);
	cr_assert_arr_eq(wqe + 16, head, 16);
	cr_assert_eq(wqe_from_text(wqe, "nop", &c), 1, "a NOP has none");
}

/* A CQE of a SEND with immediate, 18 bytes, solicited, in the WQE 3. */
static const uint8_t received[64] = { [35] = 0x72, 0xde,     0xad,	  0xbe, 0xef,
				      [47] = 18,   [48] = 9, [57] = 1,	  0,	2,
				      0,	   3,	     [62] = 0x99, 0x33 };

static const uint8_t failed[64] = { [55] = 0x13, [61] = 1, [63] = 0xd2 };

/* The byte that each text does not expect; -1: it expects all. */
Test(wqe_text, cqes)
{
	static const struct {
		const uint8_t *cqe;
		const char *text;
		int byte;
	} rows[] = {
		{ received, "received send_imm", -1 },
		{ received, "received send_imm wqe=3 imm=0xdeadbeef", -1 },
		{ received, "received send_imm 18 imm=0xdeadbeef solicited wqe=3", -1 },
		{ received, "received", 63 },
		{ received, "sent", 63 },
		{ received, "received send_imm wqe=4", 61 },
		{ received, "received send_imm wqe=0x103", 60 },
		{ received, "received send_imm 18 solicited", 36 },
		{ received, "received send_imm 18 imm=0xdeadbeef", 63 },
		{ received, "received send_imm 19 imm=0xdeadbeef solicited", 47 },
		{ received, "received send_imm 18 imm=0xdeadbeef solicited qpn=0x10003", 59 },
		{ received, "received send_imm 18 imm=0xdeadbeef solicited user=0x73", 35 },
		{ received, "received send_imm inline32", 63 },
		{ failed, "req_err rem_access wqe=1", -1 },
		{ failed, "req_err rem_access", -1 },
		{ failed, "req_err rem_op", 55 },
		{ failed, "req_err rem_access wqe=0", 61 },
		{ failed, "resp_err rem_access", 63 },
	};
	static const struct cqe_context c = { .qpn = 0x10002, .user_index = 0x72 };

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(cqe_mismatch(rows[i].cqe, rows[i].text, &c), rows[i].byte,
			     "%s: %d", rows[i].text,
			     cqe_mismatch(rows[i].cqe, rows[i].text, &c));
}

Test(wqe_text, packets)
{
	uint8_t bth[8];

	cr_assert_eq(bth_from_text(bth, 8, "send_first send_last_inv uc: write_only dc: ack"),
		     4);
	cr_assert_arr_eq(bth, ((uint8_t[]){ 0x00, 0x16, 0x2a, 0xd1 }), 4);
	cr_assert_eq(
		bth_from_text(bth, 8, "masked_cas masked_add xrc: fetch_add ud: send_only"), 4);
	cr_assert_arr_eq(bth, ((uint8_t[]){ 0x1e, 0x1f, 0xb4, 0x64 }), 4);
}
