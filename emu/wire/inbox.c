/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rings on which others send to this process, and its own; and when it may sleep.
 *
 *	in[]	| own | looked at, in turn … | parked … |
 *	          0                    nactive          nin
 *
 * A ring that was not used for a while is parked: it is not looked at, and its sender sends a
 * datagram when it uses it again. It also gives its memory back. So only those who send cost
 * something.
 */
#include <stdlib.h>

#include "wire/inside.h"

#define QUOTA	32	  /* frames of one ring, when others have some, too */
#define TIDY_NS 100000000 /* rings that were not used for so long, or twice that, are parked */

int inbox_open(struct wire *w)
{
	int err = ring_private(&w->own.ring);

	w->own.from = w->slot;
	w->in[0] = &w->own;
	w->nactive = w->nin = 1;
	w->look = true;
	return err;
}

static void swap(struct wire *w, unsigned int i, unsigned int j)
{
	struct wire_in *in = w->in[i];

	w->in[i] = w->in[j];
	w->in[j] = in;
}

static void park(struct wire *w, unsigned int i)
{
	swap(w, i, --w->nactive);
}

static void unpark(struct wire *w, unsigned int i)
{
	ring_set_reader(&w->in[i]->ring, w->asleep ? RING_ASLEEP : RING_AWAKE);
	swap(w, i, w->nactive++);
}

static void drop(struct wire *w, unsigned int i)
{
	struct wire_in *in = w->in[i];

	if (i < w->nactive) {
		park(w, i);
		i = w->nactive;
	}
	swap(w, i, --w->nin);
	atomic_store(&in->ring.memory->abandoned, 1);
	ring_unmap(&in->ring);
	free(in);
}

void inbox_look(struct wire *w)
{
	for (unsigned int i = w->nactive; i < w->nin; i++)
		if (ring_has_next(&w->in[i]->ring))
			unpark(w, i);
}

/* Another ring of @from is there: what is left in the old one is still read, but not in two old
 * ones. */
static void replace(struct wire *w, uint8_t from)
{
	inbox_look(w);
	for (unsigned int i = w->nin; --i > 0;) {
		struct wire_in *in = w->in[i];

		if (in->from != from)
			continue;
		if (in->old || !ring_has_next(&in->ring))
			drop(w, i);
		else
			in->old = true;
	}
}

void inbox_attach(struct wire *w, uint8_t from, int fd)
{
	struct wire_in *in = calloc(1, sizeof(*in));

	if (!in || ring_attach(&in->ring, fd)) {
		free(in);
		return;
	}
	replace(w, from);
	in->from = from;
	in->used = true;
	in->socket = atomic_load(&w->fabric.entries[from].socket);
	w->in[w->nin] = in;
	unpark(w, w->nin++);
}

void inbox_leave(struct wire *w)
{
	for (unsigned int i = 1; i < w->nin; i++) {
		struct ring_memory *m = w->in[i]->ring.memory;

		atomic_store(&m->abandoned, 1);
		if (atomic_exchange(&m->waiting, 0))
			socket_wake(w, w->in[i]->from);
	}
}

void inbox_close(struct wire *w)
{
	for (unsigned int i = 1; i < w->nin; i++) {
		ring_unmap(&w->in[i]->ring);
		free(w->in[i]);
	}
	ring_unmap(&w->own.ring);
	w->nactive = w->nin = 0;
}

/* ---- the next entry ---- */

static void next_ring(struct wire *w)
{
	w->at = w->at + 1 < w->nactive ? w->at + 1 : 0;
	w->quota = QUOTA;
}

static uint8_t *read_ring(struct wire *w, struct wire_in *in, size_t *len, uint32_t *flags)
{
	uint8_t *at = ring_next(&in->ring, len, flags);

	if (in->ring.freed) {
		in->ring.freed = false;
		socket_wake(w, in->from);
	}
	return at;
}

/* Has something arrived on the socket? */
static void look(struct wire *w)
{
	if (!w->look && !atomic_load_explicit(&w->fabric.mail[w->slot], memory_order_relaxed))
		return;
	w->look = false;
	atomic_exchange(&w->fabric.mail[w->slot], 0);
	socket_look(w);
	inbox_look(w);
}

