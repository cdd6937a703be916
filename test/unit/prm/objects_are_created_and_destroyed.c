/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of opcode_object.def, against numbers written by hand: opcodes of enum in
 * mlx5_ifc.h, bits as its arrays count them (reserved_at_40[0x8], cqn[0x18]: bit 0x48, 24
 * bits), and the pairs of mlx5_ib's devx.c.
 */
#include <criterion/criterion.h>

#include "prm/prm.h"
#include "prm/table.h"

struct created {
	unsigned int create, bit, width, destroy, destroy_bit, destroy_width, bytes;
	bool chosen;
};

static const struct created created[] = {
	{ 0x200, 0x48, 24, 0x202, 0x48, 24, 16, false },  /* MKEY */
	{ 0x400, 0x48, 24, 0x401, 0x48, 24, 16, false },  /* CQ */
	{ 0x500, 0x48, 24, 0x501, 0x48, 24, 16, false },  /* QP */
	{ 0x600, 0x88, 24, 0x601, 0x48, 24, 16, false },  /* PSV */
	{ 0x700, 0x48, 24, 0x701, 0x48, 24, 16, false },  /* SRQ */
	{ 0x705, 0x48, 24, 0x706, 0x48, 24, 16, false },  /* XRC_SRQ */
	{ 0x710, 0x48, 24, 0x711, 0x48, 24, 16, false },  /* DCT */
	{ 0x717, 0x48, 24, 0x718, 0x48, 24, 16, false },  /* XRQ */
	{ 0x771, 0x58, 8, 0x772, 0x58, 8, 16, false },	  /* Q_COUNTER */
	{ 0x782, 0x80, 32, 0x783, 0x60, 32, 64, false },  /* SCHEDULING_ELEMENT */
	{ 0x800, 0x48, 24, 0x801, 0x48, 24, 16, false },  /* PD */
	{ 0x806, 0x48, 24, 0x807, 0x48, 24, 32, true },	  /* ATTACH_TO_MCG */
	{ 0x80e, 0x48, 24, 0x80f, 0x48, 24, 16, false },  /* XRCD */
	{ 0x816, 0x48, 24, 0x817, 0x48, 24, 16, false },  /* TRANSPORT_DOMAIN */
	{ 0x827, 0x70, 16, 0x828, 0x70, 16, 16, true },	  /* VXLAN_UDP_DPORT */
	{ 0x829, 0xa8, 24, 0x82b, 0xa8, 24, 64, true },	  /* L2_TABLE_ENTRY */
	{ 0x900, 0x48, 24, 0x902, 0x48, 24, 16, false },  /* TIR */
	{ 0x904, 0x48, 24, 0x906, 0x48, 24, 16, false },  /* SQ */
	{ 0x908, 0x48, 24, 0x90a, 0x48, 24, 16, false },  /* RQ */
	{ 0x90c, 0x48, 24, 0x90e, 0x48, 24, 16, false },  /* RMP */
	{ 0x912, 0x48, 24, 0x914, 0x48, 24, 16, false },  /* TIS */
	{ 0x916, 0x48, 24, 0x918, 0x48, 24, 16, false },  /* RQT */
	{ 0x930, 0x48, 24, 0x931, 0xa8, 24, 64, false },  /* FLOW_TABLE */
	{ 0x933, 0x48, 24, 0x934, 0xc0, 32, 64, false },  /* FLOW_GROUP */
	{ 0x936, 0x100, 32, 0x938, 0x100, 32, 64, true }, /* FLOW_TABLE_ENTRY */
	{ 0x939, 0x40, 32, 0x93a, 0x40, 32, 16, false },  /* FLOW_COUNTER */
	{ 0x93d, 0x40, 32, 0x93e, 0x40, 32, 16, false },  /* PACKET_REFORMAT_CONTEXT */
	{ 0x940, 0x40, 32, 0x941, 0x40, 32, 16, false },  /* MODIFY_HEADER_CONTEXT */
	{ 0xa00, 0x40, 32, 0xa03, 0x40, 32, 16, false },  /* GENERAL_OBJECT */
};

Test(prm_objects, are_created_and_destroyed)
{
	size_t n = 0;

	for (size_t i = 0; i < sizeof(created) / sizeof(created[0]); i++) {
		const struct created *want = &created[i];
		const struct prm_create *c = prm_create(want->create);

		cr_assert_not_null(c, "0x%x", want->create);
		cr_expect_eq(c->chosen, want->chosen, "0x%x", want->create);
		cr_expect_eq(c->number.bit, want->bit, "0x%x", want->create);
		cr_expect_eq(c->number.width, want->width, "0x%x", want->create);
		cr_expect_eq(c->destroy, want->destroy, "0x%x", want->create);
		cr_expect_eq(c->destroyed.bit, want->destroy_bit, "0x%x", want->create);
		cr_expect_eq(c->destroyed.width, want->destroy_width, "0x%x", want->create);
		cr_expect_eq(c->destroy_bytes, want->bytes, "0x%x: %u", want->create,
			     c->destroy_bytes);
	}
	for (const struct prm_create *c = NULL; (c = prm_create_next(c));)
		n++;
	cr_expect_eq(n, sizeof(created) / sizeof(created[0]));
	cr_expect_null(prm_create(0x401)); /* DESTROY_CQ */
}

struct used {
	unsigned int opcode, create, bit, width;
};

