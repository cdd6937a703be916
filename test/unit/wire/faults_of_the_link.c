/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames that are lost, doubled, late, out of order, damaged: as the faults say, and no
 * others. */

#include "lib/clock.h"
#include "unit/wire/fabric.h"

#define FRAMES 2000

static void setup(void)
{
	alarm(60); /* a test that waits for ever ends, with its name */
	join_two();
}

TestSuite(wire_fault, .init = setup, .fini = leave);

static void send_psn(uint8_t opcode, uint32_t psn)
{
	struct wire_packet p = sample_packet(opcode);

	p.psn = psn;
	send_packet(a, wire_slot(b), &p);
}

/* The PSN of the next frame at b; -1: there is none. Its ICRC, if it has one, is right. */
static int64_t next_psn(void)
{
	struct wire_packet p;
	uint8_t from;
	size_t len;
	const uint8_t *frame;

	while ((frame = wire_next(b, &len, &from)))
		if (wire_unpack(&p, frame, len) && !wire_is_corrupt(frame, len, from))
			return p.psn;
	return -1;
}

/* Sends FRAMES frames, 20 between two flushes; how often each arrived. */
static void exchange(unsigned int times[FRAMES])
{
	int64_t psn;

	memset(times, 0, FRAMES * sizeof(*times));
	for (uint32_t i = 0; i < FRAMES; i++) {
		send_psn(WIRE_SEND_ONLY, i);
		if (i % 20 != 19)
			continue;
		wire_flush(a);
		while ((psn = next_psn()) >= 0)
			times[psn]++;
	}
}

static unsigned int count(const unsigned int times[FRAMES], unsigned int n)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < FRAMES; i++)
		found += times[i] == n;
	return found;
}

/* 10 % of 2000: 200, standard deviation 13. The generator is seeded. */
static void expect_a_tenth(unsigned int n)
{
	cr_expect(n > 140 && n < 260, "%u of %u", n, FRAMES);
}

Test(wire_fault, drop_and_dup)
{
	unsigned int times[FRAMES];

	set_faults(a, "dup=10%:1");
	exchange(times);
	expect_a_tenth(count(times, 2));
	cr_expect_eq(count(times, 1) + count(times, 2), FRAMES);
	for (int rx = 0; rx < 2; rx++) {
		set_faults(a, rx ? "" : "drop=10%:1");
		set_faults(b, rx ? "drop=10%:1:rx" : "");
		exchange(times);
		expect_a_tenth(count(times, 0));
		cr_expect_eq(count(times, 0) + count(times, 1), FRAMES);
		cr_expect_eq(wire_fault_counts(rx ? b : a).frames[OPTIONS_DROP],
			     count(times, 0));
	}
}

Test(wire_fault, the_seed_decides_which)
{
	unsigned int first[FRAMES], second[FRAMES], third[FRAMES];

	set_faults(a, "drop=10%:1");
	exchange(first);
	set_faults(a, "drop=10%:1");
	exchange(second);
	set_faults(a, "drop=10%:2");
	exchange(third);
	cr_expect_arr_eq(first, second, sizeof(first));
	cr_expect_arr_neq(first, third, sizeof(first));
}

/* A damaged frame is recognized by its ICRC, or is no RoCE frame any more; what the ICRC does
 * not cover may change: the sample is IPv4, whose own checksum covers that, but for UDP
 * checksum and 8 bits of the BTH. */
Test(wire_fault, corrupt)
{
	unsigned int times[FRAMES], damaged;

	set_faults(a, "corrupt=10%:1");
	exchange(times);
	damaged = wire_fault_counts(a).frames[OPTIONS_CORRUPT];
	expect_a_tenth(damaged);
	cr_expect_leq(count(times, 0), damaged);
	cr_expect_geq(count(times, 0), damaged * 9 / 10, "%u of %u", count(times, 0), damaged);
}

/* All frames arrive, each with one bit inverted, after the Ethernet header; their ICRC is that
 * of the sender. */
