/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet reformat contexts: header bytes that a flow entry adds to a packet, or a piece that it
 * removes.
 *
 *	encapsulate	L2_TO_VXLAN, L2_TO_NVGRE, L2_TO_L2_TUNNEL, L2_TO_L3_TUNNEL: bytes in front
 *	decapsulate	L3_TUNNEL_TO_L2: everything up to the inner IP header, replaced by bytes
 *	insert, remove	INSERT_HDR, REMOVE_HDR: param_0 an anchor, param_1 an offset from it
 *
 * ESP and MACsec are refused.
 */
#include <stdlib.h>

#include "fw/flow.h"

#define CONTEXT_AT PRM_OFF(alloc_packet_reformat_context_in, packet_reformat_context) / 8
#define DATA_AT	   (CONTEXT_AT + PRM_OFF(packet_reformat_context_in, reformat_data) / 8)

bool fw_flow_reformats(const uint8_t *caps, uint32_t type)
{
	switch (type) {
	case PRM_REFORMAT_L2_TO_VXLAN:
	case PRM_REFORMAT_L2_TO_NVGRE:
	case PRM_REFORMAT_L2_TO_L2_TUNNEL:
		return FW_FT(caps, reformat);
	case PRM_REFORMAT_L3_TUNNEL_TO_L2:
		return FW_FT(caps, reformat_l3_tunnel_to_l2);
	case PRM_REFORMAT_L2_TO_L3_TUNNEL:
		return FW_FT(caps, reformat_l2_to_l3_tunnel);
	case PRM_REFORMAT_INSERT_HDR:
		return FW_FT(caps, reformat_insert);
	case PRM_REFORMAT_REMOVE_HDR:
		return FW_FT(caps, reformat_remove);
	default:
		return false;
	}
}

/* Does any table type do it? The context is for no type in particular. */
static bool is_known(const struct fw_cmd *c, uint32_t type)
{
	for (uint32_t t = 0; t < HCA_FLOW_TYPES; t++)
		if (fw_flow_caps(c, t) && fw_flow_reformats(fw_flow_caps(c, t), type))
			return true;
	return false;
}

static bool is_anchor(uint32_t which)
{
	return which == PRM_REFORMAT_CONTEXT_ANCHOR_MAC_START ||
	       which == PRM_REFORMAT_CONTEXT_ANCHOR_IP_START ||
	       which == PRM_REFORMAT_CONTEXT_ANCHOR_TCP_UDP_START;
}

/* Only INSERT_HDR and REMOVE_HDR have parameters; REMOVE_HDR has a size and no bytes. */
static enum fw_status check(struct fw_cmd *c, const uint8_t *ctx)
{
	uint32_t type = PRM_GET(packet_reformat_context_in, ctx, reformat_type);
	uint32_t size = PRM_GET(packet_reformat_context_in, ctx, reformat_data_size);
	bool placed = type == PRM_REFORMAT_INSERT_HDR || type == PRM_REFORMAT_REMOVE_HDR;
	size_t end = DATA_AT + (type == PRM_REFORMAT_REMOVE_HDR ? 0 : size);

	if (!is_known(c, type))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	if (placed ? !is_anchor(PRM_GET(packet_reformat_context_in, ctx, reformat_param_0))
		   : PRM_GET(packet_reformat_context_in, ctx, reformat_param_0) ||
			     PRM_GET(packet_reformat_context_in, ctx, reformat_param_1))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (!size || size > PRM_GET(flow_table_nic_cap, c->hca->caps[PRM_CAP_FLOW_TABLE],
				    max_encap_header_size))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	if (c->in_len < end)
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	if (fw_more(c, end))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_RESERVED);
	/* assumed(l3_decapsulation_needs_a_layer_2_header): the bytes of L3_TUNNEL_TO_L2 are 14
	 * or, with a VLAN tag, 18 (rdma-core, dr_action.c). */
	if (type == PRM_REFORMAT_L3_TUNNEL_TO_L2 && size != 14 && size != 18)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_SIZE);
	return FW_OK;
}

enum fw_status fw_alloc_packet_reformat_context(struct fw_cmd *c)
{
	const uint8_t *ctx =
		PRM_ADDR(alloc_packet_reformat_context_in, c->in, packet_reformat_context);
	enum fw_status status = check(c, ctx);
	struct hca_packet_reformat *r;
	uint8_t *data;

	if (status != FW_OK)
		return status;
	data = calloc(1, PRM_GET(packet_reformat_context_in, ctx, reformat_data_size));
	if (!data)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	r = fw_alloc(c, HCA_KIND_packet_reformat,
		     PRM_GET(flow_table_nic_cap, c->hca->caps[PRM_CAP_FLOW_TABLE],
			     log_max_packet_reformat_context),
		     &status);
	if (!r) {
		free(data);
		return status;
	}
	r->type = PRM_GET(packet_reformat_context_in, ctx, reformat_type);
	r->param_0 = PRM_GET(packet_reformat_context_in, ctx, reformat_param_0);
	r->param_1 = PRM_GET(packet_reformat_context_in, ctx, reformat_param_1);
	r->size = PRM_GET(packet_reformat_context_in, ctx, reformat_data_size);
	r->data = data;
	if (r->type != PRM_REFORMAT_REMOVE_HDR)
		memcpy(r->data, c->in + DATA_AT, r->size);
	PRM_SET(alloc_packet_reformat_context_out, c->out, packet_reformat_id, r->id);
	return FW_OK;
}

/* The context and its bytes, as far as the outbox reaches. */
enum fw_status fw_query_packet_reformat_context(struct fw_cmd *c)
{
	const struct hca_packet_reformat *r = fw_packet_reformat(
		c, PRM_GET(query_packet_reformat_context_in, c->in, packet_reformat_id));
	size_t at = PRM_OFF(query_packet_reformat_context_out, packet_reformat_context) / 8;
	uint8_t ctx[PRM_SZ(packet_reformat_context_in)] = { 0 };
	size_t data = at + PRM_OFF(packet_reformat_context_in, reformat_data) / 8;

	if (!r)
		return fw_absent(c);
	PRM_SET(packet_reformat_context_in, ctx, reformat_type, r->type);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_0, r->param_0);
	PRM_SET(packet_reformat_context_in, ctx, reformat_data_size, r->size);
	PRM_SET(packet_reformat_context_in, ctx, reformat_param_1, r->param_1);
	for (size_t i = 0; i < data - at && at + i < c->out_len; i++)
		c->out[at + i] = ctx[i];
	for (size_t i = 0; i < r->size && data + i < c->out_len; i++)
		c->out[data + i] = r->data[i];
	return FW_OK;
}

enum fw_status fw_dealloc_packet_reformat_context(struct fw_cmd *c)
{
	return fw_destroy(c, fw_packet_reformat(c, PRM_GET(dealloc_packet_reformat_context_in,
							   c->in, packet_reformat_id)));
}
