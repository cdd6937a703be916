/* SPDX-License-Identifier: BSD-2-Clause */
/* Congestion control: status, parameters and counters are read; nothing is set. */
#include "device.h"

DEVICE_SUITE(congestion_control);

static void params_box(uint32_t protocol)
{
	CMD(QUERY_CONG_PARAMS, F(cong_protocol, protocol));
}

/* The defaults that NVIDIA publishes ("DCQCN CC Parameters"). */
Test(congestion_control, parameters_have_the_published_defaults)
{
	const uint8_t *p = PRM_ADDR(query_cong_params_out, b.out, congestion_parameters);

	BOX_OK(params_box(1));
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, dce_tcp_g), 1019);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, dce_tcp_rtt), 1);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, initial_alpha_value), 1023);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_min_dec_fac), 50);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_min_rate), 1);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_gd), 11);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rate_reduce_monitor_period), 4);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_time_reset), 300);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_byte_reset), 32767);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_threshold), 1);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_ai_rate), 5);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, rpg_hai_rate), 50);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_rp, p, clamp_tgt_rate_after_time_inc), 1);
	BOX_OK(params_box(2));
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_np, p, min_time_between_cnps), 4);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_np, p, cnp_dscp), 48);
	cr_expect_eq(PRM_GET(cong_control_r_roce_ecn_np, p, cnp_802p_prio), 6);
	BAD_PARAM(params_box(3), WHY_VALUE);
}

Test(congestion_control, all_priorities_are_enabled)
{
	for (uint32_t priority = 0; priority < 9; priority++) {
		CMD(QUERY_CONG_STATUS, F(cong_protocol, 1 + priority % 2),
		    F(priority, priority));
		cr_expect_eq(execute(), priority < 8 ? FW_OK : FW_BAD_PARAM);
		if (priority < 8)
			cr_expect_eq(PRM_GET(query_cong_status_out, b.out, enable), 1);
	}
}

Test(congestion_control, counters_are_64_bits_and_may_be_cleared)
{
	hca.counted->congestion = (struct hca_congestion_counts){
		.rp_cnp_handled = 0x123456789, .np_cnp_sent = 7, .np_ecn_marked_roce_packets = 9
	};
	for (int i = 0; i < 2; i++) {
		BOX_OK(CMD(QUERY_CONG_STATISTICS, F(clear, 1)));
		cr_expect_eq(PRM_GET(query_cong_statistics_out, b.out, rp_cnp_handled_high),
			     !i);
		cr_expect_eq(PRM_GET(query_cong_statistics_out, b.out, rp_cnp_handled_low),
			     i ? 0u : 0x23456789u);
		cr_expect_eq(PRM_GET(query_cong_statistics_out, b.out, np_cnp_sent_low),
			     i ? 0u : 7u);
	}
}

Test(congestion_control, nothing_is_set)
{
	BOX_REFUSED(box(PRM_OP_MODIFY_CONG_PARAMS), FW_BAD_OP, WHY_OPCODE);
	BOX_REFUSED(box(PRM_OP_MODIFY_CONG_STATUS), FW_BAD_OP, WHY_OPCODE);
}