static const struct used used[] = {
	{ 0x201, 0x200, 0x48, 24 },  /* QUERY_MKEY */
	{ 0x402, 0x400, 0x48, 24 },  /* QUERY_CQ */
	{ 0x403, 0x400, 0x48, 24 },  /* MODIFY_CQ */
	{ 0x502, 0x500, 0x48, 24 },  /* RST2INIT_QP */
	{ 0x503, 0x500, 0x48, 24 },  /* INIT2RTR_QP */
	{ 0x504, 0x500, 0x48, 24 },  /* RTR2RTS_QP */
	{ 0x505, 0x500, 0x48, 24 },  /* RTS2RTS_QP */
	{ 0x506, 0x500, 0x48, 24 },  /* SQERR2RTS_QP */
	{ 0x507, 0x500, 0x48, 24 },  /* 2ERR_QP */
	{ 0x50a, 0x500, 0x48, 24 },  /* 2RST_QP */
	{ 0x50b, 0x500, 0x48, 24 },  /* QUERY_QP */
	{ 0x50e, 0x500, 0x48, 24 },  /* INIT2INIT_QP */
	{ 0x702, 0x700, 0x48, 24 },  /* QUERY_SRQ */
	{ 0x703, 0x908, 0x48, 24 },  /* ARM_RQ: of an RQ */
	{ 0x707, 0x705, 0x48, 24 },  /* QUERY_XRC_SRQ */
	{ 0x708, 0x705, 0x48, 24 },  /* ARM_XRC_SRQ */
	{ 0x713, 0x710, 0x48, 24 },  /* QUERY_DCT */
	{ 0x714, 0x710, 0x48, 24 },  /* ARM_DCT_FOR_KEY_VIOLATION */
	{ 0x719, 0x717, 0x48, 24 },  /* QUERY_XRQ */
	{ 0x71a, 0x717, 0x48, 24 },  /* ARM_XRQ */
	{ 0x773, 0x771, 0xf8, 8 },   /* QUERY_Q_COUNTER */
	{ 0x784, 0x782, 0x60, 32 },  /* QUERY_SCHEDULING_ELEMENT */
	{ 0x785, 0x782, 0x60, 32 },  /* MODIFY_SCHEDULING_ELEMENT */
	{ 0x82a, 0x829, 0xa8, 24 },  /* QUERY_L2_TABLE_ENTRY */
	{ 0x901, 0x900, 0x48, 24 },  /* MODIFY_TIR */
	{ 0x905, 0x904, 0x48, 24 },  /* MODIFY_SQ */
	{ 0x907, 0x904, 0x48, 24 },  /* QUERY_SQ */
	{ 0x932, 0x930, 0xa8, 24 },  /* QUERY_FLOW_TABLE */
	{ 0x935, 0x933, 0xc0, 32 },  /* QUERY_FLOW_GROUP */
	{ 0x937, 0x936, 0x100, 32 }, /* QUERY_FLOW_TABLE_ENTRY */
	{ 0x93b, 0x939, 0xe0, 32 },  /* QUERY_FLOW_COUNTER */
	{ 0xa01, 0xa00, 0x40, 32 },  /* MODIFY_GENERAL_OBJECT */
	{ 0xa02, 0xa00, 0x40, 32 },  /* QUERY_GENERAL_OBJECT */
};

Test(prm_objects, are_named_by_the_commands_that_use_them)
{
	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		const struct prm_use *use = prm_use(used[i].opcode);

		cr_assert_not_null(use, "0x%x", used[i].opcode);
		cr_expect_eq(use->create, used[i].create, "0x%x", used[i].opcode);
		cr_expect_eq(use->number.bit, used[i].bit, "0x%x: 0x%x", used[i].opcode,
			     use->number.bit);
		cr_expect_eq(use->number.width, used[i].width, "0x%x: %u", used[i].opcode,
			     use->number.width);
	}
	cr_expect_null(prm_use(0x400)); /* CREATE_CQ */
}

/* Every command that creates, modifies or queries has its row, and the others have none. */
Test(prm_objects, have_a_row_for_each_command)
{
	for (const struct prm_cmd *cmd = NULL; (cmd = prm_cmd_next(cmd));) {
		bool uses = cmd->call == PRM_CALL_MODIFY || cmd->call == PRM_CALL_QUERY ||
			    cmd->opcode == 0x827 || cmd->opcode == 0x829 ||
			    cmd->opcode == 0x936;

		cr_expect_eq(!!prm_create(cmd->opcode), cmd->call == PRM_CALL_CREATE, "%s",
			     cmd->name);
		cr_expect_eq(!!prm_use(cmd->opcode), uses, "%s", cmd->name);
	}
	for (const struct prm_use *use = NULL; (use = prm_use_next(use));)
		cr_expect_not_null(prm_create(use->create), "0x%x", use->opcode);
}

/* table_type of CREATE_FLOW_TABLE: bit 0x80, 8 bits, in both commands. */
Test(prm_objects, leave_fields_to_the_command_that_destroys_them)
{
	unsigned int tables = 0, groups = 0, bytes = 0;

	for (const struct prm_copy *c = NULL; (c = prm_copy_next(c));) {
		cr_expect_eq(c->from.width, c->to.width);
		tables += c->create == 0x930;
		groups += c->create == 0x933;
		if (c->create == 0x930 && c->from.bit == 0x80)
			cr_expect(c->from.width == 8 && c->to.bit == 0x80);
		if (c->create == 0x806) { /* multicast_gid of ATTACH_TO_MCG */
			cr_expect(c->from.bit == 0x80 && c->to.bit == 0x80);
			bytes = c->from.width / 8;
		}
	}
	cr_expect_eq(tables, 3);
	cr_expect_eq(groups, 4);
	cr_expect_eq(bytes, 16);
}
