/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface of producer.c, which has no libc, and its host. */
#ifndef TEST_E2E_MANY_PRODUCER_H
#define TEST_E2E_MANY_PRODUCER_H

struct job {
	uint64_t counter;	      /* FETCH_ADDs of all go here */
	uint64_t results, source, to; /* of producer n: + 64 * n */
	uint32_t key;
	uint32_t count; /* turns of each producer */
	uint64_t tries; /* looks at a queue that stopped, before an error */
	uint32_t how, when;
	bool waits; /* for each turn, before the next */
	bool mixed; /* in turn a FETCH_ADD, a WRITE, and 64 bytes inline, which are two blocks */
};

/* Returns 0, or an errno value; dv_many.error has more. */
int producer(struct dv_many *q, const struct job *job, unsigned int number);

#endif
