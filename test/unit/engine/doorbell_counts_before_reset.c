/* SPDX-License-Identifier: BSD-2-Clause */
/* WQEs whose doorbell was rung before a command are sent, though the register was not polled
 * yet. */
#include "rig.h"

static void setup(void)
{
	far_pair_open();
	be_service(&a, &b, RIG_UC);
}

TestSuite(catch_up, .init = setup, .fini = rig_close);

static void post_sends(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		post(&b, "recv 64");
		post(&a, "send 16");
	}
	ring(&a);
}

Test(catch_up, what_was_posted_is_sent)
{
	engine_resume(near.e);
	hca_lock(&near.hca);
	post_sends(10);
	engine_catch_up(near.e, a.qp);
	cr_expect_eq(a.qp->req.next, 10);
	hca_unlock(&near.hca);
	engine_pause(near.e);
	settle();
	for (int i = 0; i < 10; i++)
		expect_cqe(&b, "received wqe=%d", i);
}

Test(catch_up, paused_engine_does_nothing)
{
	post_sends(1);
	hca_lock(&near.hca);
	engine_catch_up(near.e, a.qp);
	hca_unlock(&near.hca);
	cr_expect_eq(a.qp->req.next, 0);
	settle();
	expect_cqe(&b, "received");
}

/* The QP goes to RTS next. */
Test(catch_up, what_was_rung_for_in_rtr_is_lost)
{
	engine_resume(near.e);
	hca_lock(&near.hca);
	a.qp->state = PRM_QPC_STATE_RTR;
	post_sends(1);
	engine_catch_up(near.e, a.qp);
	a.qp->state = PRM_QPC_STATE_RTS;
	hca_unlock(&near.hca);
	engine_pause(near.e);
	settle();
	expect_none(&b);
	post_sends(1);
	settle();
	expect_cqe(&b, "received wqe=0");
	expect_cqe(&b, "received wqe=1");
}
