/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that only say how others are to be treated.
 *
 *	root TSAR <- TSAR <- queue group <- QP, SQ	who sends when, and how much at most
 *	rate limit table[index] <- SQ			how fast
 *	general object of a type			key, definer, ASO, counters …
 *	modify header context				what a steering rule changes in a packet
 *
 * State only: nothing sends slower for being in a queue group.
 */
#ifndef EMU_HCA_ELEMENT_H
#define EMU_HCA_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "hca/kind.h"

struct hca_pd;

#define HCA_SCHED_CONTEXT_SIZE 0x40
#define HCA_RATE_LIMIT_SIZE    0x30
#define HCA_RATES	       128 /* entries, of which 0 means unlimited */
#define HCA_GENERAL_SIZE       0x200
#define HCA_HEADER_ACTIONS     16 /* of one modify header context */
#define HCA_HEADER_ACTION_SIZE 8

struct hca_sched {
	HCA_OBJECT(id);
	struct hca_sched *parent; /* NULL: a root */
	uint8_t ctx[HCA_SCHED_CONTEXT_SIZE];
};

struct hca_rate {
	HCA_OBJECT(id); /* of no table */
	bool used;
	uint8_t ctx[HCA_RATE_LIMIT_SIZE];
};

struct hca_flow_table;

struct hca_general {
	HCA_OBJECT(id); /* the first of n numbers */
	uint16_t type;
	struct hca_pd *pd; /* NULL: none */
	uint8_t obj[HCA_GENERAL_SIZE];
	struct {
		uint64_t addr, size; /* size: a power of two */
		uint8_t *bytes;	     /* owned */
	} memory;		     /* of the types SW_ICM, MODIFY_HEADER_ARG (addr: 0) */
	struct {
		struct hca_flow_table *sample,
			*then; /* every nth packet goes to the first, too */
		uint32_t nth, seen;
	} sampler; /* of SAMPLER */
};

struct hca_modify_header {
	HCA_OBJECT(id);
	uint8_t table_type; /* PRM_FT_TYPE_*, of the tables whose rules may name it */
	uint8_t cnt;
	uint8_t actions[HCA_HEADER_ACTIONS][HCA_HEADER_ACTION_SIZE]; /* set, add or copy */
};

#endif
