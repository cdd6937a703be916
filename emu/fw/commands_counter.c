/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of counters: sets for QPs, those of flows, the vport's; congestion control. */
#include "fw/rows.h"

NUMBER(dealloc_q_counter, dealloc_q_counter_in, counter_set_id);
NUMBER(dealloc_flow_counter, dealloc_flow_counter_in, flow_counter_id);

static const struct fw_bits query_q_counter[] = {
	F(query_q_counter_in, clear),
	F(query_q_counter_in, aggregate),
	F(query_q_counter_in, counter_set_id),
	END,
};
static const struct fw_bits alloc_flow_counter[] = {
	F(alloc_flow_counter_in, flow_counter_bulk_log_size),
	F(alloc_flow_counter_in, flow_counter_bulk),
	END,
};
static const struct fw_bits query_flow_counter[] = {
	F(query_flow_counter_in, clear),
	F(query_flow_counter_in, num_of_counters),
	F(query_flow_counter_in, flow_counter_id),
	END,
};
static const struct fw_bits query_vport_counter[] = {
	F(query_vport_counter_in, port_num),
	F(query_vport_counter_in, clear),
	END,
};

static const struct fw_bits query_cong_status[] = {
	F(query_cong_status_in, priority),
	F(query_cong_status_in, cong_protocol),
	END,
};
static const struct fw_bits query_cong_params[] = {
	F(query_cong_params_in, cong_protocol),
	END,
};
static const struct fw_bits query_cong_statistics[] = {
	F(query_cong_statistics_in, clear),
	END,
};

const struct fw_command fw_counter_commands[] = {
	CMD(ALLOC_Q_COUNTER, alloc_q_counter, PLAIN, NULL, fw_alloc_q_counter),
	CMD(DEALLOC_Q_COUNTER, dealloc_q_counter, PLAIN, dealloc_q_counter,
	    fw_dealloc_q_counter),
	CMD(QUERY_Q_COUNTER, query_q_counter, PLAIN, query_q_counter, fw_query_q_counter),
	CMD(ALLOC_FLOW_COUNTER, alloc_flow_counter, PLAIN, alloc_flow_counter,
	    fw_alloc_flow_counter),
	CMD(DEALLOC_FLOW_COUNTER, dealloc_flow_counter, PLAIN, dealloc_flow_counter,
	    fw_dealloc_flow_counter),
	CMD(QUERY_FLOW_COUNTER, query_flow_counter, PLAIN, query_flow_counter,
	    fw_query_flow_counter),
	CMD(QUERY_VPORT_COUNTER, query_vport_counter, PLAIN, query_vport_counter,
	    fw_query_vport_counter),
	CMD(QUERY_CONG_STATUS, query_cong_status, PLAIN, query_cong_status,
	    fw_query_cong_status),
	CMD(QUERY_CONG_PARAMS, query_cong_params, PLAIN, query_cong_params,
	    fw_query_cong_params),
	CMD(QUERY_CONG_STATISTICS, query_cong_statistics, PLAIN, query_cong_statistics,
	    fw_query_cong_statistics),
	CMD(QUERY_VNIC_ENV, query_vnic_env, PLAIN, NULL, fw_query_vnic_env),
	END_OF_COMMANDS,
};