uint8_t *inbox_next(struct wire *w, size_t *len, uint32_t *flags, uint8_t *from)
{
	if (!w->fabric.entries)
		return NULL; /* abandoned */
	look(w);
	/* Once more than there are rings: the first one may have had its turn, and be the only
	 * one with frames. */
	for (unsigned int n = w->nactive + 1; n; n--) {
		struct wire_in *in;
		uint8_t *at;

		if (w->at >= w->nactive || !w->quota)
			next_ring(w);
		in = w->in[w->at];
		at = read_ring(w, in, len, flags);
		if (at) {
			w->quota--;
			in->used = true;
			*from = in->from;
			return at;
		}
		if (in->ring.broken || in->old)
			drop(w, w->at);
		next_ring(w);
	}
	return NULL;
}

/* ---- sleeping ---- */

static bool is_dead(const struct wire *w, const struct wire_in *in)
{
	return ring_is_over(&in->ring) ||
	       in->socket != atomic_load(&w->fabric.entries[in->from].socket) ||
	       !wire_present(w, in->from);
}

/* Not used since the last time. */
static void tidy_in(struct wire *w, unsigned int i)
{
	struct wire_in *in = w->in[i];

	ring_set_reader(&in->ring, RING_PARKED);
	if (ring_has_next(&in->ring))
		ring_set_reader(&in->ring, RING_AWAKE);
	else if (is_dead(w, in))
		drop(w, i);
	else
		park(w, i);
}

static void tidy_out(struct wire_peer *p, struct ring *r)
{
	if (p->resident && !p->used)
		p->resident = !ring_discard(r);
	p->used = false;
}

static void tidy(struct wire *w)
{
	uint64_t now = core_now_ns();

	if (now - w->tidied_ns < TIDY_NS)
		return;
	w->tidied_ns = now;
	for (unsigned int i = w->nactive; --i > 0;) {
		if (!w->in[i]->used)
			tidy_in(w, i);
		else
			w->in[i]->used = false;
	}
	for (unsigned int slot = 1; slot <= w->top; slot++)
		tidy_out(&w->peers[slot],
			 slot == w->slot ? &w->own.ring : &w->peers[slot].ring);
}

static bool has_frames(const struct wire *w)
{
	if (w->look || atomic_load(&w->fabric.mail[w->slot]))
		return true;
	for (unsigned int i = 0; i < w->nactive; i++)
		if (ring_has_next(&w->in[i]->ring))
			return true;
	return false;
}

/* Has one of the full rings space, or no reader? Those that have not, wake this process when
 * they have. */
static bool has_new_space(struct wire *w)
{
	unsigned int waiting = 0;

	for (unsigned int i = 0; i < w->full.n; i++) {
		uint8_t slot = w->full.slot[i];
		struct ring *r = &w->peers[slot].ring;

		w->full.has[slot] = r->memory && !socket_is_dead(w, slot) && ring_wait(r);
		if (w->full.has[slot])
			w->full.slot[waiting++] = slot;
	}
	waiting = w->full.n - waiting;
	w->full.n -= waiting;
	return waiting;
}

static void set_readers(struct wire *w, enum ring_reader doing)
{
	for (unsigned int i = 0; i < w->nactive; i++)
		ring_set_reader(&w->in[i]->ring, doing);
}

bool wire_may_sleep(struct wire *w)
{
	if (!w->fabric.entries)
		return true;
	if (is_reading(w))
		return false;
	tidy(w);
	set_readers(w, RING_ASLEEP);
	w->asleep = !has_new_space(w) && !has_frames(w);
	if (!w->asleep)
		set_readers(w, RING_AWAKE);
	return w->asleep;
}

void wire_awake(struct wire *w)
{
	if (!w->asleep)
		return;
	w->asleep = false;
	w->look = true;
	set_readers(w, RING_AWAKE);
	for (unsigned int i = 0; i < w->full.n; i++) {
		struct ring *r = &w->peers[w->full.slot[i]].ring;

		if (r->memory)
			atomic_store(&r->memory->waiting, 0);
	}
}
