/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message lengths around the MTU (1024), as BTH opcodes and PSNs of the frames on the wire,
 * responses included.
 */
#include <string.h>

#include "rig.h"

#define REMOTE 0x200000

static void setup(void)
{
	pair_open();
	for (size_t i = 0; i < RIG_BUF / 2; i++)
		near.buf[i] = (uint8_t)(i * 31 + (i >> 8));
	record_frames();
}

TestSuite(packet, .init = setup, .fini = rig_close);

/* @len bytes at 0x10 are copied to REMOTE by a "write", a "send" or a "read"; its frames are
 * recorded. */
static void copy(const char *opcode, uint32_t len)
{
	bool read = strcmp(opcode, "read") == 0;

	memset(near.buf + REMOTE, 0xee, 8192);
	frames = 0;
	succeed(&a, "%s %u local=0x%x remote=0x%x sig", opcode, len, read ? REMOTE : 0x10,
		read ? 0x10 : REMOTE);
	cr_expect_eq(memcmp(near.buf + REMOTE, near.buf + 0x10, len), 0);
	cr_expect_eq(near.buf[REMOTE + len], 0xee);
}

Test(packet, of_a_write)
{
	copy("write", 0);
	expect_frames(0, "write_only ack");
	copy("write", 1);
	expect_frames(0, "write_only ack");
	copy("write", 1024);
	expect_frames(0, "write_only ack");
	copy("write", 1025);
	expect_frames(0, "write_first write_last ack");
	copy("write", 2048);
	expect_frames(0, "write_first write_last ack");
	copy("write", 3000);
	expect_only_frames("write_first write_middle write_last ack");
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
	static const char *const sent[] = {
		"send_only ack", "send_only ack", "send_first send_last ack",
		"send_first send_middle send_middle send_last ack"
	};

	for (int i = 0; i < 4; i++) {
		post(&b, "recv 8000 local=0x200000");
		copy("send", len[i]);
		expect_only_frames(sent[i]);
		expect_cqe(&b, "received");
	}
}

Test(packet, of_a_read)
{
	copy("read", 0);
	expect_frames(0, "read_request read_response_only");
	copy("read", 1024);
	expect_frames(0, "read_request read_response_only");
	copy("read", 1025);
	expect_frames(0, "read_request read_response_first read_response_last");
	copy("read", 3073);
	expect_only_frames("read_request read_response_first read_response_middle "
			   "read_response_middle read_response_last");
	/* A READ takes a PSN for each packet of its response. */
	cr_expect_eq(psn_of(0), 0x104);
	cr_expect_eq(psn_of(4), 0x107);
}

Test(packet, keep_their_order_when_the_psn_wraps)
{
	a.qp->req.psn = b.qp->resp.epsn = 0xfffffe;
	copy("write", 4096);
	cr_expect_eq(psn_of(0), 0xfffffe);
	cr_expect_eq(psn_of(1), 0xffffff);
	cr_expect_eq(psn_of(2), 0);
	cr_expect_eq(psn_of(3), 1);
	a.qp->req.psn = a.qp->req.una_psn = a.qp->req.high_psn = b.qp->resp.epsn = 0xffffff;
	copy("read", 4096);
	cr_expect_eq(psn_of(4), 2);
	cr_expect_eq(a.qp->req.psn, 3);
}

Test(packet, of_a_message_larger_than_the_window)
{
	post(&a, "write 1000001 remote=0x200000 sig");
	finish(&a, "read 1000001 local=0x100000 remote=0x200000 sig", "sent; sent");
	cr_expect_arr_eq(near.buf + REMOTE, near.buf, 1000001);
	cr_expect_arr_eq(near.buf + 0x100000, near.buf, 1000001);
}

/* qpc.log_ack_req_freq is the log2 of how many packets are sent at most without AckReq. */
Test(packet, request_an_ack_as_often_as_the_context_says)
{
	for (unsigned int log = 0; log <= 8; log++) {
		unsigned int without = 0;

		a.qp->log_ack_req_freq = log;
		copy("write", 8000);
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
	memcpy(mtu256, near.buf + 0x10, sizeof(mtu256));
	copy("write", 300);
	expect_frames(0, "write_first write_last ack");
	cr_expect_arr_eq(near.buf + REMOTE, mtu256, sizeof(mtu256));
	/* P_Key 0xffff, destination QP of the peer, then that of the requester for the
	 * response. */
	cr_expect_arr_eq(frame_bth[0] + 2, ((uint8_t[]){ 0xff, 0xff, 0, 0x01, 0x00, 0x02 }), 6);
	cr_expect_arr_eq(frame_bth[2] + 2, ((uint8_t[]){ 0xff, 0xff, 0, 0x01, 0x00, 0x01 }), 6);
}
