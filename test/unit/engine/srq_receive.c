/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SRQs: the list is followed, a WQE belongs to one message from its first packet on, and the
 * two events. The list of the rig is 0, 3, 6, 9, 12, 15, 2, …
 */
#include <string.h>

#include "prm/prm.h"
#include "rig.h"

static struct side a2, b2; /* a sends to b, a2 to b2; b and b2 share s */
static struct shared s;
static struct hca_eq *eq;

static void setup(void)
{
	far_pair_open_with(256, 0x100);
	side_open(&a2, &near);
	side_open(&b2, &far);
	connect_sides(&a2, &b2, 256, 0x100);
	shared_open(&s, &far);
	b.qp->rq.cnt = b2.qp->rq.cnt = 0;
	b.qp->srq = b2.qp->srq = s.srq;
	eq = events_open(&far);
}

static void teardown(void)
{
	expect_no_event(eq);
	rig_close_read();
}

TestSuite(srq, .init = setup, .fini = teardown);

/* @n receive WQEs of 1024 bytes, at 0, 0x1000, 0x2000 … */
static void post_to_srq(unsigned int n)
{
	while (n--)
		post_shared(&s, "recv 1024 local=0x%x", s.posted * 0x1000);
}

/* Sends what was posted; only the first frame is not lost. */
static void only_the_first_frame(void)
{
	static uint8_t bytes[512];
	const uint8_t *frame;
	struct wire_packet p;
	uint8_t from;
	size_t len;

	settle_only(&near);
	frame = wire_next(far.w, &len, &from);
	cr_assert_not_null(frame);
	memcpy(bytes, frame, len);
	cr_assert(wire_unpack(&p, bytes, len));
	while (wire_next(far.w, &len, &from))
		;
	cr_assert(wire_has_space(near.w, 2));
	wire_send(near.w, 2, &p);
	wire_flush(near.w);
	settle_only(&far);
}

/* A SEND of @len bytes from @from to @to, into the WQE @index of the SRQ. */
static void exchange(struct side *from, struct side *to, uint32_t len, unsigned int index)
{
	execute(from, "send %u sig", len);
	expect_cqe(from, "sent send");
	expect_cqe(to, "received %u wqe=%u", len, index);
}

Test(srq, list_is_followed_and_the_cqe_has_the_index)
{
	post_to_srq(3);
	exchange(&a, &b, 600, 0);
	succeed(&a2, "send 100 sig");
	expect_cqe(&b2, "received 100 wqe=3");
	exchange(&a, &b, 50, 6);
	cr_expect_arr_eq(far.buf, near.buf, 600);
	cr_expect_arr_eq(far.buf + 0x1000, near.buf, 100);
	cr_expect_arr_eq(far.buf + 0x2000, near.buf, 50);
	cr_expect_eq(s.srq->taken, 3);
	cr_expect_eq(s.srq->next, 9);
}

Test(srq, list_is_reused_after_relinking)
{
	post_to_srq(RIG_RQ);
	for (unsigned int i = 0; i < 40; i++) {
		exchange(i & 1 ? &a2 : &a, i & 1 ? &b2 : &b, 10, i * 3 % RIG_RQ);
		post_to_srq(1);
	}
}

/* The links are there, and are not read. */
Test(srq, cyclic_srq_is_taken_in_order)
{
	s.srq->cyclic = true;
	post_to_srq(RIG_RQ);
	for (unsigned int i = 0; i < 40; i++) {
		exchange(i & 1 ? &a2 : &a, i & 1 ? &b2 : &b, 10, i % RIG_RQ);
		post_to_srq(1);
	}
}

Test(srq, interleaved_messages_keep_their_wqes)
{
	uint8_t from;
	struct wire_packet p[6];
	static uint8_t bytes[6][512];
	size_t len;

	post_to_srq(2);
	post_rung(&a, "send 700 sig");
	post_rung(&a2, "send 700 sig");
	settle_only(&near);
	for (int i = 0; i < 6; i++) {
		const uint8_t *frame = wire_next(far.w, &len, &from);

		cr_assert_not_null(frame);
		memcpy(bytes[i], frame, len);
		cr_assert(wire_unpack(&p[i], bytes[i], len));
	}
	/* Three packets of each: first, first, middle, middle, last, last. */
	cr_assert_eq(p[0].dqpn, p[2].dqpn);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 6; j += 3) {
			cr_assert(wire_has_space(near.w, 2));
			wire_send(near.w, 2, &p[i + j]);
		}
	settle();
	expect_cqe(&a, "sent");
	expect_cqe(&a2, "sent");
	expect_cqe(p[0].dqpn == b2.qp->qpn ? &b2 : &b, "received 700 wqe=0");
	expect_cqe(p[0].dqpn != b2.qp->qpn ? &b2 : &b, "received 700 wqe=3");
	cr_expect_arr_eq(far.buf, near.buf, 700);
	cr_expect_arr_eq(far.buf + 0x1000, near.buf, 700);
	expect_finding("served by a doorbell that named another QP");
}

