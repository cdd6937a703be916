/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 826: a asks, b is the port of a program, of 10.0.0.2. Frames are written by hand. */
#include "unit/net/port.h"

static struct port a, b;

static void setup(void)
{
	port_open(&a, 1);
	port_open(&b, 2);
	b.hca.port.gid[3] =
		(struct hca_gid){ .valid = true, .raw = { [10] = 0xff, 0xff, 10, 0, 0, 2 } };
	net_answer(b.n);
}

static void teardown(void)
{
	port_close(&b);
	port_close(&a);
}

TestSuite(arp, .init = setup, .fini = teardown);

/* To all: who has 10.0.0.2, tell 10.0.0.1, 02:00:00:00:00:01. */
static const uint8_t request[60] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0,  1, 0x08, 0x06,
	0,    1,    0x08, 0,	6,    4,    0, 1, 2, 0, 0,  0, 0,    1,
	10,   0,    0,	  1,	0,    0,    0, 0, 0, 0, 10, 0, 0,    2,
};
static const uint8_t reply[60] = {
	2, 0, 0, 0, 0, 1, 2, 0,	 0, 0, 0, 2, 0x08, 0x06, 0, 1, 0x08, 0,	 6, 4, 0,
	2, 2, 0, 0, 0, 0, 2, 10, 0, 0, 2, 2, 0,	   0,	 0, 0, 1,    10, 0, 0, 1,
};

/* a sends the request with byte @at changed by @flip, b takes it. */
static void ask(unsigned int at, uint8_t flip, size_t len)
{
	uint8_t frame[60], got[WIRE_MAX_ETHERNET];
	struct wire_ethernet how;

	memcpy(frame, request, sizeof(frame));
	frame[at] ^= flip;
	cr_assert(net_send(a.n, 1, frame, len));
	wire_flush(a.w);
	while (arrived(&a, got, &how))
		;
	arrived(&b, got, &how);
	wire_flush(b.w);
}

Test(arp, request_is_answered)
{
	ask(0, 0, 60);
	expect_frame(&a, reply, sizeof(reply), false);
	ask(0, 0, 42);
	expect_frame(&a, reply, sizeof(reply), false);
	expect_no_frame(&a);
	expect_no_frame(&b);
}

/* A request to the address alone, as Linux repeats it. */
Test(arp, unicast_request_is_answered)
{
	uint8_t frame[60], got[WIRE_MAX_ETHERNET];
	struct wire_ethernet how;

	memcpy(frame, request, sizeof(frame));
	memcpy(frame, "\2\0\0\0\0\2", 6);
	net_arrived(b.n, frame, sizeof(frame), a.hca.slot);
	wire_flush(b.w);
	cr_expect_eq(arrived(&a, got, &how), 60);
	frame[5] = 3;
	net_arrived(b.n, frame, sizeof(frame), a.hca.slot);
	wire_flush(b.w);
	expect_no_frame(&a);
}

/* Each byte of the message's head, each of the address that is asked for. */
Test(arp, other_messages_are_not)
{
	for (unsigned int at = 12; at < 22; at++) {
		ask(at, 0x02, 60);
		expect_no_frame(&a);
	}
	for (unsigned int at = 38; at < 42; at++) {
		ask(at, 0x80, 60);
		expect_no_frame(&a);
	}
	ask(0, 0, 41);
	expect_no_frame(&a);
}

Test(arp, addresses_are_those_of_valid_ipv4_gids)
{
	b.hca.port.gid[3].valid = false;
	ask(0, 0, 60);
	expect_no_frame(&a);
	b.hca.port.gid[3].valid = true;
	b.hca.port.gid[3].raw[11] = 0xfe;
	ask(0, 0, 60);
	expect_no_frame(&a);
	b.hca.port.gid[3].valid = false;
	b.hca.port.gid[254] =
		(struct hca_gid){ .valid = true, .raw = { [10] = 0xff, 0xff, 10, 0, 0, 2 } };
	ask(0, 0, 60);
	expect_frame(&a, reply, sizeof(reply), false);
}

/* A virtual machine has a kernel that answers; what a process sent is not asked of it. */
Test(arp, answers_are_for_programs_and_for_others)
{
	net_arrived(b.n, request, sizeof(request), b.hca.slot);
	wire_flush(b.w);
	expect_no_frame(&a);
	a.hca.port.gid[3] = b.hca.port.gid[3];
	net_arrived(a.n, request, sizeof(request), b.hca.slot);
	wire_flush(a.w);
	expect_no_frame(&b);
}
