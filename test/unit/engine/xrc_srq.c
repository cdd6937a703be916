/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XRC: an initiator (side a, QPN 0x10001) and a target (side b, 0x10002) on one host; the SRQ
 * of each WQE has the receive WQEs, the PD of the rkeys and the CQ. The SRQ has a separate PD,
 * and so has the target, whose PD no mkey has.
 */
#include <string.h>

#include "rig.h"

static struct host h;
static struct side a, b, c; /* c: whose CQ the SRQ has */
static struct shared s;
static struct hca_xrcd *xrcd;
static struct hca_eq *eq;
static uint8_t seg[16];

static void setup(void)
{
	pair_open(&h, &a, &b);
	side_open(&c, &h);
	shared_open(&s, &h);
	be_service(&a, &b, RIG_XRC);
	eq = events_open(&h);
	xrcd = hca_xrcd_new(&h.hca);
	s.srq->xrc = true;
	s.srq->xrcd = xrcd;
	s.srq->cq = c.cq;
	s.srq->user_index = 0xabcdef;
	b.qp->xrcd = xrcd;
	b.qp->pd = hca_pd_new(&h.hca);
	b.qp->state = PRM_QPC_STATE_RTR;
	b.qp->resp.comm_est = true;
	b.qp->rq.cnt = b.qp->sq.cnt = 0;
	put_xrc(seg, s.srq->srqn);
	for (int i = 0; i < 4096; i++)
		h.buf[i] = (uint8_t)(i * 7 + 3);
}

static void teardown(void)
{
	expect_none(&a);
	expect_none(&b);
	expect_none(&c);
	expect_no_event(eq);
	host_close(&h);
}

TestSuite(xrc, .init = setup, .fini = teardown);

static void post_xrc(uint8_t opcode, uint32_t len)
{
	post_wr(&a, &(struct wr){ .opcode = opcode,
				  .fm_ce_se = SIGNALED,
				  .len = len,
				  .remote = 0x10000,
				  .local = opcode >= 0x10 ? 0x20000 : 0,
				  .swap_add = 5,
				  .head = seg,
				  .head_units = 1 });
	ring(&a);
	settle(&h, 1);
}

static void expect_sent(void)
{
	const uint8_t *cqe = next_cqe(&a);

	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
}

static void expect_refused(void)
{
	expect_error(&a, 13, 0x12, 0);
	expect_event(eq, PRM_EVENT_WQ_INVAL_REQ_ERROR, b.qp->qpn);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
}

Test(xrc, send_completes_on_the_cq_of_the_srq_under_its_index)
{
	static const uint8_t wqe[] = {
		0, 0, 0, 0x0b, 0x01, 0x00, 0x01, 3,    0, 0, 0, 0x08, 0xde, 0xad, 0xbe, 0xef,
		0, 1, 0, 1,    0,    0,	   0,	 0,    0, 0, 0, 0,    0,    0,	  0,	0,
		0, 0, 0, 100,  0x01, 0x00, 0x01, 0x42, 0, 0, 0, 0,    0xa0, 0,	  0,	0,
	};
	static const uint8_t received[32] = {
		[1] = 0xab, 0xcd, 0xef, 0xde, 0xad, 0xbe, 0xef, [15] = 100,
		[24] = 0,   0x01, 0x00, 0x02, 0,    0,	  0,	0x30,
	};
	static const uint8_t opcodes[] = { 0xa5, 0xb1 };

	cr_assert_eq(s.srq->srqn, 0x10001);
	record_frames();
	shared_post(&s, RIG_VA + 0x2000, 256, RIG_KEY);
	post(&a, wqe, 3);
	ring(&a);
	settle(&h, 1);
	expect_sent();
	expect_cqe(&c, received);
	cr_expect_arr_eq(h.buf + 0x2000, h.buf, 100);
	cr_expect_eq(frames, 2);
	expect_opcodes(0, opcodes, 2);
}

