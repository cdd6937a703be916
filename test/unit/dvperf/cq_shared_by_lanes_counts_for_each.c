/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that polls a CQ of several lanes counts CQEs for each lane; each lane takes its
 * own. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "lane/lane.h"

enum { CQES = 16, PLACES = 4, QPN_A = 0x11, QPN_B = 0x15, QPN_C = 0x16 };

static struct mlx5_cqe64 ring[CQES] __attribute__((aligned(64)));
static __be32 record[2];
static struct lane *a, *b, *c;
static struct lane_cq *cq;

static struct lane *new_lane(void)
{
	struct lane *l = aligned_alloc(64, sizeof(*l));

	memset(l, 0, sizeof(*l));
	return l;
}

/* QPs 0x11 and 0x15 want the same of four places. */
static void start(void)
{
	struct mlx5dv_cq dv = { .buf = ring, .dbrec = record, .cqe_cnt = CQES, .cqe_size = 64 };
	static struct lane_of_qp lanes[PLACES];

	a = new_lane();
	b = new_lane();
	c = new_lane();
	lanes[1] = (struct lane_of_qp){ QPN_A, a };
	lanes[2] = (struct lane_of_qp){ QPN_B, b };
	lanes[3] = (struct lane_of_qp){ QPN_C, c };
	cq = aligned_alloc(64, sizeof(*cq));
	memset(cq, 0, sizeof(*cq));
	dv_cq_blank(ring, CQES, 64);
	cr_assert_eq(dv_cq_init(&cq->here, &dv), 0);
	cq->ring = &cq->here;
	cq->direct = true;
	cq->lanes = lanes;
	cq->mask = PLACES - 1;
	cr_assert_eq(pthread_spin_init(&cq->lock, 0), 0);
}

static void stop(void)
{
	free(cq);
	free(a);
	free(b);
	free(c);
}

TestSuite(shared_cq, .init = start, .fini = stop);

/* The device's CQE in place @i of the first pass. */
static void completed(unsigned int i, uint32_t qpn, uint16_t counter)
{
	ring[i].sop_drop_qpn = htobe32(qpn);
	ring[i].wqe_counter = htobe16(counter);
	ring[i].op_own = MLX5_CQE_REQ << 4;
}

static void takes(struct arrivals *of, unsigned int n, uint16_t last)
{
	uint16_t latest;

	cr_assert_eq(lane_cq_taken(of, &latest), n);
	cr_assert_eq(latest, last);
}

Test(shared_cq, by_number)
{
	completed(0, QPN_B, 5);
	completed(1, QPN_A, 0xfffe);
	completed(2, QPN_B, 6);
	completed(3, QPN_C, 1);
	completed(4, QPN_B, 9);
	lane_cq_hand_over(cq, 16);
	takes(&a->cqs.sent, 1, 0xfffe);
	takes(&b->cqs.sent, 3, 9);
	takes(&c->cqs.sent, 1, 1);
	takes(&b->cqs.sent, 0, 9);
	takes(&b->cqs.received, 0, 0);
	cr_assert_eq(be32toh(record[0]), 5, "all five are released");
}

Test(shared_cq, no_more_than_asked_for)
{
	completed(0, QPN_A, 1);
	completed(1, QPN_A, 2);
	completed(2, QPN_C, 3);
	lane_cq_hand_over(cq, 2);
	takes(&a->cqs.sent, 2, 2);
	takes(&c->cqs.sent, 0, 0);
	lane_cq_hand_over(cq, 2);
	takes(&c->cqs.sent, 1, 3);
}

Test(shared_cq, what_waits_adds_up)
{
	completed(0, QPN_A, 1);
	lane_cq_hand_over(cq, 16);
	completed(1, QPN_A, 2);
	lane_cq_hand_over(cq, 16);
	takes(&a->cqs.sent, 2, 2);
}

Test(shared_cq, of_receives)
{
	cq->receives = true;
	cq->many = true;
	completed(0, QPN_C, 7);
	lane_cq_hand_over(cq, 16);
	takes(&c->cqs.received, 1, 7);
	takes(&c->cqs.sent, 0, 0);
}

Test(shared_cq, cqe_of_an_unknown_qp_ends_the_program, .exit_code = 1)
{
	completed(0, 0x99, 7);
	lane_cq_hand_over(cq, 16);
}
