/* SPDX-License-Identifier: BSD-2-Clause */
/* RNR: the receive is posted late, or never. */
#include <string.h>
#include <time.h>

#include "rig.h"

static struct host h;
static struct side a, b;

static void setup(void)
{
	pair_open(&h, &a, &b);
	memset(h.buf, 0x5a, 8192);
}

static void teardown(void)
{
	host_close(&h);
}

TestSuite(rnr, .init = setup, .fini = teardown);

static void send_now(uint32_t len)
{
	post_wr(&a, &(struct wr){ .opcode = 0x0a, .fm_ce_se = SIGNALED, .len = len });
	ring(&a);
	settle(&h, 1);
}

Test(rnr, then_a_receive_is_posted)
{
	b.qp->min_rnr_nak = 14; /* 1.28 ms */
	record_frames();
	send_now(3000);
	expect_none(&a);
	/* Three packets, of which the first was refused and the others dropped. */
	expect_opcodes(0, (uint8_t[]){ 0x00, 0x01, 0x02, 0x11 }, 4);
	cr_expect_eq(frames, 4);
	post_recv(&b, RIG_VA + 0x100000, 4000, RIG_KEY);
	wait_cqe(&h, 1, &a, 2000);
	cr_expect_eq(next_cqe(&a)[63] >> 4, 0);
	cr_expect_eq(next_cqe(&b)[63] >> 4, 2);
	cr_expect_arr_eq(h.buf + 0x100000, h.buf, 3000);
	cr_expect_eq(h.buf[0x100000 + 3000], 0);
}

Test(rnr, waits_for_the_timer_of_the_nak)
{
	uint64_t start = core_now_ns();

	b.qp->min_rnr_nak = 20; /* 10.24 ms */
	send_now(10);
	post_recv(&b, RIG_VA + 0x100000, 10, RIG_KEY);
	wait_cqe(&h, 1, &a, 2000);
	cr_expect_geq(core_now_ns() - start, 10240000u);
}

Test(rnr, for_a_write_with_immediate)
{
	post_wr(&a, &(struct wr){ .opcode = 0x09,
				  .fm_ce_se = SIGNALED,
				  .len = 2000,
				  .remote = 0x100000 });
	ring(&a);
	settle(&h, 1);
	expect_none(&a);
	post_recv(&b, RIG_VA, 0, 0x100);
	wait_cqe(&h, 1, &a, 2000);
	cr_expect_eq(next_cqe(&b)[63] >> 4, 1);
	cr_expect_arr_eq(h.buf + 0x100000, h.buf, 2000);
}

Test(rnr, retries_exceeded)
{
	a.qp->rnr_retry = 3;
	post_wr(&a, &(struct wr){ .opcode = 0x0a, .fm_ce_se = SIGNALED, .len = 10 });
	ring(&a);
	wait_cqe(&h, 1, &a, 2000);
	expect_error(&a, 13, 0x16, 0);
	cr_expect_eq(counters_of(&h).retransmits, 3);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(rnr, rnr_retry_7_is_unlimited)
{
	a.qp->rnr_retry = 7;
	send_now(10);
	for (int i = 0; i < 40; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
		settle(&h, 1);
	}
	expect_none(&a);
	post_recv(&b, RIG_VA + 0x100000, 10, RIG_KEY);
	wait_cqe(&h, 1, &a, 2000);
	cr_expect_eq(next_cqe(&a)[63] >> 4, 0);
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
		side_open(&from[i], &h);
		side_open(&to[i], &h);
		connect_sides(&from[i], &to[i], 1024, 0x100);
		to[i].qp->min_rnr_nak = i ? than : code;
		post_wr(&from[i], &(struct wr){ .opcode = 0x0a, .len = 8 });
	}
	ring(&from[0]);
	while (!from[1].qp->req.rnr_until)
		engine_step(h.e);
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
