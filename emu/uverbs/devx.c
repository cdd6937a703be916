/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DevX: firmware commands from the application. Of it there is OTHER, the commands that make
 * no object (mlx5_ib, devx.c, devx_is_general_cmd).
 *
 *	inbox -> on the list? -> stamp the context's uid -> firmware -> outbox
 *
 * What firmware refuses comes back with its outbox and -EREMOTEIO; what is not on the list
 * never gets there and is -EINVAL.
 */
#include <stdlib.h>

#include "fw/fw.h"
#include "uverbs/method.h"

#define GENERAL_START 0xb00 /* mlx5_ib: MLX5_CMD_OP_GENERAL_START … END */
#define GENERAL_END   0xd00

static bool is_general(uint16_t opcode)
{
	switch (opcode) {
	case PRM_OP_QUERY_HCA_CAP:
	case PRM_OP_QUERY_HCA_VPORT_CONTEXT:
	case PRM_OP_QUERY_ESW_VPORT_CONTEXT:
	case PRM_OP_QUERY_ESW_FUNCTIONS:
	case PRM_OP_QUERY_VPORT_STATE:
	case PRM_OP_QUERY_ADAPTER:
	case PRM_OP_QUERY_ISSI:
	case PRM_OP_QUERY_NIC_VPORT_CONTEXT:
	case PRM_OP_QUERY_ROCE_ADDRESS:
	case PRM_OP_QUERY_VNIC_ENV:
	case PRM_OP_QUERY_VPORT_COUNTER:
	case PRM_OP_GET_DROPPED_PACKET_LOG:
	case PRM_OP_NOP:
	case PRM_OP_QUERY_CONG_STATUS:
	case PRM_OP_QUERY_CONG_PARAMS:
	case PRM_OP_QUERY_CONG_STATISTICS:
	case PRM_OP_QUERY_LAG:
		return true;
	default:
		return opcode >= GENERAL_START && opcode < GENERAL_END;
	}
}

/* mlx5_ib, devx.c, devx_is_whitelist_cmd: allowed without a DevX context, but not without any
 * uid in the device; there is none such here. */
static int no_uid(uint16_t opcode)
{
	switch (opcode) {
	case PRM_OP_QUERY_HCA_CAP:
	case PRM_OP_QUERY_HCA_VPORT_CONTEXT:
	case PRM_OP_QUERY_ESW_VPORT_CONTEXT:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

static int execute(struct uverbs_call *c, uint8_t *in, size_t in_len, uint8_t *out,
		   size_t out_len)
{
	uint16_t opcode;
	int ret = uverbs_get(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, in_len);

	if (ret)
		return ret;
	opcode = PRM_GET(general_obj_in_cmd_hdr, in, opcode);
	if (!c->file->uid)
		return no_uid(opcode);
	if (!is_general(opcode))
		return -EINVAL;
	PRM_SET(general_obj_in_cmd_hdr, in, uid, c->file->uid);
	fw_exec(c->u->d, in, in_len, out, out_len);
	ret = uverbs_put(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, out_len);
	if (ret)
		return ret;
	return out[0] == FW_OK ? 0 : -EREMOTEIO;
}

int uverbs_devx_other(struct uverbs_call *c)
{
	size_t in_len = uverbs_len(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN);
	size_t out_len = uverbs_len(c, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
	uint8_t *in = calloc(1, in_len), *out = calloc(1, out_len);
	int ret = in && out ? execute(c, in, in_len, out, out_len) : -ENOMEM;

	free(in);
	free(out);
	return ret;
}
