/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transmission: frames are built in the ring to their receiver, and published by a flush.
 *
 *	wire_send --> ring to slot --wire_flush--> head: the receiver reads it, and is woken if it sleeps
 *	         '--> burst --wire_flush--> network.c		(slot 0, if there is a network)
 *	         '--> lost[]					(no process has the slot)
 *
 * The iteration of the engine ends with a flush; large amounts are flushed earlier. A ring that
 * is full is one whose receiver is slower: wire_has_space() is false until it has read some.
 * Nothing here blocks.
 *
 * Threads: one at a time, under the device lock.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/inside.h"
#include "wire/network.h"

#define EARLY	 (2 * RING_CHUNK) /* bytes that are flushed before the iteration ends */
#define REFUSALS 256 /* then it is found out whether the receiver of a full ring still runs */

void slots_add(struct slots *s, uint8_t slot)
{
	if (s->has[slot])
		return;
	s->has[slot] = true;
	s->slot[s->n++] = slot;
}

/* ---- bursts for the network ---- */

/* @len bytes with their prefix, up to where the next ones begin. */
static uint32_t entry_bytes(size_t len)
{
	return ((uint32_t)(sizeof(uint16_t) + len) + 3) & ~3u;
}

static bool burst_fits(const struct burst *b, size_t len)
{
	return b->len + entry_bytes(len) <= BURST_BYTES;
}

/* The next @len bytes are a frame. */
static void burst_add(struct burst *b, size_t len)
{
	uint8_t *at = b->bytes + b->len;
	uint16_t prefix = (uint16_t)len;

	memcpy(at, &prefix, sizeof(prefix));
	memset(at + sizeof(prefix) + len, 0, entry_bytes(len) - sizeof(prefix) - len);
	b->len += entry_bytes(len);
}

uint8_t *burst_at(struct burst *b, uint32_t *pos, size_t *len)
{
	uint8_t *at = b->bytes + *pos;
	uint16_t prefix;

	if (*pos == b->len)
		return NULL;
	memcpy(&prefix, at, sizeof(prefix));
	*len = prefix;
	*pos += entry_bytes(*len);
	return at + sizeof(prefix);
}

/* Sends the burst; false, and stuck, if the network cannot take it. */
static bool burst_go(struct wire *w)
{
	struct burst *b = w->burst;

	b->stuck = !network_send(w->network, b);
	if (!b->stuck)
		b->len = b->pos = 0;
	return !b->stuck;
}

/* Can a frame be added to the burst? */
static bool burst_has_space(struct wire *w)
{
	struct burst *b = w->burst;

	if (!b) {
		b = w->burst = malloc(sizeof(*b));
		if (b)
			memset(b, 0, offsetof(struct burst, bytes));
		return b;
	}
	return burst_fits(b, WIRE_MAX_FRAME) || (!b->stuck && burst_go(w));
}

/* ---- the place of a frame ---- */

/* Without a network slot 0 is one that no process has. */
static bool is_network(const struct wire *w, uint8_t slot)
{
	return slot == WIRE_NETWORK && w->network;
}

/* Is there still no space for @slot? */
static bool is_full(struct wire *w, uint8_t slot)
{
	if (++w->refusals % REFUSALS == 0 && socket_is_dead(w, slot))
		return false;
	if (slot != w->slot)
		slots_add(&w->full, slot);
	return true;
}

static struct ring *ring_to(struct wire *w, uint8_t slot)
{
	return slot == w->slot ? &w->own.ring : &w->peers[slot].ring;
}

/* Where @len bytes for @slot are made; NULL: there is no space. The ring is the one that it
 * was, so that what was made there already stays. */
static uint8_t *reserve(struct wire *w, uint8_t slot, size_t len)
{
	struct ring *r = ring_to(w, slot);
	uint8_t *at;

	if (w->space && w->space_slot == slot && len <= ENTRY_BYTES)
		return w->space;
	if (is_network(w, slot))
		return w->burst && burst_fits(w->burst, len)
			       ? w->burst->bytes + w->burst->len + sizeof(uint16_t)
			       : NULL;
	at = r->memory ? ring_reserve(r, len) : w->lost;
	return at || is_full(w, slot) ? at : w->lost;
}

/* The same, at the process that has @slot now: perhaps another one than before. */
static uint8_t *reserve_first(struct wire *w, uint8_t slot, size_t len)
{
	w->space = NULL;
	if (!is_network(w, slot))
		socket_ring(w, slot);
	return reserve(w, slot, len);
}

