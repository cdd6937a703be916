/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies that another implementation sends and this responder does not: end-to-end credits,
 * replies to nothing, READ responses that start in the middle. The test is the responder, in
 * slot 2: it sends them by hand.
 */
#include <string.h>

#include "rig.h"

#define PSN    0xfffffeu
#define HERE   0x200000
#define REMOTE 0x100

static struct host h[2];
static struct side a, b;

static void setup(void)
{
	far_pair_open(h, &a, &b, 256, PSN);
	a.qp->ack_timeout = 0;
	record_frames();
}

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(replies, .init = setup, .fini = teardown);

/* @p arrives at the requester, which then sends what it may: recorded from frame 0 on. */
static void reply(struct wire_packet p)
{
	put_packet(&h[1], &a, p);
	wire_flush(h[1].w);
	frames = 0;
	while (engine_step(h[0].e))
		;
}

static void ack(uint32_t psn, uint8_t syndrome, uint32_t msn)
{
	reply((struct wire_packet){ .opcode = WIRE_RC | WIRE_ACK,
				    .psn = psn & 0xffffff,
				    .syndrome = syndrome,
				    .msn = msn });
}

static void post_op(uint8_t opcode, uint32_t len)
{
	post_wr(&a, &(struct wr){ .opcode = opcode,
				  .fm_ce_se = SIGNALED,
				  .len = len,
				  .local = HERE,
				  .remote = REMOTE,
				  .rkey = RIG_FAR_KEY });
}

static void post_sends(unsigned int n, uint32_t len)
{
	while (n--)
		post_op(0x0a, len);
	ring(&a);
	frames = 0;
	while (engine_step(h[0].e))
		;
}

static void expect_completions(unsigned int n)
{
	while (n--) {
		const uint8_t *cqe = next_cqe(&a);

		cr_assert_not_null(cqe);
		cr_expect_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
	}
	expect_none(&a);
}

/* ---- credits ---- */

/* The first reply says MSN 1 and 2 credits (code 2): messages 2 and 3 may be sent. */
Test(replies, credits_limit_sends)
{
	post_sends(1, 8);
	ack(PSN, 2, 1);
	expect_completions(1);
	post_sends(5, 8);
	cr_expect_eq(frames, 2, "%u frames", frames);
	/* Nothing is acknowledged: the fourth message waits. */
	while (engine_step(h[0].e))
		;
	cr_expect_eq(frames, 2, "%u frames", frames);
	/* Three are done, and there is no credit: one packet, with AckReq. */
	ack(PSN + 2, 0, 3);
	cr_assert_eq(frames, 1, "%u frames", frames);
	cr_expect_eq(frame_bth[0][0], 0x04);
	cr_expect_eq(frame_bth[0][8], 0x80);
	/* Code 31: credits are not used. */
	ack(PSN + 3, 31, 4);
	cr_expect_eq(frames, 2, "%u frames", frames);
	ack(PSN + 5, 31, 6);
	expect_completions(5);
}

/* The first packet of a message goes alone; when it is acknowledged, the message has its
 * receive WQE. */
Test(replies, without_credit_the_first_packet_goes_alone)
{
	post_sends(1, 8);
	ack(PSN, 0, 1);
	post_sends(1, 1000);
	cr_assert_eq(frames, 1, "%u frames", frames);
	cr_expect_eq(frame_bth[0][0], 0x00);
	cr_expect_eq(frame_bth[0][8], 0x80);
	ack(PSN + 1, 0, 1);
	expect_opcodes(0, (uint8_t[]){ 0x01, 0x01, 0x02 }, 3);
	ack(PSN + 4, 0, 2);
	expect_completions(2);
}

/* Only messages that need a receive WQE wait. */
Test(replies, credits_do_not_limit_writes)
{
	post_sends(1, 8);
	ack(PSN, 0, 1);
	post_op(0x08, 8);
	post_op(0x08, 8);
	post_op(0x09, 8); /* with immediate */
	post_sends(0, 0);
	expect_opcodes(0, (uint8_t[]){ 0x0a, 0x0a }, 2);
	cr_expect_eq(frames, 2, "%u frames", frames);
	ack(PSN + 2, 0, 3);
	expect_opcodes(0, (uint8_t[]){ 0x0b }, 1);
}

/* An ACK that repeats the last one has a credit more. */
Test(replies, credit_comes_in_an_unasked_ack)
{
	post_sends(1, 8);
	ack(PSN, 1, 1);
	post_sends(3, 8);
	cr_expect_eq(frames, 1, "%u frames", frames);
	ack(PSN, 3, 1);
	cr_expect_eq(frames, 2, "%u frames", frames);
}

/* Credit codes: InfiniBand specification, table "End-to-end flow control credit encoding": 10
 * is 32 messages, and MSNs wrap: 0xfffffe + 32 is 0x1e. */
