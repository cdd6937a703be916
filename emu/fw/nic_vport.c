/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MODIFY_NIC_VPORT_CONTEXT: what the driver of the function wants to receive.
 *
 *	field_select: loopback | roce_en | mtu | promisc | addresses_list: UC, MC, VLAN
 *
 * All multicast and all VLANs are received always (net/net.h), so lists of them change nothing:
 * the tables of the driver select what it wants. The list of unicast addresses counts, and the
 * port's own address.
 */
#include "fw/command.h"

#define ENTRY	 8 /* bytes: 2 that are 0, and an address; or a word with a VLAN, and 0 */
#define ADDRESS	 2
#define VLAN_MAX 0xfffu

#define SELECTS(fields, name) PRM_GET(modify_nic_vport_field_select, fields, name)

/* Loopback is one state here for unicast and multicast: mlx5_core sets both
 * (mlx5_nic_vport_update_local_lb). */
static enum fw_status check_loopback(struct fw_cmd *c, const uint8_t *fields,
				     const uint8_t *ctx)
{
	bool uc = SELECTS(fields, disable_uc_local_lb),
	     mc = SELECTS(fields, disable_mc_local_lb);

	if (uc != mc || (uc && PRM_GET(nic_vport_context, ctx, disable_uc_local_lb) !=
				       PRM_GET(nic_vport_context, ctx, disable_mc_local_lb)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return FW_OK;
}

static bool is_entry(uint32_t list, const uint8_t *at)
{
	switch (list) {
	case PRM_NVPRT_LIST_TYPE_UC:
		return !core_be16(at) && !(at[ADDRESS] & 1) && !fw_all_zero(at, ENTRY);
	case PRM_NVPRT_LIST_TYPE_MC:
		return !core_be16(at) && at[ADDRESS] & 1;
	default:
		return core_be32(at) <= VLAN_MAX && !core_be32(at + 4);
	}
}

static enum fw_status check_list(struct fw_cmd *c, const uint8_t *ctx)
{
	uint32_t list = PRM_GET(nic_vport_context, ctx, allowed_list_type),
		 n = PRM_GET(nic_vport_context, ctx, allowed_list_size);
	const uint8_t *at = c->in + PRM_SZ(modify_nic_vport_context_in);

	if (list > PRM_NVPRT_LIST_TYPE_VLAN)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (n * ENTRY != c->in_len - PRM_SZ(modify_nic_vport_context_in))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (list == PRM_NVPRT_LIST_TYPE_UC && n > HCA_UNICAST_LIST)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_LIMIT);
	for (uint32_t i = 0; i < n; i++)
		if (!is_entry(list, at + i * ENTRY))
			return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return FW_OK;
}

static void set_unicast(struct fw_cmd *c, uint32_t n)
{
	const uint8_t *at = c->in + PRM_SZ(modify_nic_vport_context_in) + ADDRESS;
	struct hca_vport *v = &c->hca->vport;

	v->n_unicast = (uint16_t)n;
	for (uint32_t i = 0; i < n; i++, at += ENTRY)
		memcpy(v->unicast[i], at, sizeof(v->unicast[i]));
}

static void set(struct fw_cmd *c, const uint8_t *fields, const uint8_t *ctx)
{
	struct hca *hca = c->hca;
	bool loops = !PRM_GET(nic_vport_context, ctx, disable_uc_local_lb);
	struct hca_vport *v = &hca->vport;

	if (SELECTS(fields, disable_uc_local_lb)) {
		hca_loopback_need(hca, 0, loops - v->loops);
		v->loops = loops;
	}
	if (SELECTS(fields, mtu))
		v->mtu = PRM_GET(nic_vport_context, ctx, mtu);
	if (SELECTS(fields, roce_en))
		v->roce_off = !PRM_GET(nic_vport_context, ctx, roce_en);
	if (SELECTS(fields, promisc)) {
		hca->port.promisc = PRM_GET(nic_vport_context, ctx, promisc_uc) ||
				    PRM_GET(nic_vport_context, ctx, promisc_all);
		hca_port_publish(hca);
	}
	if (SELECTS(fields, addresses_list) &&
	    PRM_GET(nic_vport_context, ctx, allowed_list_type) == PRM_NVPRT_LIST_TYPE_UC)
		set_unicast(c, PRM_GET(nic_vport_context, ctx, allowed_list_size));
}

enum fw_status fw_modify_nic_vport_context(struct fw_cmd *c)
{
	const uint8_t *fields = PRM_ADDR(modify_nic_vport_context_in, c->in, field_select),
		      *ctx = PRM_ADDR(modify_nic_vport_context_in, c->in, nic_vport_context);
	enum fw_status status = check_loopback(c, fields, ctx);

	if (status == FW_OK && SELECTS(fields, addresses_list))
		status = check_list(c, ctx);
	else if (status == FW_OK && c->in_len > PRM_SZ(modify_nic_vport_context_in))
		status = fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (status == FW_OK)
		set(c, fields, ctx);
	return status;
}
