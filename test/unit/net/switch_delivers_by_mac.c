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

TestSuite(net_switch, .init = open_all, .fini = close_all);

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

/* At a, a2, b and c: nothing, -; one of this port, o; another, x. */
static void expect_at(const char *ports, const uint8_t *bytes)
{
	struct port *const all[] = { &a, &a2, &b, &c };

	for (int i = 0; i < 4; i++) {
		if (ports[i] != '-')
			expect_frame(all[i], bytes, LEN, ports[i] == 'o');
		expect_no_frame(all[i]);
	}
}

Test(net_switch, frame_goes_to_ports_by_its_address)
{
	send_to(2, 2);
	expect_at("--x-", frame);
	send_to(2, 1);
	expect_at("oo--", frame);
	send_to(3, 7); /* a group */
	expect_at("ooxx", frame);
	send_to(2, 0x77); /* of no port */
	expect_at("--xx", frame);
}

Test(net_switch, promiscuous_port_sees_frames_for_others)
{
	c.hca.port.promisc = true;
	hca_port_publish(&c.hca);
	send_to(2, 2);
	expect_at("--xx", frame);
	cr_expect(net_admits(c.n, frame));
	cr_expect_not(net_admits(a.n, frame));
}

/* It passes frames to the interface: those for groups, which it has anyway, and those for no
 * port. */
Test(net_switch, process_with_the_tap_interface_has_one_copy)
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
Test(net_switch, port_admits_its_address_and_groups)
{
	for (int bit = -1; bit < 48; bit++) {
		uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };

		if (bit >= 0)
			mac[bit / 8] ^= 1u << bit % 8;
		cr_expect_eq(net_admits(a.n, mac), bit <= 0, "bit %d", bit);
	}
}

/* As a switch floods a frame for an address that it does not know. */
Test(net_switch, port_admits_addresses_of_the_driver)
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
Test(net_switch, frame_for_an_address_of_no_port)
{
	send_to(2, 2);
	expect_at("--x-", frame);
	b.hca.port.mac[5] = 0x42;
	hca_port_publish(&b.hca);
	for (int none = 0; none < 2; none++) {
		send(frame, LEN);
		expect_at("--xx", frame);
		memset(frame, 0, 6);
	}
}

Test(net_switch, frame_for_an_address_that_differs_in_a_bit)
{
	for (int bit = 1; bit < 48; bit++) {
		frame_to(frame, LEN, 2, 2);
		frame[bit / 8] ^= 1u << bit % 8;
		if (frame[5] == 3 && bit >= 40)
			continue; /* that of c */
		send(frame, LEN);
		expect_at("--xx", frame);
	}
}

Test(net_switch, port_that_is_down_sends_nothing)
{
	a.hca.port.down = true;
	send_to(2, 2);
	send_to(3, 2);
	expect_at("----", frame);
	a.hca.port.down = false;
	send_to(2, 2);
	expect_at("--x-", frame);
}

Test(net_switch, sender_of_a_frame_is_known_by_its_domain)
{
	uint8_t got[LEN];
	struct wire_ethernet how;

	send_to(2, 2);
	cr_expect_eq(arrived(&b, got, &how), LEN);
	cr_expect_eq(how.tdn, 0x1234);
}

Test(net_switch, frames_have_the_lengths_of_ethernet)
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

Test(net_switch, full_receiver_of_unicast_stops_the_sender)
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

Test(net_switch, full_receiver_of_multicast_loses_it)
{
	uint8_t frame[1500];

	frame_to(frame, sizeof(frame), 3, 0);
	for (int i = 0; i < 5000; i++) {
		cr_assert(net_send(a.n, 1, frame, sizeof(frame)));
		wire_flush(a.w);
	}
	expect_frame(&c, frame, sizeof(frame), false);
}
