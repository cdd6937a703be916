/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marked packets, the CNPs that they cause, and what a CNP does to the rate of a QP. Two
 * adapters; the first has slot 1 and QPN 0x10001, the second slot 2 and QPN 0x20001.
 */
#include <string.h>

#include "engine/congestion.h"
#include "rig.h"

#define US (1000ull * HCA_CONGESTION_SLOWDOWN) /* of slow time */

static void setup(void)
{
	far_pair_open();
	a.qp->ack_timeout = b.qp->ack_timeout = 0;
}

TestSuite(congestion, .init = setup, .fini = rig_close, .timeout = 120);

/* Marks each frame that the adapter sends, as --ecn=1. */
static void mark_all(struct host *from)
{
	struct options_fault faults[OPTIONS_FAULTS];
	int n = options_faults("ecn=1", faults);

	cr_assert_eq(n, 1);
	cr_assert_eq(wire_faults(from->w, faults, n), 0);
}

static struct hca_congestion_counts *counts(struct host *of)
{
	return &of->hca.counted->congestion;
}

Test(congestion, data_of_a_connection_is_ecn_capable)
{
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	a.qp->path.tclass = 0x69; /* its ECN bits are the device's */
	post_rung(&a, "write 100 remote=0x200000 sig");
	engine_step(near.e);
	frame = wire_next(far.w, &len, &from);
	cr_assert_not_null(frame);
	cr_expect_eq(frame[14 + 1], 0x6a, "0x%02x", frame[14 + 1]);
}

/* Annex A17 and the example that Mellanox published: BTH opcode 0x81, BECN, DestQP of the
 * sender, PSN 0, then 16 bytes of 0 and the ICRC. DSCP 48. */
Test(congestion, marked_packet_causes_a_cnp)
{
	static const uint8_t bth[12] = { 0x81, 0x40, 0xff, 0xff, 0x40, 0x01, 0x00, 0x01 };
	static const uint8_t reserved[16];
	const uint8_t *frame;
	uint8_t from;
	size_t len;

	mark_all(&near);
	post_rung(&a, "write 100 remote=0x200000 sig");
	engine_step(near.e);
	engine_step(far.e);
	frame = wire_next(near.w, &len, &from);
	cr_assert_not_null(frame);
	cr_expect_eq(len, 14 + 20 + 8 + 12 + 16 + 4, "%zu bytes", len);
	cr_expect_eq(frame[14 + 1], 0xc0);
	cr_expect_arr_eq(frame + 14 + 20 + 8, bth, sizeof(bth));
	cr_expect_arr_eq(frame + 14 + 20 + 8 + 12, reserved, sizeof(reserved));
	cr_expect_eq(counts(&far)->np_ecn_marked_roce_packets, 1);
	cr_expect_eq(counts(&far)->np_cnp_sent, 1);
	cr_expect_eq(far.buf[0x200000], near.buf[0]);
}

Test(congestion, marks_of_a_message)
{
	mark_all(&near);
	post_rung(&a, "write 20480 remote=0x200000 sig");
	engine_step(near.e);
	engine_step(far.e);
	cr_expect_eq(counts(&far)->np_ecn_marked_roce_packets, 20);
	cr_expect(counts(&far)->np_cnp_sent >= 1 && counts(&far)->np_cnp_sent <= 20);
	engine_step(near.e);
	cr_expect_eq(counts(&near)->rp_cnp_handled, counts(&far)->np_cnp_sent);
	cr_expect_eq(counts(&near)->np_ecn_marked_roce_packets, 0);
	cr_expect(a.qp->congestion.limited);
	cr_expect_not(b.qp->congestion.limited);
}

