/* SPDX-License-Identifier: BSD-2-Clause */
/* A QP that cannot complete because its CQ is full goes to ERR. */
#include <string.h>

#include "rig.h"

PAIR_SUITE(cq_overrun);

Test(cq_overrun, ends_the_requester)
{
	a.cq->log_size = 1;
	for (int i = 0; i < 2; i++)
		post(&a, "write 8 remote=0x1000 sig");
	work(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
	execute(&a, "write 8 remote=0x1000 sig");
	cr_expect(a.cq->overrun);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
	expect_finding("CQ 0x10001: a CQE of QP 0x10001 is lost: 2 CQEs were not released");
}

Test(cq_overrun, ends_the_responder)
{
	b.cq->log_size = 1;
	for (int i = 0; i < 3; i++) {
		post(&b, "recv 64");
		post(&a, "send 64");
	}
	work(&a);
	cr_expect(b.cq->overrun);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
	expect_finding("CQ 0x10002: a CQE of QP 0x10002 is lost");
}

Test(cq_overrun, is_ignored_with_overrun_ignore)
{
	a.cq->log_size = 1;
	a.cq->overrun_ignore = true;
	for (int i = 0; i < 3; i++)
		post(&a, "write 8 remote=0x1000 sig");
	work(&a);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_RTS);
}
