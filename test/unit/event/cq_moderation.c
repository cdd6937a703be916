/* SPDX-License-Identifier: BSD-2-Clause */
/* cq_max_count and cq_period: an event for several CQEs, or after a time. */

#include "queues.h"

#define LONG_US 4095

TestSuite(cq_moderation, .init = setup, .fini = teardown);

/* As if the last event were still to come: on a busy machine the longest period passes between
 * two lines. */
static void moderate(uint16_t count, uint16_t period)
{
	cq->max_count = count;
	cq->period = period;
	cq->event_at = core_now_ns() + 3600000000000;
}

static uint64_t after_us(uint64_t us)
{
	return cq->event_at + us * 1000;
}

Test(cq_moderation, raises_after_max_count_cqes)
{
	moderate(3, LONG_US);
	arm(0, PLAIN, 0);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	cr_assert_not(event_due(&hca, UINT64_MAX), "and not again by time");
	cr_assert_eq(irqs, 1);
}

Test(cq_moderation, raises_after_the_period)
{
	moderate(3, LONG_US);
	arm(0, PLAIN, 0);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert(event_due(&hca, after_us(LONG_US) - 1), "still held back");
	cr_assert_eq(irqs, 0);
	cr_assert_not(event_due(&hca, after_us(LONG_US)));
	cr_assert_eq(irqs, 1);
	cr_assert_not(cq->armed);
}

Test(cq_moderation, raises_the_first_after_a_pause_at_once)
{
	moderate(3, LONG_US);
	cq->event_at = 0;
	arm(0, PLAIN, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
}

/* cq_period_mode 1: each CQE begins the period again. */
Test(cq_moderation, period_may_count_from_the_last_cqe)
{
	uint64_t first;

	moderate(3, LONG_US);
	cq->event_at = 0;
	cq->from_cqe = true;
	arm(0, PLAIN, 0);
	put_cqe(SEND_CQE, PLAIN);
	first = cq->cqe_at;
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_geq(cq->cqe_at, first);
	cr_assert_eq(irqs, 0);
	cr_assert(event_due(&hca, cq->cqe_at + LONG_US * 1000 - 1));
	cr_assert_eq(irqs, 0);
	cr_assert_not(event_due(&hca, cq->cqe_at + LONG_US * 1000));
	cr_assert_eq(irqs, 1);
}

Test(cq_moderation, counts_cqes_from_before_the_arm)
{
	moderate(3, LONG_US);
	put_cqe(SEND_CQE, PLAIN);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(arm(0, PLAIN, 0), 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
}

Test(cq_moderation, needs_max_count_and_period)
{
	moderate(3, 0);
	arm(0, PLAIN, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	moderate(0, LONG_US);
	arm(1, PLAIN, 1);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 2);
}

Test(cq_moderation, ends_with_the_cq)
{
	moderate(3, LONG_US);
	arm(0, PLAIN, 0);
	put_cqe(SEND_CQE, PLAIN);
	hca_cq_free(&hca, cq);
	cr_assert_not(event_due(&hca, UINT64_MAX));
	cr_assert_eq(irqs, 0);
}
