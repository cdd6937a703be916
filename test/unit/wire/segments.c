/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that pass in segments are the packets that frames have: the same bytes in a capture,
 * in the same order; and what another process wrote wrongly is no packet. */
#include <stdlib.h>

#include "unit/wire/fabric.h"
#include "wire/inside.h"

#define MTU 1024

static uint8_t memory[80 * MTU];

static void fill_memory(void)
{
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = i * 7 + i / 256;
}

static void fill_and_join(void)
{
	fill_memory();
	join_three();
}

TestSuite(segments, .init = fill_and_join, .fini = leave);

/* As the engine does it: the payload is made in its place. */
static void send_in_place(struct wire *w, uint8_t slot, struct wire_packet *p,
			  const uint8_t *bytes)
{
	uint8_t *at;

	cr_assert(wire_has_space(w, slot));
	p->payload = at = wire_payload_of_next(w, slot, p);
	cr_assert_not_null(at);
	memcpy(at, bytes, p->payload_len);
	wire_send(w, slot, p);
}

/* The packets of a message of @len bytes; @first, @middle, @last, @only: operations. */
struct shape {
	uint8_t first, middle, last, only;
};

static const struct shape shapes[] = {
	{ WIRE_SEND_FIRST, WIRE_SEND_MIDDLE, WIRE_SEND_LAST, WIRE_SEND_ONLY },
	{ WIRE_SEND_FIRST, WIRE_SEND_MIDDLE, WIRE_SEND_LAST_IMM, WIRE_SEND_ONLY_IMM },
	{ WIRE_SEND_FIRST, WIRE_SEND_MIDDLE, WIRE_SEND_LAST_INVAL, WIRE_SEND_ONLY_INVAL },
	{ WIRE_WRITE_FIRST, WIRE_WRITE_MIDDLE, WIRE_WRITE_LAST, WIRE_WRITE_ONLY },
	{ WIRE_WRITE_FIRST, WIRE_WRITE_MIDDLE, WIRE_WRITE_LAST_IMM, WIRE_WRITE_ONLY_IMM },
	{ WIRE_READ_RESPONSE_FIRST, WIRE_READ_RESPONSE_MIDDLE, WIRE_READ_RESPONSE_LAST,
	  WIRE_READ_RESPONSE_ONLY },
};

static uint8_t operation(const struct shape *s, unsigned int i, unsigned int n)
{
	if (n == 1)
		return s->only;
	return !i ? s->first : i + 1 == n ? s->last : s->middle;
}

static bool asks(uint32_t psn)
{
	return (psn & 0xffffff) % 16 == 0;
}

/* @n packets that begin with @p, if they can be sent as a run. */
static unsigned int send_run(struct wire *w, uint8_t slot, const struct wire_packet *p,
			     unsigned int n, const uint8_t *bytes)
{
	uint8_t *at = n < 2 ? NULL : wire_payload_of_run(w, slot, p, &n);
	struct wire_run run = { .n = 0 };

	if (!at)
		return 0;
	memcpy(at, bytes, (size_t)n * MTU);
	for (; run.n < n; run.n++)
		run.ack_req |= (uint64_t)asks(p->psn + run.n) << run.n;
	wire_send_run(w, p, run);
	return n;
}

static void send_message(struct wire *w, uint8_t slot, uint8_t service, const struct shape *s,
			 size_t len, uint32_t *psn)
{
	unsigned int n = len ? (len + MTU - 1) / MTU : 1, run;

	for (unsigned int i = 0; i < n; i += run, *psn += run) {
		struct wire_packet p = sample_packet(service | operation(s, i, n));
		bool last = i + 1 == n;

		p.psn = *psn & 0xffffff;
		p.ack_req = last || asks(p.psn);
		p.solicited = last && len % 2;
		p.payload_len = last ? len - (size_t)i * MTU : MTU;
		run = i ? send_run(w, slot, &p, n - 1 - i, memory + (size_t)i * MTU) : 0;
		if (run)
			continue;
		run = 1;
		send_in_place(w, slot, &p, memory + (size_t)i * MTU);
	}
}

