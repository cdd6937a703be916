/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies that another implementation sends and this responder does not: end-to-end credits,
 * replies to nothing, READ responses that start in the middle. The test is the responder, in
 * slot 2: it sends them by hand.
 */
#include <string.h>

#include "rig.h"

#define PSN 0xfffffeu

/* AETH syndromes; a number below UNLIMITED is a code of credits. */
enum { UNLIMITED = 31, RNR_NAK = 0x20, NAK_PSN = 0x60, NAK_INVALID, NAK_ACCESS };

static void setup(void)
{
	far_pair_open_with(256, PSN);
	a.qp->ack_timeout = 0;
	record_frames();
}

TestSuite(replies, .init = setup, .fini = rig_close);

/* @p arrives at the requester, which then sends what it may: recorded from frame 0 on. */
static void reply(struct wire_packet p)
{
	put_packet(&far, &a, p);
	wire_flush(far.w);
	frames = 0;
	settle_only(&near);
}

static void ack(uint32_t psn, uint8_t syndrome, uint32_t msn)
{
	reply((struct wire_packet){ .opcode = WIRE_RC | WIRE_ACK,
				    .psn = psn & 0xffffff,
				    .syndrome = syndrome,
				    .msn = msn });
}

/* a sends what it may of this and of what was posted before: recorded from frame 0 on. */
static void post_and_send(const char *wqes)
{
	post_rung(&a, "%s", wqes);
	frames = 0;
	settle_only(&near);
}

static void post_sends(unsigned int n)
{
	while (--n)
		post(&a, "send 8 sig");
	post_and_send("send 8 sig");
}

static void expect_completions(unsigned int n)
{
	while (n--)
		expect_cqe(&a, "sent");
	expect_none(&a);
}

/* ---- credits ---- */

/* The first reply says MSN 1 and 2 credits (code 2): messages 2 and 3 may be sent. */
Test(replies, credits_limit_sends)
{
	post_and_send("send 8 sig");
	ack(PSN, 2, 1);
	expect_completions(1);
	post_sends(5);
	cr_expect_eq(frames, 2, "%u frames", frames);
	/* Nothing is acknowledged: the fourth message waits. */
	settle_only(&near);
	cr_expect_eq(frames, 2, "%u frames", frames);
	/* Three are done, and there is no credit: one packet, with AckReq. */
	ack(PSN + 2, 0, 3);
	expect_only_frames("send_only");
	cr_expect_eq(frame_bth[0][8], 0x80, "AckReq");
	/* Code 31: credits are not used. */
	ack(PSN + 3, UNLIMITED, 4);
	cr_expect_eq(frames, 2, "%u frames", frames);
	ack(PSN + 5, UNLIMITED, 6);
	expect_completions(5);
}

/* The first packet of a message goes alone; when it is acknowledged, the message has its
 * receive WQE. */
Test(replies, without_credit_the_first_packet_goes_alone)
{
	post_and_send("send 8 sig");
	ack(PSN, 0, 1);
	post_and_send("send 1000 sig");
	expect_only_frames("send_first");
	cr_expect_eq(frame_bth[0][8], 0x80, "AckReq");
	ack(PSN + 1, 0, 1);
	expect_frames(0, "send_middle send_middle send_last");
	ack(PSN + 4, 0, 2);
	expect_completions(2);
}

/* Only messages that need a receive WQE wait. */
Test(replies, credits_do_not_limit_writes)
{
	post_and_send("send 8 sig");
	ack(PSN, 0, 1);
	post_and_send("write 8 sig; write 8 sig; write_imm 8 sig");
	expect_only_frames("write_only write_only");
	ack(PSN + 2, 0, 3);
	expect_frames(0, "write_only_imm");
}

/* An ACK that repeats the last one has a credit more. */
Test(replies, credit_comes_in_an_unasked_ack)
{
	post_and_send("send 8 sig");
	ack(PSN, 1, 1);
	post_sends(3);
	cr_expect_eq(frames, 1, "%u frames", frames);
	ack(PSN, 3, 1);
	cr_expect_eq(frames, 2, "%u frames", frames);
}

/* Credit codes: InfiniBand specification, table "End-to-end flow control credit encoding": 10
 * is 32 messages, and MSNs wrap: 0xfffffe + 32 is 0x1e. */
Test(replies, credits_are_counted_beyond_the_wrap)
{
	a.qp->req.ssn = 0xfffffd;
	post_and_send("send 8 sig");
	ack(PSN, 10, 0xfffffe);
	expect_completions(1);
	post_sends(40);
	cr_expect_eq(frames, 32, "%u frames", frames);
}

/* A peer may NAK what this responder does not. */
Test(replies, refused_invalidation_is_reported)
{
	post_and_send("send_inv 8 inv=0x142 sig");
	ack(PSN, NAK_ACCESS, 1);
	expect_cqe(&a, "req_err rem_access wqe=0");
	expect_finding("QP 0x10001: WQE 0x0: the peer refuses to invalidate key 0x142");
}

/* ---- replies to nothing that is outstanding ---- */

