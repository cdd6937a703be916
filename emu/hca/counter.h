/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters: what happened, counted where it happens and read by firmware commands.
 *
 *	engine --HCA_COUNT--> set of the QP   --QUERY_Q_COUNTER-->
 *	                 '--> all sets of the function (aggregate)
 *	engine, ucma ------> frames of the vport  --QUERY_VPORT_COUNTER-->
 *	           '-------> frames of the port   --PPCNT-->
 *	event, fw ---------> overruns, refusals   --QUERY_VNIC_ENV-->
 *
 * A QP counts into the set that qpc.counter_set_id names; 0 is the set that is always there.
 * Field names are those of query_q_counter_out and vnic_diagnostic_statistics. The device lock
 * guards them all. Set 0, all sets and frames are counted where other processes read them
 * (counted.h), so that they are those of the function, as its sysfs shows. Also here: flow
 * counters, which count what a steering rule sends them.
 */
#ifndef EMU_HCA_COUNTER_H
#define EMU_HCA_COUNTER_H

#include <stdint.h>

#include "hca/kind.h"
#include "hca/counted.h"

struct hca;

struct hca_q_counter {
	HCA_OBJECT(id);		/* counter_set_id: 8 bits; 0: the set that is never allocated */
	struct hca_q_counts *n; /* own, or that of set 0 (counted.h) */
	struct hca_q_counts own;
};

/* Counts event @f of QP @qp. */
#define HCA_COUNT(hca, qp, f)                               \
	do {                                                \
		hca_count_one(&(qp)->counter->n->f);        \
		hca_count_one(&(hca)->counted->all_sets.f); \
	} while (0)

struct hca_traffic {
	uint64_t packets, octets;
};

struct hca_flow_counter {
	HCA_OBJECT(id);		     /* of the first; a bulk has the numbers after it, too */
	struct hca_traffic *traffic; /* as many as numbers, owned */
};

struct hca_counts {
	struct hca_q_counter no_set; /* set 0 */
	uint64_t no_link;	     /* frames that were to be sent while there was none */
	uint32_t unplugged;	     /* how often the cable was */
	uint32_t cq_overrun;	     /* CQs that went to error */
	uint32_t invalid_command, quota_exceeded_command;
	uint64_t commands;
};

/* Refusal of the @nth command from now on; 0: of none. @opcode: of those with it; 0: of all. */
struct hca_refusal {
	unsigned int nth;
	uint16_t opcode;
	uint8_t status;
	uint32_t syndrome;
};

#endif
