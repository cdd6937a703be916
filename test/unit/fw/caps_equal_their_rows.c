/* SPDX-License-Identifier: BSD-2-Clause */
/* caps: groups, current and maximum, fw_cap; identity commands. */
#include "device.h"

DEVICE_SUITE(caps);

static const uint8_t *query(uint32_t group, uint32_t current)
{
	BOX_OK(CMD(QUERY_HCA_CAP, F(op_mod, group << 1 | current)));
	return PRM_ADDR(query_hca_cap_out, b.out, capability);
}

Test(caps, general)
{
	const uint8_t *cap = query(0, 1);

	/* by hand: log_max_qp_sz at byte 0x11, log_max_qp in the low 5 bits of byte 0x13 */
	cr_assert_eq(cap[0x11], 15);
	cr_assert_eq(cap[0x13] & 0x1f, 15);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, log_max_msg), 30);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, cqe_version), 1);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, log_bf_reg_size), 9);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, port_type), 1);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, vhca_id), 5);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, device_frequency_khz), 156250);
}

/* But for the signatures of commands, which a driver may have. */
Test(caps, current_and_maximum_are_equal)
{
	uint8_t cur[0x1000];

	for (uint32_t group = 0; group < 5; group++) {
		memcpy(cur, query(group, 1), sizeof(cur));
		if (!group) {
			cr_assert_eq(PRM_GET(cmd_hca_cap, cur, cmdif_checksum), 0);
			PRM_SET(cmd_hca_cap, cur, cmdif_checksum, 3);
		}
		cr_assert_arr_eq(query(group, 0), cur, sizeof(cur));
	}
}

Test(caps, other_groups)
{
	const uint8_t *cap = query(4, 1);

	cr_assert_eq(PRM_GET(roce_cap, cap, roce_address_table_size), 255);
	cr_assert_eq(PRM_GET(roce_cap, cap, roce_version), 5);
	cap = query(3, 1);
	cr_assert_eq(PRM_GET(atomic_caps, cap, atomic_operations), 0xf);
	cr_assert_eq(PRM_GET(atomic_caps, cap, atomic_size_qp), 0xc);
	CMD(QUERY_HCA_CAP, F(op_mod, 0x0e << 1));
	cr_assert_eq(execute(), FW_BAD_PARAM);
	CMD(QUERY_HCA_CAP, F(other_function, 1));
	cr_assert_eq(execute(), FW_BAD_PARAM);
}

/* Reserved group 0x0e has no layout; cx5 has neither of the others. */
Test(caps, groups_are_those_of_the_device)
{
	static const uint32_t not_there[] = { 0x0e, PRM_CAP_CRYPTO, PRM_CAP_MACSEC, 0x2b,
					      0x7fff };

	for (size_t i = 0; i < sizeof(not_there) / sizeof(not_there[0]); i++) {
		CMD(QUERY_HCA_CAP, F(op_mod, not_there[i] << 1));
		cr_assert_eq(execute(), FW_BAD_PARAM);
	}
	query(PRM_CAP_GENERAL_2, 1);
	cr_assert_eq(fw_cap(&hca, "crypto_cap", "wrapped_crypto_operational"), 0);
	teardown();
	cr_assert_eq(hca_init(&hca, 5), 0);
	fw_init(&hca, fw_device_find("cx7"));
	query(PRM_CAP_CRYPTO, 1);
	query(PRM_CAP_MACSEC, 0);
}

Test(caps, fw_cap_agrees)
{
	cr_assert_eq(fw_cap(&hca, "cmd_hca_cap", "log_max_qp"), 15);
	cr_assert_eq(fw_cap(&hca, "cmd_hca_cap", "log_max_mkey"), 24);
	cr_assert_eq(fw_cap(&hca, "roce_cap", "r_roce_dest_udp_port"), 4791);
	cr_assert_eq(fw_cap(&hca, "cmd_hca_cap", "no_such_field"), 0);
}

Test(caps, adapter_issi_and_keys)
{
	const uint8_t *blk = PRM_ADDR(query_adapter_out, b.out, query_adapter_struct);

	BOX_OK(box(PRM_OP_QUERY_ADAPTER));
	cr_assert_eq(PRM_GET(query_adapter_param_block, blk, ieee_vendor_id), 0x2c9);
	cr_assert_str_eq((const char *)PRM_ADDR(query_adapter_param_block, blk, vsd_contd_psid),
			 fw_device_find("cx5")->board_id);

	cr_assert_eq(execute_on(PRM_OP_SET_ISSI, 1), FW_OK);
	BOX_OK(box(PRM_OP_QUERY_ISSI));
	cr_assert_eq(PRM_GET(query_issi_out, b.out, current_issi), 1);
	cr_assert_eq(PRM_GET(query_issi_out, b.out, supported_issi_dw0), 3);
	cr_assert_eq(execute_on(PRM_OP_SET_ISSI, 2), FW_BAD_PARAM);

	BOX_OK(box(PRM_OP_QUERY_SPECIAL_CONTEXTS));
	cr_assert_eq(PRM_GET(query_special_contexts_out, b.out, dump_fill_mkey),
		     HCA_KEY_DUMP_FILL);
	cr_assert_eq(PRM_GET(query_special_contexts_out, b.out, null_mkey), HCA_KEY_NULL);
	cr_assert_null(
		hca_mkey_find(&hca, PRM_GET(query_special_contexts_out, b.out, resd_lkey)));
}

Test(caps, there_is_no_bond)
{
	static const uint8_t none[8];

	BOX_OK(box(PRM_OP_QUERY_LAG));
	cr_assert_arr_eq(PRM_ADDR(query_lag_out, b.out, ctx), none, sizeof(none));
}
