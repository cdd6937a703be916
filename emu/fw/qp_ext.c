/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second option mask of INIT2INIT_QP and RTS2RTS_QP, and the extension of the QPC.
 *
 *	0x010 opt_param_mask | 0x018 qpc | 0x108 opt_param_mask_95_32 | 0x110 qpc_ext
 *	                                         bit 1: queue groups ---------'
 *	                                         bit 2: qpc.primary_address_path.udp_sport
 *
 * (Bits: rdma-core, mlx5_ifc.h, MLX5_QPC_OPT_MASK_32_*.) All other bits are refused.
 */
#include "fw/element.h"

#define GROUPS	   (1u << 1)
#define UDP_SPORT  (1u << 2)
#define TYPE_GROUP 4 /* SCHEDULING_CONTEXT_ELEMENT_TYPE_QUEUE_GROUP */

static_assert(PRM_OFF(init2init_qp_in, opt_param_mask_95_32) ==
			      PRM_OFF(rts2rts_qp_in, opt_param_mask_95_32) &&
		      PRM_SZ(init2init_qp_in) == PRM_SZ(rts2rts_qp_in),
	      "one layout");

/* What may be set behind the inbox: with qpc_ext and GROUPS the groups, else nothing. */
static uint8_t check_tail(const struct fw_cmd *c, bool groups)
{
	static const struct fw_bits ids[] = {
		{ PRM_OFF(qpc_ext, qos_queue_group_id_requester), 32 },
		{ PRM_OFF(qpc_ext, qos_queue_group_id_responder), 32 },
		{ 0, 0 },
	};
	size_t at = PRM_SZ(rts2rts_qp_in), end = at + PRM_SZ(qpc_ext);

	for (size_t i = end; i < c->in_len; i++)
		if (c->in[i])
			return FW_WHY_RESERVED;
	if (c->in_len < end)
		end = c->in_len;
	return fw_accept(prm_struct("qpc_ext"), groups ? ids : NULL, c->in + at, end - at);
}

/* Group @id, or NULL for 0; false: there is none. */
static bool find_group(const struct fw_cmd *c, uint32_t id, struct dev_sched **group)
{
	*group = id ? fw_sched(c, id) : NULL;
	if (!id)
		return true;
	return *group && PRM_GET(scheduling_context, (*group)->ctx, element_type) == TYPE_GROUP;
}

static enum fw_status find_groups(struct fw_cmd *c, struct fw_qp_ext *ext)
{
	const uint8_t *tail = c->in + PRM_SZ(rts2rts_qp_in);

	if (!PRM_GET(rts2rts_qp_in, c->in, qpc_ext))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OPT_PARAM);
	if (c->in_len < PRM_SZ(rts2rts_qp_in) + PRM_SZ(qpc_ext))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	/* assumed(qp_joins_queue_groups_only): a QP is put into a queue group; the number of a TSAR
	 * or of no element is BAD_RES. */
	if (!find_group(c, PRM_GET(qpc_ext, tail, qos_queue_group_id_requester), &ext->req) ||
	    !find_group(c, PRM_GET(qpc_ext, tail, qos_queue_group_id_responder), &ext->resp))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SCHED);
	return FW_OK;
}

enum fw_status fw_qp_ext(struct fw_cmd *c, const struct dev_qp *qp, struct fw_qp_ext *ext)
{
	bool rts = c->opcode == PRM_OP_RTS2RTS_QP;
	bool extends = rts || c->opcode == PRM_OP_INIT2INIT_QP;
	uint64_t mask = PRM_GET(rts2rts_qp_in, c->in, opt_param_mask_95_32);
	uint64_t allowed = extends ? GROUPS : 0;
	uint8_t why;

	/* mlx5dv_modify_qp_udp_sport(3): of RC and UC, in RTS. */
	if (rts && qp->st != FW_ST_UD)
		allowed |= UDP_SPORT;
	if (mask & ~allowed || (!extends && PRM_GET(rts2rts_qp_in, c->in, qpc_ext)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OPT_PARAM);
	ext->groups = mask & GROUPS;
	ext->udp_sport = mask & UDP_SPORT;
	why = check_tail(c, ext->groups);
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	return ext->groups ? find_groups(c, ext) : FW_OK;
}

static void join(struct dev_sched **at, struct dev_sched *to)
{
	if (*at)
		(*at)->refs--;
	*at = to;
	if (to)
		to->refs++;
}

void fw_qp_join(struct dev_qp *qp, struct dev_sched *req, struct dev_sched *resp)
{
	join(&qp->sched_req, req);
	join(&qp->sched_resp, resp);
}
