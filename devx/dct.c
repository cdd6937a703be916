/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_DCT, QUERY_DCT: the attributes as fields of the context. */
#include <devx/dct.h>
#include <prm/prm.h>

#include "context.h"
#include "refuse.h"

enum {
	DCT_ACCESS =
		IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
};

int devx_dct_create(struct devx_obj *dct, struct ibv_context *ctx,
		    const struct devx_dct_attr *attr)
{
	uint8_t in[PRM_SZ(create_dct_in)] = { 0 }, out[PRM_SZ(create_dct_out)] = { 0 };
	uint8_t *dctc = PRM_ADDR(create_dct_in, in, dct_context_entry);
	bool atomic = attr->access & IBV_ACCESS_REMOTE_ATOMIC;

	if (attr->access & ~(uint32_t)DCT_ACCESS)
		return devx_refuse(CALL_devx_dct_create, PRM_OP_CREATE_DCT, EINVAL,
				   "an access flag that a DCT does not have");
	PRM_SET(create_dct_in, in, opcode, PRM_OP_CREATE_DCT);
	PRM_SET(dctc, dctc, pd, attr->pdn);
	PRM_SET(dctc, dctc, cqn, attr->cqn);
	PRM_SET(dctc, dctc, srqn_xrqn, attr->srqn);
	PRM_SET(dctc, dctc, dc_access_key, attr->dc_access_key);
	PRM_SET(dctc, dctc, rre, !!(attr->access & IBV_ACCESS_REMOTE_READ));
	PRM_SET(dctc, dctc, rwe, !!(attr->access & IBV_ACCESS_REMOTE_WRITE));
	PRM_SET(dctc, dctc, rae, atomic);
	PRM_SET(dctc, dctc, atomic_mode,
		atomic ? PRM_QPC_ATOMIC_MODE_IB_SPEC : PRM_QPC_ATOMIC_MODE_NONE);
	PRM_SET(dctc, dctc, user_index, attr->user_index);
	PRM_SET(dctc, dctc, counter_set_id, attr->counter_set_id);
	PRM_SET(dctc, dctc, min_rnr_nak, attr->min_rnr_nak);
	PRM_SET(dctc, dctc, tclass, attr->tclass);
	PRM_SET(dctc, dctc, flow_label, attr->flow_label);
	PRM_SET(dctc, dctc, mtu, attr->mtu);
	PRM_SET(dctc, dctc, port, attr->port ? attr->port : 1);
	PRM_SET(dctc, dctc, pkey_index, attr->pkey_index);
	PRM_SET(dctc, dctc, my_addr_index, attr->gid_index);
	PRM_SET(dctc, dctc, hop_limit, attr->hop_limit);
	return devx_obj_create(dct, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_dct_query(struct devx_obj *dct, uint8_t dctc[PRM_SZ(dctc)])
{
	return DEVX_QUERY_CONTEXT(dct, QUERY_DCT, query_dct, dct_context_entry, dctc, dctc);
}
