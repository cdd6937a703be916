/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules decide where packets go, by each back end. Packets of a QP keep their order, so that of
 * two that are sent, the arrival of the second shows that the first was dropped.
 */
#include <errno.h>
#include <stdio.h>
#include <criterion/criterion.h>
#include <flow/list.h>

#include "ethernet.h"

TestSuite(rules_lead_packets, .init = ethernet_open, .fini = ethernet_close);

static void queues_and_tags(void)
{
	uint32_t tag;

	rule("ingress pattern eth / ipv4 / udp dst is 1000 / end actions queue index 0 / end");
	rule("ingress pattern eth / ipv4 dst is 10.0.0.2 / udp dst is 1001 / end "
	     "actions tag value 0x1234 / queue index 1 / end");
	send_udp(1001);
	send_udp(999);
	send_udp(1000);
	cr_assert_eq(receive_udp(0, &tag), 1000);
	cr_assert_eq(tag, 0);
	cr_assert_eq(receive_udp(1, &tag), 1001);
	cr_assert_eq(tag, 0x1234);
	cr_assert(queue_is_empty(0) && queue_is_empty(1));
}

static void drop_and_count(void)
{
	struct dv_flow *all = rule("ingress priority 1 pattern eth / ipv4 / udp / end "
				   "actions count / queue index 0 / end");
	struct dv_flow *drop =
		rule("ingress priority 0 pattern eth / ipv4 / udp dst is 1001 / end "
		     "actions count / drop / end");
	struct devx_flow_count count;

	send_udp(1001);
	send_udp(1002);
	send_udp(1001);
	udp_reaches(1003, 0, 1002);
	cr_assert_eq(receive_udp(0, NULL), 1003);
	cr_assert_eq(dv_flow_query(all, &count), 0);
	cr_assert_eq(count.packets, 2);
	cr_assert_eq(dv_flow_query(drop, &count), 0);
	cr_assert_eq(count.packets, 2);
	cr_assert_eq(dv_flow_destroy(drop), 0);
	udp_reaches(1001, 0, 1001);
}

/* Each destination gets a copy; the rule counts packets, not copies. */
static void mirror(void)
{
	struct dv_flow *f =
		rule("ingress pattern eth / ipv4 / udp dst is 1000 / end "
		     "actions count / tag value 3 / queue index 0 / queue index 1 / end");
	struct devx_flow_count count;

	send_udp(1000);
	for (unsigned int q = 0; q < QUEUES; q++) {
		uint32_t tag;

		cr_assert_eq(receive_udp(q, &tag), 1000);
		cr_assert_eq(tag, 3);
	}
	cr_assert_eq(dv_flow_query(f, &count), 0);
	cr_assert_eq(count.packets, 1);
	cr_assert_eq(dv_flow_destroy(f), 0);
	rule_refused("ingress pattern end actions queue / queue / end",
		     "queue: twice the same");
	rule_refused("ingress pattern end actions queue / drop / end",
		     "drop: drop and default_miss");
}

static void sample_of_all(void)
{
	static struct dv_flow_rule samples[2];
	struct dv_flow_error error;

	cr_assert_eq(dv_flow_parse(&samples[0],
				   "ingress pattern end actions queue index 1 / end", &error),
		     0);
	cr_assert_eq(dv_flow_parse(&samples[1],
				   "ingress pattern end actions count / queue index 1 / end",
				   &error),
		     0);
	eth.targets.sample = samples;
	eth.targets.n_sample = 2;
}

static void sample(void)
{
	rule("ingress pattern eth / ipv4 / udp dst is 1000 / end "
	     "actions sample ratio 1 index 0 / queue index 0 / end");
	udp_reaches(1000, 0, 1000);
	cr_assert_eq(receive_udp(1, NULL), 1000);
	rule_refused("ingress pattern end actions sample ratio 1 index 2 / queue / end",
		     "sample index: the targets have no sample 2");
	rule_refused("ingress pattern end actions sample ratio 1 index 1 / queue / end",
		     "sample: count is not");
}

