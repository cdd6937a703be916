/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames are gathered into bursts, and read from them.
 *
 *	wire_send --> out[slot] --wire_flush--> socket of the peer
 *	                  |
 *	                  '-- own slot -------> loop --> wire_next --> reader
 *	                      socket --> in -------------^
 *
 * A burst is sent when the iteration of the engine ends (wire_flush) or when it is full. While the
 * peer's queue is full, more frames are added to the burst, so a slow peer gets fewer and larger
 * datagrams; when the burst is full, wire_has_space() is false. Nothing here blocks. Bursts to the
 * own slot are passed by pointer; their number is bounded, so wire_has_space() applies to it too.
 *
 * Threads: one at a time, under the device lock.
 */
#include <stdlib.h>
#include <string.h>

#include "wire/burst.h"
#include "wire/network.h"

#define PREFIX 2

/* @len bytes with their prefix, up to where the next ones begin. */
static uint32_t entry_bytes(size_t len)
{
	return ((uint32_t)(PREFIX + len) + 3) & ~3u;
}

static bool burst_fits(const struct burst *b, size_t len)
{
	return b->len + entry_bytes(len) <= BURST_BYTES;
}

/* The place of the next @len bytes, with @flags in their prefix. */
static uint8_t *burst_add(struct burst *b, size_t len, uint16_t flags)
{
	uint8_t *at = b->bytes + b->len;
	uint16_t prefix = (uint16_t)(flags | len);

	memcpy(at, &prefix, PREFIX);
	memset(at + PREFIX + len, 0, entry_bytes(len) - PREFIX - len);
	b->len += entry_bytes(len);
	return at + PREFIX;
}

uint8_t *burst_at(struct burst *b, uint32_t *pos, size_t *len)
{
	uint8_t *at = b->bytes + *pos;
	uint16_t prefix;

	if (b->len - *pos < PREFIX)
		return NULL;
	memcpy(&prefix, at, PREFIX);
	*len = prefix & (ETHERNET - 1);
	if (!*len || entry_bytes(*len) > b->len - *pos)
		return NULL;
	*pos += entry_bytes(*len);
	return at + PREFIX;
}

/* The next frame or message of @b; NULL at its end, or if its length is not valid. */
static const uint8_t *burst_read(struct wire *w, struct burst *b, size_t *len)
{
	const struct wire_ethernet *ethernet = NULL;
	uint32_t pos = b->pos;
	const uint8_t *frame = burst_at(b, &pos, len);
	uint16_t prefix;

	if (!frame)
		return NULL;
	b->pos = pos;
	memcpy(&prefix, frame - PREFIX, PREFIX);
	w->is_message = prefix & MESSAGE;
	if (prefix & ETHERNET) {
		ethernet = (const void *)frame;
		if (*len < sizeof(*ethernet) + WIRE_MIN_ETHERNET)
			return NULL;
		frame += sizeof(*ethernet);
		*len -= sizeof(*ethernet);
	}
	w->ethernet = ethernet;
	return frame;
}

/* ---- sending ---- */

static struct burst *burst_new(struct wire *w)
{
	struct burst *b = w->spare;

	if (b)
		w->spare = b->next;
	else
		b = malloc(sizeof(*b));
	if (b)
		memset(b, 0, offsetof(struct burst, bytes));
	return b;
}

static bool loop_push(struct wire *w, struct burst *b)
{
	if (w->loop_len == LOOP_DEPTH)
		return false;
	w->out[w->slot] = NULL;
	b->from = w->slot;
	*w->loop_end = b;
	w->loop_end = &b->next;
	w->loop_len++;
	return true;
}

/* Sends the burst for @slot; false, and stuck, if the peer cannot take it. */
static bool burst_go(struct wire *w, uint8_t slot)
{
	struct burst *b = w->out[slot];

	if (slot == w->slot) {
		b->stuck = !loop_push(w, b);
		return !b->stuck;
	}
	b->stuck =
		slot == WIRE_NETWORK ? !network_send(w->network, b) : !socket_send(w, slot, b);
	if (!b->stuck)
		b->len = b->pos = 0;
	return !b->stuck;
}

