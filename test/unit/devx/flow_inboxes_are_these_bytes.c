/* SPDX-License-Identifier: BSD-2-Clause */
/* Inboxes of flow tables, groups, entries and header changes, by hand from the PRM's
 * layouts. */
#include <criterion/criterion.h>
#include <devx/flow.h>
#include <prm/prm.h>

#include "fake.h"

TestSuite(flow_inboxes_are_these_bytes, .init = fake_reset);

Test(flow_inboxes_are_these_bytes, table)
{
	struct devx_obj table;
	uint8_t context[40];

	answer_word(8, 0x42);
	cr_assert_eq(
		devx_flow_table_create(&table, NULL,
				       &(struct devx_flow_table_attr){
					       .type = PRM_FT_TYPE_FDB,
					       .level = 3,
					       .log_size = 7,
					       .decap_en = true,
					       .miss_action = PRM_FLOW_TABLE_MISS_ACTION_FWD,
					       .miss_table = 0x41 }),
		0);
	SENT(64, "0000: 09300000", "0010: 04000000 00000000 41030007 00000041");
	cr_assert_eq(table.id, 0x42);

	fake.calls = 0;
	answer_word(0x18, 0x80050004);
	cr_assert_eq(devx_flow_table_query(&table, PRM_FT_TYPE_FDB, context), 0);
	SENT(64, "0000: 09320000", "0010: 04000000 00000042");
	cr_assert_eq(fake.out_len, 64);
	cr_assert_eq(PRM_GET(flow_table_context, context, level), 5);

	fake.calls = 0;
	cr_assert_eq(devx_flow_table_miss(&table, PRM_FT_TYPE_FDB,
					  PRM_FLOW_TABLE_MISS_ACTION_FWD, 0x40),
		     0);
	SENT(64, "0000: 093c0000 00000000 00000000 00000001",
	     "0010: 04000000 00000042 01000000 00000040");
	cr_assert_eq(devx_flow_table_destroy(&table), 0);
	cr_assert_eq(fake.destroyed, 1);
}

Test(flow_inboxes_are_these_bytes, group)
{
	uint8_t mask[DEVX_FLOW_MATCH_BYTES] = { [8] = 0xff, 0xff };
	struct devx_flow_group_attr attr = { .table_id = 0x42,
					     .first = 16,
					     .last = 31,
					     .criteria = PRM_MATCH_OUTER_HEADERS,
					     .mask = mask };
	struct devx_obj group;

	answer_word(8, 7);
	cr_assert_eq(devx_flow_group_create(&group, NULL, &attr), 0);
	SENT(1024, "0000: 09330000", "0010: 00000000 00000042 00000000 00000010",
	     "0020: 00000000 0000001f", "0030: 00000000 00000000 00000000 00000001",
	     "0040: 00000000 00000000 ffff0000");
	cr_assert_eq(group.id, 7);

	attr.last = 15;
	cr_assert_eq(devx_flow_group_create(&group, NULL, &attr), EINVAL);
	cr_assert_str_eq(devx_last_error()->call, "devx_flow_group_create");
}

Test(flow_inboxes_are_these_bytes, entry)
{
	uint8_t value[DEVX_FLOW_MATCH_BYTES] = { [8] = 0x12, 0x34 };
	struct devx_flow_dest dest[] = { { PRM_DEST_TYPE_TIR, 0x11 },
					 { PRM_DEST_TYPE_FLOW_TABLE, 0x43 } };
	uint32_t counter = 0x99;
	struct devx_flow_entry_attr attr = {
		.table_id = 0x42,
		.group_id = 7,
		.index = 16,
		.value = value,
		.action = PRM_FLOW_CONTEXT_ACTION_FWD_DEST | PRM_FLOW_CONTEXT_ACTION_COUNT |
			  PRM_FLOW_CONTEXT_ACTION_VLAN_PUSH,
		.flow_tag = 0xabcdef,
		.modify_header_id = 5,
		.packet_reformat_id = 6,
		.push[0] = { 0x8100, 5, 1, 100 },
		.dest = dest,
		.n_dest = 2,
		.counter = &counter,
		.n_counter = 1,
	};
	struct devx_obj entry;

	cr_assert_eq(devx_flow_entry_create(&entry, NULL, &attr), 0);
	cr_assert_eq(entry.id, 16);
	SENT(0x340 + 24, "0000: 09360000", "0010: 00000000 00000042", "0020: 00000010",
	     "0040: 8100b064 00000007 00abcdef 0000010c",
	     "0050: 00000002 00000001 00000006 00000005", "0080: 00000000 00000000 12340000",
	     "0340: 02000011 00000000 01000043 00000000", "0350: 00000099");

	fake.calls = 0;
	attr = (struct devx_flow_entry_attr){ .table_id = 0x42,
					      .group_id = 7,
					      .index = 16,
					      .ignore_flow_level = true,
					      .action = PRM_FLOW_CONTEXT_ACTION_DROP };
	cr_assert_eq(devx_flow_entry_modify(&entry, &attr), 0);
	SENT(0x340, "0000: 09360000 00000001", "0010: 00000000 00000042 8000000f",
	     "0020: 00000010", "0040: 00000000 00000007 00000000 00000002");
}

Test(flow_inboxes_are_these_bytes, entry_refusals)
{
	struct devx_flow_entry_attr attr = { .flow_tag = 1 << 24 };
	struct devx_obj entry;

	cr_assert_eq(devx_flow_entry_create(&entry, NULL, &attr), EINVAL);
	attr = (struct devx_flow_entry_attr){ .n_dest = 60, .n_counter = 5 };
	cr_assert_eq(devx_flow_entry_create(&entry, NULL, &attr), EINVAL);
	attr = (struct devx_flow_entry_attr){ .n_counter = (size_t)-1, .n_dest = 1 };
	cr_assert_eq(devx_flow_entry_create(&entry, NULL, &attr), EINVAL);
	cr_assert_eq(fake.calls, 0);
}

Test(flow_inboxes_are_these_bytes, header_changes)
{
	static const uint8_t actions[] = { 0x10, 0x0a, 0, 8, 0,	   0,	 0,    64,
					   0x20, 0x0a, 0, 0, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t header[] = { 1, 2, 3, 4, 5, 6, 7 };
	struct devx_obj list, reformat;

	answer_word(8, 0x55);
	cr_assert_eq(devx_modify_header_create(&list, NULL, PRM_FT_TYPE_NIC_TX, actions, 2), 0);
	SENT(32, "0000: 09400000 00000000 00000000 01000002",
	     "0010: 100a0008 00000040 200a0000 ffffffff");
	cr_assert_eq(list.id, 0x55);
	cr_assert_eq(devx_modify_header_create(&list, NULL, 0, actions, 0), EINVAL);
	cr_assert_eq(devx_modify_header_create(&list, NULL, 0, actions, 256), EINVAL);

	fake.calls = 0;
	cr_assert_eq(devx_packet_reformat_create(&reformat, NULL, PRM_REFORMAT_L2_TO_L2_TUNNEL,
						 header, 7),
		     0);
	SENT(44, "0000: 093d0000", "0010: 00000000 00000000 00000000 02000007",
	     "0020: 00000102 03040506 07000000");
	cr_assert_eq(devx_packet_reformat_create(&reformat, NULL, 0, header, 1024), EINVAL);
}
