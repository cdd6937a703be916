/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reception: frames and messages from rings and the network; which one is next.
 *
 *	rings --inbox_next--.		segments: packet by packet
 *	network_next --------'--> link, faults --> wire_next --> trace, capture
 *
 * A large RoCE frame is read in its place in the ring, where the sender could still change it:
 * the code that reads it does not depend on reading the same twice. Frames that are parsed more
 * closely, Ethernet and short ones, are copied.
 *
 * Threads: one at a time, under the device lock.
 */
#include <string.h>

#include "wire/inside.h"
#include "wire/network.h"

#define SHORT 512

const struct wire_ethernet *wire_ethernet(const struct wire *w)
{
	return w->ethernet;
}

bool wire_is_message(const struct wire *w)
{
	return w->is_message;
}

/* An entry of @len bytes is an Ethernet frame, and what goes with it; NULL: it is too short or
 * too long. */
static const uint8_t *take_ethernet(struct wire *w, const uint8_t *at, size_t *len)
{
	if (*len < sizeof(w->how) + WIRE_MIN_ETHERNET ||
	    *len > sizeof(w->how) + WIRE_MAX_ETHERNET)
		return NULL;
	memcpy(&w->how, at, sizeof(w->how));
	*len -= sizeof(w->how);
	memcpy(w->copy + PREFIX, at + sizeof(w->how), *len);
	w->ethernet = &w->how;
	return w->copy + PREFIX;
}

void wire_want_packets(struct wire *w, bool want)
{
	w->want_packets = want;
}

const struct wire_packet *wire_packet(const struct wire *w)
{
	return w->is_packet ? &w->reading.s.first : NULL;
}

struct wire_run wire_run(const struct wire *w)
{
	return segment_run(&w->reading);
}

void wire_take_run(struct wire *w, struct wire_run run)
{
	segment_skip(&w->reading, run.n - 1);
}

/* Does anybody on this side look at the bytes of packets that arrive? */
static bool wants_frames(const struct wire *w)
{
	return !w->want_packets || w->faults || w->pcap_fd >= 0 || core_trace_on(TRACE_WIRE_RX);
}

/* The next packet of the segment, or its frame. */
static const uint8_t *packet_of_segment(struct wire *w, size_t *len, uint8_t *from)
{
	const struct wire_packet *p = segment_next(&w->reading);

	*from = w->reading_from;
	w->is_packet = !wants_frames(w);
	if (w->is_packet) {
		*len = wire_frame_len(p);
		return p->payload;
	}
	*len = wire_pack(p, w->copy + PREFIX, false);
	return w->copy + PREFIX;
}

static const uint8_t *take_segment(struct wire *w, const uint8_t *at, size_t *len,
				   uint8_t *from)
{
	unsigned int more;

	w->reading_from = *from;
	if (!segment_read(&w->reading, at, *len, *from == w->slot))
		return NULL;
	more = w->reading.s.n - 1; /* than the one that inbox_next() counted */
	w->quota -= more < w->quota ? more : w->quota;
	return packet_of_segment(w, len, from);
}

static const uint8_t *take_roce(struct wire *w, const uint8_t *at, size_t len, uint8_t from)
{
	if (from == w->slot || len > SHORT)
		return at;
	memcpy(w->copy + PREFIX, at, len);
	return w->copy + PREFIX;
}

/* The next frame or message of own slot or others. */
static const uint8_t *next_of_fabric(struct wire *w, size_t *len, uint8_t *from)
{
	const uint8_t *at, *frame = NULL;
	uint32_t flags;

	w->ethernet = NULL;
	w->is_message = false;
	if (is_reading(w))
		return packet_of_segment(w, len, from);
	while (!frame) {
		at = inbox_next(w, len, &flags, from);
		if (!at)
			return NULL;
		w->is_message = flags & MESSAGE;
		if (flags & ETHERNET)
			frame = take_ethernet(w, at, len);
		else if (flags == SEGMENT)
			frame = take_segment(w, at, len, from);
		else
			frame = w->is_message ? at : take_roce(w, at, *len, *from);
	}
	return frame;
}

static void capture(struct wire *w, const uint8_t *frame, size_t len)
{
	if (w->ethernet)
		pcap_frame(w, frame, len);
	else
		pcap_roce(w, frame, len);
}

static const uint8_t *next_of_network(struct wire *w, size_t *len, uint8_t *from)
{
	const uint8_t *frame = network_next(w->network, len);

	if (!frame)
		return NULL;
	w->is_message = false;
	w->ethernet = NULL;
	*from = WIRE_NETWORK;
	return frame;
}

/* Fabric and network alternate too. */
static const uint8_t *next_any(struct wire *w, size_t *len, uint8_t *from)
{
	const uint8_t *frame;

	w->is_packet = false;
	if (!w->network)
		return next_of_fabric(w, len, from);
	w->network_first = !w->network_first;
	frame = w->network_first ? next_of_network(w, len, from) : next_of_fabric(w, len, from);
	if (frame)
		return frame;
	return w->network_first ? next_of_fabric(w, len, from) : next_of_network(w, len, from);
}

/* Frames to the own slot have crossed the link when they were sent. */
static bool arrives(struct wire *w, const uint8_t *frame, size_t len, uint8_t from)
{
	struct crossing c = { .slot = from, .frame = (uint8_t *)frame, .len = len };

	if (w->is_message)
		return true;
	if (w->down)
		return false;
	if (!w->faults || from == w->slot)
		return true;
	c.is_ethernet = w->ethernet;
	if (w->ethernet)
		c.how = *w->ethernet;
	return fault_act(w, &c);
}

static const uint8_t *next_arrived(struct wire *w, size_t *len, uint8_t *from)
{
	const struct crossing *c = w->faults ? fault_next(w, false) : NULL;
	const uint8_t *frame;

	if (!c) {
		do
			frame = next_any(w, len, from);
		while (frame && !arrives(w, frame, *len, *from));
		return frame;
	}
	w->is_message = w->is_packet = false;
	w->ethernet = c->is_ethernet ? &c->how : NULL;
	*len = c->len;
	*from = c->slot;
	return c->frame;
}

uint64_t wire_drained(const struct wire *w)
{
	return w->drained;
}

const uint8_t *wire_next(struct wire *w, size_t *len, uint8_t *from)
{
	const uint8_t *frame = next_arrived(w, len, from);

	if (!frame)
		w->drained++;
	if (!frame || w->is_message || w->is_packet)
		return frame;
	core_trace(&(struct core_trace){
		.kind = TRACE_WIRE_RX, .obj = *from, .in = frame, .in_len = *len });
	if (w->pcap_fd >= 0 && *from != w->slot)
		capture(w, frame, *len);
	return frame;
}
