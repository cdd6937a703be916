/* SPDX-License-Identifier: BSD-2-Clause */
/* A WQE that ends in an error is traced once, as it is in the ring; flushed WQEs are not. */
#include <string.h>

#include "rig.h"

static unsigned int shown;
static uint8_t first[16];
static struct core_trace trace;
static struct core_trace_queue queue;

static void sink(const struct core_trace *t)
{
	if (t->kind != TRACE_FAILED)
		return;
	shown++;
	trace = *t;
	memcpy(first, t->in, sizeof(first));
	memcpy(&queue, t->out, sizeof(queue));
}

static void setup(void)
{
	pair_open();
	core_trace_to = sink;
	core_trace_mask = 1u << TRACE_FAILED;
}

static void teardown(void)
{
	core_trace_mask = 0;
	rig_close();
}

TestSuite(wqe_trace, .init = setup, .fini = teardown);

Test(wqe_trace, failed_wqe_is_traced_once)
{
	execute(&a, "write 8 remote=0x100000; write 8 remote=0x100000 rkey=wrong; write 8");
	cr_expect_eq(shown, 1);
	cr_expect_eq(trace.obj, a.qp->qpn);
	cr_expect_eq(trace.index, 1);
	cr_expect_eq(trace.in_len, 48);
	cr_expect_eq(first[2], 1);
	cr_expect_eq(first[3], 0x08);
	cr_expect_eq(trace.out_len, sizeof(queue));
	cr_expect_eq(queue.blocks, a.qp->sq.cnt);
	cr_expect_eq(queue.service, 0);
	cr_expect_eq(queue.syndrome, 0x13, "remote access");
}
