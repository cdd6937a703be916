/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UC: SEND and WRITE without acknowledges. A gap, a missing receive or a bad request drops the
 * message and nothing else.
 */
#include <string.h>

#include "rig.h"

static struct host h[2];
static struct side a, b;

static void setup(void)
{
	far_pair_open(h, &a, &b, 256, 0xfffffe);
	be_service(&a, &b, RIG_UC);
	for (int i = 0; i < 4096; i++)
		h[0].buf[i] = (uint8_t)(i * 7 + 3);
}

static void teardown(void)
{
	expect_none(&a);
	expect_none(&b);
	hosts_close(h);
}

TestSuite(uc, .init = setup, .fini = teardown);

static void post_send(uint8_t opcode, uint32_t len)
{
	post_wr(&a, &(struct wr){ .opcode = opcode,
				  .fm_ce_se = SIGNALED,
				  .len = len,
				  .rkey = RIG_FAR_KEY,
				  .remote = 0x10000 });
}

static void run(void)
{
	ring(&a);
	settle(h, 2);
}

static void expect_good(struct side *s, unsigned int opcode)
{
	const uint8_t *cqe = next_cqe(s);

	cr_assert_not_null(cqe);
	cr_expect_eq((unsigned int)cqe[63] >> 4, opcode, "opcode %d, syndrome 0x%x",
		     cqe[63] >> 4, cqe[55]);
}

/* The next @n frames to the second host are lost. */
static void lose_sent(unsigned int n)
{
	ring(&a);
	while (engine_step(h[0].e))
		;
	cr_assert_eq(lose(&h[1], n), n);
}

Test(uc, messages_are_segmented_and_not_acknowledged)
{
	static const uint8_t opcodes[] = { 0x20, 0x21, 0x22, 0x25, 0x26, 0x28, 0x2a, 0x29 };

	record_frames();
	post_recv(&b, RIG_VA, 1024, RIG_FAR_KEY);
	post_recv(&b, RIG_VA + 0x1000, 1024, RIG_FAR_KEY);
	post_recv(&b, RIG_VA + 0x2000, 1024, RIG_FAR_KEY);
	post_send(0x0a, 600);
	post_send(0x0b, 10);
	post_send(0x08, 500);
	post_send(0x08, 100);
	post_send(0x09, 300);
	run();
	cr_assert_eq(frames, 9);
	expect_opcodes(0, opcodes, 7);
	cr_expect_eq(frame_bth[7][0], 0x26);
	expect_opcodes(8, opcodes + 7, 1);
	for (unsigned int i = 0; i < frames; i++)
		cr_expect_eq(frame_bth[i][8], 0, "frame %u asks for an ACK", i);
	for (int i = 0; i < 5; i++)
		expect_good(&a, 0);
	expect_good(&b, 2);
	expect_good(&b, 3);
	expect_good(&b, 1);
	cr_expect_arr_eq(h[1].buf, h[0].buf, 600);
	cr_expect_arr_eq(h[1].buf + 0x10000, h[0].buf, 500);
}

Test(uc, sends_complete_without_a_peer)
{
	b.qp->state = PRM_QPC_STATE_INIT;
	post_send(0x0a, 600);
	run();
	expect_good(&a, 0);
}

Test(uc, a_gap_drops_the_message_and_its_receive_is_reused)
{
	post_recv(&b, RIG_VA, 1024, RIG_FAR_KEY);
	post_send(0x0a, 100);
	lose_sent(1);
	post_send(0x0a, 700);
	run();
	expect_good(&a, 0);
	expect_good(&a, 0);
	expect_good(&b, 2);
	cr_expect_eq(b.cqes[60] << 8 | b.cqes[61], 0);
	cr_expect_arr_eq(h[1].buf, h[0].buf, 700);
}

