/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access registers: what the driver asks of the port by ACCESS_REG, and a user by
 * ACCESS_REGISTER_USER.
 *
 *	inbox  | op_mod read | register_id | argument 0 | register: local_port 1, group, …
 *	outbox |                                        | register: the same, and its values
 *
 * Which registers there are is the table here; all else is refused, and so is every write: the
 * registers that are here describe a cable and a link that cannot be changed.
 */
#include "fw/rows.h"

#define PORT 1

/* Our cable, a copper one: the link runs 100GBASE-CR4, and could be one of 1, 10, 25, 40 and 50
 * Gb/s. */
#define MODE(name) (1u << PRM_ETH_LINK_MODE_##name)
#define ETH_CAPABLE                                                                    \
	(MODE(1000BASE_KX) | MODE(10GBASE_KR) | MODE(40GBASE_CR4) | MODE(10GBASE_CR) | \
	 MODE(100GBASE_CR4) | MODE(25GBASE_CR) | MODE(50GBASE_CR2))

/* What Ethernet adds to the MTU of its network device: header 14, VLAN tag 4, FCS 4. */
#define ETHERNET_OVERHEAD 22
#define MAX_MTU		  (9978 + ETHERNET_OVERHEAD) /* of the network device: 9978 */

struct reg {
	uint16_t id;
	const char *layout;
	uint16_t bytes;
	struct fw_bits port;	   /* where it says which port; width 0: nowhere */
	const struct fw_bits *ask; /* what else a read may name */
	/* Fills @reg, which has the question's fields; the reason to refuse, or 0. */
	uint8_t (*read)(const struct hca *hca, const uint8_t *ask, uint8_t *reg);
};

static uint8_t read_ptys(const struct hca *hca, const uint8_t *ask, uint8_t *reg)
{
	(void)hca;
	if (PRM_GET(ptys_reg, ask, proto_mask) != PRM_PTYS_PROTO_EN)
		return FW_WHY_VALUE;
	PRM_SET(ptys_reg, reg, eth_proto_capability, ETH_CAPABLE);
	PRM_SET(ptys_reg, reg, eth_proto_admin, ETH_CAPABLE);
	PRM_SET(ptys_reg, reg, eth_proto_oper, MODE(100GBASE_CR4));
	return 0;
}

/* assumed(pmtu_counts_the_ethernet_header): PMTU's numbers are the network device's MTU and 22
 * bytes: header, VLAN tag and FCS (mlx5_core, en.h, MLX5E_SW2HW_MTU). */
static uint8_t read_pmtu(const struct hca *hca, const uint8_t *ask, uint8_t *reg)
{
	uint32_t mtu = hca->port.mtu + HCA_ROCE_OVERHEAD + ETHERNET_OVERHEAD;

	(void)ask;
	PRM_SET(pmtu_reg, reg, max_mtu, MAX_MTU);
	PRM_SET(pmtu_reg, reg, admin_mtu, mtu);
	PRM_SET(pmtu_reg, reg, oper_mtu, mtu);
	return 0;
}

static uint8_t read_paos(const struct hca *hca, const uint8_t *ask, uint8_t *reg)
{
	(void)ask;
	PRM_SET(paos_reg, reg, admin_status, PRM_PORT_ADMIN_UP);
	PRM_SET(paos_reg, reg, oper_status,
		hca->port.down ? PRM_PORT_OPER_DOWN : PRM_PORT_OPER_UP);
	return 0;
}

#define COUNTER(set, f, v)                                                          \
	do {                                                                        \
		PRM_SET(eth_802_3_cntrs_grp_data_layout, set, f##_high, (v) >> 32); \
		PRM_SET(eth_802_3_cntrs_grp_data_layout, set, f##_low, (v));        \
	} while (0)

/* Group 0, IEEE 802.3; no other group has counters here. */
static uint8_t read_ppcnt(const struct hca *hca, const uint8_t *ask, uint8_t *reg)
{
	uint8_t *set = PRM_ADDR(ppcnt_reg, reg, counter_set);
	const struct hca_traffic *rx = &hca->counts.rx, *tx = &hca->counts.tx;

	if (PRM_GET(ppcnt_reg, ask, grp))
		return FW_WHY_UNSUPPORTED;
	COUNTER(set, a_frames_transmitted_ok, tx->packets);
	COUNTER(set, a_frames_received_ok, rx->packets);
	COUNTER(set, a_octets_transmitted_ok, tx->octets);
	COUNTER(set, a_octets_received_ok, rx->octets);
	return 0;
}

static const struct fw_bits ptys[] = { F(ptys_reg, local_port), F(ptys_reg, proto_mask), END };
static const struct fw_bits pmtu[] = { F(pmtu_reg, local_port), END };
static const struct fw_bits paos[] = { F(paos_reg, local_port), END };
static const struct fw_bits ppcnt[] = { F(ppcnt_reg, local_port), F(ppcnt_reg, grp), END };

#define PRM_REGISTER(name, id, s) REG_##name = id,
enum {
#include "prm/register.def"
};

#define REG(NAME, name)                                                                        \
	{                                                                                      \
		REG_##NAME, #name "_reg", PRM_SZ(name##_reg), F(name##_reg, local_port), name, \
			read_##name                                                            \
	}
static const struct reg regs[] = {
	REG(PTYS, ptys),
	REG(PMTU, pmtu),
	REG(PAOS, paos),
	REG(PPCNT, ppcnt),
};

static const struct reg *reg_of(uint32_t id)
{
	for (size_t i = 0; i < ARRAY_SIZE(regs); i++)
		if (regs[i].id == id)
			return &regs[i];
	return NULL;
}

static enum fw_status read_reg(struct fw_cmd *c, const struct reg *r)
{
	const uint8_t *ask = PRM_ADDR(access_register_in, c->in, register_data);
	uint8_t *to = PRM_ADDR(access_register_out, c->out, register_data);
	size_t end = PRM_SZ(access_register_in) + r->bytes;
	uint8_t why;

	/* mlx5ctl reads all registers with boxes of one length, that of the longest register. */
	if (c->in_len < end || !fw_all_zero(c->in + end, c->in_len - end))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (c->out_len < PRM_SZ(access_register_out) + r->bytes)
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	why = fw_accept(r->layout, r->ask, ask, r->bytes);
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	/* There is one port. That all else is BAD_PARAM is our choice: the kernel asks for what
	 * there is. */
	if (prm_load(ask, r->port.first, r->port.width) != PORT)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	memcpy(to, ask, r->bytes);
	why = r->read(c->hca, ask, to);
	return why ? fw_refuse(c, FW_BAD_PARAM, why) : FW_OK;
}

/* assumed(register_not_there_is_bad_param): a register that the device does not have, and writing
 * one that cannot be written, is BAD_PARAM. */
enum fw_status fw_access_reg(struct fw_cmd *c)
{
	const struct reg *r = reg_of(PRM_GET(access_register_in, c->in, register_id));

	if (c->opcode == PRM_OP_ACCESS_REGISTER_USER && !FW_GEN(c->hca, access_register_user))
		return fw_refuse(c, FW_BAD_OP, FW_WHY_OPCODE);
	if (PRM_GET(access_register_in, c->in, op_mod) != PRM_REG_OP_READ)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	if (!r)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return read_reg(c, r);
}
