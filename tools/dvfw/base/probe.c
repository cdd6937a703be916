/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator knows and is asked. An adapter has to be tried, and only where nothing can
 * come of it:
 *
 *	QUERY_… and NOP of the general call    an inbox of zeros: any status but BAD_OP says yes
 *	CREATE_… longer than a header          the header alone: BAD_INP_LEN says yes
 *	everything else                        not probed
 *
 * Commands that name umems are not cut off either: before it sends them, the kernel writes
 * bits into the inbox as if it were complete (Linux, drivers/infiniband/hw/mlx5/devx.c,
 * devx_set_umem_valid).
 */
#include <errno.h>
#include <string.h>

#include <dvkit/emu.h>

#include "base/base.h"
#include "devx/devx.h"
#include "prm/prm.h"

#define HEADER 16

/* Does the kernel set a umem's valid bit in inboxes of this command? */
static bool names_umems(unsigned int opcode)
{
	switch (opcode) {
	case PRM_OP_CREATE_MKEY:
	case PRM_OP_CREATE_CQ:
	case PRM_OP_CREATE_QP:
	case PRM_OP_CREATE_SRQ:
	case PRM_OP_CREATE_XRC_SRQ:
	case PRM_OP_CREATE_DCT:
	case PRM_OP_CREATE_XRQ:
	case PRM_OP_CREATE_SQ:
	case PRM_OP_CREATE_RQ:
	case PRM_OP_CREATE_RMP:
		return true;
	default:
		return false;
	}
}

static const char *judge(int err)
{
	const struct devx_error *e = devx_last_error();

	if (!err)
		return PROBE_YES;
	if (err != EREMOTEIO || e->origin != DEVX_FROM_FIRMWARE)
		return PROBE_NOT;
	return e->status == PRM_STATUS_BAD_OP ? PROBE_NO : PROBE_YES;
}

static const char *probe_query(struct ibv_context *ctx, const struct prm_cmd *cmd)
{
	uint8_t in[0x100] = { 0 }, out[0x1100];

	if (cmd->in->bytes > sizeof(in) || cmd->out->bytes > sizeof(out))
		return PROBE_NOT;
	PRM_SET(mbox_in, in, opcode, cmd->opcode);
	return judge(devx_cmd(ctx, in, cmd->in->bytes, out, cmd->out->bytes));
}

static const char *probe_create(struct ibv_context *ctx, const struct prm_cmd *cmd)
{
	uint8_t in[HEADER] = { 0 }, out[HEADER];
	struct devx_obj obj = { 0 };

	PRM_SET(mbox_in, in, opcode, cmd->opcode);

	const char *answer =
		judge(devx_obj_create(&obj, ctx, in, sizeof(in), out, sizeof(out)));
	if (obj.handle)
		devx_obj_destroy(&obj);
	return answer;
}

const char *probe_command(struct ibv_context *ctx, const struct prm_cmd *cmd)
{
	if (dvkit_emu_executes)
		return dvkit_emu_executes(cmd->opcode) ? PROBE_YES : PROBE_NO;
	if (cmd->call == PRM_CALL_GENERAL &&
	    (!strncmp(cmd->name, "QUERY_", 6) || cmd->opcode == PRM_OP_NOP))
		return probe_query(ctx, cmd);
	if (cmd->call == PRM_CALL_CREATE && cmd->in->bytes > HEADER &&
	    cmd->opcode != PRM_OP_CREATE_GENERAL_OBJECT && !names_umems(cmd->opcode))
		return probe_create(ctx, cmd);
	return PROBE_NOT;
}
