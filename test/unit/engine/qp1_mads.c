/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QP1 has no WQEs: a management datagram for it is passed to the upcall, anything else is
 * dropped.
 */
#include <string.h>

#include "rig.h"

static uint8_t mad[256];
static unsigned int taken;

static bool take(struct hca *hca, const struct hca_mad *m)
{
	cr_assert_eq(hca, &far.hca);
	cr_expect_eq(m->from, 1);
	cr_expect_arr_eq(m->bytes, mad, sizeof(mad));
	cr_expect_arr_eq(m->sgid, near.hca.port.gid[0].raw, 16);
	taken++;
	return true;
}

static void setup(void)
{
	host_open(&near);
	host_open(&far);
	for (int i = 0; i < 256; i++)
		mad[i] = i;
	far.hca.mad = take;
	taken = 0;
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
