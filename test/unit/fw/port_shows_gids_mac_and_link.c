/* SPDX-License-Identifier: BSD-2-Clause */
/* port: GID table, vport context, vport state, PTYS. */
#include "device.h"

DEVICE_SUITE(port);

static uint8_t *gid_box(uint32_t index)
{
	uint8_t *addr = PRM_ADDR(set_roce_address_in, b.in, roce_address);

	CMD(SET_ROCE_ADDRESS, F(roce_address_index, index));
	addr[0] = 0x20;
	addr[15] = 0x01;
	SET(roce_addr_layout, addr, F(source_mac_47_32, 0x0255), F(source_mac_31_0, 0x01020304),
	    F(roce_l3_type, 1), F(roce_version, 2));
	return addr;
}

Test(port, a_gid_reads_back_and_can_be_cleared)
{
	const struct hca_gid *gid = &hca.port.gid[254];
	uint8_t addr[PRM_SZ(roce_addr_layout)];

	BOX_OK(memcpy(addr, gid_box(254), sizeof(addr)));
	cr_assert(gid->valid);
	cr_assert_eq(gid->raw[0], 0x20);
	cr_assert_arr_eq(gid->mac, ((uint8_t[6]){ 2, 0x55, 1, 2, 3, 4 }), 6);
	cr_assert_eq(gid->l3_type, 1);
	BOX_OK(CMD(QUERY_ROCE_ADDRESS, F(roce_address_index, 254)));
	cr_assert_arr_eq(PRM_ADDR(query_roce_address_out, b.out, roce_address), addr,
			 sizeof(addr));
	BOX_OK(CMD(SET_ROCE_ADDRESS, F(roce_address_index, 254)));
	cr_assert_not(gid->valid);
}

/* vlan_valid: bit 28, vlan_id 27:16 of the word at 0x10. */
Test(port, gid_with_a_tag_is_kept_and_not_used)
{
	const uint8_t *addr = PRM_ADDR(query_roce_address_out, b.out, roce_address);

	gid_box(1)[0x10] = 0x1a;
	BOX_OK(PRM_ADDR(set_roce_address_in, b.in, roce_address)[0x11] = 0xbc);
	cr_expect_not(hca.port.gid[1].valid);
	BOX_OK(CMD(QUERY_ROCE_ADDRESS, F(roce_address_index, 1)));
	cr_expect_eq(core_be32(addr + 0x10), 0x1abc0255);
	BOX_OK(gid_box(1));
	cr_expect(hca.port.gid[1].valid);
}

Test(port, gid_refusals)
{
	BAD_PARAM(gid_box(255), WHY_GID);
	BAD_PARAM(PRM_SET(roce_addr_layout, gid_box(1), roce_version, 1), WHY_GID); /* v1.5 */
	BAD_PARAM(PRM_SET(roce_addr_layout, gid_box(1), roce_version, 0x82), WHY_GID);
	BAD_PARAM(PRM_SET(roce_addr_layout, gid_box(1), roce_l3_type, 2), WHY_GID);
	cr_assert_not(hca.port.gid[1].valid);
	CMD(QUERY_ROCE_ADDRESS, F(roce_address_index, 255));
	cr_assert_eq(execute(), FW_BAD_PARAM);
}

Test(port, vport_context_and_state)
{
	const uint8_t *ctx = PRM_ADDR(query_nic_vport_context_out, b.out, nic_vport_context);
	const uint8_t *mac = PRM_ADDR(nic_vport_context, ctx, permanent_address);

	BOX_OK(box(PRM_OP_QUERY_NIC_VPORT_CONTEXT));
	cr_assert_eq(PRM_GET(nic_vport_context, ctx, mtu), 1024 + 96 + 22, "as PMTU's");
	cr_assert_eq(PRM_GET(nic_vport_context, ctx, node_guid), 0x0200000000050000);
	cr_assert_arr_eq(mac, ((uint8_t[8]){ 0, 0, 2, 0, 0, 0, 0, 5 }), 8);
	cr_expect_eq(PRM_GET(nic_vport_context, ctx, disable_uc_local_lb), 1);
	cr_expect_eq(PRM_GET(nic_vport_context, ctx, disable_mc_local_lb), 1);
	hca_loopback_need(&hca, 2, 0);
	cr_assert_eq(execute(), FW_OK);
	cr_expect_eq(PRM_GET(nic_vport_context, ctx, disable_uc_local_lb), 0);
	cr_expect_eq(PRM_GET(nic_vport_context, ctx, disable_mc_local_lb), 0);
	hca_loopback_need(&hca, -2, 0);
	CMD(QUERY_NIC_VPORT_CONTEXT, F(other_vport, 1));
	cr_assert_eq(execute(), FW_BAD_PARAM);

	BOX_OK(box(PRM_OP_QUERY_VPORT_STATE));
	cr_assert_eq(b.out[0xf], 0x11); /* admin up, up */
}

