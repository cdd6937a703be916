/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A field set by its path at run time is read back by its constants and the other way round;
 * paths that lead nowhere, values too wide, and fields beyond the buffer are refused.
 */
#include <criterion/criterion.h>

#include "prm/prm.h"
#include "prm/table.h"

Test(field_paths_and_constants_are_the_same_bits, set_by_path_get_by_constant)
{
	uint8_t in[PRM_SZ(create_qp_in) + 24] = { 0 };
	const struct prm_struct *s = prm_cmd(PRM_OP_CREATE_QP)->in;
	uint8_t *qpc = PRM_ADDR(create_qp_in, in, qpc);
	uint8_t *ads = PRM_ADDR(qpc, qpc, secondary_address_path);

	cr_expect(prm_set(s, in, sizeof(in), "qpc.secondary_address_path.rgid_rip[15]", 0xab));
	cr_expect_eq(PRM_ADDR(ads, ads, rgid_rip)[15], 0xab);
	cr_expect(prm_set(s, in, sizeof(in), "qpc.secondary_address_path.sl", 5));
	cr_expect_eq(PRM_GET(ads, ads, sl), 5);
	cr_expect(prm_set(s, in, sizeof(in), "qpc.dc_access_key", 0xfedcba9876543210));
	cr_expect_eq(PRM_GET(qpc, qpc, dc_access_key), 0xfedcba9876543210);
	cr_expect(prm_set(s, in, sizeof(in), "pas[2]", 0x7000));
	cr_expect_eq(PRM_GET_AT(create_qp_in, in, pas, 2), 0x7000);
}

Test(field_paths_and_constants_are_the_same_bits, set_by_constant_get_by_path)
{
	uint8_t out[PRM_SZ(query_hca_cap_out)] = { 0 };
	uint8_t *cap = PRM_ADDR(query_hca_cap_out, out, capability);
	const struct prm_struct *s = prm_struct("query_hca_cap_out");
	uint64_t v;

	PRM_SET(cmd_hca_cap, cap, log_max_qp, 18);
	PRM_SET(cmd_hca_cap, cap, general_obj_types, 1ULL << 40);
	cr_expect(prm_get(s, out, sizeof(out), "capability.cmd_hca_cap.log_max_qp", &v));
	cr_expect_eq(v, 18);
	cr_expect(prm_get(prm_struct("cmd_hca_cap"), cap, PRM_SZ(cmd_hca_cap),
			  "general_obj_types", &v));
	cr_expect_eq(v, 1ULL << 40);
}

Test(field_paths_and_constants_are_the_same_bits, neighbours_keep_their_bits)
{
	uint8_t mkc[PRM_SZ(mkc)];

	memset(mkc, 0xff, sizeof(mkc));
	PRM_SET(mkc, mkc, pd, 0x000001);
	cr_expect_eq(PRM_GET(mkc, mkc, en_rinval), 1);
	cr_expect_eq(PRM_GET(mkc, mkc, pd), 1);
	PRM_SET(mkc, mkc, access_mode_1_0, 0);
	cr_expect_eq(PRM_GET(mkc, mkc, lr), 1);
	cr_expect_eq(mkc[2], 0xfc);
	PRM_SET(mkc, mkc, log_page_size, 0x1c0 | 12); /* the high bits do not fit */
	cr_expect_eq(PRM_GET(mkc, mkc, log_page_size), 12);
	cr_expect_eq(PRM_GET(mkc, mkc, relaxed_ordering_read), 1);
}

Test(field_paths_and_constants_are_the_same_bits, odd_sizes_stay_inside)
{
	uint8_t reg[PRM_SZ(qpdpm_reg) + 1] = { 0 };
	uint8_t *last = PRM_ADDR_AT(qpdpm_reg, reg, dscp, 63);

	reg[PRM_SZ(qpdpm_reg)] = 0x5a;
	PRM_SET(qpdpm_dscp_reg, last, e, 1);
	PRM_SET(qpdpm_dscp_reg, last, prio, 0xf);
	cr_expect_eq(reg[PRM_SZ(qpdpm_reg) - 2], 0x80);
	cr_expect_eq(reg[PRM_SZ(qpdpm_reg) - 1], 0x0f);
	cr_expect_eq(reg[PRM_SZ(qpdpm_reg)], 0x5a);
}

