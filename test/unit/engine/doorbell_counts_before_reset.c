/* SPDX-License-Identifier: BSD-2-Clause */
/* WQEs whose doorbell was rung before a command are sent, though the register was not polled
 * yet. */
#include "rig.h"

static struct host h[2];
static struct side a, b;

static void setup(void)
{
	far_pair_open(h, &a, &b, 1024, 0x100);
	be_service(&a, &b, RIG_UC);
}

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(catch_up, .init = setup, .fini = teardown);

static void post_sends(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		post_recv(&b, RIG_VA, 64, RIG_FAR_KEY);
		post_wr(&a, &(struct wr){ .opcode = 0x0a, .len = 16 });
	}
	ring(&a);
}

Test(catch_up, what_was_posted_is_sent)
{
	engine_resume(h[0].e);
	hca_lock(&h[0].hca);
	post_sends(10);
	engine_catch_up(h[0].e, a.qp);
	cr_expect_eq(a.qp->req.next, 10);
	hca_unlock(&h[0].hca);
	engine_pause(h[0].e);
	settle(h, 2);
	for (int i = 0; i < 10; i++)
		cr_assert_not_null(next_cqe(&b), "message %d", i);
}

Test(catch_up, paused_engine_does_nothing)
{
	post_sends(1);
	hca_lock(&h[0].hca);
	engine_catch_up(h[0].e, a.qp);
	hca_unlock(&h[0].hca);
	cr_expect_eq(a.qp->req.next, 0);
	settle(h, 2);
	cr_expect_not_null(next_cqe(&b));
}
