/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UD: WQEs with an address vector, the 40 bytes before the received data, and datagrams that
 * are dropped silently. Hosts 1 and 2 at 10.0.0.1 and 10.0.0.2; QPN 0x10001 sends.
 */
#include <string.h>

#include "rig.h"

static void setup(void)
{
	far_pair_open();
	be_service(&a, &b, RIG_UD);
	a.qp->remote_qpn = b.qp->remote_qpn = 0;
	near.hca.port.mtu = far.hca.port.mtu = 1024;
	address(&a, &b, RIG_QKEY);
}

TestSuite(ud, .init = setup, .fini = rig_close_read);

static void expect_refused(const char *syndrome)
{
	expect_cqe(&a, "req_err %s wqe=0", syndrome);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	cr_expect_eq(frames, 0);
}

Test(ud, grh_and_both_cqes_are_golden)
{
	/* IP 20, UDP 8, BTH 12, DETH 8, ImmDt 4, 100, ICRC 4 = 156 */
	static const uint8_t grh[40] = {
		[20] = 0x45, 0x20, 0,  156, 0, 0, 0x40, 0, 64, 17,
		0x26,	     0x2f, 10, 0,   0, 1, 10,	0, 0,  2,
	};

	post(&b, "recv 256 local=0x2000");
	a.head[26] = 0x20; /* traffic class */
	finish(&a, "send_imm 100 local=0x10 imm=0xdeadbeef sig", "sent send_imm wqe=0");
	cr_expect_arr_eq(b.cqes + 24, ((uint8_t[]){ 0x12, 0x01, 0x00, 0x01 }), 4,
			 "flags_rqpn %02x%02x%02x%02x", b.cqes[24], b.cqes[25], b.cqes[26],
			 b.cqes[27]);
	expect_cqe(&b, "received send_imm 140 imm=0xdeadbeef wqe=0");
	for (int i = 0; i < 40; i++)
		cr_expect_eq(far.buf[0x2000 + i], grh[i], "GRH byte %d: %02x", i,
			     far.buf[0x2000 + i]);
	cr_expect_arr_eq(far.buf + 0x2000 + 40, near.buf + 0x10, 100);
	cr_expect_eq(far.buf[0x2000 + 140], 0);
}

/* mlx5_ib, cq.c, handle_responder: a CQE of QP1 has the P_Key, which the driver looks up. */
Test(ud, cqe_of_qp1_has_the_pkey)
{
	post(&b, "recv 256");
	post(&b, "recv 256");
	succeed(&a, "send 4 sig");
	expect_cqe(&b, "received");
	cr_expect_arr_eq(b.cqes + 36, "\0\0\0\0", 4, "no QP1");
	b.qp->st = PRM_QPC_ST_QP1;
	succeed(&a, "send 4 sig");
	expect_cqe(&b, "received");
	cr_expect_arr_eq(b.cqes + 64 + 36, "\0\0\xff\xff", 4);
}

Test(ud, ipv6_header_fills_the_40_bytes)
{
	static const uint8_t head[8] = { 0x60, 0, 0, 0, 0, 8 + 12 + 8 + 4 + 4, 17, 64 };

	near.hca.port.gid[0] = (struct hca_gid){ .valid = true,
						 .version = 2,
						 .l3_type = 1,
						 .raw = { 0xfe, 0x80, [15] = 1 },
						 .mac = { 2, [5] = 1 } };
	far.hca.port.gid[0] = (struct hca_gid){ .valid = true,
						.version = 2,
						.l3_type = 1,
						.raw = { 0xfe, 0x80, [15] = 2 },
						.mac = { 2, [5] = 2 } };
	address(&a, &b, RIG_QKEY);
	post(&b, "recv 256");
	succeed(&a, "send 4 sig");
	expect_cqe(&b, "received");
	cr_expect_eq(b.cqes[24], 0x11);
	cr_expect_arr_eq(far.buf, head, sizeof(head));
	cr_expect_arr_eq(far.buf + 8, near.hca.port.gid[0].raw, 16);
	cr_expect_arr_eq(far.buf + 24, far.hca.port.gid[0].raw, 16);
	cr_expect_arr_eq(far.buf + 40, near.buf, 4);
}

Test(ud, all_fields_of_the_address_are_in_the_packet)
{
	post(&b, "recv 256");
	record_frames();
	address_in_full(&a, &far);
	succeed(&a, "send 4 sig");
	expect_cqe(&b, "received");
	expect_full_address();
}

static struct hca_eq *armed_events(void)
{
	struct hca_eq *eq = events_open(&far);

	b.cq->eq = eq;
	b.cq_rec[1] = 0;
	event_cq_arm(&far.hca, b.cq, 0);
	return eq;
}

/* A datagram that no WQE takes is not the first; the event comes before the data. */
Test(ud, first_datagram_before_rts_is_an_event)
{
	struct hca_eq *eq = armed_events();
	uint8_t eqe[64];

	b.qp->state = PRM_QPC_STATE_RTR;
	execute(&a, "send 4 sig");
	address(&a, &b, RIG_QKEY + 1);
	post(&b, "recv 256; recv 256");
	execute(&a, "send 4 sig");
	expect_no_event(eq);
	address(&a, &b, RIG_QKEY);
	execute(&a, "send 4 sig");
	expect_event(eq, PRM_EVENT_COMM_EST, 0x20001);
	cr_assert(event_eq_next(eq, eqe));
	cr_expect_eq(eqe[1], PRM_EVENT_COMP);
	execute(&a, "send 4 sig");
	expect_no_event(eq);
	expect_cqe(&a, "sent; sent; sent; sent");
	expect_cqe(&b, "received; received");
}

