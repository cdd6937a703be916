/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_flow_match_build(): fte_match_param by hand from the PRM. A line is "OFFSET: VALUE MASK"
 * of a dword; dwords that no line names are 0 in both.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/match.h>

static struct dv_flow_rule rule;
static struct dv_flow_match match;
static struct dv_flow_error error;

static uint32_t dword(const uint8_t *p, unsigned int off)
{
	return (uint32_t)p[off] << 24 | p[off + 1] << 16 | p[off + 2] << 8 | p[off + 3];
}

static void parse(const char *attributes, const char *pattern)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s pattern %s / end actions end", attributes, pattern);
	cr_assert_eq(dv_flow_parse(&rule, text, &error), 0, "%s: %s", text, error.message);
}

static void compare(const char *pattern, unsigned int criteria, const char *const *rows)
{
	uint32_t value[128] = { 0 }, mask[128] = { 0 };

	cr_assert_eq(dv_flow_match_build(&match, &rule, &error), 0, "%s: %s", pattern,
		     error.message);
	for (; *rows; rows++) {
		unsigned int off, v, m;

		cr_assert_eq(sscanf(*rows, "%x: %x %x", &off, &v, &m), 3);
		value[off / 4] = v;
		mask[off / 4] = m;
	}
	for (unsigned int i = 0; i < 128; i++) {
		cr_assert_eq(dword(match.value, 4 * i), value[i], "%s: value at 0x%x is %08x",
			     pattern, 4 * i, dword(match.value, 4 * i));
		cr_assert_eq(dword(match.mask, 4 * i), mask[i], "%s: mask at 0x%x is %08x",
			     pattern, 4 * i, dword(match.mask, 4 * i));
	}
	cr_assert_eq(match.criteria, criteria, "%s: 0x%x", pattern, match.criteria);
}

#define MATCH(attributes, pattern, criteria, ...)                                       \
	do {                                                                            \
		parse(attributes, pattern);                                             \
		compare(pattern, criteria, (const char *const[]){ __VA_ARGS__, NULL }); \
	} while (0)

Test(match_is_these_bytes, nothing)
{
	parse("ingress", "eth");
	compare("eth", 0, (const char *const[]){ NULL });
}

Test(match_is_these_bytes, ethernet)
{
	MATCH("ingress", "eth src is 00:11:22:33:44:55 dst is 66:77:88:99:aa:bb type is 0x88cc",
	      1, "00: 00112233 ffffffff", "04: 445588cc ffffffff", "08: 66778899 ffffffff",
	      "0c: aabb0000 ffff0000");
	MATCH("ingress", "eth dst spec 01:00:5e:00:00:00 dst mask ff:ff:ff:80:00:00", 1,
	      "08: 01005e00 ffffff80");
	MATCH("ingress", "eth dst spec 01:00:5e:11:22:33 dst mask ff:ff:ff:00:00:00", 1,
	      "08: 01005e00 ffffff00");
}

Test(match_is_these_bytes, tags)
{
	MATCH("ingress", "eth / vlan vid is 100 pcp is 5", 1, "0c: 0000a064 0000efff",
	      "10: 00008000 00008000");
	MATCH("ingress",
	      "eth type is 0x88a8 / vlan vid is 1 inner_type is 0x8100 / vlan vid is 2", 3,
	      "0c: 00000001 00000fff", "10: 00004000 00004000", "48: 00020000 0fff0000",
	      "4c: 80000000 80000000");
	MATCH("ingress", "eth has_vlan is 0", 1, "10: 00000000 0000c000");
	MATCH("ingress", "vlan vid is 3 has_more_vlan is 0 inner_type is 0x0800", 3,
	      "04: 00000800 0000ffff", "0c: 00000003 00000fff", "10: 00008000 00008000",
	      "4c: 00000000 a0000000");
}

