/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code that is counted: each function posts one batch of a job and rings, or polls, between
 * two marks. Nothing of a job is a constant here, and none of these is inlined.
 */
#ifndef TEST_COST_POSTS_H
#define TEST_COST_POSTS_H

#include "cost/rig.h"

enum api {
	API_POST_SEND,	    /* ibv_post_send(), the list filled before */
	API_FILL_POST_SEND, /* the list filled in the batch: what an application pays */
	API_WR,		    /* ibv_wr_* */
	API_CHECKED,	    /* dv: one call per operation */
	API_COMPOSED,	    /* dv: segment by segment */
	API_BATCH,	    /* dv: the same in a batch (batch.h) */
	API_BATCH_NEXT,	    /* dv: the same, with one check for space per batch */
	API_UNCHECKED,	    /* dv: the same by its internal calls, without a check */
	API_STAMPED,	    /* dv: a ring that was stamped before */
	APIS
};

extern const char *const api_name[APIS];

/* Whether @api posts @op. */
bool post_possible(enum api api, enum rig_op op);

/* Prepared by @api before a batch: a list, a stamped ring. Not counted. */
void post_prepare(enum api api, enum rig_op op, struct rig_queue *q, struct rig_job *job);

/* Posts job->n WQEs, the last one signalled, and rings. */
void post(enum api api, enum rig_op op, struct rig_queue *q, struct rig_job *job);

/* Takes @n CQEs, of which all are there. */
void poll_verbs(struct rig_queue *q, unsigned int n);
void poll_direct(struct rig_queue *q, unsigned int n);

#endif
