/* SPDX-License-Identifier: BSD-2-Clause */
/* dv_flow_parse(): the rule that a text means. Expected bytes are headers written by hand. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/text.h>

#include "lib/equals.h"

static struct dv_flow_rule rule;
static struct dv_flow_error error;

static void parse(const char *text)
{
	int err = dv_flow_parse(&rule, text, &error);

	cr_assert_eq(err, 0, "%s, column %u: %s", text, error.column, error.message);
}

Test(rule_is_read_from_text, attributes)
{
	parse("ingress group 1 priority 0x10 pattern end actions end");
	cr_assert(rule.ingress && !rule.egress && !rule.transfer);
	EQUALS(E(rule.group, 1), E(rule.priority, 16), E(rule.items + rule.actions, 0));
	parse("flow create 0 egress transfer group 1 group 2 pattern end actions end");
	cr_assert(!rule.ingress && rule.egress && rule.transfer);
	cr_assert_eq(rule.group, 2);
}

Test(rule_is_read_from_text, udp_over_ipv4)
{
	static const uint8_t ip[20] = { [16] = 10, 0, 0, 0 },
			     ip_mask[20] = { [16] = 255, 255, 255 };
	static const uint8_t udp[4] = { [2] = 0x12, 0xb7 }, udp_mask[4] = { [2] = 0xff, 0xf0 };

	parse("ingress group 1 priority 2 pattern eth / ipv4 dst is 10.0.0.0 dst prefix 24 / "
	      "udp dst spec 4791 dst mask 0xfff0 / end actions count / queue index 3 / end");
	EQUALS(E(rule.items, 3), E(rule.item[0].type, FLOW_ITEM_ETH));
	cr_assert(!rule.item[0].has_spec && !rule.item[0].has_mask && !rule.item[0].has_last);
	cr_assert_eq(rule.item[1].type, FLOW_ITEM_IPV4);
	cr_assert(rule.item[1].has_spec && rule.item[1].has_mask && !rule.item[1].has_last);
	cr_assert_arr_eq(rule.item[1].spec, ip, 20);
	cr_assert_arr_eq(rule.item[1].mask, ip_mask, 20);
	cr_assert_eq(rule.item[2].type, FLOW_ITEM_UDP);
	cr_assert_arr_eq(rule.item[2].spec, udp, 4);
	cr_assert_arr_eq(rule.item[2].mask, udp_mask, 4);
	EQUALS(E(rule.actions, 2), E(rule.action[0].type, FLOW_ACTION_COUNT),
	       E(rule.action[0].given, 0), E(rule.action[1].type, FLOW_ACTION_QUEUE));
	cr_assert_eq(dv_flow_action_arg(&rule.action[1], FLOW_ARG_QUEUE_INDEX), 3);
}

Test(rule_is_read_from_text, ethernet_and_two_tags)
{
	static const uint8_t eth[14] = { 0x02, 0, 0, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0x88, 0xa8 };
	static const uint8_t eth_mask[14] = { 255, 255, 255, 255, 255, 255, [12] = 255, 255 };
	static const uint8_t outer[4] = { 0xb0, 0x64 }; /* pcp 5, dei 1, vid 100 */
	static const uint8_t inner[4] = { 0x00, 0xc8, 0x08, 0x00 };

	parse("pattern eth dst is 2:0:0:0:0:1 type is 0x88a8 / vlan tci is 0xb064 / "
	      "vlan vid spec 200 inner_type spec 0x0800 inner_type last 2048 / end actions drop / end");
	cr_assert_arr_eq(rule.item[0].spec, eth, 14);
	cr_assert_arr_eq(rule.item[0].mask, eth_mask, 14);
	cr_assert_arr_eq(rule.item[1].spec, outer, 4);
	cr_assert_eq(dv_flow_field_get(rule.item[1].spec, FLOW_VLAN_PCP), 5);
	cr_assert_eq(dv_flow_field_get(rule.item[1].mask, FLOW_VLAN_DEI), 1);
	cr_assert_arr_eq(rule.item[2].spec, inner, 4);
	cr_assert(rule.item[2].has_last && !rule.item[2].has_mask);
	cr_assert_eq(rule.item[2].last[2], 8);
}

