/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What DevX lets through, as tables (mlx5_ib, devx.c).
 *
 *	makers[]     create opcode -> where the new number stands -> the command that undoes it
 *	copies[]     what that command takes over besides the number
 *	users[]      modify and query opcodes -> the maker of their object, where its number stands
 *	umem_bits[]  what create commands have to say of where their memory is
 *
 * A number alone does not name an object: a QP and a CQ may have the same one. So the opcode
 * that makes an object is part of its name, and the type of a general object.
 */
#include "uverbs/devx.h"

struct place {
	uint16_t off, width;
};

#define AT(s, f)                                           \
	{                                                  \
		.off = PRM_OFF(s, f), .width = PRM_W(s, f) \
	}

static uint64_t get(const uint8_t *p, struct place at)
{
	return prm_load(p, at.off, at.width);
}

static void set(uint8_t *p, struct place at, uint64_t v)
{
	prm_store(p, at.off, at.width, v);
}

/* ---- objects ---- */

struct maker {
	uint16_t create, destroy;
	bool chosen; /* the number stands in the inbox, the application chose it */
	uint8_t destroy_len;
	struct place number, destroyed;
};

#define ROW(create_, chosen_, s, f, destroy_, ds, df)                                        \
	{                                                                                    \
		.create = PRM_OP_##create_, .destroy = PRM_OP_##destroy_, .chosen = chosen_, \
		.destroy_len = PRM_SZ(ds), .number = AT(s, f), .destroyed = AT(ds, df),      \
	}
#define MAKER(create, s, f, destroy, ds, df)  ROW(create, false, s, f, destroy, ds, df)
#define CHOSEN(create, s, f, destroy, ds, df) ROW(create, true, s, f, destroy, ds, df)

