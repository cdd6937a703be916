/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dv_flow_tables(), dv_flow_place_of() and dv_flow_dump(): what is on a port, and that its
 * rules can be read again.
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/list.h>

#include "ethernet.h"

TestSuite(rules_and_tables_are_listed, .init = ethernet_open, .fini = ethernet_close);

static char *dump(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	cr_assert_eq(dv_flow_dump(eth.port, f), 0);
	fclose(f);
	return text;
}

static const struct dv_flow_table *find(const struct dv_flow_table *t, unsigned int n,
					uint32_t group)
{
	for (unsigned int i = 0; i < n; i++)
		if (t[i].group == group)
			return &t[i];
	cr_assert_fail("no table of group %u", group);
	return NULL;
}

/* Groups 0 and 2 have rules, group 3 only rules that jump to it. */
Test(rules_and_tables_are_listed, tables_of_devx)
{
	struct dv_flow_table t[4] = { 0 };
	struct dv_flow *jump, *drop;

	ethernet_rules("devx");
	cr_assert_eq(dv_flow_tables(eth.port, t, 4), 0);
	jump = rule("ingress pattern eth / ipv4 / end actions jump group 2 / end");
	drop = rule("ingress group 2 pattern eth / ipv4 / udp / end actions drop / end");
	rule("ingress group 2 pattern eth / ipv4 / tcp / end actions jump group 3 / end");
	cr_assert_eq(dv_flow_tables(eth.port, NULL, 0), 3);
	cr_assert_eq(dv_flow_tables(eth.port, t, 4), 3);
	cr_assert_eq(t[3].id, 0);
	cr_assert_eq(find(t, 3, 0)->rules, 1);
	cr_assert_eq(find(t, 3, 0)->jumps, 0);
	cr_assert_eq(find(t, 3, 2)->rules, 2);
	cr_assert_eq(find(t, 3, 2)->jumps, 1);
	cr_assert_eq(find(t, 3, 3)->rules, 0);
	cr_assert_eq(find(t, 3, 3)->jumps, 1);
	for (unsigned int i = 0; i < 3; i++) {
		cr_assert_eq(t[i].type, PRM_FT_TYPE_NIC_RX);
		cr_assert_neq(t[i].id, 0);
		cr_assert_eq(t[i].level - find(t, 3, 0)->level, t[i].group);
		cr_assert_eq(t[i].size, 1 << 16);
	}
	cr_assert_eq(dv_flow_destroy(drop), 0);
	cr_assert_eq(dv_flow_destroy(jump), 0);
	cr_assert_eq(dv_flow_tables(eth.port, t, 4), 2);
	find(t, 2, 2);
	find(t, 2, 3);
}

static uint32_t size_for(uint32_t entries)
{
	struct dv_flow_table t;
	struct dv_flow *f;

	dv_flow_close(eth.port);
	eth.targets.entries = entries;
	ethernet_rules("devx");
	f = rule("ingress pattern eth / ipv4 / end actions drop / end");
	cr_assert_eq(dv_flow_tables(eth.port, &t, 1), 1);
	cr_assert_eq(dv_flow_destroy(f), 0);
	return t.size;
}

/* The smallest table of mlx5_core's (fs_ft_pool.c) with that many entries; of more, the largest
 * of the device. */
Test(rules_and_tables_are_listed, sizes_of_devx)
{
	ethernet_rules("devx");
	cr_assert_eq(size_for(0), 1 << 16);
	cr_assert_eq(size_for(1), 1 << 7);
	cr_assert_eq(size_for(1 << 7), 1 << 7);
	cr_assert_eq(size_for((1 << 7) + 1), 1 << 16);
	cr_assert_eq(size_for(1 << 16), 1 << 16);
	cr_assert_eq(size_for((1 << 16) + 1), 1 << 20);
	cr_assert_eq(size_for((1 << 20) + 1), 1 << 22);
	eth.targets.entries = (1 << 22) + 1;
	dv_flow_close(eth.port);
	ethernet_rules("devx");
	rule_refused("ingress pattern eth / end actions drop / end",
		     "entries: tables of the device have at most 4194304");
}

