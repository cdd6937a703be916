/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting, and adding up what the processes of a function, and the functions of an adapter,
 * have counted. */
#include <string.h>

#include "hca/hca.h"

#define FCS 4
#define TRIES \
	1000 /* of a reader while entries change; a process that was killed then leaves them so */

_Static_assert(sizeof(_Atomic uint64_t) == 8 && sizeof(struct hca_counted) % 8 == 0, "words");
#define WORDS (sizeof(struct hca_counted) / sizeof(uint64_t))

typedef _Atomic uint64_t word;

static uint64_t load(const word *n)
{
	return atomic_load_explicit(n, memory_order_relaxed);
}

static void add(word *n, uint64_t v)
{
	atomic_store_explicit(n, load(n) + v, memory_order_relaxed);
}

static void at_vport(struct hca_vport_direction *d, enum hca_cast cast, unsigned int n,
		     size_t len)
{
	add(&d->of[cast].packets, n);
	add(&d->of[cast].octets, n * len);
}

unsigned int hca_frame_size(size_t len)
{
	static const size_t longest[HCA_FRAME_SIZES - 1] = { 64,   127,	 255,  511, 1023,
							     1518, 2047, 4095, 8191 };
	unsigned int i = 0;

	while (i < HCA_FRAME_SIZES - 1 && len > longest[i])
		i++;
	return i;
}

static void at_port(struct hca_port_direction *d, enum hca_cast cast, uint8_t prio,
		    unsigned int n, size_t len)
{
	add(&d->frames[cast], n);
	add(&d->octets, n * (len + FCS));
	add(&d->of_prio[prio].frames, n);
	add(&d->of_prio[prio].octets, n * (len + FCS));
	add(&d->of_size[hca_frame_size(len + FCS)], n);
}

/* assumed(loopback_counts_at_the_vport_only): a frame from a process to itself counts at its
 * vport, both ways, and not at the port. */
void hca_count_rx(struct hca *hca, enum hca_cast cast, bool local, unsigned int n, size_t len)
{
	at_vport(&hca->counted->vport.rx, cast, n, len);
	if (!local)
		at_port(&hca->counted->port.rx, cast, 0, n, len);
}

static uint64_t mac_of(const struct hca_vhca *v)
{
	return atomic_load(&v->port) & HCA_PORT_MAC;
}

/* Does a process in a lower slot count it, which is of the same vport if @vport, else of the
 * same adapter? */
static bool other_counts(const struct hca *hca, const struct hca_arrival *a, bool vport)
{
	const struct hca_vhca *all = hca->vhcas;

	for (unsigned int slot = 1; all && slot < hca->slot; slot++) {
		const struct hca_vhca *v = &all[slot];
		bool same = vport ? mac_of(v) == mac_of(&all[hca->slot]) : slot != a->from;

		if (same && hca_of_adapter(hca, v) && a->has(v, a) && hca->present &&
		    hca->present(hca, (uint8_t)slot))
			return true;
	}
	return false;
}

void hca_count_arrival(struct hca *hca, const struct hca_arrival *a)
{
	if (!other_counts(hca, a, true))
		at_vport(&hca->counted->vport.rx, a->cast, 1, a->len);
	if (!a->local && !other_counts(hca, a, false))
		at_port(&hca->counted->port.rx, a->cast, a->prio, 1, a->len);
}

/* assumed(without_a_link_frames_are_discarded_at_the_vport): a frame that a queue sends while
 * the port has no link counts as transmit_discard_vport_down, and nowhere else. */
static void count_tx(struct hca *hca, enum hca_cast cast, uint8_t prio, bool local,
		     unsigned int n, size_t len)
{
	if (hca->port.down) {
		hca->counts.no_link += n;
		return;
	}
	at_vport(&hca->counted->vport.tx, cast, n, len);
	if (!local)
		at_port(&hca->counted->port.tx, cast, prio, n, len);
}

void hca_count_tx(struct hca *hca, enum hca_cast cast, bool local, unsigned int n, size_t len)
{
	count_tx(hca, cast, 0, local, n, len);
}

