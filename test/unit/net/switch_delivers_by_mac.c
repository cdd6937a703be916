/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes a frame reaches: of the same port, of other ports, promiscuous ones. */
#include "unit/net/port.h"

#define LEN 60

/* Two processes of port 1, one each of ports 2 and 3. */
static struct port a, a2, b, c;

static void open_all(void)
{
	port_open(&a, 1);
	port_open(&a2, 1);
	port_open(&b, 2);
	port_open(&c, 3);
}

static void close_all(void)
{
	port_close(&a);
	port_close(&a2);
	port_close(&b);
	port_close(&c);
}

static void send(const uint8_t *bytes, size_t len)
{
	cr_expect(net_send(a.n, 0x1234, bytes, len));
	wire_flush(a.w);
}

static uint8_t frame[LEN];

static void send_to(uint8_t first, uint8_t to)
{
	frame_to(frame, LEN, first, to);
	send(frame, LEN);
}

Test(net, unicast_goes_to_the_port_of_its_address, .init = open_all, .fini = close_all)
{
	send_to(2, 2);
	expect_no_frame(&a);
	expect_no_frame(&a2);
	expect_frame(&b, frame, LEN, false);
	expect_no_frame(&b);
	expect_no_frame(&c);
}

Test(net, own_address_goes_to_all_processes_of_the_port, .init = open_all, .fini = close_all)
{
	send_to(2, 1);
	expect_frame(&a, frame, LEN, true);
	expect_frame(&a2, frame, LEN, true);
	expect_no_frame(&b);
	expect_no_frame(&c);
}

Test(net, multicast_goes_to_all, .init = open_all, .fini = close_all)
{
	send_to(3, 7);
	expect_frame(&a, frame, LEN, true);
	expect_frame(&a2, frame, LEN, true);
	expect_frame(&b, frame, LEN, false);
	expect_frame(&c, frame, LEN, false);
}

Test(net, unknown_address_goes_to_all_other_ports, .init = open_all, .fini = close_all)
{
	send_to(2, 0x77);
	expect_no_frame(&a);
	expect_no_frame(&a2);
	expect_frame(&b, frame, LEN, false);
	expect_frame(&c, frame, LEN, false);
}

Test(net, promiscuous_port_sees_frames_for_others, .init = open_all, .fini = close_all)
{
	c.hca.port.promisc = true;
	hca_port_publish(&c.hca);
	send_to(2, 2);
	expect_frame(&b, frame, LEN, false);
	expect_frame(&c, frame, LEN, false);
	cr_expect(net_admits(c.n, frame));
	cr_expect_not(net_admits(a.n, frame));
}

/* It passes frames to the interface: those for groups, which it has anyway, and those for no
 * port. */
Test(net, process_with_the_tap_interface_has_one_copy, .init = open_all, .fini = close_all)
{
	a2.hca.port.tap = true;
	hca_port_publish(&a2.hca);
	send_to(3, 7);
	expect_frame(&a2, frame, LEN, true);
	expect_no_frame(&a2);
	send_to(2, 0x77);
	expect_frame(&a2, frame, LEN, false);
	expect_no_frame(&a2);
	send_to(2, 2);
	expect_no_frame(&a2);
}

/* Addresses that differ in any one bit are those of others; the lowest bit of the first byte
 * means a group. */
Test(net, port_admits_its_address_and_groups, .init = open_all, .fini = close_all)
{
	for (int bit = -1; bit < 48; bit++) {
		uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };

		if (bit >= 0)
			mac[bit / 8] ^= 1u << bit % 8;
		cr_expect_eq(net_admits(a.n, mac), bit <= 0, "bit %d", bit);
	}
}

/* As a switch floods a frame for an address that it does not know. */
Test(net, port_admits_addresses_of_the_driver, .init = open_all, .fini = close_all)
{
	c.hca.vport.n_unicast = 2;
	c.hca.vport.unicast[1][5] = 0x77;
	frame_to(frame, LEN, 2, 0x77);
	memset(frame, 0, 5);
	send(frame, LEN);
	expect_frame(&c, frame, LEN, false);
	cr_expect(net_admits(c.n, frame));
	cr_expect_not(net_admits(b.n, frame));
	frame[5] = 0x78;
	cr_expect_not(net_admits(c.n, frame));
}

