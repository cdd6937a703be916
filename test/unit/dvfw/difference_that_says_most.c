/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_differs(): which field of a packet is named, and how. Offsets are those of
 * fte_match_param. */
#include <string.h>
#include <criterion/criterion.h>

#include "flows/flow_differs.h"

static uint8_t mask[512], value[512], packet[512];
static struct flow_difference d;

/* Byte @at: mask, value, that of the packet. */
static void byte(size_t at, uint8_t m, uint8_t v, uint8_t p)
{
	mask[at] = m;
	value[at] = v;
	packet[at] = p;
}

static void differs(const char *field, const char *is, const char *wanted, const char *under)
{
	cr_assert(flow_differs(mask, value, packet, &d));
	cr_assert_str_eq(d.field, field);
	cr_assert_str_eq(d.packet, is);
	cr_assert_str_eq(d.value, wanted);
	cr_assert_eq(d.whole, !under, "%s", d.mask);
	if (under)
		cr_assert_str_eq(d.mask, under);
}

Test(difference_that_says_most, none)
{
	cr_assert_not(flow_differs(mask, value, packet, &d));
	byte(0x1e, 0, 0, 0x12); /* not in the mask */
	byte(0x1f, 0xf0, 0x50, 0x53);
	cr_assert_not(flow_differs(mask, value, packet, &d));
}

Test(difference_that_says_most, numbers)
{
	byte(0x1e, 0xff, 0x12, 0x12);
	byte(0x1f, 0xff, 0xb5, 0xb6);
	differs("outer_headers.udp_dport", "0x12b6", "0x12b5", NULL);
	mask[0x1f] = 0x0f;
	value[0x1f] = 0x05;
	differs("outer_headers.udp_dport", "0x12b6", "0x1205", "0xff0f");
}

/* vxlan_vni: dword 0x54, bits 31:8. gre_key: dword 0x50. ipv4_ihl: bits 15:12 of dword 0x18. */
Test(difference_that_says_most, other_blocks)
{
	byte(0x54, 0xff, 0, 0);
	byte(0x55, 0xff, 0, 0);
	byte(0x56, 0xff, 7, 8);
	differs("misc_parameters.vxlan_vni", "0x8", "0x7", NULL);
	byte(0x53, 0xff, 1, 2);
	differs("misc_parameters.gre_key.key", "0x2", "0x1", "0xff");
	byte(0x1a, 0xf0, 0x50, 0x60);
	differs("outer_headers.ipv4_ihl", "0x6", "0x5", NULL);
}

/* Bytes 8 … 13 are the destination MAC, 0 … 5 the source. */
Test(difference_that_says_most, mac_addresses)
{
	for (size_t i = 0; i < 6; i++)
		byte(8 + i, 0xff, (uint8_t)i, (uint8_t)i);
	packet[13] = 0xaa;
	differs("outer_headers.dmac", "00:01:02:03:04:aa", "00:01:02:03:04:05", NULL);
	byte(8, 0, 0, 0);
	differs("outer_headers.dmac", "00:01:02:03:04:aa", "00:01:02:03:04:05",
		"00:ff:ff:ff:ff:ff");
}

/* The inner headers begin at 0x80, their destination address at 0xb0. */
Test(difference_that_says_most, ip_addresses)
{
	for (size_t i = 0; i < 4; i++)
		byte(0xbc + i, 0xff, 10, 10);
	packet[0xbf] = 11;
	differs("inner_headers.dst_ipv4", "10.10.10.11", "10.10.10.10", NULL);
	byte(0xb0, 0xff, 0xfd, 0xfe);
	mask[0xbc] = mask[0xbd] = mask[0xbe] = mask[0xbf] = 0;
	differs("inner_headers.dst_ipv6", "fe00::a0a:a0b", "fd00::a0a:a0a", "ff00::");
}

/* ip_version: bits 12:9 of dword 0x10, ip_protocol: its first byte. They come before what
 * depends on them. */
Test(difference_that_says_most, kinds_first)
{
	byte(0x1f, 0xff, 1, 2);
	byte(0x2f, 0xff, 1, 2);
	differs("outer_headers.src_ipv4", "0.0.0.2", "0.0.0.1", "0.0.0.255");
	byte(0x10, 0xff, 17, 6);
	differs("outer_headers.ip_protocol", "0x6", "0x11", NULL);
	byte(0x12, 0x1e, 4 << 1, 6 << 1);
	differs("outer_headers.ip_version", "0x6", "0x4", NULL);
}
