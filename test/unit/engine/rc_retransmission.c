/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two adapters with a wire between them, from which the test takes frames: gaps, lost
 * responses, timeouts. Host 0 has slot 1, host 1 slot 2 (key 0x02000142).
 */
#include <string.h>
#include <time.h>

#include "rig.h"

static void setup(void)
{
	far_pair_open_with(1024, 0xfffff8);
	a.qp->ack_timeout = b.qp->ack_timeout = 10;
	for (size_t i = 0; i < 0x100000; i++)
		near.buf[i] = far.buf[i] = (uint8_t)(i * 13 + (i >> 9));
}

TestSuite(rc_retransmission, .init = setup, .fini = rig_close);

Test(rc_retransmission, no_loss_no_retransmission)
{
	post_rung(&a, "write 100000 remote=0x200000 sig");
	wait_cqe(&a, 20000);
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(far.buf + 0x200000, near.buf, 100000);
	cr_expect_eq(counters_of(&near).retransmits, 0);
}

Test(rc_retransmission, lost_packet_in_the_middle)
{
	a.qp->ack_timeout = 0; /* only the NAK can help */
	post_rung(&a, "write 20000 remote=0x200000 sig");
	engine_step(near.e);
	engine_step(far.e);
	post_rung(&a, "write 20000 remote=0x200000 sig");
	engine_step(near.e);
	cr_assert_eq(lose(&far, 3), 3);
	wait_cqe(&a, 20000);
	settle();
	expect_cqe(&a, "sent; sent");
	cr_expect_arr_eq(far.buf + 0x200000, near.buf, 20000);
	cr_expect_gt(counters_of(&near).retransmits, 0);
}

/* All packets that the first host sends now are lost; the last one has asked for its ACK. */
static size_t lost_window(void)
{
	size_t n = 0, last;

	record_frames();
	while (!n)
		for (int i = 0; i < 20; i++) {
			engine_step(near.e);
			last = lose(&far, 1000);
			n += last;
		}
	cr_expect(frame_bth[n - 1][8] & 0x80, "packet %zu does not ask for an ACK", n);
	return n;
}

/* A peer that is slower than its timer, or a queue on the way that is full, would get the whole
 * window again and again. */
Test(rc_retransmission, less_is_in_flight_after_each_timeout)
{
	a.qp->ack_timeout = 0;
	post_rung(&a, "write 307200 remote=0x200000 sig");
	for (size_t packets = 256; packets > 16; packets /= 2) {
		cr_expect_eq(lost_window(), packets);
		a.qp->req.timer = 1; /* it has expired */
	}
	wait_cqe(&a, 20000);
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(far.buf + 0x200000, near.buf, 300 * 1024);
	/* 16, then one more after each window: 16 + 17 + ... + 28 is more than 300 packets */
	cr_expect_gt(a.qp->req.window, 20);
	cr_expect_lt(a.qp->req.window, 32);
}

Test(rc_retransmission, lost_ack)
{
	post_rung(&a, "write 100 remote=0x200000 sig");
	engine_step(near.e);
	engine_step(far.e);
	cr_assert_eq(lose(&near, 1), 1);
	wait_cqe(&a, 20000);
	expect_cqe(&a, "sent");
	cr_expect_eq(counters_of(&near).retransmits, 1);
	/* The repeated WRITE was not a new message. */
	cr_expect_eq(b.qp->resp.msn, 1);
}

Test(rc_retransmission, lost_read_responses)
{
	post_rung(&a, "read 20000 local=0x300000 remote=0x100 sig");
	engine_step(near.e);
	engine_step(far.e);
	cr_assert_eq(lose(&near, 5), 5);
	wait_cqe(&a, 20000);
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(near.buf + 0x300000, far.buf + 0x100, 20000);
}

Test(rc_retransmission, lost_end_of_a_read_response)
{
	post_rung(&a, "read 200000 local=0x300000 remote=0x100 sig");
	engine_step(near.e);
	engine_step(far.e); /* 64 of 196 packets */
	engine_step(near.e);
	engine_step(far.e);
	cr_assert_gt(lose(&near, 1000), 0);
	record_frames();
	wait_cqe(&a, 20000);
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(near.buf + 0x300000, far.buf + 0x100, 200000);
}