/* Random messages, other packets between them, and sometimes a flush within a message. */
static void send_some(struct wire *w, uint8_t slot)
{
	static const uint8_t services[] = { WIRE_RC, WIRE_UC, WIRE_XRC };
	uint32_t psn = 0xfffff0; /* wraps */

	srandom(35);
	for (int i = 0; i < 40; i++) {
		const struct shape *s = &shapes[random() % (sizeof(shapes) / sizeof(*s))];
		uint8_t service = services[random() % 3];
		struct wire_packet ack = sample_packet(random() % 2 ? WIRE_ACK : WIRE_CNP);

		/* UC has neither keys to invalidate nor READs. */
		if (service == WIRE_UC && (s == &shapes[2] || s == &shapes[5]))
			service = WIRE_RC;
		send_message(w, slot, service, s, random() % ((i % 8 ? 6 : 80) * MTU), &psn);
		if (random() % 4 == 0)
			send_packet(w, slot, &ack);
		if (random() % 4 == 0)
			wire_flush(w);
	}
	wire_flush(w);
}

/* The file of @path without the times of its records. */
static size_t capture_of(const char *path, uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t len, at = 24;

	cr_assert_not_null(f);
	len = fread(bytes, 1, size, f);
	fclose(f);
	cr_assert_lt(len, size);
	while (at + 16 <= len) {
		uint32_t caught;

		memset(bytes + at, 0, 8);
		memcpy(&caught, bytes + at + 8, 4);
		at += 16 + caught;
	}
	cr_assert_eq(at, len);
	return len;
}

static size_t captured(bool frames, uint8_t *bytes, size_t size)
{
	struct wire *a = join_test_fabric(), *b = join_test_fabric();
	char path[64];
	uint8_t from;
	size_t len;

	snprintf(path, sizeof(path), "/tmp/dvkit-segments-%d.pcap", (int)getpid());
	cr_assert_eq(wire_pcap(b, path), 0);
	wire_want_packets(b, true);
	wire_send_frames(a, frames);
	send_some(a, wire_slot(b));
	while (wire_next(b, &len, &from))
		cr_expect_null(wire_packet(b), "a capture is of frames");
	len = capture_of(path, bytes, size);
	unlink(path);
	wire_close(a);
	wire_close(b);
	return len;
}

Test(wire, captures_of_segments_are_those_of_frames, .init = fill_memory)
{
	static uint8_t one[1 << 20], other[1 << 20];
	size_t len = captured(false, one, sizeof(one));

	cr_assert_gt(len, 40 * MTU);
	cr_assert_eq(captured(true, other, sizeof(other)), len);
	cr_expect_arr_eq(one, other, len);
}

/* The rest of the run whose first packet @b has just got is what @c gets next; @b takes it. */
static unsigned int take_run(struct wire *b, struct wire *c)
{
	struct wire_run run = wire_run(b);
	const struct wire_packet *p = wire_packet(b);
	uint8_t from;
	size_t len;

	cr_expect_eq(run.ack_req & 1, p->ack_req);
	for (unsigned int i = 1; i < run.n; i++) {
		const uint8_t *frame = wire_next(c, &len, &from);
		struct wire_packet want;

		cr_assert(wire_unpack(&want, frame, len));
		cr_expect_eq(want.opcode, p->opcode);
		cr_expect_eq(want.psn, (p->psn + i) & 0xffffff);
		cr_expect_eq(want.ack_req, run.ack_req >> i & 1);
		cr_assert_eq(want.payload_len, p->payload_len);
		cr_assert_arr_eq(want.payload, p->payload + (size_t)i * MTU, MTU);
	}
	cr_expect_eq(run.n < 64 ? run.ack_req >> run.n : 0, 0);
	wire_take_run(b, run);
	return run.n;
}

/* The packets one by one, and every second run at once, as the reader of frames unpacks
 * them. */
