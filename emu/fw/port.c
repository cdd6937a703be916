/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port: its GID table, its MAC and MTU, its link.
 *
 *	SET_ROCE_ADDRESS --> dev.port.gid[index] <-- qpc.primary_address_path.src_addr_index
 */
#include "fw/command.h"

/* Our cable, a copper one: the link runs 100GBASE-CR4, and could be one of 1, 10, 25, 40 and 50
 * Gb/s. */
/* bits of ptys_reg.eth_proto_*: <linux/mlx5/port.h>, enum mlx5e_link_mode */
enum {
	ETH_1000BASE_KX = 1 << 1,
	ETH_10GBASE_KR = 1 << 4,
	ETH_40GBASE_CR4 = 1 << 6,
	ETH_10GBASE_CR = 1 << 12,
	ETH_100GBASE_CR4 = 1 << 20,
	ETH_25GBASE_CR = 1 << 27,
	ETH_50GBASE_CR2 = 1 << 30,
};

#define ETH_CAPABLE                                                            \
	(ETH_1000BASE_KX | ETH_10GBASE_KR | ETH_40GBASE_CR4 | ETH_10GBASE_CR | \
	 ETH_100GBASE_CR4 | ETH_25GBASE_CR | ETH_50GBASE_CR2)

#define REG_PTYS 0x5004
#define REG_READ 1 /* op_mod; 0 writes */
#define PTYS_EN	 4 /* proto_mask: Ethernet */
#define VPORT_UP 1

/* What RoCE adds to a packet of the path MTU: GRH 40, UDP 8, BTH 12, the longest extension
 * headers 32, ICRC 4 (ib_core, iboe_get_mtu). */
#define ROCE_OVERHEAD 96

