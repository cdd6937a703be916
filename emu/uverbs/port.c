/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The port and its GID table.
 *
 *	index 0  fe80::EUI-64 of the MAC   RoCE v1	(default GIDs: ib_core, roce_gid_mgmt.c)
 *	index 1  the same                  RoCE v2
 *	index 2  ::ffff:a.b.c.d            RoCE v1
 *	index 3  the same                  RoCE v2	and so on, for each address of the network interface
 *
 * The table that applications see is the one that the adapter holds (SET_ROCE_ADDRESS).
 */
#include <infiniband/verbs.h>

#include "uverbs/address.h"
#include "uverbs/method.h"

#define GID_LEN	      16
#define PHYS_DISABLED 3
#define PHYS_LINK_UP  5
/* ib_uverbs_query_port_resp_ex, of 6.12: the last of its six bytes that were reserved */
#define ACTIVE_SPEED_EX (offsetof(struct ib_uverbs_query_port_resp_ex, port_cap_flags2) + 4)

#define PRM_REGISTER(name, id, s) REG_##name = id,
enum {
#include "prm/register.def"
};

static int set_gid(struct uverbs *u, uint16_t index, const uint8_t gid[GID_LEN],
		   uint8_t version, uint8_t l3)
{
	uint8_t in[PRM_SZ(set_roce_address_in)] = { 0 },
		out[PRM_SZ(set_roce_address_out)] = { 0 };
	uint8_t *a = PRM_ADDR(set_roce_address_in, in, roce_address);
	const uint8_t *mac = u->hca->port.mac;

	PRM_SET(set_roce_address_in, in, opcode, PRM_OP_SET_ROCE_ADDRESS);
	PRM_SET(set_roce_address_in, in, roce_address_index, index);
	PRM_SET(roce_addr_layout, a, roce_version, version);
	PRM_SET(roce_addr_layout, a, roce_l3_type, l3);
	PRM_SET(roce_addr_layout, a, source_mac_47_32, mac[0] << 8 | mac[1]);
	PRM_SET(roce_addr_layout, a, source_mac_31_0,
		(uint32_t)mac[2] << 24 | mac[3] << 16 | mac[4] << 8 | mac[5]);
	memcpy(PRM_ADDR(roce_addr_layout, a, source_l3_address), gid, GID_LEN);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}

/* mlx5_ib, main.c, set_roce_addr: the L3 type is given for version 2 only. */
int uverbs_gids_set(struct uverbs *u, const uint8_t (*addresses)[16], unsigned int n)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < n; i++) {
		ret = set_gid(u, 2 * i, addresses[i], PRM_ROCE_VERSION_1, 0);
		if (!ret)
			ret = set_gid(u, 2 * i + 1, addresses[i], PRM_ROCE_VERSION_2,
				      hca_gid_is_ipv4(addresses[i]) ? PRM_ROCE_L3_TYPE_IPV4
								    : PRM_ROCE_L3_TYPE_IPV6);
	}
	return ret;
}

static uint32_t gid_table_len(const struct uverbs *u)
{
	uint32_t n = PRM_GET(roce_cap, u->caps[PRM_CAP_ROCE], roce_address_table_size);

	return n < HCA_GIDS ? n : HCA_GIDS;
}

/* ib_core, cache.c, rdma_get_gid_attr: beyond the table -EINVAL, an empty slot -ENODATA. */
int uverbs_gid(const struct uverbs *u, uint32_t index, const struct hca_gid **gid)
{
	if (index >= gid_table_len(u))
		return -EINVAL;
	*gid = &u->hca->port.gid[index];
	return (*gid)->valid ? 0 : -ENODATA;
}

static uint8_t active_mtu(const struct uverbs *u)
{
	uint32_t bytes = u->hca->port.mtu;
	uint8_t mtu = IBV_MTU_256;

	while (mtu < IBV_MTU_4096 && 128u << (mtu + 1) <= bytes)
		mtu++;
	return mtu;
}

/* mlx5_ib, main.c, mlx5_query_port_roce: without a carrier DOWN and DISABLED. */
uint8_t uverbs_port_state(const struct uverbs *u)
{
	return hca_link_is_down(u->hca) ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
}

uint8_t uverbs_port_phys_state(const struct uverbs *u)
{
	return hca_link_is_down(u->hca) ? PHYS_DISABLED : PHYS_LINK_UP;
}

#define MODE(name) (1u << PRM_ETH_LINK_MODE_##name)

/* mlx5_ib, main.c, translate_eth_legacy_proto_oper: what a mode of Ethernet is as one of
 * InfiniBand (enum ib_port_speed, ib_port_width). */
static const struct {
	uint32_t mode;
	uint8_t speed, width;
} rates[] = {
	{ MODE(1000BASE_KX), 1, 1 },   { MODE(10GBASE_KR), 4, 1 },
	{ MODE(10GBASE_CR), 4, 1 },    { MODE(25GBASE_CR), 32, 1 },
	{ MODE(40GBASE_CR4), 4, 2 },   { MODE(50GBASE_CR2), 64, 1 },
	{ MODE(100GBASE_CR4), 32, 2 },
};