Test(srq, write_with_immediate_takes_one_and_a_plain_write_none)
{
	post_to_srq(1);
	post_rung(&a, "write 300 remote=0x100000 sig");
	finish(&a, "write_imm 300 remote=0x100000 sig", "sent; sent");
	expect_cqe(&b, "received write_imm 300");
	cr_expect_eq(s.srq->taken, 1);
}

Test(srq, empty_srq_is_receiver_not_ready)
{
	execute(&a, "send 100 sig");
	expect_none(&a);
	post_to_srq(1);
	wait_cqe(&a, 2000);
	expect_cqe(&a, "sent");
	expect_cqe(&b, "received wqe=0");
}

Test(srq, empty_srq_drops_uc_messages)
{
	be_service(&a, &b, RIG_UC);
	succeed(&a, "send 100 sig");
	post_to_srq(1);
	exchange(&a, &b, 100, 0);
}

Test(srq, dropped_message_keeps_its_wqe_for_the_qp)
{
	be_service(&a, &b, RIG_UC);
	post_to_srq(2);
	succeed(&a, "send 200 sig");
	expect_cqe(&b, "received wqe=0");
	post_rung(&a, "send 300 sig");
	only_the_first_frame();
	settle();
	expect_cqe(&a, "sent");
	cr_expect_eq(s.srq->taken, 2);
	exchange(&a, &b, 100, 3);
	cr_expect_eq(s.srq->taken, 2);
}

Test(srq, datagrams_use_srqs)
{
	be_service(&a, &b, RIG_UD);
	near.hca.port.mtu = far.hca.port.mtu = 1024;
	address(&a, &b, RIG_QKEY);
	post_to_srq(1);
	succeed(&a, "send 100 sig");
	expect_cqe(&b, "received wqe=0");
	cr_expect_arr_eq(far.buf + 40, near.buf, 100);
}

Test(srq, inline_scatter)
{
	PRM_SET(qpc, b.qp->qpc, cs_res, 1);
	post_to_srq(1);
	finish(&a, "send 32 sig", "sent send");
	expect_cqe(&b, "received 32 inline32 wqe=0");
	cr_expect_arr_eq(b.cqes, near.buf, 32);
	cr_expect_eq(far.buf[0], 0);
}

Test(srq, limit_event_is_raised_once)
{
	post_to_srq(4);
	s.srq->lwm = 3;
	exchange(&a, &b, 10, 0);
	expect_no_event(eq);
	exchange(&a2, &b2, 10, 3);
	expect_event(eq, PRM_EVENT_SRQ_RQ_LIMIT, s.srq->srqn);
	cr_expect_eq(s.srq->lwm, 0);
	exchange(&a, &b, 10, 6);
}

Test(srq, qp_in_err_raises_last_wqe_reached)
{
	post_to_srq(2);
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&far.hca, b.qp);
	settle();
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b.qp->qpn);
	engine_kick(&far.hca, b.qp);
	settle();
	expect_no_event(eq);
	exchange(&a2, &b2, 10, 0);
}

Test(srq, wqe_of_an_unfinished_message_is_flushed)
{
	post_to_srq(1);
	post_rung(&a, "send 700 sig");
	only_the_first_frame();
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&far.hca, b.qp);
	engine_step(far.e);
	expect_cqe(&b, "resp_err flushed wqe=0");
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b.qp->qpn);
}

Test(srq, too_long_a_message_ends_in_its_wqe)
{
	post_shared(&s, "recv 64");
	execute(&a, "send 100 sig");
	expect_cqe(&b, "resp_err local_length wqe=0");
	expect_cqe(&a, "req_err rem_inv_req wqe=0");
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b.qp->qpn);
}

Test(srq, refused_write_with_immediate_ends_a_wqe_in_error)
{
	post_to_srq(1);
	execute(&a, "write_imm 8 rkey=wrong");
	expect_cqe(&b, "resp_err local_access wqe=0");
	expect_cqe(&a, "req_err rem_access wqe=0");
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b.qp->qpn);
	expect_finding("the low 8 bits|the peer refuses 8 bytes");
}

Test(srq, lkeys_are_of_the_pd_of_the_srq)
{
	s.srq->pd = hca_pd_new(&far.hca);
	post_to_srq(1);
	execute(&a, "send 100 sig");
	expect_cqe(&b, "resp_err local_prot wqe=0");
	expect_cqe(&a, "req_err rem_op wqe=0");
	expect_event(eq, PRM_EVENT_SRQ_LAST_WQE, b.qp->qpn);
	expect_finding("the key is of PD 0x20001, not 0x20002");
}

Test(srq, invalid_link_stops_the_srq)
{
	s.wqes[2] = 0x12; /* next of WQE 0: 0x1203 */
	post_to_srq(2);
	a.qp->rnr_retry = 0;
	exchange(&a, &b, 10, 0);
	execute(&a, "send 10 sig");
	expect_event(eq, PRM_EVENT_SRQ_CATAS_ERROR, s.srq->srqn);
	cr_expect(s.srq->error);
	expect_cqe(&a, "req_err rnr_retry_exc wqe=1");
}
