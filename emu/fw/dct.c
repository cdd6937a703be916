/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dynamically connected targets. A DCT has all that a responder needs, except its peers, which
 * connect by themselves; so it is made in one command, ready, and ends in two:
 *
 *	CREATE_DCT --> ACTIVE -- DRAIN_DCT --> DRAINED, event DCT_DRAINED -- DESTROY_DCT -->
 *
 * It receives into an RMP and completes to its own CQ. Its connections are the
 * engine's: each starts as a copy of the model that is filled in here. An XRC SRQ or an XRQ for
 * it, signatures and tag matching are refused.
 */
#include "event/event.h"
#include "fw/element.h"

#define CQE_128_LOG 7

static_assert(PRM_SZ(dctc) == HCA_DCTC_SIZE, "dctc");

static uint32_t mtu_bytes(const uint8_t *dctc)
{
	uint32_t mtu = PRM_GET(dctc, dctc, mtu);

	return mtu >= 1 && mtu <= 5 ? 128u << mtu : 0;
}

static enum fw_status check_objects(struct fw_cmd *c, const uint8_t *dctc)
{
	const struct hca_srq *srq = fw_srq(c, PRM_GET(dctc, dctc, srqn_xrqn));

	if (!fw_pd(c, PRM_GET(dctc, dctc, pd)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_PD);
	if (!fw_cq(c, PRM_GET(dctc, dctc, cqn)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_CQ);
	if (!srq || srq->xrc)
		return fw_refuse(c, FW_BAD_RES, FW_WHY_SRQ);
	if (!fw_counter_set(c, PRM_GET(dctc, dctc, counter_set_id)))
		return fw_refuse(c, FW_BAD_RES, FW_WHY_COUNTER);
	return FW_OK;
}

/* As at INIT2RTR of a connected QP (modify_qp.c): one port, one P_Key, a GID that is set. */
static enum fw_status check_address(struct fw_cmd *c, const uint8_t *dctc)
{
	uint32_t gid = PRM_GET(dctc, dctc, my_addr_index), mtu = mtu_bytes(dctc);

	if (gid >= HCA_GIDS || !c->hca->port.gid[gid].valid)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_GID);
	if (!mtu || mtu > c->hca->port.mtu)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_MTU);
	if (PRM_GET(dctc, dctc, port) != 1 || PRM_GET(dctc, dctc, pkey_index))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	return FW_OK;
}

/* Data inside the CQE: 64 bytes, in front of a CQE of 128 (mlx5_ib, qp.c, create_dct). */
static bool scatter_ok(const struct fw_cmd *c, const uint8_t *dctc)
{
	uint32_t cs_res = PRM_GET(dctc, dctc, cs_res);

	return !cs_res || (cs_res == PRM_DCTC_CS_RES_UP_TO_64B &&
			   fw_cq(c, PRM_GET(dctc, dctc, cqn))->cqe_size_log == CQE_128_LOG);
}

static enum fw_status check(struct fw_cmd *c, const uint8_t *dctc)
{
	enum fw_status status;

	if (!FW_GEN(c->hca, dct))
		return fw_refuse(c, FW_BAD_OP, FW_WHY_UNSUPPORTED);
	status = check_objects(c, dctc);
	if (status == FW_OK)
		status = check_address(c, dctc);
	if (status != FW_OK)
		return status;
	if (PRM_GET(dctc, dctc, state) != PRM_DCTC_STATE_ACTIVE || !scatter_ok(c, dctc))
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_VALUE);
	if (PRM_GET(dctc, dctc, atomic_mode) > PRM_QPC_ATOMIC_MODE_UP_TO_8B)
		return fw_refuse(c, FW_BAD_PARAM, FW_WHY_UNSUPPORTED);
	return fw_ece(c, PRM_GET(dctc, dctc, ece));
}

/* assumed(dc_responder_resources_are_the_devices): a DCT lets in as many READs and atomics
 * at a time as log_max_ra_res_dc says, and messages as long as log_max_msg: its context has
 * neither. */
