/* SPDX-License-Identifier: BSD-2-Clause */
/* Assumptions of the emulator about requests that are not answered: see completions.c. */
#include "lib/clock.h"
#include "lib/qp_traffic.h"

/* How long a WRITE without an answer takes to end. */
static uint64_t unanswered(uint8_t timeout)
{
	uint64_t begin;

	with.b_state = IBV_QPS_RESET;
	with.timeout = timeout;
	with.retry_cnt = 2;
	pair(with);
	begin = now_ns();
	op_ends_in(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey, IBV_WC_RETRY_EXC_ERR);
	return now_ns() - begin;
}

/* Lower bounds, and that one is longer: how much longer depends on what else the machine
 * does. */
Test(assumed, transport_timer_is_t)
{
	uint64_t at_15 = 0, at_11 = 0;

	/* T is 134 ms and 8 ms */
	for (int tries = 0; tries < 10 && at_15 <= at_11; tries++) {
		if (tries)
			unpair();
		at_15 = unanswered(15);
		unpair();
		at_11 = unanswered(11);
		cr_assert_geq(at_15, 3 * (4096ull << 15));
		cr_assert_geq(at_11, 3 * (4096ull << 11));
	}
	cr_assert_gt(at_15, at_11);
}
