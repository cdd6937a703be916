/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries whose answers come later (mlx5_ib, devx.c, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY).
 *
 *	command, wr_id, length -> firmware -> { wr_id, outbox } -> read() from the descriptor
 *
 * Here firmware answers at once, so the answer is there when the call returns. A refusal is an
 * answer like any other: the status is in the outbox.
 */
#include <stdlib.h>
#include <unistd.h>

#include "fw/fw.h"
#include "uverbs/devx.h"
#include "uverbs/record_fd.h"

static int execute(struct uverbs_call *c, struct uverbs_devx_cmd *cmd)
{
	struct uverbs_record_fd *fd = uverbs_arg(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD);
	uint64_t wr_id = uverbs_number(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID);
	size_t len = sizeof(wr_id) + cmd->out_len;
	uint8_t *record = malloc(len);
	int ret;

	if (!record)
		return -ENOMEM;
	PRM_SET(general_obj_in_cmd_hdr, cmd->in, uid, cmd->uid);
	fw_exec(c->u->hca, cmd->in, cmd->in_len, cmd->out, cmd->out_len);
	memcpy(record, &wr_id, sizeof(wr_id)); /* struct mlx5_ib_uapi_devx_async_cmd_hdr */
	memcpy(record + sizeof(wr_id), cmd->out, cmd->out_len);
	ret = uverbs_record_fd_post(fd, record, len);
	free(record);
	/* A closed reader is not the caller's mistake. EAGAIN is what the kernel says where
	 * more than MAX_ASYNC_BYTES_IN_USE wait to be read. */
	return ret == -EPIPE ? 0 : ret;
}

int uverbs_devx_obj_async_query(struct uverbs_call *c)
{
	struct uverbs_object *o = uverbs_arg(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE);
	uint64_t out_len = uverbs_number(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN);
	struct uverbs_devx_cmd cmd = { 0 };
	int ret;

	if (out_len > UINT16_MAX)
		return -EINVAL;
	ret = uverbs_devx_begin(c, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN, out_len, &cmd);
	if (!ret && (PRM_GET(general_obj_in_cmd_hdr, cmd.in, vhca_tunnel_id) ||
		     !uverbs_devx_queries(cmd.in) || !uverbs_devx_names(o, cmd.in)))
		ret = -EINVAL;
	if (!ret)
		ret = execute(c, &cmd);
	uverbs_devx_end(&cmd);
	return ret;
}