Test(ud, first_datagram_in_rts_is_no_event)
{
	struct hca_eq *eq = events_open(&far);

	post(&b, "recv 256; recv 256");
	execute(&a, "send 4 sig");
	b.qp->state = PRM_QPC_STATE_RTR; /* it was the first already */
	execute(&a, "send 4 sig");
	expect_no_event(eq);
	expect_cqe(&a, "sent; sent");
	expect_cqe(&b, "received; received");
}

Test(ud, one_qp_reaches_several_processes_and_itself)
{
	static struct side c;

	side_open(&c, &near);
	c.qp->st = RIG_UD;
	c.qp->qkey = RIG_QKEY;
	c.qp->state = PRM_QPC_STATE_RTR;
	post(&a, "recv 256 local=0x1000");
	post(&b, "recv 256 local=0x2000");
	post(&c, "recv 256 local=0x3000");
	execute(&a, "send 16 sig");
	address(&a, &c, RIG_QKEY);
	execute(&a, "send 16 sig");
	address(&a, &a, RIG_QKEY);
	finish(&a, "send 16 sig", "sent; sent; sent");
	expect_cqe(&a, "received");
	expect_cqe(&b, "received");
	expect_cqe(&c, "received");
	cr_expect_arr_eq(near.buf + 0x1000 + 40, near.buf, 16);
	cr_expect_arr_eq(far.buf + 0x2000 + 40, near.buf, 16);
	cr_expect_arr_eq(near.buf + 0x3000 + 40, near.buf, 16);
	expect_none(&c);
}

Test(ud, high_bit_of_the_qkey_selects_the_qkey_of_the_qp)
{
	address(&a, &b, 0x80000000);
	post(&b, "recv 256");
	succeed(&a, "send 4 sig");
	expect_cqe(&b, "received");
}

static void expect_dropped(void)
{
	succeed(&a, "send 4 sig");
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(ud, wrong_qkey_is_dropped)
{
	address(&a, &b, RIG_QKEY + 1);
	post(&b, "recv 256");
	expect_dropped();
}

Test(ud, datagram_for_another_gid_is_dropped)
{
	a.head[47] = 77;
	post(&b, "recv 256");
	expect_dropped();
}

Test(ud, without_a_receive_it_is_dropped)
{
	expect_dropped();
}

Test(ud, qp_of_another_service_drops_datagrams)
{
	b.qp->st = RIG_RC;
	post(&b, "recv 256");
	expect_dropped();
}

Test(ud, dropped_datagram_consumes_no_receive)
{
	post(&b, "recv 256");
	address(&a, &b, RIG_QKEY + 1);
	execute(&a, "send 4 sig");
	address(&a, &b, RIG_QKEY);
	finish(&a, "send 4 sig", "sent; sent");
	expect_cqe(&b, "received");
}

/* The datagram that follows uses it. */
static void short_receive_is_kept(void)
{
	succeed(&a, "send 16 sig");
	expect_none(&b);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(far.buf[20], 0);
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
	succeed(&a, "send 15 sig");
	expect_cqe(&b, "received 55 wqe=0");
}

Test(ud, too_long_datagram_consumes_no_receive)
{
	post(&b, "recv 55; recv 256");
	short_receive_is_kept();
}

Test(ud, too_long_datagram_consumes_no_shared_receive)
{
	struct shared s;

	shared_open(&s, &far);
	b.qp->srq = s.srq;
	post_shared(&s, "recv 55");
	post_shared(&s, "recv 256");
	short_receive_is_kept();
}

Test(ud, bad_lkey_of_a_receive_is_a_local_protection_error)
{
	post(&b, "recv 256 lkey=wrong");
	succeed(&a, "send 16 sig");
	expect_cqe(&b, "resp_err local_prot wqe=0");
	expect_finding("local write of 40 bytes at 0xa0000000: the low 8 bits");
}

Test(ud, one_mtu_is_sent_and_one_byte_more_is_refused)
{
	post(&b, "recv 2048");
	succeed(&a, "send 1024 sig");
	expect_cqe(&b, "received");
	finish(&a, "send 1025 sig", "req_err local_length wqe=2");
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
}

Test(ud, failed_send_flushes_sends_and_receives_continue)
{
	post(&a, "recv 256 local=0x1000");
	execute(&a, "send 4 sig; send 4 lkey=wrong sig; send 4 sig");
	expect_cqe(&a, "sent; req_err local_prot wqe=2; req_err flushed wqe=4");
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	finish(&a, "send 4 sig", "req_err flushed wqe=6");

	address(&b, &a, RIG_QKEY);
	execute(&b, "send 4");
	expect_cqe(&a, "received");

	a.qp->state = PRM_QPC_STATE_RTS; /* SQERR2RTS_QP */
	engine_kick(&near.hca, a.qp);
	succeed(&a, "send 4 sig");
	expect_finding("QP 0x10001, local read of 4 bytes at 0xa0000000: the low 8 bits");
}

Test(ud, address_vector_of_16_bytes_is_refused)
{
	record_frames();
	a.head[8] &= 0x7f;
	execute(&a, "send 4 sig");
	expect_refused("local_qp_op");
}

Test(ud, empty_gid_entry_is_refused)
{
	record_frames();
	a.head[29] = 0x70; /* index 7 */
	execute(&a, "send 4 sig");
	expect_refused("local_qp_op");
}

Test(ud, other_opcodes_are_refused)
{
	record_frames();
	execute(&a, "write 4");
	expect_refused("local_qp_op");
}

Test(ud, nop_needs_no_address)
{
	succeed(&a, "nop sig");
}

Test(ud, wqe_of_a_raw_packet_qp_is_refused)
{
	record_frames();
	a.qp->st = 9;
	finish(&a, "send 4 sig", "req_err local_qp_op wqe=0");
	cr_expect_eq(frames, 0);
}
