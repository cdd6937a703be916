/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command table: what this firmware knows, and which fields each command reads. A command
 * without a row is BAD_OP; a field without an entry must be zero.
 *
 * To add a command: a row here, a handler in the file of its object.
 */
#include "fw/command.h"

#define F(s, f)                            \
	{                                  \
		PRM_OFF(s, f), PRM_W(s, f) \
	}
#define IN(s, nest, type, f)                                        \
	{                                                           \
		PRM_OFF(s, nest) + PRM_OFF(type, f), PRM_W(type, f) \
	}
#define BYTES(s, f, n)               \
	{                            \
		PRM_OFF(s, f), (n)*8 \
	}
#define END          \
	{            \
		0, 0 \
	}

/* commands whose inbox is one number */
#define NUMBER(name, s, f) static const struct fw_bits name[] = { F(s, f), END }

NUMBER(query_hca_cap, query_hca_cap_in, op_mod);
NUMBER(set_issi, set_issi_in, current_issi);
NUMBER(destroy_uctx, destroy_uctx_in, uid);
NUMBER(dealloc_td, dealloc_transport_domain_in, transport_domain);
NUMBER(dealloc_pd, dealloc_pd_in, pd);
NUMBER(dealloc_uar, dealloc_uar_in, uar);
NUMBER(query_mkey, query_mkey_in, mkey_index);
NUMBER(destroy_mkey, destroy_mkey_in, mkey_index);
NUMBER(query_eq, query_eq_in, eq_number);
NUMBER(destroy_eq, destroy_eq_in, eq_number);
NUMBER(query_cq, query_cq_in, cqn);
NUMBER(destroy_cq, destroy_cq_in, cqn);
NUMBER(dealloc_xrcd, dealloc_xrcd_in, xrcd);
NUMBER(query_rmp, query_rmp_in, rmpn);
NUMBER(destroy_rmp, destroy_rmp_in, rmpn);
NUMBER(query_xrc_srq, query_xrc_srq_in, xrc_srqn);
NUMBER(destroy_xrc_srq, destroy_xrc_srq_in, xrc_srqn);
NUMBER(query_qp, query_qp_in, qpn);
NUMBER(destroy_qp, destroy_qp_in, qpn);
NUMBER(qp_2err, qp_2err_in, qpn);
NUMBER(qp_2rst, qp_2rst_in, qpn);
NUMBER(query_tis, query_tis_in, tisn);
NUMBER(destroy_tis, destroy_tis_in, tisn);
NUMBER(query_sq, query_sq_in, sqn);
NUMBER(destroy_sq, destroy_sq_in, sqn);
NUMBER(query_rq, query_rq_in, rqn);
NUMBER(destroy_rq, destroy_rq_in, rqn);
NUMBER(query_tir, query_tir_in, tirn);
NUMBER(destroy_tir, destroy_tir_in, tirn);
NUMBER(query_roce_address, query_roce_address_in, roce_address_index);

static const struct fw_bits create_uctx[] = { IN(create_uctx_in, uctx, uctx, cap), END };

#define MKC(f) IN(create_mkey_in, memory_key_mkey_entry, mkc, f)
static const struct fw_bits create_mkey[] = {
	F(create_mkey_in, pg_access),
	F(create_mkey_in, translations_octword_actual_size),
	MKC(free),
	MKC(access_mode_4_2),
	MKC(access_mode_1_0),
	MKC(relaxed_ordering_write),
	MKC(umr_en), /* a permission for UMR work requests, which the engine grants windows only */
	MKC(a),
	MKC(rw),
	MKC(rr),
	MKC(lw),
	MKC(lr),
	MKC(qpn),
	MKC(mkey_7_0),
	MKC(length64),
	MKC(en_rinval),
	MKC(pd),
	MKC(start_addr),
	MKC(len),
	MKC(translations_octword_size),
	MKC(log_page_size),
	END,
};

static const struct fw_bits alloc_memic[] = {
	F(alloc_memic_in, log_memic_addr_alignment),
	F(alloc_memic_in, range_start_addr),
	F(alloc_memic_in, range_size),
	F(alloc_memic_in, memic_size),
	END,
};
static const struct fw_bits dealloc_memic[] = {
	F(dealloc_memic_in, memic_start_addr),
	F(dealloc_memic_in, memic_size),
	END,
};

