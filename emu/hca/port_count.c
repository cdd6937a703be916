/* SPDX-License-Identifier: BSD-2-Clause */
/* Counting frames, and adding up what the functions of an adapter have counted. */
#include "hca/hca.h"

#define TRIES \
	1000 /* of a reader while entries change; a process that was killed then leaves them so */

static uint64_t load(const _Atomic uint64_t *n)
{
	return atomic_load_explicit(n, memory_order_relaxed);
}

/* There is one writer, so no atomic addition. */
static void count(struct hca_port_direction *d, enum hca_cast cast, size_t len)
{
	atomic_store_explicit(&d->octets, load(&d->octets) + len, memory_order_relaxed);
	atomic_store_explicit(&d->frames[cast], load(&d->frames[cast]) + 1,
			      memory_order_relaxed);
}

static void add(struct hca_traffic *t, size_t len)
{
	t->packets++;
	t->octets += len;
}

/* assumed(loopback_counts_at_the_vport_only): a frame from a function to itself counts at its
 * vport, both ways, and not at the port. */
void hca_count_rx(struct hca *hca, enum hca_cast cast, bool local, size_t len)
{
	add(&hca->counts.vport_rx[cast], len);
	if (!local)
		count(&hca->port_counts->rx, cast, len);
}

/* assumed(without_a_link_frames_are_discarded_at_the_vport): a frame that a queue sends while the port has no link
 * counts as transmit_discard_vport_down, and nowhere else. */
void hca_count_tx(struct hca *hca, enum hca_cast cast, bool local, size_t len)
{
	if (hca->port.down) {
		hca->counts.no_link++;
		return;
	}
	add(&hca->counts.vport_tx[cast], len);
	if (!local)
		count(&hca->port_counts->tx, cast, len);
}

static void add_direction(struct hca_port_direction *to, const struct hca_port_direction *from)
{
	atomic_fetch_add(&to->octets, load(&from->octets));
	for (unsigned int i = 0; i < HCA_CASTS; i++)
		atomic_fetch_add(&to->frames[i], load(&from->frames[i]));
}

static void clear_direction(struct hca_port_direction *d)
{
	atomic_store(&d->octets, 0);
	for (unsigned int i = 0; i < HCA_CASTS; i++)
		atomic_store(&d->frames[i], 0);
}

static void add_counts(struct hca_port_counts *to, const struct hca_port_counts *from)
{
	add_direction(&to->rx, &from->rx);
	add_direction(&to->tx, &from->tx);
}

void hca_port_counts_sum(const struct hca *hca, struct hca_port_counts *sum)
{
	const struct hca_adapter *a = hca->adapter;

	for (unsigned int i = 0; i < TRIES; i++) {
		uint32_t done = atomic_load(&a->ended_done);

		*sum = (struct hca_port_counts){ 0 };
		add_counts(sum, &a->ended);
		if (a == &hca->own_adapter)
			add_counts(sum, hca->port_counts);
		for (unsigned int slot = 1; a != &hca->own_adapter && slot < HCA_VHCAS; slot++)
			if (atomic_load(&hca->vhcas[slot].adapter) == atomic_load(&a->id))
				add_counts(sum, &hca->vhcas[slot].port_counts);
		if (atomic_load(&a->ended_begun) == done)
			break;
	}
}

uint64_t hca_port_frames(const struct hca_port_direction *d)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < HCA_CASTS; i++)
		n += load(&d->frames[i]);
	return n;
}

void hca_port_counts_keep(struct hca_adapter *adapters, struct hca_vhca *v)
{
	struct hca_adapter *a = hca_adapter_find(adapters, atomic_load(&v->adapter));

	if (!a)
		return;
	atomic_fetch_add(&a->ended_begun, 1);
	add_counts(&a->ended, &v->port_counts);
	clear_direction(&v->port_counts.rx);
	clear_direction(&v->port_counts.tx);
	atomic_fetch_add(&a->ended_done, 1);
}
