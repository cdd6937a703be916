/* SPDX-License-Identifier: BSD-2-Clause */
/* What the emulator assumes of requests that are not answered: see completions.c. */
#include <time.h>
#include "lib/qp_traffic.h"

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* A lower bound only: how much longer it takes depends on what else the machine does. */
Test(assumed, transport_timer_is_t)
{
	struct wiring w = normal();
	uint64_t begin;

	w.b_state = IBV_QPS_RESET;
	w.timeout = 14; /* T is 67 ms */
	w.retry_cnt = 2;
	pair(w);
	begin = now_ns();
	do_op(IBV_WR_RDMA_WRITE, src_sge(0, 8), 0, r.dst_mr->rkey);
	ends_in(&r.a, IBV_WC_RETRY_EXC_ERR);
	cr_assert_geq(now_ns() - begin, 3 * (4096ull << 14));
}
