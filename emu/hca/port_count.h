/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames at the port of an adapter, which PPCNT shows; part of hca.h.
 *
 *	vhcas[slot].port_counts   what the function in that slot counted   --.
 *	adapter->ended            what functions counted that were in the  --+--> hca_port_counts_sum()
 *	                          slots before those that are there now
 *
 * A function counts in its entry only, under its device lock; other functions read without a lock. When a process
 * takes a slot, what the one before it counted is added to the adapter of that one: a sum never becomes less.
 */
#ifndef EMU_HCA_PORT_COUNT_H
#define EMU_HCA_PORT_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hca;
struct hca_adapter;
struct hca_vhca;

/* The kinds that QUERY_VPORT_COUNTER counts: RoCE counts as InfiniBand, packets of raw queues do not (kernel
 * documentation, ethtool counters: rx_vport_rdma_unicast_packets, rx_vport_unicast_packets). */
enum hca_cast {
	HCA_IB_UNICAST,
	HCA_IB_MULTICAST,
	HCA_ETH_UNICAST,
	HCA_ETH_MULTICAST,
	HCA_ETH_BROADCAST,
	HCA_CASTS,
};

struct hca_port_direction {
	_Atomic uint64_t octets, frames[HCA_CASTS];
};

struct hca_port_counts {
	struct hca_port_direction rx, tx;
};

/* A frame of @len bytes was received, or is to be sent; @local: by this function from itself, or to itself. */
void hca_count_rx(struct hca *hca, enum hca_cast cast, bool local, size_t len);
void hca_count_tx(struct hca *hca, enum hca_cast cast, bool local, size_t len);

/* Of all functions of the adapter, those that have ended included. */
void hca_port_counts_sum(const struct hca *hca, struct hca_port_counts *sum);
uint64_t hca_port_frames(const struct hca_port_direction *d);

/* Moves what @v has counted to its adapter, one of @adapters; before another function has the entry. */
void hca_port_counts_keep(struct hca_adapter *adapters, struct hca_vhca *v);

#endif
