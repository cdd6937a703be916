/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of libibverbs and libmlx5 by which "verbs", "kernel" and "devx" create a rule, with
 * their arguments, and those that destroy it. Inboxes as prm_format() writes them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <criterion/criterion.h>
#include <flow/list.h>

#include "fake.h"

static struct dv_flow_port *port;
static struct dv_flow_error error;

static struct dv_flow *made(const char *text)
{
	static struct dv_flow_rule rule, kept;
	struct dv_flow *f;

	fake.calls[0] = 0;
	cr_assert_eq(dv_flow_parse(&rule, text, &error), 0, "%s: %s", text, error.message);
	cr_assert_eq(dv_flow_create(&f, port, &rule, &error), 0, "%s: %s", text, error.message);
	dv_flow_rule_of(&kept, f);
	cr_assert_eq(memcmp(&kept, &rule, sizeof(rule)), 0, "%s: kept as another rule", text);
	return f;
}

/* Tables of received packets may do this. */
#define RX "reformat_en=0x1 decap_en=0x1 "

static const struct {
	const char *backend, *rule, *calls, *destroy;
} rows[] = {
	{ "verbs", "ingress pattern eth / end actions queue index 1 / end", "flow1(qp9 20) ",
	  "-flow1 " },
	{ "verbs",
	  "ingress pattern end actions qp number 9 / queue / count / mark id 0x123456 / end",
	  "counters1[0]=0 [1]=1 flow2(qp9 1000=123457 1003=1) flow3(qp7 1000=123457) ",
	  "-flow2 -flow3 -counters1 " },
	{ "verbs", "ingress pattern end actions drop / count / end",
	  "counters1[0]=0 [1]=1 flow2(qp7 1001 1003=1) ", "-flow2 -counters1 " },
	{ "verbs", "egress pattern eth / end actions end", "flow1(qp7 20) ", "-flow1 " },
	{ "verbs",
	  "ingress pattern ipv6 / udp / end actions rss queues 3 1 end types ipv6-udp "
	  "l3-dst-only end / end",
	  "ind1[2: 23 21] qp2(ind1 c8 6dfa) flow3(qp178 31 41) ", "-flow3 -qp2 -ind1 " },
	{ "verbs",
	  "ingress pattern ipv4 / tcp / end actions rss queues 3 0 2 end types ipv4-tcp "
	  "end / end",
	  "ind1[16: 23 20 22 23 20 22 23 20] qp2(ind1 33 6dfa) flow3(qp178 32 40) ",
	  "-flow3 -qp2 -ind1 " },
	{ "verbs", "ingress pattern ipv4 / end actions rss queues 2 1 end types udp end / end",
	  "ind1[2: 22 21] qp2(ind1 c3 6dfa) flow3(qp178 32) ", "-flow3 -qp2 -ind1 " },
	{ "kernel",
	  "ingress priority 258 pattern ipv4 / end actions tag value 0 / count / queue "
	  "index 1 / queue / end",
	  "counter1() matcher2(258 1 0 0:0 1e) flow3(matcher2 08 tag=0 qp9 count1) "
	  "flow4(matcher2 08 tag=0 qp7) ",
	  "-flow3 -flow4 -matcher2 -counter1 " },
	{ "kernel",
	  "egress pattern ipv4 / end actions dec_ttl / vxlan_encap vni 1 ip-src 1.2.3.4 "
	  "ip-dst 1.2.3.5 / end",
	  "modify1(8 20 1) reformat2(50 1 1) matcher3(0 1 4 0:0 1e) flow4(matcher3 08 "
	  "action1 action2) ",
	  "-flow4 -matcher3 -modify1 -reformat2 " },
	{ "kernel",
	  "transfer pattern ipv4 / end actions set_ttl ttl_value 3 / vxlan_decap / drop / "
	  "end",
	  "modify1(8 10 2) reformat2(0 0 2) matcher3(0 1 0 1:2 1e) flow4(matcher3 08 "
	  "action1 action2 type1) ",
	  "-flow4 -matcher3 -modify1 -reformat2 " },
	{ "kernel",
	  "ingress pattern end actions raw_decap / raw_encap data "
	  "0001020304050607080900010800 / tir number 52 / end",
	  "reformat1(14 2 0) matcher2(0 0 0 0:0 00) flow3(matcher2 00 action1 obj52) ",
	  "-flow3 -matcher2 -reformat1 " },
	{ "kernel",
	  "ingress pattern end actions devx_table id 62 / devx_table id 61 / flag / end",
	  "matcher1(0 0 0 0:0 00) flow2(matcher1 00 tag=ffffff obj62) flow3(matcher1 00 "
	  "tag=ffffff obj61) ",
	  "-flow2 -flow3 -matcher1 " },
	{ "kernel", "ingress pattern end actions default_miss / end",
	  "matcher1(0 0 0 0:0 00) flow2(matcher1 00 type7) ", "-flow2 -matcher1 " },
	{ "devx",
	  "ingress priority 15 pattern ipv4 / end actions mark id 0x123456 / count / queue "
	  "index 1 / end",
	  "table1(" RX "level=0x20 log_size=0x10) counter2() "
	  "group3(table_id=0x1 start_flow_index=0xf000 end_flow_index=0xf00f "
	  "match_criteria_enable=0x1 ip_version=0xf) entry4(table_id=0x1 flow_index=0xf000 "
	  "group_id=0x3 flow_tag=0x123457 action=0xc destination_list_size=0x1 "
	  "flow_counter_list_size=0x1 ip_version=0x4 "
	  "destination[0]=0x02000109000000000000000200000000) matcher5(15 1 0 0:0 1e) "
	  "flow6(matcher5 08 obj1) ",
	  "-flow6 -matcher5 -entry4 -group3 -table1 -counter2 " },
	{ "devx",
	  "ingress group 1 pattern end actions queue / jump group 2 / tir number 52 / "
	  "devx_table id 62 / end",
	  "table1(" RX "level=0x22 log_size=0x10) "
	  "table2(" RX "level=0x21 log_size=0x10) "
	  "group3(table_id=0x2 end_flow_index=0xf) entry4(table_id=0x2 group_id=0x3 "
	  "action=0x4 destination_list_size=0x4 "
	  "destination[0]=0x02000107000000000100000100000000 "
	  "destination[1]=0x02000034000000000100003e00000000) ",
	  "-entry4 -group3 -table2 -table1 " },
	{ "devx",
	  "ingress group 31 pattern end actions rss queues 3 1 end types ipv6-udp "
	  "l4-src-only end / end",
	  "ind1[2: 23 21] td2() tir3(disp_type=0x1(INDIRECT) indirect_table=0xa1 "
	  "rx_hash_fn=0x2(TOEPLITZ) transport_domain=0x2 "
	  "rx_hash_toeplitz_key[10]={0x6d5a56da,0x255b0ec2,0x4167253d,0x43a38fb0,...} "
	  "l3_prot_type=0x1(IPV6) l4_prot_type=0x1(UDP) selected_fields=0x7) "
	  "table4(" RX "level=0x3f log_size=0x10) "
	  "group5(table_id=0x4 end_flow_index=0xf) entry6(table_id=0x4 group_id=0x5 "
	  "action=0x4 destination_list_size=0x1 destination[0]=0x0200000300000000) ",
	  "-entry6 -group5 -table4 -tir3 -td2 -ind1 " },
	{ "devx",
	  "transfer group 1 pattern end actions vport id 3 / of_pop_vlan / of_push_vlan "
	  "ethertype 0x88a8 / of_set_vlan_vid vlan_vid 0x234 / end",
	  "table1(table_type=0x4(FDB) level=0x21 log_size=0x10) group2(table_type=0x4(FDB) "
	  "table_id=0x1 end_flow_index=0xf) entry3(table_type=0x4(FDB) table_id=0x1 "
	  "ethtype=0x88a8 vid=0x234 group_id=0x2 action=0x184 destination_list_size=0x1 "
	  "destination[0]=0x0000000300000000) ",
	  "-entry3 -group2 -table1 " },
	{ "devx",
	  "ingress group 1 pattern ipv4 / end actions vxlan_decap / set_ttl ttl_value 3 / "
	  "drop / end",
	  "table1(" RX "level=0x21 log_size=0x10) "
	  "modify2(num_of_actions=0x1 action_type=0x1(SET) field=0xa(OUT_IP_TTL) "
	  "length=0x8 data=0x3) group3(table_id=0x1 end_flow_index=0xf "
	  "match_criteria_enable=0x1 ip_version=0xf) entry4(table_id=0x1 group_id=0x3 "
	  "action=0x62 modify_header_id=0x2 ip_version=0x4) ",
	  "-entry4 -group3 -modify2 -table1 " },
	{ "devx",
	  "ingress group 1 pattern end actions raw_decap / raw_encap data "
	  "0001020304050607080900010800 / of_push_vlan ethertype 0x8100 / of_push_vlan "
	  "ethertype 0x88a8 / of_pop_vlan / of_pop_vlan / drop / end",
	  "table1(" RX "level=0x21 log_size=0x10) "
	  "reformat2(reformat_type=0x3(L3_TUNNEL_TO_L2) reformat_data_size=0xe "
	  "reformat_data=0x0001 more_reformat_data=0x020304050607080900010800) "
	  "group3(table_id=0x1 end_flow_index=0xf) entry4(table_id=0x1 ethtype=0x8100 "
	  "group_id=0x3 action=0xd92 packet_reformat_id=0x2 ethtype=0x88a8) ",
	  "-entry4 -group3 -reformat2 -table1 " },
};

