/* SPDX-License-Identifier: BSD-2-Clause */
/* Back pressure: a process that does not read stops its senders, and no frame is lost. */
#include "unit/wire/fabric.h"

ONE_PROCESS(full_of_one);
TWO_PROCESSES(full);
THREE_PROCESSES(full_of_three);

static uint32_t drain(struct wire *w, uint32_t psn)
{
	struct wire_packet p;
	uint8_t from;

	for (; next_packet(w, &p, &from); psn++)
		cr_assert_eq(p.psn, psn);
	return psn;
}

static void fill_and_drain(struct wire *from, struct wire *to, bool flush)
{
	uint32_t sent = fill(from, wire_slot(to), flush);

	cr_expect_gt(sent, 10);
	cr_expect_lt(sent, 100000, "unbounded buffering");
	cr_expect_not(wire_has_space(from, wire_slot(to)));
	wire_flush(from);
	for (int i = 0; i < 600; i++) /* then it is looked whether the peer still runs */
		cr_expect_not(wire_has_space(from, wire_slot(to)), "a flush frees no space");
	cr_expect_eq(drain(to, 0), sent, "not one is lost");
	cr_expect(wire_has_space(from, wire_slot(to)));
	cr_expect_not(wire_flush(from));
}

Test(full, a_full_peer_leaves_no_free_space)
{
	fill_and_drain(a, b, true);
	fill_and_drain(a, b, false);
}

Test(full_of_one, the_own_slot_fills_up_too)
{
	fill_and_drain(a, a, true);
	fill_and_drain(a, a, false);
}

Test(full_of_three, one_full_peer_does_not_block_another)
{
	struct wire_packet p = sample_packet(WIRE_ACK);

	fill(a, wire_slot(b), false);
	p.psn = 0;
	cr_expect(wire_has_space(a, wire_slot(c)));
	wire_send(a, wire_slot(c), &p);
	cr_expect(wire_has_space(a, wire_slot(c)));
}

Test(full, a_frame_sent_without_free_space_is_lost)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint32_t sent = fill(a, wire_slot(b), false), seen;

	p.psn = sent;
	wire_send(a, wire_slot(b), &p);
	seen = drain(b, 0);
	wire_flush(a);
	cr_expect_eq(drain(b, seen), sent);
}