Test(match_is_these_bytes, ipv4)
{
	MATCH("ingress",
	      "ipv4 src is 10.0.0.1 dst spec 10.1.2.3 dst prefix 24 tos is 0x2e ttl is 64 / "
	      "udp src is 7 dst spec 0x12b7 dst mask 0xfff0",
	      1, "10: 112e0800 ffff1e00", "18: 00000040 000000ff", "1c: 000712b0 fffffff0",
	      "2c: 0a000001 ffffffff", "3c: 0a010200 ffffff00");
	MATCH("ingress", "ipv4 / tcp flags spec 0x02 flags mask 0x12 dst is 80", 1,
	      "10: 06000802 ff001e12", "14: 00000050 0000ffff");
	MATCH("ingress", "ipv4 fragment_offset spec 0 fragment_offset mask 0x3fff", 1,
	      "10: 00000800 00003e00");
	MATCH("ingress",
	      "ipv4 fragment_offset spec 1 fragment_offset last 0x3fff fragment_offset mask 0x3fff",
	      1, "10: 00002800 00003e00");
	MATCH("ingress", "ipv4 / icmp type is 8 ident is 0x1234 seq is 5", 0x11,
	      "10: 01000800 ff001e00", "118: 12340005 ffffffff", "120: 08000000 ff000000");
}

Test(match_is_these_bytes, ipv6)
{
	MATCH("ingress",
	      "ipv6 dst is 2001:db8::1 src spec fe80:: src prefix 10 flow is 0x12345 hop is 1",
	      3, "10: 00000c00 00001e00", "18: 00000001 000000ff", "20: fe800000 ffc00000",
	      "30: 20010db8 ffffffff", "34: 00000000 ffffffff", "38: 00000000 ffffffff",
	      "3c: 00000001 ffffffff", "5c: 00012345 000fffff");
	MATCH("ingress", "ipv6 / ipv6_frag_ext", 1, "10: 00002c00 00003e00");
	MATCH("ingress", "ipv6 / icmp6 type is 135 code is 0", 0x11, "10: 3a000c00 ff001e00",
	      "120: 00008700 0000ffff");
}

Test(match_is_these_bytes, tunnels)
{
	MATCH("ingress",
	      "eth / ipv4 / udp / vxlan vni is 0x123456 / eth / ipv4 dst is 1.2.3.4 / tcp src is 1",
	      7, "10: 11000800 ff001e00", "1c: 000012b5 0000ffff", "54: 12345600 ffffff00",
	      "90: 06000800 ff001e00", "94: 00010000 ffff0000", "bc: 01020304 ffffffff");
	MATCH("ingress", "ipv4 / udp dst is 4000 / vxlan vni is 1", 3, "10: 11000800 ff001e00",
	      "1c: 00000fa0 0000ffff", "54: 00000100 ffffff00");
	MATCH("ingress",
	      "ipv4 / gre protocol is 0x0800 c_bit is 0 / gre_key value is 0xdeadbeef / ipv4 src is 9.9.9.9",
	      7, "10: 2f000800 ff001e00", "40: 20000000 a0000000", "4c: 00000800 0000ffff",
	      "50: deadbeef ffffffff", "90: 00000800 00001e00", "ac: 09090909 ffffffff");
	MATCH("ingress", "ipv4 / nvgre tni is 0x010203", 3, "10: 2f000800 ff001e00",
	      "40: 20000000 20000000", "4c: 00006558 0000ffff", "50: 01020300 ffffff00");
	MATCH("ingress", "ipv6 / udp / geneve vni is 5 optlen is 3 protocol is 0x6558", 3,
	      "10: 11000c00 ff001e00", "1c: 000017c1 0000ffff", "58: 00000500 ffffff00",
	      "64: 00036558 003fffff");
	MATCH("ingress", "ipv4 / udp / mpls label is 0x12345 s is 1", 9,
	      "10: 11000800 ff001e00", "1c: 000019eb 0000ffff", "cc: 12345100 fffff100");
	MATCH("ingress", "eth / mpls ttl spec 9 ttl mask 0xff", 8, "c0: 00000009 000000ff");
	MATCH("ingress", "ipv4 / udp / gtp teid is 0x11223344 msg_type is 255", 0x11,
	      "10: 11000800 ff001e00", "1c: 00000868 0000ffff", "128: 11223344 ffffffff",
	      "12c: ff000000 ff000000");
	MATCH("ingress", "ipv4 / udp / ib_bth opcode is 4 dst_qp is 0x11", 3,
	      "10: 11000800 ff001e00", "1c: 000012b7 0000ffff", "54: 00000004 000000ff",
	      "68: 00000011 00ffffff");
	MATCH("ingress", "ipv4 / esp spi is 0x100", 3, "10: 32000800 ff001e00",
	      "70: 00000100 ffffffff");
}

