/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_headers(): set_action_in and add_action_in by hand from the PRM; tags and tunnels. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/headers.h>

#include "lib/equals.h"

static struct dv_flow_rule rule;
static struct headers headers;
static struct dv_flow_error error;

static int build(const char *pattern, const char *actions)
{
	char text[512];

	snprintf(text, sizeof(text), "ingress pattern %s / end actions %s / drop / end",
		 pattern, actions);
	cr_assert_eq(dv_flow_parse(&rule, text, &error), 0, "%s: %s", text, error.message);
	return flow_headers(&rule, &headers, &error);
}

/* The changes are these, each as 16 hexadecimal digits. */
static void changes(const char *pattern, const char *actions, const char *hex)
{
	char text[MODIFY_MAX * 17 + 1] = "";

	cr_assert_eq(build(pattern, actions), 0, "%s: %s", actions, error.message);
	for (unsigned int i = 0; i < headers.modify.n; i++)
		for (unsigned int b = 0; b < 8; b++)
			sprintf(text + strlen(text), "%s%02x", i && !b ? " " : "",
				headers.modify.action[i][b]);
	cr_assert_str_eq(text, hex);
}

Test(header_changes_are_these_bytes, addresses)
{
	changes("eth", "set_mac_dst mac_addr 01:02:03:04:05:06",
		"1005001000000506 1004000001020304");
	changes("eth", "set_mac_src mac_addr 01:02:03:04:05:06",
		"1002001000000506 1001000001020304");
	changes("ipv4", "set_ipv4_src ipv4_addr 1.2.3.4 / set_ipv4_dst ipv4_addr 5.6.7.8",
		"1015000001020304 1016000005060708");
	changes("ipv6", "set_ipv6_dst ipv6_addr 1:2:3:4:5:6:7:8",
		"1014000000070008 1013000000050006 1012000000030004 1011000000010002");
}

Test(header_changes_are_these_bytes, numbers)
{
	changes("ipv4 / udp", "set_tp_src port 258 / set_tp_dst port 3",
		"100b001000000102 100c001000000003");
	changes("ipv6 / tcp", "set_tp_src port 258 / set_tp_dst port 3",
		"1008001000000102 1009001000000003");
	changes("ipv4", "set_ttl ttl_value 9 / dec_ttl", "100a000800000009 200a0000000000ff");
	changes("ipv6", "set_ttl ttl_value 9 / dec_ttl", "1047000800000009 20470000000000ff");
	changes("ipv4 / tcp", "inc_tcp_seq value 2 / dec_tcp_ack value 1",
		"2059000000000002 205b0000ffffffff");
	changes("ipv4", "set_ipv4_dscp dscp_value 46", "100600060000002e");
	changes("eth", "set_tag index 3 data 0x11223344 / set_meta data 5",
		"1054000011223344 1050000000000005");
	changes("eth", "set_tag index 1 data 0x1234 mask 0xff0", "1052040800000023");
}

Test(header_changes_are_these_bytes, modify_field_sets)
{
	changes("eth",
		"modify_field op set dst_type mac_dst src_type value src_value 010203040506 width 48",
		"1005001000000506 1004000001020304");
	/* Bits 12 to 27 of 48: the upper 4 of the lower field, the lower 12 of the upper
	 * one. */
	changes("eth",
		"modify_field op set dst_type mac_dst dst_offset 12 src_type value src_value abcd width 16",
		"10050c040000000d 1004000c00000abc");
	changes("eth",
		"modify_field op set dst_type tag dst_tag_index 2 dst_offset 8 src_type value "
		"src_value 12345678 src_offset 4 width 8",
		"1053080800000067");
	changes("eth",
		"modify_field op set dst_type ipv6_src src_type value "
		"src_value 000102030405060708090a0b0c0d0e0f width 128",
		"101000000c0d0e0f 100f000008090a0b 100e000004050607 100d000000010203");
}

Test(header_changes_are_these_bytes, modify_field_copies)
{
	changes("eth",
		"modify_field op set dst_type ipv4_dst src_type tag src_tag_index 3 width 32",
		"3054000000160000");
	/* The upper 16 bits of a MAC address, to a register's bits 4 to 19. */
	changes("eth",
		"modify_field op set dst_type meta dst_offset 4 src_type mac_src src_offset 32 width 16",
		"3001101000500400");
	/* 20 bits from bit 8 of the source are in both of its fields. */
	changes("eth",
		"modify_field op set dst_type tag src_type mac_src src_offset 8 width 20",
		"3002080800510000 3001000c00510800");
}

Test(header_changes_are_these_bytes, modify_field_adds)
{
	changes("ipv4",
		"modify_field op add dst_type ipv4_ttl src_type value src_value 05 width 8",
		"200a000000000005");
	changes("tcp",
		"modify_field op sub dst_type tcp_seq_num src_type value src_value 01 width 32",
		"20590000ffffffff");
}