static uint8_t *ptys_box(void)
{
	uint8_t *reg = b.in + PRM_SZ(access_register_in);

	box(PRM_OP_ACCESS_REG);
	b.in_len += PRM_SZ(ptys_reg);
	b.out_len += PRM_SZ(ptys_reg);
	SET(access_register_in, b.in, F(op_mod, 1), F(register_id, 0x5004));
	SET(ptys_reg, reg, F(local_port, 1), F(proto_mask, 4));
	return reg;
}

Test(port, ptys_says_100g)
{
	const uint8_t *reg = b.out + PRM_SZ(access_register_out);

	BOX_OK(ptys_box());
	cr_assert_eq(PRM_GET(ptys_reg, reg, eth_proto_oper), 1 << 20); /* 100GBASE_CR4 */
	cr_assert_eq(PRM_GET(ptys_reg, reg, eth_proto_oper) &
			     ~PRM_GET(ptys_reg, reg, eth_proto_capability),
		     0);
}

Test(port, register_refusals)
{
	BAD_PARAM(WITH_FIELD(ptys_box(), access_register_in, op_mod, 0), WHY_VALUE); /* write */
	BAD_PARAM(WITH_FIELD(ptys_box(), access_register_in, register_id, 0x5001),
		  WHY_REGISTER); /* PCAP */
	BAD_PARAM(WITH_FIELD(ptys_box(), access_register_in, argument, 1), WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(ptys_reg, ptys_box(), local_port, 2), WHY_VALUE);
	BAD_PARAM(PRM_SET(ptys_reg, ptys_box(), eth_proto_admin, 1), WHY_UNSUPPORTED);
	BOX_REFUSED(SHORTER(ptys_box(), 1), FW_BAD_INP_LEN, WHY_IN_LEN);
	BOX_REFUSED(WITH(ptys_box(), b.out_len--), FW_BAD_OUTP_LEN, WHY_OUT_LEN);
}

/* A user's read of register @id of @bytes; its data in the inbox. */
static uint8_t *user_box(uint32_t id, size_t bytes)
{
	uint16_t u = new_uctx();

	box(PRM_OP_ACCESS_REGISTER_USER);
	uid(u);
	b.in_len += bytes;
	b.out_len += bytes;
	SET(access_register_in, b.in, F(op_mod, 1), F(register_id, id));
	b.in[PRM_SZ(access_register_in) + 1] = 1; /* local_port is there in all of them */
	return b.in + PRM_SZ(access_register_in);
}

Test(port, users_read_registers)
{
	const uint8_t *reg = b.out + PRM_SZ(access_register_out);

	BOX_OK(PRM_SET(ptys_reg, user_box(0x5004, PRM_SZ(ptys_reg)), proto_mask, 4));
	cr_assert_eq(PRM_GET(ptys_reg, reg, eth_proto_oper), 1 << 20);
	BOX_OK(user_box(0x5003, PRM_SZ(pmtu_reg)));
	cr_assert_eq(PRM_GET(pmtu_reg, reg, oper_mtu), 1024 + 96 + 22);
	cr_assert_eq(PRM_GET(pmtu_reg, reg, max_mtu), 10000);
	BOX_OK(user_box(0x5006, PRM_SZ(paos_reg)));
	cr_assert_eq(PRM_GET(paos_reg, reg, oper_status), 1);
	cr_assert_eq(PRM_GET(paos_reg, reg, local_port), 1);
}

