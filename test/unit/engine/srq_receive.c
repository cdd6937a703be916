/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SRQs: the list is followed, a WQE belongs to one message from its first packet on, and the
 * two events. The list of the rig is 0, 3, 6, 9, 12, 15, 2, …
 */
#include <string.h>

#include "prm/prm.h"
#include "rig.h"

static struct host h[2];
static struct side a[2], b[2]; /* a[i] sends to b[i]; both b share */
static struct shared s;
static struct hca_eq *eq;

static void setup(void)
{
	host_open(&h[0]);
	host_open(&h[1]);
	shared_open(&s, &h[1]);
	eq = events_open(&h[1]);
	for (int i = 0; i < 2; i++) {
		side_open(&a[i], &h[0]);
		side_open(&b[i], &h[1]);
		connect_sides(&a[i], &b[i], 256, 0x100);
		b[i].qp->rq.cnt = 0;
		b[i].qp->srq = s.srq;
	}
	for (int i = 0; i < 4096; i++)
		h[0].buf[i] = (uint8_t)(i * 7 + 3);
}

static void teardown(void)
{
	expect_no_event(eq);
	for (int i = 0; i < 2; i++) {
		expect_none(&a[i]);
		expect_none(&b[i]);
	}
	hosts_close(h);
}

TestSuite(srq, .init = setup, .fini = teardown);

static void give(unsigned int n)
{
	while (n--)
		shared_post(&s, RIG_VA + s.posted * 0x1000ull, 1024, RIG_FAR_KEY);
}

static void post_send(struct side *from, uint8_t opcode, uint32_t len)
{
	post_wr(from, &(struct wr){ .opcode = opcode,
				    .fm_ce_se = SIGNALED,
				    .len = len,
				    .rkey = RIG_FAR_KEY,
				    .remote = 0x100000 });
	ring(from);
}

static void expect_sent(struct side *from)
{
	const uint8_t *cqe = next_cqe(from);

	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
}

static void expect_received(struct side *to, unsigned int counter)
{
	const uint8_t *cqe = next_cqe(to);

	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] >> 4, 2, "syndrome 0x%x", cqe[55]);
	cr_expect_eq(cqe[60] << 8 | cqe[61], (int)counter, "WQE %d", cqe[61]);
}

/* Sends what was posted; only the first frame is not lost. */
static void only_the_first_frame(void)
{
	static uint8_t bytes[512];
	const uint8_t *frame;
	struct wire_packet p;
	uint8_t from;
	size_t len;

	while (engine_step(h[0].e))
		;
	frame = wire_next(h[1].w, &len, &from);
	cr_assert_not_null(frame);
	memcpy(bytes, frame, len);
	cr_assert(wire_unpack(&p, bytes, len));
	while (wire_next(h[1].w, &len, &from))
		;
	cr_assert(wire_has_space(h[0].w, 2));
	wire_send(h[0].w, 2, &p);
	wire_flush(h[0].w);
	while (engine_step(h[1].e))
		;
}

static void exchange(int i, uint32_t len, unsigned int counter)
{
	post_send(&a[i], 0x0a, len);
	settle(h, 2);
	expect_sent(&a[i]);
	expect_received(&b[i], counter);
}

Test(srq, list_is_followed_and_the_cqe_has_the_index)
{
	static const uint8_t received[32] = {
		[3] = 0x72, [15] = 100, [24] = 0, 0x02, 0x00, 0x02, 0, 3, 0, 0x20,
	};

	give(3);
	exchange(0, 600, 0);
	post_send(&a[1], 0x0a, 100);
	settle(h, 2);
	expect_sent(&a[1]);
	expect_cqe(&b[1], received);
	exchange(0, 50, 6);
	cr_expect_arr_eq(h[1].buf, h[0].buf, 600);
	cr_expect_arr_eq(h[1].buf + 0x1000, h[0].buf, 100);
	cr_expect_arr_eq(h[1].buf + 0x2000, h[0].buf, 50);
	cr_expect_eq(s.srq->taken, 3);
	cr_expect_eq(s.srq->next, 9);
}