static uint32_t index_of(const char *format, unsigned int priority, unsigned int n)
{
	struct dv_flow_place place;
	char text[160];

	snprintf(text, sizeof(text), format, priority, n >> 8 & 0xff, n & 0xff);
	dv_flow_place_of(&place, rule(text));
	return place.index;
}

/* 128 entries, 8 for each priority. One that needs more takes those of others, in the order of
 * priorities. */
Test(rules_and_tables_are_listed, priorities_share_a_table)
{
	static const char of_dst[] =
		"ingress group 1 priority %u pattern ipv4 dst is 10.0.%u.%u "
		"/ end actions drop / end";
	uint32_t last = 0;

	eth.targets.entries = 1;
	ethernet_rules("devx");
	cr_assert_eq(index_of(of_dst, 2, 0), 16);
	for (unsigned int i = 0; i < 16; i++) { /* 0 to 15: priority 2 begins then */
		uint32_t at = index_of(of_dst, 0, i);

		cr_assert_lt(at, 16);
		last = at > last ? at : last;
	}
	cr_assert_eq(last, 15);
	rule_refused(
		"ingress group 1 priority 0 pattern ipv4 dst is 10.9.9.9 / end actions drop / end",
		"the table of group 1 has 128 entries, and none is free for priority 0");
	rule_refused(
		"ingress group 1 priority 1 pattern ipv4 dst is 10.9.9.9 / end actions drop / end",
		"the table of group 1 has 128 entries, and none is free for priority 1");
	for (unsigned int i = 0; i < 96;
	     i++) /* and down to 32: the group of priority 2 has 16 */
		cr_assert_gt(index_of(of_dst, 15, i), 31);
	rule_refused(
		"ingress group 1 priority 15 pattern ipv4 dst is 10.9.9.9 / end actions drop / end",
		"the table of group 1 has 128 entries");
}

/* 4096 entries for each priority at first; each mask has a flow group, of 16 entries at
 * first. */
Test(rules_and_tables_are_listed, places_of_devx)
{
	struct dv_flow_place first, second, third;
	struct dv_flow_table t;

	ethernet_rules("devx");
	dv_flow_place_of(
		&first, rule("ingress priority 1 pattern eth / ipv4 / end actions drop / end"));
	dv_flow_place_of(
		&second,
		rule("ingress priority 1 pattern eth / ipv4 / tcp / end actions drop / end"));
	dv_flow_place_of(&third,
			 rule("ingress pattern eth / ipv4 / udp / end actions drop / end"));
	cr_assert_eq(dv_flow_tables(eth.port, &t, 1), 1);
	cr_assert(first.known && second.known && third.known);
	cr_assert_eq(first.type, PRM_FT_TYPE_NIC_RX);
	cr_assert_eq(first.table_id, t.id);
	cr_assert_eq(third.table_id, t.id);
	cr_assert_eq(first.index, 4096);
	cr_assert_eq(second.index, 4096 + 16);
	cr_assert_eq(third.index, 0);
	cr_assert_neq(first.group_id, second.group_id);
}

Test(rules_and_tables_are_listed, tables_of_the_kernel_are_its_own)
{
	struct dv_flow_place place;

	ethernet_rules("kernel");
	dv_flow_place_of(&place, rule("ingress pattern eth / ipv4 / end actions drop / end"));
	cr_assert_eq(place.type, PRM_FT_TYPE_NIC_RX);
	cr_assert_not(place.known);
	cr_assert_eq(dv_flow_tables(eth.port, NULL, 0), 0);
}