Test(backend_calls_are_these, for_a_rule)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct dv_flow *f;

		cr_assert_eq(dv_flow_open(&port, fake_context, rows[i].backend, &fake_targets,
					  &error),
			     0);
		f = made(rows[i].rule);
		cr_expect_str_eq(fake.calls, rows[i].calls, "%s: %s\n%s", rows[i].backend,
				 rows[i].rule, fake.calls);
		fake.calls[0] = 0;
		cr_assert_eq(dv_flow_destroy(f), 0);
		cr_expect_str_eq(fake.calls, rows[i].destroy, "%s: %s\n%s", rows[i].backend,
				 rows[i].rule, fake.calls);
		dv_flow_close(port);
		cr_assert_eq(fake.objects, 0);
	}
}

/* A back end, or the targets, do not have it. */
static const struct {
	const char *backend, *rule;
	int err;
	const char *message;
} refusals[] = {
	{ "none", "", EINVAL, "no such back end" },
	{ "verbs", "ingress pattern end actions dec_ttl / drop / end", EOPNOTSUPP,
	  "verbs changes" },
	{ "verbs", "ingress pattern end actions default_miss / end", EOPNOTSUPP,
	  "the destination" },
	{ "verbs", "ingress pattern end actions queue / tir number 51 / end", EOPNOTSUPP,
	  "the destination" },
	{ "verbs", "ingress priority 65536 pattern end actions drop / end", EINVAL,
	  "priority: " },
	{ "verbs", "ingress pattern end actions queue index 2 / end", EINVAL,
	  "the targets have no number 2" },
	{ "verbs", "ingress pattern end actions qp number 8 / end", EINVAL,
	  "the targets have no number 8" },
	{ "kernel", "ingress priority 65536 pattern end actions drop / end", EINVAL,
	  "priority: " },
	{ "kernel", "ingress pattern end actions of_pop_vlan / drop / end", EOPNOTSUPP,
	  "mlx5dv_create_flow adds" },
	{ "kernel", "ingress pattern end actions of_push_vlan ethertype 0x8100 / drop / end",
	  EOPNOTSUPP, "mlx5dv_create_flow adds" },
	{ "kernel", "transfer pattern end actions vport id 1 / end", EOPNOTSUPP,
	  "mlx5dv_create_flow has" },
	{ "kernel", "ingress group 1 pattern end actions drop / end", EOPNOTSUPP,
	  "group: kernel" },
	{ "kernel", "ingress pattern end actions tir number 53 / end", EINVAL, "the targets" },
	{ "kernel", "ingress pattern end actions devx_table id 51 / end", EINVAL,
	  "the targets" },
	{ "kernel", "ingress pattern end actions meter / drop / end", EOPNOTSUPP,
	  "meter: kernel" },
	{ "devx", "egress group 1 pattern end actions drop / end", EOPNOTSUPP, "egress: " },
	{ "devx", "ingress priority 16 pattern end actions drop / end", EINVAL, "priority: 0" },
	{ "devx", "ingress group 32 pattern end actions drop / end", EINVAL,
	  "group: the device" },
	{ "devx", "ingress group 1 pattern end actions jump group 1 / end", EINVAL, "jump: " },
	{ "devx", "ingress group 1 pattern end actions vport id 1 / end", EOPNOTSUPP,
	  "vport: " },
	{ "devx", "ingress pattern end actions default_miss / end", EOPNOTSUPP,
	  "default_miss: " },
	{ "devx", "ingress pattern end actions sample ratio 2 / drop / end", EINVAL,
	  "sample index" },
	{ "devx", "ingress pattern end actions rss queues end / end", EINVAL,
	  "rss queues: 1 to" },
	{ "devx", "ingress pattern end actions rss queues 3 4 end / end", EINVAL,
	  "rss queues: the targets have no WQ 4" },
	{ "devx", "ingress pattern end actions rss queues 1 end level 2 / end", EOPNOTSUPP,
	  "rss level" },
	{ "devx", "ingress pattern end actions rss queues 1 end func simple_xor / end",
	  EOPNOTSUPP, "rss func" },
	{ "devx", "ingress pattern end actions rss queues 1 end types esp end / end",
	  EOPNOTSUPP, "rss types: esp" },
	{ "devx", "ingress pattern end actions rss queues 1 end types l3-src-only end / end",
	  EINVAL, "rss types: src-only" },
	{ "devx",
	  "ingress pattern end actions rss queues 1 end types ipv4 l4-dst-only end / end",
	  EINVAL, "rss types: src-only" },
	{ "devx", "ingress pattern end actions rss queues 1 end types ipv4 ipv6 end / end",
	  EOPNOTSUPP, "rss types: IPv4 and" },
	{ "devx", "ingress pattern ipv4 / end actions rss queues 1 end types tcp udp end / end",
	  EOPNOTSUPP, "rss types: IPv4 and" },
	{ "devx", "ingress pattern end actions rss queues 1 end key 0x6d5a key_len 2 / end",
	  EINVAL, "rss key" },
};

