/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands of the driver: MODIFY_NIC_VPORT_CONTEXT, SET_HCA_CAP, and the P_Key table. */
#include "device.h"
#include "fw/cap_rows.h"
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
	BOX_OK(box(PRM_OP_QUERY_NIC_VPORT_CONTEXT));
	return PRM_ADDR(query_nic_vport_context_out, b.out, nic_vport_context);
}

/* disable_uc_local_lb @uc, disable_mc_local_lb @mc. */
static enum fw_status loopback(bool uc, bool mc)
{
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	SET(modify_nic_vport_field_select, fields(), F(disable_uc_local_lb, 1),
	    F(disable_mc_local_lb, 1));
	SET(nic_vport_context, context(), F(disable_uc_local_lb, uc),
	    F(disable_mc_local_lb, mc));
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
	BOX_OK(WITH(box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT),
		    PRM_SET(nic_vport_context, context(), mtu, 1522)));
	cr_assert_eq(PRM_GET(nic_vport_context, now(), mtu), 1024 + 96 + 22);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), roce_en), 1);
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	BOX_OK(WITH(SET(modify_nic_vport_field_select, fields(), F(mtu, 1), F(roce_en, 1)),
		    PRM_SET(nic_vport_context, context(), mtu, 1522)));
	cr_assert_eq(PRM_GET(nic_vport_context, now(), mtu), 1522);
	cr_assert_eq(PRM_GET(nic_vport_context, now(), roce_en), 0);
	fw_reset(&hca);
	cr_assert(hca.vport.roce_off && !hca.vport.mtu && !hca.vport.loops);
}

/* The capabilities of @group as they are; returns their number of bytes. */
static size_t caps_box(uint32_t group)
{
	size_t at, bytes = fw_cap_group(group, &at)->bytes;

	box(PRM_OP_SET_HCA_CAP);
	b.in_len = PRM_OFF(set_hca_cap_in, capability) / 8 + bytes;
	PRM_SET(set_hca_cap_in, b.in, op_mod, group << 1);
	memcpy(PRM_ADDR(set_hca_cap_in, b.in, capability), hca.caps[group], bytes);
	return bytes;
}

/* mlx5_core, main.c: handle_hca_cap(), handle_hca_cap_roce(), handle_hca_cap_atomic(),
 * handle_hca_cap_2(). */
Test(driver, caps_that_are_set)
{
	static const struct {
		uint32_t group;
		const char *field;
	} rows[] = {
		{ 0, "pkey_table_size" },
		{ 0, "log_max_qp" },
		{ 0, "cmdif_checksum" },
		{ 0, "uar_4k" },
		{ 0, "log_uar_page_sz" },
		{ 0, "cache_line_128byte" },
		{ 0, "dct" },
		{ 0, "num_vhca_ports" },
		{ 0, "release_all_pages" },
		{ 0, "mkey_by_name" },
		{ 0, "roce" },
		{ 3, "atomic_req_8B_endianness_mode" },
		{ 4, "sw_r_roce_src_udp_port" },
		{ 0x20, "sw_vhca_id_valid" },
	};
	uint8_t *cap = PRM_ADDR(set_hca_cap_in, b.in, capability);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t at, bytes = caps_box(rows[i].group);
		const struct prm_struct *layout = fw_cap_group(rows[i].group, &at);
		uint32_t width = prm_field(layout, rows[i].field)->width;
		uint64_t max, now = 1;

		hca.life = HCA_ENABLED;
		cr_assert(prm_get(layout, hca.caps_max[rows[i].group], bytes, rows[i].field,
				  &max));
		prm_set(layout, cap, bytes, rows[i].field, max);
		cr_assert_eq(execute(), FW_OK, "%s", rows[i].field);
		prm_set(layout, cap, bytes, rows[i].field, 0);
		cr_assert_eq(execute(), FW_OK, "%s", rows[i].field);
		prm_get(layout, hca.caps[rows[i].group], bytes, rows[i].field, &now);
		cr_assert_eq(now, 0, "%s", rows[i].field);
		if ((max + 1) >> width)
			continue;
		prm_set(layout, cap, bytes, rows[i].field, max + 1);
		REFUSED(FW_BAD_PARAM, WHY_VALUE);
	}
}

