/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UD: WQEs with an address vector, the 40 bytes before the received data, and datagrams that
 * are dropped silently. Hosts 1 and 2 at 10.0.0.1 and 10.0.0.2; QPN 0x10001 sends.
 */
#include <string.h>

#include "rig.h"

static struct host h[2];
static struct side a, b; /* b on the other host */
static uint8_t av[48];

static void setup(void)
{
	far_pair_open(h, &a, &b, 1024, 0x100);
	be_service(&a, &b, RIG_UD);
	a.qp->remote_qpn = b.qp->remote_qpn = 0;
	h[0].hca.port.mtu = h[1].hca.port.mtu = 1024;
	for (int i = 0; i < 4096; i++)
		h[0].buf[i] = (uint8_t)(i * 7 + 3);
	put_av(av, &b, RIG_QKEY);
}

static void teardown(void)
{
	expect_none(&a);
	expect_none(&b);
	hosts_close(h);
}

TestSuite(ud, .init = setup, .fini = teardown);

static void run(void)
{
	ring(&a);
	settle(h, 2);
}

static void send(uint32_t len)
{
	post_wr(&a, &(struct wr){ .opcode = 0x0a,
				  .fm_ce_se = SIGNALED,
				  .len = len,
				  .head = av,
				  .head_units = 3 });
	run();
}

static void expect_sent(void)
{
	const uint8_t *cqe = next_cqe(&a);

	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
}

static void expect_refused(unsigned int syndrome)
{
	expect_error(&a, 13, syndrome, 0);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	cr_expect_eq(frames, 0);
}

Test(ud, wqe_and_both_cqes_are_golden)
{
	static const uint8_t wqe[] = {
		0,    0,    0,	  0x0b, 0x01, 0x00, 0x01, 5, 0, 0,    0,    0x08, 0xde, 0xad,
		0xbe, 0xef, 0x11, 0x22, 0x33, 0x44, 0,	  0, 0, 0,    0x80, 0x02, 0x00, 0x01,
		0,    0,    0xc0, 0x01, 0,    0,    0,	  0, 2, 0,    0,    0,	  0,	2,
		0x20, 64,   0,	  0,	0,    0,    0,	  0, 0, 0,    0,    0,	  0,	0,
		0,    0,    0xff, 0xff, 10,   0,    0,	  2, 0, 0,    0,    100,  0x01, 0x00,
		0x01, 0x42, 0,	  0,	0,    0,    0xa0, 0, 0, 0x10,
	};
	static const uint8_t sent[32] = { [3] = 0x71, [24] = 0x0b, 0x01, 0x00, 0x01 };
	static const uint8_t received[32] = {
		[3] = 0x71, 0xde, 0xad, 0xbe, 0xef, [15] = 140, [24] = 0,
		0x02,	    0x00, 0x01, 0,    0,    0,		0x30,
	};
	/* IP 20, UDP 8, BTH 12, DETH 8, ImmDt 4, 100, ICRC 4 = 156 */
	static const uint8_t grh[40] = {
		[20] = 0x45, 0x20, 0,  156, 0, 0, 0x40, 0, 64, 17,
		0x26,	     0x2f, 10, 0,   0, 1, 10,	0, 0,  2,
	};

	post_recv(&b, RIG_VA + 0x2000, 256, RIG_FAR_KEY);
	post(&a, wqe, 5);
	run();
	expect_cqe(&a, sent);
	cr_expect_arr_eq(b.cqes + 24, ((uint8_t[]){ 0x12, 0x01, 0x00, 0x01 }), 4,
			 "flags_rqpn %02x%02x%02x%02x", b.cqes[24], b.cqes[25], b.cqes[26],
			 b.cqes[27]);
	expect_cqe(&b, received);
	for (int i = 0; i < 40; i++)
		cr_expect_eq(h[1].buf[0x2000 + i], grh[i], "GRH byte %d: %02x", i,
			     h[1].buf[0x2000 + i]);
	cr_expect_arr_eq(h[1].buf + 0x2000 + 40, h[0].buf + 0x10, 100);
	cr_expect_eq(h[1].buf[0x2000 + 140], 0);
}

