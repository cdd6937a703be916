/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UC: SEND and WRITE without acknowledges. A gap, a missing receive or a bad request drops the
 * message and nothing else.
 */
#include <string.h>

#include "rig.h"

static void setup(void)
{
	far_pair_open_with(256, 0xfffffe);
	be_service(&a, &b, RIG_UC);
}

TestSuite(uc, .init = setup, .fini = rig_close_read);

/* The next @n frames to the second host are lost. */
static void lose_sent(unsigned int n)
{
	ring(&a);
	settle_only(&near);
	cr_assert_eq(lose(&far, n), n);
}

Test(uc, messages_are_segmented_and_not_acknowledged)
{
	record_frames();
	post(&b, "recv 1024; recv 1024 local=0x1000; recv 1024 local=0x2000");
	post(&a, "send 600 sig; send_imm 10 sig");
	post(&a, "write 500 remote=0x10000 sig; write 100 remote=0x10000 sig");
	execute(&a, "write_imm 300 remote=0x10000 sig");
	expect_only_frames("uc: send_first send_middle send_last send_only_imm "
			   "write_first write_last write_only write_first write_last_imm");
	for (unsigned int i = 0; i < frames; i++)
		cr_expect_eq(frame_bth[i][8], 0, "frame %u asks for an ACK", i);
	expect_cqe(&a, "sent; sent; sent; sent; sent");
	expect_cqe(&b, "received; received send_imm; received write_imm");
	cr_expect_arr_eq(far.buf, near.buf, 600);
	cr_expect_arr_eq(far.buf + 0x10000, near.buf, 500);
}

Test(uc, sends_complete_without_a_peer)
{
	b.qp->state = PRM_QPC_STATE_INIT;
	succeed(&a, "send 600 sig");
}

Test(uc, a_gap_drops_the_message_and_its_receive_is_reused)
{
	post(&b, "recv 1024");
	post(&a, "send 100 sig");
	lose_sent(1);
	finish(&a, "send 700 sig", "sent; sent");
	expect_cqe(&b, "received");
	cr_expect_eq(b.cqes[60] << 8 | b.cqes[61], 0);
	cr_expect_arr_eq(far.buf, near.buf, 700);
}

Test(uc, a_message_without_its_first_packet_is_dropped)
{
	post(&b, "recv 1024");
	post(&a, "send 700 sig");
	lose_sent(1);
	settle();
	expect_cqe(&a, "sent");
	expect_none(&b);
	cr_expect_eq(far.buf[300], 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(uc, a_message_without_a_middle_packet_does_not_complete)
{
	uint8_t first[512], last[512], from;
	struct wire_packet p;
	const uint8_t *frame;
	size_t len;

	post(&b, "recv 1024");
	post_rung(&a, "send 700 sig");
	settle_only(&near);
	for (unsigned int i = 0; i < 3; i++) {
		frame = wire_next(far.w, &len, &from);
		cr_assert_not_null(frame);
		memcpy(i ? last : first, frame, len);
		cr_assert(wire_unpack(&p, i ? last : first, len));
		if (i == 1)
			continue;
		cr_assert(wire_has_space(near.w, 2));
		wire_send(near.w, 2, &p);
	}
	settle();
	expect_cqe(&a, "sent");
	expect_none(&b);
	cr_expect_arr_eq(far.buf, near.buf, 256);
	cr_expect_eq(far.buf[256], 0);
	succeed(&a, "send 10 sig");
	expect_cqe(&b, "received");
}

static void put(uint8_t operation, uint32_t psn)
{
	put_packet(&near, &b,
		   (struct wire_packet){ .opcode = WIRE_UC | operation,
					 .psn = psn & 0xffffff,
					 .va = RIG_VA + 0x10000,
					 .rkey = RIG_FAR_KEY,
					 .dma_len = 768,
					 .payload = near.buf,
					 .payload_len = 256 });
}

/* IBA, chapter 9, "UC responder": what follows the error is dropped up to the next first
 * packet, although it would fit the message. */
Test(uc, a_packet_of_another_operation_ends_the_message)
{
	post(&b, "recv 1024");
	put(WIRE_WRITE_FIRST, 0xfffffe);
	put(WIRE_SEND_MIDDLE, 0xffffff);
	put(WIRE_WRITE_MIDDLE, 0);
	put(WIRE_WRITE_LAST_IMM, 1);
	wire_flush(near.w);
	settle();
	cr_expect_arr_eq(far.buf + 0x10000, near.buf, 256);
	cr_expect_eq(far.buf[0x10000 + 256], 0);
	a.qp->req.psn = 2;
	succeed(&a, "send 10 sig");
	expect_cqe(&b, "received 10 wqe=0");
}

Test(uc, without_a_receive_the_message_is_dropped)
{
	finish(&a, "send 700 sig; write_imm 300 remote=0x10000 sig", "sent; sent");
	cr_expect_eq(far.buf[0x10000 + 256], 0, "the packet that needs the receive");
	post(&b, "recv 1024");
	succeed(&a, "send 10 sig");
	expect_cqe(&b, "received");
}

Test(uc, a_write_that_is_not_allowed_is_dropped)
{
	b.qp->rwe = false;
	execute(&a, "write 300 remote=0x10000 sig");
	b.qp->rwe = true;
	finish(&a, "write 300 remote=0x10000 rkey=wrong sig", "sent; sent");
	cr_expect_eq(far.buf[0x10000], 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
	succeed(&a, "write 300 remote=0x10000 sig");
	cr_expect_arr_eq(far.buf + 0x10000, near.buf, 300);
	expect_finding(
		"the QP has no IBV_ACCESS_REMOTE_WRITE|remote write of 300 bytes at 0xa0010000: the low 8 bits");
}

Test(uc, a_message_too_long_for_its_receive_ends_in_local_length)
{
	post(&b, "recv 300");
	succeed(&a, "send 301 sig");
	expect_cqe(&b, "resp_err local_length wqe=0");
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(uc, reads_and_atomics_are_refused)
{
	static const char *const opcodes[] = { "read", "cas", "fetch_add" };

	for (unsigned int i = 0; i < 3; i++) {
		a.qp->state = PRM_QPC_STATE_RTS;
		post_rung(&a, "%s 8 remote=0x10000 sig", opcodes[i]);
		settle();
		expect_cqe(&a, "req_err local_qp_op wqe=%u", i);
		cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	}
}

Test(uc, a_bad_lkey_stops_the_sends_and_receives_continue)
{
	execute(&a, "send 300 lkey=wrong; send 10 sig");
	expect_cqe(&a, "req_err local_prot wqe=0; req_err flushed wqe=1");
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	a.qp->state = PRM_QPC_STATE_RTS;
	post(&b, "recv 1024");
	succeed(&a, "send 10 sig");
	expect_cqe(&b, "received");
	expect_finding("QP 0x10001, local read of 256 bytes at 0xa0000000: the low 8 bits");
}
