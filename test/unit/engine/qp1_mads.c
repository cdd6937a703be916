/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QP1 has no WQEs: a management datagram for it is passed to the upcall, anything else is
 * dropped.
 */
#include <string.h>

#include "rig.h"

static struct host h[2];
static uint8_t mad[256];
static unsigned int taken;

static bool take(struct hca *hca, const struct hca_mad *m)
{
	cr_assert_eq(hca, &h[1].hca);
	cr_expect_eq(m->from, 1);
	cr_expect_arr_eq(m->bytes, mad, sizeof(mad));
	cr_expect_arr_eq(m->sgid, h[0].hca.port.gid[0].raw, 16);
	taken++;
	return true;
}

static void setup(void)
{
	host_open(&h[0]);
	host_open(&h[1]);
	for (int i = 0; i < 256; i++)
		mad[i] = i;
	h[1].hca.mad = take;
	taken = 0;
}

static void teardown(void)
{
	hosts_close(h);
}

TestSuite(qp1_mad, .init = setup, .fini = teardown);

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

	memcpy(p.sgid, h[0].hca.port.gid[0].raw, 16);
	memcpy(p.dgid, h[1].hca.port.gid[0].raw, 16);
	return p;
}

static void send(const struct wire_packet *p)
{
	cr_assert(wire_has_space(h[0].w, 2));
	wire_send(h[0].w, 2, p);
	wire_flush(h[0].w);
	settle(h, 2);
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
	cr_assert_eq(counters_of(&h[1]).rx_dropped, 4);
}

Test(qp1_mad, is_dropped_without_an_upcall)
{
	struct wire_packet p = packet();

	h[1].hca.mad = NULL;
	send(&p);
	cr_assert_eq(counters_of(&h[1]).rx_dropped, 1);
}
