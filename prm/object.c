/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of opcode_object.def as constants.
 *
 *	CREATE_CQ   creates[]   cqn in create_cq_out, DESTROY_CQ, cqn in destroy_cq_in
 *	MODIFY_CQ   uses[]      CREATE_CQ, cqn in modify_cq_in
 */
#include "array.h"
#include "prm/prm.h"
#include "prm/table.h"

#define BITS(s, f)                                         \
	{                                                  \
		.bit = PRM_OFF(s, f), .width = PRM_W(s, f) \
	}

enum { NUMBER_IN_OUT, NUMBER_IN_IN };

static const struct prm_create creates[] = {
#define PRM_CREATE(command, box, s, f, undo, us, uf) \
	{ .create = PRM_OP_##command,                \
	  .destroy = PRM_OP_##undo,                  \
	  .destroy_bytes = PRM_SZ(us),               \
	  .chosen = NUMBER_IN_##box,                 \
	  .number = BITS(s, f),                      \
	  .destroyed = BITS(us, uf) },
#include "prm/opcode_object.def"
};

static const struct prm_copy copies[] = {
#define PRM_COPY(command, s, us, f) \
	{ .create = PRM_OP_##command, .from = BITS(s, f), .to = BITS(us, f) },
#define PRM_COPY_BYTES(command, s, us, f, n)                \
	{ .create = PRM_OP_##command,                       \
	  .from = { .bit = PRM_OFF(s, f), .width = (n)*8 }, \
	  .to = { .bit = PRM_OFF(us, f), .width = (n)*8 } },
#include "prm/opcode_object.def"
};

static const struct prm_use uses[] = {
#define PRM_USE(command, by, s, f) \
	{ .opcode = PRM_OP_##command, .create = PRM_OP_##by, .number = BITS(s, f) },
#include "prm/opcode_object.def"
};

const struct prm_create *prm_create(unsigned int opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(creates); i++)
		if (creates[i].create == opcode)
			return &creates[i];
	return NULL;
}

const struct prm_create *prm_create_next(const struct prm_create *c)
{
	if (!c)
		return creates;
	return c < &creates[ARRAY_SIZE(creates) - 1] ? c + 1 : NULL;
}

const struct prm_copy *prm_copy_next(const struct prm_copy *c)
{
	if (!c)
		return copies;
	return c < &copies[ARRAY_SIZE(copies) - 1] ? c + 1 : NULL;
}

const struct prm_use *prm_use(unsigned int opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(uses); i++)
		if (uses[i].opcode == opcode)
			return &uses[i];
	return NULL;
}

const struct prm_use *prm_use_next(const struct prm_use *use)
{
	if (!use)
		return uses;
	return use < &uses[ARRAY_SIZE(uses) - 1] ? use + 1 : NULL;
}
