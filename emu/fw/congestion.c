/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion control of RoCE v2: its status, its parameters, and what it counted. The engine
 * controls (hca/congestion.h); nothing can be set.
 */
#include "fw/command.h"

#define PRIORITIES 8

static bool is_ecn_protocol(uint32_t protocol)
{
	return protocol == PRM_CONG_PROTOCOL_R_ROCE_ECN_RP ||
	       protocol == PRM_CONG_PROTOCOL_R_ROCE_ECN_NP;
}

/* assumed(congestion_control_is_enabled): reaction and notification point are enabled for all
 * priorities. */
enum fw_status fw_query_cong_status(struct fw_cmd *c)
{
	if (!is_ecn_protocol(PRM_GET(query_cong_status_in, c->in, cong_protocol)) ||
	    PRM_GET(query_cong_status_in, c->in, priority) >= PRIORITIES)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	PRM_SET(query_cong_status_out, c->out, enable, 1);
	return FW_OK;
}

#define NP(f, v) PRM_SET(cong_control_r_roce_ecn_np, p, f, v)
#define RP(f, v) PRM_SET(cong_control_r_roce_ecn_rp, p, f, v)

static void put_reaction_point(uint8_t *p)
{
	RP(clamp_tgt_rate, HCA_RP_CLAMP_TGT_RATE);
	RP(clamp_tgt_rate_after_time_inc, HCA_RP_CLAMP_TGT_RATE_AFTER_TIME_INC);
	RP(rpg_time_reset, HCA_RP_TIME_RESET);
	RP(rpg_byte_reset, HCA_RP_BYTE_RESET);
	RP(rpg_threshold, HCA_RP_THRESHOLD);
	RP(rpg_max_rate, HCA_RP_MAX_RATE);
	RP(rpg_ai_rate, HCA_RP_AI_RATE);
	RP(rpg_hai_rate, HCA_RP_HAI_RATE);
	RP(rpg_gd, HCA_RP_GD);
	RP(rpg_min_dec_fac, HCA_RP_MIN_DEC_FAC);
	RP(rpg_min_rate, HCA_RP_MIN_RATE);
	RP(rate_to_set_on_first_cnp, HCA_RP_RATE_TO_SET_ON_FIRST_CNP);
	RP(dce_tcp_g, HCA_RP_DCE_TCP_G);
	RP(dce_tcp_rtt, HCA_RP_DCE_TCP_RTT);
	RP(rate_reduce_monitor_period, HCA_RP_RATE_REDUCE_MONITOR_PERIOD);
	RP(initial_alpha_value, HCA_RP_INITIAL_ALPHA_VALUE);
}

enum fw_status fw_query_cong_params(struct fw_cmd *c)
{
	uint32_t protocol = PRM_GET(query_cong_params_in, c->in, cong_protocol);
	uint8_t *p = PRM_ADDR(query_cong_params_out, c->out, congestion_parameters);

	if (!is_ecn_protocol(protocol))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (protocol == PRM_CONG_PROTOCOL_R_ROCE_ECN_RP) {
		put_reaction_point(p);
		return FW_OK;
	}
	NP(min_time_between_cnps, HCA_NP_MIN_TIME_BETWEEN_CNPS);
	NP(cnp_dscp, HCA_NP_CNP_DSCP);
	NP(cnp_802p_prio, HCA_NP_CNP_802P_PRIO);
	return FW_OK;
}

static uint32_t limited_qps(const struct hca *hca)
{
	const struct hca_qp *qp;
	uint32_t n = 0, qpn = 0;

	while ((qp = core_ids_next(&hca->qps, &qpn)))
		n += qp->congestion.limited;
	return n;
}

#define PUT(f)                                                                    \
	do {                                                                      \
		PRM_SET(query_cong_statistics_out, c->out, f##_high, n->f >> 32); \
		PRM_SET(query_cong_statistics_out, c->out, f##_low, n->f);        \
	} while (0)

/* There are no sums over a period: sum_flows, time_stamp and accumulators_period are 0. */
enum fw_status fw_query_cong_statistics(struct fw_cmd *c)
{
	const struct hca_congestion_counts *n;
	struct hca_counted sum;

	hca_function_counted(c->hca, &sum);
	n = &sum.congestion;
	PRM_SET(query_cong_statistics_out, c->out, rp_cur_flows, limited_qps(c->hca));
	PUT(rp_cnp_ignored);
	PUT(rp_cnp_handled);
	PUT(np_ecn_marked_roce_packets);
	PUT(np_cnp_sent);
	if (PRM_GET(query_cong_statistics_in, c->in, clear))
		HCA_CLEAR(c->hca, congestion);
	return FW_OK;
}