Test(match_is_these_bytes, metadata)
{
	MATCH("egress", "meta data is 7 / sq number is 0x123", 0xa, "40: 00000123 00ffffff",
	      "f0: 00000007 ffffffff");
	MATCH("ingress", "tag index is 2 data spec 0x10 data mask 0xf0", 8,
	      "e4: 00000010 000000f0");
	MATCH("transfer", "vport id is 0xffff", 2, "44: 0000ffff 0000ffff");
	MATCH("transfer", "represented_port ethdev_port_id is 1 / eth", 2,
	      "44: 00000001 0000ffff");
}

/* The bit of the capability, counted from the first of flow_table_fields_supported, is @bit. */
static bool needs(unsigned int bit)
{
	return match.needs[bit / 8] >> (7 - bit % 8) & 1;
}

Test(match_is_these_bytes, capabilities)
{
	MATCH("ingress", "eth dst is 0:0:0:0:0:1", 1, "08: 00000000 ffffffff",
	      "0c: 00010000 ffff0000");
	cr_assert(needs(0) && !needs(1)); /* outer_dmac is bit 31 of dword 0 */
	parse("ingress", "ipv4 ttl is 1 / udp / vxlan / ipv6 hop is 2");
	cr_assert_eq(dv_flow_match_build(&match, &rule, &error), 0);
	cr_assert(needs(3) && needs(7) && needs(15)); /* version, ttl, protocol */
	cr_assert(needs(32 + 3) && needs(64 + 24) && !needs(64 + 25));
	parse("ingress", "ipv4 / udp / ib_bth opcode is 1");
	cr_assert_eq(dv_flow_match_build(&match, &rule, &error), 0);
	cr_assert(needs(128 + 14));
	parse("ingress", "eth / mpls tc is 1");
	cr_assert_eq(dv_flow_match_build(&match, &rule, &error), 0);
	cr_assert(needs(64 + 18) &&
		  !needs(64 + 17)); /* bits 14 to 11 of dword 2: label, class … */
}

static void refused(const char *pattern, int err, const char *message)
{
	parse("ingress", pattern);
	cr_assert_eq(dv_flow_match_build(&match, &rule, &error), err, "%s", pattern);
	cr_assert_eq(strncmp(error.message, message, strlen(message)), 0, "%s: %s", pattern,
		     error.message);
	cr_assert_eq(dv_flow_match_build(&match, &rule, NULL), err);
}

