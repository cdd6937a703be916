/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC: an initiator (side a, QPN 0x10001) and a target (side b, 0x10002) on one host; the SRQ
 * of each WQE has the receive WQEs, the PD of the rkeys and the CQ. The SRQ has a separate PD,
 * and so has the target, whose PD no mkey has.
 */
#include <string.h>

#include "rig.h"

static struct side c; /* whose CQ the SRQ has */
static struct shared s;
static struct hca_xrcd *xrcd;
static struct hca_eq *eq;

static void setup(void)
{
	pair_open();
	side_open(&c, &near);
	shared_open(&s, &near);
	be_service(&a, &b, RIG_XRC);
	eq = events_open(&near);
	xrcd = hca_xrcd_new(&near.hca);
	s.srq->xrc = true;
	s.srq->xrcd = xrcd;
	s.srq->cq = c.cq;
	s.srq->user_index = 0xabcdef;
	b.qp->xrcd = xrcd;
	b.qp->pd = hca_pd_new(&near.hca);
	b.qp->state = PRM_QPC_STATE_RTR;
	b.qp->resp.comm_est = true;
	b.qp->rq.cnt = b.qp->sq.cnt = 0;
	address_srq(&a, s.srq->srqn);
}

static void teardown(void)
{
	expect_no_event(eq);
	rig_close_read();
}

TestSuite(xrc, .init = setup, .fini = teardown);

static void expect_invalid_request(void)
{
	expect_cqe(&a, "req_err rem_inv_req wqe=0");
	expect_event(eq, PRM_EVENT_WQ_INVAL_REQ_ERROR, b.qp->qpn);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(xrc, send_completes_on_the_cq_of_the_srq_under_its_index)
{

	cr_assert_eq(s.srq->srqn, 0x10001);
	record_frames();
	post_shared(&s, "recv 256 local=0x2000");
	succeed(&a, "send_imm 100 imm=0xdeadbeef sig");
	expect_cqe(&c, "received send_imm 100 imm=0xdeadbeef qpn=0x10002 user=0xabcdef wqe=0");
	cr_expect_arr_eq(near.buf + 0x2000, near.buf, 100);
	cr_expect_eq(frames, 2);
	expect_frames(0, "xrc: send_only_imm ack");
}

Test(xrc, one_target_serves_several_srqs)
{
	static struct shared t;

	shared_open(&t, &near);
	t.srq->xrc = true;
	t.srq->xrcd = xrcd;
	t.srq->cq = c.cq;
	t.srq->user_index = 0x123456;
	post_shared(&s, "recv 4096 local=0x2000");
	post_shared(&t, "recv 4096 local=0x4000");
	execute(&a, "send 3000 sig");
	address_srq(&a, t.srq->srqn);
	finish(&a, "send 2000 sig", "sent; sent");
	expect_cqe(&c, "received user=0xabcdef; received user=0x123456");
	cr_expect_arr_eq(near.buf + 0x2000, near.buf, 3000);
	cr_expect_arr_eq(near.buf + 0x4000, near.buf, 2000);
}

Test(xrc, writes_reads_and_atomics_have_the_rights_of_the_srq)
{
	record_frames();
	write_read_and_add(&a);
	cr_expect_eq(s.srq->taken, 0);
	expect_only_frames(
		"xrc: write_first write_middle write_last ack "
		"read_request read_response_first read_response_middle read_response_last fetch_add atomic_ack");
}

Test(xrc, write_with_immediate_takes_a_wqe)
{
	post_shared(&s, "recv 256 local=0x2000");
	succeed(&a, "write_imm 2000 remote=0x10000 sig");
	expect_cqe(&c, "received write_imm");
	cr_expect_arr_eq(near.buf + 0x10000, near.buf, 2000);
}

Test(xrc, empty_srq_is_receiver_not_ready)
{
	execute(&a, "send 100 sig");
	expect_none(&a);
	post_shared(&s, "recv 256 local=0x2000");
	wait_cqe(&a, 2000);
	expect_cqe(&a, "sent");
	expect_cqe(&c, "received");
}

Test(xrc, unknown_srq_is_refused)
{
	address_srq(&a, s.srq->srqn + 9);
	execute(&a, "write 100 remote=0x10000 sig");
	expect_invalid_request();
	cr_expect_eq(near.buf[0x10000], 0);
}

Test(xrc, basic_srq_is_refused)
{
	s.srq->xrc = false;
	execute(&a, "send 100 sig");
	expect_invalid_request();
}

Test(xrc, srq_of_another_domain_is_refused)
{
	s.srq->xrcd = hca_xrcd_new(&near.hca);
	post_shared(&s, "recv 256 local=0x2000");
	execute(&a, "send 100 sig");
	expect_invalid_request();
}

Test(xrc, key_of_another_pd_than_the_srqs_is_refused)
{
	s.srq->pd = b.qp->pd;
	finish(&a, "write 100 remote=0x10000 sig", "req_err rem_access wqe=0");
	expect_event(eq, PRM_EVENT_WQ_ACCESS_ERROR, b.qp->qpn);
	expect_finding("the key is of PD|the peer refuses 100 bytes");
}

Test(xrc, receive_error_completes_on_the_cq_of_the_srq)
{
	post_shared(&s, "recv 64 local=0x2000");
	finish(&a, "send 100 sig", "req_err rem_inv_req wqe=0");
	expect_cqe(&c, "resp_err local_length wqe=0");
	cr_expect_eq(c.cqes[33], 0xab);
}

Test(xrc, wqe_of_a_destroyed_srq_is_not_flushed)
{
	struct wire_packet p = { .opcode = 0xa0,
				 .psn = 0x100,
				 .srqn = s.srq->srqn,
				 .payload = near.buf,
				 .payload_len = 1024 };

	post_shared(&s, "recv 4096 local=0x2000");
	put_packet(&near, &b, p);
	wire_flush(near.w);
	settle();
	cr_expect_eq(s.srq->taken, 1);
	hca_srq_free(&near.hca, s.srq);
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&near.hca, b.qp);
	settle();
}
