/* SPDX-License-Identifier: BSD-2-Clause */
/* RC: lost frames are sent again, and no operation is executed twice (loss.h), with each path
 * MTU. PSNs and MSN wrap meanwhile. */
#include "loss.h"

#define FIRST 0xfffff0u /* PSN and MSN */

static void post_receive(uint32_t at, uint32_t len)
{
	post(&b, "recv %u local=0x%x", len, at);
}

static const struct loss loss = {
	.from = &a, .to = &b, .longest = 20000, .blocks = 1, .receive = post_receive
};

TestSuite(rc_loss, .fini = rig_close, .timeout = 60);

static void run_with_mtu(uint32_t mtu)
{
	far_pair_open_with(mtu, FIRST);
	a.qp->ack_timeout = 7;
	a.qp->retry_count = 255; /* exceeded retries are another test */
	b.qp->resp.msn = FIRST;
	loss_begin();
	loss_run(&loss);
	cr_expect_lt(b.qp->resp.epsn, FIRST);
	cr_expect_eq(b.qp->resp.msn, (FIRST + LOSS_OPS) & 0xffffff);
}

Test(rc_loss, any_frame_of_any_operation_may_be_lost)
{
	run_with_mtu(256);
}

Test(rc_loss, mtu_512)
{
	run_with_mtu(512);
}

Test(rc_loss, mtu_1024)
{
	run_with_mtu(1024);
}

Test(rc_loss, mtu_2048)
{
	run_with_mtu(2048);
}

Test(rc_loss, mtu_4096)
{
	run_with_mtu(4096);
}
