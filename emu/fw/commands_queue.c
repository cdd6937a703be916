/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of event queues, completion queues, shared receive queues, queue pairs, multicast groups. */
#include "fw/rows.h"

NUMBER(query_eq, query_eq_in, eq_number);
NUMBER(destroy_eq, destroy_eq_in, eq_number);
NUMBER(query_cq, query_cq_in, cqn);
NUMBER(destroy_cq, destroy_cq_in, cqn);
NUMBER(query_rmp, query_rmp_in, rmpn);
NUMBER(destroy_rmp, destroy_rmp_in, rmpn);
NUMBER(query_xrc_srq, query_xrc_srq_in, xrc_srqn);
NUMBER(destroy_xrc_srq, destroy_xrc_srq_in, xrc_srqn);
NUMBER(query_qp, query_qp_in, qpn);
NUMBER(destroy_qp, destroy_qp_in, qpn);
NUMBER(qp_2err, qp_2err_in, qpn);
NUMBER(qp_2rst, qp_2rst_in, qpn);

static const struct fw_bits attach_to_mcg[] = {
	F(attach_to_mcg_in, qpn),
	BYTES(attach_to_mcg_in, multicast_gid, 16),
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
	CQC(cc),
	CQC(oi),
	CQC(cqe_comp_en),
	CQC(mini_cqe_res_format),
	CQC(mini_cqe_res_format_ext),
	CQC(cqe_compression_layout),
	CQC(page_offset),
	CQC(log_cq_size),
	CQC(uar_page),
	CQC(c_eqn_or_apu_element),
	CQC(cq_period),
	CQC(cq_max_count),
	CQC(log_page_size),
	CQC(dbr_addr),
	CQC(dbr_umem_valid),
	CQC(dbr_umem_id),
	F(create_cq_in, cq_umem_offset),
	F(create_cq_in, cq_umem_id),
	F(create_cq_in, cq_umem_valid),
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
	RMP_WQ(create_rmp_in, dbr_umem_valid),
	RMP_WQ(create_rmp_in, wq_umem_valid),
	RMP_WQ(create_rmp_in, dbr_umem_id),
	RMP_WQ(create_rmp_in, wq_umem_id),
	RMP_WQ(create_rmp_in, wq_umem_offset),
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
	F(modify_cq_in, cq_umem_offset),
	F(modify_cq_in, cq_umem_id),
	F(modify_cq_in, cq_umem_valid),
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
	QPC(ts_format),
	QPC(counter_set_id),
	QPC(dbr_umem_valid),
	QPC(dbr_umem_id),
	QPC(send_dbr_mode),
	F(create_qp_in, ece),
	F(create_qp_in, wq_umem_offset),
	F(create_qp_in, qpc_ext), /* qp_ext.c reads it */
	F(create_qp_in, wq_umem_id),
	F(create_qp_in, wq_umem_valid),
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
	F(rst2init_qp_in, ece), /* the first: two transitions have none */
	F(rst2init_qp_in, qpn),
	F(rst2init_qp_in, opt_param_mask),
	F(rts2rts_qp_in, qpc_ext), /* in two of them; qp_ext.c refuses it in the others */
	F(rts2rts_qp_in, opt_param_mask_95_32),
	QPC(st),
	QPC(pm_state),
	QPC(pd),
	QPC(cqn_snd),
	QPC(cqn_rcv),
	QPC(dbr_addr),
	QPC(mtu),
	QPC(log_msg_max),
	QPC(remote_qpn),
	QPC(log_ack_req_freq),
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
	QPC(counter_set_id),
	ADS(fl),
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

const struct fw_command fw_queue_commands[] = {
	CMD(CREATE_EQ, create_eq, LIST | DRIVER, create_eq, fw_create_eq),
	CMD(QUERY_EQ, query_eq, DRIVER, query_eq, fw_query_eq),
	CMD(DESTROY_EQ, destroy_eq, DRIVER, destroy_eq, fw_destroy_eq),
	CMD(CREATE_CQ, create_cq, LIST, create_cq, fw_create_cq),
	CMD(QUERY_CQ, query_cq, PLAIN, query_cq, fw_query_cq),
	CMD(MODIFY_CQ, modify_cq, LIST, modify_cq, fw_modify_cq),
	CMD(DESTROY_CQ, destroy_cq, PLAIN, destroy_cq, fw_destroy_cq),
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
	CMD(INIT2INIT_QP, init2init_qp, LIST, modify_qp, fw_modify_qp),
	CMD(INIT2RTR_QP, init2rtr_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(RTR2RTS_QP, rtr2rts_qp, PLAIN, modify_qp, fw_modify_qp),
	CMD(RTS2RTS_QP, rts2rts_qp, LIST, modify_qp, fw_modify_qp),
	CMD(SQD_RTS_QP, sqd2rts_qp, PLAIN, modify_qp + 1, fw_modify_qp),
	CMD(SQERR2RTS_QP, sqerr2rts_qp, PLAIN, modify_qp + 1, fw_modify_qp),
	CMD(2ERR_QP, qp_2err, PLAIN, qp_2err, fw_qp_2err),
	CMD(2RST_QP, qp_2rst, PLAIN, qp_2rst, fw_qp_2rst),
	CMD(ATTACH_TO_MCG, attach_to_mcg, PLAIN, attach_to_mcg, fw_attach_to_mcg),
	CMD(DETACH_FROM_MCG, detach_from_mcg, PLAIN, attach_to_mcg, fw_detach_from_mcg),
	END_OF_COMMANDS,
};
