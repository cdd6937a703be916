/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The preloaded library reads what the launcher wrote, with any file name.
 */
#include <criterion/criterion.h>

#include "options/options.h"

Test(options, read_back_as_written)
{
	struct options out, in = {
		.device = "cx6dx",
		.image = "/tmp/x,y/device",
		.mtu = 256,
		.ipv4 = 0x7f000001,
		.fabric = "lab",
		.trace = 0xff,
		.trace_file = "/tmp/a,b=c%d e",
		.pcap = "/tmp/%2c.pcap",
		.check = true,
		.no_memlock = true,
		.kernel = KERNEL_RELEASE(6, 12),
		.as = OPTIONS_AS_DPU,
		.timeline = "/tmp/t=1",
		.tap = "tap0",
		.netdev = { "eth0", "eth=1" },
		.inject = "/tmp/100%",
		.faults = "drop=5%:7;dup=1",
		.stats = true,
		.poll_doorbells = true,
	};
	char text[4000], why[200];

	cr_assert(options_format(&in, text, sizeof(text)));
	cr_assert(options_parse(&out, text, why, sizeof(why)), "%s: %s", text, why);
	cr_assert_str_eq(out.device, in.device);
	cr_assert_str_eq(out.image, in.image);
	cr_assert_eq(out.mtu, in.mtu);
	cr_assert_eq(out.ipv4, in.ipv4);
	cr_assert_str_eq(out.fabric, in.fabric);
	cr_assert_eq(out.trace, in.trace);
	cr_assert_str_eq(out.trace_file, in.trace_file);
	cr_assert_str_eq(out.pcap, in.pcap);
	cr_assert(out.check);
	cr_assert(out.no_memlock);
	cr_assert_eq(out.kernel, in.kernel);
	cr_assert_eq(out.as, in.as);
	cr_assert_str_eq(out.timeline, in.timeline);
	cr_assert_str_eq(out.tap, in.tap);
	cr_assert_str_eq(out.netdev[0], in.netdev[0]);
	cr_assert_str_eq(out.netdev[1], in.netdev[1]);
	cr_assert_str_eq(out.inject, in.inject);
	cr_assert_str_eq(out.faults, in.faults);
	cr_assert(out.stats);
	cr_assert(out.poll_doorbells);
}

Test(options, golden_text)
{
	struct options o;
	char text[200];

	options_default(&o);
	cr_assert(options_format(&o, text, sizeof(text)));
	cr_assert_str_eq(text, "mtu=1024,ip=192.168.0.1,device=cx5,fabric=0");
}

Test(options, a_text_that_does_not_fit_is_refused)
{
	struct options o;
	char text[44];

	options_default(&o);
	cr_assert(options_format(&o, text, 44), "43 bytes and the 0");
	for (size_t size = 1; size < 44; size++)
		cr_assert(!options_format(&o, text, size), "%zu", size);
}

Test(options, addresses_follow_from_the_ip)
{
	static const uint8_t want[6] = { 0x02, 0xc5, 0xc0, 0xa8, 0x00, 0x01 };
	uint8_t mac[6];

	options_mac(0xc0a80001, false, mac);
	cr_assert_arr_eq(mac, want, 6);
	cr_assert_eq(options_guid(mac), 0x00c5c0fffea80001);
	options_mac(0xc0a80001, true, mac);
	cr_assert_eq(options_guid(mac), 0x00d5c0fffea80001);
}