Test(segments, packets_of_segments_are_those_of_frames)
{
	unsigned int packets = 0, longest = 0, run;
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	wire_want_packets(b, true);
	send_some(a, wire_slot(b));
	wire_send_frames(a, true);
	send_some(a, wire_slot(c));
	while ((frame = wire_next(c, &len, &from))) {
		uint8_t again[WIRE_MAX_FRAME];
		struct wire_packet want, got;
		size_t got_len;
		const uint8_t *bytes = wire_next(b, &got_len, &from);

		cr_assert(wire_unpack(&want, frame, len));
		cr_assert_not_null(bytes);
		cr_expect_eq(got_len, len);
		if (!wire_packet(b)) {
			cr_assert_arr_eq(bytes, frame, len);
			continue;
		}
		got = *wire_packet(b);
		cr_expect_eq(got.opcode, want.opcode);
		cr_expect_eq(got.psn, want.psn);
		cr_expect_eq(got.ack_req, want.ack_req);
		cr_expect_eq(got.solicited, want.solicited);
		cr_expect_eq(got.payload_len, want.payload_len);
		cr_assert_eq(wire_pack(&got, again, false), len);
		cr_assert_arr_eq(again, frame, len, "psn %x", got.psn);
		if (packets++ % 2)
			continue;
		run = take_run(b, c);
		longest = run > longest ? run : longest;
	}
	cr_expect_null(wire_next(b, &len, &from));
	cr_expect_gt(packets, 60);
	cr_expect_gt(longest, 32);
}

/* The number of entries in the ring that a WRITE of @n packets of @mtu bytes takes. */
static unsigned int entries(unsigned int n, uint32_t mtu)
{
	struct wire *a = join_test_fabric();
	struct ring *r = &a->own.ring;
	unsigned int found = 0;
	uint32_t flags;
	size_t len;

	for (unsigned int i = 0; i < n; i++) {
		struct wire_packet p = sample_packet(i ? WIRE_WRITE_MIDDLE : WIRE_WRITE_FIRST);

		p.psn = i;
		p.payload_len = mtu;
		send_in_place(a, wire_slot(a), &p, memory);
	}
	wire_flush(a);
	while (ring_next(r, &len, &flags)) {
		cr_expect_eq(flags, SEGMENT);
		found++;
	}
	wire_close(a);
	return found;
}

Test(wire, segments_have_64_packets_and_64_kibibytes_at_most, .init = fill_memory)
{
	cr_expect_eq(entries(64, 256), 1);
	cr_expect_eq(entries(65, 256), 2);
	cr_expect_eq(entries(64, 1024), 1);
	cr_expect_eq(entries(65, 1024), 2);
	cr_expect_eq(entries(16, 4096), 1);
	cr_expect_eq(entries(17, 4096), 2);
}

/* A space that a run has used is not used again. */
Test(segments, packets_after_a_run_are_beside_it)
{
	struct wire_packet p = sample_packet(WIRE_WRITE_FIRST), got;
	uint8_t from;

	p.payload_len = MTU;
	send_in_place(a, 1, &p, memory);
	p.opcode = WIRE_WRITE_MIDDLE;
	p.psn++;
	cr_assert(wire_has_space(a, 1));
	cr_assert_eq(send_run(a, 1, &p, 2, memory + MTU), 2);
	p.psn += 2;
	p.payload = memory + 9;
	wire_send(a, 1, &p);
	wire_flush(a);
	for (int i = 0; i < 4; i++) {
		cr_assert(next_packet(a, &got, &from));
		cr_expect_arr_eq(got.payload, i < 3 ? memory + i * MTU : p.payload, MTU, "%d",
				 i);
	}
}

/* The run that begins with each packet of a segment, if all are taken one by one. */
static void expect_runs(const uint8_t *opcodes, unsigned int n, uint32_t last_len,
			const char *runs)
{
	struct wire *a = join_test_fabric();
	uint8_t from;
	size_t len;

	wire_want_packets(a, true);
	for (unsigned int i = 0; i < n; i++) {
		struct wire_packet p = sample_packet(opcodes[i]);

		p.psn = i;
		p.payload_len = i + 1 == n ? last_len : MTU;
		send_in_place(a, wire_slot(a), &p, memory);
	}
	wire_flush(a);
	for (unsigned int i = 0; i < n; i++) {
		cr_assert_not_null(wire_next(a, &len, &from));
		cr_expect_eq(wire_run(a).n, (unsigned int)(runs[i] - '0'), "packet %u", i);
	}
	wire_close(a);
}