Test(driver, caps_that_are_not_set)
{
	hca.life = HCA_ENABLED;
	BAD_PARAM(WITH(caps_box(0),
		       PRM_SET(cmd_hca_cap, PRM_ADDR(set_hca_cap_in, b.in, capability),
			       log_max_cq, 31)),
		  WHY_READ_ONLY);
	BAD_PARAM(LONGER(caps_box(0)), WHY_RESERVED);
	BOX_REFUSED(SHORTER(caps_box(0), 1), FW_BAD_INP_LEN, WHY_IN_LEN);
	BAD_PARAM(caps_box(0); PRM_SET(set_hca_cap_in, b.in, op_mod, 1), WHY_OP_MOD);
	BAD_PARAM(caps_box(0); PRM_SET(set_hca_cap_in, b.in, op_mod, 0x0e << 1), WHY_OP_MOD);
	BAD_PARAM(caps_box(0); PRM_SET(set_hca_cap_in, b.in, function_id, 1), WHY_VHCA);
}

/* A list of @type of @n entries of 8 bytes, in hexadecimal. */
static enum fw_status list(uint32_t type, uint32_t n, const char *entries)
{
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(modify_nic_vport_field_select, fields(), addresses_list, 1);
	SET(nic_vport_context, context(), F(allowed_list_type, type), F(allowed_list_size, n));
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
	static struct hca_vhca vhcas[HCA_VHCAS];

	hca.vhcas = vhcas;
	cr_assert_eq(list(0, 1, "0000 020000000011"), FW_OK);
	box(PRM_OP_MODIFY_NIC_VPORT_CONTEXT);
	PRM_SET(modify_nic_vport_field_select, fields(), promisc, 1);
	BOX_OK(PRM_SET(nic_vport_context, context(), promisc_all, 1));
	cr_assert(hca.port.promisc);
	cr_assert(vhcas[hca.slot].port & HCA_PORT_PROMISC);
	for (int i = 0; i < HCA_GIDS; i++)
		hca.port.gid[i].valid = true;
	fw_reset(&hca);
	for (int i = 0; i < HCA_GIDS; i++)
		cr_expect_not(hca.port.gid[i].valid, "%d", i);
	cr_expect_eq(hca.vport.n_unicast, 0);
	cr_expect_not(hca.port.promisc);
	cr_expect_not(vhcas[hca.slot].port & HCA_PORT_PROMISC, "other functions see it");
}

Test(driver, one_partition_has_a_key)
{
	BOX_OK(WITH(box(PRM_OP_QUERY_HCA_VPORT_PKEY), b.out_len += 4));
	cr_assert_eq(b.out[18] << 8 | b.out[19], 0xffff);
	BOX_OK(PRM_SET(query_hca_vport_pkey_in, b.in, pkey_index, 127));
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

/* Frames that others read: no DCT, and only COMPARE_SWAP and FETCH_ADD of the atomics, by the
 * values that are set and by those that may be. */
Test(driver, public_frames_have_standard_operations)
{
	uint8_t *const caps[] = { hca.caps[PRM_CAP_ATOMIC], hca.caps_max[PRM_CAP_ATOMIC] };
	uint8_t *const general[] = { hca.caps[PRM_CAP_GENERAL], hca.caps_max[PRM_CAP_GENERAL] };

	for (int i = 0; i < 2; i++) {
		PRM_SET(cmd_hca_cap, general[i], dct, 1);
		PRM_SET(atomic_caps, caps[i], atomic_operations, 0xf);
	}
	fw_public_frames(&hca);
	for (int i = 0; i < 2; i++) {
		cr_expect_eq(PRM_GET(cmd_hca_cap, general[i], dct), 0);
		cr_expect_eq(PRM_GET(atomic_caps, caps[i], atomic_operations), 3);
	}
}
