/* SPDX-License-Identifier: BSD-2-Clause */
/* A QP that cannot complete because its CQ is full goes to ERR. */
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

TestSuite(cq_overrun, .init = setup, .fini = teardown);

static const struct wr write_8 = {
	.opcode = 0x08, .fm_ce_se = SIGNALED, .len = 8, .remote = 0x1000
};

Test(cq_overrun, ends_the_requester)
{
	a.cq->log_size = 1;
	for (int i = 0; i < 2; i++)
		post_wr(&a, &write_8);
	ring(&a);
	settle(&h, 1);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	post_wr(&a, &write_8);
	ring(&a);
	settle(&h, 1);
	cr_expect(a.cq->overrun);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(cq_overrun, ends_the_responder)
{
	b.cq->log_size = 1;
	for (int i = 0; i < 3; i++) {
		post_recv(&b, RIG_VA, 64, RIG_KEY);
		post_wr(&a, &(struct wr){ .opcode = 0x0a, .len = 64 });
	}
	ring(&a);
	settle(&h, 1);
	cr_expect(b.cq->overrun);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(cq_overrun, is_ignored_with_overrun_ignore)
{
	a.cq->log_size = 1;
	a.cq->overrun_ignore = true;
	for (int i = 0; i < 3; i++)
		post_wr(&a, &write_8);
	ring(&a);
	settle(&h, 1);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
}