Test(ud, ipv6_header_fills_the_40_bytes)
{
	static const uint8_t head[8] = { 0x60, 0, 0, 0, 0, 8 + 12 + 8 + 4 + 4, 17, 64 };

	for (int i = 0; i < 2; i++) {
		struct hca_gid *g = &h[i].hca.port.gid[0];

		memset(g->raw, 0, 16);
		g->raw[0] = 0xfe;
		g->raw[1] = 0x80;
		g->raw[15] = (uint8_t)(i + 1);
		g->l3_type = 1;
	}
	put_av(av, &b, RIG_QKEY);
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY);
	send(4);
	expect_sent();
	cr_assert_not_null(next_cqe(&b));
	cr_expect_eq(b.cqes[24], 0x11);
	cr_expect_arr_eq(h[1].buf, head, sizeof(head));
	cr_expect_arr_eq(h[1].buf + 8, h[0].hca.port.gid[0].raw, 16);
	cr_expect_arr_eq(h[1].buf + 24, h[1].hca.port.gid[0].raw, 16);
	cr_expect_arr_eq(h[1].buf + 40, h[0].buf, 4);
}

Test(ud, one_qp_reaches_several_processes_and_itself)
{
	static struct side c;

	side_open(&c, &h[0]);
	c.qp->st = RIG_UD;
	c.qp->qkey = RIG_QKEY;
	c.qp->state = PRM_QPC_STATE_RTR;
	post_recv(&a, RIG_VA + 0x1000, 256, RIG_KEY);
	post_recv(&b, RIG_VA + 0x2000, 256, RIG_FAR_KEY);
	post_recv(&c, RIG_VA + 0x3000, 256, RIG_KEY);
	send(16);
	put_av(av, &c, RIG_QKEY);
	send(16);
	put_av(av, &a, RIG_QKEY);
	send(16);
	for (int i = 0; i < 3; i++)
		expect_sent();
	cr_assert_not_null(next_cqe(&a)); /* its own */
	cr_assert_not_null(next_cqe(&b));
	cr_assert_not_null(next_cqe(&c));
	cr_expect_arr_eq(h[0].buf + 0x1000 + 40, h[0].buf, 16);
	cr_expect_arr_eq(h[1].buf + 0x2000 + 40, h[0].buf, 16);
	cr_expect_arr_eq(h[0].buf + 0x3000 + 40, h[0].buf, 16);
	expect_none(&c);
}

Test(ud, high_bit_of_the_qkey_selects_the_qkey_of_the_qp)
{
	put_av(av, &b, 0x80000000);
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY);
	send(4);
	expect_sent();
	cr_expect_not_null(next_cqe(&b));
}

static void expect_dropped(void)
{
	send(4);
	expect_sent();
	cr_expect_eq(counters_of(&h[1]).rx_dropped, 1);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

Test(ud, wrong_qkey_is_dropped)
{
	put_av(av, &b, RIG_QKEY + 1);
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY);
	expect_dropped();
}

Test(ud, datagram_for_another_gid_is_dropped)
{
	av[47] = 77;
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY);
	expect_dropped();
}

Test(ud, without_a_receive_it_is_dropped)
{
	expect_dropped();
}

Test(ud, qp_of_another_service_drops_datagrams)
{
	b.qp->st = RIG_RC;
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY);
	expect_dropped();
}

Test(ud, dropped_datagram_consumes_no_receive)
{
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY);
	put_av(av, &b, RIG_QKEY + 1);
	send(4);
	put_av(av, &b, RIG_QKEY);
	send(4);
	expect_sent();
	expect_sent();
	cr_expect_not_null(next_cqe(&b));
}