Test(port, ppcnt_counts_the_wire)
{
	const uint8_t *reg = b.out + PRM_SZ(access_register_out);
	const uint8_t *set = PRM_ADDR(ppcnt_reg, reg, counter_set);

	hca.counted->port.tx.frames[HCA_IB_UNICAST] = 7;
	hca.counted->port.tx.octets = 0x123456789;
	hca.counted->port.rx.frames[HCA_IB_UNICAST] = 9;
	hca.counted->port.rx.octets = 900;
	BOX_OK(user_box(0x5008, PRM_SZ(ppcnt_reg)));
	cr_assert_eq(PRM_GET(eth_802_3_cntrs_grp_data_layout, set, a_frames_transmitted_ok_low),
		     7);
	cr_assert_eq(
		PRM_GET(eth_802_3_cntrs_grp_data_layout, set, a_octets_transmitted_ok_high), 1);
	cr_assert_eq(PRM_GET(eth_802_3_cntrs_grp_data_layout, set, a_octets_transmitted_ok_low),
		     0x23456789);
	cr_assert_eq(PRM_GET(eth_802_3_cntrs_grp_data_layout, set, a_frames_received_ok_low),
		     9);
	cr_assert_eq(PRM_GET(eth_802_3_cntrs_grp_data_layout, set, a_octets_received_ok_low),
		     900);
	BAD_PARAM(PRM_SET(ppcnt_reg, user_box(0x5008, PRM_SZ(ppcnt_reg)), grp, 0x11),
		  WHY_UNSUPPORTED);
	BAD_PARAM(PRM_SET(ppcnt_reg, user_box(0x5008, PRM_SZ(ppcnt_reg)), prio_tc, 1),
		  WHY_VALUE);
	BAD_PARAM(PRM_SET(ppcnt_reg, user_box(0x5008, PRM_SZ(ppcnt_reg)), clr, 1),
		  WHY_UNSUPPORTED);
}

/* The counter whose high dword is at @byte of the counter set, which begins at 8; prio_tc is in
 * the low bits of word 1. */
static uint64_t counter_of_prio(uint8_t grp, uint8_t prio, unsigned int byte)
{
	const uint8_t *p = b.out + PRM_SZ(access_register_out) + 8 + byte;
	uint8_t *reg = user_box(0x5008, PRM_SZ(ppcnt_reg));

	reg[3] = grp;
	reg[7] = prio;
	cr_assert_eq(execute(), FW_OK);
	return (uint64_t)core_be32(p) << 32 | core_be32(p + 4);
}

static uint64_t counter(uint8_t grp, unsigned int byte)
{
	return counter_of_prio(grp, 0, byte);
}

/* Offsets in bytes of eth_802_3_cntrs_grp_data_layout and eth_2863_cntrs_grp_data_layout,
 * mlx5_ifc.h. */
Test(port, ppcnt_counts_kinds_of_frames)
{
	_Atomic uint64_t *tx = hca.counted->port.tx.frames, *rx = hca.counted->port.rx.frames;

	tx[HCA_IB_UNICAST] = 1;
	tx[HCA_IB_MULTICAST] = 20;
	tx[HCA_ETH_UNICAST] = 300;
	tx[HCA_ETH_MULTICAST] = 4000;
	tx[HCA_ETH_BROADCAST] = 50000;
	for (int i = 0; i < HCA_CASTS; i++)
		rx[i] = 2 * tx[i];
	cr_expect_eq(counter(0, 0x30), 4020);  /* a_multicast_frames_xmitted_ok */
	cr_expect_eq(counter(0, 0x38), 50000); /* a_broadcast_frames_xmitted_ok */
	cr_expect_eq(counter(0, 0x40), 8040);
	cr_expect_eq(counter(0, 0x48), 100000);
	cr_expect_eq(counter(1, 0x08), 602); /* if_in_ucast_pkts */
	cr_expect_eq(counter(1, 0x30), 301); /* if_out_ucast_pkts */
	cr_expect_eq(counter(1, 0x48), 8040);
	cr_expect_eq(counter(1, 0x50), 100000);
	cr_expect_eq(counter(1, 0x58), 4020);
	cr_expect_eq(counter(1, 0x60), 50000);
	hca.counted->port.rx.octets = 77;
	cr_expect_eq(counter(1, 0x00), 77); /* if_in_octets */
	hca.counted->port.too_long = 5;
	cr_expect_eq(counter(0, 0x60), 5); /* a_frame_too_long_errors */
}

