/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each command passes the one method of DevX that opcode.def states, and no other. The commands
 * of each method are listed by hand, after devx_is_general_cmd, devx_is_obj_modify_cmd and
 * devx_is_obj_query_cmd of mlx5_ib (Linux 6.1, drivers/infiniband/hw/mlx5/devx.c);
 * uverbs_devx_creates() has its list in object.def.
 */
#include "bench.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "uverbs/devx.h"

#define BOX 1024

static struct bench b;

static bool is_in(const uint16_t *list, size_t n, uint16_t opcode)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == opcode)
			return true;
	return false;
}

#define IS_IN(list, opcode) is_in(list, sizeof(list) / sizeof(list[0]), opcode)

static bool general(uint16_t opcode)
{
	static const uint16_t list[] = { 0x100, 0x101, 0x10a, 0x740, 0x750, 0x752,
					 0x754, 0x760, 0x762, 0x76f, 0x770, 0x80a,
					 0x80d, 0x822, 0x824, 0x826, 0x842 };

	return IS_IN(list, opcode) || (opcode >= 0xb00 && opcode < 0xd00);
}

/* 0x936, SET_FLOW_TABLE_ENTRY, modifies with op_mod 1 and creates with 0. */
static bool modifies(uint16_t opcode, uint16_t op_mod)
{
	static const uint16_t list[] = { 0x403, 0x502, 0x503, 0x504, 0x505, 0x506, 0x507,
					 0x50a, 0x50e, 0x703, 0x708, 0x714, 0x71a, 0x726,
					 0x729, 0x72a, 0x785, 0x827, 0x829, 0x901, 0x905,
					 0x909, 0x90d, 0x913, 0x917, 0x93c, 0xa01 };

	return IS_IN(list, opcode) || (opcode == 0x936 && op_mod == 1);
}

static bool queries(uint16_t opcode)
{
	static const uint16_t list[] = { 0x201, 0x402, 0x50b, 0x702, 0x707, 0x713, 0x719,
					 0x725, 0x727, 0x773, 0x784, 0x82a, 0x903, 0x907,
					 0x90b, 0x90f, 0x915, 0x919, 0x932, 0x935, 0x937,
					 0x93b, 0x93f, 0x942, 0xa02 };

	return IS_IN(list, opcode);
}

static bool passes_general(const uint8_t *in)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);
	uint8_t out[BOX];

	call_in(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, 16);
	call_out(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, 16);
	return call_run(&b, &c) != -EINVAL;
}

/* These create, for DevX as for opcode.def, and mlx5_ib takes them as modify commands too. */
static bool also_creates(uint16_t opcode)
{
	return opcode == PRM_OP_ADD_VXLAN_UDP_DPORT || opcode == PRM_OP_SET_L2_TABLE_ENTRY;
}

Test(devx_calls, of_commands_are_those_of_the_filter)
{
	unsigned int n = 0, at[PRM_CALL_GENERAL + 1] = { 0 };

	bench_context(&b);
	for (const struct prm_cmd *cmd = prm_cmd_next(NULL); cmd; cmd = prm_cmd_next(cmd)) {
		uint8_t in[BOX] = { cmd->opcode >> 8, (uint8_t)cmd->opcode };

		if (cmd->opcode == PRM_OP_CREATE_PSV)
			PRM_SET(create_psv_in, in, num_psv, 1); /* more than one do not pass */

		n++;
		at[cmd->call]++;
		cr_expect_eq(uverbs_devx_creates(in), cmd->call == PRM_CALL_CREATE, "%s",
			     cmd->name);
		cr_expect_eq(uverbs_devx_modifies(in), modifies(cmd->opcode, 0), "%s",
			     cmd->name);
		cr_expect_eq(uverbs_devx_queries(in), queries(cmd->opcode), "%s", cmd->name);
		in[7] = 1; /* op_mod */
		cr_expect_eq(uverbs_devx_modifies(in), modifies(cmd->opcode, 1), "%s",
			     cmd->name);
		in[7] = 0;
		cr_expect_eq(cmd->call == PRM_CALL_MODIFY,
			     modifies(cmd->opcode, 0) && !also_creates(cmd->opcode), "%s",
			     cmd->name);
		cr_expect_eq(cmd->call == PRM_CALL_QUERY, queries(cmd->opcode), "%s",
			     cmd->name);
		cr_expect_eq(passes_general(in), general(cmd->opcode), "%s", cmd->name);
		cr_expect_eq(cmd->call == PRM_CALL_GENERAL, general(cmd->opcode), "%s",
			     cmd->name);
	}
	bench_down(&b);
	cr_expect_gt(n, 200);
	for (unsigned int i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		cr_expect_gt(at[i], 10);
}
