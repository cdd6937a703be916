/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CREATE_, MODIFY_, QUERY_ and DESTROY_GENERAL_OBJECT: the header is built here, the context is
 * the caller's. Before it creates, the capability general_obj_types is checked for the type.
 */
#include <stdlib.h>

#include <devx/caps.h>
#include <devx/general.h>

#include "refuse.h"

enum {
	MAX_BOX = 0xffff, /* length of a uverbs attribute */
	/* Numbers from here on are names of other objects, for ALLOW_OTHER_VHCA_ACCESS and
	 * aliases; no capability bit belongs to them. */
	FIRST_PSEUDO_TYPE = 0xff00,
	TYPES = 128,
};

/* Bit n of the two quadwords is type n. */
static int has_type(struct ibv_context *ctx, uint16_t type, bool *has)
{
	uint8_t caps[DEVX_CAPS_BYTES];
	int err = devx_caps_query(caps, ctx, type < 64 ? PRM_CAP_GENERAL : PRM_CAP_GENERAL_2,
				  PRM_CAP_CUR);

	if (err)
		return err;
	*has = (type < 64 ? DEVX_CAP(GENERAL, caps, general_obj_types)
			  : DEVX_CAP(GENERAL_2, caps, general_obj_types_127_64)) >>
		       type % 64 &
	       1;
	return 0;
}

static int check(enum devx_call call, struct ibv_context *ctx, uint16_t type)
{
	bool has = false;
	int err;

	if (type >= FIRST_PSEUDO_TYPE)
		return 0;
	err = type < TYPES ? has_type(ctx, type, &has) : 0;
	if (err)
		return err;
	return has ? 0
		   : devx_refuse(call, PRM_OP_CREATE_GENERAL_OBJECT, EOPNOTSUPP,
				 "the device has no such type: general_obj_types");
}

/* *@p: header and @len bytes. */
static int box(enum devx_call call, uint16_t opcode, size_t len, uint8_t **p)
{
	if (len > MAX_BOX - PRM_SZ(general_obj_in_cmd_hdr))
		return devx_refuse(call, opcode, E2BIG, "the context does not fit an inbox");
	*p = calloc(1, PRM_SZ(general_obj_in_cmd_hdr) + len);
	if (!*p)
		return devx_refuse(call, opcode, ENOMEM, "no memory");
	PRM_SET(general_obj_in_cmd_hdr, *p, opcode, opcode);
	return 0;
}

static void set_object(uint8_t *hdr, const struct devx_obj *obj)
{
	PRM_SET(general_obj_in_cmd_hdr, hdr, obj_type, obj->type);
	PRM_SET(general_obj_in_cmd_hdr, hdr, obj_id, obj->id);
}

int devx_general_create(struct devx_obj *obj, struct ibv_context *ctx, uint16_t type,
			uint8_t log_range, const void *context, size_t len)
{
	uint8_t out[PRM_SZ(general_obj_out_cmd_hdr)] = { 0 }, *in;
	int err = check(CALL_devx_general_create, ctx, type);

	if (err)
		return err;
	if (log_range >> PRM_W(general_obj_in_cmd_hdr, log_obj_range))
		return devx_refuse(CALL_devx_general_create, PRM_OP_CREATE_GENERAL_OBJECT,
				   EINVAL, "log_range has more than 5 bits");
	err = box(CALL_devx_general_create, PRM_OP_CREATE_GENERAL_OBJECT, len, &in);
	if (err)
		return err;
	PRM_SET(general_obj_in_cmd_hdr, in, obj_type, type);
	PRM_SET(general_obj_in_cmd_hdr, in, log_obj_range, log_range);
	if (len)
		memcpy(in + PRM_SZ(general_obj_in_cmd_hdr), context, len);
	err = devx_obj_create(obj, ctx, in, PRM_SZ(general_obj_in_cmd_hdr) + len, out,
			      sizeof(out));
	free(in);
	return err;
}

int devx_general_modify(struct devx_obj *obj, const void *context, size_t len)
{
	uint8_t out[PRM_SZ(general_obj_out_cmd_hdr)] = { 0 }, *in;
	int err = box(CALL_devx_general_modify, PRM_OP_MODIFY_GENERAL_OBJECT, len, &in);

	if (err)
		return err;
	set_object(in, obj);
	if (len)
		memcpy(in + PRM_SZ(general_obj_in_cmd_hdr), context, len);
	err = devx_obj_modify(obj, in, PRM_SZ(general_obj_in_cmd_hdr) + len, out, sizeof(out));
	free(in);
	return err;
}

int devx_general_query(struct devx_obj *obj, void *context, size_t len)
{
	uint8_t in[PRM_SZ(general_obj_in_cmd_hdr)] = { 0 }, *out;
	int err = box(CALL_devx_general_query, PRM_OP_QUERY_GENERAL_OBJECT, len, &out);

	if (err)
		return err;
	PRM_SET(general_obj_in_cmd_hdr, in, opcode, PRM_OP_QUERY_GENERAL_OBJECT);
	set_object(in, obj);
	err = devx_obj_query(obj, in, sizeof(in), out, PRM_SZ(general_obj_out_cmd_hdr) + len);
	if (!err && len)
		memcpy(context, out + PRM_SZ(general_obj_out_cmd_hdr), len);
	free(out);
	return err;
}
