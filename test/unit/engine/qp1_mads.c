/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QP1 has no WQEs: a management datagram for it is passed to the upcall, anything else is
 * dropped.
 */
#include <string.h>

#include "engine/tx.h"
#include "rig.h"

/* Ethernet 14, IPv4 20, UDP 8, BTH 12, DETH 8, 256, ICRC 4; the port counts the FCS, too. */
#define FRAME (14 + 20 + 8 + 12 + 8 + 256 + 4)

static uint8_t mad[256];
static unsigned int taken;
static bool wanted;

static bool take(struct hca *hca, const struct hca_mad *m)
{
	cr_assert_eq(hca, &far.hca);
	cr_expect_eq(m->from, 1);
	cr_expect_arr_eq(m->bytes, mad, sizeof(mad));
	cr_expect_arr_eq(m->sgid, near.hca.port.gid[0].raw, 16);
	taken++;
	return wanted;
}

static void setup(void)
{
	host_open(&near);
	host_open(&far);
	for (int i = 0; i < 256; i++)
		mad[i] = i;
	far.hca.mad = take;
	taken = 0;
	wanted = true;
}

TestSuite(qp1_mad, .init = setup, .fini = rig_close);

static struct wire_packet packet(void)
{
	struct wire_packet p = { .opcode = WIRE_UD | WIRE_SEND_ONLY,
				 .pkey = 0xffff,
				 .dqpn = 1,
				 .src_qpn = 1,
				 .qkey = 0x80010000,
				 .hop_limit = 64,
				 .payload = mad,
				 .payload_len = sizeof(mad) };

	memcpy(p.sgid, near.hca.port.gid[0].raw, 16);
	memcpy(p.dgid, far.hca.port.gid[0].raw, 16);
	return p;
}

static void send(const struct wire_packet *p)
{
	cr_assert(wire_has_space(near.w, 2));
	wire_send(near.w, 2, p);
	wire_flush(near.w);
	settle();
}

Test(qp1_mad, is_passed_to_the_upcall)
{
	struct wire_packet p = packet();

	send(&p);
	cr_assert_eq(taken, 1);
}

/* Number 1 names no process; the address does. */
Test(qp1_mad, of_a_qp_reaches_the_process_with_the_address)
{
	struct wire_packet p = packet();

	cr_assert(tx_has_space(near.e, p.dgid, 1));
	cr_assert_eq(tx_send(near.e, &p), FRAME);
	wire_flush(near.w);
	settle();
	cr_assert_eq(taken, 1);
}

Test(qp1_mad, wrong_qkey_length_gid_or_opcode_is_dropped)
{
	struct wire_packet p = packet();

	p.qkey = 1;
	send(&p);
	p = packet();
	p.payload_len = 252;
	send(&p);
	p = packet();
	p.dgid[15] ^= 1;
	send(&p);
	p = packet();
	p.opcode = WIRE_UC | WIRE_SEND_ONLY;
	send(&p);
	cr_assert_eq(taken, 0);
	cr_assert_eq(counters_of(&far).rx_dropped, 4);
}

Test(qp1_mad, is_dropped_without_an_upcall)
{
	struct wire_packet p = packet();

	far.hca.mad = NULL;
	send(&p);
	cr_assert_eq(counters_of(&far).rx_dropped, 1);
}

static void expect_counted(uint64_t at_vport, uint64_t at_port)
{
	const struct hca_counted *n = far.hca.counted;

	cr_expect_eq(n->vport.rx.of[HCA_IB_UNICAST].packets, at_vport);
	cr_expect_eq(n->vport.rx.of[HCA_IB_UNICAST].octets, at_vport * FRAME);
	cr_expect_eq(hca_port_frames(&n->port.rx), at_port);
	cr_expect_eq(n->port.rx.octets, at_port * (FRAME + 4));
}

/* Another process of the vport has a copy of what this one does not want: near, which has the
 * lower slot, counts it. */
Test(qp1_mad, is_counted_by_the_process_that_wants_it)
{
	struct wire_packet p = packet();

	send(&p);
	expect_counted(1, 1);
	wanted = false;
	send(&p);
	expect_counted(1, 2);
	atomic_store(&near.hca.vhcas[1].port, 0x020000000077); /* another vport */
	send(&p);
	expect_counted(2, 3);
	cr_assert_eq(taken, 3);
	cr_assert_eq(counters_of(&far).rx_dropped, 0);
}
