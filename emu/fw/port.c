/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port: its GID table, its MAC and MTU, its link.
 *
 *	SET_ROCE_ADDRESS --> hca.port.gid[index] <-- qpc.primary_address_path.src_addr_index
 *
 * The kernel writes an address of each VLAN device, too. It is kept; for a QP there is no such
 * GID, since RoCE with a tag is not implemented.
 *
 * Its registers are in port_register.c, its counters in vport.c.
 */
#include "fw/command.h"

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
	struct hca_gid *gid;

	if (index >= FW_ROCE(c->hca, roce_address_table_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	gid = &c->hca->port.gid[index];
	/* An all-zero address clears the entry (mlx5_ib, set_roce_addr of a NULL GID). */
	if (fw_all_zero(addr, PRM_SZ(roce_addr_layout))) {
		memset(gid, 0, sizeof(*gid));
		return FW_OK;
	}
	/* roce_cap.l3_type is 1 << (type + 1): mlx5_ifc.h. mlx5_ib writes no version and no
	 * type that the capabilities lack, so the status for such is our choice. */
	if (version > 7 || !(FW_ROCE(c->hca, roce_version) >> version & 1) || l3 > 1 ||
	    !(FW_ROCE(c->hca, l3_type) >> (l3 + 1) & 1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	gid->tagged = PRM_GET(roce_addr_layout, addr, vlan_valid);
	gid->vlan = PRM_GET(roce_addr_layout, addr, vlan_id);
	gid->valid = !gid->tagged;
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
	const struct hca_gid *gid;

	if (index >= FW_ROCE(c->hca, roce_address_table_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	gid = &c->hca->port.gid[index];
	memcpy(PRM_ADDR(roce_addr_layout, addr, source_l3_address), gid->raw, 16);
	PRM_SET(roce_addr_layout, addr, source_mac_47_32, mac_high(gid->mac));
	PRM_SET(roce_addr_layout, addr, source_mac_31_0, mac_low(gid->mac));
	PRM_SET(roce_addr_layout, addr, vlan_valid, gid->tagged);
	PRM_SET(roce_addr_layout, addr, vlan_id, gid->vlan);
	PRM_SET(roce_addr_layout, addr, roce_l3_type, gid->l3_type);
	PRM_SET(roce_addr_layout, addr, roce_version, gid->version);
	return FW_OK;
}

enum fw_status fw_query_nic_vport_context(struct fw_cmd *c)
{
	uint8_t *ctx = PRM_ADDR(query_nic_vport_context_out, c->out, nic_vport_context);
	uint8_t *mac = PRM_ADDR(nic_vport_context, ctx, permanent_address);
	const struct hca_port *port = &c->hca->port;

	PRM_SET(nic_vport_context, ctx, roce_en, !c->hca->vport.roce_off);
	PRM_SET(nic_vport_context, ctx, mtu,
		c->hca->vport.mtu ? c->hca->vport.mtu
				  : port->mtu + HCA_ROCE_OVERHEAD + HCA_ETHERNET_OVERHEAD);
	PRM_SET(nic_vport_context, ctx, disable_uc_local_lb, !hca_loops_back(c->hca));
	PRM_SET(nic_vport_context, ctx, disable_mc_local_lb, !hca_loops_back(c->hca));
	PRM_SET(nic_vport_context, ctx, system_image_guid, port->sys_image_guid);
	PRM_SET(nic_vport_context, ctx, port_guid, port->node_guid);
	PRM_SET(nic_vport_context, ctx, node_guid, port->node_guid);
	PRM_SET(mac_address_layout, mac, mac_addr_47_32, mac_high(port->mac));
	PRM_SET(mac_address_layout, mac, mac_addr_31_0, mac_low(port->mac));
	return FW_OK;
}

#define PKEY_DEFAULT 0xffffu
#define PKEY_ALL     0xffffu /* index */
#define PKEYS	     128u    /* cmd_hca_cap.pkey_table_size 0 */

/* RoCE has one partition: the default P_Key, at index 0 (IBA, annex A17). */
enum fw_status fw_query_hca_vport_pkey(struct fw_cmd *c)
{
	uint32_t index = PRM_GET(query_hca_vport_pkey_in, c->in, pkey_index);
	size_t list = PRM_SZ(query_hca_vport_pkey_out), n = index == PKEY_ALL ? PKEYS : 1;

	if (PRM_GET(query_hca_vport_pkey_in, c->in, port_num) > 1 ||
	    (index >= PKEYS && index != PKEY_ALL))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (c->out_len < list + n * PRM_SZ(pkey))
		return fw_refuse(c, FW_BAD_OUTP_LEN, FW_WHY_OUT_LEN);
	if (!index || index == PKEY_ALL)
		PRM_SET(pkey, c->out + list, pkey, PKEY_DEFAULT);
	return FW_OK;
}

enum fw_status fw_query_vport_state(struct fw_cmd *c)
{
	PRM_SET(query_vport_state_out, c->out, admin_state, PRM_PORT_STATE_UP);
	PRM_SET(query_vport_state_out, c->out, state,
		hca_link_is_down(c->hca) ? PRM_PORT_STATE_DOWN : PRM_PORT_STATE_UP);
	return FW_OK;
}
