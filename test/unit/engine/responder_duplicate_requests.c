/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that a peer may send and this requester does not: duplicates in any order, one whose
 * payload is too short. They are put on the wire by hand, from slot 1 to the responder in slot
 * 2.
 */
#include <string.h>

#include "rig.h"

#define TARGET 0x200000
#define PSN    0xfffff8u

static uint8_t payload[256], long_payload[1024];

static void setup(void)
{
	far_pair_open_with(1024, PSN);
	a.qp->ack_timeout = 0;
	memset(payload, 0x5a, sizeof(payload));
}

TestSuite(responder, .init = setup, .fini = rig_close);

/* @p, which asks for an ACK, is on the wire to b. */
static void request(struct wire_packet p)
{
	p.ack_req = true;
	put_packet(&near, &b, p);
}

/* All that is on the wire arrives, before anything is sent back. */
static void arrive(void)
{
	wire_flush(near.w);
	frames = 0;
	engine_step(far.e);
}

static void deliver(struct wire_packet p)
{
	request(p);
	arrive();
}

static void write_at(uint32_t psn, uint32_t says, uint32_t has)
{
	deliver((struct wire_packet){ .opcode = WIRE_RC | WIRE_WRITE_ONLY,
				      .psn = psn,
				      .va = RIG_VA + TARGET,
				      .rkey = RIG_FAR_KEY,
				      .dma_len = says,
				      .payload = payload,
				      .payload_len = has });
}

/* One frame was sent back: @opcode with @psn. */
static void expect_answer(const char *opcode, uint32_t psn)
{
	expect_only_frames(opcode);
	cr_expect_eq(psn_of(0), psn);
}

/* InfiniBand specification, chapter 9, "Acknowledge coalescing": one for the newest covers
 * all. */
