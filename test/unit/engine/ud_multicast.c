/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast: a datagram for a group is delivered to every attached QP of every process, and
 * each drops it by itself. Hosts 1 … 3 at 10.0.0.1 … 10.0.0.3; QPN 0x10001 sends, 0x20001,
 * 0x20002 and 0x30001 receive.
 */
#include <string.h>

#include "rig.h"

#define LEN 20u /* of a message */

static struct host third;
static struct side b2, c; /* b2 on far, c on the third host */

static const uint8_t group[16] = { [10] = 0xff, [11] = 0xff, 224, 0, 0, 251 };
static const uint8_t other[16] = { [10] = 0xff, [11] = 0xff, 224, 0, 0, 252 };

static void join(struct side *s, const uint8_t gid[16])
{
	struct hca_mcg *m = hca_mcg_new(&s->h->hca);

	cr_assert_not_null(m);
	memcpy(m->gid, gid, sizeof(m->gid));
	m->qp = s->qp;
	core_list_add(hca_mcg_bucket(&s->h->hca, gid), &m->in_bucket);
}

static void be_ud(struct side *s)
{
	s->qp->st = RIG_UD;
	s->qp->qkey = RIG_QKEY;
	s->qp->state = PRM_QPC_STATE_RTS;
	s->h->hca.port.mtu = 1024;
}

/* The buffer of a receive of a side: those of a host do not overlap. */
static unsigned int place(const struct side *s)
{
	return 0x1000u * (1 + (s->qp->qpn & 7));
}

static void post_receive(struct side *s)
{
	post(s, "recv 256 local=0x%x", place(s));
}

static void setup(void)
{
	far_pair_open();
	host_open(&third);
	side_open(&b2, &far);
	side_open(&c, &third);
	be_ud(&a);
	be_ud(&b);
	be_ud(&b2);
	be_ud(&c);
	address(&a, &b, RIG_QKEY);
	memset(a.head + 9, 0xff, 3);
	memcpy(a.head + 20, ((uint8_t[6]){ 1, 0, 0x5e, 0, 0, 251 }), 6);
	memcpy(a.head + 32, group, 16);
}

TestSuite(multicast, .init = setup, .fini = rig_close_read);

static void send_to_group(void)
{
	succeed(&a, "send %u sig", LEN);
}

static void expect_received(struct side *s)
{
	expect_cqe(s, "received %u", 40 + LEN);
	cr_expect_arr_eq(s->h->buf + place(s) + 40, near.buf, LEN);
}

Test(multicast, every_member_has_its_copy_with_the_groups_address)
{
	/* IPv4 of 20 + 8 + 12 + 8 + 20 + 4 = 72 bytes, from 10.0.0.1 to 224.0.0.251 */
	static const uint8_t ip[20] = { 0x45, 0,	 0, 72, 0, 0,	0x40, 0, 64,
					17,   [12] = 10, 0, 0,	1, 224, 0,    0, 251 };
	/* UD QP 0x10001 with a GRH, over IPv4 */
	static const uint8_t flags_rqpn[4] = { 0x12, 1, 0, 1 };
	struct side *to[] = { &b, &b2, &c };

	for (int i = 0; i < 3; i++) {
		join(to[i], group);
		post_receive(to[i]);
	}
	send_to_group();
	for (int i = 0; i < 3; i++) {
		const uint8_t *at = to[i]->h->buf + place(to[i]);

		expect_received(to[i]);
		cr_expect_arr_eq(at + 20, ip, 10);
		cr_expect_arr_eq(at + 32, ip + 12, 8);
		cr_expect_arr_eq(to[i]->cqes + 24, flags_rqpn, 4);
	}
	cr_expect_eq(near.hca.counted->vport.tx.of[HCA_IB_MULTICAST].packets, 1);
	cr_expect_eq(far.hca.counted->vport.rx.of[HCA_IB_MULTICAST].packets, 1);
	cr_expect_eq(far.hca.counted->vport.rx.of[HCA_IB_MULTICAST].octets, 14 + 72);
	cr_expect_eq(far.hca.counted->vport.rx.of[HCA_IB_UNICAST].packets, 0);
	cr_expect_eq(counters_of(&far).rx_frames, 1);
	cr_expect_eq(counters_of(&far).rx_bytes, 14 + 72);
}

