/* SPDX-License-Identifier: BSD-2-Clause */
/* General objects: the object follows a header of 16 bytes, in inboxes and in outboxes. */
#ifndef TEST_UNIT_FW_OBJECTS_H
#define TEST_UNIT_FW_OBJECTS_H

#include "device.h"

#define HDR PRM_SZ(general_obj_in_cmd_hdr)

/* A command on object @id; returns where its @bytes are. */
static UNUSED uint8_t *object_box(uint32_t opcode, uint32_t type, uint32_t id, size_t bytes)
{
	box(opcode);
	b.in_len = HDR + bytes;
	b.out_len = HDR;
	SET(general_obj_in_cmd_hdr, b.in, F(obj_type, type), F(obj_id, id));
	return b.in + HDR;
}

static UNUSED uint8_t *create_box(uint32_t type, size_t bytes)
{
	return object_box(PRM_OP_CREATE_GENERAL_OBJECT, type, 0, bytes);
}

static UNUSED uint32_t created(void)
{
	cr_assert_eq(execute(), FW_OK, "syndrome %#x", syndrome());
	return PRM_GET(general_obj_out_cmd_hdr, b.out, obj_id);
}

static UNUSED void query_box(uint32_t type, uint32_t id, size_t bytes)
{
	object_box(PRM_OP_QUERY_GENERAL_OBJECT, type, id, 0);
	b.out_len = HDR + bytes;
}

/* The object as it is shown. */
static UNUSED const uint8_t *queried(uint32_t type, uint32_t id, size_t bytes)
{
	BOX_OK(query_box(type, id, bytes));
	return b.out + HDR;
}

static UNUSED enum fw_status destroy(uint32_t type, uint32_t id)
{
	object_box(PRM_OP_DESTROY_GENERAL_OBJECT, type, id, 0);
	return execute();
}

#endif
