/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that polls a CQ of several lanes counts CQEs for each lane; each lane takes its
 * own. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lane/lane.h"
#include "unit/dvperf/said.h"

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

/* ---- by ibv_poll_cq() ---- */

static struct ibv_wc wcs[4];
static unsigned int n_wcs;

static int poll_cq(struct ibv_cq *ibcq, int most, struct ibv_wc *wc)
{
	unsigned int n = n_wcs < (unsigned int)most ? n_wcs : (unsigned int)most;

	(void)ibcq;
	memcpy(wc, wcs, n * sizeof(*wc));
	return (int)n;
}

static void hand_over_by_verbs(unsigned int most)
{
	static struct ibv_context ctx = { .ops = { .poll_cq = poll_cq } };
	static struct ibv_cq ibcq = { .context = &ctx };

	cq->direct = false;
	cq->ibcq = &ibcq;
	lane_cq_hand_over(cq, most);
}

/* They have no wqe_counter; threads of several lanes count at the same time. */
Test(shared_cq, by_verbs)
{
	for (unsigned int many = 0; many < 2; many++) {
		wcs[0].qp_num = wcs[1].qp_num = QPN_B;
		wcs[2].qp_num = QPN_A;
		n_wcs = 3;
		cq->many = many;
		hand_over_by_verbs(2);
		takes(&b->cqs.sent, 2, 0);
		takes(&a->cqs.sent, 0, 0);
		hand_over_by_verbs(16);
		takes(&a->cqs.sent, 1, 0);
		takes(&b->cqs.sent, 2, 0);
	}
	n_wcs = 0;
	hand_over_by_verbs(16);
	takes(&b->cqs.sent, 0, 0);
}

static void hand_over_an_error(const void *of)
{
	static struct ibv_qp qp = { .qp_num = 0x123 };

	(void)of;
	b->verbs.qp = &qp;
	wcs[0] = (struct ibv_wc){ .qp_num = QPN_A };
	wcs[1] = (struct ibv_wc){ .qp_num = QPN_B,
				  .status = IBV_WC_RETRY_EXC_ERR,
				  .vendor_err = 0x81 };
	n_wcs = 2;
	hand_over_by_verbs(16);
}

Test(shared_cq, an_error_is_of_its_lane)
{
	said_only(1, "QP 0x123 failed: transport retry counter exceeded (0x81)",
		  hand_over_an_error, NULL);
}
