/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Multicast: a datagram for a group is delivered to every attached QP of every process, and
 * each drops it by itself. Hosts 1 … 3 at 10.0.0.1 … 10.0.0.3; QPN 0x10001 sends, 0x20001,
 * 0x20002 and 0x30001 receive.
 */
#include <string.h>

#include "rig.h"

#define HOSTS 3
#define LEN   20u /* of a message */

static struct host h[HOSTS];
static struct side a, b, b2, c;
static uint8_t av[48];

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

static uint32_t key_of(const struct side *s)
{
	return s->h->hca.slot << 24 | 0x142u;
}

/* The buffer of the @nth receive of a side; those of a host do not overlap. */
static uint64_t place(const struct side *s, unsigned int nth)
{
	return 0x1000u * (1 + 8 * (s->qp->qpn & 7) + nth);
}

static void expect_to_receive(struct side *s, unsigned int nth)
{
	post_recv(s, RIG_VA + place(s, nth), 256, key_of(s));
}

static void setup(void)
{
	for (int i = 0; i < HOSTS; i++)
		host_open(&h[i]);
	side_open(&a, &h[0]);
	side_open(&b, &h[1]);
	side_open(&b2, &h[1]);
	side_open(&c, &h[2]);
	be_ud(&a);
	be_ud(&b);
	be_ud(&b2);
	be_ud(&c);
	for (unsigned int i = 0; i < LEN; i++)
		h[0].buf[i] = (uint8_t)(i * 7 + 3);
	put_av(av, &b, RIG_QKEY);
	memset(av + 9, 0xff, 3);
	memcpy(av + 20, ((uint8_t[6]){ 1, 0, 0x5e, 0, 0, 251 }), 6);
	memcpy(av + 32, group, 16);
}

static void teardown(void)
{
	struct side *all[] = { &a, &b, &b2, &c };

	for (int i = 0; i < 4; i++)
		expect_none(all[i]);
	for (int i = 0; i < HOSTS; i++)
		host_close(&h[i]);
}

TestSuite(multicast, .init = setup, .fini = teardown);

static void send(void)
{
	const uint8_t *cqe;

	post_wr(&a, &(struct wr){ .opcode = 0x0a,
				  .fm_ce_se = SIGNALED,
				  .len = LEN,
				  .head = av,
				  .head_units = 3 });
	ring(&a);
	settle(h, HOSTS);
	cqe = next_cqe(&a);
	cr_assert_not_null(cqe);
	cr_expect_eq(cqe[63] >> 4, 0, "syndrome 0x%x", cqe[55]);
}

static void expect_received(struct side *s, unsigned int nth)
{
	const uint8_t *cqe = next_cqe(s), *at = s->h->buf + place(s, nth);

	cr_assert_not_null(cqe, "QP %06x", s->qp->qpn);
	cr_expect_eq(cqe[63] >> 4, 2);
	cr_expect_eq(cqe[47], 40 + LEN);
	cr_expect_arr_eq(at + 40, h[0].buf, LEN);
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
		expect_to_receive(to[i], 0);
	}
	send();
	for (int i = 0; i < 3; i++) {
		const uint8_t *at = to[i]->h->buf + place(to[i], 0);

		expect_received(to[i], 0);
		cr_expect_arr_eq(at + 20, ip, 10);
		cr_expect_arr_eq(at + 32, ip + 12, 8);
		cr_expect_arr_eq(to[i]->cqes + 24, flags_rqpn, 4);
		cr_expect_eq(to[i]->cqes[59], to[i]->qp->qpn & 0xff);
	}
	cr_expect_eq(h[0].hca.counted->vport.tx.of[HCA_IB_MULTICAST].packets, 1);
	cr_expect_eq(h[1].hca.counted->vport.rx.of[HCA_IB_MULTICAST].packets, 1);
	cr_expect_eq(h[1].hca.counted->vport.rx.of[HCA_IB_MULTICAST].octets, 14 + 72);
	cr_expect_eq(h[1].hca.counted->vport.rx.of[HCA_IB_UNICAST].packets, 0);
}

Test(multicast, who_is_not_attached_sees_nothing)
{
	join(&b, other);
	join(&b2, group);
	expect_to_receive(&b, 0);
	expect_to_receive(&b2, 0);
	expect_to_receive(&c, 0);
	send();
	expect_received(&b2, 0);
	cr_expect_eq(counters_of(&h[2]).rx_dropped, 0);
	cr_expect_eq(h[2].hca.counted->vport.rx.of[HCA_IB_MULTICAST].packets, 0);
}

