/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects that only say how others are to be treated.
 *
 *	root TSAR <- TSAR <- queue group <- QP, SQ	who sends when, and how much at most
 *	rate limit table[index] <- SQ			how fast
 *	general object of a type			key, definer, ASO, counters …
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

struct hca_general {
	HCA_OBJECT(id); /* the first of n numbers */
	uint16_t type;
	struct hca_pd *pd; /* NULL: none */
	uint8_t obj[HCA_GENERAL_SIZE];
};

#endif