Test(header_changes_are_these_bytes, modify_field_refusals)
{
#define MODIFY(rest) build("eth", "modify_field " rest)
	cr_assert_eq(MODIFY("op set dst_type ipv4_ttl src_type value src_value 05 width 9"),
		     EINVAL);
	cr_assert_eq(MODIFY("op set dst_type ipv4_ttl src_type value src_value 05"), EINVAL);
	cr_assert_eq(MODIFY("op set dst_type ipv4_ttl dst_offset 255 src_type value "
			    "src_value 05 width 8"),
		     EINVAL);
	cr_assert_eq(MODIFY("op set dst_type ipv4_ttl src_type value width 8"), EINVAL);
	cr_assert_eq(MODIFY("op set dst_type tag dst_tag_index 8 src_type meta width 8"),
		     EINVAL);
	cr_assert_eq(MODIFY("op set dst_type value src_type meta width 8"), EOPNOTSUPP);
	cr_assert_eq(MODIFY("op set dst_type meta width 8"), EOPNOTSUPP);
	cr_assert_eq(MODIFY("op add dst_type meta src_type tag width 32"), EOPNOTSUPP);
	cr_assert_eq(MODIFY("op add dst_type mac_dst src_type value src_value 01 width 48"),
		     EOPNOTSUPP);
	cr_assert_eq(MODIFY("op add dst_type meta src_type value src_value 01 width 8"),
		     EOPNOTSUPP);
}

static void header(const char *action, const char *hex)
{
	char text[2 * FLOW_MAX_BYTES + 1] = "";

	cr_assert_eq(build("eth", action), 0, "%s: %s", action, error.message);
	for (unsigned int i = 0; i < headers.encap_len; i++)
		sprintf(text + strlen(text), "%02x", headers.encap[i]);
	cr_assert_str_eq(text, hex);
	cr_assert_eq(headers.reformat, PRM_REFORMAT_L2_TO_L2_TUNNEL);
}

Test(header_changes_are_these_bytes, tunnels_by_their_fields)
{
	header("vxlan_encap vni 0x123456 udp-src 4660 ip-src 10.0.0.1 ip-dst 10.0.0.2 "
	       "eth-src 02:00:00:00:00:01 eth-dst 02:00:00:00:00:02",
	       "0200000000020200000000010800"
	       "45000000000000004011"
	       "0000"
	       "0a000001"
	       "0a000002"
	       "123412b500000000"
	       "0800000012345600");
	header("vxlan_encap ip-version ipv6 vni 1 udp-dst 8472 ip-tos 0xb8 ip-ttl 9 vlan-tci 0x6005 "
	       "ip-src 2001:db8::1 ip-dst 2001:db8::2 eth-dst 02:00:00:00:00:02",
	       "020000000002000000000000"
	       "81006005"
	       "86dd"
	       "6b80000000001109"
	       "20010db8000000000000000000000001"
	       "20010db8000000000000000000000002"
	       "0000211800000000"
	       "0800000000000100");
	header("nvgre_encap tni 0xabcdef ip-src 1.2.3.4 ip-dst 5.6.7.8",
	       "0000000000000000000000000800"
	       "4500000000000000402f"
	       "0000"
	       "01020304"
	       "05060708"
	       "20006558abcdef00");
	cr_assert_eq(build("eth", "vxlan_encap vni 1 ip-dst 1.2.3.4"), EINVAL);
	cr_assert_eq(build("eth", "vxlan_encap vni 1 ip-src ::1 ip-dst 1.2.3.4"), EINVAL);
	cr_assert_eq(build("eth", "vxlan_encap ip-version ipv6 ip-src 1.2.3.3 ip-dst 1.2.3.4"),
		     EINVAL);
	cr_assert_eq(build("eth", "nvgre_encap ip-src ::1 ip-dst ::2 / raw_encap data 00"),
		     EINVAL);
}

Test(header_changes_are_these_bytes, tags_and_tunnels)
{
	changes("vlan", "of_set_vlan_vid vlan_vid 100", "1017000c00000064");
	changes("eth",
		"of_pop_vlan / of_push_vlan ethertype 0x88a8 / of_set_vlan_vid vlan_vid 7 / of_set_vlan_pcp vlan_pcp 3",
		"");
	EQUALS(E(headers.pops, 1), E(headers.pushes, 1), E(headers.push[0].ethertype, 0x88a8),
	       E(headers.push[0].vid, 7), E(headers.push[0].prio, 3));
	changes("eth", "vxlan_decap", "");
	cr_assert(headers.decap && !headers.encap_len);
	changes("eth", "raw_encap data 000102030405", "");
	cr_assert_eq(headers.reformat, PRM_REFORMAT_L2_TO_L2_TUNNEL);
	cr_assert_eq(headers.encap_len, 6u);
	changes("eth", "raw_decap / raw_encap data 0001020304050607080910111213", "");
	cr_assert(!headers.decap);
	cr_assert_eq(headers.reformat, PRM_REFORMAT_L3_TUNNEL_TO_L2);
}

Test(header_changes_are_these_bytes, refusals)
{
	cr_assert_eq(build("eth", "dec_ttl"), EINVAL);
	cr_assert_eq(build("ipv4", "set_tp_src port 1"), EINVAL);
	cr_assert_eq(build("eth", "set_tag index 8 data 1"), EINVAL);
	cr_assert_eq(build("eth", "set_tag index 1 data 1 mask 0x101"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "set_meta data 1 mask 0"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "of_set_vlan_pcp vlan_pcp 1"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "of_push_vlan / of_push_vlan / of_push_vlan"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "raw_encap data 00 / raw_encap data 01"), EINVAL);
	cr_assert_eq(build("eth", "raw_decap index 1"), EOPNOTSUPP);
}
