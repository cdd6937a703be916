/* SPDX-License-Identifier: BSD-2-Clause */
/* Arming by dv: one event for an arm, at once if something waits, for solicited ones only if
 * asked so; and the CQEs of one QP go, as they must when it is destroyed. */
#include <poll.h>

#include "fixture.h"

TestSuite(events, .init = fixture_start, .fini = fixture_stop);

/* Whether an event of @e comes within @ms; then it is taken. */
static bool event_of(struct end *e, int ms)
{
	struct pollfd p = { .fd = f.channel->fd, .events = POLLIN };
	struct ibv_cq *ibcq;
	void *context;

	if (poll(&p, 1, ms) != 1)
		return false;
	cr_assert_eq(ibv_get_cq_event(f.channel, &ibcq, &context), 0);
	cr_assert_eq(ibcq, e->ibcq);
	ibv_ack_cq_events(ibcq, 1);
	dv_cq_event(&e->cq);
	return true;
}

static bool woken(struct end *e)
{
	return event_of(e, 10000);
}

static bool sleeps_on(struct end *e)
{
	return !event_of(e, 50);
}

static void send_one(uint8_t flags)
{
	struct ibv_sge sge = src_sge(0, 64);

	receive(&f.b, dst_sge(0, 64));
	cr_assert_eq(dv_sq_send(&f.a.sq, SIGNALLED | flags, &sge, 1), 0);
	ring(&f.a);
}

Test(events, one_arm_is_one_event)
{
	dv_cq_arm(&f.b.cq, false);
	cr_assert(sleeps_on(&f.b));
	send_one(0);
	cr_assert(woken(&f.b));
	send_one(0);
	cr_assert(sleeps_on(&f.b), "not armed");
	success(&f.b, MLX5_CQE_RESP_SEND);
	success(&f.b, MLX5_CQE_RESP_SEND);
	dv_cq_arm(&f.b.cq, false);
	send_one(0);
	cr_assert(woken(&f.b));
	success(&f.b, MLX5_CQE_RESP_SEND);
}

Test(events, cqe_before_the_arm_is_an_event_at_once)
{
	send_one(0);
	dv_cq_arm(&f.b.cq, false);
	cr_assert(woken(&f.b));
	success(&f.b, MLX5_CQE_RESP_SEND);
}

/* The CQE stays in the CQ. */
Test(events, cqe_that_had_its_event_is_not_another)
{
	dv_cq_arm(&f.b.cq, false);
	send_one(0);
	cr_assert(woken(&f.b));
	dv_cq_arm(&f.b.cq, false);
	cr_assert(sleeps_on(&f.b));
	send_one(0);
	cr_assert(woken(&f.b), "the next one is");
	success(&f.b, MLX5_CQE_RESP_SEND);
	success(&f.b, MLX5_CQE_RESP_SEND);
}

Test(events, solicited_only_sleeps_through_the_others)
{
	dv_cq_arm(&f.b.cq, true);
	send_one(0);
	cr_assert(sleeps_on(&f.b));
	send_one(MLX5_WQE_CTRL_SOLICITED);
	cr_assert(woken(&f.b));
	success(&f.b, MLX5_CQE_RESP_SEND);
	success(&f.b, MLX5_CQE_RESP_SEND);
}

Test(events, solicited_arm_looks_at_the_last_solicited_cqe)
{
	send_one(0);
	dv_cq_arm(&f.b.cq, true);
	cr_assert(sleeps_on(&f.b), "what waits was not solicited");
	success(&f.b, MLX5_CQE_RESP_SEND);
	send_one(MLX5_WQE_CTRL_SOLICITED);
	cr_assert(woken(&f.b));
	success(&f.b, MLX5_CQE_RESP_SEND);
	send_one(MLX5_WQE_CTRL_SOLICITED);
	dv_cq_arm(&f.b.cq, true);
	cr_assert(woken(&f.b));
	success(&f.b, MLX5_CQE_RESP_SEND);
}

/* libmlx5 does not show how many events it has read. */
Test(events, a_cq_that_verbs_armed_is_not_mapped)
{
	struct ibv_cq *cq = ibv_create_cq(f.ctx, 16, NULL, f.channel, 0);
	struct dv_cq mapped;

	cr_assert_not_null(cq);
	cr_assert_eq(ibv_req_notify_cq(cq, 1), 0);
	cr_assert_eq(dv_cq_map(&mapped, cq), EBUSY);
	cr_assert_eq(ibv_destroy_cq(cq), 0);
}

/* ibv_destroy_cq() returns only if the device's count of events is ours: fixture_stop() does it
 * after an event that was never read. */
Test(events, unread_events_vanish_with_their_cq)
{
	dv_cq_arm(&f.b.cq, false);
	send_one(0);
	success(&f.b, MLX5_CQE_RESP_SEND);
}

Test(events, cqes_of_one_qp_are_taken_out)
{
	uint32_t qpn = f.b.qp->qp_num;

	for (int i = 0; i < 3; i++)
		send_one(0);
	cr_assert_eq(dv_cq_clean(&f.b.cq, qpn + 1), 0);
	cr_assert_eq(dv_cq_clean(&f.b.cq, qpn), 3);
	cr_assert_null(dv_cq_poll(&f.b.cq));
	send_one(0);
	success(&f.b, MLX5_CQE_RESP_SEND);
}
