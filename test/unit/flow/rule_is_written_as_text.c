/* SPDX-License-Identifier: BSD-2-Clause */
/* dv_flow_print(): the canonical form, and that it means the same rule. */
#include <string.h>
#include <criterion/criterion.h>
#include <flow/text.h>

static struct dv_flow_rule rule, again;
static struct dv_flow_error error;
static char text[FLOW_TEXT_MAX];

static void canonical(const char *from, const char *to)
{
	cr_assert_eq(dv_flow_parse(&rule, from, &error), 0, "%s: %s", from, error.message);
	cr_assert_eq(dv_flow_print(&rule, text, sizeof(text)), strlen(text));
	cr_assert_str_eq(text, to);
	cr_assert_eq(dv_flow_parse(&again, text, &error), 0, "%s: %s", text, error.message);
	cr_assert_eq(memcmp(&rule, &again, sizeof(rule)), 0, "%s", text);
}

Test(rule_is_written_as_text, canonical)
{
	canonical("flow create 0 priority 0 group 1 ingress pattern end actions end",
		  "ingress group 1 pattern end actions end");
}

Test(rule_is_written_as_text, masks)
{
	canonical(
		"ingress pattern eth / ipv4 src mask 255.255.0.0 src spec 10.1.0.0 dst is 10.0.0.1 / "
		"udp dst spec 0x12b7 dst mask 0xfff0 / end actions count / queue index 3 / end",
		"ingress pattern eth / ipv4 src spec 10.1.0.0 src prefix 16 dst is 10.0.0.1 / "
		"udp dst spec 4791 dst mask 65520 / end actions count / queue index 3 / end");
	canonical("pattern ipv4 src mask 255.0.255.0 / end actions end",
		  "pattern ipv4 src mask 255.0.255.0 / end actions end");
	canonical("pattern ipv4 src spec 0.0.0.0 / end actions end",
		  "pattern ipv4 version_ihl spec 0x0 / end actions end");
	canonical("pattern udp src is 0 / end actions end",
		  "pattern udp src is 0 / end actions end");
	canonical("pattern udp src spec 0 src last 0 src mask 0 / end actions end",
		  "pattern udp src spec 0 src last 0 src mask 0 / end actions end");
	canonical("pattern vlan tci is 0x2064 / gre k_bit is 1 / end actions end",
		  "pattern vlan pcp is 1 dei is 0 vid is 100 / "
		  "gre c_rsvd0_ver spec 0x2000 c_rsvd0_ver mask 0x2000 / end actions end");
	canonical(
		"pattern eth dst is AA:b:c:d:e:f / ipv6 dst spec 1:0:0::0 dst last 1::2 / end actions end",
		"pattern eth dst is aa:0b:0c:0d:0e:0f / ipv6 dst spec 1:: dst last 1::2 / end actions end");
}

Test(rule_is_written_as_text, actions)
{
	canonical(
		"pattern end actions rss queues 1 2 end types udp ipv4 ipv4-tcp ipv6 tcp ipv6-udp end / "
		"rss types end / raw_decap data 0xABCD / of_push_vlan ethertype 33024 / drop / end",
		"pattern end actions rss types ip tcp udp end queues 1 2 end / rss types end / "
		"raw_decap data abcd / of_push_vlan ethertype 0x8100 / drop / end");
	canonical(
		"egress transfer pattern end actions modify_field width 8 op sub dst_type udp_port_dst "
		"src_type value src_value 01 / end",
		"egress transfer pattern end actions modify_field op sub dst_type udp_port_dst "
		"src_type value src_value 01 width 8 / end");
}

Test(rule_is_written_as_text, cut_off)
{
	char small[20] = "";

	memset(small, 'x', sizeof(small));
	cr_assert_eq(dv_flow_parse(&rule, "ingress pattern eth / end actions drop / end", NULL),
		     0);
	cr_assert_eq(dv_flow_print(&rule, small, 18), 44);
	cr_assert_str_eq(small, "ingress pattern");
	cr_assert_eq(small[18], 'x');
	cr_assert_eq(dv_flow_print(&rule, NULL, 0), 44);
}
