/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message lengths around the MTU (1024), as BTH opcodes and PSNs of the frames on the wire,
 * responses included.
 */
#include <string.h>

#include "rig.h"

#define REMOTE 0x200000

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	for (size_t i = 0; i < RIG_BUF / 2; i++)
		h.buf[i] = (uint8_t)(i * 31 + (i >> 8));
	record_frames();
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(packet, .init = setup, .fini = teardown);

static uint32_t psn_of(unsigned int frame)
{
	const uint8_t *bth = frame_bth[frame];

	return (uint32_t)bth[9] << 16 | bth[10] << 8 | bth[11];
}

static void run(uint8_t opcode, uint32_t len)
{
	memset(h.buf + REMOTE, 0xee, 8192);
	frames = 0;
	post_wr(&a, &(struct wr){ .opcode = opcode,
				  .fm_ce_se = SIGNALED,
				  .len = len,
				  .local = opcode == 0x10 ? REMOTE : 0x10,
				  .remote = opcode == 0x10 ? 0x10 : REMOTE });
	ring(&a);
	settle(&h, 1);
	cr_assert_not_null(next_cqe(&a));
	cr_expect_eq(memcmp(h.buf + REMOTE, h.buf + 0x10, len), 0);
	cr_expect_eq(h.buf[REMOTE + len], 0xee);
}

Test(packet, of_a_write)
{
	run(0x08, 0);
	expect_opcodes(0, (uint8_t[]){ 0x0a, 0x11 }, 2);
	run(0x08, 1);
	expect_opcodes(0, (uint8_t[]){ 0x0a, 0x11 }, 2);
	run(0x08, 1024);
	expect_opcodes(0, (uint8_t[]){ 0x0a, 0x11 }, 2);
	run(0x08, 1025);
	expect_opcodes(0, (uint8_t[]){ 0x06, 0x08, 0x11 }, 3);
	run(0x08, 2048);
	expect_opcodes(0, (uint8_t[]){ 0x06, 0x08, 0x11 }, 3);
	run(0x08, 3000);
	expect_opcodes(0, (uint8_t[]){ 0x06, 0x07, 0x08, 0x11 }, 4);
	cr_expect_eq(frames, 4);
	/* 1 + 1 + 1 + 2 + 2 packets before, the first of them had PSN 0x100. */
	cr_expect_eq(psn_of(0), 0x107);
	cr_expect_eq(psn_of(2), 0x109);
	cr_expect_eq(psn_of(3), 0x109);
	/* Only the last one requests an ACK. */
	cr_expect_eq(frame_bth[1][8], 0);
	cr_expect_eq(frame_bth[2][8], 0x80);
}

Test(packet, of_a_send)
{
	static const uint32_t len[] = { 0, 1024, 1025, 4000 };
	static const uint8_t first[] = { 0x04, 0x04, 0x00, 0x00 };
	static const uint8_t last[] = { 0x04, 0x04, 0x02, 0x02 };
	static const unsigned int npkt[] = { 1, 1, 2, 4 };

	for (int i = 0; i < 4; i++) {
		post_recv(&b, RIG_VA + REMOTE, 8000, RIG_KEY);
		run(0x0a, len[i]);
		cr_expect_eq(frame_bth[0][0], first[i]);
		cr_expect_eq(frame_bth[npkt[i] - 1][0], last[i]);
		cr_expect_eq(frames, npkt[i] + 1);
		cr_assert_not_null(next_cqe(&b));
	}
}

Test(packet, of_a_read)
{
	run(0x10, 0);
	expect_opcodes(0, (uint8_t[]){ 0x0c, 0x10 }, 2);
	run(0x10, 1024);
	expect_opcodes(0, (uint8_t[]){ 0x0c, 0x10 }, 2);
	run(0x10, 1025);
	expect_opcodes(0, (uint8_t[]){ 0x0c, 0x0d, 0x0f }, 3);
	run(0x10, 3073);
	expect_opcodes(0, (uint8_t[]){ 0x0c, 0x0d, 0x0e, 0x0e, 0x0f }, 5);
	cr_expect_eq(frames, 5);
	/* A READ takes a PSN for each packet of its response. */
	cr_expect_eq(psn_of(0), 0x104);
	cr_expect_eq(psn_of(4), 0x107);
}

Test(packet, keep_their_order_when_the_psn_wraps)
{
	a.qp->req.psn = b.qp->resp.epsn = 0xfffffe;
	run(0x08, 4096);
	cr_expect_eq(psn_of(0), 0xfffffe);
	cr_expect_eq(psn_of(1), 0xffffff);
	cr_expect_eq(psn_of(2), 0);
	cr_expect_eq(psn_of(3), 1);
	a.qp->req.psn = a.qp->req.una_psn = a.qp->req.high_psn = b.qp->resp.epsn = 0xffffff;
	run(0x10, 4096);
	cr_expect_eq(psn_of(4), 2);
	cr_expect_eq(a.qp->req.psn, 3);
}

Test(packet, of_a_message_larger_than_the_window)
{
	post_wr(&a, &(struct wr){ .opcode = 0x08,
				  .fm_ce_se = SIGNALED,
				  .len = 1000001,
				  .remote = REMOTE });
	post_wr(&a, &(struct wr){ .opcode = 0x10,
				  .fm_ce_se = SIGNALED,
				  .len = 1000001,
				  .local = 0x100000,
				  .remote = REMOTE });
	ring(&a);
	settle(&h, 1);
	cr_assert_not_null(next_cqe(&a));
	cr_assert_not_null(next_cqe(&a));
	cr_expect_arr_eq(h.buf + REMOTE, h.buf, 1000001);
	cr_expect_arr_eq(h.buf + 0x100000, h.buf, 1000001);
}

/* qpc.log_ack_req_freq is the log2 of how many packets are sent at most without AckReq. */
Test(packet, request_an_ack_as_often_as_the_context_says)
{
	for (unsigned int log = 0; log <= 8; log++) {
		unsigned int without = 0;

		a.qp->log_ack_req_freq = log;
		run(0x08, 8000);
		for (unsigned int i = 0; i < 8; i++) {
			without = frame_bth[i][8] & 0x80 ? 0 : without + 1;
			cr_expect_lt(without, 1u << log, "packet %u, log %u", i, log);
		}
		cr_expect_eq(without, 0, "the last packet");
	}
}

Test(packet, carry_the_addresses_of_the_path)
{
	uint8_t mtu256[300];

	a.qp->mtu = b.qp->mtu = 256;
	memcpy(mtu256, h.buf + 0x10, sizeof(mtu256));
	run(0x08, 300);
	expect_opcodes(0, (uint8_t[]){ 0x06, 0x08, 0x11 }, 3);
	cr_expect_arr_eq(h.buf + REMOTE, mtu256, sizeof(mtu256));
	/* P_Key 0xffff, destination QP of the peer, then that of the requester for the
	 * response. */
	cr_expect_arr_eq(frame_bth[0] + 2, ((uint8_t[]){ 0xff, 0xff, 0, 0x01, 0x00, 0x02 }), 6);
	cr_expect_arr_eq(frame_bth[2] + 2, ((uint8_t[]){ 0xff, 0xff, 0, 0x01, 0x00, 0x01 }), 6);
}