/* devx_is_obj_create_cmd, devx_get_created_obj_id, devx_obj_build_destroy_cmd */
static const struct maker makers[] = {
	MAKER(CREATE_GENERAL_OBJECT, general_obj_out_cmd_hdr, obj_id, DESTROY_GENERAL_OBJECT,
	      general_obj_in_cmd_hdr, obj_id),
	MAKER(CREATE_MKEY, create_mkey_out, mkey_index, DESTROY_MKEY, destroy_mkey_in,
	      mkey_index),
	MAKER(CREATE_CQ, create_cq_out, cqn, DESTROY_CQ, destroy_cq_in, cqn),
	MAKER(ALLOC_PD, alloc_pd_out, pd, DEALLOC_PD, dealloc_pd_in, pd),
	MAKER(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain_out, transport_domain,
	      DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain_in, transport_domain),
	MAKER(CREATE_RMP, create_rmp_out, rmpn, DESTROY_RMP, destroy_rmp_in, rmpn),
	MAKER(CREATE_SQ, create_sq_out, sqn, DESTROY_SQ, destroy_sq_in, sqn),
	MAKER(CREATE_RQ, create_rq_out, rqn, DESTROY_RQ, destroy_rq_in, rqn),
	MAKER(CREATE_RQT, create_rqt_out, rqtn, DESTROY_RQT, destroy_rqt_in, rqtn),
	MAKER(CREATE_TIR, create_tir_out, tirn, DESTROY_TIR, destroy_tir_in, tirn),
	MAKER(CREATE_TIS, create_tis_out, tisn, DESTROY_TIS, destroy_tis_in, tisn),
	MAKER(ALLOC_Q_COUNTER, alloc_q_counter_out, counter_set_id, DEALLOC_Q_COUNTER,
	      dealloc_q_counter_in, counter_set_id),
	MAKER(CREATE_FLOW_TABLE, create_flow_table_out, table_id, DESTROY_FLOW_TABLE,
	      destroy_flow_table_in, table_id),
	MAKER(CREATE_FLOW_GROUP, create_flow_group_out, group_id, DESTROY_FLOW_GROUP,
	      destroy_flow_group_in, group_id),
	CHOSEN(SET_FLOW_TABLE_ENTRY, set_fte_in, flow_index, DELETE_FLOW_TABLE_ENTRY,
	       delete_fte_in, flow_index),
	MAKER(ALLOC_FLOW_COUNTER, alloc_flow_counter_out, flow_counter_id, DEALLOC_FLOW_COUNTER,
	      dealloc_flow_counter_in, flow_counter_id),
	MAKER(ALLOC_PACKET_REFORMAT_CONTEXT, alloc_packet_reformat_context_out,
	      packet_reformat_id, DEALLOC_PACKET_REFORMAT_CONTEXT,
	      dealloc_packet_reformat_context_in, packet_reformat_id),
	MAKER(ALLOC_MODIFY_HEADER_CONTEXT, alloc_modify_header_context_out, modify_header_id,
	      DEALLOC_MODIFY_HEADER_CONTEXT, dealloc_modify_header_context_in,
	      modify_header_id),
	MAKER(CREATE_SCHEDULING_ELEMENT, create_scheduling_element_out, scheduling_element_id,
	      DESTROY_SCHEDULING_ELEMENT, destroy_scheduling_element_in, scheduling_element_id),
	CHOSEN(ADD_VXLAN_UDP_DPORT, add_vxlan_udp_dport_in, vxlan_udp_port,
	       DELETE_VXLAN_UDP_DPORT, delete_vxlan_udp_dport_in, vxlan_udp_port),
	CHOSEN(SET_L2_TABLE_ENTRY, set_l2_table_entry_in, table_index, DELETE_L2_TABLE_ENTRY,
	       delete_l2_table_entry_in, table_index),
	MAKER(CREATE_QP, create_qp_out, qpn, DESTROY_QP, destroy_qp_in, qpn),
	MAKER(CREATE_SRQ, create_srq_out, srqn, DESTROY_SRQ, destroy_srq_in, srqn),
	MAKER(CREATE_XRC_SRQ, create_xrc_srq_out, xrc_srqn, DESTROY_XRC_SRQ, destroy_xrc_srq_in,
	      xrc_srqn),
	MAKER(CREATE_DCT, create_dct_out, dctn, DESTROY_DCT, destroy_dct_in, dctn),
	MAKER(CREATE_XRQ, create_xrq_out, xrqn, DESTROY_XRQ, destroy_xrq_in, xrqn),
	CHOSEN(ATTACH_TO_MCG, attach_to_mcg_in, qpn, DETACH_FROM_MCG, detach_from_mcg_in, qpn),
	MAKER(ALLOC_XRCD, alloc_xrcd_out, xrcd, DEALLOC_XRCD, dealloc_xrcd_in, xrcd),
	MAKER(CREATE_PSV, create_psv_out, psv0_index, DESTROY_PSV, destroy_psv_in, psvn),
};

struct copy {
	uint16_t create;
	struct place from, to;
};

#define COPY(create_, s, ds, f)                                                \
	{                                                                      \
		.create = PRM_OP_##create_, .from = AT(s, f), .to = AT(ds, f), \
	}

static const struct copy copies[] = {
	COPY(CREATE_GENERAL_OBJECT, general_obj_in_cmd_hdr, general_obj_in_cmd_hdr, obj_type),
	COPY(CREATE_FLOW_TABLE, create_flow_table_in, destroy_flow_table_in, other_vport),
	COPY(CREATE_FLOW_TABLE, create_flow_table_in, destroy_flow_table_in, vport_number),
	COPY(CREATE_FLOW_TABLE, create_flow_table_in, destroy_flow_table_in, table_type),
	COPY(CREATE_FLOW_GROUP, create_flow_group_in, destroy_flow_group_in, other_vport),
	COPY(CREATE_FLOW_GROUP, create_flow_group_in, destroy_flow_group_in, vport_number),
	COPY(CREATE_FLOW_GROUP, create_flow_group_in, destroy_flow_group_in, table_type),
	COPY(CREATE_FLOW_GROUP, create_flow_group_in, destroy_flow_group_in, table_id),
	COPY(SET_FLOW_TABLE_ENTRY, set_fte_in, delete_fte_in, other_vport),
	COPY(SET_FLOW_TABLE_ENTRY, set_fte_in, delete_fte_in, vport_number),
	COPY(SET_FLOW_TABLE_ENTRY, set_fte_in, delete_fte_in, table_type),
	COPY(SET_FLOW_TABLE_ENTRY, set_fte_in, delete_fte_in, table_id),
	COPY(CREATE_SCHEDULING_ELEMENT, create_scheduling_element_in,
	     destroy_scheduling_element_in, scheduling_hierarchy),
};