/* Can @len bytes be added to the burst for @slot? */
static bool has_space(struct wire *w, uint8_t slot, size_t len)
{
	struct burst *b = w->out[slot];

	if (b && !burst_fits(b, len)) {
		if (b->stuck || !burst_go(w, slot))
			return false;
		b = w->out[slot];
	}
	if (!b)
		b = w->out[slot] = burst_new(w);
	return b;
}

bool wire_has_space(struct wire *w, uint8_t slot)
{
	if (slot == WIRE_NETWORK && !w->network)
		return false;
	return has_space(w, slot, WIRE_MAX_FRAME);
}

static void mark(struct wire *w, uint8_t slot)
{
	if (w->is_dirty[slot])
		return;
	w->is_dirty[slot] = true;
	w->dirty[w->ndirty++] = slot;
}

/* Does the frame arrive, now? */
static bool crosses(struct wire *w, struct crossing *c)
{
	return !w->down && (!w->faults || fault_act(w, c));
}

uint16_t wire_send(struct wire *w, uint8_t slot, const struct wire_packet *p)
{
	struct burst *b = w->out[slot];
	uint8_t *frame;
	uint16_t len;

	if (!b || !burst_fits(b, WIRE_MAX_FRAME))
		return 0; /* sent without wire_has_space(): lost, as on a full link */
	frame = b->bytes + b->len + PREFIX;
	len = wire_pack(p, frame, w->pcap_fd >= 0 && slot != WIRE_NETWORK);
	if (slot == WIRE_NETWORK)
		network_seal(w->network, frame, len);
	core_trace(&(struct core_trace){
		.kind = TRACE_WIRE_TX, .obj = slot, .in = frame, .in_len = len });
	if (w->pcap_fd >= 0)
		pcap_roce(w, frame, len);
	if (!crosses(w, &(struct crossing){
				.tx = true, .slot = slot, .frame = frame, .len = len }))
		return len;
	burst_add(b, len, 0);
	mark(w, slot);
	return len;
}

void wire_link(struct wire *w, bool up)
{
	w->down = !up;
}

void wire_send_message(struct wire *w, uint8_t slot, const struct wire_message *m,
		       const uint8_t *data, size_t len)
{
	struct burst *b = w->out[slot];
	uint8_t *at;

	if (!b || !burst_fits(b, sizeof(*m) + len) || sizeof(*m) + len > WIRE_MAX_FRAME)
		return; /* as in wire_send() */
	at = burst_add(b, sizeof(*m) + len, MESSAGE);
	memcpy(at, m, sizeof(*m));
	if (len)
		memcpy(at + sizeof(*m), data, len);
	mark(w, slot);
}

static void add_ethernet(struct wire *w, const struct crossing *c)
{
	uint8_t *at = burst_add(w->out[c->slot], sizeof(c->how) + c->len, ETHERNET);

	memcpy(at, &c->how, sizeof(c->how));
	memcpy(at + sizeof(c->how), c->frame, c->len);
	mark(w, c->slot);
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

	if (len < WIRE_MIN_ETHERNET || len > WIRE_MAX_ETHERNET)
		return true; /* no network carries it */
	if (!has_space(w, slot, sizeof(*how) + len))
		return false;
	if (crosses(w, &c))
		add_ethernet(w, &c);
	core_trace(&(struct core_trace){
		.kind = TRACE_WIRE_TX, .obj = slot, .in = frame, .in_len = len });
	return true;
}

void wire_capture(struct wire *w, const uint8_t *frame, size_t len)
{
	if (w->pcap_fd >= 0)
		pcap_frame(w, frame, len);
}

const struct wire_ethernet *wire_ethernet(const struct wire *w)
{
	return w->ethernet;
}

bool wire_is_message(const struct wire *w)
{
	return w->is_message;
}

/* Adds the one frame in @b to the burst for @slot. */
static void wait_there(struct wire *w, uint8_t slot, const struct burst *b)
{
	struct burst *out;

	if (!wire_has_space(w, slot))
		return;
	out = w->out[slot];
	memcpy(out->bytes + out->len, b->bytes, b->len);
	out->len += b->len;
	mark(w, slot);
}

