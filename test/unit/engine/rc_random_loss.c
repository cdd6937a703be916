/* SPDX-License-Identifier: BSD-2-Clause */
/* RC: lost frames are sent again, and no operation is executed twice (loss.h), with each path
 * MTU. PSNs and MSN wrap meanwhile. */
#include "loss.h"

#define FIRST 0xfffff0u /* PSN and MSN */

static struct host h[2];
static struct side a, b;

static void receive(uint64_t va, uint32_t len)
{
	post_recv(&b, va, len, RIG_FAR_KEY);
}

static const struct loss loss = {
	.h = h, .from = &a, .to = &b, .longest = 20000, .blocks = 1, .receive = receive
};

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(rc_loss, .fini = teardown, .timeout = 60);

static void run(uint32_t mtu)
{
	far_pair_open(h, &a, &b, mtu, FIRST);
	a.qp->ack_timeout = 7;
	a.qp->retry_count = 255; /* exceeded retries are another test */
	b.qp->resp.msn = FIRST;
	loss_begin(&loss);
	loss_run(&loss);
	cr_expect_lt(b.qp->resp.epsn, FIRST);
	cr_expect_eq(b.qp->resp.msn, (FIRST + LOSS_OPS) & 0xffffff);
}

Test(rc_loss, any_frame_of_any_operation_may_be_lost)
{
	run(256);
}

Test(rc_loss, mtu_512)
{
	run(512);
}

Test(rc_loss, mtu_1024)
{
	run(1024);
}

Test(rc_loss, mtu_2048)
{
	run(2048);
}

Test(rc_loss, mtu_4096)
{
	run(4096);
}
