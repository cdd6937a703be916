/* SPDX-License-Identifier: BSD-2-Clause */
/* flow_headers(): set_action_in and add_action_in by hand from the PRM; tags and tunnels. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/headers.h>

static struct flow_rule rule;
static struct headers headers;
static struct flow_error error;

static int build(const char *pattern, const char *actions)
{
	char text[512];

	snprintf(text, sizeof(text), "ingress pattern %s / end actions %s / drop / end",
		 pattern, actions);
	cr_assert_eq(flow_parse(text, &rule, &error), 0, "%s: %s", text, error.message);
	return flow_headers(&rule, &headers, &error);
}

/* The changes are these, each as 16 hexadecimal digits. */
static void changes(const char *pattern, const char *actions, const char *hex)
{
	char text[HEADERS_CHANGES * 17 + 1] = "";

	cr_assert_eq(build(pattern, actions), 0, "%s: %s", actions, error.message);
	for (unsigned int i = 0; i < headers.changes; i++)
		for (unsigned int b = 0; b < 8; b++)
			sprintf(text + strlen(text), "%s%02x", i && !b ? " " : "",
				headers.change[i][b]);
	cr_assert_str_eq(text, hex);
}

Test(header_changes_are_these_bytes, addresses)
{
	changes("eth", "set_mac_dst mac_addr 01:02:03:04:05:06",
		"1004000001020304 1005001000000506");
	changes("eth", "set_mac_src mac_addr 01:02:03:04:05:06",
		"1001000001020304 1002001000000506");
	changes("ipv4", "set_ipv4_src ipv4_addr 1.2.3.4 / set_ipv4_dst ipv4_addr 5.6.7.8",
		"1015000001020304 1016000005060708");
	changes("ipv6", "set_ipv6_dst ipv6_addr 1:2:3:4:5:6:7:8",
		"1011000000010002 1012000000030004 1013000000050006 1014000000070008");
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
}

Test(header_changes_are_these_bytes, tags_and_tunnels)
{
	changes("vlan", "of_set_vlan_vid vlan_vid 100", "1017000c00000064");
	changes("eth",
		"of_pop_vlan / of_push_vlan ethertype 0x88a8 / of_set_vlan_vid vlan_vid 7 / of_set_vlan_pcp vlan_pcp 3",
		"");
	cr_assert_eq(headers.pops, 1);
	cr_assert_eq(headers.pushes, 1);
	cr_assert_eq(headers.push[0].ethertype, 0x88a8);
	cr_assert_eq(headers.push[0].vid, 7);
	cr_assert_eq(headers.push[0].prio, 3);
	changes("eth", "vxlan_decap", "");
	cr_assert(headers.decap && !headers.encap);
	changes("eth", "raw_encap data 000102030405", "");
	cr_assert_eq(headers.reformat, PRM_REFORMAT_L2_TO_L2_TUNNEL);
	cr_assert_eq(headers.encap->bytes_len, 6);
	changes("eth", "raw_decap / raw_encap data 0001020304050607080910111213", "");
	cr_assert(!headers.decap);
	cr_assert_eq(headers.reformat, PRM_REFORMAT_L3_TUNNEL_TO_L2);
}

Test(header_changes_are_these_bytes, refusals)
{
	cr_assert_eq(build("eth", "dec_ttl"), EINVAL);
	cr_assert_eq(build("ipv4", "set_tp_src port 1"), EINVAL);
	cr_assert_eq(build("eth", "set_tag index 8 data 1"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "set_tag index 1 data 1 mask 0xff"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "set_meta data 1 mask 0xff"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "of_set_vlan_pcp vlan_pcp 1"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "of_push_vlan / of_push_vlan / of_push_vlan"), EOPNOTSUPP);
	cr_assert_eq(build("eth", "raw_encap data 00 / raw_encap data 01"), EINVAL);
	cr_assert_eq(build("eth", "raw_decap index 1"), EOPNOTSUPP);
}