Test(rule_is_read_from_text, ipv6)
{
	static const uint8_t ip[40] = {
		0x0a, 0xb1, 0x23, 0x45, [7] = 64, [24] = 0x20, 0x01, 0x0d, 0xb8, [39] = 1
	};
	uint8_t mask[16];

	parse("pattern ipv6 tc is 0xab flow is 0x12345 hop is 64 dst is 2001:db8::1 dst prefix 33 / "
	      "end actions end");
	cr_assert_arr_eq(rule.item[0].spec, ip, 40);
	dv_flow_field_load(rule.item[0].mask, FLOW_IPV6_DST, mask);
	cr_assert_arr_eq(mask, ((uint8_t[16]){ 255, 255, 255, 255, 0x80 }), 16);
}

Test(rule_is_read_from_text, default_masks)
{
	static const uint8_t addresses[20] = { [12] = 255, 255, 255, 255, 255, 255, 255, 255 };
	static const uint8_t vid[4] = { 0x0f, 0xff }, none[FLOW_ITEM_BYTES];
	uint8_t mask[FLOW_ITEM_BYTES];

	parse("pattern ipv4 ttl spec 1 / vlan pcp spec 3 / vlan / vlan vid mask 1 / end actions end");
	dv_flow_item_mask(&rule.item[0], mask);
	cr_assert_arr_eq(mask, addresses, 20);
	dv_flow_item_mask(&rule.item[1], mask);
	cr_assert_arr_eq(mask, vid, 4);
	dv_flow_item_mask(&rule.item[2], mask);
	cr_assert_arr_eq(mask, none, sizeof(none));
	dv_flow_item_mask(&rule.item[3], mask);
	cr_assert_arr_eq(mask, ((uint8_t[4]){ 0, 1, 0, 0 }), 4);
}

Test(rule_is_read_from_text, tunnels)
{
	parse("pattern udp / vxlan vni is 0x123456 / mpls label is 0xabcde s is 1 ttl is 9 / "
	      "ib_bth opcode is 4 dst_qp is 0x11 / geneve optlen is 63 / tag data is 7 index is 2 / "
	      "end actions end");
	cr_assert_arr_eq(rule.item[1].spec, ((uint8_t[8]){ 0, 0, 0, 0, 0x12, 0x34, 0x56 }), 8);
	cr_assert_arr_eq(rule.item[2].spec, ((uint8_t[4]){ 0xab, 0xcd, 0xe1, 0x09 }), 4);
	cr_assert_arr_eq(rule.item[3].spec, ((uint8_t[8]){ 4, 0, 0, 0, 0, 0, 0, 0x11 }), 8);
	cr_assert_arr_eq(rule.item[4].spec, ((uint8_t[2]){ 0x3f, 0 }), 2);
	cr_assert_arr_eq(rule.item[5].spec, ((uint8_t[5]){ 0, 0, 0, 7, 2 }), 5);
}

Test(rule_is_read_from_text, actions)
{
	const struct dv_flow_action *a = rule.action;

	parse("pattern end actions rss func toeplitz types ipv4-tcp udp end key 0x6d5a key_len 2 "
	      "queues 0 1 0x2 end / raw_encap data 0123 / set_ipv6_dst ipv6_addr ::1 / "
	      "modify_field op add dst_type ipv4_ttl src_type value src_value ff width 8 / "
	      "set_mac_src mac_addr 00:11:22:33:44:55 / end");
	cr_assert_eq(dv_flow_action_arg(&a[0], FLOW_ARG_RSS_FUNC), FLOW_RSS_FUNC_TOEPLITZ);
	cr_assert_eq(dv_flow_action_arg(&a[0], FLOW_ARG_RSS_TYPES),
		     FLOW_RSS_TYPE_IPV4_TCP | FLOW_RSS_TYPE_IPV4_UDP | FLOW_RSS_TYPE_IPV6_UDP);
	cr_assert_eq(a[0].bytes_len, 2);
	cr_assert_arr_eq(a[0].bytes, ((uint8_t[2]){ 0x6d, 0x5a }), 2);
	EQUALS(E(a[0].queues, 3), E(a[0].queue[2], 2));
	cr_assert(!dv_flow_action_has(&a[0], FLOW_ARG_RSS_LEVEL));
	cr_assert_arr_eq(a[1].bytes, ((uint8_t[2]){ 1, 0x23 }), 2);
	EQUALS(E(a[2].bytes_len, 16), E(a[2].bytes[15], 1));
	cr_assert_eq(dv_flow_action_arg(&a[3], FLOW_ARG_MODIFY_FIELD_OP), FLOW_MODIFY_OP_ADD);
	cr_assert_eq(dv_flow_action_arg(&a[3], FLOW_ARG_MODIFY_FIELD_WIDTH), 8);
	EQUALS(E(a[3].bytes[0], 0xff), E(a[4].bytes[5], 0x55));
}

