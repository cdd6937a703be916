/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CQEs of one turn that wait to be written together, in a CQ that compresses; part of dev.h.
 *
 *	basic	   | title, format 3: n | mini 0 … 7 |  …  | mini 8 … 15 |	index +0, +1, +8
 *	enhanced   | the first, complete | mini 1 … 7 |  …  | mini 8 … 14 |	index +0, +1, +8
 *
 * n CQEs take n places in the ring; those that nothing is written into are software's. State only:
 * event builds and writes.
 */
#ifndef EMU_HCA_SESSION_H
#define EMU_HCA_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

#define HCA_SESSION_MAX 64 /* CQEs: cmd_hca_cap.cqe_compression_max_num */
#define HCA_MINI_SIZE	8

/* cqc.mini_cqe_res_format_ext << 2 | mini_cqe_res_format: DPDK, mlx5_prm.h, MLX5_CQE_RESP_FORMAT_* */
enum hca_mini_format {
	HCA_MINI_HASH = 0,
	HCA_MINI_CSUM = 1,
	HCA_MINI_FTAG_STRIDX = 2,
	HCA_MINI_CSUM_STRIDX = 3,
	HCA_MINI_L34H_STRIDX = 4,
};

struct hca_session {
	bool enhanced;	/* cqc.cqe_compression_layout */
	uint8_t format; /* enum hca_mini_format, of a responder's */
	uint32_t n;	/* CQEs that wait; 0: none */
	uint16_t last;	/* wqe_counter of the newest */
	uint8_t title[128];
	uint8_t mini[HCA_SESSION_MAX][HCA_MINI_SIZE];
	struct core_list on_dev; /* dev.sessions, while there are any */
	struct hca_cq *cq;
};

#endif