Test(wire, runs_are_packets_in_the_middle_that_are_equally_long, .init = fill_memory)
{
	static const uint8_t whole[] = { WIRE_SEND_FIRST, WIRE_SEND_MIDDLE, WIRE_SEND_MIDDLE,
					 WIRE_SEND_MIDDLE, WIRE_SEND_LAST };

	expect_runs(whole, 5, MTU, "13211");
	expect_runs(whole + 1, 4, MTU, "3211");
	expect_runs(whole, 4, MTU, "1321");
	expect_runs(whole, 4, MTU - 1, "1211");
}

/* How many of 100 packets of @mtu bytes can follow the first one as a run, where the ring has
 * place for @left bytes after it; 0: all of it. */
static unsigned int run_of_100(uint32_t mtu, uint32_t left)
{
	struct wire *a = join_test_fabric();
	struct wire_packet p = sample_packet(WIRE_READ_RESPONSE_FIRST);
	struct ring *r = &a->own.ring;
	uint32_t end = RING_BYTES - ring_entry(sizeof(struct segment) + mtu) - left;
	unsigned int n = 100;

	while (left && r->head < end) {
		uint32_t len = end - r->head < 4096 ? end - r->head : 4096;

		cr_assert_not_null(ring_reserve(r, len - RING_PREFIX));
		ring_commit(r, len - RING_PREFIX, 0);
	}
	p.payload_len = mtu;
	send_in_place(a, wire_slot(a), &p, memory);
	p.opcode = WIRE_READ_RESPONSE_MIDDLE;
	p.psn++;
	if (!wire_payload_of_run(a, wire_slot(a), &p, &n))
		n = 0;
	wire_close(a);
	return n;
}

Test(wire, a_run_ends_where_its_segment_or_the_ring_does, .init = fill_memory)
{
	cr_expect_eq(run_of_100(256, 0), 63);
	cr_expect_eq(run_of_100(1024, 0), 63);
	cr_expect_eq(run_of_100(4096, 0), 15);
	cr_expect_eq(run_of_100(1024, 63 * 1024), 63);
	cr_expect_eq(run_of_100(1024, 63 * 1024 - 8), 31);
	cr_expect_eq(run_of_100(1024, 8 * 1024), 7);
	cr_expect_eq(run_of_100(1024, 4 * 1024), 3);
}

/* Bits in which the second of two packets differs from one that continues the first. */
#define DIFFERS(member, bits)                              \
	{                                                  \
		offsetof(struct wire_packet, member), bits \
	}
static const struct {
	size_t at;
	uint8_t bits;
} differences[] = {
	{ 0, 0 }, /* none */
	DIFFERS(psn, 1),
	DIFFERS(dqpn, 1),
	DIFFERS(sgid[15], 1),
	DIFFERS(dgid[0], 1),
	DIFFERS(tclass, 1),
	DIFFERS(opcode, WIRE_WRITE_MIDDLE ^ WIRE_WRITE_FIRST),
	DIFFERS(opcode, WIRE_WRITE_MIDDLE ^ WIRE_SEND_MIDDLE),
	DIFFERS(opcode, WIRE_UC),
	DIFFERS(payload_len, 1),
	DIFFERS(srqn, 1),
	DIFFERS(pkey, 0x80),
};

Test(wire, packets_that_do_not_continue_are_in_another_segment, .init = fill_memory)
{
	for (size_t i = 0; i < ARRAY_SIZE(differences); i++) {
		struct wire *a = join_test_fabric();
		struct wire_packet p = sample_packet(WIRE_WRITE_FIRST);
		unsigned int found = 0;
		uint32_t flags;
		size_t len;

		p.psn = 0xffffff;
		p.payload_len = MTU;
		send_in_place(a, wire_slot(a), &p, memory);
		p.opcode = WIRE_WRITE_MIDDLE;
		p.psn = 0;
		((uint8_t *)&p)[differences[i].at] ^= differences[i].bits;
		send_in_place(a, wire_slot(a), &p, memory);
		wire_flush(a);
		while (ring_next(&a->own.ring, &len, &flags))
			found++;
		cr_expect_eq(found, i ? 2 : 1, "difference %zu", i);
		wire_close(a);
	}
}

/* Members of a segment of two packets, and its length, that no emulator makes. */
#define WRONG(member, value)                                                             \
	{                                                                                \
		offsetof(struct segment, member), sizeof(((struct segment *)0)->member), \
			value, 0                                                         \
	}