Test(uc, a_message_without_its_first_packet_is_dropped)
{
	post_recv(&b, RIG_VA, 1024, RIG_FAR_KEY);
	post_send(0x0a, 700);
	lose_sent(1);
	settle(h, 2);
	expect_good(&a, 0);
	expect_none(&b);
	cr_expect_eq(h[1].buf[300], 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(uc, a_message_without_a_middle_packet_does_not_complete)
{
	uint8_t first[512], last[512], from;
	struct wire_packet p;
	const uint8_t *frame;
	size_t len;

	post_recv(&b, RIG_VA, 1024, RIG_FAR_KEY);
	post_send(0x0a, 700);
	ring(&a);
	while (engine_step(h[0].e))
		;
	for (unsigned int i = 0; i < 3; i++) {
		frame = wire_next(h[1].w, &len, &from);
		cr_assert_not_null(frame);
		memcpy(i ? last : first, frame, len);
		cr_assert(wire_unpack(&p, i ? last : first, len));
		if (i == 1)
			continue;
		cr_assert(wire_has_space(h[0].w, 2));
		wire_send(h[0].w, 2, &p);
	}
	settle(h, 2);
	expect_good(&a, 0);
	expect_none(&b);
	cr_expect_arr_eq(h[1].buf, h[0].buf, 256);
	cr_expect_eq(h[1].buf[256], 0);
	post_send(0x0a, 10);
	run();
	expect_good(&a, 0);
	expect_good(&b, 2);
}

Test(uc, without_a_receive_the_message_is_dropped)
{
	post_send(0x0a, 700);
	post_send(0x09, 300);
	run();
	expect_good(&a, 0);
	expect_good(&a, 0);
	cr_expect_eq(h[1].buf[0x10000 + 256], 0, "the packet that needs the receive");
	post_recv(&b, RIG_VA, 1024, RIG_FAR_KEY);
	post_send(0x0a, 10);
	run();
	expect_good(&a, 0);
	expect_good(&b, 2);
}

Test(uc, a_write_that_is_not_allowed_is_dropped)
{
	b.qp->rwe = false;
	post_send(0x08, 300);
	run();
	b.qp->rwe = true;
	post_wr(&a, &(struct wr){ .opcode = 0x08,
				  .fm_ce_se = SIGNALED,
				  .len = 300,
				  .rkey = RIG_FAR_KEY + 1,
				  .remote = 0x10000 });
	run();
	expect_good(&a, 0);
	expect_good(&a, 0);
	cr_expect_eq(h[1].buf[0x10000], 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
	post_send(0x08, 300);
	run();
	expect_good(&a, 0);
	cr_expect_arr_eq(h[1].buf + 0x10000, h[0].buf, 300);
}

Test(uc, a_message_too_long_for_its_receive_ends_in_local_length)
{
	post_recv(&b, RIG_VA, 300, RIG_FAR_KEY);
	post_send(0x0a, 301);
	run();
	expect_good(&a, 0);
	expect_error(&b, 14, 0x01, 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(uc, reads_and_atomics_are_refused)
{
	static const uint8_t opcodes[] = { 0x10, 0x11, 0x12 };

	for (unsigned int i = 0; i < 3; i++) {
		a.qp->state = PRM_QPC_STATE_RTS;
		post_send(opcodes[i], 8);
		run();
		expect_error(&a, 13, 0x02, i);
		cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	}
}

Test(uc, a_bad_lkey_stops_the_sends_and_receives_continue)
{
	post_wr(&a, &(struct wr){ .opcode = 0x0a, .len = 300, .lkey = RIG_KEY + 1 });
	post_send(0x0a, 10);
	run();
	expect_error(&a, 13, 0x04, 0);
	expect_error(&a, 13, 0x05, 1);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	a.qp->state = PRM_QPC_STATE_RTS;
	post_recv(&b, RIG_VA, 1024, RIG_FAR_KEY);
	post_send(0x0a, 10);
	run();
	expect_good(&a, 0);
	expect_good(&b, 2);
}