/* For a QP that does not exist, and for one that another QP is connected to. */
Test(congestion, cnp_for_no_connection_is_ignored)
{
	struct wire_packet p = {
		.opcode = WIRE_CNP, .becn = true, .pkey = 0xffff, .hop_limit = 1
	};
	const struct hca_gid *from = &far.hca.port.gid[0], *to = &near.hca.port.gid[0];

	memcpy(p.sgid, from->raw, 16);
	memcpy(p.dgid, to->raw, 16);
	for (unsigned int i = 0; i < 2; i++) {
		p.dqpn = a.qp->qpn + !i;
		if (i)
			a.qp->remote_qpn = 0x030001; /* slot 3 */
		cr_assert(wire_has_space(far.w, 1));
		wire_send(far.w, 1, &p);
		wire_flush(far.w);
		engine_step(near.e);
		cr_expect_eq(counts(&near)->rp_cnp_ignored, i + 1);
	}
	cr_expect_eq(counts(&near)->rp_cnp_handled, 0);
	cr_expect_not(a.qp->congestion.limited);
}

/* min_time_between_cnps: 4 us. */
Test(congestion, cnps_have_a_distance)
{
	static const uint64_t us[] = { 1000, 1003, 1004, 1007, 1100 };
	static const unsigned int cnps[] = { 1, 1, 2, 2, 3 };
	struct engine e = { .hca = &far.hca, .w = far.w };

	for (unsigned int i = 0; i < 5; i++) {
		congestion_marked(&e, b.qp, us[i] * US);
		cr_expect_eq(counts(&far)->np_ecn_marked_roce_packets, i + 1);
		cr_expect_eq(counts(&far)->np_cnp_sent, cnps[i], "mark %u", i);
	}
}

/* A CNP for which there is no space is not counted as one, and none is for a datagram. */
Test(congestion, marks_that_cause_no_cnp)
{
	struct engine e = { .hca = &far.hca, .w = far.w };
	struct wire_packet p = { .opcode = WIRE_RC | WIRE_ACK };
	struct hca_congestion_counts *n = counts(&far);

	b.qp->st = a.qp->st = RIG_UD;
	congestion_marked(&e, b.qp, 1000 * US);
	congestion_notified(&e, b.qp, 1000 * US);
	cr_expect(n->np_ecn_marked_roce_packets == 1 && !n->np_cnp_sent);
	cr_expect(n->rp_cnp_ignored == 1 && !n->rp_cnp_handled);
	b.qp->st = a.qp->st = RIG_RC;
	while (wire_has_space(far.w, 1))
		wire_send(far.w, 1, &p);
	wire_flush(far.w);
	congestion_marked(&e, b.qp, 1000 * US);
	cr_expect_eq(n->np_cnp_sent, 0);
	lose(&near, UINT32_MAX);
	congestion_marked(&e, b.qp, 1001 * US);
	cr_expect_eq(n->np_cnp_sent, 1);
}

/* READ responses are data of the responder: their receiver is the notification point. */
Test(congestion, read_responses_slow_the_responder)
{
	for (unsigned int i = 0; i < 5000; i++)
		far.buf[i] = (uint8_t)(i * 3);
	mark_all(&far);
	post_rung(&a, "read 5000 local=0x200000 sig");
	wait_cqe(&a, 20000);
	settle();
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(near.buf + 0x200000, far.buf, 5000);
	cr_expect_eq(counts(&near)->np_ecn_marked_roce_packets, 5);
	cr_expect_geq(counts(&near)->np_cnp_sent, 1);
	cr_expect_eq(counts(&far)->rp_cnp_handled, counts(&near)->np_cnp_sent);
	cr_expect_not(a.qp->congestion.limited);
}

Test(congestion, unmarked_packets_cause_nothing)
{
	succeed(&a, "write 5000 remote=0x200000 sig");
	cr_expect_eq(counts(&far)->np_ecn_marked_roce_packets, 0);
	cr_expect_eq(counts(&near)->rp_cnp_handled, 0);
	cr_expect_not(a.qp->congestion.limited);
}

Test(congestion, reset_forgets_the_rate)
{
	mark_all(&near);
	execute(&a, "write 5000 remote=0x200000 sig");
	cr_expect(a.qp->congestion.limited);
	hca_lock(&near.hca);
	hca_qp_reset(a.qp);
	hca_unlock(&near.hca);
	cr_expect_not(a.qp->congestion.limited);
}