Test(field_paths_and_constants_are_the_same_bits, wrong_paths_are_refused)
{
	static const char *const wrong[] = {
		"",
		".",
		"nosuch",
		"qpc.",
		"qpc.nosuch",
		"qpc",
		"opcode.x",
		"opcode[0]",
		"pas[",
		"pas[x]",
		"pas[-1]",
		"pas[1",
		"pas[1]x",
		"qpc.primary_address_path.rgid_rip[16]",
		"pas[99999999999999999999]",
		"qp",
		"qpcc",
	};
	uint8_t in[PRM_SZ(create_qp_in) + 8] = { 0 };
	uint64_t v;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		cr_expect_not(prm_get(prm_struct("create_qp_in"), in, sizeof(in), wrong[i], &v),
			      "\"%s\"", wrong[i]);
		cr_expect_not(prm_set(prm_struct("create_qp_in"), in, sizeof(in), wrong[i], 0),
			      "\"%s\"", wrong[i]);
	}
}

Test(field_paths_and_constants_are_the_same_bits, what_does_not_fit_is_refused)
{
	const struct prm_struct *s = prm_struct("create_qp_in");
	uint8_t in[PRM_SZ(create_qp_in) + 8] = { 0 }, before[sizeof(in)];
	uint64_t v;

	memcpy(before, in, sizeof(in));
	cr_expect_not(prm_set(s, in, sizeof(in), "qpc.pd", 0x1000000));
	cr_expect_not(prm_set(s, in, sizeof(in), "pas[1]", 1));
	cr_expect_not(prm_set(s, in, 0x1f, "qpc.pd", 1));
	cr_expect_not(prm_get(s, in, 0, "opcode", &v));
	cr_expect_arr_eq(in, before, sizeof(in));
	cr_expect(prm_set(s, in, 0x20, "qpc.pd", 0xffffff));
	cr_expect(prm_set(s, in, sizeof(in), "pas[0]", UINT64_MAX));
}

Test(field_paths_and_constants_are_the_same_bits, unknown_names_and_opcodes_are_refused)
{
	cr_expect_null(prm_struct("nosuch"));
	cr_expect_null(prm_struct(""));
	cr_expect_null(prm_cmd(0));
	cr_expect_null(prm_cmd(0x100000));
	cr_expect_null(prm_field(prm_struct("qpc"), "nosuch"));
	cr_expect_null(prm_value_name("STATUS", 0x77, NULL));
	cr_expect_null(prm_value_kind(prm_struct("qpc"), "pd"));
}

Test(field_paths_and_constants_are_the_same_bits, commands_are_found_by_opcode)
{
	const char *text;
	int n = 0;

	for (const struct prm_cmd *c = prm_cmd_next(NULL); c; c = prm_cmd_next(c), n++) {
		cr_expect_eq(prm_cmd(c->opcode), c, "%s", c->name);
		cr_expect_eq(prm_struct(c->in->name), c->in);
		cr_expect_eq(prm_struct(c->out->name), c->out);
	}
	cr_expect_gt(n, 200);
	cr_expect_str_eq(prm_cmd(0x502)->name, "RST2INIT_QP");
	cr_expect_str_eq(prm_cmd(0x50a)->in->name, "qp_2rst_in");
	cr_expect_eq(prm_cmd(0x800)->call, PRM_CALL_CREATE);
	cr_expect_eq(prm_cmd(0x301)->call, PRM_CALL_KERNEL);
	cr_expect_str_eq(prm_value_name("STATUS", PRM_STATUS_BAD_PARAM, &text), "BAD_PARAM");
	cr_expect_str_eq(text, "bad parameter");
}

/* Linux, include/linux/mlx5/qp.h: MLX5_QP_STATE_SQD 5, MLX5_QP_STATE_SQ_DRAINING 7. */
Test(field_paths_and_constants_are_the_same_bits, states_of_a_send_queue_that_drains)
{
	cr_expect_str_eq(prm_value_name("QPC_STATE", 5, NULL), "SQD");
	cr_expect_str_eq(prm_value_name("QPC_STATE", 7, NULL), "SQ_DRAINING");
}