Test(responder, duplicates_are_acknowledged_with_the_newest_psn)
{
	record_frames();
	write_at(PSN, 100, 100);
	write_at(PSN + 1, 100, 100);
	write_at(PSN + 2, 100, 100);
	write_at(PSN, 100, 100);
	expect_answer("ack", PSN + 2);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(responder, short_payload_is_an_invalid_request)
{
	record_frames();
	write_at(PSN, 200, 100);
	expect_answer("ack", PSN);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(far.hca.counted->no_set.resp_remote_invalid_request, 1);
	cr_expect_eq(far.buf[TARGET], 0);
}

/* Both responses are lost; each duplicate has the original value of its atomic. */
Test(responder, duplicate_atomics_have_separate_responses)
{
	uint64_t was[2] = { 10, 2000 }, got[2];
	uint8_t from;
	size_t len;

	memcpy(far.buf + TARGET, was, sizeof(was));
	a.qp->ack_timeout = 10;
	post(&a, "fetch_add 8 local=0x1000 remote=0x200000 add=1 sig");
	post_rung(&a, "fetch_add 8 local=0x1008 remote=0x200008 add=1 sig");
	engine_step(near.e);
	engine_step(far.e);
	while (wire_next(near.w, &len, &from))
		;
	wait_cqe(&a, 20000);
	while (a.cq->pi < 2)
		wait_cqe(&a, 20000);
	memcpy(got, near.buf + 0x1000, sizeof(got));
	cr_expect_eq(got[0], 10);
	cr_expect_eq(got[1], 2000);
	memcpy(got, far.buf + TARGET, sizeof(got));
	cr_expect_eq(got[0], 11);
	cr_expect_eq(got[1], 2001);
}

static void fetch_add(uint32_t psn)
{
	request((struct wire_packet){ .opcode = WIRE_RC | WIRE_FETCH_ADD,
				      .psn = psn,
				      .va = RIG_VA + TARGET,
				      .rkey = RIG_FAR_KEY,
				      .swap_add = 1 });
}

/* The limit is one of requests whose responses the peer does not have. A duplicate that is
 * overtaken by a new request does not count: the peer, which counts too, has its response. */
Test(responder, new_requests_come_before_duplicates)
{
	uint64_t sum;

	b.qp->max_dest_rd_atomic = 2;
	record_frames();
	fetch_add(PSN);
	fetch_add(PSN + 1);
	arrive();
	expect_frames(0, "atomic_ack atomic_ack");
	fetch_add(PSN);
	fetch_add(PSN + 1);
	fetch_add(PSN + 2);
	arrive();
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
	expect_frames(0, "atomic_ack atomic_ack");
	cr_expect_eq(psn_of(1), PSN + 2);
	memcpy(&sum, far.buf + TARGET, sizeof(sum));
	cr_expect_eq(sum, 3);
}

Test(responder, more_requests_than_permitted_are_invalid)
{
	b.qp->max_dest_rd_atomic = 2;
	record_frames();
	for (uint32_t i = 0; i < 3; i++)
		fetch_add(PSN + i);
	arrive();
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(far.hca.counted->no_set.resp_remote_invalid_request, 1);
}

/* ---- responder resources ---- */

static void read_at(uint32_t psn, uint32_t va, uint32_t len)
{
	request((struct wire_packet){ .opcode = WIRE_RC | WIRE_READ_REQUEST,
				      .psn = psn & 0xffffff,
				      .va = RIG_VA + va,
				      .rkey = RIG_FAR_KEY,
				      .dma_len = len });
}

/* IBA, chapter 9, "Responder resources": what is older than the last max_dest_rd_atomic is not
 * kept. */
Test(responder, atomics_are_kept_as_long_as_the_peer_may_need_them)
{
	b.qp->max_dest_rd_atomic = 2;
	record_frames();
	for (uint32_t i = 0; i < 3; i++) {
		fetch_add(PSN + i);
		arrive();
	}
	fetch_add(PSN);
	arrive();
	cr_expect_eq(frames, 0, "%u frames", frames);
	fetch_add(PSN + 1);
	arrive();
	expect_answer("atomic_ack", PSN + 1);
	read_at(PSN + 3, TARGET, 8);
	read_at(PSN + 4, TARGET, 8);
	arrive();
	fetch_add(PSN + 2);
	arrive();
	cr_expect_eq(frames, 0, "%u frames", frames);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

/* The peer, which sends a WRITE again, may not have the responses of the READ and the atomic
 * after it. An ACK of their PSNs would be a response without data to Soft-RoCE, and a lost
 * response to others. */
Test(responder, duplicate_write_before_a_read_and_an_atomic)
{
	record_frames();
	write_at(PSN, 100, 100);
	write_at(PSN + 1, 100, 100);
	read_at(PSN + 2, TARGET, 3000);
	fetch_add(PSN + 5);
	arrive();
	write_at(PSN + 6, 100, 100);
	write_at(PSN + 7, 100, 100);
	write_at(PSN, 100, 100);
	expect_answer("ack", PSN + 1);
	fetch_add(PSN + 5);
	arrive();
	expect_answer("atomic_ack", PSN + 5);
	write_at(PSN + 6, 100, 100);
	expect_answer("ack", PSN + 7);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

static void send_packet(uint32_t psn, uint8_t operation, uint32_t len, bool ack_req)
{
	struct wire_packet p = { .opcode = WIRE_RC | operation,
				 .psn = psn,
				 .payload = long_payload,
				 .payload_len = len,
				 .ack_req = ack_req };

	put_packet(&near, &b, p);
	arrive();
}

/* The second message is not complete, and nothing has asked for an ACK of its first packet. */
Test(responder, duplicate_send_within_the_next_message)
{
	post(&b, "recv 4096; recv 4096");
	record_frames();
	send_packet(PSN, WIRE_SEND_FIRST, 1024, false);
	send_packet(PSN + 1, WIRE_SEND_LAST, 100, true);
	expect_answer("ack", PSN + 1);
	send_packet(PSN + 2, WIRE_SEND_FIRST, 1024, false);
	send_packet(PSN, WIRE_SEND_FIRST, 1024, false);
	expect_answer("ack", PSN + 1);
	send_packet(PSN + 2, WIRE_SEND_FIRST, 1024, false);
	cr_expect_eq(frames, 0, "%u frames", frames);
	send_packet(PSN + 2, WIRE_SEND_FIRST, 1024, true);
	expect_answer("ack", PSN + 2);
	send_packet(PSN + 3, WIRE_SEND_LAST, 100, true);
	expect_answer("ack", PSN + 3);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

/* Bytes @at of the payload of the next frame to the first host: Ethernet, IPv4, UDP, BTH,
 * AETH. */
static void expect_payload(bool aeth, uint8_t first_byte)
{
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	wire_flush(far.w);
	frame = wire_next(near.w, &len, &from);
	cr_assert_not_null(frame);
	cr_expect_eq(frame[14 + 20 + 8 + 12 + (aeth ? 4 : 0)], first_byte);
}

/* The requester lost the third response of a READ of four packets, and requests the rest:
 * another READ to the responder, whose answer starts with FIRST; a last packet alone is
 * ONLY. */
Test(responder, duplicate_read_of_the_rest)
{
	for (uint32_t i = 0; i < 4; i++)
		far.buf[TARGET + 1024 * i] = (uint8_t)(0x10 + i);
	record_frames();
	read_at(PSN, TARGET, 4096);
	arrive();
	expect_frames(
		0,
		"read_response_first read_response_middle read_response_middle read_response_last");
	expect_payload(true, 0x10);
	expect_payload(false, 0x11);
	expect_payload(false, 0x12);
	expect_payload(true, 0x13);
	read_at(PSN + 2, TARGET + 2048, 2048);
	arrive();
	expect_only_frames("read_response_first read_response_last");
	cr_expect_eq(psn_of(0), PSN + 2);
	expect_payload(true, 0x12);
	expect_payload(true, 0x13);
	read_at(PSN + 3, TARGET + 3072, 1024);
	arrive();
	expect_answer("read_response_only", PSN + 3);
	expect_payload(true, 0x13);
}

/* A duplicate that asks for more than the READ did is dropped. */
Test(responder, duplicate_read_beyond_the_original)
{
	record_frames();
	read_at(PSN, TARGET, 2048);
	arrive();
	read_at(PSN + 1, TARGET, 2048);
	arrive();
	cr_expect_eq(frames, 0, "%u frames", frames);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

/* MSN of the reply: 24 bits, after 0xffffff comes 0. */
Test(responder, msn_wraps)
{
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	b.qp->resp.msn = 0xfffffe;
	for (uint32_t i = 0; i < 2; i++) {
		write_at(PSN + i, 100, 100);
		wire_flush(far.w);
		frame = wire_next(near.w, &len, &from);
		cr_assert_not_null(frame);
		/* AETH: no credits, MSN */
		cr_expect_arr_eq(frame + 14 + 20 + 8 + 12,
				 (i ? (uint8_t[]){ 0x1f, 0, 0, 0 }
				    : (uint8_t[]){ 0x1f, 0xff, 0xff, 0xff }),
				 4);
	}
}

/* A response with data acknowledges the requests before it. */
Test(responder, read_response_acknowledges_earlier_requests)
{
	post(&b, "recv 64");
	post_rung(&a, "send 8 sig; read 8 local=0x1000 remote=0x200000 sig");
	record_frames();
	settle();
	expect_only_frames("send_only read_request read_response_only");
	expect_cqe(&a, "sent; sent");
}