Test(xrc, one_target_serves_several_srqs)
{
	static struct shared t;

	shared_open(&t, &h);
	t.srq->xrc = true;
	t.srq->xrcd = xrcd;
	t.srq->cq = c.cq;
	t.srq->user_index = 0x123456;
	shared_post(&s, RIG_VA + 0x2000, 4096, RIG_KEY);
	shared_post(&t, RIG_VA + 0x4000, 4096, RIG_KEY);
	post_xrc(0x0a, 3000);
	put_xrc(seg, t.srq->srqn);
	post_xrc(0x0a, 2000);
	expect_sent();
	expect_sent();
	cr_expect_eq(next_cqe(&c)[33], 0xab);
	cr_expect_eq(next_cqe(&c)[33], 0x12);
	cr_expect_arr_eq(h.buf + 0x2000, h.buf, 3000);
	cr_expect_arr_eq(h.buf + 0x4000, h.buf, 2000);
}

Test(xrc, writes_reads_and_atomics_have_the_rights_of_the_srq)
{
	static const uint8_t opcodes[] = { 0xa6, 0xa7, 0xa8, 0xb1, 0xac,
					   0xad, 0xae, 0xaf, 0xb4, 0xb2 };
	uint64_t word = 100;

	record_frames();
	post_xrc(0x08, 3000);
	post_xrc(0x10, 3000);
	memcpy(h.buf + 0x10000, &word, 8);
	cr_expect_arr_eq(h.buf + 0x20000, h.buf, 3000);
	post_xrc(0x12, 8);
	for (int i = 0; i < 3; i++)
		expect_sent();
	memcpy(&word, h.buf + 0x10000, 8);
	cr_expect_eq(word, 105);
	memcpy(&word, h.buf + 0x20000, 8);
	cr_expect_eq(word, 100);
	cr_expect_eq(s.srq->taken, 0);
	cr_expect_eq(frames, 10);
	expect_opcodes(0, opcodes, 10);
}

Test(xrc, write_with_immediate_takes_a_wqe)
{
	shared_post(&s, RIG_VA + 0x2000, 256, RIG_KEY);
	post_xrc(0x09, 2000);
	expect_sent();
	cr_expect_eq(next_cqe(&c)[63] >> 4, 1);
	cr_expect_arr_eq(h.buf + 0x10000, h.buf, 2000);
}

Test(xrc, empty_srq_is_receiver_not_ready)
{
	post_xrc(0x0a, 100);
	expect_none(&a);
	shared_post(&s, RIG_VA + 0x2000, 256, RIG_KEY);
	wait_cqe(&h, 1, &a, 2000);
	expect_sent();
	cr_expect_not_null(next_cqe(&c));
}

Test(xrc, unknown_srq_is_refused)
{
	put_xrc(seg, s.srq->srqn + 9);
	post_xrc(0x08, 100);
	expect_refused();
	cr_expect_eq(h.buf[0x10000], 0);
}

Test(xrc, basic_srq_is_refused)
{
	s.srq->xrc = false;
	post_xrc(0x0a, 100);
	expect_refused();
}

Test(xrc, srq_of_another_domain_is_refused)
{
	s.srq->xrcd = hca_xrcd_new(&h.hca);
	shared_post(&s, RIG_VA + 0x2000, 256, RIG_KEY);
	post_xrc(0x0a, 100);
	expect_refused();
}

Test(xrc, key_of_another_pd_than_the_srqs_is_refused)
{
	s.srq->pd = b.qp->pd;
	post_xrc(0x08, 100);
	expect_error(&a, 13, 0x13, 0);
	expect_event(eq, PRM_EVENT_WQ_ACCESS_ERROR, b.qp->qpn);
}

Test(xrc, receive_error_completes_on_the_cq_of_the_srq)
{
	shared_post(&s, RIG_VA + 0x2000, 64, RIG_KEY);
	post_xrc(0x0a, 100);
	expect_error(&a, 13, 0x12, 0);
	expect_error(&c, 14, 0x01, 0);
	cr_expect_eq(c.cqes[33], 0xab);
}

Test(xrc, wqe_of_a_destroyed_srq_is_not_flushed)
{
	struct wire_packet p = { .opcode = 0xa0,
				 .psn = 0x100,
				 .srqn = s.srq->srqn,
				 .payload = h.buf,
				 .payload_len = 1024 };

	shared_post(&s, RIG_VA + 0x2000, 4096, RIG_KEY);
	put_packet(&h, &b, p);
	wire_flush(h.w);
	settle(&h, 1);
	cr_expect_eq(s.srq->taken, 1);
	hca_srq_free(&h.hca, s.srq);
	b.qp->state = PRM_QPC_STATE_ERR;
	engine_kick(&h.hca, b.qp);
	settle(&h, 1);
}
