/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dispatcher: everything that is true of all commands.
 *
 *	byte  0        2     4        6
 *	in   | opcode | uid | -      | op_mod | …       (PRM, "Command Interface")
 *	out  | status | -        | syndrome   | …
 *
 * Order of the checks: opcode and owner, lengths, uid, bits, state of the function; then the
 * handler's own.
 */
#include "fw/command.h"

#define SYNDROME_PRIVATE 0xE0000000u
#define HEADER		 4 /* opcode and uid */

static enum fw_status check_lengths(struct fw_cmd *c, const struct fw_command *cmd)
{
	if (c->in_len < cmd->in_len)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (c->out_len < cmd->out_len)
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	return FW_OK;
}

/* assumed(tools_uid_reaches_all): a user context with the right TOOLS_RESOURCES may query the
 * objects of all uids, read registers by ACCESS_REG and send what else is the driver's. */
static bool is_tools(const struct fw_cmd *c)
{
	const struct hca_uctx *u = core_ids_get(&c->hca->uctx, c->uid);

	return u && u->cap & PRM_UCTX_CAP_TOOLS_RESOURCES;
}

/* A uid comes from CREATE_UCTX, and commands of the driver (ISSI, user contexts, event
 * queues, GID table, registers) from uid 0, or from FW_UID_SHARED, which is the driver too.
 * That anything else is BAD_PARAM is our choice: mlx5_ib writes the context's uid into each
 * command and lets no others through (devx.c). */
static bool uid_ok(const struct fw_cmd *c, const struct fw_command *cmd)
{
	if (!c->uid || c->uid == FW_UID_SHARED)
		return true;
	return (!cmd->driver_only || c->tools) && core_ids_get(&c->hca->uctx, c->uid);
}

/* Only the owner of the function decides about its life. To all others, and to programs, whose
 * function has no owner, these commands do not exist. */
static bool is_owner(const struct fw_cmd *c)
{
	return !c->uid && c->hca->life != HCA_UNOWNED;
}

static const struct fw_command *command_of(const struct fw_cmd *c)
{
	const struct fw_command *cmd = fw_command(c->opcode);

	return cmd && cmd->owner_only && !is_owner(c) ? NULL : cmd;
}

static enum fw_status dispatch(struct fw_cmd *c)
{
	const struct fw_command *cmd;
	enum fw_status status;
	uint8_t why;

	if (c->in_len < HEADER)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	c->opcode = core_be16(c->in);
	c->uid = core_be16(c->in + 2);
	c->tools = is_tools(c);
	cmd = command_of(c);
	if (!cmd)
		return fw_refuse(c, FW_BAD_OP, FW_WHY_OPCODE);
	status = check_lengths(c, cmd);
	if (status != FW_OK)
		return status;
	if (!uid_ok(c, cmd))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UID);
	why = fw_accept_inbox(cmd, c->in, c->in_len);
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	if (!fw_life_has(c->hca, c->opcode))
		return fw_refuse(c, FW_BAD_SYS_STATE, FW_WHY_STATE);
	status = cmd->run(c);
	if (status == FW_OK && cmd->owner_only)
		fw_life_moves(c->hca, c->opcode);
	return status;
}

/* Refused because a test asked for it (hca_refusal)? */
static bool refused(struct fw_cmd *c, enum fw_status *status)
{
	uint16_t opcode = c->in_len < HEADER ? 0 : core_be16(c->in);
	struct hca_refusal *r = &c->hca->refusal;

	if (!r->nth || (r->opcode && r->opcode != opcode) || --r->nth)
		return false;
	c->opcode = opcode;
	*status = r->status;
	c->syndrome = r->syndrome;
	return true;
}

/* Kernel documentation, devlink, mlx5, "vnic reporter": commands that failed for want of quota,
 * and for all other reasons. */
/* assumed(limits_count_as_quota): quota_exceeded_command counts the statuses LIM_ERR and
 * NO_RES. */
static void count(struct hca *hca, enum fw_status status)
{
	hca->counts.commands++;
	if (status == FW_LIM_ERR || status == FW_NO_RES)
		hca->counts.quota_exceeded_command++;
	else if (status != FW_OK)
		hca->counts.invalid_command++;
}

/* Status and syndrome, also where the outbox is shorter than they are. */
static void reply(struct fw_cmd *c, enum fw_status status)
{
	uint32_t ours = SYNDROME_PRIVATE | (uint32_t)c->opcode << 8 | c->why;
	uint32_t syndrome = c->syndrome ? c->syndrome : ours;
	uint8_t head[8] = { status,	   0,	    0, 0, syndrome >> 24, syndrome >> 16,
			    syndrome >> 8, syndrome };

	if (status == FW_OK)
		return;
	memset(c->out, 0, c->out_len);
	memcpy(c->out, head, c->out_len < sizeof(head) ? c->out_len : sizeof(head));
}

void fw_exec(struct hca *hca, const void *in, size_t in_len, void *out, size_t out_len)
{
	struct fw_cmd c = {
		.hca = hca, .in = in, .in_len = in_len, .out = out, .out_len = out_len
	};
	enum fw_status status;

	memset(out, 0, out_len);
	if (!refused(&c, &status))
		status = dispatch(&c);
	count(hca, status);
	reply(&c, status);
	core_trace(&(struct core_trace){ .kind = TRACE_FW,
					 .obj = c.opcode,
					 .in = in,
					 .out = out,
					 .in_len = in_len,
					 .out_len = out_len });
}
