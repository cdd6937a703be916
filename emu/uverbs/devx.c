/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DevX: the way of a command to the firmware and back, and the methods that create no object.
 *
 *	OTHER      the commands of devx_is_general_cmd
 *	QUERY_EQN  completion vector -> number of the event queue that the driver made for it:
 *	           no program creates event queues through DevX
 *	QUERY_UAR  page of a context -> page of the device
 *
 * (mlx5_ib, devx.c.) The uid that the application wrote into a command is overwritten.
 */
#include <stdlib.h>

#include "fw/fw.h"
#include "prm/table.h"
#include "uverbs/bfreg.h"
#include "uverbs/devx.h"

#define GENERAL_START 0xb00 /* mlx5_ib: MLX5_CMD_OP_GENERAL_START … END */
#define GENERAL_END   0xd00

/* After a short inbox there is space for what the filter reads and forces: firmware gets the
 * length that the application gave. */
#define SLACK 1024

static bool is_general(const struct uverbs *u, const uint8_t *in, uint16_t opcode)
{
	const struct prm_cmd *cmd = prm_cmd(opcode);

	if (UVERBS_CAP64(u, vhca_tunnel_commands) &&
	    PRM_GET(general_obj_in_cmd_hdr, in, vhca_tunnel_id))
		return true;
	if (opcode >= GENERAL_START && opcode < GENERAL_END)
		return true;
	return cmd && cmd->call == PRM_CALL_GENERAL;
}

/* devx_get_uid, devx_is_whitelist_cmd: some queries pass without a DevX context, with a uid of
 * the driver's own. */
static int find_uid(const struct uverbs_call *c, struct uverbs_devx_cmd *cmd)
{
	cmd->uid = c->file->uid;
	if (cmd->uid)
		return 0;
	switch (cmd->opcode) {
	case PRM_OP_QUERY_HCA_CAP:
	case PRM_OP_QUERY_HCA_VPORT_CONTEXT:
	case PRM_OP_QUERY_ESW_VPORT_CONTEXT:
	case PRM_OP_QUERY_ESW_FUNCTIONS:
		cmd->uid = c->u->uid;
		return cmd->uid ? 0 : -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

int uverbs_devx_begin(struct uverbs_call *c, uint16_t in_id, size_t out_len,
		      struct uverbs_devx_cmd *cmd)
{
	int ret;

	cmd->in_len = uverbs_len(c, in_id);
	cmd->out_len = out_len;
	cmd->in = calloc(1, cmd->in_len + SLACK);
	cmd->out = calloc(1, out_len ? out_len : 1);
	if (!cmd->in || !cmd->out)
		return -ENOMEM;
	ret = uverbs_get(c, in_id, cmd->in, cmd->in_len);
	if (ret)
		return ret;
	cmd->opcode = PRM_GET(general_obj_in_cmd_hdr, cmd->in, opcode);
	return find_uid(c, cmd);
}

void uverbs_devx_end(struct uverbs_devx_cmd *cmd)
{
	free(cmd->in);
	free(cmd->out);
}

int uverbs_devx_run(struct uverbs_call *c, struct uverbs_devx_cmd *cmd, uint16_t out_id)
{
	PRM_SET(general_obj_in_cmd_hdr, cmd->in, uid, cmd->uid);
	fw_exec(c->u->hca, cmd->in, cmd->in_len, cmd->out, cmd->out_len);
	uverbs_put(c, out_id, cmd->out, cmd->out_len);
	return cmd->out[0] == FW_OK ? 0 : -EREMOTEIO;
}

int uverbs_devx_other(struct uverbs_call *c)
{
	struct uverbs_devx_cmd cmd = { 0 };
	int ret = uverbs_devx_begin(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
				    uverbs_len(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT), &cmd);

	if (!ret && !is_general(c->u, cmd.in, cmd.opcode))
		ret = -EINVAL;
	if (!ret)
		ret = uverbs_devx_run(c, &cmd, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
	uverbs_devx_end(&cmd);
	return ret;
}

/* mlx5_core, eq.c: vector2eqnirqn */
int uverbs_devx_query_eqn(struct uverbs_call *c)
{
	uint64_t vector = uverbs_number(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_USER_VEC);

	if (vector >= c->u->vectors)
		return -ENOENT;
	uverbs_answer(c, MLX5_IB_ATTR_DEVX_QUERY_EQN_DEV_EQN, c->u->comp_eq[vector].eqn);
	return 0;
}

/* The pages that it names are those that a mapping made; the number of an object's page is what
 * its method answered. */
int uverbs_devx_query_uar(struct uverbs_call *c)
{
	uint32_t page;
	int ret = uverbs_bfreg_page(
		c->file, (uint32_t)uverbs_number(c, MLX5_IB_ATTR_DEVX_QUERY_UAR_USER_IDX), true,
		&page);

	if (!ret)
		uverbs_answer(c, MLX5_IB_ATTR_DEVX_QUERY_UAR_DEV_IDX, page);
	return ret;
}