Test(wire_fault, corrupt_inverts_a_bit)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t whole[WIRE_MAX_FRAME], from;
	size_t all = wire_pack(&p, whole, true), len;
	unsigned int places = 0, last = 0;

	set_faults(a, "corrupt=1:1");
	for (int i = 0; i < 200; i++) {
		unsigned int bits = 0, place = 0;
		const uint8_t *frame;

		send_packet(a, wire_slot(b), &p);
		wire_flush(a);
		frame = wire_next(b, &len, &from);
		cr_assert_not_null(frame);
		cr_assert_eq(len, all);
		for (size_t at = 0; at < 8 * len; at++)
			if ((frame[at / 8] ^ whole[at / 8]) >> at % 8 & 1) {
				bits++;
				place = (unsigned int)at;
			}
		cr_expect_eq(bits, 1, "frame %d: %u bits", i, bits);
		cr_expect_geq(place, 14 * 8);
		places += place != last;
		last = place;
	}
	cr_expect_gt(places, 150, "anywhere");
}

/* One's complement sum over an IPv4 header: 0xffff when its checksum is right (RFC 791). */
static uint32_t ipv4_sum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	return (sum & 0xffff) + (sum >> 16);
}

/* The ECN bits of the next frame at b, which is whole. */
static int next_ecn(void)
{
	const uint8_t *frame;
	struct wire_packet p;
	uint8_t from;
	size_t len;

	wire_flush(a);
	frame = wire_next(b, &len, &from);
	if (!frame)
		return -1;
	cr_expect(wire_unpack(&p, frame, len));
	cr_expect_not(wire_is_corrupt(frame, len, from));
	if (frame[12] == 0x86)
		return frame[15] >> 4 & 3;
	cr_expect_eq(ipv4_sum(frame + 14), 0xffff, "0x%x", ipv4_sum(frame + 14));
	return frame[15] & 3;
}

/* RFC 3168: only packets of those who understand it are marked; the DSCP remains. */
Test(wire_fault, ecn)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	set_faults(a, "ecn=1:1");
	for (unsigned int v6 = 0; v6 < 2; v6++) {
		memset(p.sgid, v6 ? 0xfd : 0, 10);
		memset(p.dgid, v6 ? 0xfd : 0, 10);
		for (unsigned int tos = 0; tos < 256; tos++) {
			p.tclass = tos;
			send_packet(a, wire_slot(b), &p);
			cr_expect_eq(next_ecn(), tos & 3 ? 3 : 0, "class 0x%02x", tos);
		}
	}
	cr_expect_eq(wire_fault_counts(a).frames[OPTIONS_ECN], 2 * 192);
}

/* A frame is marked if the receiver has not read all that was sent to it before. */
Test(wire_fault, ecn_of_a_queue)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	p.tclass = 2;
	set_faults(a, "ecn=1:queue");
	send_packet(a, wire_slot(b), &p);
	wire_flush(a);
	send_packet(a, wire_slot(b), &p);
	cr_expect_eq(next_ecn(), 2);
	cr_expect_eq(next_ecn(), 3);
	cr_expect_eq(next_ecn(), -1);
	send_packet(a, wire_slot(b), &p);
	cr_expect_eq(next_ecn(), 2);
}

Test(wire_fault, ecn_of_one_operation)
{
	struct wire_packet p = sample_packet(WIRE_ACK), cnp = { .opcode = WIRE_CNP };

	set_faults(a, "ecn=1:ack");
	p.tclass = 2;
	send_packet(a, wire_slot(b), &p);
	cr_expect_eq(next_ecn(), 3);
	p.opcode = WIRE_SEND_ONLY;
	send_packet(a, wire_slot(b), &p);
	cr_expect_eq(next_ecn(), 2);
	set_faults(a, "drop=1:cnp");
	send_packet(a, wire_slot(b), &p);
	cr_expect_eq(next_ecn(), 2);
	cnp.dqpn = p.dqpn;
	send_packet(a, wire_slot(b), &cnp);
	cr_expect_eq(next_ecn(), -1);
}

