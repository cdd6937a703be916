/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queries whose answers are read later: QUERY_* commands by mlx5dv_devx_obj_query_async().
 *
 *	devx_async_query -> kernel, firmware -> queue of outboxes -> fd readable -> devx_async_get
 */
#include <stdlib.h>

#include <devx/async.h>
#include <prm/prm.h>

#include "refuse.h"

int devx_async_create(struct devx_async *async, struct ibv_context *ctx)
{
	errno = 0;
	async->handle = mlx5dv_devx_create_cmd_comp(ctx);
	if (!async->handle)
		return devx_refused(CALL_devx_async_create, 0, errno);
	async->fd = async->handle->fd;
	return 0;
}

int devx_async_query(struct devx_async *async, struct devx_obj *obj, const void *in,
		     size_t in_len, size_t out_len, uint64_t wr_id)
{
	int err;

	if (in_len < PRM_SZ(mbox_in) || out_len < PRM_SZ(mbox_out))
		return devx_refuse(CALL_devx_async_query, 0, EINVAL,
				   "inbox and outbox have at least 16 bytes");
	err = mlx5dv_devx_obj_query_async(obj->handle, in, in_len, out_len, wr_id,
					  async->handle);
	if (!err)
		return 0;
	return devx_refused(CALL_devx_async_query, (uint16_t)PRM_GET(mbox_in, in, opcode), err);
}

int devx_async_get(struct devx_async *async, uint64_t *wr_id, void *out, size_t out_len)
{
	static const uint8_t unknown[PRM_SZ(mbox_in)];
	size_t len = sizeof(struct mlx5dv_devx_async_cmd_hdr) + out_len;
	struct mlx5dv_devx_async_cmd_hdr *answer;
	int err;

	if (out_len < PRM_SZ(mbox_out))
		return devx_refuse(CALL_devx_async_get, 0, EINVAL,
				   "an outbox has at least 16 bytes");
	answer = calloc(1, len);
	if (!answer)
		return devx_refuse(CALL_devx_async_get, 0, ENOMEM, "no memory");
	err = mlx5dv_devx_get_async_cmd_comp(async->handle, answer, len);
	if (err) {
		err = devx_refused(CALL_devx_async_get, 0, err);
	} else {
		*wr_id = answer->wr_id;
		memcpy(out, answer->out_data, out_len);
		err = devx_judge(CALL_devx_async_get, 0, unknown, out);
	}
	free(answer);
	return err;
}

void devx_async_destroy(struct devx_async *async)
{
	if (async->handle)
		mlx5dv_devx_destroy_cmd_comp(async->handle);
	async->handle = NULL;
}
