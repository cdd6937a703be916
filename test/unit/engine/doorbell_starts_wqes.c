/* SPDX-License-Identifier: BSD-2-Clause */
/* Doorbells: the register triggers, the record has the producer index. */
#include <endian.h>
#include <string.h>

#include "rig.h"

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	memset(h.buf, 0x5a, 64);
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(doorbell, .init = setup, .fini = teardown);

static const struct wr write_64 = {
	.opcode = 0x08, .fm_ce_se = SIGNALED, .len = 64, .remote = 0x1000
};

Test(doorbell, record_alone_starts_nothing)
{
	post_wr(&a, &write_64);
	cr_expect_not(engine_step(h.e));
	expect_none(&a);
	cr_expect_eq(h.buf[0x1000], 0);
	ring(&a);
	settle(&h, 1);
	cr_expect_not_null(next_cqe(&a));
	cr_expect_eq(h.buf[0x1000], 0x5a);
}

Test(doorbell, ring_without_a_record_starts_nothing)
{
	post_wr(&a, &write_64);
	a.rec[1] = 0;
	ring(&a);
	settle(&h, 1);
	expect_none(&a);
	cr_expect_eq(counters_of(&h).doorbells, 1);
	cr_expect_eq(counters_of(&h).empty_rings, 1);
	cr_expect_eq(counters_of(&h).wqes, 0);
	cr_expect_eq(*(uint64_t *)(h.uar->page + 0x800), 0);
}

Test(doorbell, every_half_of_every_register_rings)
{
	static const uint16_t at[] = { 0x800, 0x900, 0xa00, 0xb00 };

	for (int i = 0; i < 4; i++) {
		uint64_t value = htobe64((uint64_t)a.qp->qpn << 8 | 3);

		post_wr(&a, &write_64);
		memcpy(h.uar->page + at[i], &value, sizeof(value));
		settle(&h, 1);
		cr_expect_not_null(next_cqe(&a), "0x%x", at[i]);
	}
}

Test(doorbell, one_ring_serves_all_queues_of_the_page)
{
	post_wr(&a, &write_64);
	post_wr(&b, &(struct wr){ .opcode = 0x08, .len = 64, .remote = 0x2000 });
	ring(&b);
	settle(&h, 1);
	cr_expect_not_null(next_cqe(&a));
	cr_expect_eq(h.buf[0x2000], 0x5a);
	cr_expect_eq(counters_of(&h).doorbells, 1);
	cr_expect_eq(counters_of(&h).shared_rings, 1);
	cr_expect_eq(counters_of(&h).wqes, 2);
}

Test(doorbell, record_too_far_ahead_is_an_overrun)
{
	a.rec[1] = htobe32(RIG_SQ + 1);
	ring(&a);
	settle(&h, 1);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(counters_of(&h).wqes, 0);
}

Test(doorbell, ring_is_filled_and_wraps_many_times)
{
	/* Three units of data: 3 blocks of 64 do not divide 64, so WQEs wrap at the end. */
	uint8_t wqe[10 * 16] = { 0 };

	for (int n = 0; n < 1000; n++) {
		memset(wqe, 0, sizeof(wqe));
		wqe[1] = a.pi >> 8;
		wqe[2] = (uint8_t)a.pi;
		wqe[3] = 0x08;
		memcpy(wqe + 4, (uint8_t[]){ 0x01, 0x00, 0x01, 10 }, 4);
		wqe[11] = SIGNALED;
		memcpy(wqe + 20, (uint8_t[]){ 0xa0, 0, 0x10, 0, 0x01, 0x00, 0x01, 0x42 }, 8);
		memcpy(wqe + 32, (uint8_t[]){ 0x80, 0, 0, 124 }, 4);
		memset(wqe + 36, n, 124);
		post(&a, wqe, 10);
		ring(&a);
		settle(&h, 1);
		cr_assert_not_null(next_cqe(&a), "WQE %d", n);
		cr_assert_eq(h.buf[0x1000], (uint8_t)n);
		cr_assert_eq(h.buf[0x1000 + 123], (uint8_t)n);
	}
	cr_expect_eq(counters_of(&h).wqes, 1000);
}

Test(doorbell, arm_raises_an_event_for_an_unpolled_cqe)
{
	struct hca_eq *eq = hca_eq_new(&h.hca);
	uint64_t value = htobe64(a.cq->cqn);
	uint8_t eqe[64];

	eq->log_size = 4;
	eq->ring.log_page = 12;
	eq->ring.pas = calloc(1, sizeof(uint64_t));
	eq->ring.npas = 1;
	eq->ring.pas[0] = (uintptr_t)h.buf + 0x100000;
	a.cq->eq = eq;
	post_wr(&a, &write_64);
	ring(&a);
	settle(&h, 1);
	cr_expect_not(event_eq_next(eq, eqe));
	memcpy(h.uar->page + 0x20, &value, sizeof(value));
	cr_expect(engine_step(h.e));
	cr_assert(event_eq_next(eq, eqe));
	cr_expect_eq(eqe[1], PRM_EVENT_COMP);
}

Test(doorbell, doorbell_before_rts_is_ignored)
{
	a.qp->state = PRM_QPC_STATE_RTR;
	post_wr(&a, &write_64);
	ring(&a);
	settle(&h, 1);
	a.qp->state = PRM_QPC_STATE_RTS;
	engine_kick(&h.hca, a.qp);
	settle(&h, 1);
	expect_none(&a);
	ring(&a);
	settle(&h, 1);
	cr_expect_not_null(next_cqe(&a));
	cr_expect_eq(h.buf[0x1000], 0x5a);
}

/* A queue that was reset: its ring is empty, and its record is the one of before until
 * something is posted. */
Test(doorbell, another_queue_does_not_start_what_is_not_there)
{
	a.rec[1] = htobe32(37);
	post_wr(&b, &write_64);
	ring(&b);
	settle(&h, 1);
	cr_expect_not_null(next_cqe(&b));
	expect_none(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(a.qp->req.pi, 0);

	/* Beyond its ring, too. */
	a.rec[1] = htobe32(RIG_SQ + 1);
	ring(&b);
	settle(&h, 1);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);

	post_wr(&a, &write_64);
	ring(&a);
	settle(&h, 1);
	cr_expect_not_null(next_cqe(&a));
	expect_none(&a);
}

/* The ring of an earlier WQE at the same place. */
Test(doorbell, another_queue_does_not_start_a_wqe_of_another_index)
{
	post_wr(&a, &write_64);
	ring(&a);
	settle(&h, 1);
	cr_expect_not_null(next_cqe(&a));
	a.rec[1] = htobe32(3);
	ring(&b);
	settle(&h, 1);
	expect_none(&a);
	ring(&a);
	settle(&h, 1);
	expect_error(&a, 13, 0x02, 1);
}
