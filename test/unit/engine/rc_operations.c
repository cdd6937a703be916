/* SPDX-License-Identifier: BSD-2-Clause */
/* One WQE of each operation, and the resulting memory and CQEs. */
#include <string.h>

#include "rig.h"

TestSuite(rc_operation, .init = pair_open, .fini = rig_close_read);

Test(rc_operation, send)
{
	post(&b, "recv 128 local=0x2000");
	execute(&a, "send 100 local=0x10 sig");
	cr_expect_arr_eq(near.buf + 0x2000, near.buf + 0x10, 100);
	cr_expect_eq(near.buf[0x2000 + 100], 0);
	expect_cqe(&a, "sent send wqe=0");
	expect_cqe(&b, "received 100 wqe=0");
}

Test(rc_operation, send_with_immediate_solicited_and_inline)
{
	post(&b, "recv 128 local=0x2000");
	execute(&a, "send_imm inline=hello_one_level_!! imm=0xdeadbeef solicited sig");
	cr_expect_arr_eq(near.buf + 0x2000, "hello_one_level_!!", 18);
	expect_cqe(&a, "sent send_imm wqe=0");
	expect_cqe(&b, "received send_imm 18 imm=0xdeadbeef solicited wqe=0");
}

Test(rc_operation, write_of_two_segments)
{
	execute(&a, "write 7 2048 local=0x100 remote=0x3000 sig");
	cr_expect_arr_eq(near.buf + 0x3000, near.buf, 7);
	cr_expect_arr_eq(near.buf + 0x3007, near.buf + 0x100, 2048);
	expect_cqe(&a, "sent write wqe=0");
}

Test(rc_operation, write_with_immediate_uses_a_receive)
{
	post(&b, "recv"); /* of no segment */
	execute(&a, "write_imm 1500 remote=0x3000 imm=0x01020304 sig");
	cr_expect_arr_eq(near.buf + 0x3000, near.buf, 1500);
	expect_cqe(&a, "sent write_imm wqe=0");
	expect_cqe(&b, "received write_imm 1500 imm=0x01020304 wqe=0");
}

Test(rc_operation, read_scatters_over_two_segments)
{
	execute(&a, "read 1025 local=0x4000 1535 local=0x6000 remote=0x20 sig");
	cr_expect_arr_eq(near.buf + 0x4000, near.buf + 0x20, 1025);
	cr_expect_arr_eq(near.buf + 0x6000, near.buf + 0x20 + 1025, 1535);
	expect_cqe(&a, "sent read 2560 wqe=0");
}

Test(rc_operation, atomics_return_the_original_value)
{
	uint64_t *target = (uint64_t *)(near.buf + 0x2000);
	uint64_t *result = (uint64_t *)(near.buf + 0x3000);

	*target = 37;
	execute(&a, "fetch_add 8 local=0x3000 remote=0x2000 add=5 sig");
	cr_expect_eq(*target, 42);
	cr_expect_eq(result[0], 37);
	execute(&a, "cas 8 local=0x3008 remote=0x2000 swap=77 compare=42 sig");
	cr_expect_eq(*target, 77);
	cr_expect_eq(result[1], 42);
	expect_cqe(&a, "sent fetch_add 8 wqe=0; sent cas 8 wqe=1");
}

Test(rc_operation, compare_that_fails_swaps_nothing)
{
	uint64_t *target = (uint64_t *)(near.buf + 0x2000);

	*target = 41;
	execute(&a, "cas 8 local=0x3000 remote=0x2000 swap=77 compare=42 sig");
	cr_expect_eq(*target, 41);
	cr_expect_eq(*(uint64_t *)(near.buf + 0x3000), 41);
	expect_cqe(&a, "sent cas 8 wqe=0");
}

Test(rc_operation, first_request_before_rts_is_an_event)
{
	struct hca_eq *eq = events_open(&near);

	b.qp->state = PRM_QPC_STATE_RTR;
	execute(&a, "write 4 remote=0x3000 sig");
	expect_event(eq, PRM_EVENT_COMM_EST, 0x10002);
	execute(&a, "write 4 remote=0x3000 sig");
	expect_no_event(eq);
	expect_cqe(&a, "sent; sent");
}

Test(rc_operation, first_request_in_rts_is_no_event)
{
	struct hca_eq *eq = events_open(&near);

	execute(&a, "write 4 remote=0x3000 sig");
	b.qp->state = PRM_QPC_STATE_RTR; /* it was the first already */
	execute(&a, "write 4 remote=0x3000 sig");
	expect_no_event(eq);
	expect_cqe(&a, "sent; sent");
}

Test(rc_operation, nop_only_completes)
{
	finish(&a, "nop sig", "sent nop wqe=0");
}

Test(rc_operation, unsignaled_writes_no_cqe)
{
	execute(&a, "write 9 remote=0x3000");
	cr_expect_arr_eq(near.buf + 0x3000, near.buf, 9);
	cr_expect_eq(a.qp->req.una, 1);
}
