/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of the back end dr in groups that are not 0: tables that libmlx5 writes into memory of
 * the adapter, and that packets walk. */
#include <stdio.h>
#include <criterion/criterion.h>

#include "ethernet.h"

TestSuite(dr_tables, .init = ethernet_open, .fini = ethernet_close);

static void in_group_1(const char *text)
{
	ethernet_rules("dr");
	rule("ingress pattern eth / end actions jump group 1 / end");
	rule(text);
}

Test(dr_tables, dr_groups)
{
	struct devx_flow_count count;
	struct dv_flow *drop;
	uint32_t tag;

	in_group_1("ingress group 1 priority 1 pattern eth / ipv4 / udp / end "
		   "actions tag value 2 / queue index 0 / end");
	drop = rule("ingress group 1 priority 0 pattern eth / ipv4 / udp dst is 1001 / end "
		    "actions count / drop / end");
	rule("ingress group 1 priority 0 pattern eth / ipv4 / udp dst is 1002 / end "
	     "actions jump group 3 / end");
	rule("ingress group 3 pattern eth / end actions tag value 3 / queue index 1 / end");
	for (unsigned int port = 1000; port < 1003; port++)
		send_udp(port);
	cr_assert_eq(receive_udp(0, &tag), 1000);
	cr_assert_eq(tag, 2);
	cr_assert_eq(receive_udp(1, &tag), 1002);
	cr_assert_eq(tag, 3);
	cr_assert_eq(dv_flow_query(drop, &count), 0);
	cr_assert_eq(count.packets, 1);
	cr_assert_eq(dv_flow_destroy(drop), 0);
	udp_reaches(1001, 0, 1001);
}

Test(dr_tables, of_two_with_the_same_match_the_earlier_counts)
{
	static const char text[] = "ingress group 1 pattern eth / ipv4 / udp dst is 1000 / end "
				   "actions tag value %u / queue index 0 / end";
	struct dv_flow *flow[3];
	char one[128];
	uint32_t tag;

	in_group_1("ingress group 1 priority 1 pattern eth / end actions drop / end");
	for (unsigned int i = 0; i < 3; i++) {
		snprintf(one, sizeof(one), text, i);
		flow[i] = rule(one);
	}
	for (unsigned int i = 0; i < 3; i++) {
		send_udp(1000);
		cr_assert_eq(receive_udp(0, &tag), 1000);
		cr_assert_eq(tag, i);
		cr_assert_eq(dv_flow_destroy(flow[i]), 0);
	}
}

Test(dr_tables, dr_has_many_rules_in_a_matcher)
{
	char text[128];

	in_group_1("ingress group 1 priority 1 pattern eth / end actions queue index 0 / end");
	for (unsigned int port = 1000; port < 1200; port++) {
		snprintf(text, sizeof(text),
			 "ingress group 1 pattern eth / ipv4 / udp dst is %u / end "
			 "actions queue index 1 / end",
			 port);
		rule(text);
	}
	for (unsigned int port = 999; port < 1202;
	     port += 20) { /* 11: a queue has 16 buffers */
		send_udp(port);
		cr_assert_eq(receive_udp(port >= 1000 && port < 1200, NULL), port, "%u", port);
	}
}

Test(dr_tables, dr_changes_headers)
{
	in_group_1("ingress group 1 pattern eth / ipv4 / udp dst is 1000 / end "
		   "actions set_tp_dst port 7777 / set_mac_src mac_addr 02:00:00:00:00:09 / "
		   "dec_ttl / set_ipv4_src ipv4_addr 1.2.3.4 / queue / end");
	udp_reaches(1000, 0, 7777);
	cr_assert_arr_eq(eth.received[0][0] + 6, ((uint8_t[]){ 2, 0, 0, 0, 0, 9 }), 6);
	cr_assert_eq(eth.received[0][0][22], 63);
	cr_assert_arr_eq(eth.received[0][0] + 26, ((uint8_t[]){ 1, 2, 3, 4 }), 4);
}

Test(dr_tables, dr_removes_a_vlan_tag)
{
	static const uint8_t tag[] = { 0x81, 0, 0, 5 };

	in_group_1("ingress group 1 pattern eth / vlan vid is 5 / ipv4 / end "
		   "actions of_pop_vlan / queue index 1 / end");
	send_udp_with(tag, sizeof(tag), 12, 1000);
	cr_assert_eq(receive_udp(1, NULL), 1000);
	cr_assert_arr_eq(eth.received[1][0] + 12, ((uint8_t[]){ 8, 0, 0x45 }), 3);
}

/* Ethernet, IPv4 of 136 bytes, UDP to 4789, VXLAN 7; before the inner frame. */
static const uint8_t headers[50] = {
	[6] = 2, [12] = 8, 0,	 0x45, [17] = 136, [22] = 64, 17,      0x66, 0x63,
	10,	 0,	   0,	 1,    10,	   0,	      0,       2,    [34] = 0x12,
	0x34,	 0x12,	   0xb5, 0,    116,	   [42] = 8,  [48] = 7
};

Test(dr_tables, dr_removes_a_tunnel)
{
	in_group_1("ingress group 1 pattern eth / ipv4 / udp / vxlan vni is 7 / eth / ipv4 / "
		   "udp dst is 1000 / end actions vxlan_decap / queue index 1 / end");
	send_udp_with(headers, sizeof(headers), 0, 1000);
	cr_assert_eq(receive_udp(1, NULL), 1000);
}