/* There is more to flush. */
static void committed(struct wire *w, uint8_t slot)
{
	struct ring *r = ring_to(w, slot);

	slots_add(&w->dirty, slot);
	if (slot != w->slot && r->head - r->published >= EARLY)
		socket_flush(w, slot);
}

/* They are complete. */
static void commit(struct wire *w, uint8_t slot, size_t len, uint32_t flags)
{
	struct ring *r = ring_to(w, slot);

	w->making.s.n = 0;
	w->making.next = w->space = NULL;
	if (is_network(w, slot))
		burst_add(w->burst, len);
	else if (r->memory)
		ring_commit(r, len, flags);
	else
		return;
	committed(w, slot);
}

bool wire_has_space(struct wire *w, uint8_t slot)
{
	if (is_network(w, slot))
		return burst_has_space(w);
	w->space = reserve_first(w, slot, ENTRY_BYTES);
	w->space_slot = slot;
	return w->space;
}

/* Is @p sent without the bytes of its headers? Not if it leaves the machine, or this side needs
 * them. */
static bool is_in_segment(const struct wire *w, uint8_t slot, const struct wire_packet *p)
{
	return segment_carries(p->opcode) && !is_network(w, slot) && !w->frames && !w->faults &&
	       w->pcap_fd < 0 && !core_trace_on(TRACE_WIRE_TX);
}

uint8_t *wire_payload_of_run(struct wire *w, uint8_t slot, const struct wire_packet *p,
			     unsigned int *n)
{
	uint8_t *at = NULL;

	w->making.next = NULL;
	if (w->down || !w->making.s.n || w->making.slot != slot || !is_in_segment(w, slot, p))
		return NULL;
	*n = segment_room(&w->making.s, p, *n);
	while (*n && !(at = ring_after(ring_to(w, slot), (size_t)*n * p->payload_len)))
		*n /= 2;
	w->making.next = at;
	return at;
}

uint8_t *wire_payload_of_next(struct wire *w, uint8_t slot, const struct wire_packet *p)
{
	unsigned int one = 1;
	bool segment;
	uint8_t *at = w->making.s.n ? wire_payload_of_run(w, slot, p, &one) : NULL;

	if (at)
		return at;
	segment = is_in_segment(w, slot, p);
	at = reserve(w, slot, segment ? ENTRY_BYTES : WIRE_MAX_FRAME);
	if (!at)
		return NULL;
	return segment ? at + sizeof(struct segment) : wire_payload_in(p, at);
}

/* ---- sending ---- */

void wire_send_frames(struct wire *w, bool always)
{
	w->frames = always;
}

void wire_send_run(struct wire *w, const struct wire_packet *p, struct wire_run run)
{
	w->making.next = w->space = NULL;
	segment_add(&w->making.s, p, run);
	memcpy(w->making.at, &w->making.s, SEGMENT_CHANGES);
	ring_add(ring_to(w, w->making.slot), (size_t)run.n * p->payload_len);
	committed(w, w->making.slot);
}

/* False: there is no space. */
static bool send_in_segment(struct wire *w, uint8_t slot, const struct wire_packet *p)
{
	struct segment *s;
	uint32_t len;
	uint8_t *at;

	if (w->down)
		return true;
	if (p->payload && p->payload == w->making.next) {
		wire_send_run(w, p, (struct wire_run){ .n = 1, .ack_req = p->ack_req });
		return true;
	}
	at = reserve(w, slot, ENTRY_BYTES);
	if (!at)
		return false;
	s = (struct segment *)at;
	len = wire_opcode_info(p->opcode)->parts & WIRE_HAS_PAYLOAD ? p->payload_len : 0;
	segment_start(s, p);
	if (len && p->payload != at + sizeof(*s))
		memcpy(at + sizeof(*s), p->payload, len);
	commit(w, slot, sizeof(*s) + len, SEGMENT);
	if (!segment_continues(p->opcode))
		return true;
	segment_start(&w->making.s, p);
	w->making.slot = slot;
	w->making.at = at;
	return true;
}

/* Does the frame arrive, now? */
static bool crosses(struct wire *w, struct crossing *c)
{
	return !w->down && (!w->faults || fault_act(w, c));
}

