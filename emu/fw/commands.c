/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command table: what this firmware knows, family by family. A command without a row is
 * BAD_OP.
 */
#include "fw/command.h"

static const struct fw_command *const families[] = {
	fw_adapter_commands,  fw_memory_commands, fw_queue_commands,
	fw_ethernet_commands, fw_port_commands,	  fw_counter_commands,
	fw_element_commands,  fw_dct_commands,	  fw_flow_commands,
};

const struct fw_command *fw_command(uint16_t opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(families); i++)
		for (const struct fw_command *cmd = families[i]; cmd->run; cmd++)
			if (cmd->opcode == opcode)
				return cmd;
	return NULL;
}

bool fw_executes(uint16_t opcode)
{
	return fw_command(opcode);
}
