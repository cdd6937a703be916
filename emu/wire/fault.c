/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of the link. Each frame is compared with each fault, in the order in which they were
 * given; the first that it has is the only one.
 *
 *	wire_send --> no fault, or corrupt --> ring
 *	        '--> late, or a copy --> held ---------^   fault_next()
 *
 * and the same for frames that arrive. Each fault has its generator, so one does not change
 * which frames another takes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/inside.h"

#define OVERTAKEN_MAX 3	      /* later frames that may arrive before a reordered one */
#define REORDER_NS    1000000 /* and how long it waits for them */
#define ICRC_LEN      4
#define ETHERTYPE_V4  0x0800
#define ETHERTYPE_V6  0x86dd
#define ECN_CE	      3
#define HELD_MAX      4096 /* then frames are lost, as in a full queue */

struct held {
	struct core_list list;
	struct crossing c;
	uint64_t due; /* ns */
	unsigned int
		overtaken; /* by so many frames of its slot; then it is due, too. 0: by time only */
	uint8_t bytes[];
};

struct direction {
	struct core_list held;
	struct held *last; /* returned by fault_next() */
};

struct faults {
	struct options_fault fault[OPTIONS_FAULTS]; /* the seed is the state of the generator */
	unsigned int n, nheld;
	struct direction direction[2]; /* arriving, sent */
	struct wire_fault_counts counts;
};

int wire_faults(struct wire *w, const struct options_fault *faults, unsigned int n)
{
	struct faults *f = w->faults;

	if (!f && !n)
		return 0;
	if (!f) {
		f = calloc(1, sizeof(*f));
		if (!f)
			return ENOMEM;
		core_list_init(&f->direction[0].held);
		core_list_init(&f->direction[1].held);
		w->faults = f;
	}
	memcpy(f->fault, faults, n * sizeof(*faults));
	f->n = n;
	/* Two processes with the same options do not lose the same frames. */
	for (unsigned int i = 0; i < n; i++)
		f->fault[i].seed ^= (uint64_t)w->slot << 32;
	return 0;
}

struct wire_fault_counts wire_fault_counts(const struct wire *w)
{
	static const struct wire_fault_counts none;

	return w->faults ? w->faults->counts : none;
}

static void free_held(struct faults *f, struct held *h)
{
	core_list_del(&h->list);
	free(h);
	f->nheld--;
}

void fault_close(struct wire *w)
{
	struct core_list *pos, *tmp;

	if (!w->faults)
		return;
	for (int i = 0; i < 2; i++) {
		core_list_for_each(pos, tmp, &w->faults->direction[i].held)
			free_held(w->faults, core_container(pos, struct held, list));
		free(w->faults->direction[i].last);
	}
	free(w->faults);
	w->faults = NULL;
}

/* ---- which fault a frame has ---- */

/* The bit of options_fault.operations. */
static unsigned int operation(uint8_t opcode)
{
	return opcode == WIRE_CNP ? OPTIONS_CNP : opcode & WIRE_OPERATION_MASK;
}

/* The ECN bits of an IP packet, in place: bits @shift and above of the byte; NULL: none is
 * there. */
static uint8_t *ecn_of(const struct crossing *c, unsigned int *shift)
{
	uint8_t *ip = c->frame + WIRE_MIN_ETHERNET;
	uint16_t type = c->frame[12] << 8 | c->frame[13];

	*shift = type == ETHERTYPE_V4 ? 0 : 4;
	if (type == ETHERTYPE_V4 && c->len >= WIRE_MIN_ETHERNET + 20)
		return ip + 1;
	return type == ETHERTYPE_V6 && c->len >= WIRE_MIN_ETHERNET + 40 ? ip + 1 : NULL;
}

/* RFC 3168: a router marks what is ECT(0), ECT(1), or marked. */
static bool is_markable(const struct crossing *c)
{
	unsigned int shift;
	const uint8_t *ecn = ecn_of(c, &shift);

	return ecn && *ecn >> shift & ECN_CE;
}

/* Are there frames to the same process in front of @c? */
static bool is_queued(const struct wire *w, const struct crossing *c)
{
	return c->slot == w->slot ? ring_has_next(&w->own.ring) : wire_unread(w, c->slot);
}

static bool is_for(const struct wire *w, const struct options_fault *f,
		   const struct crossing *c)
{
	struct wire_packet p;

	if (!(c->tx ? f->tx : f->rx) || (f->kind == OPTIONS_ECN && !is_markable(c)) ||
	    (f->queue && !is_queued(w, c)))
		return false;
	if (c->is_ethernet)
		return f->ethernet;
	/* Most faults are for all operations. */
	if (f->operations == UINT32_MAX)
		return true;
	return wire_unpack(&p, c->frame, c->len) && f->operations >> operation(p.opcode) & 1;
}

static struct options_fault *fault_of(struct wire *w, const struct crossing *c)
{
	struct faults *f = w->faults;

	for (unsigned int i = 0; i < f->n; i++) {
		struct options_fault *fault = &f->fault[i];

		if (is_for(w, fault, c) && (core_random(&fault->seed) >> 32) < fault->chance)
			return fault;
	}
	return NULL;
}

/* ---- what it does ---- */

