/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The four mlx5dv calls of DevX, and what they return.
 *
 *	mlx5dv_devx_*() --> errno, outbox --> executed, or refused by: kernel | firmware
 *
 * The outbox is cleared first: kernels before 5.18 leave it alone when the firmware refuses,
 * and the status in it decides who refused. libmlx5 replaces EREMOTEIO by an errno value made
 * from the status (rdma-core, providers/mlx5/mlx5.c); devx puts EREMOTEIO back.
 */
#include <stdlib.h>

#include <devx/devx.h>
#include <prm/table.h>

#include "context.h"
#include "refuse.h"

enum {
	BOX_MIN = 16,	/* mlx5_ib, devx.c: general_obj_in_cmd_hdr, general_obj_out_cmd_hdr */
	QUERY_MAX = 512 /* outbox of a query of one context */
};

static uint16_t opcode_of(const void *in)
{
	return (uint16_t)PRM_GET(mbox_in, in, opcode);
}

static int prepare(enum devx_call call, size_t in_len, void *out, size_t out_len)
{
	if (in_len < BOX_MIN || out_len < BOX_MIN)
		return devx_refuse(call, 0, EINVAL, "inbox and outbox have at least 16 bytes");
	memset(out, 0, out_len);
	return 0;
}

int devx_cmd(struct ibv_context *ctx, const void *in, size_t in_len, void *out, size_t out_len)
{
	int err = prepare(CALL_devx_cmd, in_len, out, out_len);

	if (err)
		return err;
	err = mlx5dv_devx_general_cmd(ctx, in, in_len, out, out_len);
	return devx_judge(CALL_devx_cmd, err, in, out);
}

/* Number of the object that was created; 0 if the box is too short for it. */
static uint32_t created(uint16_t opcode, const void *in, size_t in_len, const void *out,
			size_t out_len)
{
	const struct prm_create *c = prm_create(opcode);

	if (!c || c->number.bit + c->number.width > 8 * (c->chosen ? in_len : out_len))
		return 0;
	return (uint32_t)prm_load(c->chosen ? in : out, c->number.bit, c->number.width);
}

int devx_obj_create(struct devx_obj *obj, struct ibv_context *ctx, const void *in,
		    size_t in_len, void *out, size_t out_len)
{
	int err = prepare(CALL_devx_obj_create, in_len, out, out_len);

	if (err)
		return err;
	*obj = (struct devx_obj){ .ctx = ctx, .opcode = opcode_of(in) };
	errno = 0;
	obj->handle = mlx5dv_devx_obj_create(ctx, in, in_len, out, out_len);
	if (!obj->handle)
		return devx_judge(CALL_devx_obj_create, errno ? errno : EIO, in, out);
	obj->id = created(obj->opcode, in, in_len, out, out_len);
	if (obj->opcode == PRM_OP_CREATE_GENERAL_OBJECT)
		obj->type = (uint16_t)PRM_GET(general_obj_in_cmd_hdr, in, obj_type);
	return 0;
}

/* libmlx5 would follow the handle. */
static int alive(enum devx_call call, const struct devx_obj *obj, const void *in)
{
	if (obj->handle)
		return 0;
	return devx_refuse(call, opcode_of(in), EINVAL,
			   "the object was destroyed, or never created");
}

int devx_obj_modify(struct devx_obj *obj, const void *in, size_t in_len, void *out,
		    size_t out_len)
{
	int err = prepare(CALL_devx_obj_modify, in_len, out, out_len);

	if (!err)
		err = alive(CALL_devx_obj_modify, obj, in);
	if (err)
		return err;
	err = mlx5dv_devx_obj_modify(obj->handle, in, in_len, out, out_len);
	return devx_judge(CALL_devx_obj_modify, err, in, out);
}

int devx_obj_query(struct devx_obj *obj, const void *in, size_t in_len, void *out,
		   size_t out_len)
{
	int err = prepare(CALL_devx_obj_query, in_len, out, out_len);

	if (!err)
		err = alive(CALL_devx_obj_query, obj, in);
	if (err)
		return err;
	err = mlx5dv_devx_obj_query(obj->handle, in, in_len, out, out_len);
	return devx_judge(CALL_devx_obj_query, err, in, out);
}

int devx_query_context(struct devx_obj *obj, struct devx_context c, void *to)
{
	uint8_t in[BOX_MIN] = { 0 }, out[QUERY_MAX];
	const struct prm_bits number = prm_use(c.opcode)->number;
	int err;

	PRM_SET(mbox_in, in, opcode, c.opcode);
	prm_store(in, number.bit, number.width, obj->id);
	err = devx_obj_query(obj, in, sizeof(in), out, c.out_len);
	if (!err)
		memcpy(to, out + c.at, c.size);
	return err;
}

int devx_obj_destroy(struct devx_obj *obj)
{
	int err = obj->handle ? mlx5dv_devx_obj_destroy(obj->handle) : 0;

	if (err)
		return devx_refused(CALL_devx_obj_destroy, obj->opcode, err);
	obj->handle = NULL;
	return 0;
}

static struct ibv_device *find(struct ibv_device **list, const char *name)
{
	for (; list && *list; list++)
		if (name ? !strcmp(ibv_get_device_name(*list), name)
			 : mlx5dv_is_supported(*list))
			return *list;
	return NULL;
}

static int open_in(struct ibv_context **ctx, struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	if (!device)
		return devx_refuse(CALL_devx_open, 0, ENODEV, "no such mlx5 device");
	if (!mlx5dv_is_supported(device))
		return devx_refuse(CALL_devx_open, 0, EOPNOTSUPP, "not an mlx5 device");
	errno = 0;
	*ctx = mlx5dv_open_device(device, &attr);
	return *ctx ? 0 : devx_refused(CALL_devx_open, 0, errno);
}

int devx_open(struct ibv_context **ctx, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int err = open_in(ctx, find(list, name));

	if (list)
		ibv_free_device_list(list);
	return err;
}
