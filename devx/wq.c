/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CREATE_, MODIFY_ and QUERY_ of RQ and SQ, and the part of the context that work queues share.
 */
#include <devx/wq.h>
#include <prm/prm.h>

#include "context.h"
#include "refuse.h"
#include "work_queue.h"

enum {
	LOG_ADAPTER_PAGE = 12,
	RECORD_ALIGN = 64,
};

int devx_wq_fill(uint8_t *p, const struct devx_wq_attr *attr, unsigned int type,
		 enum devx_call call, uint16_t opcode)
{
	unsigned int log_page = attr->log_page_size ? attr->log_page_size : LOG_ADAPTER_PAGE;

	if (attr->log_size >> PRM_W(wq, log_wq_sz))
		return devx_refuse(call, opcode, EINVAL, "log_size has more than 5 bits");
	if (attr->log_stride >> PRM_W(wq, log_wq_stride))
		return devx_refuse(call, opcode, EINVAL, "log_stride has more than 4 bits");
	if (log_page < LOG_ADAPTER_PAGE || log_page > LOG_ADAPTER_PAGE + 31)
		return devx_refuse(call, opcode, EINVAL, "log_page_size is not 12 to 43");
	if (attr->dbr_offset % RECORD_ALIGN)
		return devx_refuse(call, opcode, EINVAL,
				   "the doorbell record is not at a multiple of 64 bytes");
	PRM_SET(wq, p, wq_type, type);
	PRM_SET(wq, p, pd, attr->pdn);
	PRM_SET(wq, p, log_wq_sz, attr->log_size);
	PRM_SET(wq, p, log_wq_stride, attr->log_stride);
	PRM_SET(wq, p, log_wq_pg_sz, log_page - LOG_ADAPTER_PAGE);
	PRM_SET(wq, p, wq_umem_valid, 1);
	PRM_SET(wq, p, wq_umem_id, attr->wq_umem_id);
	PRM_SET(wq, p, wq_umem_offset, attr->wq_offset);
	PRM_SET(wq, p, dbr_umem_valid, 1);
	PRM_SET(wq, p, dbr_umem_id, attr->dbr_umem_id);
	PRM_SET(wq, p, dbr_addr, attr->dbr_offset);
	return 0;
}

int devx_rq_create(struct devx_obj *rq, struct ibv_context *ctx,
		   const struct devx_rq_attr *attr)
{
	uint8_t in[PRM_SZ(create_rq_in)] = { 0 }, out[PRM_SZ(create_rq_out)] = { 0 };
	uint8_t *rqc = PRM_ADDR(create_rq_in, in, ctx);
	int err = 0;

	PRM_SET(create_rq_in, in, opcode, PRM_OP_CREATE_RQ);
	PRM_SET(rqc, rqc, vsd, attr->vsd);
	PRM_SET(rqc, rqc, scatter_fcs, attr->scatter_fcs);
	PRM_SET(rqc, rqc, flush_in_error_en, attr->flush_in_error_en);
	PRM_SET(rqc, rqc, state, DEVX_WQ_RST);
	PRM_SET(rqc, rqc, user_index, attr->user_index);
	PRM_SET(rqc, rqc, cqn, attr->cqn);
	PRM_SET(rqc, rqc, counter_set_id, attr->counter_set_id);
	if (attr->rmpn) {
		PRM_SET(rqc, rqc, mem_rq_type, PRM_RQC_MEM_RQ_TYPE_RMP);
		PRM_SET(rqc, rqc, rmpn, attr->rmpn);
	} else {
		err = devx_wq_fill(PRM_ADDR(rqc, rqc, wq), &attr->wq, PRM_WQ_TYPE_CYCLIC,
				   CALL_devx_rq_create, PRM_OP_CREATE_RQ);
	}
	return err ? err : devx_obj_create(rq, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_sq_create(struct devx_obj *sq, struct ibv_context *ctx,
		   const struct devx_sq_attr *attr)
{
	uint8_t in[PRM_SZ(create_sq_in)] = { 0 }, out[PRM_SZ(create_sq_out)] = { 0 };
	uint8_t *sqc = PRM_ADDR(create_sq_in, in, ctx);
	uint8_t *wq = PRM_ADDR(sqc, sqc, wq);
	int err = devx_wq_fill(wq, &attr->wq, PRM_WQ_TYPE_CYCLIC, CALL_devx_sq_create,
			       PRM_OP_CREATE_SQ);

	if (err)
		return err;
	PRM_SET(create_sq_in, in, opcode, PRM_OP_CREATE_SQ);
	PRM_SET(sqc, sqc, flush_in_error_en, attr->flush_in_error_en);
	PRM_SET(sqc, sqc, allow_multi_pkt_send_wqe, attr->allow_multi_pkt_send_wqe);
	PRM_SET(sqc, sqc, min_wqe_inline_mode, attr->min_wqe_inline_mode);
	PRM_SET(sqc, sqc, state, DEVX_WQ_RST);
	PRM_SET(sqc, sqc, user_index, attr->user_index);
	PRM_SET(sqc, sqc, cqn, attr->cqn);
	PRM_SET(sqc, sqc, tis_lst_sz, 1);
	PRM_SET(sqc, sqc, tis_num_0, attr->tisn);
	PRM_SET(wq, wq, uar_page, attr->uar_page);
	return devx_obj_create(sq, ctx, in, sizeof(in), out, sizeof(out));
}

int devx_rq_modify(struct devx_obj *rq, enum devx_wq_state from, enum devx_wq_state to)
{
	uint8_t in[PRM_SZ(modify_rq_in)] = { 0 }, out[PRM_SZ(modify_rq_out)] = { 0 };
	uint8_t *rqc = PRM_ADDR(modify_rq_in, in, ctx);

	PRM_SET(modify_rq_in, in, opcode, PRM_OP_MODIFY_RQ);
	PRM_SET(modify_rq_in, in, rqn, rq->id);
	PRM_SET(modify_rq_in, in, rq_state, from);
	PRM_SET(rqc, rqc, state, to);
	return devx_obj_modify(rq, in, sizeof(in), out, sizeof(out));
}

int devx_sq_modify(struct devx_obj *sq, enum devx_wq_state from, enum devx_wq_state to)
{
	uint8_t in[PRM_SZ(modify_sq_in)] = { 0 }, out[PRM_SZ(modify_sq_out)] = { 0 };
	uint8_t *sqc = PRM_ADDR(modify_sq_in, in, ctx);

	PRM_SET(modify_sq_in, in, opcode, PRM_OP_MODIFY_SQ);
	PRM_SET(modify_sq_in, in, sqn, sq->id);
	PRM_SET(modify_sq_in, in, sq_state, from);
	PRM_SET(sqc, sqc, state, to);
	return devx_obj_modify(sq, in, sizeof(in), out, sizeof(out));
}

int devx_rq_query(struct devx_obj *rq, uint8_t rqc[PRM_SZ(rqc)])
{
	return DEVX_QUERY_CONTEXT(rq, QUERY_RQ, query_rq, rq_context, rqc, rqc);
}

int devx_sq_query(struct devx_obj *sq, uint8_t sqc[PRM_SZ(sqc)])
{
	return DEVX_QUERY_CONTEXT(sq, QUERY_SQ, query_sq, sq_context, sqc, sqc);
}