/* 00:00:00:00:00:00, that of an empty entry, and the address that a port had before. */
Test(net, frame_for_an_address_of_no_port, .init = open_all, .fini = close_all)
{
	send_to(2, 2);
	expect_frame(&b, frame, LEN, false);
	b.hca.port.mac[5] = 0x42;
	hca_port_publish(&b.hca);
	for (int none = 0; none < 2; none++) {
		send(frame, LEN);
		expect_no_frame(&a);
		expect_frame(&b, frame, LEN, false);
		expect_frame(&c, frame, LEN, false);
		memset(frame, 0, 6);
	}
}

Test(net, frame_for_an_address_that_differs_in_a_bit, .init = open_all, .fini = close_all)
{
	for (int bit = 1; bit < 48; bit++) {
		frame_to(frame, LEN, 2, 2);
		frame[bit / 8] ^= 1u << bit % 8;
		if (frame[5] == 3 && bit >= 40)
			continue; /* that of c */
		send(frame, LEN);
		expect_no_frame(&a);
		expect_frame(&b, frame, LEN, false); /* unknown: to all other ports */
		expect_frame(&c, frame, LEN, false);
	}
}

Test(net, port_that_is_down_sends_nothing, .init = open_all, .fini = close_all)
{
	a.hca.port.down = true;
	for (uint8_t first = 2; first < 4; first++) {
		send_to(first, 2);
	}
	expect_no_frame(&a);
	expect_no_frame(&b);
	a.hca.port.down = false;
	send(frame, LEN);
	expect_frame(&b, frame, LEN, false);
	expect_no_frame(&b);
}

Test(net, sender_of_a_frame_is_known_by_its_domain, .init = open_all, .fini = close_all)
{
	uint8_t got[LEN];
	struct wire_ethernet how;

	send_to(2, 2);
	cr_expect_eq(arrived(&b, got, &how), LEN);
	cr_expect_eq(how.tdn, 0x1234);
}

Test(net, frames_have_the_lengths_of_ethernet, .init = open_all, .fini = close_all)
{
	static uint8_t longest[WIRE_MAX_ETHERNET + 1];

	frame_to(longest, sizeof(longest), 2, 2);
	send(longest, 13);
	send(longest, WIRE_MAX_ETHERNET + 1);
	send(longest, 14);
	send(longest, 61);
	send(longest, WIRE_MAX_ETHERNET);
	expect_frame(&b, longest, 14, false);
	expect_frame(&b, longest, 61, false);
	expect_frame(&b, longest, WIRE_MAX_ETHERNET, false);
	expect_no_frame(&b);
}

Test(net, full_receiver_of_unicast_stops_the_sender, .init = open_all, .fini = close_all)
{
	uint8_t frame[1500];
	unsigned int sent = 0, got = 0;

	frame_to(frame, sizeof(frame), 2, 2);
	while (sent < 100000 && net_send(a.n, 1, frame, sizeof(frame))) {
		sent++;
		wire_flush(a.w);
	}
	cr_assert_lt(sent, 100000, "it never was full");
	for (;;) {
		uint8_t bytes[1500];
		struct wire_ethernet how;

		wire_flush(a.w);
		if (!arrived(&b, bytes, &how))
			break;
		got++;
	}
	cr_expect_eq(got, sent, "%u of %u arrived", got, sent);
	cr_expect(net_send(a.n, 1, frame, sizeof(frame)));
}

Test(net, full_receiver_of_multicast_loses_it, .init = open_all, .fini = close_all)
{
	uint8_t frame[1500];

	frame_to(frame, sizeof(frame), 3, 0);
	for (int i = 0; i < 5000; i++) {
		cr_assert(net_send(a.n, 1, frame, sizeof(frame)));
		wire_flush(a.w);
	}
	expect_frame(&c, frame, sizeof(frame), false);
}
