/* SPDX-License-Identifier: BSD-2-Clause */
/* RC: lost frames are sent again, and no operation is executed twice (loss.h). */
#include "loss.h"

static struct host h[2];
static struct side a, b;

static void receive(uint64_t va, uint32_t len)
{
	post_recv(&b, va, len, RIG_FAR_KEY);
}

static const struct loss loss = {
	.h = h, .from = &a, .to = &b, .longest = 20000, .blocks = 1, .receive = receive
};

static void setup(void)
{
	far_pair_open(h, &a, &b, 256, 0xffff00);
	a.qp->ack_timeout = 7;
	a.qp->retry_count = 255; /* exceeded retries are another test */
	loss_begin(&loss);
}

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(rc_loss, .init = setup, .fini = teardown, .timeout = 60);

Test(rc_loss, any_frame_of_any_operation_may_be_lost)
{
	loss_run(&loss);
}
