/* SPDX-License-Identifier: BSD-2-Clause */
/* CQEs that are waiting when the CQ is armed: the event is raised at once if none was raised
 * for them, and only for the kind that the arm asks for. */
#include "queues.h"

TestSuite(cq_arm, .init = setup, .fini = teardown);

/* The usual order of software: read the event, arm, then poll. The CQE of the event is still
 * there when it arms. */
Test(cq_arm, before_polling_raises_no_second_event)
{
	arm(0, PLAIN, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	cr_assert_eq(arm(1, PLAIN, 0), 1, "that CQE had its event");
	consume(1);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 2, "armed for the next one");
}

/* Another CQE was written between the event and the arm: no event was raised for it. */
Test(cq_arm, raises_an_event_for_cqes_after_the_last_event)
{
	arm(0, PLAIN, 0);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	cr_assert_eq(arm(1, PLAIN, 0), 2);
}

Test(cq_arm, raises_no_event_for_polled_cqes)
{
	put_cqe(SEND_CQE, PLAIN);
	put_cqe(SEND_CQE, PLAIN);
	consume(2);
	cr_assert_eq(arm(0, PLAIN, 2), 0);
}

Test(cq_arm, word_that_did_not_change_does_not_arm)
{
	arm(0, PLAIN, 0);
	put_cqe(SEND_CQE, PLAIN);
	arm(0, PLAIN, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
}

/* The event was raised and software did not increment sn: the arm is not taken. */
Test(cq_arm, with_the_sn_of_the_last_event_does_nothing)
{
	uint8_t eqe[64];

	for (uint32_t i = 0; i < 6; i++) { /* 2 bits: beyond their wrap */
		arm(i & 3, PLAIN, i);
		cr_assert_eq(after_cqe(SEND_CQE, PLAIN), (int)i + 1);
		cr_assert(event_eq_next(eq, eqe));
		consume(i + 1);
		cr_assert_not(event_cq_arm(&hca, cq, (i & 3) << 28 | (i + 1)));
		cr_assert_not(event_cq_arm(&hca, cq, (i & 3) << 28 | 1u << 24 | (i + 1)));
		cr_assert_not(cq->armed);
	}
	cr_assert_eq(after_cqe(SEND_CQE, SOLICITED), 6);
}

/* ibv_req_notify_cq() twice without an event between: both have the same sn. */
Test(cq_arm, with_the_same_sn_before_the_event_counts_with_its_index)
{
	arm(3, PLAIN, 0);
	arm(3, PLAIN, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	consume(1);
	arm(0, SOLICITED, 1);
	put_cqe(SEND_CQE, PLAIN);
	consume(2);
	arm(0, SOLICITED, 2);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	consume(3);
	cr_assert_eq(arm(0, PLAIN, 2), 2, "for all, with an index that leaves one unreported");
}

Test(cq_arm, for_solicited_does_not_replace_one_for_all)
{
	arm(0, PLAIN, 0);
	arm(0, SOLICITED, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
	consume(1);
	arm(1, SOLICITED, 1);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1,
		     "the event ended what was asked for before");
}

Test(cq_arm, of_the_other_kind_replaces_the_first)
{
	arm(0, SOLICITED, 0);
	arm(0, PLAIN, 0);
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 1);
}

Test(cq_arm, solicited_only_ignores_other_cqes)
{
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(arm(0, SOLICITED, 0), 0, "it waits, but was not solicited");
	cr_assert_eq(after_cqe(SEND_CQE, PLAIN), 0);
	cr_assert_eq(after_cqe(SEND_CQE, SOLICITED), 1);
}

Test(cq_arm, solicited_only_finds_one_among_others)
{
	put_cqe(SEND_CQE, SOLICITED);
	put_cqe(SEND_CQE, PLAIN);
	cr_assert_eq(arm(0, SOLICITED, 0), 1);
	cr_assert_eq(arm(1, SOLICITED, 0), 1, "one event");
}

Test(cq_arm, solicited_only_ignores_a_polled_cqe)
{
	put_cqe(SEND_CQE, SOLICITED);
	put_cqe(SEND_CQE, PLAIN);
	consume(1);
	cr_assert_eq(arm(0, SOLICITED, 1), 0);
}

Test(cq_arm, solicited_only_finds_an_error)
{
	put_cqe(RESP_ERR_CQE, PLAIN);
	cr_assert_eq(arm(0, SOLICITED, 0), 1);
}

/* The index has 24 bits, the producer counts on. */
Test(cq_arm, works_across_the_wrap_of_the_index)
{
	cq->pi = cq->notified = 0xffffff;
	consume(0xffffff);
	arm(0, PLAIN, 0xffffff);
	cr_assert_eq(after_cqe(SEND_CQE, SOLICITED), 1);
	put_cqe(SEND_CQE, SOLICITED);
	cr_assert_eq(arm(1, SOLICITED, 0xffffff), 2);
	consume(1);
	cr_assert_eq(arm(2, SOLICITED, 1), 2);
}
