/* SPDX-License-Identifier: BSD-2-Clause */
/* Inboxes of counters, registers and general objects, by hand from the PRM's layouts. */
#include <criterion/criterion.h>
#include <devx/counter.h>
#include <devx/general.h>
#include <devx/reg.h>
#include <prm/prm.h>

#include "fake.h"

TestSuite(counter_and_register_inboxes_are_these_bytes, .init = fake_reset);

Test(counter_and_register_inboxes_are_these_bytes, q_counter)
{
	struct devx_obj obj;
	uint8_t out[256];

	answer_word(8, 0x2a);
	cr_assert_eq(devx_q_counter_create(&obj, NULL), 0);
	SENT(16, "0000: 07710000");
	cr_assert_eq(obj.id, 0x2a);

	answer_word(0x38, 1234);
	AGAIN(devx_q_counter_query(&obj, true, out));
	SENT(32, "0000: 07730000", "0010: 00000000 00000000 80000000 0000002a");
	cr_assert_eq(fake.out_len, 256);
	cr_assert_eq(PRM_GET(query_q_counter_out, out, out_of_sequence), 1234);
}

Test(counter_and_register_inboxes_are_these_bytes, bulk_of_flow_counters)
{
	struct devx_flow_count count[8] = { 0 };
	struct devx_obj obj;

	answer_word(8, 0x1000);
	cr_assert_eq(devx_flow_counter_create(&obj, NULL, 512), 0);
	SENT(16, "0000: 09390000 00000000 00000000 00000004");
	cr_assert_eq(obj.id, 0x1000);

	answer_word(0x14, 3);	       /* packets of the first */
	answer_word(0x88, 0x00000001); /* octets of the last */
	answer_word(0x8c, 0x00000002);
	AGAIN(devx_flow_counter_query(&obj, 8, count));
	SENT(32, "0000: 093b0000", "0010: 00000000 00000000 00000008 00001000");
	cr_assert_eq(fake.out_len, 16 + 8 * 16);
	cr_assert_eq(count[0].packets, 3);
	cr_assert_eq(count[7].octets, 0x100000002);
}

Test(counter_and_register_inboxes_are_these_bytes, single_flow_counter)
{
	struct devx_flow_count count;
	struct devx_obj obj;

	answer_word(8, 9);
	cr_assert_eq(devx_flow_counter_create(&obj, NULL, 0), 0);
	SENT(16, "0000: 09390000");
	AGAIN(devx_flow_counter_query(&obj, 1, &count));
	SENT(32, "0000: 093b0000", "0010: 00000000 00000000 00000000 00000009");
}

Test(counter_and_register_inboxes_are_these_bytes, counters_of_the_function)
{
	uint8_t out[528];

	answer_word(0x9c, 77);
	cr_assert_eq(devx_vport_counter_query(NULL, 1, out), 0);
	SENT(32, "0000: 07700000 00000000 00010000");
	cr_assert_eq(PRM_GET(traffic_counter,
			     PRM_ADDR(query_vport_counter_out, out, received_eth_unicast),
			     octets),
		     77);

	AGAIN(devx_vnic_env_query(NULL, out));
	SENT(16, "0000: 076f0000");
	cr_assert_eq(fake.out_len, 528);
}

static void allow_registers(void)
{
	fake.caps[0x10 + 0x1a] = 0x20; /* bit 13 of the dword at 0x18 */
}

Test(counter_and_register_inboxes_are_these_bytes, register_read)
{
	uint8_t reg[8] = { 0xaa, [7] = 0xbb };

	allow_registers();
	answer_word(0x14, 0x12345678);
	cr_assert_eq(devx_reg_read(NULL, 0x9055, 3, reg, sizeof(reg)), 0);
	SENT(24, "0000: 0b0c0000 00000001 00009055 00000003", "0010: aa000000 000000bb");
	cr_assert_eq(fake.out_len, 24);
	cr_assert_eq(reg[0], 0);
	cr_assert_eq(reg[7], 0x78);
}

Test(counter_and_register_inboxes_are_these_bytes, register_write)
{
	uint8_t reg[4] = { 1, 2, 3, 4 };

	allow_registers();
	cr_assert_eq(devx_reg_write(NULL, 0x9055, 0, reg, 4, DEVX_REG_ALLOW_WRITE), 0);
	SENT(20, "0000: 0b0c0000 00000000 00009055 00000000", "0010: 01020304");
}

Test(counter_and_register_inboxes_are_these_bytes, general_object)
{
	uint8_t context[8] = { 0xde, 0xad, [7] = 0x11 };
	struct devx_obj obj;

	fake.caps[0x10 + 0x80 + 7 - PRM_OBJ_ENCRYPTION_KEY / 8] = 1
								  << PRM_OBJ_ENCRYPTION_KEY % 8;
	answer_word(8, 0x500);
	cr_assert_eq(devx_general_create(&obj, NULL, PRM_OBJ_ENCRYPTION_KEY, 3, context, 8), 0);
	SENT(24, "0000: 0a000000 0000000c 00000000 03000000", "0010: dead0000 00000011");
	cr_assert_eq(obj.id, 0x500);
	cr_assert_eq(obj.type, 0xc);

	AGAIN(devx_general_modify(&obj, context, 4));
	SENT(20, "0000: 0a010000 0000000c 00000500 00000000", "0010: dead0000");

	answer_word(0x14, 0x99);
	AGAIN(devx_general_query(&obj, context, sizeof(context)));
	SENT(16, "0000: 0a020000 0000000c 00000500");
	cr_assert_eq(fake.out_len, 24);
	cr_assert_eq(context[7], 0x99);
}

/* Types from 64 on have their bit in GENERAL_2. */
Test(counter_and_register_inboxes_are_these_bytes, general_object_of_a_new_type)
{
	struct devx_obj obj;

	fake.caps[0x10 + 0x38 + 7] = 1 << 2;
	cr_assert_eq(devx_general_create(&obj, NULL, PRM_OBJ_STE, 0, NULL, 0), 0);
	SENT(16, "0000: 0a000000 00000042");
}

/* 64 is the first of them. */
Test(counter_and_register_inboxes_are_these_bytes, general_object_of_the_first_new_type)
{
	struct devx_obj obj;

	fake.caps[0x10 + 0x38 + 7] = 1 << 0;
	cr_assert_eq(devx_general_create(&obj, NULL, PRM_OBJ_STC, 0, NULL, 0), 0);
	SENT(16, "0000: 0a000000 00000040");
	cr_assert_eq(fake.caps_op_mod, 0x20 << 1 | 1, "GENERAL_2, as it is");
}

/* MKEY, 0xff01: an alias, of which the capabilities have no bit. */
Test(counter_and_register_inboxes_are_these_bytes, general_object_that_is_an_alias)
{
	struct devx_obj obj;

	cr_assert_eq(devx_general_create(&obj, NULL, PRM_OBJ_MKEY, 0, NULL, 0), 0);
	SENT(16, "0000: 0a000000 0000ff01");
}