static uint16_t opcode_of(const uint8_t *in)
{
	return PRM_GET(general_obj_in_cmd_hdr, in, opcode);
}

static uint16_t op_mod_of(const uint8_t *in)
{
	return PRM_GET(set_fte_in, in, op_mod);
}

static const struct maker *maker(uint16_t create)
{
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (makers[i].create == create)
			return &makers[i];
	return NULL;
}

bool uverbs_devx_creates(const uint8_t *in)
{
	uint16_t opcode = opcode_of(in);

	if (opcode == PRM_OP_SET_FLOW_TABLE_ENTRY)
		return op_mod_of(in) == 0;
	if (opcode == PRM_OP_CREATE_PSV)
		return PRM_GET(create_psv_in, in, num_psv) == 1;
	return maker(opcode);
}

uint64_t uverbs_devx_id(uint32_t opcode, uint32_t number)
{
	return (uint64_t)opcode << 32 | number;
}

/* Of general objects the type belongs to the name. */
static uint32_t kind(uint16_t create, const uint8_t *in)
{
	uint32_t type = PRM_GET(general_obj_in_cmd_hdr, in, obj_type);

	return create == PRM_OP_CREATE_GENERAL_OBJECT ? create | type << 16 : create;
}

uint64_t uverbs_devx_made(const uint8_t *in, const uint8_t *out)
{
	const struct maker *m = maker(opcode_of(in));

	return uverbs_devx_id(kind(m->create, in), get(m->chosen ? in : out, m->number));
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

static void copy_mcg(const uint8_t *in, uint8_t *destroy)
{
	memcpy(PRM_ADDR(detach_from_mcg_in, destroy, multicast_gid),
	       PRM_ADDR(attach_to_mcg_in, in, multicast_gid), 16);
}

uint32_t uverbs_devx_undo(const uint8_t *in, const uint8_t *out, uint8_t *destroy)
{
	const struct maker *m = maker(opcode_of(in));

	memset(destroy, 0, UVERBS_DEVX_DESTROY_MAX);
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (copies[i].create == m->create)
			set(destroy, copies[i].to, get(in, copies[i].from));
	if (m->create == PRM_OP_ATTACH_TO_MCG)
		copy_mcg(in, destroy);
	PRM_SET(general_obj_in_cmd_hdr, destroy, opcode, m->destroy);
	PRM_SET(general_obj_in_cmd_hdr, destroy, uid, PRM_GET(general_obj_in_cmd_hdr, in, uid));
	set(destroy, m->destroyed, get(m->chosen ? in : out, m->number));
	return m->destroy_len;
}

/* ---- who uses them ---- */

struct user {
	uint16_t opcode, create;
	bool modifies;
	struct place number;
};

#define USER(op, modifies_, create_, s, f)                                                \
	{                                                                                 \
		.opcode = PRM_OP_##op, .modifies = modifies_, .create = PRM_OP_##create_, \
		.number = AT(s, f),                                                       \
	}
#define QUERY(op, create, s, f)	 USER(op, false, create, s, f)
#define MODIFY(op, create, s, f) USER(op, true, create, s, f)

/* devx_is_obj_modify_cmd, devx_is_obj_query_cmd, devx_get_obj_id. Rows whose structure is
 * another command's read the number where the kernel does. */
static const struct user users[] = {
	MODIFY(MODIFY_GENERAL_OBJECT, CREATE_GENERAL_OBJECT, general_obj_in_cmd_hdr, obj_id),
	QUERY(QUERY_GENERAL_OBJECT, CREATE_GENERAL_OBJECT, general_obj_in_cmd_hdr, obj_id),
	QUERY(QUERY_MKEY, CREATE_MKEY, query_mkey_in, mkey_index),
	QUERY(QUERY_CQ, CREATE_CQ, query_cq_in, cqn),
	MODIFY(MODIFY_CQ, CREATE_CQ, modify_cq_in, cqn),
	QUERY(QUERY_SQ, CREATE_SQ, query_sq_in, sqn),
	MODIFY(MODIFY_SQ, CREATE_SQ, modify_sq_in, sqn),
	QUERY(QUERY_RQ, CREATE_RQ, query_rq_in, rqn),
	MODIFY(MODIFY_RQ, CREATE_RQ, modify_rq_in, rqn),
	QUERY(QUERY_RMP, CREATE_RMP, query_rmp_in, rmpn),
	MODIFY(MODIFY_RMP, CREATE_RMP, modify_rmp_in, rmpn),
	QUERY(QUERY_RQT, CREATE_RQT, query_rqt_in, rqtn),
	MODIFY(MODIFY_RQT, CREATE_RQT, modify_rqt_in, rqtn),
	QUERY(QUERY_TIR, CREATE_TIR, query_tir_in, tirn),
	MODIFY(MODIFY_TIR, CREATE_TIR, modify_tir_in, tirn),
	QUERY(QUERY_TIS, CREATE_TIS, query_tis_in, tisn),
	MODIFY(MODIFY_TIS, CREATE_TIS, modify_tis_in, tisn),
	QUERY(QUERY_FLOW_TABLE, CREATE_FLOW_TABLE, query_flow_table_in, table_id),
	MODIFY(MODIFY_FLOW_TABLE, CREATE_FLOW_TABLE, modify_flow_table_in, table_id),
	QUERY(QUERY_FLOW_GROUP, CREATE_FLOW_GROUP, query_flow_group_in, group_id),
	QUERY(QUERY_FLOW_TABLE_ENTRY, SET_FLOW_TABLE_ENTRY, query_fte_in, flow_index),
	MODIFY(SET_FLOW_TABLE_ENTRY, SET_FLOW_TABLE_ENTRY, set_fte_in, flow_index),
	QUERY(QUERY_Q_COUNTER, ALLOC_Q_COUNTER, query_q_counter_in, counter_set_id),
	QUERY(QUERY_FLOW_COUNTER, ALLOC_FLOW_COUNTER, query_flow_counter_in, flow_counter_id),
	QUERY(QUERY_MODIFY_HEADER_CONTEXT, ALLOC_MODIFY_HEADER_CONTEXT,
	      query_modify_header_context_in, modify_header_id),
	QUERY(QUERY_PACKET_REFORMAT_CONTEXT, ALLOC_PACKET_REFORMAT_CONTEXT,
	      query_packet_reformat_context_in, packet_reformat_id),
	QUERY(QUERY_SCHEDULING_ELEMENT, CREATE_SCHEDULING_ELEMENT, query_scheduling_element_in,
	      scheduling_element_id),
	MODIFY(MODIFY_SCHEDULING_ELEMENT, CREATE_SCHEDULING_ELEMENT,
	       modify_scheduling_element_in, scheduling_element_id),
	MODIFY(ADD_VXLAN_UDP_DPORT, ADD_VXLAN_UDP_DPORT, add_vxlan_udp_dport_in,
	       vxlan_udp_port),
	QUERY(QUERY_L2_TABLE_ENTRY, SET_L2_TABLE_ENTRY, query_l2_table_entry_in, table_index),
	MODIFY(SET_L2_TABLE_ENTRY, SET_L2_TABLE_ENTRY, set_l2_table_entry_in, table_index),
	QUERY(QUERY_QP, CREATE_QP, query_qp_in, qpn),
	MODIFY(RST2INIT_QP, CREATE_QP, rst2init_qp_in, qpn),
	MODIFY(INIT2INIT_QP, CREATE_QP, init2init_qp_in, qpn),
	MODIFY(INIT2RTR_QP, CREATE_QP, init2rtr_qp_in, qpn),
	MODIFY(RTR2RTS_QP, CREATE_QP, rtr2rts_qp_in, qpn),
	MODIFY(RTS2RTS_QP, CREATE_QP, rts2rts_qp_in, qpn),
	MODIFY(SQERR2RTS_QP, CREATE_QP, sqerr2rts_qp_in, qpn),
	MODIFY(2ERR_QP, CREATE_QP, qp_2err_in, qpn),
	MODIFY(2RST_QP, CREATE_QP, qp_2rst_in, qpn),
	QUERY(QUERY_DCT, CREATE_DCT, query_dct_in, dctn),
	MODIFY(ARM_DCT_FOR_KEY_VIOLATION, CREATE_DCT, drain_dct_in, dctn),
	QUERY(QUERY_XRQ, CREATE_XRQ, query_xrq_in, xrqn),
	QUERY(QUERY_XRQ_DC_PARAMS_ENTRY, CREATE_XRQ, query_xrq_in, xrqn),
	QUERY(QUERY_XRQ_ERROR_PARAMS, CREATE_XRQ, query_xrq_in, xrqn),
	MODIFY(ARM_XRQ, CREATE_XRQ, arm_xrq_in, xrqn),
	MODIFY(SET_XRQ_DC_PARAMS_ENTRY, CREATE_XRQ, arm_xrq_in, xrqn),
	MODIFY(RELEASE_XRQ_ERROR, CREATE_XRQ, arm_xrq_in, xrqn),
	MODIFY(MODIFY_XRQ, CREATE_XRQ, arm_xrq_in, xrqn),
	QUERY(QUERY_XRC_SRQ, CREATE_XRC_SRQ, query_xrc_srq_in, xrc_srqn),
	MODIFY(ARM_XRC_SRQ, CREATE_XRC_SRQ, arm_xrc_srq_in, xrc_srqn),
	QUERY(QUERY_SRQ, CREATE_SRQ, query_srq_in, srqn),
	MODIFY(ARM_RQ, CREATE_RQ, arm_rq_in, srq_number),
};

static const struct user *user(const uint8_t *in)
{
	uint16_t opcode = opcode_of(in);

	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
		if (users[i].opcode == opcode)
			return &users[i];
	return NULL;
}

bool uverbs_devx_modifies(const uint8_t *in)
{
	const struct user *x = user(in);

	if (opcode_of(in) == PRM_OP_SET_FLOW_TABLE_ENTRY)
		return op_mod_of(in) == 1;
	return x && x->modifies;
}

bool uverbs_devx_queries(const uint8_t *in)
{
	const struct user *x = user(in);

	return x && !x->modifies;
}

uint64_t uverbs_devx_named(const uint8_t *in)
{
	const struct user *x = user(in);

	return x ? uverbs_devx_id(kind(x->create, in), get(in, x->number)) : 0;
}

/* ---- memory ---- */

struct umem_bit {
	uint16_t opcode;
	struct place bit;
};

#define BIT(op, s, f)                                   \
	{                                               \
		.opcode = PRM_OP_##op, .bit = AT(s, f), \
	}
#define BIT_IN(op, s, nest, type, f)                                 \
	{                                                            \
		.opcode = PRM_OP_##op,                               \
		.bit = { .off = PRM_OFF(s, nest) + PRM_OFF(type, f), \
			 .width = PRM_W(type, f) },                  \
	}
#define BIT_WQ(op, s, nest, type, f)                                                   \
	{                                                                              \
		.opcode = PRM_OP_##op,                                                 \
		.bit = { .off = PRM_OFF(s, nest) + PRM_OFF(type, wq) + PRM_OFF(wq, f), \
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

	for (size_t i = 0; i < sizeof(umem_bits) / sizeof(umem_bits[0]); i++)
		if (umem_bits[i].opcode == opcode)
			set(in, umem_bits[i].bit, 1);
	/* devx_handle_mkey_create */
	if (opcode == PRM_OP_CREATE_MKEY && !is_list_of_keys(in))
		PRM_SET(create_mkey_in, in, mkey_umem_valid, 1);
}