uint16_t wire_send(struct wire *w, uint8_t slot, const struct wire_packet *p)
{
	uint8_t *frame;
	uint16_t len;

	if (is_in_segment(w, slot, p))
		return send_in_segment(w, slot, p) ? wire_frame_len(p) : 0;
	frame = reserve(w, slot, WIRE_MAX_FRAME);
	if (!frame)
		return 0; /* sent without wire_has_space(): lost, as on a full link */
	len = wire_pack(p, frame, w->pcap_fd >= 0 && !is_network(w, slot));
	if (is_network(w, slot))
		network_seal(w->network, frame, len);
	core_trace(&(struct core_trace){
		.kind = TRACE_WIRE_TX, .obj = slot, .in = frame, .in_len = len });
	if (w->pcap_fd >= 0)
		pcap_roce(w, frame, len);
	if (crosses(w,
		    &(struct crossing){ .tx = true, .slot = slot, .frame = frame, .len = len }))
		commit(w, slot, len, 0);
	return len;
}

void wire_link(struct wire *w, bool up)
{
	w->down = !up;
}

void wire_send_message(struct wire *w, uint8_t slot, const struct wire_message *m,
		       const uint8_t *data, size_t len)
{
	uint8_t *at =
		sizeof(*m) + len > WIRE_MAX_FRAME ? NULL : reserve(w, slot, sizeof(*m) + len);

	if (!at)
		return; /* as in wire_send() */
	memcpy(at, m, sizeof(*m));
	if (len)
		memcpy(at + sizeof(*m), data, len);
	commit(w, slot, sizeof(*m) + len, MESSAGE);
}

/* Only after reserve(). */
static void add_ethernet(struct wire *w, uint8_t *at, const struct crossing *c)
{
	memcpy(at, &c->how, sizeof(c->how));
	memcpy(at + sizeof(c->how), c->frame, c->len);
	commit(w, c->slot, sizeof(c->how) + c->len, ETHERNET);
}

bool wire_send_ethernet(struct wire *w, uint8_t slot, const struct wire_ethernet *how,
			const uint8_t *frame, size_t len)
{
	struct crossing c = { .tx = true,
			      .slot = slot,
			      .is_ethernet = true,
			      .how = *how,
			      .frame = (uint8_t *)frame,
			      .len = len };
	uint8_t *at;

	if (len < WIRE_MIN_ETHERNET || len > WIRE_MAX_ETHERNET)
		return true; /* no network carries it */
	at = reserve_first(w, slot, sizeof(*how) + len);
	if (!at)
		return false;
	if (crosses(w, &c))
		add_ethernet(w, at, &c);
	core_trace(&(struct core_trace){
		.kind = TRACE_WIRE_TX, .obj = slot, .in = frame, .in_len = len });
	return true;
}

void wire_capture(struct wire *w, const uint8_t *frame, size_t len)
{
	if (w->pcap_fd >= 0)
		pcap_frame(w, frame, len);
}

/* Trace and capture show the copy for the own slot. */
uint16_t wire_send_all(struct wire *w, const struct wire_packet *p)
{
	uint8_t frame[WIRE_MAX_FRAME], *at;
	uint16_t len = 0;

	if (wire_has_space(w, w->slot))
		len = wire_send(w, w->slot, p);
	if (!w->fabric.entries)
		return len;
	len = wire_pack(p, frame, w->pcap_fd >= 0);
	if (w->down || (w->faults && !fault_spares(w, frame, len)))
		return len;
	for (unsigned int slot = 1; slot < SLOTS; slot++) {
		if (slot == w->slot || !socket_ring(w, slot))
			continue;
		at = reserve(w, slot, len);
		if (!at)
			continue;
		memcpy(at, frame, len);
		commit(w, slot, len, 0);
	}
	return len;
}

/* Frames that were held, and whose time has come; lost if there is no space. */
static void send_held(struct wire *w)
{
	const struct crossing *c;

	while ((c = fault_next(w, true))) {
		uint8_t *at = reserve_first(w, c->slot, sizeof(c->how) + c->len);

		if (!at)
			continue;
		if (c->is_ethernet) {
			add_ethernet(w, at, c);
			continue;
		}
		memcpy(at, c->frame, c->len);
		commit(w, c->slot, c->len, 0);
	}
}

static bool flush(struct wire *w, uint8_t slot)
{
	if (is_network(w, slot))
		return w->burst->len && !burst_go(w);
	return socket_flush(w, slot);
}

bool wire_flush(struct wire *w)
{
	unsigned int waiting = 0;

	w->space = NULL;
	if (w->faults)
		send_held(w);
	for (unsigned int i = 0; i < w->dirty.n; i++) {
		uint8_t slot = w->dirty.slot[i];

		w->dirty.has[slot] = flush(w, slot);
		if (w->dirty.has[slot])
			w->dirty.slot[waiting++] = slot;
	}
	w->dirty.n = waiting;
	return waiting || is_reading(w) ||
	       (w->own.ring.memory && ring_has_next(&w->own.ring)) || fault_holds(w);
}