static void list(void)
{
	static struct dv_flow_rule read;
	struct dv_flow *f[3];

	for (int i = 0; i < 3; i++) {
		char text[128];

		snprintf(text, sizeof(text),
			 "ingress pattern ipv4 / udp src is %d / end actions drop / end",
			 i + 1);
		f[i] = rule(text);
		cr_assert_eq(dv_flow_number(f[i]), (unsigned int)i);
	}
	cr_assert_eq(dv_flow_query(f[0], &(struct devx_flow_count){ 0 }), EINVAL);
	cr_assert_eq(dv_flow_destroy(f[1]), 0);
	cr_assert_eq(dv_flow_next(eth.port, NULL), f[0]);
	cr_assert_eq(dv_flow_next(eth.port, f[0]), f[2]);
	cr_assert_null(dv_flow_next(eth.port, f[2]));
	dv_flow_rule_of(&read, f[2]);
	cr_assert_eq(read.items, 2);
	cr_assert_eq(dv_flow_destroy(f[0]), 0);
	cr_assert_eq(dv_flow_destroy(f[2]), 0);
	cr_assert_null(dv_flow_next(eth.port, NULL));
}

static void refusals(void)
{
	rule_refused("ingress pattern ipv4 / udp / end actions queue index 2 / end",
		     "the targets have no number 2");
	rule_refused("ingress pattern ipv4 / udp / end actions qp number 0xfffff / end",
		     "the targets have no number 1048575");
	rule_refused("ingress pattern udp / end actions drop / end", "udp: it follows");
	rule_refused("pattern end actions drop / end", "one of ingress, egress and transfer");
	cr_assert_null(dv_flow_next(eth.port, NULL));
}