void hca_count_tx_prio(struct hca *hca, enum hca_cast cast, uint8_t prio, bool local,
		       size_t len)
{
	count_tx(hca, cast, prio, local, 1, len);
}

uint64_t hca_port_frames(const struct hca_port_direction *d)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < HCA_CASTS; i++)
		n += load(&d->frames[i]);
	return n;
}

/* ---- sums ---- */

static void add_all(struct hca_counted *to, const struct hca_counted *from)
{
	for (size_t i = 0; i < WORDS; i++)
		atomic_fetch_add((word *)to + i, load((const word *)from + i));
}

static void add_slots(struct hca_counted *sum, struct hca_vhca *vhcas, uint32_t id,
		      unsigned int role)
{
	for (unsigned int slot = 1; slot < HCA_VHCAS; slot++)
		if (atomic_load(&vhcas[slot].adapter) == id &&
		    atomic_load(&vhcas[slot].role) == role)
			add_all(sum, &vhcas[slot].counted);
}

/* With what was cleared. */
static void add_up(struct hca_vhca *vhcas, const struct hca_adapter *a, unsigned int role,
		   struct hca_counted *sum)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		uint32_t done = atomic_load(&a->ended_done);

		memset(sum, 0, sizeof(*sum));
		add_all(sum, &a->ended[role]);
		add_slots(sum, vhcas, atomic_load(&a->id), role);
		if (atomic_load(&a->ended_begun) == done)
			break;
	}
}

/* The same for an adapter that is in no table. */
static void add_function(const struct hca *hca, unsigned int role, struct hca_counted *sum)
{
	if (hca->adapter != &hca->own_adapter) {
		add_up(hca->vhcas, hca->adapter, role, sum);
		return;
	}
	memset(sum, 0, sizeof(*sum));
	if (role == hca->role)
		add_all(sum, hca->counted);
}

static void subtract(struct hca_counted *from, const struct hca_counted *cleared)
{
	for (size_t i = 0; i < WORDS; i++)
		atomic_fetch_sub((word *)from + i, load((const word *)cleared + i));
}

void hca_function_counted(const struct hca *hca, struct hca_counted *sum)
{
	add_function(hca, hca->role, sum);
	subtract(sum, &hca->adapter->cleared[hca->role]);
}

void hca_port_counted(const struct hca *hca, struct hca_counted *sum)
{
	struct hca_counted one;

	memset(sum, 0, sizeof(*sum));
	for (unsigned int role = 0; role < HCA_ROLES; role++) {
		add_function(hca, role, &one);
		add_all(sum, &one);
	}
}

void hca_table_counted(struct hca_vhca *vhcas, struct hca_adapter *adapters, uint32_t id,
		       unsigned int role, struct hca_counted *sum)
{
	const struct hca_adapter *a = hca_adapter_find(adapters, id);

	memset(sum, 0, sizeof(*sum));
	if (!a)
		return;
	add_up(vhcas, a, role, sum);
	subtract(sum, &a->cleared[role]);
}

void hca_counted_clear(const struct hca *hca, size_t at, size_t len)
{
	struct hca_counted *cleared = &hca->adapter->cleared[hca->role], sum;

	add_function(hca, hca->role, &sum);
	for (size_t i = at / sizeof(word); i < (at + len) / sizeof(word); i++)
		atomic_store((word *)cleared + i, load((const word *)&sum + i));
}

/* ---- entries ---- */

void hca_counted_keep(struct hca_adapter *adapters, struct hca_vhca *v)
{
	struct hca_adapter *a = hca_adapter_find(adapters, atomic_load(&v->adapter));
	unsigned int role = atomic_load(&v->role);

	if (!a || role >= HCA_ROLES)
		return;
	atomic_fetch_add(&a->ended_begun, 1);
	add_all(&a->ended[role], &v->counted);
	for (size_t i = 0; i < WORDS; i++)
		atomic_store((word *)&v->counted + i, 0);
	atomic_fetch_add(&a->ended_done, 1);
}

void hca_count_in(struct hca *hca, struct hca_counted *at)
{
	hca->counted = at;
	hca->counts.no_set.n = &at->no_set;
}
