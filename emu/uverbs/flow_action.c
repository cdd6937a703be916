/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of headers as objects: lists of fields to set, headers to add or remove (mlx5_ib,
 * fs.c, MLX5_IB_METHOD_FLOW_ACTION_CREATE_MODIFY_HEADER, … _CREATE_PACKET_REFORMAT).
 *
 *	list of 8 bytes each    --ALLOC_MODIFY_HEADER_CONTEXT-->   MOD_HDR of a rule
 *	header bytes            --ALLOC_PACKET_REFORMAT_CONTEXT--> PACKET_REFORMAT
 *	a tunnel in layer 2: nothing of the device                 DECAP
 *
 * IPsec (ESP) is not there: Linux 6.1 and 6.12 answer EOPNOTSUPP on mlx5.
 */
#include <assert.h>
#include <stdlib.h>

#include "uverbs/flow.h"

#define DO(name)    PRM_FLOW_CONTEXT_ACTION_##name
#define ACTION_SIZE 8

int uverbs_flow_action_apply(const struct uverbs_flow_action *a, struct uverbs_flow_act *act)
{
	if (act->action & a->action)
		return -EINVAL;
	act->action |= a->action;
	if (a->action == DO(MOD_HDR))
		act->modify_id = a->id;
	if (a->action == DO(PACKET_REFORMAT))
		act->reformat_id = a->id;
	return 0;
}

/* ---- lists of fields ---- */

static uint32_t max_actions(const struct uverbs *u, uint64_t ft_type)
{
	switch (ft_type) {
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX:
		return UVERBS_FT(u, UVERBS_FLOW_BYPASS, max_modify_header_actions);
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX:
		return UVERBS_FT(u, UVERBS_FLOW_EGRESS, max_modify_header_actions);
	case MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX:
		return UVERBS_FT(u, UVERBS_FLOW_RDMA_TX, max_modify_header_actions);
	default: /* fs_cmd.c, mlx5_cmd_modify_header_alloc knows no others without an e-switch */
		return 0;
	}
}

static int alloc_modify(struct uverbs_call *c, enum uverbs_flow_ns ns, uint32_t n, uint32_t *id)
{
	size_t in_len = PRM_SZ(alloc_modify_header_context_in) + (size_t)n * ACTION_SIZE;
	uint8_t out[PRM_SZ(alloc_modify_header_context_out)] = { 0 }, *in = calloc(1, in_len);
	int ret;

	if (!in)
		return -ENOMEM;
	PRM_SET(alloc_modify_header_context_in, in, opcode, PRM_OP_ALLOC_MODIFY_HEADER_CONTEXT);
	PRM_SET(alloc_modify_header_context_in, in, table_type, uverbs_flow_type(ns));
	PRM_SET(alloc_modify_header_context_in, in, num_of_actions, n);
	ret = uverbs_get(c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM,
			 in + PRM_SZ(alloc_modify_header_context_in), (size_t)n * ACTION_SIZE);
	if (!ret)
		ret = uverbs_fw(c->u, in, in_len, out, sizeof(out));
	free(in);
	*id = PRM_GET(alloc_modify_header_context_out, out, modify_header_id);
	return ret;
}

int uverbs_create_modify_header(struct uverbs_call *c)
{
	uint64_t ft_type = uverbs_number(c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_FT_TYPE);
	size_t bytes = uverbs_len(c, MLX5_IB_ATTR_CREATE_MODIFY_HEADER_ACTIONS_PRM);
	uint32_t n = bytes / ACTION_SIZE;
	struct uverbs_flow_action *a = c->made;
	enum uverbs_flow_ns ns;
	int ret = uverbs_flow_caps_read(c->u);

	if (ret)
		return ret;
	if (!max_actions(c->u, MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX) &&
	    !max_actions(c->u, MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX) &&
	    !max_actions(c->u, MLX5_IB_UAPI_FLOW_TABLE_TYPE_RDMA_TX))
		return -EOPNOTSUPP;
	if (bytes % ACTION_SIZE)
		return -EINVAL;
	ret = uverbs_flow_ns_of(ft_type, &ns);
	if (ret)
		return ret;
	if (n > max_actions(c->u, ft_type))
		return -EOPNOTSUPP;
	a->action = DO(MOD_HDR);
	return alloc_modify(c, ns, n, &a->id);
}

/* ---- headers ---- */

