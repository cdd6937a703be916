/* SPDX-License-Identifier: BSD-2-Clause */
/* Outstanding READs: at most max_rd_atomic, and a fence waits for them. */
#include <string.h>

#include "rig.h"

static void setup(void)
{
	pair_open();
	record_frames();
}

TestSuite(read_limit, .init = setup, .fini = rig_close);

Test(read_limit, write_without_fence_overtakes_the_response)
{
	execute(&a, "read 100 local=0x100000 sig; write 8 sig");
	expect_frames(0, "read_request write_only read_response_only ack");
}

Test(read_limit, fenced_write_waits_for_the_response)
{
	execute(&a, "read 100 local=0x100000 sig; write 8 fence sig");
	expect_frames(0, "read_request read_response_only write_only ack");
	expect_cqe(&a, "sent; sent");
}

Test(read_limit, no_more_than_max_rd_atomic_are_under_way)
{
	a.qp->max_rd_atomic = 2;
	for (int i = 0; i < 4; i++)
		post(&a, "read 10 local=0x100000 sig");
	work(&a);
	expect_frames(0, "read_request read_request read_response_only read_response_only "
			 "read_request read_request read_response_only read_response_only");
	expect_cqe(&a, "sent; sent; sent; sent");
}

Test(read_limit, sixteen_reads_and_atomics_are_answered_in_order)
{
	for (int i = 0; i < 16; i++)
		post(&a, "%s 8 local=0x%x remote=0x200000 sig",
		     i % 2 ? "fetch_add add=1" : "read", 0x100000 + 8 * i);
	work(&a);
	for (int i = 0; i < 16; i++) {
		expect_cqe(&a, "sent %s 8 wqe=%d", i % 2 ? "fetch_add" : "read", i);
		if (i % 2)
			cr_expect_eq(*(uint64_t *)(near.buf + 0x100000 + 8 * i),
				     (uint64_t)i / 2);
	}
	cr_expect_eq(*(uint64_t *)(near.buf + 0x200000), 8);
}

Test(read_limit, both_directions_at_once)
{
	for (int i = 0; i < 4; i++) {
		post(&a, "read 50000 local=0x100000 sig");
		post(&b, "read 50000 local=0x180000 sig");
	}
	work(&a);
	for (int i = 0; i < 4; i++) {
		expect_cqe(&a, "sent");
		expect_cqe(&b, "sent");
	}
	cr_expect_arr_eq(near.buf + 0x100000, near.buf, 50000);
	cr_expect_arr_eq(near.buf + 0x180000, near.buf, 50000);
	expect_finding("served by a doorbell that named another QP");
}
