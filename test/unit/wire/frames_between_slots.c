/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames are sent by a flush and arrive complete, in order, with the slot of their sender. */
#include <poll.h>

#include "unit/wire/packet.h"

static bool readable(struct wire *w)
{
	struct pollfd fd = { .fd = wire_fd(w), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* The next frame at @w is the packet numbered @psn, from @slot. */
static void expect_packet(struct wire *w, uint32_t psn, uint8_t slot)
{
	struct wire_packet p;
	uint8_t from = 0;
	size_t len = 0;
	const uint8_t *frame = wire_next(w, &len, &from);

	cr_assert_not_null(frame, "psn %u", psn);
	cr_assert(wire_unpack(&p, frame, len));
	cr_assert_eq(p.psn, psn, "psn %u, not %u", p.psn, psn);
	cr_assert_eq(from, slot);
}

static void expect_nothing(struct wire *w)
{
	uint8_t from;
	size_t len;

	cr_expect_null(wire_next(w, &len, &from));
}

Test(wire, frames_cross_between_slots)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	for (p.psn = 0; p.psn < 5; p.psn++)
		send_packet(a, wire_slot(b), &p);
	expect_nothing(b);
	cr_expect_not(readable(b), "nothing goes before the flush");
	cr_expect_not(wire_flush(a));
	cr_expect(readable(b));
	for (uint32_t psn = 0; psn < 5; psn++)
		expect_packet(b, psn, wire_slot(a));
	expect_nothing(b);
	cr_expect_not(readable(b));

	send_packet(b, wire_slot(a), &p);
	wire_flush(b);
	expect_packet(a, 5, wire_slot(b));
	wire_close(a);
	wire_close(b);
}

Test(wire, many_large_frames_arrive_in_order)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_WRITE_MIDDLE);
	uint8_t payload[4096] = { 0 };
	uint32_t sent = 0, seen = 0;

	p.payload = payload;
	p.payload_len = sizeof(payload);
	while (seen < 2000) {
		for (; sent < 2000 && wire_has_space(a, wire_slot(b)); p.psn = ++sent) {
			p.psn = sent;
			wire_send(a, wire_slot(b), &p);
		}
		wire_flush(a);
		for (int i = 0; i < 10 && seen < sent; i++)
			expect_packet(b, seen++, wire_slot(a));
	}
	cr_expect_not(wire_flush(a));
	expect_nothing(b);
	wire_close(a);
	wire_close(b);
}

Test(wire, frames_to_the_own_slot_come_back)
{
	struct wire *a = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	for (p.psn = 0; p.psn < 3; p.psn++)
		send_packet(a, wire_slot(a), &p);
	expect_nothing(a);
	cr_expect(wire_flush(a), "own frames wait, and the descriptor does not say so");
	send_packet(a, wire_slot(a), &p);
	for (uint32_t psn = 0; psn < 3; psn++)
		expect_packet(a, psn, wire_slot(a));
	expect_nothing(a);
	cr_expect(wire_flush(a));
	expect_packet(a, 3, wire_slot(a));
	expect_nothing(a);
	cr_expect_not(wire_flush(a));
	wire_close(a);
}

#define MANY 200

/* Reads all; @last: after how many frames the last one of each slot came. Each slot's are in order. */
static uint32_t read_all(struct wire *w, uint32_t *last)
{
	uint32_t n = 0, psn[8] = { 0 };
	struct wire_packet p;
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	while ((frame = wire_next(w, &len, &from))) {
		cr_assert(wire_unpack(&p, frame, len));
		cr_assert_lt(from, 8);
		cr_assert_eq(p.psn, psn[from]++);
		last[from] = ++n;
	}
	return n;
}

Test(wire, slots_take_turns)
{
	struct wire *w[4];
	uint32_t last[8] = { 0 };

	for (int i = 0; i < 4; i++)
		w[i] = join_test_fabric();
	for (int i = 0; i < 4; i++) {
		struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

		for (p.psn = 0; p.psn < (i ? MANY : MANY / 10); p.psn++)
			send_packet(w[i], 1, &p);
		wire_flush(w[i]);
	}
	cr_expect_eq(read_all(w[0], last), 3 * MANY + MANY / 10);
	cr_expect_lt(last[1], MANY, "it has few, and does not wait for all of the others");
	for (int i = 2; i < 5; i++)
		cr_expect_gt(last[i], 3 * MANY / 2, "slot %d was served before the others", i);
	for (int i = 0; i < 4; i++)
		wire_close(w[i]);
}

Test(wire, frames_to_an_exited_peer_are_lost)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t gone = wire_slot(b);

	wire_close(b);
	for (int i = 0; i < 10000; i++)
		send_packet(a, gone, &p);
	cr_expect_not(wire_flush(a));

	b = join_test_fabric();
	cr_expect_eq(wire_slot(b), gone);
	expect_nothing(b);
	p.psn = 7;
	send_packet(a, gone, &p);
	wire_flush(a);
	expect_packet(b, 7, wire_slot(a));
	wire_close(a);
	wire_close(b);
}

Test(wire, closing_sends_what_was_packed)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_ACK);

	p.psn = 9;
	send_packet(a, wire_slot(b), &p);
	wire_close(a);
	expect_packet(b, 9, 1);
	wire_close(b);
}