Test(backend_calls_are_these, none_for_what_is_refused)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const char *text = refusals[i].rule;
		struct dv_flow_rule rule;
		struct dv_flow *f;
		int err = dv_flow_open(&port, fake_context, refusals[i].backend, &fake_targets,
				       &error);

		if (!err) {
			cr_assert_eq(dv_flow_parse(&rule, text, &error), 0, "%s: %s", text,
				     error.message);
			err = dv_flow_create(&f, port, &rule, &error);
			dv_flow_close(port);
		}
		cr_expect_eq(err, refusals[i].err, "%s: %d", text, err);
		cr_expect_eq(strncmp(error.message, refusals[i].message,
				     strlen(refusals[i].message)),
			     0, "%s: %s", text, error.message);
		cr_assert_eq(fake.objects, 0, "%s", text);
	}
}

static void open_port(const char *backend, uint32_t entries)
{
	static struct dv_flow_targets targets;

	targets = fake_targets;
	targets.entries = entries;
	targets.n_qp = 0; /* queues are TIRs */
	cr_assert_eq(dv_flow_open(&port, fake_context, backend, &targets, &error), 0);
}

#define KEY40 \
	"0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627"

Test(backend_calls_are_these, at_the_limits)
{
	struct devx_flow_count count;

	open_port("kernel", 0);
	made("ingress priority 65535 pattern end actions queue index 1 / end");
	cr_assert_str_eq(fake.calls, "matcher1(65535 0 0 0:0 00) flow2(matcher1 00 obj52) ");
	made("ingress pattern end actions rss queues 1 end key " KEY40 " key_len 40 / end");
	cr_assert_str_eq(fake.calls, "ind3[1: 21] qp4(ind3 0 0027) matcher5(0 0 0 0:0 00) "
				     "flow6(matcher5 00 qp180) ");
	dv_flow_close(port);
	cr_assert_eq(dv_flow_open(&port, fake_context, "verbs", &fake_targets, &error), 0);
	made("ingress priority 65535 pattern end actions drop / count / end");
	cr_assert_eq(dv_flow_query(dv_flow_next(port, NULL), &count), 0);
	cr_assert(count.packets == ((uint64_t)1 << 32 | 5) &&
		  count.octets == ((uint64_t)2 << 32 | 6));
	cr_assert_eq(dv_flow_query(made("ingress pattern end actions drop / end"), &count),
		     EINVAL);
	dv_flow_close(port);
}