/* mlx5_ib_flow_action_packet_reformat_valid */
static bool reformat_ok(const struct uverbs *u, uint64_t type, uint64_t ft_type)
{
	bool rx = ft_type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_RX;
	bool tx = ft_type == MLX5_IB_UAPI_FLOW_TABLE_TYPE_NIC_TX;

	switch (type) {
	case MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L2_TUNNEL:
		return tx && UVERBS_NIC_FT(u, encap_general_header);
	case MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TO_L3_TUNNEL:
		return tx && UVERBS_FT(u, UVERBS_FLOW_EGRESS, reformat_l2_to_l3_tunnel);
	case MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L3_TUNNEL_TO_L2:
		return rx && UVERBS_FT(u, UVERBS_FLOW_BYPASS, reformat_l3_tunnel_to_l2);
	case MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2:
		return rx && UVERBS_FT(u, UVERBS_FLOW_BYPASS, decap);
	default:
		return false;
	}
}

/* mlx5_ib, fs.c, mlx5_ib_ft_reformat_type_to_prm; the values of the PRM are those of
 * mlx5_ifc.h, MLX5_REFORMAT_TYPE_*. */
static uint32_t prm_type(uint64_t type)
{
	return type + 1;
}

static int alloc_reformat(struct uverbs_call *c, uint64_t type, size_t len, uint32_t *id)
{
	size_t data = PRM_OFF(alloc_packet_reformat_context_in, packet_reformat_context) / 8 +
		      PRM_OFF(packet_reformat_context_in, reformat_data) / 8;
	size_t in_len = (data + len + 3) & ~(size_t)3;
	uint8_t out[PRM_SZ(alloc_packet_reformat_context_out)] = { 0 }, *in, *ctx;
	int ret;

	if (in_len < PRM_SZ(alloc_packet_reformat_context_in))
		in_len = PRM_SZ(alloc_packet_reformat_context_in);
	in = calloc(1, in_len);
	if (!in)
		return -ENOMEM;
	ctx = PRM_ADDR(alloc_packet_reformat_context_in, in, packet_reformat_context);
	PRM_SET(alloc_packet_reformat_context_in, in, opcode,
		PRM_OP_ALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, prm_type(type));
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, len);
	ret = uverbs_get(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF, in + data, len);
	if (!ret)
		ret = uverbs_fw(c->u, in, in_len, out, sizeof(out));
	free(in);
	*id = PRM_GET(alloc_packet_reformat_context_out, out, packet_reformat_id);
	return ret;
}

int uverbs_create_packet_reformat(struct uverbs_call *c)
{
	uint64_t type = uverbs_number(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_TYPE);
	uint64_t ft_type = uverbs_number(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_FT_TYPE);
	bool decap = type == MLX5_IB_UAPI_FLOW_ACTION_PACKET_REFORMAT_TYPE_L2_TUNNEL_TO_L2;
	size_t len = uverbs_len(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF);
	struct uverbs_flow_action *a = c->made;
	int ret = uverbs_flow_caps_read(c->u);

	if (ret)
		return ret;
	if (!reformat_ok(c->u, type, ft_type))
		return -EOPNOTSUPP;
	if (!decap && !uverbs_has(c, MLX5_IB_ATTR_CREATE_PACKET_REFORMAT_DATA_BUF))
		return -ENOENT;
	/* fs_cmd.c, mlx5_cmd_packet_reformat_alloc */
	if (!decap && len > UVERBS_NIC_FT(c->u, max_encap_header_size))
		return -EINVAL;
	a->action = decap ? DO(DECAP) : DO(PACKET_REFORMAT);
	return decap ? 0 : alloc_reformat(c, type, len, &a->id);
}

int uverbs_flow_action_destroy(struct uverbs *u, void *obj)
{
	const struct uverbs_flow_action *a = obj;
	uint8_t in[PRM_SZ(dealloc_modify_header_context_in)] = { 0 };
	uint8_t out[PRM_SZ(dealloc_modify_header_context_out)] = { 0 };

	static_assert(PRM_OFF(dealloc_modify_header_context_in, modify_header_id) ==
			      PRM_OFF(dealloc_packet_reformat_context_in, packet_reformat_id),
		      "one layout");
	if (a->action == DO(DECAP))
		return 0;
	PRM_SET(dealloc_modify_header_context_in, in, opcode,
		a->action == DO(MOD_HDR) ? PRM_OP_DEALLOC_MODIFY_HEADER_CONTEXT
					 : PRM_OP_DEALLOC_PACKET_REFORMAT_CONTEXT);
	PRM_SET(dealloc_modify_header_context_in, in, modify_header_id, a->id);
	return uverbs_fw(u, in, sizeof(in), out, sizeof(out));
}