/* eth_2819_cntrs_grp_data_layout: octets at 0x08, pkts at 0x10, pkts64octets at 0x58, then the
 * others. */
Test(port, ppcnt_counts_lengths)
{
	static const size_t longest[10] = { 64,	  127,	255,  511,  1023,
					    1518, 2047, 4095, 8191, 10239 };

	for (unsigned int i = 0; i < 10; i++) {
		hca_count_rx(&hca, HCA_ETH_UNICAST, false, 1, longest[i] - 4);
		cr_expect_eq(counter(2, 0x58 + 8 * i), 1 + !!i, "%zu bytes", longest[i]);
		hca_count_rx(&hca, HCA_ETH_UNICAST, false, 1, longest[i] - 3);
	}
	cr_expect_eq(counter(2, 0x10), 20);
	cr_expect_eq(counter(2, 0x08), hca.counted->port.rx.octets);
}

/* eth_per_prio_grp_data_layout: rx_octets, rx_frames at 0x20, tx_octets at 0x28, tx_frames at
 * 0x48. */
Test(port, ppcnt_counts_priorities)
{
	hca.counted->port.rx.of_prio[0].octets = 1;
	hca.counted->port.rx.of_prio[7].octets = 2;
	hca.counted->port.rx.of_prio[7].frames = 3;
	hca.counted->port.tx.of_prio[7].octets = 4;
	hca.counted->port.tx.of_prio[7].frames = 5;
	cr_expect_eq(counter(0x10, 0), 1);
	cr_expect_eq(counter_of_prio(0x10, 7, 0), 2);
	cr_expect_eq(counter_of_prio(0x10, 7, 0x20), 3);
	cr_expect_eq(counter_of_prio(0x10, 7, 0x28), 4);
	cr_expect_eq(counter_of_prio(0x10, 7, 0x48), 5);
	user_box(0x5008, PRM_SZ(ppcnt_reg))[3] = 0x10;
	b.in[16 + 7] = 8;
	cr_assert_eq(execute(), FW_BAD_PARAM, "there are 8");
}

/* PMLP: width in byte 3; lane i is word 1 + i: rx_lane 27:24, tx_lane 19:16, module 7:0. */
Test(port, pmlp_has_four_lanes_of_a_module)
{
	const uint8_t *reg = b.out + PRM_SZ(access_register_out);

	BOX_OK(user_box(0x5002, 64));
	cr_expect_eq(reg[3], 4);
	for (unsigned int i = 0; i < 4; i++)
		cr_expect_eq(core_be32(reg + 4 + 4 * i), i << 24 | i << 16, "lane %u", i);
}

/* @n bytes from @at on of the memory of @module at I2C address @i2c: they are read to byte 16
 * of the register; the status is its byte 3. */
static const uint8_t *mcia(uint8_t module, uint8_t i2c, uint8_t page, uint16_t at, uint16_t n)
{
	uint8_t *reg = user_box(0x9014, 0x90);

	reg[1] = module;
	reg[4] = i2c;
	reg[5] = page;
	reg[6] = at >> 8;
	reg[7] = at;
	reg[10] = n >> 8;
	reg[11] = n;
	return execute() == FW_OK ? b.out + PRM_SZ(access_register_out) : NULL;
}

/* Bit 127 is the highest of the first word, which follows 8 bytes (mlx5_ifc.h, mcam_access_reg:
 * mcqi 97, mcqs 96, mcia 20; pcam_regs_5000_to_507f: ppcnt 8). */
Test(port, pcam_and_mcam_say_which_registers_there_are)
{
	static const struct {
		uint16_t id;
		uint8_t bytes, group;
		uint32_t words[4];
	} rows[] = { { 0x507f, 80, 0, { 1u << 31, 0, 0, 0x000001dc } },
		     { 0x907f, 72, 0, { 1u << 31 | 3, 0, 0, 1u << 20 } },
		     { 0x907f, 72, 3, { 0 } } };
	const uint8_t *reg = b.out + PRM_SZ(access_register_out);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t *ask = user_box(rows[i].id, rows[i].bytes);

		ask[1] = 0; /* feature_group */
		ask[3] = rows[i].group;
		cr_assert_eq(execute(), FW_OK);
		for (unsigned int w = 0; w < 4; w++)
			cr_expect_eq(core_be32(reg + 8 + 4 * w), rows[i].words[w],
				     "0x%x %u: word %u is 0x%x", rows[i].id, rows[i].group, w,
				     core_be32(reg + 8 + 4 * w));
		for (unsigned int n = 24; n < rows[i].bytes; n++)
			cr_expect_eq(reg[n], 0, "no features");
		BAD_PARAM(user_box(rows[i].id, rows[i].bytes)[3] = 7, WHY_VALUE);
	}
}

