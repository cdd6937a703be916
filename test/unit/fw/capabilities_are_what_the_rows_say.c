/* SPDX-License-Identifier: BSD-2-Clause */
/* caps: groups, current and maximum, fw_cap; identity commands. */
#include "device.h"

TestSuite(caps, .init = setup, .fini = teardown);

static const uint8_t *query(uint32_t group, uint32_t current)
{
	box(PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, b.in, op_mod, group << 1 | current);
	cr_assert_eq(go(), FW_OK);
	return PRM_ADDR(query_hca_cap_out, b.out, capability);
}

Test(caps, general)
{
	const uint8_t *cap = query(0, 1);

	/* by hand: log_max_qp_sz at byte 0x11, log_max_qp in the low 5 bits of byte 0x13 */
	cr_assert_eq(cap[0x11], 15);
	cr_assert_eq(cap[0x13] & 0x1f, 18);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, log_max_msg), 30);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, cqe_version), 1);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, log_bf_reg_size), 9);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, port_type), 1);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, vhca_id), 5);
	cr_assert_eq(PRM_GET(cmd_hca_cap, cap, device_frequency_khz), 156250);
}

Test(caps, current_and_maximum_are_equal)
{
	uint8_t cur[0x1000];

	for (uint32_t group = 0; group < 5; group++) {
		memcpy(cur, query(group, 1), sizeof(cur));
		cr_assert_arr_eq(query(group, 0), cur, sizeof(cur));
	}
}

Test(caps, other_groups)
{
	const uint8_t *cap = query(4, 1);

	cr_assert_eq(PRM_GET(roce_cap, cap, roce_address_table_size), 255);
	cr_assert_eq(PRM_GET(roce_cap, cap, roce_version), 5);
	cap = query(3, 1);
	cr_assert_eq(PRM_GET(atomic_caps, cap, atomic_operations), 3);
	cr_assert_eq(PRM_GET(atomic_caps, cap, atomic_size_qp), 8);
	box(PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, b.in, op_mod, 0x20 << 1);
	cr_assert_eq(go(), FW_BAD_PARAM);
	box(PRM_OP_QUERY_HCA_CAP);
	PRM_SET(query_hca_cap_in, b.in, other_function, 1);
	cr_assert_eq(go(), FW_BAD_PARAM);
}

/* No capability may promise what is BAD_OP. */
Test(caps, promises_are_kept)
{
	static const struct {
		const char *field;
		uint32_t opcode;
	} promise[] = {
		{ "log_max_sq", PRM_OP_CREATE_SQ },
		{ "log_max_rq", PRM_OP_CREATE_RQ },
		{ "log_max_tis", PRM_OP_CREATE_TIS },
		{ "log_max_tir", PRM_OP_CREATE_TIR },
		{ "log_max_rqt", PRM_OP_CREATE_RQT },
		{ "nic_flow_table", PRM_OP_CREATE_FLOW_TABLE },
		{ "xrc", PRM_OP_ALLOC_XRCD },
		{ "dct", PRM_OP_CREATE_DCT },
		{ "log_max_srq", PRM_OP_CREATE_RMP },
		{ "cq_moderation", PRM_OP_MODIFY_CQ },
		{ "cq_resize", PRM_OP_MODIFY_CQ },
		{ "max_qp_cnt", PRM_OP_ALLOC_Q_COUNTER },
		{ "log_max_umem", PRM_OP_CREATE_UMEM },
		{ "device_memory", PRM_OP_ALLOC_MEMIC },
		{ "general_obj_types", PRM_OP_CREATE_GENERAL_OBJECT },
		{ "vport_counters", PRM_OP_QUERY_VPORT_COUNTER },
	};

	for (size_t i = 0; i < sizeof(promise) / sizeof(promise[0]); i++) {
		box(promise[i].opcode);
		if (go() == FW_BAD_OP)
			cr_assert_eq(fw_cap(&d, "cmd_hca_cap", promise[i].field), 0, "%s",
				     promise[i].field);
	}
	box(PRM_OP_CREATE_FLOW_TABLE);
	cr_assert_eq(go(), FW_BAD_OP);
}

Test(caps, fw_cap_agrees)
{
	cr_assert_eq(fw_cap(&d, "cmd_hca_cap", "log_max_qp"), 18);
	cr_assert_eq(fw_cap(&d, "cmd_hca_cap", "log_max_mkey"), 24);
	cr_assert_eq(fw_cap(&d, "roce_cap", "r_roce_dest_udp_port"), 4791);
	cr_assert_eq(fw_cap(&d, "cmd_hca_cap", "no_such_field"), 0);
}

Test(caps, devices_are_found_by_name)
{
	const struct fw_device *dev = fw_device_find("cx5");

	cr_assert_not_null(dev);
	cr_assert_eq(dev->pci_id, 0x1017);
	cr_assert_eq(fw_device_next(NULL), dev);
	cr_assert_null(fw_device_next(dev));
	cr_assert_null(fw_device_find("cx3"));
}

Test(caps, adapter_issi_and_keys)
{
	const uint8_t *blk = PRM_ADDR(query_adapter_out, b.out, query_adapter_struct);

	box(PRM_OP_QUERY_ADAPTER);
	cr_assert_eq(go(), FW_OK);
	cr_assert_eq(PRM_GET(query_adapter_param_block, blk, ieee_vendor_id), 0x2c9);
	cr_assert_str_eq((const char *)PRM_ADDR(query_adapter_param_block, blk, vsd_contd_psid),
			 fw_device_find("cx5")->board_id);

	box(PRM_OP_SET_ISSI);
	PRM_SET(set_issi_in, b.in, current_issi, 1);
	cr_assert_eq(go(), FW_OK);
	box(PRM_OP_QUERY_ISSI);
	cr_assert_eq(go(), FW_OK);
	cr_assert_eq(PRM_GET(query_issi_out, b.out, current_issi), 1);
	cr_assert_eq(PRM_GET(query_issi_out, b.out, supported_issi_dw0), 3);
	box(PRM_OP_SET_ISSI);
	PRM_SET(set_issi_in, b.in, current_issi, 2);
	cr_assert_eq(go(), FW_BAD_PARAM);

	box(PRM_OP_QUERY_SPECIAL_CONTEXTS);
	cr_assert_eq(go(), FW_OK);
	cr_assert_eq(PRM_GET(query_special_contexts_out, b.out, dump_fill_mkey), 0);
	cr_assert_null(
		dev_mkey_find(&d, PRM_GET(query_special_contexts_out, b.out, resd_lkey)));
}
