/* SPDX-License-Identifier: BSD-2-Clause */
/* The command table, out of command.def. */
#include "fw/rows.h"

enum flag { PLAIN = 0, LIST = 1, DRIVER = 2, OWNER = 4 };

static const struct fw_command commands[] = {
#define FW_ROW(op, in, out, handler, flags, ...)                  \
	{ .opcode = PRM_OP_##op,                                  \
	  .in_len = in,                                           \
	  .out_len = out,                                         \
	  .list = ((flags)&LIST) != 0,                            \
	  .driver_only = ((flags)&DRIVER) != 0,                   \
	  .owner_only = ((flags)&OWNER) != 0,                     \
	  .accepts = (const struct fw_bits[]){ __VA_ARGS__ END }, \
	  .run = handler },
#include "fw/command.def"
};

const struct fw_command *fw_command(uint16_t opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].opcode == opcode)
			return &commands[i];
	return NULL;
}

bool fw_executes(uint16_t opcode)
{
	const struct fw_command *cmd = fw_command(opcode);

	return cmd && !cmd->owner_only;
}