Test(rc_retransmission, lost_atomic_response_does_not_add_twice)
{
	uint64_t *target = (uint64_t *)(far.buf + 0x200000);

	*target = 10;
	post_rung(&a, "fetch_add 8 local=0x300000 remote=0x200000 add=5 sig");
	engine_step(near.e);
	engine_step(far.e);
	cr_assert_eq(lose(&near, 1), 1);
	wait_cqe(&a, 20000);
	expect_cqe(&a, "sent");
	cr_expect_eq(*target, 15);
	cr_expect_eq(*(uint64_t *)(near.buf + 0x300000), 10);
}

Test(rc_retransmission, ack_after_a_lost_read_response_repeats_the_read)
{
	a.qp->ack_timeout = 0;
	post_rung(&a, "read 100 local=0x300000 remote=0x100 sig");
	engine_step(near.e);
	engine_step(far.e);
	cr_assert_eq(lose(&near, 10), 1);
	post_rung(&a, "write 100 remote=0x200000 sig");
	wait_cqe(&a, 20000);
	settle();
	expect_cqe(&a, "sent; sent");
	cr_expect_arr_eq(near.buf + 0x300000, far.buf + 0x100, 100);
}

Test(rc_retransmission, all_lost_ends_in_retry_exceeded)
{
	uint64_t end = core_now_ns() + 20000000000ull;

	a.qp->retry_count = 7;
	post_rung(&a, "write 100 remote=0x200000 sig");
	while (a.qp->state != PRM_QPC_STATE_ERR && core_now_ns() < end) {
		engine_step(near.e);
		lose(&far, 10);
	}
	expect_cqe(&a, "req_err retry_exc wqe=0");
	/* 7 is a count here: the packet was sent 1 + 7 times. */
	cr_expect_eq(counters_of(&near).retransmits, 7);
	expect_none(&b);
}

/* T = 4.096 us * 2^timeout; both requests are sent in one iteration. */
Test(rc_retransmission, timeout_is_that_of_the_qp)
{
	struct side c;

	side_open(&c, &near);
	connect_sides(&c, &b, 1024, 0x100);
	a.qp->ack_timeout = 14;
	c.qp->ack_timeout = 15;
	post_rung(&a, "write 100 remote=0x200000 sig");
	post_rung(&c, "write 100");
	engine_step(near.e);
	cr_assert_neq(a.qp->req.timer, 0);
	cr_expect_eq(c.qp->req.timer - a.qp->req.timer, 4096ull << 14);
	expect_finding("served by a doorbell that named another QP");
}

Test(rc_retransmission, timer_stops_while_the_engine_does_not_run)
{
	a.qp->ack_timeout = 14; /* 67 ms */
	post_rung(&a, "write 100 remote=0x200000 sig");
	engine_step(near.e);
	cr_assert_eq(lose(&far, 1), 1);
	nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
	engine_step(near.e);
	cr_expect_eq(counters_of(&near).retransmits, 0);
}

/* How often the timer was started before the WRITE was repeated. */
static unsigned int timers(void)
{
	uint64_t last = 0;
	unsigned int n = 0;

	post_rung(&a, "write 100 remote=0x200000 sig");
	while (!counters_of(&near).retransmits) {
		engine_step(near.e);
		n += a.qp->req.timer != last && !counters_of(&near).retransmits;
		last = a.qp->req.timer;
	}
	return n;
}

Test(rc_retransmission, timer_is_stretched_while_the_peer_has_unread_frames)
{
	unsigned int n = timers();

	cr_expect_eq(n, 4, "%u", n);
}

Test(rc_retransmission, peer_process_that_exited_is_noticed_at_once)
{
	unsigned int n;

	a.qp->remote_qpn += 0x10000; /* slot 3 */
	n = timers();
	cr_expect_eq(n, 1, "%u", n);
}

Test(rc_retransmission, timeout_zero_never_expires)
{
	a.qp->ack_timeout = 0;
	post_rung(&a, "write 100 remote=0x200000 sig");
	engine_step(near.e);
	cr_assert_eq(lose(&far, 10), 1);
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	settle();
	expect_none(&a);
	cr_expect_eq(counters_of(&near).retransmits, 0);
}

Test(rc_retransmission, frames_that_fit_no_qp_are_dropped)
{
	a.qp->ack_timeout = 0;
	b.qp->remote_qpn ^= 0x30000; /* its peer is in another slot */
	execute(&a, "write 100 remote=0x200000 sig");
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
	cr_expect_eq(far.buf[0x200000], 0);
}

Test(rc_retransmission, frame_for_another_gid_is_dropped)
{
	a.qp->ack_timeout = 0;
	a.qp->path.dgid[15] = 99;
	execute(&a, "write 100 remote=0x200000 sig");
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
}
