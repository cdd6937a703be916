/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each command passes the one method of DevX that opcode.def states, and no other. Those of the
 * general call are listed by hand, after devx_is_general_cmd of mlx5_ib's devx.c.
 */
#include "bench.h"
#include "prm/prm.h"
#include "prm/table.h"
#include "uverbs/devx.h"

#define BOX 1024

static struct bench b;

static bool general(uint16_t opcode)
{
	static const uint16_t list[] = { 0x100, 0x101, 0x10a, 0x740, 0x750, 0x752,
					 0x754, 0x760, 0x762, 0x76f, 0x770, 0x80a,
					 0x80d, 0x822, 0x824, 0x826, 0x842 };

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (list[i] == opcode)
			return true;
	return opcode >= 0xb00 && opcode < 0xd00;
}

static bool passes_general(const uint8_t *in)
{
	struct call c = call(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);
	uint8_t out[BOX];

	call_in(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, 16);
	call_out(&c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, 16);
	return call_run(&b, &c) != -EINVAL;
}

/* Of the commands that create these pass as modify commands too (opcode.def). */
static bool also_modifies(uint16_t opcode)
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
		cr_expect_eq(uverbs_devx_modifies(in),
			     cmd->call == PRM_CALL_MODIFY || also_modifies(cmd->opcode), "%s",
			     cmd->name);
		cr_expect_eq(uverbs_devx_queries(in), cmd->call == PRM_CALL_QUERY, "%s",
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
