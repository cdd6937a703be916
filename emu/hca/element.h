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

struct hca;
struct hca_pd;

#define HCA_SCHED_CONTEXT_SIZE 0x40
#define HCA_RATE_LIMIT_SIZE    0x30
#define HCA_RATES	       128 /* entries, of which 0 means unlimited */
#define HCA_GENERAL_SIZE       0x200

struct hca_sched {
	uint32_t id;
	uint16_t uid;
	uint32_t refs;		  /* its children; QPs, SQs */
	struct hca_sched *parent; /* NULL: a root */
	uint8_t ctx[HCA_SCHED_CONTEXT_SIZE];
};

struct hca_rate {
	uint16_t uid;
	uint32_t refs; /* SQs */
	bool used;
	uint8_t ctx[HCA_RATE_LIMIT_SIZE];
};

struct hca_general {
	uint32_t id, n; /* the first of n numbers */
	bool qpns;	/* which are those of QPs */
	uint16_t uid, type;
	struct hca_pd *pd; /* NULL: none */
	uint8_t obj[HCA_GENERAL_SIZE];
};

struct hca_sched *hca_sched_new(struct hca *hca);
void hca_sched_free(struct hca *hca, struct hca_sched *s);
/* With @n numbers, if @qpns of QPs. */
struct hca_general *hca_general_new(struct hca *hca, uint32_t n, bool qpns);
void hca_general_free(struct hca *hca, struct hca_general *g);

#endif
