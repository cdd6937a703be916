/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes on a fabric of the test's own, a, b and c in slots 1, 2 and 3; as many as the suite
 * has. One that is NULL at the end, or has joined again, may be closed before.
 *
 *	TWO_PROCESSES(frames);
 *	Test(frames, cross) { send_one(a, b); cr_expect_eq(frames_at(b), 1); }
 */
#ifndef TEST_UNIT_WIRE_FABRIC_H
#define TEST_UNIT_WIRE_FABRIC_H

#include <poll.h>

#include "unit/wire/packet.h"

static struct wire *a, *b, *c;

static inline void join_one(void)
{
	a = join_test_fabric();
}

static inline void join_two(void)
{
	join_one();
	b = join_test_fabric();
}

static inline void join_three(void)
{
	join_two();
	c = join_test_fabric();
}

static inline void leave(void)
{
	wire_close(a);
	wire_close(b);
	wire_close(c);
}

#define ONE_PROCESS(suite)     TestSuite(suite, .init = join_one, .fini = leave)
#define TWO_PROCESSES(suite)   TestSuite(suite, .init = join_two, .fini = leave)
#define THREE_PROCESSES(suite) TestSuite(suite, .init = join_three, .fini = leave)

static inline void send_one(struct wire *from, struct wire *to)
{
	struct wire_packet p = sample_packet(WIRE_SEND_ONLY);

	send_packet(from, wire_slot(to), &p);
	wire_flush(from);
}

/* Reads them all. */
static inline int frames_at(struct wire *w)
{
	uint8_t from;
	size_t len;
	int n = 0;

	while (wire_next(w, &len, &from))
		n++;
	return n;
}

static inline void expect_nothing(struct wire *w)
{
	cr_expect_eq(frames_at(w), 0);
}

static inline bool readable(struct wire *w)
{
	struct pollfd fd = { .fd = wire_fd(w), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/* Largest frames until there is no free space; their number. */
static inline uint32_t fill(struct wire *w, uint8_t slot, bool flush)
{
	struct wire_packet p = sample_packet(WIRE_WRITE_MIDDLE);
	uint8_t payload[4096] = { 0 };

	p.payload = payload;
	p.payload_len = sizeof(payload);
	for (p.psn = 0; p.psn < 100000 && wire_has_space(w, slot); p.psn++) {
		wire_send(w, slot, &p);
		if (flush)
			wire_flush(w);
	}
	return p.psn;
}

static inline void set_faults(struct wire *w, const char *text)
{
	struct options_fault faults[OPTIONS_FAULTS];
	int n = options_faults(text, faults);

	cr_assert_geq(n, 0);
	cr_assert_eq(wire_faults(w, faults, (unsigned int)n), 0);
}

#endif