Test(match_is_these_bytes, refusals)
{
	refused("udp", EINVAL, "udp: it follows ipv4 or ipv6");
	refused("ipv4 / ipv4", EINVAL, "ipv4: not after");
	refused("ipv4 / eth", EINVAL, "eth: not after");
	refused("ipv4 / tcp / udp", EINVAL, "udp: not after");
	refused("ipv4 / vxlan", EINVAL, "vxlan: it follows udp");
	refused("gre_key", EINVAL, "gre_key: it follows gre");
	refused("ipv4 / udp / vxlan / ipv4 / udp / vxlan", EINVAL,
		"vxlan: the device matches no");
	refused("ipv4 proto is 6 / udp", EINVAL, "udp: an item before it");
	refused("udp dst mask 1", EINVAL, "udp: a mask without a value");
	refused("eth type is 0x0800 / vlan", EINVAL, "vlan: eth type leads");
	refused("eth type is 0x8100 has_vlan is 0", EINVAL, "eth: a tag by type");
	refused("vlan / vlan / vlan", EOPNOTSUPP, "vlan: the device matches two tags");
	refused("ipv4 length is 100", EOPNOTSUPP, "ipv4 length: the device does not match it");
	refused("ipv4 / udp dst spec 1 dst last 5", EOPNOTSUPP,
		"udp dst: the device does not match a range");
	refused("ipv4 fragment_offset is 8", EOPNOTSUPP,
		"ipv4 fragment_offset: the device matches spec 0");
	refused("ipv4 / gre c_rsvd0_ver is 0", EOPNOTSUPP,
		"gre c_rsvd0_ver: the device does not match it");
	refused("ipv4 / gre / ipv4 / icmp type is 8", EOPNOTSUPP,
		"icmp type: the device does not match it in an inner");
	refused("mark id is 1", EOPNOTSUPP, "mark id: the device does not match it");
	refused("meta data is 1", EOPNOTSUPP, "meta: register A");
	refused("tag data is 1 index is 8", EOPNOTSUPP, "tag index: the registers are 0 to 7");
	refused("tag data is 1", EOPNOTSUPP, "tag index:");
}

/* The type or protocol that a header is given is that of another one than follows (DPDK,
 * mlx5_flow.c, refuses those of Ethernet and IP). The message names the field. */
