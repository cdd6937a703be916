/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CQs that are more than a ring of one lane: shared by lanes, compressed, or with events.
 *
 *	--cq=qp        a lane polls its CQ and accounts for it itself (post_*.c)
 *	--cq=thread,   the thread that polls hands each CQE to its lane, found by the QP number;
 *	--cq=all       the thread of that lane accounts for it in its next iteration
 *
 *	     CQ --poll--> | QP 12 | QP 17 | … --> lane: came 7, last 0x1234
 *
 * A CQ that several threads poll has a lock with direct; libmlx5 has its own. The order of
 * events with -e: arm, poll once more, sleep; cq.h of dv says why.
 */
#ifndef DVPERF_LANE_CQ_H
#define DVPERF_LANE_CQ_H

#include <pthread.h>

#include <dv/map.h>
#include <dv/mini.h>

#include "machine/machine.h"

struct lane;
struct lane_place;

/* CQEs of a lane on a shared CQ: counted by the thread that polls, taken by the lane's
 * thread. */
struct arrivals {
	uint32_t came, taken;
	uint16_t last; /* wqe_counter of the latest */
};

struct lane_of_qp {
	uint32_t qpn; /* 0: free */
	struct lane *lane;
};

struct lane_cq {
	struct dv_cq here;   /* of direct, as is the next: the ring, if it is not in a lane */
	struct dv_mini mini; /* the ring, if it is compressed */
	struct dv_cq *ring;  /* which of them is polled */
	struct ibv_cq *ibcq;
	struct ibv_comp_channel *channel; /* NULL: no thread sleeps */
	struct lane_of_qp *lanes;	  /* NULL: it is one lane's */
	uint32_t mask;			  /* of the places in lanes */
	pthread_spinlock_t lock;
	bool many; /* threads poll it */
	bool compressed, direct, receives, armed;
	enum dv_mini_format format;
};

/* The CQs of a lane: its own, or those of @place, which its first lane makes. Refuses where
 * --cq-size is too small or the device cannot create such a CQ. */
void lane_cqs_get(struct lane *l, const struct device *dev, const struct lane_place *place);
/* After the QP was created. */
void lane_cqs_take_over(struct lane *l);
/* After the QP was destroyed; shared CQs stay. */
void lane_cqs_put(struct lane *l);
void lane_cq_close(struct lane_cq *cq);

/* Polls up to @most CQEs of a shared CQ and hands them to their lanes. */
void lane_cq_hand_over(struct lane_cq *cq, unsigned int most);

/* How many came for the lane since the last time; *@last: the wqe_counter of the latest. */
unsigned int lane_cq_taken(struct arrivals *a, uint16_t *last);

/* The next CQE of one that dv polls; released by dv_cq_release(cq->ring). */
static inline const struct mlx5_cqe64 *lane_cq_next(struct lane_cq *cq)
{
	return cq->compressed ? dv_mini_poll(&cq->mini) : dv_cq_poll(cq->ring);
}

/* -e. True: it was not armed yet, and has to be polled once more before a thread sleeps. */
bool lane_cq_arm(struct lane_cq *cq);

/* Sleeps until an event comes on one of @n channels, @ns have passed or a signal came. */
void lane_cq_sleep(struct ibv_comp_channel *const *channels, unsigned int n, uint64_t ns);

/* For -e: a channel that does not block. */
struct ibv_comp_channel *lane_channel_open(const struct device *dev);

/* A lane whose CQ is shared, compressed or collapsed gets its own poster, l->own_poster. */
void lane_poll_specially(struct lane *l);

#endif