/* The message begins with @message, and @expected begins the list of words. */
static void refused(const char *text, unsigned int column, const char *message,
		    const char *expected)
{
	cr_assert_eq(dv_flow_parse(&rule, text, &error), EINVAL, "%s", text);
	cr_assert_eq(error.column, column, "%s: column %u", text, error.column);
	cr_assert_eq(strncmp(error.message, message, strlen(message)), 0, "%s: %s", text,
		     error.message);
	cr_assert_eq(strncmp(error.expected, expected, strlen(expected)), 0, "%s: %s", text,
		     error.expected);
}

Test(rule_is_read_from_text, errors_have_a_place)
{
	refused("", 1, "not an attribute: the text ends", "group priority ingress");
	refused("flow list 0", 6, "not a command that has a rule: list", "create validate");
	refused("ingress pattern eht / end actions end", 17, "no such item: eht",
		"void eth vlan ipv4");
	refused("pattern ipv4 dest is 1.2.3.4 / end actions end", 14, "no such field: dest",
		"version_ihl tos length packet_id fragment_offset ttl proto src dst /");
	refused("pattern ipv4 dst 1.2.3.4 / end actions end", 18,
		"not a part of a value: 1.2.3.4", "is spec last mask prefix");
	refused("pattern ipv4 dst is 1.2.3 / end actions end", 21, "not an IPv4 address: 1.2.3",
		"");
	refused("pattern ipv4 dst prefix 33 / end actions end", 25, "not a number of bits", "");
	refused("pattern udp dst is 65536 / end actions end", 20,
		"the number is too large: 65536", "");
	refused("pattern udp dst is -1 / end actions end", 20, "not a number: -1", "");
	refused("pattern udp dst is", 19, "not a number: the text ends", "");
	refused("pattern eth src is 1:2:3:4:5 / end actions end", 20,
		"not a MAC address: 1:2:3:4:5", "");
	refused("pattern end actons end", 13, "not the beginning of the actions: actons",
		"actions");
	refused("pattern end actions queue id 1 / end", 27, "no such argument: id", "index /");
	refused("pattern end actions rss func xor / end", 30, "no such value: xor",
		"default toeplitz simple_xor symmetric_toeplitz");
	refused("pattern end actions raw_encap data 123 / end", 36, "not an even number", "");
	refused("pattern end actions end more", 25, "text after the rule: more", "");
	refused("pattern \033[2J / end actions end", 9, "no such item: \\x1b[2J", "void");
}

/* Rules that have a value of each kind. */
static const char *const whole[] = {
	"flow create 0 ingress transfer group 1 priority 2 pattern eth src is 02:0:0:0:0:1 / vlan "
	"vid spec 5 vid mask 0xfff / ipv4 dst is 10.0.0.1 src prefix 24 / udp dst last 9 / end "
	"actions queue index 3 / end",
	"egress pattern ipv6 src is fd00::1 / end actions rss func toeplitz types ipv4-tcp udp "
	"end key 0x6d5a key_len 2 queues 0 1 end / raw_encap data 0123 / set_ipv6_dst ipv6_addr "
	"::1 / set_ipv4_src ipv4_addr 1.2.3.4 / set_mac_src mac_addr 00:11:22:33:44:55 / "
	"modify_field op add dst_type ipv4_ttl src_type value src_value ff width 8 / end",
	"flow validate 0 pattern vxlan vni is 5 / end actions vxlan_encap / end",
};

