/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters: what happened, counted where it happens and read by firmware commands.
 *
 *	engine --HCA_COUNT--> set of the QP   --QUERY_Q_COUNTER-->
 *	                 '--> all sets of the function (aggregate)
 *	engine, ucma ------> frames of the vport  --QUERY_VPORT_COUNTER-->
 *	           '-------> frames of the port (port_count.h)   --PPCNT-->
 *	event, fw ---------> overruns, refusals   --QUERY_VNIC_ENV-->
 *
 * A QP counts into the set that qpc.counter_set_id names; 0 is the set that is always there.
 * Field names are those of query_q_counter_out and vnic_diagnostic_statistics. The device lock
 * guards them all. Also here: flow counters, which count what a steering rule sends them.
 */
#ifndef EMU_HCA_COUNTER_H
#define EMU_HCA_COUNTER_H

#include <stdint.h>

#include "hca/congestion.h"
#include "hca/kind.h"
#include "hca/port_count.h"

struct hca;

/* What the two ends of connections noticed: 32 bits each, they go round. */
struct hca_q_counts {
	/* responder */
	uint32_t rx_write_requests, rx_read_requests, rx_atomic_requests, rx_dct_connect;
	uint32_t out_of_buffer, out_of_sequence, duplicate_request;
	uint32_t resp_local_length_error, resp_local_protection, resp_cqe_error;
	uint32_t resp_remote_invalid_request, resp_remote_access_errors, resp_cqe_flush_error;
	/* requester */
	uint32_t rnr_nak_retry_err, packet_seq_err, implied_nak_seq_err;
	uint32_t local_ack_timeout_err, req_rnr_retries_exceeded;
	uint32_t req_transport_retries_exceeded, req_local_protection, req_cqe_error;
	uint32_t req_local_length_error, local_operation_error, req_mw_binding;
	uint32_t req_bad_response, req_remote_invalid_request, req_remote_access_errors;
	uint32_t req_remote_operation_errors, req_cqe_flush_error;
	uint32_t cq_overflow;
};

struct hca_q_counter {
	HCA_OBJECT(id); /* counter_set_id: 8 bits; 0: the set that is never allocated */
	struct hca_q_counts n;
};

/* Counts event @f of QP @qp. */
#define HCA_COUNT(hca, qp, f)                 \
	do {                                  \
		(qp)->counter->n.f++;         \
		(hca)->counts.all_sets.n.f++; \
	} while (0)

struct hca_traffic {
	uint64_t packets, octets;
};

struct hca_flow_counter {
	HCA_OBJECT(id);		     /* of the first; a bulk has the numbers after it, too */
	struct hca_traffic *traffic; /* as many as numbers, owned */
};

struct hca_counts {
	struct hca_q_counter no_set;   /* set 0 */
	struct hca_q_counter all_sets; /* the sum: its id means nothing */
	uint64_t no_link;	       /* frames that were to be sent while there was none */
	uint32_t unplugged;	       /* how often the cable was */
	struct hca_traffic vport_rx[HCA_CASTS], vport_tx[HCA_CASTS]; /* since last cleared */
	struct hca_congestion_counts congestion;
	uint32_t cq_overrun; /* CQs that went to error */
	uint32_t invalid_command, quota_exceeded_command;
};

#endif