/* Trace and capture show the copy for the own slot. */
uint16_t wire_send_all(struct wire *w, const struct wire_packet *p)
{
	struct burst *b = burst_new(w);
	uint16_t len = 0;

	if (wire_has_space(w, w->slot))
		len = wire_send(w, w->slot, p);
	if (!b)
		return len;
	len = wire_pack(p, b->bytes + PREFIX, w->pcap_fd >= 0);
	if (w->down || (w->faults && !fault_spares(w, b->bytes + PREFIX, len)))
		goto release;
	burst_add(b, len, 0);
	for (unsigned int slot = 1; slot < SLOTS; slot++)
		if (slot != w->slot && (w->is_dirty[slot] || !socket_send(w, slot, b)))
			wait_there(w, slot, b);
release:
	b->next = w->spare;
	w->spare = b;
	return len;
}

/* Frames that were held, and whose time has come; lost if there is no space. */
static void send_held(struct wire *w)
{
	const struct crossing *c;

	while ((c = fault_next(w, true))) {
		if (!has_space(w, c->slot, sizeof(c->how) + c->len))
			continue;
		if (c->is_ethernet) {
			add_ethernet(w, c);
			continue;
		}
		memcpy(burst_add(w->out[c->slot], c->len, 0), c->frame, c->len);
		mark(w, c->slot);
	}
}

bool wire_flush(struct wire *w)
{
	unsigned int waiting = 0;

	if (w->faults)
		send_held(w);
	for (unsigned int i = 0; i < w->ndirty; i++) {
		uint8_t slot = w->dirty[i];
		struct burst *b = w->out[slot];

		w->is_dirty[slot] = b && b->len && !burst_go(w, slot);
		if (w->is_dirty[slot])
			w->dirty[waiting++] = slot;
	}
	w->ndirty = waiting;
	return waiting || w->loop_len || fault_holds(w);
}

/* ---- receiving ---- */

static const uint8_t *next_own(struct wire *w, size_t *len)
{
	const uint8_t *frame;

	for (;;) {
		if (!w->own) {
			w->own = w->loop;
			if (!w->own)
				return NULL;
			w->loop = w->own->next;
			if (!w->loop)
				w->loop_end = &w->loop;
		}
		frame = burst_read(w, w->own, len);
		if (frame)
			return frame;
		w->loop_len--;
		w->own->next = w->spare;
		w->spare = w->own;
		w->own = NULL;
	}
}

static const uint8_t *next_received(struct wire *w, size_t *len)
{
	const uint8_t *frame;

	do {
		frame = burst_read(w, w->in, len);
		if (frame)
			return frame;
	} while (socket_receive(w, w->in));
	w->in->len = w->in->pos = 0;
	return NULL;
}

static void capture(struct wire *w, const uint8_t *frame, size_t len)
{
	if (w->ethernet)
		pcap_frame(w, frame, len);
	else
		pcap_roce(w, frame, len);
}

/* The next frame or message of own slot or socket. */
static const uint8_t *next_of_fabric(struct wire *w, size_t *len, uint8_t *from)
{
	const uint8_t *frame = NULL;

	/* Bursts of own slot and socket alternate, so that neither starves the other. */
	for (int tries = 0; tries < 2 && !frame; tries++) {
		if (w->own_next) {
			frame = next_own(w, len);
			*from = w->slot;
			w->own_next = frame && w->own->pos < w->own->len;
		} else {
			frame = next_received(w, len);
			*from = w->in->from;
			w->own_next = !frame || w->in->pos == w->in->len;
		}
	}
	return frame;
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
	w->is_message = false;
	w->ethernet = c->is_ethernet ? &c->how : NULL;
	*len = c->len;
	*from = c->slot;
	return c->frame;
}

const uint8_t *wire_next(struct wire *w, size_t *len, uint8_t *from)
{
	const uint8_t *frame = next_arrived(w, len, from);

	if (!frame || w->is_message)
		return frame;
	core_trace(&(struct core_trace){
		.kind = TRACE_WIRE_RX, .obj = *from, .in = frame, .in_len = *len });
	if (w->pcap_fd >= 0 && *from != w->slot)
		capture(w, frame, *len);
	return frame;
}
