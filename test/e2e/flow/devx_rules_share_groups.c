/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end "devx" with many rules: those of a mask are in flow groups of 16, 32, 64 …
 * entries, each entry is found, and what is destroyed makes space.
 */
#include <criterion/criterion.h>
#include <flow/list.h>

#include "ethernet.h"

TestSuite(devx_rules_share_groups, .init = ethernet_open, .fini = ethernet_close);

enum { RULES = 300 };

static struct dv_flow *to_port(unsigned int port, unsigned int tag)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "ingress pattern eth / ipv4 / udp dst is %u / end "
		 "actions tag value %u / queue index 0 / end",
		 port, tag);
	return rule(text);
}

static uint32_t tag_of(uint16_t port)
{
	uint32_t tag;

	send_udp(port);
	cr_assert_eq(receive_udp(0, &tag), port);
	return tag;
}

static struct dv_flow_place place(struct dv_flow *flow)
{
	struct dv_flow_place p;

	dv_flow_place_of(&p, flow);
	cr_assert(p.known);
	return p;
}

Test(devx_rules_share_groups, each_is_found)
{
	static const uint16_t some[] = { 0, 1, 15, 16, 47, 48, 111, 112, 239, 240, RULES - 1 };
	struct dv_flow *flow[RULES];

	ethernet_rules("devx");
	for (unsigned int i = 0; i < RULES; i++) {
		flow[i] = to_port(1000 + i, 1 + i);
		cr_assert_eq(place(flow[i]).index, i);
	}
	cr_assert_eq(place(flow[0]).group_id, place(flow[15]).group_id);
	cr_assert_neq(place(flow[15]).group_id, place(flow[16]).group_id);
	cr_assert_eq(place(flow[16]).group_id, place(flow[47]).group_id);
	cr_assert_neq(place(flow[47]).group_id, place(flow[48]).group_id);
	cr_assert_eq(place(flow[48]).group_id, place(flow[111]).group_id);
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		cr_assert_eq(tag_of((uint16_t)(1000 + some[i])), some[i] + 1u);
}

Test(devx_rules_share_groups, the_lowest_free_entry_is_taken)
{
	struct dv_flow *flow[RULES], *again;

	ethernet_rules("devx");
	for (unsigned int i = 0; i < RULES; i++)
		flow[i] = to_port(1000 + i, 1);
	/* The group of entries 16 to 47 ends with its last rule; the next one for the mask
	 * begins there. */
	for (unsigned int i = 16; i < 48; i++)
		cr_assert_eq(dv_flow_destroy(flow[i]), 0);
	cr_assert_eq(dv_flow_destroy(flow[5]), 0);
	cr_assert_eq(dv_flow_destroy(flow[3]), 0);
	again = to_port(5000, 7);
	cr_assert_eq(place(again).index, 3);
	cr_assert_eq(tag_of(5000), 7);
	cr_assert_eq(place(to_port(5001, 8)).index, 5);
	cr_assert_eq(tag_of(5001), 8);
	cr_assert_eq(tag_of(1000 + RULES - 1), 1);
}

Test(devx_rules_share_groups, of_two_with_the_same_match_the_earlier_counts)
{
	struct dv_flow *first, *second, *third;

	ethernet_rules("devx");
	first = to_port(1000, 1);
	second = to_port(1000, 2);
	third = to_port(1000, 3);
	cr_assert_lt(place(first).index, place(second).index);
	cr_assert_lt(place(second).index, place(third).index);
	cr_assert_eq(tag_of(1000), 1);
	cr_assert_eq(dv_flow_destroy(first), 0);
	cr_assert_eq(tag_of(1000), 2);
	cr_assert_eq(dv_flow_destroy(second), 0);
	cr_assert_eq(tag_of(1000), 3);
}

Test(devx_rules_share_groups, a_higher_priority_is_looked_at_first)
{
	ethernet_rules("devx");
	rule("ingress priority 2 pattern eth / ipv4 / udp / end "
	     "actions tag value 2 / queue index 0 / end");
	rule("ingress priority 1 pattern eth / ipv4 / udp dst is 1000 / end "
	     "actions tag value 1 / queue index 0 / end");
	cr_assert_eq(tag_of(1000), 1);
	cr_assert_eq(tag_of(1001), 2);
}

/* Three masks, two priorities, in any order: the device refuses groups that overlap. */
static struct dv_flow *random_rule(unsigned int r)
{
	static const char *const fields[] = { "dst is %u", "src is %u", "src is 99 dst is %u" };
	char field[32], text[160];

	snprintf(field, sizeof(field), fields[r % 3], 1 + r / 3 % 60);
	snprintf(text, sizeof(text),
		 "ingress priority %u pattern eth / ipv4 / udp %s / end actions drop / end",
		 1 + r / 180 % 2, field);
	return rule(text);
}

Test(devx_rules_share_groups, any_order_of_creation_and_destruction)
{
	struct dv_flow *flow[200] = { NULL };
	unsigned int r = 1;

	ethernet_rules("devx");
	for (unsigned int i = 0; i < 4000; i++) {
		struct dv_flow **f;

		r = r * 1103515245 + 12345;
		f = &flow[(r >> 16) % 200];
		if (*f)
			cr_assert_eq(dv_flow_destroy(*f), 0);
		*f = *f ? NULL : random_rule(r >> 8);
	}
	to_port(5000, 9);
	cr_assert_eq(tag_of(5000), 9);
	for (unsigned int i = 0; i < 200; i++)
		cr_assert_eq(flow[i] ? dv_flow_destroy(flow[i]) : 0, 0);
	cr_assert_eq(dv_flow_tables(eth.port, NULL, 0), 1);
	cr_assert_eq(dv_flow_destroy(dv_flow_next(eth.port, NULL)), 0);
	cr_assert_eq(dv_flow_tables(eth.port, NULL, 0), 0);
}