Test(match_is_these_bytes, a_type_leads_to_its_header)
{
	static const char *const wrong[][2] = {
		{ "eth type is 0x0800 / ipv6", "ipv6: eth type leads to another header" },
		{ "eth type is 0x86dd / ipv4", "ipv4: eth type" },
		{ "eth type is 0x0806 / ipv4", "ipv4: eth type" },
		{ "eth type is 0x8100 / ipv4", "ipv4: eth type" },
		{ "eth type is 0x88a8 / ipv6", "ipv6: eth type" },
		{ "eth type is 0x0801 / ipv4", "ipv4: eth type" },
		{ "eth type spec 0x0000 type mask 0x0800 / ipv4", "ipv4: eth type" },
		{ "eth type is 0x0800 / mpls", "mpls: eth type" },
		{ "eth type is 0x0800 / vlan", "vlan: eth type" },
		{ "vlan inner_type is 0x0800 / ipv6", "ipv6: vlan inner_type" },
		{ "vlan inner_type is 0x8100 / ipv4", "ipv4: vlan inner_type" },
		{ "vlan inner_type is 0x0800 / vlan", "vlan: vlan inner_type" },
		{ "vlan / vlan inner_type is 0x86dd / ipv4", "ipv4: vlan inner_type" },
		{ "ipv4 / gre protocol is 0x0800 / ipv6", "ipv6: gre protocol" },
		{ "ipv4 / gre protocol is 0x86dd / gre_key / ipv4", "ipv4: gre protocol" },
		{ "ipv4 / gre protocol is 0x0800 / eth", "eth: gre protocol" },
		{ "ipv4 / gre protocol is 0x0800 / mpls", "mpls: gre protocol" },
		{ "ipv4 / udp / geneve protocol is 0x6559 / eth", "eth: geneve protocol" },
		{ "ipv4 / udp / vxlan-gpe protocol is 1 / ipv6", "ipv6: vxlan-gpe protocol" },
		{ "ipv4 / udp / vxlan-gpe protocol is 4 / eth", "eth: vxlan-gpe protocol" },
		{ "ipv4 / udp / gtp msg_type is 1 / ipv4", "ipv4: gtp msg_type" },
		{ "ipv4 / udp / vxlan / eth type is 0x0800 / ipv6", "ipv6: eth type" },
		{ "ipv4 proto is 17 / tcp", "tcp: an item before it" },
		{ "ipv4 proto spec 1 proto mask 0x1 / icmp6", "icmp6: it follows ipv6" },
		{ "ipv6 proto is 6 / udp", "udp: an item before it" },
		{ "ipv6 / icmp", "icmp: it follows ipv4" },
		{ "ipv4 / icmp6", "icmp6: it follows ipv6" },
		{ "ipv6 proto is 0", "ipv6 proto: the device matches the one after all" },
		{ "ipv6 proto is 43", "ipv6 proto: the device" },
		{ "ipv6 proto is 44 / ipv6_frag_ext", "ipv6 proto: the device" },
		{ "ipv6 proto is 51", "ipv6 proto: the device" },
		{ "ipv6 proto is 60", "ipv6 proto: the device" },
		{ "ipv6 has_frag_ext is 0 / ipv6_frag_ext",
		  "ipv6_frag_ext: an item before it" },
		{ "ipv4 / udp dst is 4792 / ib_bth", "ib_bth: an item before it" },
		{ "ipv4 / udp dst is 6082 / geneve", "geneve: an item before it" },
		{ "ipv4 / udp dst is 6636 / mpls", "mpls: an item before it" },
		{ "ipv4 / udp dst is 2153 / gtp", "gtp: an item before it" },
		{ "ipv4 / gre k_bit is 0 / gre_key", "gre_key: an item before it" },
		{ "vlan has_more_vlan is 0 / vlan", "vlan: an item before it" },
		{ "vlan inner_type is 0x8100 has_more_vlan is 0", "vlan: a tag by inner_type" },
		{ "eth has_vlan is 0 / vlan", "vlan: an item before it" },
		{ "ipv4 / udp / gtp / eth", "eth: not after gtp" },
		{ "vport id is 1 / represented_port ethdev_port_id is 2",
		  "represented_port: an item before it" },
		{ "tag index is 1 data is 5 / tag index is 1 data is 6",
		  "tag: an item before it" },
		{ "mpls label is 1 / mpls label is 2", "mpls: an item before it" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		refused(wrong[i][0], EINVAL, wrong[i][1]);
}

/* Matches that only look like a contradiction. */
Test(match_is_these_bytes, a_type_of_the_header_that_follows)
{
	static const char *const right[] = {
		"eth type is 0x0800 / ipv4 proto is 6 / tcp",
		"eth type spec 0x0800 type mask 0x0f00 / ipv4",
		"eth type spec 0x86dd / ipv4", /* not in the default mask */
		"eth type is 0x86dd / ipv6 proto is 58 / icmp6",
		"eth type is 0x8847 / mpls",
		"eth type is 0x8848 / mpls",
		"eth type is 0x8100 / vlan inner_type is 0x86dd / ipv6",
		"eth type is 0x88a8 / vlan inner_type is 0x8100 / vlan inner_type is 0x0800 / ipv4",
		"eth has_vlan is 1 / vlan has_more_vlan is 1 / vlan / ipv4",
		"ipv6 proto is 50 / esp",
		"ipv6 proto is 17 / ipv6_frag_ext / udp",
		"ipv6 / ipv6_frag_ext / icmp6",
		"ipv4 / gre protocol is 0x6558 / eth type is 0x0800 / ipv4",
		"ipv4 / gre protocol is 0x6558 / ipv6",
		"ipv4 / gre protocol is 0x86dd / gre_key / void / ipv6",
		"ipv4 / udp / geneve protocol is 0x0800 / ipv4",
		"ipv4 / udp / vxlan-gpe protocol is 3 / eth",
		"ipv4 / udp / vxlan-gpe protocol is 3 / ipv6",
		"ipv4 / udp / gtp msg_type is 255 / ipv6",
		"ipv4 / udp dst is 4791 / ib_bth",
		"ipv4 / udp dst spec 4790 dst mask 0xfffe / ib_bth",
		"ipv4 / udp dst is 8472 / vxlan", /* ADD_VXLAN_UDP_DPORT */
		"eth type is 0x0800 / vport id is 1 / ipv4",
		"vport id is 2 / represented_port ethdev_port_id is 2",
	};

	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		parse("ingress", right[i]);
		cr_assert_eq(dv_flow_match_build(&match, &rule, &error), 0, "%s: %s", right[i],
			     error.message);
	}
}

/* The device finds no header after IP in a fragment, not even in the first (DPDK, mlx5.rst). */
Test(match_is_these_bytes, a_fragment_ends_with_ip)
{
#define FRAGMENT \
	"ipv4 fragment_offset spec 1 fragment_offset last 0x3fff fragment_offset mask 0x3fff"
	MATCH("ingress", FRAGMENT " / udp", 1, "10: 11002800 ff003e00");
	refused(FRAGMENT " / udp dst is 53", EINVAL, "udp: a fragment has no");
	refused(FRAGMENT " / tcp flags spec 2 flags mask 2", EINVAL, "tcp: a fragment");
	refused(FRAGMENT " / udp / vxlan", EINVAL, "vxlan: a fragment");
	refused(FRAGMENT " / gre / ipv4", EINVAL, "ipv4: a fragment");
	refused("ipv6 / ipv6_frag_ext / udp src is 1", EINVAL, "udp: a fragment");
	refused("ipv4 / gre / ipv6 has_frag_ext is 1 / tcp dst is 1", EINVAL,
		"tcp: a fragment");
	MATCH("ingress",
	      "ipv4 fragment_offset spec 0 fragment_offset mask 0x3fff / udp dst is 53", 1,
	      "10: 11000800 ff003e00", "1c: 00000035 0000ffff");
}

/* rte_flow (flow_offload.rst): last without spec is an error; 0, or equal to spec, is no
 * range. */
Test(match_is_these_bytes, ranges)
{
	refused("ipv4 / udp dst last 5", EINVAL, "udp: last without spec");
	refused("ipv4 / udp dst last 0", EINVAL, "udp: last without spec");
	refused("ipv4 / udp dst last 5 dst mask 0xffff", EINVAL, "udp: last without spec");
	refused("ipv4 fragment_offset last 0x3fff", EINVAL, "ipv4: last without spec");
	refused("ipv4 / udp dst spec 256 dst last 255", EINVAL,
		"udp dst: the range ends before it begins");
	refused("ipv4 fragment_offset spec 9 fragment_offset last 1 fragment_offset mask 0x3fff",
		EINVAL, "ipv4 fragment_offset: the range ends");
	refused("ipv6 dst spec 2001::2 dst last 2001::1", EINVAL, "ipv6 dst: the");
	refused("ipv6 dst spec 2001::2 dst last 2001::3", EOPNOTSUPP,
		"ipv6 dst: the device does not match a range");
	MATCH("ingress", "ipv4 / udp src spec 1 src last 1 dst spec 2 dst last 0", 1,
	      "10: 11000800 ff001e00", "1c: 00010002 ffffffff");
}

Test(match_is_these_bytes, refusals_say_which_item)
{
	static const char text[] =
		"ingress pattern eth type is 0x0800 / void / ipv6 / end actions drop / end";

	cr_assert_eq(dv_flow_parse(&rule, text, &error), 0);
	cr_assert_eq(dv_flow_match_build(&match, &rule, &error), EINVAL);
	cr_assert_eq(error.item, 3);
	cr_assert_eq(error.column, 0);
	dv_flow_error_place(&error, text);
	cr_assert_eq(error.column, strstr(text, "ipv6") - text + 1);
	cr_assert_eq(strncmp(error.message, "ipv6: eth type", 14), 0);
	error.item = 4; /* there is none */
	error.column = 7;
	dv_flow_error_place(&error, text);
	cr_assert_eq(error.column, 7);
	error.item = 0;
	dv_flow_error_place(&error, text);
	cr_assert_eq(error.column, 7);
}