#define EQC(f) IN(create_eq_in, eq_context_entry, eqc, f)
static const struct fw_bits create_eq[] = {
	EQC(page_offset),
	EQC(log_eq_size),
	EQC(uar_page),
	EQC(intr),
	EQC(log_page_size),
	BYTES(create_eq_in, event_bitmask, 32),
	END,
};

#define CQC(f) IN(create_cq_in, cq_context, cqc, f)
static const struct fw_bits create_cq[] = {
	CQC(cqe_sz),
	CQC(oi),
	CQC(page_offset),
	CQC(log_cq_size),
	CQC(uar_page),
	CQC(c_eqn_or_apu_element),
	CQC(cq_period),
	CQC(cq_max_count),
	CQC(log_page_size),
	CQC(dbr_addr),
	END,
};

#define RMP_WQ(s, f)                                                               \
	{                                                                          \
		PRM_OFF(s, ctx) + PRM_OFF(rmpc, wq) + PRM_OFF(wq, f), PRM_W(wq, f) \
	}
static const struct fw_bits create_rmp[] = {
	IN(create_rmp_in, ctx, rmpc, state),
	RMP_WQ(create_rmp_in, wq_type),
	RMP_WQ(create_rmp_in, page_offset),
	RMP_WQ(create_rmp_in, lwm),
	RMP_WQ(create_rmp_in, pd),
	RMP_WQ(create_rmp_in, dbr_addr),
	RMP_WQ(create_rmp_in, log_wq_stride),
	RMP_WQ(create_rmp_in, log_wq_pg_sz),
	RMP_WQ(create_rmp_in, log_wq_sz),
	END,
};

static const struct fw_bits modify_rmp[] = {
	F(modify_rmp_in, rmp_state),
	F(modify_rmp_in, rmpn),
	IN(modify_rmp_in, bitmask, rmp_bitmask, lwm),
	IN(modify_rmp_in, ctx, rmpc, state),
	RMP_WQ(modify_rmp_in, lwm),
	END,
};

#define XRC(f) IN(create_xrc_srq_in, xrc_srq_context_entry, xrc_srqc, f)
static const struct fw_bits create_xrc_srq[] = {
	XRC(state),
	XRC(log_xrc_srq_size),
	XRC(log_rq_stride),
	XRC(xrcd),
	XRC(page_offset),
	XRC(cqn),
	XRC(log_page_size),
	XRC(user_index),
	XRC(pd),
	XRC(lwm),
	XRC(db_record_addr_h),
	XRC(db_record_addr_l),
	END,
};

static const struct fw_bits arm_xrc_srq[] = {
	F(arm_xrc_srq_in, op_mod),
	F(arm_xrc_srq_in, xrc_srqn),
	F(arm_xrc_srq_in, lwm),
	END,
};

/* One list for both kinds: each refuses what belongs to the other. */
#define MODIFY_CQC(f) IN(modify_cq_in, cq_context, cqc, f)
static const struct fw_bits modify_cq[] = {
	F(modify_cq_in, op_mod),
	F(modify_cq_in, cqn),
	IN(modify_cq_in, modify_field_select_resize_field_select, modify_field_select,
	   modify_field_select),
	MODIFY_CQC(cqe_sz),
	MODIFY_CQC(page_offset),
	MODIFY_CQC(log_cq_size),
	MODIFY_CQC(cq_period),
	MODIFY_CQC(cq_max_count),
	MODIFY_CQC(log_page_size),
	END,
};

#define QPC(f) IN(create_qp_in, qpc, qpc, f)
static const struct fw_bits create_qp[] = {
	QPC(st),
	QPC(pm_state),
	QPC(block_lb_mc),
	QPC(pd),
	QPC(log_rq_size),
	QPC(log_rq_stride),
	QPC(no_sq),
	QPC(log_sq_size),
	QPC(uar_page),
	QPC(user_index),
	QPC(log_page_size),
	QPC(page_offset),
	QPC(cqn_snd),
	QPC(cqn_rcv),
	QPC(dbr_addr),
	QPC(rq_type),
	QPC(cs_req),
	QPC(cs_res),
	QPC(xrcd),
	QPC(srqn_rmpn_xrqn),
	END,
};
#undef QPC