Test(srq, list_is_reused_after_relinking)
{
	give(RIG_RQ);
	for (unsigned int i = 0; i < 40; i++) {
		exchange(i & 1, 10, i * 3 % RIG_RQ);
		give(1);
	}
}

/* The links are there, and are not read. */
Test(srq, cyclic_srq_is_taken_in_order)
{
	s.srq->cyclic = true;
	give(RIG_RQ);
	for (unsigned int i = 0; i < 40; i++) {
		exchange(i & 1, 10, i % RIG_RQ);
		give(1);
	}
}

Test(srq, interleaved_messages_keep_their_wqes)
{
	uint8_t from;
	struct wire_packet p[6];
	static uint8_t bytes[6][512];
	size_t len;

	give(2);
	post_send(&a[0], 0x0a, 700);
	post_send(&a[1], 0x0a, 700);
	while (engine_step(h[0].e))
		;
	for (int i = 0; i < 6; i++) {
		const uint8_t *frame = wire_next(h[1].w, &len, &from);

		cr_assert_not_null(frame);
		memcpy(bytes[i], frame, len);
		cr_assert(wire_unpack(&p[i], bytes[i], len));
	}
	/* Three packets of each: first, first, middle, middle, last, last. */
	cr_assert_eq(p[0].dqpn, p[2].dqpn);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 6; j += 3) {
			cr_assert(wire_has_space(h[0].w, 2));
			wire_send(h[0].w, 2, &p[i + j]);
		}
	settle(h, 2);
	expect_sent(&a[0]);
	expect_sent(&a[1]);
	expect_received(&b[p[0].dqpn == b[1].qp->qpn], 0);
	expect_received(&b[p[0].dqpn != b[1].qp->qpn], 3);
	cr_expect_arr_eq(h[1].buf, h[0].buf, 700);
	cr_expect_arr_eq(h[1].buf + 0x1000, h[0].buf, 700);
}

Test(srq, write_with_immediate_takes_one_and_a_plain_write_none)
{
	give(1);
	post_send(&a[0], 0x08, 300);
	post_send(&a[0], 0x09, 300);
	settle(h, 2);
	expect_sent(&a[0]);
	expect_sent(&a[0]);
	cr_assert_not_null(next_cqe(&b[0]));
	cr_expect_eq(b[0].cqes[63] >> 4, 1);
	cr_expect_eq(s.srq->taken, 1);
}

Test(srq, empty_srq_is_receiver_not_ready)
{
	post_send(&a[0], 0x0a, 100);
	settle(h, 2);
	expect_none(&a[0]);
	give(1);
	wait_cqe(h, 2, &a[0], 2000);
	expect_sent(&a[0]);
	expect_received(&b[0], 0);
}

Test(srq, empty_srq_drops_uc_messages)
{
	be_service(&a[0], &b[0], RIG_UC);
	post_send(&a[0], 0x0a, 100);
	settle(h, 2);
	expect_sent(&a[0]);
	give(1);
	exchange(0, 100, 0);
}

Test(srq, dropped_message_keeps_its_wqe_for_the_qp)
{
	be_service(&a[0], &b[0], RIG_UC);
	give(2);
	post_send(&a[0], 0x0a, 200);
	settle(h, 2);
	expect_sent(&a[0]);
	expect_received(&b[0], 0);
	post_send(&a[0], 0x0a, 300);
	only_the_first_frame();
	settle(h, 2);
	expect_sent(&a[0]);
	cr_expect_eq(s.srq->taken, 2);
	exchange(0, 100, 3);
	cr_expect_eq(s.srq->taken, 2);
}

