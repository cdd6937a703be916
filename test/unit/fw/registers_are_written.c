/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes of PAOS, PTYS and PFCC, bytes as in mlx5_ifc.h; who may write, and what cannot be
 * written. */
#include "device.h"

DEVICE_SUITE(register_write);

#define READ  1
#define WRITE 0

/* The register in the inbox: its bytes follow the 16 of the command. */
static uint8_t *reg_box(uint16_t id, size_t bytes, unsigned int op)
{
	box(PRM_OP_ACCESS_REG);
	b.in_len += bytes;
	b.out_len += bytes;
	b.in[7] = op;
	b.in[10] = id >> 8;
	b.in[11] = id;
	b.in[17] = 1; /* local_port */
	return b.in + 16;
}

static uint32_t word(unsigned int i)
{
	return core_be32(b.out + 16 + 4 * i);
}

static void put(uint8_t *reg, unsigned int i, uint32_t v)
{
	core_put_be32(reg + 4 * i, v);
}

/* PAOS: admin_status, bits 11:8 of word 0; ase, bit 31 of word 1. */
static enum fw_status paos(uint8_t admin, bool ase)
{
	uint8_t *reg = reg_box(0x5006, 16, WRITE);

	reg[2] = admin;
	reg[4] = ase ? 0x80 : 0;
	return execute();
}

Test(register_write, paos_takes_the_link_down_and_up)
{
	cr_assert_eq(paos(2, true), FW_OK);
	cr_assert_eq(word(0), 0x00010202); /* port 1, admin down, oper down */
	cr_assert(hca_link_is_down(&hca));
	BOX_OK(reg_box(0x5006, 16, READ));
	cr_assert_eq(word(0), 0x00010202);
	BOX_OK(box(PRM_OP_QUERY_VPORT_STATE));
	cr_assert_eq(b.out[0xf], 0x10); /* admin up, down */
	cr_assert_eq(paos(1, true), FW_OK);
	cr_assert_eq(word(0), 0x00010101);
	cr_assert_not(hca_link_is_down(&hca));
}

/* PPCNT, 0x5008, group 0x12, in byte 3: link_down_events, 32 bits at 0xc0 of the counters,
 * which begin at 8. */
static uint32_t link_down_events(void)
{
	BOX_OK(reg_box(0x5008, 256, READ)[3] = 0x12);
	return word((8 + 0xc0) / 4);
}

Test(register_write, losses_of_the_link_are_counted)
{
	cr_expect_eq(link_down_events(), 0);
	cr_assert_eq(paos(2, true), FW_OK);
	cr_assert_eq(paos(2, true), FW_OK);
	cr_expect_eq(link_down_events(), 1);
	cr_assert_eq(paos(1, true), FW_OK);
	cr_expect_eq(link_down_events(), 1);
	cr_assert_eq(paos(2, true), FW_OK);
	cr_expect_eq(link_down_events(), 2);
}

Test(register_write, paos_without_ase_changes_nothing)
{
	cr_assert_eq(paos(2, false), FW_OK);
	cr_assert_eq(word(0), 0x00010101);
	cr_assert_not(hca_link_is_down(&hca));
}

/* Tools write back what they read, oper_status too. */
Test(register_write, fields_that_are_only_read_are_ignored)
{
	uint8_t *reg = reg_box(0x5006, 16, WRITE);

	reg[2] = 2;
	reg[3] = 1;
	reg[4] = 0x80;
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(word(0), 0x00010202);
}

Test(register_write, states_that_are_not_there_are_refused)
{
	cr_assert_eq(paos(3, true), FW_BAD_PARAM); /* up once */
	cr_assert_eq(paos(0, true), FW_BAD_PARAM);
	BAD_PARAM(reg_box(0x5006, 16, WRITE)[7] = 1, WHY_UNSUPPORTED); /* e */
	BAD_PARAM(reg_box(0x5006, 16, WRITE)[1] = 2, WHY_VALUE);       /* port 2 */
	cr_assert_not(hca_link_is_down(&hca));
}