/* One list for all transitions: each reads its parts and does not look at the others'. */
#define QPC(f) IN(rst2init_qp_in, qpc, qpc, f)
#define ADS_AT (PRM_OFF(rst2init_qp_in, qpc) + PRM_OFF(qpc, primary_address_path))
#define ADS(f)                                          \
	{                                               \
		ADS_AT + PRM_OFF(ads, f), PRM_W(ads, f) \
	}
static const struct fw_bits modify_qp[] = {
	F(rst2init_qp_in, qpn),
	F(rst2init_qp_in, opt_param_mask),
	QPC(st),
	QPC(pm_state),
	QPC(pd),
	QPC(cqn_snd),
	QPC(cqn_rcv),
	QPC(dbr_addr),
	QPC(mtu),
	QPC(log_msg_max),
	QPC(remote_qpn),
	QPC(log_ack_req_freq), /* how often to ask for an ACK: the peer sees no difference */
	QPC(log_sra_max),
	QPC(log_rra_max),
	QPC(retry_count),
	QPC(rnr_retry),
	QPC(next_send_psn),
	QPC(next_rcv_psn),
	QPC(atomic_mode),
	QPC(rre),
	QPC(rwe),
	QPC(rae),
	QPC(min_rnr_nak),
	QPC(q_key),
	ADS(pkey_index),
	ADS(grh),
	ADS(ack_timeout),
	ADS(src_addr_index),
	ADS(hop_limit),
	ADS(tclass),
	ADS(flow_label),
	{ ADS_AT + PRM_OFF(ads, rgid_rip), 128 },
	ADS(dscp), /* frames carry tclass, which mlx5_ib fills with the same bits */
	ADS(udp_sport),
	ADS(eth_prio), /* of a VLAN tag, and there is none */
	ADS(sl),
	ADS(vhca_port_num),
	ADS(rmac_47_32),
	ADS(rmac_31_0),
	END,
};

static const struct fw_bits create_tis[] = {
	IN(create_tis_in, ctx, tisc, prio), /* of a VLAN tag, and there is none */
	IN(create_tis_in, ctx, tisc, transport_domain),
	END,
};

#define WQ(s, ctx_type, f)                                                             \
	{                                                                              \
		PRM_OFF(s, ctx) + PRM_OFF(ctx_type, wq) + PRM_OFF(wq, f), PRM_W(wq, f) \
	}
#define CYCLIC_WQ(s, ctx_type)                                                       \
	WQ(s, ctx_type, wq_type), WQ(s, ctx_type, page_offset), WQ(s, ctx_type, pd), \
		WQ(s, ctx_type, dbr_addr), WQ(s, ctx_type, log_wq_stride),           \
		WQ(s, ctx_type, log_wq_pg_sz), WQ(s, ctx_type, log_wq_sz)

static const struct fw_bits create_sq[] = {
	IN(create_sq_in, ctx, sqc, flush_in_error_en),
	IN(create_sq_in, ctx, sqc, state),
	IN(create_sq_in, ctx, sqc, user_index),
	IN(create_sq_in, ctx, sqc, cqn),
	IN(create_sq_in, ctx, sqc, tis_lst_sz),
	IN(create_sq_in, ctx, sqc, tis_num_0),
	CYCLIC_WQ(create_sq_in, sqc),
	WQ(create_sq_in, sqc, uar_page),
	END,
};
/* vsd and flush_in_error_en: nothing is received yet, with or without a VLAN tag. */
static const struct fw_bits create_rq[] = {
	IN(create_rq_in, ctx, rqc, vsd),
	IN(create_rq_in, ctx, rqc, flush_in_error_en),
	IN(create_rq_in, ctx, rqc, state),
	IN(create_rq_in, ctx, rqc, user_index),
	IN(create_rq_in, ctx, rqc, cqn),
	CYCLIC_WQ(create_rq_in, rqc),
	END,
};

static const struct fw_bits modify_sq[] = {
	F(modify_sq_in, sq_state),
	F(modify_sq_in, sqn),
	IN(modify_sq_in, ctx, sqc, state),
	END,
};
static const struct fw_bits modify_rq[] = {
	F(modify_rq_in, rq_state),
	F(modify_rq_in, rqn),
	IN(modify_rq_in, ctx, rqc, state),
	END,
};