static void fill(const struct fw_cmd *c, struct hca_qp *model, const uint8_t *dctc)
{
	model->uid = c->uid;
	model->st = PRM_QPC_ST_DCT;
	model->pd = fw_pd(c, PRM_GET(dctc, dctc, pd));
	model->rcq = fw_cq(c, PRM_GET(dctc, dctc, cqn));
	model->srq = fw_srq(c, PRM_GET(dctc, dctc, srqn_xrqn));
	model->counter = fw_counter_set(c, PRM_GET(dctc, dctc, counter_set_id));
	model->user_index = PRM_GET(dctc, dctc, user_index);
	model->path = (struct hca_path){ .sgid_index = PRM_GET(dctc, dctc, my_addr_index),
					 .hop_limit = PRM_GET(dctc, dctc, hop_limit),
					 .tclass = PRM_GET(dctc, dctc, tclass),
					 .flow_label = PRM_GET(dctc, dctc, flow_label) };
	model->mtu = mtu_bytes(dctc);
	model->log_msg_max = FW_GEN(c->hca, log_max_msg);
	model->max_dest_rd_atomic = 1u << FW_GEN(c->hca, log_max_ra_res_dc);
	model->min_rnr_nak = PRM_GET(dctc, dctc, min_rnr_nak);
	model->rre = PRM_GET(dctc, dctc, rre);
	model->rwe = PRM_GET(dctc, dctc, rwe);
	model->rae = PRM_GET(dctc, dctc, rae);
	model->atomic_mode = PRM_GET(dctc, dctc, atomic_mode);
	PRM_SET(qpc, model->qpc, cs_res, PRM_GET(dctc, dctc, cs_res));
}

enum fw_status fw_create_dct(struct fw_cmd *c)
{
	const uint8_t *dctc = PRM_ADDR(create_dct_in, c->in, dct_context_entry);
	enum fw_status status = check(c, dctc);
	struct hca_dct *dct;

	if (status != FW_OK)
		return status;
	dct = hca_dct_new(c->hca);
	if (!dct)
		return fw_refuse(c, FW_NO_RES, FW_WHY_FULL);
	fill(c, dct->model, dctc);
	fw_begin(c, dct);
	dct->key = PRM_GET(dctc, dctc, dc_access_key);
	memcpy(dct->dctc, dctc, HCA_DCTC_SIZE);
	PRM_SET(dctc, dct->dctc, ece, 0); /* those in use */
	PRM_SET(create_dct_out, c->out, dctn, dct->dctn);
	return FW_OK;
}

enum fw_status fw_query_dct(struct fw_cmd *c)
{
	const struct hca_dct *dct = fw_dct(c, PRM_GET(query_dct_in, c->in, dctn));
	uint8_t *dctc = PRM_ADDR(query_dct_out, c->out, dct_context_entry);

	if (!dct)
		return fw_absent(c);
	memcpy(dctc, dct->dctc, HCA_DCTC_SIZE);
	PRM_SET(dctc, dctc, state, dct->state);
	PRM_SET(dctc, dctc, dc_access_key_violation_count, dct->violations);
	return FW_OK;
}

enum fw_status fw_arm_dct(struct fw_cmd *c)
{
	struct hca_dct *dct = fw_dct(c, PRM_GET(arm_dct_in, c->in, dct_number));

	if (!dct)
		return fw_absent(c);
	dct->armed = true;
	return FW_OK;
}

/* assumed(drain_breaks_connections_off): DRAIN_DCT breaks off what initiators are in the midst
 * of, and the event follows at once; receive WQEs that unfinished messages hold are never
 * completed. Later requests are not answered. */
enum fw_status fw_drain_dct(struct fw_cmd *c)
{
	struct hca_dct *dct = fw_dct(c, PRM_GET(drain_dct_in, c->in, dctn));

	if (!dct)
		return fw_absent(c);
	if (dct->state != PRM_DCTC_STATE_ACTIVE)
		return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_STATE);
	hca_dct_forget_all(dct);
	dct->state = PRM_DCTC_STATE_DRAINED;
	event_async(c->hca, PRM_EVENT_DCT_DRAINED, dct->dctn, 0);
	return FW_OK;
}

/* assumed(only_drained_dcts_are_destroyed): DESTROY_DCT of a target that was not drained is
 * BAD_RES_STATE; mlx5_ib (qpc.c, mlx5_core_destroy_dct) drains it first. */
enum fw_status fw_destroy_dct(struct fw_cmd *c)
{
	struct hca_dct *dct = fw_dct(c, PRM_GET(destroy_dct_in, c->in, dctn));

	if (dct && dct->state != PRM_DCTC_STATE_DRAINED)
		return fw_refuse(c, FW_BAD_RES_STATE, FW_WHY_STATE);
	return fw_destroy(c, dct);
}
