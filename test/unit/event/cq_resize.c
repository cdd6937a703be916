/* SPDX-License-Identifier: BSD-2-Clause */
/* A CQE of opcode 5 in the old ring; then the new ring, at the next index. */
#include "queues.h"

TestSuite(cq_resize, .init = setup, .fini = teardown);

static uint8_t larger[8][64] __attribute__((aligned(64)));

static bool resize(void *to, uint8_t log_size, uint8_t cqe_size_log)
{
	struct event_cq_ring r = { .ring = ring_of(to),
				   .log_size = log_size,
				   .cqe_size_log = cqe_size_log };
	bool done = event_cq_resize(&hca, cq, &r);

	if (!done)
		free(r.ring.pas);
	return done;
}

/* One CQE was polled, two wait. Software copies them to 2 and 3: the next one is 4. */
Test(cq_resize, continues_after_the_resize_cqe)
{
	for (int i = 0; i < 3; i++)
		put_cqe(SEND_CQE, PLAIN);
	consume(1);
	cr_assert(resize(larger, 3, 6));
	cr_assert_eq(ring[3][63], 0x50, "opcode RESIZE_CQ, first pass");
	cr_assert_eq(ring[3][0], 0);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(larger[4][63], 0x20);
	cr_assert_eq(larger[4][0], 0x11);
	cr_assert_eq(ring[0][63], 0x20, "the old ring is left alone");
	cr_assert_eq(cq->pi, 5);
}

/* Index 5 is in pass 1 of a ring of four, and in pass 0 of a ring of eight. */
Test(cq_resize, owner_bits_are_those_of_each_ring)
{
	for (int i = 0; i < 5; i++) {
		put_cqe(SEND_CQE, PLAIN);
		consume(i + 1);
	}
	cr_assert(resize(larger, 3, 6));
	cr_assert_eq(ring[1][63], 0x51);
	consume(6);
	put_cqe(SEND_CQE, PLAIN);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(larger[6][63], 0x20);
	cr_assert_eq(larger[7][63], 0x20);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(larger[0][63], 0x21);
}

Test(cq_resize, may_change_the_size_of_an_entry)
{
	cr_assert(resize(larger, 2, 7));
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(larger[2 * 1 + 1][63], 0x20);
}

Test(cq_resize, is_refused_below_the_number_of_waiting_cqes)
{
	put_cqe(SEND_CQE, PLAIN);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_not(resize(larger, 1, 6), "two wait: no place left in two");
	cr_assert_eq(cq->pi, 2);
	cr_assert_eq(ring[2][63], 0);
	consume(1);
	cr_assert(resize(larger, 1, 6));
}

Test(cq_resize, is_refused_when_the_old_ring_is_full)
{
	for (int i = 0; i < 4; i++)
		put_cqe(SEND_CQE, PLAIN);
	cr_assert_not(resize(larger, 3, 6));
	consume(1);
	cr_assert(resize(larger, 3, 6));
	cr_assert_eq(ring[0][63], 0x51);
}

Test(cq_resize, is_refused_after_an_overrun)
{
	for (int i = 0; i < 5; i++)
		put_cqe(SEND_CQE, PLAIN);
	consume(4);
	cr_assert_not(resize(larger, 3, 6));
}

/* It is not a completion: it raises no event, and an arm stays. */
Test(cq_resize, raises_no_event)
{
	arm(0, PLAIN, 0);
	cr_assert(resize(larger, 3, 6));
	cr_assert_eq(irqs, 0);
	consume(1);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
}

/* Software armed before it requested the new ring, and the device has not polled yet. */
Test(cq_resize, honours_an_arm_of_the_old_ring)
{
	put_cqe(SEND_CQE, PLAIN);
	consume(1);
	record[1] = htobe32(1);
	cr_assert(resize(larger, 3, 6));
	event_cq_arm_recorded(&hca, cq);
	cr_assert_eq(irqs, 0, "the index in that arm is not of the new ring");
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
}