static bool all_zero(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

static void put_mac(uint8_t mac[6], uint32_t high, uint32_t low)
{
	const uint8_t bytes[6] = { high >> 8, high, low >> 24, low >> 16, low >> 8, low };

	memcpy(mac, bytes, 6);
}

static uint32_t mac_high(const uint8_t mac[6])
{
	return (uint32_t)mac[0] << 8 | mac[1];
}

static uint32_t mac_low(const uint8_t mac[6])
{
	return (uint32_t)mac[2] << 24 | mac[3] << 16 | mac[4] << 8 | mac[5];
}

enum fw_status fw_set_roce_address(struct fw_cmd *c)
{
	uint32_t index = PRM_GET(set_roce_address_in, c->in, roce_address_index);
	const uint8_t *addr = PRM_ADDR(set_roce_address_in, c->in, roce_address);
	uint32_t version = PRM_GET(roce_addr_layout, addr, roce_version);
	uint32_t l3 = PRM_GET(roce_addr_layout, addr, roce_l3_type);
	struct dev_gid *gid;

	if (index >= FW_ROCE(c->d, roce_address_table_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	gid = &c->d->port.gid[index];
	/* An all-zero address clears the entry (mlx5_ib, set_roce_addr of a NULL GID). */
	if (all_zero(addr, PRM_SZ(roce_addr_layout))) {
		memset(gid, 0, sizeof(*gid));
		return FW_OK;
	}
	/* roce_cap.l3_type is 1 << (type + 1): mlx5_ifc.h. mlx5_ib writes no version and no type
	 * that the capabilities lack, so the status for such is our choice. */
	if (version > 7 || !(FW_ROCE(c->d, roce_version) >> version & 1) || l3 > 1 ||
	    !(FW_ROCE(c->d, l3_type) >> (l3 + 1) & 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	gid->valid = true;
	memcpy(gid->raw, PRM_ADDR(roce_addr_layout, addr, source_l3_address), 16);
	put_mac(gid->mac, PRM_GET(roce_addr_layout, addr, source_mac_47_32),
		PRM_GET(roce_addr_layout, addr, source_mac_31_0));
	gid->version = version;
	gid->l3_type = l3;
	return FW_OK;
}

enum fw_status fw_query_roce_address(struct fw_cmd *c)
{
	uint32_t index = PRM_GET(query_roce_address_in, c->in, roce_address_index);
	uint8_t *addr = PRM_ADDR(query_roce_address_out, c->out, roce_address);
	const struct dev_gid *gid;

	if (index >= FW_ROCE(c->d, roce_address_table_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	gid = &c->d->port.gid[index];
	memcpy(PRM_ADDR(roce_addr_layout, addr, source_l3_address), gid->raw, 16);
	PRM_SET(roce_addr_layout, addr, source_mac_47_32, mac_high(gid->mac));
	PRM_SET(roce_addr_layout, addr, source_mac_31_0, mac_low(gid->mac));
	PRM_SET(roce_addr_layout, addr, roce_l3_type, gid->l3_type);
	PRM_SET(roce_addr_layout, addr, roce_version, gid->version);
	return FW_OK;
}

enum fw_status fw_query_nic_vport_context(struct fw_cmd *c)
{
	uint8_t *ctx = PRM_ADDR(query_nic_vport_context_out, c->out, nic_vport_context);
	uint8_t *mac = PRM_ADDR(nic_vport_context, ctx, permanent_address);
	const struct dev_port *port = &c->d->port;

	PRM_SET(nic_vport_context, ctx, roce_en, 1);
	PRM_SET(nic_vport_context, ctx, mtu, port->mtu + ROCE_OVERHEAD);
	PRM_SET(nic_vport_context, ctx, system_image_guid, port->node_guid);
	PRM_SET(nic_vport_context, ctx, port_guid, port->node_guid);
	PRM_SET(nic_vport_context, ctx, node_guid, port->node_guid);
	PRM_SET(mac_address_layout, mac, mac_addr_47_32, mac_high(port->mac));
	PRM_SET(mac_address_layout, mac, mac_addr_31_0, mac_low(port->mac));
	return FW_OK;
}

enum fw_status fw_query_vport_state(struct fw_cmd *c)
{
	PRM_SET(query_vport_state_out, c->out, admin_state, VPORT_UP);
	PRM_SET(query_vport_state_out, c->out, state, VPORT_UP);
	return FW_OK;
}

static const struct fw_bits ptys_question[] = {
	{ PRM_OFF(ptys_reg, local_port), PRM_W(ptys_reg, local_port) },
	{ PRM_OFF(ptys_reg, proto_mask), PRM_W(ptys_reg, proto_mask) },
	{ 0, 0 },
};

static enum fw_status read_ptys(struct fw_cmd *c)
{
	const uint8_t *ask = PRM_ADDR(access_register_in, c->in, register_data);
	uint8_t *reg = PRM_ADDR(access_register_out, c->out, register_data);
	uint32_t port;
	uint8_t why;

	if (c->in_len != PRM_SZ(access_register_in) + PRM_SZ(ptys_reg))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (c->out_len < PRM_SZ(access_register_out) + PRM_SZ(ptys_reg))
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	why = fw_accept(prm_struct("ptys_reg"), ptys_question, ask,
			c->in_len - PRM_SZ(access_register_in));
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	/* There is one port, and it is Ethernet. That all else is BAD_PARAM is our choice: only the
	 * kernel reads registers, and it asks for what there is. */
	port = PRM_GET(ptys_reg, ask, local_port);
	if (port != 1 || PRM_GET(ptys_reg, ask, proto_mask) != PTYS_EN)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	PRM_SET(ptys_reg, reg, local_port, port);
	PRM_SET(ptys_reg, reg, proto_mask, PTYS_EN);
	PRM_SET(ptys_reg, reg, eth_proto_capability, ETH_CAPABLE);
	PRM_SET(ptys_reg, reg, eth_proto_admin, ETH_CAPABLE);
	PRM_SET(ptys_reg, reg, eth_proto_oper, ETH_100GBASE_CR4);
	return FW_OK;
}

/* Our choice: a register that the model does not have, and writing one that it has, is
 * BAD_PARAM. */
enum fw_status fw_access_reg(struct fw_cmd *c)
{
	if (PRM_GET(access_register_in, c->in, op_mod) != REG_READ)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OP_MOD);
	if (PRM_GET(access_register_in, c->in, register_id) != REG_PTYS)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return read_ptys(c);
}
