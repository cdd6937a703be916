/* SPDX-License-Identifier: BSD-2-Clause */
/* A frame is traced twice: where it is sent and where it is read. */
#include "unit/wire/fabric.h"

TWO_PROCESSES(traced);

static struct core_trace seen[4];
static unsigned int nseen;

static void sink(const struct core_trace *t)
{
	struct wire_packet p;

	cr_expect(wire_unpack(&p, t->in, t->in_len));
	if (nseen < 4)
		seen[nseen] = *t;
	nseen++;
}

Test(traced, frames_are_traced_when_sent_and_received)
{
	struct wire_packet p = sample_packet(WIRE_ACK);
	uint8_t from;
	size_t len;

	core_trace_to = sink;
	core_trace_mask = 1u << TRACE_WIRE_TX | 1u << TRACE_WIRE_RX;
	send_packet(a, wire_slot(b), &p);
	wire_flush(a);
	cr_expect_eq(nseen, 1);
	wire_next(b, &len, &from);
	cr_assert_eq(nseen, 2);
	cr_expect_eq(seen[0].kind, TRACE_WIRE_TX);
	cr_expect_eq(seen[0].obj, wire_slot(b));
	cr_expect_eq(seen[1].kind, TRACE_WIRE_RX);
	cr_expect_eq(seen[1].obj, wire_slot(a));
	core_trace_mask = 0;
	send_packet(a, wire_slot(b), &p);
	cr_expect_eq(nseen, 2);
}