Test(replies, credits_are_counted_beyond_the_wrap)
{
	a.qp->req.ssn = 0xfffffd;
	post_sends(1, 8);
	ack(PSN, 10, 0xfffffe);
	expect_completions(1);
	post_sends(40, 8);
	cr_expect_eq(frames, 32, "%u frames", frames);
}

/* ---- replies to nothing that is outstanding ---- */

Test(replies, ghosts_are_dropped)
{
	post_sends(2, 8);
	ack(PSN + 2, 31, 2);
	ack(PSN + 0x7ffff0, 31, 2);
	ack(PSN - 1, 31, 0);
	expect_none(&a);
	ack(PSN + 1, 31, 2);
	expect_completions(2);
	/* NAKs and RNR NAKs of what is complete, and a response that was not requested. */
	ack(PSN, 0x62, 0);
	ack(PSN + 1, 0x60, 0);
	ack(PSN + 2, 0x61, 0);
	ack(PSN + 1, 0x3f, 0);
	reply((struct wire_packet){ .opcode = WIRE_RC | WIRE_ATOMIC_ACK,
				    .psn = (PSN + 1) & 0xffffff });
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	post_sends(1, 8);
	cr_expect_eq(frames, 1);
}

/* Reserved codes, IBA table "AETH syndrome field" and "NAK codes", change nothing. */
Test(replies, reserved_syndromes_are_ignored)
{
	post_sends(1, 8);
	ack(PSN, 0x41, 0);
	ack(PSN, 0x7f, 0);
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	ack(PSN, 31, 1);
	expect_completions(1);
}

/* ---- coalesced and implied ---- */

/* Soft-RoCE has no receive WQE for the first message, and reports a gap for the second, which
 * was on its way. That is no retry: those are for a peer that does not answer. */
Test(replies, gap_after_an_rnr_nak_is_no_retry)
{
	a.qp->retry_count = 1;
	a.qp->rnr_retry = 7;
	a.qp->ack_timeout = 0;
	post_sends(2, 8);
	for (int i = 0; i < 3; i++) {
		ack(PSN, 0x20 | 31, 0); /* RNR NAK, 491 ms */
		ack(PSN, 0x60, 0);
		cr_expect_eq(frames, 0, "%u frames", frames);
		a.qp->req.rnr_until = 1; /* it has expired */
		while (engine_step(h[0].e))
			;
		cr_expect_eq(frames, 2, "%u frames", frames);
	}
	ack(PSN + 1, 0x1f, 2);
	expect_completions(2);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
}

/* One ACK completes all messages up to its PSN. */
Test(replies, one_ack_for_many_messages)
{
	post_sends(20, 700); /* 3 packets each */
	ack(PSN + 3 * 15 - 1, 31, 15);
	expect_completions(15);
	ack(PSN + 3 * 20 - 1, 31, 20);
	expect_completions(5);
}

/* ---- READ responses ---- */

static void read_data(uint8_t operation, uint32_t psn, const uint8_t *bytes, uint32_t len)
{
	reply((struct wire_packet){ .opcode = WIRE_RC | operation,
				    .psn = psn & 0xffffff,
				    .syndrome = 31,
				    .msn = 1,
				    .payload = bytes,
				    .payload_len = len });
}

static void fill(uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 8));
}

/* The READ after its second packet is requested again from there. The answer to that starts
 * with FIRST, as the specification has it, or goes on with MIDDLE, as Linux' rxe does
 * (rxe_resp.c, duplicate_request). */
static void answer_the_rest(uint8_t first)
{
	uint8_t bytes[1000];

	fill(bytes, sizeof(bytes));
	post_op(0x10, sizeof(bytes));
	ring(&a);
	while (engine_step(h[0].e))
		;
	read_data(WIRE_READ_RESPONSE_FIRST, PSN, bytes, 256);
	read_data(WIRE_READ_RESPONSE_MIDDLE, PSN + 1, bytes + 256, 256);
	/* The third is lost; the last one implies it. */
	read_data(WIRE_READ_RESPONSE_LAST, PSN + 3, bytes + 768, 232);
	cr_assert_eq(frames, 1, "%u frames", frames);
	cr_expect_eq(frame_bth[0][0], 0x0c);
	cr_expect_eq(frame_bth[0][11], (PSN + 2) & 0xff);
	cr_expect_eq(h[0].hca.counted->no_set.implied_nak_seq_err, 1);
	read_data(first, PSN + 2, bytes + 512, 256);
	read_data(WIRE_READ_RESPONSE_LAST, PSN + 3, bytes + 768, 232);
	expect_completions(1);
	cr_expect_arr_eq(h[0].buf + HERE, bytes, sizeof(bytes));
}

Test(replies, rest_of_a_read_starts_with_first)
{
	answer_the_rest(WIRE_READ_RESPONSE_FIRST);
}

Test(replies, rest_of_a_read_goes_on_with_middle)
{
	answer_the_rest(WIRE_READ_RESPONSE_MIDDLE);
}
