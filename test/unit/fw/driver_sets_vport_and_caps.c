/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the driver: MODIFY_NIC_VPORT_CONTEXT, SET_HCA_CAP, and the P_Key table. */
#include "device.h"
#include "lib/hex.h"

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

/* A list of @type of @n entries of 8 bytes, in hexadecimal. */
static enum fw_status list(uint32_t type, uint32_t n, const char *entries)
{
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(modify_nic_vport_field_select, fields(), addresses_list, 1);
	PRM_SET(nic_vport_context, context(), allowed_list_type, type);
	PRM_SET(nic_vport_context, context(), allowed_list_size, n);
	b.in_len += from_hex(b.in + b.in_len, entries);
	return execute();
}

/* Kernel, mlx5_modify_nic_vport_mac_list, mlx5_modify_nic_vport_vlans: an address in bytes 2 to
 * 7, a VLAN in the low 12 bits of the first word. */
Test(driver, lists_are_of_addresses_and_vlans)
{
	static const struct {
		const char *entries;
		uint32_t type, n;
		enum fw_status status;
	} rows[] = {
		{ "0000 020000000011 0000 020000000012", 0, 2, FW_OK },
		{ "0000 030000000011", 0, 1, FW_BAD_PARAM }, /* multicast */
		{ "0000 000000000000", 0, 1, FW_BAD_PARAM },
		{ "0100 020000000011", 0, 1, FW_BAD_PARAM }, /* reserved */
		{ "0000 333300000001", 1, 1, FW_OK },
		{ "0000 323300000001", 1, 1, FW_BAD_PARAM }, /* unicast */
		{ "00000fff 00000000 00000000 00000000", 2, 2, FW_OK },
		{ "00001000 00000000", 2, 1, FW_BAD_PARAM },
		{ "00000001 00000001", 2, 1, FW_BAD_PARAM },
		{ "0000 333300000001", 3, 1, FW_BAD_PARAM }, /* no such list */
		{ "0000 333300000001", 1, 2, FW_BAD_INP_LEN },
		{ "0000 333300000001", 1, 0, FW_BAD_INP_LEN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		cr_expect_eq(list(rows[i].type, rows[i].n, rows[i].entries), rows[i].status,
			     "%u %s", rows[i].type, rows[i].entries);
	cr_assert_eq(hca.vport.n_unicast, 2);
	cr_expect_arr_eq(hca.vport.unicast[1], ((uint8_t[]){ 2, 0, 0, 0, 0, 0x12 }), 6);
	cr_assert_eq(list(0, 0, ""), FW_OK);
	cr_expect_eq(hca.vport.n_unicast, 0);
}

/* 1 << log_max_current_uc_list of them. */
Test(driver, unicast_list_has_a_length)
{
	char entries[2 * 8 * HCA_UNICAST_LIST + 20] = "";

	for (unsigned int i = 0; i <= HCA_UNICAST_LIST; i++)
		sprintf(entries + 16 * i, "0000020000000%03x", i);
	cr_expect_eq(list(0, HCA_UNICAST_LIST + 1, entries), FW_BAD_PARAM);
	entries[16 * HCA_UNICAST_LIST] = 0;
	cr_expect_eq(list(0, HCA_UNICAST_LIST, entries), FW_OK);
}

Test(driver, reset_forgets_what_is_received)
{
	cr_assert_eq(list(0, 1, "0000 020000000011"), FW_OK);
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(modify_nic_vport_field_select, fields(), promisc, 1);
	PRM_SET(nic_vport_context, context(), promisc_all, 1);
	cr_assert_eq(execute(), FW_OK);
	cr_assert(hca.port.promisc);
	fw_reset(&hca);
	cr_expect_eq(hca.vport.n_unicast, 0);
	cr_expect_not(hca.port.promisc);
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