/* PTYS: proto_mask in word 0, eth_proto_admin is word 6, eth_proto_oper word 9. */
static enum fw_status ptys(unsigned int op, uint32_t admin)
{
	uint8_t *reg = reg_box(0x5004, 64, op);

	reg[3] = 4;
	put(reg, 6, admin);
	return execute();
}

Test(register_write, ptys_counts_when_the_link_comes_up)
{
	const uint32_t slow = 1u << 27 | 1u << 12; /* 25GBASE_CR, 10GBASE_CR */

	cr_assert_eq(ptys(WRITE, slow), FW_OK);
	cr_assert_eq(word(6), slow);
	cr_assert_eq(word(9), 1u << 20);    /* 100GBASE_CR4, still */
	cr_assert_eq(paos(1, true), FW_OK); /* it is up already */
	cr_assert_eq(ptys(READ, 0), FW_OK);
	cr_assert_eq(word(9), 1u << 20);
	cr_assert_eq(paos(2, true), FW_OK);
	cr_assert_eq(ptys(READ, 0), FW_OK);
	cr_assert_eq(word(9), 0);
	cr_assert_eq(paos(1, true), FW_OK);
	cr_assert_eq(ptys(READ, 0), FW_OK);
	cr_assert_eq(word(9), 1u << 27);
	cr_assert_eq(word(6), slow);
}

/* an_disable_admin: bit 30 of word 0, an_disable_cap bit 29. */
Test(register_write, ptys_may_do_without_autonegotiation)
{
	uint8_t *reg = reg_box(0x5004, 64, WRITE);

	put(reg, 0, 1u << 30 | 0x10004);
	put(reg, 6, 1u << 27);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(ptys(READ, 0), FW_OK);
	cr_expect_eq(word(0), 3u << 29 | 0x10004);
	cr_assert_eq(ptys(WRITE, 1u << 27), FW_OK);
	cr_expect_eq(word(0), 1u << 29 | 0x10004);
}

Test(register_write, ptys_has_modes_of_the_cable)
{
	cr_assert_eq(ptys(WRITE, 0), FW_BAD_PARAM);
	cr_assert_eq(ptys(WRITE, 1u << 20 | 1u << 21), FW_BAD_PARAM); /* 100GBASE_SR4 */
	reg_box(0x5004, 64, WRITE)[3] = 1;			      /* InfiniBand */
	cr_assert_eq(execute(), FW_BAD_PARAM);
	cr_assert_eq(ptys(READ, 0), FW_OK);
	cr_assert_eq(word(6), word(3)); /* all that it is capable of */
}

/* PFCC: prio_mask_tx 23:16, prio_mask_rx 7:0 of word 1; pptx 31, aptx 30, pptx_mask_n 29, pfctx
 * 23:16 of word 2; of what is received word 3. */
Test(register_write, pfcc_is_kept)
{
	uint8_t *reg = reg_box(0x5007, 32, WRITE);

	put(reg, 2, 0); /* mlx5_set_port_pause(rx 1, tx 0) */
	put(reg, 3, 1u << 31);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(word(2), 0);
	cr_assert_eq(word(3), 3u << 30);
	reg = reg_box(0x5007, 32, WRITE);
	put(reg, 1, 0x00ff00ff); /* mlx5_set_port_pfc(tx 0x88, rx 0x08) */
	put(reg, 2, 1u << 29 | 0x88 << 16);
	put(reg, 3, 1u << 29 | 0x08 << 16);
	cr_assert_eq(execute(), FW_OK);
	cr_assert_eq(word(2), 0x88 << 16);
	cr_assert_eq(word(3), 3u << 30 | 0x08 << 16);
	BAD_PARAM(put(reg_box(0x5007, 32, WRITE), 4, 1),
		  WHY_UNSUPPORTED); /* watermarks of a stall */
}

