/* SPDX-License-Identifier: BSD-2-Clause */
/* engine_retire(): WQEs complete without being sent, for tests that compare WQEs. */
#include <endian.h>
#include <errno.h>

#include "rig.h"

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	h.buf[0] = 0x5a;
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(retire, .init = setup, .fini = teardown);

Test(retire, writes_one_cqe_for_the_last_wqe)
{
	static const uint8_t golden[32] = {
		[3] = 0x71, [24] = 0x10, 0x01, 0x00, 0x01, 0, 2, 0, 0x00,
	};

	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x1000 });
	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8, .remote = 0x1000 });
	post_wr(&a, &(struct wr){ .opcode = 0x10, .len = 8, .local = 0x1000 });
	cr_assert_eq(engine_retire(h.e, a.qp->qpn), 0);
	expect_cqe(&a, golden);
	ring(&a);
	settle(&h, 1);
	expect_none(&a);
	cr_expect_eq(h.buf[0x1000], 0);
	/* The queue can be used as before. */
	post_wr(&a, &(struct wr){
			    .opcode = 0x08, .fm_ce_se = SIGNALED, .len = 8, .remote = 0x1000 });
	ring(&a);
	settle(&h, 1);
	cr_assert_eq(next_cqe(&a)[63] >> 4, 0);
	cr_expect_eq(h.buf[0x1000], 0x5a);
}

Test(retire, refuses_unknown_qps_and_empty_queues)
{
	cr_expect_eq(engine_retire(h.e, 0x1ffff), ENOENT);
	cr_expect_eq(engine_retire(h.e, a.qp->qpn), EINVAL);
	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 8 });
	a.qp->state = PRM_QPC_STATE_RTR;
	cr_expect_eq(engine_retire(h.e, a.qp->qpn), EINVAL);
	expect_none(&a);
}
