/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which commands the kernel accepts by DevX, and for which objects (mlx5_ib, devx.c).
 *
 *	prm/opcode_object.def   the commands that create, use and destroy an object, and its number in them
 *	umem_bits[]             bits of create commands that the kernel sets: the memory is a umem
 *
 * A number alone does not identify an object: a QP and a CQ may have the same one. So the id of
 * an object has the opcode that created it, and for a general object its type.
 */
#include "prm/table.h"
#include "uverbs/devx.h"

#define AT(s, f)                                           \
	{                                                  \
		.bit = PRM_OFF(s, f), .width = PRM_W(s, f) \
	}

static uint32_t get(const uint8_t *p, struct prm_bits at)
{
	return (uint32_t)prm_load(p, at.bit, at.width);
}

static void set(uint8_t *p, struct prm_bits at, uint64_t v)
{
	prm_store(p, at.bit, at.width, v);
}

/* ---- objects ---- */

static uint16_t opcode_of(const uint8_t *in)
{
	return PRM_GET(general_obj_in_cmd_hdr, in, opcode);
}

static uint16_t op_mod_of(const uint8_t *in)
{
	return PRM_GET(set_fte_in, in, op_mod);
}

bool uverbs_devx_creates(const uint8_t *in)
{
	uint16_t opcode = opcode_of(in);

	if (opcode == PRM_OP_SET_FLOW_TABLE_ENTRY)
		return op_mod_of(in) == 0;
	if (opcode == PRM_OP_CREATE_PSV)
		return PRM_GET(create_psv_in, in, num_psv) == 1;
	return prm_create(opcode);
}

uint64_t uverbs_devx_id(uint32_t opcode, uint32_t number)
{
	return (uint64_t)opcode << 32 | number;
}

/* The opcode, and for general objects the type. */
static uint32_t kind(uint16_t create, const uint8_t *in)
{
	uint32_t type = PRM_GET(general_obj_in_cmd_hdr, in, obj_type);

	return create == PRM_OP_CREATE_GENERAL_OBJECT ? create | type << 16 : create;
}

static uint32_t number(const struct prm_create *c, const uint8_t *in, const uint8_t *out)
{
	return get(c->chosen ? in : out, c->number);
}

uint64_t uverbs_devx_made(const uint8_t *in, const uint8_t *out)
{
	const struct prm_create *c = prm_create(opcode_of(in));

	return uverbs_devx_id(kind(c->create, in), number(c, in, out));
}

/* MLX5_IB_METHOD_DEVX_OBJ_CREATE */
uint32_t uverbs_devx_bulk(const uint8_t *in)
{
	uint32_t log = PRM_GET(alloc_flow_counter_in, in, flow_counter_bulk_log_size);

	if (opcode_of(in) != PRM_OP_ALLOC_FLOW_COUNTER)
		return 0;
	return log ? 1u << (log & 31)
		   : 128 * PRM_GET(alloc_flow_counter_in, in, flow_counter_bulk);
}

/* The fields of @in that the destroying command has too. */
static void copy_fields(uint16_t create, const uint8_t *in, uint8_t *destroy)
{
	for (const struct prm_copy *c = NULL; (c = prm_copy_next(c));) {
		uint16_t n = c->from.width < 32 ? c->from.width : 32;

		for (uint16_t bit = 0; c->create == create && bit < c->from.width; bit += n)
			prm_store(destroy, c->to.bit + bit, n,
				  prm_load(in, c->from.bit + bit, n));
	}
}

uint32_t uverbs_devx_undo(const uint8_t *in, const uint8_t *out, uint8_t *destroy)
{
	const struct prm_create *c = prm_create(opcode_of(in));

	memset(destroy, 0, UVERBS_DEVX_DESTROY_MAX);
	copy_fields(c->create, in, destroy);
	PRM_SET(general_obj_in_cmd_hdr, destroy, opcode, c->destroy);
	PRM_SET(general_obj_in_cmd_hdr, destroy, uid, PRM_GET(general_obj_in_cmd_hdr, in, uid));
	set(destroy, c->destroyed, number(c, in, out));
	return c->destroy_bytes;
}

