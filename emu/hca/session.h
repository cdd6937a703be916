/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CQEs of one iteration of the engine that wait to be written together, in a CQ that
 * compresses; part of hca.h.
 *
 *	basic	   | title, format 3: n | mini 0 … 7 |  …  | mini 8 … 15 |	index +0, +1, +8
 *	enhanced   | the first, complete | mini 1 … 7 |  …  | mini 8 … 14 |	index +0, +1, +8
 *
 * n CQEs take n places in the ring; those that nothing is written into are software's. State
 * only: event builds and writes.
 */
#ifndef EMU_HCA_SESSION_H
#define EMU_HCA_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

#define HCA_SESSION_MAX 64 /* CQEs: cmd_hca_cap.cqe_compression_max_num */
#define HCA_MINI_SIZE	8

struct hca_session {
	bool enhanced;	/* cqc.cqe_compression_layout */
	uint8_t format; /* PRM_CQC_MINI_CQE_*, of a responder's */
	uint32_t n;	/* CQEs that wait; 0: none */
	uint16_t next;	/* wqe_counter that follows the newest */
	uint8_t title[128];
	uint8_t mini[HCA_SESSION_MAX][HCA_MINI_SIZE];
	struct core_list on_dev; /* hca.sessions, while there are any */
	struct hca_cq *cq;
};

#endif
