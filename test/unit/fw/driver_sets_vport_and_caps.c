/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the driver: MODIFY_NIC_VPORT_CONTEXT, SET_HCA_CAP, and the P_Key table. */
#include "device.h"

static void setup_owned(void)
{
	setup();
	hca.life = HCA_RUNNING;
}

TestSuite(driver, .init = setup_owned, .fini = teardown);

static uint8_t *fields(void)
{
	return PRM_ADDR(modify_nic_vport_context_in, b.in, field_select);
}

static uint8_t *context(void)
{
	return PRM_ADDR(modify_nic_vport_context_in, b.in, nic_vport_context);
}

static const uint8_t *now(void)
{
	box(PRM_OP_QUERY_NIC_VPORT_CONTEXT);
	cr_assert_eq(execute(), FW_OK);
	return PRM_ADDR(query_nic_vport_context_out, b.out, nic_vport_context);
}

/* disable_uc_local_lb @uc, disable_mc_local_lb @mc. */
static enum fw_status loopback(bool uc, bool mc)
{
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(modify_nic_vport_field_select, fields(), disable_uc_local_lb, 1);
	PRM_SET(modify_nic_vport_field_select, fields(), disable_mc_local_lb, 1);
	PRM_SET(nic_vport_context, context(), disable_uc_local_lb, uc);
	PRM_SET(nic_vport_context, context(), disable_mc_local_lb, mc);
	return execute();
}

Test(driver, loopback_is_switched_on_and_off)
{
	cr_assert_eq(PRM_GET(nic_vport_context, now(), disable_uc_local_lb), 1);
	cr_assert_eq(loopback(0, 0), FW_OK);
	cr_assert_eq(loopback(0, 0), FW_OK);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), disable_uc_local_lb), 0);
	cr_assert_eq(loopback(0, 1), FW_BAD_PARAM, "not one of them");
	cr_assert_eq(loopback(1, 1), FW_OK);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), disable_uc_local_lb), 1,
		     "once is enough");
}

Test(driver, only_selected_fields_change)
{
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(nic_vport_context, context(), mtu, 1522);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), mtu), 1024 + 96 + 22);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), roce_en), 1);
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(modify_nic_vport_field_select, fields(), mtu, 1);
	PRM_SET(modify_nic_vport_field_select, fields(), roce_en, 1);
	PRM_SET(nic_vport_context, context(), mtu, 1522);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), mtu), 1522);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), roce_en), 0);
}

/* A list of @type with one address, which begins with @first. */
static enum fw_status list(uint32_t type, uint32_t n, uint8_t first)
{
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(modify_nic_vport_field_select, fields(), addresses_list, 1);
	PRM_SET(nic_vport_context, context(), allowed_list_type, type);
	PRM_SET(nic_vport_context, context(), allowed_list_size, n);
	memcpy(b.in + b.in_len + 2, hca.port.mac, 6);
	b.in[b.in_len + 2] = first;
	b.in_len += 8;
	return execute();
}

Test(driver, lists_name_what_is_received)
{
	cr_assert_eq(list(0, 1, hca.port.mac[0]), FW_OK, "its own address");
	cr_assert_eq(list(0, 1, hca.port.mac[0] ^ 4), FW_BAD_PARAM, "another one");
	cr_assert_eq(list(1, 1, 0x33), FW_OK, "multicast");
	cr_assert_eq(list(1, 1, 0x32), FW_BAD_PARAM, "which is not");
	cr_assert_eq(list(2, 1, 0x33), FW_BAD_PARAM, "VLANs");
	cr_assert_eq(list(1, 2, 0x33), FW_BAD_INP_LEN);
	cr_assert_eq(list(1, 0, 0x33), FW_BAD_INP_LEN);
}

Test(driver, one_partition_has_a_key)
{
	box(PRM_OP_QUERY_HCA_VPORT_PKEY);
	b.out_len += 4;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(b.out[18] << 8 | b.out[19], 0xffff);
	PRM_SET(query_hca_vport_pkey_in, b.in, pkey_index, 127);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(b.out[18] << 8 | b.out[19], 0);
	PRM_SET(query_hca_vport_pkey_in, b.in, pkey_index, 128);
	cr_assert_eq(execute(), FW_BAD_PARAM);
	PRM_SET(query_hca_vport_pkey_in, b.in, pkey_index, 0xffff);
	cr_assert_eq(execute(), FW_BAD_OUTP_LEN, "128 keys");
	b.out_len = 16 + 128 * 4;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(b.out[18] << 8 | b.out[19], 0xffff);
	cr_assert_eq(b.out[22] << 8 | b.out[23], 0);
}