/* A power of two of queues is the table; else it is the largest, or without one the next power
 * of two. */
Test(backend_calls_are_these, for_each_number_of_queues)
{
	static const struct {
		int max;
		const char *queues, *table;
	} rows[] = {
		{ 16, "1", "ind1[1: 21] " },
		{ 16, "1 2", "ind1[2: 21 22] " },
		{ 16, "1 2 3", "ind1[16: 21 22 23 21 22 23 21 22] " },
		{ 16, "1 2 3 0", "ind1[4: 21 22 23 20] " },
		{ -1, "1", "ind1[1: 21] " },
		{ -1, "1 2 3", "ind1[4: 21 22 23 21] " },
		{ 2, "1 2 3", "ind1[4: 21 22 23 21] " },
		{ 7, "1 2 3", "ind1[4: 21 22 23 21] " },
		{ 8, "1 2 3", "ind1[8: 21 22 23 21 22 23 21 22] " },
		{ 9, "1 2 3", "ind1[8: 21 22 23 21 22 23 21 22] " },
		{ 512, "1 2 3", "ind1[512: 21 22 23 21 22 23 21 22] " },
		{ 1024, "1 2 3", "ind1[512: 21 22 23 21 22 23 21 22] " },
	};
	char text[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		open_port("kernel", 0);
		fake.max_table = rows[i].max;
		snprintf(
			text, sizeof(text),
			"ingress pattern ipv4 / end actions rss queues %s end types ipv4 end / end",
			rows[i].queues);
		made(text);
		cr_expect_eq(strncmp(fake.calls, rows[i].table, strlen(rows[i].table)), 0,
			     "%zu: %s", i, fake.calls);
		dv_flow_close(port);
	}
}

