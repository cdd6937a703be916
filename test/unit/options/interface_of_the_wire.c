/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network interface of --wire as text, and the addresses that the port gets from it.
 */
#include <criterion/criterion.h>

#include "options/options.h"

/* Documentation prefix 2001:db8::/32 (RFC 3849), 192.0.2.0/24 (RFC 5737). */
Test(options, interface_of_the_wire)
{
	static const char golden[] = "wire=eth0;02000000002a;1500;192.0.2.7;2001:db8::1";
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 };
	static const uint8_t v4[16] = { [10] = 0xff, 0xff, 192, 0, 2, 7 };
	static const uint8_t local[16] = { 0xfe, 0x80, [11] = 0xff, 0xfe, [15] = 0x2a };
	char text[4000], why[200] = "";
	uint8_t ip[OPTIONS_ADDRESSES][16], mac[6];
	struct options o;

	cr_assert(options_parse(&o, golden, why, sizeof(why)), "%s", why);
	cr_assert_str_eq(o.wire.netdev, "eth0");
	cr_assert_eq(o.wire.mtu, 1500);
	cr_assert_eq(options_wire_ipv4(&o.wire), 0xc0000207);
	options_port_mac(&o, false, mac);
	cr_assert_arr_eq(mac, ((uint8_t[]){ 2, 0, 0, 0, 0, 0x2a }), 6);
	cr_assert_eq(options_addresses(&o, false, ip), 3);
	cr_assert_arr_eq(ip[0], local, 16);
	cr_assert_arr_eq(ip[1], v4, 16);
	cr_assert_arr_eq(ip[2], v6, 16);
	cr_assert(options_format(&o, text, sizeof(text)));
	cr_assert(strstr(text, golden), "%s", text);
}

Test(options, interface_without_a_mac)
{
	char why[200];
	struct options o;
	uint8_t mac[6];

	cr_assert(options_parse(&o, "ip=192.0.2.7,wire=lo;000000000000;65536;192.0.2.7", why,
				sizeof(why)));
	options_port_mac(&o, false, mac);
	cr_assert_arr_eq(mac, ((uint8_t[]){ 2, 0xc5, 192, 0, 2, 7 }), 6);
}

Test(options, wire_that_is_refused)
{
	static const char *const bad[] = {
		"wire=",
		"wire=eth0",
		"wire=eth0;02000000002a;1500",
		"wire=eth0;02000000002;1500;192.0.2.7",
		"wire=eth0;02000000002g;1500;192.0.2.7",
		"wire=eth0;02000000002a;0;192.0.2.7",
		"wire=eth0;02000000002a;1500x;192.0.2.7",
		"wire=eth0;02000000002a;1500;192.0.2",
		"wire=eth0;02000000002a;1500;192.0.2.7;",
		"wire=interface-too-long;02000000002a;1500;192.0.2.7",
		("wire=eth0;02000000002a;1500;::1;::2;::3;::4;::5;::6;::7;::8;::9;::10;::11;::12;"
		 "::13;::14;::15;::16;::17"),
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char why[200] = "";
		struct options o;

		cr_assert(!options_parse(&o, bad[i], why, sizeof(why)), "%s", bad[i]);
		cr_assert(*why);
	}
}