Test(multicast, who_is_not_attached_sees_nothing)
{
	join(&b, other);
	join(&b2, group);
	post_receive(&b);
	post_receive(&b2);
	post_receive(&c);
	send_to_group();
	expect_received(&b2);
	cr_expect_eq(counters_of(&third).rx_dropped, 0);
	cr_expect_eq(third.hca.counted->vport.rx.of[HCA_IB_MULTICAST].packets, 0);
}

/* One of three members cannot receive, for reason @break_it; the others do. */
static void others_receive(void (*break_it)(void))
{
	join(&b, group);
	join(&b2, group);
	join(&c, group);
	post_receive(&b2);
	post_receive(&c);
	break_it();
	send_to_group();
	expect_received(&b2);
	expect_received(&c);
}

static void no_receive(void)
{
}

static void wrong_qkey(void)
{
	post_receive(&b);
	b.qp->qkey = RIG_QKEY + 1;
}

static void only_initialised(void)
{
	post_receive(&b);
	b.qp->state = PRM_QPC_STATE_INIT;
}

static void too_short(void)
{
	post(&b, "recv %u local=0x%x", 40 + LEN - 1, place(&b));
}

Test(multicast, member_without_receive_loses_it_alone)
{
	others_receive(no_receive);
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
}

Test(multicast, member_with_another_qkey_loses_it_alone)
{
	others_receive(wrong_qkey);
	cr_expect_eq(counters_of(&far).rx_dropped, 1);
}

Test(multicast, member_that_is_not_ready_loses_it_alone)
{
	others_receive(only_initialised);
}

Test(multicast, member_with_a_short_buffer_loses_it_alone)
{
	others_receive(too_short);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_RTS);
}

static void bad_key(void)
{
	post(&b, "recv 256 local=0x%x lkey=wrong", place(&b));
}

Test(multicast, member_whose_buffer_cannot_be_written_fails_alone)
{
	others_receive(bad_key);
	expect_cqe(&b, "resp_err local_prot wqe=0");
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(b2.qp->state, PRM_QPC_STATE_RTS);
	expect_finding("QP 0x20001, local write of 40 bytes at 0xa0002000: the low 8 bits");
}

Test(multicast, sender_has_its_own_copy)
{
	join(&a, group);
	post_receive(&a);
	send_to_group();
	expect_received(&a);
}

Test(multicast, block_lb_mc_keeps_out_the_own_copy_only)
{
	static struct side a2;

	side_open(&a2, &near);
	be_ud(&a2);
	join(&a, group);
	join(&a2, group);
	post_receive(&a);
	post_receive(&a2);
	a.qp->block_lb_mc = a2.qp->block_lb_mc = true;
	send_to_group();
	expect_none(&a);
	expect_received(&a2);
	expect_none(&a2);
}

Test(multicast, destination_qp_and_address_belong_together)
{
	join(&b, group);
	post_receive(&b);
	post_receive(&b);
	a.head[9] = 2; /* QP 0x020001, with the address of the group */
	a.head[10] = 0;
	a.head[11] = 1;
	send_to_group();
	expect_none(&b);
	memset(a.head + 9, 0xff, 3); /* 0xffffff, with the address of host 2 */
	memcpy(a.head + 32, far.hca.port.gid[0].raw, 16);
	send_to_group();
	expect_none(&b);
	cr_expect_eq(counters_of(&far).rx_dropped, 2);
}

Test(multicast, group_of_ipv6_address)
{
	static const uint8_t v6[16] = { 0xff, 0x02, [15] = 0x77 };

	join(&b, v6);
	post_receive(&b);
	memcpy(a.head + 32, v6, 16);
	memcpy(near.hca.port.gid[0].raw, ((uint8_t[16]){ 0xfe, 0x80, [15] = 1 }), 16);
	near.hca.port.gid[0].l3_type = 1;
	send_to_group();
	expect_received(&b);
	cr_expect_eq(far.buf[place(&b)], 0x60);
	cr_expect_arr_eq(far.buf + place(&b) + 24, v6, 16);
}

/* The third host does not run: its queue becomes full. */
Test(multicast, process_that_does_not_read_stops_no_other)
{
	join(&b, group);
	join(&c, group);
	engine_pause(third.e);
	for (unsigned int i = 0; i < 2000; i++) {
		post_receive(&b);
		post_rung(&a, "send %u sig", LEN);
		settle_only(&near);
		settle_only(&far);
		settle_only(&near);
		expect_cqe(&a, "sent");
		expect_received(&b);
	}
}
