/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_retire(): WQEs complete without being sent, for tests that compare WQEs. */
#include <endian.h>
#include <errno.h>

#include "rig.h"

PAIR_SUITE(retire);

Test(retire, writes_one_cqe_for_the_last_wqe)
{
	post(&a, "write 8 remote=0x1000; write 8 remote=0x1000; read 8 local=0x1000");
	cr_assert_eq(engine_retire(near.e, a.qp->qpn), 0);
	expect_cqe(&a, "sent read 0 wqe=2");
	work(&a);
	expect_none(&a);
	cr_expect_eq(near.buf[0x1000], 0);
	/* The queue can be used as before. */
	succeed(&a, "write 8 remote=0x1000 sig");
	cr_expect_eq(near.buf[0x1000], near.buf[0]);
}

Test(retire, refuses_unknown_qps_and_empty_queues)
{
	cr_expect_eq(engine_retire(near.e, 0x1ffff), ENOENT);
	cr_expect_eq(engine_retire(near.e, a.qp->qpn), EINVAL);
	post(&a, "write 8");
	a.qp->state = PRM_QPC_STATE_RTR;
	cr_expect_eq(engine_retire(near.e, a.qp->qpn), EINVAL);
	expect_none(&a);
}
