/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the queues of Ethernet and their interfaces. */
#include "fw/rows.h"

NUMBER(query_tis, query_tis_in, tisn);
NUMBER(destroy_tis, destroy_tis_in, tisn);
NUMBER(query_sq, query_sq_in, sqn);
NUMBER(destroy_sq, destroy_sq_in, sqn);
NUMBER(query_rq, query_rq_in, rqn);
NUMBER(destroy_rq, destroy_rq_in, rqn);
NUMBER(query_tir, query_tir_in, tirn);
NUMBER(destroy_tir, destroy_tir_in, tirn);
NUMBER(query_rqt, query_rqt_in, rqtn);
NUMBER(destroy_rqt, destroy_rqt_in, rqtn);

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
		WQ(s, ctx_type, log_wq_pg_sz), WQ(s, ctx_type, log_wq_sz),           \
		WQ(s, ctx_type, dbr_umem_valid), WQ(s, ctx_type, wq_umem_valid),     \
		WQ(s, ctx_type, dbr_umem_id), WQ(s, ctx_type, wq_umem_id),           \
		WQ(s, ctx_type, wq_umem_offset)

static const struct fw_bits create_sq[] = {
	IN(create_sq_in, ctx, sqc, flush_in_error_en),
	IN(create_sq_in, ctx, sqc, allow_multi_pkt_send_wqe),
	IN(create_sq_in, ctx, sqc, min_wqe_inline_mode), /* a promise of the program */
	IN(create_sq_in, ctx, sqc, state),
	IN(create_sq_in, ctx, sqc, user_index),
	IN(create_sq_in, ctx, sqc, cqn),
	IN(create_sq_in, ctx, sqc, tis_lst_sz),
	IN(create_sq_in, ctx, sqc, tis_num_0),
	IN(create_sq_in, ctx, sqc, packet_pacing_rate_limit_index),
	IN(create_sq_in, ctx, sqc, qos_queue_group_id),
	CYCLIC_WQ(create_sq_in, sqc),
	WQ(create_sq_in, sqc, uar_page),
	END,
};
static const struct fw_bits create_rq[] = {
	IN(create_rq_in, ctx, rqc, vsd),
	IN(create_rq_in, ctx, rqc, flush_in_error_en),
	IN(create_rq_in, ctx, rqc, state),
	IN(create_rq_in, ctx, rqc, user_index),
	IN(create_rq_in, ctx, rqc, cqn),
	IN(create_rq_in, ctx, rqc, counter_set_id),
	IN(create_rq_in, ctx, rqc, scatter_fcs),
	CYCLIC_WQ(create_rq_in, rqc),
	WQ(create_rq_in, rqc, log_wqe_num_of_strides),
	WQ(create_rq_in, rqc, two_byte_shift_en),
	WQ(create_rq_in, rqc, log_wqe_stride_size),
	END,
};

static const struct fw_bits modify_sq[] = {
	F(modify_sq_in, sq_state),
	F(modify_sq_in, sqn),
	F(modify_sq_in, modify_bitmask),
	IN(modify_sq_in, ctx, sqc, state),
	IN(modify_sq_in, ctx, sqc, packet_pacing_rate_limit_index),
	IN(modify_sq_in, ctx, sqc, qos_queue_group_id),
	END,
};
static const struct fw_bits modify_rq[] = {
	F(modify_rq_in, rq_state),
	F(modify_rq_in, rqn),
	IN(modify_rq_in, ctx, rqc, state),
	END,
};

static const struct fw_bits modify_tis[] = {
	F(modify_tis_in, tisn),
	IN(modify_tis_in, bitmask, modify_tis_bitmask, prio),
	IN(modify_tis_in, ctx, tisc, prio),
	END,
};

#define HASH(s, ctx)                                                           \
	IN(s, ctx, tirc, rx_hash_symmetric), IN(s, ctx, tirc, rx_hash_fn),     \
		IN(s, ctx, tirc, rx_hash_field_selector_outer),                \
	{                                                                      \
		PRM_OFF(s, ctx) + PRM_OFF(tirc, rx_hash_toeplitz_key), 10 * 32 \
	}
static const struct fw_bits create_tir[] = {
	IN(create_tir_in, ctx, tirc, disp_type),
	IN(create_tir_in, ctx, tirc, inline_rqn),
	IN(create_tir_in, ctx, tirc, indirect_table),
	IN(create_tir_in, ctx, tirc, self_lb_block),
	IN(create_tir_in, ctx, tirc, transport_domain),
	HASH(create_tir_in, ctx),
	END,
};
static const struct fw_bits modify_tir[] = {
	F(modify_tir_in, tirn),
	IN(modify_tir_in, bitmask, modify_tir_bitmask, hash),
	IN(modify_tir_in, bitmask, modify_tir_bitmask, self_lb_en),
	IN(modify_tir_in, ctx, tirc, self_lb_block),
	HASH(modify_tir_in, ctx),
	END,
};

static const struct fw_bits create_rqt[] = {
	IN(create_rqt_in, rqt_context, rqtc, rqt_max_size),
	IN(create_rqt_in, rqt_context, rqtc, rqt_actual_size),
	END,
};
static const struct fw_bits modify_rqt[] = {
	F(modify_rqt_in, rqtn),
	IN(modify_rqt_in, bitmask, rqt_bitmask, rqn_list),
	IN(modify_rqt_in, ctx, rqtc, rqt_max_size), /* DPDK sends it again */
	IN(modify_rqt_in, ctx, rqtc, rqt_actual_size),
	END,
};

const struct fw_command fw_ethernet_commands[] = {
	CMD(CREATE_TIS, create_tis, PLAIN, create_tis, fw_create_tis),
	CMD(QUERY_TIS, query_tis, PLAIN, query_tis, fw_query_tis),
	CMD(MODIFY_TIS, modify_tis, PLAIN, modify_tis, fw_modify_tis),
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
	CMD(MODIFY_TIR, modify_tir, PLAIN, modify_tir, fw_modify_tir),
	CMD(DESTROY_TIR, destroy_tir, PLAIN, destroy_tir, fw_destroy_tir),
	CMD(CREATE_RQT, create_rqt, LIST, create_rqt, fw_create_rqt),
	CMD(QUERY_RQT, query_rqt, PLAIN, query_rqt, fw_query_rqt),
	CMD(MODIFY_RQT, modify_rqt, LIST, modify_rqt, fw_modify_rqt),
	CMD(DESTROY_RQT, destroy_rqt, PLAIN, destroy_rqt, fw_destroy_rqt),
	END_OF_COMMANDS,
};
