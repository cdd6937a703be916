/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of a function that all functions of its adapter can read; part of hca.h.
 *
 *	vhcas[slot].counted    what the process in that slot counted       --.
 *	adapter->ended[role]   what processes counted that were in the     --+--> hca_function_counted(), less
 *	                       slots before those that are there now            adapter->cleared[role]
 *	                                                                    '--> hca_port_counted(): of all roles
 *
 * Processes of one adapter and role share a function, with one vport; the functions of an
 * adapter share its port. A process counts in its own entry only, under its device lock; others
 * read without a lock. When a process takes a slot, the counts of the slot's previous process
 * are added to its adapter: a sum never becomes less.
 *
 * Several processes may get a copy of one received frame; only one of them counts it.
 */
#ifndef EMU_HCA_COUNTED_H
#define EMU_HCA_COUNTED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hca/congestion.h"

struct hca;
struct hca_adapter;
struct hca_vhca;

/* The kinds that QUERY_VPORT_COUNTER counts: RoCE counts as InfiniBand, packets of raw queues
 * do not (kernel documentation, ethtool counters: rx_vport_rdma_unicast_packets,
 * rx_vport_unicast_packets). */
enum hca_cast {
	HCA_IB_UNICAST,
	HCA_IB_MULTICAST,
	HCA_ETH_UNICAST,
	HCA_ETH_MULTICAST,
	HCA_ETH_BROADCAST,
	HCA_CASTS,
};

#define HCA_PRIOS 8
/* Classes of lengths, those of RFC 2819 and longer ones: hca_frame_size(). */
#define HCA_FRAME_SIZES 10

/* At the port: octets with FCS. */
struct hca_port_direction {
	_Atomic uint64_t octets, frames[HCA_CASTS];
	struct {
		_Atomic uint64_t octets, frames;
	} of_prio[HCA_PRIOS];
	_Atomic uint64_t of_size[HCA_FRAME_SIZES];
};

/* At the vport: without. */
struct hca_vport_direction {
	struct {
		_Atomic uint64_t packets, octets;
	} of[HCA_CASTS];
};

/* Events of requesters and responders: the commands show 32 bits of each. */
struct hca_q_counts {
	/* responder */
	_Atomic uint64_t rx_write_requests, rx_read_requests, rx_atomic_requests,
		rx_dct_connect;
	_Atomic uint64_t out_of_buffer, out_of_sequence, duplicate_request;
	_Atomic uint64_t resp_local_length_error, resp_local_protection, resp_cqe_error;
	_Atomic uint64_t resp_remote_invalid_request, resp_remote_access_errors;
	_Atomic uint64_t resp_cqe_flush_error;
	/* requester */
	_Atomic uint64_t rnr_nak_retry_err, packet_seq_err, implied_nak_seq_err;
	_Atomic uint64_t local_ack_timeout_err, req_rnr_retries_exceeded;
	_Atomic uint64_t req_transport_retries_exceeded, req_local_protection, req_cqe_error;
	_Atomic uint64_t req_local_length_error, local_operation_error, req_mw_binding;
	_Atomic uint64_t req_bad_response, req_remote_invalid_request, req_remote_access_errors;
	_Atomic uint64_t req_remote_operation_errors, req_cqe_flush_error;
	_Atomic uint64_t cq_overflow;
};

/* Words of 8 bytes, and nothing else: hca_counted.c adds them up as such. */
struct hca_counted {
	struct hca_port_counts {
		struct hca_port_direction rx, tx;
		_Atomic uint64_t too_long; /* dropped: longer than the MTU of the port */
	} port;
	struct hca_vport_counts {
		struct hca_vport_direction rx, tx;
	} vport;
	struct hca_q_counts no_set;   /* of the Q counter that is never allocated */
	struct hca_q_counts all_sets; /* the sum of all */
	struct hca_congestion_counts congestion;
};

/* Counts one. There is one writer, so it is not an atomic addition. */
static inline void hca_count_one(_Atomic uint64_t *n)
{
	atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* @n frames of @len bytes each and priority 0 were received, or are to be sent; @local: by this
 * process from itself, or to itself. */
void hca_count_rx(struct hca *hca, enum hca_cast cast, bool local, unsigned int n, size_t len);
void hca_count_tx(struct hca *hca, enum hca_cast cast, bool local, unsigned int n, size_t len);
/* One that is to be sent, of any priority. */
void hca_count_tx_prio(struct hca *hca, enum hca_cast cast, uint8_t prio, bool local,
		       size_t len);

/* A frame that was received, and of which other processes may have copies. */
struct hca_arrival {
	enum hca_cast cast;
	bool local;   /* sent by this vport: not at the port */
	uint8_t from; /* slot of the sender, whose own copy was not at the port either */
	size_t len;
	uint8_t prio;
	/* Has the process of @v a copy? */
	bool (*has)(const struct hca_vhca *v, const struct hca_arrival *a);
	const uint8_t *what; /* for has */
};

/* At the vport, and at the port, the process in the lowest slot counts it. */
void hca_count_arrival(struct hca *hca, const struct hca_arrival *a);

/* Sums over all processes of this function since its counters were cleared, and over all
 * functions of the adapter; processes that have ended are included. */
void hca_function_counted(const struct hca *hca, struct hca_counted *sum);
void hca_port_counted(const struct hca *hca, struct hca_counted *sum);
/* The first, of the function of role @role of adapter @id, by someone who is not on the
 * fabric. */
void hca_table_counted(struct hca_vhca *vhcas, struct hca_adapter *adapters, uint32_t id,
		       unsigned int role, struct hca_counted *sum);
/* Clears the @len bytes at @at of struct hca_counted for this function: hca_function_counted()
 * begins again. */
void hca_counted_clear(const struct hca *hca, size_t at, size_t len);
#define HCA_CLEAR(hca, member)                                       \
	hca_counted_clear(hca, offsetof(struct hca_counted, member), \
			  sizeof(((struct hca_counted *)0)->member))

uint64_t hca_port_frames(const struct hca_port_direction *d);

/* The class of a frame of @len bytes with FCS. */
unsigned int hca_frame_size(size_t len);

/* Moves what @v has counted to its adapter, one of @adapters; before another process has the
 * entry. */
void hca_counted_keep(struct hca_adapter *adapters, struct hca_vhca *v);

/* From now on @hca counts in @at. */
void hca_count_in(struct hca *hca, struct hca_counted *at);

#endif