static void refused_at(const char *text, size_t at, const char *ends)
{
	size_t len;

	cr_expect_eq(dv_flow_parse(&rule, text, &error), EINVAL, "%s", text);
	cr_expect_eq(error.column, at + 1, "%s: column %u", text, error.column);
	len = strlen(error.message);
	cr_expect(len > strlen(ends) && !strcmp(error.message + len - strlen(ends), ends),
		  "%s: %s", text, error.message);
}

/* No token can be left out at the end, and "?" is not one. */
Test(rule_is_read_from_text, every_token_is_expected)
{
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		const char *t = whole[i];
		size_t at = 0, end = 0, last;

		parse(t);
		for (; t[at]; at += strspn(t + at, " ")) {
			char text[512];

			last = end;
			end = at + strcspn(t + at, " ");
			snprintf(text, sizeof(text), "%.*s", (int)last, t);
			refused_at(text, last, ": the text ends");
			snprintf(text, sizeof(text), "%.*s?%s", (int)at, t, t + end);
			refused_at(text, at, ": ?");
			at = end;
		}
	}
}

/* Whole words only, each in its list, and what fits there is said too. */
Test(rule_is_read_from_text, words_of_dpdk_are_not_supported)
{
	static const char *const texts[][2] = {
		{ "pattern eth / arp_eth_ipv4 / end actions end",
		  "item, dvkit does not: arp_eth_ipv4" },
		{ "pattern eth / vf id is 1 / end actions end", "item, dvkit does not: vf" },
		{ "pattern end / actions", NULL },
		{ "pattern eth / arp / end actions end", NULL },
		{ "pattern eth / mac_swap / end actions end", NULL },
		{ "pattern end actions age timeout 1 / end", "action, dvkit does not: age" },
		{ "pattern end actions of_dec_nw_ttl / end",
		  "action, dvkit does not: of_dec_nw_ttl" },
		{ "pattern end actions raw / end", NULL },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int err = dv_flow_parse(&rule, texts[i][0], &error);

		cr_assert_eq(err, texts[i][1] ? EOPNOTSUPP : EINVAL, "%s: %d", texts[i][0],
			     err);
		cr_assert_eq(strncmp(error.message, "DPDK has this ", 14) == 0,
			     err == EOPNOTSUPP, "%s: %s", texts[i][0], error.message);
		if (texts[i][1])
			cr_assert_str_eq(error.message + 14, texts[i][1]);
	}
	cr_assert_eq(dv_flow_parse(&rule, "pattern end actions pf / end", &error), EOPNOTSUPP);
	cr_assert_eq(error.column, 21);
	cr_assert_eq(strncmp(error.expected, "void drop ", 10), 0);
}

/* @most times @one are accepted, once more is refused with @err at the one too many. */
static void limit(const char *begin, const char *one, int most, const char *end, int err)
{
	char text[4096];
	size_t at = strlen(begin) + (size_t)most * strlen(one);

	strcpy(text, begin);
	for (int i = 0; i < most; i++)
		strcat(text, one);
	strcat(text, end);
	parse(text);
	sprintf(text + at, "%s%s", one, end);
	cr_assert_eq(dv_flow_parse(&rule, text, &error), err, "%s", text);
	cr_assert_eq(error.column, at + 2);
	cr_assert_eq(dv_flow_parse(&rule, text, NULL), err);
}

Test(rule_is_read_from_text, too_many)
{
	limit("pattern", " eth /", FLOW_MAX_ITEMS, " end actions end", E2BIG);
	limit("pattern end actions", " drop /", FLOW_MAX_ACTIONS, " end", E2BIG);
	limit("pattern end actions rss queues", " 7", FLOW_MAX_QUEUES, " end / end", EINVAL);
}
