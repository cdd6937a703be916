/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the port: addresses, vport, registers. */
#include "fw/rows.h"

NUMBER(query_roce_address, query_roce_address_in, roce_address_index);

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

static const struct fw_bits query_vhca_state[] = {
	F(query_vhca_state_in, embedded_cpu_function),
	F(query_vhca_state_in, function_id),
	END,
};
static const struct fw_bits query_vuid[] = {
	F(query_vuid_in, query_vfs_vuid),
	F(query_vuid_in, vhca_id),
	END,
};
static const struct fw_bits query_esw_vport_context[] = {
	F(query_esw_vport_context_in, other_vport),
	F(query_esw_vport_context_in, vport_number),
	END,
};

const struct fw_command fw_port_commands[] = {
	CMD(SET_ROCE_ADDRESS, set_roce_address, DRIVER, set_roce_address, fw_set_roce_address),
	CMD(QUERY_ROCE_ADDRESS, query_roce_address, PLAIN, query_roce_address,
	    fw_query_roce_address),
	CMD(QUERY_NIC_VPORT_CONTEXT, query_nic_vport_context, PLAIN, NULL,
	    fw_query_nic_vport_context),
	CMD(QUERY_VPORT_STATE, query_vport_state, PLAIN, NULL, fw_query_vport_state),
	CMD(QUERY_ESW_FUNCTIONS, query_esw_functions, PLAIN, NULL, fw_query_esw_functions),
	CMD(QUERY_ESW_VPORT_CONTEXT, query_esw_vport_context, PLAIN, query_esw_vport_context,
	    fw_query_esw_vport_context),
	CMD(QUERY_VHCA_STATE, query_vhca_state, PLAIN, query_vhca_state, fw_query_vhca_state),
	CMD(QUERY_VUID, query_vuid, LIST, query_vuid, fw_query_vuid),
	CMD(ACCESS_REG, access_register, LIST | DRIVER, access_reg, fw_access_reg),
	CMD(ACCESS_REGISTER_USER, access_register, LIST, access_reg, fw_access_reg),
	END_OF_COMMANDS,
};
