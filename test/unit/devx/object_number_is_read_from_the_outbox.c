/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>
#include <devx/devx.h>

#include "fake_memory.h"
#include "prm/prm.h"
#include "prm/table.h"

TestSuite(number, .init = fake_memory_reset);

static struct devx_obj make(uint16_t opcode)
{
	uint8_t in[0x340] = { 0 }, out[0x40];
	struct devx_obj obj;

	PRM_SET(mbox_in, in, opcode, opcode);
	cr_assert_eq(devx_obj_create(&obj, NULL, in, sizeof(in), out, sizeof(out)), 0);
	cr_assert_eq(obj.opcode, opcode);
	return obj;
}

/* Bytes 8 to 11 of the outbox, as most commands have it. */
Test(number, of_three_bytes)
{
	fake.answer[8] = 0xff; /* not a part of it */
	fake.answer[9] = 0x12;
	fake.answer[10] = 0x34;
	fake.answer[11] = 0x56;
	cr_assert_eq(make(PRM_OP_CREATE_CQ).id, 0x123456);
	cr_assert_eq(make(PRM_OP_CREATE_QP).id, 0x123456);
	cr_assert_eq(make(PRM_OP_CREATE_MKEY).id, 0x123456);
	cr_assert_eq(make(PRM_OP_ALLOC_PD).id, 0x123456);
	cr_assert_eq(make(PRM_OP_CREATE_TIR).id, 0x123456);
	cr_assert_eq(make(PRM_OP_ALLOC_Q_COUNTER).id, 0x56);
	cr_assert_eq(make(PRM_OP_ALLOC_FLOW_COUNTER).id, 0xff123456);
}

Test(number, elsewhere)
{
	fake.answer[0x13] = 0x77;
	cr_assert_eq(make(PRM_OP_CREATE_SCHEDULING_ELEMENT).id, 0x77);
	cr_assert_eq(make(PRM_OP_CREATE_PSV).id, 0x77);
}

Test(number, of_a_general_object_comes_with_its_type)
{
	uint8_t in[PRM_SZ(general_obj_in_cmd_hdr)] = { 0x0a, 0, 0, 0, 0, 0, 0xff, 0x01 };
	uint8_t out[PRM_SZ(general_obj_out_cmd_hdr)];
	struct devx_obj obj;

	fake.answer[11] = 9;
	cr_assert_eq(devx_obj_create(&obj, NULL, in, sizeof(in), out, sizeof(out)), 0);
	cr_assert_eq(obj.id, 9);
	cr_assert_eq(obj.type, PRM_OBJ_MKEY);
}

Test(number, that_the_caller_chose_is_in_the_inbox)
{
	uint8_t in[PRM_SZ(set_fte_in)] = { 0x09, 0x36 }, out[PRM_SZ(set_fte_out)];
	struct devx_obj obj;

	in[0x23] = 5; /* flow_index */
	cr_assert_eq(devx_obj_create(&obj, NULL, in, sizeof(in), out, sizeof(out)), 0);
	cr_assert_eq(obj.id, 5);
}

/* 0: the box ends before it, or the command makes nothing. */
Test(number, that_is_not_there)
{
	static const struct {
		uint16_t opcode;
		size_t in, out;
		uint32_t id;
	} rows[] = { { PRM_OP_CREATE_SCHEDULING_ELEMENT, 16, 0x13, 0 },
		     { PRM_OP_CREATE_SCHEDULING_ELEMENT, 16, 0x14, 0x01010101 },
		     { PRM_OP_SET_FLOW_TABLE_ENTRY, 0x23, 16, 0 },
		     { PRM_OP_SET_FLOW_TABLE_ENTRY, 0x24, 16, 0x01010101 },
		     { PRM_OP_NOP, 0x24, 0x24, 0 } };

	memset(fake.answer + 8, 1, 24);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t in[0x24], out[0x24];
		struct devx_obj obj;

		memset(in, 1, sizeof(in));
		PRM_SET(mbox_in, in, opcode, rows[i].opcode);
		cr_assert_eq(devx_obj_create(&obj, NULL, in, rows[i].in, out, rows[i].out), 0);
		cr_expect_eq(obj.id, rows[i].id, "row %zu: %#x", i, obj.id);
	}
}

/* Every command that creates an object has a row in opcode_object.def. */
Test(number, of_every_command_that_makes_an_object)
{
	memset(fake.answer + 8, 0x01, 24);
	for (const struct prm_cmd *cmd = prm_cmd_next(NULL); cmd; cmd = prm_cmd_next(cmd)) {
		uint8_t in[0x400], out[0x100];
		struct devx_obj obj;

		if (cmd->call != PRM_CALL_CREATE)
			continue;
		memset(in, 1, sizeof(in));
		PRM_SET(mbox_in, in, opcode, cmd->opcode);
		cr_assert_eq(devx_obj_create(&obj, NULL, in, sizeof(in), out, sizeof(out)), 0);
		cr_assert_neq(obj.id, 0, "%s", cmd->name);
	}
}
