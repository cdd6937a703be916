/* SPDX-License-Identifier: BSD-2-Clause */
/* CREATE_RMP, MODIFY_RMP, QUERY_RMP: a shared receive ring, a linked list of WQEs. */
#include <devx/srq.h>
#include <prm/prm.h>

#include "context.h"
#include "work_queue.h"

int devx_rmp_create(struct devx_obj *rmp, struct ibv_context *ctx,
		    const struct devx_wq_attr *wq)
{
	uint8_t in[PRM_SZ(create_rmp_in)] = { 0 }, out[PRM_SZ(create_rmp_out)] = { 0 };
	uint8_t *rmpc = PRM_ADDR(create_rmp_in, in, ctx);
	int err = devx_wq_fill(PRM_ADDR(rmpc, rmpc, wq), wq, PRM_WQ_TYPE_LINKED_LIST,
			       CALL_devx_rmp_create, PRM_OP_CREATE_RMP);

	if (err)
		return err;
	PRM_SET(create_rmp_in, in, opcode, PRM_OP_CREATE_RMP);
	PRM_SET(rmpc, rmpc, state, PRM_RMPC_STATE_RDY);
	return devx_obj_create(rmp, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_rmp_arm(struct devx_obj *rmp, uint16_t lwm)
{
	uint8_t in[PRM_SZ(modify_rmp_in)] = { 0 }, out[PRM_SZ(modify_rmp_out)] = { 0 };
	uint8_t *rmpc = PRM_ADDR(modify_rmp_in, in, ctx);

	PRM_SET(modify_rmp_in, in, opcode, PRM_OP_MODIFY_RMP);
	PRM_SET(modify_rmp_in, in, rmpn, rmp->id);
	PRM_SET(modify_rmp_in, in, rmp_state, PRM_RMPC_STATE_RDY);
	PRM_SET(rmp_bitmask, PRM_ADDR(modify_rmp_in, in, bitmask), lwm, 1);
	PRM_SET(rmpc, rmpc, state, PRM_RMPC_STATE_RDY);
	PRM_SET(wq, PRM_ADDR(rmpc, rmpc, wq), lwm, lwm);
	return devx_obj_modify(rmp, in, sizeof(in), out, sizeof(out));
}

int devx_rmp_query(struct devx_obj *rmp, uint8_t rmpc[PRM_SZ(rmpc)])
{
	return DEVX_QUERY_CONTEXT(rmp, QUERY_RMP, query_rmp, rmp_context, rmpc, rmpc);
}

int devx_xrcd_create(struct devx_obj *xrcd, struct ibv_context *ctx)
{
	uint8_t in[PRM_SZ(alloc_xrcd_in)] = { 0 }, out[PRM_SZ(alloc_xrcd_out)] = { 0 };

	PRM_SET(alloc_xrcd_in, in, opcode, PRM_OP_ALLOC_XRCD);
	return devx_obj_create(xrcd, ctx, in, sizeof(in), out, sizeof(out));
}