/* The table that is on the way to another one is destroyed after it: the latest rule first. */
Test(backend_calls_are_these, of_a_port_that_is_closed)
{
	open_port("devx", 0);
	made("ingress group 2 pattern end actions drop / end");
	made("ingress group 1 pattern end actions jump group 2 / end");
	made("ingress group 0 pattern end actions jump group 1 / end");
	fake.calls[0] = 0;
	dv_flow_close(port);
	cr_assert_str_eq(fake.calls, "-flow11 -matcher10 -entry9 -group8 -table7 -entry6 "
				     "-group5 -table4 -entry3 -group2 -table1 ");
}

/* ---- tables of "devx" ---- */

/* The logarithm of the table's entries; 0: refused. */
static const struct {
	uint32_t entries, log_size;
} sizes[] = {
	{ 0, 16 },	 { 1, 7 },
	{ 128, 7 },	 { 129, 16 },
	{ 1 << 16, 16 }, { 65537, 20 },
	{ 1 << 20, 20 }, { (1 << 20) + 1, 22 },
	{ 1 << 22, 22 }, { (1 << 22) + 1, 0 },
};

Test(backend_calls_are_these, for_a_table_of_each_size)
{
	struct dv_flow_table table;
	struct dv_flow_rule rule;
	struct dv_flow *f;

	cr_assert_eq(
		dv_flow_parse(&rule, "ingress group 3 pattern end actions drop / end", &error),
		0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_port("devx", sizes[i].entries);
		cr_assert_eq(dv_flow_create(&f, port, &rule, &error),
			     sizes[i].log_size ? 0 : EINVAL, "%u", sizes[i].entries);
		cr_assert_eq(dv_flow_tables(port, &table, 1), !!sizes[i].log_size);
		if (sizes[i].log_size)
			cr_assert(table.size == 1u << sizes[i].log_size && table.level == 35 &&
					  table.group == 3 && table.rules == 1 && !table.jumps,
				  "%u: %u, %u", sizes[i].entries, table.size, table.level);
		dv_flow_close(port);
	}
	/* Fewer entries than by default are better than none; not fewer than wanted. */
	for (uint32_t entries = 0; entries < 2; entries++) {
		open_port("devx", entries);
		fake.fail_at = 3; /* after the memory of the rule and of the table */
		fake.fail_with = ENOSPC;
		cr_assert_eq(dv_flow_create(&f, port, &rule, &error), entries ? ENOSPC : 0);
		dv_flow_close(port);
	}
}