/* The kernel sets the MTU of its network device and 22 bytes; 10000 is the maximum. */
Test(register_write, mtu_has_a_maximum)
{
	hca.life = HCA_RUNNING;
	BOX_OK(put(reg_box(0x5003, 16, WRITE), 2, 10000u << 16));
	cr_assert_eq(word(2), 10000u << 16, "admin_mtu");
	cr_assert_eq(word(3), 10000u << 16, "oper_mtu");
	BAD_PARAM(put(reg_box(0x5003, 16, WRITE), 2, 10001u << 16), WHY_VALUE);
	BAD_PARAM(put(reg_box(0x5003, 16, WRITE), 2, 0), WHY_VALUE);
	BOX_OK(reg_box(0x5003, 16, READ));
	cr_assert_eq(word(2), 10000u << 16, "as it was");
}

/* A host that is not little-endian is refused. */
Test(register_write, host_is_little_endian)
{
	BOX_OK(put(reg_box(0x7004, 16, WRITE), 0, 0)); /* there is no port in it */
	BAD_PARAM(put(reg_box(0x7004, 16, WRITE), 0, 1u << 31), WHY_UNSUPPORTED);
}

Test(register_write, node_description_is_kept)
{
	uint8_t *reg = reg_box(0x6001, 64, WRITE);

	put(reg, 0, 0);
	put(reg, 15, 0x61626364);
	cr_assert_eq(execute(), FW_OK);
	BOX_OK(put(reg_box(0x6001, 64, READ), 0, 0));
	cr_assert_eq(word(15), 0x61626364);
}

Test(register_write, the_rest_is_only_read)
{
	BAD_PARAM(put(reg_box(0x5003, 16, WRITE), 2, 1500u << 16),
		  WHY_READ_ONLY);			       /* PMTU, of programs */
	BAD_PARAM(reg_box(0x5008, 256, WRITE), WHY_READ_ONLY); /* PPCNT */
	BAD_PARAM(reg_box(0x5001, 16, WRITE), WHY_REGISTER);   /* PCAP */
}

/* A user context with the rights @cap. */
static uint16_t uctx(uint32_t cap)
{
	box(PRM_OP_CREATE_UCTX);
	return MADE(PRM_SET(uctx, PRM_ADDR(create_uctx_in, b.in, uctx), cap, cap));
}

/* By ACCESS_REGISTER_USER, 0xb0c. */
static enum fw_status paos_of_user(uint16_t u)
{
	uint8_t *reg = reg_box(0x5006, 16, WRITE);

	b.in[0] = 0x0b;
	b.in[1] = 0x0c;
	uid(u);
	reg[2] = 2;
	reg[4] = 0x80;
	return execute();
}

Test(register_write, users_need_the_right_tools_resources)
{
	uint16_t user = uctx(0), tools = uctx(4);

	cr_assert_eq(paos_of_user(user), FW_BAD_PARAM);
	cr_assert_not(hca_link_is_down(&hca));
	cr_assert_eq(paos_of_user(tools), FW_OK);
	cr_assert(hca_link_is_down(&hca));
}

/* Another function of the adapter, in another process; and one of another adapter. */
Test(register_write, all_functions_of_the_adapter_have_it)
{
	static struct hca_adapter all[HCA_ADAPTERS];
	static struct hca_vhca vhcas[HCA_VHCAS];
	static struct hca same, other;

	cr_assert_eq(hca_init(&same, 6), 0);
	cr_assert_eq(hca_init(&other, 7), 0);
	same.vhcas = other.vhcas = hca.vhcas = vhcas;
	same.adapters = other.adapters = hca.adapters = all;
	hca_vhca_publish(&hca, 0xc0a80001);
	cr_assert_eq(paos(2, true), FW_OK);
	hca_vhca_publish(&same, 0xc0a80001);
	hca_vhca_publish(&other, 0xc0a80002);
	cr_assert(same.port.down); /* from the first moment on */
	cr_assert_not(other.port.down);
	cr_assert_eq(paos(1, true), FW_OK);
	cr_assert_not(hca_link_is_down(&same));
	hca_fini(&same);
	hca_fini(&other);
}
