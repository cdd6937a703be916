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
#ifndef EMU_DEV_ELEMENT_H
#define EMU_DEV_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

struct dev;
struct dev_pd;

#define DEV_SCHED_CONTEXT_SIZE 0x40
#define DEV_RATE_LIMIT_SIZE    0x30
#define DEV_RATES	       128 /* entries, of which 0 means unlimited */
#define DEV_GENERAL_SIZE       0x200

struct dev_sched {
	uint32_t id;
	uint16_t uid;
	uint32_t refs;		  /* its children; QPs, SQs */
	struct dev_sched *parent; /* NULL: a root */
	uint8_t ctx[DEV_SCHED_CONTEXT_SIZE];
};

struct dev_rate {
	uint16_t uid;
	uint32_t refs; /* SQs */
	bool used;
	uint8_t ctx[DEV_RATE_LIMIT_SIZE];
};

struct dev_general {
	uint32_t id, n; /* the first of n numbers */
	bool qpns;	/* which are those of QPs */
	uint16_t uid, type;
	struct dev_pd *pd; /* NULL: none */
	uint8_t obj[DEV_GENERAL_SIZE];
};

struct dev_sched *dev_sched_new(struct dev *d);
void dev_sched_free(struct dev *d, struct dev_sched *s);
/* With @n numbers, if @qpns of QPs. */
struct dev_general *dev_general_new(struct dev *d, uint32_t n, bool qpns);
void dev_general_free(struct dev *d, struct dev_general *g);

#endif