/* Of three members one cannot receive, for reason @break_it; the others do. */
static void others_receive(void (*break_it)(void))
{
	join(&b, group);
	join(&b2, group);
	join(&c, group);
	expect_to_receive(&b2, 0);
	expect_to_receive(&c, 0);
	break_it();
	send();
	expect_received(&b2, 0);
	expect_received(&c, 0);
}

static void no_receive(void)
{
}

static void wrong_qkey(void)
{
	expect_to_receive(&b, 0);
	b.qp->qkey = RIG_QKEY + 1;
}

static void only_initialised(void)
{
	expect_to_receive(&b, 0);
	b.qp->state = PRM_QPC_STATE_INIT;
}

static void too_short(void)
{
	post_recv(&b, RIG_VA + place(&b, 0), 40 + LEN - 1, key_of(&b));
}

Test(multicast, member_without_receive_loses_it_alone)
{
	others_receive(no_receive);
	cr_expect_eq(counters_of(&h[1]).rx_dropped, 1);
}

Test(multicast, member_with_another_qkey_loses_it_alone)
{
	others_receive(wrong_qkey);
	cr_expect_eq(counters_of(&h[1]).rx_dropped, 1);
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
	post_recv(&b, RIG_VA + place(&b, 0), 256, key_of(&b) + 1);
}

Test(multicast, member_whose_buffer_cannot_be_written_fails_alone)
{
	others_receive(bad_key);
	expect_error(&b, 14, 0x04, 0);
	cr_expect_eq(b.qp->state, PRM_QPC_STATE_ERR);
	cr_expect_eq(b2.qp->state, PRM_QPC_STATE_RTS);
}

Test(multicast, sender_has_its_own_copy)
{
	join(&a, group);
	expect_to_receive(&a, 0);
	send();
	expect_received(&a, 0);
}

Test(multicast, block_lb_mc_keeps_out_the_own_copy_only)
{
	static struct side a2;

	side_open(&a2, &h[0]);
	be_ud(&a2);
	join(&a, group);
	join(&a2, group);
	expect_to_receive(&a, 0);
	expect_to_receive(&a2, 0);
	a.qp->block_lb_mc = a2.qp->block_lb_mc = true;
	send();
	expect_none(&a);
	expect_received(&a2, 0);
	expect_none(&a2);
}

Test(multicast, destination_qp_and_address_belong_together)
{
	join(&b, group);
	expect_to_receive(&b, 0);
	expect_to_receive(&b, 1);
	av[9] = 2; /* QP 0x020001, with the address of the group */
	av[10] = 0;
	av[11] = 1;
	send();
	expect_none(&b);
	memset(av + 9, 0xff, 3); /* 0xffffff, with the address of host 2 */
	memcpy(av + 32, h[1].hca.port.gid[0].raw, 16);
	send();
	expect_none(&b);
	cr_expect_eq(counters_of(&h[1]).rx_dropped, 2);
}

Test(multicast, group_of_ipv6_address)
{
	static const uint8_t v6[16] = { 0xff, 0x02, [15] = 0x77 };

	join(&b, v6);
	expect_to_receive(&b, 0);
	memcpy(av + 32, v6, 16);
	memcpy(h[0].hca.port.gid[0].raw, ((uint8_t[16]){ 0xfe, 0x80, [15] = 1 }), 16);
	h[0].hca.port.gid[0].l3_type = 1;
	send();
	expect_received(&b, 0);
	cr_expect_eq(h[1].buf[place(&b, 0)], 0x60);
	cr_expect_arr_eq(h[1].buf + place(&b, 0) + 24, v6, 16);
}

/* Host 3 does not run: its queue becomes full. */
Test(multicast, process_that_does_not_read_stops_no_other)
{
	struct side *to[] = { &b };

	join(&b, group);
	join(&c, group);
	engine_pause(h[2].e);
	for (unsigned int i = 0; i < 2000; i++) {
		expect_to_receive(&b, 0);
		post_wr(&a, &(struct wr){ .opcode = 0x0a,
					  .fm_ce_se = SIGNALED,
					  .len = LEN,
					  .head = av,
					  .head_units = 3 });
		ring(&a);
		settle(h, 2);
		cr_assert_not_null(next_cqe(&a));
		expect_received(to[0], 0);
	}
}