Test(replies, ghosts_are_dropped)
{
	post_sends(2);
	ack(PSN + 2, UNLIMITED, 2);
	ack(PSN + 0x7ffff0, UNLIMITED, 2);
	ack(PSN - 1, UNLIMITED, 0);
	expect_none(&a);
	ack(PSN + 1, UNLIMITED, 2);
	expect_completions(2);
	/* NAKs and RNR NAKs of what is complete, and a response that was not requested. */
	ack(PSN, NAK_ACCESS, 0);
	ack(PSN + 1, NAK_PSN, 0);
	ack(PSN + 2, NAK_INVALID, 0);
	ack(PSN + 1, RNR_NAK | 31, 0);
	reply((struct wire_packet){ .opcode = WIRE_RC | WIRE_ATOMIC_ACK,
				    .psn = (PSN + 1) & 0xffffff });
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	post_and_send("send 8 sig");
	cr_expect_eq(frames, 1);
}

/* Reserved codes, IBA table "AETH syndrome field" and "NAK codes", change nothing. */
Test(replies, reserved_syndromes_are_ignored)
{
	post_and_send("send 8 sig");
	ack(PSN, 0x41, 0);
	ack(PSN, 0x7f, 0);
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	ack(PSN, UNLIMITED, 1);
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
	post_sends(2);
	for (int i = 0; i < 3; i++) {
		ack(PSN, RNR_NAK | 31, 0); /* RNR NAK, 491 ms */
		ack(PSN, NAK_PSN, 0);
		cr_expect_eq(frames, 0, "%u frames", frames);
		a.qp->req.rnr_until = 1; /* it has expired */
		settle_only(&near);
		cr_expect_eq(frames, 2, "%u frames", frames);
	}
	ack(PSN + 1, UNLIMITED, 2);
	expect_completions(2);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
}

/* One ACK completes all messages up to its PSN. */
Test(replies, one_ack_for_many_messages)
{
	for (int i = 0; i < 20; i++)
		post_and_send("send 700 sig"); /* 3 packets */
	ack(PSN + 3 * 15 - 1, UNLIMITED, 15);
	expect_completions(15);
	ack(PSN + 3 * 20 - 1, UNLIMITED, 20);
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

/* A READ of 512 bytes has two responses, of 256 bytes each: FIRST and LAST (IBA, chapter 9,
 * "Requester error behavior": a length or an order that is wrong ends the QP). */
Test(replies, read_responses_of_a_wrong_length_end_the_qp)
{
	static const struct {
		const char *what;
		uint8_t first, last;
		uint32_t first_len, last_len;
	} rows[] = {
		{ "short first", WIRE_READ_RESPONSE_FIRST, 0, 255, 0 },
		{ "only in place of first", WIRE_READ_RESPONSE_ONLY, 0, 256, 0 },
		{ "last in place of first", WIRE_READ_RESPONSE_LAST, 0, 256, 0 },
		{ "short last", WIRE_READ_RESPONSE_FIRST, WIRE_READ_RESPONSE_LAST, 256, 255 },
		{ "empty last", WIRE_READ_RESPONSE_FIRST, WIRE_READ_RESPONSE_LAST, 256, 0 },
		{ "middle in place of last", WIRE_READ_RESPONSE_FIRST,
		  WIRE_READ_RESPONSE_MIDDLE, 256, 256 },
	};

	FOR_EACH_ROW(row, rows, setup) {
		post_and_send("read 512 local=0x200000 remote=0x100 sig");
		read_data(row->first, PSN, near.buf, row->first_len);
		if (row->last)
			read_data(row->last, PSN + 1, near.buf, row->last_len);
		expect_cqe(&a, "req_err bad_resp wqe=0");
		cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR, "%s", row_name);
	}
}

/* The READ after its second packet is requested again from there. The answer to that starts
 * with FIRST, as the specification has it, or goes on with MIDDLE, as Linux' rxe does
 * (rxe_resp.c, duplicate_request). */
static void answer_the_rest(uint8_t first)
{
	uint8_t bytes[1000];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + (i >> 8));
	post_and_send("read 1000 local=0x200000 remote=0x100 sig");
	read_data(WIRE_READ_RESPONSE_FIRST, PSN, bytes, 256);
	read_data(WIRE_READ_RESPONSE_MIDDLE, PSN + 1, bytes + 256, 256);
	/* The third is lost; the last one implies it. */
	read_data(WIRE_READ_RESPONSE_LAST, PSN + 3, bytes + 768, 232);
	expect_only_frames("read_request");
	cr_expect_eq(psn_of(0), (PSN + 2) & 0xffffff);
	cr_expect_eq(near.hca.counted->no_set.implied_nak_seq_err, 1);
	read_data(first, PSN + 2, bytes + 512, 256);
	read_data(WIRE_READ_RESPONSE_LAST, PSN + 3, bytes + 768, 232);
	expect_completions(1);
	cr_expect_arr_eq(near.buf + 0x200000, bytes, sizeof(bytes));
}

Test(replies, rest_of_a_read_starts_with_first)
{
	answer_the_rest(WIRE_READ_RESPONSE_FIRST);
}

Test(replies, rest_of_a_read_goes_on_with_middle)
{
	answer_the_rest(WIRE_READ_RESPONSE_MIDDLE);
}
