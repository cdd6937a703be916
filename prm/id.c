/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Things that a number in a command selects: capability groups, types of general objects,
 * registers, and the structure of each.
 *
 *	QUERY_HCA_CAP     op_mod >> 1   GENERAL_2   cmd_hca_cap_2
 *	*_GENERAL_OBJECT  obj_type      MKEY        alias_context
 *	ACCESS_REG        register_id   PTYS        ptys_reg
 *
 * The rules of the unions in layout.def come from the same rows.
 */
#include <string.h>

#include <prm/prm.h>
#include <prm/table.h>
#include "array.h"
#include "rows.h"

static const struct prm_cap_group groups[] = {
#define PRM_CAP_GROUP(n, s) \
	{ .name = #n, .id = PRM_CAP_##n, .layout = &prm_structs[STRUCT_##s] },
#include <prm/cap_group.def>
};

static const struct prm_object objects[] = {
#define PRM_OBJECT(n, s) \
	{ .name = #n, .type = PRM_OBJ_##n, .layout = &prm_structs[STRUCT_##s] },
#include <prm/object_type.def>
};

static const struct prm_reg regs[] = {
#define PRM_REGISTER(n, i, s) { .name = #n, .id = i, .layout = &prm_structs[STRUCT_##s] },
#include <prm/register.def>
};

const struct prm_cap_group *prm_cap_group(unsigned int id)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (groups[i].id == id)
			return &groups[i];
	return NULL;
}

const struct prm_cap_group *prm_cap_group_next(const struct prm_cap_group *group)
{
	if (!group)
		return groups;
	return group < &groups[ARRAY_SIZE(groups) - 1] ? group + 1 : NULL;
}

const struct prm_object *prm_object(unsigned int type)
{
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		if (objects[i].type == type)
			return &objects[i];
	return NULL;
}

const struct prm_object *prm_object_next(const struct prm_object *object)
{
	if (!object)
		return objects;
	return object < &objects[ARRAY_SIZE(objects) - 1] ? object + 1 : NULL;
}

const struct prm_reg *prm_reg(unsigned int id)
{
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].id == id)
			return &regs[i];
	return NULL;
}

const struct prm_reg *prm_reg_next(const struct prm_reg *reg)
{
	if (!reg)
		return regs;
	return reg < &regs[ARRAY_SIZE(regs) - 1] ? reg + 1 : NULL;
}

/* Bytes that the number in the inbox adds to both boxes. */
static size_t selected_bytes(const struct prm_cmd *cmd, const void *in, size_t in_len)
{
	uint64_t number;

	if (prm_get(cmd->in, in, in_len, "obj_type", &number) &&
	    cmd->in == &prm_structs[STRUCT_general_object_in]) {
		const struct prm_object *object = prm_object((unsigned int)number);

		return object ? object->layout->bytes : 0;
	}
	if (prm_get(cmd->in, in, in_len, "register_id", &number)) {
		const struct prm_reg *reg = prm_reg((unsigned int)number);

		return reg ? reg->layout->bytes : 0;
	}
	return 0;
}

size_t prm_in_bytes(const struct prm_cmd *cmd, const void *in, size_t in_len)
{
	bool header_only = cmd->opcode == PRM_OP_QUERY_GENERAL_OBJECT ||
			   cmd->opcode == PRM_OP_DESTROY_GENERAL_OBJECT;

	return cmd->in->bytes + (header_only ? 0 : selected_bytes(cmd, in, in_len));
}

size_t prm_out_bytes(const struct prm_cmd *cmd, const void *in, size_t in_len)
{
	bool header_only = cmd->opcode == PRM_OP_MODIFY_GENERAL_OBJECT ||
			   cmd->opcode == PRM_OP_DESTROY_GENERAL_OBJECT;

	return cmd->out->bytes + (header_only ? 0 : selected_bytes(cmd, in, in_len));
}