bool uverbs_devx_modifies(const uint8_t *in)
{
	uint16_t opcode = opcode_of(in);

	if (opcode == PRM_OP_SET_FLOW_TABLE_ENTRY)
		return op_mod_of(in) == 1;
	return prm_use(opcode) && prm_cmd(opcode)->call != PRM_CALL_QUERY;
}

bool uverbs_devx_queries(const uint8_t *in)
{
	uint16_t opcode = opcode_of(in);

	return prm_use(opcode) && prm_cmd(opcode)->call == PRM_CALL_QUERY;
}

uint64_t uverbs_devx_named(const uint8_t *in)
{
	const struct prm_use *use = prm_use(opcode_of(in));

	return use ? uverbs_devx_id(kind(use->create, in), get(in, use->number)) : 0;
}

/* ---- memory ---- */

struct umem_bit {
	uint16_t opcode;
	struct prm_bits bit;
};

#define BIT(op, s, f)                                   \
	{                                               \
		.opcode = PRM_OP_##op, .bit = AT(s, f), \
	}
#define BIT_IN(op, s, nest, type, f)                                 \
	{                                                            \
		.opcode = PRM_OP_##op,                               \
		.bit = { .bit = PRM_OFF(s, nest) + PRM_OFF(type, f), \
			 .width = PRM_W(type, f) },                  \
	}
#define BIT_WQ(op, s, nest, type, f)                                                   \
	{                                                                              \
		.opcode = PRM_OP_##op,                                                 \
		.bit = { .bit = PRM_OFF(s, nest) + PRM_OFF(type, wq) + PRM_OFF(wq, f), \
			 .width = PRM_W(wq, f) },                                      \
	}

/* devx_set_umem_valid. Not CREATE_MKEY, which depends on the access mode. */
static const struct umem_bit umem_bits[] = {
	BIT(CREATE_CQ, create_cq_in, cq_umem_valid),
	BIT_IN(CREATE_CQ, create_cq_in, cq_context, cqc, dbr_umem_valid),
	BIT(CREATE_QP, create_qp_in, wq_umem_valid),
	BIT_IN(CREATE_QP, create_qp_in, qpc, qpc, dbr_umem_valid),
	BIT_WQ(CREATE_RQ, create_rq_in, ctx, rqc, dbr_umem_valid),
	BIT_WQ(CREATE_RQ, create_rq_in, ctx, rqc, wq_umem_valid),
	BIT_WQ(CREATE_SQ, create_sq_in, ctx, sqc, dbr_umem_valid),
	BIT_WQ(CREATE_SQ, create_sq_in, ctx, sqc, wq_umem_valid),
	BIT(MODIFY_CQ, modify_cq_in, cq_umem_valid),
	BIT_WQ(CREATE_RMP, create_rmp_in, ctx, rmpc, dbr_umem_valid),
	BIT_WQ(CREATE_RMP, create_rmp_in, ctx, rmpc, wq_umem_valid),
	BIT_WQ(CREATE_XRQ, create_xrq_in, xrq_context, xrqc, dbr_umem_valid),
	BIT_WQ(CREATE_XRQ, create_xrq_in, xrq_context, xrqc, wq_umem_valid),
	BIT(CREATE_XRC_SRQ, create_xrc_srq_in, xrc_srq_umem_valid),
	BIT_IN(CREATE_XRC_SRQ, create_xrc_srq_in, xrc_srq_context_entry, xrc_srqc,
	       dbr_umem_valid),
};

static bool is_list_of_keys(const uint8_t *in)
{
	const uint8_t *mkc = PRM_ADDR(create_mkey_in, in, memory_key_mkey_entry);
	uint8_t mode = PRM_GET(mkc, mkc, access_mode_1_0) | PRM_GET(mkc, mkc, access_mode_4_2)
								    << 2;

	return mode == PRM_MKC_ACCESS_MODE_KLMS || mode == PRM_MKC_ACCESS_MODE_KSM;
}

void uverbs_devx_force_umem(uint8_t *in)
{
	uint16_t opcode = opcode_of(in);

	for (size_t i = 0; i < ARRAY_SIZE(umem_bits); i++)
		if (umem_bits[i].opcode == opcode)
			set(in, umem_bits[i].bit, 1);
	/* devx_handle_mkey_create */
	if (opcode == PRM_OP_CREATE_MKEY && !is_list_of_keys(in))
		PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
}
