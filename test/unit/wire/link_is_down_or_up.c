/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames on a link that is down, faults of frames for all, and how many processes there are. */
#include "unit/wire/fabric.h"

static struct wire *w[3];

static void setup(void)
{
	for (int i = 0; i < 3; i++)
		w[i] = join_test_fabric();
}

static void teardown(void)
{
	for (int i = 0; i < 3; i++)
		wire_close(w[i]);
	cr_expect_eq(core_own_next(0), -1, "a descriptor is left");
}

TestSuite(link, .init = setup, .fini = teardown);

enum { ROCE, ETHERNET_FRAME, MESSAGE_OF_FUNCTION, FOR_ALL, KINDS };

static void send_kind(int kind, uint8_t slot)
{
	struct wire_packet p = sample_packet(WIRE_UD | WIRE_SEND_ONLY);
	struct wire_message m = { .kind = WIRE_CHECK };
	struct wire_ethernet how = { 0 };
	uint8_t frame[60] = { 0 };

	cr_assert(wire_has_space(w[0], slot));
	if (kind == ROCE)
		cr_expect_gt(wire_send(w[0], slot, &p), 0);
	else if (kind == ETHERNET_FRAME)
		cr_expect(wire_send_ethernet(w[0], slot, &how, frame, sizeof(frame)));
	else if (kind == MESSAGE_OF_FUNCTION)
		wire_send_message(w[0], slot, &m, NULL, 0);
	else
		cr_expect_gt(wire_send_all(w[0], &p), 0);
	wire_flush(w[0]);
}

/* Only messages between functions of an adapter do not need it, at either end. */
Test(link, of_either_end_stops_frames)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (int down = 0; down < 3; down++) { /* none, sender, receiver */
			bool passes = !down || kind == MESSAGE_OF_FUNCTION;

			wire_link(w[0], down != 1);
			wire_link(w[1], down != 2);
			send_kind(kind, 2);
			cr_expect_eq(frames_at(w[1]), passes, "kind %d, %d", kind, down);
			cr_expect_eq(frames_at(w[2]), kind == FOR_ALL && down != 1,
				     "kind %d, %d", kind, down);
			cr_expect_eq(frames_at(w[0]), kind == FOR_ALL && down != 1,
				     "kind %d, %d", kind, down);
			send_kind(kind, 1);
			cr_expect_eq(frames_at(w[0]), down != 1 || kind == MESSAGE_OF_FUNCTION,
				     "kind %d, %d, to itself", kind, down);
			frames_at(w[1]);
			frames_at(w[2]);
		}
}

/* A process that has left the fabric, as the child of a fork does, sends to none. */
Test(link, has_no_other_end_after_it_was_left)
{
	struct wire_packet p = sample_packet(WIRE_UD | WIRE_SEND_ONLY);

	wire_abandon(w[0]);
	cr_expect_eq(wire_send_all(w[0], &p), wire_frame_len(&p));
	for (int i = 0; i < 3; i++)
		cr_expect_eq(frames_at(w[i]), 0, "%d", i);
}

/* A frame for all is lost for all others or for none of them. */
Test(link, faults_of_frames_for_all)
{
	static const struct {
		const char *fault;
		bool spares;
	} rows[] = { { "drop=1:1", false },
		     { "drop=1:send", false },
		     { "drop=1:ack", true },
		     { "drop=1:rx", true },
		     { "dup=1", true } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wire_packet p = sample_packet(WIRE_UD | WIRE_SEND_ONLY);

		set_faults(w[0], rows[i].fault);
		wire_send_all(w[0], &p);
		while (wire_flush(w[0]) && frames_at(w[0]))
			;
		cr_expect_eq(frames_at(w[1]), rows[i].spares, "%s", rows[i].fault);
		cr_expect_eq(frames_at(w[2]), rows[i].spares, "%s", rows[i].fault);
		frames_at(w[0]);
	}
	cr_expect_eq(wire_fault_counts(w[0]).frames[OPTIONS_DROP], 4,
		     "own copy and the others'");
}

/* To compute it takes time: it is there only if a capture wants it. */
Test(link, frames_have_an_icrc_in_captures_only)
{
	for (int captured = 0; captured < 2; captured++) {
		uint32_t icrc;
		const uint8_t *frame;
		uint8_t from;
		size_t len;

		if (captured)
			cr_assert_eq(wire_pcap(w[0], "/dev/null"), 0);
		for (int kind = ROCE; kind <= FOR_ALL; kind += FOR_ALL - ROCE) {
			send_kind(kind, 2);
			frame = wire_next(w[1], &len, &from);
			cr_assert_not_null(frame);
			memcpy(&icrc, frame + len - sizeof(icrc), sizeof(icrc));
			cr_expect_eq(icrc, captured ? wire_icrc(frame, len) : 0, "kind %d, %d",
				     kind, captured);
			cr_expect_not(wire_is_corrupt(frame, len, from));
		}
	}
}

/* wire_drained() counts the ends, not the frames. */
Test(link, ends_are_counted)
{
	uint64_t before = wire_drained(w[1]);
	uint8_t from;
	size_t len;

	for (int i = 0; i < 3; i++)
		send_kind(i, 2);
	for (unsigned int i = 0; i < 5; i++) {
		cr_expect_eq(wire_next(w[1], &len, &from) != NULL, i < 3);
		cr_expect_eq(wire_drained(w[1]), before + (i < 3 ? 0 : i - 2));
	}
}