/* All data is marked, and arrives complete; with so many CNPs the QP is slow. */
Test(congestion, data_passes_at_a_rate)
{
	for (size_t i = 0; i < 100000; i++)
		near.buf[i] = (uint8_t)(i * 13 + (i >> 9));
	mark_all(&near);
	post_rung(&a, "write 100000 remote=0x200000 sig");
	while (!a.cq->pi)
		wait_cqe(&a, 20000);
	expect_cqe(&a, "sent");
	cr_expect_arr_eq(far.buf + 0x200000, near.buf, 100000);
	cr_expect_gt(counts(&near)->rp_cnp_handled, 1);
	cr_expect_eq(counts(&far)->np_ecn_marked_roce_packets, 98);
}

/* ---- the reaction point by itself, with the clock of the test ---- */

static struct engine clock_of(uint64_t now)
{
	return (struct engine){ .hca = &near.hca, .w = near.w, .now = now };
}

static void cnp_at(uint64_t us)
{
	struct engine e = clock_of((1000000 + us) * US);

	congestion_notified(&e, a.qp, e.now);
}

static void look_at(uint64_t us)
{
	struct engine e = clock_of((1000000 + us) * US);

	congestion_permits(&e, a.qp);
}

/* Computed by hand from NVIDIA's formulas and defaults. 100 Gb/s; alpha 1023 of 1024:
 * decrease: 100000000000 - 48828125 * 1023 = 50048828125. */
Test(congestion, first_cnp_halves_the_rate)
{
	cnp_at(0);
	cr_expect_eq(a.qp->congestion.rate, 50048828125);
	cr_expect_eq(a.qp->congestion.target, 100000000000);
}

/* Not again before rate_reduce_monitor_period, 4 us. */
Test(congestion, decreases_have_a_distance)
{
	cnp_at(0);
	cnp_at(3);
	cr_expect_eq(a.qp->congestion.rate, 50048828125);
	cr_expect_eq(a.qp->congestion.alpha, 1008, "1018, 1013, 1008, 1003 + 5");
	cnp_at(4);
	cr_expect_eq(a.qp->congestion.rate, 25537610413);
	cr_expect_eq(counts(&near)->rp_cnp_handled, 3);
}

/* A second one after 4 us, before which nothing was increased, leaves the target. After 300 us:
 * target + 5 Mb/s, at most the port's, and half of the way to it. */
Test(congestion, rate_rises_with_time)
{
	uint64_t low;

	cnp_at(0);
	cnp_at(4);
	low = a.qp->congestion.rate;
	cr_expect_eq(a.qp->congestion.target, 100000000000);
	look_at(303);
	cr_expect_eq(a.qp->congestion.rate, low);
	look_at(304);
	cr_expect_eq(a.qp->congestion.rate, (low + 100000000000) / 2);
	cr_expect_eq(a.qp->congestion.time_stage, 1);
	/* An increase by time clamps the target at the next decrease
	 * (clamp_tgt_rate_after_time_inc). */
	low = a.qp->congestion.rate;
	cnp_at(310);
	cr_expect_eq(a.qp->congestion.target, low);
	/* Additive, 5 Mb/s each: bytes have not passed the threshold. */
	look_at(610);
	cr_expect_eq(a.qp->congestion.target, low + 5000000);
	look_at(910);
	cr_expect_eq(a.qp->congestion.target, low + 10000000);
}

/* Nothing is sent for 300 us: a CNP after that finds the rate as it is by then, half of the way
 * to the target, and clamps the target to it. */
Test(congestion, time_before_a_cnp_counts)
{
	cnp_at(0);
	cnp_at(310);
	cr_expect_eq(a.qp->congestion.target, (50048828125 + 100000000000) / 2);
	cr_expect_eq(a.qp->congestion.time_stage, 0);
}

/* 32767 bytes are a stage. With the threshold passed by both, increases are of 50, 100 …
 * Mb/s. */