/* Damaged twice, on both sides: the second does not repair the ICRC of the first. */
Test(wire_fault, corrupt_twice)
{
	unsigned int times[FRAMES];

	set_faults(a, "corrupt=1:1");
	set_faults(b, "corrupt=1:2:rx");
	exchange(times);
	cr_expect_geq(count(times, 0), FRAMES * 9 / 10);
}

Test(wire_fault, reorder)
{
	int64_t psn, last = -1, most = -1, order[200];
	unsigned int late = 0, n = 0;

	set_faults(a, "reorder=10%:1");
	for (uint32_t i = 0; i < 200; i++) {
		send_psn(WIRE_SEND_ONLY, i);
		wire_flush(a);
	}
	do
		wire_flush(a);
	while (wire_flush(a)); /* until the last ones do not wait any more */
	for (; (psn = next_psn()) >= 0; n++, last = psn) {
		unsigned int overtakers = 0;

		for (unsigned int i = 0; i < n; i++)
			overtakers += order[i] > psn;
		cr_expect_leq(overtakers, 3, "%d by %u", (int)psn, overtakers);
		order[n] = psn;
		late += psn < most;
		most = psn > most ? psn : most;
	}
	cr_expect_eq(n, 200);
	cr_expect(late > 5 && late < 40, "%u late", late);
	cr_expect_geq(last, 190);
}

Test(wire_fault, delay)
{
	uint64_t begin;

	set_faults(a, "delay=1:20ms");
	begin = now_ns();
	send_psn(WIRE_SEND_ONLY, 7);
	cr_expect(wire_flush(a), "the frame waits");
	cr_expect_eq(next_psn(), -1);
	while (wire_flush(a))
		;
	cr_expect_geq(now_ns() - begin, 20000000);
	cr_expect_eq(next_psn(), 7);
}

Test(wire_fault, of_one_operation)
{
	set_faults(a, "drop=1:send");
	send_psn(WIRE_SEND_ONLY, 1);
	send_psn(WIRE_WRITE_ONLY, 2);
	send_psn(WIRE_SEND_ONLY_IMM, 3);
	send_psn(WIRE_UD | WIRE_SEND_ONLY, 4);
	send_psn(WIRE_ACK, 5);
	wire_flush(a);
	cr_expect_eq(next_psn(), 2);
	cr_expect_eq(next_psn(), 5);
	cr_expect_eq(next_psn(), -1);
}

/* A frame to the own slot crosses the link once. */
Test(wire_fault, own_slot)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	uint8_t from;
	size_t len;

	set_faults(a, "drop=1:rx");
	send_packet(a, wire_slot(a), &p);
	wire_flush(a);
	cr_expect_not_null(wire_next(a, &len, &from));
	set_faults(a, "drop=1:tx");
	send_packet(a, wire_slot(a), &p);
	wire_flush(a);
	cr_expect_null(wire_next(a, &len, &from));
}

Test(wire_fault, ethernet)
{
	struct wire_ethernet how = { .tdn = 3, .local = 1 };
	uint8_t frame[60] = { 1, 2, 3 }, from;
	const uint8_t *got;
	size_t len;

	for (int rx = 0; rx < 2; rx++) {
		set_faults(a, rx ? "" : "dup=1:ethernet");
		set_faults(b, rx ? "dup=1:ethernet:rx" : "");
		send_psn(WIRE_SEND_ONLY, 1);
		cr_expect(wire_send_ethernet(a, wire_slot(b), &how, frame, sizeof(frame)));
		while (wire_flush(a))
			;
		cr_expect_eq(next_psn(), 1);
		for (int i = 0; i < 2; i++) {
			got = wire_next(b, &len, &from);
			cr_assert_not_null(got, "%d", rx);
			cr_assert_eq(len, sizeof(frame));
			cr_expect_eq(from, wire_slot(a));
			cr_expect_arr_eq(got, frame, sizeof(frame));
			cr_assert_not_null(wire_ethernet(b));
			cr_expect_eq(wire_ethernet(b)->tdn, 3);
			cr_expect_eq(wire_ethernet(b)->local, 1);
		}
		cr_expect_null(wire_next(b, &len, &from));
	}
}

