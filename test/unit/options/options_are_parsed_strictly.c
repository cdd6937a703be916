/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DVKIT_EMU is parsed completely or refused with a reason.
 */
#include <criterion/criterion.h>

#include "options/options.h"

static void refused(const char *text, const char *reason)
{
	struct options o;
	char why[200] = "";

	cr_assert(!options_parse(&o, text, why, sizeof(why)), "'%s' was taken", text);
	cr_assert_str_eq(why, reason);
}

Test(options, nothing_means_defaults)
{
	struct options o;
	char why[200];

	cr_assert(options_parse(&o, "", why, sizeof(why)));
	cr_assert_str_eq(o.device, "cx5");
	cr_assert_eq(o.mtu, 1024);
	cr_assert_eq(o.ipv4, 0xc0a80001);
	cr_assert_str_eq(o.fabric, "0");
	cr_assert_eq(o.trace, 0);
	cr_assert_str_empty(o.image);
	cr_assert_str_empty(o.trace_file);
	cr_assert_str_empty(o.pcap);
	cr_assert(!o.check);
	cr_assert(!o.no_memlock);
	cr_assert_eq(o.kernel, KERNEL_RELEASE(6, 1));
}

Test(options, every_key_is_understood)
{
	struct options o;
	char why[200];

	cr_assert(options_parse(
		&o,
		"device=bf2,image=/t/device,mtu=4096,ip=10.1.2.3,fabric=a.b-c_9,trace=0x81,"
		"trace_file=/tmp/a%2cb,pcap=/tmp/100%25%3d,check=1,kernel=6.12,tap=tap0,inject=/t/frames,"
		"netdev=eth0:eth1",
		why, sizeof(why)));
	cr_assert_str_eq(o.device, "bf2");
	cr_assert_str_eq(o.image, "/t/device");
	cr_assert_eq(o.mtu, 4096);
	cr_assert_eq(o.ipv4, 0x0a010203);
	cr_assert_str_eq(o.fabric, "a.b-c_9");
	cr_assert_eq(o.trace, 0x81);
	cr_assert_str_eq(o.trace_file, "/tmp/a,b");
	cr_assert_str_eq(o.pcap, "/tmp/100%=");
	cr_assert(o.check);
	cr_assert_eq(o.kernel, KERNEL_RELEASE(6, 12));
	cr_assert_str_eq(o.tap, "tap0");
	cr_assert_str_eq(o.inject, "/t/frames");
	cr_assert_str_eq(o.netdev[0], "eth0");
	cr_assert_str_eq(o.netdev[1], "eth1");
}

Test(options, unknown_and_malformed_items_are_refused)
{
	refused("colour=red", "unknown key 'colour'");
	refused("device", "'device' is not key=value");
	refused("check=1,", "'' is not key=value");
	refused("mtu=1024,mtu=1024", "'mtu' is given twice");
}

Test(options, values_out_of_range_are_refused)
{
	refused("mtu=1500", "bad value for 'mtu': '1500'");
	refused("mtu=1024x", "bad value for 'mtu': '1024x'");
	refused("kernel=6.13", "bad value for 'kernel': '6.13'");
	refused("kernel=", "bad value for 'kernel': ''");
	refused("ip=1.2.3", "bad value for 'ip': '1.2.3'");
	refused("ip=224.0.0.1", "bad value for 'ip': '224.0.0.1'");
	refused("ip=0.0.0.0", "bad value for 'ip': '0.0.0.0'");
	refused("fabric=a/b", "bad value for 'fabric': 'a/b'");
	refused("fabric=", "bad value for 'fabric': ''");
	refused("fabric=123456789012345678901234567890123",
		"bad value for 'fabric': '123456789012345678901234567890123'");
	refused("trace=-1", "bad value for 'trace': '-1'");
	refused("trace=0x10000", "bad value for 'trace': '0x10000'");
	refused("pcap=relative", "bad value for 'pcap': 'relative'");
	refused("image=relative", "bad value for 'image': 'relative'");
	refused("memlock=2", "bad value for 'memlock': '2'");
	refused("check=yes", "bad value for 'check': 'yes'");
	refused("doorbells=0", "bad value for 'doorbells': '0'");
	refused("as=both", "bad value for 'as': 'both'");
	refused("netdev=eth0,eth1", "'eth1' is not key=value");
	refused("faults=drop%3d2", "bad value for 'faults': 'drop=2'");
}

Test(options, names_of_interfaces_are_those_of_the_kernel)
{
	char two[2][16];

	cr_assert(options_tap("tap0"));
	cr_assert(options_tap("fifteen-letters"));
	cr_assert_not(options_tap("sixteen--letters"));
	for (const char *const *bad =
		     (const char *const[]){ "", ".", "..", "a/b", "a:b", "a b", "a,b", NULL };
	     *bad; bad++)
		cr_assert_not(options_tap(*bad), "'%s'", *bad);
	cr_assert(options_netdev("a", ',', two));
	cr_assert_str_eq(two[0], "a");
	cr_assert_str_empty(two[1]);
	cr_assert(options_netdev("a,b", ',', two));
	cr_assert_str_eq(two[1], "b");
	for (const char *const *bad =
		     (const char *const[]){ "", ",", "a,", ",b", "a,a", "a,b,c", NULL };
	     *bad; bad++)
		cr_assert_not(options_netdev(*bad, ',', two), "'%s'", *bad);
}

/* The launcher's check of single options: the key's own reader. */
Test(options, one_key_is_taken)
{
	struct options o;

	options_default(&o);
	cr_assert(options_take(&o, "mtu", "2048"));
	cr_assert_eq(o.mtu, 2048);
	cr_assert(options_take(&o, "fabric", "12345678901234567890123456789012"));
	cr_assert_not(options_take(&o, "fabric", "123456789012345678901234567890123"));
	cr_assert(options_take(&o, "memlock", "0"));
	cr_assert(o.no_memlock);
	cr_assert(options_take(&o, "memlock", "1"));
	cr_assert_not(o.no_memlock);
	cr_assert_not(options_take(&o, "memlock", "2"));
}

Test(options, broken_escapes_are_refused)
{
	refused("pcap=/a%2", "bad value for 'pcap': '/a%2'");
	refused("pcap=/a%zz", "bad value for 'pcap': '/a%zz'");
	refused("pcap=/a%00b", "bad value for 'pcap': '/a'");
}