/* The speed of a link without a mode, of a port that is down, is QDR, 4X. */
static void read_rate(struct uverbs *u, uint8_t *speed, uint8_t *width)
{
	uint8_t in[PRM_SZ(access_register_in) + PRM_SZ(ptys_reg)] = { 0 };
	uint8_t out[PRM_SZ(access_register_out) + PRM_SZ(ptys_reg)] = { 0 };
	uint8_t *ask = PRM_ADDR(access_register_in, in, register_data);
	const uint8_t *ptys = PRM_ADDR(access_register_out, out, register_data);

	*speed = 4;
	*width = 2;
	PRM_SET(access_register_in, in, opcode, PRM_OP_ACCESS_REG);
	PRM_SET(access_register_in, in, op_mod, PRM_REG_OP_READ);
	PRM_SET(access_register_in, in, register_id, REG_PTYS);
	PRM_SET(ptys_reg, ask, local_port, 1);
	PRM_SET(ptys_reg, ask, proto_mask, PRM_PTYS_PROTO_EN);
	if (uverbs_fw(u, in, sizeof(in), out, sizeof(out)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		if (rates[i].mode != PRM_GET(ptys_reg, ptys, eth_proto_oper))
			continue;
		*speed = rates[i].speed;
		*width = rates[i].width;
	}
}

/* mlx5_ib, main.c, mlx5_query_port_roce; uverbs_cmd.c, copy_port_attr_to_resp */
int uverbs_query_port(struct uverbs_call *c)
{
	struct ib_uverbs_query_port_resp_ex r = { 0 };
	struct ib_uverbs_query_port_resp *p = &r.legacy_resp;
	uint32_t speed;

	if (uverbs_number(c, UVERBS_ATTR_QUERY_PORT_PORT_NUM) - 1 >= UVERBS_PORTS)
		return -EINVAL;
	p->state = uverbs_port_state(c->u);
	p->phys_state = uverbs_port_phys_state(c->u);
	p->max_mtu = IBV_MTU_4096;
	p->active_mtu = active_mtu(c->u);
	p->gid_tbl_len = gid_table_len(c->u);
	p->port_cap_flags = IB_UVERBS_PCF_CM_SUP | IB_UVERBS_PCF_IP_BASED_GIDS;
	p->max_msg_sz = 1u << UVERBS_CAP(c->u, log_max_msg);
	p->pkey_tbl_len = 1;
	read_rate(c->u, &p->active_speed, &p->active_width);
	p->link_layer = IBV_LINK_LAYER_ETHERNET;
	p->flags = IB_UVERBS_QPF_GRH_REQUIRED;
	speed = p->active_speed;
	if (kernel_has(c->u->kernel, KERNEL_SPEED_EX))
		memcpy((char *)&r + ACTIVE_SPEED_EX, &speed, sizeof(speed));
	uverbs_put_struct(c, UVERBS_ATTR_QUERY_PORT_RESP, &r, sizeof(r));
	return 0;
}

static void fill_entry(const struct hca_gid *gid, uint32_t index, struct ib_uverbs_gid_entry *e)
{
	*e = (struct ib_uverbs_gid_entry){
		.gid_index = index,
		.port_num = 1,
		.gid_type = gid->version == PRM_ROCE_VERSION_2 ? IB_UVERBS_GID_TYPE_ROCE_V2
							       : IB_UVERBS_GID_TYPE_ROCE_V1,
	};
	memcpy(e->gid, gid->raw, GID_LEN);
}

int uverbs_query_gid_entry(struct uverbs_call *c)
{
	uint64_t port = uverbs_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT);
	uint64_t index = uverbs_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	const struct hca_gid *gid;
	struct ib_uverbs_gid_entry e;
	uint32_t flags;
	int ret = uverbs_flags(c, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0, &flags);

	if (ret)
		return ret;
	if (port - 1 >= UVERBS_PORTS)
		return -EINVAL;
	ret = uverbs_gid(c->u, index, &gid);
	if (ret)
		return ret;
	fill_entry(gid, index, &e);
	uverbs_put_struct(c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &e, sizeof(e));
	return 0;
}

/* uverbs_std_types_device.c: entries of the size that the caller knows, one after the other */
int uverbs_query_gid_table(struct uverbs_call *c)
{
	uint64_t size = uverbs_number(c, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE), n = 0;
	size_t space = uverbs_len(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	struct ib_uverbs_gid_entry all[HCA_GIDS];
	uint32_t flags;
	int ret = uverbs_flags(c, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0, &flags);

	if (ret)
		return ret;
	if (!size || space % size)
		return -EINVAL;
	/* The kernel (uverbs_std_types_device.c) takes others, too; no library sends one. */
	if (size != sizeof(all[0]))
		return -EOPNOTSUPP;
	for (uint32_t i = 0; i < gid_table_len(c->u); i++) {
		if (!c->u->hca->port.gid[i].valid)
			continue;
		/* ib_core, cache.c, rdma_query_gid_table: all of them or none */
		if (n == space / size)
			return -EINVAL;
		fill_entry(&c->u->hca->port.gid[i], i, &all[n++]);
	}
	uverbs_put(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, all, n * size);
	uverbs_answer(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, n);
	return 0;
}

/* mlx5_ib, std_types.c, MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH: there is no such PCI
 * function. */
int uverbs_data_direct_path(struct uverbs_call *c)
{
	(void)c;
	return -ENODEV;
}

/* mlx5_ib, std_types.c, MLX5_IB_METHOD_QUERY_PORT: there is something to tell only where the
 * adapter's own switch forwards between ports ("switchdev"), and here it does not. */
int uverbs_query_mlx5_port(struct uverbs_call *c)
{
	struct mlx5_ib_uapi_query_port info = { 0 };
	uint64_t port = uverbs_number(c, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM);

	if (port < 1 || port > UVERBS_PORTS)
		return -EINVAL;
	uverbs_put_struct(c, MLX5_IB_ATTR_QUERY_PORT, &info, sizeof(info));
	return 0;
}
