/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames are sent by a flush and arrive complete, in order, with the slot of their sender. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "unit/wire/fabric.h"

ONE_PROCESS(frames_of_one);
TWO_PROCESSES(frames);

/* The next frame at @w is the packet numbered @psn, from @slot. */
static void expect_packet(struct wire *w, uint32_t psn, uint8_t slot)
{
	struct wire_packet p;
	uint8_t from;

	cr_assert(next_packet(w, &p, &from), "psn %u", psn);
	cr_assert_eq(p.psn, psn, "psn %u, not %u", p.psn, psn);
	cr_assert_eq(from, slot);
}

Test(frames, frames_cross_between_slots)
{
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
}

Test(frames, many_large_frames_arrive_in_order)
{
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
}

Test(frames_of_one, frames_to_the_own_slot_come_back)
{
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
}

#define MANY 200

/* Reads all; @last: after how many frames the last one of each slot came. Each slot's are in
 * order. */
static uint32_t read_all(struct wire *w, uint32_t *last)
{
	uint32_t n = 0, psn[8] = { 0 };
	struct wire_packet p;
	uint8_t from;

	while (next_packet(w, &p, &from)) {
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

/* Networks carry Ethernet frames of these lengths; others are lost. */
Test(frames, ethernet_frames_have_limits)
{
	static const uint8_t frame[WIRE_MAX_ETHERNET + 1] = { 1 };
	static const struct wire_ethernet how;

	for (int i = -1; i <= 1; i++) {
		cr_expect(wire_send_ethernet(a, wire_slot(b), &how, frame,
					     WIRE_MIN_ETHERNET + i));
		wire_flush(a);
		cr_expect_eq(frames_at(b), i >= 0);
		cr_expect(wire_send_ethernet(a, wire_slot(b), &how, frame,
					     WIRE_MAX_ETHERNET + i));
		wire_flush(a);
		cr_expect_eq(frames_at(b), i <= 0);
	}
}

/* A sender has no memory for them, and closes no descriptor twice. */
Test(frames, frames_to_an_exited_peer_are_lost)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t gone = wire_slot(b);
	int fd;

	send_one(a, b);
	cr_assert_eq(frames_at(b), 1);
	send_one(a, b); /* b has the ring: a has closed its descriptor */
	fd = core_own(open("/dev/null", O_RDONLY)); /* perhaps with the same number */
	wire_close(b);
	cr_expect_eq(fill(a, gone, true), 100000);
	cr_expect_not(wire_flush(a));
	cr_expect_geq(fcntl(fd, F_GETFD), 0);
	core_own_close(fd);

	b = join_test_fabric();
	cr_expect_eq(wire_slot(b), gone);
	expect_nothing(b);
	p.psn = 7;
	send_packet(a, gone, &p);
	wire_flush(a);
	expect_packet(b, 7, wire_slot(a));
}

Test(frames, closing_sends_what_was_packed)
{
	struct wire_packet p = sample_packet(WIRE_ACK);

	p.psn = 9;
	send_packet(a, wire_slot(b), &p);
	wire_close(a);
	a = NULL;
	expect_packet(b, 9, 1);
}

/* ---- a slot that another process had before ---- */

/* @a has sent to a process in the slot that @b has then; @killed: it could not say that it
 * leaves. */
static uint8_t use_slot_of_another(struct wire *a, bool killed)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	int ready[2], status;
	char byte;
	pid_t child;

	cr_assert_eq(pipe(ready), 0);
	child = fork();
	if (!child) {
		struct wire *b;

		wire_abandon(a);
		b = join_test_fabric_of(getppid());
		if (!b || write(ready[1], "", 1) != 1)
			_exit(1);
		for (uint8_t from; killed || !wire_next(b, &(size_t){ 0 }, &from);)
			usleep(1000);
		wire_close(b);
		_exit(0);
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	send_packet(a, 2, &p);
	wire_flush(a);
	if (killed)
		kill(child, SIGKILL);
	cr_assert_eq(waitpid(child, &status, 0), child);
	return 2;
}

static void expect_the_first_frame(bool killed)
{
	struct wire *a = join_test_fabric(), *b;
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t slot = use_slot_of_another(a, killed);

	b = join_test_fabric();
	cr_assert_eq(wire_slot(b), slot);
	for (p.psn = 0; p.psn < 3; p.psn++)
		send_packet(a, slot, &p);
	wire_flush(a);
	for (uint32_t psn = 0; psn < 3; psn++)
		expect_packet(b, psn, wire_slot(a));
	expect_nothing(b);
	wire_close(a);
	wire_close(b);
}

Test(wire, the_first_frame_to_the_next_process_of_a_slot_arrives)
{
	expect_the_first_frame(false);
	expect_the_first_frame(true);
}

/* Frames in the ring to the previous process are not for the next one. */
Test(frames_of_one, frames_to_the_process_before_are_lost)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t slot = use_slot_of_another(a, true);

	p.psn = 1;
	send_packet(a, slot, &p);
	b = join_test_fabric();
	p.psn = 2;
	send_packet(a, slot, &p);
	wire_flush(a);
	expect_packet(b, 2, wire_slot(a));
	expect_nothing(b);
}

Test(frames_of_one, the_first_frame_for_all_and_of_ethernet_arrives)
{
	const struct wire_ethernet how = { .tdn = 5 };
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t frame[64] = { 0xaa }, from, slot = use_slot_of_another(a, true);
	size_t len;

	b = join_test_fabric();
	cr_assert(wire_send_ethernet(a, slot, &how, frame, sizeof(frame)));
	wire_flush(a);
	cr_assert_not_null(wire_next(b, &len, &from));
	cr_assert_not_null(wire_ethernet(b));
	wire_close(b);

	b = join_test_fabric();
	p.psn = 4;
	wire_send_all(a, &p);
	wire_flush(a);
	expect_packet(b, 4, wire_slot(a));
}

/* The process ends between a payload and its headers. */
Test(frames, a_payload_stays_where_it_was_made)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t slot = wire_slot(b), *at;

	send_packet(a, slot, &p);
	cr_assert(wire_has_space(a, slot));
	at = wire_payload_of_next(a, slot, &p);
	cr_assert_not_null(at);
	memset(at, 0x5a, p.payload_len);
	p.payload = at;
	wire_close(b);
	b = join_test_fabric();
	cr_assert_eq(wire_slot(b), slot);
	wire_send(a, slot, &p);
	wire_flush(a);
	expect_nothing(b);
	p = sample_packet(WIRE_SEND_ONLY);
	send_packet(a, slot, &p);
	wire_flush(a);
	expect_packet(b, p.psn, wire_slot(a));
}

/* Without a network no process and nothing else has it. */
Test(frames_of_one, frames_to_slot_0_are_lost)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	for (int i = 0; i < 10000; i++)
		send_packet(a, WIRE_NETWORK, &p);
	cr_expect_not(wire_flush(a));
	expect_nothing(a);
}