/* Late frames are copies: each is made where the one before it was. */
Test(wire_fault, late_frames_keep_their_bytes)
{
	set_faults(a, "delay=1:1us");
	for (uint32_t i = 0; i < 10; i++)
		send_psn(WIRE_SEND_ONLY, i);
	while (wire_flush(a))
		;
	for (uint32_t i = 0; i < 10; i++)
		cr_expect_eq(next_psn(), i);
}

/* Values of splitmix64 from the state 1234567, as published: frames of those below 1/2 are
 * lost. The slot of the process, 1, is exclusively ORed to the upper half of the seed. */
Test(wire_fault, the_generator_is_splitmix64)
{
	static const uint64_t random[] = { 6457827717110365317u, 3203168211198807973u,
					   9817491932198370423u, 4593380528125082431u,
					   16408922859458223821u };

	set_faults(a, "drop=50%:4296201863");
	for (uint32_t i = 0; i < ARRAY_SIZE(random); i++) {
		send_psn(WIRE_SEND_ONLY, i);
		wire_flush(a);
		cr_expect_eq(next_psn(), random[i] < 1ull << 63 ? -1 : (int64_t)i, "%u", i);
	}
}

/* A frame that was late is what it was, whatever arrived meanwhile. */
Test(wire_fault, late_frames_keep_their_kind)
{
	struct wire_ethernet how = { .tdn = 3 };
	struct wire_message m = { .kind = WIRE_CHECK };
	uint8_t frame[60] = { 1 }, from;
	const uint8_t *got;
	size_t len;

	set_faults(b, "delay=1:1us:rx");
	for (int ethernet = 0; ethernet < 2; ethernet++) {
		if (ethernet)
			cr_expect(wire_send_ethernet(a, wire_slot(b), &how, frame,
						     sizeof(frame)));
		send_psn(WIRE_SEND_ONLY, 1);
		if (!ethernet)
			cr_expect(wire_send_ethernet(a, wire_slot(b), &how, frame,
						     sizeof(frame)));
		cr_assert(wire_has_space(a, wire_slot(b)));
		wire_send_message(a, wire_slot(b), &m, NULL, 0);
		wire_flush(a);
		cr_assert_not_null(wire_next(b, &len, &from));
		cr_expect(wire_is_message(b), "it is not late");
		for (int i = 0; i < 2; i++) {
			while (!(got = wire_next(b, &len, &from)))
				;
			cr_expect_not(wire_is_message(b));
			cr_expect_eq(wire_ethernet(b) != NULL, i != ethernet, "%d, %d", i,
				     ethernet);
			cr_expect_eq(len == sizeof(frame), i != ethernet);
			cr_expect_eq(from, wire_slot(a));
		}
	}
}

/* With two processes there are frames to both: each passes only those to itself. */
Test(wire_fault, reordered_frames_are_overtaken_by_those_of_their_receiver)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);
	int64_t psn, last = -1;

	c = join_test_fabric();
	set_faults(a, "reorder=1:1");
	send_psn(WIRE_SEND_ONLY, 1);
	set_faults(a, "");
	for (uint32_t i = 2; i < 6; i++) {
		send_packet(a, wire_slot(c), &p);
		send_psn(WIRE_SEND_ONLY, i);
		wire_flush(a);
	}
	for (unsigned int n = 0; (psn = next_psn()) >= 0; n++, last = psn)
		cr_expect(psn != 1 || (n >= 1 && n <= 3), "%u", n);
	cr_expect_eq(last, 5);
}

Test(wire_fault, none_any_more)
{
	set_faults(a, "drop=1");
	send_psn(WIRE_SEND_ONLY, 1);
	set_faults(a, "");
	send_psn(WIRE_SEND_ONLY, 2);
	wire_flush(a);
	cr_expect_eq(next_psn(), 2);
}