static const struct fw_bits create_tir[] = {
	IN(create_tir_in, ctx, tirc, disp_type),
	IN(create_tir_in, ctx, tirc, inline_rqn),
	IN(create_tir_in, ctx, tirc, transport_domain),
	END,
};

#define ROCE(f) IN(set_roce_address_in, roce_address, roce_addr_layout, f)
static const struct fw_bits set_roce_address[] = {
	F(set_roce_address_in, roce_address_index),
	{ PRM_OFF(set_roce_address_in, roce_address), 128 }, /* source_l3_address */
	ROCE(source_mac_47_32),
	ROCE(source_mac_31_0),
	ROCE(roce_l3_type),
	ROCE(roce_version),
	END,
};

static const struct fw_bits access_reg[] = {
	F(access_register_in, op_mod),
	F(access_register_in, register_id),
	END,
};

enum flag { PLAIN = 0, LIST = 1, DRIVER = 2 };

#define CMD(op, name, flags, fields, handler)                   \
	[PRM_OP_##op] = { .in_len = PRM_SZ(name##_in),          \
			  .out_len = PRM_SZ(name##_out),        \
			  .list = ((flags)&LIST) != 0,          \
			  .driver_only = ((flags)&DRIVER) != 0, \
			  .accepts = fields,                    \
			  .run = handler }

static const struct fw_command commands[] = {
	CMD(QUERY_HCA_CAP, query_hca_cap, PLAIN, query_hca_cap, fw_query_hca_cap),
	CMD(QUERY_ADAPTER, query_adapter, PLAIN, NULL, fw_query_adapter),
	CMD(QUERY_ISSI, query_issi, PLAIN, NULL, fw_query_issi),
	CMD(SET_ISSI, set_issi, DRIVER, set_issi, fw_set_issi),
	CMD(NOP, nop, PLAIN, NULL, fw_nop),
	CMD(QUERY_SPECIAL_CONTEXTS, query_special_contexts, DRIVER, NULL,
	    fw_query_special_contexts),
	CMD(CREATE_UCTX, create_uctx, DRIVER, create_uctx, fw_create_uctx),
	CMD(DESTROY_UCTX, destroy_uctx, DRIVER, destroy_uctx, fw_destroy_uctx),
	CMD(ALLOC_TRANSPORT_DOMAIN, alloc_transport_domain, PLAIN, NULL,
	    fw_alloc_transport_domain),
	CMD(DEALLOC_TRANSPORT_DOMAIN, dealloc_transport_domain, PLAIN, dealloc_td,
	    fw_dealloc_transport_domain),
	CMD(ALLOC_PD, alloc_pd, PLAIN, NULL, fw_alloc_pd),
	CMD(DEALLOC_PD, dealloc_pd, PLAIN, dealloc_pd, fw_dealloc_pd),
	CMD(ALLOC_UAR, alloc_uar, PLAIN, NULL, fw_alloc_uar),
	CMD(DEALLOC_UAR, dealloc_uar, PLAIN, dealloc_uar, fw_dealloc_uar),
	CMD(CREATE_MKEY, create_mkey, LIST, create_mkey, fw_create_mkey),
	CMD(QUERY_MKEY, query_mkey, PLAIN, query_mkey, fw_query_mkey),
	CMD(DESTROY_MKEY, destroy_mkey, PLAIN, destroy_mkey, fw_destroy_mkey),
	CMD(ALLOC_MEMIC, alloc_memic, DRIVER, alloc_memic, fw_alloc_memic),
	CMD(DEALLOC_MEMIC, dealloc_memic, DRIVER, dealloc_memic, fw_dealloc_memic),
	CMD(CREATE_EQ, create_eq, LIST | DRIVER, create_eq, fw_create_eq),
	CMD(QUERY_EQ, query_eq, DRIVER, query_eq, fw_query_eq),
	CMD(DESTROY_EQ, destroy_eq, DRIVER, destroy_eq, fw_destroy_eq),
	CMD(CREATE_CQ, create_cq, LIST, create_cq, fw_create_cq),
	CMD(QUERY_CQ, query_cq, PLAIN, query_cq, fw_query_cq),
	CMD(MODIFY_CQ, modify_cq, LIST, modify_cq, fw_modify_cq),
	CMD(DESTROY_CQ, destroy_cq, PLAIN, destroy_cq, fw_destroy_cq),
	CMD(ALLOC_XRCD, alloc_xrcd, PLAIN, NULL, fw_alloc_xrcd),
	CMD(DEALLOC_XRCD, dealloc_xrcd, PLAIN, dealloc_xrcd, fw_dealloc_xrcd),
	CMD(CREATE_RMP, create_rmp, LIST, create_rmp, fw_create_rmp),
	CMD(QUERY_RMP, query_rmp, PLAIN, query_rmp, fw_query_rmp),
	CMD(MODIFY_RMP, modify_rmp, PLAIN, modify_rmp, fw_modify_rmp),
	CMD(DESTROY_RMP, destroy_rmp, PLAIN, destroy_rmp, fw_destroy_rmp),
	CMD(CREATE_XRC_SRQ, create_xrc_srq, LIST, create_xrc_srq, fw_create_xrc_srq),
	CMD(QUERY_XRC_SRQ, query_xrc_srq, PLAIN, query_xrc_srq, fw_query_xrc_srq),
	CMD(ARM_XRC_SRQ, arm_xrc_srq, PLAIN, arm_xrc_srq, fw_arm_xrc_srq),
	CMD(DESTROY_XRC_SRQ, destroy_xrc_srq, PLAIN, destroy_xrc_srq, fw_destroy_xrc_srq),
	CMD(CREATE_QP, create_qp, LIST, create_qp, fw_create_qp),
	CMD(QUERY_QP, query_qp, PLAIN, query_qp, fw_query_qp),
	CMD(DESTROY_QP, destroy_qp, PLAIN, destroy_qp, fw_destroy_qp),
	CMD(RST2INIT_QP, rst2init_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(INIT2INIT_QP, init2init_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(INIT2RTR_QP, init2rtr_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(RTR2RTS_QP, rtr2rts_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(RTS2RTS_QP, rts2rts_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(SQERR2RTS_QP, sqerr2rts_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(2ERR_QP, qp_2err, PLAIN, qp_2err, fw_qp_2err),
	CMD(2RST_QP, qp_2rst, PLAIN, qp_2rst, fw_qp_2rst),
	CMD(CREATE_TIS, create_tis, PLAIN, create_tis, fw_create_tis),
	CMD(QUERY_TIS, query_tis, PLAIN, query_tis, fw_query_tis),
	CMD(DESTROY_TIS, destroy_tis, PLAIN, destroy_tis, fw_destroy_tis),
	CMD(CREATE_SQ, create_sq, LIST, create_sq, fw_create_sq),
	CMD(QUERY_SQ, query_sq, PLAIN, query_sq, fw_query_sq),
	CMD(MODIFY_SQ, modify_sq, PLAIN, modify_sq, fw_modify_sq),
	CMD(DESTROY_SQ, destroy_sq, PLAIN, destroy_sq, fw_destroy_sq),
	CMD(CREATE_RQ, create_rq, LIST, create_rq, fw_create_rq),
	CMD(QUERY_RQ, query_rq, PLAIN, query_rq, fw_query_rq),
	CMD(MODIFY_RQ, modify_rq, PLAIN, modify_rq, fw_modify_rq),
	CMD(DESTROY_RQ, destroy_rq, PLAIN, destroy_rq, fw_destroy_rq),
	CMD(CREATE_TIR, create_tir, PLAIN, create_tir, fw_create_tir),
	CMD(QUERY_TIR, query_tir, PLAIN, query_tir, fw_query_tir),
	CMD(DESTROY_TIR, destroy_tir, PLAIN, destroy_tir, fw_destroy_tir),
	CMD(SET_ROCE_ADDRESS, set_roce_address, DRIVER, set_roce_address, fw_set_roce_address),
	CMD(QUERY_ROCE_ADDRESS, query_roce_address, PLAIN, query_roce_address,
	    fw_query_roce_address),
	CMD(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context, PLAIN, NULL,
	    fw_query_nic_vport_context),
	CMD(QUERY_VPORT_STATE, query_vport_state, PLAIN, NULL, fw_query_vport_state),
	CMD(ACCESS_REG, access_register, LIST | DRIVER, access_reg, fw_access_reg),
};

const struct fw_command *fw_command(uint16_t opcode)
{
	if (opcode >= sizeof(commands) / sizeof(commands[0]) || !commands[opcode].run)
		return NULL;
	return &commands[opcode];
}