static void same_rule(const char *text)
{
	static struct dv_flow_rule parsed, kept;
	struct dv_flow_error error;
	struct dv_flow *f;

	cr_assert_eq(dv_flow_parse(&parsed, text, &error), 0, "%s", error.message);
	cr_assert_eq(dv_flow_create(&f, eth.port, &parsed, &error), 0, "%s", error.message);
	memset(&kept, 0xff, sizeof(kept));
	dv_flow_rule_of(&kept, f);
	cr_assert_eq(memcmp(&kept, &parsed, sizeof(kept)), 0, "%s", text);
	cr_assert_eq(dv_flow_destroy(f), 0);
}

Test(rules_and_tables_are_listed, rules_are_as_given)
{
	ethernet_rules("kernel");
	same_rule(
		"ingress priority 7 pattern eth dst spec 1:2:3:4:5:6 dst last 1:2:3:4:5:6 / void / "
		"ipv6 src is ::1 dst spec fe80:: dst prefix 10 / tcp flags is 2 dst spec 0 / end "
		"actions tag value 0xffffff / count / queue index 1 / void / end");
	same_rule(
		"ingress pattern eth / ipv4 / udp / end actions set_mac_src mac_addr 2:0:0:0:0:0 / "
		"set_ipv4_dst ipv4_addr 10.0.0.0 / modify_field op set dst_type udp_port_src "
		"src_type value src_value 0000 width 16 / queue index 0 / end");
}

/* A struct dv_flow_rule has 13 KiB, of which most are zero. */
static size_t bytes_of_a_rule(const char *backend)
{
	enum { RULES = 100 };
	size_t before;

	if (eth.port)
		dv_flow_close(eth.port);
	ethernet_rules(backend);
	for (unsigned int i = 0; i < RULES + 1; i++) {
		char text[160];

		snprintf(text, sizeof(text),
			 "ingress pattern eth / ipv4 dst is 10.0.0.%u / udp dst is 5 / end "
			 "actions count / tag value 7 / queue index 1 / end",
			 i);
		rule(text);
		if (!i) /* the table, the domain */
			before = mallinfo2().uordblks;
	}
	return (mallinfo2().uordblks - before) / RULES;
}

Test(rules_and_tables_are_listed, a_rule_keeps_what_it_needs)
{
	for (unsigned int b = 0; dv_flow_backend_name(b); b++) {
		size_t bytes = bytes_of_a_rule(dv_flow_backend_name(b));

		printf("%s: %zu bytes of a rule\n", dv_flow_backend_name(b), bytes);
		cr_assert_lt(bytes, 2000);
	}
}

/* The dump, written by hand; read again it makes the same rules. */
Test(rules_and_tables_are_listed, a_dump_is_read_again)
{
	static const char want[] =
		"flow create 0 ingress pattern eth / ipv4 / end actions jump group 2 / end\n"
		"flow create 0 ingress group 2 priority 3 pattern eth / ipv4 src spec 10.0.0.0 "
		"src prefix 8 / udp dst is 53 / end actions count / queue index 1 / end\n"
		"flow create 0 ingress group 2 priority 4 pattern end actions drop / end\n";
	char *text, *again;

	ethernet_rules("devx");
	text = dump();
	cr_assert_str_empty(text);
	free(text);
	rule("ingress pattern eth / ipv4 / end actions jump group 2 / end");
	rule("group 2 ingress priority 3 pattern eth / ipv4 src spec 10.0.0.0 src mask 255.0.0.0 / "
	     "udp dst is 0x35 / end actions count / queue index 1 / end");
	rule("ingress group 2 priority 4 pattern end actions drop / end");
	text = dump();
	cr_assert_str_eq(text, want);
	dv_flow_close(eth.port);
	ethernet_rules("devx");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		rule(line);
	again = dump();
	cr_assert_str_eq(again, want);
	free(text);
	free(again);
}

/* A device that is full. */
Test(rules_and_tables_are_listed, a_dump_that_cannot_be_written)
{
	FILE *full = fopen("/dev/full", "w");

	ethernet_rules("kernel");
	rule("ingress pattern eth / ipv4 / end actions drop / end");
	setvbuf(full, NULL, _IONBF, 0);
	cr_assert_eq(dv_flow_dump(eth.port, full), EIO);
	fclose(full);
}