Test(congestion, rate_rises_with_bytes)
{
	struct engine e = clock_of(1000000 * US);
	uint64_t target;

	for (int i = 0; i < 20; i++)
		cnp_at(i * 4);
	cr_assert_lt(a.qp->congestion.rate, 1000000000);
	look_at(76 + 300);
	cnp_at(380);
	target = a.qp->congestion.target;
	congestion_sent(&e, a.qp, 32766);
	cr_expect_eq(a.qp->congestion.byte_stage, 0);
	congestion_sent(&e, a.qp, 1);
	cr_expect_eq(a.qp->congestion.byte_stage, 1);
	cr_expect_eq(a.qp->congestion.target, target + 5000000);
	look_at(680);
	cr_expect_eq(a.qp->congestion.target, target + 55000000);
	look_at(980);
	cr_expect_eq(a.qp->congestion.target, target + 105000000, "the lower stage is still 1");
	congestion_sent(&e, a.qp, 32767);
	cr_expect_eq(a.qp->congestion.target, target + 205000000);
}

Test(congestion, rate_ends_at_that_of_the_port)
{
	cnp_at(0);
	look_at(300 * 20);
	cr_expect_not(a.qp->congestion.limited);
	cnp_at(300 * 20 + 1);
	cr_expect_eq(a.qp->congestion.rate, 50048828125, "as by the first CNP");
	cr_expect_eq(a.qp->congestion.time_stage, 0);
	a.qp->congestion.rate = 99998000000;
	look_at(300 * 21 + 1);
	cr_expect_eq(a.qp->congestion.rate, 99999000000);
	cr_expect(a.qp->congestion.limited, "by a megabit");
	look_at(300 * 22 + 1);
	cr_expect_not(a.qp->congestion.limited);
}

/* So does one by bytes, clamp or not. */
Test(congestion, increase_by_bytes_clamps_the_target)
{
	struct engine e = clock_of(1000000 * US);
	uint64_t rate;

	cnp_at(0);
	congestion_sent(&e, a.qp, 32767);
	rate = a.qp->congestion.rate;
	cr_expect_gt(rate, 50048828125);
	cnp_at(4);
	cr_expect_eq(a.qp->congestion.target, rate);
}

/* Never below 1 Mb/s of the clock. */
Test(congestion, rate_has_a_minimum)
{
	for (unsigned int i = 0; i < 100; i++)
		cnp_at(i * 4);
	cr_expect_eq(a.qp->congestion.rate, 1000000 * HCA_CONGESTION_SLOWDOWN);
}

/* Alpha falls by 5 of 1024 each us without a CNP: after a long time a CNP takes nothing
 * away. */
Test(congestion, alpha_falls_without_cnps)
{
	uint64_t rate;

	for (int i = 0; i < 20; i++)
		cnp_at(i * 4);
	look_at(5000);
	rate = a.qp->congestion.rate;
	cnp_at(5001);
	cr_expect_eq(a.qp->congestion.rate, rate);
	cr_expect_eq(a.qp->congestion.alpha, 5);
}

/* 8 Mb/s: a kilobyte is a millisecond. */
Test(congestion, rate_is_kept)
{
	struct hca_congestion *c = &a.qp->congestion;
	unsigned int sent = 0;

	cnp_at(0);
	c->rate = c->target = 8000000;
	for (uint64_t us = 0; us <= 1000; us += us == 250 ? 750 : 10) {
		struct engine e = clock_of((1000000 + us) * US);

		while (congestion_permits(&e, a.qp)) {
			congestion_sent(&e, a.qp, 50); /* 50 us */
			sent++;
		}
		cr_expect(e.blocked);
		if (us == 250)
			cr_expect_eq(sent, 6, "%u", sent);
	}
	cr_expect_eq(sent, 7, "%u: time without packets is lost", sent);
	/* 250 us of the engine before now; a packet at 18.625 Mb/s, after three increases */
	cr_expect_eq(c->next, 1001000 * US - 250000 + 687248);
}
