/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second option mask of INIT2INIT_QP and RTS2RTS_QP, and the extension of the QPC, which
 * CREATE_QP may bring, too.
 *
 *	0x010 opt_param_mask | 0x018 qpc | 0x108 opt_param_mask_95_32 | 0x110 qpc_ext
 *	                                         bit 1: queue groups ---------|
 *	                                         bit 3: mmo, INIT2INIT -------'
 *	                                         bit 2: qpc.primary_address_path.udp_sport
 *
 * (Bits: rdma-core, mlx5_ifc.h, MLX5_QPC_OPT_MASK_32_*.) All other bits are refused.
 */
#include "fw/element.h"

#define GROUPS	  (1u << 1)
#define UDP_SPORT (1u << 2)
#define MMO	  (1u << 3)

static_assert(PRM_OFF(init2init_qp_in, opt_param_mask_95_32) ==
			      PRM_OFF(rts2rts_qp_in, opt_param_mask_95_32) &&
		      PRM_SZ(init2init_qp_in) == PRM_SZ(rts2rts_qp_in),
	      "one layout");

static const struct fw_bits group_ids[] = {
	{ PRM_OFF(qpc_ext, qos_queue_group_id_requester), 32 },
	{ PRM_OFF(qpc_ext, qos_queue_group_id_responder), 32 },
	{ 0, 0 },
};

static const struct fw_bits mmo_bit[] = {
	{ PRM_OFF(qpc_ext, mmo), 1 },
	{ 0, 0 },
};

/* Only fields that @mask names may be set after the inbox, and only with qpc_ext. */
static uint8_t check_tail(const struct fw_cmd *c, uint64_t mask)
{
	size_t at = PRM_SZ(rts2rts_qp_in), end = at + PRM_SZ(qpc_ext);
	const struct fw_bits *accepts = mask & GROUPS ? group_ids : NULL;

	if (mask & MMO)
		accepts = mmo_bit;
	for (size_t i = end; i < c->in_len; i++)
		if (c->in[i])
			return FW_WHY_RESERVED;
	if (c->in_len < end)
		end = c->in_len;
	return fw_accept("qpc_ext", accepts, c->in + at, end - at);
}

static enum fw_status check_ext(struct fw_cmd *c)
{
	if (!PRM_GET(rts2rts_qp_in, c->in, qpc_ext))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OPT_PARAM);
	if (c->in_len < PRM_SZ(rts2rts_qp_in) + PRM_SZ(qpc_ext))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	return FW_OK;
}

/* Group @id, or NULL for 0; false: there is none. */
static bool find_group(const struct fw_cmd *c, uint32_t id, struct hca_sched **group)
{
	*group = id ? fw_sched(c, id) : NULL;
	if (!id)
		return true;
	return *group && PRM_GET(scheduling_context, (*group)->ctx, element_type) ==
				 PRM_SCHED_ELEMENT_QUEUE_GROUP;
}

static enum fw_status find_groups(struct fw_cmd *c, struct fw_qp_ext *ext)
{
	const uint8_t *tail = c->in + PRM_SZ(rts2rts_qp_in);

	/* assumed(qp_joins_queue_groups_only): a QP is put into a queue group; the number of a
	 * TSAR or of no element is BAD_RES. */
	if (!find_group(c, PRM_GET(qpc_ext, tail, qos_queue_group_id_requester), &ext->req) ||
	    !find_group(c, PRM_GET(qpc_ext, tail, qos_queue_group_id_responder), &ext->resp))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SCHED);
	return FW_OK;
}

/* The bits of the second mask that the command may have for @qp. */
static uint64_t allowed(const struct fw_cmd *c, const struct hca_qp *qp)
{
	bool rc = qp->st == PRM_QPC_ST_RC, dc = qp->st == PRM_QPC_ST_DCI;

	/* mlx5dv_modify_qp_udp_sport(3): of RC and UC, in RTS. */
	if (c->opcode == PRM_OP_RTS2RTS_QP)
		return GROUPS | (qp->st != PRM_QPC_ST_UD && !dc ? UDP_SPORT : 0);
	if (c->opcode != PRM_OP_INIT2INIT_QP)
		return 0;
	/* rdma-core (verbs.c, qp_enable_mmo): of RC and DCI. */
	return GROUPS | (FW_GEN(c->hca, dma_mmo_qp) && (rc || dc) ? MMO : 0);
}

enum fw_status fw_qp_ext(struct fw_cmd *c, const struct hca_qp *qp, struct fw_qp_ext *ext)
{
	uint64_t mask = PRM_GET(rts2rts_qp_in, c->in, opt_param_mask_95_32);
	uint64_t may = allowed(c, qp);
	enum fw_status status;
	uint8_t why;

	/* Groups and MMO in one command: no program sends that. */
	if (mask & ~may || (!may && PRM_GET(rts2rts_qp_in, c->in, qpc_ext)) ||
	    (mask & MMO && mask & GROUPS))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_OPT_PARAM);
	ext->groups = mask & GROUPS;
	ext->udp_sport = mask & UDP_SPORT;
	ext->set_mmo = mask & MMO;
	why = check_tail(c, mask);
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	if (!ext->groups && !ext->set_mmo)
		return FW_OK;
	status = check_ext(c);
	if (status != FW_OK)
		return status;
	ext->mmo = ext->set_mmo && PRM_GET(qpc_ext, c->in + PRM_SZ(rts2rts_qp_in), mmo);
	return ext->groups ? find_groups(c, ext) : FW_OK;
}

/* DPDK (mlx5_devx_cmds.c, mlx5_devx_cmd_create_qp) allows MMO here. */
enum fw_status fw_qp_create_ext(struct fw_cmd *c, bool *mmo)
{
	const uint8_t *tail = c->in + PRM_SZ(create_qp_in), *qpc;
	uint8_t why;

	*mmo = false;
	if (!PRM_GET(create_qp_in, c->in, qpc_ext))
		return FW_OK;
	if (c->in_len < PRM_SZ(create_qp_in) + PRM_SZ(qpc_ext))
		return fw_refuse(c, FW_BAD_INP_LEN, FW_WHY_IN_LEN);
	why = fw_accept("qpc_ext", mmo_bit, tail, PRM_SZ(qpc_ext));
	if (why)
		return fw_refuse(c, FW_BAD_PARAM, why);
	qpc = PRM_ADDR(create_qp_in, c->in, qpc);
	*mmo = PRM_GET(qpc_ext, tail, mmo);
	if (*mmo && (!FW_GEN(c->hca, dma_mmo_qp) || (PRM_GET(qpc, qpc, st) != PRM_QPC_ST_RC &&
						     PRM_GET(qpc, qpc, st) != PRM_QPC_ST_DCI)))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return FW_OK;
}

enum fw_status fw_ece(struct fw_cmd *c, uint32_t options)
{
	return options && !FW_GEN(c->hca, ece_support)
		       ? fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED)
		       : FW_OK;
}

static void join(struct hca_sched **at, struct hca_sched *to)
{
	if (*at)
		(*at)->refs--;
	*at = to;
	if (to)
		to->refs++;
}

void fw_qp_join(struct hca_qp *qp, struct hca_sched *req, struct hca_sched *resp)
{
	join(&qp->sched_req, req);
	join(&qp->sched_resp, resp);
}