/* ---- entries of "devx" ---- */

/* The entry of a rule that matches @value of @mask; -1: the table is full. */
static long entry(unsigned int priority, unsigned int mask, unsigned int value,
		  struct dv_flow **f)
{
	struct dv_flow_place place;
	struct dv_flow_rule rule;
	char text[200];
	int err;

	fake.calls[0] = 0;
	snprintf(
		text, sizeof(text),
		"ingress group 1 priority %u pattern tag index is 2 data spec %u data mask %u / end "
		"actions drop / end",
		priority, value, mask);
	cr_assert_eq(dv_flow_parse(&rule, text, &error), 0, "%s: %s", text, error.message);
	err = dv_flow_create(f, port, &rule, &error);
	if (err)
		cr_assert(err == ENOSPC && strstr(error.message, "none is free for priority"),
			  "%s", error.message);
	else
		dv_flow_place_of(&place, *f);
	return err ? -1 : (long)place.index;
}

/* A mask has groups of 16, 32 … entries, up to half of what a priority has; what is free is
 * used again, the lowest first. */
Test(backend_calls_are_these, for_groups_of_a_mask)
{
	static struct dv_flow *f[4096], *other;
	unsigned int groups = 0;

	open_port("devx", 0); /* 65536 entries, 4096 for each priority */
	cr_assert_eq(entry(1, 0xffff, 0, &other), 4096);
	for (unsigned int i = 0; i < 4096; i++) {
		cr_assert_eq(entry(0, 0xffff, i, &f[i]), i);
		groups += strstr(fake.calls, "end_flow_index") != NULL;
	}
	cr_assert_eq(groups, 9); /* 16 + 32 … + 2048, and 16 before those of priority 1 */
	cr_assert_eq(entry(0, 0xff, 0, &other), -1);
	cr_assert_eq(entry(0, 0xffff, 5000, &other), -1);
	cr_assert_eq(entry(1, 0xff, 0, &other), 4112);
	cr_assert_eq(dv_flow_destroy(f[77]) | dv_flow_destroy(f[70]), 0);
	cr_assert_eq(entry(0, 0xffff, 5000, &other), 70);
	cr_assert_eq(entry(0, 0xffff, 5001, &other), 77);
	for (unsigned int i = 16; i < 48; i++)
		cr_assert_eq(dv_flow_destroy(f[i]), 0);
	cr_assert_eq(entry(0, 0xff, 0, &other), 16, "the place of a group without rules");
	cr_assert_eq(entry(0, 0xff, 1, &other), 17);
	cr_assert_eq(entry(0, 0xffff, 5002, &other), 32);
	dv_flow_close(port);
	cr_assert_eq(fake.objects, 0);
}

Test(backend_calls_are_these, for_each_priority)
{
	struct dv_flow *f;

	open_port("devx", 1); /* 128 entries, 8 for each */
	for (unsigned int p = 16; p--;)
		cr_assert_eq(entry(p, 1, 0, &f), 8 * p);
	for (unsigned int p = 16; p--;)
		for (unsigned int i = 0; i < 8; i++)
			cr_assert_eq(entry(p, 0xff, i, &f), -1);
	dv_flow_close(port);
}

/* The rule that was made first counts, wherever a place is free. */
Test(backend_calls_are_these, for_equal_matches)
{
	struct dv_flow *f, *before;

	open_port("devx", 1);
	cr_assert_eq(entry(0, 1, 0, &f), 0);
	cr_assert_eq(entry(0, 1, 0, &f), 16);
	cr_assert_eq(entry(0, 1, 1, &f), 1);
	cr_assert_eq(entry(0, 1, 0, &f), 32);
	dv_flow_close(port);
	open_port("devx", 1);
	for (unsigned int i = 0; i < 104; i++)
		cr_assert_eq(entry(3, 0xff, i, &f), 24 + i);
	cr_assert_eq(entry(3, 0xfff, 7, &f), 8);
	cr_assert_eq(entry(3, 0xf, 0, &before), 0);
	cr_assert_eq(dv_flow_destroy(before), 0);
	cr_assert_eq(entry(3, 0xfff, 7, &f), -1, "not before the first one");
	cr_assert_eq(entry(3, 0xfff, 8, &f), 9);
	dv_flow_close(port);
}