/* @wqe_counter of the CQE: the receive was not used up. */
static void short_receive_is_kept(unsigned int wqe_counter)
{
	const uint8_t *cqe;

	send(16);
	expect_sent();
	expect_none(&b);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
	cr_expect_eq(h[1].buf[20], 0);
	cr_expect_eq(counters_of(&h[1]).rx_dropped, 1);
	send(15);
	expect_sent();
	cqe = next_cqe(&b);
	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] & 0xf2, 0x20);
	cr_expect_eq(cqe[47], 40 + 15);
	cr_expect_eq((unsigned int)cqe[60] << 8 | cqe[61], wqe_counter);
}

Test(ud, too_long_datagram_consumes_no_receive)
{
	post_recv(&b, RIG_VA, 40 + 15, RIG_FAR_KEY);
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY);
	short_receive_is_kept(0);
}

Test(ud, too_long_datagram_consumes_no_shared_receive)
{
	struct shared s;

	shared_open(&s, &h[1]);
	b.qp->srq = s.srq;
	shared_post(&s, RIG_VA, 40 + 15, RIG_FAR_KEY);
	shared_post(&s, RIG_VA, 256, RIG_FAR_KEY);
	short_receive_is_kept(0);
}

Test(ud, bad_lkey_of_a_receive_is_a_local_protection_error)
{
	post_recv(&b, RIG_VA, 256, RIG_FAR_KEY + 1);
	send(16);
	expect_sent();
	expect_error(&b, 14, 0x04, 0);
}

Test(ud, one_mtu_is_sent_and_one_byte_more_is_refused)
{
	post_recv(&b, RIG_VA, 2048, RIG_FAR_KEY);
	send(1024);
	expect_sent();
	cr_expect_not_null(next_cqe(&b));
	send(1025);
	expect_error(&a, 13, 0x01, 2);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
}

Test(ud, failed_send_flushes_sends_and_receives_continue)
{
	struct wr good = {
		.opcode = 0x0a, .fm_ce_se = SIGNALED, .len = 4, .head = av, .head_units = 3
	};
	struct wr bad = good;

	bad.lkey = RIG_KEY + 1;
	post_recv(&a, RIG_VA + 0x1000, 256, RIG_KEY);
	post_wr(&a, &good);
	post_wr(&a, &bad);
	post_wr(&a, &good);
	run();
	expect_sent();
	expect_error(&a, 13, 0x04, 2);
	expect_error(&a, 13, 0x05, 4);
	cr_expect_eq(a.qp->state, PRM_QPC_STATE_SQER);
	post_wr(&a, &good);
	run();
	expect_error(&a, 13, 0x05, 6);

	put_av(av, &a, RIG_QKEY);
	post_wr(&b, &(struct wr){ .opcode = 0x0a,
				  .len = 4,
				  .lkey = RIG_FAR_KEY,
				  .head = av,
				  .head_units = 3 });
	ring(&b);
	settle(h, 2);
	cr_expect_not_null(next_cqe(&a));

	a.qp->state = PRM_QPC_STATE_RTS; /* SQERR2RTS_QP */
	engine_kick(&h[0].hca, a.qp);
	send(4);
	expect_sent();
}

Test(ud, address_vector_of_16_bytes_is_refused)
{
	record_frames();
	av[8] &= 0x7f;
	send(4);
	expect_refused(0x02);
}

Test(ud, empty_gid_entry_is_refused)
{
	record_frames();
	av[29] = 0x70; /* index 7 */
	send(4);
	expect_refused(0x02);
}

Test(ud, other_opcodes_are_refused)
{
	record_frames();
	post_wr(&a, &(struct wr){ .opcode = 0x08, .len = 4, .head = av, .head_units = 3 });
	run();
	expect_refused(0x02);
}

Test(ud, nop_needs_no_address)
{
	post_wr(&a, &(struct wr){ .opcode = 0, .fm_ce_se = SIGNALED });
	run();
	expect_sent();
}

Test(ud, wqe_of_a_raw_packet_qp_is_refused)
{
	record_frames();
	a.qp->st = 9;
	send(4);
	expect_error(&a, 13, 0x02, 0);
	cr_expect_eq(frames, 0);
}
