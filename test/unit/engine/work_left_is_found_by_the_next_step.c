/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An engine that has work left does not sleep: each step finds some until nothing is left, and
 * a step that found some is followed by another at once, however long it took. And who answers
 * is not silent: each answer starts the timer again.
 */
#include <string.h>

#include "engine/loop.h"
#include "rig.h"

#define MTU	1024
#define QUANTUM 64
#define PACKETS (5 * QUANTUM) /* fewer than a ring has space for */

static void setup(void)
{
	far_pair_open_with(MTU, 0x100);
	record_frames();
}

TestSuite(work_left, .init = setup, .fini = rig_close);

/* Steps @host until it has sent @n frames more; each step has to find work, though the other
 * host does nothing. */
static void expect_to_send(struct host *host, unsigned int n)
{
	uint64_t from = counters_of(host).tx_frames;
	unsigned int steps = 0;

	while (counters_of(host).tx_frames - from < n) {
		cr_assert(engine_step(host->e), "%u of %u frames, and no work is found",
			  (unsigned int)(counters_of(host).tx_frames - from), n);
		cr_assert_leq(++steps, n, "steps that send nothing");
	}
	cr_expect_eq(counters_of(host).tx_frames - from, n);
}

Test(work_left, responses_of_a_read)
{
	post_rung(&a, "read %u local=0x100000 sig", PACKETS * MTU);
	expect_to_send(&near, 1);
	expect_to_send(&far, PACKETS);
	settle();
	expect_cqe(&a, "sent");
}

Test(work_left, responses_of_many_reads_and_atomics)
{
	for (int i = 0; i < 8; i++) {
		post(&a, "read %u local=0x100000 sig", 30 * MTU);
		post(&a, "fetch_add 8 local=0x200000 add=1 sig");
	}
	ring(&a);
	expect_to_send(&near, 16);
	expect_to_send(&far, 8 * 31);
	settle();
	for (int i = 0; i < 16; i++)
		expect_cqe(&a, "sent");
}

Test(work_left, packets_of_a_write)
{
	post_rung(&a, "write %u sig", 200 * MTU);
	expect_to_send(&near, 200);
	settle();
	expect_cqe(&a, "sent");
}

Test(work_left, datagrams)
{
	be_service(&a, &b, RIG_UD);
	near.hca.port.mtu = MTU;
	address(&a, &b, RIG_QKEY);
	for (unsigned int i = 0; i < RIG_SQ / 2; i++)
		post(&a, "send %u sig", MTU);
	ring(&a);
	expect_to_send(&near, RIG_SQ / 2);
}

/* The thread's: the spin of 20 us was over before a long iteration was. */
Test(work_left, an_iteration_that_took_long_is_not_idle_time)
{
	struct engine *e = far.e;

	post_rung(&a, "read %u local=0x100000 sig", PACKETS * MTU);
	expect_to_send(&near, 1);
	cr_assert(engine_step(e));
	for (uint64_t end = e->now + 1000000; core_now_ns() < end;)
		;
	cr_expect_eq(loop_idle(e, true), 0);
	for (uint64_t end = core_now_ns() + 1000; core_now_ns() < end;)
		;
	cr_expect_geq(loop_idle(e, false), 1000);
}

/* @answer arrives when the timer of @a is over, and is in time. */
static void expect_in_time(struct wire_packet answer)
{
	a.qp->req.timer = 1;
	a.qp->req.retries = 7;
	put_packet(&far, &a, answer);
	wire_flush(far.w);
	engine_step(near.e);
	cr_expect_gt(a.qp->req.timer, 1, "opcode 0x%x", answer.opcode);
	cr_expect_eq(a.qp->req.retries, 0, "opcode 0x%x", answer.opcode);
	cr_expect_eq(counters_of(&near).retransmits, 0, "opcode 0x%x", answer.opcode);
}

Test(work_left, each_answer_restarts_the_timer)
{
	static const uint8_t bytes[MTU];
	struct wire_packet p = { .syndrome = WIRE_AETH_ACK | WIRE_NO_CREDITS, .psn = 0x100 };

	post(&a, "write %u sig", 2 * MTU);
	post(&a, "fetch_add 8 local=0x100000 sig");
	post(&a, "read %u local=0x100000 sig", 3 * MTU);
	post_rung(&a, "write %u sig", MTU);
	expect_to_send(&near, 5);

	p.opcode = WIRE_RC | WIRE_ACK;
	expect_in_time(p);
	p.psn++;
	expect_in_time(p);
	p.psn++;
	p.opcode = WIRE_RC | WIRE_ATOMIC_ACK;
	expect_in_time(p);
	p.payload = bytes;
	p.payload_len = MTU;
	for (int i = 0; i < 3; i++) {
		static const uint8_t responses[] = { WIRE_READ_RESPONSE_FIRST,
						     WIRE_READ_RESPONSE_MIDDLE,
						     WIRE_READ_RESPONSE_LAST };

		p.psn++;
		p.opcode = WIRE_RC | responses[i];
		expect_in_time(p);
	}
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
}