/* Keeps a copy of @c until @due, or until @overtaken frames have passed. */
static void hold(struct faults *f, const struct crossing *c, uint64_t due,
		 unsigned int overtaken)
{
	struct held *h = f->nheld < HELD_MAX ? malloc(sizeof(*h) + c->len) : NULL;

	if (!h)
		return;
	*h = (struct held){ .c = *c, .due = due, .overtaken = overtaken };
	h->c.frame = h->bytes;
	memcpy(h->bytes, c->frame, c->len);
	core_list_add(&f->direction[c->tx].held, &h->list);
	f->nheld++;
}

/* A frame of @c's slot passes those that are to be overtaken. */
static void overtake(struct faults *f, const struct crossing *c)
{
	struct core_list *pos, *tmp;

	core_list_for_each(pos, tmp, &f->direction[c->tx].held) {
		struct held *h = core_container(pos, struct held, list);

		if (h->c.slot == c->slot && h->overtaken && !--h->overtaken)
			h->due = 0;
	}
}

bool wire_is_corrupt(const uint8_t *frame, size_t len, uint8_t from)
{
	uint32_t icrc;

	if (len < ICRC_LEN)
		return false;
	memcpy(&icrc, frame + len - ICRC_LEN, ICRC_LEN);
	return (icrc || from == WIRE_NETWORK) && icrc != wire_icrc(frame, len);
}

/* Inverts a bit after the Ethernet header. The ICRC remains that of the sender, and is not 0,
 * which is that of a frame without one. */
static bool corrupt(struct options_fault *fault, struct crossing *c)
{
	struct wire_packet p;
	uint32_t bit, icrc;

	if (c->is_ethernet || !wire_unpack(&p, c->frame, c->len))
		return false;
	memcpy(&icrc, c->frame + c->len - ICRC_LEN, ICRC_LEN);
	if (!icrc)
		icrc = wire_icrc(c->frame, c->len);
	memcpy(c->frame + c->len - ICRC_LEN, &icrc, ICRC_LEN);
	bit = core_random(&fault->seed) % ((c->len - WIRE_MIN_ETHERNET) * 8);
	c->frame[WIRE_MIN_ETHERNET + bit / 8] ^= 1u << bit % 8;
	memcpy(&icrc, c->frame + c->len - ICRC_LEN, ICRC_LEN);
	return icrc;
}

/* Neither ICRC nor UDP checksum covers the mark; the IPv4 header's checksum does (RFC 1624,
 * equation 3). */
static void mark_ce(struct crossing *c)
{
	unsigned int shift;
	uint8_t *ecn = ecn_of(c, &shift), *sum = c->frame + WIRE_MIN_ETHERNET + 10;
	uint32_t old = ecn[-1] << 8 | ecn[0], now = old | ECN_CE << shift, check;

	ecn[0] |= ECN_CE << shift;
	if (shift)
		return;
	check = (uint16_t) ~(sum[0] << 8 | sum[1]) + (uint16_t)~old + now;
	check = (check & 0xffff) + (check >> 16);
	check = ~((check & 0xffff) + (check >> 16));
	sum[0] = check >> 8;
	sum[1] = check;
}

static bool happens(struct faults *f, struct options_fault *fault, struct crossing *c)
{
	switch (fault->kind) {
	case OPTIONS_DUP:
		hold(f, c, 0, 0);
		return true;
	case OPTIONS_REORDER:
		hold(f, c, core_now_ns() + REORDER_NS,
		     1 + core_random(&fault->seed) % OVERTAKEN_MAX);
		return false;
	case OPTIONS_DELAY:
		hold(f, c, core_now_ns() + fault->delay_us * 1000ull, 0);
		return false;
	case OPTIONS_CORRUPT:
		return corrupt(fault, c);
	case OPTIONS_ECN:
		mark_ce(c);
		return true;
	default:
		return false;
	}
}

bool fault_act(struct wire *w, struct crossing *c)
{
	struct faults *f = w->faults;
	struct options_fault *fault = fault_of(w, c);

	overtake(f, c);
	if (!fault)
		return true;
	f->counts.frames[fault->kind]++;
	return happens(f, fault, c);
}

bool fault_spares(struct wire *w, uint8_t *frame, size_t len)
{
	struct crossing c = { .tx = true, .slot = w->slot, .frame = frame, .len = len };
	struct options_fault *fault = fault_of(w, &c);

	if (!fault || fault->kind != OPTIONS_DROP)
		return true;
	w->faults->counts.frames[OPTIONS_DROP]++;
	return false;
}

const struct crossing *fault_next(struct wire *w, bool tx)
{
	struct direction *d = &w->faults->direction[tx];
	uint64_t now = core_list_empty(&d->held) ? 0 : core_now_ns();
	struct core_list *pos, *tmp;

	free(d->last);
	d->last = NULL;
	core_list_for_each(pos, tmp, &d->held) {
		struct held *h = core_container(pos, struct held, list);

		if (h->due > now)
			continue;
		core_list_del(&h->list);
		w->faults->nheld--;
		d->last = h;
		return &h->c;
	}
	return NULL;
}

bool fault_holds(const struct wire *w)
{
	return w->faults && w->faults->nheld;
}
