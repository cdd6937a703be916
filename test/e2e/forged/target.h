/* SPDX-License-Identifier: BSD-2-Clause */
/* The file by which target and forger know each other, mapped by both. */
#ifndef TEST_FORGED_TARGET_H
#define TEST_FORGED_TARGET_H

#include <stdint.h>

#define TARGET_QPS     8
#define TARGET_QKEY    0x11111111u
#define TARGET_RQ_PSN  0x00fffff0u /* so that it wraps */
#define TARGET_SQ_PSN  0x00ffff00u
#define TARGET_PEER_QP 0x000066u /* of the forger, + index */

/* Facts that a peer of the target would know. */
struct target {
	uint32_t ready;
	uint32_t qpn[TARGET_QPS];
	uint8_t type[TARGET_QPS]; /* enum ibv_qp_type */
	uint64_t open_va;	  /* remote write, read, atomics */
	uint32_t open_rkey, open_len;
	uint64_t closed_va; /* local write only */
	uint32_t closed_rkey;
	uint64_t read_only_va; /* remote read */
	uint32_t read_only_rkey;
	volatile uint64_t frames; /* arrived */
};

#endif