static const struct {
	size_t at, size;
	uint32_t value;
	int more; /* bytes */
} wrong[] = {
	WRONG(n, 0),
	WRONG(n, 65),
	{ 0, 0, 0, 1 },
	{ 0, 0, 0, -1 },
	{ 0, 0, 0, -2 * MTU - 1 }, /* a header that is cut */
	WRONG(first.opcode, WIRE_UD | WIRE_SEND_ONLY),
	WRONG(first.opcode, 0x18), /* none */
	WRONG(first.opcode, WIRE_WRITE_ONLY),
	WRONG(last_opcode, WIRE_WRITE_FIRST),
	WRONG(first.payload_len, WIRE_MAX_PAYLOAD + 1),
	WRONG(last_len, MTU + 1),
	WRONG(first.v1, 2),
	WRONG(first.psn, 1 << 24),
	{ 0, 0, 0, 0 }, /* as it should be */
};

Test(segments, wrong_segments_have_no_packets)
{
	struct ring *r = socket_ring(b, wire_slot(a));
	uint8_t from;
	size_t got;

	cr_assert_not_null(r);
	wire_want_packets(a, true);
	for (size_t how = 0; how < ARRAY_SIZE(wrong); how++) {
		struct wire_packet p = sample_packet(WIRE_WRITE_FIRST);
		struct segment s;
		size_t len = sizeof(s) + 2 * MTU + wrong[how].more;
		uint8_t *at = ring_reserve(r, 8192);

		p.payload_len = MTU;
		segment_start(&s, &p);
		p.opcode = WIRE_WRITE_LAST;
		segment_add(&s, &p, (struct wire_run){ .n = 1 });
		memcpy((char *)&s + wrong[how].at, &wrong[how].value, wrong[how].size);
		memcpy(at, &s, sizeof(s));
		ring_commit(r, len, SEGMENT);
		socket_flush(b, wire_slot(a));
		cr_expect_eq(wire_next(a, &got, &from) != NULL, how + 1 == ARRAY_SIZE(wrong),
			     "row %zu", how);
	}
}

/* A reader that was interrupted within a segment does not sleep, and loses nothing. */
Test(segments, a_segment_that_is_not_read_to_its_end_keeps_its_reader_awake)
{
	uint32_t psn = 0;
	uint8_t from;
	size_t len;

	wire_want_packets(b, true);
	send_message(a, wire_slot(b), WIRE_RC, &shapes[3], 3 * MTU, &psn);
	wire_flush(a);
	for (uint32_t i = 0; i < 3; i++) {
		cr_assert_not_null(wire_next(b, &len, &from));
		cr_expect_eq(wire_packet(b)->psn, i);
		cr_expect_eq(wire_may_sleep(b), i == 2);
		wire_awake(b);
	}
	cr_expect_null(wire_next(b, &len, &from));
}

/* Rings take turns by packets, not by entries. */
Test(segments, a_ring_of_segments_does_not_keep_others_waiting)
{
	uint8_t from, first = 0;
	uint32_t psn = 0;
	size_t len;

	wire_want_packets(c, true);
	for (int i = 0; i < 2; i++) {
		send_message(a, wire_slot(c), WIRE_RC, &shapes[3], 64 * MTU, &psn);
		send_message(b, wire_slot(c), WIRE_RC, &shapes[3], 64 * MTU, &psn);
	}
	wire_flush(a);
	wire_flush(b);
	for (unsigned int i = 0; i < 4 * 64; i++) {
		cr_assert_not_null(wire_next(c, &len, &from));
		first = i ? first : from;
		cr_expect_eq(from == first, i / 64 % 2 == 0, "packet %u", i);
	}
}

/* The receiver of UD and DC needs the IP header of each packet; a CNP has no data. */
Test(wire, segments_are_of_services_with_connections)
{
	static const uint8_t carried[] = { WIRE_RC, WIRE_UC, WIRE_XRC };
	static const uint8_t others[] = { 0x40, WIRE_UD, WIRE_CNP, WIRE_DC, 0xe0 };

	for (size_t i = 0; i < ARRAY_SIZE(carried); i++)
		cr_expect(segment_carries(carried[i] | 4), "0x%x", carried[i]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		cr_expect_not(segment_carries(others[i] | 4), "0x%x", others[i]);
}
