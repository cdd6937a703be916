/* SPDX-License-Identifier: BSD-2-Clause */
/* RNR: the receive is posted late, or never. */
#include <string.h>
#include <time.h>

#include "rig.h"

PAIR_SUITE(rnr);

Test(rnr, then_a_receive_is_posted)
{
	b.qp->min_rnr_nak = 14; /* 1.28 ms */
	record_frames();
	execute(&a, "send 3000 sig");
	expect_none(&a);
	/* Three packets, of which the first was refused and the others dropped. */
	expect_only_frames("send_first send_middle send_last ack");
	post(&b, "recv 4000 local=0x100000");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "sent");
	expect_cqe(&b, "received");
	cr_expect_arr_eq(near.buf + 0x100000, near.buf, 3000);
	cr_expect_eq(near.buf[0x100000 + 3000], 0);
}

Test(rnr, waits_for_the_timer_of_the_nak)
{
	uint64_t start = core_now_ns();

	b.qp->min_rnr_nak = 20; /* 10.24 ms */
	execute(&a, "send 10 sig");
	post(&b, "recv 10 local=0x100000");
	wait_cqe(&a, 2000);
	cr_expect_geq(core_now_ns() - start, 10240000u);
}

Test(rnr, for_a_write_with_immediate)
{
	execute(&a, "write_imm 2000 remote=0x100000 sig");
	expect_none(&a);
	post(&b, "recv");
	wait_cqe(&a, 2000);
	expect_cqe(&b, "received write_imm");
	cr_expect_arr_eq(near.buf + 0x100000, near.buf, 2000);
}

Test(rnr, retries_exceeded)
{
	a.qp->rnr_retry = 3;
	post_rung(&a, "send 10 sig");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "req_err rnr_retry_exc wqe=0");
	cr_expect_eq(counters_of(&near).retransmits, 3);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(rnr, rnr_retry_7_is_unlimited)
{
	a.qp->rnr_retry = 7;
	execute(&a, "send 10 sig");
	for (int i = 0; i < 40; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
		settle();
	}
	expect_none(&a);
	post(&b, "recv 10 local=0x100000");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "sent");
}

/* InfiniBand specification, chapter 9, table "Encoding for RNR NAK timer field", in us. */
static const uint32_t encoded[32] = {
	655360, 10,    20,    30,    40,    60,	    80,	    120,    160,    240,    320,
	480,	640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240,  15360,
	20480,	30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

/* Both are refused in one iteration: how much longer the one waits than the other. */
static int64_t longer(unsigned int code, unsigned int than)
{
	struct side from[2], to[2];

	for (int i = 0; i < 2; i++) {
		side_open(&from[i], &near);
		side_open(&to[i], &near);
		connect_sides(&from[i], &to[i], 1024, 0x100);
		to[i].qp->min_rnr_nak = i ? than : code;
		post(&from[i], "send 8");
	}
	ring(&from[0]);
	while (!from[1].qp->req.rnr_until)
		engine_step(near.e);
	expect_finding("served by a doorbell that named another QP");
	for (int i = 0; i < 2; i++)
		core_list_del(&to[i].qp->runnable);
	return (int64_t)from[0].qp->req.rnr_until - (int64_t)from[1].qp->req.rnr_until;
}

Test(rnr, timers_have_the_values_of_the_specification)
{
	for (unsigned int code = 0; code < 32; code++) {
		int64_t ns = longer(code, 31);

		cr_expect_eq(ns, ((int64_t)encoded[code] - encoded[31]) * 1000, "code %u: %ld",
			     code, (long)ns);
	}
}