Test(srq, datagrams_use_srqs)
{
	uint8_t av[48];

	be_service(&a[0], &b[0], RIG_UD);
	h[0].hca.port.mtu = h[1].hca.port.mtu = 1024;
	put_av(av, &b[0], RIG_QKEY);
	give(1);
	post_wr(&a[0], &(struct wr){ .opcode = 0x0a,
				     .fm_ce_se = SIGNALED,
				     .len = 100,
				     .head = av,
				     .head_units = 3 });
	ring(&a[0]);
	settle(h, 2);
	expect_sent(&a[0]);
	expect_received(&b[0], 0);
	cr_expect_arr_eq(h[1].buf + 40, h[0].buf, 100);
}

Test(srq, inline_scatter)
{
	PRM_SET(qpc, b[0].qp->qpc, cs_res, 1);
	give(1);
	exchange(0, 32, 0);
	cr_expect_arr_eq(b[0].cqes, h[0].buf, 32);
	cr_expect_eq(b[0].cqes[63] & 0xc, 4);
	cr_expect_eq(h[1].buf[0], 0);
}

Test(srq, limit_event_is_raised_once)
{
	give(4);
	s.srq->lwm = 3;
	exchange(0, 10, 0);
	expect_no_event(eq);
	exchange(1, 10, 3);
	expect_event(eq, PRM_EVENT_SRQ_RQ_LIMIT, s.srq->srqn);
	cr_expect_eq(s.srq->lwm, 0);
	exchange(0, 10, 6);
}

Test(srq, qp_in_err_raises_last_wqe_reached)
{
	give(2);
	b[0].qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&h[1].hca, b[0].qp);
	settle(h, 2);
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b[0].qp->qpn);
	engine_kick(&h[1].hca, b[0].qp);
	settle(h, 2);
	expect_no_event(eq);
	exchange(1, 10, 0);
}

Test(srq, wqe_of_an_unfinished_message_is_flushed)
{
	give(1);
	post_send(&a[0], 0x0a, 700);
	only_the_first_frame();
	b[0].qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&h[1].hca, b[0].qp);
	engine_step(h[1].e);
	expect_error(&b[0], 14, 0x05, 0);
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b[0].qp->qpn);
}

Test(srq, too_long_a_message_ends_in_its_wqe)
{
	shared_post(&s, RIG_VA, 64, RIG_FAR_KEY);
	post_send(&a[0], 0x0a, 100);
	settle(h, 2);
	expect_error(&b[0], 14, 0x01, 0);
	expect_error(&a[0], 13, 0x12, 0);
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b[0].qp->qpn);
}

Test(srq, refused_write_with_immediate_ends_a_wqe_in_error)
{
	give(1);
	post_wr(&a[0], &(struct wr){ .opcode = 0x09, .len = 8, .rkey = RIG_FAR_KEY + 1 });
	ring(&a[0]);
	settle(h, 2);
	expect_error(&b[0], 14, 0x11, 0);
	expect_error(&a[0], 13, 0x13, 0);
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b[0].qp->qpn);
}

Test(srq, lkeys_are_of_the_pd_of_the_srq)
{
	s.srq->pd = hca_pd_new(&h[1].hca);
	give(1);
	post_send(&a[0], 0x0a, 100);
	settle(h, 2);
	expect_error(&b[0], 14, 0x04, 0);
	expect_error(&a[0], 13, 0x14, 0);
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b[0].qp->qpn);
}

Test(srq, invalid_link_stops_the_srq)
{
	s.wqes[2] = 0x12; /* next of WQE 0: 0x1203 */
	give(2);
	a[0].qp->rnr_retry = 0;
	exchange(0, 10, 0);
	post_send(&a[0], 0x0a, 10);
	settle(h, 2);
	expect_event(eq, PRM_EVENT_SRQ_CATAS_ERROR, s.srq->srqn);
	cr_expect(s.srq->error);
	expect_error(&a[0], 13, 0x16, 1);
}
