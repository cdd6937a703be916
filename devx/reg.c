/* SPDX-License-Identifier: BSD-2-Clause */
/* ACCESS_REGISTER_USER: a register's contents follow the header in inbox and outbox. */
#include <stdlib.h>

#include <devx/caps.h>
#include <devx/reg.h>

#include "refuse.h"

enum { MAX_BOX = 0xffff }; /* length of a uverbs attribute */

static int check(enum devx_call call, struct ibv_context *ctx, size_t len)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err;

	if (!len || len % 4 || len > MAX_BOX - PRM_SZ(access_register_in))
		return devx_refuse(call, PRM_OP_ACCESS_REGISTER_USER, EINVAL,
				   "a register has a multiple of 4 bytes, 4 to 65516");
	err = devx_caps_query(caps, ctx, PRM_CAP_GENERAL, PRM_CAP_CUR);
	if (err || DEVX_CAP(GENERAL, caps, access_register_user))
		return err;
	return devx_refuse(
		call, PRM_OP_ACCESS_REGISTER_USER, EOPNOTSUPP,
		"the device does not allow users to access registers: access_register_user");
}

static int access_register(struct ibv_context *ctx, unsigned int op_mod, uint16_t register_id,
			   uint32_t argument, void *data, size_t len)
{
	size_t head = PRM_SZ(access_register_in);
	uint8_t *in = calloc(2, head + len), *out = in + head + len;
	int err;

	if (!in)
		return devx_refuse(CALL_devx_reg_read, PRM_OP_ACCESS_REGISTER_USER, ENOMEM,
				   "no memory");
	PRM_SET(access_register_in, in, opcode, PRM_OP_ACCESS_REGISTER_USER);
	PRM_SET(access_register_in, in, op_mod, op_mod);
	PRM_SET(access_register_in, in, register_id, register_id);
	PRM_SET(access_register_in, in, argument, argument);
	memcpy(in + head, data, len);
	err = devx_cmd(ctx, in, head + len, out, head + len);
	if (!err)
		memcpy(data, out + head, len);
	free(in);
	return err;
}

int devx_reg_read(struct ibv_context *ctx, uint16_t register_id, uint32_t argument, void *data,
		  size_t len)
{
	int err = check(CALL_devx_reg_read, ctx, len);

	return err ? err
		   : access_register(ctx, PRM_REG_OP_READ, register_id, argument, data, len);
}

int devx_reg_write(struct ibv_context *ctx, uint16_t register_id, uint32_t argument, void *data,
		   size_t len, unsigned int flags)
{
	int err;

	if (!(flags & DEVX_REG_ALLOW_WRITE))
		return devx_refuse(CALL_devx_reg_write, PRM_OP_ACCESS_REGISTER_USER, EPERM,
				   "a write changes the adapter for all: DEVX_REG_ALLOW_WRITE");
	err = check(CALL_devx_reg_write, ctx, len);
	return err ? err
		   : access_register(ctx, PRM_REG_OP_WRITE, register_id, argument, data, len);
}