#define ON(name, what)                          \
	Test(rules_lead_packets, name##_##what) \
	{                                       \
		ethernet_rules(#name);          \
		what();                         \
	}
#define BACKEND(name)                           \
	ON(name, queues_and_tags)               \
	ON(name, drop_and_count)                \
	ON(name, mirror)                        \
	ON(name, list)                          \
	ON(name, refusals)                      \
	Test(rules_lead_packets, name##_sample) \
	{                                       \
		sample_of_all();                \
		ethernet_rules(#name);          \
		sample();                       \
	}

BACKEND(verbs)
BACKEND(kernel)
BACKEND(devx)
BACKEND(dr)

Test(rules_lead_packets, samples_and_meters_are_of_dr)
{
	static const char *const backends[] = { "verbs", "kernel", "devx" };

	sample_of_all();
	for (size_t i = 0; i < 3; i++) {
		ethernet_rules(backends[i]);
		rule_refused("ingress pattern end actions sample ratio 2 index 0 / queue / end",
			     "sample of other ratios than 1: ");
		rule_refused("ingress pattern end actions meter mtr_id 0 / queue / end",
			     "meter: ");
		dv_flow_close(eth.port);
	}
	eth.port = NULL;
}

Test(rules_lead_packets, kernel_has_no_groups)
{
	ethernet_rules("kernel");
	rule_refused("ingress group 1 pattern end actions drop / end",
		     "group: kernel has group 0");
	rule_refused("ingress pattern end actions jump group 1 / end",
		     "mlx5dv_create_flow has no such");
}

Test(rules_lead_packets, devx_groups)
{
	struct devx_flow_count count;
	struct dv_flow *way;

	ethernet_rules("devx");
	rule("ingress group 2 priority 1 pattern end actions tag value 2 / queue index 0 / end");
	rule("ingress group 2 priority 0 pattern ipv4 / udp dst is 1001 / end "
	     "actions tag value 1 / queue index 1 / end");
	way = rule("ingress pattern eth / ipv4 / udp / end actions count / jump group 2 / end");
	send_udp(1000);
	send_udp(1001);
	for (unsigned int q = 0; q < 2; q++) {
		uint32_t tag;

		cr_assert_eq(receive_udp(q, &tag), 1000 + q);
		cr_assert_eq(tag, 2 - q);
	}
	cr_assert_eq(dv_flow_query(way, &count), 0);
	cr_assert_eq(count.packets, 2);
	/* In any order: the table of group 2 exists as long as a rule leads to it. */
	cr_assert_eq(dv_flow_destroy(dv_flow_next(eth.port, NULL)), 0);
	cr_assert_eq(dv_flow_destroy(dv_flow_next(eth.port, NULL)), 0);
	cr_assert_eq(dv_flow_destroy(way), 0);
	rule_refused("ingress group 1 pattern end actions jump group 1 / end",
		     "jump: to a higher");
	rule_refused("egress pattern end actions end", "egress:");
	rule_refused("ingress priority 16 pattern end actions drop / end", "priority: 0 to 15");
}

Test(rules_lead_packets, table_of_the_program)
{
	struct devx_obj table, group, entry, *tables[] = { &table };
	char text[128];
	int err;

	err = devx_flow_table_create(
		&table, eth.ctx, &(struct devx_flow_table_attr){ .level = 40, .log_size = 1 });
	cr_assert_eq(err, 0);
	err = devx_flow_group_create(&group, eth.ctx,
				     &(struct devx_flow_group_attr){ .table_id = table.id });
	cr_assert_eq(err, 0);
	err = devx_flow_entry_create(
		&entry, eth.ctx,
		&(struct devx_flow_entry_attr){ .table_id = table.id,
						.group_id = group.id,
						.action = PRM_FLOW_CONTEXT_ACTION_DROP });
	cr_assert_eq(err, 0);
	eth.targets.table = tables;
	eth.targets.n_table = 1;
	ethernet_rules("kernel");
	snprintf(text, sizeof(text),
		 "ingress pattern ipv4 / udp dst is 1001 / end actions devx_table id %u / end",
		 table.id);
	rule(text);
	rule("ingress priority 1 pattern ipv4 / udp / end actions queue / end");
	send_udp(1001);
	udp_reaches(1002, 0, 1002);
	dv_flow_close(eth.port);
	eth.port = NULL;
	cr_assert_eq(devx_flow_entry_destroy(&entry), 0);
	cr_assert_eq(devx_flow_group_destroy(&group), 0);
	cr_assert_eq(devx_flow_table_destroy(&table), 0);
}

Test(rules_lead_packets, dr_refuses_what_its_root_lacks)
{
	sample_of_all();
	ethernet_rules("dr");
	rule_refused("ingress pattern ipv4 / end actions of_pop_vlan / queue / end",
		     "of_pop_vlan: mlx5dv_dr has it in other groups");
	rule_refused("ingress pattern ipv4 / end actions sample ratio 2 index 0 / queue / end",
		     "sample: dr wants jump");
	rule_refused("ingress pattern ipv4 / end actions meter mtr_id 0 / queue / end",
		     "meter mtr_id: the targets have no meter 0");
}

Test(rules_lead_packets, devx_changes_headers)
{
	ethernet_rules("devx");
	rule("ingress pattern ipv4 / udp dst is 1000 / end actions set_tp_dst port 7777 / "
	     "set_mac_src mac_addr 02:00:00:00:00:09 / dec_ttl / set_ipv4_src ipv4_addr 1.2.3.4 / "
	     "queue / end");
	udp_reaches(1000, 0, 7777);
	cr_assert_arr_eq(eth.received[0][0] + 6, ((uint8_t[]){ 2, 0, 0, 0, 0, 9 }), 6);
	cr_assert_eq(eth.received[0][0][22], 63);
	cr_assert_arr_eq(eth.received[0][0] + 26, ((uint8_t[]){ 1, 2, 3, 4 }), 4);
	rule_refused("ingress pattern ipv4 / end actions set_tp_dst port 1 / queue / end",
		     "set_tp_dst: the pattern has either udp or tcp");
	rule_refused(
		"ingress pattern ipv4 / end actions of_set_vlan_pcp vlan_pcp 1 / queue / end",
		"of_set_vlan_pcp: of a tag that is pushed");
	rule_refused("ingress pattern ipv4 / end actions raw_encap index 1 / queue / end",
		     "raw_encap index: give the header");
	rule_refused("ingress pattern ipv4 / end actions raw_encap / queue / end",
		     "raw_encap: the header");
	rule_refused("ingress pattern ipv4 / end actions set_tag index 9 data 1 / queue / end",
		     "tag index: the registers");
	rule_refused(
		"ingress pattern end actions of_pop_vlan / of_pop_vlan / of_pop_vlan / queue / end",
		"of_pop_vlan: two tags");
}

Test(rules_lead_packets, verbs_changes_no_headers)
{
	ethernet_rules("verbs");
	rule_refused("ingress pattern ipv4 / end actions dec_ttl / queue / end",
		     "verbs changes no headers");
}

Test(rules_lead_packets, kernel_changes_headers)
{
	ethernet_rules("kernel");
	rule("ingress pattern ipv4 / udp dst is 1000 / end actions set_tp_dst port 7777 / dec_ttl / "
	     "queue / queue index 1 / end");
	send_udp(1000);
	for (unsigned int q = 0; q < QUEUES; q++) {
		cr_assert_eq(receive_udp(q, NULL), 7777);
		cr_assert_eq(eth.received[q][0][22], 63);
	}
	rule_refused("ingress pattern ipv4 / end actions of_pop_vlan / queue / end",
		     "mlx5dv_create_flow adds and removes no VLAN tags");
}

/* Bits of addresses and ports: 10.0.0.1 to 10.0.0.2, from port 99. */
static void modify_fields(void)
{
	rule("ingress pattern ipv4 / udp dst is 1000 / end actions "
	     "modify_field op set dst_type mac_src dst_offset 8 src_type value src_value aabbccdd width 32 / "
	     "modify_field op set dst_type ipv4_src dst_offset 8 src_type ipv4_dst width 8 / "
	     "modify_field op set dst_type udp_port_dst src_type udp_port_src width 16 / "
	     "modify_field op sub dst_type ipv4_ttl src_type value src_value 04 width 8 / queue / end");
	udp_reaches(1000, 0, 99);
	cr_assert_eq(eth.received[0][0][6], eth.mac[0]);
	cr_assert_arr_eq(eth.received[0][0] + 7, ((uint8_t[]){ 0xaa, 0xbb, 0xcc, 0xdd }), 4);
	cr_assert_eq(eth.received[0][0][11], eth.mac[5]);
	cr_assert_eq(eth.received[0][0][22], 60);
	cr_assert_arr_eq(eth.received[0][0] + 26, ((uint8_t[]){ 10, 0, 2, 1 }), 4);
	rule_refused("ingress pattern ipv4 / end actions modify_field op add dst_type mac_dst "
		     "src_type value src_value 01 width 48 / queue / end",
		     "modify_field: the device adds to fields of at most 32");
}

Test(rules_lead_packets, devx_modifies_fields)
{
	ethernet_rules("devx");
	modify_fields();
}

Test(rules_lead_packets, kernel_modifies_fields)
{
	ethernet_rules("kernel");
	modify_fields();
}

Test(rules_lead_packets, dr_modifies_fields)
{
	ethernet_rules("dr");
	modify_fields();
}

/* A register carries a value from one group to the rules of the next. */
Test(rules_lead_packets, devx_tag_between_groups)
{
	ethernet_rules("devx");
	rule("ingress pattern ipv4 / udp / end actions "
	     "modify_field op set dst_type tag dst_tag_index 1 src_type udp_port_dst width 16 / "
	     "jump group 1 / end");
	rule("ingress group 1 pattern tag index is 1 data is 1000 / end actions queue index 0 / end");
	rule("ingress group 1 pattern tag index is 1 data is 1001 / end actions queue index 1 / end");
	send_udp(1001);
	udp_reaches(1000, 0, 1000);
	cr_assert_eq(receive_udp(1, NULL), 1001);
}

/* receive_udp() wants a frame of the length that was sent without the tag. */
Test(rules_lead_packets, devx_removes_a_vlan_tag)
{
	static const uint8_t tag[] = { 0x81, 0, 0, 5 };

	ethernet_rules("devx");
	rule("ingress pattern eth / vlan vid is 5 / ipv4 / end actions of_pop_vlan / queue index 1 / end");
	send_udp_with(tag, sizeof(tag), 12, 1000);
	cr_assert_eq(receive_udp(1, NULL), 1000);
	cr_assert_arr_eq(eth.received[1][0] + 12, ((uint8_t[]){ 8, 0, 0x45 }), 3);
}

Test(rules_lead_packets, devx_removes_a_tunnel)
{
	/* Ethernet, IPv4 of 136 bytes, UDP to 4789, VXLAN 7; before the inner frame. */
	static const uint8_t headers[50] = {
		[6] = 2, [12] = 8, 0,	     0x45,	  [17] = 136, [22] = 64, 17,
		0x66,	 0x63,	   10,	     0,		  0,	      1,	 10,
		0,	 0,	   2,	     [34] = 0x12, 0x34,	      0x12,	 0xb5,
		0,	 116,	   [42] = 8, [48] = 7
	};

	ethernet_rules("devx");
	rule("ingress pattern eth / ipv4 / udp / vxlan vni is 7 / eth / ipv4 / udp dst is 1000 / end "
	     "actions vxlan_decap / queue index 1 / end");
	send_udp_with(headers, sizeof(headers), 0, 1000);
	cr_assert_eq(receive_udp(1, NULL), 1000);
}

/* Sent with a header that an egress rule adds; received by a rule that matches and removes
 * it. */
static void tunnel(const char *backend, const char *added, const char *matched,
		   const char *removed)
{
	struct dv_flow_port *sent = NULL;
	char text[512];

	ethernet_rules(backend);
	sent = eth.port;
	snprintf(
		text, sizeof(text),
		"egress pattern eth / ipv4 / udp dst is 1000 / end actions %s ip-src 1.2.3.4 "
		"ip-dst 5.6.7.8 eth-dst %02x:%02x:%02x:%02x:%02x:%02x eth-src 02:00:00:00:00:01 / end",
		added, eth.mac[0], eth.mac[1], eth.mac[2], eth.mac[3], eth.mac[4], eth.mac[5]);
	rule(text);
	ethernet_rules("devx");
	snprintf(text, sizeof(text),
		 "ingress pattern eth / ipv4 src is 1.2.3.4 dst is 5.6.7.8 / %s / "
		 "eth / ipv4 / udp dst is 1000 / end actions %s / queue index 1 / end",
		 matched, removed);
	rule(text);
	udp_reaches(1000, 1, 1000);
	dv_flow_close(sent);
}

static const char *const vxlan[] = { "vxlan_encap vni 7 udp-src 5",
				     "udp src is 5 dst is 4789 / vxlan vni is 7",
				     "vxlan_decap" };
static const char *const nvgre[] = { "nvgre_encap tni 0x123456", "nvgre tni is 0x123456",
				     "nvgre_decap" };

Test(rules_lead_packets, kernel_adds_vxlan)
{
	tunnel("kernel", vxlan[0], vxlan[1], vxlan[2]);
}

Test(rules_lead_packets, kernel_adds_nvgre)
{
	tunnel("kernel", nvgre[0], nvgre[1], nvgre[2]);
}

Test(rules_lead_packets, dr_adds_vxlan)
{
	tunnel("dr", vxlan[0], vxlan[1], vxlan[2]);
}

/* A table of the program that leads to that of group 1. */
static void lead_to(uint32_t table_id, struct devx_obj obj[3])
{
	struct devx_flow_dest dest = { PRM_DEST_TYPE_FLOW_TABLE, table_id };
	struct devx_flow_table_attr table = { .type = PRM_FT_TYPE_NIC_RX, .level = 64 };
	struct devx_flow_group_attr group = { .table_type = PRM_FT_TYPE_NIC_RX };
	struct devx_flow_entry_attr entry = { .table_type = PRM_FT_TYPE_NIC_RX,
					      .action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST,
					      .dest = &dest,
					      .n_dest = 1 };

	cr_assert_eq(devx_flow_table_create(&obj[0], eth.ctx, &table), 0);
	entry.table_id = group.table_id = obj[0].id;
	cr_assert_eq(devx_flow_group_create(&obj[1], eth.ctx, &group), 0);
	entry.group_id = obj[1].id;
	cr_assert_eq(devx_flow_entry_create(&obj[2], eth.ctx, &entry), 0);
}

Test(rules_lead_packets, devx_table_that_is_in_use_is_busy)
{
	struct devx_obj obj[3] = { 0 };
	struct dv_flow_table table;
	struct dv_flow *f;

	ethernet_rules("devx");
	f = rule("ingress group 1 pattern eth / end actions drop / end");
	cr_assert_eq(dv_flow_tables(eth.port, &table, 1), 1);
	lead_to(table.id, obj);
	cr_assert_eq(dv_flow_destroy(f), EBUSY);
	cr_assert_eq(dv_flow_next(eth.port, NULL), f);
	cr_assert_eq(dv_flow_destroy(f), EBUSY);
	cr_assert_eq(devx_flow_entry_destroy(&obj[2]), 0);
	cr_assert_eq(dv_flow_destroy(f), 0);
	cr_assert_null(dv_flow_next(eth.port, NULL));
	cr_assert_eq(devx_flow_group_destroy(&obj[1]), 0);
	cr_assert_eq(devx_flow_table_destroy(&obj[0]), 0);
}

/* The QP that a rule of @backend leads to: an errno value, as the header says. */
static void destroyed(const char *backend, int err)
{
	struct dv_flow *f;

	ethernet_rules(backend);
	f = rule("ingress pattern eth / ipv4 / end actions queue index 1 / end");
	cr_assert_eq(ibv_destroy_qp(eth.qp[1]), err, "%s", backend);
	cr_assert_eq(dv_flow_destroy(f), 0);
	dv_flow_close(eth.port);
	eth.port = NULL;
}

Test(rules_lead_packets, a_qp_that_is_in_use)
{
	destroyed("verbs", EBUSY);
	destroyed("kernel", EBUSY);
	destroyed("dr", EBUSY);
}

/* mlx5_ib, qp.c, destroy_raw_packet_qp: refusals are ignored. The adapter keeps the queue, and
 * with it CQ and PD. */
Test(rules_lead_packets_of_devx, to_a_qp_that_is_destroyed, .init = ethernet_open)
{
	destroyed("devx", 0);
	cr_assert_eq(ibv_destroy_cq(ibv_cq_ex_to_cq(eth.cq[1])), EINVAL);
}