/* MCQS: last_index_flag bit 31 of word 0, identifier in word 1, component_status 8:4 of word 2.
 * MCQI: info_type in word 2, data_size in word 5, the data follow: version in their word 1. */
Test(port, mcqi_has_the_version)
{
	const uint8_t *reg = b.out + PRM_SZ(access_register_out);

	BOX_OK(user_box(0x9060, 16)[1] = 0);
	cr_expect_eq(core_be32(reg), 1u << 31);
	cr_expect_eq(core_be32(reg + 4), 1);
	cr_expect_eq(core_be32(reg + 8), 2 << 4);
	for (int left = 1; left >= 0; left--) {
		uint8_t *ask = user_box(0x9061, 0x18);

		ask[1] = 0;
		ask[11] = 1;
		ask[23] = 0x7c;
		b.out_len += 0x7c - left;
		cr_assert_eq(execute(), left ? FW_BAD_PARAM : FW_OK);
	}
	cr_expect_eq(core_be32(reg + 0x18), 10, "length of the text");
	cr_expect_eq(core_be32(reg + 0x18 + 4), 0x102307d0, "16.35.2000");
	cr_expect_not(memcmp(reg + 0x18 + 0x20, "16.35.2000", 10));
}

/* SFF-8636: QSFP28 in 0 and 128, revision 2.8, flat memory, no separable connector, 1 m of
 * copper, 40GBASE-CR4 and more in 192, the rate in 222 in units of 250 MBd; the sums of 128 to
 * 190 in 191 and of 192 to 222 in 223. */
Test(port, mcia_reads_a_copper_cable)
{
	uint8_t want[256] = {
		0x11,	      0x08,	 0x04,	       [128] = 0x11, [130] = 0x23, [131] = 0x88,
		[140] = 0xff, [146] = 1, [147] = 0xa0, [192] = 0x0b, [222] = 103
	};

	memcpy(want + 148, "dvkit           ", 16);
	memcpy(want + 168, "emulated        ", 16);
	for (unsigned int i = 128; i < 223; i++)
		want[i < 191 ? 191 : 223] += i == 191 ? 0 : want[i];
	for (unsigned int at = 0; at < 256; at += 32) {
		const uint8_t *reg = mcia(0, 0x50, 0, at, 32);

		cr_assert(reg && !reg[3]);
		cr_expect_arr_eq(reg + 16, want + at, 32, "%u", at);
	}
}

Test(port, mcia_reads_what_is_there)
{
	cr_expect_eq(mcia(1, 0x50, 0, 0, 1)[3], 3, "no module");
	cr_expect_eq(mcia(0, 0x51, 0, 0, 1)[3], 9, "I2C");
	cr_expect_null(mcia(0, 0x50, 0, 0, 0));
	cr_expect_null(mcia(0, 0x50, 0, 0, 49));
	cr_expect_null(mcia(0, 0x50, 0, 255, 2));
	cr_expect_eq(mcia(0, 0x50, 3, 128, 48)[16], 0x11, "of any page");
}

/* The driver's command is not for users, and theirs only where the device has it. */
Test(port, users_have_another_command)
{
	uint16_t u = new_uctx();

	AS(u, ptys_box());
	cr_assert_eq(execute(), FW_BAD_PARAM);
	BAD_PARAM(WITH_FIELD(user_box(0x5006, PRM_SZ(paos_reg)), access_register_in, op_mod, 0),
		  WHY_UID);
	PRM_SET(cmd_hca_cap, hca.caps[0], access_register_user, 0);
	BOX_REFUSED(user_box(0x5006, PRM_SZ(paos_reg)), FW_BAD_OP, WHY_OPCODE);
}
